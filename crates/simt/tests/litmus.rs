//! Litmus tests: the emulator's memory compared with the memory model of PTX.
//!
//! A litmus program is a few threads with a few operations each. The model, written as axioms, says how it may end; the
//! emulator runs it with many seeds. The outcomes of the two are compared, with and without the weak memory, and so are
//! the races in the model with the races that the checker reports. Some shapes are written by hand, and other programs
//! are generated from a seed: `SEEDS=10000 cargo test -p ptx-emulator --test litmus -- random_programs different_sizes`
//! runs enough of them to support a claim, as `cargo xtask thorough litmus` does, and `cargo test` runs one in a
//! hundred. No expected verdict is written by hand, except those that check the enumerator itself. Reorderings that
//! only a compiler would make are left out. Specification: PTX ISA, section 8.

#[path = "litmus/atomics.rs"]
mod atomics;
#[path = "litmus/axioms.rs"]
mod axioms;
#[path = "litmus/barriers.rs"]
mod barriers;
#[path = "litmus/bench.rs"]
mod bench;
#[path = "litmus/enumerate.rs"]
mod enumerate;
#[path = "litmus/event.rs"]
mod event;
#[path = "litmus/interleave.rs"]
mod interleave;
#[path = "litmus/messages.rs"]
mod messages;
#[path = "litmus/program.rs"]
mod program;
#[path = "litmus/ptx.rs"]
mod ptx;
#[path = "litmus/random.rs"]
mod random;
#[path = "litmus/relation.rs"]
mod relation;
#[path = "litmus/settings.rs"]
mod settings;
#[path = "litmus/shapes.rs"]
mod shapes;
#[path = "litmus/sides.rs"]
mod sides;
#[path = "litmus/sizes.rs"]
mod sizes;
#[path = "litmus/verdicts.rs"]
mod verdicts;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use simt::Schedule;

use bench::{Bench, Run};
use enumerate::{Verdict, judge};
use program::{Outcome, Program};

/// How often each variant is run to test that something never happens. A shape has a hundred variants and more, so each
/// shape is run thousands of times. `cargo xtask thorough litmus-shapes` takes more.
const RUNS: u64 = 50;

/// The number of runs of each variant within which everything that is claimed must happen.
const RUNS_TO_APPEAR: u64 = 4_000;

/// `cargo test` tries one in this many variants for the tests that everything claimed happens, because these take many
/// runs.
const APPEARING: usize = 3;

/// A variant of a shape, and the model's verdict on it.
struct Case {
    shape: &'static str,
    program: Program,
    verdict: Verdict,
}

/// All variants of all shapes, each judged once for all tests.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let shapes = shapes::shapes().into_iter();
        let cases = shapes.flat_map(|shape| {
            shape.variants.into_iter().map(move |program| {
                let verdict = judge(&program);
                Case { shape: shape.name, program, verdict }
            })
        });
        cases.collect()
    })
}

/// Seeds, every second one with a schedule that looks for errors.
fn choices(seeds: Range<u64>) -> impl Iterator<Item = (u64, Schedule)> {
    seeds.map(|seed| (seed, if seed % 2 == 0 { Schedule::Random } else { Schedule::Hunt }))
}

/// The seeds of the runs in which something must never happen.
fn runs() -> Range<u64> {
    static SEEDS: OnceLock<Range<u64>> = OnceLock::new();
    SEEDS.get_or_init(|| test_support::seeds(RUNS)).clone()
}

/// The seeds of the runs within which something must happen.
fn runs_to_appear() -> Range<u64> {
    let first = runs().start;
    first..first + RUNS_TO_APPEAR
}

/// Tries every case, and reports all failures: how many in each shape, and the first cases in full.
fn check_all(test: impl Fn(&Case) -> Result<(), String>) {
    check_one_in(1, test);
}

/// The same for one case in `step`.
fn check_one_in(step: usize, test: impl Fn(&Case) -> Result<(), String>) {
    let mut wrong: Vec<(&'static str, String)> = Vec::new();
    for case in cases().iter().step_by(step) {
        if let Err(message) = test(case) {
            wrong.push((case.shape, format!("{}: {message}\n{}", case.shape, case.program)));
        }
    }
    let shapes: BTreeSet<&str> = cases().iter().map(|case| case.shape).collect();
    let text = shapes.iter().map(|shape| {
        let of_shape: Vec<&String> =
            wrong.iter().filter(|(of, _)| of == shape).map(|(_, text)| text).collect();
        let first = of_shape.iter().take(2).map(|text| text.as_str()).collect::<Vec<_>>().join("");
        format!("{shape}: {} variants\n{first}", of_shape.len())
    });
    assert!(wrong.is_empty(), "{} of {} variants\n{}", wrong.len(), cases().len(), text.collect::<String>());
}

/// Runs a case, and fails at the first run for which `is_right` returns an error.
fn always(mut bench: Bench, is_right: impl Fn(&Run) -> Result<(), String>) -> Result<(), String> {
    for (seed, schedule) in choices(runs()) {
        is_right(&bench.run(seed, schedule))
            .map_err(|message| format!("seed {seed}, {schedule:?}: {message}"))?;
    }
    Ok(())
}

fn is_one_of(outcomes: &BTreeSet<Outcome>) -> impl Fn(&Run) -> Result<(), String> {
    move |run| {
        let text = || format!("{:?} is none of {outcomes:?}", run.outcome);
        outcomes.contains(&run.outcome).then_some(()).ok_or_else(text)
    }
}

#[test]
fn every_shape_has_variants() {
    let shapes: Vec<(&str, usize)> =
        shapes::shapes().iter().map(|shape| (shape.name, shape.variants.len())).collect();
    println!("{} variants: {shapes:?}", cases().len());
    assert!(shapes.iter().all(|&(_, variants)| variants >= 100), "{shapes:?}");
}

/// The shapes would show nothing if every order and every scope had the same outcomes.
#[test]
fn every_shape_has_variants_that_differ() {
    for shape in shapes::shapes() {
        let of_shape = || cases().iter().filter(|case| case.shape == shape.name);
        let allowed: BTreeSet<_> = of_shape().map(|case| &case.verdict.allowed.outcomes).collect();
        assert!(allowed.len() > 1 || shape.name == "CoWW", "{}: all variants allow the same", shape.name);
        let races: BTreeSet<bool> = of_shape().map(|case| case.verdict.allowed.has_race).collect();
        assert_eq!(races.len(), 2, "{}: all variants race, or none", shape.name);
    }
}

#[test]
fn forbidden_outcomes_never_appear() {
    check_all(|case| {
        let bench = Bench::new(&case.program).weak_memory(true);
        always(bench, is_one_of(&case.verdict.allowed.outcomes))
    });
}

#[test]
fn without_weak_memory_outcomes_are_interleavings() {
    check_all(|case| always(Bench::new(&case.program), is_one_of(&case.verdict.interleaved.outcomes)));
}

#[test]
fn without_weak_memory_every_interleaving_appears() {
    check_all(|case| all_appear(Bench::new(&case.program), &case.verdict.interleaved.outcomes));
}

/// [`Verdict::claimed`] says what is claimed.
#[test]
fn claimed_weak_outcomes_appear() {
    check_one_in(test_support::one_in(APPEARING), |case| {
        let bench = Bench::new(&case.program).weak_memory(true);
        all_appear(bench, &case.verdict.claimed.outcomes)
    });
}

fn all_appear(mut bench: Bench, outcomes: &BTreeSet<Outcome>) -> Result<(), String> {
    let mut missing = outcomes.clone();
    for (seed, schedule) in choices(runs_to_appear()) {
        missing.remove(&bench.run(seed, schedule).outcome);
        if missing.is_empty() {
            return Ok(());
        }
    }
    Err(format!("{missing:?} did not appear in {RUNS_TO_APPEAR} runs"))
}

#[test]
fn races_are_reported_exactly_where_the_model_has_them() {
    check_all(|case| check_races(case, false, case.verdict.interleaved.has_race));
}

#[test]
fn with_weak_memory_races_are_reported_exactly_where_the_model_has_them() {
    check_all(|case| check_races(case, true, case.verdict.claimed.has_race));
}

/// The number of random programs; `cargo xtask thorough litmus` takes more.
const PROGRAMS: u64 = 100;

/// How often each of them is run, with the weak memory and with the ordinary one.
const RUNS_OF_A_PROGRAM: u64 = 40;

fn programs() -> Range<u64> {
    test_support::seeds(PROGRAMS)
}

/// The results of the random programs.
#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    runs: u64,
    /// The number of programs with a barrier; of programs with a race in some execution; and of those for which one was
    /// reported.
    with_barriers: u64,
    racy: u64,
    reported: u64,
    /// The outcomes that are not interleavings: those that the model allows, those that the emulator claims, and those
    /// that were seen.
    weak_allowed: u64,
    weak_claimed: u64,
    weak_seen: u64,
}

/// There is no outcome that the model forbids, none without the weak memory that is not an interleaving, and no race if
/// no execution has one.
#[test]
fn random_programs_do_what_the_model_allows() {
    let mut tally = Tally::default();
    for seed in programs() {
        let program = random::program(seed);
        if let Err(message) = check_program(&program, &mut tally) {
            panic!(
                "SEEDS={seed}..{}: {message}
{program}",
                seed + 1
            );
        }
    }
    println!("{tally:?}");
    // The programs are of such a kind that errors would be found.
    let Tally { programs, with_barriers, racy, weak_seen, reported, .. } = tally;
    if programs >= PROGRAMS {
        assert!(racy < programs * 9 / 10 && with_barriers > programs / 4, "{tally:?}");
        assert!(weak_seen > programs / 10 && reported > racy / 2, "{tally:?}");
    }
}

fn check_program(program: &Program, tally: &mut Tally) -> Result<(), String> {
    let Verdict { allowed, claimed, interleaved } = judge(program);
    let mut seen = BTreeSet::new();
    let mut is_reported = false;
    for (weak_memory, outcomes) in [(true, &allowed.outcomes), (false, &interleaved.outcomes)] {
        let mut bench = Bench::new(program).weak_memory(weak_memory).checked();
        for (seed, schedule) in choices(0..RUNS_OF_A_PROGRAM) {
            let text =
                |message: String| format!("weak memory {weak_memory}, seed {seed}, {schedule:?}: {message}");
            let run = bench.run(seed, schedule);
            is_one_of(outcomes)(&run).map_err(text)?;
            if let Some(race) = run.races.first().filter(|_| !allowed.has_race) {
                return Err(text(format!("there is no race, and this was reported: {race}")));
            }
            is_reported |= !run.races.is_empty();
            seen.insert(run.outcome);
        }
    }
    let is_weak = |outcome: &&Outcome| !interleaved.outcomes.contains(*outcome);
    let weak = |outcomes: &BTreeSet<Outcome>| outcomes.iter().filter(is_weak).count() as u64;
    let mut ops = program.threads.iter().flat_map(|thread| &thread.ops);
    tally.programs += 1;
    tally.runs += 2 * RUNS_OF_A_PROGRAM;
    tally.with_barriers += u64::from(ops.any(|op| op.action.barrier().is_some()));
    tally.racy += u64::from(allowed.has_race);
    tally.reported += u64::from(is_reported);
    tally.weak_allowed += weak(&allowed.outcomes);
    tally.weak_claimed += weak(&claimed.outcomes);
    tally.weak_seen += weak(&seen);
    Ok(())
}

/// The same for accesses of different sizes, as far as the model covers them: `sizes.rs` says what is compared.
#[test]
fn accesses_of_different_sizes_race_where_they_should_and_are_not_torn() {
    let (mut racy, mut torn) = (0, 0);
    let programs = programs();
    for seed in programs.clone() {
        let program = sizes::Sizes::new(seed);
        match program.check(choices(0..RUNS_OF_A_PROGRAM)) {
            Ok((has_race, bytes)) => (racy, torn) = (racy + u64::from(has_race), torn + bytes),
            Err(message) => panic!("SEEDS={seed}..{}: {message}\n{program:#?}", seed + 1),
        }
    }
    let count = programs.end - programs.start;
    println!("{count} programs, {racy} of them with a race; {torn} loads brought bytes of several stores");
    assert!(
        count < PROGRAMS || (racy > count / 4 && racy < count && torn > count),
        "{racy} racy, {torn} torn"
    );
}

/// If no execution has a race, none is ever reported. If an execution that the emulator can run has a race, it is found
/// with some seed. Nothing is promised about races in executions that the emulator cannot run.
fn check_races(case: &Case, weak_memory: bool, must_appear: bool) -> Result<(), String> {
    let mut bench = Bench::new(&case.program).weak_memory(weak_memory).checked();
    if !case.verdict.allowed.has_race {
        return always(bench, |run| match run.races.first() {
            Some(race) => Err(format!("there is no race, and this was reported: {race}")),
            None => Ok(()),
        });
    }
    let is_found =
        || choices(runs_to_appear()).any(|(seed, schedule)| !bench.run(seed, schedule).races.is_empty());
    if must_appear && !{ is_found }() {
        return Err(format!("the race was not reported in {RUNS_TO_APPEAR} runs"));
    }
    Ok(())
}
