//! A structure that a kernel gets by value: its fields in order, each aligned as C++ aligns it.

use simt::{TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES};

use crate::element::Type;
use crate::tensor_map::Tensor;

/// How deep structures may be nested.
const DEEPEST: usize = 16;

/// A structure: `{f32:2, i32:5}`, or `{f32:1, f32:2, f32:3, f32:4}@16` if it is aligned to more than its fields. A tensor map is one
/// with a single field, `{tensor_map=x, type=f32, sizes=[64], box=[32]}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    fields: Vec<Field>,
    alignment: usize,
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Field {
    /// The bytes of a number.
    Number(Vec<u8>),
    /// A pointer to a buffer with this name.
    Pointer(String),
    /// Another structure.
    Inner(Structure),
    /// A tensor map.
    Tensor(Tensor),
}

impl Field {
    fn parse(text: &str, depth: usize) -> Result<Field, String> {
        if text.starts_with('{') {
            return Structure::nested(text, depth + 1).map(Field::Inner);
        }
        if let Some((ty, value)) = text.split_once(':') {
            return Type::named(ty)?.parse(value.trim_ascii()).map(Field::Number);
        }
        if !is_name(text) {
            return Err(format!(
                "`{text}` is not a field of a structure: write numbers, as in `{{f32:2, i32:5}}`"
            ));
        }
        Ok(Field::Pointer(text.to_owned()))
    }

    fn bytes(&self) -> usize {
        match self {
            Field::Number(bytes) => bytes.len(),
            Field::Pointer(_) => 8,
            Field::Inner(inner) => inner.bytes(),
            Field::Tensor(_) => TENSOR_MAP_BYTES,
        }
    }

    fn alignment(&self) -> usize {
        match self {
            Field::Inner(inner) => inner.alignment,
            Field::Tensor(_) => TENSOR_MAP_ALIGN as usize,
            plain => plain.bytes(),
        }
    }
}

/// The bytes of a structure whose addresses are not known yet, and where they go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout<'s> {
    /// Zeros where an address or a tensor map will be.
    pub bytes: Vec<u8>,
    /// What is left to be filled in.
    pub places: Vec<Place<'s>>,
}

/// Where the address of a buffer goes in a structure, or a tensor map of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'s> {
    /// Bytes before it.
    pub offset: usize,
    /// The name of the buffer.
    pub buffer: &'s str,
    /// The map; without one it is the address that goes here.
    pub tensor: Option<&'s Tensor>,
}

impl Layout<'_> {
    /// Fills a place. More bytes than are left in the structure are not taken.
    pub fn fill(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes.iter_mut().skip(offset).zip(bytes).for_each(|(place, byte)| *place = *byte);
    }
}

/// Whether a text can be the name of a buffer: letters, digits and `_`, not beginning with a digit.
pub fn is_name(text: &str) -> bool {
    let is_letter = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    text.bytes().next().is_some_and(|first| !first.is_ascii_digit()) && text.bytes().all(is_letter)
}

/// The parts of a text between commas that are in no brackets.
pub fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_u32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' | '<' => depth += 1,
            '}' | ')' | ']' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim_ascii());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim_ascii());
    parts
}

impl Structure {
    /// Reads a structure with its braces. A field is a number, the name of a buffer, or another structure.
    pub(crate) fn parse(text: &str) -> Result<Structure, String> {
        Structure::nested(text, 0)
    }

    fn nested(text: &str, depth: usize) -> Result<Structure, String> {
        if depth > DEEPEST {
            return Err(format!("structures are nested more than {DEEPEST} deep"));
        }
        let (braces, wanted) = match text.rsplit_once('@').filter(|(_, after)| !after.contains('}')) {
            Some((braces, bytes)) => (braces, Some(bytes)),
            None => (text, None),
        };
        let inner = braces.trim_ascii().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let Some(inner) = inner else {
            return Err(format!(
                "`{text}` has no `}}` at its end: write a structure as in `{{f32:2, i32:5}}`"
            ));
        };
        let fields: Vec<Field> = if Tensor::is_one(inner) {
            vec![Field::Tensor(Tensor::parse(inner)?)]
        } else {
            parts(inner).into_iter().map(|field| Field::parse(field, depth)).collect::<Result<_, _>>()?
        };
        let own = fields.iter().map(Field::alignment).max().unwrap_or(1);
        let alignment = wanted.map_or(Ok(own), |bytes| alignment(bytes, own))?;
        Ok(Structure { fields, alignment })
    }

    /// The names of the buffers to which fields point.
    pub fn buffers(&self) -> Vec<&str> {
        let mut all = Vec::new();
        for field in &self.fields {
            match field {
                Field::Inner(inner) => all.extend(inner.buffers()),
                Field::Pointer(name) => all.push(name.as_str()),
                Field::Tensor(tensor) => all.push(&tensor.buffer),
                Field::Number(_) => {}
            }
        }
        all
    }

    /// Its size in bytes, with the padding between and after the fields.
    pub fn bytes(&self) -> usize {
        self.layout().bytes.len()
    }

    /// Its bytes on the emulator. `address` gives the address of a buffer.
    pub fn pack(&self, address: &dyn Fn(&str) -> u64) -> Vec<u8> {
        let mut layout = self.layout();
        for Place { offset, buffer, tensor } in layout.places.clone() {
            let address = address(buffer);
            match tensor {
                Some(tensor) => layout.fill(offset, &tensor.bytes(address)),
                None => layout.fill(offset, &address.to_le_bytes()),
            }
        }
        layout.bytes
    }

    /// Its bytes but for the addresses in it, for a machine that has others than the emulator.
    pub fn layout(&self) -> Layout<'_> {
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for field in &self.fields {
            bytes.resize(bytes.len().next_multiple_of(field.alignment()), 0);
            let (offset, after) = (bytes.len(), bytes.len() + field.bytes());
            match field {
                Field::Number(number) => bytes.extend(number),
                Field::Pointer(buffer) => places.push(Place { offset, buffer, tensor: None }),
                Field::Tensor(tensor) => {
                    places.push(Place { offset, buffer: &tensor.buffer, tensor: Some(tensor) });
                }
                Field::Inner(inner) => {
                    let inner = inner.layout();
                    bytes.extend(inner.bytes);
                    places.extend(
                        inner.places.iter().map(|place| Place { offset: offset + place.offset, ..*place }),
                    );
                }
            }
            bytes.resize(after, 0);
        }
        bytes.resize(bytes.len().next_multiple_of(self.alignment), 0);
        Layout { bytes, places }
    }
}

/// The alignment after an `@`: a power of two that is at least that of the fields.
fn alignment(text: &str, own: usize) -> Result<usize, String> {
    let bytes = text.trim_ascii().parse().ok().filter(|bytes: &usize| bytes.is_power_of_two());
    bytes.filter(|bytes| (own..=256).contains(bytes)).ok_or_else(|| {
        format!("`@{text}` is no alignment of this structure: write a power of two from {own} to 256")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_aligned_as_in_cpp() {
        let packed = |text: &str| Structure::parse(text).unwrap().pack(&|_| 0x1122);
        assert_eq!(packed("{u8:1, u32:2}"), [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(packed("{u32:2,u8:1}"), [2, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(packed("{u8:1, x, u16:3}")[8..18], [0x22, 0x11, 0, 0, 0, 0, 0, 0, 3, 0]);
        assert_eq!(Structure::parse("{u8:1, x, u16:3}").unwrap().bytes(), 24);
        let map = "{tensor_map=x, type=f32, sizes=[64], box=[32]}";
        assert_eq!(Structure::parse(map).unwrap().bytes(), 128);
        assert_eq!(Structure::parse(&format!("{{u8:1, {map}}}")).unwrap().bytes(), 192);
        assert_eq!(Structure::parse("{u8:1, x, {u8:1, y}}").unwrap().buffers(), ["x", "y"]);
    }

    #[test]
    fn addresses_and_maps_have_their_places() {
        let text = "{u8:1, x, {tensor_map=y, type=f32, sizes=[64], box=[32]}, {u16:2, z}}";
        let structure = Structure::parse(text).unwrap();
        let Layout { bytes, places } = structure.layout();
        assert_eq!((bytes.len(), bytes[0], bytes[8..192].iter().max()), (256, 1, Some(&0)));
        let places: Vec<_> =
            places.iter().map(|place| (place.offset, place.buffer, place.tensor.is_some())).collect();
        assert_eq!(places, [(8, "x", false), (64, "y", true), (200, "z", false)]);
        let packed = structure.pack(&|name| if name == "z" { 0x33 } else { 0x10 });
        assert_eq!((packed[8], packed[192], packed[200]), (0x10, 2, 0x33));
        assert_eq!(packed[64..192], structure.layout().places[1].tensor.unwrap().bytes(0x10));
    }

    #[test]
    fn structures_are_nested_and_aligned() {
        let packed = |text: &str| Structure::parse(text).unwrap().pack(&|_| 0);
        assert_eq!(packed("{u8:1, {u8:2, u16:3}, u8:4}"), [1, 0, 2, 0, 3, 0, 4, 0]);
        assert_eq!(packed("{u8:1, {u8:2, u8:3}@4}@8"), [1, 0, 0, 0, 2, 3, 0, 0]);
        let deep = format!("{}u8:1{}", "{".repeat(40), "}".repeat(40));
        assert!(Structure::parse(&deep).unwrap_err().contains("more than 16 deep"));
        for wrong in ["{u32:1}@2", "{u32:1}@3", "{u32:1}@", "{u32:1}@512"] {
            assert!(Structure::parse(wrong).unwrap_err().contains("is no alignment"), "{wrong}");
        }
    }

    #[test]
    fn a_field_needs_a_type() {
        let refused = |text| Structure::parse(text).unwrap_err();
        assert!(refused("{2}").starts_with("`2` is not a field"));
        assert!(refused("{f31:2}").contains("there is no type `f31`"));
        assert!(refused("{u8:300}").contains("u8 can hold"));
        assert!(refused("{u8:3, {u8:1}").contains("has no `}`"));
    }
}
