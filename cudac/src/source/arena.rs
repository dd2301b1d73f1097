//! The memory of a compilation, which is freed as a whole at its end.
//!
//! Names, tokens and trees are in it. So they are references, which cost nothing to copy and nothing to drop.

use bumpalo::Bump;

/// Where names, tokens and trees are put.
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

    pub fn list<T: Copy>(self, items: &[T]) -> &'t [T] {
        self.0.alloc_slice_copy(items)
    }

    pub fn text(self, text: &str) -> &'t str {
        self.0.alloc_str(text)
    }
}
