//! Files: read within a bound, and written so that all of a file is there or nothing has changed; and why neither can be.
//!
//! What it leaves out: pipes and devices, which are not read, because they may never end. They are written to as they are.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const DIRECTORY: &str = "it is a directory; name a file in it";

/// Why a file cannot be read or written, and what to do.
pub fn why(file: &Path, error: &io::Error) -> String {
    if file.is_dir() {
        return DIRECTORY.to_owned();
    }
    match error.kind() {
        ErrorKind::NotFound => "there is no such file; check its name".to_owned(),
        ErrorKind::PermissionDenied => "access is denied; check its permissions".to_owned(),
        _ => error.to_string(),
    }
}

/// The bytes of a file that has at most so many.
///
/// # Errors
/// Why it cannot be read, and what to do.
pub fn read(file: &Path, most: u64) -> Result<Vec<u8>, String> {
    let bytes = read_up_to(file, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {most} bytes; give a smaller file"));
    }
    Ok(bytes)
}

/// The first bytes of a file, at most so many.
///
/// # Errors
/// As [`read`].
pub fn read_up_to(file: &Path, most: u64) -> Result<Vec<u8>, String> {
    let failed = |error: io::Error| why(file, &error);
    // Opening a pipe would wait until another program writes to it.
    let kind = fs::metadata(file).map_err(failed)?.file_type();
    if kind.is_dir() {
        return Err(DIRECTORY.to_owned());
    }
    if !kind.is_file() {
        return Err("it is a device or a pipe; name a file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(file).and_then(|opened| opened.take(most).read_to_end(&mut bytes)).map_err(failed)?;
    Ok(bytes)
}

/// Writes a file as a whole.
///
/// # Errors
/// It cannot be written; then the file is as it was.
pub fn write(file: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut new = NewFile::create(file.as_ref())?;
    new.write_all(bytes.as_ref())?;
    new.finish()
}

/// Whether a file could be written now.
///
/// # Errors
/// Why not.
pub fn try_out(file: &Path) -> io::Result<()> {
    if is_special(file) { Ok(()) } else { NewFile::create(file).map(drop) }
}

/// Where a path leads: two paths are equal then if and only if writing to both would write to one file.
pub fn place(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| {
        let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        file.file_name().map_or_else(|| file.to_owned(), |name| folder.join(name))
    })
}

/// Whether there is something that is no file, such as a device or a pipe.
fn is_special(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|known| !known.is_file() && !known.is_dir())
}

/// A file that is being written. It is beside the old one, whose place it takes in the end, so a full disk, an error, a signal or
/// a crash leaves the old one.
#[derive(Debug)]
pub struct NewFile {
    out: BufWriter<File>,
    /// Where it is until then; `None` for what cannot be replaced.
    beside: Option<PathBuf>,
    file: PathBuf,
}

impl NewFile {
    /// Begins a file.
    ///
    /// # Errors
    /// It cannot be created, or the old one may not be written.
    pub fn create(file: &Path) -> io::Result<NewFile> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // A link stays one.
        let file = place(file);
        if is_special(&file) {
            let out = BufWriter::new(OpenOptions::new().write(true).open(&file)?);
            return Ok(NewFile { out, beside: None, file });
        }
        let old = fs::metadata(&file).ok();
        if old.is_some() {
            OpenOptions::new().append(true).open(&file)?;
        }
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let beside = file.with_file_name(format!(".new-{process}-{count}.tmp"));
        let out = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        let new = NewFile { out: BufWriter::new(out), beside: Some(beside), file };
        if let Some(old) = old {
            new.out.get_ref().set_permissions(old.permissions())?;
        }
        Ok(new)
    }

    /// Puts the file in the place of the old one.
    ///
    /// # Errors
    /// It cannot be written; then the old one stays.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let Some(beside) = &self.beside else { return Ok(()) };
        self.out.get_ref().sync_all()?;
        fs::rename(beside, &self.file)?;
        self.beside = None;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // Nothing more can be done about it.
            let _ = fs::remove_file(beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_is_read_up_to_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, [7; 10]).unwrap();
        assert_eq!((read(&file, 10), read_up_to(&file, 4)), (Ok(vec![7; 10]), Ok(vec![7; 4])));
        assert_eq!(read(&file, 9).unwrap_err(), "it has more than 9 bytes; give a smaller file");
        assert_eq!(read(folder.path(), 9).unwrap_err(), DIRECTORY);
        assert!(read(&folder.path().join("b"), 9).unwrap_err().contains("no such file"));
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for file in [Path::new("/dev/zero"), Path::new("/dev/null"), &pipe] {
            assert!(read(file, 9).unwrap_err().contains("a device or a pipe"), "{}", file.display());
        }
    }

    #[test]
    fn a_file_that_is_given_up_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        for old in [None, Some("old")] {
            if let Some(old) = old {
                fs::write(&file, old).unwrap();
            }
            let mut new = NewFile::create(&file).unwrap();
            new.write_all(&vec![1; 100_000]).unwrap();
            drop(new);
            try_out(&file).unwrap();
            assert_eq!(fs::read_to_string(&file).ok().as_deref(), old);
        }
        write(&file, b"new").unwrap();
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), names(folder.path()).len()), ("new", 1));
        assert!(write(folder.path(), b"new").is_err() && write(folder.path().join("b/c"), b"new").is_err());
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_permissions_and_devices_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        assert_eq!(place(&link), place(&file));
        write(&link, b"new").unwrap();
        assert!(link.is_symlink() && fs::read_to_string(&file).unwrap() == "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        write("/dev/null", b"new").unwrap();
        assert!(is_special(Path::new("/dev/null")));
        if Path::new("/dev/full").exists() {
            assert_eq!(write("/dev/full", b"new").unwrap_err().kind(), ErrorKind::StorageFull);
        }
    }
}
