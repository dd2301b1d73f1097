//! Where shared variables lie in a block's shared memory.
//!
//! Variables outside kernels come first, because any kernel may reach them; those of a kernel follow, and the
//! kernels of a module overlap there, because only one of them runs. The dynamic part starts where the largest
//! kernel ends: a device function must find it at the same place whichever kernel called it.

use std::collections::BTreeMap;

use super::layout::{Stack, align_of, size_of};
use crate::ptx::ast::{Block, Module, Space, Statement, Variable};

/// The shared memory of a module's kernels.
#[derive(Clone, Debug, Default)]
pub struct SharedLayout {
    /// Addresses by the place of the variable's name in the text.
    addresses: BTreeMap<u32, u64>,
    /// Static shared memory in bytes, by the number of the kernel.
    bytes: Vec<u64>,
    /// Where the dynamic part starts.
    pub dynamic: u64,
}

impl SharedLayout {
    /// Lays out all variables of a module.
    pub fn new(module: &Module<'_>) -> SharedLayout {
        let mut layout = SharedLayout::default();
        let mut common = Stack::default();
        let shared = |variable: &&Variable<'_>| variable.space == Space::Shared;
        for variable in module.variables.iter().filter(shared) {
            layout.place(&mut common, variable);
        }
        let bodies = |entries: bool| {
            let functions = module.functions.iter().filter(move |function| function.is_entry == entries);
            functions.filter_map(|function| function.body.as_ref())
        };
        for variable in bodies(false).flat_map(variables) {
            layout.place(&mut common, variable);
        }
        for function in &module.functions {
            let mut own = common;
            if let Some(body) = function.body.as_ref().filter(|_| function.is_entry) {
                for variable in variables(body) {
                    layout.place(&mut own, variable);
                }
            }
            layout.bytes.push(own.bytes);
        }
        let unsized_ones = module.variables.iter().filter(shared).filter(|v| size_of(v).is_none());
        let align = unsized_ones.map(align_of).fold(16, u64::max);
        let most = layout.bytes.iter().copied().fold(common.bytes, u64::max);
        layout.dynamic = most.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        layout
    }

    fn place(&mut self, stack: &mut Stack, variable: &Variable<'_>) {
        if let Some(size) = size_of(variable) {
            let address = stack.place(size, align_of(variable));
            self.addresses.insert(variable.name.span.start, address);
        }
    }

    /// The address of a variable; the start of the dynamic part for one whose size is left to the launch.
    pub fn address(&self, variable: &Variable<'_>) -> u64 {
        self.addresses.get(&variable.name.span.start).copied().unwrap_or(self.dynamic)
    }

    /// Static shared memory of a kernel in bytes.
    pub fn bytes(&self, kernel: usize) -> u64 {
        self.bytes.get(kernel).copied().unwrap_or(0)
    }
}

/// The shared variables of a body, nested blocks included, in the order of the text.
fn variables<'b, 't>(block: &'b Block<'t>) -> Vec<&'b Variable<'t>> {
    let own = block.variables.iter().filter(|variable| variable.space == Space::Shared);
    let nested = block.statements.iter().filter_map(|statement| match statement {
        Statement::Block(block) => Some(variables(block)),
        _ => None,
    });
    own.chain(nested.flatten()).collect()
}
