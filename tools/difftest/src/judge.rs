//! Whether two machines agree about the results of a kernel, and where they differ first.

use crate::kernel::{Compare, Kernel, Width};

/// The first place where two machines differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs: a slot's number, or a buffer and a place in it.
    pub place: Place,
    /// The value on the first machine, the emulator.
    pub expected: u64,
    /// The value on the other machine.
    pub found: u64,
    /// How many slots differ.
    pub slots: usize,
}

/// Where something differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A thread's value in a slot.
    Slot {
        /// The slot.
        slot: usize,
        /// The thread, counted over all blocks.
        thread: usize,
    },
    /// A word of a cell that all threads update.
    Cell(usize),
    /// A word of a thread's own area in global memory.
    Own(usize),
    /// A word of a buffer that only kernels of a family have.
    Other {
        /// The buffer's index.
        buffer: usize,
        /// The word.
        word: usize,
    },
}

/// The first difference. The slots are compared in the order of `order` if there is one, or else in that of the text.
pub fn first_difference(
    kernel: &Kernel,
    expected: &[Vec<u8>],
    found: &[Vec<u8>],
    order: &[usize],
) -> Option<Difference> {
    let (ours, theirs) = (&expected[Kernel::OUT], &found[Kernel::OUT]);
    let differing = |slot: &usize| differing_thread(kernel, *slot, ours, theirs);
    let all = (0..kernel.slots.len()).filter(|slot| differing(slot).is_some()).count();
    let listed = order.iter().copied().filter(|&slot| slot < kernel.slots.len());
    let first = listed.chain(0..kernel.slots.len()).find_map(|slot| Some((slot, differing(&slot)?)));
    if let Some((slot, (thread, (expected, found)))) = first {
        return Some(Difference { place: Place::Slot { slot, thread }, expected, found, slots: all });
    }
    let word = |buffer: usize| {
        let words = |bytes: &'_ [u8]| -> Vec<u64> {
            bytes
                .chunks_exact(8)
                .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
                .collect()
        };
        let pairs = words(&expected[buffer]).into_iter().zip(words(&found[buffer]));
        pairs.enumerate().find(|(_, (a, b))| a != b)
    };
    let make = |place, (expected, found)| Difference { place, expected, found, slots: 0 };
    let cell = word(Kernel::CELLS).map(|(at, pair)| make(Place::Cell(at), pair));
    let own = || word(Kernel::OWN).map(|(at, pair)| make(Place::Own(at), pair));
    let other = |buffer| word(buffer).map(|(word, pair)| make(Place::Other { buffer, word }, pair));
    cell.or_else(own).or_else(|| (Kernel::OTHERS..expected.len()).find_map(other))
}

/// Whether all threads have the same value in a slot, as exactly as the slot requires.
pub fn same_slot(kernel: &Kernel, slot: usize, expected: &[Vec<u8>], found: &[Vec<u8>]) -> bool {
    differing_thread(kernel, slot, &expected[Kernel::OUT], &found[Kernel::OUT]).is_none()
}

/// The first thread that differs in a slot, with both values.
fn differing_thread(kernel: &Kernel, slot: usize, ours: &[u8], theirs: &[u8]) -> Option<(usize, (u64, u64))> {
    let compare = kernel.slots[slot].compare;
    let pair = |thread| (kernel.value(ours, slot, thread), kernel.value(theirs, slot, thread));
    let pairs = (0..kernel.threads()).map(|thread| (thread, pair(thread)));
    pairs.into_iter().find(|(_, (a, b))| !agree(compare, *a, *b))
}

/// Whether two values are as equal as the comparison requires.
pub fn agree(compare: Compare, a: u64, b: u64) -> bool {
    match compare {
        Compare::Exact => a == b,
        Compare::Nothing => true,
        Compare::Number(width) => {
            let pairs = numbers(width, a).into_iter().zip(numbers(width, b));
            a == b || pairs.into_iter().all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
        }
        Compare::Within(width, relative, absolute) => {
            let near = |(a, b): (f64, f64)| {
                // The difference is relative to the smallest normal number or more, because smaller numbers have fewer
                // digits. If one machine rounds to the largest number and the other beyond it, infinity counts as the
                // next power of two.
                let (a, b) = (finite(width, a), finite(width, b));
                let bound = absolute + relative * a.abs().max(b.abs()).max(least_normal(width));
                let both_end = |is: fn(f64) -> bool| is(a) && is(b);
                // Infinities and NaNs must be the same on both.
                a.to_bits() == b.to_bits()
                    || both_end(f64::is_nan)
                    || (both_end(f64::is_finite) && (a - b).abs() <= bound)
            };
            a == b || numbers(width, a).into_iter().zip(numbers(width, b)).all(near)
        }
    }
}

/// The numbers in a register.
fn numbers(width: Width, bits: u64) -> Vec<f64> {
    let half = |bits: u64| f64::from(half(bits as u16));
    let brain = |bits: u64| f64::from(f32::from_bits((bits as u32 & 0xffff) << 16));
    match width {
        Width::F64 => vec![f64::from_bits(bits)],
        Width::F32 => vec![f64::from(f32::from_bits(bits as u32))],
        Width::F16 => vec![half(bits)],
        Width::F16x2 => vec![half(bits), half(bits >> 16)],
        Width::Bf16 => vec![brain(bits)],
        Width::Bf16x2 => vec![brain(bits), brain(bits >> 16)],
    }
}

/// The number itself, or for an infinity the power of two at which numbers overflow.
fn finite(width: Width, number: f64) -> f64 {
    let end = if matches!(width, Width::F16 | Width::F16x2) { 65_536.0 } else { 2f64.powi(128) };
    if number.is_infinite() { end.copysign(number) } else { number }
}

/// The smallest number with full precision.
fn least_normal(width: Width) -> f64 {
    match width {
        Width::F16 | Width::F16x2 => 2f64.powi(-14),
        Width::Bf16 | Width::Bf16x2 | Width::F32 => f64::from(f32::MIN_POSITIVE),
        Width::F64 => f64::MIN_POSITIVE,
    }
}

/// The number that 16 bits represent as `f16`.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let magnitude = match exponent {
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        0 => fraction * (-14_f32).exp2(),
        _ => (1.0 + fraction) * ((exponent - 15) as f32).exp2(),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_the_right_values() {
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x0001, 2f32.powi(-24)),
            (0x7bff, 65504.0),
            (0x7c00, f32::INFINITY),
        ];
        for (bits, number) in cases {
            assert_eq!(half(bits).to_bits(), number.to_bits());
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn an_approximation_may_differ_by_its_bound_and_no_more() {
        let compare = Compare::Within(Width::F32, 2f64.powi(-22), 0.0);
        let one = u64::from(1f32.to_bits());
        assert!(agree(compare, one, one + 2));
        assert!(!agree(compare, one, one + 4));
        assert!(!agree(Compare::Exact, one, one + 1));
        assert!(agree(Compare::Number(Width::F16x2), 0x7e00_3c00, 0xffff_3c00));
        assert!(!agree(Compare::Number(Width::F16x2), 0x7e00_3c00, 0xffff_3c01));
        assert!(agree(compare, 0x7fff_ffff, 0x7fc0_0000), "one NaN is as good as another");
        assert!(!agree(compare, 0x7fff_ffff, one));
        assert!(agree(compare, 0x7f80_0000, 0x7f7f_ffff), "infinity is next to the greatest number");
        assert!(!agree(compare, 0x7f80_0000, 0x7f7f_0000));
        assert!(!agree(compare, 0x7f80_0000, 0xff80_0000));
    }
}
