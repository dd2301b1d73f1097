//! Counting keys: one atomic for each element, or one for each different key in a warp.
//!
//! The keys are drawn from 1, 8 or 1024 possible ones: the fewer there are, the more lanes of a warp have the
//! same key. It leaves out counters in shared memory, which chapter 5 compares.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::compaction::{COUNT_KEYS, COUNT_KEYS_EACH, COUNT_KEYS_MATCH};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::report::layout::decimal;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

use crate::block::halving_block;
use crate::compaction::SIZE;

/// Elements on the machine, and on the host their keys and a count for each at most.
const ELEMENT_BYTES: u64 = 2 * 4 + 4 + 8;
/// The checkers remember every access, so they watch a run over the first elements only.
const CHECKED: usize = 2048;
/// Elements whose atomics are counted lane by lane, in a trace.
const TRACED: usize = 1024;

/// How many different keys there are.
const KEYS: [usize; 3] = [1, 8, 1024];

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, halving_block(lab)?, lab.seed());
    let words = LazyCell::new(|| Random::new(seed).words(n));
    let title = "how often is there each key? 1, 8 and 1,024 keys";
    lab.section("keys", title, &[GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, ACTIVE_LANES]);
    for kernel in [&COUNT_KEYS, &COUNT_KEYS_MATCH] {
        for keys in KEYS {
            lab.variant(&format!("{kernel}-{keys}"), |device| count(device, kernel, &words, keys, block))?;
        }
    }
    let each = format!("{COUNT_KEYS_EACH}-8");
    lab.variant(&each, |device| {
        // With few elements, each could have a key of its own.
        let words = Random::new(seed).words(n.max(CHECKED));
        Ok(count(device, &COUNT_KEYS_EACH, &words, 8, block)?.expect(Verdict::Wrong))
    })?;
    lab.notice(lanes_that_add);
    lab.gpu_notice(times);
    Ok(())
}

fn count(
    device: &mut Device,
    kernel: &'static Kernel,
    words: &[u32],
    keys: usize,
    block: u32,
) -> Result<Row> {
    let elements: Vec<i32> = words.iter().map(|word| (*word as usize % keys) as i32).collect();
    let mut expected = vec![0.0; keys];
    for &key in &elements {
        expected[key as usize] += 1.0;
    }
    let n = elements.len();
    let (x, counts) = (device.upload("keys", &elements)?, device.zeroed::<i32>("counts", keys)?);
    let of = |n: usize| Launch::cover(kernel, n, block).arg(x).arg(counts).arg(n as i32);
    let (checked, _) = device.trial(&of(n.min(CHECKED)), counts)?;
    let traced = n.min(TRACED);
    let trace = device.trace(&of(traced).unchecked())?;
    let is_atomic = |ptx: &str| ptx.contains("atom.") || ptx.contains("red.");
    let adding = trace.iter().filter(|step| is_atomic(&step.ptx)).map(|step| step.active.count_ones());
    let adding: u32 = adding.sum();
    let mut run = device.launch(&of(n).unchecked())?;
    run.faults.extend(checked.faults);
    let row = device.check(run, counts, &expected, &Tolerance::Exact)?;
    Ok(row.fact("adding_per_warp", f64::from(adding) / traced.div_ceil(32) as f64))
}

fn lanes_that_add(section: &Section) -> Option<String> {
    let of = |kernel: &Kernel, keys: usize| {
        Some(decimal(section.row(&format!("{kernel}-{keys}"))?.fact_value("adding_per_warp")?))
    };
    Some(format!(
        "An atomic for each element makes {} lanes of a warp add. If lanes with the same key add together, {} \
         lanes add where there is one key, {} where there are 8, and {} where there are 1,024.",
        of(&COUNT_KEYS, 8)?,
        of(&COUNT_KEYS_MATCH, 1)?,
        of(&COUNT_KEYS_MATCH, 8)?,
        of(&COUNT_KEYS_MATCH, 1024)?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |kernel: &Kernel, keys: usize| {
        Some(section.row(&format!("{kernel}-{keys}"))?.run.timing.as_ref()?.median_us)
    };
    let [one, eight, many] =
        KEYS.map(|keys| Some((time(&COUNT_KEYS, keys)?, time(&COUNT_KEYS_MATCH, keys)?)));
    let (one, eight, many) = (one?, eight?, many?);
    Some(format!(
        "On the GPU, counting takes {:.1} µs with one key, {:.1} µs with 8 and {:.1} µs with 1,024 if each \
         element adds, and {:.1}, {:.1} and {:.1} µs if lanes with the same key add together.",
        one.0, eight.0, many.0, one.1, eight.1, many.1
    ))
}
