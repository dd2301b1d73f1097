//! Memory that is freed as a whole: one arena for names, the tokens of macros and both trees, until a compilation ends,
//! and others for what instructions read and write, each until the kernels of its instructions are emitted.
//!
//! So these are references: copying one counts nothing, and dropping one frees nothing. What an attempt that fails has
//! made, or an instruction that is removed, stays until the end of its arena. The lifetime `'t` in the whole crate is
//! that of an arena. Types in it are `Copy`, hence lists are slices of final length: a stage collects in a `Vec` and
//! puts the result here.

use bumpalo::Bump;

/// Where names, tokens, trees and operands are put. It is a shared reference, because an arena that hands out `&'t T`
/// can be asked by everybody at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arena<'t>(&'t Bump);

impl<'t> Arena<'t> {
    pub fn new(bump: &'t Bump) -> Arena<'t> {
        Arena(bump)
    }

    /// Only what is `Copy`, because nothing in the arena is ever dropped.
    pub fn put<T: Copy>(self, value: T) -> &'t T {
        self.0.alloc(value)
    }

    /// A list that has its final length.
    pub fn list<T: Copy>(self, items: &[T]) -> &'t [T] {
        self.0.alloc_slice_copy(items)
    }

    /// A list of final length whose items may change. The instructions of a block are such lists: the optimiser
    /// replaces operands where they stand.
    pub fn list_mut<T: Copy>(self, items: &[T]) -> &'t mut [T] {
        self.0.alloc_slice_copy(items)
    }

    pub fn text(self, text: &str) -> &'t str {
        self.0.alloc_str(text)
    }
}
