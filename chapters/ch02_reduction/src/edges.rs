//! Where blocks and data do not fit: the end of the array, and blocks that are no power of two.
//!
//! Every mistake has its mended twin beside it. Sizes are fixed, because a mistake shows only in some of them. It leaves
//! out arrays of several dimensions, which chapter 1 has.

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::reduction::{
    REDUCE_INTERLEAVED, REDUCE_INTERLEAVED_UNGUARDED, REDUCE_LESS_OFF_BY_ONE, REDUCE_LESS_UNGUARDED,
    REDUCE_NEIGHBORED, REDUCE_NEIGHBORED_LESS, REDUCE_NEIGHBORED_UNGUARDED,
};
use lanes::report::Section;
use lanes::report::columns::LOAD_REQUESTS;
use lanes::{Device, Lab, Row, Verdict};

use crate::sum::{Reduction, integers};

const BLOCK: u32 = 128;
/// No multiple of the block, so that the last block is short.
const N: usize = 1000;
/// Odd, so that the last element has no partner.
const ODD: usize = N + 1;
/// A whole number of blocks.
const PADDED: usize = 1024;
/// What lies behind the data in the padded array.
const BEHIND: i32 = 1000;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("what happens at the end of the array? {N} or {ODD} elements, blocks of {BLOCK}");
    lab.section("edges", &title, &[LOAD_REQUESTS]);
    let mut run = |name: &str, kernel, n: usize, expected| {
        lab.variant(name, |device| {
            Ok(in_blocks(kernel, seed).run(device, &integers(n, seed))?.expect(expected))
        })
    };
    run("bound_in_block", &REDUCE_NEIGHBORED_UNGUARDED, N, Verdict::Fault)?;
    run("bound_mended", &REDUCE_NEIGHBORED, N, Verdict::Ok)?;
    run("off_by_one", &REDUCE_LESS_OFF_BY_ONE, ODD, Verdict::Fault)?;
    run("off_by_one_mended", &REDUCE_NEIGHBORED_LESS, ODD, Verdict::Ok)?;
    run("partner_past_end", &REDUCE_INTERLEAVED_UNGUARDED, N, Verdict::Fault)?;
    run("partner_mended", &REDUCE_INTERLEAVED, N, Verdict::Ok)?;
    lab.variant("padded", |device| {
        Ok(padded(device, &REDUCE_INTERLEAVED_UNGUARDED, seed)?.expect(Verdict::Wrong))
    })?;
    lab.variant("padded_mended", |device| padded(device, &REDUCE_INTERLEAVED, seed))?;
    lab.notice(behind);
    Ok(())
}

fn in_blocks(kernel: &'static Kernel, seed: u64) -> Reduction {
    Reduction { kernel, block: BLOCK, parts: 1, seed }
}

/// The same elements with more memory behind them, which a kernel may reach and must not add.
fn padded(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let mut values = integers(N, seed);
    values.resize(PADDED, BEHIND);
    in_blocks(kernel, seed).run_first(device, &values, N)
}

fn behind(section: &Section) -> Option<String> {
    let row = section.row("padded")?;
    let over = row.fact_value("sum")? - row.fact_value("exact_sum")?;
    Some(format!(
        "Where more memory follows the array, nothing stops the kernel: the sum is {over} too large, {} elements of \
         {BEHIND} that are not its own. Whether the thread has an element is the wrong question; ask for the partner.",
        over / f64::from(BEHIND)
    ))
}

const ODD_BLOCK: u32 = 48;
const ONES: usize = 192;

pub fn blocks_of_48(lab: &mut Lab) -> Result<()> {
    let title = format!("what if a block is no power of two? {ONES} ones, blocks of {ODD_BLOCK}");
    lab.section("blocks_of_48", &title, &[LOAD_REQUESTS]);
    let mut run =
        |name: &str, kernel, expected| lab.variant(name, |device| Ok(ones(device, kernel)?.expect(expected)));
    run("neighbored_48", &REDUCE_NEIGHBORED_UNGUARDED, Verdict::Fault)?;
    run("neighbored_48_mended", &REDUCE_NEIGHBORED, Verdict::Ok)?;
    run("less_48", &REDUCE_LESS_UNGUARDED, Verdict::Fault)?;
    run("less_48_mended", &REDUCE_NEIGHBORED_LESS, Verdict::Ok)?;
    run("interleaved_48", &REDUCE_INTERLEAVED_UNGUARDED, Verdict::Wrong)?;
    run("interleaved_48_mended", &REDUCE_INTERLEAVED, Verdict::Ok)?;
    lab.notice(one_after_the_other);
    lab.notice(|section| {
        let [one, many] = ["sum", "sum_side_by_side"].map(|fact| section.row("neighbored_48")?.fact_value(fact));
        Some(format!(
            "With blocks side by side, `neighbored_48` came to {} and not to {}: what it takes from the next block \
             depends on how far that one is.",
            many?, one?
        ))
    });
    Ok(())
}

/// Ones, and a block of zeros behind them, so that the last block's overrun adds nothing and stops nobody. The blocks
/// run one after the other, so that all sums are those of a GPU that has one block to run at a time.
fn ones(device: &mut Device, kernel: &'static Kernel) -> Result<Row> {
    let reduction = Reduction { kernel, block: ODD_BLOCK, parts: 1, seed: 0 };
    let mut values = vec![1; ONES];
    values.resize(ONES + ODD_BLOCK as usize, 0);
    let mut prepared = reduction.prepare(device, &values, ONES)?;
    let (_, side_by_side) = device.trial(&prepared.launch, prepared.sums)?;
    prepared.launch.simt.resident_blocks = 1;
    let run = device.launch(&prepared.launch)?;
    let row = reduction.judge(device, run, prepared.sums, &values[..ONES])?;
    Ok(row.fact("sum_side_by_side", side_by_side.into_iter().map(f64::from).sum()))
}

fn one_after_the_other(section: &Section) -> Option<String> {
    let sum = |name| section.row(name)?.fact_value("sum");
    Some(format!(
        "{ONES} ones come to {}, {} and {}. Neighbours reach for the first element of the next block, which may have \
         changed already: a race. Halves of an odd number forget the last element.",
        sum("neighbored_48")?,
        sum("less_48")?,
        sum("interleaved_48")?
    ))
}
