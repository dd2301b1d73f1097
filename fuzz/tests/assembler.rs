//! Randomly changed instructions, for which the emulator is compared with NVIDIA's assembler: what they are, and what the
//! emulator makes of them.
//!
//! The assembler is a wheel that few have. `cargo xtask thorough grammar --ptxas PATH` asks it, and names the step as skipped
//! where there is none.

use fuzz::grammar;
use fuzz::kernel::Kernel;

/// Changed instructions are read or refused, and never more than that; about half of them are no PTX.
#[test]
fn the_emulator_answers_for_every_mutant() {
    let taken =
        (0..1000).filter(|&seed| grammar::emulator_takes(&grammar::mutant(seed).text).is_ok()).count();
    assert!((100..900).contains(&taken), "{taken} of 1000 are taken");
}

#[test]
fn mutants_differ_from_what_they_were() {
    let changed = |seed: &u64| {
        let mutant = grammar::mutant(*seed);
        mutant.before != mutant.instruction || mutant.target != Kernel::new(*seed).target
    };
    assert!((0..100).filter(changed).count() > 80);
}
