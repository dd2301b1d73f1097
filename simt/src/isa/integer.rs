//! Integer arithmetic: addition and subtraction so far.
//!
//! Specification: PTX ISA, sections 9.7.1.1 and 9.7.1.2.

use super::grammar::Modifiers;
use super::operands::Operands;
use super::value::{alu, by_int};
use super::{Family, Form, Op};
use crate::ptx::Error;

/// Integer arithmetic.
pub const FAMILY: Family = Family {
    title: "Integer arithmetic",
    section: "9.7.1",
    forms: &[
        Form::new("add.(u16|u32|u64|s16|s32|s64)", add),
        Form::new("add.sat.s32", |_, o| o.alu(alu!((i32, i32) -> i32, i32::saturating_add))),
    ],
};

fn add(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_int!(m.ty(1), T => alu!((T, T) -> T, T::wrapping_add)))
}

#[cfg(test)]
mod tests {
    use crate::isa::testing::eval;
    use crate::ptx::ast::Type::{S32, U16};

    #[test]
    fn add_wraps_and_saturates() {
        assert_eq!(eval("add.u16", U16, &[(U16, 0xffff), (U16, 2)]), 1);
        assert_eq!(eval("add.sat.s32", S32, &[(S32, 0x7fff_ffff), (S32, 1)]), 0x7fff_ffff);
    }
}
