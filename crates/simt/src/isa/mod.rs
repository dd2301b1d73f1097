//! The instructions: which are accepted, and what they mean.
//!
//! There is one file for each family. It declares the forms (the grammar of an opcode, and the target from which on it
//! exists) beside the function that decodes them and the tests that compare them with the specification. `decode` finds
//! the form. Nothing outside a form is accepted, and the table of supported PTX is made from the same forms. Arithmetic
//! decodes to a function pointer over columns (`value`). Instructions that concern memory, other lanes or control flow
//! decode to an `Op`, which the folder `exec` carries out.
//!
//! The project's first design did not allow a dynamic call for each instruction. But the alternative, a large `match`, becomes
//! an indirect jump as well. With a function pointer, the declaration, the meaning and the tests of an instruction can be in one
//! file. That is worth more than a few cycles.
//!
//! For a new form, add a line to its family with its tests, what its modifiers need to `needs`, and its operands to
//! `tools/xtask/src/isa/operands.rs`. Then run `cargo xtask isa`, without and with `--ptxas`. A new family is a file here,
//! listed in [`FAMILIES`].

pub(crate) mod address;
pub(crate) mod affine;
mod approx;
pub(crate) mod atomic;
mod bitfield;
mod bits;
mod bulk;
mod cluster;
mod compare;
pub(crate) mod control;
mod convert;
mod copy;
mod extended;
mod float;
pub(crate) mod form;
pub mod grammar;
mod half;
mod integer;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
mod movement;
pub(crate) mod needs;
pub(crate) mod op;
pub(crate) mod operands;
mod prepared;
pub(crate) mod printf;
pub(crate) mod scope;
pub(crate) mod special;
pub(crate) mod sync;
mod table;
pub(crate) mod tensor_copy;
pub(crate) mod value;
pub(crate) mod warp;
mod warpgroup;
mod wmma;

pub use form::{Family, Form};
pub use table::table;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::ptx::ast::Instruction;
use crate::ptx::{Error, LineIndex};
use grammar::{Modifiers, Syntax};
use needs::Needs;
use op::copy::{Async, Copy, Size};
use op::{Decoded, Op};
use operands::Operands;
use scope::Scope;

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
    cluster::FAMILY,
    mbarrier::FAMILY,
    copy::FAMILY,
    bulk::FAMILY,
    tensor_copy::FAMILY,
    matrix::FAMILY,
    wmma::FAMILY,
    warpgroup::FAMILY,
    control::FAMILY,
];

/// The version of PTX from which on a copy may ignore its source.
const IGNORES_SINCE: (u32, u32) = (7, 5);

/// Decodes `instruction` for a target and a version of PTX.
pub(crate) fn decode<'t>(
    lines: &LineIndex,
    instruction: &Instruction<'t>,
    scope: &mut Scope<'t>,
    target: Needs,
) -> Result<Decoded, Error> {
    let opcode = instruction.opcode;
    let refuse = |message| Err(lines.error(opcode.span, message));
    let Some((form, modifiers)) = find(opcode.text) else {
        let otherwise = || format!("`{}` is not supported; {}", opcode.text, near_forms(opcode.text));
        return refuse(tensor_copy::why_not(opcode.text).unwrap_or_else(otherwise));
    };
    let needs = form.needs(opcode.text);
    let Needs { sm, version } = target;
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
    let ignores = matches!(op, Op::Async(Async::Copy(Copy { size: Size::IgnoredIf { .. }, .. })));
    if ignores && version < IGNORES_SINCE {
        let ((major, minor), (found_major, found_minor)) = (IGNORES_SINCE, version);
        return refuse(format!(
            "`{}` with a predicate needs `.version {major}.{minor}` or above, not {found_major}.{found_minor}",
            opcode.text
        ));
    }
    Ok(Decoded {
        before: operands.before,
        op,
        args: operands.args,
        affine: operands.affine,
        touched: operands.touched,
    })
}

/// The form that covers an opcode. Where several do, the first one listed.
pub(crate) fn find(opcode: &str) -> Option<(&'static Form, Modifiers<'_>)> {
    forms_of(mnemonic(opcode)).iter().find_map(|(form, syntax)| Some((*form, syntax.matches(opcode)?)))
}

/// Forms with one mnemonic, with their parsed syntax.
type Forms = Vec<(&'static Form, Syntax<'static>)>;

/// The forms of a mnemonic. They are sorted only once, because a module may have ten thousand instructions.
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

/// How many forms a message names at most: those that have the most modifiers in common with the opcode.
const MAX_NEAR_FORMS: usize = 3;

fn near_forms(opcode: &str) -> String {
    let mut near: Vec<_> = forms_of(mnemonic(opcode)).iter().collect();
    if near.is_empty() {
        return format!("no form of `{}` is", mnemonic(opcode));
    }
    near.sort_by_cached_key(|(_, syntax)| Reverse(syntax.common(opcode)));
    let named: Vec<_> = near.iter().take(MAX_NEAR_FORMS).map(|(form, _)| form.written_out()).collect();
    let more = near.len() - named.len();
    let more =
        if more == 0 { String::new() } else { format!(" and {more} more (`crates/simt/SUPPORTED.md`)") };
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
