//! The requests that a page sends, and their bounds.
//!
//! A launch is described as everywhere ([`spec::launch`]), so it is the same in a page and in a terminal. Masks, addresses
//! and the values of registers are texts of hexadecimal digits in the answers, because the numbers of JavaScript have 53 bits.

use std::collections::BTreeMap;

use grader::{Answers, Exercise};
use serde::Deserialize;
use spec::launch::{Described, Field, Group, More};

use crate::refusal::Refusal;

/// Longer requests are refused.
pub const MAX_REQUEST_BYTES: usize = 2 << 20;
/// Longer programs are refused.
pub const MAX_TEXT_BYTES: usize = 512 << 10;
/// Global memory, all buffers and variables together.
pub const MAX_MEMORY_BYTES: u64 = 64 << 20;
/// Threads in a grid at most.
pub const MAX_THREADS: u64 = 4 << 20;
/// Blocks that may be resident at the same time.
pub const MAX_RESIDENT_BLOCKS: u32 = 64;
/// Warp instructions after which a launch is stopped, unless it says otherwise.
pub const USUAL_STEPS: u64 = 20_000_000;
/// The most that it can say.
pub const MAX_STEPS: u64 = 500_000_000;
/// Moments that can be shown, counted from the start of a launch.
pub const MAX_MOMENTS: u64 = 1_000_000;
/// Moments in one answer.
pub const MAX_MOMENTS_AT_ONCE: usize = 256;
/// An answer has fewer moments than were requested if they would be longer together.
pub const MAX_ANSWER_BYTES: usize = 4 << 20;
/// Parts of memory that a request may ask for.
pub const MAX_WINDOWS: usize = 16;
/// Bytes in each of them.
pub const MAX_WINDOW_BYTES: u64 = 64 << 10;
/// Shares into which a grading can be divided.
pub const MAX_SHARES: u32 = 64;

/// Targets that the compiler takes, as `lanes run --arch` does.
const TARGETS: std::ops::Range<u32> = 20..1000;

/// A request: an object with one key, which says what to do.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Request {
    /// Reads PTX, or compiles CUDA C++.
    Load(Load),
    /// Runs a kernel to its end.
    Launch(Asked),
    /// Shows the machine after some instructions of that launch.
    Moments(Moments),
    /// Decides whether an attempt at an exercise is right.
    Grade(Box<Grade>),
}

/// An exercise, and an attempt at it: the request `grade`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grade {
    /// The name of the exercise.
    pub name: String,
    /// The number of its chapter.
    pub chapter: u32,
    /// What `exercise.toml` says.
    pub description: Exercise,
    /// The source of all its versions.
    pub source: String,
    /// What a learner begins with.
    #[serde(default)]
    pub starter: String,
    /// What NVIDIA's compiler made of the solution; none if the source is in PTX.
    pub ptx: Option<String>,
    /// The attempt at a kernel.
    #[serde(default)]
    pub text: String,
    /// The answers to the questions of a prediction.
    #[serde(default)]
    pub answers: Answers,
    /// Which share of the trials to carry out, and of how many, so that several Workers can share a grading.
    #[serde(default = "whole")]
    pub share: [u32; 2],
}

fn whole() -> [u32; 2] {
    [0, 1]
}

/// A program: the request `load`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// What messages call it. A name that ends in `.ptx` is that of PTX, and any other that of CUDA C++.
    pub name: String,
    /// The text.
    pub text: String,
    /// The target of the compiler: 70 for `sm_70`.
    #[serde(default = "sm_70")]
    pub sm: u32,
    /// Whether the target has the instructions of this architecture alone, as `sm_90a` does.
    #[serde(default, rename = "specific")]
    pub is_specific: bool,
    /// Macros and their values.
    #[serde(default)]
    pub defines: BTreeMap<String, String>,
    /// The files that the text may include, by their names.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

fn sm_70() -> u32 {
    70
}

/// A launch: the request `launch`. It is described as everywhere, but has no buffers besides its arguments, and one seed.
pub type Asked = Described<Seen>;

/// What a request says of a launch besides.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Seen {
    /// What to show of memory at the end.
    #[serde(default)]
    pub see: See,
}

impl More for Seen {
    fn takes(field: &Field) -> bool {
        field.group != Group::Memory && field.name() != "seeds"
    }
}

/// Moments of the launch: the request `moments`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moments {
    /// The number of the first, counted from 0.
    pub from: Option<u64>,
    /// In its place, the step of a fault: the first moment is the one at which the fault happened.
    pub step: Option<u64>,
    /// How many.
    #[serde(default = "one")]
    pub count: usize,
    /// What to show of the machine besides its lanes.
    #[serde(default)]
    pub see: See,
}

fn one() -> usize {
    1
}

/// What to show besides the lanes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct See {
    /// The registers of this warp of the block.
    pub registers: Option<u32>,
    /// Parts of the shared memory of the block.
    #[serde(default)]
    pub shared: Vec<Part>,
    /// Parts of buffers and of the module's variables.
    #[serde(default)]
    pub memory: Vec<Window>,
}

/// A part of shared memory. What is beyond the end of the memory is left out of the answer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The first byte.
    #[serde(default)]
    pub from: u64,
    /// How many.
    pub bytes: u64,
}

/// A part of a buffer or variable.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The name of the argument or variable.
    pub name: String,
    /// The first byte.
    #[serde(default)]
    pub from: u64,
    /// How many.
    pub bytes: u64,
}

/// Reads a request and checks the bounds that do not depend on what is loaded.
pub(crate) fn read(text: &str) -> Result<Request, Refusal> {
    at_most("the request", text.len() as u64, MAX_REQUEST_BYTES as u64, "bytes")?;
    let request = serde_json::from_str(text)
        .map_err(|error| Refusal::request(format!("the request cannot be read: {error}")))?;
    match &request {
        Request::Load(load) => {
            at_most("the program", load.text.len() as u64, MAX_TEXT_BYTES as u64, "bytes")?;
            check_load(load)?;
        }
        Request::Launch(launch) => check_launch(launch)?,
        Request::Moments(moments) => check_moments(moments)?,
        Request::Grade(grade) => {
            at_most("the attempt", grade.text.len() as u64, MAX_TEXT_BYTES as u64, "bytes")?;
            let [share, of] = grade.share;
            at_most("`share`", u64::from(of), u64::from(MAX_SHARES), "shares")?;
            if share >= of {
                return Err(Refusal::request(format!("there is no share {share} of {of}: count from 0")));
            }
        }
    }
    Ok(request)
}

fn check_load(load: &Load) -> Result<(), Refusal> {
    if !TARGETS.contains(&load.sm) {
        let message = format!("`sm` is {}: give a target, such as 70 for `sm_70`", load.sm);
        return Err(Refusal::request(message));
    }
    let is_name = |name: &str| {
        let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.chars().all(is_of_a_name) && name.starts_with(|c: char| !c.is_ascii_digit())
    };
    match load.defines.keys().find(|name| !is_name(name)) {
        Some(name) => Err(Refusal::request(format!("`{name}` cannot be the name of a macro: give a C name"))),
        None => Ok(()),
    }
}

fn check_launch(Asked { launch, more: Seen { see } }: &Asked) -> Result<(), Refusal> {
    for (field, is_missing) in [
        ("kernel", launch.kernel.is_none()),
        ("grid", launch.grid.is_none()),
        ("block", launch.block.is_none()),
    ] {
        if is_missing {
            return Err(Refusal::request(format!("the request cannot be read: missing field `{field}`")));
        }
    }
    let residents = u64::from(launch.resident_blocks.unwrap_or(1));
    at_most("`resident_blocks`", residents, u64::from(MAX_RESIDENT_BLOCKS), "blocks")?;
    at_most("`max_steps`", launch.max_steps.unwrap_or(0), MAX_STEPS, "steps")?;
    for (index, argument) in launch.arguments.iter().enumerate() {
        if argument.name.is_empty()
            || launch.arguments[..index].iter().any(|other| other.name == argument.name)
        {
            return Err(Refusal::request(format!(
                "argument {index} is named `{}`: give each argument a name of its own",
                argument.name
            )));
        }
    }
    if see.registers.is_some() || !see.shared.is_empty() {
        return Err(Refusal::request(
            "registers and shared memory are gone at the end of a launch: see them in `moments`",
        ));
    }
    check_see(see)
}

fn check_moments(moments: &Moments) -> Result<(), Refusal> {
    if moments.from.is_some() == moments.step.is_some() {
        return Err(Refusal::request("give either `from` or `step`, to say where the moments begin"));
    }
    let last = moments.from.unwrap_or(0).saturating_add(moments.count as u64);
    at_most("the end of the moments", last, MAX_MOMENTS, "moments")?;
    at_most("`count`", moments.count as u64, MAX_MOMENTS_AT_ONCE as u64, "moments")?;
    check_see(&moments.see)
}

fn check_see(see: &See) -> Result<(), Refusal> {
    let windows = see.shared.len() + see.memory.len();
    at_most("`see`", windows as u64, MAX_WINDOWS as u64, "parts of memory")?;
    let bytes = see.shared.iter().map(|part| part.bytes).chain(see.memory.iter().map(|window| window.bytes));
    at_most("a part of memory", bytes.max().unwrap_or(0), MAX_WINDOW_BYTES, "bytes")
}

/// Refuses what is larger than a page allows.
pub(crate) fn at_most(what: &str, is: u64, most: u64, unit: &str) -> Result<(), Refusal> {
    if is <= most {
        return Ok(());
    }
    Err(Refusal::request(format!("{what} has {is} {unit}, and a page allows {most}: make it smaller")))
}
