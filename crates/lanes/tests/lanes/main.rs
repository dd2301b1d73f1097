//! The program `lanes`: correct runs, runs with faults, and the single line that it prints for everything that cannot
//! be run.

mod advise;
mod arguments;
mod bad;
mod cuda;
mod doors;
#[cfg(target_os = "linux")]
mod exec;
mod explain;
mod files;
mod gpu;
mod hundred;
mod json;
mod letters;
mod play;
mod programs;
mod projects;
mod refused;
mod repeats;
mod runs;
mod safe;
mod scenarios;
mod seeds;
mod trace;
mod weak;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

const SAXPY: &str = "kernels/ptx/saxpy.sm_70.ptx";

const GOOD: &str =
    "--grid 2 --block 32 --arg f32:2 --arg buf:f32:64:iota --arg buf:f32:64:fill=1 --arg i32:60";

/// With these options the second block accesses elements after the end of `arg2`.
const TOO_SMALL: &str = "--grid 2 --arg f32:2 --arg buf:f32:64:iota --arg buf:f32:40:zeros --arg i32:64";

/// The folder of the project.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanes"));
    command.args(args).current_dir(root());
    command
}

fn lanes(args: &[&str]) -> Output {
    command(args).output().expect("the program was built")
}

/// Runs the program with the words of a line, which are separated by blanks.
fn words(line: &str) -> Output {
    lanes(&line.split_whitespace().collect::<Vec<_>>())
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// The one JSON object that a run prints.
fn object(output: &Output) -> Value {
    serde_json::from_str(stdout(output)).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// A file that only this test uses.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Another test may be reading the same file: it must see either the old text or the new one, never a part.
    let new = path.with_extension(format!("{:?}", std::thread::current().id()));
    fs::write(&new, bytes).unwrap();
    fs::rename(new, &path).unwrap();
    path
}

fn assert_refused(output: &Output, message: &str, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{what}: {said}");
    assert!(said.starts_with("error: ") && said.contains(message), "{what}: `{message}` is not in: {said}");
    assert_eq!(said.lines().count(), 1, "{what}: {said}");
    assert!(output.stdout.is_empty(), "{what}");
}

/// Checks that no line is too long. The command that replays a run is an exception, because it has to be copied.
fn assert_readable(text: &str) {
    let is_long = |line: &&str| line.chars().count() > 80 && !line.starts_with("  replay: ");
    assert_eq!(text.lines().find(is_long), None);
}
