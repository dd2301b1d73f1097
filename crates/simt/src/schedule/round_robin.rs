//! The default: blocks take turns in order, and the warps of a block take theirs together.
//!
//! A turn has [`SLICE`] steps. In each of them, those lanes of the block execute an instruction that stand at the lowest program
//! counter at which any can run, one warp after another. So lanes that part come together again by themselves, where a
//! compiler has put the code in its usual order, and an executor can run an instruction for a whole block at once.
//!
//! Lanes that only wait for a word of memory leave the rest of their turn to the other lanes of the block (`exec::team::rounds`
//! says how that is told). Other lanes that go round in a loop can stay at the lowest program counter for a whole turn. The lanes
//! that could run in a turn, and did not, have waited long enough: the next turn begins with a slice for them. This makes the
//! schedule weakly fair.
//!
//! After many steps a warp runs alone for a while, because the emulator checks that threads still make progress (`exec::livelock`). The
//! other warps of its block then take a turn of as many steps without it.
//!
//! The order depends on nothing but the lanes of the block, so it is the same on any number of cores, with any checker, and with
//! or without a watcher.

/// Steps in a slice. They are enough to make the cost of switching negligible, and few enough that lanes which spin on a lock do
/// not delay the owner of the lock for long.
pub const SLICE: u32 = 256;
