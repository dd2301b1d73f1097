//! Which elements a block adds to which in a reduction in place, derived from the sums that it leaves.
//!
//! Every element begins as a bit of its own, so its final value says which others were added to it. There are more
//! elements than bits in an `int`, so the kernel is run several times, each time with bits for some of them. Blocks
//! whose size is not a power of two are left out, because in these, sums of the same size may come from different
//! rounds.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::{Buffer, Launch};

use crate::sources::Sources;

/// An element that was added to another one, and the round, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub round: usize,
    pub into: usize,
    pub from: usize,
}

/// A launch of one block with these elements, one for each thread, and their buffer. The kernel gets `n` as the number
/// of elements.
pub fn launch(
    sources: &mut Sources,
    kernel: &'static Kernel,
    values: &[i32],
    n: usize,
) -> Result<(Launch, Buffer<i32>)> {
    let (x, sums) = (sources.upload("x", values)?, sources.zeroed::<i32>("sums", 1)?);
    let launch = Launch::new(kernel, 1, values.len() as u32);
    Ok((launch.arg(x).arg(sums).arg(n as u32), x))
}

/// The bits of an `int` that elements can use, without the sign.
const BITS: usize = 31;

/// The pairs of a block of `threads` threads with `n` elements, sorted by round and by the element that is added to.
/// The memory after the elements is recognised by its bits as well.
pub fn pairs(sources: &mut Sources, kernel: &'static Kernel, threads: usize, n: usize) -> Result<Vec<Pair>> {
    let mut taken_in = vec![0_u128; threads];
    for first in (0..threads).step_by(BITS) {
        let bit = |i: usize| if (first..first + BITS).contains(&i) { 1 << (i - first) } else { 0 };
        let values: Vec<i32> = (0..threads).map(bit).collect();
        let (launch, x) = launch(sources, kernel, &values, n)?;
        let (_, sums) = sources.trial(&launch, x)?;
        for (set, sum) in taken_in.iter_mut().zip(sums) {
            *set |= u128::from(sum as u32) << first;
        }
    }
    let mut pairs: Vec<Pair> = (0..threads).filter_map(|from| pair(&taken_in, from)).collect();
    pairs.sort_by_key(|pair| (pair.round, pair.into));
    Ok(pairs)
}

/// The pair in which an element was added to another. After that it does not change, so its final value is the value
/// that was added: 1 element in the first round, 2 in the second, 4 in the third. Of all elements that contain it, the
/// one with the fewest added it directly.
fn pair(taken_in: &[u128], from: usize) -> Option<Pair> {
    let set = taken_in[from];
    let holds = |&into: &usize| into != from && taken_in[into] & set == set;
    let into = (0..taken_in.len()).filter(holds).min_by_key(|&into| taken_in[into].count_ones())?;
    Some(Pair { round: set.count_ones().ilog2() as usize, into, from })
}
