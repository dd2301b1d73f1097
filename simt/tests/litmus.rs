//! Litmus tests: the emulator's memory against the memory model of PTX.
//!
//! A litmus program is a few threads with a few operations each. The model, written down as axioms, says how it may
//! end; the emulator runs it under many seeds; the two are compared, with weak memory and without, and so are the
//! races that the model finds and those that the checker reports. Beside shapes that are laid out by hand there are programs
//! that are made up from a seed: `SEEDS=10000 cargo test -p ptx-emulator --test litmus -- made_up different_sizes` runs as many as
//! are worth a claim, as `cargo xtask thorough litmus` does, and `cargo test` one in a hundred. No verdict is typed in, besides
//! those by which the enumerator itself is checked. Left out: what only a compiler would reorder.
//! Specification: PTX ISA, section 8.

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
#[path = "litmus/numbers.rs"]
mod numbers;
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

/// Runs of each variant where the test is that something never happens; a hundred variants and more share a shape, so
/// each shape is run thousands of times. `cargo xtask thorough litmus-shapes` takes more.
const RUNS: u64 = 50;

/// Runs of each variant within which everything that is claimed has to happen.
const RUNS_TO_APPEAR: u64 = 4_000;

/// Of how many variants `cargo test` tries one where everything that is claimed has to happen, which takes many runs.
const APPEARING: usize = 3;

/// A variant of a shape, and what the model says of it.
struct Case {
    shape: &'static str,
    program: Program,
    verdict: Verdict,
}

/// All variants of all shapes, judged once for all tests.
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

/// Seeds, every other one under a schedule that looks for trouble.
fn choices(seeds: Range<u64>) -> impl Iterator<Item = (u64, Schedule)> {
    seeds.map(|seed| (seed, if seed % 2 == 0 { Schedule::Random } else { Schedule::Hunt }))
}

/// The seeds of the runs in which something never happens.
fn runs() -> Range<u64> {
    static SEEDS: OnceLock<Range<u64>> = OnceLock::new();
    SEEDS.get_or_init(|| sample::seeds(RUNS)).clone()
}

/// The seeds of the runs within which something has to happen.
fn runs_to_appear() -> Range<u64> {
    let first = runs().start;
    first..first + RUNS_TO_APPEAR
}

/// Tries every case, and tells all that went wrong: how often in each shape, and the first cases in full.
fn check_all(test: impl Fn(&Case) -> Result<(), String>) {
    check_one_in(1, test);
}

/// The same for one case in so many.
fn check_one_in(step: usize, test: impl Fn(&Case) -> Result<(), String>) {
    let mut wrong: Vec<(&'static str, String)> = Vec::new();
    for case in cases().iter().step_by(step) {
        if let Err(message) = test(case) {
            wrong.push((case.shape, format!("{}: {message}\n{}", case.shape, case.program)));
        }
    }
    let shapes: BTreeSet<&str> = cases().iter().map(|case| case.shape).collect();
    let told = shapes.iter().map(|shape| {
        let of_shape: Vec<&String> =
            wrong.iter().filter(|(of, _)| of == shape).map(|(_, text)| text).collect();
        let first = of_shape.iter().take(2).map(|text| text.as_str()).collect::<Vec<_>>().join("");
        format!("{shape}: {} variants\n{first}", of_shape.len())
    });
    assert!(wrong.is_empty(), "{} of {} variants\n{}", wrong.len(), cases().len(), told.collect::<String>());
}

/// Runs a case, and fails at the first run that `is_right` does not like.
fn always(mut bench: Bench, is_right: impl Fn(&Run) -> Result<(), String>) -> Result<(), String> {
    for (seed, schedule) in choices(runs()) {
        is_right(&bench.run(seed, schedule))
            .map_err(|message| format!("seed {seed}, {schedule:?}: {message}"))?;
    }
    Ok(())
}

fn is_one_of(outcomes: &BTreeSet<Outcome>) -> impl Fn(&Run) -> Result<(), String> {
    move |run| {
        let told = || format!("{:?} is none of {outcomes:?}", run.outcome);
        outcomes.contains(&run.outcome).then_some(()).ok_or_else(told)
    }
}

#[test]
fn every_shape_has_variants() {
    let shapes: Vec<(&str, usize)> =
        shapes::shapes().iter().map(|shape| (shape.name, shape.variants.len())).collect();
    println!("{} variants: {shapes:?}", cases().len());
    assert!(shapes.iter().all(|&(_, variants)| variants >= 100), "{shapes:?}");
}

/// The shapes would show nothing if every order and every scope came to the same.
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

/// What is claimed is said at [`Verdict::claimed`].
#[test]
fn claimed_weak_outcomes_appear() {
    check_one_in(sample::one_in(APPEARING), |case| {
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

/// Programs that are made up; `cargo xtask thorough litmus` takes more.
const PROGRAMS: u64 = 100;

/// Runs of each of them, in the weak memory and in the ordinary one.
const RUNS_OF_A_PROGRAM: u64 = 40;

fn programs() -> Range<u64> {
    sample::seeds(PROGRAMS)
}

/// What programs that were made up came to.
#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    runs: u64,
    /// Programs with a barrier; with a race in some execution, and of these the ones in which one was reported.
    with_barriers: u64,
    racy: u64,
    reported: u64,
    /// Outcomes that no interleaving has: those that the model allows, that the emulator claims, and that came up.
    weak_allowed: u64,
    weak_claimed: u64,
    weak_seen: u64,
}

/// No outcome that the model forbids, none without the weak memory that is no interleaving, and no race where no execution has
/// one.
#[test]
fn programs_that_are_made_up_do_what_the_model_allows() {
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
    // The programs are such that something could go wrong.
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
            let told =
                |message: String| format!("weak memory {weak_memory}, seed {seed}, {schedule:?}: {message}");
            let run = bench.run(seed, schedule);
            is_one_of(outcomes)(&run).map_err(told)?;
            if let Some(race) = run.races.first().filter(|_| !allowed.has_race) {
                return Err(told(format!("there is no race, and this was reported: {race}")));
            }
            is_reported |= !run.races.is_empty();
            seen.insert(run.outcome);
        }
    }
    let is_weak = |outcome: &&Outcome| !interleaved.outcomes.contains(*outcome);
    let weak = |outcomes: &BTreeSet<Outcome>| outcomes.iter().filter(is_weak).count() as u64;
    let mut meetings = program.threads.iter().flat_map(|thread| &thread.ops);
    tally.programs += 1;
    tally.runs += 2 * RUNS_OF_A_PROGRAM;
    tally.with_barriers += u64::from(meetings.any(|op| op.action.meeting().is_some()));
    tally.racy += u64::from(allowed.has_race);
    tally.reported += u64::from(is_reported);
    tally.weak_allowed += weak(&allowed.outcomes);
    tally.weak_claimed += weak(&claimed.outcomes);
    tally.weak_seen += weak(&seen);
    Ok(())
}

/// The same for accesses of different sizes, as far as the model speaks of them: `sizes.rs` says what is compared.
#[test]
fn accesses_of_different_sizes_race_where_they_must_and_stay_whole() {
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

/// A race in no execution is never reported; one in an execution that can be run is found under some seed. Between
/// the two are races of executions that the emulator cannot run, about which nothing is promised.
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
