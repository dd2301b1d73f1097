//! Divergence is a matter of one warp, and some of it cannot be avoided.
//!
//! The kernels are those of the first chapter, because the note repeats its questions: which warps diverge,
//! and what the guard at the end of an array is for. It leaves out what divergence costs.

use anyhow::Result;
use thirty_two_lanes::kernels::boundary::ADD_GUARDED;
use thirty_two_lanes::kernels::divergence::{MATH_EVEN_THREAD, MATH_EVEN_WARP, MATH_UNGUARDED};
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_WARPS};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

/// Not a multiple of a warp.
const N: usize = 1003;
const BLOCK: u32 = 64;

pub fn section(lab: &mut Lab) -> Result<()> {
    let title = format!("which warps diverge, and must they? {N} elements, blocks of {BLOCK}");
    lab.section("guard", &title, &[DIVERGENT_WARPS, ACTIVE_LANES]);
    lab.variant("by_thread-G", |device| {
        let launch = Launch::cover(&MATH_EVEN_THREAD, N, BLOCK).debug()?;
        write(device, launch, |i| i.is_multiple_of(2))
    })?;
    lab.variant("by_warp-G", |device| {
        let launch = Launch::cover(&MATH_EVEN_WARP, N, BLOCK).debug()?;
        write(device, launch, |i| (i / 32).is_multiple_of(2))
    })?;
    lab.variant("guarded", guarded)?;
    lab.variant("unguarded", unguarded)?;
    lab.notice(|section| {
        let parted = |name| Some(section.row(name)?.run.counters.divergent_warps);
        let (thread, warp, guard) = (parted("by_thread-G")?, parted("by_warp-G")?, parted("guarded")?);
        Some(format!(
            "If each thread decides for itself, {thread} warps diverge. If each warp decides as a whole, \
             {warp} does: at the end of the array, some of its lanes have no element. A guard alone makes \
             {guard} diverge; without it, threads write past the end."
        ))
    });
    Ok(())
}

fn write(device: &mut Device, launch: Launch, is_hundred: fn(usize) -> bool) -> Result<Row> {
    let c = device.zeroed::<f32>("c", N)?;
    let run = device.launch(&launch.arg(c).arg(N as i32))?;
    let expected: Vec<f64> = (0..N).map(|i| if is_hundred(i) { 100.0 } else { 200.0 }).collect();
    device.check(run, c, &expected, &Tolerance::Exact)
}

fn guarded(device: &mut Device) -> Result<Row> {
    let ones = vec![1.0_f32; N];
    let (a, b) = (device.upload("a", &ones)?, device.upload("b", &ones)?);
    let c = device.zeroed::<f32>("c", N)?;
    let run = device.launch(&Launch::cover(&ADD_GUARDED, N, BLOCK).arg(a).arg(b).arg(c).arg(N as i32))?;
    device.check(run, c, &vec![2.0; N], &Tolerance::Exact)
}

fn unguarded(device: &mut Device) -> Result<Row> {
    let c = device.zeroed::<f32>("c", N)?;
    let run = device.launch(&Launch::new(&MATH_UNGUARDED, blocks_for(N, BLOCK), BLOCK).arg(c))?;
    Ok(Row::new(run, Verdict::Fault).expect(Verdict::Fault))
}
