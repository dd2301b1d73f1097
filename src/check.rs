//! Decides whether a result is right: compares it with a reference that the CPU computed in double precision, and the
//! machines with each other.
//!
//! Integers, layout and exact operations must be equal bit for bit. Sums in another order and approximate functions
//! may differ by a bound, which the caller derives and which is printed with its reason. What it leaves out: bounds
//! guessed from a run.

pub use record::{Check, Difference};

use crate::buffer::Element;

/// By how much a result may differ.
#[derive(Clone, Debug, PartialEq)]
pub enum Tolerance {
    /// Not at all.
    Exact,
    /// By at most `relative · |expected| + absolute`.
    Bound {
        /// In units of the expected value.
        relative: f64,
        /// In units of the result.
        absolute: f64,
        /// Where the bound comes from, in a few words.
        why: &'static str,
    },
}

impl Tolerance {
    fn allows(&self, expected: f64, got: f64) -> bool {
        match self {
            Tolerance::Exact => same(expected, got),
            Tolerance::Bound { relative, absolute, .. } => {
                same(expected, got) || (expected - got).abs() <= relative * expected.abs() + absolute
            }
        }
    }

    /// The bound and its reason, for a report; `None` if nothing may differ.
    pub fn text(&self) -> Option<String> {
        match self {
            Tolerance::Exact => None,
            Tolerance::Bound { relative, absolute, why } => {
                let terms = [(*relative, " of the value"), (*absolute, "")];
                let terms = terms.iter().filter(|(bound, _)| *bound > 0.0);
                let terms: Vec<String> = terms.map(|(bound, unit)| format!("{bound:.2e}{unit}")).collect();
                Some(format!("within {}: {why}", terms.join(" + ")))
            }
        }
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Compares results with the expected values. If there are too few results, each missing element counts as wrong.
pub fn compare<T: Element>(expected: &[f64], got: &[T], tolerance: &Tolerance) -> Check {
    doubles(expected, &in_doubles(got), tolerance)
}

/// Compares the results of the two machines, bit for bit if nothing may differ. If both are within a bound of the true
/// value, they are within twice that bound of each other.
pub fn agree<T: Element>(sim: &[T], gpu: &[T], tolerance: &Tolerance) -> Check {
    let (sim_doubles, gpu_doubles) = (in_doubles(sim), in_doubles(gpu));
    match *tolerance {
        Tolerance::Exact => {
            let check = doubles(&sim_doubles, &gpu_doubles, tolerance);
            // Doubles would hide the low bits of large integers, and the payload of a NaN.
            let same_bits = bytemuck::cast_slice::<T, u8>(sim) == bytemuck::cast_slice::<T, u8>(gpu);
            Check { wrong: if same_bits { 0 } else { check.wrong.max(1) }, ..check }
        }
        Tolerance::Bound { relative, absolute, why } => {
            let twice = Tolerance::Bound { relative: 2.0 * relative, absolute: 2.0 * absolute, why };
            doubles(&sim_doubles, &gpu_doubles, &twice)
        }
    }
}

fn in_doubles<T: Element>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| value.to_double()).collect()
}

fn doubles(expected: &[f64], got: &[f64], tolerance: &Tolerance) -> Check {
    let missing = expected.len().abs_diff(got.len());
    let bound = tolerance.text();
    let mut check = Check { elements: missing, wrong: missing, worst: None, bound, first: None };
    let mut worst = 0.0_f64;
    for (index, (&expected, &got)) in expected.iter().zip(got).enumerate() {
        check.elements += 1;
        worst = worst.max((expected - got).abs());
        if !tolerance.allows(expected, got) {
            check.wrong += 1;
            let difference = || Difference { index, expected: expected.to_string(), got: got.to_string() };
            check.first = check.first.take().or_else(|| Some(difference()));
        }
    }
    // JSON has no infinity.
    check.worst = Some(worst).filter(|worst| worst.is_finite());
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Tolerance = Tolerance::Bound { relative: 0.01, absolute: 0.0, why: "a test" };

    #[test]
    fn equal_is_right() {
        assert!(compare(&[1.0, -2.0], &[1_i32, -2], &Tolerance::Exact).is_right());
    }

    #[test]
    fn the_first_difference_is_told() {
        let check = compare(&[1.0, 2.0, 3.0], &[1_u32, 5, 7], &Tolerance::Exact);
        assert_eq!((check.wrong, check.elements, check.worst), (2, 3, Some(4.0)));
        assert_eq!(check.first.unwrap().got, "5");
    }

    #[test]
    fn a_short_result_is_wrong() {
        assert_eq!(compare(&[1.0, 2.0], &[1.0_f32], &Tolerance::Exact).wrong, 1);
    }

    #[test]
    fn a_bound_is_relative() {
        assert!(compare(&[100.0], &[100.9_f64], &BOUND).is_right());
        assert!(!compare(&[100.0], &[101.1_f64], &BOUND).is_right());
        assert_eq!(BOUND.text().unwrap(), "within 1.00e-2 of the value: a test");
    }

    #[test]
    fn a_nan_is_right_where_one_is_expected_and_only_there() {
        assert!(compare(&[f64::NAN], &[f32::NAN], &Tolerance::Exact).is_right());
        assert!(!compare(&[1.0], &[f32::NAN], &BOUND).is_right());
        assert!(!compare(&[f64::NAN], &[1.0_f32], &BOUND).is_right());
    }

    #[test]
    fn machines_agree_bit_for_bit_or_within_twice_the_bound() {
        assert!(!agree(&[1_i64 << 53], &[(1 << 53) + 1], &Tolerance::Exact).is_right());
        assert!(agree(&[f32::NAN], &[f32::NAN], &Tolerance::Exact).is_right());
        assert!(!agree(&[0.0_f32], &[-0.0], &Tolerance::Exact).is_right());
        assert!(agree(&[100.0_f32], &[101.5], &BOUND).is_right());
        assert!(!agree(&[100.0_f32], &[103.0], &BOUND).is_right());
    }
}
