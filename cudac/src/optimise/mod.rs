//! Passes over the intermediate code of a kernel, in this order, each in a file of its own.
//!
//! None of them changes what a kernel may be seen to do: memory accesses that remain are in their order and on their
//! lines, and nothing that can fault is done that the text would not have done.

mod coalesce;
mod contract;
pub(crate) mod dead;
mod flow;
mod hoist;
mod number;
mod predicate;
mod promote;
pub(crate) mod spaces;

use crate::check::Checked;
use crate::code::Function;

/// Makes a kernel's code fit to be emitted.
pub(crate) fn optimise(function: &mut Function, checked: &Checked<'_>) {
    let symbols: Vec<_> =
        (0..checked.program.globals.len()).map(|at| spaces::of_symbol(checked, at)).collect();
    let mut live = dead::Live::default();
    flow::simplify(function);
    promote::promote(function);
    number::number(function, &symbols);
    flow::simplify(function);
    dead::remove(function, &mut live);
    if predicate::convert(function) {
        flow::simplify(function);
        number::number(function, &symbols);
        dead::remove(function, &mut live);
    }
    hoist::hoist(function);
    flow::simplify(function);
    contract::contract(function);
    dead::remove(function, &mut live);
    coalesce::coalesce(function);
    spaces::infer(function, checked);
    dead::remove(function, &mut live);
    flow::simplify(function);
}
