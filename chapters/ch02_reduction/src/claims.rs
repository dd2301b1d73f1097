//! What the first note says about reductions, and what became of it.
//!
//! Every claim is decided by rows of this chapter. It leaves out the loads into shared memory, which are chapter 3's.

use lanes::claims::{Claim, Proof, Ruling, Seen, Test};

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N1.1",
        says: "whatever is associative and commutative can be reduced in parallel",
        ruling: Ruling::Condition,
        why: "Addition of integers is, and every order gives one sum. Addition of floats rounds and so is not \
              associative: each order has a sum of its own, within a bound.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored", "reduce_interleaved"],
            twins: &["floats_neighbored", "floats_interleaved"],
            holds: |seen| seen.iter().all(|row| same(row.fact("sum"), row.fact("exact_sum"))),
            evidence: |seen| {
                let (a, b) = (seen[0].fact("sum"), seen[1].fact("sum"));
                format!("two orders come to {a} and {b}, and exact is {}", seen[0].fact("exact_sum"))
            },
        }),
    },
    Claim {
        id: "N1.2",
        says: "elements can be paired with their neighbours, or across a distance",
        ruling: Ruling::Holds,
        why: "With neighbours the distance doubles from 1 on, across a distance it halves from half of the block on. The \
              picture `pairs` draws both from a run.",
        proof: Proof::Run(Test {
            rows: &["block_neighbored", "block_interleaved"],
            twins: &["block_interleaved", "block_neighbored"],
            holds: |seen| {
                let grows = |seen: Seen| seen.fact("distance_1") < seen.fact("distance_2");
                grows(seen[0]) && !grows(seen[1])
            },
            evidence: |seen| {
                let distances = |seen: &Seen| {
                    let (first, second) = (seen.fact("distance_1"), seen.fact("distance_2"));
                    format!("{}: {first} apart in round 1, {second} in round 2", seen.variant())
                };
                seen.iter().map(distances).collect::<Vec<_>>().join("; ")
            },
        }),
    },
    Claim {
        id: "N1.3",
        says: "the recursive version on the host is right for lengths that are no power of two, too",
        ruling: Ruling::Holds,
        why: "Of an odd number the last one joins the first. It takes at least one element: without any, a recursion that \
              ends at one never ends.",
        proof: Proof::Run(Test {
            rows: &["sum_by_halves"],
            twins: &["sum_by_even_halves"],
            holds: |seen| same(seen[0].fact("wrong_lengths"), 0.0),
            evidence: |seen| format!("{} of 2000 lengths come out wrong", seen[0].fact("wrong_lengths")),
        }),
    },
    Claim {
        id: "N1.4",
        says: "comparing the thread's number in its block with n is the check of the boundary",
        ruling: Ruling::Wrong,
        why: "n is the length of the array, and the number starts at 0 in every block. Compare the place in the array, and \
              that of the partner.",
        proof: Proof::Run(Test {
            rows: &["bound_in_block"],
            twins: &["bound_mended"],
            holds: is_clean,
            evidence: found,
        }),
    },
    Claim {
        id: "N1.5",
        says: "threads whose index is greater than n are those without an element",
        ruling: Ruling::Wrong,
        why: "The one at n has none either, so it is one off.",
        proof: Proof::Run(Test {
            rows: &["off_by_one"],
            twins: &["off_by_one_mended"],
            holds: is_clean,
            evidence: found,
        }),
    },
    Claim {
        id: "N1.6",
        says: "threads without an element may return before the barriers",
        ruling: Ruling::Condition,
        why: "Threads that have ended no longer count at a barrier (PTX ISA, `exit`), so it is right, and earns a \
              warning. Threads that are still there count, wherever they come to a `__syncthreads()`: all are the \
              same barrier, so who skips rounds is out of step, and CUDA does not say what happens.",
        proof: Proof::Run(Test {
            rows: &["return_early"],
            twins: &["wait_elsewhere"],
            holds: is_clean,
            evidence: found,
        }),
    },
    Claim {
        id: "N1.7",
        says: "the kernels are right for every size and every block",
        ruling: Ruling::Wrong,
        why: "They add partners without asking whether there are any: past the end of the array, of the next block where \
              blocks are no power of two, and not at all where a half is rounded down. Ask for the partner, round up.",
        proof: Proof::Run(Test {
            rows: &["padded", "neighbored_48", "less_48", "interleaved_48"],
            twins: &["padded_mended", "neighbored_48_mended", "less_48_mended", "interleaved_48_mended"],
            holds: |seen| seen.iter().all(|row| same(row.fact("sum"), row.fact("exact_sum"))),
            evidence: |seen| {
                let sum = |row: &Seen| format!("{} for {}", row.fact("sum"), row.fact("exact_sum"));
                seen.iter().map(sum).collect::<Vec<_>>().join(", ")
            },
        }),
    },
    Claim {
        id: "N1.8",
        says: "in rounds 1, 2 and 3 a half, three quarters and seven eighths of the lanes idle, in warps that work, \
              so that they can only wait",
        ruling: Ruling::Holds,
        why: "Nobody else can use the place of a lane whose warp works. Side by side as many threads idle, but \
              they make up whole warps, which issue nothing except the loop and its barriers.",
        proof: Proof::Run(Test {
            rows: &["block_neighbored"],
            twins: &["block_less"],
            holds: |seen| {
                let shares = [("idle_1", 0.5), ("idle_2", 0.75), ("idle_3", 0.875)];
                shares.iter().all(|&(fact, share)| same(seen[0].fact(fact), share))
            },
            evidence: |seen| {
                let share = |fact| format!("{:.1} %", 100.0 * seen[0].fact(fact));
                let [first, second, third] = ["idle_1", "idle_2", "idle_3"].map(share);
                format!("{first}, {second}, {third} of the lanes idle in the warps that add")
            },
        }),
    },
    Claim {
        id: "N1.9",
        says: "with less divergence a warp executes far fewer instructions: 444.9 against 150.5",
        ruling: Ruling::Holds,
        why: "True in direction, with other figures. PTX counts a remainder as one instruction, and machine code has 17 for it: an H200 \
              counted 332.97 against 134.06 at the note's size. Between kernels that idle in whole warps there is hardly \
              any difference.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored", "reduce_neighbored_less"],
            twins: &["reduce_neighbored_less", "reduce_interleaved"],
            holds: |seen| seen[0].per_warp() > 1.2 * seen[1].per_warp(),
            evidence: |seen| {
                let (a, b) = (seen[0].per_warp(), seen[1].per_warp());
                format!("{a:.2} PTX instructions per warp against {b:.2}")
            },
        }),
    },
    Claim {
        id: "N1.10",
        says: "with the working threads side by side, memory is used nearly twice as efficiently",
        ruling: Ruling::Wrong,
        why: "That is a throughput, bytes by time, and the time was halved. The bytes are the same; it is interleaving \
              that loads fewer.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored", "reduce_neighbored_less"],
            twins: &["reduce_neighbored_less", "reduce_interleaved"],
            holds: |seen| seen[0].counter(SECTORS) > 1.5 * seen[1].counter(SECTORS),
            evidence: sectors,
        }),
    },
    Claim {
        id: "N1.11",
        says: "that interleaved pairs are faster still has nothing to do with memory, for their load throughput is lowest",
        ruling: Ruling::Wrong,
        why: "Memory is what they save: as many requests and as many divergent branches as the kernel before, and a \
              fraction of the sectors. Who moves far fewer bytes in less time has a low throughput. The book that the \
              note contradicts was right. On an H200 the first-level cache has what is loaded again, and stores go on \
              behind it, of which there are a quarter; at the note's size that shows on its clock.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored_less", "reduce_interleaved"],
            twins: &["reduce_neighbored", "reduce_neighbored_less"],
            holds: |seen| same(seen[0].counter(SECTORS), seen[1].counter(SECTORS)),
            evidence: |seen| {
                let requests = |row: &Seen| row.counter("global_load_requests");
                format!("{}; in {} requests and in {}", sectors(seen), requests(&seen[0]), requests(&seen[1]))
            },
        }),
    },
    Claim {
        id: "N1.12",
        says: "the first launch takes longer, so warm up before the clock runs",
        ruling: Ruling::Condition,
        why: "It takes some microseconds longer, by events on the GPU: much of a kernel that needs five, and lost in one \
              that needs hundreds. `lanes` runs every kernel once before the clock counts, and keeps that time apart.",
        proof: Proof::Clock(Test {
            rows: &["block_neighbored"],
            twins: &["floats_one_by_one"],
            holds: |seen| seen[0].warm_up_us() > 1.25 * seen[0].time_us(),
            evidence: |seen| {
                let (first, later) = (seen[0].warm_up_us(), seen[0].time_us());
                format!(
                    "{}: {first:.1} µs in the first run, {later:.1} µs in those after it",
                    seen[0].variant()
                )
            },
        }),
    },
    Claim {
        id: "N1.13",
        says: "several kernels can be compared on one array, one after the other",
        ruling: Ruling::Condition,
        why: "They work in place, so the input is gone after the first one: copy it again before each, as the note does.",
        proof: Proof::Run(Test {
            rows: &["restored"],
            twins: &["not_restored"],
            holds: is_clean,
            evidence: |seen| {
                format!("the second run comes to {} for {}", seen[0].fact("sum"), seen[0].fact("exact_sum"))
            },
        }),
    },
    Claim {
        id: "N1.14",
        says: "an int is enough for the host to add up the block sums",
        ruling: Ruling::Condition,
        why: "As long as the sum of all fits: 2^24 elements of 128 are 2^31 already, and do not. Use 64 bits.",
        proof: Proof::Run(Test {
            rows: &["host_int_small"],
            twins: &["host_int_large"],
            holds: |seen| same(seen[0].fact("host_sum"), seen[0].fact("exact_sum")),
            evidence: |seen| format!("{} for {}", seen[0].fact("host_sum"), seen[0].fact("exact_sum")),
        }),
    },
    Claim {
        id: "N1.15",
        says: "with the working threads side by side, whole warps have nothing to do and are passed over",
        ruling: Ruling::Holds,
        why: "The last warps add in no round. They still go through the loop and its barriers, which is why the saving is \
              less than the share of idle threads.",
        proof: Proof::Run(Test {
            rows: &["block_less"],
            twins: &["block_neighbored"],
            holds: |seen| same(seen[0].fact("rounds_last_warp_adds"), 0.0),
            evidence: |seen| {
                let fact = |name| seen[0].fact(name);
                format!(
                    "the last warp adds in {} rounds and issues {} PTX instructions, the first one {}",
                    fact("rounds_last_warp_adds"),
                    fact("ptx_last_warp"),
                    fact("ptx_first_warp")
                )
            },
        }),
    },
    Claim {
        id: "N1.16",
        says: "interleaved pairs diverge least of all",
        ruling: Ruling::Wrong,
        why: "As often as neighbours whose threads are side by side, in PTX and on an H200: in each of the last rounds \
              one warp has fewer lanes at work than it has.",
        proof: Proof::Run(Test {
            rows: &["reduce_interleaved", "reduce_neighbored_less"],
            twins: &["reduce_neighbored_less", "reduce_neighbored"],
            holds: |seen| seen[0].counter(DIVERGENT) < seen[1].counter(DIVERGENT),
            evidence: |seen| {
                let (a, b) = (seen[0].counter(DIVERGENT), seen[1].counter(DIVERGENT));
                format!("{a} divergent branches against {b}")
            },
        }),
    },
    Claim {
        id: "N1.17",
        says: "the more divergence, the more instructions a warp executes",
        ruling: Ruling::Condition,
        why: "Between kernels that do the same in as many rounds. In blocks of 32 every warp parts in every round and \
              executes less than in blocks of 1024, where every warp goes through ten rounds.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored", "reduce_neighbored_less"],
            twins: &["interleaved_block_32", "interleaved_block_1024"],
            holds: |seen| parted(seen[0]) > parted(seen[1]) && seen[0].per_warp() > seen[1].per_warp(),
            evidence: |seen| {
                let row = |row: &Seen| format!("{:.2} and {:.2}", parted(*row), row.per_warp());
                let (a, b) = (row(&seen[0]), row(&seen[1]));
                format!("divergent branches and PTX instructions per warp: {a} against {b}")
            },
        }),
    },
    Claim {
        id: "N1.18",
        says: "the barrier in each round keeps threads from reading sums that are not there yet",
        ruling: Ruling::Holds,
        why: "Without it nothing orders a sum and the round that needs it.",
        proof: Proof::Run(Test {
            rows: &["all_come"],
            twins: &["no_barrier"],
            holds: |seen| seen[0].fault("race").is_none(),
            evidence: |seen| format!("{}: {} races", seen[0].variant(), seen[0].fault("race").unwrap_or(0)),
        }),
    },
];

const SECTORS: &str = "global_load_sectors";
const DIVERGENT: &str = "ptx_divergent_branches";

/// Whether two figures are one and the same: all of them are whole, or powers of two, or sums that are meant to be exact.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

fn is_clean(seen: &[Seen]) -> bool {
    seen[0].verdict() == "ok"
}

/// The verdict, and what the emulator found.
fn found(seen: &[Seen]) -> String {
    let kinds = ["out-of-bounds", "barrier-divergence", "race"];
    let found: Vec<&str> = kinds.into_iter().filter(|kind| seen[0].fault(kind).is_some()).collect();
    let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
    format!("{} is {}; the emulator found {found}", seen[0].variant(), seen[0].verdict())
}

fn sectors(seen: &[Seen]) -> String {
    let row = |row: &Seen| format!("{} loads {} sectors", row.variant(), row.counter(SECTORS));
    seen.iter().map(row).collect::<Vec<_>>().join(", ")
}

/// Divergent branches of a warp, on average.
fn parted(row: Seen) -> f64 {
    row.counter(DIVERGENT) / row.counter("warps")
}
