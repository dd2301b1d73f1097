//! Memory that is freed as a whole: one arena for names, the tokens of macros and both trees, until a compilation ends, and others for
//! what instructions read and write, each until the kernels of its instructions are emitted.
//!
//! So these are references: copying one counts nothing, and dropping one frees nothing. What an attempt that fails has made, or an
//! instruction that is removed, stays until the end of its arena.

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
