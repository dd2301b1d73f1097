//! `lanes run`: a kernel on the emulator and the GPU, or a whole program.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, anyhow, bail};
use simt::TraceStep;
use thirty_two_lanes::gpu::Gpu;
use thirty_two_lanes::{files, terminal};

use super::{Output, program};
use crate::execute::{alive, gpu};
use crate::outcome::{Finished, Search, Traced};
use crate::render::trace::Trace;
use crate::render::{json, picture, show};
use crate::request::{Device, RunOptions};
use crate::resolve::Plan;
use crate::resolve::outputs::unwritable;

/// Runs what the options say.
pub fn run(options: &RunOptions) -> Result<Output> {
    if let Some(cuda) = program::read(options)? {
        return program::run(options, &cuda);
    }
    if let Some(word) = options.words.first() {
        bail!(
            "`{word}` after `--` is for a program with a `main`, and this is a kernel: give its arguments with `--arg`"
        );
    }
    if options.first_given("--host").is_some() {
        bail!("`--host` is for a program with a `main`, and this is a kernel: omit it");
    }
    if options.first_given("--write").is_some() {
        bail!("`--write` is for a program with a `main`, and this is a kernel: save a buffer with `--save`");
    }
    if options.first_given("--check-launches").is_some() {
        bail!(
            "`--check-launches` is for a program with a `main`, and of a kernel every launch is checked: omit it"
        );
    }
    let plan = Plan::new(options)?;
    if !options.output.json {
        plan.loaded.program.warn();
    }
    let gpu = (options.machine.device == Device::Gpu).then(Gpu::demand).transpose();
    let gpu = gpu
        .map_err(|error| anyhow!("{error}; without `--device gpu`, the kernel runs on the emulator alone"))?;
    alive::listen(vec![Arc::clone(&plan.pulse)])?;
    let emulated = options.emulates().then(|| emulate(&plan)).transpose()?;
    let (search, trace) = emulated.unzip();
    let outcome = search.as_ref().map(|search| &search.outcome);
    let on_gpu = gpu.map(|gpu| gpu::run(&plan, gpu, outcome)).transpose()?;
    let finished = Finished { plan: &plan, search, on_gpu, trace: trace.flatten() };
    let text = if options.output.json {
        format!("{:#}\n", json::render(&finished))
    } else {
        show::render(&finished)
    };
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

/// Runs the seeds on the emulator, and writes the trace of the only one, if that was asked for.
fn emulate(plan: &Plan) -> Result<(Search, Option<Traced>)> {
    let Some(file) = &plan.options.output.trace else { return Ok((Search::new(plan, None)?, None)) };
    let trace = Mutex::new(Trace::create(file, plan)?);
    let add = |step: &TraceStep| {
        trace.lock().unwrap_or_else(PoisonError::into_inner).add(step, &plan.loaded.module);
    };
    let search = Search::new(plan, Some(&add));
    let was_stopped = search.as_ref().map_or(true, |search| search.was_stopped);
    let traced = trace.into_inner().unwrap_or_else(PoisonError::into_inner).finish(was_stopped)?;
    Ok((search?, Some(traced)))
}

/// Writes the buffers that have to be saved or drawn into files.
fn write(finished: &Finished) -> Result<()> {
    let write =
        |file: &Path, bytes: &[u8]| files::write(file, bytes).map_err(|error| unwritable("", file, &error));
    for save in &finished.plan.outputs.saves {
        finished.bytes(&save.name).map_or(Ok(()), |bytes| write(&save.asked.file, bytes))?;
    }
    for named in &finished.plan.outputs.pictures {
        let (Some(file), Some(bytes)) = (&named.asked.file, finished.bytes(&named.name)) else { continue };
        let ty = finished.plan.sequence.spec(&named.name).ty;
        write(file, &picture::png(named.asked.width, ty, bytes)?)?;
    }
    Ok(())
}
