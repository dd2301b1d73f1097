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
    pub fn ptx(&self, exercise: &Exercise, text: &str) -> Result<String, Box<Refusal>> {
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

fn no_compiler(why: &str) -> Box<Refusal> {
    Refusal::new("no-compiler", why).look(
        "get a compiler with `cargo run --bin exercises -- setup`, or continue with the exercises that need none",
    )
}

/// Lines of the compiler's log that are told.
const LOG_LINES: usize = 12;

fn rejected(name: &str, error: Error) -> Box<Refusal> {
    let Error::Rejected { log, .. } = error else { return no_compiler(&error.to_string()) };
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let more = lines.len().saturating_sub(LOG_LINES);
    let told = lines.iter().take(LOG_LINES).map(|line| (*line).to_owned());
    let rest = (more > 0).then(|| format!("and {more} more lines"));
    Refusal::new("does-not-compile", &format!("`{name}` does not compile"))
        .details(told.chain(rest))
        .look("look at the first message; the others often follow from it")
}
