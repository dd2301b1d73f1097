//! How many different results the seeds of one kernel had, in the buffers that are printed. A race or the weak memory
//! can cause differences, whether or not a checker reports a fault.
//!
//! Only the hash of a result is stored, so that a million seeds of a large buffer need little memory. What it leaves
//! out: the contents of a result, which a run with its seed shows.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::execute::Outcome;
use crate::request::Print;
use crate::resolve::{Named, Plan};

/// The different contents of a buffer, or of the elements of it that are printed, after the seeds so far.
#[derive(Debug)]
pub struct Contents {
    pub print: Named<Print>,
    by_hash: BTreeMap<u64, Content>,
}

/// One of the contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// The first seed with these contents.
    pub seed: u64,
    /// How many seeds had them.
    pub times: u64,
}

impl Contents {
    /// Of no seed.
    pub fn new(print: Named<Print>) -> Contents {
        Contents { print, by_hash: BTreeMap::new() }
    }

    /// The different contents, by the first seed of each.
    pub fn different(&self) -> Vec<Content> {
        let mut all: Vec<Content> = self.by_hash.values().copied().collect();
        all.sort_by_key(|content| content.seed);
        all
    }

    /// Adds the contents after a seed, and returns whether they are new.
    pub fn add(&mut self, seed: u64, bytes: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let content = self.by_hash.entry(hasher.finish()).or_insert(Content { seed, times: 0 });
        content.times += 1;
        content.times == 1
    }
}

/// An empty list of results for each buffer to print; no buffers if only one seed runs.
pub fn none(plan: &Plan) -> Vec<Contents> {
    let prints = plan.outputs.prints.iter().filter(|_| plan.options.launch.seeds.is_some());
    prints.cloned().map(Contents::new).collect()
}

/// Adds the results of a run, and returns whether one of them is new.
pub fn add(results: &mut [Contents], plan: &Plan, outcome: &Outcome) -> bool {
    results.iter_mut().fold(false, |is_new, contents| {
        let Named { name, asked } = &contents.print;
        let part = part(asked, outcome.bytes(name), plan.sequence.spec(name).ty.bytes);
        contents.add(outcome.seed(), part) || is_new
    })
}

/// The bytes of the elements to print, which have so many bytes each.
pub fn part<'b>(print: &Print, bytes: &'b [u8], element: usize) -> &'b [u8] {
    let Some(which) = &print.which else { return bytes };
    &bytes[which.start as usize * element..which.end as usize * element]
}

/// Whether the seeds had different results.
pub fn differ(results: &[Contents]) -> bool {
    results.iter().any(|contents| contents.by_hash.len() > 1)
}
