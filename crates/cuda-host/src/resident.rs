//! How many blocks of a launch are on the device together.
//!
//! What the occupancy functions promise is resident, so a program that sizes its grid by them may let all blocks wait for each
//! other. How many registers a kernel needs is not known here. With fewer resident blocks a launch is faster, so kernels that
//! cannot wait for anything (`facts`) do without.

/// Shared memory that a block may have unless the program asks for more.
pub(crate) const SHARED_BYTES: u64 = 48 << 10;

/// What `cudaGetDeviceProperties` says of the device.
const MULTIPROCESSORS: u64 = 80;

/// What a multiprocessor has for blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// The compute capability, 80 for 8.0.
    pub capability: u32,
    /// Shared memory in bytes, all of which one block may have if the program asks for it.
    pub shared_bytes: u64,
}

impl Default for Room {
    /// That of compute capability 7.0.
    fn default() -> Room {
        Room::of_capability(70)
    }
}

impl Room {
    /// That of a compute capability, 80 for 8.0. Specification: CUDA C++ Programming Guide, technical specifications: the most
    /// shared memory of a block.
    pub fn of_capability(capability: u32) -> Room {
        let kibibytes = match capability {
            75 => 64,
            80 | 87 => 163,
            86 | 89 => 99,
            90 => 227,
            70..75 => 96,
            _ => 48,
        };
        Room { capability, shared_bytes: kibibytes << 10 }
    }

    /// How many blocks of a launch fit on a multiprocessor, by their threads and shared memory.
    pub fn of_multiprocessor(self, threads: u64, shared_bytes: u64) -> u64 {
        let of_threads = if threads == 0 || threads > 1024 { 0 } else { 2048 / threads.next_multiple_of(32) };
        of_threads.min(32).min(self.shared_bytes.checked_div(shared_bytes).unwrap_or(32))
    }

    /// How many blocks of a launch fit on the device.
    pub fn of_device(self, threads: u64, shared_bytes: u64) -> u64 {
        self.of_multiprocessor(threads, shared_bytes) * MULTIPROCESSORS
    }
}
