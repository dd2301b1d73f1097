//! The CUDA compiler of this machine, looked for when it is first needed.
//!
//! What it leaves out: what is done with an attempt that compiles, which `grader` knows.

use std::sync::OnceLock;

use grader::compile::rejected;
use grader::{Exercise, Refusal};
use nvrtc::{Compiler, Error, Options};

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
        let compiler = self.compiler().map_err(|why| no_compiler(why))?;
        let options = Options::optimised(exercise.arch.max(compiler.oldest_arch()));
        let name = exercise.file_name();
        compiler.compile(&nvrtc::Source { name: &name, text }, &options).map_err(|error| match error {
            Error::Rejected { log, .. } => rejected(&name, &log),
            other => no_compiler(&other.to_string()),
        })
    }
}

fn no_compiler(why: &str) -> Box<Refusal> {
    Refusal::new("no-compiler", why).look(
        "get a compiler with `cargo run --bin exercises -- setup`, or continue with the exercises that need none",
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use grader::Version;

    use super::Toolchain;

    #[test]
    fn without_a_compiler_cuda_is_refused_with_the_way_to_one() {
        let all = grader::all(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let cuda = all.iter().find(|exercise| exercise.is_compiled()).unwrap();
        let refusal = Toolchain::none().ptx(cuda, &cuda.source().text(&Version::Solution)).unwrap_err();
        assert_eq!(refusal.reason, "no-compiler");
        assert!(refusal.look.contains("exercises -- setup"), "{refusal:?}");
    }
}
