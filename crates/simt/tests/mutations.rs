//! Kernels that no programmer would write: for any text that is loaded and launched, the emulator returns a report or
//! an error, and never panics.
//!
//! Mutations of the feature kernels get past the parser: they have other registers, labels, numbers, instructions and
//! sizes. The generator and its seed are fixed, so a failure repeats; the message contains the text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use simt::{Arg, Emulator, Launch, Limits, Reconvergence, Schedule};
use test_support::Random;

const ROUNDS: usize = 100;

/// Changes one line of the code: removes it, copies it to another place, or changes one of its words.
fn mutate(lines: &mut Vec<String>, random: &mut Random) {
    let code: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].contains([';', ':', '.'])).collect();
    let (at, other) = (code[random.below(code.len())], code[random.below(code.len())]);
    match random.below(6) {
        0 => lines[at].clear(),
        1 => lines.swap(at, other),
        2 => {
            let copy = lines[other].clone();
            lines.insert(at, copy);
        }
        3 => lines[at] = change_number(&lines[at], random),
        _ => lines[at] = mix(&lines[at], &lines[other], random),
    }
}

/// Replaces a word of a line by a word of another line.
fn mix(line: &str, other: &str, random: &mut Random) -> String {
    let split =
        |text: &str| text.split_inclusive([' ', '\t', ',', '[']).map(str::to_owned).collect::<Vec<_>>();
    let (mut words, others) = (split(line), split(other));
    if words.is_empty() || others.is_empty() {
        return line.to_owned();
    }
    let at = random.below(words.len());
    words[at].clone_from(&others[random.below(others.len())]);
    words.concat()
}

fn change_number(line: &str, random: &mut Random) -> String {
    const NUMBERS: [&str; 8] =
        ["0", "1", "7", "63", "4294967295", "9223372036854775807", "18446744073709551615", "-1"];
    let digits: Vec<usize> =
        line.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let Some(&at) = digits.get(random.below(digits.len())) else { return line.to_owned() };
    format!("{}{}{}", &line[..at], NUMBERS[random.below(NUMBERS.len())], &line[at + 1..])
}

/// Loads a text and launches each of its kernels with a buffer for every pointer and 32 for every number.
fn run(text: &str, seed: u64) {
    let mut emulator = Emulator::new(Limits { memory_bytes: 1 << 24 });
    let Ok(module) = emulator.load("mutated", text) else { return };
    let buffer = emulator.alloc("x", 4096).unwrap();
    for kernel in module.kernels() {
        let reconvergence = if seed.is_multiple_of(2) { Reconvergence::Its } else { Reconvergence::Stack };
        let mut launch = Launch {
            max_steps: 5000,
            schedule: Schedule::Random,
            seed,
            reconvergence,
            shared_bytes: 256,
            ..Launch::new(2, 64)
        };
        launch.args.extend(kernel.params.iter().map(|param| match param.bytes {
            8 => buffer.address().into(),
            4 => 32_u32.into(),
            bytes => Arg::bytes(&vec![1; bytes as usize]),
        }));
        if let Ok(report) = emulator.launch(&module, &kernel.name, &launch) {
            report.faults.iter().for_each(|fault| drop(fault.to_string()));
        }
    }
}

#[test]
fn no_text_makes_the_emulator_panic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/ptx");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        path.to_string_lossy().contains("features_") && path.extension().is_some_and(|e| e == "ptx")
    });
    paths.sort();
    let mut random = Random::new(0);
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        for round in 0..ROUNDS {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            (0..=random.below(6)).for_each(|_| mutate(&mut lines, &mut random));
            let mutated = lines.join("\n");
            let outcome = catch_unwind(AssertUnwindSafe(|| run(&mutated, round as u64)));
            assert!(outcome.is_ok(), "{}, round {round} panicked:\n{mutated}", path.display());
        }
    }
}

/// Texts that are well-formed but ask for too much, or for nothing, are refused, or run without a panic.
#[test]
fn impossible_sizes_are_refused_or_harmless() {
    let kernel = |before: &str, body: &str| {
        format!(".version 8.0\n.target sm_70\n{before}\n.visible .entry k(.param .u64 a)\n{{\n{body}\n}}")
    };
    let refused = |before: &str, body: &str, why: &str| {
        let text = kernel(before, body);
        let outcome = Emulator::new(Limits { memory_bytes: 1 << 24 }).load("k", &text);
        let message = outcome.expect_err(&text).message;
        assert!(message.contains(why), "{text}\n{message}");
    };
    refused("", ".local .b8 x[524289];", "local memory, and a thread has 524288");
    refused(
        "",
        ".local .b8 x[18446744073709551615]; .local .b8 y[9];",
        "local memory, and a thread has 524288",
    );
    refused("", ".local .b64 x[18446744073709551615];", "`x` has no size");
    refused("", ".param .b8 x[1000000];", "local memory");
    refused(".global .b8 x[18446744073709551615];", "", "does not fit into memory");
    refused(".global .b8 x[];", "", "only shared memory gets its size at the launch");
    refused(".visible .entry e(.param .b8 x[40000]) { ret; }", "", "40000 bytes of parameters");
    for (before, body) in [
        ("", ""),
        ("", "L: bra L;"),
        ("", "bra E; E:"),
        ("", "@%p0 ret;"),
        ("", ".reg .pred %p<2>; @%p1 bra E; { E: ret; }"),
        ("", ".local .b8 x[0]; st.local.u8 [x], 1;"),
        (".shared .b8 x[18446744073709551615];", "st.shared.u8 [x], 1;"),
        (".shared .b8 x[0];", "st.shared.u8 [x+-1], 1;"),
        ("", "ld.param.u64 %r1, [a+9223372036854775807];"),
        ("", ".reg .u64 %r<2>; ld.param.u64 %r1, [a+9223372036854775807]; ld.param.u64 %r1, [a+-9];"),
        ("", ".reg .u64 %r<2>; mov.u64 %r1, -8; ld.u64 %r1, [%r1]; ld.shared.u64 %r1, [%r1];"),
        ("", "call k;"),
        ("", ".reg .u64 %r<2>; call %r1;"),
        (".func f;", "call f;"),
        (".func f(.param .b8 x[8]) { ret; }", ".param .b8 y[400]; call f, (y);"),
        (".func (.param .b8 r[100]) f(.param .b8 x[8]) { ret; }", ".param .b8 y[4]; call (y), f, (y);"),
        (
            ".extern .func (.param .b8 r) vprintf(.param .b64 f, .param .b64 a);",
            ".param .b8 y; call (y), vprintf, (y, y);",
        ),
        ("", ".reg .b32 %r<2>; bar.sync %r1; bar.sync 99; bar.arrive 0, 0;"),
        ("", ".reg .b32 %r<2>; shfl.sync.idx.b32 %r1, %r1, 99, -1, 0;"),
        ("", ".reg .b32 %r<2>; brx.idx %r1, t; t: .branchtargets E; E: ret;"),
        ("", ".reg .b32 %r<2>; brx.idx %r1, t; t: .branchtargets;"),
    ] {
        run(&kernel(before, body), 0);
        run(&kernel(before, body), 1);
    }
}
