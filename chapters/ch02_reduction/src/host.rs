//! The host's part: a sum by halves, and the sum of the block sums at the end.
//!
//! The first is the pairing of `reduce_interleaved` as a recursive function. Threads on the host are left
//! out.

use anyhow::Result;
use thirty_two_lanes::kernels::reduction::REDUCE_INTERLEAVED;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Random, Row, Run, Verdict};

use crate::sum::{Reduction, integers};

// ANCHOR: sum_by_halves
/// Adds the second half of the values to the first half, again and again, until one value is left. If their
/// number is odd, the last one has no partner and is added to the first. Without any values, the result is
/// `None`.
pub fn sum_by_halves(values: &mut [i64]) -> Option<i64> {
    let (half, length) = (values.len() / 2, values.len());
    if length < 2 {
        return values.first().copied();
    }
    add_halves(values, half);
    if length % 2 == 1 {
        values[0] += values[length - 1];
    }
    sum_by_halves(&mut values[..half])
}
// ANCHOR_END: sum_by_halves

// ANCHOR: sum_by_even_halves
/// WRONG. The same, but if the number of values is odd, the last one is lost.
fn sum_by_even_halves(values: &mut [i64]) -> Option<i64> {
    let half = values.len() / 2;
    if half == 0 {
        return values.first().copied();
    }
    add_halves(values, half);
    sum_by_even_halves(&mut values[..half])
}
// ANCHOR_END: sum_by_even_halves

// ANCHOR: add_halves
fn add_halves(values: &mut [i64], half: usize) {
    let (first, second) = values.split_at_mut(half);
    first.iter_mut().zip(second).for_each(|(x, y)| *x += *y);
}
// ANCHOR_END: add_halves

const LENGTHS: usize = 2000;

type Sum = fn(&mut [i64]) -> Option<i64>;

pub fn recursive(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title =
        format!("is a recursive sum by halves right for any length? On the host, 1 to {LENGTHS} elements");
    lab.section("host", &title, &[]);
    lab.variant("sum_by_halves", |_| Ok(every_length(sum_by_halves, seed)))?;
    lab.variant("sum_by_even_halves", |_| Ok(every_length(sum_by_even_halves, seed).expect(Verdict::Wrong)))?;
    lab.notice(|section| {
        let wrong = section.row("sum_by_even_halves")?.fact_value("wrong_lengths")?;
        let right = LENGTHS as f64 - wrong;
        Some(format!(
            "If odd lengths are ignored, the sum is right for {right} of {LENGTHS} lengths, the powers of two. \
             Every other length is odd in some round."
        ))
    });
    Ok(())
}

/// How many of the lengths have a wrong sum. No kernel is run.
fn every_length(sum: Sum, seed: u64) -> Row {
    // No value is zero, because the loss of a zero would go unnoticed.
    let values: Vec<i64> = integers(LENGTHS, seed).into_iter().map(|x| 1 + i64::from(x)).collect();
    let is_wrong = |&n: &usize| sum(&mut values[..n].to_vec()) != Some(values[..n].iter().sum());
    let wrong = (1..=LENGTHS).filter(is_wrong).count();
    let verdict = if wrong == 0 { Verdict::Ok } else { Verdict::Wrong };
    let row = Row::new(Run::default(), verdict).fact("wrong_lengths", wrong as f64);
    row.remark(format!("the sum is wrong for {wrong} of {LENGTHS} lengths"))
}

const N: usize = 16_384;
const BLOCK: u32 = 128;

pub fn block_sums(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title =
        format!("may the host add in an int? {N} elements, blocks of {BLOCK}, and each block's sum fits");
    lab.section("host_sum", &title, &[]);
    let small = integers(N, seed);
    // Below 2²⁰, so that 128 of them stay below 2²⁷.
    let large: Vec<i32> = Random::new(seed).words(N).into_iter().map(|word| (word >> 12) as i32).collect();
    lab.variant("host_int_small", |device| total(device, &small, seed, in_32_bits))?;
    lab.variant("host_int_large", |device| {
        total(device, &large, seed, in_32_bits).map(|row| row.expect(Verdict::Wrong))
    })?;
    lab.variant("host_long_large", |device| total(device, &large, seed, in_64_bits))?;
    lab.notice(overflow);
    Ok(())
}

fn in_32_bits(sums: &[i32]) -> i64 {
    sums.iter().fold(0_i32, |sum, &x| sum.wrapping_add(x)).into()
}

fn in_64_bits(sums: &[i32]) -> i64 {
    sums.iter().map(|&x| i64::from(x)).sum()
}

/// A correct kernel, and a host that adds up its block sums in 32 bits or in 64.
fn total(device: &mut Device, values: &[i32], seed: u64, add: fn(&[i32]) -> i64) -> Result<Row> {
    let reduction = Reduction { kernel: &REDUCE_INTERLEAVED, block: BLOCK, parts: 1, seed };
    let prepared = reduction.prepare(device, values, values.len())?;
    let run = device.launch(&prepared.launch)?;
    let row = reduction.judge(device, run, prepared.sums, values)?;
    let (got, exact) = (add(&device.read(prepared.sums)?.sim), in_64_bits(values));
    let row = row
        .fact("host_sum", got as f64)
        .remark(format!("the host's sum is {got}, and the exact one {exact}"));
    // The block sums are right, but the host's sum may be wrong.
    Ok(if row.verdict == Verdict::Ok && got != exact {
        Row { verdict: Verdict::Wrong, check: None, ..row }
    } else {
        row
    })
}

fn overflow(section: &Section) -> Option<String> {
    let exact = section.row("host_long_large")?.fact_value("exact_sum")?;
    let times = exact / f64::from(i32::MAX);
    Some(format!(
        "{} numbers below 2^20 add up to {times:.1} times what an int can hold, although each block's sum is \
         far below that. So the host should add in 64 bits.",
        grouped(N as u64)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_up_to_2000_is_right_and_nothing_has_no_sum() {
        assert_eq!(sum_by_halves(&mut []), None);
        for n in 1..=2000_i64 {
            let mut values: Vec<i64> = (1..=n).collect();
            assert_eq!(sum_by_halves(&mut values), Some(n * (n + 1) / 2), "{n} values");
        }
    }

    #[test]
    fn even_halves_are_right_only_for_powers_of_two() {
        for n in 1..=2000_usize {
            let is_right = sum_by_even_halves(&mut vec![1; n]) == Some(n as i64);
            assert_eq!(is_right, n.is_power_of_two(), "{n} values");
        }
    }
}
