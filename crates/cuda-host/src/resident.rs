//! How many blocks of a launch are on the device together.
//!
//! What the occupancy functions promise is resident, so a program that sizes its grid by them may let all blocks wait for each
//! other. How many registers a kernel needs is not known here. With fewer resident blocks a launch is faster, so kernels that
//! cannot wait for anything (`facts`) do without.

/// Shared memory that a block may have unless the program asks for more.
pub(crate) const SHARED_BYTES: u64 = 48 << 10;

/// Shared memory that a block may have if the program asks for it: that of compute capability 7.0.
pub(crate) const MAX_SHARED_BYTES: u64 = 96 << 10;

/// What `cudaGetDeviceProperties` says of the device.
const MULTIPROCESSORS: u64 = 80;

/// How many blocks of a launch fit on a multiprocessor, by its threads, blocks and shared memory.
pub(crate) fn of_multiprocessor(threads: u64, shared_bytes: u64) -> u64 {
    let of_threads = if threads == 0 || threads > 1024 { 0 } else { 2048 / threads.next_multiple_of(32) };
    of_threads.min(32).min(MAX_SHARED_BYTES.checked_div(shared_bytes).unwrap_or(32))
}

/// How many blocks of a launch fit on the device.
pub(crate) fn of_device(threads: u64, shared_bytes: u64) -> u64 {
    of_multiprocessor(threads, shared_bytes) * MULTIPROCESSORS
}
