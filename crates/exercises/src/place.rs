//! Which exercises the program works on: those of the checkout around the current directory, or otherwise those of the
//! checkout in which it was built.
//!
//! A program that was built in one clone may be started in another one, or in a copy. The learner then expects to find files
//! and progress in the place where they work. What it leaves out: reading the exercises, which the grader does.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The folder of the exercises in a checkout.
const FOLDER: &str = "exercises";

/// The package at the root of a checkout.
const PACKAGE: &str = "thirty-two-lanes";

/// The folder of the exercises, seen from the current directory, if that is known; `built` is the one that the program was
/// built from.
///
/// # Errors
/// When there is no checkout around the current directory and the other one no longer exists.
pub fn exercises(here: Option<&Path>, built: &Path) -> Result<PathBuf> {
    let mut around = here.into_iter().flat_map(Path::ancestors);
    if let Some(root) = around.find(|folder| is_checkout(folder)) {
        return Ok(root.join(FOLDER));
    }
    if !built.is_dir() {
        bail!(
            "there is no checkout around the current directory, and `{}`, where this program was built, no longer exists; \
             run it in a checkout, or name the folder of the exercises with `--catalogue`",
            built.display()
        );
    }
    Ok(built.to_owned())
}

/// Whether this folder is the root of a checkout: the package of this project, with the exercises beside it.
fn is_checkout(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = text.parse().unwrap_or_default();
    let package = manifest.get("package").and_then(|package| package.get("name"));
    package.and_then(toml::Value::as_str) == Some(PACKAGE) && folder.join(FOLDER).is_dir()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// An empty checkout.
    fn checkout() -> TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("Cargo.toml"), format!("[package]\nname = \"{PACKAGE}\"\n")).unwrap();
        fs::create_dir_all(root.path().join("exercises/ch01_divergence/lost_sum")).unwrap();
        root
    }

    #[test]
    fn the_checkout_around_the_current_directory_comes_first() {
        let (one, other) = (checkout(), checkout());
        let built = one.path().join(FOLDER);
        for folder in ["", "exercises", "exercises/ch01_divergence/lost_sum"] {
            let found = exercises(Some(&other.path().join(folder)), &built).unwrap();
            assert_eq!(found, other.path().join(FOLDER), "from `{folder}`");
        }
    }

    #[test]
    fn outside_of_any_checkout_the_one_of_the_build_is_used() {
        let (one, elsewhere) = (checkout(), tempfile::tempdir().unwrap());
        let built = one.path().join(FOLDER);
        assert_eq!(exercises(Some(elsewhere.path()), &built).unwrap(), built);
        assert_eq!(exercises(None, &built).unwrap(), built);
    }

    /// Other projects have a folder `exercises` too.
    #[test]
    fn another_project_is_no_checkout() {
        let (one, other) = (checkout(), checkout());
        let built = one.path().join(FOLDER);
        for manifest in
            ["[package]\nname = \"exercises\"\n", "[workspace]\nmembers = [\"dev\"]\n", "[package", ""]
        {
            fs::write(other.path().join("Cargo.toml"), manifest).unwrap();
            assert_eq!(exercises(Some(other.path()), &built).unwrap(), built, "{manifest}");
        }
    }

    #[test]
    fn no_checkout_at_all_is_an_error_that_says_what_to_do() {
        let elsewhere = tempfile::tempdir().unwrap();
        let gone = elsewhere.path().join("gone/exercises");
        let error = exercises(Some(elsewhere.path()), &gone).unwrap_err().to_string();
        assert!(
            error.contains("no longer exists; run it in a checkout") && error.contains("--catalogue"),
            "{error}"
        );
    }
}
