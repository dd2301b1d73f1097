//! One after the other, in slices of equal length. This is the fastest policy, and the easiest to read in a trace.

/// Warp instructions in a slice. They are enough to make the cost of switching negligible, and few enough that a warp
/// which spins on a lock does not delay the owner of the lock for long.
pub const SLICE: u32 = 256;
