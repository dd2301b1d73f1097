//! The columns that a table can have: which counters or figures they show, and in which format.
//!
//! Each column is declared here once, and chapters choose from them. Counts of memory accesses equal the hardware's.
//! Instructions are counted in PTX and not in machine code; the heads of the columns say so.

use simt::Counters;

use spec::layout::{decimal, grouped};

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its head, in two lines.
    pub head: [&'static str; 2],
    /// What it shows in a row.
    pub cell: Cell,
}

/// The source of a column's text.
#[derive(Clone, Copy, Debug)]
pub enum Cell {
    /// A function of the row's counters.
    Counted(fn(&Counters) -> String),
    /// The figure with this name, or a dash if it was not added.
    Fact(&'static str),
}

impl Column {
    /// The text of a cell, given the counters of the row and the figures that were added to it.
    pub fn text(&self, counters: &Counters, fact: impl Fn(&str) -> Option<f64>) -> String {
        match self.cell {
            Cell::Counted(cell) => cell(counters),
            Cell::Fact(name) => fact(name).map_or_else(|| "-".to_owned(), figure),
        }
    }
}

/// A whole number without decimals; any other like a counter's average.
fn figure(number: f64) -> String {
    if number.fract() == 0.0 { grouped(number as u64) } else { decimal(number) }
}

/// Branches at which the lanes of a warp diverged, of all branches that warps executed.
pub const DIVERGENT_BRANCHES: Column = Column {
    head: ["divergent", "branches"],
    cell: Cell::Counted(|c| format!("{} of {}", grouped(c.ptx_divergent_branches), grouped(c.ptx_branches))),
};

/// Warps that diverged at least once, of all warps.
pub const DIVERGENT_WARPS: Column = Column {
    head: ["divergent", "warps"],
    cell: Cell::Counted(|c| format!("{} of {}", grouped(c.divergent_warps), grouped(c.warps))),
};

/// Active lanes, averaged over the PTX instructions that warps executed.
pub const ACTIVE_LANES: Column =
    Column { head: ["active", "lanes"], cell: Cell::Counted(|c| decimal(c.ptx_lanes_per_instruction())) };

/// PTX instructions that a warp executed, on average.
pub const INSTRUCTIONS_PER_WARP: Column =
    Column { head: ["PTX per", "warp"], cell: Cell::Counted(|c| decimal(c.ptx_instructions_per_warp())) };

/// PTX instructions that all warps executed together.
pub const INSTRUCTIONS: Column =
    Column { head: ["PTX in", "all"], cell: Cell::Counted(|c| grouped(c.ptx_instructions)) };

/// Branches that a warp executed, on average.
pub const BRANCHES_PER_WARP: Column =
    Column { head: ["branches", "per warp"], cell: Cell::Counted(|c| quotient(c.ptx_branches, c.warps)) };

/// 32-byte sectors that a load of a warp touched on average, and the same for a store.
pub const SECTORS: Column = Column {
    head: ["sectors", "ld / st"],
    cell: Cell::Counted(|c| {
        let loads = quotient(c.global_load_sectors, c.global_load_requests);
        format!("{loads} / {}", quotient(c.global_store_sectors, c.global_store_requests))
    }),
};

/// Load requests to global memory: one for each load instruction of a warp.
pub const LOAD_REQUESTS: Column =
    Column { head: ["load", "requests"], cell: Cell::Counted(|c| grouped(c.global_load_requests)) };

/// 32-byte sectors that loads touched.
pub const LOAD_SECTORS: Column =
    Column { head: ["load", "sectors"], cell: Cell::Counted(|c| grouped(c.global_load_sectors)) };

/// 32-byte sectors that stores touched.
pub const STORE_SECTORS: Column =
    Column { head: ["store", "sectors"], cell: Cell::Counted(|c| grouped(c.global_store_sectors)) };

/// Atomics on global memory, with and without a result, counted once for each warp.
pub const GLOBAL_ATOMICS: Column = Column {
    head: ["global", "atomics"],
    cell: Cell::Counted(|c| grouped(c.global_atomic_requests + c.global_reduction_requests)),
};

/// Atomics on shared memory, counted once for each warp.
pub const SHARED_ATOMICS: Column =
    Column { head: ["shared", "atomics"], cell: Cell::Counted(|c| grouped(c.shared_atomic_requests)) };

/// Loads and stores of shared memory, counted once for each warp.
pub const SHARED_REQUESTS: Column = Column {
    head: ["shared", "ld + st"],
    cell: Cell::Counted(|c| grouped(c.shared_load_requests + c.shared_store_requests)),
};

/// Additional passes through shared memory, because lanes accessed different words of one bank.
pub const BANK_CONFLICTS: Column = Column {
    head: ["bank", "conflicts"],
    cell: Cell::Counted(|c| grouped(c.shared_load_bank_conflicts + c.shared_store_bank_conflicts)),
};

/// Barriers of the block at which a warp arrived, on average.
pub const BARRIERS_PER_WARP: Column =
    Column { head: ["barriers", "per warp"], cell: Cell::Counted(|c| quotient(c.ptx_barriers, c.warps)) };

/// With one decimal, or with none from a thousand on.
fn tenths(number: f64) -> String {
    if number < 1000.0 { format!("{number:.1}") } else { grouped(number.round() as u64) }
}

/// With one decimal, or a dash if the divisor is zero.
fn quotient(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { tenths(part as f64 / whole as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_loads_nothing_has_no_sectors_per_load() {
        let counters = Counters { global_store_requests: 2, global_store_sectors: 7, ..Counters::default() };
        assert_eq!(SECTORS.text(&counters, |_| None), "- / 3.5");
    }

    #[test]
    fn a_figure_that_was_added_to_a_row_has_a_column_too() {
        let column = Column { head: ["KiB in", "flight"], cell: Cell::Fact("kib_in_flight") };
        let text = |value: Option<f64>| {
            column.text(&Counters::default(), |name| value.filter(|_| name == "kib_in_flight"))
        };
        assert_eq!(text(Some(2048.0)), "2,048");
        assert_eq!(text(Some(0.5)), "0.50");
        assert_eq!(text(None), "-");
    }
}
