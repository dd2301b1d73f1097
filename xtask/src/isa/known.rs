//! Where `ptxas` 12.9 contradicts the specification or itself, each with the reason why the table does not follow it.

use simt::isa::grammar;

use super::assembler::Header;

/// Opcodes of which the assembler is wrong.
struct Known {
    /// The opcodes, in the notation of forms.
    syntax: &'static str,
    /// Up to which target.
    up_to_sm: u32,
    /// Whether it refuses what it should take, or takes what it should refuse.
    refuses: bool,
    /// Why we say otherwise.
    reason: &'static str,
}

const KNOWN: [Known; 0] = [];

/// Why the assembler is not followed in what it says of an opcode; `None` where it is.
pub fn reason(opcode: &str, header: Header, refuses: bool) -> Option<&'static str> {
    let is_it = |known: &&Known| {
        known.refuses == refuses
            && header.sm <= known.up_to_sm
            && grammar::matches(known.syntax, opcode).is_some()
    };
    KNOWN.iter().find(is_it).map(|known| known.reason)
}
