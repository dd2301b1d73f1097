//! Nothing in the folder of a learner is run or opened, whatever it is called.

use std::path::Path;
use std::process::Stdio;

use test_support::planted::Planted;

#[test]
fn nothing_in_the_current_folder_runs() {
    let folder = tempfile::tempdir().unwrap();
    let planted = Planted::in_folder(folder.path());
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for line in [
        "run lost_sum",
        "run off_by_one",
        "verify",
        "--compiler nvrtc run lost_sum",
        "--compiler cudac run lost_sum",
        "setup",
    ] {
        let mut program = planted.command(Path::new(env!("CARGO_BIN_EXE_exercises")));
        program.arg("--catalogue").arg(&fixtures).args(["--folder", "mine"]).args(line.split_whitespace());
        let output = program.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(planted.ran(), [""; 0], "`exercises {line}`: {said}");
        assert!(!said.contains("panicked"), "`exercises {line}`: {said}");
    }
}
