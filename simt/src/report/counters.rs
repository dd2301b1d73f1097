//! Counters: what the launch cost, in the units of the hardware's own counters.
//!
//! What memory sees (requests, sectors, bank conflicts, atomics) equals what Nsight Compute reads on a GPU and
//! carries its names. What instructions see counts PTX, not machine code, and is named `ptx_…`: the machine
//! has other instructions for the same work. Under `Schedule::Hunt` lanes come apart, and what they do apart is counted apart:
//! such counters tell of the run, and not of the kernel.

use crate::report::fault::SourceLine;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident, $unit:literal, $ncu:expr;)*) => {
        /// What was counted. Later versions count more: end a literal or a pattern with `..`.
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
            /// Every counter: its name, its unit, Nsight Compute's name where there is one, and its value.
            pub fn all(&self) -> Vec<(&'static str, &'static str, Option<&'static str>, u64)> {
                vec![$((stringify!($name), $unit, $ncu, self.$name),)*]
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
    /// PTX instructions issued, once a warp, whatever the number of active lanes.
    ptx_instructions, "instructions", None;
    /// Active lanes summed over the issued PTX instructions. Lanes that a predicate switches off do not count; all
    /// that evaluate a branch do, whichever way they go.
    ptx_lanes, "lanes", None;
    /// `bra` instructions issued, conditional or not.
    ptx_branches, "branches", None;
    /// Branches that some active lanes took and some did not.
    ptx_divergent_branches, "branches", None;
    /// Block barriers that warps arrived at (`bar.sync`, `bar.arrive`, `bar.red`).
    ptx_barriers, "instructions", None;
    /// Load instructions that went to global memory.
    global_load_requests, "requests", Some("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
    /// 32-byte sectors that those loads touched.
    global_load_sectors, "sectors", Some("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    /// Store instructions that went to global memory.
    global_store_requests, "requests", Some("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
    /// 32-byte sectors that those stores touched.
    global_store_sectors, "sectors", Some("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
    /// Atomics on global memory that return a value (`atom`).
    global_atomic_requests, "requests", Some("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum");
    /// Atomics on global memory that do not (`red`).
    global_reduction_requests, "requests", Some("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum");
    /// 32-byte sectors that atomics with a result touched, once for each of the lanes that wanted the same element.
    global_atomic_sectors, "sectors", Some("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum");
    /// 32-byte sectors that atomics without one touched, in the same way.
    global_reduction_sectors, "sectors", Some("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum");
    /// Load instructions that went to shared memory.
    shared_load_requests, "requests", Some("smsp__inst_executed_op_shared_ld.sum");
    /// Extra passes of shared loads because lanes wanted different words of one bank.
    shared_load_bank_conflicts, "passes", Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum");
    /// Store instructions that went to shared memory.
    shared_store_requests, "requests", Some("smsp__inst_executed_op_shared_st.sum");
    /// Extra passes of shared stores because lanes wanted different words of one bank.
    shared_store_bank_conflicts, "passes", Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum");
    /// Atomics on shared memory.
    shared_atomic_requests, "requests", Some("smsp__inst_executed_op_shared_atom.sum");
    /// Extra passes of shared atomics because lanes wanted words of one bank, different ones or the same.
    shared_atomic_bank_conflicts, "passes", Some("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum");
    /// Loads and stores of local memory.
    local_requests, "requests", None;
}

impl Counters {
    /// Average active lanes per issued PTX instruction, 0 when none was issued.
    pub fn ptx_lanes_per_instruction(&self) -> f64 {
        ratio(self.ptx_lanes, self.ptx_instructions)
    }

    /// PTX instructions per launched warp, 0 when there was none.
    pub fn ptx_instructions_per_warp(&self) -> f64 {
        ratio(self.ptx_instructions, self.warps)
    }

    /// Sectors per request of global loads, 0 when there was none: 4 is a full warp of 4-byte neighbours.
    pub fn global_load_sectors_per_request(&self) -> f64 {
        ratio(self.global_load_sectors, self.global_load_requests)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The counters of one CUDA line. Counts of warps are not kept by line and stay zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCounters {
    /// The line.
    pub source: SourceLine,
    /// What it cost.
    pub counters: Counters,
}
