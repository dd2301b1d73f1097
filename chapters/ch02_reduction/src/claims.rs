//! The statements of the note on reduction, and the verdicts.
//!
//! Rows of this chapter decide every claim. It leaves out the loads into shared memory, which are a subject of chapter
//! 3.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N1.1",
        voice: Voice::Note,
        says: "every operation that is associative and commutative, such as addition, can be reduced in \
               parallel",
        ruling: Ruling::Condition,
        why: "Addition of integers is associative, and every order gives the same sum. Addition of floats \
              rounds, so it is not associative: each order gives a sum of its own, within a bound of the \
              exact one.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored", "reduce_interleaved"],
            twins: &["floats_neighbored", "floats_interleaved"],
            holds: |seen| seen.iter().all(|row| same(row.fact("sum"), row.fact("exact_sum"))),
            evidence: |seen| {
                let sum = |row: &Seen| format!("{}: {}", row.variant(), row.fact("sum"));
                format!(
                    "{}, {}; the exact sum is {}",
                    sum(&seen[0]),
                    sum(&seen[1]),
                    seen[0].fact("exact_sum")
                )
            },
        }),
    },
    Claim {
        id: "N1.2",
        voice: Voice::Note,
        says: "elements can be paired with their neighbours, or with elements at a distance (interleaved \
               pairs)",
        ruling: Ruling::Holds,
        why: "With neighbours the distance begins at 1 and doubles in each round. With interleaved pairs it \
              begins at half of the block and halves. The picture `pairs` draws both from a run.",
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
        voice: Voice::Note,
        says: "the recursive sum on the CPU is right for lengths that are not powers of two, because an odd \
               last element is added to the first",
        ruling: Ruling::Holds,
        why: "It is right for all lengths from 1 on. For length 0 it would never end, because the recursion \
              ends only at length 1.",
        proof: Proof::Run(Test {
            rows: &["sum_by_halves"],
            twins: &["sum_by_even_halves"],
            holds: |seen| same(seen[0].fact("wrong_lengths"), 0.0),
            evidence: |seen| format!("{} of 2000 lengths give a wrong sum", seen[0].fact("wrong_lengths")),
        }),
    },
    Claim {
        id: "N1.4",
        voice: Voice::Code,
        says: "`if (tid >= n) return;` checks the boundary of the array",
        ruling: Ruling::Wrong,
        why: "`tid` is the index in the block and starts at 0 in every block, but `n` is the length of the \
              whole array. Compare the index in the whole array with `n`, and the partner's index as well.",
        proof: Proof::Run(Test {
            rows: &["bound_in_block"],
            twins: &["bound_fixed"],
            holds: is_clean,
            evidence: found,
        }),
    },
    Claim {
        id: "N1.5",
        voice: Voice::Code,
        says: "`if (idx > n) return;` excludes the threads that have no element",
        ruling: Ruling::Wrong,
        why: "The thread with index `n` has no element either, and it passes this check. Write `idx >= n`.",
        proof: Proof::Run(Test {
            rows: &["off_by_one"],
            twins: &["off_by_one_fixed"],
            holds: is_clean,
            evidence: found,
        }),
    },
    Claim {
        id: "N1.6",
        voice: Voice::Code,
        says: "threads without an element may return before the barriers that the others wait at",
        ruling: Ruling::Condition,
        why: "Threads that have ended no longer count at a barrier (PTX ISA, `exit`), so the result is \
              right, and the emulator only warns. Threads that still run do count, and every \
              `__syncthreads()` is the same barrier: a thread that skips some rounds gets out of step with \
              the others, and CUDA does not define what happens then.",
        proof: Proof::Run(Test {
            rows: &["return_early"],
            twins: &["wait_elsewhere"],
            holds: is_clean,
            evidence: found,
        }),
    },
    Claim {
        id: "N1.7",
        voice: Voice::Code,
        says: "the kernels add up arrays of any length in blocks of any size",
        ruling: Ruling::Wrong,
        why: "No kernel tests whether an element has a partner. At the end of the array they add what lies \
              beyond it. In a block whose size is not a power of two, the kernels with neighboured pairs add \
              the first element of the next block, and the one with interleaved pairs leaves elements out, \
              because half of an odd number is rounded down. Test the index of the partner, and round up \
              when you halve.",
        proof: Proof::Run(Test {
            rows: &["padded", "neighbored_48", "less_48", "interleaved_48"],
            twins: &["padded_fixed", "neighbored_48_fixed", "less_48_fixed", "interleaved_48_fixed"],
            holds: |seen| seen.iter().all(|row| same(row.fact("sum"), row.fact("exact_sum"))),
            evidence: |seen| {
                let sum = |row: &Seen| {
                    format!("{} {} (exact {})", row.variant(), row.fact("sum"), row.fact("exact_sum"))
                };
                seen.iter().map(sum).collect::<Vec<_>>().join(", ")
            },
        }),
    },
    Claim {
        id: "N1.8",
        voice: Voice::Note,
        says: "in rounds 1, 2 and 3 a half, three quarters and seven eighths of the threads are idle, and \
               because they belong to warps that work, they can only wait",
        ruling: Ruling::Holds,
        why: "While a warp executes an instruction, nothing else can use its idle lanes. If the working \
              threads are side by side, as many threads are idle, but they fill whole warps, which execute \
              nothing except the loop and its barriers.",
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
                let name = seen[0].variant();
                format!("{name}: {first}, {second}, {third} of the lanes are idle in the warps that add")
            },
        }),
    },
    Claim {
        id: "N1.9",
        voice: Voice::Note,
        says: "with less divergence a warp executes far fewer instructions: 150.5 on average instead of \
               444.9",
        ruling: Ruling::Condition,
        why: "Fewer, yes; how many fewer depends on more than divergence. The first kernel also computes a \
              remainder in each round, which is one instruction in PTX and many in machine code, so the \
              profiler of an H200 sees a larger difference than the PTX counts here \
              (`output/h200_note_size_counters.csv`, at the note's size), as the note did on another GPU. \
              Between the twins, whose idle threads fill whole warps, there is hardly any difference.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored", "reduce_neighbored_less"],
            twins: &["reduce_neighbored_less", "reduce_interleaved"],
            holds: |seen| seen[0].per_warp() > 1.2 * seen[1].per_warp(),
            evidence: |seen| {
                let row = |row: &Seen| format!("{} {:.2}", row.variant(), row.per_warp());
                format!("PTX instructions per warp: {}, {}", row(&seen[0]), row(&seen[1]))
            },
        }),
    },
    Claim {
        id: "N1.10",
        voice: Voice::Note,
        says: "with the working threads side by side, memory is used nearly twice as efficiently",
        ruling: Ruling::Wrong,
        why: "The note's figure is a throughput, bytes divided by time, and it rose because the time fell to \
              about half. Both kernels load the same sectors. Only the kernel with interleaved pairs loads \
              fewer.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored", "reduce_neighbored_less"],
            twins: &["reduce_neighbored_less", "reduce_interleaved"],
            holds: |seen| seen[0].counter(SECTORS) > 1.5 * seen[1].counter(SECTORS),
            evidence: sectors,
        }),
    },
    Claim {
        id: "N1.11",
        voice: Voice::Note,
        says: "contrary to the reference book, interleaved pairs do not owe their speed to memory access, \
               because of the three kernels theirs has the lowest load throughput",
        ruling: Ruling::Wrong,
        why: "The reference book is right: memory access is where interleaved pairs gain. Their kernel has \
              the same load requests and the same divergent branches as the second kernel, and loads a \
              fraction of the sectors. Throughput is bytes divided by time, so a kernel that moves far fewer \
              bytes in a little less time has a low one. On an H200 the first-level cache serves the \
              repeated loads, but every store continues to the second level, and interleaved pairs store \
              about a quarter of the sectors; at the note's size the clock shows it.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored_less", "reduce_interleaved"],
            twins: &["reduce_neighbored", "reduce_neighbored_less"],
            holds: |seen| same(seen[0].counter(SECTORS), seen[1].counter(SECTORS)),
            evidence: |seen| {
                let requests = |row: &Seen| row.counter("global_load_requests");
                let (a, b) = (requests(&seen[0]), requests(&seen[1]));
                format!("{}; they make {a} and {b} load requests", sectors(seen))
            },
        }),
    },
    Claim {
        id: "N1.12",
        voice: Voice::Note,
        says: "the first launch takes longer than later ones, so launch a kernel once before the clock runs",
        ruling: Ruling::Condition,
        why: "By the GPU's clock the first launch takes some microseconds longer. For a kernel that takes \
              five microseconds this is much; for one that takes hundreds it makes no difference. `lanes` \
              launches every kernel once before it measures, and reports the time of that launch separately.",
        proof: Proof::Clock(Test {
            rows: &["block_neighbored"],
            twins: &["floats_one_by_one"],
            holds: |seen| seen[0].warm_up_us() > 1.25 * seen[0].time_us(),
            evidence: |seen| {
                let (first, later) = (seen[0].warm_up_us(), seen[0].time_us());
                format!("{}: {first:.1} µs in the first run, {later:.1} µs in later ones", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N1.13",
        voice: Voice::Reader,
        says: "several kernels can be compared on one array, one after another",
        ruling: Ruling::Condition,
        why: "The kernels work in place, so the first one overwrites the input. Copy the input again before \
              each kernel, as the note's program does.",
        proof: Proof::Run(Test {
            rows: &["restored"],
            twins: &["not_restored"],
            holds: is_clean,
            evidence: |seen| {
                let (name, sum, exact) = (seen[0].variant(), seen[0].fact("sum"), seen[0].fact("exact_sum"));
                format!("{name}: the second run gives {sum}, and the exact sum is {exact}")
            },
        }),
    },
    Claim {
        id: "N1.14",
        voice: Voice::Code,
        says: "the host adds up the sums of the blocks in an `int`, and that is enough",
        ruling: Ruling::Condition,
        why: "It is enough as long as the total fits: 2^24 elements of 128 already sum to 2^31, which does \
              not. Use 64 bits.",
        proof: Proof::Run(Test {
            rows: &["host_int_small"],
            twins: &["host_int_large"],
            holds: |seen| same(seen[0].fact("host_sum"), seen[0].fact("exact_sum")),
            evidence: |seen| {
                let (sum, exact) = (seen[0].fact("host_sum"), seen[0].fact("exact_sum"));
                format!("{}: the host gets {sum}, and the exact sum is {exact}", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N1.15",
        voice: Voice::Note,
        says: "if the working threads are side by side, whole warps have nothing to do, and the hardware \
               skips them",
        ruling: Ruling::Holds,
        why: "The last warps of a block add in no round. They still execute the loop and its barriers, so \
              the saving is smaller than the share of idle threads.",
        proof: Proof::Run(Test {
            rows: &["block_less"],
            twins: &["block_neighbored"],
            holds: |seen| same(seen[0].fact("rounds_last_warp_adds"), 0.0),
            evidence: |seen| {
                let fact = |name| seen[0].fact(name);
                format!(
                    "{}: the last warp adds in {} rounds and executes {} PTX instructions, the first warp {}",
                    seen[0].variant(),
                    fact("rounds_last_warp_adds"),
                    fact("ptx_last_warp"),
                    fact("ptx_first_warp")
                )
            },
        }),
    },
    Claim {
        id: "N1.16",
        voice: Voice::Note,
        says: "of the three kernels, the one with interleaved pairs diverges least",
        ruling: Ruling::Wrong,
        why: "It diverges as often as the kernel with neighboured pairs whose working threads are side by \
              side, in PTX and on an H200. In both kernels one warp of a block diverges in each of the last \
              rounds, in which fewer lanes work than a warp has.",
        proof: Proof::Run(Test {
            rows: &["reduce_interleaved", "reduce_neighbored_less"],
            twins: &["reduce_neighbored_less", "reduce_neighbored"],
            holds: |seen| seen[0].counter(DIVERGENT) < seen[1].counter(DIVERGENT),
            evidence: |seen| {
                let row = |row: &Seen| format!("{} {}", row.variant(), row.counter(DIVERGENT));
                format!("divergent branches: {}, {}", row(&seen[0]), row(&seen[1]))
            },
        }),
    },
    Claim {
        id: "N1.17",
        voice: Voice::Note,
        says: "the more a kernel diverges, the more instructions a warp executes",
        ruling: Ruling::Condition,
        why: "This holds if both kernels do the same work in the same number of rounds. The twin compares \
              one kernel in blocks of two sizes: in blocks of 32 threads every warp diverges in every round, \
              and yet executes fewer instructions than in blocks of 1024, where every warp goes through ten \
              rounds.",
        proof: Proof::Run(Test {
            rows: &["reduce_neighbored", "reduce_neighbored_less"],
            twins: &["interleaved_block_32", "interleaved_block_1024"],
            holds: |seen| diverged(seen[0]) > diverged(seen[1]) && seen[0].per_warp() > seen[1].per_warp(),
            evidence: |seen| {
                let row =
                    |row: &Seen| format!("{} {:.2} and {:.2}", row.variant(), diverged(*row), row.per_warp());
                let (a, b) = (row(&seen[0]), row(&seen[1]));
                format!("divergent branches and PTX instructions per warp: {a}; {b}")
            },
        }),
    },
    Claim {
        id: "N1.18",
        voice: Voice::Note,
        says: "the barrier in each round keeps threads from reading sums that are not finished",
        ruling: Ruling::Holds,
        why: "Without the barrier nothing orders the store of a sum before the load that needs it in the \
              next round, and the emulator finds a race.",
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

/// Whether two figures are equal. All figures are whole numbers, powers of two, or sums that should be exact.
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

/// Divergent branches per warp.
fn diverged(row: Seen) -> f64 {
    row.counter(DIVERGENT) / row.counter("warps")
}
