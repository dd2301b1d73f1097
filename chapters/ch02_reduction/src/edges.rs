//! Where blocks and data do not match: the end of the array, and blocks whose size is not a power of two.
//!
//! Every mistake has its corrected twin beside it. Sizes are fixed, because a mistake shows only with some of
//! them. Arrays of several dimensions are left to chapter 1.

use std::collections::BTreeSet;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::reduction::{
    REDUCE_INTERLEAVED, REDUCE_INTERLEAVED_UNGUARDED, REDUCE_LESS_OFF_BY_ONE, REDUCE_LESS_UNGUARDED,
    REDUCE_NEIGHBORED, REDUCE_NEIGHBORED_LESS, REDUCE_NEIGHBORED_UNGUARDED,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::{Device, Lab, Row, Verdict};

use crate::sum::{Reduction, SEEDS, integers, with_luck};

const BLOCK: u32 = 128;
/// Not a multiple of the block, so that the last block is short.
const N: usize = 1000;
/// Odd, so that the last element has no partner.
const ODD: usize = N + 1;
/// A whole number of blocks.
const PADDED: usize = 1024;
/// The value of the elements after the data in the padded array.
const BEHIND: i32 = 1000;

/// A row, its kernel, its number of elements, and the outcome to expect.
type Case = (&'static str, &'static Kernel, usize, Outcome);

/// Whether a kernel is right; if not, the verdict to expect and what the mistake is.
#[derive(Clone, Copy)]
enum Outcome {
    Right,
    Mistake(Verdict, &'static str),
}

use Outcome::{Mistake, Right};

impl Outcome {
    fn of(self, row: Row) -> Row {
        match self {
            Right => row,
            Mistake(verdict, what) => row.expect(verdict).remark(what.to_owned()),
        }
    }
}

static CASES: [Case; 6] = [
    ("bound_in_block", &REDUCE_NEIGHBORED_UNGUARDED, N, Mistake(Verdict::Fault, IN_BLOCK)),
    ("bound_fixed", &REDUCE_NEIGHBORED, N, Right),
    ("off_by_one", &REDUCE_LESS_OFF_BY_ONE, ODD, Mistake(Verdict::Fault, ONE_TOO_MANY)),
    ("off_by_one_fixed", &REDUCE_NEIGHBORED_LESS, ODD, Right),
    ("partner_past_end", &REDUCE_INTERLEAVED_UNGUARDED, N, Mistake(Verdict::Fault, OWN_ONLY)),
    ("partner_fixed", &REDUCE_INTERLEAVED, N, Right),
];

const IN_BLOCK: &str = "compares the thread's number in its block with the length of the whole array, so no \
                        thread is stopped";
const ONE_TOO_MANY: &str = "the partner at index n passes the test, one past the last element";
const OWN_ONLY: &str = "the thread has an element, but its partner is past the end";

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("what happens at the end of the array? {N} or {ODD} elements, blocks of {BLOCK}");
    lab.section("edges", &title, &[]);
    for (name, kernel, n, outcome) in CASES {
        let reduction = in_blocks(kernel, seed);
        lab.variant(name, |device| Ok(outcome.of(reduction.run(device, &integers(n, seed))?)))?;
    }
    let sum_is_off =
        Mistake(Verdict::Wrong, "the same kernel, but more memory follows the array, so nothing stops it");
    lab.variant("padded", |device| Ok(sum_is_off.of(padded(device, &REDUCE_INTERLEAVED_UNGUARDED, seed)?)))?;
    lab.variant("padded_fixed", |device| padded(device, &REDUCE_INTERLEAVED, seed))?;
    lab.notice(behind);
    Ok(())
}

fn in_blocks(kernel: &'static Kernel, seed: u64) -> Reduction {
    Reduction { kernel, block: BLOCK, parts: 1, seed }
}

/// The same elements with more memory after them, which a kernel can reach but must not add.
fn padded(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let mut values = integers(N, seed);
    values.resize(PADDED, BEHIND);
    let mut prepared = in_blocks(kernel, seed).prepare(device, &values, N)?;
    // Threads that return before a barrier are a different mistake, which is the subject of `barriers`.
    prepared.launch.simt.checks.synchronisation = false;
    let run = device.launch(&prepared.launch)?;
    in_blocks(kernel, seed).judge(device, run, prepared.sums, &values[..N])
}

fn behind(section: &Section) -> Option<String> {
    let row = section.row("padded")?;
    let over = row.fact_value("sum")? - row.fact_value("exact_sum")?;
    Some(format!(
        "With more memory after the array, the sum is too large by {over}, which is {} elements of {BEHIND} \
         that do not belong to it. It is not enough to test whether the thread has an element: test for its \
         partner.",
        over / f64::from(BEHIND)
    ))
}

const ODD_BLOCK: u32 = 48;
const ONES: usize = 192;

static CASES_OF_48: [Case; 6] = [
    ("neighbored_48", &REDUCE_NEIGHBORED_UNGUARDED, ONES, Mistake(Verdict::Fault, NEXT_BLOCK)),
    ("neighbored_48_fixed", &REDUCE_NEIGHBORED, ONES, Right),
    ("less_48", &REDUCE_LESS_UNGUARDED, ONES, Mistake(Verdict::Fault, NEXT_BLOCK)),
    ("less_48_fixed", &REDUCE_NEIGHBORED_LESS, ONES, Right),
    ("interleaved_48", &REDUCE_INTERLEAVED_UNGUARDED, ONES, Mistake(Verdict::Wrong, FORGOTTEN)),
    ("interleaved_48_fixed", &REDUCE_INTERLEAVED, ONES, Right),
];

const NEXT_BLOCK: &str = "element 48, the first of the next block, is added to element 32";
const FORGOTTEN: &str = "half of 3 elements, rounded down, is 1, so the third is never added";

pub fn blocks_of_48(lab: &mut Lab) -> Result<()> {
    let title = format!("what if the block size is not a power of two? {ONES} ones, blocks of {ODD_BLOCK}");
    lab.section("blocks_of_48", &title, &[]);
    for (name, kernel, n, outcome) in CASES_OF_48 {
        lab.variant(name, |device| {
            let row = outcome.of(ones(device, kernel, n)?);
            Ok(if row.expected == Verdict::Fault { with_luck(row) } else { row })
        })?;
    }
    lab.notice(one_after_the_other);
    lab.notice(|section| {
        let [sums, least, most] =
            ["seeds_sums", "least_sum", "most_sum"].map(|fact| section.row("neighbored_48")?.fact_value(fact));
        Some(format!(
            "If the blocks run side by side, with warps in random order, `neighbored_48` returns {} different \
             sums under {SEEDS} seeds, from {} to {}: the value that a block takes from the next one depends \
             on how far that one has got. That is the race.",
            sums?, least?, most?
        ))
    });
    Ok(())
}

/// Ones, and a block of zeros after them, so that the last block adds zeros when it goes too far, and meets
/// no fault. The blocks run one after the other, so that each one finds the next as it was; in the trials they
/// run side by side.
fn ones(device: &mut Device, kernel: &'static Kernel, n: usize) -> Result<Row> {
    let reduction = Reduction { kernel, block: ODD_BLOCK, parts: 1, seed: 0 };
    let mut values = vec![1; n];
    values.resize(n + ODD_BLOCK as usize, 0);
    let mut prepared = reduction.prepare(device, &values, n)?;
    let trials = prepared.under_seeds(device)?;
    let totals: BTreeSet<i32> = trials.iter().map(|sums| sums.iter().sum()).collect();
    prepared.launch.simt.resident_blocks = 1;
    let run = device.launch(&prepared.launch)?;
    let row = reduction.judge(device, run, prepared.sums, &values[..n])?;
    let row = row.fact("seeds_sums", totals.len() as f64);
    let [least, most] = [totals.first(), totals.last()].map(|sum| sum.map_or(f64::NAN, |&sum| sum.into()));
    Ok(row.fact("least_sum", least).fact("most_sum", most))
}

fn one_after_the_other(section: &Section) -> Option<String> {
    let sum = |name| section.row(name)?.fact_value("sum");
    Some(format!(
        "If the blocks run one after the other, {ONES} ones add up to {}, {} and {}. The three corrected \
         kernels are right for every block.",
        sum("neighbored_48")?,
        sum("less_48")?,
        sum("interleaved_48")?
    ))
}
