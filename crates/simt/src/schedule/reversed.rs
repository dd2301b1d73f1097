//! The last block and the last warp first. A kernel in which a thread waits for one with a lower number gets on slowly, and one
//! whose result depends on the order differs from `round-robin`.

/// The length of a slice in warp instructions.
pub const SLICE: u32 = 64;
