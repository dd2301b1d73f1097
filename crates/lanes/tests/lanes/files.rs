//! Files of whole programs: which may be read, what is really written, and what is said about both.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{object, stderr, stdout};

/// A folder `in` with a program and its data, beside a file that lies outside.
fn folder(text: &str) -> tempfile::TempDir {
    let made = tempfile::tempdir().unwrap();
    fs::create_dir_all(made.path().join("in/sub")).unwrap();
    let around =
        "#include <cstdio>\n#include <cerrno>\n#include <fstream>\n#include <iostream>\n#include <string>\n";
    fs::write(made.path().join("in/main.cu"), format!("{around}{text}")).unwrap();
    fs::write(made.path().join("in/sub/data.txt"), "1 2 39\n").unwrap();
    fs::write(made.path().join("outside.txt"), "secret\n").unwrap();
    made
}

/// `lanes run main.cu` in the folder `in`.
fn run(folder: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanes"));
    command.args(["run", "main.cu"]).args(options).current_dir(folder.join("in")).stdin(Stdio::null());
    command.output().unwrap()
}

const SUM: &str = "int main(int argc, char** argv) {
    FILE* in = argc > 1 ? fopen(argv[1], \"r\") : stdin;
    if (!in) { printf(\"none %d\\n\", errno); return 0; }
    int n, sum = 0;
    while (fscanf(in, \"%d\", &n) == 1) sum += n;
    printf(\"%d\\n\", sum);
}";

#[test]
fn files_below_the_current_folder_are_read() {
    let made = folder(SUM);
    let absolute = made.path().join("in/sub/data.txt");
    for path in ["sub/data.txt", "./sub/../sub/data.txt", "../in/sub/data.txt", absolute.to_str().unwrap()] {
        let output = run(made.path(), &["--", path]);
        assert_eq!((stdout(&output), output.status.code()), ("42\n", Some(0)), "{path}");
    }
    assert_eq!(stdout(&run(made.path(), &["--", "/dev/null"])), "0\n");
    // A program that never asks for the standard input does not wait for it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanes"));
    command.args(["run", "main.cu", "--", "sub/data.txt"]).current_dir(made.path().join("in"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let input = child.stdin.take();
    assert!(child.wait().unwrap().success());
    drop(input);
}

#[test]
fn other_files_are_not_opened_and_those_outside_are_named() {
    let made = folder(SUM);
    let outside = |path: &str| {
        format!("none 13\n\nnote: `{path}` lies outside the current folder and was not opened\n")
    };
    let absolute = made.path().join("outside.txt");
    for path in ["../outside.txt", "sub/../../outside.txt", absolute.to_str().unwrap(), "/etc/hostname"] {
        let output = run(made.path(), &["--", path]);
        assert_eq!((stdout(&output), output.status.code()), (&*outside(path), Some(0)), "{path}");
        let json = object(&run(made.path(), &["--json", "--", path]));
        assert_eq!(json["files"]["outside"], serde_json::json!([path]));
    }
    for (path, code) in [("none.txt", 2), ("none/x", 2), ("sub", 21), ("sub/data.txt/", 2), ("/dev/zero", 13)]
    {
        assert_eq!(stdout(&run(made.path(), &["--", path])), format!("none {code}\n"), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_pipes_lead_nowhere() {
    let made = folder(SUM);
    let inner = made.path().join("in");
    std::os::unix::fs::symlink("../outside.txt", inner.join("link")).unwrap();
    std::os::unix::fs::symlink("..", inner.join("up")).unwrap();
    std::os::unix::fs::symlink("sub/data.txt", inner.join("fine")).unwrap();
    assert!(Command::new("mkfifo").arg(inner.join("pipe")).status().unwrap().success());
    for path in ["link", "up/outside.txt"] {
        assert!(stdout(&run(made.path(), &["--", path])).contains("lies outside"), "{path}");
    }
    assert_eq!(stdout(&run(made.path(), &["--", "fine"])), "42\n");
    assert_eq!(stdout(&run(made.path(), &["--", "pipe"])), "none 13\n");
    // What is written through them stays inside of the folder that is named.
    fs::write(
        inner.join("main.cu"),
        "#include <fstream>\nint main() { std::ofstream a(\"link\"), b(\"up/new\"), c(\"ok\"); a << 1; b << 2; c << 3; }",
    )
    .unwrap();
    let output = run(made.path(), &["--write", "."]);
    assert!(
        stdout(&output).contains("note: 2 files were written in memory only (`up/new`, `link`)"),
        "{output:?}"
    );
    assert_eq!(fs::read_to_string(made.path().join("outside.txt")).unwrap(), "secret\n");
    assert!(!made.path().join("new").exists());
    assert_eq!(fs::read_to_string(inner.join("ok")).unwrap(), "3");
}

const WRITES: &str = "int main() {
    FILE* f = fopen(\"out.txt\", \"w\"); fputs(\"new\", f); fclose(f);
    f = fopen(\"sub/data.txt\", \"a\"); fputs(\"more\", f); fclose(f);
    std::ifstream g(\"out.txt\"); std::string s; g >> s; std::cout << s << std::endl;
}";

#[test]
fn what_is_written_stays_in_memory_unless_an_option_names_the_folder() {
    let made = folder(WRITES);
    let inner = made.path().join("in");
    let output = run(made.path(), &[]);
    let note = "new\n\nnote: 2 files were written in memory only (`out.txt`, `sub/data.txt`); keep them with `--write .`\n";
    assert_eq!((stdout(&output), output.status.code()), (note, Some(0)));
    assert!(!inner.join("out.txt").exists());
    assert_eq!(fs::read_to_string(inner.join("sub/data.txt")).unwrap(), "1 2 39\n");

    let output = run(made.path(), &["--write", "sub"]);
    let note = "new\n\nnote: 1 file was written in memory only (`out.txt`); keep it with `--write .`\n";
    assert_eq!((stdout(&output), inner.join("out.txt").exists()), (note, false));
    assert_eq!(fs::read_to_string(inner.join("sub/data.txt")).unwrap(), "1 2 39\nmore");

    let json = object(&run(made.path(), &["--json", "--write", "sub", "--write", "../in"]));
    let wanted = serde_json::json!([
        { "path": "out.txt", "bytes": 3, "kept": true },
        { "path": "sub/data.txt", "bytes": 15, "kept": true },
    ]);
    assert_eq!(json["files"]["written"], wanted);
    assert_eq!(fs::read_to_string(inner.join("out.txt")).unwrap(), "new");
    let names: Vec<_> = fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_program_that_is_stopped_changes_nothing() {
    let made = folder(
        "int main() {\n    FILE* f = fopen(\"sub/data.txt\", \"w\"); fputs(\"half\", f);\n    int* p = nullptr; *p = 1;\n}",
    );
    let output = run(made.path(), &["--write", "."]);
    let note = "note: `sub/data.txt` was not written: the program was stopped\n";
    assert!(stdout(&output).contains(note) && output.status.code() == Some(1), "{output:?}");
    assert_eq!(fs::read_to_string(made.path().join("in/sub/data.txt")).unwrap(), "1 2 39\n");
}

#[test]
fn what_is_removed_is_still_there() {
    let made =
        folder("int main() { remove(\"sub/data.txt\"); return fopen(\"sub/data.txt\", \"r\") != NULL; }");
    let output = run(made.path(), &["--write", "."]);
    let note = "\nnote: removed in memory only, and still there: `sub/data.txt`\n";
    assert_eq!((stdout(&output), output.status.code()), (note, Some(0)));
    assert!(made.path().join("in/sub/data.txt").exists());
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let made = folder("int main() { std::ofstream f(\"sub/data.txt\"); f << 1; }");
    let file = made.path().join("in/sub/data.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    if fs::OpenOptions::new().append(true).open(&file).is_ok() {
        return; // The superuser may write everything.
    }
    let output = run(made.path(), &["--write", "."]);
    assert!(stdout(&output).contains("note: `sub/data.txt` was not written: access is denied"), "{output:?}");
    assert_eq!(output.status.code(), Some(2));
}

/// The seed decides who is last; only one run is written.
#[test]
fn of_many_seeds_only_the_run_that_is_shown_is_written() {
    let made = folder(
        "__global__ void last(int* x) { *x = blockIdx.x; }
int main() {
    int *d, h; cudaMalloc(&d, 4); last<<<64, 1>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); cudaFree(d);
    printf(\"%d\\n\", h); FILE* f = fopen(\"out.txt\", \"a\"); fprintf(f, \"%d\\n\", h);
}",
    );
    let output = run(made.path(), &["--seeds", "0..8", "--check", "memory", "--write", "."]);
    let text = fs::read_to_string(made.path().join("in/out.txt")).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(stdout(&output).starts_with(&text), "{}", stdout(&output));
}

#[test]
fn the_option_is_for_programs_and_for_folders_that_exist() {
    let made = folder("__global__ void k() {}\nint main() {}");
    for (options, message) in [
        (&["--write", "none"][..], "there is no such folder"),
        (&["--kernel", "k", "--write", "."][..], "`--write` is for a program with a `main`"),
    ] {
        let output = run(made.path(), options);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{output:?}");
    }
    // Memory counts files, and a limit is a finding.
    let made = folder("int main() { std::ofstream f(\"x\"); for (;;) f << \"0123456789\"; }");
    let output = run(made.path(), &["--memory", "8M"]);
    assert!(
        stdout(&output).contains("limit at main.cu:6: ") && output.status.code() == Some(1),
        "{output:?}"
    );
}
