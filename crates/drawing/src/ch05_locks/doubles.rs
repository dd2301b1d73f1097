//! The figure of chapter 5 about minus zero: additions that are lost because doubles are compared.
//!
//! NaN is left out, because with it a loop that compares doubles never ends.

use anyhow::{Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::atomics::{ADD_ZERO_BITS, ADD_ZERO_COMPARE};
use thirty_two_lanes::report::layout::counted;
use thirty_two_lanes::{Launch, Traced};

use crate::timeline::{is, legend};
use crate::warp::{LANES, Strip};
use crate::{Fill, Mark, Sheet, Sources, Tone};

/// The distance between two attempts.
const PITCH: f64 = 7.0;

pub fn minus_zero(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let mut described = Vec::new();
    for (x, kernel, name) in
        [(10.0, &ADD_ZERO_BITS, "bits are compared"), (210.0, &ADD_ZERO_COMPARE, "doubles are compared")]
    {
        let (tries, added) = sources.scope(|sources| tries(sources, kernel))?;
        let strip = Strip::squares(x, 5.7);
        sheet.left(x, 14.0, Tone::Text, name);
        let end = turns(sheet, strip, &tries, added > 0);
        let sum = format!("sum {added}, {} lost", LANES - 1 - added);
        sheet.left(x, end + 20.0, Tone::Strong, &sum);
        described.push(format!("where {name}, {} and the {sum}", counted(tries.len() as u64 - 1, "turn")));
    }
    let base = sheet.bottom() + 24.0;
    let [sets, adds] = [(Mark::Diamond, Fill::B, "makes it +0"), (Mark::Square, Fill::On, "adds 1, is done")];
    let fails = (Mark::Disc, Fill::Off, "fails");
    let lost = (Mark::Cross, Fill::Bad, "fails, but takes it for success");
    legend(sheet, 10.0, base, &[sets, adds, fails]);
    legend(sheet, 10.0, base + 18.0, &[lost]);
    Ok(format!(
        "A column for each lane of one warp on the emulator, a row for each exchange that it tries. All have read -0, then lane \
         0 makes it +0, and the other lanes add 1 each: {}.",
        described.join("; ")
    ))
}

/// The lanes of each exchange of a warp, and how many ones were added.
fn tries(sources: &mut Sources, kernel: &'static Kernel) -> Result<(Vec<u32>, u32)> {
    let sum = sources.upload("sum", &[-0.0_f64])?;
    let launch = Launch::new(kernel, 1, LANES).arg(sum).arg(1.0_f64);
    let (_, left) = sources.trial(&launch, sum)?;
    let trace = sources.trace(&launch)?;
    let exchanges = trace.iter().filter(|step| is(step, "atom.global.cas"));
    let tries: Vec<u32> = exchanges.map(|step: &Traced| step.active).collect();
    ensure!(tries.first() == Some(&1), "lane 0 is not the first to exchange");
    Ok((tries, left[0] as u32))
}

/// Draws the attempts from top to bottom, and returns the lower end. A lane that does not try again believes that it is
/// done.
fn turns(sheet: &mut Sheet, strip: Strip, tries: &[u32], is_added: bool) -> f64 {
    let y = |turn: usize| 26.0 + PITCH * turn as f64;
    sheet.mark((strip.centre(0), y(0)), 3.0, Mark::Diamond, Fill::B);
    for (turn, &mask) in tries.iter().enumerate().skip(1) {
        let next = tries.get(turn + 1).copied().unwrap_or(0);
        for lane in (0..LANES).filter(|lane| mask >> lane & 1 == 1) {
            let at = (strip.centre(lane), y(turn));
            if next >> lane & 1 == 1 {
                sheet.mark(at, 1.2, Mark::Disc, Fill::Off);
            } else if is_added {
                sheet.mark(at, 2.6, Mark::Square, Fill::On);
            } else {
                sheet.mark(at, 2.2, Mark::Cross, Fill::Bad);
            }
        }
    }
    y(tries.len() - 1)
}
