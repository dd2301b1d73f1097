//! The compiler of attempts: NVIDIA's if it is installed, otherwise cudac, unless the learner chose one.
//!
//! It is looked for when it is first needed. What it leaves out: what happens with an attempt that compiles, which is
//! in `grader`.

use std::sync::OnceLock;

use cudac::toolchain::{Choice, Compiler, Error, Source};
use grader::compile::{Compiled, rejected};
use grader::{Exercise, Refusal};

/// The compiler of attempts.
#[derive(Debug, Default)]
pub struct Toolchain {
    choice: Option<Choice>,
    compiler: OnceLock<Result<Compiler, String>>,
}

impl Toolchain {
    /// The compiler that was chosen, or the one that is available.
    pub fn new(choice: Option<Choice>) -> Toolchain {
        Toolchain { choice, compiler: OnceLock::new() }
    }

    /// The compiler.
    ///
    /// # Errors
    /// If the one that was asked for cannot be used.
    pub fn compiler(&self) -> Result<&Compiler, &String> {
        let find = || Compiler::find(self.choice).map_err(|error| error.to_string());
        self.compiler.get_or_init(find).as_ref()
    }

    /// Compiles an attempt.
    ///
    /// # Errors
    /// Text that the compiler does not accept, as a refusal.
    pub fn compile(&self, exercise: &Exercise, text: &str) -> Result<Compiled, Box<Refusal>> {
        let compiler = self.compiler().map_err(|why| unusable(why))?;
        let (name, arch) = (exercise.file_name(), exercise.arch.max(compiler.oldest_arch()));
        let source = Source {
            name: &name,
            text,
            more: Vec::new(),
            arch: Some(arch),
            is_specific: false,
            include: Vec::new(),
            headers: None,
            defines: Vec::new(),
            instances: Vec::new(),
            is_program: false,
            std: None,
        };
        match compiler.compile(&source) {
            Ok(made) => Ok(Compiled { ptx: made.ptx, by: made.by, warnings: made.warnings }),
            Err(Error::Rejected { log, .. }) => Err(rejected(&name, &log)),
            Err(other) => Err(unusable(&other.to_string())),
        }
    }
}

fn unusable(why: &str) -> Box<Refusal> {
    Refusal::new("no-compiler", why).look("use the compiler that is built in with `--compiler cudac`")
}
