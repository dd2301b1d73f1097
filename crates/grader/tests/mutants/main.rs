//! Mutation testing of the grader: code that is right only by luck must not pass.
//!
//! Every solution is changed at one place at a time, like attempts that go wrong: a missing barrier, fence or guard, a
//! mask with a lane too few or too many, an atomic that is split in three, `volatile` instead of a barrier, or a scope
//! that is only the block (`sites`). The grader has to refuse each such mutant with the seeds that it uses for every
//! attempt. The few mutants that are as right as the solution are listed in `equivalent.toml`, each with its reason.
//!
//! The name of a mutant consists of its line, its kind, and a number if a line has several. `cargo test` grades a
//! sample, and `cargo xtask thorough mutants` grades all of them. This command grades those of one exercise:
//!
//! ```sh
//! MUTANTS=collect cargo test -p grader --test mutants -- --nocapture
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};
use std::time::Instant;

use grader::{Exercise, Kind, Verdict};
use sites::Mutant;
use test_support::Random;

mod edits;
mod flow;
mod sites;

/// The variable that names an exercise, to grade its mutants only.
const MUTANTS: &str = "MUTANTS";

/// How many mutants `cargo test` grades.
const SAMPLE: usize = 40;

/// The seed with which the sample is drawn.
const SAMPLE_SEED: u64 = 657;

/// How many of a hundred mutants may be equivalent.
const EQUIVALENT_PERCENT: usize = 5;

/// Reasons of refusal that concern the mutation and not the attempt.
const NO_MUTANT: [&str; 4] = ["does-not-compile", "cannot-run", "no-kernel", "other-parameters"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises")
}

/// All mutants of all solutions that are kernels, in the order of the exercises.
fn all() -> Vec<(Exercise, Mutant)> {
    let exercises = grader::all(&root()).unwrap();
    let kernels = exercises.into_iter().filter(|exercise| exercise.kind != Kind::Predict);
    kernels
        .flat_map(|exercise| {
            let ptx = exercise.ptx();
            let found = sites::mutants(&ptx, &format!("{}.cu", exercise.name));
            found.into_iter().map(move |mutant| (exercise.clone(), mutant))
        })
        .collect()
}

/// By exercise, the mutants that are right, and the reasons.
fn equivalent() -> BTreeMap<String, BTreeMap<String, String>> {
    toml::from_str(include_str!("equivalent.toml")).unwrap()
}

/// What is wrong with the verdict on a mutant; nothing if it is refused, or passes and is listed.
fn wrong(exercise: &Exercise, mutant: &Mutant, is_listed: bool) -> Option<String> {
    let verdict = grader::grade_ptx(exercise, &mutant.ptx);
    let verdict = verdict.unwrap_or_else(|error| panic!("{}, {mutant}: {error:#}", exercise.name));
    let told = match verdict {
        Verdict::Refused(refusal) if NO_MUTANT.contains(&refusal.reason.as_str()) => {
            format!("is no kernel: {}", refusal.headline)
        }
        Verdict::Refused(refusal) if is_listed => {
            format!("is refused by {}: take it off the list", refusal.reason)
        }
        Verdict::Passed(_) if !is_listed => "passes".to_owned(),
        Verdict::Refused(_) | Verdict::Passed(_) => return None,
    };
    Some(format!("{}, {mutant}: {told}", exercise.name))
}

/// The mutants of the exercise that [`MUTANTS`] names, or otherwise a sample of all.
fn chosen() -> Vec<(Exercise, Mutant)> {
    let mut all = all();
    if let Ok(name) = env::var(MUTANTS) {
        all.retain(|(exercise, _)| exercise.name == name);
        assert!(!all.is_empty(), "`{MUTANTS}` is the name of an exercise with a kernel");
        return all;
    }
    let mut random = Random::new(SAMPLE_SEED);
    (0..SAMPLE).map(|_| all.swap_remove(random.below(all.len()))).collect()
}

/// Grades mutants, and fails if a verdict differs from the list.
fn check(mutants: &[(Exercise, Mutant)]) {
    let list = equivalent();
    let is_listed = |exercise: &Exercise, mutant: &Mutant| {
        list.get(&exercise.name).is_some_and(|list| list.contains_key(&mutant.to_string()))
    };
    let begun = Instant::now();
    let graded = test_support::side_by_side(mutants, |(exercise, mutant)| {
        let wrong = wrong(exercise, mutant, is_listed(exercise, mutant));
        wrong.inspect(|told| println!("{told}"))
    });
    let told: Vec<String> = graded.into_iter().flatten().collect();
    let count = mutants.len();
    println!("{count} mutants graded in {:.1} s", begun.elapsed().as_secs_f64());
    assert!(told.is_empty(), "{} of {count} mutants:\n{}", told.len(), told.join("\n"));
}

#[test]
fn a_sample_of_the_mutants_is_refused_or_listed() {
    check(&chosen());
}

#[test]
#[ignore = "thorough: grades all mutants, of which the test before it grades a sample"]
fn every_mutant_is_refused_or_listed() {
    check(&all());
}

#[test]
fn the_list_names_mutants_and_is_short() {
    let (all, list) = (all(), equivalent());
    let known: BTreeSet<(String, String)> =
        all.iter().map(|(exercise, mutant)| (exercise.name.clone(), mutant.to_string())).collect();
    assert_eq!(known.len(), all.len(), "a name is used twice");
    let listed: Vec<(&String, &String, &String)> = list
        .iter()
        .flat_map(|(name, list)| list.iter().map(move |(mutant, why)| (name, mutant, why)))
        .collect();
    for (exercise, mutant, why) in &listed {
        let is_known = known.contains(&((*exercise).clone(), (*mutant).clone()));
        assert!(is_known, "{exercise} has no mutant `{mutant}`");
        assert!(why.ends_with('.') && why.len() > 20, "{exercise}, {mutant}: `{why}` is no reason");
    }
    let most = all.len() * EQUIVALENT_PERCENT / 100;
    assert!(listed.len() <= most, "{} of {} mutants are listed, {most} may be", listed.len(), all.len());
}

/// There are some of each kind, so that a kind that changes nothing is noticed.
#[test]
fn there_are_mutants_of_every_kind() {
    let all = all();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for (_, mutant) in &all {
        *kinds.entry(mutant.kind.to_string()).or_default() += 1;
    }
    println!("{} mutants: {kinds:?}", all.len());
    assert_eq!(kinds.len(), 9, "{kinds:?}");
}
