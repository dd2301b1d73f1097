//! The parser's error messages: a text, and the exact message.
//!
//! A message names what was expected or is not supported, and where, so that a learner can correct the text.

use simt::ptx::parse;

/// Checks a whole text.
fn check(text: &str, want: &str) {
    let found = parse(text).map_or_else(|error| error.to_string(), |_| "it was read".to_owned());
    assert_eq!(found, want, "{text}");
}

/// Checks a text after the two lines with which every module begins.
fn check_after_header(text: &str, want: &str) {
    check(&format!(".version 8.0\n.target sm_70\n{text}"), want);
}

#[test]
fn texts_that_are_not_ptx() {
    check("", "line 1, column 1: this is not PTX: the text is empty");
    check("  // nothing\n", "line 2, column 1: this is not PTX: the text is empty");
    check(
        "\u{7f}ELF\u{2}\u{1}",
        "line 1, column 1: this is not PTX: it is a compiled binary (ELF); ask the compiler for PTX (`nvcc -ptx`)",
    );
    check(
        "#include <cuda.h>\n",
        "line 1, column 1: this is not PTX: it looks like CUDA source; compile it first (`nvcc -ptx`)",
    );
    check(
        "// a kernel\n__global__ void f() {}",
        "line 2, column 1: this is not PTX: it looks like CUDA source; compile it first (`nvcc -ptx`)",
    );
    check(
        "hello",
        "line 1, column 1: this is not PTX: a PTX file starts with `.version`, but this one starts with `hello`",
    );
    check(
        ".target sm_70",
        "line 1, column 1: this is not PTX: a PTX file starts with `.version`, but this one starts with `.target`",
    );
    check(
        "// by hand\n/* it */ #include <cuda.h>\n",
        "line 2, column 10: this is not PTX: it looks like CUDA source; compile it first (`nvcc -ptx`)",
    );
    check(
        "\u{1}\u{2} binary",
        "line 1, column 1: this is not PTX: a PTX file starts with `.version`, but this one starts with `\\u{1}\\u{2}`",
    );
}

#[test]
fn the_first_lines() {
    check("/* .version 8.0", "line 1, column 1: the comment that starts here has no `*/`");
    check(".version eight", "line 1, column 10: expected a version like `8.0`, found `eight`");
    check(
        ".version 8.0\n.address_size 64",
        "line 2, column 1: expected `.target` after `.version`, found `.address_size`",
    );
    check(
        ".version 8.0\n.target compute_70",
        "line 2, column 9: expected a target like `sm_70`, found `compute_70`",
    );
    check(
        ".version 8.0\n.target sm_13",
        "line 2, column 9: `sm_13` is not supported; the oldest supported target is `sm_20`",
    );
    check(
        ".version 8.0\n.target sm_95",
        "line 2, column 9: there is no target `sm_95`; the newest known target is `sm_121`",
    );
    check(
        ".version 8.0\n.target sm_70\n.version 8.0",
        "line 3, column 1: a second `.version`; a text may contain only one module",
    );
    check(".versions 8.0", "line 1, column 1: expected `.version`, found `.versions`");
}

#[test]
fn directives() {
    check_after_header(".address_size 16", "line 3, column 15: expected `32` or `64`, found `16`");
    check_after_header(
        ".address_size 32",
        "line 3, column 15: 32-bit addresses are not supported; compile for 64 bits (`.address_size 64`)",
    );
    check_after_header(
        ".file 1 kernel.cu",
        "line 3, column 9: expected the file's name in quotes, found `kernel.cu`",
    );
    check_after_header(
        ".file 1 \"kernel.cu\n",
        "line 3, column 9: the string that starts here has no closing `\"`",
    );
    check_after_header(
        ".loc 1 2\n",
        "line 4, column 1: expected a column number, but the text ends; is the file complete?",
    );
    check_after_header(
        ".loc 1 2 3, in_line 1 2 3",
        "line 3, column 13: expected `function_name` or `inlined_at`, found `in_line`",
    );
    check_after_header(
        ".section .debug_str { .b8 1",
        "line 3, column 28: expected the `}` of section `.debug_str`, but the text ends; is the file complete?",
    );
    check_after_header(
        ".alias a;",
        "line 3, column 9: expected `,` between an alias and its function, found `;`",
    );
    check_after_header(
        "add.s32 %r1, %r1, 1;",
        "line 3, column 1: expected a directive, a variable or a function, found `add.s32`",
    );
    check_after_header(
        ".frobnicate 1",
        "line 3, column 1: expected a directive, a variable or a function, found `.frobnicate`",
    );
}

#[test]
fn variables() {
    check_after_header(
        ".global .u32 x",
        "line 3, column 15: expected `;` after the declaration of a variable, but the text ends; is the file complete?",
    );
    check_after_header(".global .u33 x;", "line 3, column 9: expected a type like `.u32`, found `.u33`");
    check_after_header(
        ".global .align 3 .u32 x;",
        "line 3, column 16: an alignment must be a power of two up to 1048576, not `3`",
    );
    check_after_header(
        ".global .pred x;",
        "line 3, column 15: a predicate must be a register; it cannot be a variable in memory",
    );
    check_after_header(
        ".global .texref t = {width = 4;",
        "line 3, column 32: expected the `}` after the initial values of a texture, but the text ends; is the file complete?",
    );
    check_after_header(
        ".reg .b32 x;",
        "line 3, column 1: expected a directive, a variable or a function, found `.reg`",
    );
    check_after_header(
        ".global .u32 x<4>;",
        "line 3, column 15: only registers can be declared as a numbered list, like `%r<4>`",
    );
    check_after_header(
        ".global .u32 x[2][];",
        "line 3, column 19: only the first length of an array may be left out",
    );
    check_after_header(
        ".global .u32 x[1.5];",
        "line 3, column 16: expected the length of an array, found `1.5`",
    );
    check_after_header(
        ".global .u32 x[2] = {1, 2, 3};",
        "line 3, column 21: more initial values than elements",
    );
    check_after_header(
        ".global .u32 x[2] = {{1}, {2}};",
        "line 3, column 22: more braces than the variable has dimensions",
    );
    check_after_header(
        ".global .u32 x[2][9999999] = {{1}, {2}};",
        "line 3, column 31: the text has more than 4194304 initial values, including those that fill up short rows",
    );
    check_after_header(
        ".global .u64 x = 0xFF(y);",
        "line 3, column 22: a piece of an address (`mask(symbol)`) is not supported as an initial value",
    );
    check_after_header(
        ".global .attribute(.unified(1, 2)) .u32 x;",
        "line 3, column 20: the attribute `.unified` is not supported; the only supported one is `.managed`",
    );
    check_after_header(
        ".tex .u32 t;",
        "line 3, column 1: `.tex` is not supported; read through a pointer to global memory instead",
    );
}

#[test]
fn headers_of_functions() {
    check_after_header(
        ".entry f ( .param .u32 x",
        "line 3, column 25: expected `)` after the parameters, but the text ends; is the file complete?",
    );
    check_after_header(
        ".entry f ( .reg .u32 x ) {}",
        "line 3, column 12: expected a parameter (`.param`), found `.reg`",
    );
    check_after_header(
        ".entry f .blocksareclusters {}",
        "line 3, column 10: `.blocksareclusters` is not supported; launch a grid of blocks, and say how many are a cluster",
    );
    check_after_header(".entry f .maxntid {}", "line 3, column 19: expected a number, found `{`");
    check_after_header(
        ".entry f .abi_preserve 3 {}",
        "line 3, column 10: `.abi_preserve` is not supported in the header of a function",
    );
    check_after_header(
        ".entry f",
        "line 3, column 9: expected `{` or `;` after the header of a function, but the text ends; is the file complete?",
    );
    check_after_header(
        ".func f ( .reg .v4 .f32 v ) { ret; }",
        "line 3, column 16: a vector of registers is not supported as a parameter; pass its elements",
    );
    check_after_header(
        ".entry f() .noreturn { ret; }",
        "line 3, column 12: `.noreturn` is for functions; a kernel has no caller to return to",
    );
}

#[test]
fn bodies_of_functions() {
    check_after_header(
        ".func f { ret;",
        "line 3, column 15: expected an instruction, a declaration or `}`, but the text ends; is the file complete?",
    );
    check_after_header(
        ".func f { ret; } }",
        "line 3, column 18: expected a directive, a variable or a function, found `}`",
    );
    check_after_header(
        ".func f { ret; .func g { ret; }",
        "line 3, column 16: `.func` in the body of a function; is a `}` missing?",
    );
    check_after_header(
        ".func f { .reg .texref t; }",
        "line 3, column 16: a texture must be a variable; it cannot be a register",
    );
    check_after_header(
        ".func f { .reg .b32 %r<99999999>; }",
        "line 3, column 23: with `%r`, the function declares more than 1048576 registers",
    );
    check_after_header(
        ".func f { .reg .b32 %r<800000>, %s<800000>; }",
        "line 3, column 35: with `%s`, the function declares more than 1048576 registers",
    );
    check_after_header(
        ".func f { .reg .b32 %r<4; }",
        "line 3, column 25: expected `>` after the number of registers, found `;`",
    );
    check_after_header(
        ".func f { .branchtargets a, b; }",
        "line 3, column 11: `.branchtargets` needs a label before it",
    );
    check_after_header(
        ".func f { a.b: ret; }",
        "line 3, column 14: `a.b` cannot be a label, because it contains a point",
    );
    check_after_header(".func f { %r1 = 4; }", "line 3, column 11: expected an instruction, found `%r1`");
    check_after_header(
        ".func f { @%p1 }",
        "line 3, column 16: expected an instruction after its guard, found `}`",
    );
    check_after_header(
        ".func f { @1 ret; }",
        "line 3, column 12: expected a predicate register after `@`, found `1`",
    );
}

#[test]
fn instructions() {
    check_after_header(
        ".func f { add.s32 %r1, %r2\nret; }",
        "line 4, column 1: expected `,` or `;` after an operand of `add.s32`, found `ret`",
    );
    check_after_header(".func f { add.s32 %r1, ; }", "line 3, column 24: expected an operand, found `;`");
    check_after_header(
        ".func f { bra L }",
        "line 3, column 17: expected `,` or `;` after an operand of `bra`, found `}`",
    );
    check_after_header(
        ".func f { ret",
        "line 3, column 14: expected an operand, but the text ends; is the file complete?",
    );
    check_after_header(
        ".func f { mov.u32 %r1, x[%r2]; }",
        "line 3, column 26: expected a constant index, found `%r2`",
    );
    check_after_header(
        ".func f { ld.u32 %r1, [%r2-4]; }",
        "line 3, column 27: an offset must be added; write `+-4` instead of `-4`",
    );
    check_after_header(
        ".func f { ld.u32 %r1, [%r2+%r3]; }",
        "line 3, column 28: expected an integer offset, found `%r3`",
    );
    check_after_header(
        ".func f { ld.u32 %r1, [%r2; }",
        "line 3, column 27: expected `]` after an address, found `;`",
    );
    check_after_header(
        ".func f { tex.1d.v4.f32.s32 {a, b, c, d}, [t, {x}; }",
        "line 3, column 50: expected `]` after the coordinates, found `;`",
    );
    check_after_header(
        ".func f { mov.u32 %r1, 0x; }",
        "line 3, column 24: `0x` is not a number: it has no digits",
    );
    check_after_header(
        ".func f { mov.u32 %r1, 18446744073709551616; }",
        "line 3, column 24: `18446744073709551616` is not a number: it does not fit into 64 bits",
    );
    check_after_header(".func f { mov.u32 %r1, 1/0; }", "line 3, column 25: a division by zero");
    check_after_header(".func f { mov.u32 %r1, `; }", "line 3, column 24: ``` has no meaning in PTX");
    check_after_header(".func f { mov.u32 %r1, é; }", "line 3, column 24: `é` has no meaning in PTX");
    check_after_header(
        ".func f { call f, (a; }",
        "line 3, column 21: expected `)` after the list of a call, found `;`",
    );
}
