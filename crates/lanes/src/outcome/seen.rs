//! What many seeds showed of a whole program: what is found, and what it prints.

use cuda_host::Outcome;
use spec::launch::Seeds;

/// The runs of a program so far.
pub struct Seen {
    /// The seeds that were asked for.
    pub seeds: Seeds,
    /// How many have run.
    pub ran: u64,
    /// How many of these found anything.
    pub with_findings: u64,
    /// The run to report: the last that found something new to look at, as [`Seen::add`] says.
    pub shown: Outcome,
    /// Its seed.
    pub seed: u64,
    /// What the first seed printed.
    first: Vec<u8>,
    /// The first seed that printed something else, and what.
    pub odd: Option<(u64, Vec<u8>)>,
}

impl Seen {
    /// The first seed has run.
    pub fn new(seeds: Seeds, outcome: Outcome) -> Seen {
        let with_findings = u64::from(!outcome.findings.is_empty());
        let first = outcome.output.clone();
        Seen { seeds, ran: 1, with_findings, shown: outcome, seed: seeds.start, first, odd: None }
    }

    /// Another seed has run. It is shown if it finds something worse than all before, or prints something else where
    /// nothing is found.
    pub fn add(&mut self, seed: u64, outcome: Outcome) {
        self.ran += 1;
        self.with_findings += u64::from(!outcome.findings.is_empty());
        let worst = |outcome: &Outcome| outcome.findings.iter().map(|finding| finding.severity).max();
        let is_odd = self.odd.is_none() && outcome.output != self.first;
        if is_odd {
            self.odd = Some((seed, outcome.output.clone()));
        }
        if worst(&outcome) > worst(&self.shown) || is_odd && worst(&outcome) == worst(&self.shown) {
            (self.shown, self.seed) = (outcome, seed);
        }
    }

    /// The first line that another seed prints differently than the first one.
    pub fn difference(&self) -> Option<Difference> {
        let (seed, other) = self.odd.as_ref()?;
        let lines = |output: &[u8]| {
            String::from_utf8_lossy(output).split('\n').map(str::to_owned).collect::<Vec<_>>()
        };
        let (first, other) = (lines(&self.first), lines(other));
        let line = (0..first.len().max(other.len())).find(|&line| first.get(line) != other.get(line))?;
        let text = |lines: &[String]| lines.get(line).cloned().unwrap_or_default();
        Some(Difference { seed: *seed, line: line + 1, first: text(&first), other: text(&other) })
    }
}

/// A line that two seeds print differently.
pub struct Difference {
    /// The seed that is not the first.
    pub seed: u64,
    /// The number of the line.
    pub line: usize,
    /// The line of the first seed; empty if it has none.
    pub first: String,
    /// That of the other seed.
    pub other: String,
}
