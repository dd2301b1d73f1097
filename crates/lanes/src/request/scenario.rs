//! A scenario file as TOML, before its names are looked up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Deserializer};
use thirty_two_lanes::files::why;

use super::given::Expect;

/// A scenario file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The CUDA or PTX file, from the folder of the scenario file on.
    pub file: PathBuf,
    /// The architecture, as in 80.
    pub arch: Option<u32>,
    /// Macros: names and values.
    #[serde(default)]
    pub define: BTreeMap<String, Scalar>,
    /// Kernels to make of templates, as in `scale<float, 4>`; those that launches name are made in any case.
    #[serde(default)]
    pub instantiate: Vec<String>,
    #[serde(default)]
    pub test: Vec<Test>,
}

/// A test.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    pub name: String,
    /// The buffers, as in `f32:1024:iota`.
    #[serde(default)]
    pub buffers: BTreeMap<String, String>,
    /// What variables of the module (`__constant__`, `__device__`) contain at first, as in `f32:5:iota`.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// The seeds, as in `0..10`.
    pub seeds: Option<String>,
    pub schedule: Option<String>,
    pub reconvergence: Option<String>,
    pub check: Option<String>,
    pub resident_blocks: Option<u32>,
    pub max_steps: Option<u64>,
    #[serde(default)]
    pub weak_memory: bool,
    /// The kinds of the errors and warnings that the test has to find.
    #[serde(default)]
    pub finds: Vec<String>,
    /// What buffers and variables contain in the end.
    #[serde(default)]
    pub expect: BTreeMap<String, Expect>,
    #[serde(default)]
    pub launch: Vec<Launch>,
}

/// A launch of a kernel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    pub kernel: Option<String>,
    #[serde(default = "one")]
    pub grid: Shape,
    #[serde(default = "warp")]
    pub block: Shape,
    #[serde(default)]
    pub shared_bytes: u32,
    /// The arguments: names of buffers, numbers as in `i32:5`, and structures as in `{f32:2, x}`.
    #[serde(default)]
    pub args: Vec<String>,
    /// Bounds of counters, as in `<= 128`.
    #[serde(default)]
    pub counters: BTreeMap<String, String>,
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

/// A grid or a block, as it is written on the command line: `4` or `4,2`.
#[derive(Debug)]
pub struct Shape(pub String);

fn one() -> Shape {
    Shape("1".to_owned())
}

fn warp() -> Shape {
    Shape("32".to_owned())
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a shape is written as in `4`, `[4, 2]` or `\"4,2\"`")]
        enum Written {
            One(i64),
            Some(Vec<i64>),
            Text(String),
        }
        Ok(Shape(match Written::deserialize(deserializer)? {
            Written::One(size) => size.to_string(),
            Written::Some(sizes) => sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
            Written::Text(text) => text,
        }))
    }
}

/// The largest scenario file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a scenario file.
pub fn read(path: &Path) -> Result<Scenario> {
    let name = path.display();
    let size = std::fs::metadata(path).map(|known| known.len());
    let size = size.map_err(|error| anyhow!("cannot read `{name}`: {}", why(path, &error)))?;
    if size > MOST_BYTES {
        bail!("`{name}` has {size} bytes, and a scenario file at most {MOST_BYTES}: put numbers into files");
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| anyhow!("cannot read `{name}`: {}", why(path, &error)))?;
    let file: Scenario = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        anyhow!("`{name}`, line {line}: {}", error.message())
    })?;
    if file.test.is_empty() {
        bail!("`{name}` has no test: add one under `[[test]]`");
    }
    Ok(file)
}
