//! The exercises in their order: which one a name refers to, and which comes next.
//!
//! What it leaves out: what an exercise is, which `grader` defines.

use std::path::PathBuf;

use anyhow::{Result, bail};
use grader::Exercise;

use crate::progress::Done;

/// All exercises, in the order of the book.
#[derive(Clone, Debug)]
pub struct Course {
    /// The folder of the exercises.
    pub catalogue: PathBuf,
    /// The exercises; there is at least one.
    pub exercises: Vec<Exercise>,
}

impl Course {
    /// The exercise to which a learner refers by this name.
    ///
    /// # Errors
    /// If there is none; the message lists similar names.
    pub fn find(&self, typed: &str) -> Result<usize> {
        // The file's name has the chapter before the exercise's name and an extension after it.
        let name = typed.rsplit(['/', '\\']).next().unwrap_or(typed);
        let name = name.split('.').next().unwrap_or(name);
        if let Some(at) = self.exercises.iter().position(|exercise| exercise.name == name) {
            return Ok(at);
        }
        let near: Vec<String> = self.near(name).iter().map(|name| format!("`{name}`")).collect();
        if near.is_empty() {
            bail!("there is no exercise `{typed}`; `list` prints all of them");
        }
        bail!("there is no exercise `{typed}`; did you mean {}?", near.join(" or "))
    }

    /// At most three names that may have been meant, the nearest first.
    fn near(&self, typed: &str) -> Vec<&str> {
        let distance = |name: &str| strsim::jaro_winkler(name, typed);
        let is_near = |name: &str| !typed.is_empty() && (name.contains(typed) || distance(name) > 0.85);
        let names = self.exercises.iter().map(|exercise| exercise.name.as_str());
        let mut near: Vec<&str> = names.filter(|name| is_near(name)).collect();
        near.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        near.truncate(3);
        near
    }

    /// The first exercise after this one that is not passed, or otherwise the first of all.
    pub fn next_open(&self, done: &Done, after: Option<usize>) -> Option<usize> {
        let first = after.map_or(0, |at| at + 1);
        let order = (first..self.exercises.len()).chain(0..first.min(self.exercises.len()));
        let is_open = |at: &usize| !done.has_passed(&self.exercises[*at].name);
        order.into_iter().find(is_open)
    }

    /// How many are passed.
    pub fn passed(&self, done: &Done) -> usize {
        self.exercises.iter().filter(|exercise| done.has_passed(&exercise.name)).count()
    }
}
