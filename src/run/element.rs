//! The types of numbers on the command line: how they are read, and how they are shown.
//!
//! A number that its type cannot hold is refused and never wrapped. What it leaves out: 16-bit floats.

/// What the bits of a number mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// The type of a number, or of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub name: &'static str,
    pub kind: Kind,
    pub bytes: usize,
}

const fn ty(name: &'static str, kind: Kind, bytes: usize) -> Type {
    Type { name, kind, bytes }
}

const ALL: [Type; 10] = [
    ty("i8", Kind::Signed, 1),
    ty("u8", Kind::Unsigned, 1),
    ty("i16", Kind::Signed, 2),
    ty("u16", Kind::Unsigned, 2),
    ty("i32", Kind::Signed, 4),
    ty("u32", Kind::Unsigned, 4),
    ty("i64", Kind::Signed, 8),
    ty("u64", Kind::Unsigned, 8),
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
        bytes.ok_or_else(|| format!("`{text}` is no number that {} can hold", self.name))
    }

    /// The bytes of a whole number, if it fits, with zeros after them; a float may round it.
    pub fn integer(self, value: i128) -> Option<[u8; 8]> {
        let bits = 8 * self.bytes as u32;
        let range = match self.kind {
            Kind::Signed => -(1 << (bits - 1))..1 << (bits - 1),
            Kind::Unsigned => 0..1 << bits,
            Kind::Float if bits == 32 => return Some(u64::from((value as f32).to_bits()).to_le_bytes()),
            Kind::Float => return Some((value as f64).to_le_bytes()),
        };
        range.contains(&value).then(|| (value as u64).to_le_bytes())
    }

    /// A float; infinity must be asked for by its name.
    fn float(self, text: &str) -> Option<Vec<u8>> {
        let named = text.to_ascii_lowercase().contains("inf");
        if self.bytes == 4 {
            let value: f32 = text.parse().ok()?;
            return (named || !value.is_infinite()).then(|| value.to_le_bytes().to_vec());
        }
        let value: f64 = text.parse().ok()?;
        (named || !value.is_infinite()).then(|| value.to_le_bytes().to_vec())
    }

    /// A number as it is shown. A float can be told from an integer.
    pub fn show(self, bytes: &[u8]) -> String {
        let mut wide = [0; 8];
        wide[..self.bytes].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        let unused = 64 - 8 * self.bytes as u32;
        match self.kind {
            Kind::Unsigned => bits.to_string(),
            Kind::Signed => ((bits << unused) as i64 >> unused).to_string(),
            Kind::Float if self.bytes == 4 => format!("{:?}", f32::from_bits(bits as u32)),
            Kind::Float => format!("{:?}", f64::from_bits(bits)),
        }
    }
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
            ("f64", "one"),
        ] {
            assert_eq!(shown(ty, text), None, "{ty}:{text}");
        }
    }
}
