//! A learner's progress: which exercises are passed, and how many hints were shown.
//!
//! It is stored in a small file that is replaced as a whole, so that a crash cannot leave half of it. Changes are
//! remembered until they are written. So nothing is lost if the disk is full, because the next save tries again, and
//! programs that run at the same time do not undo each other's changes: each reads the file and writes it under a lock.
//! A file that cannot be understood is moved aside, whenever it appears. What it leaves out: the learner's files, which
//! are in `desk.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use thirty_two_lanes::files;

use crate::desk::{keep, shown, write_whole};
use crate::lock::Lock;

/// The version of the format. The book's pages read and write the same (`book/theme/editor/progress.js`).
const VERSION: u32 = 1;

/// More than the progress of any course.
const LONGEST_BYTES: u64 = 1 << 20;

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
        let done = Done::default();
        let mut progress = Progress { done, file: file.to_owned(), unsaved: Vec::new() };
        if let Ok(done) = read(file) {
            progress.done = done.unwrap_or_default();
            return Ok((progress, None));
        }
        let _lock = progress.lock()?;
        let note = progress.merge()?;
        Ok((progress, note))
    }

    /// Records a change and writes it, together with those that could not be written before. The value is a message in
    /// case the file could not be understood any more, and was moved aside.
    ///
    /// # Errors
    /// If it cannot be written; it is kept and written with the next one.
    pub fn record(&mut self, change: Change) -> Result<Option<String>> {
        self.done.apply(&change);
        self.unsaved.push(change);
        self.save()
    }

    /// Records that one more hint of an exercise was shown, of at most so many, and returns how many were shown before.
    /// Several programs that do so at the same time show one hint after the other.
    ///
    /// # Errors
    /// As [`Progress::record`]; the number is that of this program.
    pub fn next_hint(&mut self, name: &str, most: usize) -> (usize, Result<Option<String>>) {
        let lock = self.lock();
        let merged = lock.as_ref().map_err(|error| anyhow!("{error:#}")).and_then(|_| self.merge());
        let seen = self.done.hints_seen(name);
        if seen < most {
            let change = Change::Hint(name.to_owned(), seen + 1);
            self.done.apply(&change);
            self.unsaved.push(change);
        }
        (seen, merged.and_then(|note| self.write().map(|()| note)))
    }

    /// Whether everything has been written.
    pub fn is_saved(&self) -> bool {
        self.unsaved.is_empty()
    }

    /// Writes what has not been written.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&mut self) -> Result<Option<String>> {
        if self.unsaved.is_empty() {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let note = self.merge()?;
        self.write().map(|()| note)
    }

    fn lock(&self) -> Result<Lock> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let lock = Lock::take(folder).map_err(|error| anyhow!("{}", files::why(folder, &error)));
        lock.with_context(|| self.unsaved())
    }

    /// Keeps what other instances of this program have written meanwhile, or moves aside what cannot be understood.
    fn merge(&mut self) -> Result<Option<String>> {
        match read(&self.file) {
            Ok(Some(mut written)) => {
                self.unsaved.iter().for_each(|change| written.apply(change));
                self.done = written;
                Ok(None)
            }
            Ok(None) => Ok(None),
            Err(why) => put_aside(&self.file, &why).map(Some),
        }
    }

    fn write(&mut self) -> Result<()> {
        if !self.unsaved.is_empty() {
            write(&self.file, &self.done).with_context(|| self.unsaved())?;
            self.unsaved.clear();
        }
        Ok(())
    }

    fn unsaved(&self) -> String {
        format!("progress cannot be saved in `{}`", shown(&self.file))
    }
}

/// The progress in a file, if there is one.
fn read(file: &Path) -> Result<Option<Done>> {
    if matches!(fs::metadata(file), Err(error) if error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let text = String::from_utf8(files::read(file, LONGEST_BYTES).map_err(anyhow::Error::msg)?)?;
    // A newer file may have fields that are not known here, so its version is read first.
    let table: toml::Table = text.parse()?;
    let version = table.get("version").and_then(toml::Value::as_integer).unwrap_or(1);
    ensure!(version <= i64::from(VERSION), "a newer version of this program has written it");
    Ok(Some(table.try_into()?))
}

fn put_aside(file: &Path, why: &anyhow::Error) -> Result<String> {
    let why = format!("{why}").lines().next().unwrap_or_default().to_owned();
    let aside = keep(file, |number| format!("progress.broken{number}.toml"))
        .with_context(|| format!("`{}` cannot be read ({why}), and cannot be moved", shown(file)))?;
    Ok(format!("your progress could not be read, so it starts again; the old file is `{}`", shown(&aside)))
}

const HEAD: &str = "# Progress of the exercises, written by the program `exercises`.\n";

fn write(file: &Path, done: &Done) -> Result<()> {
    write_whole(file, &format!("{HEAD}{}", toml::to_string(done)?))
        .map_err(|error| anyhow!("{}", files::why(file, &error)))
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
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 2, "beside it is only the lock");
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
    /// Whatever appears while the program runs: it is kept, each file under a name of its own, and so is what this program
    /// knows.
    #[test]
    fn what_cannot_be_understood_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("progress.toml");
        let mut progress = load(&file);
        let broken = ["version = 2\nfinished = [\"one\"]\n", "passed = [\"one\"", "passed = 3\n", "\u{0}"];
        for (nth, text) in broken.iter().enumerate() {
            fs::write(&file, text).unwrap();
            let note = match nth {
                1 => Progress::load(&file).unwrap().1,
                2 => progress.next_hint("two", 3).1.unwrap(),
                _ => progress.record(passed(&format!("number_{nth}"))).unwrap(),
            };
            assert!(note.is_some_and(|note| note.contains("progress.broken")), "{text}");
        }
        let names = [
            "progress.broken.toml",
            "progress.broken.2.toml",
            "progress.broken.3.toml",
            "progress.broken.4.toml",
        ];
        let kept = names.map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
        assert_eq!(kept, broken);
        let done = load(&file).done;
        assert!(done.has_passed("number_0") && done.has_passed("number_3") && done.hints_seen("two") == 1);
    }

    #[test]
    fn many_programs_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("progress.toml");
        std::thread::scope(|scope| {
            for nth in 0..16 {
                let file = &file;
                scope.spawn(move || {
                    let mut progress = Progress::load(file).unwrap().0;
                    progress.record(passed(&format!("exercise_{nth}"))).unwrap();
                    progress.next_hint("one", 100).1.unwrap();
                    progress.record(Change::Hint(format!("exercise_{nth}"), 2)).unwrap();
                });
            }
        });
        let done = load(&file).done;
        assert_eq!((done.passed.len(), done.hints.len(), done.hints_seen("one")), (16, 17, 16));
    }
}
