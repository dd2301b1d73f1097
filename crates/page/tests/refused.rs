//! What a page cannot do: each bad request has one clear error as its answer, and the page works afterwards.

mod support;

use page::{Page, request};
use serde_json::{Value, json};
use support::{EXCHANGE, answer, ask, exchange, launched, loaded};

/// Checks that an answer is an error of this kind, in one line that contains these words.
#[track_caller]
fn check(answer: &Value, kind: &str, words: &str) {
    let error = &answer["error"];
    let message = error["message"].as_str().unwrap_or_else(|| panic!("no error: {answer}"));
    assert_eq!(error["kind"], kind, "{message}");
    assert!(message.contains(words), "{message}");
    let is_one_line = !message.contains('\n') && !message.ends_with('.');
    assert!(is_one_line && !message.starts_with(char::is_uppercase), "{message}");
}

#[track_caller]
fn check_text(text: &str, words: &str) {
    let answer = Page::default().answer(text);
    check(&serde_json::from_str(&answer).expect("an error is JSON too"), "request", words);
}

#[test]
fn texts_that_are_no_requests() {
    for (text, words) in [
        ("", "cannot be read: EOF"),
        ("{", "cannot be read: EOF"),
        ("[]", "cannot be read"),
        ("null", "cannot be read"),
        ("\u{0}\u{fffd}", "line 1 column 1"),
        (r#"{ "run": {} }"#, "unknown variant `run`, expected one of `load`, `launch`, `moments`, `grade`"),
        (r#"{ "grade": {} }"#, "missing field `name`"),
        (r#"{ "load": {} }"#, "missing field `name`"),
        (r#"{ "load": { "name": "k.cu", "text": 7 } }"#, "invalid type: integer `7`, expected a string"),
        (r#"{ "load": { "name": "k.cu", "text": "", "arch": 7 } }"#, "unknown field `arch`"),
        (r#"{ "moments": { "from": -1 } }"#, "invalid value: integer `-1`"),
        (r#"{ "moments": { "from": 0 } } {}"#, "trailing characters"),
        (r#"{ "launch": { "kernel": "k", "grid": [4294967296], "block": [1] } }"#, "expected u32"),
        (
            r#"{ "launch": { "kernel": "k", "grid": [1], "block": [1], "schedule": "fair" } }"#,
            "`round-robin`",
        ),
        (r#"{ "launch": { "kernel": "k", "grid": [1], "block": [1], "checks": ["all"] } }"#, "`races`"),
    ] {
        check_text(text, words);
    }
    check_text(&"[".repeat(100_000), "cannot be read");
    check_text(&format!("{{\"moments\":{}", "{\"see\":".repeat(100_000)), "cannot be read");
    check_text(&" ".repeat(request::MAX_REQUEST_BYTES + 1), "a page allows 2097152: make it smaller");
}

#[test]
fn requests_in_the_wrong_order() {
    let mut page = Page::default();
    check(&answer(&mut page, &json!({ "launch": exchange() })), "request", "send a `load` that succeeds");
    check(
        &answer(&mut page, &json!({ "moments": { "from": 0 } })),
        "request",
        "send a `launch` that succeeds",
    );
    // A launch that fails leaves no older one that the answers could be about.
    let (mut page, _) = launched();
    let mut wrong = exchange();
    wrong["kernel"] = json!("exchanges");
    check(&answer(&mut page, &json!({ "launch": wrong })), "launch", "there is no kernel `exchanges`");
    check(
        &answer(&mut page, &json!({ "moments": { "from": 0 } })),
        "request",
        "send a `launch` that succeeds",
    );
    ask(&mut page, &json!({ "launch": exchange() }));
    // The same holds for a program.
    let broken = json!({ "load": { "name": "k.cu", "text": "void" } });
    check(&answer(&mut page, &broken), "text", "`k.cu` cannot be compiled: line 1");
    check(&answer(&mut page, &json!({ "launch": exchange() })), "request", "send a `load` that succeeds");
}

#[test]
fn programs_that_cannot_be_read() {
    let load = |name: &str, text: &str| {
        answer(&mut Page::default(), &json!({ "load": { "name": name, "text": text } }))
    };
    let wrong = load("k.cu", "extern \"C\" __global__ void k(int* x) {\n    x[0] = y;\n}\n");
    check(&wrong, "text", "line 2, column 12");
    let diagnostic = &wrong["error"]["diagnostics"][0];
    assert_eq!(
        (&diagnostic["line"], &diagnostic["column"], &diagnostic["width"]),
        (&json!(2), &json!(12), &json!(1))
    );
    check(
        &load("k.ptx", ".version 8.0\n.target sm_70\n.entry k() { what"),
        "text",
        "`k.ptx` cannot be read: line 3",
    );
    check(&load("k.ptx", ""), "text", "cannot be read");
    check(&load("k.cu", &" ".repeat(request::MAX_TEXT_BYTES + 1)), "request", "the program has 524289 bytes");
    check(&load("k.cu", &"{".repeat(100_000)), "text", "`k.cu` cannot be compiled");
    check(
        &load("k.cu", &format!("__device__ int x = {}1;", "(".repeat(100_000))),
        "text",
        "cannot be compiled",
    );
    check(
        &load("big.ptx", ".version 8.0 .target sm_70 .global .b8 big[67108865];"),
        "text",
        "does not fit into memory",
    );
    for sm in [0, 19, 1000, u32::MAX] {
        let load = json!({ "load": { "name": "k.cu", "text": EXCHANGE, "sm": sm } });
        check(&answer(&mut Page::default(), &load), "request", "give a target, such as 70");
    }
    for name in ["a b", "", "7up", "f(x)"] {
        let load = json!({ "load": { "name": "k.cu", "text": EXCHANGE, "defines": { name: "1" } } });
        check(&answer(&mut Page::default(), &load), "request", "cannot be the name of a macro");
    }
}

/// Changes keys of a launch that works, and checks the error.
#[track_caller]
fn check_launch(changes: &Value, kind: &str, words: &str) {
    let mut page = loaded("exchange.cu", EXCHANGE);
    let mut launch = exchange();
    for (key, value) in changes.as_object().unwrap() {
        launch[key] = value.clone();
    }
    check(&answer(&mut page, &json!({ "launch": launch })), kind, words);
    ask(&mut page, &json!({ "launch": exchange() }));
}

#[test]
fn launches_of_wrong_shapes() {
    check_launch(&json!({ "grid": [] }), "request", "`grid` has 0 numbers: give one, two or three");
    check_launch(&json!({ "block": [1, 1, 1, 1] }), "request", "`block` has 4 numbers");
    check_launch(&json!({ "grid": [0] }), "launch", "at least one block of one thread");
    check_launch(&json!({ "block": [2048] }), "launch", "at most 1024 threads");
    check_launch(
        &json!({ "grid": [1_000_000] }),
        "request",
        "the grid has 64000000 threads, and a page allows 4194304",
    );
    check_launch(&json!({ "grid": [u32::MAX, u32::MAX, u32::MAX] }), "request", "and a page allows");
    check_launch(&json!({ "cluster": [16] }), "launch", "1 to 8 blocks");
    check_launch(&json!({ "cluster": [1, 1, 1, 1] }), "launch", "1 to 8 blocks");
    check_launch(&json!({ "shared_bytes": u32::MAX }), "launch", "bytes of shared memory");
    check_launch(&json!({ "resident_blocks": 65 }), "request", "`resident_blocks` has 65 blocks");
    check_launch(&json!({ "max_steps": u64::MAX }), "request", "`max_steps` has");
}

#[test]
fn launches_with_wrong_arguments() {
    let out =
        |is: &str| json!({ "arguments": [{ "name": "out", "is": is }, { "name": "n", "is": "i32:3" }] });
    check_launch(
        &json!({ "arguments": [] }),
        "launch",
        "`exchange` has 2 parameters, but 0 arguments were given",
    );
    check_launch(&out("buf:i32:0:zeros"), "launch", "`out`: a buffer has a whole number of elements");
    check_launch(&out("buf:int:4:zeros"), "launch", "there is no type `int`");
    check_launch(&out("i32:7"), "launch", "argument 0 of `exchange`");
    check_launch(&out("buf:u8:67108865:zeros"), "launch", "67108865 bytes were requested");
    check_launch(&out("buf:u8:99999999999999999999:zeros"), "launch", "bytes were requested");
    check_launch(&out("buf:u8:4:file=/etc/hostname"), "launch", "cannot be read here");
    let named = |first: &str, second: &str| json!({ "arguments": [{ "name": first, "is": "buf:i32:4:zeros" }, { "name": second, "is": "i32:3" }] });
    check_launch(
        &named("x", "x"),
        "request",
        "argument 1 is named `x`: give each argument a name of its own",
    );
    check_launch(&named("", "x"), "request", "argument 0 is named ``");
}

#[test]
fn parts_of_memory_that_are_not_there_or_too_large() {
    let see = |see: Value| json!({ "see": see });
    check_launch(
        &see(json!({ "memory": [{ "name": "in", "bytes": 4 }] })),
        "request",
        "no buffer `in` to see: the launch has `out`",
    );
    check_launch(
        &see(json!({ "memory": [{ "name": "out", "bytes": 65537 }] })),
        "request",
        "a part of memory has 65537 bytes",
    );
    let many = vec![json!({ "name": "out", "bytes": 4 }); 17];
    check_launch(&see(json!({ "memory": many })), "request", "`see` has 17 parts of memory");
    check_launch(&see(json!({ "registers": 0 })), "request", "see them in `moments`");

    // What is beyond the end is left out, and a warp that there is not has no registers.
    let (mut page, _) = launched();
    let see = json!({
        "registers": 77,
        "memory": [{ "name": "out", "from": 508, "bytes": 64 }, { "name": "out", "from": u64::MAX, "bytes": 64 }],
        "shared": [{ "from": 252, "bytes": 100 }],
    });
    let moment = support::moment(&mut page, 0, &see);
    assert_eq!(moment["registers"], json!([]));
    assert_eq!(moment["memory"][0]["hex"], "00000000");
    assert_eq!(moment["memory"][1], json!({ "name": "out", "from": 512, "hex": "" }));
    assert_eq!(moment["shared"][0]["hex"], "00000000");
}

#[test]
fn moments_out_of_bounds() {
    let (mut page, _) = launched();
    let mut moments = |asked: Value, words: &str| {
        check(&answer(&mut page, &json!({ "moments": asked })), "request", words);
    };
    moments(json!({}), "give either `from` or `step`");
    moments(json!({ "from": 1, "step": 1 }), "give either `from` or `step`");
    moments(json!({ "from": 0, "count": 257 }), "`count` has 257 moments");
    moments(json!({ "from": 1_000_000 }), "a page allows 1000000");
    moments(json!({ "from": u64::MAX }), "a page allows 1000000");
    moments(json!({ "step": 0, "see": { "memory": [{ "name": "in", "bytes": 1 }] } }), "no buffer `in`");
}

/// An instruction that is not supported is refused when the launch comes to it, and the page works afterwards.
#[test]
fn an_unsupported_instruction_is_named() {
    let text =
        ".version 8.0\n.target sm_90\n.visible .entry k() {\n    wgmma.fence.sync.aligned;\n    ret;\n}\n";
    let mut page = Page::default();
    let contents = ask(&mut page, &json!({ "load": { "name": "k.ptx", "text": text } }));
    assert_eq!(contents["unsupported"][0]["line"], 4);
    let launch = json!({ "launch": { "kernel": "k", "grid": [1], "block": [32] } });
    check(&answer(&mut page, &launch), "launch", "line 4");
    check(
        &answer(&mut page, &json!({ "moments": { "from": 0 } })),
        "request",
        "send a `launch` that succeeds",
    );
}

/// Requests that are cut off or changed at random never make the page panic.
#[test]
fn no_request_makes_a_page_panic() {
    let (mut page, _) = launched();
    let requests = [
        json!({ "load": { "name": "exchange.cu", "text": EXCHANGE } }),
        json!({ "launch": exchange() }),
        json!({ "moments": { "from": 3, "count": 2, "see": { "registers": 1, "shared": [{ "bytes": 16 }] } } }),
    ];
    let mut refused = 0;
    for request in requests.iter().map(Value::to_string) {
        for cut in (0..request.len()).filter(|&cut| request.is_char_boundary(cut)) {
            // Each is tried without its end, and with another character in this place.
            let changed =
                format!("{}{}{}", &request[..cut], ["9", "-", "\"", "}"][cut % 4], &request[cut + 1..]);
            for text in [&request[..cut], &changed] {
                let answer: Value = serde_json::from_str(&page.answer(text)).expect("an answer is JSON");
                refused += usize::from(answer.get("error").is_some());
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}
