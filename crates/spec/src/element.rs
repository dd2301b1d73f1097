//! The types of numbers on the command line: how they are parsed and printed.
//!
//! A number that does not fit its type is refused and never wrapped around. What it leaves out: 8-bit floats and
//! `bf16`.

use crate::half;
use crate::random::Random;

/// How the bits of a number are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer in two's complement.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A binary float of IEEE 754.
    Float,
}

/// The type of a number, or of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// `f32`.
    pub name: &'static str,
    /// How its bits are interpreted.
    pub kind: Kind,
    /// How many bytes it has.
    pub bytes: usize,
}

const fn ty(name: &'static str, kind: Kind, bytes: usize) -> Type {
    Type { name, kind, bytes }
}

const ALL: [Type; 11] = [
    ty("i8", Kind::Signed, 1),
    ty("u8", Kind::Unsigned, 1),
    ty("i16", Kind::Signed, 2),
    ty("u16", Kind::Unsigned, 2),
    ty("i32", Kind::Signed, 4),
    ty("u32", Kind::Unsigned, 4),
    ty("i64", Kind::Signed, 8),
    ty("u64", Kind::Unsigned, 8),
    ty("f16", Kind::Float, 2),
    ty("f32", Kind::Float, 4),
    ty("f64", Kind::Float, 8),
];

impl Type {
    /// The type with this name.
    pub fn named(name: &str) -> Result<Type, String> {
        ALL.into_iter().find(|ty| ty.name == name).ok_or_else(|| {
            format!("there is no type `{name}`: choose one of {}", ALL.map(|ty| ty.name).join(", "))
        })
    }

    /// The bytes of a number, little-endian as on the GPU.
    pub fn parse(self, text: &str) -> Result<Vec<u8>, String> {
        let bytes = match self.kind {
            Kind::Float => self.float(text),
            _ => {
                integer(text).and_then(|value| self.integer(value)).map(|bytes| bytes[..self.bytes].to_vec())
            }
        };
        bytes.ok_or_else(|| format!("`{text}` is not a number that {} can hold", self.name))
    }

    /// The bytes of an integer, followed by zeros, if it fits; a float may round it.
    pub fn integer(self, value: i128) -> Option<[u8; 8]> {
        let bits = 8 * self.bytes as u32;
        let range = match self.kind {
            Kind::Signed => -(1 << (bits - 1))..1 << (bits - 1),
            Kind::Unsigned => 0..1 << bits,
            Kind::Float => return self.finite(value as f64),
        };
        range.contains(&value).then(|| (value as u64).to_le_bytes())
    }

    /// The bytes of a float, followed by zeros, unless it is too large.
    fn finite(self, value: f64) -> Option<[u8; 8]> {
        let bytes = self.rounded(value);
        Type::value(&bytes[..self.bytes]).is_finite().then_some(bytes)
    }

    /// The bytes of the nearest float of this type, followed by zeros.
    fn rounded(self, value: f64) -> [u8; 8] {
        match self.bytes {
            2 => u64::from(half::bits(value)).to_le_bytes(),
            4 => u64::from((value as f32).to_bits()).to_le_bytes(),
            _ => value.to_le_bytes(),
        }
    }

    /// A float. Infinity has to be written by its name.
    fn float(self, text: &str) -> Option<Vec<u8>> {
        // Parsed as the final type, so that it is rounded only once.
        let value =
            if self.bytes == 4 { text.parse::<f32>().ok()?.into() } else { text.parse::<f64>().ok()? };
        let named = !text.contains(|c: char| c.is_ascii_digit());
        let bytes = if named { self.rounded(value) } else { self.finite(value)? };
        Some(bytes[..self.bytes].to_vec())
    }

    /// The value of a float, from its bytes.
    pub fn value(bytes: &[u8]) -> f64 {
        match *bytes {
            [a, b] => half::value(u16::from_le_bytes([a, b])).into(),
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
            _ => f64::from_bits(wide(bytes)),
        }
    }

    /// The bytes of a random number, followed by zeros: a float from 0 up to but not 1, or an integer from its whole
    /// range.
    pub fn random(self, random: &mut Random) -> [u8; 8] {
        let (low, high) = (u64::from(random.next_u32()), u64::from(random.next_u32()));
        // As many bits as the fraction has, so that no number is rounded up to 1.
        let unit = |bits: u32| (low >> (32 - bits)) as f64 / (1_u64 << bits) as f64;
        match (self.kind, self.bytes) {
            (Kind::Float, 2) => self.rounded(unit(11)),
            (Kind::Float, 4) => self.rounded(unit(24)),
            (Kind::Float, _) => self.rounded(unit(32)),
            _ => (low | high << 32).to_le_bytes(),
        }
    }

    /// A number as text. A float can be told from an integer.
    pub fn show(self, bytes: &[u8]) -> String {
        let bits = wide(bytes);
        let unused = 64 - 8 * self.bytes as u32;
        match self.kind {
            Kind::Unsigned => bits.to_string(),
            Kind::Signed => ((bits << unused) as i64 >> unused).to_string(),
            // The shortest text that is parsed as the same number.
            Kind::Float if self.bytes <= 4 => format!("{:?}", Type::value(bytes) as f32),
            Kind::Float => format!("{:?}", Type::value(bytes)),
        }
    }
}

/// Up to eight bytes as one word.
fn wide(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// `-5` or `0x10`.
fn integer(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) if !digits.starts_with(['+', '-']) => i128::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ty: &str, text: &str) -> Option<String> {
        let ty = Type::named(ty).unwrap();
        ty.parse(text).ok().map(|bytes| ty.show(&bytes))
    }

    #[test]
    fn numbers_come_back_as_they_were_written() {
        let numbers = [
            ("i8", "-128"),
            ("u8", "255"),
            ("i16", "-1"),
            ("u32", "4294967295"),
            ("i64", "-9223372036854775808"),
            ("u64", "18446744073709551615"),
            ("f32", "1.5"),
            ("f32", "-0.0"),
            ("f64", "1e300"),
            ("f32", "inf"),
            ("f16", "0.5"),
            ("f16", "65504.0"),
            ("f16", "-inf"),
            ("f64", "NaN"),
        ];
        for (ty, text) in numbers {
            assert_eq!(shown(ty, text).as_deref(), Some(text), "{ty}");
        }
        assert_eq!(shown("u64", "0x10").as_deref(), Some("16"));
    }

    #[test]
    fn what_does_not_fit_is_no_number() {
        for (ty, text) in [
            ("i8", "128"),
            ("u8", "-1"),
            ("i32", "1.5"),
            ("u64", "18446744073709551616"),
            ("u32", ""),
            ("u32", "0x"),
            ("u32", "0x-1"),
            ("f32", "1e39"),
            ("f16", "65520"),
            ("f64", "one"),
        ] {
            assert_eq!(shown(ty, text), None, "{ty}:{text}");
        }
    }

    #[test]
    fn chance_stays_in_its_range() {
        let mut random = Random::new(1);
        for ty in ["f16", "f32", "f64"].map(|name| Type::named(name).unwrap()) {
            for _ in 0..1000 {
                let value = Type::value(&ty.random(&mut random)[..ty.bytes]);
                assert!((0.0..1.0).contains(&value), "{}: {value}", ty.name);
            }
        }
    }
}
