//! Questions about scans and compaction, and which rows decide it.
//!
//! No note makes these statements. They are those of tutorials, forums and talks, in our words. It leaves out what only
//! another library could show.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};
use thirty_two_lanes::report::layout::grouped;

/// The recorded run of the sections in which time matters, and the one of a whole array.
const MANY: &str = "--size 16777216 --only many_blocks,compaction,keys --check off";
const ARRAY: &str = "--size 100000000 --only copy_tiles,scan_then_add,sum_then_scan,look_back,look_back_warp,scan_ahead,look_back_last_first --check off";

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "S7.1",
        voice: Voice::Asked,
        says: "`__shfl_up_sync` gives 0 to the lanes that have no lane to read from",
        ruling: Ruling::Wrong,
        why: "Such a lane gets its own value back. The test `lane >= d` is what keeps it from adding that.",
        proof: Proof::Run(Test {
            rows: &["scan_warp_no_test"],
            twins: &["scan_warp"],
            holds: |seen| seen[0].verdict() == "ok",
            evidence: |seen| format!("{} is {}", seen[0].variant(), seen[0].verdict()),
        }),
    },
    Claim {
        id: "S7.2",
        voice: Voice::Asked,
        says: "`cg::inclusive_scan` compiles to the loop that one would write by hand, and costs nothing more",
        ruling: Ruling::Wrong,
        why: "The five rounds are the same, instruction for instruction. But the group works out the lane \
              from all three coordinates of the thread, because the block could have three dimensions, and \
              that takes a few instructions more. The statement is true the other way round: in the twin, \
              the exclusive scan, the loop by hand costs nothing more than the group's.",
        proof: Proof::Run(Test {
            rows: &["scan_warp_group", "scan_warp"],
            twins: &["scan_warp_exclusive", "scan_warp_group_exclusive"],
            holds: |seen| seen[0].per_warp() <= seen[1].per_warp(),
            evidence: per_warp,
        }),
    },
    Claim {
        id: "S7.3",
        voice: Voice::Asked,
        says: "in a block's scan by warps one barrier is enough, because only the first warp scans the sums",
        ruling: Ruling::Wrong,
        why: "The first warp must not read the sums before all warps have written them, and the other \
              warps must not read the scanned sums before the first warp has written them. Each of the two \
              needs a barrier of its own.",
        proof: Proof::Run(Test {
            rows: &["scan_block_no_second", "scan_block_no_first"],
            twins: &["scan_block", "scan_block"],
            holds: |seen| seen.iter().all(|seen| seen.fault("race").is_none()),
            evidence: |seen| {
                let described = |seen: &Seen| {
                    let race = if seen.fault("race").is_some() { "a race" } else { "no race" };
                    format!("{}: {race}", seen.variant())
                };
                seen.iter().map(described).collect::<Vec<_>>().join("; ")
            },
        }),
    },
    Claim {
        id: "S7.4",
        voice: Voice::Asked,
        says: "Blelloch's scan is work-efficient: it needs fewer additions than the rounds of Hillis and Steele",
        ruling: Ruling::Holds,
        why: "The tree makes about two additions for each element, the rounds nearly one for each element \
              in each round. With one buffer, in the twin, the rounds add zeros as well, and make more \
              additions than with two.",
        proof: Proof::Run(Test {
            rows: &["scan_block_tree", "scan_block_two_buffers"],
            twins: &["scan_block_in_place", "scan_block_two_buffers"],
            holds: |seen| seen[0].fact("additions") < seen[1].fact("additions"),
            evidence: |seen| {
                let of =
                    |seen: &Seen| format!("{} {}", seen.variant(), grouped(seen.fact("additions") as u64));
                format!("additions: {}", seen.iter().map(of).collect::<Vec<_>>().join(", "))
            },
        }),
    },
    Claim {
        id: "S7.5",
        voice: Voice::Asked,
        says: "because it is work-efficient, Blelloch's scan of a block is faster than that of Hillis and Steele",
        ruling: Ruling::Wrong,
        why: "A warp executes an instruction for one lane as for 32, so fewer additions are not fewer \
              instructions. The tree has nearly twice as many rounds, each with a barrier, and its strides \
              cause bank conflicts in shared memory. The scan by warps, the twin, is faster than both.",
        proof: Proof::Recorded(
            MANY,
            Test {
                rows: &["scan_block_tree-many", "scan_block_two_buffers-many"],
                twins: &["scan_block-many", "scan_block_two_buffers-many"],
                holds: |seen| seen[0].time_us() < seen[1].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S7.6",
        voice: Voice::Asked,
        says: "a compaction is faster if a warp draws the slots of all its elements with one atomic",
        ruling: Ruling::Wrong,
        why: "Drawing for a warp by hand saves nothing on an H200, because the assembler combines the \
              lanes' atomics on one counter into one by itself. One for each warp is still many atomics at \
              one address. One for each block, in the twin, takes much less time, so for blocks the \
              statement is true.",
        proof: Proof::Recorded(
            MANY,
            Test {
                rows: &["keep_atomic", "keep_ballot"],
                twins: &["keep_atomic", "keep_block"],
                holds: |seen| seen[0].time_us() > 2.0 * seen[1].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S7.7",
        voice: Voice::Asked,
        says: "compaction with an atomic counter keeps the elements in their order",
        ruling: Ruling::Wrong,
        why: "A counter serves threads, warps or blocks in the order in which they arrive. The scan gives \
              each element the place that follows from the elements before it, whatever runs first.",
        proof: Proof::Run(Test {
            rows: &["keep_atomic", "keep_block"],
            twins: &["keep_scan", "keep_scan"],
            holds: |seen| seen.iter().all(|seen| seen.fact("moved") == 0.0),
            evidence: |seen| {
                let of = |seen: &Seen| {
                    let [moved, kept] = ["moved", "kept"].map(|name| grouped(seen.fact(name) as u64));
                    format!("{}: {moved} of {kept} elements out of place", seen.variant())
                };
                seen.iter().map(of).collect::<Vec<_>>().join("; ")
            },
        }),
    },
    Claim {
        id: "S7.8",
        voice: Voice::Asked,
        says: "a histogram is much faster if the lanes with the same key add together",
        ruling: Ruling::Condition,
        why: "It is true where many lanes of a warp have the same key, as with a single key. With 1,024 \
              keys, the twin, hardly any two lanes of a warp have the same one, and an H200 takes about as \
              long either way.",
        proof: Proof::Recorded(
            MANY,
            Test {
                rows: &["count_keys_match-1", "count_keys-1"],
                twins: &["count_keys_match-1024", "count_keys-1024"],
                holds: |seen| seen[0].time_us() < 0.5 * seen[1].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S7.9",
        voice: Voice::Asked,
        says: "the scan of an array in parallel takes log2(n) passes over memory",
        ruling: Ruling::Wrong,
        why: "This is true of rounds that double their distance, as in scan_passes. If each block scans a \
              tile and only sums are passed on between blocks, one launch is enough, which reads and \
              writes each element about once.",
        proof: Proof::Run(Test {
            rows: &["look_back", "scan_passes"],
            twins: &["scan_passes", "scan_passes"],
            holds: |seen| seen[0].fact("launches") >= seen[1].fact("launches"),
            evidence: |seen| {
                let [read, written] = ["read", "written"].map(|name| seen[0].fact(name));
                let (name, launches) = (seen[0].variant(), seen[0].fact("launches"));
                format!(
                    "{name}: each element read {read:.1} and written {written:.1} times in {launches} launches"
                )
            },
        }),
    },
    Claim {
        id: "S7.10",
        voice: Voice::Asked,
        says: "a scan that looks back in one launch is faster than one in three launches",
        ruling: Ruling::Condition,
        why: "It reads each element once instead of twice, and scan_ahead gains from that: its tiles are \
              large, it looks at hundreds of tiles at a time, and it publishes the sum of its next tile \
              before it waits. The twin also reads each element once, but its tiles are small and it looks \
              at 32 of them at a time, and it takes longer than the three launches.",
        proof: Proof::Recorded(
            ARRAY,
            Test {
                rows: &["scan_ahead", "sum_then_scan"],
                twins: &["look_back_warp", "sum_then_scan"],
                holds: |seen| seen[0].time_us() < seen[1].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S7.11",
        voice: Voice::Asked,
        says: "a scan that looks back needs all its blocks on the machine at once, or it waits for ever",
        ruling: Ruling::Wrong,
        why: "A block waits only for tiles whose tickets were drawn before its own, by blocks that have \
              started and will end, so room for one block is enough. Without tickets the result depends on \
              the order in which blocks start. If the last tile goes to the first block, as in the twin, \
              this block waits for one that cannot start.",
        proof: Proof::Run(Test {
            rows: &["tickets-one"],
            twins: &["last_first-one"],
            holds: |seen| seen[0].fact("gave_up") > 0.0,
            evidence: |seen| {
                let [resident, gave_up] = ["resident", "gave_up"].map(|name| seen[0].fact(name));
                let name = seen[0].variant();
                format!("{name}: {gave_up} blocks give up with {resident} on the machine at a time")
            },
        }),
    },
    Claim {
        id: "S7.12",
        voice: Voice::Asked,
        says: "no tickets are needed, because blocks start in the order of `blockIdx.x`",
        ruling: Ruling::NotDecided,
        why: "The emulator starts blocks in this order, so the kernel without tickets is right there. The \
              twin imitates the opposite order by giving the last tile to the first block, and fails. CUDA \
              promises no order, and a run cannot show a promise.",
        proof: Proof::Run(Test {
            rows: &["block_idx-one"],
            twins: &["last_first-one"],
            holds: |seen| seen[0].fact("gave_up") == 0.0,
            evidence: |seen| format!("{}: {} blocks give up", seen[0].variant(), seen[0].fact("gave_up")),
        }),
    },
    Claim {
        id: "S7.13",
        voice: Voice::Asked,
        says: "it is enough to declare what the blocks publish `volatile`",
        ruling: Ruling::Condition,
        why: "It is true if flag and value share one word, which is loaded as a whole. With a flag and a \
              value in two words, as in the twin, nothing orders the two accesses, volatile or not: a \
              reader can see the new flag and then an older value.",
        proof: Proof::Run(Test {
            rows: &["scan_look_back_volatile-weak"],
            twins: &["scan_look_back_two_volatile-weak"],
            holds: no_seed_is_wrong,
            evidence: wrong_seeds,
        }),
    },
    Claim {
        id: "S7.14",
        voice: Voice::Asked,
        says: "between two words, one `__threadfence()` before the flag is set is enough",
        ruling: Ruling::Wrong,
        why: "A fence orders the accesses of its own thread. The reader loads two words as well, and \
              without a fence between them its second load may return an older value than the first.",
        proof: Proof::Run(Test {
            rows: &["scan_look_back_one_fence-weak"],
            twins: &["scan_look_back_fences-weak"],
            holds: no_seed_is_wrong,
            evidence: wrong_seeds,
        }),
    },
    Claim {
        id: "S7.15",
        voice: Voice::Asked,
        says: "blocks that communicate without any fence get wrong results",
        ruling: Ruling::Wrong,
        why: "A fence orders two accesses of a thread to different places. If flag and value are one word, \
              there is only one access, and a relaxed atomic is enough. With two words, as in the twin, \
              the statement is true.",
        proof: Proof::Run(Test {
            rows: &["scan_look_back-weak"],
            twins: &["scan_look_back_two_words-weak"],
            holds: |seen| seen[0].fact("seeds_wrong") > 0.0,
            evidence: wrong_seeds,
        }),
    },
];

fn per_warp(seen: &[Seen]) -> String {
    let of = |seen: &Seen| format!("{} {}", seen.variant(), seen.per_warp());
    format!("PTX instructions per warp: {}", seen.iter().map(of).collect::<Vec<_>>().join(", "))
}

fn times(seen: &[Seen]) -> String {
    let of = |seen: &Seen| format!("{} {:.1} µs", seen.variant(), seen.time_us());
    seen.iter().map(of).collect::<Vec<_>>().join(", ")
}

fn no_seed_is_wrong(seen: &[Seen]) -> bool {
    seen[0].fact("seeds_wrong") == 0.0
}

fn wrong_seeds(seen: &[Seen]) -> String {
    let [wrong, seeds] = ["seeds_wrong", "seeds"].map(|name| seen[0].fact(name));
    format!("{}: {wrong} of {seeds} seeds are wrong", seen[0].variant())
}
