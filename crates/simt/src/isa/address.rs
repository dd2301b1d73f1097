//! Addresses: between a space's own and generic ones, and which space an address lies in.
//!
//! Global and constant addresses are generic addresses; shared, local and parameter memory are reached through windows.
//! An address counts as global unless it is in constant, local or shared memory, whether or not anything is allocated
//! there, and a kernel's parameters are in global memory. Constant memory consists of the module's `.const` variables,
//! wherever they are, so [`crate::exec`] decides about these two (`tests/hardware/isspacep.ptx`).
//! Specification: PTX ISA, sections 5.1, 9.7.9.17 (`isspacep`) and 9.7.9.18 (`cvta`).

use super::affine::Rule;
use super::grammar::Modifiers;
use super::memory::memory;
use super::op::cluster::named_rank;
use super::op::memory::Memory;
use super::operands::Operands;
use super::scope::Symbol;
use super::value::{Alu, Kind, alu};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::place::Place;
use crate::machine::global::Window;
use crate::machine::registers::Bank;
use crate::ptx::Error;
use crate::ptx::ast::{Ident, Operand};

/// Address conversion.
pub const FAMILY: Family = Family {
    title: "Address conversion",
    section: "9.7.9.17, 9.7.9.18",
    forms: &[
        Form::new("cvta.(const|global|local|shared|shared::cta|shared::cluster|param).u64", to_generic),
        Form::new("cvta.to.(const|global|local|shared|shared::cta|shared::cluster|param).u64", from_generic),
        Form::new("isspacep.(const|global|local|shared|shared::cta|shared::cluster|param)", is_space),
    ],
};

/// Takes a register, or a variable of that space itself.
fn to_generic(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let space = memory(m);
    let convert: Alu = match space {
        Memory::Const | Memory::Global => {
            alu!((u64) -> u64, |address| address).with_affine(Rule::Copy { from_wide: true })
        }
        Memory::Local => alu!((u64) -> u64, |address: u64| address + Window::Local.base()),
        Memory::Param => alu!((u64) -> u64, |address: u64| address + Window::Param.base()),
        _ => alu!((u64) -> u64, |address: u64| address + Window::Shared.base()),
    };
    let (d, a) = (o.take()?, o.take()?);
    o.args.d = o.result(d, Kind::B64)?;
    o.args.a = match variable(o, a) {
        Some((name, place, offset)) => {
            let is_in_cluster = (space, Memory::of(place.space)) == (Memory::Cluster, Some(Memory::Shared));
            if Memory::of(place.space) != Some(space) && !is_in_cluster {
                return Err(o.wrong_space(name, place.space));
            }
            o.address_of(name, offset, Kind::B64)?
        }
        None => o.source(a, Kind::B64)?,
    };
    o.touch(Bank::Wide, o.args.a, false);
    Ok(Op::Alu(convert.run))
}

/// The variable that an operand names, and an offset in bytes from its start.
fn variable<'t>(o: &Operands<'_, 't>, operand: &Operand<'t>) -> Option<(Ident<'t>, Place, i64)> {
    let (name, offset) = match *operand {
        Operand::Name(name) => (name, 0),
        Operand::Offset(name, offset) => (name, offset),
        _ => return None,
    };
    match o.scope.find(name.text) {
        Some((_, Symbol::Variable(place))) => Some((name, place, offset)),
        _ => None,
    }
}

fn from_generic(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match memory(m) {
        Memory::Const | Memory::Global => {
            alu!((u64) -> u64, |address| address).with_affine(Rule::Copy { from_wide: true })
        }
        Memory::Local => alu!((u64) -> u64, |address: u64| address.wrapping_sub(Window::Local.base())),
        Memory::Param => alu!((u64) -> u64, |address: u64| address.wrapping_sub(Window::Param.base())),
        _ => alu!((u64) -> u64, |address: u64| address.wrapping_sub(Window::Shared.base())),
    })
}

fn is_space(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match memory(m) {
        Memory::Local => alu!((u64) -> bool, |address| Window::of(address) == Some(Window::Local)),
        Memory::Param => alu!((u64) -> bool, |address| Window::of(address) == Some(Window::Param)),
        // Whether an address that names a block is also one of that block's own window, no manual says.
        Memory::Shared => alu!((u64) -> bool, |address| {
            Window::of(address) == Some(Window::Shared) && named_rank(address - Window::Shared.base()).is_none()
        }),
        Memory::Cluster => alu!((u64) -> bool, |address| Window::of(address) == Some(Window::Shared)),
        space => {
            o.bind(&alu!((u64) -> bool, |_| false))?;
            return Ok(Op::IsSpace { global: space == Memory::Global });
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::isa::testing::eval;
    use crate::ptx::ast::Type::{Pred, U64};

    #[test]
    fn an_address_survives_the_way_to_generic_and_back() {
        for space in ["global", "const"] {
            let generic = eval(&format!("cvta.{space}.u64"), U64, &[(U64, 0x40)]);
            assert_eq!(eval(&format!("cvta.to.{space}.u64"), U64, &[(U64, generic)]), 0x40, "{space}");
        }
        for space in ["shared", "local", "param"] {
            let generic = eval(&format!("cvta.{space}.u64"), U64, &[(U64, 0x40)]);
            assert_eq!(eval(&format!("cvta.to.{space}.u64"), U64, &[(U64, generic)]), 0x40, "{space}");
            assert_eq!(eval(&format!("isspacep.{space}"), Pred, &[(U64, generic)]), 1, "{space}");
        }
        assert_eq!(eval("isspacep.shared", Pred, &[(U64, 0x40)]), 0);
    }
}
