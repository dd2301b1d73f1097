//! What kernels are made of.

use std::collections::BTreeSet;

use fuzz::kernel::Kernel;
use fuzz::shape;
use simt::isa::FAMILIES;

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

/// A new family is arithmetic, and its forms are covered without a word, or it needs a writer of its own.
#[test]
fn somebody_has_thought_of_every_family() {
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
fn the_same_seed_makes_the_same_kernel_and_another_one_another() {
    let texts: BTreeSet<String> = (0..20).map(|seed| Kernel::new(seed).text).collect();
    assert_eq!(texts.len(), 20);
    assert_eq!(Kernel::new(7).text, Kernel::new(7).text);
    assert_eq!(Kernel::new(7).arguments, Kernel::new(7).arguments);
}
