//! `lanes advise`: what the accesses, branches, barriers and fences of a launch cost, and what they could cost.

use std::process::ExitCode;

use crate::advice::{self, Case, Placed};
use anyhow::{Result, anyhow, bail};
use simt::{Emulator, Module};

use super::{Output, program};
use crate::execute::{alive, memory};
use crate::request::RunOptions;
use crate::resolve::{Plan, signature};
use spec::layout::paragraph;

/// Options of `lanes run` that have no meaning here.
const USELESS: &str = "--seeds --strict --device --print --trace --json --expect --save --picture --write --host \
    --check-launches";

/// What stands before advice about a launch that is wrong.
const ERROR: &str = "This launch has an error, which `lanes run` with the same options shows. Repair it first: what is said \
                     here is about as much of the launch as ran, and barriers were not tried.";

/// Gives advice about a launch.
pub fn advise(options: &RunOptions) -> Result<Output> {
    check(options)?;
    let plan = Plan::new(options)?;
    plan.loaded.program.warn();
    let place = |emulator: &mut Emulator, module: &Module| placed(&plan, emulator, module);
    let step = plan.sequence.last();
    let case = Case {
        name: &plan.loaded.program.module_name(),
        cuda: plan.loaded.program.cuda_text(),
        ptx: &plan.loaded.program.ptx,
        kernel: &step.kernel.name,
        launch: &step.launch,
        memory_bytes: plan.loaded.memory_bytes,
        place: &place,
    };
    let _progress = alive::progress(&plan.sequence.steps, 1, &plan.pulse, "");
    let advice::Advised { advice, has_error } = advice::advise(&case)?;
    let found = match advice.len() {
        0 if has_error => "nothing so far".to_owned(),
        0 => "nothing: no line of this launch costs much more than it could".to_owned(),
        1 => "1 piece of advice".to_owned(),
        found => format!("{found} pieces of advice"),
    };
    let title = format!(
        "{} of {}, grid {}, block {}: {found}",
        signature::short(&step.kernel.name),
        plan.loaded.program.name,
        step.launch.grid,
        step.launch.block
    );
    let mut out = paragraph("", &title);
    if has_error {
        out += &paragraph("", ERROR);
    }
    Ok((out + &advice::render(&advice, &case), ExitCode::SUCCESS))
}

/// The buffers and arguments of the last launch, after the launches before it.
fn placed(plan: &Plan<'_>, emulator: &mut Emulator, module: &Module) -> Result<Placed> {
    let buffers = memory::allocate(&plan.sequence, emulator, module)?;
    let (last, before) = plan.sequence.steps.split_last().expect("a plan has a launch");
    for step in before {
        let launch = step.launch(&buffers, step.launch.seed);
        let name = signature::short(&step.kernel.name);
        let report = emulator.launch(module, &step.kernel.name, &launch);
        let report = report.map_err(|error| anyhow!("cannot run `{name}`: {error}"))?;
        if plan.has_failed(&report) {
            bail!(
                "`{name}`, which is launched before, has an error: `lanes run` with these options shows it"
            );
        }
    }
    let args = last.launch(&buffers, last.launch.seed).args;
    Ok(Placed { args, buffers: buffers.into_iter().collect() })
}

/// Refuses what has no meaning here.
fn check(run: &RunOptions) -> Result<()> {
    if let Some(option) = run.first_given(USELESS) {
        bail!("`lanes advise` is about one launch on the emulator: omit `{option}`");
    }
    if program::read(run)?.is_some() {
        bail!(
            "`lanes advise` is about one launch: name the kernel with `--kernel`, and give its arguments with `--arg`"
        );
    }
    Ok(())
}
