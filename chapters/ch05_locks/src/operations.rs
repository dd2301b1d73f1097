//! What threads can do with the old value that an atomic returns.
//!
//! The results do not depend on the order of the threads: every place is drawn once, every number comes out
//! once, and one thread wins. It leaves out queues and free lists, which are built from these operations.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::atomics::{
    CAS_ONE_WINS, EXCH_LAST_WINS, EXCHANGE_CHAIN, HAND_OUT, MAX_FLOAT_AS_INT, MAX_FLOAT_CAS,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

const THREADS: usize = 256;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("what does the old value tell a thread? One block of {THREADS}");
    lab.section("old_value", &title, &[GLOBAL_ATOMICS, ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    lab.variant(HAND_OUT.name, |device| hand_out(device, seed))?;
    lab.variant(EXCHANGE_CHAIN.name, |device| exchange(device, seed))?;
    // The compare-and-swap has one winner, and all other threads learn its number. With the exchange, the
    // last thread wins. It was not the first, and no thread has learnt its number.
    for (kernel, expected) in [(&CAS_ONE_WINS, [1.0, (THREADS - 1) as f64]), (&EXCH_LAST_WINS, [0.0, 0.0])] {
        lab.variant(kernel.name, |device| who_won(device, kernel, expected, seed))?;
    }
    for kernel in [&MAX_FLOAT_CAS, &MAX_FLOAT_AS_INT] {
        for (name, low, high) in [("positive", 1.0, 8.0), ("negative", -8.0, -1.0)] {
            let values = Random::new(seed).floats(THREADS, low, high);
            lab.variant(&format!("{kernel}-{name}"), |device| greatest(device, kernel, &values, seed))?;
        }
    }
    lab.notice(returned);
    lab.notice(other_operations);
    Ok(())
}

fn hand_out(device: &mut Device, seed: u64) -> Result<Row> {
    let (next, taken) = (device.zeroed::<i32>("next", 1)?, device.zeroed::<i32>("taken", THREADS)?);
    let run = device.launch(&Launch::new(&HAND_OUT, 1, THREADS as u32).seed(seed).arg(next).arg(taken))?;
    device.check(run, taken, &[1.0; THREADS], &Tolerance::Exact)
}

/// The zero and the number of each thread come out exactly once.
fn exchange(device: &mut Device, seed: u64) -> Result<Row> {
    let (cell, result) = (device.zeroed::<i32>("cell", 1)?, device.zeroed::<i32>("result", THREADS + 1)?);
    let launch = Launch::new(&EXCHANGE_CHAIN, 1, THREADS as u32).seed(seed);
    let run = device.launch(&launch.arg(cell).arg(result))?;
    device.check(run, result, &[1.0; THREADS + 1], &Tolerance::Exact)
}

/// Counts the threads that got the 0 and still stored last, and the threads that got the number that is left.
fn who_won(device: &mut Device, kernel: &'static Kernel, expected: [f64; 2], seed: u64) -> Result<Row> {
    let (cell, result) = (device.zeroed::<i32>("cell", 1)?, device.zeroed::<i32>("result", 2)?);
    let launch = Launch::new(kernel, 1, THREADS as u32).seed(seed);
    let run = device.launch(&launch.arg(cell).arg(result))?;
    let counts = device.read(result)?.sim;
    let row = device.check(run, result, &expected, &Tolerance::Exact)?;
    Ok(row.fact("got_0", counts[0].into()).fact("got_winner", counts[1].into()))
}

fn greatest(device: &mut Device, kernel: &'static Kernel, values: &[f32], seed: u64) -> Result<Row> {
    let (x, greatest) = (device.upload("x", values)?, device.upload("greatest", &values[..1])?);
    let launch = Launch::cover(kernel, values.len(), 64).seed(seed);
    let run = device.launch(&launch.arg(x).arg(greatest).arg(values.len() as i32))?;
    let expected = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let row = device.check(run, greatest, &[expected.into()], &Tolerance::Exact)?;
    // Of two negative floats, the one whose bits are the greater integer is the lesser.
    let is_wrong = kernel.name == MAX_FLOAT_AS_INT.name && values[0] < 0.0;
    let row = row.fact("greatest", f64::from(expected));
    Ok(if is_wrong { row.expect(Verdict::Wrong) } else { row })
}

fn returned(section: &Section) -> Option<String> {
    let row = section.row(CAS_ONE_WINS.name)?;
    let (winners, others) = (row.fact_value("got_0")?, row.fact_value("got_winner")?);
    Some(format!(
        "{THREADS} threads expect a 0 and try to replace it. {winners} got the 0 back and had replaced it; \
         {others} got the winner's number back and had replaced nothing."
    ))
}

fn other_operations(section: &Section) -> Option<String> {
    let name = |verdict| format!("{MAX_FLOAT_AS_INT}-{verdict}");
    let (right, wrong) = (section.row(&name("positive"))?, section.row(&name("negative"))?);
    let mended = section.row("max_float_cas-negative")?;
    Some(format!(
        "CUDA has no atomicMax for floats. The maximum of integers on the same bits is {} for positive \
         numbers and {} for negative ones. A loop on compare-and-swap is {} for the negative ones too, and \
         such a loop can do any operation.",
        right.verdict.name(),
        wrong.verdict.name(),
        mended.verdict.name(),
    ))
}
