//! `--json`: one object with everything.

use serde_json::json;

use crate::{GOOD, SAXPY, TOO_SMALL, object, words};

#[test]
fn a_good_run_is_one_object() {
    let output =
        words(&format!("run {SAXPY} {GOOD} --json --print 1:2..4 --print 2:1 --seed 9 --check race,init"));
    assert_eq!(output.status.code(), Some(0));
    let run = object(&output);
    let expected = json!({
        "machine": "emulator", "file": SAXPY, "compiler": null, "kernel": "saxpy", "target_sm": 70,
        "grid": [2, 1, 1], "block": [32, 1, 1], "shared_bytes": 0, "seed": 9, "schedule": "round-robin",
        "reconvergence": "auto", "resident_blocks": 16, "weak_memory": false, "strict": false, "failed": false,
        "checks": ["races", "initialisation", "memory"], "seeds": null, "faults": [], "output": "", "trace": null,
        "gpu": null,
        "prints": [
            { "argument": 1, "name": "arg1", "type": "f32", "machine": "emulator", "start": 2, "values": [2.0, 3.0] },
            { "argument": 2, "name": "arg2", "type": "f32", "machine": "emulator", "start": 0, "values": [1.0] },
        ],
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&run[key], value, "{key}");
    }
    assert_eq!(run["counters"]["global_store_requests"], 2);
    assert_eq!(run["arguments"][1], "buf:f32:64:iota");
    assert!(run["lines"].as_array().unwrap().iter().any(|line| line["line"] == 14));
}

#[test]
fn a_fault_has_everything_that_the_text_has() {
    let output = words(&format!("run {SAXPY} {TOO_SMALL} --json"));
    assert_eq!(output.status.code(), Some(1));
    let run = object(&output);
    let fault = &run["faults"][0];
    assert_eq!((&fault["kind"], &fault["severity"]), (&json!("out-of-bounds"), &json!("error")));
    assert_eq!((&fault["count"], &fault["seed"], &run["failed"]), (&json!(1), &json!(0), &json!(true)));
    let actor = &fault["actors"][0];
    let place = json!({ "block": [1, 0, 0], "thread": [8, 0, 0], "warp": 0, "lane": 8 });
    for (key, value) in place.as_object().unwrap() {
        assert_eq!(&actor[key], value, "{key}");
    }
    assert_eq!(actor["source"], json!({ "file": "saxpy.cu", "line": 14 }));
    assert!(actor["ptx_line"].as_u64() > Some(0) && actor["ptx"].as_str().unwrap().starts_with("ld.global"));
    assert!(actor["doing"].as_str().unwrap().starts_with("read 4 bytes at"), "{actor}");
    assert!(fault["help"].is_string() && fault["message"].as_str().unwrap().contains("`arg2`"));
    let replay = fault["replay"].as_str().unwrap();
    assert!(replay.contains(&format!("run {SAXPY} --grid 2")) && replay.ends_with("--seed 0"), "{replay}");
}

#[test]
fn nan_is_a_string_in_json() {
    let args = "--arg f32:nan --arg buf:f32:64:iota --arg buf:f32:64:fill=1 --arg i32:2";
    let run = object(&words(&format!("run {SAXPY} {args} --json --print 2:3")));
    assert_eq!(run["prints"][0]["values"], json!(["NaN", "NaN", 1.0]));
}

#[test]
fn a_list_is_one_object_too() {
    let list = object(&words(&format!("list {SAXPY} --json")));
    let kernel = &list["kernels"][0];
    assert_eq!((&kernel["name"], &list["target_sm"]), (&json!("saxpy"), &json!(70)));
    assert_eq!(kernel["parameters"][0], json!({ "type": "f32", "bytes": 4, "name": null, "declared": null }));
    assert_eq!(list["unsupported"], json!([]));
}
