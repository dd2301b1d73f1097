//! `--device gpu`: the parts that can be tested without a GPU, and those that need one.

use thirty_two_lanes::{Choice, Device};

use crate::{GOOD, SAXPY, TOO_SMALL, assert_refused, object, words};

fn has_gpu() -> bool {
    Device::open(Choice::Gpu).is_ok()
}

#[test]
fn a_gpu_that_is_missing_is_an_error_and_one_that_is_there_agrees() {
    if !has_gpu() {
        for options in ["", "--check none", "--json"] {
            let output = words(&format!("run {SAXPY} {GOOD} --device gpu {options}"));
            assert_refused(&output, "no GPU: ", options);
            assert_refused(&output, "omit `--device gpu`", options);
        }
        return;
    }
    let run = object(&words(&format!("run {SAXPY} {GOOD} --device gpu --json --print 2:1")));
    assert_eq!((&run["gpu"]["compared"], &run["gpu"]["differences"]), (&2.into(), &serde_json::json!([])));
    assert_eq!(run["prints"].as_array().unwrap().len(), 2, "one of each machine");
    let alone = object(&words(&format!("run {SAXPY} {GOOD} --device gpu --check none --json --print 2:1")));
    assert_eq!((&alone["machine"], &alone["counters"]), (&"GPU".into(), &serde_json::Value::Null));
    let harmful = words(&format!("run {SAXPY} {TOO_SMALL} --device gpu --json"));
    assert_eq!(harmful.status.code(), Some(1));
    let withheld = object(&harmful)["gpu"]["withheld"].to_string();
    assert!(withheld.contains("not launched on the GPU: the emulator found `out-of-bounds`"), "{withheld}");
}
