//! The program `lanes`, which runs a reader's own kernels and programs, without a chapter.
//!
//! `lanes list` shows the contents of a file, `lanes run` launches one of its kernels with arguments from the command
//! line, or runs it as a whole if it has a `main`, `lanes play` writes such a launch into a page, `lanes test` runs scenario
//! files, which have launches in a row, and `lanes explain` explains a kind of fault. Status 0 means a run without an error,
//! 1 a kernel with a fault or with different results for different seeds, and 2 something that could not be run.

mod advice;
mod advise;
mod alive;
mod expect;
mod explain;
mod finished;
mod given;
mod inputs;
mod json;
mod launches;
mod list;
mod on_gpu;
mod once;
mod options;
mod picture;
mod plan;
mod play;
mod print;
mod program;
mod replay;
mod results;
mod save;
mod scenario;
mod seeds;
mod show;
mod signature;
mod source;
mod trace;
mod words;

use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use clap::Parser;
use simt::{Emulator, Limits};

use finished::Finished;
use options::{Command, Device, ListOptions, Options, RunOptions};
use plan::Plan;
use thirty_two_lanes::gpu::Gpu;
use thirty_two_lanes::sim::host_memory_bytes;
use thirty_two_lanes::terminal;

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => return terminal::refuse(&error),
    };
    let (result, as_json) = match &options.command {
        Command::Run(options) => (run(options), options.json),
        Command::Advise(options) => (advise::advise(options), false),
        Command::Test(options) => (scenario::test(options), options.format != options::Format::Text),
        Command::Play(options) => (play::play(options), false),
        Command::List(options) => (list(options), options.json),
        Command::Explain { topic } => (Ok((explain::render(*topic), ExitCode::SUCCESS)), false),
    };
    match result {
        Ok((text, status)) => terminal::print(&text, status),
        Err(error) if !as_json && is_log(&error) => terminal::fail_with_log(&format!("{error:#}")),
        Err(error) => terminal::fail(&format!("{error:#}")),
    }
}

/// The text to print, and the exit status.
type Output = (String, ExitCode);

fn list(options: &ListOptions) -> Result<Output> {
    let program = source::read(&options.file, options.how())?;
    let mut emulator = Emulator::new(Limits { memory_bytes: host_memory_bytes() });
    let module = plan::load(&mut emulator, &program)?;
    let signatures = signature::Signatures::of(&program, &options.how());
    let text = if options.json {
        format!("{:#}\n", json::list(&program, &module, &signatures))
    } else {
        program.warn();
        list::render(&program, &module, &signatures)
    };
    Ok((text, ExitCode::SUCCESS))
}

fn run(options: &RunOptions) -> Result<Output> {
    if let Some(text) = program::text(options)? {
        return program::run(options, &text);
    }
    if let Some(word) = options.words.first() {
        bail!(
            "`{word}` after `--` is for a program with a `main`, and this is a kernel: give its arguments with `--arg`"
        );
    }
    let plan = Plan::new(options)?;
    if !options.json {
        plan.program.warn();
    }
    let gpu = (options.device == Device::Gpu).then(Gpu::demand).transpose();
    let gpu = gpu
        .map_err(|error| anyhow!("{error}; without `--device gpu`, the kernel runs on the emulator alone"))?;
    alive::listen(&plan.pulse)?;
    let search = options.emulates().then(|| seeds::search(&plan)).transpose()?;
    let outcome = search.as_ref().map(|search| &search.outcome);
    let on_gpu = gpu.map(|gpu| on_gpu::run(&plan, gpu, outcome)).transpose()?;
    let finished = Finished { plan: &plan, search, on_gpu };
    let text =
        if options.json { format!("{:#}\n", json::render(&finished)) } else { show::render(&finished) };
    let was_stopped = finished.search.as_ref().is_some_and(|search| search.was_stopped);
    let status = match (write(&finished), finished.is_failure(), was_stopped) {
        // The report is not lost because a file cannot be written.
        (Err(error), ..) => terminal::fail(&format!("{error:#}")),
        (Ok(()), true, _) => ExitCode::from(1),
        (Ok(()), false, true) => ExitCode::from(alive::INTERRUPTED),
        (Ok(()), false, false) => ExitCode::SUCCESS,
    };
    Ok((text, status))
}

/// Writes the buffers that have to be saved or drawn into files.
fn write(finished: &Finished) -> Result<()> {
    let plan = finished.plan;
    for save in &plan.saves {
        finished.bytes(&save.name).map_or(Ok(()), |bytes| save.write(bytes))?;
    }
    for picture in &plan.pictures {
        let (Some(file), Some(bytes)) = (&picture.file, finished.bytes(&picture.name)) else { continue };
        save::write(file, &picture.png(plan.spec(&picture.name).ty, bytes)?)?;
    }
    Ok(())
}

/// Whether an error consists of several lines, which a compiler's log does.
fn is_log(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(cudac::toolchain::Error::Rejected { .. }))
}
