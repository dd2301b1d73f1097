//! Edits of a PTX text, each of one instruction: a span, and its replacement.
//!
//! A replacement that needs registers of its own is in braces, because PTX allows names to be declared again there.
//! Specification: PTX ISA, sections 4.3 (blocks), 9.7.9 (loads and stores) and 9.7.13 (barriers, fences and atomics).

use simt::ptx::Span;
use simt::ptx::ast::{Instruction, Operand};

use crate::sites::text_of;

/// A span, and the text that replaces it.
pub type Edit = (Span, String);

/// The text after these edits, which must not overlap.
pub fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(*span));
    let mut out = text.to_owned();
    for (span, new) in edits {
        out.replace_range(span.start as usize..span.end as usize, &new);
    }
    out
}

/// Removes an instruction. If it is a barrier that also combines the lanes' predicates, each lane gets its own
/// predicate.
pub fn removed(text: &str, inst: &Instruction<'_>) -> Edit {
    let new = match (inst.opcode.text.starts_with("bar.red."), &inst.operands[..]) {
        (true, [result, .., own]) => format!("mov.pred {}, {};", operand(text, result), operand(text, own)),
        _ => String::new(),
    };
    (inst.span, new)
}

/// An instruction without its predicate.
pub fn unguarded(inst: &Instruction<'_>) -> Edit {
    (Span { end: inst.opcode.span.start, ..inst.span }, String::new())
}

/// A mask without its lowest lane, and without its highest. `bits` is its value, if it is known. Empty if no lane would
/// remain.
pub fn narrowed(text: &str, inst: &Instruction<'_>, mask: &Operand<'_>, bits: Option<u32>) -> Vec<Edit> {
    let Some(bits) = bits else {
        let lowest = "add.u32 %mutant, MASK, -1; and.b32 %mutant, %mutant, MASK;";
        let highest =
            "clz.b32 %mutant, MASK; shr.u32 %mutant, 0x80000000, %mutant; xor.b32 %mutant, %mutant, MASK;";
        return [lowest, highest].map(|compute| with_mask(text, inst, mask, compute)).into();
    };
    let without = [bits & bits.wrapping_sub(1), bits & !(1 << 31 >> bits.leading_zeros().min(31))];
    let some = without.into_iter().filter(|&bits| bits != 0);
    some.map(|bits| (span_of(mask), format!("{bits:#x}"))).collect()
}

/// A mask with its lowest free lane added. `bits` is its value, if it is known. None if it is full.
pub fn widened(text: &str, inst: &Instruction<'_>, mask: &Operand<'_>, bits: Option<u32>) -> Option<Edit> {
    match bits {
        Some(bits) => (bits != u32::MAX).then(|| (span_of(mask), format!("{:#x}", bits | (bits + 1)))),
        None => Some(with_mask(text, inst, mask, "add.u32 %mutant, MASK, 1; or.b32 %mutant, %mutant, MASK;")),
    }
}

/// An instruction with another mask, `%mutant`, which is computed separately.
fn with_mask(text: &str, inst: &Instruction<'_>, mask: &Operand<'_>, compute: &str) -> Edit {
    let name = operand(text, mask);
    let span = span_of(mask);
    let whole = text_of(text, inst.span);
    let (before, after) = whole.split_at((span.start - inst.span.start) as usize);
    let changed = format!("{before}%mutant{}", &after[name.len()..]);
    (inst.span, format!("{{ .reg .b32 %mutant; {} {changed} }}", compute.replace("MASK", name)))
}

/// A fence or an atomic with the scope of the block; none if it has that scope already or concerns shared memory.
pub fn for_the_block(inst: &Instruction<'_>, sm: u32) -> Option<Edit> {
    let parts: Vec<&str> = inst.opcode.text.split('.').collect();
    let is_wide = |part: &&str| ["gl", "gpu", "sys", "cluster"].contains(part);
    let narrow = |part: &str| if is_wide(&part) { "cta" } else { part }.to_owned();
    let is_shared = parts.iter().any(|part| part.starts_with("shared"));
    let is_for_block = parts.contains(&"cta");
    let strong = ["membar", "fence", "atom", "red", "ld", "st"].contains(&parts[0]);
    if !strong || is_shared || is_for_block {
        return None;
    }
    if parts.iter().any(is_wide) {
        let all: Vec<String> = parts.iter().map(|part| narrow(part)).collect();
        return Some((inst.opcode.span, all.join(".")));
    }
    if !["atom", "red"].contains(&parts[0]) {
        return None;
    }
    // Before sm_70 an atomic has no order, and its scope follows the memory.
    let new = if sm < STRONG {
        format!("{}.{}.cta.{}", parts[0], parts[1], parts[2..].join("."))
    } else {
        format!("{}.relaxed.cta.{}", parts[0], parts[1..].join("."))
    };
    Some((inst.opcode.span, new))
}

/// Makes a plain load or store volatile, if other threads can see the memory.
pub fn made_volatile(inst: &Instruction<'_>) -> Option<Edit> {
    let parts: Vec<&str> = inst.opcode.text.split('.').collect();
    let strong = ["volatile", "relaxed", "acquire", "release", "param", "local", "const"];
    if !["ld", "st"].contains(&parts[0]) || parts.iter().any(|part| strong.contains(part)) {
        return None;
    }
    let of_caches = |part: &&str| !["nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt"].contains(part);
    let rest: Vec<&str> = parts[1..].iter().copied().filter(of_caches).collect();
    Some((inst.opcode.span, format!("{}.volatile.{}", parts[0], rest.join("."))))
}

/// The first target that has relaxed loads and stores; older targets have volatile ones.
const STRONG: u32 = 70;

/// Splits an atomic into a relaxed load, the operation, and a relaxed store. A lane whose predicate is false skips
/// them.
pub fn split(text: &str, sm: u32, inst: &Instruction<'_>) -> Edit {
    let parts: Vec<&str> = inst.opcode.text.split('.').collect();
    let is_atom = parts[0] == "atom";
    let ty = parts[parts.len() - 1];
    let operands: Vec<&str> = inst.operands.iter().map(|one| operand(text, one)).collect();
    let (result, rest) = if is_atom { (Some(operands[0]), &operands[1..]) } else { (None, &operands[..]) };
    let has = |wanted: &[&str]| parts.iter().find(|part| wanted.contains(part)).copied();
    let scope = has(&["cta", "cluster", "gpu", "sys"]).unwrap_or("gpu");
    let space = has(&["global", "shared"]).map_or(String::new(), |space| format!(".{space}"));
    let how = if sm < STRONG { "volatile".to_owned() } else { format!("relaxed.{scope}") };
    let access = |op: &str| format!("{op}.{how}{space}.{ty}");
    let operation = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc"];
    let operation = has(&operation).unwrap_or_else(|| panic!("no operation in `{}`", inst.opcode.text));
    let rounded = if operation == "add" && ty.starts_with('f') { "add.rn" } else { operation };
    let (address, b) = (rest[0], rest[1]);
    let compute = match operation {
        "exch" => format!("mov.{ty} %new, {b};"),
        "cas" => format!("setp.eq.{ty} %same, %old, {b}; selp.{ty} %new, {}, %old, %same;", rest[2]),
        "inc" => {
            format!("setp.ge.u32 %same, %old, {b}; add.u32 %new, %old, 1; selp.u32 %new, 0, %new, %same;")
        }
        _ => format!("{rounded}.{ty} %new, %old, {b};"),
    };
    let store = format!("{} {address}, %new;", access("st"));
    let store = if operation == "cas" { format!("@%same {store}") } else { store };
    let hand = result.filter(|result| *result != "_").map(|result| format!("mov.{ty} {result}, %old;"));
    let around = inst.guard.map(|guard| {
        let not = if guard.negated { "" } else { "!" };
        format!("@{not}{} bra $mutant;", guard.register.text)
    });
    let declare = format!(".reg .{ty} %old, %new; .reg .pred %same;");
    let (around, end) = (around.as_deref().unwrap_or(""), if around.is_some() { "$mutant:" } else { "" });
    let hand = hand.unwrap_or_default();
    let load = format!("{} %old, {address};", access("ld"));
    (inst.span, format!("{{ {declare} {around} {load} {compute} {store} {hand} {end} }}"))
}

/// An operand, as it is in the text.
fn operand<'t>(text: &'t str, operand: &Operand<'_>) -> &'t str {
    text_of(text, span_of(operand))
}

fn span_of(operand: &Operand<'_>) -> Span {
    match operand {
        Operand::Name(name)
        | Operand::Not(name)
        | Operand::Offset(name, _)
        | Operand::Element(name, _)
        | Operand::Part(name, _) => name.span,
        Operand::Sink(span)
        | Operand::Int(_, span)
        | Operand::F32(_, span)
        | Operand::F64(_, span)
        | Operand::Address { span, .. }
        | Operand::Vector(_, span)
        | Operand::List(_, span)
        | Operand::Tensor { span, .. } => *span,
        Operand::Pair(first, _) => span_of(first),
    }
}
