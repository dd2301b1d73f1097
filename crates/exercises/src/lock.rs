//! One instance of this program at a time changes the files of a learner.
//!
//! The system releases the lock when the program ends, however it ends, so none is left over. What it leaves out: file
//! systems that have no locks, on which the instances do without, and editors, which know nothing of it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Each change takes milliseconds, so only an instance that was stopped keeps others waiting for that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often to try.
const SOON: Duration = Duration::from_millis(3);

/// The name of the file that is locked. It is empty, and stays.
const NAME: &str = ".lock";

/// The lock of a folder, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of a folder, which is created.
    ///
    /// # Errors
    /// If the folder cannot be written, or another instance does not release it.
    pub fn take(folder: &Path) -> Result<Lock> {
        fs::create_dir_all(folder)?;
        let file = OpenOptions::new().create(true).append(true).open(folder.join(NAME))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    return Ok(Lock { _file: file });
                }
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => {
                    let why = "another instance of this program keeps the folder locked: end it";
                    return Err(Error::new(ErrorKind::TimedOut, why));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(SOON),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_has_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let counted = folder.path().join("new/count");
        let count = || fs::read_to_string(&counted).map_or(0, |text| text.parse::<u32>().unwrap());
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _lock = Lock::take(&folder.path().join("new")).unwrap();
                        fs::write(&counted, (count() + 1).to_string()).unwrap();
                    }
                });
            }
        });
        assert_eq!(count(), 160);
    }
}
