//! `lanes advise`: what the accesses, branches, barriers and fences of a launch cost, and what they could cost.

use std::process::ExitCode;

use advice::{Case, Placed};
use anyhow::{Result, bail};
use simt::Emulator;

use super::Output;
use super::options::{Device, RunOptions};
use super::plan::Plan;
use super::program;
use layout::{counted, paragraph};

/// Gives advice about a launch.
pub(super) fn advise(options: &RunOptions) -> Result<Output> {
    check(options)?;
    let plan = Plan::new(options)?;
    plan.program.warn();
    let place = |emulator: &mut Emulator| {
        let given = arguments::place(emulator, &plan.specs, |index| format!("arg{index}"))?;
        let args = given.iter().map(arguments::Given::arg).collect();
        let buffers = given.iter().enumerate().filter_map(|(index, given)| match given {
            arguments::Given::Buffer(buffer) => Some((format!("arg{index}"), *buffer)),
            arguments::Given::Value(_) => None,
        });
        Ok(Placed { args, buffers: buffers.collect() })
    };
    let case = Case {
        name: &plan.program.module_name(),
        cuda: plan.program.cuda.as_deref(),
        ptx: &plan.program.ptx,
        kernel: &plan.kernel.name,
        launch: &plan.launch,
        memory_bytes: plan.memory_bytes(),
        place: &place,
    };
    let advice = advice::advise(&case)?;
    let found = match advice.len() {
        0 => "nothing: no line of this launch costs much more than it could".to_owned(),
        found => counted(found as u64, "piece") + " of advice",
    };
    let title = format!(
        "{} of {}, grid {}, block {}: {found}",
        plan.kernel.name, plan.program.name, plan.launch.grid, plan.launch.block
    );
    Ok((paragraph("", &title) + &advice::render(&advice, &case), ExitCode::SUCCESS))
}

/// Refuses what has no meaning here.
fn check(run: &RunOptions) -> Result<()> {
    let given = [
        ("--seeds", run.seeds.is_some()),
        ("--strict", run.strict),
        ("--device", run.device == Device::Gpu),
        ("--print", !run.prints.is_empty()),
        ("--trace", run.trace.is_some()),
        ("--json", run.json),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        bail!("`lanes advise` is about one launch on the emulator: omit `{option}`");
    }
    if run.kernel.is_none() && program::text(run)?.is_some() {
        bail!(
            "`lanes advise` is about one launch: name the kernel with `--kernel`, and give its arguments with `--arg`"
        );
    }
    Ok(())
}
