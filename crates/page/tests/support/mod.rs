//! What the tests of the page share: requests, answers, and a few kernels.
#![allow(dead_code, reason = "each test file uses a part of it")]

use page::Page;
use serde_json::{Value, json};

/// Each of two warps stores to shared memory, waits at a barrier, and loads what the other one stored. In the upper half of
/// the second warp the branch is taken, so its halves diverge and wait for each other.
pub const EXCHANGE: &str = r#"extern "C" __global__ void exchange(int* out, int n) {
    __shared__ int part[64];
    int i = threadIdx.x;
    part[i] = i * n;
    __syncthreads();
    int other = part[i ^ 32];
    if (i > 47) {
        for (int round = 0; round < i - 44; round++) other += out[i * 2];
    }
    out[i * 2] = other;
}
"#;

/// Each thread loads what its neighbour stored, without a barrier between the two.
pub const RACE: &str = r#"extern "C" __global__ void neighbours(int* x) {
    __shared__ int part[64];
    part[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = part[(threadIdx.x + 1) % blockDim.x];
}
"#;

/// The answer as a value.
pub fn answer(page: &mut Page, request: &Value) -> Value {
    serde_json::from_str(&page.answer(&request.to_string())).expect("an answer is JSON")
}

/// The answer to a request that succeeds.
pub fn ask(page: &mut Page, request: &Value) -> Value {
    let answer = answer(page, request);
    assert!(answer.get("error").is_none(), "{request}: {answer}");
    answer
}

/// A page that has loaded a program.
pub fn loaded(name: &str, text: &str) -> Page {
    let mut page = Page::default();
    ask(&mut page, &json!({ "load": { "name": name, "text": text } }));
    page
}

/// The launch of the exchange.
pub fn exchange() -> Value {
    json!({
        "kernel": "exchange", "grid": [1], "block": [64],
        "arguments": [{ "name": "out", "is": "buf:i32:128:zeros" }, { "name": "n", "is": "i32:3" }],
    })
}

/// A page that has launched the exchange, and the answer.
pub fn launched() -> (Page, Value) {
    let mut page = loaded("exchange.cu", EXCHANGE);
    let answer = ask(&mut page, &json!({ "launch": exchange() }));
    (page, answer)
}

/// A moment of the launch.
pub fn moment(page: &mut Page, number: u64, see: &Value) -> Value {
    let answer = ask(page, &json!({ "moments": { "from": number, "see": see } }));
    answer["moments"][0].clone()
}

/// The words of a part of memory.
pub fn words(hex: &Value) -> Vec<u32> {
    let digits = hex.as_str().unwrap().as_bytes().chunks(8);
    let word = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
    digits.map(|digits| word(digits).swap_bytes()).collect()
}

/// The number that is written in hexadecimal digits.
pub fn number(hex: &Value) -> u64 {
    u64::from_str_radix(hex.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// All moments of a launch that has so many.
pub fn all_moments(page: &mut Page, launched: &Value, see: &Value) -> Vec<Value> {
    let end = launched["moments"].as_u64().unwrap();
    let mut all: Vec<Value> = Vec::new();
    while (all.len() as u64) < end {
        let answer = ask(page, &json!({ "moments": { "from": all.len(), "count": 256, "see": see } }));
        let moments = answer["moments"].as_array().unwrap();
        assert!(!moments.is_empty(), "there is nothing from {} on", all.len());
        all.extend(moments.iter().cloned());
    }
    all
}
