//! Forward progress: which blocks have started when a block waits for another.
//!
//! The emulator keeps one block or all blocks resident at a time, and starts them in the order of their numbers, which
//! CUDA does not promise. A kernel that gives the last tile to the first block shows what would happen to any kernel if
//! blocks started in the opposite order. It leaves out blocks that start late on a GPU, because that cannot be
//! arranged.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::scan_array::{
    SCAN_LOOK_BACK, SCAN_LOOK_BACK_BLOCK_IDX, SCAN_LOOK_BACK_LAST_FIRST,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS, LOAD_REQUESTS};
use thirty_two_lanes::{Device, Lab, Launch, Row, Run, Tolerance, Verdict};

use crate::array::PER_THREAD;
use crate::look_back::{BLOCK, PATIENCE, TILES};
use crate::numbers::{digits, scans};

/// How often a block loads the state of a tile that will never be ready.
const LITTLE_PATIENCE: i32 = 500;
/// The block waits without a limit.
const NO_END: i32 = 0;

/// A variant: its kernel, how many blocks are on the machine at a time, the patience, and the verdict expected.
const CASES: [(&str, &Kernel, u32, i32, Verdict); 5] = [
    ("tickets-one", &SCAN_LOOK_BACK, 1, PATIENCE, Verdict::Ok),
    ("block_idx-one", &SCAN_LOOK_BACK_BLOCK_IDX, 1, PATIENCE, Verdict::Ok),
    ("last_first-all", &SCAN_LOOK_BACK_LAST_FIRST, TILES, PATIENCE, Verdict::Ok),
    ("last_first-one", &SCAN_LOOK_BACK_LAST_FIRST, 1, LITTLE_PATIENCE, Verdict::Wrong),
    ("last_first-forever", &SCAN_LOOK_BACK_LAST_FIRST, 1, NO_END, Verdict::Fault),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("must all blocks be on the machine at once? {TILES} tiles, on the emulator");
    lab.section("start", &title, &[INSTRUCTIONS, LOAD_REQUESTS]);
    for (name, kernel, resident, patience, expected) in CASES {
        lab.variant(name, |device| Ok(scan(device, kernel, resident, patience, seed)?.expect(expected)))?;
    }
    lab.notice(gave_up);
    Ok(())
}

/// Runs on the emulator only, because the number of blocks that are resident on a GPU cannot be chosen.
fn scan(
    device: &mut Device,
    kernel: &'static Kernel,
    resident: u32,
    patience: i32,
    seed: u64,
) -> Result<Row> {
    let values = digits(TILES as usize * PER_THREAD * BLOCK as usize, seed);
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<i32>("y", values.len())?);
    let states = device.zeroed::<u64>("states", TILES as usize)?;
    let (tickets, gave_up) = (device.zeroed::<u32>("tickets", 1)?, device.zeroed::<i32>("gave_up", 1)?);
    let launch = Launch::new(kernel, TILES, BLOCK).seed(seed).arg(x).arg(y).arg(states).arg(tickets);
    let mut launch = launch.arg(gave_up).arg(values.len() as i32).arg(patience);
    launch.simt.resident_blocks = resident;
    let (_, waited) = device.trial(&launch, gave_up)?;
    let (run, got) = device.trial(&launch, y)?;
    Ok(judged(run, &got, &values).fact("resident", resident.into()).fact("gave_up", waited[0].into()))
}

fn judged(mut run: Run, got: &[i32], values: &[i32]) -> Row {
    // A row without kernels counts as one that no GPU runs, so it does not appear in the record of a GPU's counters.
    run.kernels.clear();
    let check = thirty_two_lanes::check::compare(&scans(values, values.len()), got, &Tolerance::Exact);
    let verdict = match (run.faults.is_empty(), check.is_right()) {
        (false, _) => Verdict::Fault,
        (true, false) => Verdict::Wrong,
        (true, true) => Verdict::Ok,
    };
    Row { check: Some(check), ..Row::new(run, verdict) }
}

fn gave_up(section: &Section) -> Option<String> {
    let of = |name: &str| section.row(name)?.fact_value("gave_up");
    Some(format!(
        "With one block on the machine at a time, {} of {TILES} blocks give up if tiles are drawn with tickets, \
         and {} if the last tile goes to the first block. With all blocks on the machine, {} give up.",
        of("tickets-one")?,
        of("last_first-one")?,
        of("last_first-all")?,
    ))
}
