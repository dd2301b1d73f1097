//! Questions about latency and occupancy, decided by this chapter's rows.
//!
//! Most of these statements are about time, so a record of a GPU decides them, at sizes that fill it. It leaves out
//! what tutorials say about particular numbers of threads, because those differ between GPUs.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};

/// The recorded runs at sizes that fill an H200, as `output/runs.txt` lists them.
const STREAMS: &str = "--only chase,loads --size 134217728 --check off";
const COPIES: &str = "--only blocks,resident --size 33554432 --check off";
const REGISTERS: &str = "--only registers --size 16777216 --check off";

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "S8.1",
        voice: Voice::Asked,
        says: "a load from global memory takes hundreds of cycles",
        ruling: Ruling::Condition,
        why: "It does if the bytes come from the GPU's memory or from the second-level cache. A load that \
              finds them in the multiprocessor's own cache takes a few tens of cycles. Both are `ld.global`, \
              so the instruction does not say how long it takes.",
        proof: Proof::Recorded(
            STREAMS,
            Test {
                rows: &["chase_array"],
                twins: &["chase_16kib"],
                // 200 cycles at the 1.98 GHz of an H200.
                holds: |seen| seen[0].fact("ns_per_load") > 101.0,
                evidence: |seen| {
                    format!("{}: {:.0} ns for a load", seen[0].variant(), seen[0].fact("ns_per_load"))
                },
            },
        ),
    },
    Claim {
        id: "S8.2",
        voice: Voice::Asked,
        says: "only other warps hide latency: while a warp waits, its own later instructions wait as well",
        ruling: Ruling::Wrong,
        why: "A warp waits only where an instruction needs a result that is not there yet. Additions that do \
              not need each other's results are issued without waiting, so one warp for each scheduler with \
              four chains fills the same gaps as four warps with one chain. With so many warps that a \
              scheduler nearly always has one that is ready, more chains gain next to nothing.",
        proof: Proof::Clock(Test {
            rows: &["chains_1_warps_4", "chains_4_warps_4"],
            twins: &["chains_1_warps_16", "chains_4_warps_16"],
            holds: |seen| seen[1].time_us() > 0.9 * seen[0].time_us(),
            evidence: times,
        }),
    },
    Claim {
        id: "S8.3",
        voice: Voice::Asked,
        says: "a kernel is slower if its occupancy is less than 100 %",
        ruling: Ruling::Wrong,
        why: "What counts is the bytes in flight, and having more warps is only one way to get them. A quarter \
              of the warps, each thread with four loads of 16 bytes in flight, reads the same array in less \
              time than all warps with one load of 4 bytes. If the code of a thread stays the same, fewer \
              warps are slower, unless they are still enough to keep memory busy.",
        proof: Proof::Recorded(
            STREAMS,
            Test {
                rows: &["loads_1_warps_64", "wide_4_warps_16"],
                twins: &["loads_1_warps_64", "loads_1_warps_16"],
                holds: |seen| seen[1].time_us() > seen[0].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S8.4",
        voice: Voice::Asked,
        says: "more threads always hide more latency",
        ruling: Ruling::Wrong,
        why: "They do until enough bytes are in flight to keep memory at its full rate. After that, the loads \
              of additional warps only wait in a queue, and twice the warps read the same array in the same \
              time.",
        proof: Proof::Recorded(
            STREAMS,
            Test {
                rows: &["wide_4_warps_32", "wide_4_warps_64"],
                twins: &["loads_1_warps_8", "loads_1_warps_16"],
                holds: |seen| 1.3 * seen[1].time_us() < seen[0].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S8.5",
        voice: Voice::Asked,
        says: "loads of 16 bytes are faster than loads of 4",
        ruling: Ruling::Condition,
        why: "They put four times as many bytes in flight for each load, so they help as long as bytes \
              in flight are what is missing. Where enough of them are in flight already, wide loads save \
              requests and hardly any time.",
        proof: Proof::Recorded(
            STREAMS,
            Test {
                rows: &["loads_1_warps_32", "wide_1_warps_32"],
                twins: &["loads_8_warps_64", "wide_4_warps_64"],
                holds: |seen| 1.1 * seen[1].time_us() < seen[0].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S8.6",
        voice: Voice::Asked,
        says: "it is best if a thread works on one element, because a GPU wants as many threads as possible",
        ruling: Ruling::Wrong,
        why: "A copy with four elements in each thread takes less time than one with as many threads as \
              elements: each of its threads has four loads in flight, and there are a quarter as many blocks \
              to start. But it needs enough warps too: with only one resident block on each multiprocessor, \
              it is slower than the other copy with eight.",
        proof: Proof::Recorded(
            COPIES,
            Test {
                rows: &["one_resident_8", "four_resident_8"],
                twins: &["one_resident_8", "four_resident_1"],
                holds: |seen| seen[0].time_us() <= seen[1].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S8.7",
        voice: Voice::Asked,
        says: "bigger blocks give higher occupancy",
        ruling: Ruling::Wrong,
        why: "Blocks are resident as a whole. Two blocks of 768 threads leave room for 16 warps and not for \
              a third block, where blocks of 256 fill the multiprocessor. Very small blocks do not fill it \
              either, because the number of resident blocks is limited as well.",
        proof: Proof::Run(Test {
            rows: &["block_256", "block_768"],
            twins: &["block_32", "block_64"],
            holds: |seen| seen[1].fact("occupancy") >= seen[0].fact("occupancy"),
            evidence: |seen| {
                let warps = |row: &Seen| format!("{} {} warps", row.variant(), row.fact("resident_warps"));
                seen.iter().map(warps).collect::<Vec<_>>().join(", ")
            },
        }),
    },
    Claim {
        id: "S8.8",
        voice: Voice::Asked,
        says: "it pays to make a kernel use fewer registers, because more warps then make up for the values that \
               have none",
        ruling: Ruling::Wrong,
        why: "Values without a register go to local memory. A kernel that holds 64 numbers in each thread is slower if it may \
              use 32 registers, although at least twice as many warps fit. If the numbers fit into those \
              registers, the bound costs far less, but it gains nothing there either.",
        proof: Proof::Recorded(
            REGISTERS,
            Test {
                rows: &["hold", "hold_bounded"],
                twins: &["hold_few", "hold_few_bounded"],
                holds: |seen| seen[1].time_us() < 1.5 * seen[0].time_us(),
                evidence: times,
            },
        ),
    },
];

fn times(seen: &[Seen]) -> String {
    seen.iter().map(|row| format!("{} {:.1} µs", row.variant(), row.time_us())).collect::<Vec<_>>().join(", ")
}
