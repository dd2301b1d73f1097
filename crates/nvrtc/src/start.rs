//! Starting programs and opening libraries so that the current folder has no say in what runs.
//!
//! A reader tries kernels of others in a folder of others, and nothing beside a kernel may run. A Python that is asked
//! something imports what lies in its current folder, an installer reads its settings there, and loaders of libraries
//! look there too, on Windows always and elsewhere if a variable says so. What it leaves out: folders that the reader
//! has put on `PATH` by their whole names.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command for a program with a whole path, in a folder where only the system has files.
pub fn command(program: &Path) -> Command {
    debug_assert!(program.is_absolute(), "`{}` is looked for", program.display());
    let mut command = Command::new(program);
    command.current_dir(neutral(program));
    command
}

fn neutral(program: &Path) -> PathBuf {
    if cfg!(not(windows)) {
        return PathBuf::from("/");
    }
    // The root of a drive is open to everybody on Windows.
    let system = env::var_os("SystemRoot").map(PathBuf::from).filter(|folder| folder.is_absolute());
    system.or_else(|| program.parent().map(Path::to_owned)).unwrap_or_default()
}

/// The folders in a variable such as `PATH` that do not depend on the current folder; an empty one means that folder.
pub(crate) fn whole(folders: &std::ffi::OsStr) -> Vec<PathBuf> {
    env::split_paths(folders).filter(|folder| folder.is_absolute()).collect()
}

/// Makes the system's loader of libraries leave out the current folder, or names the file that it would open there: one
/// whose name begins with one of `names`.
///
/// # Errors
/// If the variable of the loader names a folder relative to the current one, and it has such a file.
pub fn loads_nothing_from_here(names: &[&str]) -> Result<(), String> {
    crate::ffi::leave_out_current_folder();
    if cfg!(windows) {
        return Ok(());
    }
    let folders = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    match found_here(&folders, names) {
        Some(file) => Err(format!(
            "`{}` would be opened, because `LD_LIBRARY_PATH` contains the current folder: remove it there",
            file.display()
        )),
        None => Ok(()),
    }
}

fn found_here(folders: &std::ffi::OsStr, names: &[&str]) -> Option<PathBuf> {
    // The loader accepts semicolons too, and takes an empty variable for a missing one.
    let folders = folders.to_str()?.split([':', ';']).filter(|_| !folders.is_empty());
    let relative = folders.map(|folder| Path::new(if folder.is_empty() { "." } else { folder }));
    let mut files = relative.filter(|folder| folder.is_relative()).flat_map(crate::layout::children);
    files.find(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        names.iter().any(|known| name.starts_with(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(windows))]
    #[test]
    fn only_whole_paths_are_searched() {
        for (folders, found) in
            [("", vec![]), (":.:bin:../bin", vec![]), (":/usr/bin:.:/bin", vec!["/usr/bin", "/bin"])]
        {
            assert_eq!(whole(folders.as_ref()), found.iter().map(PathBuf::from).collect::<Vec<_>>());
        }
    }

    /// Tests run in the folder of their package, which has a `Cargo.toml`.
    #[test]
    fn what_the_loader_would_find_here_is_named() {
        for folders in [":/usr/lib", "/usr/lib:", "/usr/lib::/lib", ".", "/lib;.", "src/.."] {
            let found = found_here(folders.as_ref(), &["Cargo."]);
            assert!(found.is_some_and(|file| file.ends_with("Cargo.toml")), "{folders}");
            assert_eq!(found_here(folders.as_ref(), &["libcuda"]), None, "{folders}");
        }
        for folders in ["", "/usr/lib", env!("CARGO_MANIFEST_DIR")] {
            assert_eq!(found_here(folders.as_ref(), &["Cargo."]), None, "{folders}");
        }
    }

    #[test]
    fn a_program_starts_in_a_folder_of_the_system() {
        let program = env::current_exe().unwrap();
        let folder = command(&program).get_current_dir().map(Path::to_owned).unwrap();
        assert!(folder.is_absolute() && folder != env::current_dir().unwrap(), "{}", folder.display());
    }
}
