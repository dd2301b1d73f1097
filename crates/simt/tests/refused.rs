//! Statements that the assembler accepts and statements that it refuses: the emulator decides in the same way, and says
//! where and why.
//!
//! Each statement was given to `ptxas` of CUDA 12.9 for `sm_90`. Apart from what the emulator does not support yet, it
//! agrees with a few exceptions. It accepts a third element of a register of two, and `%pm0`. In calls, it accepts a
//! whole vector of registers for a parameter of as many bits; a floating-point literal for a parameter of another
//! width, whose bits it cuts or extends with zeros; and a literal in place of a result. It accepts no call of a
//! function that declares a predicate, `.u8`, `.s8`, `.u16` or `.s16`. A statement that is refused is not an error of
//! the module: only a launch that executes it fails.

use simt::{Emulator, Limits};

const REGISTERS: &str = ".reg .pred p, q, r; .reg .u8 c; .reg .b16 h; .reg .b32 x, y; .reg .s32 i; .reg .u32 n; \
     .reg .f32 f; .reg .b64 d, e; .reg .f64 g; .reg .v2 .b32 v; \
     .param .align 4 .b8 v8[8]; .param .b32 v4[1]; .param .b8 b8[8];";

const OUTSIDE: &str = ".global .u32 word; .const .u32 table[4]; .global .texref image; \
     .func (.reg .b32 r) f1(.reg .b32 a) { mov.b32 r, a; ret; } \
     .func (.param .b32 r) f2(.param .b32 a) { ret; } \
     .func f3(.param .b8 a, .param .b16 b, .param .f32 c, .param .align 4 .b8 d[8]) { ret; } \
     .func f4(.param .f32 a, .param .u32 b, .reg .f64 c) { ret; } \
     .func f5(.reg .pred a) { ret; }";

/// The messages about a statement, with the column in its line.
fn messages(statement: &str) -> Vec<String> {
    let text = format!(
        ".version 8.2\n.target sm_90\n.address_size 64\n{OUTSIDE}\n.visible .entry k(.param .u64 pp) {{ {REGISTERS}\n{statement}\nret; }}"
    );
    let module = Emulator::new(Limits::default()).load("k", &text);
    let module = module.unwrap_or_else(|error| panic!("{statement}: {error}"));
    let errors = module.unsupported();
    errors.iter().map(|error| format!("{}:{}: {}", error.line - 5, error.column, error.message)).collect()
}

fn taken(statement: &str) {
    assert_eq!(messages(statement), [""; 0], "{statement}");
}

fn refused(statement: &str, why: &str) {
    assert_eq!(messages(statement), [why], "{statement}");
}

#[test]
fn registers_have_the_types_of_their_declarations() {
    taken("add.f32 x, x, f;");
    taken("add.f64 d, g, g;");
    taken("and.b32 f, f, x;");
    taken("min.u32 i, n, x;");
    taken("mov.b32 f, i;");
    taken("shfl.sync.idx.b32 f, f, 0, 31, -1;");
    taken("ld.global.f32 x, [d];");
    refused("add.f32 f, i, f;", "1:12: `i` holds integers, but a 32-bit floating-point register is expected");
    refused("add.s32 i, f, 1;", "1:12: `f` holds floating-point numbers, but a 32-bit register is expected");
    refused("mov.u32 f, x;", "1:9: `f` holds floating-point numbers, but a 32-bit register is expected");
    refused(
        "ld.global.u32 f, [d];",
        "1:15: the register is declared for another kind of number than the values of type `U32`",
    );
    refused("cvt.rn.f32.s32 x, f;", "1:19: this register is declared neither for integers nor for bits");
    refused("cvt.s32.s32 f, x;", "1:13: this register is declared neither for integers nor for bits");
    refused("add.u32 x, c, 1;", "1:12: `c` has 8 bits, but a 32-bit register is expected");
    refused(
        "st.global.u16 [d], c;",
        "1:20: the register has 8 bits, which are too few for a value of type `U16`",
    );
}

#[test]
fn a_bf16_is_in_a_register_of_its_own_width() {
    taken("cvt.rn.bf16.u32 h, x;");
    taken("cvt.f32.f16 f, x;");
    refused("cvt.rn.bf16.f32 x, f;", "1:17: this operand has 32 bits; one of 16 is needed");
    refused("cvt.f32.bf16 f, x;", "1:17: this operand has 32 bits; one of 16 is needed");
}

#[test]
fn addresses() {
    taken("ld.global.u32 x, [d+-4];");
    taken("ld.shared.u32 x, [y];");
    taken("ld.shared.u32 x, [d];");
    taken("ld.local.u32 x, [16];");
    taken("ld.const.u32 x, table[1];");
    taken("st.global.u64 [d], word+4;");
    refused("ld.global.u32 x, [y];", "1:19: `y` has 32 bits, but a global or generic address has 64");
    refused("ld.u32 x, [y];", "1:12: `y` has 32 bits, but a global or generic address has 64");
    refused(
        "ld.global.u32 x, [16];",
        "1:18: a number can be an address only in local memory; move it into a register",
    );
    refused("cvta.const.u64 d, word;", "1:19: `word` is in `.global` memory");
    refused("mov.u64 d, h[1];", "1:12: `h` is not a variable");
}

#[test]
fn results_that_may_be_left_out() {
    taken("setp.eq.u32 _|p, x, y;");
    taken("shfl.sync.idx.b32 x|_, y, 0, 31, -1;");
    taken("match.all.sync.b32 _|p, x, -1;");
    taken("atom.global.add.u32 _, [d], 1;");
    taken("ld.global.v2.u32 {_, x}, [d];");
    taken("ld.global.v2.u32 {_, e}, [d];");
    taken("st.global.v4.b32 [d], {15, e, -15, -27};");
    refused("st.global.v2.b32 [d], {x, e};", "1:27: all registers of a vector must have the same width");
    taken("mov.b64 {_, x}, d;");
    refused("add.u32 _, x, y;", "1:9: `add.u32` needs a register for its result");
    refused("ld.global.u32 _, [d];", "1:15: `ld.global.u32` needs a register for its result");
    refused(
        "shfl.sync.idx.b32 _|p, y, 0, 31, -1;",
        "1:19: `shfl.sync.idx.b32` needs a register for its result",
    );
}

#[test]
fn special_registers_have_their_width_and_their_places() {
    for statement in [
        "mov.u16 h, %tid.x;",
        "mov.b32 f, %laneid;",
        "mov.u32 x, %tid.a;",
        "mov.u64 d, %clock64;",
        "mov.u64 d, %gridid;",
        "mov.v4.u16 {h, h, h, _}, %ctaid;",
        "cvt.u32.u16 x, %tid.x;",
        "st.global.v2.u32 [d], {%tid.x, 5};",
    ] {
        taken(statement);
    }
    refused("mov.u64 d, %tid.x;", "1:12: `%tid.x` is an integer of 16 or 32 bits, not a `U64`");
    refused("mov.u32 x, %clock64;", "1:12: `%clock64` is an integer of 64 bits, not a `U32`");
    taken("mov.b64 d, word;");
    refused("mov.f64 g, word;", "1:12: the address of `word` is an integer, not a `F64`");
    refused("mov.f64 g, word+4;", "1:12: the address of `word` is an integer, not a `F64`");
    refused("mov.f32 f, %tid.x;", "1:12: `%tid.x` is an integer of 16 or 32 bits, not a `F32`");
    refused(
        "add.u32 x, %tid.x, 1;",
        "1:12: `%tid.x` is a special register; move it into a register with `mov` first",
    );
    refused("mov.v2.u32 {x, y}, %tid;", "1:20: expected a vector of 2 elements");
    refused("mov.u32 x, %pm0;", "1:12: `%pm0` is neither declared nor a supported special register");
}

#[test]
fn calls_pass_what_the_function_declares() {
    for statement in [
        "call (x), f1, (y);",
        "call (x), f1, (5);",
        "{ .param .b32 a; .param .b32 b; call (b), f2, (a); call (b), f1, (a); }",
        "{ .param .b32 b; call (b), f2, (x); call (b), f2, (5); call (x), f2, (b); }",
        "call (_), f1, (x);",
        "call (_), f2, (x);",
        "call (f), f1, (i);",
        "call f3, (c, 5, 1.0, v8);",
        "call f3, (-1, h, 0f3f800000, v8);",
        "call f4, (f, i, 1.5);",
    ] {
        taken(statement);
    }
    refused("call (x), f1, (h);", "1:16: `h` has 16 bits, but the function declares 32 bits");
    refused("call (x), f2, (h);", "1:16: `h` has 16 bits, but the function declares 32 bits");
    refused("call (d), f2, (x);", "1:7: `d` has 64 bits, but the function declares 32 bits");
    refused("call (x), f1, (p);", "1:16: `p` is a predicate, but the function declares 32 bits");
    refused(
        "call f4, (n, i, 1.5);",
        "1:11: `n` holds integers, but the function declares floating-point numbers",
    );
    refused(
        "call f4, (f, f, 1.5);",
        "1:14: `f` holds floating-point numbers, but the function declares integers",
    );
    let everything = "an argument is a register, a `.param` variable or a literal";
    refused("call (x), f1, (_);", &format!("1:16: {everything}"));
    refused("call (x), f2, (x+1);", &format!("1:16: {everything}"));
    refused("call (x), f2, (!p);", &format!("1:17: {everything}"));
    refused("call (5), f2, (x);", "1:7: a result goes to a register, a `.param` variable or `_`");
    refused("call (x), f1, (x, y);", "1:16: the function declares 1 of these, but the call has 2");
    refused("call f1, (x);", "1:1: the function declares 1 of these, but the call has 0");
    refused("call (x), f2, (v.x);", "1:16: `v.x` is part of a vector; move it into a register of its own");
    refused("call (x), f2, (v);", "1:16: `v` is a vector; pass its elements one by one");
    for name in ["word", "pp", "%tid.x", "f1", "l"] {
        let why =
            format!("1:33: `{name}` is neither a register nor a `.param` variable of this function's body");
        refused(&format!("{{ .local .b32 l; call (x), f2, ({name}); }}"), &why);
    }
    refused("call nothing, (d);", "1:6: `nothing` is not a function of this module");
}

#[test]
fn calls_pass_arrays_and_literals_only_to_parameters_of_their_kind() {
    refused(
        "call f3, (1, 5, 1.0, d);",
        "1:22: `d` has 64 bits, but the function declares an array of 8 bytes",
    );
    refused(
        "call f3, (1, 5, 1.0, 5);",
        "1:22: the function declares an array, which only a `.param` variable can be passed for",
    );
    refused("call f3, (1, 5, 1.0, b8);", "1:22: `b8` has an alignment of 1, but the function declares 4");
    refused(
        "call f3, (1, 5, 1.0, v4);",
        "1:22: `v4` is an array of 4 bytes, but the function declares an array of 8 bytes",
    );
    refused("call (x), f2, (v4);", "1:16: `v4` is an array of 4 bytes, but the function declares 32 bits");
    refused(
        "call f5, (1);",
        "1:11: the function declares a predicate, which only a register can be passed for",
    );
    let float = "the function declares a floating-point number; write the literal as one, for example `1.0`";
    refused("call f4, (1, i, 1.5);", &format!("1:11: {float}"));
    let integer = "the function declares an integer, but the literal is a floating-point number";
    refused("call f4, (1.5, 1.5, 1.5);", &format!("1:16: {integer}"));
    let width =
        "the literal does not have as many bits as the function declares; move the value into a register";
    refused("call f4, (1.5, 1, 0f3f800000);", &format!("1:19: {width}"));
    refused("call (x), f2, (1.5);", &format!("1:16: {width}"));
    refused("call f3, (1, 0f3f800000, 1.0, v8);", &format!("1:14: {width}"));
}

#[test]
fn calls_through_registers_pass_what_the_prototype_declares() {
    let call = |call: &str| {
        format!(
            "P: .callprototype (.param .b32 _) _ (.param .b32 _); T: .calltargets f2; mov.u64 d, f2; {call}"
        )
    };
    taken(&call("call (x), d, (x), P;"));
    taken(&call("call (_), d, (5), T;"));
    refused(&call("call (x), d, (h), P;"), "1:103: `h` has 16 bits, but the function declares 32 bits");
    refused(&call("call (x), d, (x);"), "1:89: `call` needs more than 3 operands");
    refused(
        &call("call (x), d, (x), f2;"),
        "1:107: a call through a register needs the name of a `.callprototype`",
    );
    refused(&call("call (x), f2, (x), P;"), "1:89: `call` has too many operands; leave out the last 1");
}

#[test]
fn hints_to_caches_concern_global_memory() {
    taken("ld.L1::no_allocate.u32 x, [d];");
    taken("ld.shared.ca.u32 x, [d];");
    taken("ld.global.nc.cg.f32 f, [d];");
    for opcode in
        ["ld.shared.L1::evict_last.u32", "ld.local.L1::no_allocate.u32", "ld.global.ca.L1::evict_last.u32"]
    {
        let errors = messages(&format!("{opcode} x, [d];"));
        assert!(errors[0].starts_with(&format!("1:1: `{opcode}` is not supported;")), "{errors:?}");
    }
    for opcode in
        ["ld.volatile.local.u32", "ld.volatile.const.u32", "ld.volatile.param.u32", "ld.shared.L2::128B.u32"]
    {
        let errors = messages(&format!("{opcode} x, [d];"));
        assert!(errors[0].starts_with(&format!("1:1: `{opcode}` is not supported;")), "{errors:?}");
    }
}

#[test]
fn unsupported_statements_are_named() {
    refused(
        "tex.1d.v4.f32.s32 {f, f, f, f}, [image, {x}];",
        "1:1: `tex.1d.v4.f32.s32` is not supported; no form of `tex` is",
    );
    refused(
        "vshr.u32.u32.u32.clamp x, x, x;",
        "1:1: `vshr.u32.u32.u32.clamp` is not supported; no form of `vshr` is",
    );
    refused(
        "cvt.rn.satfinite.e4m3x2.f32 h, f, f;",
        "1:1: `cvt.rn.satfinite.e4m3x2.f32` is not supported; supported forms: `cvt.(rn|rz).relu?.satfinite?.bf16.f32`, `cvt.(rn|rz).relu.satfinite?.f16.f32`, `cvt.(rn|rz).satfinite.f16.f32` and 29 more (`crates/simt/SUPPORTED.md`)",
    );
    refused(
        "createpolicy.fractional.L2::evict_last.b64 d;",
        "1:1: `createpolicy.fractional.L2::evict_last.b64` is not supported; no form of `createpolicy` is",
    );
    let errors = messages("ld.global.v8.f32 {f, f, f, f, f, f, f, f}, [d];");
    assert!(
        errors[0].starts_with("1:1: `ld.global.v8.f32` is not supported; supported forms: `ld."),
        "{errors:?}"
    );
    assert!(errors[0].len() < 1000, "{errors:?}");
    refused("ld.global.u32 x, [image, {x}];", "1:18: expected an address in brackets");
    refused("add.u32 v, x, x;", "1:9: `v` is a vector; name an element, for example `v.x`");
    refused("add.u32 v.z, x, x;", "1:9: `v.z` is not declared");
}

#[test]
fn a_target_or_a_version_that_is_needed_is_named() {
    let messages = |version: &str, target: &str, opcode: &str, operands: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ {REGISTERS}\n{opcode} {operands};\nret; }}"
        );
        let errors = Emulator::new(Limits::default()).load("k", &text).unwrap().unsupported();
        errors.into_iter().map(|error| error.message).collect::<Vec<_>>()
    };
    let (lop3, operands) = ("lop3.or.b32", "x|p, x, y, x, 0x96, !q");
    assert_eq!(messages("8.2", "sm_70", lop3, operands), [""; 0]);
    assert_eq!(
        messages("8.1", "sm_70", lop3, operands),
        ["`lop3.or.b32` needs `.version 8.2` or above, not 8.1"]
    );
    assert_eq!(
        messages("8.2", "sm_61", lop3, operands),
        ["`lop3.or.b32` needs a target of sm_70 or above, not sm_61"]
    );
    let wide = ("ld.global.v4.f64", "{g, g, g, g}, [d]");
    assert_eq!(
        messages("8.8", "sm_90", wide.0, wide.1),
        ["`ld.global.v4.f64` has a vector of more than 128 bits, which needs sm_100"]
    );
}

#[test]
fn warpgroups_need_a_target_with_their_instructions() {
    refused(
        "wgmma.fence.sync.aligned;",
        "1:1: `wgmma.fence.sync.aligned` needs the target `sm_90a`: compile for it",
    );
    refused(
        "setmaxnreg.dec.sync.aligned.u32 40;",
        "1:1: `setmaxnreg.dec.sync.aligned.u32` needs the target `sm_90a`: compile for it",
    );
    refused(
        "setmaxnreg.dec.sync.aligned.u32 44;",
        "1:33: a thread can have 24 to 256 registers, and a multiple of 8, not 44",
    );
}
