//! The machine's state: registers, memories, warps and blocks.
//!
//! Plain data with the operations that keep it whole. Who runs next, and what is worth reporting, is decided
//! in [`crate::exec`] and watched by [`crate::checkers`].

pub mod block;
pub mod divergence;
pub mod elements;
pub mod fork;
pub mod global;
pub mod id;
mod journal;
pub mod line;
pub mod local;
pub mod mbarriers;
pub mod random;
pub mod registers;
mod snapshot;
pub mod written;
