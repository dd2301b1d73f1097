//! Addresses: between a space's own and generic ones, and which space an address lies in.
//!
//! Global and constant addresses are generic addresses; shared, local and parameter memory are reached
//! through windows. Left out: clusters. Specification: PTX ISA, sections 9.7.9.17 (`isspacep`) and 9.7.9.18
//! (`cvta`).

use super::grammar::Modifiers;
use super::operands::Operands;
use super::value::{Alu, Linear, alu};
use super::{Family, Form, Op};
use crate::machine::global::Window;
use crate::ptx::Error;

/// Address conversion.
pub const FAMILY: Family = Family {
    title: "Address conversion",
    section: "9.7.9.17, 9.7.9.18",
    forms: &[
        Form::new("cvta.(const|global|local|shared|shared::cta|param).u64", to_generic),
        Form::new("cvta.to.(const|global|local|shared|shared::cta|param).u64", from_generic),
        Form::new("isspacep.(const|global|local|shared|shared::cta|param)", is_space),
    ],
};

fn to_generic(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let convert: Alu = match m.text(1) {
        "const" | "global" => alu!((u64) -> u64, |address| address).on_lines(Linear::Copy),
        "local" => alu!((u64) -> u64, |address: u64| address + Window::Local.base()),
        "param" => alu!((u64) -> u64, |address: u64| address + Window::Param.base()),
        _ => alu!((u64) -> u64, |address: u64| address + Window::Shared.base()),
    };
    o.alu(convert)
}

fn from_generic(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match m.text(2) {
        "const" | "global" => alu!((u64) -> u64, |address| address).on_lines(Linear::Copy),
        "local" => alu!((u64) -> u64, |address: u64| address.wrapping_sub(Window::Local.base())),
        "param" => alu!((u64) -> u64, |address: u64| address.wrapping_sub(Window::Param.base())),
        _ => alu!((u64) -> u64, |address: u64| address.wrapping_sub(Window::Shared.base())),
    })
}

fn is_space(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match m.text(1) {
        "local" => alu!((u64) -> bool, |address| Window::of(address) == Some(Window::Local)),
        "param" => alu!((u64) -> bool, |address| Window::of(address) == Some(Window::Param)),
        "shared" | "shared::cta" => {
            alu!((u64) -> bool, |address| Window::of(address) == Some(Window::Shared))
        }
        _ => alu!((u64) -> bool, |address| Window::of(address).is_none()),
    })
}

#[cfg(test)]
mod tests {
    use crate::isa::testing::eval;
    use crate::ptx::ast::Type::{Pred, U64};

    #[test]
    fn an_address_survives_the_way_to_generic_and_back() {
        for space in ["global", "const", "shared", "local", "param"] {
            let generic = eval(&format!("cvta.{space}.u64"), U64, &[(U64, 0x40)]);
            assert_eq!(eval(&format!("cvta.to.{space}.u64"), U64, &[(U64, generic)]), 0x40, "{space}");
            assert_eq!(eval(&format!("isspacep.{space}"), Pred, &[(U64, generic)]), 1, "{space}");
        }
        assert_eq!(eval("isspacep.shared", Pred, &[(U64, 0x40)]), 0);
    }
}
