//! `--trace`: the output is what `docs/trace.md` says, line by line.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{GOOD, SAXPY, TOO_SMALL, assert_refused, file, lanes, object, stdout, words};

fn traced(name: &str, options: &str) -> (Vec<Value>, std::process::Output) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let output = lanes(
        &format!("run {SAXPY} {options}")
            .split_whitespace()
            .chain(["--trace", path.to_str().unwrap()])
            .collect::<Vec<_>>(),
    );
    let text = std::fs::read_to_string(path).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), output)
}

#[test]
fn a_trace_has_the_launch_every_step_and_an_end() {
    let (lines, output) = traced("good.jsonl", &format!("{GOOD} --json").replace("i32:60", "i32:64"));
    let run = object(&output);
    let (head, steps, end) = (&lines[0], &lines[1..lines.len() - 1], &lines[lines.len() - 1]);
    assert_eq!((&head["format"], &head["version"]), (&json!("thirty-two-lanes trace"), &json!(1)));
    for key in
        ["file", "kernel", "target_sm", "grid", "block", "seed", "schedule", "reconvergence", "arguments"]
    {
        assert_eq!(head[key], run[key], "{key}");
    }
    assert_eq!(json!(steps.len()), run["counters"]["ptx_instructions"]);
    assert_eq!(end, &json!({ "end": { "steps": steps.len(), "cut": false, "stopped": false } }));
    assert_eq!((&run["trace"]["steps"], &run["trace"]["cut"]), (&json!(steps.len()), &json!(false)));
    for (number, step) in steps.iter().enumerate() {
        assert_eq!(step["step"], number);
        assert_eq!(step["mask"], "0xffffffff", "{step}");
        // No lane takes the branch around the body, because there are as many elements as threads.
        let is_branch = step["ptx"].as_str().unwrap().contains("bra ");
        let active = if is_branch { "0x00000000" } else { "0xffffffff" };
        assert_eq!(step["active"], active, "{step}");
    }
    let store = steps.iter().find(|step| step["ptx"].as_str().unwrap().starts_with("st.global")).unwrap();
    assert_eq!(store["source"], json!({ "file": "saxpy.cu", "line": 14 }));
    assert_eq!((&store["block"], &store["warp"]), (&json!([0, 0, 0]), &json!(0)));
    assert!(store["ptx_line"].as_u64() > Some(1));
}

#[test]
fn a_trace_of_a_faulting_kernel_ends_with_the_fault() {
    let (lines, output) = traced("fault.jsonl", TOO_SMALL);
    assert_eq!(output.status.code(), Some(1));
    let last = &lines[lines.len() - 2];
    assert!(last["ptx"].as_str().unwrap().starts_with("ld.global"), "{last}");
    assert_eq!(last["block"], json!([1, 0, 0]));
    assert!(
        stdout(&output).contains(&format!("traced {} steps to ", lines.len() - 2)),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_trace_does_not_change_what_is_printed() {
    let line = format!("{GOOD} --schedule random --seed 3 --print 2");
    let (_, with) = traced("same.jsonl", &line);
    let without = words(&format!("run {SAXPY} {line}"));
    let lines = stdout(&with).lines().filter(|line| !line.starts_with("traced ") && !line.starts_with('/'));
    let kept: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let plain: Vec<&str> = stdout(&without).lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(kept, plain);
}

#[test]
fn a_trace_that_would_be_too_long_is_cut_and_says_so() {
    let (lines, output) = traced("cut.jsonl", &format!("{GOOD} --trace-steps 7"));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(lines.len(), 1 + 7 + 1);
    assert_eq!(lines[8]["end"]["cut"], true);
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("cut after the first 7"), "{text}");
}

#[test]
fn inputs_are_not_overwritten() {
    let data = file("input.bin", &[0; 256]);
    let line = format!("run {SAXPY} {GOOD} --trace {}", data.display());
    let line = line.replace("buf:f32:64:iota", &format!("buf:f32:64:file={}", data.display()));
    assert_refused(&words(&line), "which is an input: give it another name", "the data");
    assert_eq!(std::fs::read(data).unwrap(), [0; 256]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let output = words(&format!("run {SAXPY} {GOOD} --trace /dev/full"));
    assert_refused(&output, "cannot write the trace `/dev/full`: No space left", "/dev/full");
}
