//! The scan of a whole array: how often does memory have to deliver the array?
//!
//! A copy is the least that a scan can do: each element is read once and written once. The rows differ in
//! how often they go over the array. The checkers watch the same kernels in the next sections and over the
//! first elements. It leaves out libraries; CUB has such a scan.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::scan_ahead::SCAN_AHEAD;
use thirty_two_lanes::kernels::scan_array::{
    ADD_SUMS, COPY_TILES, SCAN_LOOK_BACK, SCAN_LOOK_BACK_LAST_FIRST, SCAN_LOOK_BACK_WARP, SCAN_PASS,
    SCAN_SUMS, SCAN_TILES, SCAN_TILES_FROM, SUM_TILES,
};
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_SECTORS, STORE_SECTORS};
use thirty_two_lanes::report::layout::{decimal, grouped};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Run, Tolerance, Verdict};

use crate::block::halving_block;
use crate::numbers::{digits, scans};

const SIZE: usize = 65_536;
/// Elements on the machine, and on the host their values, their scan, and both machines' results.
const ELEMENT_BYTES: u64 = 2 * 4 + 4 + 8 + 4 * 4;
/// The elements of a thread.
pub const PER_THREAD: usize = 4;
/// More than a block ever needs if the blocks before it have started.
pub const PATIENCE: i32 = 1_000_000;
/// Enough to wait for a block that has started, and too little to wait for one that has not.
const LITTLE_PATIENCE: i32 = 500;
/// A tile of the fast kernel, and as many blocks as an H200 has multiprocessors.
pub const AHEAD_TILE: u32 = 16_384;
pub const AHEAD_BLOCKS: u32 = 132;
/// The elements of a sector.
const SECTOR: f64 = 8.0;
/// Fewer elements take less time than a launch does.
const MOSTLY_LAUNCH: usize = 1 << 20;

/// The elements and the shape of a variant.
struct Task {
    values: Vec<i32>,
    block: u32,
}

/// The two arrays.
#[derive(Clone, Copy)]
struct Arrays {
    x: Buffer<i32>,
    y: Buffer<i32>,
    n: i32,
}

impl Task {
    /// The elements of a block.
    fn tile(&self) -> usize {
        PER_THREAD * self.block as usize
    }

    fn tiles(&self) -> u32 {
        blocks_for(self.values.len(), self.tile() as u32)
    }

    /// A launch with a block for each tile. The checkers watch the same kernels in smaller launches.
    fn over(&self, kernel: &'static Kernel) -> Launch {
        Launch::new(kernel, self.tiles(), self.block).unchecked()
    }

    fn arrays(&self, device: &mut Device) -> Result<Arrays> {
        let (x, y) = (device.upload("x", &self.values)?, device.zeroed::<i32>("y", self.values.len())?);
        Ok(Arrays { x, y, n: self.values.len() as i32 })
    }

    fn judged(&self, device: &mut Device, run: Run, y: Buffer<i32>) -> Result<Row> {
        let expected = scans(&self.values, self.values.len());
        let row = device.check(run, y, &expected, &Tolerance::Exact)?;
        Ok(self.with_traffic(row))
    }

    fn with_traffic(&self, row: Row) -> Row {
        let counters = row.run.counters;
        let n = self.values.len() as f64;
        let launches = row.run.kernels.len() as f64;
        row.fact("read", SECTOR * counters.global_load_sectors as f64 / n)
            .fact("written", SECTOR * counters.global_store_sectors as f64 / n)
            .fact("launches", launches)
    }
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, halving_block(lab)?, lab.seed());
    let task = LazyCell::new(|| Task { values: digits(n, seed), block });
    let title = "how often does the scan of a whole array go over memory?";
    lab.section("array", title, &[LOAD_SECTORS, STORE_SECTORS, INSTRUCTIONS_PER_WARP]);
    lab.variant("copy_tiles", |device| copy(device, &task))?;
    lab.variant("scan_passes", |device| passes(device, &task))?;
    lab.variant("scan_then_add", |device| scan_then_add(device, &task))?;
    lab.variant("sum_then_scan", |device| sum_then_scan(device, &task))?;
    lab.variant("look_back", |device| look_back(device, &SCAN_LOOK_BACK, &task, PATIENCE))?;
    lab.variant("look_back_warp", |device| look_back(device, &SCAN_LOOK_BACK_WARP, &task, PATIENCE))?;
    lab.variant(SCAN_AHEAD.name, |device| ahead(device, &task))?;
    // As many blocks as the emulator has on the machine at a time wait for one that has not started.
    let resident = simt::Launch::new(1, 1).resident_blocks;
    let is_too_large = n.div_ceil(PER_THREAD * block as usize) > resident as usize;
    lab.variant("look_back_last_first", |device| {
        let row = look_back(device, &SCAN_LOOK_BACK_LAST_FIRST, &task, LITTLE_PATIENCE)?;
        Ok(row.expect(if is_too_large { Verdict::Wrong } else { Verdict::Ok }))
    })?;
    lab.notice(traffic);
    lab.gpu_notice(|section| times(section, n));
    Ok(())
}

fn copy(device: &mut Device, task: &Task) -> Result<Row> {
    let Arrays { x, y, n } = task.arrays(device)?;
    let run = device.launch(&task.over(&COPY_TILES).arg(x).arg(y).arg(n))?;
    let expected: Vec<f64> = task.values.iter().map(|&value| value.into()).collect();
    let row = device.check(run, y, &expected, &Tolerance::Exact)?;
    Ok(task.with_traffic(row))
}

/// As many launches as it takes to double 1 up to the number of elements, each from one array into the other.
fn passes(device: &mut Device, task: &Task) -> Result<Row> {
    let Arrays { x, mut y, n } = task.arrays(device)?;
    let mut from = x;
    let mut run = Run::default();
    let mut distance = 1;
    while distance < task.values.len() || run.kernels.is_empty() {
        let launch = Launch::cover(&SCAN_PASS, task.values.len(), task.block).unchecked();
        run += device.launch(&launch.arg(from).arg(y).arg(distance as i32).arg(n))?;
        (from, y) = (y, from);
        distance *= 2;
    }
    task.judged(device, run, from)
}

/// Scans of tiles, a scan of their sums, and an addition to every element.
fn scan_then_add(device: &mut Device, task: &Task) -> Result<Row> {
    let Arrays { x, y, n } = task.arrays(device)?;
    let sums = device.zeroed::<i32>("sums", task.tiles() as usize)?;
    let mut run = device.launch(&task.over(&SCAN_TILES).arg(x).arg(y).arg(sums).arg(n))?;
    run += scan_sums(device, task, sums)?;
    run += device.launch(&task.over(&ADD_SUMS).arg(y).arg(sums).arg(n))?;
    task.judged(device, run, y)
}

/// Sums of tiles, a scan of these sums, and scans of tiles that begin with them.
fn sum_then_scan(device: &mut Device, task: &Task) -> Result<Row> {
    let Arrays { x, y, n } = task.arrays(device)?;
    let sums = device.zeroed::<i32>("sums", task.tiles() as usize)?;
    let mut run = device.launch(&task.over(&SUM_TILES).arg(x).arg(sums).arg(n))?;
    run += scan_sums(device, task, sums)?;
    run += device.launch(&task.over(&SCAN_TILES_FROM).arg(x).arg(y).arg(sums).arg(n))?;
    task.judged(device, run, y)
}

fn scan_sums(device: &mut Device, task: &Task, sums: Buffer<i32>) -> Result<Run> {
    device.launch(&Launch::new(&SCAN_SUMS, 1, 1024_u32).unchecked().arg(sums).arg(task.tiles() as i32))
}

fn look_back(device: &mut Device, kernel: &'static Kernel, task: &Task, patience: i32) -> Result<Row> {
    let Arrays { x, y, n } = task.arrays(device)?;
    let states = device.zeroed::<u64>("states", task.tiles() as usize)?;
    let (tickets, gave_up) = (device.zeroed::<u32>("tickets", 1)?, device.zeroed::<i32>("gave_up", 1)?);
    let launch = task.over(kernel).arg(x).arg(y).arg(states).arg(tickets).arg(gave_up).arg(n).arg(patience);
    let run = device.launch(&launch)?;
    let waited = device.read(gave_up)?;
    let row = task.judged(device, run, y)?;
    let row = row.fact("gave_up", waited.sim[0].into()).fact("tiles", task.tiles().into());
    Ok(waited.gpu.iter().fold(row, |row, waited| {
        row.gpu_fact("gpu_gave_up", waited[0].into()).gpu_remark(format!(
            "on the GPU {} of {} blocks gave up",
            grouped(waited[0] as u64),
            grouped(task.tiles().into())
        ))
    }))
}

/// The fast kernel, which has a shape of its own.
fn ahead(device: &mut Device, task: &Task) -> Result<Row> {
    let Arrays { x, y, n } = task.arrays(device)?;
    let tiles = blocks_for(task.values.len(), AHEAD_TILE);
    let (states, tickets) =
        (device.zeroed::<u64>("states", tiles as usize)?, device.zeroed::<u32>("tickets", 2)?);
    let launch = Launch::new(&SCAN_AHEAD, tiles.min(AHEAD_BLOCKS), 512_u32).arg(x).arg(y).arg(states);
    let run = device.launch(&launch.arg(tickets).arg(n).arg(PATIENCE))?;
    task.judged(device, run, y)
}

fn traffic(section: &Section) -> Option<String> {
    let of = |name: &str| {
        let row = section.row(name)?;
        let [read, written, launches] = ["read", "written", "launches"].map(|fact| row.fact_value(fact));
        let launches = launches? as u64;
        let times = if launches == 1 { "launch" } else { "launches" };
        Some(format!("{} and {} in {launches} {times}", decimal(read?), decimal(written?)))
    };
    Some(format!(
        "How often each element is read and written: passes {}; scan_then_add {}; sum_then_scan {}; look_back \
         {}; a copy {}.",
        of("scan_passes")?,
        of("scan_then_add")?,
        of("sum_then_scan")?,
        of("look_back")?,
        of("copy_tiles")?,
    ))
}

fn times(section: &Section, n: usize) -> Option<String> {
    let time = |name: &str| Some(section.row(name)?.run.timing.as_ref()?.median_us);
    // Bytes per microsecond are thousandths of gigabytes per second.
    let rate = |us: f64| 2.0 * 4.0 * n as f64 / us / 1000.0;
    let copied = time("copy_tiles")?;
    let launch = if n < MOSTLY_LAUNCH { " So few elements take little more than the launches." } else { "" };
    let passes = time("scan_passes").map_or(String::new(), |us| format!("{us:.1} µs by passes, "));
    Some(format!(
        "On the GPU, a copy takes {copied:.1} µs, which is {:.0} GB/s. A scan takes {passes}{:.1} µs with \
         scan_then_add, {:.1} µs with sum_then_scan, {:.1} µs with look_back, {:.1} µs with \
         look_back_warp and {:.1} µs with scan_ahead.{launch}",
        rate(copied),
        time("scan_then_add")?,
        time("sum_then_scan")?,
        time("look_back")?,
        time("look_back_warp")?,
        time("scan_ahead")?,
    ))
}
