//! What `cargo xtask facts` has collected from runs of the emulator and from the grader, in `book/facts`.
//!
//! The preprocessor runs nothing, so what is not there cannot be shown. A file of facts names the files that it was made from,
//! with their checksums: if one of them has changed since, that is a problem.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::problems::Problem;
use crate::repository::Repository;

/// How facts are made again.
const REMEDY: &str = "`cargo xtask facts`";

/// All facts.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The launches of `book/live.toml`, which pages play.
    pub live: Collected<Launch>,
    /// Those of `book/listings.toml`, which no page plays.
    pub listings: Collected<Launch>,
    /// The answers to questions about lanes.
    pub answers: Collected<Answer>,
    /// What the grader says of the exercises, by their folders.
    pub exercises: Collected<Exercise>,
}

/// The contents of a file.
#[derive(Clone, Debug, Deserialize)]
pub struct Collected<T> {
    from: BTreeMap<String, String>,
    facts: BTreeMap<String, T>,
    #[serde(skip)]
    file: String,
}

/// A launch.
#[derive(Clone, Debug, Deserialize)]
pub struct Launch {
    /// What the page calls it.
    pub title: String,
    /// The committed PTX, without folder and ending: `branch.sm_70`.
    pub ptx: String,
    /// The lines of the PTX that the kernel needs.
    pub kept: Vec<Range>,
    /// The launch as the page asks the emulator for it.
    #[serde(rename = "launch")]
    pub request: Value,
    /// Anchors of listings that show no kernel, and are run by this launch.
    pub shows: Vec<String>,
    /// What it has to leave in memory, or null if that depends on the schedule.
    pub result: Value,
    /// What differs in a second run that is played beside it.
    #[serde(default)]
    pub beside: Value,
    /// The lines of the CUDA source that its instructions come from.
    #[serde(default)]
    pub source: Vec<Range>,
    /// What the emulator records of it: the first moments, all of them if a page plays it at once, and the end.
    #[serde(default)]
    pub record: Value,
}

/// The first and the last line of a part of a file, from 1.
pub type Range = [usize; 2];

/// The answer to a question about lanes.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// The lanes as the page writes them: `0-15, 20`.
    pub lanes: String,
    /// The moment at which a player shows them.
    pub moment: u64,
}

/// What does not stand in the files of an exercise.
#[derive(Clone, Debug, Deserialize)]
pub struct Exercise {
    /// The file that a learner edits.
    pub file: String,
    /// The architecture.
    pub sm: u32,
    /// How the kernel is launched, in words.
    pub launch: String,
    /// The questions of a prediction, and how each is answered.
    pub questions: Vec<Value>,
    /// The kernel that a prediction is about.
    pub text: Option<String>,
}

impl Facts {
    /// Reads all facts.
    pub fn read(repository: &Repository) -> Result<Self> {
        Ok(Self {
            live: Collected::read("live", repository)?,
            listings: Collected::read("listings", repository)?,
            answers: Collected::read("answers", repository)?,
            exercises: Collected::read("exercises", repository)?,
        })
    }

    /// The files that are stale, each with the first reason.
    pub fn stale(&self, repository: &Repository) -> Vec<Problem> {
        let all = [
            self.live.fresh(repository),
            self.listings.fresh(repository),
            self.answers.fresh(repository),
            self.exercises.fresh(repository),
        ];
        all.into_iter().filter_map(Result::err).collect()
    }
}

/// What a run of a launch of `book/live.toml` counted: its number of warps, or another counter.
pub fn counted(launch: &str, counter: &str, repository: &Repository) -> Result<f64> {
    let live: Collected<Launch> = Collected::read("live", repository)?;
    let value = live.get(launch)?.record["counters"][counter].as_f64();
    value.with_context(|| format!("the run of `{launch}` has no counter `{counter}`"))
}

impl<T: DeserializeOwned> Collected<T> {
    fn read(name: &str, repository: &Repository) -> Result<Self> {
        let file = format!("book/facts/{name}.json");
        let text = repository.read(&file)?;
        let read: Self =
            serde_json::from_str(&text).with_context(|| format!("`{file}` cannot be read; run {REMEDY}"))?;
        Ok(Self { file, ..read })
    }
}

impl<T> Collected<T> {
    fn fresh(&self, repository: &Repository) -> Result<(), Problem> {
        let sums = self.from.iter().map(|(name, sum)| (sum.as_str(), name.as_str()));
        let file = &self.file;
        let problem =
            |error: anyhow::Error| Problem { file: file.clone(), line: 1, what: format!("{error:#}") };
        repository.check_sums(&format!("`{file}`"), sums, REMEDY).map_err(problem)
    }

    /// What is known of something.
    pub fn get(&self, name: &str) -> Result<&T> {
        match self.facts.get(name) {
            Some(fact) => Ok(fact),
            None => bail!("`{}` has no `{name}`; run {REMEDY}", self.file),
        }
    }

    /// Everything, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &T)> {
        self.facts.iter()
    }
}
