//! From an attempt to PTX: by the CUDA compiler of this machine, where one is needed and there is one.

use std::sync::OnceLock;

use nvrtc::{Compiler, Error, Options};

use crate::catalogue::Exercise;
use crate::verdict::Refusal;

/// The CUDA compiler, looked for when it is first needed.
#[derive(Debug, Default)]
pub struct Toolchain {
    compiler: OnceLock<Result<Compiler, String>>,
}

impl Toolchain {
    /// Whatever compiler this machine has.
    pub fn search() -> Toolchain {
        Toolchain::default()
    }

    /// A machine without one.
    pub fn none() -> Toolchain {
        let missing = Error::NotFound { unusable: Vec::new() };
        Toolchain { compiler: OnceLock::from(Err(missing.to_string())) }
    }

    fn compiler(&self) -> Result<&Compiler, &String> {
        self.compiler.get_or_init(|| Compiler::find().map_err(|error| error.to_string())).as_ref()
    }

    /// Whether there is a compiler.
    pub fn is_there(&self) -> bool {
        self.compiler().is_ok()
    }

    /// The PTX of an attempt.
    ///
    /// # Errors
    /// Why there is none: no compiler, or its complaints.
    pub fn ptx(&self, exercise: &Exercise, text: &str) -> Result<String, Refusal> {
        if exercise.is_ptx() {
            return Ok(text.to_owned());
        }
        let compiler = self.compiler().map_err(|why| no_compiler(why))?;
        let options = Options::optimised(exercise.arch.max(compiler.oldest_arch()));
        let name = exercise.file_name();
        compiler
            .compile(&nvrtc::Source { name: &name, text }, &options)
            .map_err(|error| rejected(&name, error))
    }
}

fn no_compiler(why: &str) -> Refusal {
    Refusal {
        reason: "no-compiler".to_owned(),
        headline: why.to_owned(),
        look: "get a compiler with `cargo run --bin exercises -- setup`, or go on with the exercises that need none"
            .to_owned(),
        ..Refusal::default()
    }
}

/// Lines of the compiler's log that are told.
const LOG_LINES: usize = 12;

fn rejected(name: &str, error: Error) -> Refusal {
    let Error::Rejected { log, .. } = error else { return no_compiler(&error.to_string()) };
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut details: Vec<String> = lines.iter().take(LOG_LINES).map(|line| (*line).to_owned()).collect();
    if let Some(more @ 1..) = lines.len().checked_sub(LOG_LINES) {
        details.push(format!("and {more} more lines"));
    }
    Refusal {
        reason: "does-not-compile".to_owned(),
        headline: format!("`{name}` does not compile"),
        details,
        look: "the first message counts, those after it often follow from it".to_owned(),
        ..Refusal::default()
    }
}
