//! The target and the version of PTX that an opcode needs in addition to what its form says.
//!
//! Many forms take modifiers that are newer than the form. `NEEDS` lists these once, for all forms. It also lists
//! instructions that were introduced with a version and not with a target. `cargo xtask isa --ptxas` compares the table
//! with the assembler. Specification: the notes on PTX and targets at the end of each instruction.

use std::fmt::Write as _;

use super::{convert, find, grammar};
use crate::isa::form::Form;

/// The lowest target and version of PTX that an opcode needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// 70 for `sm_70`.
    pub sm: u32,
    /// Major and minor.
    pub version: (u32, u32),
}

/// What opcodes need that have one of these mnemonics (any, if there is none) and one word of each group.
struct Need {
    mnemonics: &'static [&'static str],
    groups: &'static [&'static [&'static str]],
    needs: Needs,
}

const fn need(
    mnemonics: &'static [&'static str],
    groups: &'static [&'static [&'static str]],
    sm: u32,
    major: u32,
    minor: u32,
) -> Need {
    Need { mnemonics, groups, needs: Needs { sm, version: (major, minor) } }
}

impl Need {
    fn concerns(&self, opcode: &str) -> bool {
        (self.mnemonics.is_empty() || self.mnemonics.contains(&super::mnemonic(opcode)))
            && has_all(opcode, self.groups)
    }
}

const NEEDS: [Need; 38] = [
    // Modifiers of any instruction. The orders of the memory model come first.
    need(&[], &[&["relaxed", "acquire", "release", "acq_rel", "weak"]], 70, 6, 0),
    need(&[], &[&["cluster"]], 90, 7, 8),
    need(&[], &[&["shared::cta"]], 0, 7, 8),
    need(&[], &[&["shared::cluster"]], 90, 7, 8),
    need(&[], &[L1], 70, 7, 4),
    need(&[], &[&["L2::64B", "L2::128B"]], 75, 7, 4),
    need(&[], &[&["L2::256B"]], 80, 7, 4),
    need(&[], &[&["xorsign"]], 0, 7, 2),
    // Atomics.
    need(&["atom", "red"], &[&["cta", "gpu", "sys"]], 60, 5, 0),
    need(&["atom", "red"], &[&["add"], &["f64"]], 60, 5, 0),
    need(&["atom"], &[&["cas"], &["b16"]], 70, 6, 3),
    // Barriers, exchange, control.
    need(&["barrier"], &[], 0, 6, 0),
    need(&["bar", "barrier"], &[&["cta"]], 0, 7, 8),
    need(&["barrier"], &[&["release", "relaxed", "acquire"]], 90, 8, 0),
    need(&["bar"], &[&["warp"]], 0, 6, 0),
    need(&["mbarrier"], &[&["parity"]], 0, 7, 1),
    need(&["mbarrier"], &[&["relaxed", "acquire", "release"]], 80, 8, 0),
    need(&["mbarrier"], &[&["expect_tx", "complete_tx"]], 90, 8, 0),
    need(&["mbarrier"], &[&["arrive", "arrive_drop", "test_wait", "try_wait"], &["relaxed"]], 90, 8, 6),
    need(&["shfl", "vote"], &[&["sync"]], 0, 6, 0),
    need(&["activemask"], &[], 0, 6, 2),
    need(&["brx"], &[], 0, 6, 0),
    need(&["nanosleep"], &[], 0, 6, 2),
    // Integers and bits.
    need(&["add", "addc", "sub", "subc", "mad", "madc"], &[&["cc"], &["u64", "s64"]], 0, 4, 3),
    need(&["fns"], &[], 0, 6, 0),
    need(&["bmsk", "szext"], &[], 0, 7, 6),
    need(&["lop3"], &[], 0, 4, 3),
    need(&["lop3"], &[&["or", "and"]], 0, 8, 2),
    // Floating point.
    need(&["neg"], &[&["f16", "f16x2"]], 0, 6, 0),
    need(&["abs"], &[&["f16", "f16x2"]], 0, 6, 5),
    need(&["ex2"], &[&["f16", "f16x2"]], 0, 7, 0),
    need(&["tanh"], &[], 0, 7, 0),
    need(&["set"], &[&["u16", "s16", "u32", "s32"], &["f16", "f16x2"]], 0, 6, 5),
    // Conversion.
    need(&["cvt"], &[&["pack"]], 0, 6, 5),
    need(&["cvt"], &[&["satfinite"]], 0, 8, 1),
    need(&["cvta"], &[&["param"]], 70, 7, 7),
    need(&["isspacep"], &[&["param"]], 70, 7, 7),
    need(&["elect"], &[], 90, 8, 0),
];

const L1: &[&str] =
    &["L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"];

/// Groups of words. No opcode has one word of each group, because a vector has at most 128 bits (256 on `sm_100`).
const TOO_WIDE: [&[&str]; 3] = [&["ld", "ldu", "st", "mov"], &["v4"], &["b64", "u64", "s64", "f64"]];

fn has_all(opcode: &str, groups: &[&[&str]]) -> bool {
    groups.iter().all(|group| opcode.split('.').any(|word| group.contains(&word)))
}

/// Whether an opcode has a vector of more than 128 bits.
pub fn is_too_wide(opcode: &str) -> bool {
    has_all(opcode, &TOO_WIDE)
}

impl Form {
    /// What an opcode of this form needs.
    pub fn needs(&self, opcode: &str) -> Needs {
        let all = NEEDS.iter().filter(|need| need.concerns(opcode)).map(|need| need.needs);
        let own = Needs { sm: self.min_sm, version: self.min_version };
        all.fold(own, |a, b| Needs { sm: a.sm.max(b.sm), version: a.version.max(b.version) })
    }

    /// Every opcode that it covers, except those that no machine has.
    pub fn opcodes(&self) -> Vec<String> {
        let mut opcodes = grammar::expand(self.syntax);
        let saturates_idly = |opcode: &str| find(opcode).is_some_and(|(_, m)| convert::saturates_idly(&m));
        opcodes.retain(|opcode| !is_too_wide(opcode));
        opcodes.retain(|opcode| !opcode.starts_with("cvt.sat.") || !saturates_idly(opcode));
        opcodes
    }
}

/// This table as Markdown.
pub fn table() -> String {
    let mut text = String::from(
        "\n## What modifiers need\n\nAn opcode that contains a word of each group in a row needs the target and the \
         version of that row, in addition to what its form needs. Vectors have at most 128 bits.\n\n| Words | Target | `.version` |\n| --- | --- | --- |\n",
    );
    for Need { mnemonics, groups, needs: Needs { sm, version: (major, minor) } } in &NEEDS {
        let group = |words: &&[&str]| format!("`{}`", words.join("`, `"));
        let all = std::iter::once(mnemonics).chain(*groups).filter(|words| !words.is_empty());
        let groups: Vec<_> = all.map(group).collect();
        let target = if *sm == 0 { "all".to_string() } else { format!("from sm_{sm}") };
        writeln!(text, "| {} | {target} | from {major}.{minor} |", groups.join(" and "))
            .expect("writing to a string does not fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_needs_the_most_of_what_its_form_and_its_modifiers_need() {
        for (opcode, sm, version) in [
            ("add.u32", 0, (1, 0)),
            ("match.any.sync.b32", 70, (1, 0)),
            ("bar.cta.red.and.pred", 0, (7, 8)),
            ("barrier.cta.sync", 0, (7, 8)),
            ("red.cta.add.u32", 60, (5, 0)),
            ("red.relaxed.cluster.global.add.u32", 90, (7, 8)),
            ("ld.global.L2::256B.L1::no_allocate.u32", 80, (7, 4)),
            ("lop3.or.b32", 70, (8, 2)),
            ("cvt.f32.bf16", 80, (7, 1)),
            ("cvt.rn.bf16.f32", 80, (1, 0)),
        ] {
            let (form, _) = find(opcode).unwrap();
            assert_eq!(form.needs(opcode), Needs { sm, version }, "{opcode}");
        }
    }

    #[test]
    fn opcodes_that_no_machine_has_are_left_out() {
        let all: Vec<String> =
            super::super::FAMILIES.iter().flat_map(|family| family.forms).flat_map(Form::opcodes).collect();
        let is_there = |opcode: &str| all.iter().any(|known| known == opcode);
        assert!(is_there("ld.global.v4.b32") && is_there("ld.global.v2.b64") && is_there("cvt.sat.u8.s8"));
        assert!(!is_there("ld.global.v4.b64") && !is_there("cvt.sat.u8.u8") && !is_there("cvt.sat.s64.u32"));
    }
}
