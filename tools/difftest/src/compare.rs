//! Compares the emulator with itself: every way to run a kernel has to leave the same memory as the plain interpreter,
//! and no checker may report anything.

use anyhow::{Result, bail};
use simt::{Checks, Reconvergence, Schedule};

use crate::dice::Dice;
use crate::emulate::{self, Way};
use crate::judge::{Difference, first_difference};
use crate::kernel::Kernel;

/// The ways to run a kernel other than the plain interpreter, each with its name: the fast executor, several cores,
/// every schedule, every checker, the weak memory, and the other mechanism of reconvergence.
pub fn ways(kernel: &Kernel) -> Vec<(&'static str, Way)> {
    let mut dice = Dice::new(kernel.seed, 3);
    let fast = Way { plain: false, ..Way::PLAIN };
    let mut seeded = |way: Way| Way { seed: dice.bits(), ..way };
    let random = Schedule::Random;
    // Below sm_70 a warp has one program counter, and the mask of an exchange must name lanes that execute together.
    // Both are true of these kernels.
    let other = if kernel.target < 70 { Reconvergence::Its } else { Reconvergence::Stack };
    vec![
        ("fast", fast),
        ("fast, cores", seeded(Way { cores: 3, deal: Some(kernel.seed), ..fast })),
        ("fast, random", seeded(Way { schedule: random, ..fast })),
        ("fast, hunt", seeded(Way { schedule: Schedule::Hunt, ..fast })),
        ("fast, checkers", seeded(Way { checks: Checks::ALL, ..fast })),
        (
            "fast, checkers, cores",
            seeded(Way { checks: Checks::ALL, cores: 2, deal: Some(kernel.seed), ..fast }),
        ),
        ("fast, checkers, hunt", seeded(Way { checks: Checks::ALL, schedule: Schedule::Hunt, ..fast })),
        ("plain, random", seeded(Way { schedule: random, ..Way::PLAIN })),
        (
            "plain, hunt, checkers",
            seeded(Way { schedule: Schedule::Hunt, checks: Checks::ALL, ..Way::PLAIN }),
        ),
        ("weak memory", seeded(Way { weak_memory: true, ..fast })),
        (
            "weak memory, random",
            seeded(Way { weak_memory: true, schedule: random, checks: Checks::ALL, ..fast }),
        ),
        ("weak memory, hunt", seeded(Way { weak_memory: true, schedule: Schedule::Hunt, ..fast })),
        ("other reconvergence", seeded(Way { reconvergence: other, ..fast })),
        (
            "other reconvergence, checkers",
            seeded(Way { reconvergence: other, checks: Checks::ALL, ..Way::PLAIN }),
        ),
    ]
}

/// Runs a kernel in every way.
///
/// # Errors
/// If the emulator refuses the kernel, finds a fault, or leaves other values in one of the ways. The error is one line
/// with the seed, the way, and the first slot that differs.
pub fn all_ways(kernel: &Kernel) -> Result<usize> {
    let title = kernel.name();
    let expected = emulate::expected(kernel).map_err(|error| error.context(format!("{title}, plain")))?;
    let ways = ways(kernel);
    for (name, way) in &ways {
        let (report, found) = emulate::load(kernel)?
            .run(Kernel::ENTRY, *way)
            .map_err(|error| error.context(format!("{title}, {name}")))?;
        if let Some(fault) = report.faults.first() {
            bail!("{title}, {name}: {}", fault.to_string().replace('\n', ";"));
        }
        if let Some(difference) = exact_difference(kernel, &expected, &found) {
            bail!("{title}, {name}: {}", description(kernel, &difference));
        }
    }
    Ok(ways.len())
}

/// The first difference. Approximations have to be equal to the last bit too, because there is only one emulator.
fn exact_difference(kernel: &Kernel, expected: &[Vec<u8>], found: &[Vec<u8>]) -> Option<Difference> {
    if expected == found {
        return None;
    }
    let mut exact = kernel.clone();
    exact.slots.iter_mut().for_each(|slot| slot.compare = crate::kernel::Compare::Exact);
    first_difference(&exact, expected, found, &[])
}

/// Describes a difference in one line.
pub fn description(kernel: &Kernel, difference: &Difference) -> String {
    let place = match &difference.place {
        crate::judge::Place::Slot { slot, thread } => {
            format!("`{}` (slot {slot}, thread {thread})", kernel.slots[*slot].instruction)
        }
        crate::judge::Place::Cell(cell) => format!("`{}`", kernel.cells[*cell].instruction),
        crate::judge::Place::Own(word) => format!("word {word} of the threads' own places"),
        crate::judge::Place::Other { buffer, word } => format!("word {word} of buffer {buffer}"),
    };
    format!("{place} leaves {:#x}, not {:#x}", difference.found, difference.expected)
}
