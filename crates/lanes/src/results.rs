//! How many different results the seeds of one kernel had, in the buffers that are printed. A race or the weak memory
//! can cause differences, whether or not a checker reports a fault.
//!
//! Only the hash of a result is stored, so that a million seeds of a large buffer need little memory. What it leaves
//! out: the contents of a result, which a run with its seed shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::once::Outcome;
use super::plan::Plan;
use super::print::Print;
use super::print::Shown;
use super::replay;
use super::seeds::Search;
use spec::layout::{counted, grouped};

/// How many different contents of a buffer are listed.
const LISTED: usize = 4;

/// The different contents of a buffer, or of the elements of it that are printed, after the seeds so far.
#[derive(Debug)]
pub(super) struct Contents {
    pub print: Print,
    by_hash: BTreeMap<u64, Content>,
}

/// One of the contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// The first seed with these contents.
    pub seed: u64,
    /// How many seeds had them.
    pub times: u64,
}

impl Contents {
    /// The different contents, by the first seed of each.
    pub fn different(&self) -> Vec<Content> {
        let mut all: Vec<Content> = self.by_hash.values().copied().collect();
        all.sort_by_key(|content| content.seed);
        all
    }

    /// Adds the contents after a seed, and returns whether they are new.
    fn add(&mut self, seed: u64, bytes: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let content = self.by_hash.entry(hasher.finish()).or_insert(Content { seed, times: 0 });
        content.times += 1;
        content.times == 1
    }

    /// Says that the contents were always the same, or names the first seed of each.
    fn text(&self) -> String {
        let different = self.different();
        let what = self.print.what();
        if different.len() < 2 {
            return format!("  {what} had the same contents every time\n");
        }
        let mut out = format!("  {what} had {} different contents\n", grouped(different.len() as u64));
        for Content { seed, times } in different.iter().take(LISTED) {
            let _ = writeln!(out, "    as with seed {seed}: {}", counted(*times, "time"));
        }
        if let Some(more @ 1..) = different.len().checked_sub(LISTED) {
            let _ = writeln!(out, "    and {} more", grouped(more as u64));
        }
        out
    }
}

/// An empty list of results for each buffer to print; no buffers if only one seed runs.
pub(super) fn none(plan: &Plan) -> Vec<Contents> {
    let prints = plan.prints.iter().filter(|_| plan.options.seeds.is_some());
    prints.map(|print| Contents { print: print.clone(), by_hash: BTreeMap::new() }).collect()
}

/// Adds the results of a run, and returns whether one of them is new.
pub(super) fn add(results: &mut [Contents], plan: &Plan, outcome: &Outcome) -> bool {
    let shown = Shown::all(plan, "emulator", |name| outcome.bytes(name));
    let pairs = results.iter_mut().zip(shown);
    pairs.fold(false, |is_new, (contents, shown)| contents.add(outcome.seed(), shown.part()) || is_new)
}

/// Whether the seeds had different results.
pub(super) fn differ(search: &Search) -> bool {
    search.results.iter().any(|contents| contents.by_hash.len() > 1)
}

/// The results of all seeds, as text. If the search ended at a fault, later seeds are missing.
pub(super) fn render(plan: &Plan, search: &Search) -> String {
    if search.ran < 2 || plan.is_failure(&search.outcome) {
        return String::new();
    }
    let mut out: String = search.results.iter().map(Contents::text).collect();
    if differ(search) {
        let _ = writeln!(out, "  replay: {}", replay::command(plan.options, &search.outcome.last().launch));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_and_the_first_seed_of_each_is_listed() {
        let print = Print::parse("arg2").unwrap();
        let mut contents = Contents { print, by_hash: BTreeMap::new() };
        assert!(contents.add(5, &[1]) && !contents.add(6, &[1]));
        assert_eq!(contents.text(), "  arg2 had the same contents every time\n");
        assert!(contents.add(7, &[2]));
        let expected =
            "  arg2 had 2 different contents\n    as with seed 5: 2 times\n    as with seed 7: 1 time\n";
        assert_eq!(contents.text(), expected);
        (8..12).for_each(|seed| assert!(contents.add(seed, &[seed as u8])));
        assert!(
            contents.text().ends_with("    as with seed 9: 1 time\n    and 2 more\n"),
            "{}",
            contents.text()
        );
    }
}
