//! 16-bit floats, IEEE 754's binary16, for which stable Rust has no type: from bits to value and back.
//!
//! What it leaves out: arithmetic, which only kernels need.

/// The largest exponent of two that divides every 16-bit float.
const UNIT: i32 = -24;
const EXPONENT_BIAS: i32 = 15;
const INFINITY: u16 = 0x7c00;

/// The nearest 16-bit float, ties to even.
pub fn bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    if size.is_nan() {
        return sign | INFINITY | 0x200;
    }
    if size >= 65_520.0 {
        return sign | INFINITY;
    }
    // The exponent of a 64-bit float is in bits 52 to 62. Below 2⁻¹⁴ the distance between numbers is constant.
    let steps = (((size.to_bits() >> 52) as i32) - 1023 + EXPONENT_BIAS - 1).max(0);
    let units = (size / 2_f64.powi(steps + UNIT)).round_ties_even();
    // A carry out of the units goes into the exponent's bits, which is right: the first unit is the hidden bit.
    sign | (((steps as u16) << 10) + units as u16)
}

/// The value of a 16-bit float.
pub fn value(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), bits & 0x3ff);
    let size = match (exponent, fraction) {
        (0x1f, 0) => f32::INFINITY,
        (0x1f, _) => f32::NAN,
        (0, _) => f32::from(fraction) * 2_f32.powi(UNIT),
        _ => f32::from(fraction + 0x400) * 2_f32.powi(exponent - 1 + UNIT),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_back() {
        for pattern in 0..=u16::MAX {
            let float = value(pattern);
            assert!(float.is_nan() || bits(float.into()) == pattern, "{pattern:#06x} is {float}");
        }
    }

    #[test]
    fn what_lies_between_goes_to_the_nearest_and_then_to_even() {
        let cases = [
            (1.0 + 2_f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2_f64.powi(-11), 0x3c02),
            (2_f64.powi(-25), 0),
            (1.1 * 2_f64.powi(-25), 1),
            (65_519.0, 0x7bff),
            (65_520.0, INFINITY),
            (-0.0, 0x8000),
        ];
        for (float, pattern) in cases {
            assert_eq!(bits(float), pattern, "{float}");
        }
        assert!(value(bits(f64::NAN)).is_nan());
    }
}
