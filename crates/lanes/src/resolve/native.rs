//! Compiles a program with clang, and runs it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Error, Result, bail};
use cuda_host::{Limits, Outcome, Watch};
use cudac::host::Program;
use native_host::{Clang, Compiled, Given, Project, Running};

use super::source::{self, Cuda};
use crate::request::{Compile, RunOptions};

/// How many seconds of the processor the host code of a program may take.
const SECONDS: u64 = 600;

/// What is said if there is no clang.
const NONE: &str = "clang (16 or newer) would compile such host code, and is not installed: \
                    `apt install clang` on Debian and Ubuntu, `xcode-select --install` on macOS";

/// The same where clang was asked for.
const INSTALLED: &str = "`apt install clang` on Debian and Ubuntu, `xcode-select --install` on macOS";

/// A program that clang has compiled.
#[derive(Debug)]
pub struct Native {
    compiled: Compiled,
    version: u32,
    /// Who compiled its kernels.
    kernels: &'static str,
    /// Why the interpreter did not execute it, unless that was asked for.
    why: Option<String>,
}

/// Whether there is a clang.
pub fn is_there() -> bool {
    Clang::find().is_some()
}

/// Compiles a program with clang; why, unless that was asked for.
pub fn build(options: &RunOptions, cuda: &Cuda, why: Option<String>) -> Result<(Program, Native)> {
    let compiled = with_clang(&options.file, &options.compile, cuda, Clang::compile)?;
    let (clang, compiled) = compiled;
    let program = compiled.program().context("the emulator cannot read the PTX of clang")?;
    Ok((program, Native { compiled, version: clang.version, kernels: "clang", why }))
}

/// Compiles the kernels of a file with clang: their PTX, and who has written it.
pub fn kernels(file: &Path, how: &Compile, cuda: &Cuda) -> Result<(String, String)> {
    if !is_there() {
        bail!("`--compiler clang` needs clang, 16 or newer: {INSTALLED}");
    }
    let (clang, ptx) = with_clang(file, how, cuda, Clang::compile_kernels)?;
    let arch = how.arch.map_or_else(|| "70".to_owned(), |arch| arch.to_string());
    Ok((ptx, format!("clang {} (sm_{arch})", clang.version)))
}

/// Finds clang, and lets it compile the sources.
fn with_clang<T>(
    file: &Path,
    how: &Compile,
    cuda: &Cuda,
    compile: impl Fn(&Clang, &Project<'_>) -> std::result::Result<T, native_host::Error>,
) -> Result<(Clang, T)> {
    let clang = Clang::find().context(NONE)?;
    let here = std::env::current_dir().context("the current folder cannot be found")?;
    let folder = here.join(file.parent().unwrap_or(Path::new("")));
    let short = source::short(file);
    let sources: Vec<PathBuf> =
        cuda.sources(&short).iter().map(|source| PathBuf::from(source.name)).collect();
    let included = cuda.headers.files();
    let included = included.iter().map(|header| (PathBuf::from(&header.key), header.text.to_string()));
    let sources_of = cuda.sources(&short);
    let texts: Vec<(PathBuf, String)> = sources_of
        .iter()
        .map(|source| (PathBuf::from(source.name), source.text.to_owned()))
        .chain(included)
        .collect();
    let include: Vec<PathBuf> = cuda.headers.all().iter().map(|folder| here.join(folder)).collect();
    // A template is made for a type where its kernel is mentioned.
    let mut end = String::new();
    for (number, instance) in how.instances.iter().enumerate() {
        let _ = write!(end, "\nvoid __lanes_instance{number}() {{ (void)&{instance}; }}");
    }
    let project = Project {
        end: &end,
        folder: &folder,
        sources: &sources,
        texts: &texts,
        include: &include,
        shown_from: &here,
        defines: &how.defines,
        arch: how.arch.map_or(70, |arch| arch.number),
        is_specific: how.arch.is_some_and(|arch| arch.is_specific),
        std: how.std.unwrap_or(17),
    };
    let compiled = compile(&clang, &project).map_err(|error| match error {
        native_host::Error::Rejected(log) => Error::new(source::Log(log.trim_end().to_owned())),
        native_host::Error::Failed(error) => Error::new(error).context("clang cannot be used"),
    })?;
    Ok((clang, compiled))
}

/// How many lines of clang's are shown after the interpreter's own.
const MOST_LINES: usize = 6;

/// What is said if clang does not compile a program either.
pub fn as_well(error: &Error) -> String {
    let text = format!("{error:#}");
    if text == NONE {
        return format!("help: {text}");
    }
    let few: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let left = text.lines().count() - few.len();
    let more = if left == 0 { String::new() } else { format!("\n({left} more lines with `--host clang`)") };
    format!("clang refuses it as well:\n{}{more}", few.join("\n"))
}

impl Native {
    /// Takes cudac's PTX in place of clang's; what is known of its kernels.
    pub fn replace_kernels(&mut self, ptx: String) -> Result<Program> {
        self.compiled.set_ptx(ptx);
        self.kernels = "cudac";
        self.compiled.program().context("the emulator cannot read the PTX of cudac")
    }

    /// Runs the program.
    pub fn run(
        &self,
        program: &Program,
        words: &[String],
        limits: &Limits,
        watch: Watch<'_>,
    ) -> Result<Outcome> {
        let name = program.files.first().cloned().unwrap_or_default();
        let words: Vec<String> = std::iter::once(name).chain(words.iter().cloned()).collect();
        let given = Given {
            words: &words,
            seconds: SECONDS,
            memory_bytes: limits.memory_bytes,
            output_bytes: limits.output_bytes,
            pulse: limits.launch.pulse.as_ref().map(Arc::clone),
        };
        let running = Running::start(&self.compiled, &given).context("the program cannot be started")?;
        Ok(native_host::serve(program, &self.compiled, &running, limits, watch)?)
    }

    /// The PTX of its kernels.
    pub fn ptx(&self) -> &str {
        self.compiled.ptx()
    }

    /// Who executes the host code: `clang 19`.
    pub fn name(&self) -> String {
        format!("clang {}", self.version)
    }

    /// What is said of it.
    pub fn note(&self) -> String {
        let kernels = if self.kernels == "clang" { "" } else { ", its kernels by cudac" };
        let why = self.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        format!(
            "compiled by clang {}{why}{kernels}: its host code ran natively, with your rights; what it reads and writes was \
             not checked, nor whether it looks at errors",
            self.version
        )
    }
}
