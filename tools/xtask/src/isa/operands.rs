//! Operands for the opcodes of each form, of the kinds that the specification requires, for the statements that the
//! assembler gets.
//!
//! Registers are named by their type and a number (`u32_0`), and [`declarations`] declares all of them. An unknown
//! mnemonic is an error, so a new family cannot be left out by mistake.

use anyhow::{Result, bail};

/// What the statements refer to: registers of every type, a label with its list, and memory of every kind.
pub const OUTSIDE: &str = "\
.const .align 16 .b8 const_0[64];
.global .align 16 .b8 global_0[64];
.shared .align 16 .b8 shared_0[64];
.func callee() { ret; }
";

/// The declarations at the beginning of the kernel.
pub fn declarations() -> String {
    let types = [
        "pred", "u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64", "f32", "f64",
    ];
    let register = |ty: &&str| format!(".reg .{ty} {ty}_0, {ty}_1, {ty}_2, {ty}_3, {ty}_4;\n");
    let local = ".local .align 16 .b8 local_0[64];\n";
    // Products of warpgroups have up to 128 of these.
    let more =
        ["b32", "f32", "s32"].iter().flat_map(|ty| (5..128).map(move |n| format!(".reg .{ty} {ty}_{n};\n")));
    types.iter().map(register).chain(more).collect::<String>() + local
}

/// The type of the registers that can hold a type: bits, if no register of that type is declared.
fn holder(ty: &str) -> &str {
    match ty {
        "f16" | "bf16" | "e4m3x2" | "e5m2x2" => "b16",
        "f16x2" | "bf16x2" | "tf32" | "u4" | "s4" | "u2" | "s2" => "b32",
        other => other,
    }
}

fn is_type(word: &str) -> bool {
    simt::isa::grammar::is_type(word)
}

fn register(ty: &str, number: usize) -> String {
    format!("{}_{number}", holder(ty))
}

/// The operands `first` of type `d`, and then registers of the given types.
fn plain(d: &str, sources: &[&str]) -> String {
    let sources = sources.iter().enumerate().map(|(index, ty)| register(ty, index + 1));
    std::iter::once(register(d, 0)).chain(sources).collect::<Vec<_>>().join(", ")
}

fn wider(ty: &str) -> &str {
    match ty {
        "u16" => "u32",
        "s16" => "s32",
        "u32" => "u64",
        _ => "s64",
    }
}

/// The statement that contains an opcode: its operands, a semicolon, and other statements that it requires.
pub fn statement(opcode: &str) -> Result<String> {
    let words: Vec<&str> = opcode.split('.').collect();
    let types: Vec<&str> = words.iter().skip(1).copied().filter(|word| is_type(word)).collect();
    let has = |word: &str| words.contains(&word);
    let ty = types.last().copied().unwrap_or("b32");
    let operands = match words[0] {
        "ld" | "ldu" | "st" | "atom" | "red" => return Ok(memory(opcode, &words, ty)),
        "mov" if has("v2") || has("v4") => {
            let count = if has("v2") { 2 } else { 4 };
            format!("{}, {}", vector(ty, 0, count), vector(ty, 1, count))
        }
        "abs" | "neg" | "not" | "cnot" | "brev" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2"
        | "ex2" | "tanh" | "mov" => plain(ty, &[ty]),
        "popc" | "clz" | "bfind" => plain("u32", &[ty]),
        "testp" => plain("pred", &[ty]),
        "mul" if has("wide") => plain(wider(ty), &[ty, ty]),
        "mad" if has("wide") => plain(wider(ty), &[ty, ty, wider(ty)]),
        "add" | "sub" | "addc" | "subc" | "mul" | "mul24" | "div" | "rem" | "min" | "max" | "and" | "or"
        | "xor" | "copysign" => plain(ty, &[ty, ty]),
        "shl" | "shr" | "szext" => plain(ty, &[ty, "u32"]),
        "bmsk" => plain("b32", &["u32", "u32"]),
        "mad" | "madc" | "mad24" | "fma" | "sad" => plain(ty, &[ty, ty, ty]),
        "dp4a" | "dp2a" => {
            let sum = if types.contains(&"s32") { "s32" } else { "u32" };
            plain(sum, &[types[0], types[1], sum])
        }
        "bfe" => plain(ty, &[ty, "u32", "u32"]),
        "bfi" => plain(ty, &[ty, ty, "u32", "u32"]),
        "shf" => plain("b32", &["b32", "b32", "u32"]),
        "prmt" => plain("b32", &["b32", "b32", "b32"]),
        "fns" => plain("b32", &["b32", "u32", "s32"]),
        "lop3" if has("or") || has("and") => "b32_0|pred_0, b32_1, b32_2, b32_3, 0x96, pred_1".to_owned(),
        "lop3" => "b32_0, b32_1, b32_2, b32_3, 0x96".to_owned(),
        "setp" | "set" => compare(&words, &types),
        "selp" => plain(ty, &[ty, ty, "pred"]),
        "slct" => plain(types[0], &[types[0], types[0], types[1]]),
        "cvt" => convert(&words, &types),
        "cvta" => plain("u64", &["u64"]),
        "isspacep" => plain("pred", &["u64"]),
        "prefetch" if has("tensormap") => {
            format!("[{}]", if has("param") { "param_0" } else { "u64_4" })
        }
        "prefetch" | "prefetchu" => format!("[{}]", address(&words)),
        "fence" if has("tensormap::generic") && has("acquire") => "[u64_4], 128".to_owned(),
        "membar" | "fence" | "ret" | "exit" | "trap" | "brkpt" => String::new(),
        "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => warp(&words, ty),
        "bar" => barrier(&words),
        "barrier" if !has("cluster") => barrier(&words),
        "bra" => "END".to_owned(),
        "brx" => return Ok(format!("{{ LABELS: .branchtargets END; {opcode} u32_0, LABELS; }}")),
        "call" => "callee".to_owned(),
        "pmevent" => "1".to_owned(),
        "nanosleep" => "u32_0".to_owned(),
        "barrier" if has("cluster") => String::new(),
        _ => with_matrices_or_copies(&words, &types, ty)?,
    };
    Ok(format!("{opcode} {operands};"))
}

/// The operands of matrix instructions, of asynchronous copies, and of what tells about them.
fn with_matrices_or_copies(words: &[&str], types: &[&str], ty: &str) -> Result<String> {
    let has = |word: &str| words.contains(&word);
    Ok(match words[0] {
        "wgmma" if has("mma_async") => multiply_async(words, types),
        "wgmma" if has("wait_group") => "1".to_owned(),
        "wgmma" => String::new(),
        "mapa" => format!("{}, {}, u32_2", register(ty, 0), register(ty, 1)),
        "getctarank" => format!("u32_0, {}", register(ty, 1)),
        "mbarrier" => mbarrier(words),
        "cp" if has("tensor") => tensor_copy(words),
        "cp" if has("bulk") => bulk(words),
        "cp" => copy(words).to_owned(),
        "ldmatrix" => format!("{}, [u64_4]", fragment("b32", rows(words))),
        "stmatrix" => format!("[u64_4], {}", fragment("b32", rows(words))),
        "movmatrix" => "b32_0, b32_1".to_owned(),
        "mma" => multiply(words, types),
        "tensormap" => tensor_map(words),
        "wmma" if has("mma") => wmma(words, types),
        "wmma" => {
            let values = wmma_fragment(words, words[2], ty);
            if has("load") {
                format!("{values}, [u64_4], u32_2")
            } else {
                format!("[u64_4], {values}, u32_2")
            }
        }
        "setmaxnreg" => "40".to_owned(),
        other => bail!("no operands are known for `{other}`; add them to tools/xtask/src/isa/operands.rs"),
    })
}

fn vector(ty: &str, first: usize, count: usize) -> String {
    let registers: Vec<_> = (0..count).map(|index| register(ty, (first + index) % 5)).collect();
    format!("{{{}}}", registers.join(", "))
}

/// The address of an access: a register, or a variable if the memory is that of parameters.
fn address(words: &[&str]) -> &'static str {
    if words.contains(&"param") { "param_0" } else { "u64_4" }
}

fn memory(opcode: &str, words: &[&str], ty: &str) -> String {
    let count = words.iter().find_map(|word| word.strip_prefix('v')?.parse().ok());
    let value = match count {
        Some(count) => vector(ty, 0, count),
        None => register(ty, 0),
    };
    let address = address(words);
    match words[0] {
        "ld" | "ldu" => format!("{opcode} {value}, [{address}];"),
        "st" | "red" if words.contains(&"async") => format!("{opcode} [{address}], {value}, [u64_2];"),
        "st" if address == "param_0" => {
            format!("{{ .param .align 16 .b8 passed[64]; {opcode} [passed], {value}; }}")
        }
        "st" => format!("{opcode} [{address}], {value};"),
        name => {
            let result = if name == "atom" { format!("{value}, ") } else { String::new() };
            let swap = if words.contains(&"cas") { format!(", {}", register(ty, 2)) } else { String::new() };
            format!("{opcode} {result}[{address}], {}{swap};", register(ty, 1))
        }
    }
}

fn compare(words: &[&str], types: &[&str]) -> String {
    let source = types[types.len() - 1];
    let third = if ["and", "or", "xor"].iter().any(|word| words.contains(word)) { ", !pred_2" } else { "" };
    let result = match words[0] {
        "setp" if matches!(source, "f16" | "bf16") => "pred_0".to_owned(),
        "setp" => "pred_0|pred_1".to_owned(),
        _ => register(types[0], 0),
    };
    format!("{result}, {}, {}{third}", register(source, 1), register(source, 2))
}

fn convert(words: &[&str], types: &[&str]) -> String {
    match (types[0], types[1]) {
        _ if words.contains(&"pack") && types.len() == 3 => plain("b32", &["s32", "s32", "b32"]),
        _ if words.contains(&"pack") => plain("b32", &["s32", "s32"]),
        (to @ ("f16x2" | "bf16x2" | "e4m3x2" | "e5m2x2"), "f32") => plain(to, &["f32", "f32"]),
        (to, from) => plain(to, &[from]),
    }
}

fn warp(words: &[&str], ty: &str) -> String {
    let mask = if words.contains(&"sync") { ", -1" } else { "" };
    match words[0] {
        "shfl" => format!("b32_0|pred_0, b32_1, u32_1, u32_2{mask}"),
        "vote" if words.contains(&"ballot") => format!("b32_0, !pred_1{mask}"),
        "vote" => format!("pred_0, !pred_1{mask}"),
        "match" if words.contains(&"all") => format!("b32_0|pred_0, {}{mask}", register(ty, 1)),
        "match" => format!("b32_0, {}{mask}", register(ty, 1)),
        "redux" => format!("{}, {}{mask}", register(ty, 0), register(ty, 1)),
        "elect" => "b32_0|pred_0, -1".to_owned(),
        _ => "b32_0".to_owned(),
    }
}

fn barrier(words: &[&str]) -> String {
    match words {
        [_, "warp", ..] => "-1".to_owned(),
        _ if words.contains(&"arrive") => "1, 64".to_owned(),
        _ if words.contains(&"popc") => "u32_0, 1, 64, !pred_1".to_owned(),
        _ if words.contains(&"red") => "pred_0, 1, 64, !pred_1".to_owned(),
        _ => "1, 64".to_owned(),
    }
}

fn mbarrier(words: &[&str]) -> String {
    let is_parity = words.contains(&"parity");
    match words[1] {
        "init" | "expect_tx" | "complete_tx" => "[u64_4], u32_1".to_owned(),
        "inval" => "[u64_4]".to_owned(),
        "pending_count" => "u32_0, b64_1".to_owned(),
        "test_wait" | "try_wait" if is_parity => "pred_0, [u64_4], u32_1".to_owned(),
        "test_wait" | "try_wait" => "pred_0, [u64_4], b64_1".to_owned(),
        _ if words.contains(&"shared::cluster") && words.contains(&"expect_tx") => {
            "_, [u64_4], u32_1".to_owned()
        }
        _ if words.contains(&"shared::cluster") => "_, [u64_4]".to_owned(),
        // The count of arrivals may be given from `sm_90` on, and before that only together with `.noComplete`.
        _ if words.contains(&"noComplete") || words.contains(&"expect_tx") => {
            "b64_0, [u64_4], u32_1".to_owned()
        }
        _ => "b64_0, [u64_4]".to_owned(),
    }
}

fn copy(words: &[&str]) -> &'static str {
    match words[2] {
        "commit_group" | "wait_all" => "",
        "wait_group" => "1",
        "mbarrier" => "[u64_4]",
        "cg" => "[u64_4], [u64_3], 16, u32_1",
        _ => "[u64_4], [u64_3], 8, u32_1",
    }
}

fn bulk(words: &[&str]) -> String {
    let has = |word: &str| words.contains(&word);
    let mut operands = match has("mbarrier::complete_tx::bytes") {
        _ if has("commit_group") => vec![],
        _ if has("wait_group") => vec!["1"],
        _ if has("prefetch") => vec!["[u64_4]", "u32_1"],
        true => vec!["[u64_4]", "[u64_3]", "u32_1", "[u64_2]"],
        false => vec!["[u64_4]", "[u64_3]", "u32_1"],
    };
    operands.extend(has("multicast::cluster").then_some("u16_1"));
    operands.extend(has("L2::cache_hint").then_some("b64_1"));
    operands.join(", ")
}

fn tensor_copy(words: &[&str]) -> String {
    let has = |word: &str| words.contains(&word);
    let rank = words.iter().find_map(|word| word.strip_suffix('d')?.parse().ok()).unwrap_or(1);
    let coordinates: Vec<_> = (0..rank).map(|d| format!("s32_{d}")).collect();
    let place = format!("[u64_4, {{{}}}]", coordinates.join(", "));
    let mut operands = match (has("prefetch"), has("mbarrier::complete_tx::bytes")) {
        (true, _) => vec![place],
        (_, true) => vec!["[u64_3]".to_owned(), place, "[u64_2]".to_owned()],
        _ => vec![place, "[u64_3]".to_owned()],
    };
    operands.extend(has("multicast::cluster").then(|| "u16_1".to_owned()));
    operands.extend(has("L2::cache_hint").then(|| "b64_1".to_owned()));
    operands.join(", ")
}

/// How many matrices an instruction moves.
fn rows(words: &[&str]) -> usize {
    words.iter().find_map(|word| word.strip_prefix('x')?.parse().ok()).unwrap_or(1)
}

/// A list of registers, some of them several times if there are many.
fn fragment(ty: &str, count: usize) -> String {
    let registers: Vec<_> = (0..count).map(|index| register(ty, index % 5)).collect();
    format!("{{{}}}", registers.join(", "))
}

/// The fragments of `mma`: as many registers as the elements of each matrix, over the lanes of a warp, fill.
fn multiply(words: &[&str], types: &[&str]) -> String {
    let size: Vec<usize> = words[3].split(['m', 'n', 'k']).filter_map(|size| size.parse().ok()).collect();
    let of = |elements: usize, ty: &str| {
        let bits: usize = ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(32);
        let holder = match holder(ty) {
            "f32" => "f32",
            "f64" => "f64",
            "s32" => "s32",
            _ => "b32",
        };
        fragment(holder, elements * bits / 32 / bits.max(32))
    };
    let [m, n, k] = [size[0], size[1], size[2]];
    [of(m * n, types[0]), of(m * k, types[1]), of(k * n, types[2]), of(m * n, types[3])].join(", ")
}

/// The operands of `tensormap.replace`: the map, for some fields the number of a dimension, and the new value.
fn tensor_map(words: &[&str]) -> String {
    let value = if words.contains(&"b64") { "b64_0" } else { "b32_0" };
    let new = match words[3] {
        "global_address" | "rank" => value.to_owned(),
        "box_dim" | "global_dim" | "global_stride" | "element_stride" => format!("1, {value}"),
        _ => "1".to_owned(),
    };
    format!("[{}], {new}", address(words))
}

/// The fragments of a product of `wmma`, of which f16 names only D and C.
fn wmma(words: &[&str], types: &[&str]) -> String {
    let [d, a, b, c] = match types {
        [d, c] => [*d, "f16", "f16", *c],
        _ => [types[0], types[1], types[2], types[3]],
    };
    [("d", d), ("a", a), ("b", b), ("c", c)].map(|(what, ty)| wmma_fragment(words, what, ty)).join(", ")
}

/// A fragment of `wmma`: those of f16 have eight registers of A and B, whatever the shape.
fn wmma_fragment(words: &[&str], what: &str, ty: &str) -> String {
    let shape = words.iter().find(|word| word.starts_with('m') && word.contains('k')).copied().unwrap_or("");
    let size: Vec<usize> = shape.split(['m', 'n', 'k']).filter_map(|size| size.parse().ok()).collect();
    let (is_factor, elements) = match what {
        "a" => (true, size[0] * size[2]),
        "b" => (true, size[2] * size[1]),
        _ => (false, size[0] * size[1]),
    };
    let bits: usize = ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(32);
    let count = if is_factor && ty == "f16" { 8 } else { elements * bits / 32 / bits.max(32) };
    let holder = match holder(ty) {
        "f64" => "f64",
        "f32" if !is_factor => "f32",
        "s32" => "s32",
        _ => "b32",
    };
    fragment(holder, count)
}

/// The operands of a product of a warpgroup, with A in shared memory.
fn multiply_async(words: &[&str], types: &[&str]) -> String {
    let n = words.iter().find_map(|word| word.strip_prefix("m64n")?.split('k').next()?.parse().ok());
    let n: usize = n.unwrap_or(8);
    let d = match types[0] {
        "f16" => registers_of_one("b32", n / 4),
        other => registers_of_one(other, n / 2),
    };
    let (scales, transposes) = match types[1] {
        "f16" | "bf16" => (", 1, -1", ", 0, 1"),
        "s8" | "u8" => ("", ""),
        _ => (", 1, -1", ""),
    };
    format!("{d}, b64_0, b64_1, pred_0{scales}{transposes}")
}

/// As many elements of vectors as there are: registers may not be named twice.
fn registers_of_one(ty: &str, count: usize) -> String {
    let registers: Vec<_> = (0..count).map(|index| format!("{ty}_{index}")).collect();
    format!("{{{}}}", registers.join(", "))
}
