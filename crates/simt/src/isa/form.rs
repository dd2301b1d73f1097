//! Forms: which opcodes an instruction has, from which target on, and how it is decoded.

use super::grammar::{Modifiers, SETS};
use super::op::Op;
use super::operands::Operands;
use crate::ptx::Error;

/// Decodes one instruction whose opcode matched a form.
pub type Decode = fn(&Modifiers<'_>, &mut Operands<'_, '_>) -> Result<Op, Error>;

/// A form of an instruction: the opcodes it covers, and how to decode them.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The opcodes, in the notation of `grammar`.
    pub syntax: &'static str,
    /// The first target that has it: 70 for `sm_70`.
    pub min_sm: u32,
    /// The last target that has it.
    pub max_sm: u32,
    /// The first `.version` of PTX that has it; (1, 0) if the target or `needs` says enough.
    pub min_version: (u32, u32),
    /// How to decode it.
    pub decode: Decode,
}

impl Form {
    /// A form that every target has.
    pub const fn new(syntax: &'static str, decode: Decode) -> Form {
        Form { syntax, min_sm: 0, max_sm: u32::MAX, min_version: (1, 0), decode }
    }

    /// The opcodes, with every choice written out but the shapes of products, which are too many.
    pub fn written_out(&self) -> String {
        SETS.iter()
            .filter(|(name, _)| !name.starts_with("<m64"))
            .fold(self.syntax.to_string(), |syntax, (name, set)| syntax.replace(name, set))
    }

    /// The same form, from target `sm` on.
    #[must_use]
    pub const fn since(self, sm: u32) -> Form {
        Form { min_sm: sm, ..self }
    }

    /// The same form, from version `major.minor` of PTX on.
    #[must_use]
    pub const fn version(self, major: u32, minor: u32) -> Form {
        Form { min_version: (major, minor), ..self }
    }

    /// The same form, up to target `sm`.
    #[must_use]
    pub const fn until(self, sm: u32) -> Form {
        Form { max_sm: sm, ..self }
    }
}

/// A family of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name in the specification.
    pub title: &'static str,
    /// The sections of the PTX ISA that describe it.
    pub section: &'static str,
    /// Its forms.
    pub forms: &'static [Form],
}
