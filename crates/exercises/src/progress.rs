//! A learner's progress: which exercises are passed, and how many hints were shown.
//!
//! It is stored in a small file that is replaced as a whole, so that a crash cannot leave half of it. Changes are
//! remembered until they are written. So nothing is lost if the disk is full, because the next save tries again, and
//! two programs that run at the same time do not undo each other's changes. What it leaves out: the learner's files,
//! which are in `desk.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::desk::{shown, write_whole};

/// The version of the format. The book's pages read and write the same (`book/theme/editor/progress.js`).
const VERSION: u32 = 1;

/// The progress, by names of exercises. Unknown names are kept, because another branch may have those exercises.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The version of the format. Files without it are of the first version.
    #[serde(default = "first_version")]
    pub version: u32,
    /// The exercises that were passed once. Breaking the file later does not remove them.
    #[serde(default)]
    pub passed: BTreeSet<String>,
    /// How many hints were shown.
    #[serde(default)]
    pub hints: BTreeMap<String, usize>,
}

fn first_version() -> u32 {
    VERSION
}

impl Default for Done {
    fn default() -> Done {
        Done { version: VERSION, passed: BTreeSet::new(), hints: BTreeMap::new() }
    }
}

impl Done {
    /// Whether an exercise was passed.
    pub fn has_passed(&self, name: &str) -> bool {
        self.passed.contains(name)
    }

    /// How many of its hints were shown.
    pub fn hints_seen(&self, name: &str) -> usize {
        self.hints.get(name).copied().unwrap_or(0)
    }

    /// Applies a change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Passed(name) => {
                self.passed.insert(name.clone());
            }
            Change::Hint(name, seen) => {
                let hints = self.hints.entry(name.clone()).or_default();
                *hints = (*hints).max(*seen);
            }
            Change::Reset(name) => {
                self.passed.remove(name);
                self.hints.remove(name);
            }
        }
    }
}

/// A change to the progress of an exercise.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It was passed.
    Passed(String),
    /// This many of its hints have been shown.
    Hint(String, usize),
    /// It was reset.
    Reset(String),
}

/// The progress, and the file in which it is stored.
#[derive(Debug)]
pub struct Progress {
    /// The progress, whether written or not.
    pub done: Done,
    file: PathBuf,
    unsaved: Vec<Change>,
}

impl Progress {
    /// Reads a file, or begins with nothing if there is none. The second value is a message in case the file could not
    /// be understood; it is then moved aside, and not lost.
    ///
    /// # Errors
    /// If the file exists and can be neither read nor moved aside.
    pub fn load(file: &Path) -> Result<(Progress, Option<String>)> {
        let new = |done| Progress { done, file: file.to_owned(), unsaved: Vec::new() };
        match read(file) {
            Ok(done) => Ok((new(done.unwrap_or_default()), None)),
            Err(why) => Ok((new(Done::default()), Some(put_aside(file, &why)?))),
        }
    }

    /// Records a change and writes it, together with those that could not be written before.
    ///
    /// # Errors
    /// If it cannot be written; it is kept and written with the next one.
    pub fn record(&mut self, change: Change) -> Result<()> {
        self.done.apply(&change);
        self.unsaved.push(change);
        self.save()
    }

    /// Whether everything has been written.
    pub fn is_saved(&self) -> bool {
        self.unsaved.is_empty()
    }

    /// Writes what has not been written.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&mut self) -> Result<()> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        // Changes that another instance of this program has written meanwhile are kept, unless the file cannot be
        // understood any more.
        if let Ok(Some(mut written)) = read(&self.file) {
            self.unsaved.iter().for_each(|change| written.apply(change));
            self.done = written;
        }
        write(&self.file, &self.done)
            .with_context(|| format!("progress cannot be saved in `{}`", shown(&self.file)))?;
        self.unsaved.clear();
        Ok(())
    }
}

/// The progress in a file, if there is one.
fn read(file: &Path) -> Result<Option<Done>> {
    match fs::read_to_string(file) {
        Ok(text) => {
            // A newer file may have fields that are not known here, so its version is read first.
            let table: toml::Table = text.parse()?;
            let version = table.get("version").and_then(toml::Value::as_integer).unwrap_or(1);
            ensure!(version <= i64::from(VERSION), "a newer version of this program has written it");
            Ok(Some(table.try_into()?))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => anyhow::bail!("{}", thirty_two_lanes::files::why(file, &error)),
    }
}

fn put_aside(file: &Path, why: &anyhow::Error) -> Result<String> {
    let aside = file.with_extension("broken.toml");
    let why = format!("{why}").lines().next().unwrap_or_default().to_owned();
    fs::rename(file, &aside)
        .with_context(|| format!("`{}` cannot be read ({why}), and cannot be moved", shown(file)))?;
    Ok(format!("your progress could not be read, so it starts again; the old file is `{}`", shown(&aside)))
}

const HEAD: &str = "# Progress of the exercises, written by the program `exercises`.\n";

fn write(file: &Path, done: &Done) -> Result<()> {
    write_whole(file, &format!("{HEAD}{}", toml::to_string(done)?))
        .map_err(|error| anyhow::anyhow!("{}", thirty_two_lanes::files::why(file, &error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(name: &str) -> Change {
        Change::Passed(name.to_owned())
    }

    fn load(file: &Path) -> Progress {
        let (progress, trouble) = Progress::load(file).unwrap();
        assert_eq!(trouble, None);
        progress
    }

    #[test]
    fn progress_is_there_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/progress.toml");
        let mut progress = load(&file);
        progress.record(passed("one")).unwrap();
        progress.record(Change::Hint("two".to_owned(), 2)).unwrap();
        progress.record(Change::Hint("two".to_owned(), 1)).unwrap();
        let again = load(&file);
        assert_eq!(again.done, progress.done);
        assert!(again.done.has_passed("one") && again.done.hints_seen("two") == 2);
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_cannot_be_written_is_written_later() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("mine");
        let file = blocked.join("progress.toml");
        let mut progress = load(&file);
        fs::write(&blocked, "a file where the folder should be").unwrap();
        let error = progress.record(passed("one")).unwrap_err();
        assert!(format!("{error:#}").starts_with("progress cannot be saved in `"), "{error:#}");
        assert!(progress.done.has_passed("one") && !progress.is_saved());
        fs::remove_file(&blocked).unwrap();
        progress.record(passed("two")).unwrap();
        assert!(progress.is_saved());
        assert_eq!(load(&file).done.passed.len(), 2);
    }

    #[test]
    fn two_programs_at_once_keep_what_both_did() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("progress.toml");
        let (mut first, mut second) = (load(&file), load(&file));
        first.record(passed("one")).unwrap();
        second.record(passed("two")).unwrap();
        first.record(Change::Reset("one".to_owned())).unwrap();
        assert_eq!(load(&file).done.passed, BTreeSet::from(["two".to_owned()]));
    }

    #[test]
    fn a_file_that_goes_away_takes_nothing_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("progress.toml");
        let mut progress = load(&file);
        progress.record(passed("one")).unwrap();
        fs::remove_file(&file).unwrap();
        progress.record(passed("two")).unwrap();
        assert_eq!(load(&file).done.passed.len(), 2);
    }

    #[test]
    fn a_file_of_the_books_pages_is_read_and_a_newer_one_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("progress.toml");
        // As `book/theme/editor/progress.js` writes it.
        let page = "# Progress of the exercises, written by the book.\nversion = 1\npassed = [\n    \"one\",\n]\n\n[hints]\ntwo = 2\n";
        fs::write(&file, page).unwrap();
        let mut progress = load(&file);
        assert!(progress.done.has_passed("one") && progress.done.hints_seen("two") == 2);
        progress.record(passed("three")).unwrap();
        assert!(fs::read_to_string(&file).unwrap().contains("\nversion = 1\npassed = ["));
        fs::write(&file, "version = 2\nfinished = [\"one\"]\n").unwrap();
        let (progress, trouble) = Progress::load(&file).unwrap();
        assert!(trouble.unwrap().contains("progress.broken.toml"));
        assert!(!progress.done.has_passed("one"));
        assert_eq!(read(&file).unwrap(), None);
        let newer = folder.path().join("progress.broken.toml");
        assert!(read(&newer).unwrap_err().to_string().contains("a newer version"));
    }

    #[test]
    fn a_broken_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("progress.toml");
        fs::write(&file, "passed = [\"one\"").unwrap();
        let (mut progress, trouble) = Progress::load(&file).unwrap();
        assert!(trouble.unwrap().contains("progress.broken.toml"));
        progress.record(passed("two")).unwrap();
        let kept = fs::read_to_string(folder.path().join("progress.broken.toml")).unwrap();
        assert_eq!(kept, "passed = [\"one\"");
    }
}
