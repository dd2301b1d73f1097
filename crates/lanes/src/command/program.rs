//! A file with `main`: the whole program is run, host code and kernels.
//!
//! It is always compiled by cudac, because NVIDIA's run-time compiler takes kernels only. What the program prints comes
//! in the order in which it happens, with what is found. What it leaves out: options that choose or change one launch, which are refused.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, bail};
use cuda_host::{Event, Finding, Given, Limits};
use spec::launch::Launch;
use thirty_two_lanes::cores;
use thirty_two_lanes::terminal;

use super::Output;
use crate::render::program::{self, Told};
use crate::request::RunOptions;
use crate::resolve::source;

/// Options that only launches of kernels have.
const USELESS: &str = "\
    --grid --block --shared-bytes --compiler --seed --seeds --schedule --reconvergence \
    --resident-blocks --weak-memory --check --strict --device --trace --buffer --symbol \
    --instantiate --std --expect --save --picture --print";

/// The text of a CUDA file that has a function `main`, if the options ask for no kernel of it.
pub fn text(options: &RunOptions) -> Result<Option<String>> {
    let is_cuda = options.file.extension().is_some_and(|extension| extension == "cu");
    let Launch { kernel, arguments, .. } = &*options.launch;
    if !is_cuda || kernel.is_some() || !arguments.is_empty() || !options.launches.is_empty() {
        return Ok(None);
    }
    let text = source::cuda_text(&options.file)?;
    Ok(Some(text).filter(|text| cudac::has_main(text)))
}

/// Compiles and runs a program.
pub fn run(options: &RunOptions, text: &str) -> Result<Output> {
    refuse(options)?;
    let name = source::name(&options.file);
    let short = options.file.file_name().unwrap_or(options.file.as_os_str()).to_string_lossy();
    let wanted = cudac::Options {
        sm: options.compile.arch.unwrap_or(70),
        defines: options.compile.defines.clone(),
        instances: Vec::new(),
    };
    let compiled = cudac::compile_program(&cudac::Source { name: &short, text }, &wanted);
    let (made, parsed) = compiled.map_err(|errors| source::rejected(&name, &errors))?;
    let bugs: Vec<Finding> = made.warnings.iter().filter_map(finding).collect();
    let guesses = made.warnings.iter().filter(|warning| finding(warning).is_none());
    if !options.output.json {
        guesses.for_each(|warning| terminal::warn(&warning.to_string()));
    }
    let limits = Limits::default();
    let launch_steps = options.launch.max_steps.unwrap_or(limits.launch_steps);
    let limits =
        Limits { launch_steps, cores: options.machine.cores.unwrap_or_else(cores::available), ..limits };
    let mut input = Vec::new();
    if cuda_host::reads_input(&parsed) {
        std::io::stdin().read_to_end(&mut input).context("cannot read the standard input")?;
    }
    let given = Given { arguments: &options.words, input: &input };
    let told = Mutex::new(Told::default());
    let watch = |event: Event<'_>| {
        if !options.output.json {
            told.lock().unwrap_or_else(PoisonError::into_inner).tell(&short, event);
        }
    };
    for bug in &bugs {
        watch(Event::Finding(bug));
    }
    let mut outcome = cuda_host::run_watched(&parsed, &short, &made.ptx, &given, &limits, &watch)
        .map_err(|error| anyhow!("cannot run `{name}`: {error}"))?;
    let told = told.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.findings.splice(..0, bugs);
    let failed = !outcome.findings.is_empty();
    let status = if failed { 1 } else { outcome.status as u8 };
    if !options.output.json {
        // As with any other program, nothing can be done if nobody reads it.
        let _ = std::io::stderr().write_all(&outcome.errors);
    }
    let text = if options.output.json {
        format!("{:#}\n", program::json(&name, &outcome))
    } else {
        program::render(&outcome, &told)
    };
    Ok((text, ExitCode::from(status)))
}

/// What the compiler knows to go wrong, as a finding.
fn finding(warning: &cudac::Diagnostic) -> Option<Finding> {
    let kind = match warning.bug? {
        cudac::Bug::Uninitialized => cuda_host::Kind::Uninitialized,
        cudac::Bug::RoundedQuotient => return None,
    };
    let help = warning.help.clone().unwrap_or_default();
    Some(Finding { kind, line: warning.line, message: warning.message.clone(), actors: Vec::new(), help })
}

/// Refuses options that have no effect on a program.
fn refuse(options: &RunOptions) -> Result<()> {
    match options.first_given(USELESS) {
        Some(option) => bail!(
            "`{}` has a function `main`, so the whole program is run, and `{option}` has no effect on that: omit it, or \
             choose a kernel with `--kernel`",
            source::name(&options.file)
        ),
        None => Ok(()),
    }
}
