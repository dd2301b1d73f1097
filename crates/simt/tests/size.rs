//! Large texts: the cost of loading one does not depend on how much of it is unsupported, and everything is bounded.
//!
//! No clock is read. In place of time, the tests check what takes time: the messages that are made, and the columns
//! that are allocated.

use std::fmt::Write as _;

use simt::{Emulator, Launch, Limits};

const HEADER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// A kernel that stores 7.
const GOOD: &str = ".visible .entry good(.param .u64 out) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], 7;
    ret;
}\n";

/// Statements that are not supported, of kinds that libraries contain.
const UNSUPPORTED: [&str; 6] = [
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3,%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r4,%r5}, {%f4,%f5,%f6,%f7,%f4,%f5,%f6,%f7};",
    "wmma.load.a.sync.aligned.row.m8n8k128.shared.b1 {%r0}, [%r4];",
    "tld4.r.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f4,%f5}];",
    "vadd.s32.s32.s32 %r1, %r2, %r3;",
    "ld.global.v8.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd1];",
    "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f4,%f5}];",
];

/// A text of about `bytes` bytes: a supported kernel, and others of a thousand instructions, all of them unsupported.
fn library(bytes: usize) -> String {
    let mut text = format!("{HEADER}{GOOD}");
    let mut kernels = 0;
    while text.len() < bytes {
        writeln!(text, ".visible .entry k{kernels}() {{ .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>;")
            .unwrap();
        for statement in UNSUPPORTED.iter().cycle().take(1000) {
            writeln!(text, "{statement}").unwrap();
        }
        text += "ret; }\n";
        kernels += 1;
    }
    text
}

#[test]
fn one_supported_kernel_runs_in_a_large_library() {
    let text = library(1_300_000);
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("library", &text).unwrap();
    let out = emulator.alloc("out", 4).unwrap();
    emulator.launch(&module, "good", &Launch::new(1, 1).arg(out.address())).unwrap();
    assert_eq!(emulator.read(out).unwrap(), [7, 0, 0, 0]);
    let unsupported = module.unsupported();
    assert!(unsupported.len() > 15_000, "{}", unsupported.len());
    // Each message has its place, although the text was not searched for each.
    let lines: Vec<&str> = text.lines().collect();
    for error in unsupported.iter().step_by(997) {
        let opcode = lines[error.line as usize - 1].split(' ').next().unwrap();
        assert!(error.message.starts_with(&format!("`{opcode}` is not supported; ")), "{error}");
    }
    let error = emulator.launch(&module, "k3", &Launch::new(1, 1)).unwrap_err().to_string();
    assert!(error.contains("`mma.sync"), "{error}");
}

#[test]
fn more_literals_than_a_function_has_columns_are_refused_one_by_one() {
    let mut text = format!("{HEADER}.visible .entry k() {{ .reg .b32 %r<2>;\n");
    for literal in 0..100_000 {
        writeln!(text, "xor.b32 %r1, %r1, {literal};").unwrap();
    }
    text += "ret; }";
    let module = Emulator::new(Limits::default()).load("literals", &text).unwrap();
    let unsupported = module.unsupported();
    assert_eq!(unsupported.len(), 100_000 - 60_000 + 1);
    let why = "the function uses more than 60000 registers and literals of one width";
    assert!(unsupported.iter().all(|error| error.message == why), "{}", unsupported[0]);
}

#[test]
fn statements_are_bounded() {
    let text = |count: usize| format!("{HEADER}.visible .entry k() {{\n{}}}", "ret;\n".repeat(count));
    let mut emulator = Emulator::new(Limits::default());
    let refused = emulator.load("long", &text((1 << 19) + 1)).unwrap_err();
    assert_eq!(refused.to_string(), "line 524293, column 1: the text has more than 524288 statements");
    let nested = format!("{HEADER}.visible .entry k() {{\n{}}}", "{ }\n".repeat((1 << 19) + 1));
    assert!(emulator.load("nested", &nested).unwrap_err().message.contains("more than 524288 statements"));
    assert!(emulator.load("short", &text(1 << 10)).is_ok());
}
