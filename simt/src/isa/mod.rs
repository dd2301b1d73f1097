//! The instructions: what is accepted, and what it means.
//!
//! One file a family. Each declares its forms (the grammar of an opcode, and since which target it exists)
//! beside the function that decodes them and the tests that hold them to the specification. [`decode`] finds
//! the form; nothing outside a form is accepted, and the table of supported PTX is made from the same forms.
//! Arithmetic decodes to a function pointer over columns ([`value`]); what touches memory, other lanes or
//! control flow decodes to an [`Op`] that [`crate::engine`] carries out.

pub mod address;
mod approx;
pub mod atomic;
mod bitfield;
mod bits;
mod compare;
pub mod control;
mod convert;
mod extended;
mod float;
pub mod grammar;
mod half;
mod integer;
pub mod mbarrier;
pub mod memory;
mod movement;
pub mod needs;
pub mod operands;
mod prepared;
pub mod printf;
pub mod scope;
pub mod special;
pub mod sync;
mod table;
pub mod value;
pub mod warp;

pub use table::table;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::ptx::ast::Instruction;
use crate::ptx::{Error, LineIndex};
use atomic::Atomic;
use control::CallIndex;
use grammar::{Modifiers, Syntax};
use mbarrier::Mbarrier;
use memory::{Access, Fence};
use operands::{Operands, Touched};
use scope::Scope;
use special::Special;
use sync::Barrier;
use value::{Alu, Args, Run};
use warp::Collective;

/// What an instruction does, decoded.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Computes registers from registers, lane by lane.
    Alu(Run),
    /// Reads a special register into `args.d`.
    Special {
        /// Which one.
        what: Special,
        /// Whether `args.d` is a 64-bit register.
        wide: bool,
    },
    /// Puts the address of a variable of the frame into `args.d`, as wide as `wide` says.
    FrameAddress {
        /// Its offset in the frame.
        offset: i32,
        /// Whether `args.d` is a 64-bit register.
        wide: bool,
    },
    /// Whether the generic address `args.a` lies in constant memory, or in global memory, into predicate `args.d`.
    IsSpace {
        /// In global memory, not in constant memory.
        global: bool,
    },
    /// Loads from memory.
    Load(Access),
    /// Stores to memory.
    Store(Access),
    /// Reads, changes and writes memory in one step.
    Atomic(Atomic),
    /// Orders the accesses before it with those after it.
    Fence(Fence),
    /// Meets the threads of the block.
    Barrier(Barrier),
    /// Does something to a barrier in memory.
    Mbarrier(Mbarrier),
    /// Exchanges values with other lanes of the warp.
    Collective(Collective),
    /// Puts the mask of lanes that run together into `args.d`.
    ActiveMask,
    /// Goes to `target`; lanes that part here meet again at `meet`. Decoded as a label, then resolved.
    Branch {
        /// The label, later the address.
        target: u32,
        /// Where both sides meet again.
        meet: u32,
    },
    /// Goes to entry `args.a` of a list.
    BranchIndexed {
        /// The list.
        list: u32,
        /// Where all sides meet again.
        meet: u32,
    },
    /// Calls a function.
    Call(CallIndex),
    /// Returns from a function; ends the thread in a kernel.
    Return,
    /// Ends the thread.
    Exit,
    /// Stops the launch.
    Trap,
    /// Changes nothing that a program can see: a hint to caches or to the scheduler.
    Hint,
    /// Stops the launch with an error: the instruction is not supported. The number is the error's.
    Unsupported(u32),
}

/// Decodes one instruction whose opcode matched a form.
pub type Decode = fn(&Modifiers<'_>, &mut Operands<'_, '_>) -> Result<Op, Error>;

/// A form of an instruction: the opcodes it covers, and how to decode them.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The opcodes, in the notation of [`grammar`].
    pub syntax: &'static str,
    /// The first target that has it: 70 for `sm_70`.
    pub min_sm: u32,
    /// The last target that has it.
    pub max_sm: u32,
    /// The first `.version` of PTX that has it; (1, 0) where the target says it all, or [`needs`].
    pub min_version: (u32, u32),
    /// How to decode it.
    pub decode: Decode,
}

impl Form {
    /// A form that every target has.
    pub const fn new(syntax: &'static str, decode: Decode) -> Form {
        Form { syntax, min_sm: 0, max_sm: u32::MAX, min_version: (1, 0), decode }
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

/// Every family, in the order of the specification.
pub const FAMILIES: &[Family] = &[
    integer::FAMILY,
    bitfield::FAMILY,
    extended::FAMILY,
    float::FAMILY,
    approx::FAMILY,
    half::FAMILY,
    compare::FAMILY,
    bits::FAMILY,
    movement::FAMILY,
    convert::FAMILY,
    address::FAMILY,
    memory::FAMILY,
    atomic::FAMILY,
    warp::FAMILY,
    sync::FAMILY,
    mbarrier::FAMILY,
    control::FAMILY,
];

/// A decoded instruction: what it does, and to which columns.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// What is to be carried out before it, to compute its sources.
    pub before: Vec<Decoded>,
    /// What it does.
    pub op: Op,
    /// To which columns.
    pub args: Args,
    /// What looks at programs as a whole knows of it.
    pub meaning: Meaning,
}

/// What an instruction does with which columns, as far as that is known.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// The arithmetic, where that is what it is and where one more than its name is known.
    pub alu: Option<Alu>,
    /// The columns that it names.
    pub touched: Vec<Touched>,
}

/// Decodes `instruction` for target `sm` and a version of PTX.
pub fn decode<'t>(
    lines: &LineIndex,
    instruction: &Instruction<'t>,
    scope: &mut Scope<'t>,
    (sm, version): (u32, (u32, u32)),
) -> Result<Decoded, Error> {
    let opcode = instruction.opcode;
    let refuse = |message| Err(lines.error(opcode.span, message));
    let Some((form, modifiers)) = find(opcode.text) else {
        return refuse(format!("`{}` is not supported; {}", opcode.text, near_forms(opcode.text)));
    };
    let needs = form.needs(opcode.text);
    if sm < needs.sm {
        return refuse(format!("`{}` needs a target of sm_{} or above, not sm_{sm}", opcode.text, needs.sm));
    }
    if version < needs.version {
        let ((major, minor), (found_major, found_minor)) = (needs.version, version);
        return refuse(format!(
            "`{}` needs `.version {major}.{minor}` or above, not {found_major}.{found_minor}",
            opcode.text
        ));
    }
    if needs::is_too_wide(opcode.text) {
        return refuse(format!("`{}` has a vector of more than 128 bits, which needs sm_100", opcode.text));
    }
    if sm > form.max_sm {
        return refuse(format!("`{}` exists only up to sm_{}, not for sm_{sm}", opcode.text, form.max_sm));
    }
    let mut operands = Operands::new(lines, instruction, scope);
    let op = (form.decode)(&modifiers, &mut operands)?;
    operands.finish()?;
    if let Op::Mbarrier(mbarrier) = op
        && sm < mbarrier.min_sm()
    {
        let min_sm = mbarrier.min_sm();
        return refuse(format!(
            "`{}` with a count needs a target of sm_{min_sm} or above, not sm_{sm}",
            opcode.text
        ));
    }
    let meaning = Meaning { alu: operands.alu, touched: operands.touched };
    Ok(Decoded { before: operands.before, op, args: operands.args, meaning })
}

/// The form that covers an opcode. Where several do, the first one listed.
pub fn find(opcode: &str) -> Option<(&'static Form, Modifiers<'_>)> {
    forms_of(mnemonic(opcode)).iter().find_map(|(form, syntax)| Some((*form, syntax.matches(opcode)?)))
}

/// Forms with one mnemonic, their syntax taken apart.
type Forms = Vec<(&'static Form, Syntax<'static>)>;

/// The forms of a mnemonic. They are sorted once: a module has some ten thousand instructions.
fn forms_of(mnemonic: &str) -> &'static [(&'static Form, Syntax<'static>)] {
    static FORMS: LazyLock<HashMap<&str, Forms>> = LazyLock::new(|| {
        let mut by_mnemonic: HashMap<&str, Forms> = HashMap::new();
        for form in FAMILIES.iter().flat_map(|family| family.forms) {
            let forms = by_mnemonic.entry(self::mnemonic(form.syntax)).or_default();
            forms.push((form, Syntax::new(form.syntax)));
        }
        by_mnemonic
    });
    FORMS.get(mnemonic).map_or(&[], Vec::as_slice)
}

fn mnemonic(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

/// Forms that a message names at most: the nearest, by how many modifiers they have in common with the opcode.
const MAX_NEAR_FORMS: usize = 3;

fn near_forms(opcode: &str) -> String {
    let mut near: Vec<_> = forms_of(mnemonic(opcode)).iter().collect();
    if near.is_empty() {
        return format!("no form of `{}` is", mnemonic(opcode));
    }
    near.sort_by_cached_key(|(_, syntax)| Reverse(syntax.common(opcode)));
    let named: Vec<_> = near.iter().take(MAX_NEAR_FORMS).map(|(form, _)| form.syntax).collect();
    let more = near.len() - named.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more (`simt/SUPPORTED.md`)") };
    format!("supported forms: `{}`{more}", named.join("`, `"))
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_of_every_form_is_found_by_the_form_that_lists_it() {
        for form in FAMILIES.iter().flat_map(|family| family.forms) {
            for opcode in grammar::expand(form.syntax) {
                let (found, _) = find(&opcode).unwrap();
                assert_eq!(found.syntax, form.syntax, "`{opcode}` is claimed by two forms");
            }
        }
    }
}
