//! What generated kernels contain.

use std::collections::BTreeSet;

use difftest::family::{BARRIERS, BULK, CLUSTERS, COPIES, Family, MATRICES, VERSION};
use difftest::kernel::Kernel;
use difftest::shape;
use simt::isa::grammar::Syntax;
use simt::isa::{FAMILIES, Form};

/// Families whose instructions compute registers from registers.
const ARITHMETIC: [&str; 9] = [
    "Integer arithmetic",
    "Integer arithmetic: bit fields",
    "Extended-precision integer arithmetic",
    "Floating point",
    "Floating-point approximations",
    "Half precision",
    "Comparison and selection",
    "Logic and shift",
    "Conversion",
];

/// A new family is arithmetic, so that its forms are covered without a further change, or it needs a writer of its own.
#[test]
fn every_family_is_arithmetic_or_has_a_writer() {
    for family in FAMILIES {
        let listed = ARITHMETIC.contains(&family.title) || shape::NO_ARITHMETIC.contains(&family.title);
        assert!(listed, "`{}` is neither arithmetic nor in `shape::NO_ARITHMETIC`", family.title);
    }
}

#[test]
fn every_arithmetic_form_has_operands() {
    let forms =
        FAMILIES.iter().filter(|family| ARITHMETIC.contains(&family.title)).flat_map(|family| family.forms);
    for (form, opcodes) in forms.zip(shape::arithmetic()) {
        assert!(!opcodes.all.is_empty(), "no opcode of `{}` gets operands", form.syntax);
    }
}

#[test]
fn each_seed_makes_a_kernel_of_its_own_and_always_the_same() {
    let texts: BTreeSet<String> = (0..20).map(|seed| Kernel::new(seed).text).collect();
    assert_eq!(texts.len(), 20);
    assert_eq!(Kernel::new(7).text, Kernel::new(7).text);
    assert_eq!(Kernel::new(7).arguments, Kernel::new(7).arguments);
}

/// What no kernel of a family has: a form, a word that it may have, and the reason.
const NOT_WRITTEN: [(&str, &str, &str); 0] = [];

/// The opcodes in the kernels of a family.
fn written(family: Family, kernels: u64) -> BTreeSet<String> {
    let opcodes = |text: &str| -> Vec<String> {
        let instructions = text.lines().map(str::trim).filter(|line| line.ends_with(';'));
        let opcodes = instructions.map(|line| {
            let plain =
                if line.starts_with('@') { line.split_once(' ').map_or("", |(_, rest)| rest) } else { line };
            plain.split([' ', ';']).next().unwrap_or_default().to_owned()
        });
        opcodes.collect()
    };
    (0..kernels).flat_map(|seed| opcodes(&Kernel::of(Some(family), seed).text)).collect()
}

/// A form that is added to one of these families, or a modifier, is written without a further change, or has a reason here.
#[test]
fn kernels_of_families_have_every_form_with_every_modifier() {
    let written: Vec<String> = Family::ALL
        .into_iter()
        .flat_map(|family| written(family, 150))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut missing = Vec::new();
    let titles = [COPIES, BARRIERS, BULK, CLUSTERS, MATRICES];
    for form in
        FAMILIES.iter().filter(|family| titles.contains(&family.title)).flat_map(|family| family.forms)
    {
        let syntax = form.written_out();
        let own: Vec<&String> =
            written.iter().filter(|opcode| Syntax::new(&syntax).matches(opcode).is_some()).collect();
        for word in words(form)
            .into_iter()
            .filter(|word| !own.iter().any(|opcode| opcode.split('.').any(|is| is == *word)))
        {
            let is_known = |(known, of, _): &(&str, &str, &str)| *known == form.syntax && *of == word;
            if !NOT_WRITTEN.iter().any(is_known) {
                missing.push(format!("`{}` of `{}`", word, form.syntax));
            }
        }
    }
    assert!(missing.is_empty(), "no kernel has\n{}", missing.join("\n"));
}

/// The words of the opcodes of a form that the version of the texts has.
fn words(form: &Form) -> BTreeSet<&'static str> {
    let mut opcodes = form.opcodes();
    opcodes.retain(|opcode| form.needs(opcode).version <= VERSION);
    let is_there = |word: &&str| opcodes.iter().any(|opcode| opcode.split('.').any(|is| is == *word));
    let segments = form
        .syntax
        .split('.')
        .flat_map(|segment| segment.trim_end_matches('?').trim_matches(['(', ')']).split('|'));
    let named = segments.flat_map(|word| match word {
        "<shared>" => vec!["shared", "shared::cta"],
        "<vector>" => vec!["v2", "v4"],
        "<L2>" => vec!["L2::64B", "L2::128B", "L2::256B"],
        word => vec![word],
    });
    named.filter(is_there).collect()
}

/// Kernels without a family have records of a GPU.
#[test]
fn a_family_changes_nothing_in_kernels_without_one() {
    for seed in 0..20 {
        assert_eq!(Kernel::new(seed).text, Kernel::of(None, seed).text);
        assert!(!Kernel::new(seed).text.contains("land"));
    }
    for family in Family::ALL {
        assert_ne!(Kernel::of(Some(family), 7).text, Kernel::new(7).text);
    }
}
