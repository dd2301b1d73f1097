//! A structure that a kernel gets by value: its fields in order, each aligned as C++ aligns it.

use crate::element::Type;

/// A structure: `{f32:2, i32:5}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    fields: Vec<Field>,
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Field {
    /// The bytes of a number.
    Number(Vec<u8>),
    /// A pointer to a buffer with this name.
    Pointer(String),
}

impl Field {
    fn parse(text: &str) -> Result<Field, String> {
        if let Some((ty, value)) = text.split_once(':') {
            return Type::named(ty)?.parse(value.trim_ascii()).map(Field::Number);
        }
        let is_letter = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
        if text.is_empty() || text.as_bytes()[0].is_ascii_digit() || !text.bytes().all(is_letter) {
            return Err(format!(
                "`{text}` is not a field of a structure: write numbers, as in `{{f32:2, i32:5}}`"
            ));
        }
        Ok(Field::Pointer(text.to_owned()))
    }

    /// Its size, which is also its alignment.
    fn bytes(&self) -> usize {
        match self {
            Field::Number(bytes) => bytes.len(),
            Field::Pointer(_) => 8,
        }
    }
}

impl Structure {
    /// Reads the fields between the braces. A field is a number, or the name of a buffer.
    pub(crate) fn parse(text: &str) -> Result<Structure, String> {
        let mut fields = Vec::new();
        for field in text.split(',') {
            fields.push(Field::parse(field.trim_ascii())?);
        }
        Ok(Structure { fields })
    }

    /// The names of the buffers to which fields point.
    pub fn buffers(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter_map(|field| match field {
            Field::Pointer(name) => Some(name.as_str()),
            Field::Number(_) => None,
        })
    }

    /// Its size in bytes, with the padding between and after the fields.
    pub fn bytes(&self) -> usize {
        self.pack(&|_| 0).len()
    }

    /// Its bytes. `address` gives the address of a buffer.
    pub fn pack(&self, address: &dyn Fn(&str) -> u64) -> Vec<u8> {
        let mut all = Vec::new();
        for field in &self.fields {
            all.resize(all.len().next_multiple_of(field.bytes()), 0);
            match field {
                Field::Number(bytes) => all.extend(bytes),
                Field::Pointer(name) => all.extend(address(name).to_le_bytes()),
            }
        }
        let alignment = self.fields.iter().map(Field::bytes).max().unwrap_or(1);
        all.resize(all.len().next_multiple_of(alignment), 0);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_aligned_as_in_cpp() {
        let packed = |text: &str| Structure::parse(text).unwrap().pack(&|_| 0x1122);
        assert_eq!(packed("u8:1, u32:2"), [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(packed("u32:2,u8:1"), [2, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(packed("u8:1, x, u16:3")[8..18], [0x22, 0x11, 0, 0, 0, 0, 0, 0, 3, 0]);
        assert_eq!(Structure::parse("u8:1, x, u16:3").unwrap().bytes(), 24);
        assert_eq!(Structure::parse("u8:1, x, y").unwrap().buffers().collect::<Vec<_>>(), ["x", "y"]);
    }

    #[test]
    fn a_field_needs_a_type() {
        assert!(Structure::parse("2").unwrap_err().starts_with("`2` is not a field"));
        assert!(Structure::parse("f31:2").unwrap_err().contains("there is no type `f31`"));
        assert!(Structure::parse("u8:300").unwrap_err().contains("u8 can hold"));
    }
}
