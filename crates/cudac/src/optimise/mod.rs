//! Passes over the intermediate code of a kernel, in this order, each in a file of its own.
//!
//! None of them changes what a kernel may be seen to do: memory accesses that remain are in their order and on their
//! lines, and nothing that can fault is done that the text would not have done. They make the code look like NVIDIA's
//! where a reader compares the two: registers in place of local memory, `fma`, accesses that name their space.

mod coalesce;
mod contract;
mod dead;
mod flow;
mod hoist;
mod number;
mod predicate;
mod promote;
pub(crate) mod spaces;

use crate::check::Checked;
use crate::code::live::Live;
use crate::code::{Function, Space};

/// The passes, with what they need for every kernel. One for many kernels, because the tables keep their room.
pub(crate) struct Optimiser<'t> {
    /// The spaces of the module's variables.
    symbols: Vec<Space>,
    /// Room for what is live in a kernel.
    pub live: Live,
    tables: number::Tables<'t>,
}

impl<'t> Optimiser<'t> {
    pub fn new(checked: &Checked<'_>) -> Optimiser<'t> {
        let symbols = (0..checked.program.globals.len()).map(|at| spaces::of_symbol(checked, at)).collect();
        Optimiser { symbols, live: Live::default(), tables: number::Tables::default() }
    }

    /// Makes a kernel's code fit to be emitted.
    pub fn optimise(&mut self, function: &mut Function<'t>) {
        let Optimiser { symbols, live, tables } = self;
        // The order matters. Blocks come in reverse postorder, which `number` relies on. Variables become registers
        // before values are numbered, since only then they have any.
        flow::simplify(function);
        promote::promote(function);
        number::number(function, symbols, tables);
        flow::simplify(function);
        dead::remove(function, live);
        // A branch that has become a selection may make others superfluous, and values known that were not.
        if predicate::convert(function) {
            flow::simplify(function);
            number::number(function, symbols, tables);
            dead::remove(function, live);
        }
        if hoist::hoist(function) {
            flow::simplify(function);
        } else {
            flow::skip_empty(function);
        }
        // After numbering, which then has not to tell a product inside of a `mad` from the product.
        contract::contract(function);
        coalesce::coalesce(function);
        // Last, because the conversions that it adds belong to the final addresses.
        spaces::infer(function, symbols);
        flow::skip_empty(function);
    }
}
