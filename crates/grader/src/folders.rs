//! Exercises in folders, as in the repository: `chNN_slug/name` with `exercise.toml`, `solution.cu` or `solution.ptx`, the
//! starter, and the solution's PTX in `ptx/`, as NVIDIA's compiler made it.
//!
//! Only this module reads files, so a web page can work without it. What it leaves out: writing, which the chores do.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};

use crate::catalogue::{Exercise, Texts};

/// All exercises below a folder, in the order of the book: by chapter, then by the `order` in the description.
///
/// # Errors
/// When there is none, or when one's description cannot be understood; the message names the folder.
pub fn all(root: &Path) -> Result<Vec<Exercise>> {
    let mut found = Vec::new();
    for chapter in inside(root)? {
        for folder in inside(&chapter)?.iter().filter(|folder| folder.join("exercise.toml").exists()) {
            found.push(read(folder)?);
        }
    }
    found.sort_by(|a, b| (a.chapter, a.order, &a.name).cmp(&(b.chapter, b.order, &b.name)));
    ensure!(!found.is_empty(), "`{}` has no exercises", root.display());
    Ok(found)
}

fn inside(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}

fn read(folder: &Path) -> Result<Exercise> {
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let chapter = number(&name(folder.parent()));
    let chapter = chapter
        .with_context(|| format!("`{}` is in no folder of a chapter, `ch01_slug`", folder.display()))?;
    let name = name(Some(folder));
    Exercise::new(&name, chapter, texts(folder)?).with_context(|| format!("in `{}`", folder.display()))
}

/// The number of the chapter that a folder belongs to: 4 for `ch04_shfl`.
fn number(folder: &str) -> Option<u32> {
    folder.strip_prefix("ch")?.split('_').next()?.parse().ok()
}

fn texts(folder: &Path) -> Result<Texts> {
    let in_ptx = folder.join("solution.ptx");
    let is_ptx = in_ptx.exists();
    let source = if is_ptx { in_ptx } else { folder.join("solution.cu") };
    let starters = ["starter.cu", "starter.ptx", "starter.toml"].map(|name| folder.join(name));
    let starter = starters.iter().find(|file| file.exists());
    Ok(Texts {
        description: text(&folder.join("exercise.toml"))?,
        source: text(&source)?,
        // The chore has not written them yet for a new exercise.
        starter: starter.map(|file| text(file)).transpose()?.unwrap_or_default(),
        ptx: (!is_ptx).then(|| text_or_none(&ptx_file(folder))).transpose()?,
    })
}

fn ptx_file(folder: &Path) -> PathBuf {
    folder.join("ptx").join("solution.ptx")
}

/// A text file with LF line endings, whatever the checkout has.
fn text(path: &Path) -> Result<String> {
    // Reading a pipe would wait for somebody who writes to it.
    let is_special = fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
    ensure!(!is_special, "`{}` is a pipe or a device: check out the project again", path.display());
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow!("there is no file `{}`: check out the project again", path.display()),
        _ => anyhow!("cannot read `{}`: {error}", path.display()),
    })?;
    Ok(text.replace("\r\n", "\n"))
}

fn text_or_none(path: &Path) -> Result<String> {
    if path.exists() { text(path) } else { Ok(String::new()) }
}

impl Exercise {
    /// The folder of the exercise, below the folder that [`all`] was given.
    pub fn folder(&self, root: &Path) -> PathBuf {
        let is_its = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            number(&name) == Some(self.chapter)
        };
        let chapter = inside(root).unwrap_or_default().into_iter().find(is_its);
        chapter.unwrap_or_else(|| root.join(self.chapter_name())).join(&self.name)
    }

    /// The path of the solution's PTX, unless the exercise is written in PTX.
    pub fn ptx_file(&self, root: &Path) -> PathBuf {
        ptx_file(&self.folder(root))
    }
}
