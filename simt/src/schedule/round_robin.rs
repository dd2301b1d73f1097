//! One after the other, slices of equal length: the fastest policy, and the easiest to read in a trace.

/// Warp instructions in a slice: enough that changing over costs nothing, few enough that a lock which is
/// waited for is not waited for long.
pub const SLICE: u32 = 256;
