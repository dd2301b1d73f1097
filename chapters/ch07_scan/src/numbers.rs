//! Inputs, and the scans that the host makes of them.
//!
//! The elements are digits, so the sum of a hundred million of them fits into an int. Operations other than addition
//! are left out.

use thirty_two_lanes::Random;

/// Random digits from 0 to 9.
pub fn digits(n: usize, seed: u64) -> Vec<i32> {
    let mut random = Random::new(seed);
    (0..n).map(|_| (random.next_u32() % 10) as i32).collect()
}

/// The inclusive scan of each piece of `len` elements by itself, in double precision.
pub fn scans(values: &[i32], len: usize) -> Vec<f64> {
    values.chunks(len).flat_map(running).collect()
}

/// The same without the own element.
pub fn exclusive_scans(values: &[i32], len: usize) -> Vec<f64> {
    values
        .chunks(len)
        .flat_map(|piece| running(piece).zip(piece).map(|(sum, &x)| sum - f64::from(x)))
        .collect()
}

fn running(values: &[i32]) -> impl Iterator<Item = f64> + '_ {
    values.iter().scan(0.0, |sum, &value| {
        *sum += f64::from(value);
        Some(*sum)
    })
}
