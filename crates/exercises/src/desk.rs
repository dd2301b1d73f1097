//! The learner's files: a copy of each starter, created when it is first needed, in a folder that git ignores.
//!
//! Nothing here overwrites what a learner wrote: after a reset, the old text is beside the new one. What it leaves out:
//! noticing that a file changed, which is in `watch.rs`.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use grader::Exercise;
use thirty_two_lanes::files::why;

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
        fs::read_dir(&self.folder).map_or(true, |mut entries| entries.next().is_none())
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
        if file.symlink_metadata().is_ok() {
            return Ok(());
        }
        write(&file, exercise.starter())
    }

    /// Reads the learner's file.
    pub fn read(&self, exercise: &Exercise) -> Found {
        let file = self.file(exercise);
        match fs::metadata(&file) {
            Ok(about) if about.len() > LONGEST_BYTES => {
                return Found::Unreadable(format!(
                    "`{}` is larger than 1 MiB; put the exercise's text back",
                    shown(&file)
                ));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Found::Nothing,
            _ => {}
        }
        match fs::read_to_string(&file) {
            Ok(text) => Found::Text(text.replace("\r\n", "\n")),
            Err(error) if error.kind() == ErrorKind::NotFound => Found::Nothing,
            Err(error) => {
                Found::Unreadable(format!("cannot read `{}`: {}", shown(&file), reason(&file, &error)))
            }
        }
    }

    /// Replaces the learner's file by the starter, and returns the path to which the old file was moved.
    ///
    /// # Errors
    /// When a file cannot be moved or written.
    pub fn reset(&self, exercise: &Exercise) -> Result<Option<PathBuf>> {
        let (file, starter) = (self.file(exercise), exercise.starter());
        if file.symlink_metadata().is_err() {
            return write(&file, starter).map(|()| None);
        }
        if self.read(exercise) == Found::Text(starter.to_owned()) {
            return Ok(None);
        }
        let kept = file.with_file_name(format!("{}.old", exercise.file_name()));
        fs::rename(&file, &kept)
            .map_err(|error| anyhow::anyhow!("cannot move `{}`: {}", shown(&file), why(&kept, &error)))?;
        write(&file, starter).map(|()| Some(kept))
    }
}

/// A path as it is shown.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    below.unwrap_or_else(|| path.to_owned()).display().to_string()
}

fn reason(file: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::InvalidData => "it is not text in UTF-8; save it with that encoding".to_owned(),
        _ => why(file, error),
    }
}

fn write(file: &Path, text: &str) -> Result<()> {
    write_whole(file, text)
        .map_err(|error| anyhow::anyhow!("cannot write `{}`: {}", shown(file), why(file, &error)))
}

/// Writes a file, and creates its folder, so that either all of it is there or nothing has changed: the text is first
/// written beside it, which may fail on a full disk, and then renamed.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = write_synced(&beside, text).and_then(|()| fs::rename(&beside, file));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_synced(file: &Path, text: &str) -> std::io::Result<()> {
    let mut written = fs::File::create(file)?;
    written.write_all(text.as_bytes())?;
    written.sync_all()
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
        assert_eq!(fs::read_to_string(kept).unwrap(), "mine");
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
}
