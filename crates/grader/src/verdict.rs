//! The verdict on an attempt: passed, with its cost, or refused, with the lane, the line and what to look at.

use simt::Actor;
use spec::launch::Launch;
use spec::layout::counted;

/// The verdict on an attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is right, in every case, with every seed, and within the gates.
    Passed(Passed),
    /// It is wrong.
    Refused(Refusal),
}

/// How an attempt was compiled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compilation {
    /// The compiler and its target: `cudac 0.1 (sm_70)`. Empty if nothing was compiled.
    pub by: String,
    /// The compiler's warnings.
    pub warnings: Vec<String>,
}

/// What is said about an attempt that is right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passed {
    /// What was tested: `5 sizes, 16 seeds each`.
    pub tried: String,
    /// The counters with a gate.
    pub gates: Vec<Measured>,
    /// The lines of a picture of lanes, if lanes had to be predicted.
    pub picture: Vec<String>,
    /// What the kernel printed in the last case.
    pub printed: Vec<String>,
    /// What to remember.
    pub learned: String,
    /// How it was compiled.
    pub compilation: Compilation,
}

/// Why an attempt is wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refusal {
    /// The kind of reason: a fault's name, `wrong-result`, `changed-input`, `gate`, `does-not-compile`, `no-kernel`,
    /// `other-parameters`, `cannot-run`, `unreadable`, `unanswered` or `wrong-answer`.
    pub reason: String,
    /// The question that was answered wrongly, by its name, if it is one of several.
    pub question: Option<String>,
    /// What is wrong, in one sentence without a full stop.
    pub headline: String,
    /// The threads, the place and the details: one line for each; or the lines of a picture, or of the compiler.
    pub details: Vec<String>,
    /// What to look at, in one sentence.
    pub look: String,
    /// The case: `n = 33, seed 3`; empty if the refusal does not depend on one.
    pub case: String,
    /// The counters with a gate, if grading got that far.
    pub gates: Vec<Measured>,
    /// What the kernel printed in that case.
    pub printed: Vec<String>,
    /// How it was compiled.
    pub compilation: Compilation,
    /// The launch that shows what is wrong, if it was a launch.
    pub shown: Option<Box<Shown>>,
}

/// A launch that shows what is wrong with an attempt, for a program that can play it step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// The launch, with its seed and schedule.
    pub launch: Launch,
    /// The step to look at: that of the fault, or the store of the wrong element.
    pub step: Option<u64>,
    /// The threads to look at: those of the fault, or the one that stored the wrong element.
    pub actors: Vec<Actor>,
}

impl Refusal {
    /// A refusal that names its reason and what is wrong.
    pub fn new(reason: &str, headline: &str) -> Box<Refusal> {
        Box::new(Refusal { reason: reason.to_owned(), headline: headline.to_owned(), ..Refusal::default() })
    }

    /// What is wrong, and with which answer, in a file that has the answers by the names of their questions.
    pub fn objection(&self) -> String {
        match &self.question {
            Some(name) => format!("`{name}`: {}", self.headline),
            None => self.headline.clone(),
        }
    }

    /// Adds lines.
    #[must_use]
    pub fn details(mut self: Box<Self>, lines: impl IntoIterator<Item = String>) -> Box<Refusal> {
        self.details.extend(lines);
        self
    }

    /// Says what to look at.
    #[must_use]
    pub fn look(mut self: Box<Self>, look: &str) -> Box<Refusal> {
        look.clone_into(&mut self.look);
        self
    }

    /// Adds what the kernel printed.
    #[must_use]
    pub fn printed(mut self: Box<Self>, output: &str) -> Box<Refusal> {
        self.printed = printed(output);
        self
    }

    /// Adds the launch that shows the mistake.
    #[must_use]
    pub fn shown(mut self: Box<Self>, shown: Shown) -> Box<Refusal> {
        self.shown = Some(Box::new(shown));
        self
    }

    /// Adds the case.
    #[must_use]
    pub fn case(mut self: Box<Self>, case: String) -> Box<Refusal> {
        self.case = case;
        self
    }
}

/// How many lines of a kernel's output are shown.
const PRINTED_LINES: usize = 8;

/// The first lines that a kernel printed, and how many more there are.
pub(crate) fn printed(output: &str) -> Vec<String> {
    let more = output.lines().count().saturating_sub(PRINTED_LINES) as u64;
    let shown = output.lines().take(PRINTED_LINES).map(str::to_owned);
    shown.chain((more > 0).then(|| format!("and {}", counted(more, "more line")))).collect()
}

/// A counter with a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// A description of the counter: `sectors of global loads`.
    pub what: String,
    /// The attempt's value.
    pub now: f64,
    /// The largest value that passes, or the smallest if more is better.
    pub gate: f64,
    /// Whether more is better.
    pub more_is_better: bool,
    /// The committed solution's value.
    pub solution: f64,
    /// Whether it passes.
    pub passes: bool,
}

impl Measured {
    /// `sectors of global loads: now 32, up to 8 allowed, the solution has 4`.
    pub fn text(&self) -> String {
        let number = spec::layout::decimal;
        let number = |value: f64| if value.fract() == 0.0 { format!("{value}") } else { number(value) };
        let (now, gate, solution) = (number(self.now), number(self.gate), number(self.solution));
        let bound =
            if self.more_is_better { format!("{gate} needed") } else { format!("up to {gate} allowed") };
        format!("{}: now {now}, {bound}, the solution has {solution}", self.what)
    }
}

impl Verdict {
    /// How the attempt was compiled.
    pub(crate) fn compilation(&mut self) -> &mut Compilation {
        match self {
            Verdict::Passed(passed) => &mut passed.compilation,
            Verdict::Refused(refusal) => &mut refusal.compilation,
        }
    }

    /// Whether it is right.
    pub fn is_passed(&self) -> bool {
        matches!(self, Verdict::Passed(_))
    }
}
