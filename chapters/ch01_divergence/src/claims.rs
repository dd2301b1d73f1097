//! The claims of three notes: all of the one on divergence, what the one on control flow says about branches, and all of
//! the one on boundaries.
//!
//! Rows of this chapter decide every claim. The one about time (N0.15) takes its times from the record of a GPU. It leaves
//! out the boundary with work of its own (N2.8), which belongs to the Laplace solver, and barriers and atomics.

mod figures;

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};
use thirty_two_lanes::report::layout::grouped;

use figures::{
    branches, diverged, instructions, is, loads, past_the_end, per_warp, same, warps, which_diverge,
};

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N0.1",
        voice: Voice::Note,
        says: "when the lanes of a warp take different paths at a branch, the warp executes one path after \
               another, with the lanes of the other paths switched off",
        ruling: Ruling::Holds,
        why: "The picture `warp_halved_lanes` shows it: only the lanes of a path execute it, and no lane \
              executes two paths. If all lanes agree, there is one path, and no lane is switched off.",
        proof: Proof::Run(Test {
            rows: &["warp_halved"],
            twins: &["warp_agrees"],
            holds: |seen| seen[0].fact("paths") >= 2.0 && same(seen[0].fact("lanes_on_two_paths"), 0.0),
            evidence: |seen| {
                let (paths, both) = (seen[0].fact("paths"), seen[0].fact("lanes_on_two_paths"));
                let name = seen[0].variant();
                format!("{name}: {paths} paths on which lanes are switched off, {both} lanes on two of them")
            },
        }),
    },
    Claim {
        id: "N0.2",
        voice: Voice::Note,
        says: "if half of a warp takes each side of a branch, only 16 lanes work at a time, and with more \
               paths even fewer",
        ruling: Ruling::Holds,
        why: "Only the lanes that have chosen a path execute it. With 32 paths, one lane works at a time.",
        proof: Proof::Run(Test {
            rows: &["warp_halved", "worst_case_switch"],
            twins: &["warp_agrees", "worst_case_together"],
            holds: |seen| {
                same(seen[0].fact("fewest_lanes"), 16.0) && seen[1].active_lanes() < seen[0].active_lanes()
            },
            evidence: |seen| {
                let (fewest, average) = (seen[0].fact("fewest_lanes"), seen[1].active_lanes());
                format!(
                    "{}: at the least {fewest} lanes work; {}: {average:.2} lanes on average",
                    seen[0].variant(),
                    seen[1].variant()
                )
            },
        }),
    },
    Claim {
        id: "N0.3",
        voice: Voice::Note,
        says: "divergence happens only inside a warp: warps that take different sides of a branch do not \
               diverge",
        ruling: Ruling::Holds,
        why: "Warps proceed through a program independently of each other. Compiled without optimisation \
              (`-G`), `math_even_warp` has a branch that some warps take and others do not, and no warp \
              diverges.",
        proof: Proof::Run(Test {
            rows: &["math_even_warp-G"],
            twins: &["math_even_thread-G"],
            holds: |seen| same(diverged(seen[0]), 0.0) && seen[0].fact("even_in_if") > 0.0,
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N0.4",
        voice: Voice::Note,
        says: "in the kernel that decides by the parity of the thread every warp diverges, and in the kernel \
               that decides by the parity of the warp none does",
        ruling: Ruling::Condition,
        why: "It is so if the kernels are compiled as they are written (`-G`). With optimisation, as in the \
              twins, the `if` of both kernels becomes a select, and no warp diverges in either.",
        proof: Proof::Run(Test {
            rows: &["math_even_thread-G", "math_even_warp-G"],
            twins: &["math_even_thread", "math_even_warp"],
            holds: |seen| same(diverged(seen[0]), seen[0].counter("warps")) && same(diverged(seen[1]), 0.0),
            evidence: |seen| seen.iter().copied().map(warps).collect::<Vec<_>>().join("; "),
        }),
    },
    Claim {
        id: "N0.15",
        voice: Voice::Reader,
        says: "the kernel that decides by the parity of the thread is slower than the one that decides by the \
               parity of the warp, because its warps diverge",
        ruling: Ruling::Wrong,
        why: "Without optimisation (`-G`) its warps do diverge (N0.4), and yet the other kernel is slower on \
              an H200: it divides by `warpSize`, and in machine code a division takes so many instructions \
              that this kernel executes more of them altogether (`output/counters.md`). With a shift in \
              place of the division, as in the twin, it is the faster one.",
        proof: Proof::Recorded(
            "--only arithmetic --size 10240000 --block 256",
            Test {
                rows: &["math_even_thread-G", "math_even_warp-G"],
                twins: &["math_even_thread-G", "math_precedence_fixed-G"],
                holds: |seen| seen[0].time_us() > seen[1].time_us(),
                evidence: |seen| {
                    let row = |row: &Seen| {
                        format!("{}: {}, {:.1} µs", row.variant(), which_diverge(*row), row.time_us())
                    };
                    seen.iter().map(row).collect::<Vec<_>>().join("; ")
                },
            },
        ),
    },
    Claim {
        id: "N0.5",
        voice: Voice::Note,
        says: "with the condition `(tid / warpSize) % 2 == 0` no warp diverges and all lanes are used, and \
               the output has the same values in another order",
        ruling: Ruling::Condition,
        why: "The size of the block must be a multiple of 32, because only then is `tid / warpSize` the \
              number of a warp. In blocks of 48 some warps begin in the middle of a group of 32 thread \
              numbers, and those warps diverge.",
        proof: Proof::Run(Test {
            rows: &["math_even_warp-G"],
            twins: &["math_even_warp_48-G"],
            holds: |seen| seen[0].verdict() == "ok" && same(diverged(seen[0]), 0.0),
            evidence: |seen| {
                format!("{}, {:.2} active lanes on average", warps(seen[0]), seen[0].active_lanes())
            },
        }),
    },
    Claim {
        id: "N0.6",
        voice: Voice::Reader,
        says: "two `if`s, on a condition and on its opposite, cost the same as one `if` with an `else`",
        ruling: Ruling::Condition,
        why: "This is true with optimisation, which makes the same select of both. Without it (`-G`), the \
              two `if`s are two branches, and a warp diverges at each of them.",
        proof: Proof::Run(Test {
            rows: &["math_two_ifs", "math_even_thread"],
            twins: &["math_two_ifs-G", "math_even_thread-G"],
            holds: |seen| {
                same(seen[0].per_warp(), seen[1].per_warp()) && same(branches(seen[0]), branches(seen[1]))
            },
            evidence: |seen| {
                let one = |row: Seen| {
                    format!(
                        "{:.2} PTX instructions per warp and {} divergent branches",
                        row.per_warp(),
                        branches(row)
                    )
                };
                format!("{} with two ifs, {} with one", one(seen[0]), one(seen[1]))
            },
        }),
    },
    Claim {
        id: "N0.7",
        voice: Voice::Code,
        says: "`itid & 0x01 == 0` tests whether the number of the warp is even",
        ruling: Ruling::Wrong,
        why: "In C, `==` binds tighter than `&`, so the condition is `itid & (0x01 == 0)`. That is never \
              true, and every element becomes 200. Write `(itid & 0x01) == 0`.",
        proof: Proof::Run(Test {
            rows: &["math_precedence"],
            twins: &["math_precedence_fixed"],
            holds: |seen| seen[0].verdict() == "ok",
            evidence: |seen| format!("{} is {}", seen[0].variant(), seen[0].verdict()),
        }),
    },
    Claim {
        id: "N0.8",
        voice: Voice::Code,
        says: "a kernel with the parameter list `(void)` can write to the array `c`",
        ruling: Ruling::Wrong,
        why: "The kernel has no parameter `c`, so it does not compile. In the note's complete program its \
              parameter is `float *c`.",
        proof: Proof::None("the code does not compile, so there is nothing to run"),
    },
    Claim {
        id: "N0.9",
        voice: Voice::Code,
        says: "a `size_t` can hold the time that a kernel took, in seconds",
        ruling: Ruling::Wrong,
        why: "A `size_t` is an integer. The difference of two times in whole seconds is 0, or 1 if a new \
              second begins during the run, and neither is the time of the kernel. In addition, the note \
              prints it with `%e`, which expects a `double`. Keep times in a `double`, or use CUDA events.",
        proof: Proof::None("it is about the clock of the host, which no verdict here depends on"),
    },
    Claim {
        id: "N0.10",
        voice: Voice::Code,
        says: "the grid is rounded up to whole blocks for any number of elements, and the kernels need no \
               bounds check",
        ruling: Ruling::Wrong,
        why: "If the number of elements is not a multiple of the block size, the last block has threads \
              without an element, and they write past the end of the array. Without a check the kernels are \
              right only if the blocks cover the array exactly, as in the twin. Compare the index with the \
              number of elements.",
        proof: Proof::Run(Test {
            rows: &["math_unguarded_ragged"],
            twins: &["math_unguarded"],
            holds: |seen| seen[0].verdict() == "ok",
            evidence: |seen| past_the_end(seen[0]),
        }),
    },
    Claim {
        id: "N0.11",
        voice: Voice::Note,
        says: "a CPU loses time when it predicts a branch wrongly, a GPU when a warp diverges",
        ruling: Ruling::NotDecided,
        why: "Only the half about GPUs is tested here: a warp with lanes on both sides of a branch executes \
              more instructions than a warp that takes either side alone. No run of this book involves the \
              branch predictor of a CPU, so the other half is neither shown nor refuted.",
        proof: Proof::Run(Test {
            rows: &["sqrt_mixed", "sqrt_negative", "sqrt_positive"],
            twins: &["sqrt_partitioned", "sqrt_negative", "sqrt_positive"],
            // The part of the statement about GPUs, which must be visible if the whole statement is true.
            holds: |seen| seen[0].per_warp() > seen[1].per_warp().max(seen[2].per_warp()),
            evidence: per_warp,
        }),
    },
    Claim {
        id: "N0.12",
        voice: Voice::Note,
        says: "in the kernel that decides by the parity of the warp, the even-numbered threads execute the \
               `if`",
        ruling: Ruling::Wrong,
        why: "The threads of the even-numbered warps execute it, and half of those threads have odd numbers.",
        proof: Proof::Run(Test {
            rows: &["math_even_warp"],
            twins: &["math_even_thread"],
            holds: |seen| {
                same(seen[0].fact("even_in_if"), seen[0].fact("even")) && same(seen[0].fact("odd_in_if"), 0.0)
            },
            evidence: |seen| {
                let [took, all, odd] = ["even_in_if", "even", "odd_in_if"].map(|name| seen[0].fact(name));
                format!("{took} of {all} even-numbered threads execute the `if`, and {odd} odd-numbered ones")
            },
        }),
    },
    Claim {
        id: "N0.13",
        voice: Voice::Note,
        says: "data can be partitioned so that all threads of a warp take the same path, and then no warp \
               diverges",
        ruling: Ruling::Holds,
        why: "Fill up each part to whole warps, and use blocks of whole warps. Sorting the data works too, \
              except for the one warp in which the two kinds of elements meet.",
        proof: Proof::Run(Test {
            rows: &["sqrt_partitioned"],
            twins: &["sqrt_mixed"],
            holds: |seen| seen[0].verdict() == "ok" && same(diverged(seen[0]), 0.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N0.14",
        voice: Voice::Note,
        says: "all threads of a warp must execute the same instruction in the same cycle",
        ruling: Ruling::Outdated,
        why: "No run sees a cycle, but a run sees what follows from this: if the two halves of a warp wait \
              for each other, the first half waits until it gives up, and only then does the other half \
              begin. That is so for code compiled for GPUs before Volta. Since Volta each lane has a \
              program counter of its own, and both halves get their turns. One thing has stayed: an \
              instruction is issued to all lanes of the warp that are at it.",
        proof: Proof::Run(Test {
            rows: &["handshake_60"],
            twins: &["handshake_70"],
            holds: |seen| seen[0].fact("lanes_through") < 32.0,
            evidence: |seen| {
                format!(
                    "{}: {} of 32 lanes see the flag that they wait for",
                    seen[0].variant(),
                    seen[0].fact("lanes_through")
                )
            },
        }),
    },
    Claim {
        id: "N2.1",
        voice: Voice::Note,
        says: "a predicated instruction is executed only where its predicate is true, so the square root of \
               a negative number is not really computed",
        ruling: Ruling::Holds,
        why: "In PTX a branch switches the lanes off; in machine code a predicate may do it instead (see \
              N2.26). A select is different: all lanes compute both values, and each lane keeps one.",
        proof: Proof::Run(Test {
            rows: &["warp_halved"],
            twins: &["warp_selects"],
            holds: |seen| seen[0].fact("roots") > 0.0 && same(seen[0].fact("roots_of_negative"), 0.0),
            evidence: |seen| {
                let [roots, negative] = ["roots", "roots_of_negative"].map(|name| seen[0].fact(name));
                format!("{}: {roots} roots, {negative} of them of negative numbers", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N2.2",
        voice: Voice::Note,
        says: "`x[n]` inside `if (n >= 0)` is read only where `n >= 0`, so a negative `n` causes no illegal \
               memory access",
        ruling: Ruling::Holds,
        why: "Half of the indices in this run are negative, and the emulator finds no fault. But a guard \
              protects only against what it tests: in the twin one index is past the end of the array, and \
              that element is read.",
        proof: Proof::Run(Test {
            rows: &["guarded_load"],
            twins: &["guarded_load_past"],
            holds: |seen| seen[0].verdict() == "ok" && seen[0].fault("out-of-bounds").is_none(),
            evidence: |seen| past_the_end(seen[0]),
        }),
    },
    Claim {
        id: "N2.3",
        voice: Voice::Note,
        says: "all threads execute both sides of a branch, so its cost is the sum of both",
        ruling: Ruling::Holds,
        why: "This is true of the cost for each warp that has lanes on both sides, although a lane takes \
              part in only one of them: two paths cost more than either alone, and 32 paths cost nearly 32 \
              times as much as one. A warp whose lanes agree executes one path only.",
        proof: Proof::Run(Test {
            rows: &[
                "sqrt_mixed",
                "sqrt_negative",
                "sqrt_positive",
                "worst_case_switch",
                "worst_case_together",
            ],
            twins: &[
                "sqrt_partitioned",
                "sqrt_negative",
                "sqrt_positive",
                "worst_case_together",
                "worst_case_switch",
            ],
            holds: |seen| {
                let both = seen[0].per_warp() > seen[1].per_warp().max(seen[2].per_warp());
                both && seen[3].per_warp() > 24.0 * seen[4].per_warp()
            },
            evidence: per_warp,
        }),
    },
    Claim {
        id: "N2.4",
        voice: Voice::Note,
        says: "around long branches the compiler inserts a vote of the warp, to skip a path that no lane \
               takes",
        ruling: Ruling::Wrong,
        why: "The compiler of this book inserts no vote. It writes a branch, and the hardware skips a path \
              that no lane of the warp takes. In machine code a long branch is a branch as well, followed by \
              a point where the lanes reconverge (`output/h200_machine_code.txt`). Whether a compiler of the \
              past inserted votes, no run here can say. The twin executes votes because its source contains \
              them.",
        proof: Proof::Run(Test {
            rows: &["merge_32"],
            twins: &["warp_votes"],
            holds: |seen| seen[0].fact("votes") > 0.0,
            evidence: |seen| format!("{}: {} votes are executed", seen[0].variant(), seen[0].fact("votes")),
        }),
    },
    Claim {
        id: "N2.5",
        voice: Voice::Note,
        says: "if all threads of a warp must go the same way, as with a condition on a kernel argument, no \
               vote is needed",
        ruling: Ruling::Holds,
        why: "All lanes of a warp agree, so each warp executes one path. (Other conditions need no vote \
              either: see N2.4.)",
        proof: Proof::Run(Test {
            rows: &["uniform"],
            twins: &["sqrt_mixed"],
            holds: |seen| seen[0].verdict() == "ok" && same(branches(seen[0]), 0.0),
            evidence: |seen| format!("{}: {} divergent branches", seen[0].variant(), branches(seen[0])),
        }),
    },
    Claim {
        id: "N2.6",
        voice: Voice::Note,
        says: "if a few elements need expensive processing, first build two lists, of the simple and of the \
               expensive elements, and then process each list",
        ruling: Ruling::Condition,
        why: "It saves instructions if the expensive work is long enough to outweigh building the lists. \
              It saves time only if there are many elements as well, and if a scan builds the lists: \
              chapter 7 does that, and says from which size on it pays. Here five launches, in one of which \
              a single thread goes through all counts, take longer than they save.",
        proof: Proof::Run(Test {
            rows: &["lists_100", "mixed_100"],
            twins: &["lists_10", "mixed_10"],
            holds: |seen| instructions(seen[0]) < instructions(seen[1]),
            evidence: |seen| {
                let [lists, mixed] = [0, 1].map(|index| grouped(instructions(seen[index]) as u64));
                let [by_lists, in_one_pass] = [0, 1].map(|index| seen[index].variant());
                format!("PTX instructions: {by_lists} {lists}, {in_one_pass} {mixed}")
            },
        }),
    },
    Claim {
        id: "N2.7",
        voice: Voice::Note,
        says: "in the worst case, if one thread of a warp has expensive work, performance drops by a factor \
               of 32",
        ruling: Ruling::Condition,
        why: "It holds for instructions: on the long path one lane of 32 works, and the longer the path is, \
              the closer the factor comes to 32. Time follows only if the GPU is full and the path is long. \
              With 4,096 elements each warp has a scheduler of an H200 to itself, and the kernel takes as long \
              as its packed twin; with 16,777,216 elements and a loop of ten rounds, both take \
              equally long (`lengths` in `output/h200.json`).",
        proof: Proof::Run(Test {
            rows: &["expensive_one_lane"],
            twins: &["expensive_packed"],
            // All lanes execute what comes before and after the work, so the factor stays below 32.
            holds: |seen| (24.0..32.0).contains(&(32.0 / seen[0].active_lanes())),
            evidence: |seen| {
                let lanes = seen[0].active_lanes();
                format!(
                    "{}: {lanes:.2} active lanes on average, a factor of {:.1}",
                    seen[0].variant(),
                    32.0 / lanes
                )
            },
        }),
    },
    Claim {
        id: "N2.26",
        voice: Voice::Note,
        says: "short branches are predicated, and long ones become real branches",
        ruling: Ruling::Condition,
        why: "Two programs decide this, one after the other. The compiler, which writes PTX, turns an `if` \
              that only picks a value into a select; every other `if` becomes a branch, here even around a \
              single step (`merge_1`). The assembler, which writes machine code, then predicates the short \
              branches: for an H200 a body of 4 steps (`merge_4`), but not one of 8 (`output/counters.md`).",
        proof: Proof::Run(Test {
            rows: &["math_even_thread", "merge_32"],
            twins: &["merge_1", "merge_32"],
            holds: |seen| same(branches(seen[0]), 0.0) && branches(seen[1]) > 0.0,
            evidence: |seen| {
                let one = |row: Seen| format!("{} divergent branches in {}", branches(row), row.variant());
                format!("{}, {}", one(seen[0]), one(seen[1]))
            },
        }),
    },
    Claim {
        id: "N2.27",
        voice: Voice::Reader,
        says: "a GPU executes `z = p ? x : y` like the merge instruction of old vector computers: it needs \
               both values, and no branch",
        ruling: Ruling::Holds,
        why: "In PTX all lanes load both values, and a select keeps one of them. The assembler may still \
              skip a load whose value a lane does not need, as it does for an H200 (`output/counters.md`). \
              What must not be read or computed belongs inside an `if` (see N2.1 and N2.2).",
        proof: Proof::Run(Test {
            rows: &["select_merge"],
            twins: &["guarded_load"],
            holds: |seen| same(branches(seen[0]), 0.0) && same(loads(seen[0]), 3.0),
            evidence: |seen| {
                format!(
                    "{}: {} divergent branches, {} loads per warp",
                    seen[0].variant(),
                    branches(seen[0]),
                    loads(seen[0])
                )
            },
        }),
    },
    Claim {
        id: "N3.1",
        voice: Voice::Code,
        says: "the kernel that adds two vectors compiles as printed",
        ruling: Ruling::Wrong,
        why: "It has no return type and no parameters, and `C[I]` and `B[1]` should be `C[i]` and `B[i]`. \
              `add_guarded` is the kernel that was meant.",
        proof: Proof::None("the code does not compile, so there is nothing to run"),
    },
    Claim {
        id: "N3.2",
        voice: Voice::Note,
        says: "1003 elements in blocks of 64 threads take 32 warps, and only the last warp diverges",
        ruling: Ruling::Holds,
        why: "In the last warp, 21 threads have no element and the others have one. With 1024 elements no \
              warp diverges.",
        proof: Proof::Run(Test {
            rows: &["add_1003"],
            twins: &["add_1024"],
            holds: |seen| is(seen[0], 1.0, 32.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N3.3",
        voice: Voice::Note,
        says: "with 100 elements, one warp of 4 diverges; with 1000 elements, one of 32",
        ruling: Ruling::Holds,
        why: "Only the warp that contains the end of the array diverges, and an array has one end.",
        proof: Proof::Run(Test {
            rows: &["add_100", "add_1000"],
            twins: &["add_1024", "add_10240"],
            holds: |seen| is(seen[0], 1.0, 4.0) && is(seen[1], 1.0, 32.0),
            evidence: |seen| format!("{}, {}", warps(seen[0]), warps(seen[1])),
        }),
    },
    Claim {
        id: "N3.4",
        voice: Voice::Note,
        says: "with 10,000 elements, one warp of 313 diverges",
        ruling: Ruling::Wrong,
        why: "313 warps have an element. But a block of 64 threads has two warps, so 314 warps are launched, \
              and the last of them has nothing to do. In blocks of 32 threads the statement is true.",
        proof: Proof::Run(Test {
            rows: &["add_10000"],
            twins: &["add_10000_32"],
            holds: |seen| is(seen[0], 1.0, 313.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N3.5",
        voice: Voice::Note,
        says: "for a picture of 76 x 62 pixels in blocks of 16 x 16 threads, 31 of 160 warps diverge",
        ruling: Ruling::Holds,
        why: "The map `map_76x62` shows them along the right edge of the picture, one for every two rows.",
        proof: Proof::Run(Test {
            rows: &["picture_76x62"],
            twins: &["picture_76x61"],
            holds: |seen| is(seen[0], 31.0, 160.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N3.6",
        voice: Voice::Note,
        says: "for a picture of 200 x 150 pixels in blocks of 16 x 16 threads, 80 of 1040 warps diverge",
        ruling: Ruling::Wrong,
        why: "By the rule that gives 31 for a picture of 76 x 62 pixels, 75 warps diverge: in the corner \
              block, five of the eight warps lie entirely below the picture. With a height of 160 pixels it \
              is 80.",
        proof: Proof::Run(Test {
            rows: &["picture_200x150"],
            twins: &["picture_200x160"],
            holds: |seen| is(seen[0], 80.0, 1040.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N3.7",
        voice: Voice::Note,
        says: "if one warp of 32 diverges, this costs about 3 %, even if that warp takes twice as long; 80 \
               warps of 1040 cost less than 8 %",
        ruling: Ruling::Condition,
        why: "As upper bounds these figures are right. A warp that diverges costs more only if it has two \
              paths to execute. A guard without an `else` costs it no extra instruction, so at the end of an \
              array divergence costs nothing.",
        proof: Proof::Run(Test {
            rows: &["sqrt_mixed", "sqrt_negative"],
            twins: &["add_1003", "add_1024"],
            holds: |seen| seen[0].per_warp() > seen[1].per_warp(),
            evidence: per_warp,
        }),
    },
    Claim {
        id: "N3.8",
        voice: Voice::Note,
        says: "if a picture has an odd number of rows, warps at its bottom edge diverge too",
        ruling: Ruling::Holds,
        why: "In a block of 16 x 16 threads a warp covers two rows, so the last row of the picture fills \
              half of a warp.",
        proof: Proof::Run(Test {
            rows: &["picture_76x61"],
            twins: &["picture_76x62"],
            holds: |seen| seen[0].fact("diverged_off_the_right") > 0.0,
            evidence: |seen| {
                format!(
                    "{}, {} of them away from the right edge",
                    warps(seen[0]),
                    seen[0].fact("diverged_off_the_right")
                )
            },
        }),
    },
];
