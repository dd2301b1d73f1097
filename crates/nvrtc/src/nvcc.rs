//! The compiler's command-line form, for machines where `nvcc` is on `PATH` and the library cannot be found.
//!
//! It works on files. The program is written into a temporary folder of its own, so that the PTX can mention only its
//! bare name.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::start::command;
use crate::version::Version;
use crate::{Options, Source};

/// Distinguishes the folders of one process.
static NEXT_FOLDER: AtomicU32 = AtomicU32::new(0);

/// Asks for the version; `None` if the program does not run or prints something else.
pub(crate) fn version(nvcc: &Path) -> Option<Version> {
    let output = command(nvcc).arg("--version").output().ok()?;
    read_version(&String::from_utf8_lossy(&output.stdout))
}

/// Compiles to PTX; the error is what the compiler wrote.
pub(crate) fn compile(nvcc: &Path, source: &Source, options: &Options) -> Result<String, String> {
    let folder = Folder::new().map_err(|error| error.to_string())?;
    // A name that begins with a hyphen would be read as an option.
    let file =
        if source.name.starts_with('-') { format!("./{}", source.name) } else { source.name.to_owned() };
    fs::write(folder.0.join(&file), source.text).map_err(|error| error.to_string())?;
    let output = command(nvcc)
        .current_dir(&folder.0)
        .args(options.command_line(&[]))
        .args(["-ptx", &file, "-o", "out.ptx"])
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    fs::read_to_string(folder.0.join("out.ptx")).map_err(|error| error.to_string())
}

/// Reads `Cuda compilation tools, release 12.0, V12.0.140`.
fn read_version(text: &str) -> Option<Version> {
    let numbers = text.split("release ").nth(1)?.split(',').next()?;
    let (major, minor) = numbers.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

/// A folder that is removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let number = NEXT_FOLDER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lanes-nvcc-{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays in the system's temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_in_the_release_line() {
        let text = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\n";
        assert_eq!(read_version(text), Some(Version { major: 13, minor: 0 }));
        assert_eq!(read_version("something else"), None);
    }
}
