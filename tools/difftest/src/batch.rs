//! The child process of a campaign: runs the kernels of some seeds on both machines, one after another, and writes the
//! result of each as a line of JSON. An error of the device may end the process.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use thirty_two_lanes::{Cubin, Image};

use crate::alone::Probe;
use crate::device::Device;
use crate::emulate;
use crate::family::Family;
use crate::judge::{Difference, Place, first_difference, same_slot};
use crate::kernel::Kernel;
use crate::tools::Ptxas;

/// The level at which the driver compiles by default.
pub const DEFAULT_LEVEL: u32 = 4;

/// The machines and compilers with which a batch is run.
pub struct Bench {
    /// The machine that is compared with the emulator.
    pub device: Device,
    /// Other assemblers, for kernels that differ.
    pub ptxas: Vec<Ptxas>,
    /// The architecture that they assemble for, `sm_90`.
    pub arch: String,
    /// The level of optimisation at which every kernel is compiled first.
    pub level: u32,
    /// The assembler that compiles every kernel first, unless the driver does.
    pub compiler: Option<Ptxas>,
    /// Whether differences are only recorded. To explain one, the kernel is compiled at other levels and by other
    /// compilers, which may kill the process.
    pub is_brief: bool,
    /// The family of the kernels.
    pub family: Option<Family>,
    /// A folder for the files of the assemblers.
    pub folder: std::path::PathBuf,
}

/// Runs `count` kernels, beginning with seed `first`, and writes a line for each.
///
/// # Errors
/// If the device fails; the lines written before remain.
pub fn run(bench: &Bench, first: u64, count: u64, out: &mut dyn Write) -> Result<()> {
    for seed in first..first + count {
        let line = one(bench, seed);
        let failed = line.as_ref().err().map(ToString::to_string);
        let line = line.unwrap_or_else(|error| json!({ "seed": seed, "trouble": error.to_string() }));
        writeln!(out, "{line}")?;
        out.flush()?;
        // After an error in a kernel, the driver refuses every further call in this process.
        if let Some(error) = failed.filter(|error| error.contains("the driver stopped")) {
            return Err(anyhow!(error));
        }
    }
    Ok(())
}

fn one(bench: &Bench, seed: u64) -> Result<Value> {
    let kernel = Kernel::of(bench.family, seed);
    let expected = emulate::expected(&kernel)?;
    let found = match &bench.compiler {
        None => bench.device.run_kernel(&kernel, Image::Ptx(&kernel.text, bench.level)),
        Some(ptxas) => {
            let cubin = ptxas.assemble(&kernel.text, &bench.arch, bench.level, &bench.folder)?;
            bench.device.run_kernel(&kernel, Image::Cubin(Cubin::new(&cubin)?, &kernel.text))
        }
    }?;
    let mut line =
        json!({ "seed": seed, "slots": kernel.slots.len(), "instructions": instructions(&kernel.text) });
    if first_difference(&kernel, &expected, &found, &[]).is_some() {
        line["difference"] = if bench.is_brief {
            first_difference(&kernel, &expected, &found, &[])
                .map_or(Value::Null, |first| described(&kernel, &first))
        } else {
            explain(bench, &kernel, &expected, &found)?
        };
    }
    Ok(line)
}

/// The number of instructions in a text, without labels and declarations.
pub fn instructions(text: &str) -> usize {
    let is_instruction = |line: &&str| line.ends_with(';') && !line.trim_start().starts_with('.');
    text.lines().filter(is_instruction).count()
}

/// Everything that helps to find out whose mistake a difference is: the first slot in the order of execution, its
/// operands, the results at other levels of optimisation and with other assemblers, and the result of the instruction
/// by itself.
fn explain(bench: &Bench, kernel: &Kernel, expected: &[Vec<u8>], found: &[Vec<u8>]) -> Result<Value> {
    let order = order(kernel, expected, found)?;
    let Some(first) = first_difference(kernel, expected, found, &order) else { return Ok(Value::Null) };
    let mut story = described(kernel, &first);
    story["levels"] = levels(bench, kernel, expected, &first, &order);
    if let Place::Slot { slot, thread } = first.place {
        let revealing = kernel.revealing(slot);
        let operands = revealing.operands(&emulate::expected(&revealing)?[Kernel::OUT], slot, thread);
        story["operands"] = operands.iter().map(|operand| format!("{operand:#x}")).collect();
        if let Some(alone) = &kernel.slots[slot].alone {
            story["alone"] = probed(bench, &Probe::new(alone, kernel.target, &operands))?;
        }
    }
    Ok(story)
}

/// The slots in the order in which the warp of a differing thread executes them.
fn order(kernel: &Kernel, expected: &[Vec<u8>], found: &[Vec<u8>]) -> Result<Vec<usize>> {
    let thread = match first_difference(kernel, expected, found, &[]).map(|first| first.place) {
        Some(Place::Slot { thread, .. }) => thread as u64,
        _ => 0,
    };
    let block = kernel.grid.nth(thread / kernel.block.count());
    let warp = (thread % kernel.block.count() / 32) as u32;
    emulate::load(kernel)?.order_of_slots(Kernel::ENTRY, kernel.threads() * 8, block, warp)
}

fn described(kernel: &Kernel, difference: &Difference) -> Value {
    let mut story = json!({
        "target": kernel.target,
        "emulator": format!("{:#x}", difference.expected),
        "device": format!("{:#x}", difference.found),
        "slots": difference.slots,
    });
    match difference.place {
        Place::Slot { slot, thread } => {
            story["slot"] = slot.into();
            story["thread"] = thread.into();
            story["opcode"] = kernel.slots[slot].opcode.clone().into();
            story["instruction"] = kernel.slots[slot].instruction.clone().into();
        }
        Place::Cell(cell) => {
            let instruction = kernel.cells[cell].instruction.clone();
            story["opcode"] = instruction.split(' ').next().unwrap_or_default().into();
            story["instruction"] = instruction.into();
        }
        Place::Own(word) => {
            story["opcode"] = "a store".into();
            story["instruction"] = format!("word {word} of the threads' own places").into();
        }
        Place::Other { buffer, word } => {
            story["opcode"] = "a store".into();
            story["instruction"] = format!("word {word} of buffer {buffer}").into();
        }
    }
    story
}

/// The result of the kernel for each level of each compiler: `equal`; `equal here` if this slot is right but another
/// one differs; the first slot that differs; or why there is no result.
fn levels(
    bench: &Bench,
    kernel: &Kernel,
    expected: &[Vec<u8>],
    first: &Difference,
    order: &[usize],
) -> Value {
    let mut levels = serde_json::Map::new();
    let is_right = |found: &[Vec<u8>]| match first.place {
        Place::Slot { slot, .. } => same_slot(kernel, slot, expected, found),
        _ => false,
    };
    let recorded = |found: Result<Vec<Vec<u8>>>| match found {
        Err(error) => error.to_string(),
        Ok(found) => match first_difference(kernel, expected, &found, order) {
            None => "equal".to_owned(),
            Some(_) if is_right(&found) => "equal here".to_owned(),
            Some(Difference { place: Place::Slot { slot, .. }, .. }) => format!("slot {slot}"),
            Some(_) => "memory".to_owned(),
        },
    };
    for level in 0..=DEFAULT_LEVEL {
        let found = bench.device.run_kernel(kernel, Image::Ptx(&kernel.text, level));
        levels.insert(format!("driver -O{level}"), recorded(found).into());
    }
    for ptxas in &bench.ptxas {
        for level in [0, 1, 2, 3] {
            let cubin = ptxas.assemble(&kernel.text, &bench.arch, level, Path::new(&bench.folder));
            let found = cubin.and_then(|cubin| {
                bench.device.run_kernel(kernel, Image::Cubin(Cubin::new(&cubin)?, &kernel.text))
            });
            levels.insert(format!("ptxas {} -O{level}", ptxas.release), recorded(found).into());
        }
    }
    levels.into()
}

/// The results of both machines for an instruction by itself.
fn probed(bench: &Bench, probe: &Probe) -> Result<Value> {
    let Probe { text, arguments } = probe;
    let ours =
        emulate::load_text(text, Probe::SHAPE.0, Probe::SHAPE.1, arguments)?.run("k", emulate::Way::PLAIN)?.1;
    let theirs = |level| {
        let found = bench.device.run(Image::Ptx(text, level), text, Probe::SHAPE, "k", arguments);
        found.map_or_else(|error| error.to_string(), |found| format!("{:#x}", Probe::result(&found)))
    };
    let emulator = format!("{:#x}", Probe::result(&ours));
    Ok(json!({ "emulator": emulator, "driver -O0": theirs(0), "driver -O4": theirs(DEFAULT_LEVEL) }))
}
