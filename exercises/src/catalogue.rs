//! What exercises there are: a folder each, with `exercise.toml` and the source of all its versions.
//!
//! The folders are `chNN/name`, in the order in which a learner meets them: by chapter, then by number of the file's `order`.
//! What it leaves out: what a learner has done, which is `progress`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::source::Source;

/// An exercise as its folder describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    /// The folder's name, which commands take.
    #[serde(skip)]
    pub name: String,
    /// The folder.
    #[serde(skip)]
    pub folder: PathBuf,
    /// What it is called.
    pub title: String,
    /// The chapter, 1 to 6: the folder's.
    #[serde(skip)]
    pub chapter: u32,
    /// Its place in the chapter, from 1.
    pub order: u32,
    /// What a learner does.
    pub kind: Kind,
    /// How long that takes.
    pub minutes: u32,
    /// The page of the book that it belongs to, `reduction/edges.md`.
    pub page: String,
    /// What is asked, in one or two sentences.
    pub task: String,
    /// What helps, the vaguest first.
    pub hints: Vec<String>,
    /// The kernel.
    pub kernel: String,
    /// The architecture it is compiled for.
    #[serde(default = "sm_70")]
    pub arch: u32,
    /// How it is launched.
    pub launch: Launch,
    /// The sizes at which it has to be right.
    pub sizes: Vec<u64>,
    /// The buffers whose content is the result; the others are scratch.
    pub result: Vec<String>,
    /// How far a float may be off, relative to the largest of the result; none for exact equality.
    pub tolerance: Option<f64>,
    /// Counters that may not be larger, at the last of the sizes.
    #[serde(default)]
    pub gates: BTreeMap<String, u64>,
    /// Why the starter and the wrong solutions are refused: a fault, `wrong-result`, `gate` or `does-not-compile`.
    pub refused: BTreeMap<String, String>,
    /// What a learner is asked to predict.
    #[serde(default)]
    pub questions: Vec<Question>,
}

/// What a learner does.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Finds and mends a mistake.
    Fix,
    /// Writes the missing lines.
    Write,
    /// Lowers a counter.
    Improve,
    /// Says what a kernel will do, without a compiler.
    Predict,
}

/// A launch in terms of the size, `n`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// How many blocks, or `cover`: as many as `n` elements need.
    pub grid: String,
    /// Threads of a block.
    pub block: u32,
    /// Bytes of shared memory besides the kernel's own.
    #[serde(default)]
    pub shared_bytes: u32,
    /// The arguments by name and in order, as `lanes run` takes them, with `n` for the size.
    pub args: Vec<(String, String)>,
}

/// Something to predict, and what the run says about it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The name under which the answer is written.
    pub name: String,
    /// What is asked.
    pub ask: String,
    /// What answers it: `counter NAME`, `lanes LINE` or `fault`.
    pub from: String,
}

fn sm_70() -> u32 {
    70
}

impl Exercise {
    fn read(folder: &Path) -> Result<Exercise> {
        let path = folder.join("exercise.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let read: Exercise = toml::from_str(&text).with_context(|| format!("`{}` cannot be read", path.display()))?;
        let name = |path: Option<&Path>| path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let chapter = name(folder.parent()).and_then(|name| name.strip_prefix("ch")?.parse().ok());
        let chapter = chapter.with_context(|| format!("`{}` is in no folder of a chapter, `ch01`", folder.display()))?;
        Ok(Exercise { name: name(Some(folder)).unwrap_or_default(), folder: folder.to_owned(), chapter, ..read })
    }

    /// The source of its versions.
    pub fn source(&self) -> Result<Source> {
        let path = self.folder.join("solution.cu");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        Source::parse(&text.replace("\r\n", "\n")).with_context(|| format!("in `{}`", path.display()))
    }
}

/// All exercises, in the order of the book.
pub fn all(root: &Path) -> Result<Vec<Exercise>> {
    let mut found = Vec::new();
    for chapter in folders(root)? {
        for folder in folders(&chapter)?.iter().filter(|folder| folder.join("exercise.toml").exists()) {
            found.push(Exercise::read(folder)?);
        }
    }
    found.sort_by(|a, b| (a.chapter, a.order, &a.name).cmp(&(b.chapter, b.order, &b.name)));
    ensure!(!found.is_empty(), "`{}` has no exercises", root.display());
    Ok(found)
}

fn folders(root: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root).with_context(|| format!("cannot read `{}`", root.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}
