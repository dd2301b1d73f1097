//! Counters: what a launch cost, in the units of the hardware's own counters.
//!
//! The counters of memory (requests, sectors, bank conflicts, atomics) equal what Nsight Compute reads on a GPU, and
//! carry its names. The counters of instructions count PTX, not machine code, and their names begin with `ptx_`,
//! because the machine needs other instructions for the same work. Under `Schedule::Hunt`, lanes are separated that
//! would otherwise run together, and are counted separately. Such counters describe the run and not the kernel.

use crate::report::fault::SourceLine;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident, $unit:literal, $ncu:expr;)*) => {
        /// What was counted. Later versions will count more, so end a literal or a pattern with `..`.
        ///
        /// ```
        /// let counters = simt::Counters { global_load_requests: 2, global_load_sectors: 8, ..Default::default() };
        /// assert_eq!(counters.global_load_sectors_per_request(), 4.0);
        /// for (name, unit, _, value) in counters.all() {
        ///     println!("{name}: {value} {unit}");
        /// }
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// All counters. Each has its name, its unit, Nsight Compute's name if it has one, and its value.
            pub fn all(&self) -> Vec<(&'static str, &'static str, Option<&'static str>, u64)> {
                vec![$((stringify!($name), $unit, $ncu, self.$name),)*]
            }

            /// Adds what was counted so many times.
            pub fn add_times(&mut self, other: &Counters, times: u64) {
                $(self.$name += other.$name * times;)*
            }
        }

        impl std::ops::AddAssign<&Counters> for Counters {
            fn add_assign(&mut self, other: &Counters) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counters! {
    /// Warps launched.
    warps, "warps", Some("smsp__warps_launched.sum");
    /// Warps with at least one divergent branch.
    divergent_warps, "warps", None;
    /// PTX instructions issued. An instruction counts once for each warp, independent of the number of active lanes.
    ptx_instructions, "instructions", None;
    /// The sum of the active lanes over all issued PTX instructions. Lanes that a predicate disables do not count. All
    /// lanes that evaluate a branch count, whether they take it or not.
    ptx_lanes, "lanes", None;
    /// `bra` instructions issued, conditional or not.
    ptx_branches, "branches", None;
    /// Branches that some active lanes took and others did not.
    ptx_divergent_branches, "branches", None;
    /// Block barriers at which warps arrived (`bar.sync`, `bar.arrive`, `bar.red`).
    ptx_barriers, "instructions", None;
    /// Load instructions that accessed global memory.
    global_load_requests, "requests", Some("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
    /// 32-byte sectors that these loads accessed.
    global_load_sectors, "sectors", Some("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    /// Store instructions that accessed global memory.
    global_store_requests, "requests", Some("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
    /// 32-byte sectors that these stores accessed.
    global_store_sectors, "sectors", Some("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
    /// Atomics on global memory that return a value (`atom`).
    global_atomic_requests, "requests", Some("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum");
    /// Atomics on global memory that return no value (`red`).
    global_reduction_requests, "requests", Some("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum");
    /// 32-byte sectors that atomics with a result accessed, once for each of the lanes that accessed the same element.
    global_atomic_sectors, "sectors", Some("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum");
    /// 32-byte sectors that atomics without a result accessed, counted in the same way.
    global_reduction_sectors, "sectors", Some("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum");
    /// Load instructions that accessed shared memory.
    shared_load_requests, "requests", Some("smsp__inst_executed_op_shared_ld.sum");
    /// Additional passes of shared loads, because lanes accessed different words of one bank.
    shared_load_bank_conflicts, "passes", Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum");
    /// Store instructions that accessed shared memory.
    shared_store_requests, "requests", Some("smsp__inst_executed_op_shared_st.sum");
    /// Additional passes of shared stores, because lanes accessed different words of one bank.
    shared_store_bank_conflicts, "passes", Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum");
    /// Atomics on shared memory.
    shared_atomic_requests, "requests", Some("smsp__inst_executed_op_shared_atom.sum");
    /// Additional passes of shared atomics, because lanes accessed different words of one bank, or the same word.
    shared_atomic_bank_conflicts, "passes", Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum");
    /// Loads and stores of local memory.
    local_requests, "requests", None;
}

impl Counters {
    /// Counts loads or stores, and what they cost: sectors in global memory, bank conflicts in shared memory.
    #[inline(always)]
    pub(crate) fn count_accesses(&mut self, is_load: bool, is_shared: bool, requests: u64, cost: u64) {
        let (counted, costs) = match (is_load, is_shared) {
            (true, false) => (&mut self.global_load_requests, &mut self.global_load_sectors),
            (false, false) => (&mut self.global_store_requests, &mut self.global_store_sectors),
            (true, true) => (&mut self.shared_load_requests, &mut self.shared_load_bank_conflicts),
            (false, true) => (&mut self.shared_store_requests, &mut self.shared_store_bank_conflicts),
        };
        *counted += requests;
        *costs += cost;
    }

    /// The average number of active lanes per issued PTX instruction; 0 if none was issued.
    pub fn ptx_lanes_per_instruction(&self) -> f64 {
        ratio(self.ptx_lanes, self.ptx_instructions)
    }

    /// PTX instructions per launched warp; 0 if there was none.
    pub fn ptx_instructions_per_warp(&self) -> f64 {
        ratio(self.ptx_instructions, self.warps)
    }

    /// Sectors per request of global loads; 0 if there was none. It is 4 if the 32 lanes of a warp load neighbouring
    /// 4-byte elements.
    pub fn global_load_sectors_per_request(&self) -> f64 {
        ratio(self.global_load_sectors, self.global_load_requests)
    }

    /// Sectors per request of global stores; 0 if there was none.
    pub fn global_store_sectors_per_request(&self) -> f64 {
        ratio(self.global_store_sectors, self.global_store_requests)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The counters of one CUDA line. Warps are not counted per line, so their counters stay zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCounters {
    /// The line.
    pub source: SourceLine,
    /// If it is in a function that was inlined: the lines of the kernel with the calls, in order.
    pub calls: Vec<SourceLine>,
    /// What the line cost.
    pub counters: Counters,
}
