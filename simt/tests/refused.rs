//! Statements that the assembler takes and those that it refuses: the emulator does the same, and says why, where.
//!
//! Each was given to `ptxas` of CUDA 12.9 for `sm_90`, which agrees with four exceptions besides what is only not supported
//! yet: it takes `_` and registers where a called function declares `.param` variables, a third element of a register of
//! two, and `%pm0`. A statement that is refused is no error of the module: only a launch that comes to it fails.

use simt::{Emulator, Limits};

const REGISTERS: &str = ".reg .pred p, q, r; .reg .u8 c; .reg .b16 h; .reg .b32 x, y; .reg .s32 i; .reg .u32 n; \
     .reg .f32 f; .reg .b64 d, e; .reg .f64 g; .reg .v2 .b32 v;";

const OUTSIDE: &str = ".global .u32 word; .const .u32 table[4]; .global .texref image; \
     .func (.reg .b32 r) f1(.reg .b32 a) { mov.b32 r, a; ret; } \
     .func (.param .b32 r) f2(.param .b32 a) { ret; }";

/// What is said of a statement, with the column in its line.
fn told(statement: &str) -> Vec<String> {
    let text = format!(
        ".version 8.2\n.target sm_90\n.address_size 64\n{OUTSIDE}\n.visible .entry k(.param .u64 pp) {{ {REGISTERS}\n{statement}\nret; }}"
    );
    let module = Emulator::new(Limits::default()).load("k", &text);
    let module = module.unwrap_or_else(|error| panic!("{statement}: {error}"));
    let errors = module.unsupported();
    errors.iter().map(|error| format!("{}:{}: {}", error.line - 5, error.column, error.message)).collect()
}

fn taken(statement: &str) {
    assert_eq!(told(statement), [""; 0], "{statement}");
}

fn refused(statement: &str, why: &str) {
    assert_eq!(told(statement), [why], "{statement}");
}

#[test]
fn registers_hold_what_they_were_declared_for() {
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
    taken("call (x), f1, (y);");
    taken("call (x), f1, (5);");
    taken("{ .param .b32 a; .param .b32 b; call (b), f2, (a); call (b), f1, (a); }");
    refused("call (x), f1, (h);", "1:16: this register has 16 bits, but 32 are passed");
    refused("call (x), f1, (_);", "1:16: this operand must be a 32-bit register or a literal");
    refused("call (_), f1, (x);", "1:7: only `.param` variables can be passed here");
    refused("call (x), f1, (x, y);", "1:16: the function declares 1 of these, but the call has 2");
    refused("call f1, (x);", "1:1: the function declares 1 of these, but the call has 0");
    refused("{ .param .b32 b; call (b), f2, (x); }", "1:33: only `.param` variables can be passed here");
}

#[test]
fn hints_to_caches_concern_global_memory() {
    taken("ld.L1::no_allocate.u32 x, [d];");
    taken("ld.shared.ca.u32 x, [d];");
    taken("ld.global.nc.cg.f32 f, [d];");
    for opcode in
        ["ld.shared.L1::evict_last.u32", "ld.local.L1::no_allocate.u32", "ld.global.ca.L1::evict_last.u32"]
    {
        let errors = told(&format!("{opcode} x, [d];"));
        assert!(errors[0].starts_with(&format!("1:1: `{opcode}` is not supported;")), "{errors:?}");
    }
    for opcode in
        ["ld.volatile.local.u32", "ld.volatile.const.u32", "ld.volatile.param.u32", "ld.shared.L2::128B.u32"]
    {
        let errors = told(&format!("{opcode} x, [d];"));
        assert!(errors[0].starts_with(&format!("1:1: `{opcode}` is not supported;")), "{errors:?}");
    }
}

#[test]
fn what_is_not_supported_is_named() {
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
        "1:1: `cvt.rn.satfinite.e4m3x2.f32` is not supported; supported forms: `cvt.(rn|rz).relu?.satfinite?.bf16.f32`, `cvt.(rn|rz).relu.satfinite?.f16.f32`, `cvt.(rn|rz).satfinite.f16.f32` and 29 more (`simt/SUPPORTED.md`)",
    );
    refused(
        "createpolicy.fractional.L2::evict_last.b64 d;",
        "1:1: `createpolicy.fractional.L2::evict_last.b64` is not supported; no form of `createpolicy` is",
    );
    let errors = told("ld.global.v8.f32 {f, f, f, f, f, f, f, f}, [d];");
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
fn a_target_and_a_version_are_asked_for_by_name() {
    let told = |version: &str, target: &str, opcode: &str, operands: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ {REGISTERS}\n{opcode} {operands};\nret; }}"
        );
        let errors = Emulator::new(Limits::default()).load("k", &text).unwrap().unsupported();
        errors.into_iter().map(|error| error.message).collect::<Vec<_>>()
    };
    let (lop3, operands) = ("lop3.or.b32", "x|p, x, y, x, 0x96, !q");
    assert_eq!(told("8.2", "sm_70", lop3, operands), [""; 0]);
    assert_eq!(
        told("8.1", "sm_70", lop3, operands),
        ["`lop3.or.b32` needs `.version 8.2` or above, not 8.1"]
    );
    assert_eq!(
        told("8.2", "sm_61", lop3, operands),
        ["`lop3.or.b32` needs a target of sm_70 or above, not sm_61"]
    );
    let wide = ("ld.global.v4.f64", "{g, g, g, g}, [d]");
    assert_eq!(
        told("8.8", "sm_90", wide.0, wide.1),
        ["`ld.global.v4.f64` has a vector of more than 128 bits, which needs sm_100"]
    );
}
