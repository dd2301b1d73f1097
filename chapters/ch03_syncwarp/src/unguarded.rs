//! The last five rounds without the guard: what it is for, a repair that the compiler removes, and one that
//! works.
//!
//! Without the guard the upper lanes add too, although nothing needs their sums. They overwrite what the
//! lower lanes read, and those of the last warp read past the array. The sum is right nevertheless, on the
//! emulator and on a GPU, because the lanes of a warp happen to run in step here. It leaves out kernels in
//! which they do not.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::syncwarp::{TAIL_FIXED, TAIL_SYNCWARP, TAIL_UNGUARDED, TAIL_UNUSED_REGISTER};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Row, Verdict};

use crate::common::racing;
use crate::saving::{BLOCK, N, SHARED_BYTES, Sum};

/// With room for the 16 elements that the last warp reads past the end of the array.
const ROOM_BYTES: u32 = SHARED_BYTES + 4 * 16;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("do the last rounds need their guard? {N} integers, blocks of {BLOCK}");
    lab.section("unguarded", &title, &[SHARED_REQUESTS, ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    let add = |device: &mut Device, kernel| Sum::new(device, kernel, SHARED_BYTES, seed)?.add(device);
    lab.variant("guarded_tail", |device| add(device, &TAIL_SYNCWARP))?;
    lab.variant("tail_past_the_end", |device| Ok(add(device, &TAIL_UNGUARDED)?.expect(Verdict::Fault)))?;
    for kernel in [&TAIL_UNGUARDED, &TAIL_UNUSED_REGISTER] {
        lab.variant(kernel.name, |device| hidden(device, kernel, seed))?;
    }
    lab.variant(TAIL_FIXED.name, |device| add(device, &TAIL_FIXED))?;
    lab.notice(past_the_end);
    lab.notice(in_vain);
    lab.notice(repaired);
    Ok(())
}

/// A sum that races, with room after the array, and whether its result is right.
fn hidden(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let sum = Sum::new(device, kernel, ROOM_BYTES, seed)?;
    let row = sum.add(device)?;
    let contents = device.read(sum.place)?;
    let is_right = |sums: &[i32]| (f64::from(sums[0]) - sum.exact).abs() < 0.5;
    let word = |is_right| if is_right { "right" } else { "wrong" };
    let sim = is_right(&contents.sim);
    let mut row = row.fact("sum_is_right", f64::from(u8::from(sim)));
    row = row.remark(format!("its sum is {} on the emulator", word(sim)));
    if let Some(gpu) = contents.gpu {
        row = row.gpu_remark(format!("its sum is {} on the GPU", word(is_right(&gpu))));
    }
    Ok(racing(device, row))
}

/// The access that stopped the kernel comes first among the faults.
fn past_the_end(section: &Section) -> Option<String> {
    let actor = section.row("tail_past_the_end")?.run.faults.first()?.actors.first()?;
    Some(format!(
        "All {} warps of a block execute these rounds. The last one, warp {}, reads past the end of the \
         array. The others read what the next warp is about to overwrite.",
        BLOCK / 32,
        actor.warp
    ))
}

fn in_vain(section: &Section) -> Option<String> {
    let [bare, repaired] = [&TAIL_UNGUARDED, &TAIL_UNUSED_REGISTER].map(|kernel| section.row(kernel.name));
    let (bare, repaired) = (bare?, repaired?);
    let loads = |row: &Row| grouped(row.run.counters.shared_load_requests);
    let barriers = |row: &Row| row.fact_value("warp_barriers_per_warp");
    let more =
        repaired.run.counters.ptx_instructions_per_warp() - bare.run.counters.ptx_instructions_per_warp();
    Some(format!(
        "The source of the repair has one more load in each round, yet the kernel makes {} load requests to \
         shared memory, compared with {} without the repair: nothing uses the register, so the compiler has \
         dropped the load. The repair only adds barriers, {:.1} instead of {:.1} per warp, which make up all \
         of its {more:.2} additional PTX instructions per warp.",
        loads(repaired),
        loads(bare),
        barriers(repaired)?,
        barriers(bare)?,
    ))
}

fn repaired(section: &Section) -> Option<String> {
    let cost = |name: &str| Some(section.row(name)?.run.counters.ptx_instructions_per_warp());
    let (guarded, mended) = (cost("guarded_tail")?, cost(TAIL_FIXED.name)?);
    Some(format!(
        "The repair that works keeps the sum in a register: load, barrier, store, barrier. It takes \
         {mended:.2} PTX instructions per warp; the kernel with the guard takes {guarded:.2}."
    ))
}
