//! The memory of a compilation, which is freed as a whole at its end.
//!
//! Names, the tokens of macros, both trees, and what instructions read and write are in it. So they are references: copying one
//! counts nothing, and dropping one frees nothing. What an attempt that fails has made, or an instruction that is removed, stays
//! until the end, as little as it is.

use bumpalo::Bump;

/// Where names, tokens, trees and operands are put.
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

    /// A list of final length whose items may change.
    pub fn list_mut<T: Copy>(self, items: &[T]) -> &'t mut [T] {
        self.0.alloc_slice_copy(items)
    }

    pub fn text(self, text: &str) -> &'t str {
        self.0.alloc_str(text)
    }
}
