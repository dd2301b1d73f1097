//! The player's scripts under Node, and the committed module: it is that of the sources, and it answers as this machine does.
//!
//! A test whose name ends in `…_skipped_without_node` passes where Node is missing, and those that need the committed
//! module pass while it is stale, because to build it takes minutes. `.ci/run` sets `NODE_TESTS=required` and
//! `PAGE_MODULE=required`, and then they fail. It also names a module that was built afresh, in `PAGE_FRESH`.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::prelude::{BASE64_STANDARD as STANDARD, Engine as _};
use page::Page;
use serde_json::{Value, json};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/player").join(name)
}

fn is_required(variable: &str) -> bool {
    env::var(variable).is_ok_and(|value| value == "required")
}

/// Says why a test is skipped, or fails if it may not be.
fn skip(variable: &str, why: &str) {
    assert!(!is_required(variable), "{why}");
    eprintln!("skipped: {why}");
}

/// What Node writes; `None` if there is no Node.
fn node(arguments: &[&Path], input: &str) -> Option<String> {
    let child = Command::new("node")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            skip("NODE_TESTS", &format!("`node` cannot be started: {error}"));
            return None;
        }
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{out}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(out)
}

#[test]
fn the_state_of_the_player_passes_its_tests_skipped_without_node() {
    let Some(out) = node(&[&script("state.test.mjs")], "") else { return };
    assert!(out.contains(" pass 31\n"), "{out}");
}

#[test]
fn the_worker_passes_its_tests_skipped_without_node() {
    let Some(out) = node(&[&script("machine.test.mjs")], "") else { return };
    assert!(out.contains(" pass 9\n"), "{out}");
}

#[test]
fn the_editor_passes_its_tests_skipped_without_node() {
    let Some(out) = node(&[&script("editor.test.mjs")], "") else { return };
    assert!(out.contains(" pass 34\n"), "{out}");
}

#[test]
fn what_is_said_of_a_result_passes_its_tests_skipped_without_node() {
    let Some(out) = node(&[&script("right.test.mjs")], "") else { return };
    assert!(out.contains(" pass 9\n"), "{out}");
}

#[test]
fn machines_that_share_a_grading_pass_their_tests_skipped_without_node() {
    let Some(out) = node(&[&script("grading.test.mjs")], "") else { return };
    assert!(out.contains(" pass 7\n"), "{out}");
}

/// Answers of the emulator, which fail the test if they are errors.
fn ask(page: &mut Page, request: &Value) -> Value {
    let answer: Value = serde_json::from_str(&page.answer(&request.to_string())).unwrap();
    assert!(answer["error"].is_null(), "{request}: {answer}");
    answer
}

/// A state of the player: a launch of a committed kernel at one of its moments, and what else the reader did.
fn state(name: &str, file: &str, launch: &Value, at: u64, more: &Value) -> Value {
    let text =
        std::fs::read_to_string(xtask::module::root().join(format!("kernels/ptx/{file}.ptx"))).unwrap();
    let mut page = Page::default();
    ask(&mut page, &json!({ "load": { "name": format!("{file}.ptx"), "text": text } }));
    let report = ask(&mut page, &json!({ "launch": launch }));
    let from = at.saturating_sub(7);
    let moments = ask(&mut page, &json!({ "moments": { "from": from, "count": at - from + 1 } }));
    let lines: Vec<Value> = (1..4).map(|line| json!([line, format!("line {line}")])).collect();
    let mut state = json!({
        "name": name, "launch": launch, "report": report, "moments": moments["moments"],
        "data": { "title": name, "source": { "name": "kernel.cu", "lines": lines } },
    });
    if more["values"] == true {
        let see =
            json!({ "registers": 0, "shared": [{ "bytes": 64 }], "memory": [{ "name": "x", "bytes": 64 }] });
        let seen = ask(&mut page, &json!({ "moments": { "from": at, "see": see } }));
        state["details"] = json!({ "warp": 0, "moment": seen["moments"][0] });
    }
    if let Some(fault) = more["fault"].as_u64() {
        state["actors"] = report["faults"][fault as usize]["actors"].clone();
    }
    (state["isOver"], state["chosen"]) = (more["over"].clone(), more["chosen"].clone());
    state
}

fn launch(kernel: &str, grid: &[u32], block: &[u32], arguments: &[(&str, &str)]) -> Value {
    let arguments: Vec<Value> =
        arguments.iter().map(|(name, is)| json!({ "name": name, "is": is })).collect();
    json!({ "kernel": kernel, "grid": grid, "block": block, "arguments": arguments, "seed": 0 })
}

/// Ten states that differ in what is drawn.
fn states() -> Vec<Value> {
    const X: (&str, &str) = ("x", "buf:i32:32:iota");
    const Y: (&str, &str) = ("y", "buf:i32:32:zeros");
    let roots = launch(
        "branch_sqrt",
        &[1],
        &[32],
        &[("x", "buf:f32:32:rand=1,-1..2"), ("z", "buf:f32:32:zeros"), ("n", "i32:30")],
    );
    let race = launch("warp_tree_unguarded", &[1], &[32], &[X, ("sums", "buf:i32:1:zeros")]);
    let stuck = launch("wait_apart", &[1], &[32], &[X, Y]);
    let mask = launch("mask_seven_f", &[1], &[32], &[X, Y]);
    let banks = launch("read_strided", &[1], &[32], &[("z", "buf:i32:32:zeros"), ("stride", "i32:2")]);
    let scan = launch("scan_block", &[2], &[64], &[("x", "buf:i32:128:fill=1"), ("y", "buf:i32:128:zeros")]);
    let none = json!({});
    vec![
        state("first_moment", "branch.sm_70", &roots, 0, &none),
        state("lanes_that_diverged", "branch.sm_70", &roots, 18, &none),
        state("sectors", "branch.sm_70", &roots, 12, &none),
        state("race_with_both_actors", "races.sm_70", &race, 24, &json!({ "over": true, "fault": 0 })),
        state("registers_and_memory", "races.sm_70", &race, 20, &json!({ "values": true })),
        state(
            "values_of_one_lane",
            "races.sm_70",
            &race,
            20,
            &json!({ "values": true, "chosen": { "warp": 0, "lane": 3 } }),
        ),
        state("deadlock", "syncwarp.sm_70", &stuck, 15, &json!({ "over": true, "fault": 0 })),
        state("mask_without_lanes", "syncwarp.sm_70", &mask, 9, &json!({ "over": true })),
        state("banks", "banks.sm_70", &banks, 131, &none),
        state("second_block_at_a_barrier", "scan.sm_70", &scan, 242, &none),
    ]
}

#[test]
fn ten_states_are_drawn_as_committed_skipped_without_node() {
    let lines = states().iter().map(|state| format!("{state}\n")).collect::<Vec<_>>().concat();
    let write = env::var_os("BLESS").is_some();
    let script = script("view.test.mjs");
    let arguments: Vec<&Path> = if write { vec![&script, Path::new("write")] } else { vec![&script] };
    let Some(out) = node(&arguments, &lines) else { return };
    assert_eq!(out.trim(), "all as committed");
}

/// Whether the committed module is that of the sources; a test that needs it is skipped otherwise.
fn is_current() -> bool {
    let stale = xtask::module::stale().unwrap();
    if let Some(why) = &stale {
        skip("PAGE_MODULE", why);
    }
    stale.is_none()
}

#[test]
fn the_committed_module_is_that_of_its_sources_skipped_while_stale() {
    is_current();
}

const KERNELS: &str = r#"extern "C" __global__ void halves(float* x, int n) {
    __shared__ float part[64];
    part[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 40) part[threadIdx.x] = sqrtf(part[threadIdx.x + 1]) / n;
    __syncthreads();
    x[threadIdx.x] = part[threadIdx.x ^ 1];
}
"#;

/// Requests that succeed, with a race and with moments of every kind, and requests that do not.
fn requests() -> Vec<Value> {
    let launch = |seed: u64, weak: bool| {
        json!({ "launch": {
            "kernel": "halves", "grid": [2], "block": [64], "seed": seed, "schedule": "random", "weak_memory": weak,
            "arguments": [{ "name": "x", "is": "buf:f32:64:rand=3" }, { "name": "n", "is": "i32:7" }],
            "see": { "memory": [{ "name": "x", "bytes": 256 }] },
        } })
    };
    let see =
        json!({ "registers": 1, "shared": [{ "bytes": 256 }], "memory": [{ "name": "x", "bytes": 256 }] });
    let ptx = include_str!("../../../kernels/ptx/reduction.sm_70.ptx");
    vec![
        json!({ "launch": {} }),
        json!({ "load": { "name": "halves.cu", "text": KERNELS } }),
        launch(1, false),
        json!({ "moments": { "from": 0, "count": 256, "see": see } }),
        json!({ "moments": { "from": 17, "see": see } }),
        launch(2, true),
        json!({ "moments": { "step": 40, "count": 3 } }),
        json!({ "load": { "name": "reduction.ptx", "text": ptx } }),
        json!({ "load": { "name": "wrong.cu", "text": "__global__ void k(int* x) { x[0] = y; }" } }),
        // The stack of the module is as large as the bounds on nesting need.
        json!({ "load": { "name": "deep.cu", "text": format!("__device__ int x = {}1;", "(".repeat(100_000)) } }),
        json!({ "load": { "name": "deep.cu", "text": "{".repeat(100_000) } }),
        json!({ "load": { "name": "halves.cu", "text": KERNELS } }),
    ]
}

#[test]
fn what_is_packed_is_unpacked_and_what_is_cut_off_is_refused_skipped_without_node() {
    let sources = fs::read(xtask::module::root().join("Cargo.lock")).unwrap();
    let mut noise = 1_u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.to_be_bytes()[0]
    })
    .take(70_000)
    .collect();
    // What is repeated comes again from near and from far, once and often, and after other distances.
    let far =
        [&noise[..], &sources, &noise, &noise[1..3], &sources[7..], &noise[..40_000], &sources].concat();
    let texts = [vec![], vec![7], vec![0; 100_000], b"abcabcabcabcabdabcabd".repeat(9), sources, far, noise];
    let base64 = |bytes: &[u8]| STANDARD.encode(bytes);
    let line = |text: &Vec<u8>| [base64(&xtask::module::packed(text).unwrap()), base64(text)].join(" ");
    let lines = texts.iter().map(line).collect::<Vec<_>>().join("\n");
    let Some(out) = node(&[&script("unpack.mjs")], &lines) else { return };
    assert_eq!(out, "the same, and refused when cut\n".repeat(texts.len()));
}

/// Compares a module's answers with those of this machine.
fn check(module: &Path) {
    let mut page = Page::default();
    let requests = requests();
    let lines = requests.iter().map(|request| format!("{request}\n")).collect::<Vec<_>>().concat();
    let Some(out) = node(&[&script("answers.mjs"), module], &lines) else { return };
    let there: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(there.len(), requests.len());
    let mut faults = 0;
    for (request, there) in requests.iter().zip(there) {
        let here: Value = serde_json::from_str(&page.answer(&request.to_string())).unwrap();
        assert!(here == there, "{request}\nhere:  {here}\nthere: {there}");
        faults += here["faults"].as_array().map_or(0, Vec::len);
    }
    assert!(faults > 0, "the launches include a race");
}

#[test]
fn the_committed_module_answers_as_this_machine_does_skipped_without_node() {
    if is_current() {
        check(&xtask::module::root().join(xtask::module::FILE));
    }
}

/// `.ci/run wasm` builds one.
#[test]
fn a_module_that_is_built_afresh_answers_as_this_machine_does_skipped_without_node() {
    match env::var_os("PAGE_FRESH") {
        Some(path) => check(&xtask::module::root().join(path)),
        None => eprintln!("skipped: `PAGE_FRESH` names no module"),
    }
}
