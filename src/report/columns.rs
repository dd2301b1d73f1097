//! The columns that a table can have: counters, and how each is written.
//!
//! A column is one declaration here, and chapters choose. Counts of memory equal the hardware's; counts of
//! instructions are of PTX and not of machine code, and the heads say so.

use simt::Counters;

use super::layout::{decimal, grouped};

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its head, in two lines.
    pub head: [&'static str; 2],
    /// What stands in a row.
    pub cell: fn(&Counters) -> String,
}

/// Branches at which a warp's lanes parted, of all branches that warps came to.
pub const DIVERGENT_BRANCHES: Column = Column {
    head: ["divergent", "branches"],
    cell: |c| format!("{} of {}", grouped(c.ptx_divergent_branches), grouped(c.ptx_branches)),
};

/// Warps that parted at least once, of all warps.
pub const DIVERGENT_WARPS: Column = Column {
    head: ["divergent", "warps"],
    cell: |c| format!("{} of {}", grouped(c.divergent_warps), grouped(c.warps)),
};

/// Lanes at work, averaged over the PTX instructions.
pub const ACTIVE_LANES: Column =
    Column { head: ["active", "lanes"], cell: |c| decimal(c.ptx_lanes_per_instruction()) };

/// PTX instructions that a warp executed, on average.
pub const INSTRUCTIONS_PER_WARP: Column =
    Column { head: ["PTX per", "warp"], cell: |c| decimal(c.ptx_instructions_per_warp()) };

/// PTX instructions that all warps executed together.
pub const INSTRUCTIONS: Column = Column { head: ["PTX in", "all"], cell: |c| grouped(c.ptx_instructions) };

/// Branches that a warp came to, on average.
pub const BRANCHES_PER_WARP: Column =
    Column { head: ["branches", "per warp"], cell: |c| quotient(c.ptx_branches, c.warps) };

/// 32-byte sectors that a warp's load touched, and those of its store, on average.
pub const SECTORS: Column = Column {
    head: ["sectors", "ld / st"],
    cell: |c| {
        let loads = quotient(c.global_load_sectors, c.global_load_requests);
        format!("{loads} / {}", quotient(c.global_store_sectors, c.global_store_requests))
    },
};

/// Load instructions that went to global memory.
pub const LOAD_REQUESTS: Column =
    Column { head: ["load", "requests"], cell: |c| grouped(c.global_load_requests) };

/// 32-byte sectors that loads touched.
pub const LOAD_SECTORS: Column =
    Column { head: ["load", "sectors"], cell: |c| grouped(c.global_load_sectors) };

/// 32-byte sectors that stores touched.
pub const STORE_SECTORS: Column =
    Column { head: ["store", "sectors"], cell: |c| grouped(c.global_store_sectors) };

/// Atomics on global memory, with and without a result, once a warp.
pub const GLOBAL_ATOMICS: Column = Column {
    head: ["global", "atomics"],
    cell: |c| grouped(c.global_atomic_requests + c.global_reduction_requests),
};

/// Atomics on shared memory, once a warp.
pub const SHARED_ATOMICS: Column =
    Column { head: ["shared", "atomics"], cell: |c| grouped(c.shared_atomic_requests) };

/// Loads and stores of shared memory, once a warp.
pub const SHARED_REQUESTS: Column = Column {
    head: ["shared", "ld + st"],
    cell: |c| grouped(c.shared_load_requests + c.shared_store_requests),
};

/// Extra passes through shared memory because lanes wanted different words of one bank.
pub const BANK_CONFLICTS: Column = Column {
    head: ["bank", "conflicts"],
    cell: |c| grouped(c.shared_load_bank_conflicts + c.shared_store_bank_conflicts),
};

/// Barriers of the block that a warp arrived at, on average.
pub const BARRIERS_PER_WARP: Column =
    Column { head: ["barriers", "per warp"], cell: |c| quotient(c.ptx_barriers, c.warps) };

/// To one place, and without it from a thousand on.
fn tenths(number: f64) -> String {
    if number < 1000.0 { format!("{number:.1}") } else { grouped(number.round() as u64) }
}

/// To one place, or a dash where there was nothing to divide by.
fn quotient(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { tenths(part as f64 / whole as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_loads_nothing_has_no_sectors_per_load() {
        let counters = Counters { global_store_requests: 2, global_store_sectors: 7, ..Counters::default() };
        assert_eq!((SECTORS.cell)(&counters), "- / 3.5");
    }
}
