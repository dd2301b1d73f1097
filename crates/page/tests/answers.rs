//! What a page learns of a program and of a launch: it is what the emulator reports without a page.

mod support;

use std::path::Path;

use page::Page;
use serde_json::{Value, json};
use simt::{Checks, Emulator, FaultKind, Launch, Limits};
use support::{EXCHANGE, RACE, ask, exchange, launched, loaded, words};

#[test]
fn a_program_says_what_is_in_it() {
    let mut page = Page::default();
    let answer = ask(&mut page, &json!({ "load": { "name": "exchange.cu", "text": EXCHANGE } }));
    assert_eq!(answer["compiler"], "cudac");
    assert_eq!(answer["target_sm"], 70);
    let kernel = &answer["kernels"][0];
    assert_eq!((&kernel["name"], &kernel["shared_bytes"]), (&json!("exchange"), &json!(256)));
    assert_eq!(kernel["parameters"][1]["bytes"], 4);
    let names = answer["names"].as_array().unwrap();
    assert!(names.iter().any(|name| name["variable"] == "other"), "{names:?}");
    assert!(answer["ptx"].as_str().unwrap().contains(".visible .entry exchange"));

    // PTX has no variables, and nothing compiles it.
    let ptx = answer["ptx"].as_str().unwrap();
    let answer = ask(&mut page, &json!({ "load": { "name": "exchange.ptx", "text": ptx } }));
    assert_eq!((&answer["compiler"], &answer["ptx"]), (&Value::Null, &Value::Null));
    assert_eq!(answer["kernels"][0]["name"], "exchange");
}

#[test]
fn macros_and_the_target_reach_the_compiler() {
    let text = "extern \"C\" __global__ void k(int* x) { x[0] = SIZE + __CUDA_ARCH__; }";
    let mut page = Page::default();
    let load = json!({ "name": "k.cu", "text": text, "sm": 80, "defines": { "SIZE": "5" } });
    assert_eq!(ask(&mut page, &json!({ "load": load }))["target_sm"], 80);
    let launch = json!({
        "kernel": "k", "grid": [1], "block": [1], "arguments": [{ "name": "x", "is": "buf:i32:1:zeros" }],
        "see": { "memory": [{ "name": "x", "bytes": 4 }] },
    });
    let answer = ask(&mut page, &json!({ "launch": launch }));
    assert_eq!(words(&answer["memory"][0]["hex"]), [805]);
}

/// The end state, the counters and the faults are those of a launch without a page.
#[test]
fn a_launch_is_that_of_the_emulator() {
    let mut asked = exchange();
    asked["see"] = json!({ "memory": [{ "name": "out", "bytes": 512 }] });
    asked["seed"] = json!(5);
    asked["schedule"] = json!("random");
    let mut page = loaded("exchange.cu", EXCHANGE);
    let answer = ask(&mut page, &json!({ "launch": asked }));

    let source = cudac::Source { name: "exchange.cu", text: EXCHANGE };
    let ptx = cudac::compile(&source, &cudac::Options::default()).unwrap().ptx;
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("exchange.cu", &ptx).unwrap();
    let out = emulator.alloc("out", 512).unwrap();
    let launch =
        Launch { checks: Checks::ALL, seed: 5, schedule: simt::Schedule::Random, ..Launch::new(1, 64) };
    let report = emulator
        .launch(&module, "exchange", &launch.arg(out.address()).arg(3_i32))
        .expect("it can be launched");

    let bytes: Vec<u32> =
        emulator.read(out).unwrap().as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    assert_eq!(words(&answer["memory"][0]["hex"]), bytes);
    assert_eq!(bytes[0], 96, "lane 0 reads what thread 32 stored");
    for (name, _, _, value) in report.counters.all() {
        assert_eq!(answer["counters"][name], value, "{name}");
    }
    assert_eq!(answer["moments"], report.counters.ptx_instructions);
    assert_eq!(answer["lines"].as_array().unwrap().len(), report.lines.len());
    assert!(report.faults.is_empty() && answer["faults"].as_array().unwrap().is_empty(), "{answer}");
}

#[test]
fn a_race_has_both_actors_with_their_lines() {
    let mut page = loaded("race.cu", RACE);
    let launch = json!({
        "kernel": "neighbours", "grid": [1], "block": [64],
        "arguments": [{ "name": "x", "is": "buf:i32:64:iota" }],
    });
    let answer = ask(&mut page, &json!({ "launch": launch }));
    let faults = answer["faults"].as_array().unwrap();
    let race = faults.iter().find(|fault| fault["kind"] == FaultKind::Race.name()).expect("a race");
    let [second, first] = &race["actors"].as_array().unwrap()[..] else { panic!("{race}") };
    let lines = [first, second].map(|actor| actor["source"]["line"].as_u64().unwrap());
    assert!(lines == [3, 4] || lines == [4, 3], "{race}");
    assert_ne!((&first["warp"], &first["lane"]), (&second["warp"], &second["lane"]));
    assert_eq!(race["location"]["space"], "shared memory");

    // The step of the fault leads to the moment at which it happened.
    let moments = ask(&mut page, &json!({ "moments": { "step": race["step"] } }));
    let moment = &moments["moments"][0];
    assert_eq!((&moment["source"], &moment["warp"]), (&second["source"], &second["warp"]), "{moment}");

    // With a barrier there is no race.
    let fixed = RACE.replace("    x[", "    __syncthreads();\n    x[");
    let mut page = loaded("fixed.cu", &fixed);
    let answer = ask(&mut page, &json!({ "launch": launch }));
    assert_eq!((&answer["faults"], &answer["stopped_by"]), (&json!([]), &Value::Null));
}

#[test]
fn checkers_can_be_chosen() {
    let mut page = loaded("race.cu", RACE);
    let launch = |checks: Value| {
        json!({ "launch": {
            "kernel": "neighbours", "grid": [1], "block": [64], "checks": checks,
            "arguments": [{ "name": "x", "is": "buf:i32:64:uninitialized" }],
        } })
    };
    let mut kinds = |checks: Value| -> Vec<String> {
        let answer = ask(&mut page, &launch(checks));
        let faults = answer["faults"].as_array().unwrap();
        faults.iter().map(|fault| fault["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(json!([])), [""; 0]);
    assert!(kinds(json!(["races"])).iter().all(|kind| kind == "race"));
    assert!(kinds(json!(["initialisation"])).contains(&"uninitialized".to_owned()));
}

#[test]
fn an_endless_kernel_ends_at_the_limit_on_steps() {
    let text = "extern \"C\" __global__ void forever(int* x) { while (true) atomicAdd(x, 1); }";
    let mut page = loaded("forever.cu", text);
    let launch = json!({
        "kernel": "forever", "grid": [1], "block": [32], "max_steps": 10_000,
        "arguments": [{ "name": "x", "is": "buf:i32:1:zeros" }],
    });
    let answer = ask(&mut page, &json!({ "launch": launch }));
    assert_eq!(
        (&answer["faults"][0]["kind"], &answer["stopped_by"]),
        (&"step-limit".into(), &"step-limit".into())
    );
}

#[test]
fn a_second_launch_begins_with_fresh_memory() {
    let (mut page, first) = launched();
    let second = ask(&mut page, &json!({ "launch": exchange() }));
    assert_eq!(first, second);
}

/// What the book's pages run when nothing was changed.
#[test]
fn committed_ptx_is_run_too() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/ptx/saxpy.sm_70.ptx");
    let mut page = loaded("saxpy.ptx", &std::fs::read_to_string(path).unwrap());
    let launch = json!({
        "kernel": "saxpy", "grid": [2], "block": [32],
        "arguments": [
            { "name": "a", "is": "f32:2" }, { "name": "x", "is": "buf:f32:64:iota" },
            { "name": "y", "is": "buf:f32:64:fill=1" }, { "name": "n", "is": "i32:64" },
        ],
        "see": { "memory": [{ "name": "y", "from": 12, "bytes": 4 }] },
    });
    let answer = ask(&mut page, &json!({ "launch": launch }));
    assert_eq!(words(&answer["memory"][0]["hex"]), [7.0_f32.to_bits()]);
    assert!(answer["lines"][0]["file"].as_str().unwrap().ends_with("saxpy.cu"), "{}", answer["lines"][0]);
}
