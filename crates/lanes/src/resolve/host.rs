//! Compiles a whole program: cudac for the interpreter, or clang, after which the processor executes its host code.
//!
//! The interpreter comes first, because it checks every access of the host and needs nothing installed. What it cannot read is
//! clang's, if there is one.

use std::sync::Arc;

use anyhow::{Error, Result, bail};
use cudac::Diagnostic;
use cudac::host::Program;

use super::native::{self, Native};
use super::source::{self, Cuda};
use crate::request::{Compiler, Host, RunOptions};

/// What cudac says of calls that reach out of a program. Nobody who only wants a program checked has asked for that.
const REACHES_OUT: [&str; 3] = ["starts a process", "opens a socket", "reaches files in another way"];

const NATIVELY: &str =
    "help: if you trust the program, `--host clang` runs it natively, and then it may do that";

/// A program that can be run.
#[derive(Debug)]
pub struct Built {
    pub program: Program,
    pub ptx: String,
    pub warnings: Vec<Diagnostic>,
    /// If clang has compiled it: where, and how it is said.
    pub native: Option<Native>,
}

impl Built {
    /// One that clang has compiled.
    pub fn native((program, native): (Program, Native)) -> Built {
        Built { program, ptx: native.ptx().to_owned(), warnings: Vec::new(), native: Some(native) }
    }
}

/// Who may execute the host code of a program: natively it would write more than the folders of `--write`.
pub fn host(options: &RunOptions) -> Host {
    match options.machine.host {
        Host::Auto if !options.machine.writes.is_empty() => Host::Interpret,
        host => host,
    }
}

/// Compiles a program for the interpreter or, with clang, for the processor, as the options say.
pub fn build(options: &RunOptions, cuda: &Cuda) -> Result<Built> {
    let host = host(options);
    if host == Host::Clang {
        if !options.machine.writes.is_empty() {
            bail!(
                "`--write` is for the interpreter, and a program that clang has compiled writes as any other: omit it"
            );
        }
        return natively(options, cuda, None);
    }
    if options.compile.std.is_some_and(|std| std > 17) && host == Host::Interpret {
        bail!("cudac compiles C++17 and older, not C++20: omit `--std`, or compile with `--host clang`");
    }
    let errors = match with_cudac(options, cuda) {
        Ok((made, program)) if options.compile.compiler == Some(Compiler::Clang) => {
            let (ptx, _) = native::kernels(&options.file, &options.compile, cuda)?;
            if let Some(kernel) = nameless(&program, &ptx) {
                if host == Host::Auto {
                    let why = format!("the compilers have different names for the kernel `{kernel}`");
                    return natively(options, cuda, Some(why));
                }
                bail!("clang has another name for the kernel `{kernel}` than cudac: add `--host clang`");
            }
            return Ok(Built { program, ptx, warnings: made.warnings, native: None });
        }
        Ok((made, program)) => {
            return Ok(Built { program, ptx: made.ptx, warnings: made.warnings, native: None });
        }
        Err(errors) => errors,
    };
    let rejected = || rejected(options, &errors);
    if host == Host::Interpret || options.compile.compiler == Some(Compiler::Cudac) {
        return Err(rejected());
    }
    if errors.0.iter().any(|error| REACHES_OUT.iter().any(|does| error.message.contains(does))) {
        return Err(source::Log(format!("{}\n{NATIVELY}", rejected())).into());
    }
    let first = errors.0.first().map(|error| format!("{}:{}: {}", error.file, error.line, error.message));
    match natively(options, cuda, Some(first.unwrap_or_default())) {
        Ok(built) => Ok(built),
        Err(error) => Err(source::Log(format!("{}\n{}", rejected(), native::as_well(&error))).into()),
    }
}

/// Compiles host code with clang; why, unless that was asked for. Kernels are clang's too, unless they shall be cudac's.
pub fn natively(options: &RunOptions, cuda: &Cuda, why: Option<String>) -> Result<Built> {
    let (program, mut native) = native::build(options, cuda, why)?;
    if options.compile.compiler != Some(Compiler::Cudac) {
        return Ok(Built::native((program, native)));
    }
    let made = match with_cudac(options, cuda) {
        Ok((made, _)) => made,
        // Its host code needs not be readable here.
        Err(_) => kernels_alone(options, cuda, &program).map_err(|errors| rejected(options, &errors))?,
    };
    if let Some(kernel) = nameless(&program, &made.ptx) {
        bail!("cudac has another name for the kernel `{kernel}` than clang: omit `--compiler cudac`");
    }
    let program = native.replace_kernels(made.ptx)?;
    Ok(Built::native((program, native)))
}

/// Compiles both sides with cudac.
fn with_cudac(options: &RunOptions, cuda: &Cuda) -> Result<(cudac::Output, Program), cudac::Errors> {
    cudac::compile_project(&cuda.sources(&source::short(&options.file)), &cudac_options(options, cuda))
}

/// Compiles the kernels of a program whose host code another compiler has read.
fn kernels_alone(
    options: &RunOptions,
    cuda: &Cuda,
    program: &Program,
) -> Result<cudac::Output, cudac::Errors> {
    // Which templates are launched is host code, too.
    let instances = program.kernels.iter().filter(|kernel| kernel.name.contains('<'));
    let wanted = cudac::Options {
        instances: instances.map(|kernel| kernel.name.clone()).collect(),
        leaves_host: true,
        ..cudac_options(options, cuda)
    };
    cudac::compile_units(&cuda.sources(&source::short(&options.file)), &wanted)
}

fn cudac_options(options: &RunOptions, cuda: &Cuda) -> cudac::Options {
    cudac::Options {
        sm: options.compile.arch.map_or(70, |arch| arch.number),
        is_specific: options.compile.arch.is_some_and(|arch| arch.is_specific),
        defines: options.compile.defines.clone(),
        headers: Some(Arc::clone(&cuda.headers) as _),
        ..cudac::Options::default()
    }
}

fn rejected(options: &RunOptions, errors: &cudac::Errors) -> Error {
    Error::from(source::rejected(&source::name(&options.file), errors))
}

/// A kernel of a program that PTX of another compiler does not have under its name: for lambdas and `static` kernels, each has a
/// name of its own.
fn nameless<'p>(program: &'p Program, ptx: &str) -> Option<&'p str> {
    let is_missing = |symbol: &str| !ptx.contains(&format!(" {symbol}("));
    program.kernels.iter().find(|kernel| is_missing(&kernel.symbol)).map(|kernel| kernel.name.as_str())
}
