//! How long does one load take? Each load returns the address of the next one, so nothing can overlap.
//!
//! Each step goes to another line of 128 bytes, in an order that looks random. The rows differ only in how many bytes
//! the path covers, and therefore in which memory holds them. The emulator has no caches, and counts the same for each.
//! It leaves out loads of several lanes.

use anyhow::Result;
use thirty_two_lanes::kernels::latency::CHASE;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS};
use thirty_two_lanes::report::layout::bytes;
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance};

const STEPS: usize = 1 << 14;
/// Words in a line, and their bytes.
const LINE: usize = 32;
const WORD_BYTES: usize = size_of::<i32>();
/// The number of words that the paths of the first rows cover: 16 KiB and 4 MiB.
const FEW: usize = 4 << 10;
const MORE: usize = 1 << 20;
const ROWS: [&str; 3] = ["chase_16kib", "chase_4mib", "chase_array"];

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, seed) = (lab.size(1 << 14, 4 * WORD_BYTES as u64)?, lab.seed());
    let title = format!("how long does a load take? One thread, {STEPS} loads one after another");
    lab.section("chase", &title, &[INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS]);
    for (name, words) in ROWS.into_iter().zip([FEW, MORE, n / 2]) {
        lab.variant(name, |device| chase(device, Path::within(words), seed))?;
    }
    lab.notice(same_counts);
    lab.gpu_notice(clock);
    Ok(())
}

/// A path through an array that visits each of its lines once before it returns to the first.
#[derive(Clone, Copy)]
struct Path {
    /// A power of two.
    lines: usize,
}

impl Path {
    fn within(words: usize) -> Path {
        Path { lines: 1 << (words / LINE).max(1).ilog2() }
    }

    /// The line after this one. The period is `lines`, because the factor is one more than a multiple of four and the
    /// addend is odd.
    fn after(self, line: usize) -> usize {
        (line * 1_664_525 + 1_013_904_223) % self.lines
    }

    /// The lines in order, from the first step on.
    fn lines(self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(0), move |&line| Some(self.after(line)))
    }

    /// The array: at the beginning of each line that is visited is the place of the next. Before each timed run the
    /// array is copied again, and a cache may still hold its end. Therefore the path uses only the first half.
    fn array(self) -> Vec<i32> {
        let mut next = vec![0; 2 * self.lines * LINE];
        for line in self.lines().take(STEPS.min(self.lines)) {
            next[line * LINE] = (self.after(line) * LINE) as i32;
        }
        next
    }
}

fn chase(device: &mut Device, path: Path, seed: u64) -> Result<Row> {
    let (next, end) = (device.upload("next", &path.array())?, device.zeroed::<i32>("end", 1)?);
    let launch = Launch::new(&CHASE, 1, 1).seed(seed).arg(next).arg(end).arg(STEPS as i32);
    let run = device.launch(&launch)?;
    let last = path.lines().nth(STEPS).unwrap_or_default() * LINE;
    let ns = run.timing.as_ref().map(|timing| 1e3 * timing.median_us / STEPS as f64);
    let row = device.check(run, end, &[last as f64], &Tolerance::Exact)?;
    let footprint = path.lines * LINE * WORD_BYTES;
    let row = row.fact("steps", STEPS as f64).fact("footprint_kib", footprint as f64 / 1024.0);
    let row = row.remark(format!("the path is spread over {}", bytes(footprint as u64)));
    Ok(match ns {
        Some(ns) => row.gpu_fact("ns_per_load", ns),
        None => row,
    })
}

fn same_counts(section: &Section) -> Option<String> {
    let sectors = |name: &str| section.row(name).map(|row| row.run.counters.global_load_sectors);
    let sectors = ROWS.iter().map(|name| sectors(name)).collect::<Option<Vec<_>>>()?;
    sectors.iter().all(|&count| count == sectors[0]).then(|| {
        format!(
            "The rows have the same counts: {} sectors, one for each load. How long a load takes depends on where its \
             sector comes from, and none of these counters shows that.",
            sectors[0]
        )
    })
}

fn clock(section: &Section) -> Option<String> {
    let ns = |name: &str| section.row(name)?.fact_value("ns_per_load");
    let [few, more, array] = [ns(ROWS[0])?, ns(ROWS[1])?, ns(ROWS[2])?];
    Some(format!(
        "On the GPU a load takes {few:.1} ns if the path is spread over 16 KiB, {more:.1} ns over 4 MiB, and \
         {array:.1} ns in the array of `--size`."
    ))
}
