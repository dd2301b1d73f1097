//! The description of an exercise: `exercise.toml`, and the source of all its versions.
//!
//! An exercise consists of texts, wherever they come from: the programs read them from folders ([`crate::folders`]),
//! and a web page contains them. What it leaves out: what a learner has done, which the crate `exercises` records.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;
use spec::launch::{Field, Launch, Passed};

use crate::question::Question;
use crate::source::{Source, Version};

/// The texts of an exercise.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// `exercise.toml`.
    pub description: String,
    /// `solution.cu` or `solution.ptx`: all versions in one text.
    pub source: String,
    /// `starter.cu`, `starter.ptx` or `starter.toml`: what a learner begins with.
    pub starter: String,
    /// The PTX that NVIDIA's compiler made of the solution, `ptx/solution.ptx`; none if the source is in PTX.
    pub ptx: Option<String>,
}

/// An exercise as its folder describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    /// Its name in commands.
    #[serde(skip)]
    pub name: String,
    /// The chapter's number.
    #[serde(skip)]
    pub chapter: u32,
    /// Its title.
    pub title: String,
    /// Its place in the chapter, from 1.
    pub order: u32,
    /// What a learner does.
    pub kind: Kind,
    /// How long that takes, in minutes.
    pub minutes: u32,
    /// The page of the book that it belongs to, as in `ch02_reduction/edges.md`.
    pub page: String,
    /// The task, in a few sentences.
    pub task: String,
    /// The hints, the vaguest first.
    pub hints: Vec<String>,
    /// What to remember, shown once the exercise is passed.
    pub learned: String,
    /// The kernel's name.
    pub kernel: String,
    /// The architecture it is compiled for, 70 for `sm_70`.
    #[serde(default = "sm_70")]
    pub arch: u32,
    /// How it is launched: fields of a launch by their names, in which `{name}` is replaced by the case's value.
    pub launch: BTreeMap<String, String>,
    /// The arguments in order.
    #[serde(rename = "argument")]
    pub arguments: Vec<Argument>,
    /// The sizes for which it has to be right; counters are compared in the last one.
    pub cases: Vec<Case>,
    /// Counters that must not be larger (`active_lanes`: smaller) in the last case.
    #[serde(default)]
    pub gates: BTreeMap<String, f64>,
    /// The reasons for which the starter and the wrong solutions are refused.
    #[serde(default)]
    pub refused: BTreeMap<String, String>,
    /// What to look at, by the reason of the refusal.
    #[serde(default)]
    pub look: BTreeMap<String, String>,
    /// What to predict.
    #[serde(default, rename = "question")]
    pub questions: Vec<Question>,
    /// Wrong predictions by name: an answer for each question that they answer wrongly.
    #[serde(default)]
    pub wrong: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(skip)]
    source: Source,
    #[serde(skip)]
    starter: String,
    /// The PTX that NVIDIA's compiler made of the solution; none if the source is in PTX.
    #[serde(skip)]
    ptx: Option<String>,
}

/// What a learner does.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Finds and fixes a mistake.
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

/// The values of a case, by the names that are in braces elsewhere.
pub type Case = BTreeMap<String, Setting>;

/// A value of a case.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Setting {
    /// A whole number.
    Integer(i64),
    /// Another number.
    Number(f64),
    /// A part of an argument.
    Text(String),
}

impl Setting {
    /// The whole number, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Setting::Integer(number) => Some(*number),
            _ => None,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Integer(number) => write!(f, "{number}"),
            Setting::Number(number) => write!(f, "{number:?}"),
            Setting::Text(text) => write!(f, "{text}"),
        }
    }
}

/// An argument of the kernel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// The parameter's name, for messages.
    pub name: String,
    /// Its text, as for `lanes run`: `buf:i32:{n}:rand={seed},0..100`, `i32:{n}`.
    pub is: String,
    /// What the kernel may do with a buffer.
    #[serde(default)]
    pub role: Role,
    /// By how much a float may differ, relative to the largest magnitude of the result; none for exact equality.
    pub tolerance: Option<f64>,
}

/// What the kernel may do with a buffer.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It must be unchanged.
    #[default]
    Input,
    /// Its elements are the result.
    Result,
    /// Its elements are the result, in any order.
    AnyOrder,
    /// It may contain anything.
    Scratch,
}

fn sm_70() -> u32 {
    70
}

/// A text in which names in braces are replaced by the case's values and the seed.
fn fill(text: &str, case: &Case, seed: u64) -> String {
    let filled = case.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), &value.to_string())
    });
    // The seed is replaced last, because a case's value may contain it.
    filled.replace("{seed}", &seed.to_string())
}

impl Exercise {
    /// The exercise with this name in this chapter.
    ///
    /// # Errors
    /// When its description cannot be understood.
    pub fn new(name: &str, chapter: u32, texts: Texts) -> Result<Exercise> {
        let read = toml::from_str(&texts.description).context("`exercise.toml` cannot be read")?;
        Exercise::of(name, chapter, read, texts)
    }

    /// The same from a description that was read already, in whatever form it came.
    ///
    /// # Errors
    /// When the description or the source cannot be understood.
    pub fn of(name: &str, chapter: u32, read: Exercise, texts: Texts) -> Result<Exercise> {
        ensure!(!read.cases.is_empty(), "`exercise.toml` has no cases");
        ensure!(
            (read.kind == Kind::Predict) != read.questions.is_empty(),
            "`exercise.toml`: a prediction has questions, and no other exercise has"
        );
        read.launch(&read.cases[0], 0).context("`exercise.toml`")?;
        let Texts { source, starter, ptx, .. } = texts;
        let source = Source::parse(&source).context("the source of the solution cannot be read")?;
        Ok(Exercise { name: name.to_owned(), chapter, source, starter, ptx, ..read })
    }

    /// How it is launched in a case. The seed is that of the arguments.
    ///
    /// # Errors
    /// When a field is unknown or cannot be read.
    pub fn launch(&self, case: &Case, seed: u64) -> Result<Launch> {
        let argument =
            |Argument { name, is, .. }: &Argument| Passed { name: name.clone(), is: fill(is, case, seed) };
        let mut launch = Launch {
            kernel: Some(self.kernel.clone()),
            arguments: self.arguments.iter().map(argument).collect(),
            ..Launch::default()
        };
        for (name, text) in &self.launch {
            let field = Field::named(name).with_context(|| format!("a launch has no field `{name}`"))?;
            let set = launch.set(field, &fill(text, case, seed));
            set.map_err(|error| anyhow!("`{name}`: {error}"))?;
        }
        Ok(launch)
    }

    /// Whether it is written in PTX, so that no compiler is needed.
    pub fn is_ptx(&self) -> bool {
        self.ptx.is_none()
    }

    /// Whether an attempt has to be compiled.
    pub fn is_compiled(&self) -> bool {
        self.kind != Kind::Predict && !self.is_ptx()
    }

    /// The extension of the source that all versions are in.
    pub(crate) fn extension(&self) -> &'static str {
        if self.is_ptx() { "ptx" } else { "cu" }
    }

    /// The name of the file that a learner edits: a kernel, or answers.
    pub fn file_name(&self) -> String {
        match self.kind {
            Kind::Predict => format!("{}.toml", self.name),
            _ => format!("{}.{}", self.name, self.extension()),
        }
    }

    /// The name of the file that a learner begins with.
    pub fn starter_name(&self) -> String {
        let extension = if self.kind == Kind::Predict { "toml" } else { self.extension() };
        format!("starter.{extension}")
    }

    /// The name of the file that has all versions.
    pub fn source_name(&self) -> String {
        format!("solution.{}", self.extension())
    }

    /// The source of its versions.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The text that a learner begins with, as committed.
    pub fn starter(&self) -> &str {
        &self.starter
    }

    /// The solution's PTX, as committed: compiled by NVIDIA's compiler, unless it was written by hand.
    pub fn ptx(&self) -> String {
        self.ptx.clone().unwrap_or_else(|| self.source.text(&Version::Solution))
    }

    /// The versions that have a kernel.
    pub fn versions(&self) -> Vec<Version> {
        if self.kind == Kind::Predict {
            return vec![Version::Solution];
        }
        let wrong = self.wrong().into_iter().map(Version::Wrong);
        [Version::Solution, Version::Starter].into_iter().chain(wrong).collect()
    }

    /// The names of the wrong solutions, or of the wrong answers.
    pub fn wrong(&self) -> Vec<String> {
        match self.kind {
            Kind::Predict => self.wrong.keys().cloned().collect(),
            _ => self.source.wrong(),
        }
    }

    /// Its chapter's name, `ch02`.
    pub fn chapter_name(&self) -> String {
        format!("ch{:02}", self.chapter)
    }
}
