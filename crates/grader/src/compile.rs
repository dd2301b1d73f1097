//! Compiles an attempt to PTX.
//!
//! The attempt and the solution are compiled by the same compiler, so that neither has an advantage. The compiler of
//! this project, `cudac`, is called here. A program that finds NVIDIA's compiler brings a function of its own.

use crate::catalogue::Exercise;
use crate::verdict::Refusal;

/// The output of a compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// A module.
    pub ptx: String,
    /// The compiler and its target: `cudac 0.1 (sm_70)`.
    pub by: String,
    /// The compiler's warnings, as it words them.
    pub warnings: Vec<String>,
}

/// Compiles the text of an exercise that is written in CUDA C++, or says why it cannot.
pub type Compile<'c> = dyn Fn(&Exercise, &str) -> Result<Compiled, Box<Refusal>> + Sync + 'c;

/// The compiler of this project.
///
/// Text that it does not accept, as a refusal.
/// What it does not accept, as a refusal.
pub fn cudac(exercise: &Exercise, text: &str) -> Result<Compiled, Box<Refusal>> {
    let name = exercise.file_name();
    let options = cudac::Options { sm: exercise.arch, ..cudac::Options::default() };
    match cudac::compile(&cudac::Source { name: &name, text }, &options) {
        Ok(output) => {
            let warnings = output.warnings.iter().map(ToString::to_string).collect();
            Ok(Compiled { ptx: output.ptx, by: format!("cudac (sm_{})", exercise.arch), warnings })
        }
        Err(errors) => Err(rejected(&name, &errors.to_string())),
    }
}

/// How many lines of a compiler's messages are shown.
const LOG_LINES: usize = 12;

/// The refusal of a text that does not compile.
pub fn rejected(name: &str, log: &str) -> Box<Refusal> {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let more = lines.len().saturating_sub(LOG_LINES);
    let shown = lines.iter().take(LOG_LINES).map(|line| (*line).to_owned());
    let rest = (more > 0).then(|| format!("and {more} more lines"));
    Refusal::new("does-not-compile", &format!("`{name}` does not compile"))
        .details(shown.chain(rest))
        .look("look at the first message; the others often follow from it")
}
