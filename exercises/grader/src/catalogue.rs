//! What exercises there are: a folder each, with `exercise.toml` and the source of all its versions.
//!
//! The folders are `chNN/name`, in the order in which a learner meets them: by chapter, then by the file's `order`. What it
//! leaves out: what a learner has done, which is the harness's business.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::question::Question;
use crate::source::{Source, Version};

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
    /// The chapter, 1 to 6: the folder's.
    #[serde(skip)]
    pub chapter: u32,
    /// What it is called.
    pub title: String,
    /// Its place in the chapter, from 1.
    pub order: u32,
    /// What a learner does.
    pub kind: Kind,
    /// How long that takes.
    pub minutes: u32,
    /// The page of the book that it belongs to, as in `reduction/edges.md`.
    pub page: String,
    /// What is asked, in a few sentences.
    pub task: String,
    /// What helps, the vaguest first.
    pub hints: Vec<String>,
    /// What to take away, told once it is passed.
    pub learned: String,
    /// The kernel's name.
    pub kernel: String,
    /// The architecture it is compiled for, 70 for `sm_70`.
    #[serde(default = "sm_70")]
    pub arch: u32,
    /// How it is launched; `{name}` stands for the case's value.
    pub launch: Shape,
    /// The arguments in order.
    #[serde(rename = "argument")]
    pub arguments: Vec<Argument>,
    /// The sizes at which it has to be right; counters are compared in the last.
    pub cases: Vec<Case>,
    /// Counters that may not be larger (`active_lanes`: smaller), in the last case.
    #[serde(default)]
    pub gates: BTreeMap<String, f64>,
    /// Why the starter and the wrong solutions are refused.
    #[serde(default)]
    pub refused: BTreeMap<String, String>,
    /// What to look at, by the reason of the refusal.
    #[serde(default)]
    pub look: BTreeMap<String, String>,
    /// What to predict.
    #[serde(default, rename = "question")]
    pub questions: Vec<Question>,
    /// Wrong answers by name: an answer for each question that is not answered rightly.
    #[serde(default)]
    pub wrong: BTreeMap<String, BTreeMap<String, String>>,
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

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Fix => "fix",
            Kind::Write => "write",
            Kind::Improve => "improve",
            Kind::Predict => "predict",
        }
    }
}

/// The values of a case, by the name that stands in braces elsewhere.
pub type Case = BTreeMap<String, toml::Value>;

/// The shape of a launch.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Blocks, `4` or `{columns},{rows}`.
    pub grid: String,
    /// Threads of a block, in the same way.
    pub block: String,
    /// Bytes of shared memory besides the kernel's own.
    #[serde(default = "none")]
    pub shared_bytes: String,
}

/// An argument of the kernel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// The parameter's name, for messages.
    pub name: String,
    /// What it is, as `lanes run` takes it: `buf:i32:{n}:rand={seed},0..100`, `i32:{n}`.
    pub is: String,
    /// What becomes of a buffer.
    #[serde(default)]
    pub role: Role,
    /// How far a float may be off, relative to the largest magnitude of the result; none for exact equality.
    pub tolerance: Option<f64>,
}

/// What becomes of a buffer.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It has to come back as it was.
    #[default]
    Input,
    /// Its elements are the result.
    Result,
    /// Its elements are the result, in any order.
    AnyOrder,
    /// It may become anything.
    Scratch,
}

fn sm_70() -> u32 {
    70
}

fn none() -> String {
    "0".to_owned()
}

impl Exercise {
    fn read(folder: &Path) -> Result<Exercise> {
        let path = folder.join("exercise.toml");
        let text = read(&path)?;
        let read: Exercise =
            toml::from_str(&text).with_context(|| format!("`{}` cannot be read", path.display()))?;
        let name = |path: Option<&Path>| {
            path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned())
        };
        let chapter = name(folder.parent()).and_then(|name| name.strip_prefix("ch")?.parse().ok());
        let chapter = chapter
            .with_context(|| format!("`{}` is in no folder of a chapter, `ch01`", folder.display()))?;
        let exercise = Exercise {
            name: name(Some(folder)).unwrap_or_default(),
            folder: folder.to_owned(),
            chapter,
            ..read
        };
        ensure!(!exercise.cases.is_empty(), "`{}` has no cases", path.display());
        ensure!(
            (exercise.kind == Kind::Predict) != exercise.questions.is_empty(),
            "`{}`: a prediction has questions, and no other exercise has",
            path.display()
        );
        Ok(exercise)
    }

    /// Whether it is written in PTX, so that no compiler is needed.
    pub fn is_ptx(&self) -> bool {
        self.folder.join("solution.ptx").exists()
    }

    /// Whether a learner needs a CUDA compiler for it.
    pub fn needs_compiler(&self) -> bool {
        self.kind != Kind::Predict && !self.is_ptx()
    }

    /// The file's extension: of the source that all versions are in.
    fn extension(&self) -> &'static str {
        if self.is_ptx() { "ptx" } else { "cu" }
    }

    /// The name of the file that a learner edits: a kernel, or answers.
    pub fn file_name(&self) -> String {
        match self.kind {
            Kind::Predict => format!("{}.toml", self.name),
            _ => format!("{}.{}", self.name, self.extension()),
        }
    }

    /// The source of its versions.
    pub fn source(&self) -> Result<Source> {
        let path = self.folder.join(format!("solution.{}", self.extension()));
        Source::parse(&read(&path)?).with_context(|| format!("in `{}`", path.display()))
    }

    /// The text that a learner begins with, as committed.
    pub fn starter(&self) -> Result<String> {
        read(&self.starter_file())
    }

    /// Where that is.
    pub fn starter_file(&self) -> PathBuf {
        let extension = if self.kind == Kind::Predict { "toml" } else { self.extension() };
        self.folder.join(format!("starter.{extension}"))
    }

    /// The names of the wrong solutions, or of the wrong answers.
    pub fn wrong(&self) -> Result<Vec<String>> {
        match self.kind {
            Kind::Predict => Ok(self.wrong.keys().cloned().collect()),
            _ => Ok(self.source()?.wrong()),
        }
    }

    /// Where the compiled PTX of a version is.
    pub fn ptx_file(&self, version: &Version) -> PathBuf {
        if self.is_ptx() {
            return self.folder.join("solution.ptx");
        }
        self.folder.join("ptx").join(format!("{version}.ptx"))
    }

    /// The PTX of a version, as committed.
    pub fn ptx(&self, version: &Version) -> Result<String> {
        if self.is_ptx() { Ok(self.source()?.text(version)) } else { read(&self.ptx_file(version)) }
    }

    /// Its chapter's name, `ch02`.
    pub fn chapter_name(&self) -> String {
        format!("ch{:02}", self.chapter)
    }
}

/// A text file with LF line ends, whatever the checkout has.
fn read(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).map_err(|error| {
        anyhow::anyhow!("cannot read `{}`: {}", path.display(), lanes::files::why(path, &error))
    })?;
    Ok(text.replace("\r\n", "\n"))
}

/// All exercises, in the order of the book.
///
/// # Errors
/// When there is none, or when one's description cannot be understood; the message names the file.
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
