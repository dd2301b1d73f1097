//! Parts of memory that a page asks for, as hexadecimal digits.

use serde_json::{Value, json};
use simt::Buffer;

use crate::refusal::Refusal;
use crate::request::{Part, Window};

/// A part of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub buffer: Buffer,
    name: String,
    part: Part,
}

impl Seen {
    /// What is in it: of these, the bytes of the buffer.
    pub fn json(&self, bytes: &[u8]) -> Value {
        let (from, hex) = part(bytes, self.part);
        json!({ "name": self.name, "from": from, "hex": hex })
    }
}

/// Finds the buffers.
pub(crate) fn windows(asked: &[Window], buffers: &[(String, Buffer)]) -> Result<Vec<Seen>, Refusal> {
    let find = |window: &Window| {
        let (name, part) = (window.name.clone(), Part { from: window.from, bytes: window.bytes });
        let known = buffers.iter().find(|(known, _)| *known == name);
        known.map(|&(_, buffer)| Seen { buffer, name, part }).ok_or_else(|| {
            let known: Vec<String> = buffers.iter().map(|(name, _)| format!("`{name}`")).collect();
            let known = if known.is_empty() { "no buffer at all".to_owned() } else { known.join(", ") };
            Refusal::request(format!("there is no buffer `{}` to see: the launch has {known}", window.name))
        })
    };
    asked.iter().map(find).collect()
}

/// A part of shared memory.
pub(crate) fn shared(bytes: &[u8], asked: Part) -> Value {
    let (from, hex) = part(bytes, asked);
    json!({ "from": from, "hex": hex })
}

/// The part that is there.
fn part(bytes: &[u8], asked: Part) -> (usize, String) {
    let end = bytes.len() as u64;
    let from = asked.from.min(end);
    let to = from.saturating_add(asked.bytes).min(end);
    (from as usize, digits(&bytes[from as usize..to as usize]))
}

fn digits(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}

/// A mask, an address or the value of a register.
pub(crate) fn hex(value: impl Into<u64>) -> String {
    format!("{:#x}", value.into())
}
