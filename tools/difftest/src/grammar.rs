//! Whether the emulator and NVIDIA's assembler accept the same texts.
//!
//! Generated kernels must assemble. An instruction of a kernel in which a modifier, a type, an operand or the target
//! was changed at random must be accepted by both or refused by both, or be on the list of disagreements ([`known`])
//! with a reason. Each of these mutants is in a text of its own, so that the verdict depends on nothing else.

use anyhow::Result;

use crate::dice::Dice;
use crate::family::Family;
use crate::kernel::Kernel;
use crate::shape::Kind;
use crate::tools::Ptxas;

/// A randomly changed instruction in a text of its own.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The text.
    pub text: String,
    /// The instruction before the change.
    pub before: String,
    /// The instruction after the change.
    pub instruction: String,
    /// The target.
    pub target: u32,
}

/// What the emulator and the assembler answer for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both accept it, or both refuse it.
    Agreed(bool),
    /// The emulator accepts it; the assembler's message says why it does not.
    OnlyEmulator(String),
    /// The assembler accepts it; the emulator's message says why it does not.
    OnlyAssembler(String),
    /// The assembler crashed.
    Crash(String),
}

/// The mutant of a seed.
pub fn mutant(family: Option<Family>, seed: u64) -> Mutant {
    let mut dice = Dice::new(seed, 4);
    let kernel = Kernel::of(family, seed);
    let is_its = |line: &&str| family.is_none() || OF_FAMILIES.iter().any(|word| line.contains(word));
    let instructions: Vec<&str> =
        kernel.text.lines().map(str::trim).filter(|line| can_stand_alone(line) && is_its(line)).collect();
    let before = (*dice.pick(&instructions)).to_owned();
    let (guard, plain) = match before.split_once(' ') {
        Some((guard, rest)) if guard.starts_with('@') => (format!("{guard} "), rest.to_owned()),
        _ => (String::new(), before.clone()),
    };
    let (opcode, operands) = plain.split_once(' ').unwrap_or((&plain, ""));
    let words = if family.is_some() { &WORDS_OF_FAMILIES[..] } else { &WORDS[..] };
    let (mut target, mut changed) = (kernel.target, (opcode.to_owned(), operands.to_owned()));
    match dice.below(10) {
        0..=3 => changed.0 = other_word(&mut dice, opcode, words),
        4..=5 => changed.0 = other_type(&mut dice, opcode, words),
        6..=8 => changed.1 = other_operand(&mut dice, operands),
        _ => target = *dice.pick(&[50, 53, 60, 61, 70, 72, 75, 80, 86, 89, 90]),
    }
    let instruction = format!("{guard}{} {}", changed.0, changed.1);
    Mutant { text: text(family, target, &instruction), before, instruction, target }
}

/// Whether an instruction uses nothing but registers and the variables of [`text`].
fn can_stand_alone(line: &str) -> bool {
    const FLOW: [&str; 10] = [".", "bra", "brx", "call", "ret", "exit", "L", "{", "}", "_"];
    const NAMES: [&str; 7] = ["[context", "[to", "[back", "[got", "[a", "[p_", "cell"];
    let plain = match line.split_once(' ') {
        Some((guard, rest)) if guard.starts_with('@') => rest,
        _ => line,
    };
    line.ends_with(';')
        && plain.contains(' ')
        && !FLOW.iter().any(|word| plain.starts_with(word))
        && !NAMES.iter().any(|name| plain.contains(name))
}

/// Words of opcodes, without those that only steer caches.
const WORDS: [&str; 34] = [
    "rn",
    "rz",
    "rm",
    "rp",
    "rni",
    "rzi",
    "ftz",
    "sat",
    "relu",
    "satfinite",
    "approx",
    "full",
    "hi",
    "lo",
    "wide",
    "cc",
    "NaN",
    "and",
    "or",
    "xor",
    "eq",
    "lt",
    "ltu",
    "clamp",
    "wrap",
    "sync",
    "volatile",
    "relaxed",
    "gpu",
    "global",
    "shared",
    "v2",
    "v4",
    "uni",
];

/// Words in the instructions of families, by which these are known.
const OF_FAMILIES: [&str; 6] = ["async", "mbarrier", "matrix", "mma", "cluster", "mapa"];

/// Words of their opcodes.
const WORDS_OF_FAMILIES: [&str; 34] = [
    "ca",
    "cg",
    "noinc",
    "parity",
    "relaxed",
    "acquire",
    "release",
    "cta",
    "cluster",
    "gpu",
    "global",
    "shared",
    "shared::cta",
    "shared::cluster",
    "bulk_group",
    "mbarrier::complete_tx::bytes",
    "multicast::cluster",
    "L2::cache_hint",
    "L2::128B",
    "expect_tx",
    "noComplete",
    "read",
    "noftz",
    "add",
    "min",
    "xor",
    "aligned",
    "trans",
    "x2",
    "x4",
    "row",
    "col",
    "satfinite",
    "v2",
];

const TYPES: [&str; 21] = [
    "pred", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2",
    "bf16", "bf16x2", "f32", "f64", "tf32", "b128",
];

/// The opcode with one word added, removed, repeated, moved or replaced.
fn other_word(dice: &mut Dice, opcode: &str, others: &[&'static str]) -> String {
    let mut words: Vec<&str> = opcode.split('.').collect();
    let at = dice.below(words.len());
    match dice.below(4) {
        0 => words.insert(1 + dice.below(words.len()), *dice.pick(others)),
        1 if words.len() > 1 => drop(words.remove(at.max(1))),
        2 if words.len() > 2 => {
            let word = words.remove(at.max(1));
            words.insert(1 + dice.below(words.len()), word);
        }
        _ => {
            let last = words.len() - 1;
            words[at.max(1).min(last)] = *dice.pick(others);
        }
    }
    words.join(".")
}

/// The opcode with another type.
fn other_type(dice: &mut Dice, opcode: &str, others: &[&'static str]) -> String {
    let mut words: Vec<&str> = opcode.split('.').collect();
    let types: Vec<usize> = (0..words.len()).filter(|&at| TYPES.contains(&words[at])).collect();
    if types.is_empty() {
        return other_word(dice, opcode, others);
    }
    words[*dice.pick(&types)] = *dice.pick(&TYPES);
    words.join(".")
}

/// The operands with one added or removed, or with one of another kind.
fn other_operand(dice: &mut Dice, operands: &str) -> String {
    let mut list: Vec<String> = operands.trim_end_matches(';').split(", ").map(str::to_owned).collect();
    let at = dice.below(list.len());
    match dice.below(6) {
        0 => drop(list.remove(at)),
        1 => list.push(any_operand(dice)),
        _ => list[at] = any_operand(dice),
    }
    format!("{};", list.join(", "))
}

fn any_operand(dice: &mut Dice) -> String {
    const OTHERS: [&str; 20] = [
        "%p1",
        "!%p1",
        "%h1",
        "%r1",
        "%d1",
        "%f1",
        "%g1",
        "0",
        "1",
        "-1",
        "255",
        "70000",
        "0x1234567890",
        "0f3F800000",
        "0d3FF0000000000000",
        "_",
        "%tid.x",
        "table",
        "[%d1]",
        "{%r1, %r2}",
    ];
    (*dice.pick(&OTHERS)).to_owned()
}

/// A text with one instruction, and declarations of everything that the generator's instructions use.
fn text(family: Option<Family>, target: u32, instruction: &str) -> String {
    let kinds = [(Kind::Pred, "p"), (Kind::B16, "h"), (Kind::B32, "r"), (Kind::B64, "d")];
    let registers = kinds.iter().fold(String::new(), |text, (kind, name)| {
        text + &format!("    .reg .{} %{name}<700>;\n", kind.name())
    });
    let (variables, others) = if family.is_some() {
        let of = |text: String, name: String| text + &format!(".shared .align 128 .b64 {name}[8];\n");
        let names = ["land", "gate", "stage", "far"].map(str::to_owned).into_iter();
        let all = names.chain((0..60).map(|door| format!("door{door}")));
        let feed = ".global .align 128 .b8 feed[1024];\n".to_owned();
        (all.fold(feed, of), "    .reg .b64 %land, %gate, %area, %sums, %far;\n")
    } else {
        (String::new(), "")
    };
    format!(
        ".version 8.7\n.target sm_{target}\n.address_size 64\n.global .align 16 .b8 table[64];\n\
         .const .align 16 .b8 fixed[64];\n.shared .align 16 .b8 shown[64];\n.shared .align 8 .b8 post[64];\n{variables}\
         .visible .entry k(.param .align 16 .b8 given[64])\n{{\n{registers}{others}    .reg .f32 %f<2>;\n    .reg .f64 %g<2>;\n    \
         .reg .b64 %in, %out, %own, %cells, %shown, %post, %w<9>;\n    .reg .b32 %tid_, %u<9>;\n    .reg .pred %q0;\n    \
         .local .align 16 .b8 mine[64];\n    {instruction}\n    ret;\n}}\n"
    )
}

/// Whether the emulator accepts a text, and if not, why.
pub fn emulator_takes(text: &str) -> Result<(), String> {
    let mut emulator = simt::Emulator::new(simt::Limits::default());
    let module = emulator.load("mutant.ptx", text).map_err(|error| error.message)?;
    module.unsupported().first().map_or(Ok(()), |error| Err(error.message.clone()))
}

/// The verdict of both on a text.
///
/// # Errors
/// If the assembler cannot be run.
pub fn ask(ptxas: &Ptxas, text: &str, target: u32, folder: &std::path::Path) -> Result<Verdict> {
    let ours = emulator_takes(text);
    let theirs = ptxas.takes(text, &format!("sm_{target}"), folder)?;
    Ok(match (ours, theirs) {
        (_, Err(message)) if message.is_empty() => Verdict::Crash("the assembler died".to_owned()),
        (Ok(()), Ok(())) => Verdict::Agreed(true),
        (Err(_), Err(_)) => Verdict::Agreed(false),
        (Ok(()), Err(message)) => Verdict::OnlyEmulator(message),
        (Err(message), Ok(())) => Verdict::OnlyAssembler(message),
    })
}

/// A line of the committed list.
struct Entry {
    side: &'static str,
    pattern: &'static str,
    message: &'static str,
    why: &'static str,
}

/// The committed list, `tools/difftest/grammar.txt`.
fn entries() -> impl Iterator<Item = Entry> {
    let lines = include_str!("../grammar.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut parts = line.split(" | ").map(str::trim);
        let mut next = || parts.next();
        Some(Entry { side: next()?, pattern: next()?, message: next()?, why: next()? })
    })
}

/// The reason for a disagreement that is on the list.
pub fn known(mutant: &Mutant, verdict: &Verdict) -> Option<&'static str> {
    let (side, message) = match verdict {
        Verdict::OnlyEmulator(message) => ("emulator", message),
        Verdict::OnlyAssembler(message) => ("assembler", message),
        Verdict::Crash(message) => ("crash", message),
        Verdict::Agreed(_) => return None,
    };
    // A guard is nothing that the two disagree about.
    let instruction = match mutant.instruction.split_once(' ') {
        Some((guard, rest)) if guard.starts_with('@') => rest,
        _ => &mutant.instruction,
    };
    let is = |entry: &Entry| {
        entry.side == side && message.contains(entry.message) && matches(entry.pattern, instruction)
    };
    entries().find(is).map(|entry| entry.why)
}

/// Whether a text matches a pattern, in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(after) = text.strip_prefix(head) else { return false };
    (0..=after.len()).any(|at| after.is_char_boundary(at) && matches(rest, &after[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_text() {
        let cases = [
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*c", "ab", false),
            ("*b*", "abc", true),
            ("abc", "abcd", false),
        ];
        for (pattern, text, is_like) in cases {
            assert_eq!(matches(pattern, text), is_like, "{pattern} {text}");
        }
    }

    #[test]
    fn every_line_of_the_list_is_read() {
        let lines = include_str!("../grammar.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(entries().count(), lines);
        let sides = ["emulator", "assembler", "crash"];
        assert!(entries().all(|entry| sides.contains(&entry.side) && !entry.why.is_empty()));
    }

    #[test]
    fn only_listed_disagreements_are_known() {
        let mutant = |instruction: &str| Mutant {
            text: String::new(),
            before: String::new(),
            instruction: instruction.to_owned(),
            target: 90,
        };
        let refused = Verdict::OnlyEmulator("Arguments mismatch for instruction 'add'".to_owned());
        assert!(known(&mutant("add.u64 %d1, 0d3FF0000000000000, %d2;"), &refused).is_some());
        assert!(known(&mutant("@!%p1 div.f32 %f1, 0d3FF0000000000000, %f2;"), &refused).is_some());
        assert!(known(&mutant("add.u64 %d1, %d3, %d2;"), &refused).is_none());
        assert!(known(&mutant("add.u64 %d1, 0d3FF0000000000000, %d2;"), &Verdict::Agreed(true)).is_none());
    }
}
