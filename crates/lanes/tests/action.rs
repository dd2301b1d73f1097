//! The script of the action for other repositories: its status is that of the tests, however their files are called.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

const KERNEL: &str = "extern \"C\" __global__ void three(int* out) { out[threadIdx.x] = 3; }\n";

/// A scenario that asks for this value.
fn scenario(value: u32) -> String {
    format!(
        "file = \"x.cu\"\n[[test]]\nname = \"threes\"\nbuffers = {{ out = \"i32:32:zeros\" }}\n\
         expect = {{ out = {{ is = \"fill={value}\" }} }}\n\
         [[test.launch]]\nkernel = \"three\"\ngrid = 1\nblock = 32\nargs = [\"out\"]\n"
    )
}

/// The status of the script for these files, in a folder that has them all.
fn status(folder: &Path, files: &str) -> (Option<i32>, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.github/actions/test/run.sh");
    let mut bash = Command::new("bash");
    bash.arg(script).current_dir(folder).env("FILES", files).env("LANES", env!("CARGO_BIN_EXE_lanes"));
    bash.env("JUNIT", folder.join("junit.xml"));
    let output = bash.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_failing_test_fails_whatever_its_file_is_called() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.cu"), KERNEL).unwrap();
    let write = |name: &str, value| fs::write(folder.path().join(name), scenario(value)).unwrap();
    write("plain.toml", 3);
    for name in ["-h.toml", "--help", "--format=json", "-"] {
        write(name, 3);
        let (code, said) = status(folder.path(), &format!("{name} plain.toml"));
        assert_eq!(code, Some(0), "`{name}`: {said}");
        assert!(fs::read_to_string(folder.path().join("junit.xml")).unwrap().contains("<testsuites "));
        write(name, 4);
        let (code, said) = status(folder.path(), name);
        assert_eq!(code, Some(1), "`{name}`: {said}");
    }
    for (files, code) in [("", 2), ("*.toml", 1), ("missing.toml", 2)] {
        assert_eq!(status(folder.path(), files).0, Some(code), "`{files}`");
    }
}
