//! A scenario file as TOML, before its names are looked up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use serde::Deserialize;
use spec::launch::{Described, Field, Group, More};
use thirty_two_lanes::files;

use super::given::Expect;
use super::words::{self, Arch};

/// A scenario file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The CUDA or PTX file, from the folder of the scenario file on.
    pub file: PathBuf,
    /// The architecture, as in 80 or "90a".
    pub arch: Option<Arch>,
    /// Macros: names and values.
    #[serde(default)]
    pub define: BTreeMap<String, Scalar>,
    /// More sources of the same program, from the folder of the scenario file on.
    #[serde(default)]
    pub sources: Vec<PathBuf>,
    /// Folders of files that it includes, from the folder of the scenario file on.
    #[serde(default)]
    pub include: Vec<PathBuf>,
    /// Kernels to make of templates, as in `scale<float, 4>`; those that launches name are made in any case.
    #[serde(default)]
    pub instantiate: Vec<String>,
    #[serde(default)]
    pub test: Vec<Test>,
}

/// A test: what is in memory at first, how warps take turns and what is checked, for all of its launches.
pub type Test = Described<Expected>;

/// What else a test has.
#[derive(Debug, Deserialize)]
pub struct Expected {
    pub name: String,
    /// The kinds of the errors and warnings that the test has to find.
    #[serde(default)]
    pub finds: Vec<String>,
    /// What buffers and variables contain in the end.
    #[serde(default)]
    pub expect: BTreeMap<String, Expect>,
    #[serde(default)]
    pub launch: Vec<Described<Counted>>,
}

impl More for Expected {
    fn takes(field: &Field) -> bool {
        field.group != Group::Launch && field.name() != "seed"
    }
}

/// What a launch of a kernel has besides.
#[derive(Debug, Deserialize)]
pub struct Counted {
    /// Bounds of counters, as in `<= 128`.
    #[serde(default)]
    pub counters: BTreeMap<String, String>,
}

impl More for Counted {
    fn takes(field: &Field) -> bool {
        field.group == Group::Launch
    }
}

/// An architecture in a scenario file: a number or a text.
#[derive(Deserialize)]
#[serde(untagged, expecting = "an architecture is written as in 80 or \"90a\"")]
enum Written {
    Number(u32),
    Text(String),
}

impl<'de> Deserialize<'de> for Arch {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = match Written::deserialize(from)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        words::arch(&text).map_err(serde::de::Error::custom)
    }
}

/// The value of a macro.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "the value of a macro is a text, a number or true or false")]
pub enum Scalar {
    Truth(bool),
    Whole(i64),
    Real(f64),
    Text(String),
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Truth(truth) => write!(f, "{truth}"),
            Scalar::Whole(number) => write!(f, "{number}"),
            Scalar::Real(number) => write!(f, "{number:?}"),
            Scalar::Text(text) => write!(f, "{text}"),
        }
    }
}

/// The largest scenario file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a scenario file.
pub fn read(path: &Path) -> Result<Scenario> {
    let name = path.display();
    let bytes = files::read(path, MOST_BYTES).map_err(|why| anyhow!("cannot read `{name}`: {why}"))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow!("cannot read `{name}`: it is no text in UTF-8; save it with that encoding"))?;
    let file: Scenario = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        anyhow!("`{name}`, line {line}: {}", error.message())
    })?;
    if file.test.is_empty() {
        bail!("`{name}` has no test: add one under `[[test]]`");
    }
    Ok(file)
}
