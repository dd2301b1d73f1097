//! Nothing that lies beside a kernel is run or opened, whatever it is called.

use std::fs;
use std::path::Path;

use test_support::planted::Planted;

const KERNEL: &str = "extern \"C\" __global__ void three(int* out) { out[threadIdx.x] = 3; }\n";
const SCENARIO: &str = "file = \"x.cu\"\n[[test]]\nname = \"threes\"\nbuffers = { out = \"i32:32:zeros\" }\n\
    [[test.launch]]\nkernel = \"three\"\ngrid = 1\nblock = 32\nargs = [\"out\"]\n";
const PROGRAM: &str = "int main() { return 0; }\n";

#[test]
fn nothing_beside_a_kernel_runs() {
    let folder = tempfile::tempdir().unwrap();
    let planted = Planted::in_folder(folder.path());
    for (name, text) in [("x.cu", KERNEL), ("test.toml", SCENARIO), ("main.cu", PROGRAM), ("-h.cu", KERNEL)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let launch = "--block 32 --arg buf:i32:32:zeros";
    for (line, status) in [
        ("list x.cu".to_owned(), 0),
        (format!("run x.cu {launch}"), 0),
        (format!("run x.cu {launch} --compiler cudac"), 0),
        (format!("run x.cu {launch} --compiler nvrtc"), 2),
        (format!("run x.cu {launch} --device gpu"), 2),
        (format!("run ./-h.cu {launch}"), 0),
        ("run main.cu".to_owned(), 0),
        ("test test.toml".to_owned(), 0),
    ] {
        let mut lanes = planted.command(Path::new(env!("CARGO_BIN_EXE_lanes")));
        let output = lanes.args(line.split_whitespace()).output().unwrap();
        let (said, shown) =
            (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
        assert_eq!(planted.ran(), [""; 0], "`lanes {line}`: {said}");
        // With NVIDIA's compiler or a GPU, what is asked for may succeed, but for the trap beside it.
        assert!(output.status.code() == Some(status) || status == 2, "`lanes {line}`: {said}{shown}");
    }
}
