//! Opcodes for which `ptxas` 12.9 contradicts the specification or itself, and why the table does not follow it.

use simt::isa::grammar;

use super::assembler::Header;

/// Opcodes about which the assembler is wrong.
struct Known {
    /// The opcodes, in the notation of forms.
    syntax: &'static str,
    /// The highest target to which this applies.
    up_to_sm: u32,
    /// Whether it refuses what it should accept, or accepts what it should refuse.
    refuses: bool,
    /// Why the table says otherwise.
    reason: &'static str,
}

const KNOWN: [Known; 1] = [Known {
    syntax: "cp.async.(ca|cg).shared::cta.global.<L2>?",
    up_to_sm: u32::MAX,
    refuses: false,
    reason: "the specification has `::cta` from version 7.8 on",
}];

/// Why the table does not follow the assembler's verdict on an opcode; `None` if it does.
pub fn reason(opcode: &str, header: Header, refuses: bool) -> Option<&'static str> {
    let is_it = |known: &&Known| {
        known.refuses == refuses
            && header.sm <= known.up_to_sm
            && grammar::matches(known.syntax, opcode).is_some()
    };
    KNOWN.iter().find(is_it).map(|known| known.reason)
}
