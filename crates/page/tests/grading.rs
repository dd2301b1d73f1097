//! A grading that is shared: the share with the lowest rank has the verdict of the whole.

mod support;

use page::Page;
use serde_json::{Value, json};
use support::{answer, ask};

/// Adds `n` numbers, in two sizes. The attempt has `BODY` in the place of the addition.
fn request(body: &str) -> Value {
    let text = |body: &str| {
        format!(
            "extern \"C\" __global__ void sum(const int* x, int* out, int n) {{\n    int i = threadIdx.x;\n    {body}\n}}\n"
        )
    };
    json!({ "grade": {
        "name": "sum", "chapter": 2, "source": text("if (i < n) atomicAdd(out, x[i]);"), "starter": "", "ptx": "",
        "text": text(body),
        "description": {
            "title": "A sum", "order": 1, "kind": "fix", "minutes": 1, "page": "p.md", "task": "Add.", "hints": [],
            "learned": "Add.", "kernel": "sum", "cases": [{ "n": 1 }, { "n": 40 }], "launch": { "grid": "1", "block": "64" },
            "argument": [
                { "name": "x", "is": "buf:i32:{n}:iota" },
                { "name": "out", "is": "buf:i32:1:zeros", "role": "result" },
                { "name": "n", "is": "i32:{n}" },
            ],
        },
    } })
}

fn shared(request: &Value, share: u32, of: u32) -> Value {
    let mut part = request.clone();
    part["grade"]["share"] = json!([share, of]);
    ask(&mut Page::default(), &part)
}

fn check(body: &str, reason: &str, first: std::ops::Range<u64>) {
    let request = request(body);
    let whole = ask(&mut Page::default(), &request);
    assert_eq!(whole["reason"].as_str().unwrap_or("passed"), reason, "{whole}");
    assert!(first.contains(&whole["rank"].as_u64().unwrap()), "{whole}");
    for of in [2, 3] {
        let shares = (0..of).map(|share| shared(&request, share, of));
        let best = shares.min_by_key(|answer| answer["rank"].as_u64()).unwrap();
        assert_eq!(best, whole, "{reason} in {of} shares");
    }
}

/// There are 32 trials, and those of the second size are the last sixteen.
#[test]
fn the_share_with_the_lowest_rank_has_the_verdict_of_the_whole() {
    check("if (i < n) atomicAdd(out, x[i]);", "passed", 64..65);
    check("if (i < n) out[0] += x[i];", "race", 16..32);
    check("atomicAdd(out, x[i]);", "out-of-bounds", 0..1);
    check("if (i < n) atomicAdd(out, 0 * x[i]);", "wrong-result", 16..32);
    check("if (i < n) { out[0] = }", "does-not-compile", 0..1);
    // What may be luck counts only if nothing else is wrong.
    let volatile =
        "volatile int* one = out; if (i == 0) *one = n * (n - 1) / 2; if (i == 33 && *one == 7) *one = 7;";
    check(volatile, "volatile-race", 32..33);
}

#[test]
fn a_share_that_does_not_exist_is_refused() {
    for (share, message) in [
        ([2, 2], "there is no share 2 of 2: count from 0"),
        ([0, 0], "there is no share 0 of 0: count from 0"),
        ([0, 65], "`share` has 65 shares, and a page allows 64: make it smaller"),
    ] {
        let mut request = request("");
        request["grade"]["share"] = json!(share);
        assert_eq!(answer(&mut Page::default(), &request)["error"]["message"], message);
    }
}
