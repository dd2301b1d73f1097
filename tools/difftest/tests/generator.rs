//! What generated kernels contain.

use std::collections::BTreeSet;

use difftest::kernel::Kernel;
use difftest::shape;
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
