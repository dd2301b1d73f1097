//! The program `lanes`: a reader's own kernels, without a chapter around them.
//!
//! `lanes list` says what is in a file, `lanes run` launches one kernel of it with arguments from the command line, `lanes
//! play` writes such a launch into a page, and `lanes explain` says what a fault means. Status 0 is a run without an error, 1 a kernel at fault or one whose seeds
//! left different results, 2 something that could not be run. What it leaves out: more than one kernel a run, and structures as arguments.

mod explain;
mod inputs;
mod json;
mod list;
mod on_gpu;
mod once;
mod options;
mod plan;
mod play;
mod print;
mod replay;
mod results;
mod seeds;
mod show;
mod source;
mod told;
mod trace;
mod words;

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Parser;
use simt::{Emulator, Limits};

use lanes::gpu::Gpu;
use lanes::sim::host_memory_bytes;
use lanes::terminal;
use options::{Command, Device, ListOptions, Options, RunOptions};
use plan::Plan;
use told::Told;

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => return terminal::refuse(&error),
    };
    let (result, as_json) = match &options.command {
        Command::Run(options) => (run(options), options.json),
        Command::Play(options) => (play::play(options), false),
        Command::List(options) => (list(options), options.json),
        Command::Explain { fault } => (Ok((explain::render(*fault), ExitCode::SUCCESS)), false),
    };
    match result {
        Ok((text, status)) => terminal::print(&text, status),
        Err(error) if !as_json && is_log(&error) => terminal::fail_with_log(&format!("{error:#}")),
        Err(error) => terminal::fail(&format!("{error:#}")),
    }
}

/// What to print, and the status to end with.
type Output = (String, ExitCode);

fn list(options: &ListOptions) -> Result<Output> {
    let program = source::read(&options.file, options.arch, options.compiler)?;
    let mut emulator = Emulator::new(Limits { memory_bytes: host_memory_bytes() });
    let module = plan::load(&mut emulator, &program)?;
    let text = if options.json {
        format!("{:#}\n", json::list(&program, &module))
    } else {
        program.warn();
        list::render(&program, &module)
    };
    Ok((text, ExitCode::SUCCESS))
}

fn run(options: &RunOptions) -> Result<Output> {
    let plan = Plan::new(options)?;
    if !options.json {
        plan.program.warn();
    }
    let gpu = (options.device == Device::Gpu).then(Gpu::demand).transpose();
    let gpu = gpu
        .map_err(|error| anyhow!("{error}; without `--device gpu`, the kernel runs on the emulator alone"))?;
    let search = options.emulates().then(|| seeds::search(&plan)).transpose()?;
    let outcome = search.as_ref().map(|search| &search.outcome);
    let on_gpu = gpu.map(|gpu| on_gpu::run(&plan, gpu, outcome)).transpose()?;
    let told = Told { plan: &plan, search, on_gpu };
    let text = if options.json { format!("{:#}\n", json::render(&told)) } else { show::render(&told) };
    Ok((text, ExitCode::from(u8::from(told.is_failure()))))
}

/// Whether an error has lines of its own: a compiler's log.
fn is_log(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(compilers::Error::Rejected { .. }))
}
