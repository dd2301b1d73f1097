//! Inputs that are hostile or unlucky: sizes without a bound, files that are none, files that cannot be written whole, signals,
//! and characters that control a terminal.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::{assert_refused, command, file, lanes, stdout};

const SYMBOLS: &str =
    "__constant__ int c[4]; __device__ float d; struct P { int a; char b; }; __device__ P p;
extern \"C\" __global__ void k(int* x) { *x = c[0] + d + p.a; }\n";

const COPY: &str = "extern \"C\" __global__ void k(int* x) { x[threadIdx.x] += 1; }\n";

/// Runs `lanes` in a folder with the words of a line, of which none has a blank.
fn run_in(folder: &Path, line: &str) -> Output {
    command(&line.split(' ').collect::<Vec<_>>()).current_dir(folder).output().unwrap()
}

/// A folder with the kernel `k.cu`, which adds 1 to each of its numbers.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.cu"), COPY).unwrap();
    fs::write(folder.path().join("symbols.cu"), SYMBOLS).unwrap();
    folder
}

/// Every number from which a size follows, and numbers that no memory has.
#[test]
fn sizes_are_bounded_before_anything_is_allocated() {
    let folder = folder();
    let good = "run k.cu --arg buf:i32:32:iota";
    for number in ["99999999999", "18446744073709551615"] {
        for line in [
            format!("run symbols.cu --symbol c=i32:{number}:zeros --arg buf:i32:1:zeros"),
            format!("run symbols.cu --symbol c=f64:{number}:uninitialized --arg buf:i32:1:zeros"),
            format!("run symbols.cu --symbol d=f32:{number}:rand --arg buf:i32:1:zeros"),
            format!("run symbols.cu --symbol p=u8:{number}:fill=1 --arg buf:i32:1:zeros"),
            format!("run symbols.cu --symbol c=i32:{number}:file=k.cu --arg buf:i32:1:zeros"),
            format!("run k.cu --arg buf:i32:{number}:zeros"),
            format!("run k.cu --arg buf:u8:{number}:file=k.cu"),
            format!("run k.cu --arg x --buffer x=f64:{number}:uninitialized"),
            format!("play k.cu --arg buf:i32:{number}:zeros"),
            format!("advise k.cu --arg buf:i32:{number}:zeros"),
            format!("{good} --grid {number}"),
            format!("{good} --grid 4294967295,4294967295,4294967295"),
            format!("{good} --block {number}"),
            format!("{good} --shared-bytes {number}"),
            format!("{good} --shared-bytes 4294967295"),
            format!("{good} --resident-blocks {number}"),
            format!("{good} --cores {number}"),
            format!("{good} --print 0:{number}"),
            format!("{good} --picture 0:{number}"),
            format!("{good} --expect 0:0..{number}=zeros"),
            format!("{good} --memory {number}"),
            format!("{good} --memory 64"),
            format!("{good} --memory {number}G"),
        ] {
            if !line.ends_with("--memory 99999999999") {
                assert_refused(&run_in(folder.path(), &line), "", &line);
            }
        }
        for toml in [
            format!("buffers = {{ x = \"i32:{number}:zeros\" }}"),
            format!("buffers = {{ x = \"i32:32:zeros\" }}\nsymbols = {{ c = \"i32:{number}:zeros\" }}"),
            format!(
                "buffers = {{ x = \"i32:32:zeros\" }}\nexpect = {{ x = {{ is = \"zeros\", range = \"0..{number}\" }} }}"
            ),
        ] {
            let text = format!(
                "file = \"symbols.cu\"\n[[test]]\nname = \"a\"\n{toml}\n[[test.launch]]\nargs = [\"x\"]\n"
            );
            fs::write(folder.path().join("a.toml"), text).unwrap();
            assert_refused(&run_in(folder.path(), "test a.toml --compiler cudac"), "", &toml);
        }
    }
    let right =
        run_in(folder.path(), "run symbols.cu --symbol c=i32:4:iota --arg buf:i32:1:zeros --memory 1M");
    assert_eq!(right.status.code(), Some(0), "{right:?}");
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_folders_are_no_files() {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe.cu")).status().unwrap().success());
    fs::create_dir(folder.path().join("folder.cu")).unwrap();
    for (line, words) in [
        ("test /dev/zero", "cannot read `/dev/zero`: it is a device or a pipe"),
        ("test pipe.cu", "a device or a pipe"),
        ("test folder.cu", "it is a directory"),
        ("run /dev/zero", "a device or a pipe"),
        ("run pipe.cu", "a device or a pipe"),
        ("run folder.cu", "it is a directory"),
        ("list pipe.cu", "a device or a pipe"),
        ("run k.cu --arg buf:i32:32:file=/dev/zero", "a device or a pipe"),
        ("run k.cu --arg buf:i32:32:file=pipe.cu", "a device or a pipe"),
        ("run symbols.cu --symbol c=i32:4:file=/dev/urandom --arg buf:i32:1:zeros", "a device or a pipe"),
    ] {
        assert_refused(&run_in(folder.path(), line), words, line);
    }
}

/// What a scenario file may name: a program anywhere, and data below its own folder.
#[test]
fn a_scenario_file_reads_no_other_files() {
    let folder = folder();
    let secret = "secret-of-somebody";
    fs::create_dir_all(folder.path().join("tests/data")).unwrap();
    for name in ["secret", "tests/data/numbers"] {
        fs::write(folder.path().join(name), format!("{secret}{}", "!".repeat(110))).unwrap();
    }
    #[cfg(unix)]
    for (to, link) in [("../secret", "link"), ("../secret", "link.ptx"), ("..", "up")] {
        std::os::unix::fs::symlink(to, folder.path().join("tests").join(link)).unwrap();
    }
    let absolute = folder.path().join("secret").display().to_string().replace('\\', "/");
    let test = |program: &str, data: &str| {
        let text = format!(
            "file = \"{program}\"\n[[test]]\nname = \"a\"\nbuffers = {{ x = \"u32:32:file={data}\" }}\nexpect = {{ x = {{ is = \"zeros\" }} }}
             [[test.launch]]\nargs = [\"x\"]\n"
        );
        fs::write(folder.path().join("tests/a.toml"), text).unwrap();
        run_in(folder.path(), "test tests/a.toml --compiler cudac")
    };
    for data in ["../secret", &absolute, "data/../../secret", "nowhere/../data/numbers"] {
        assert_refused(&test("../k.cu", data), "is not in the folder of the scenario file", data);
    }
    for program in ["../secret", &absolute, "data/numbers"] {
        assert_refused(&test(program, "data/numbers"), "is no program", program);
    }
    if cfg!(unix) {
        for data in ["link", "up/secret"] {
            assert_refused(&test("../k.cu", data), "is not in the folder of the scenario file", data);
        }
        assert_refused(&test("link.ptx", "data/numbers"), "is no program", "a link");
    }
    for data in ["data/numbers", "./data/numbers"] {
        let output = test("../k.cu", data);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    // What is no program is not shown in the error about it.
    fs::copy(folder.path().join("secret"), folder.path().join("other.ptx")).unwrap();
    for line in ["run other.ptx", "list secret", "test secret", "play secret", "advise other.ptx"] {
        let output = run_in(folder.path(), line);
        let said = format!("{}{}", String::from_utf8_lossy(&output.stderr), stdout(&output));
        assert!(output.status.code() == Some(2) && !said.contains(secret), "{line}: {said}");
    }
}

#[test]
fn two_outputs_need_two_files() {
    let folder = folder();
    for two in [
        "--save 0=a --save 0=a",
        "--save 0=a --save 0=./a",
        "--save 0=a --picture 0:8=a",
        "--picture 0:8=a --trace a",
        "--save 0=old --trace ./old",
    ] {
        fs::write(folder.path().join("old"), "old").unwrap();
        let line = format!("run k.cu --arg buf:i32:32:iota {two}");
        assert_refused(&run_in(folder.path(), &line), "both write", two);
        assert!(!folder.path().join("a").exists());
        assert_eq!(fs::read_to_string(folder.path().join("old")).unwrap(), "old");
    }
    assert_refused(
        &run_in(folder.path(), "run k.cu --arg buf:i32:32:iota --trace k.cu"),
        "is an input",
        "an input",
    );
    let line = "run k.cu --arg buf:i32:32:iota --save 0=a --picture 0:8=b --trace c";
    assert_eq!(run_in(folder.path(), line).status.code(), Some(0));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
}

/// A limit on the size of files, as a full disk: each file is the old one or the new one, and nothing is beside it.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_whole_leaves_the_old_file() {
    let folder = folder();
    for (name, line) in [
        ("bytes", "run k.cu --arg buf:i32:32:iota --save 0=bytes"),
        ("picture", "run k.cu --arg buf:i32:4096:rand --picture 0:64=picture"),
        ("trace", "run k.cu --arg buf:i32:32:iota --trace trace"),
        ("page.html", "play k.cu --arg buf:i32:32:iota --out page.html"),
    ] {
        let old = "<!doctype html><!-- written by `lanes play` -->old";
        fs::write(folder.path().join(name), old).unwrap();
        // The signal of the limit is ignored, so that the write fails.
        let limited = format!("trap '' XFSZ; ulimit -f 0; exec '{}' {line}", env!("CARGO_BIN_EXE_lanes"));
        let output = Command::new("sh").args(["-c", &limited]).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), old, "{line}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "{line}");
        assert!(matches!(run_in(folder.path(), line).status.code(), Some(0)), "{line}");
        assert_ne!(fs::read(folder.path().join(name)).unwrap(), old.as_bytes());
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    if Path::new("/dev/full").exists() {
        let output = run_in(folder.path(), "run k.cu --arg buf:i32:32:iota --save 0=/dev/full");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

/// Starts `lanes`, sends a signal after a while, and returns what it says.
#[cfg(unix)]
fn interrupted(folder: &Path, line: &str, signal: &str, patience: Duration) -> Output {
    let words: Vec<&str> = line.split(' ').collect();
    let mut child = command(&words);
    let child = child.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(patience);
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "{line} has ended before the signal");
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(60), "{line}");
    output
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_with_what_is_known() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "host.cu",
        "#include <cstdio>\nint main() { printf(\"known\\n\"); volatile int x = 0; for (;;) x++; }\n",
    );
    write(
        "relaunch.cu",
        "#include <cstdio>\n__global__ void k() {}\nint main() { printf(\"known\\n\"); for (;;) { k<<<1, 32>>>(); cudaDeviceSynchronize(); } }\n",
    );
    write(
        "kernel.cu",
        "extern \"C\" __global__ void k(int* x, int n) { for (int i = 0; i < n; i++) atomicAdd(x, i); }\n",
    );
    write("a.toml", "file = \"kernel.cu\"\n[[test]]\nname = \"short\"\nbuffers = { x = \"i32:1:zeros\" }\n[[test.launch]]\nargs = [\"x\", \"i32:1\"]\n
[[test]]\nname = \"long\"\nmax_steps = 100000000000\nbuffers = { x = \"i32:1:zeros\" }\n[[test.launch]]\nargs = [\"x\", \"i32:2000000000\"]\n");
    let wait = Duration::from_secs(3);
    for signal in ["-INT", "-TERM"] {
        for program in ["host.cu", "relaunch.cu"] {
            let output = interrupted(folder.path(), &format!("run {program} --host interpret"), signal, wait);
            let text = stdout(&output);
            assert!(
                text.starts_with("known\n") && text.contains("Ctrl-C ended the program"),
                "{program}: {output:?}"
            );
            assert_eq!(output.status.code(), Some(130), "{program}: {output:?}");
        }
    }
    let json = interrupted(folder.path(), "run host.cu --json --host interpret", "-INT", wait);
    let json = super::object(&json);
    assert_eq!((json["interrupted"].as_bool(), json["output"].as_str()), (Some(true), Some("known\n")));
    let line = "run kernel.cu --max-steps 100000000000 --arg buf:i32:1:zeros --arg i32:2000000000 --trace trace --trace-steps 1000";
    let output = interrupted(folder.path(), line, "-TERM", wait);
    assert!(
        output.status.code() == Some(130)
            && stdout(&output)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains("until the run was stopped"),
        "{output:?}"
    );
    let trace = fs::read_to_string(folder.path().join("trace")).unwrap();
    assert!(trace.ends_with("\"cut\":true,\"stopped\":true}}\n"), "{}", &trace[trace.len() - 200..]);
    let output = interrupted(folder.path(), "test a.toml --compiler cudac", "-INT", wait);
    let text = stdout(&output);
    assert!(
        text.contains("test short ... ok") && text.contains("1 test did not run to the end"),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(130), "{output:?}");
}

/// Control characters in names, options, texts of programs and what kernels print.
#[test]
fn characters_that_control_a_terminal_are_shown_as_numbers() {
    let (escape, turn) = ("\u{1b}[2J", "\u{202e}");
    let kernel = file(
        "prints.cu",
        format!("extern \"C\" __global__ void k() {{ printf(\"a\\tb{turn}\\33[2Jc\\n\"); }}\n").as_bytes(),
    );
    let bad = file(
        "bad.cu",
        format!("extern \"C\" __global__ void k() {{ int x = \"{turn}{escape}\" + y; }}\n").as_bytes(),
    );
    let (kernel, bad) = (kernel.to_str().unwrap(), bad.to_str().unwrap());
    for args in [
        &["run", kernel, "--compiler", "cudac"][..],
        &["run", bad, "--compiler", "cudac"],
        &["run", &format!("a{escape}{turn}.cu")],
        &["run", kernel, "--compiler", "cudac", "--kernel", &format!("k{escape}{turn}")],
        &["test", &format!("{escape}{turn}")],
        &[&format!("{escape}{turn}")],
    ] {
        let output = lanes(args);
        let said = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        let is_raw = |c: char| c == '\u{1b}' || c == '\u{202e}';
        assert!(!said.contains(is_raw), "{args:?}: {said:?}");
    }
    let printed = lanes(&["run", kernel, "--compiler", "cudac"]);
    assert!(stdout(&printed).contains("a\tb\\u202e\\u001b[2Jc\n"), "{printed:?}");
    // What a program prints into a pipe is data.
    let program = file("data.cu", b"#include <cstdio>\nint main() { printf(\"\\33[1m\\xff\\r\\n\"); }\n");
    assert_eq!(lanes(&["run", program.to_str().unwrap()]).stdout, b"\x1b[1m\xff\r\n");
}
