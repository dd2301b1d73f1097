//! Bad input of every kind, from a file of data: one line that names the problem, status 2, nothing on standard output, and
//! nothing lost.

use std::fs;
use std::path::Path;

use crate::assert_refused;

/// Files, and command lines with a part of what is said.
const DATA: &str = include_str!("bad_inputs.txt");

/// A part of what the compiler's log has is enough where it has several lines.
const WITH_A_LOG: [&str; 1] = ["t<int"];

/// Writes the files at the beginning of the data, and returns the rest.
fn write_files(folder: &Path) -> Vec<&'static str> {
    let mut lines = DATA.lines();
    let (mut name, mut text) = (None, String::new());
    for line in lines.by_ref() {
        let Some(next) = line.strip_prefix("---") else {
            text.extend([line, "\n"]);
            continue;
        };
        if let Some(name) = name.replace(next.trim()) {
            fs::write(folder.join(name), &text).unwrap();
        }
        text.clear();
        if next.is_empty() {
            break;
        }
    }
    lines.filter(|line| !line.starts_with('#')).collect()
}

/// The words of a line, of which some are in single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut is_quoted, mut is_empty) = (false, true);
    for c in line.chars() {
        match c {
            '\'' => (is_quoted, is_empty) = (!is_quoted, false),
            ' ' if !is_quoted => {
                if !is_empty {
                    words.push(String::new());
                }
                is_empty = true;
            }
            c => {
                words.last_mut().unwrap().push(c);
                is_empty = false;
            }
        }
    }
    words
}

/// The names and contents of the files in a folder.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = (fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn bad_input_is_refused_in_one_line_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let lines = write_files(folder.path());
    let before = contents(folder.path());
    let pairs = lines.chunks_exact(2);
    assert!(pairs.len() >= 100 && pairs.remainder().is_empty(), "{} inputs", lines.len() / 2);
    for pair in pairs {
        let (line, message) = (pair[0], pair[1].strip_prefix('\t').expect("a message after a tab"));
        let mut command = crate::command(&[]);
        let output = command.args(words(line)).current_dir(folder.path()).output().unwrap();
        if WITH_A_LOG.iter().any(|part| message.contains(part)) {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && said.contains(message), "{line}: {said}");
        } else {
            assert_refused(&output, message, line);
        }
        assert!(contents(folder.path()) == before, "`{line}` changed a file");
    }
}

/// Names that are no text, of files that exist and of files that do not.
#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_no_problem() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"\xff.cu");
    let missing = crate::command(&["run"]).arg(name).current_dir(folder.path()).output().unwrap();
    assert_refused(&missing, "there is no such file", "a name that is no text");
    fs::write(folder.path().join(name), "extern \"C\" __global__ void k() {}\n").unwrap();
    let output = crate::command(&["run"]).arg(name).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Programs that would use up memory or never end, and the limit that stops them.
const LIMITS: [(&str, &str); 6] = [
    (
        "int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); }\nint main() { return f(-1); }",
        "functions call each other more than 1000 deep",
    ),
    (
        "#include <cstdlib>\nint main() { char* p = (char*)malloc(100000000000); p[0] = 1; return 0; }",
        "needs more than 4294967296 bytes of memory",
    ),
    ("int main() { for (;;) {} }", "this loop never ends"),
    ("int main() { void* p; while (true) cudaMalloc(&p, 1 << 28); }", "bytes left on the device"),
    (
        "__global__ void k() { while (true) {} }\nint main() { k<<<1, 32>>>(); cudaDeviceSynchronize(); }",
        "livelock",
    ),
    (
        "#include <cstdio>\nint main() { while (true) printf(\"a line that is printed again and again\\n\"); }",
        "the program prints more than 16777216 bytes",
    ),
];

#[test]
fn a_program_without_bounds_is_stopped_and_the_limit_is_named() {
    for (nth, (text, limit)) in LIMITS.iter().enumerate() {
        let path = crate::file(&format!("limit{nth}.cu"), text.as_bytes());
        let output = crate::lanes(&["run", path.to_str().unwrap(), "--memory", "4G"]);
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let end: String = said.chars().rev().take(900).collect::<Vec<_>>().into_iter().rev().collect();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{text}: {:?} {end}", output.status);
        assert!(end.contains(limit), "{text}: {end}");
    }
}
