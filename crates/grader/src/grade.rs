//! Decides whether a kernel is right: in every case, with every seed, for every checker, and within the gates.
//!
//! The committed solution runs on the same input, and its result is the expected one. Tests compare the solutions
//! themselves with closed forms.

use std::ops::ControlFlow;

use anyhow::{Context, Result, anyhow};
use simt::{Counters, Fault, FaultKind, Report, Severity, StaleRead};
use spec::layout::counted;

use crate::catalogue::{Case, Exercise, Kind};
use crate::compare;
use crate::compile::Compile;
use crate::gates;
use crate::predict;
use crate::run::{How, Kernel, Ran, SEEDS};
use crate::source::Version;
use crate::verdict::{Measured, Passed, Refusal, Shown, Verdict, printed};

/// How many steps an attempt may take before it is stopped: this many times the solution's steps, plus a constant for
/// short ones. If every thread takes a lock, it costs some 3,000 steps each time it changes hands, because the lanes of
/// several warps are separated and all of them spin.
const MORE_STEPS: (u64, u64) = (100, 1_000_000);

/// The result of a trial. Only [`grade`] and the other functions here look inside.
#[derive(Debug)]
pub struct Tried(Outcome<Option<Box<Refusal>>>);

impl Tried {
    /// Whether the trial found something for which the attempt is refused only if no other trial refuses it.
    pub fn is_luck(&self) -> bool {
        matches!(self.0, Ok(Ok(Some(_))))
    }
}

/// Carries out the trial with this number. Trials are independent, so they may run side by side.
pub type Work<'w> = dyn Fn(u64) -> Tried + Sync + 'w;

/// Takes the results in the order of their numbers, until it breaks.
pub type Take<'t> = dyn FnMut(u64, Tried) -> ControlFlow<()> + 't;

/// Carries out this many trials and passes on the results, one after another or on several cores. It can show the
/// progress of a grading, because it sees every trial.
pub type Trials<'n> = dyn FnMut(u64, &Work, &mut Take) + 'n;

/// Carries out trials one after another.
pub fn one_by_one(count: u64, work: &Work, take: &mut Take) {
    let _ = (0..count).try_for_each(|number| take(number, work(number)));
}

/// Grades an attempt: a kernel, or answers. The solution is compiled by the attempt's compiler.
///
/// # Errors
/// If the exercise itself is wrong. An attempt that is wrong is refused, which is not an error.
pub fn grade(exercise: &Exercise, compile: &Compile, trials: &mut Trials, text: &str) -> Result<Verdict> {
    match exercise.kind {
        Kind::Predict => predict::grade(exercise, text),
        _ => grade_kernel(exercise, compile, trials, text),
    }
}

/// The same for an exercise that is no prediction.
///
/// # Errors
/// If the exercise itself is wrong.
pub fn grade_kernel(
    exercise: &Exercise,
    compile: &Compile,
    trials: &mut Trials,
    text: &str,
) -> Result<Verdict> {
    let solution = exercise.source().text(&Version::Solution);
    if exercise.is_ptx() {
        return grade_kernels(exercise, &solution, text, &seeds(), trials);
    }
    let attempt = match compile(exercise, text) {
        Ok(attempt) => attempt,
        Err(refusal) => return Ok(Verdict::Refused(*refusal)),
    };
    let solution = compile(exercise, &solution)
        .map_err(|refusal| anyhow!("the solution of `{}`: {}", exercise.name, refusal.objection()))?;
    let mut verdict = grade_kernels(exercise, &solution.ptx, &attempt.ptx, &seeds(), trials)?;
    let compilation = verdict.compilation();
    (compilation.by, compilation.warnings) = (attempt.by, attempt.warnings);
    Ok(verdict)
}

/// Grades a kernel that NVIDIA's compiler compiled, like the committed solution.
///
/// # Errors
/// If the exercise itself is wrong.
pub fn grade_ptx(exercise: &Exercise, ptx: &str) -> Result<Verdict> {
    grade_with(exercise, &exercise.ptx(), ptx, &seeds())
}

/// Grades a kernel against a solution that the same compiler compiled, with the given seeds. Odd ones use the schedule
/// that hunts for mistakes.
///
/// # Errors
/// If the exercise itself is wrong.
pub fn grade_with(exercise: &Exercise, solution: &str, attempt: &str, seeds: &[u64]) -> Result<Verdict> {
    grade_kernels(exercise, solution, attempt, seeds, &mut one_by_one)
}

fn seeds() -> Vec<u64> {
    (0..SEEDS).collect()
}

/// Grades a kernel against the solution, both in PTX.
fn grade_kernels(
    exercise: &Exercise,
    solution: &str,
    attempt: &str,
    seeds: &[u64],
    trials: &mut Trials,
) -> Result<Verdict> {
    let kernel = |ptx| Kernel { exercise, ptx };
    let trial = Trial { solution: kernel(solution), attempt: kernel(attempt), seeds };
    let verdict = match trial.all(trials).with_context(|| format!("exercise `{}`", exercise.name))? {
        Ok(passed) => Verdict::Passed(passed),
        Err(refusal) => Verdict::Refused(pointed(exercise, *refusal)),
    };
    Ok(verdict)
}

/// Adds the exercise's advice about what to look at.
fn pointed(exercise: &Exercise, refusal: Refusal) -> Refusal {
    let look = exercise.look.get(&refusal.reason).cloned();
    Refusal { look: look.unwrap_or(refusal.look), ..refusal }
}

/// The outcome of grading so far: the outer error is the exercise's, the inner one the attempt's.
type Outcome<T> = Result<Result<T, Box<Refusal>>>;

struct Trial<'e> {
    solution: Kernel<'e>,
    attempt: Kernel<'e>,
    seeds: &'e [u64],
}

impl Trial<'_> {
    fn exercise(&self) -> &Exercise {
        self.solution.exercise
    }

    fn all(&self, trials: &mut Trials) -> Outcome<Passed> {
        if let Err(refusal) = self.is_the_kernel()? {
            return Ok(Err(refusal));
        }
        let (mut luck, mut end) = (None, None);
        let count = (self.exercise().cases.len() * self.seeds.len()) as u64;
        let work = |number| {
            let (case, seed) = self.numbered(number);
            Tried(self.once(case, seed))
        };
        // Trials may run side by side, but the first refusal in their order is the one that counts.
        trials(count, &work, &mut |number, Tried(outcome)| {
            let (case, seed) = self.numbered(number);
            let labelled = |refusal: Box<Refusal>| refusal.case(label(case, seed));
            end = match outcome {
                Ok(Ok(found)) => {
                    luck = luck.take().or_else(|| found.map(labelled));
                    return ControlFlow::Continue(());
                }
                Ok(Err(refusal)) => Some(Ok(labelled(refusal))),
                Err(error) => Some(Err(error)),
            };
            ControlFlow::Break(())
        });
        match end.transpose()?.or(luck) {
            Some(refusal) => Ok(Err(refusal)),
            None => self.within_gates(),
        }
    }

    /// The case and the seed of a trial: all seeds of the first case come first.
    fn numbered(&self, number: u64) -> (&Case, u64) {
        let number = number as usize;
        (&self.exercise().cases[number / self.seeds.len()], self.seeds[number % self.seeds.len()])
    }

    /// Checks that the attempt can be read, and has the kernel that was asked for.
    fn is_the_kernel(&self) -> Outcome<()> {
        let name = &self.exercise().kernel;
        let solution = self.solution.module()?;
        let wanted =
            self.solution.info(&solution).with_context(|| format!("the solution has no kernel `{name}`"))?;
        let module = match self.attempt.module() {
            Ok(module) => module,
            Err(error) => return Ok(Err(Refusal::new("does-not-compile", &error.to_string()))),
        };
        let Some(info) = self.attempt.info(&module) else {
            let others: Vec<String> =
                module.kernels().iter().map(|kernel| format!("`{}`", kernel.name)).collect();
            return Ok(Err(no_kernel(self.exercise(), &others)));
        };
        let types = |info: &simt::KernelInfo| info.params.iter().map(|param| param.bytes).collect::<Vec<_>>();
        if types(info) == types(wanted) {
            return Ok(Ok(()));
        }
        let headline =
            format!("the parameters of `{name}` have changed, but it is launched with the original ones");
        let refusal = Refusal::new("other-parameters", &headline);
        let file = self.exercise().starter_name();
        Ok(Err(refusal.look(&format!("put the list of parameters back as it was in `{file}`"))))
    }

    /// One case with one seed. A fault that only PTX allows is returned and not reported yet, because a fault in
    /// another run may say more.
    fn once(&self, case: &Case, seed: u64) -> Outcome<Option<Box<Refusal>>> {
        let expected = self.solution.run(case, &How::plain(seed))?;
        let steps = expected.report.counters.ptx_instructions * MORE_STEPS.0 + MORE_STEPS.1;
        let how = How::watched(seed, steps);
        let got = match self.attempt.run(case, &how) {
            Ok(got) => got,
            Err(error) => return Ok(Err(Refusal::new("cannot-run", &format!("{error:#}")))),
        };
        let shown = self.attempt.shown(case, &how)?;
        let faulty = |fault| faulty(fault, shown.clone());
        let outcome = match worst(&got.report) {
            Some(fault) => Err(faulty(fault)),
            // Code that PTX allows and CUDA C++ does not: another compiler may translate it differently.
            None => self.result(case, &how, &got, &expected)?.map(|()| {
                got.report.faults.iter().find(|fault| fault.kind == FaultKind::VolatileRace).map(faulty)
            }),
        };
        Ok(outcome
            .map_err(|refusal| refusal.details(stale(&got.report.stale_reads)).printed(&got.report.output)))
    }

    /// Compares the result with the solution's.
    fn result(&self, case: &Case, how: &How, got: &Ran, expected: &Ran) -> Outcome<()> {
        let Some(found) = compare::difference(&self.exercise().arguments, got, expected) else {
            return Ok(Ok(()));
        };
        let mut refusal = Refusal::new(found.reason, &found.headline);
        let mut shown = self.attempt.shown(case, how)?;
        if let Some(place) = found.place {
            let how = How { follow: Some(place), ..how.clone() };
            let stored = self.attempt.run(case, &how)?.report.last_store;
            let words = stored.as_ref().map(|actor| format!("stored last by {actor}"));
            refusal = refusal.details([words.unwrap_or_else(|| "no thread stored it".to_owned())]);
            if let Some(actor) = stored {
                shown.step = self.attempt.last_step(case, &how, &actor)?;
                shown.actors.push(actor);
            }
        }
        Ok(Err(refusal.shown(shown)))
    }

    /// Compares the counters of the last case with the gates.
    fn within_gates(&self) -> Outcome<Passed> {
        let exercise = self.exercise();
        let tried = format!(
            "{}, {} seeds each, with all checkers",
            counted(exercise.cases.len() as u64, "case"),
            self.seeds.len()
        );
        let (Some(case), how) = (exercise.cases.last(), How::plain(0)) else {
            return Ok(Ok(Passed::default()));
        };
        let Report { counters: now, output, .. } = self.attempt.run(case, &how)?.report;
        let solution = self.solution.run(case, &how)?.report.counters;
        let committed = self.committed(case, &how, solution)?;
        let measure =
            |(name, gate): (&String, &f64)| gates::measure(name, *gate, &now, &solution, &committed);
        let gates = exercise.gates.iter().map(measure).collect::<Result<Vec<Measured>>>()?;
        if gates.iter().any(|gate| !gate.passes) {
            let refusal =
                Refusal::new("gate", "the result is right, but costs more than it may").case(label(case, 0));
            let refusal = Refusal { gates, ..*refusal.printed(&output) };
            return Ok(Err(Box::new(refusal)));
        }
        let (learned, printed) = (exercise.learned.clone(), printed(&output));
        Ok(Ok(Passed { tried, gates, printed, learned, ..Passed::default() }))
    }

    /// The counters of the committed solution, for which the gates are written.
    fn committed(&self, case: &Case, how: &How, solution: Counters) -> Result<Counters> {
        let (exercise, ptx) = (self.exercise(), self.exercise().ptx());
        // A new exercise has not been compiled yet.
        if exercise.gates.is_empty() || ptx.is_empty() || ptx == self.solution.ptx {
            return Ok(solution);
        }
        Ok(Kernel { exercise, ptx: &ptx }.run(case, how)?.report.counters)
    }
}

fn no_kernel(exercise: &Exercise, others: &[String]) -> Box<Refusal> {
    let name = &exercise.kernel;
    let entry = if exercise.is_ptx() { ".visible .entry" } else { "extern \"C\" __global__ void" };
    let has = if others.is_empty() { "no kernel at all".to_owned() } else { others.join(", ") };
    Refusal::new("no-kernel", &format!("there is no kernel `{name}` in the file: it has {has}"))
        .look(&format!("keep its first line as it was: `{entry} {name}(...)`"))
}

/// The first error, or otherwise the first warning, because a kernel that is right only by luck is not right. Notes are
/// harmless.
fn worst(report: &Report) -> Option<&Fault> {
    let of = |severity| report.faults.iter().find(|fault| fault.severity == severity);
    of(Severity::Error).or_else(|| of(Severity::Warning))
}

/// How many threads of a fault are listed. If every warp waits, a longer list says nothing new.
const ACTORS: usize = 4;

fn faulty(fault: &Fault, shown: Shown) -> Box<Refusal> {
    let actors = fault.actors.iter().take(ACTORS).map(ToString::to_string);
    let others = fault.actors.len().saturating_sub(ACTORS) as u64;
    let others = (others > 0).then(|| format!("and {}", counted(others, "other")));
    let more = (fault.count > 1).then(|| format!("and {}", counted(fault.count - 1, "more time")));
    // The limit on steps is the grader's, and a learner cannot raise it.
    let look = match fault.kind {
        FaultKind::StepLimit => "which loop runs many more iterations than it should, or never ends?",
        _ => &fault.help,
    };
    let shown = Shown { step: Some(fault.step), actors: fault.actors.clone(), ..shown };
    let refusal = Refusal::new(fault.kind.name(), &fault.message);
    refusal.details(actors.chain(others).chain(more)).look(look).shown(shown)
}

/// How many stale reads of the weak memory are described.
const STALE: usize = 2;

/// What the weak memory did in a run with a wrong result. Without it, the values that its lanes loaded would make no
/// sense.
fn stale(reads: &[StaleRead]) -> Vec<String> {
    let one = |read: &StaleRead| {
        let title = format!("stale read, which PTX's memory model allows: {}", read.message);
        [title, read.reader.to_string(), read.newer.to_string()]
    };
    let more = reads.len().saturating_sub(STALE) as u64;
    let more = (more > 0).then(|| format!("and stale reads at {}", counted(more, "more place")));
    reads.iter().take(STALE).flat_map(one).chain(more).collect()
}

/// `n = 33, seed 3`.
fn label(case: &Case, seed: u64) -> String {
    let values = case.iter().map(|(name, value)| format!("{name} = {value}"));
    values.chain([format!("seed {seed}")]).collect::<Vec<_>>().join(", ")
}
