//! The weak memory's stale reads, and how many different results many seeds have.

use serde_json::{Value, json};

use crate::{GOOD, SAXPY, assert_readable, object, stdout, words};

const MESSAGE: &str = "run kernels/ptx/messages.sm_70.ptx --grid 2 --weak-memory --arg buf:i32:1:zeros \
                       --arg buf:i32:1:zeros --arg buf:i32:2:zeros --arg i32:1000 --print 2 --seeds 0..40";

/// The words that a run prints, without their layout.
fn printed(line: &str) -> String {
    let output = words(line);
    assert_readable(stdout(&output));
    stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_seed_with_another_result_is_named_with_the_load_that_caused_it() {
    let line = format!("{MESSAGE} --kernel message_no_fence --check none");
    let text = printed(&line);
    for part in [
        "the first with a different result",
        "no fault, but different results: arg2 had 2 different contents weak memory: 1 stale read, which PTX's memory model allows 1 time: a load of bytes 0 to 3 of `arg0` returned 0x0",
        "at messages.cu:30: read 0x0 block (0,0,0)",
        "at messages.cu:25: had stored here",
        "results of 40 seeds arg2 had 2 different contents as with seed 0: ",
        "arg2 afterwards, all 2 (i32) 0: 0 1",
    ] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    assert_eq!(words(&line).status.code(), Some(1), "different results are no success");
    let run = object(&words(&format!("{line} --json")));
    assert_eq!(run["failed"], json!(true));
    let contents = run["seeds"]["results"][0]["contents"].as_array().unwrap();
    assert_eq!((run["seeds"]["results"][0]["print"].clone(), contents.len()), (json!("2"), 2));
    assert_eq!((&contents[0]["seed"], &contents[1]["seed"]), (&json!(0), &run["seed"]));
    let times = contents.iter().map(|content| content["times"].as_u64().unwrap());
    assert_eq!(times.sum::<u64>(), 40);
    assert_eq!(run["prints"][0]["values"], json!([0, 1]));
    let read = &run["stale_reads"][0];
    assert_eq!((&read["count"], &read["reader"]["block"]), (&json!(1), &json!([1, 0, 0])));
    assert_eq!(read["newer"]["source"], json!({ "file": "messages.cu", "line": 25 }));
    assert!(read["message"].as_str().unwrap().contains("returned 0x0, although"), "{read}");
}

#[test]
fn with_fences_nothing_is_stale_and_all_results_are_the_same() {
    let line = format!("{MESSAGE} --kernel message_fences");
    let text = printed(&line);
    assert!(text.contains("all 40 ran without findings; shown is seed 39 (schedule"), "{text}");
    assert!(
        text.contains("no fault results of 40 seeds arg2 had the same contents every time arg2 aft"),
        "{text}"
    );
    assert_eq!(words(&line).status.code(), Some(0));
    assert_eq!(object(&words(&format!("{line} --json")))["stale_reads"], json!([]));
}

#[test]
fn a_search_that_ends_at_a_fault_says_how_to_compare_results() {
    let text = printed(&format!("{MESSAGE} --kernel message_no_fence"));
    assert!(
        text.contains("with --check memory, the other seeds run too, and their results are compared"),
        "{text}"
    );
    assert!(!text.contains("contents"), "{text}");
}

#[test]
fn only_what_is_printed_is_compared_and_only_over_seeds() {
    let text = printed(&format!("run {SAXPY} {GOOD} --seeds 0..3 --print 2:4..8 --print 1:1"));
    assert!(text.contains("arg2, elements 4 to 7, had the same contents every time"), "{text}");
    assert!(text.contains("arg1, element 0, had the same contents every time"), "{text}");
    let run = object(&words(&format!("run {SAXPY} {GOOD} --print 2 --json")));
    assert_eq!(run["seeds"], Value::Null);
}
