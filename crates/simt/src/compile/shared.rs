//! Where shared variables lie in a block's shared memory.
//!
//! Variables outside kernels come first, because any kernel may reach them; those of a kernel follow, and the
//! kernels of a module overlap there, because only one of them runs. The dynamic part starts where the largest
//! kernel ends: a device function must find it at the same place whichever kernel called it.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::compile::layout::{Stack, align_of, size_of, variables_in};
use crate::ptx::ast::{Function, Module, Space, Variable};

/// The shared memory of a module's kernels.
#[derive(Clone, Debug, Default)]
pub struct SharedLayout {
    /// Addresses by the place of the variable's name in the text.
    addresses: BTreeMap<u32, u64>,
    /// Static shared memory in bytes, by the number of the kernel.
    pub bytes: Vec<u64>,
    /// Where the dynamic part starts.
    pub dynamic: u64,
    /// The variables by name, for messages.
    pub variables: Vec<SharedVariable>,
}

/// A variable in shared memory, as messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name.
    pub name: String,
    /// Its first byte.
    pub start: u64,
    /// Behind its last byte; the largest number there is where the launch says how long it is.
    pub end: u64,
    /// The kernel whose own it is, by its number; `None` where all have it.
    pub kernel: Option<u32>,
}

impl SharedVariable {
    /// Whether a byte of the shared memory of `kernel` is this variable's.
    pub fn has(&self, kernel: u32, byte: u64) -> bool {
        self.kernel.is_none_or(|mine| mine == kernel) && (self.start..self.end).contains(&byte)
    }
}

impl SharedLayout {
    /// Lays out all variables of a module.
    pub fn new(module: &Module<'_>) -> SharedLayout {
        let mut layout = SharedLayout::default();
        let mut common = Stack::default();
        let outer = || module.variables.iter().filter(|variable| variable.space == Space::Shared);
        let functions = module.functions.iter().filter(|function| !function.is_entry);
        for variable in outer().chain(functions.flat_map(variables)) {
            layout.place(&mut common, variable, None);
        }
        for (number, function) in module.functions.iter().enumerate() {
            let mut own = common;
            for variable in variables(function).into_iter().filter(|_| function.is_entry) {
                layout.place(&mut own, variable, Some(number as u32));
            }
            layout.bytes.push(own.bytes);
        }
        let open: Vec<_> = outer().filter(|variable| size_of(variable).is_none()).collect();
        let align = open.iter().map(|variable| align_of(variable)).fold(16, u64::max);
        let most = layout.bytes.iter().copied().fold(common.bytes, u64::max);
        layout.dynamic = most.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        for variable in open {
            layout.name(variable, layout.dynamic..u64::MAX, None);
        }
        layout
    }

    fn place(&mut self, stack: &mut Stack, variable: &Variable<'_>, kernel: Option<u32>) {
        if let Some(size) = size_of(variable) {
            let address = stack.place(size, align_of(variable));
            self.addresses.insert(variable.name.span.start, address);
            self.name(variable, address..address.saturating_add(size), kernel);
        }
    }

    fn name(&mut self, variable: &Variable<'_>, bytes: Range<u64>, kernel: Option<u32>) {
        let name = plain_name(variable.name.text).to_string();
        self.variables.push(SharedVariable { name, start: bytes.start, end: bytes.end, kernel });
    }

    /// The address of a variable; the start of the dynamic part for one whose size is left to the launch.
    pub fn address(&self, variable: &Variable<'_>) -> u64 {
        self.addresses.get(&variable.name.span.start).copied().unwrap_or(self.dynamic)
    }
}

/// The name that a variable has in its kernel: `part` for `_ZZ12bench_sharedE4part`, which is how the compiler writes a
/// variable of a function. Other names stay as they are.
fn plain_name(name: &str) -> &str {
    let ending = |(at, _): (usize, &str)| {
        let rest = &name[at + 1..];
        let last = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest[..rest.len() - last.len()].parse() == Ok(last.len())).then_some(last)
    };
    let is_mangled = name.starts_with("_ZZ");
    name.match_indices('E').filter(|_| is_mangled).find_map(ending).unwrap_or(name)
}

/// The shared variables of a function.
fn variables<'f, 't>(function: &'f Function<'t>) -> Vec<&'f Variable<'t>> {
    function.body.as_ref().map_or(Vec::new(), |body| variables_in(body, &[Space::Shared]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_of_a_function_is_called_as_its_author_calls_it() {
        assert_eq!(plain_name("_ZZ12bench_sharedE4part"), "part");
        assert_eq!(plain_name("_ZZ5tilesPKfE6tile_2"), "tile_2");
        assert_eq!(plain_name("_ZZ1EvE2E2"), "E2");
        for plain in ["s", "E4part", "_ZZ3fooE9part", "_ZN3fooE4part"] {
            assert_eq!(plain_name(plain), plain);
        }
    }
}
