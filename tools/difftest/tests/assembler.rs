//! Randomly changed instructions, for which the emulator is compared with NVIDIA's assembler. These tests check the
//! changes, and that the emulator answers for each.
//!
//! The assembler is in a wheel that few machines have. `cargo xtask thorough grammar --ptxas PATH` runs it; without a
//! path it reports that step as skipped.

use difftest::family::Family;
use difftest::grammar;
use difftest::kernel::Kernel;

/// Changed instructions are accepted or refused, and never cause a panic. About half of them are not valid PTX.
#[test]
fn the_emulator_accepts_or_refuses_every_mutant() {
    let taken =
        (0..1000).filter(|&seed| grammar::emulator_takes(&grammar::mutant(None, seed).text).is_ok()).count();
    assert!((100..900).contains(&taken), "{taken} of 1000 are taken");
}

#[test]
fn mutants_differ_from_their_originals() {
    let changed = |seed: &u64| {
        let mutant = grammar::mutant(None, *seed);
        mutant.before != mutant.instruction || mutant.target != Kernel::new(*seed).target
    };
    assert!((0..100).filter(changed).count() > 80);
}

#[test]
fn mutants_of_a_family_are_accepted_or_refused() {
    for family in Family::ALL {
        let mutants = (0..200).map(|seed| grammar::mutant(Some(family), seed));
        let taken = mutants.filter(|mutant| grammar::emulator_takes(&mutant.text).is_ok()).count();
        assert!((10..190).contains(&taken), "{}: {taken} of 200 are taken", family.name());
    }
}
