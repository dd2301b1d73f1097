//! The learner's files: a copy of each starter, created when it is first needed, in a folder that git ignores.
//!
//! Nothing here overwrites what a learner wrote: after a reset, the old text is beside the new one. What it leaves out:
//! noticing that a file changed, which is in `watch.rs`.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use grader::Exercise;
use thirty_two_lanes::files::{self, why};

use crate::lock::Lock;

/// More than any attempt needs; a longer file is there by mistake.
const LONGEST_BYTES: u64 = 1 << 20;

/// The folder with the learner's files.
#[derive(Clone, Debug)]
pub struct Desk {
    folder: PathBuf,
}

/// The contents of a learner's file.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Its text, with LF line ends.
    Text(String),
    /// There is no such file.
    Nothing,
    /// It cannot be graded, for this reason.
    Unreadable(String),
}

impl Desk {
    /// The files in this folder, which need not exist yet.
    pub fn new(folder: &Path) -> Desk {
        Desk { folder: folder.to_owned() }
    }

    /// Whether no exercise has been begun.
    pub fn is_empty(&self) -> bool {
        let is_hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
        let mut entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.all(|entry| is_hidden(&entry.file_name()))
    }

    /// The path of the progress file.
    pub fn progress_file(&self) -> PathBuf {
        self.folder.join("progress.toml")
    }

    /// The path of the learner's file of an exercise.
    pub fn file(&self, exercise: &Exercise) -> PathBuf {
        self.folder.join(exercise.chapter_name()).join(exercise.file_name())
    }

    /// That path as it is shown: relative to the current folder, if it is inside it.
    pub fn shown(&self, exercise: &Exercise) -> String {
        shown(&self.file(exercise))
    }

    /// Writes the starter if the learner's file is missing.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn lay_out(&self, exercise: &Exercise) -> Result<()> {
        let file = self.file(exercise);
        // A dangling link or a folder is not missing. Reading it reports what it is.
        if is_there(&file) {
            return Ok(());
        }
        let _lock = self.lock(&file)?;
        if is_there(&file) { Ok(()) } else { write(&file, exercise.starter()) }
    }

    /// Reads the learner's file.
    pub fn read(&self, exercise: &Exercise) -> Found {
        let file = self.file(exercise);
        let unreadable = |why: &str| Found::Unreadable(format!("cannot read `{}`: {why}", shown(&file)));
        match fs::metadata(&file) {
            Ok(about) if about.len() > LONGEST_BYTES => {
                return unreadable("it is larger than 1 MiB; put the exercise's text back");
            }
            Ok(about) if !about.is_file() && !about.is_dir() => {
                return unreadable("it is a pipe or a device; put a file in its place");
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Found::Nothing,
            _ => {}
        }
        match files::read(&file, LONGEST_BYTES).map(String::from_utf8) {
            Ok(Ok(text)) => Found::Text(text.replace("\r\n", "\n")),
            Ok(Err(_)) => unreadable("it is not text in UTF-8; save it with that encoding"),
            Err(why) => unreadable(&why),
        }
    }

    /// Replaces the learner's file by the starter, and returns the path to which the old file was moved. No file that was
    /// kept earlier is replaced.
    ///
    /// # Errors
    /// When a file cannot be moved or written.
    pub fn reset(&self, exercise: &Exercise) -> Result<Option<PathBuf>> {
        let (file, starter) = (self.file(exercise), exercise.starter());
        let _lock = self.lock(&file)?;
        if !is_there(&file) {
            return write(&file, starter).map(|()| None);
        }
        if self.read(exercise) == Found::Text(starter.to_owned()) {
            return Ok(None);
        }
        let kept = keep(&file, |number| format!("{}.old{number}", exercise.file_name()))
            .map_err(|error| anyhow!("cannot move `{}`: {}", shown(&file), why(&file, &error)))?;
        write(&file, starter).map(|()| Some(kept))
    }

    fn lock(&self, file: &Path) -> Result<Lock> {
        Lock::take(&self.folder)
            .map_err(|error| anyhow!("cannot write `{}`: {}", shown(file), why(&self.folder, &error)))
    }
}

/// Moves a file beside itself, under the first name that nothing has. The name is made of a number, which is empty the
/// first time and `.2` the second.
///
/// # Errors
/// When it cannot be moved.
pub fn keep(file: &Path, name: impl Fn(&str) -> String) -> io::Result<PathBuf> {
    let numbers = std::iter::once(String::new()).chain((2_u64..).map(|number| format!(".{number}")));
    let mut names = numbers.map(|number| file.with_file_name(name(&number)));
    let kept = names.find(|kept| !is_there(kept)).ok_or(ErrorKind::AlreadyExists)?;
    fs::rename(file, &kept).map(|()| kept)
}

/// Whether there is anything, even a link to nothing.
fn is_there(file: &Path) -> bool {
    file.symlink_metadata().is_ok()
}

/// A path as it is shown.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    below.unwrap_or_else(|| path.to_owned()).display().to_string()
}

fn write(file: &Path, text: &str) -> Result<()> {
    write_whole(file, text).map_err(|error| anyhow!("cannot write `{}`: {}", shown(file), why(file, &error)))
}

/// Writes a file, and creates its folder, so that either all of it is there or nothing has changed.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    files::write(file, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exercise() -> Exercise {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        grader::all(&fixtures).unwrap().swap_remove(1)
    }

    #[test]
    fn a_file_is_laid_out_once() {
        let (folder, exercise) = (tempfile::tempdir().unwrap(), exercise());
        let desk = Desk::new(folder.path());
        assert_eq!((desk.read(&exercise), desk.is_empty()), (Found::Nothing, true));
        desk.lay_out(&exercise).unwrap();
        assert!(!desk.is_empty());
        assert_eq!(desk.read(&exercise), Found::Text(exercise.starter().to_owned()));
        fs::write(desk.file(&exercise), "mine\r\n").unwrap();
        desk.lay_out(&exercise).unwrap();
        assert_eq!(desk.read(&exercise), Found::Text("mine\n".to_owned()));
    }

    #[test]
    fn a_reset_keeps_the_old_text() {
        let (folder, exercise) = (tempfile::tempdir().unwrap(), exercise());
        let desk = Desk::new(folder.path());
        assert_eq!(desk.reset(&exercise).unwrap(), None);
        assert_eq!(desk.reset(&exercise).unwrap(), None, "there is nothing to keep of a starter");
        fs::write(desk.file(&exercise), "mine").unwrap();
        let kept = desk.reset(&exercise).unwrap().unwrap();
        assert_eq!(fs::read_to_string(&kept).unwrap(), "mine");
        fs::write(desk.file(&exercise), "mine again").unwrap();
        let again = desk.reset(&exercise).unwrap().unwrap();
        fs::create_dir(again.with_extension("3")).unwrap();
        fs::write(desk.file(&exercise), "mine for the third time").unwrap();
        let third = desk.reset(&exercise).unwrap().unwrap();
        let texts = [&kept, &again, &third].map(|kept| fs::read_to_string(kept).unwrap());
        assert_eq!(texts, ["mine", "mine again", "mine for the third time"]);
        assert!(again.to_string_lossy().ends_with(".old.2") && third.to_string_lossy().ends_with(".old.4"));
        assert_eq!(desk.read(&exercise), Found::Text(exercise.starter().to_owned()));
    }

    #[test]
    fn what_is_no_text_is_unreadable() {
        let (folder, exercise) = (tempfile::tempdir().unwrap(), exercise());
        let desk = Desk::new(folder.path());
        let refused = |words: &str| match desk.read(&exercise) {
            Found::Unreadable(why) => assert!(why.contains(words), "{why}"),
            found => panic!("{found:?}"),
        };
        fs::create_dir_all(desk.file(&exercise)).unwrap();
        refused("it is a directory");
        fs::remove_dir(desk.file(&exercise)).unwrap();
        fs::write(desk.file(&exercise), [0xff, 0xfe, b'a', 0]).unwrap();
        refused("not text in UTF-8");
        fs::write(desk.file(&exercise), vec![b'a'; 2 << 20]).unwrap();
        refused("larger than 1 MiB");
    }

    /// Opening a pipe would wait until another program writes to it.
    #[cfg(unix)]
    #[test]
    fn a_pipe_or_a_device_is_unreadable_and_can_be_reset() {
        let (folder, exercise) = (tempfile::tempdir().unwrap(), exercise());
        let desk = Desk::new(folder.path());
        let file = desk.file(&exercise);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let pipe = || assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        let link = |to: &str| std::os::unix::fs::symlink(to, &file).unwrap();
        let make: [&dyn Fn(); 3] = [&pipe, &|| link("/dev/zero"), &|| link("/dev/stdin")];
        for make in make {
            make();
            assert!(
                matches!(desk.read(&exercise), Found::Unreadable(why) if why.contains("a pipe or a device")),
            );
            desk.lay_out(&exercise).unwrap();
            desk.reset(&exercise).unwrap().unwrap();
            assert_eq!(desk.read(&exercise), Found::Text(exercise.starter().to_owned()));
            fs::remove_file(&file).unwrap();
        }
    }
}
