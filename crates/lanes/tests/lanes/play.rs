//! `lanes play`: the file that it writes, and what it refuses.

use std::fs;

use serde_json::Value;

use crate::{GOOD, SAXPY, TOO_SMALL, assert_refused, file, stdout, words};

/// The launch in a file that was written.
fn written(line: &str, out: &str) -> Value {
    let path = file(out, b"<!doctype html><!-- written by `lanes play` -->\nan older one");
    let output = words(&format!("play {line} --out {}", path.display()));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout(&output).contains("open it in a browser"));
    let html = fs::read_to_string(path).unwrap();
    assert!(html.contains("default-src 'none';"));
    let json = html.split("id=\"launch\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(json).unwrap()
}

#[test]
fn a_launch_is_written_with_its_end() {
    let data = written(&format!("{SAXPY} {GOOD} --seed 3 --schedule random"), "good.html");
    assert_eq!(data["launch"]["arguments"][1]["is"], "buf:f32:64:iota");
    assert_eq!((&data["launch"]["seed"], &data["launch"]["schedule"]), (&3.into(), &"random".into()));
    assert_eq!(data["record"]["first"][0]["number"], 0);
    assert_eq!(data["record"]["faults"].as_array().map(Vec::len), Some(0));
    let data = written(&format!("{SAXPY} {TOO_SMALL}"), "small.html");
    assert_eq!(data["record"]["faults"][0]["kind"], "out-of-bounds");
}

#[test]
fn what_a_page_cannot_show_is_refused() {
    for (options, message) in [
        ("--seeds 0..3", "omit `--seeds`"),
        ("--print 1", "omit `--print`"),
        ("--json", "omit `--json`"),
        ("--strict", "omit `--strict`"),
        ("--resident-blocks 65", "a page allows 64"),
    ] {
        assert_refused(&words(&format!("play {SAXPY} {GOOD} {options}")), message, options);
    }
    let with_file = GOOD.replace("64:iota", "64:file=x.bin");
    assert_refused(&words(&format!("play {SAXPY} {with_file}")), "a page cannot read a file", "file=");
}

#[test]
fn a_file_that_play_has_not_written_is_kept() {
    for (name, bytes) in [("other.html", b"<!doctype html>".as_slice()), ("picture.png", b"\x89PNG\xff")] {
        let other = file(name, bytes);
        let line = format!("play {SAXPY} {GOOD} --out {}", other.display());
        assert_refused(&words(&line), "was not written by `lanes play`: name another file", name);
        assert_eq!(fs::read(other).unwrap(), bytes, "{name}");
    }
}
