//! NVIDIA's assembler and the emulator take the same texts.
//!
//! The assembler is a wheel that few have, so the test that asks it needs `FUZZ_PTXAS`, the path of a `ptxas`, and says by name
//! that it was skipped where there is none. `FUZZ_KERNELS` and `FUZZ_MUTANTS` say how many; `fuzz grammar` does the same.

use std::env;
use std::path::Path;

use fuzz::grammar::{self, Verdict};
use fuzz::kernel::Kernel;
use fuzz::tools::Ptxas;

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = env::var(variable).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("`{variable}` must be a number")))
}

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

#[test]
fn the_assembler_takes_what_the_emulator_takes() {
    let Some(path) = env::var_os("FUZZ_PTXAS") else {
        println!("skipped: the_assembler_takes_what_the_emulator_takes (`FUZZ_PTXAS` names no ptxas)");
        return;
    };
    let (ptxas, folder) = (Ptxas::new(Path::new(&path)).unwrap(), tempfile::tempdir().unwrap());
    for seed in 0..number("FUZZ_KERNELS", 20) {
        let kernel = Kernel::new(seed);
        let arch = format!("sm_{}", kernel.target);
        let complaint = ptxas.takes(&kernel.text, &arch, folder.path()).unwrap().err();
        // It may die of a kernel, which is no complaint about the text.
        assert!(complaint.is_none_or(|complaint| complaint.is_empty()), "kernel {seed} does not assemble");
    }
    let open: Vec<String> = (0..number("FUZZ_MUTANTS", 200))
        .filter_map(|seed| {
            let mutant = grammar::mutant(seed);
            let verdict = grammar::ask(&ptxas, &mutant.text, mutant.target, folder.path()).unwrap();
            let is_open =
                !matches!(verdict, Verdict::Agreed(_)) && grammar::known(&mutant, &verdict).is_none();
            is_open.then(|| format!("{seed}: `{}`: {verdict:?}", mutant.instruction))
        })
        .collect();
    assert!(open.is_empty(), "{}", open.join("\n"));
}
