//! The state at a moment is what a watcher of the emulator sees, whichever way the page came there.

mod support;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simt::{Checks, Emulator, Launch, Limits, Moment};
use support::{EXCHANGE, all_moments, ask, launched, loaded, moment, number, words};

/// What a watcher saw at each moment, as the page would show it.
fn watched() -> Vec<Value> {
    let source = cudac::Source { name: "exchange.cu", text: EXCHANGE };
    let ptx = cudac::compile(&source, &cudac::Options::default()).unwrap().ptx;
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("exchange.cu", &ptx).unwrap();
    let out = emulator.alloc("out", 512).unwrap();
    let launch = Launch { checks: Checks::ALL, ..Launch::new(1, 64) }.arg(out.address()).arg(3_i32);
    let mut seen = Vec::new();
    let mut watcher = |moment: &Moment<'_>| {
        let groups: Vec<Value> = moment.groups().map(|group| json!([group.warp, group.lanes])).collect();
        let registers: Vec<Value> = moment
            .registers(1)
            .map(|register| json!([register.name, register.value(0), register.value(31)]))
            .collect();
        let source = moment.site().source.map(|source| source.line);
        let bytes = |bytes: &[u8]| -> Vec<u32> {
            bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
        };
        seen.push(json!({
            "step": moment.step, "warp": moment.warp, "mask": moment.mask, "active": moment.active, "line": source,
            "groups": groups, "ended": [moment.ended(0), moment.ended(1)], "registers": registers,
            "shared": bytes(moment.shared()), "out": bytes(moment.read(out).unwrap()),
            "addresses": moment.accesses().iter().map(|access| access.addresses[5]).collect::<Vec<_>>(),
        }));
        ControlFlow::Continue(())
    };
    emulator.launch_watched(&module, "exchange", &launch, &mut watcher).unwrap();
    seen
}

/// The same of a moment that the page shows.
fn shown(moment: &Value) -> Value {
    let warps = moment["warps"].as_array().unwrap();
    let mut groups = Vec::new();
    for warp in warps {
        let lanes = warp["groups"].as_array().unwrap().iter();
        groups.extend(lanes.map(|group| json!([warp["warp"], number(&group["lanes"])])));
    }
    let register = |register: &Value| {
        let values = &register["values"];
        json!([register["name"], number(&values[0]), number(&values[31])])
    };
    let addresses = moment["accesses"].as_array().unwrap().iter().map(|access| &access["addresses"][5]);
    json!({
        "step": moment["step"], "warp": moment["warp"], "mask": number(&moment["mask"]),
        "active": number(&moment["active"]), "line": moment["source"]["line"],
        "groups": groups, "ended": warps.iter().map(|warp| number(&warp["ended"])).collect::<Vec<_>>(),
        "registers": moment["registers"].as_array().unwrap().iter().map(register).collect::<Vec<_>>(),
        "shared": words(&moment["shared"][0]["hex"]), "out": words(&moment["memory"][0]["hex"]),
        "addresses": addresses.map(|at| if at.is_null() { 0 } else { number(at) }).collect::<Vec<_>>(),
    })
}

fn everything() -> Value {
    json!({ "registers": 1, "shared": [{ "bytes": 256 }], "memory": [{ "name": "out", "bytes": 512 }] })
}

#[test]
fn each_moment_is_what_a_watcher_sees() {
    let (mut page, answer) = launched();
    let watched = watched();
    assert_eq!(answer["moments"], watched.len());
    let all = all_moments(&mut page, &answer, &everything());
    for (index, (seen, state)) in watched.iter().zip(&all).enumerate() {
        assert_eq!(state["number"], index);
        // Groups of one warp may be in another order than the warps are.
        assert_eq!(sorted(&shown(state)), sorted(seen), "moment {index}");
    }
    assert_eq!(all.len(), watched.len());
}

fn sorted(state: &Value) -> Value {
    let mut state = state.clone();
    state["groups"].as_array_mut().unwrap().sort_by_key(ToString::to_string);
    state
}

#[test]
fn going_back_shows_the_same_again() {
    let (mut page, _) = launched();
    let see = everything();
    let early = moment(&mut page, 7, &see);
    let late = moment(&mut page, 40, &see);
    assert_ne!(early, late);
    assert_eq!(moment(&mut page, 7, &see), early);
    assert_eq!(moment(&mut page, 40, &see), late);
}

/// The words for what lanes wait for.
#[test]
fn lanes_wait_at_barriers_and_to_reconverge_and_end() {
    let (mut page, answer) = launched();
    let moments = all_moments(&mut page, &answer, &json!({}));
    let mut seen = Vec::new();
    for moment in &moments {
        for warp in moment["warps"].as_array().unwrap() {
            for group in warp["groups"].as_array().unwrap() {
                seen.push((warp["warp"].clone(), group.clone()));
            }
        }
    }
    let find = |waiting: &str| seen.iter().find(|(_, group)| group["waiting"] == waiting);
    let (_, barrier) = find("barrier").expect("one warp is at the barrier first");
    assert_eq!((&barrier["barrier"], &barrier["lanes"]), (&json!(0), &json!("0xffffffff")));
    assert_eq!(barrier["source"]["line"], 5);
    let (warp, group) = find("reconvergence").expect("one half of the second warp waits for the other");
    let (lanes, missing) = (number(&group["lanes"]), number(&group["missing"]));
    assert_eq!((warp, lanes & missing), (&json!(1), 0), "{group}");
    assert!(find("nothing").is_some() && find("warp").is_none());

    for warp in moments.last().unwrap()["warps"].as_array().unwrap() {
        assert_eq!((&warp["ended"], &warp["groups"]), (&json!("0xffffffff"), &json!([])), "{warp}");
    }
}

#[test]
fn an_access_has_the_address_of_each_lane_and_its_cost() {
    let (mut page, answer) = launched();
    let all = all_moments(&mut page, &answer, &json!({}));
    let with = |space: &str, kind: &str| {
        let mut accesses = all.iter().filter_map(|moment| moment["accesses"].get(0));
        accesses.find(|access| access["space"] == space && access["kind"] == kind).cloned().expect(kind)
    };
    let store = with("global memory", "write");
    assert_eq!(store["bytes"], 4);
    assert_eq!(number(&store["addresses"][3]) - number(&store["addresses"][0]), 24);
    assert_eq!(store["sectors"], 8, "lanes are 8 bytes apart, so four share a sector of 32 bytes");
    let store = with("shared memory", "write");
    assert_eq!((&store["addresses"][1], &store["bank_conflicts"]), (&json!("0x4"), &json!(0)));
    let load = with("global memory", "read");
    let lanes = number(&load["lanes"]);
    assert_ne!(lanes, 0xffff_ffff, "only a part of the warp loads");
    for (lane, address) in load["addresses"].as_array().unwrap().iter().enumerate() {
        assert_eq!(lanes >> lane & 1 == 0, address.is_null(), "lane {lane}: {load}");
    }
}

#[test]
fn an_answer_that_would_be_too_long_has_fewer_moments() {
    let (mut page, _) = launched();
    let all = json!({ "shared": [{ "bytes": 256 }], "memory": [{ "name": "out", "bytes": 512 }] });
    let request = json!({ "moments": { "from": 0, "count": 256, "see": all } });
    let text = page.answer(&request.to_string());
    assert!(text.len() < page::request::MAX_ANSWER_BYTES + (64 << 10), "{}", text.len());

    // A warp has as many registers as its function names. Each takes some hundred bytes.
    let sums = (0..300).map(|i| format!("int v{i} = x[{i}];\n")).collect::<Vec<_>>().concat();
    let uses = (0..300).map(|i| format!("x[{i}] = v{} + n;\n", (i + 1) % 300)).collect::<Vec<_>>().concat();
    let text =
        format!("extern \"C\" __global__ void many(int* x, int n) {{ {sums} __syncthreads(); {uses} }}");
    let mut page = loaded("many.cu", &text);
    let launch = json!({
        "kernel": "many", "grid": [1], "block": [32], "checks": [],
        "arguments": [{ "name": "x", "is": "buf:i32:300:iota" }, { "name": "n", "is": "i32:1" }],
    });
    ask(&mut page, &json!({ "launch": launch }));
    let request = json!({ "moments": { "from": 100, "count": 256, "see": { "registers": 0 } } });
    let text = page.answer(&request.to_string());
    assert!(text.len() <= page::request::MAX_ANSWER_BYTES + 100, "{}", text.len());
    let answer: Value = serde_json::from_str(&text).unwrap();
    let shown = answer["moments"].as_array().unwrap().len();
    assert!((1..256).contains(&shown), "{shown} moments");
    let next = ask(&mut page, &json!({ "moments": { "from": 100 + shown } }));
    assert_eq!(next["moments"][0]["number"], 100 + shown);
}

#[test]
fn after_the_end_there_are_no_moments() {
    let (mut page, answer) = launched();
    let end = answer["moments"].as_u64().unwrap();
    for from in [end, end + 1, 900_000] {
        assert_eq!(ask(&mut page, &json!({ "moments": { "from": from } }))["moments"], json!([]));
    }
    let last = ask(&mut page, &json!({ "moments": { "from": end - 2, "count": 100 } }));
    assert_eq!(last["moments"].as_array().unwrap().len(), 2);
}

/// The bound holds in a browser, which is slower; so it is held here with much to spare.
#[test]
fn the_state_at_step_10_000_takes_under_50_milliseconds() {
    let text = "extern \"C\" __global__ void spin(int* x, int n) { for (int i = 0; i < n; i++) x[threadIdx.x] += i; }";
    let mut page = loaded("spin.cu", text);
    let launch = json!({
        "kernel": "spin", "grid": [1], "block": [256],
        "arguments": [{ "name": "x", "is": "buf:i32:256:iota" }, { "name": "n", "is": "i32:500" }],
    });
    let answer = ask(&mut page, &json!({ "launch": launch }));
    assert!(answer["moments"].as_u64().unwrap() > 10_000);
    let see = json!({ "registers": 3, "memory": [{ "name": "x", "bytes": 1024 }] });
    // Other tests run at the same time, so the best of some counts.
    let time = || {
        let start = Instant::now();
        assert_eq!(moment(&mut page, 10_000, &see)["number"], 10_000);
        start.elapsed()
    };
    let best = std::iter::repeat_with(time).take(10).min().unwrap();
    assert!(best < Duration::from_millis(50), "{best:?}");
}
