//! What became of the claims of three notes: all of that on divergence, what that on control flow says about branches, and
//! all of that on boundaries.
//!
//! Every claim is decided by rows of this chapter; times and machine code are in its records of a GPU, and are only told
//! of. It leaves out the boundary with work of its own (N2.8), which is the Laplace solver's, and barriers and atomics.

use lanes::claims::{Claim, Proof, Ruling, Seen, Test};
use lanes::report::layout::grouped;

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N0.1",
        says: "lanes on different paths of a branch run one path after the other, the rest switched off",
        ruling: Ruling::Holds,
        why: "The picture `warp_halved_lanes` shows it. A warp that agrees has no path on which anybody is \
              switched off.",
        proof: Proof::Run(Test {
            rows: &["warp_halved"],
            twins: &["warp_agrees"],
            holds: |seen| seen[0].fact("paths") >= 2.0 && same(seen[0].fact("lanes_on_two_paths"), 0.0),
            evidence: |seen| {
                let (paths, both) = (seen[0].fact("paths"), seen[0].fact("lanes_on_two_paths"));
                format!("{paths} paths on which lanes are switched off, {both} lanes on two of them")
            },
        }),
    },
    Claim {
        id: "N0.2",
        says: "of a warp split in halves 16 lanes work at a time, and the more paths, the fewer",
        ruling: Ruling::Holds,
        why: "A path is walked by its own lanes alone. On 32 paths one lane works at a time.",
        proof: Proof::Run(Test {
            rows: &["warp_halved", "worst_case_switch"],
            twins: &["warp_agrees", "worst_case_together"],
            holds: |seen| {
                same(seen[0].fact("fewest_lanes"), 16.0) && seen[1].active_lanes() < seen[0].active_lanes()
            },
            evidence: |seen| {
                let (fewest, average) = (seen[0].fact("fewest_lanes"), seen[1].active_lanes());
                format!(
                    "{}: {fewest} lanes at the least; {}: {average:.2} on average",
                    seen[0].variant(),
                    seen[1].variant()
                )
            },
        }),
    },
    Claim {
        id: "N0.3",
        says: "lanes part inside of a warp only: different warps may go different ways",
        ruling: Ruling::Holds,
        why: "Each warp has its own place in the program. The if as written is a branch, and warps take it \
              as a whole.",
        proof: Proof::Run(Test {
            rows: &["math_even_warp-G"],
            twins: &["math_even_thread-G"],
            holds: |seen| same(parted(seen[0]), 0.0) && seen[0].fact("even_in_if") > 0.0,
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N0.4",
        says: "the kernel that chooses by thread parts its warps and is slower than the one that chooses by warp",
        ruling: Ruling::Condition,
        why: "It parts them, as written; the optimising compiler makes a select of both, and no warp parts. Slower \
              it is not: by warp there are fewer PTX instructions, but more of machine code \
              (`output/counters.md`), because a division by `warpSize` is long there, and the clock of an H200 \
              says the same; `math_precedence_mended-G`, which shifts instead, is faster than both \
              (`output/h200_note_size.txt`).",
        proof: Proof::Run(Test {
            rows: &["math_even_thread-G", "math_even_warp-G"],
            twins: &["math_even_thread", "math_even_warp"],
            holds: |seen| parted(seen[0]) > parted(seen[1]) && seen[0].per_warp() > seen[1].per_warp(),
            evidence: |seen| {
                let (thread, warp) = (seen[0], seen[1]);
                format!(
                    "{} and {}, {:.2} and {:.2} PTX instructions per warp",
                    warps(thread),
                    warps(warp),
                    thread.per_warp(),
                    warp.per_warp()
                )
            },
        }),
    },
    Claim {
        id: "N0.5",
        says: "the kernel that chooses by warp uses the machine fully, and writes the same values in another order",
        ruling: Ruling::Condition,
        why: "`i / warpSize` is the number of a warp in blocks whose size is a multiple of 32. In others the \
              warps begin elsewhere, and part.",
        proof: Proof::Run(Test {
            rows: &["math_even_warp-G"],
            twins: &["math_even_warp_48-G"],
            holds: |seen| seen[0].verdict() == "ok" && same(parted(seen[0]), 0.0),
            evidence: |seen| format!("{}, {:.2} lanes at work", warps(seen[0]), seen[0].active_lanes()),
        }),
    },
    Claim {
        id: "N0.6",
        says: "two ifs on a condition and its opposite do what one if with an else does",
        ruling: Ruling::Condition,
        why: "Optimised, both are the same select. As written, they are two branches, and a warp parts at \
              each.",
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
        says: "`itid & 0x01 == 0` chooses by the parity of the warp",
        ruling: Ruling::Wrong,
        why: "`==` binds tighter than `&`: it is `itid & (0x01 == 0)`, which is never true, so every element \
              becomes 200. Put the `&` in parentheses.",
        proof: Proof::Run(Test {
            rows: &["math_precedence"],
            twins: &["math_precedence_mended"],
            holds: |seen| seen[0].verdict() == "ok",
            evidence: |seen| format!("{} is {}", seen[0].variant(), seen[0].verdict()),
        }),
    },
    Claim {
        id: "N0.8",
        says: "the kernel that chooses by warp takes `(void)`",
        ruling: Ruling::Wrong,
        why: "It writes to `c`, which it has not got. The parameter is `float* c`, as in the full listing.",
        proof: Proof::None("it is about text that does not compile"),
    },
    Claim {
        id: "N0.9",
        says: "a `size_t` holds the time that has passed",
        ruling: Ruling::Wrong,
        why: "Whole seconds: the difference is 0, or 1 if a second begins during the run, and neither is the time \
              of a kernel. %e wants a double besides. Keep the times in a double, or use CUDA events.",
        proof: Proof::None("it is about the host, whose clock no claim may depend on"),
    },
    Claim {
        id: "N0.10",
        says: "the kernels need no bounds check",
        ruling: Ruling::Condition,
        why: "Only if the number of elements is a multiple of the block: else the threads of the last block \
              write past the end. Compare the index with the length.",
        proof: Proof::Run(Test {
            rows: &["math_unguarded"],
            twins: &["math_unguarded_ragged"],
            holds: |seen| seen[0].verdict() == "ok",
            evidence: |seen| past_the_end(seen[0]),
        }),
    },
    Claim {
        id: "N0.11",
        says: "a CPU pays for a branch that it predicted wrongly, a GPU for one at which a warp parts",
        ruling: Ruling::Holds,
        why: "It is background. What a parted warp pays is in N2.3 and N2.7.",
        proof: Proof::None("half of it is about CPUs"),
    },
    Claim {
        id: "N0.12",
        says: "in the kernel that chooses by warp, even-numbered threads take the if",
        ruling: Ruling::Wrong,
        why: "Threads of even-numbered warps do, the odd ones among them.",
        proof: Proof::Run(Test {
            rows: &["math_even_warp"],
            twins: &["math_even_thread"],
            holds: |seen| {
                same(seen[0].fact("even_in_if"), seen[0].fact("even")) && same(seen[0].fact("odd_in_if"), 0.0)
            },
            evidence: |seen| {
                let [took, all, odd] = ["even_in_if", "even", "odd_in_if"].map(|name| seen[0].fact(name));
                format!("{took} of {all} even-numbered threads take the if, and {odd} odd ones")
            },
        }),
    },
    Claim {
        id: "N0.13",
        says: "if data is partitioned so that a warp finds one kind, no warp parts",
        ruling: Ruling::Holds,
        why: "Fill each part up to whole warps, and use blocks of whole warps. A full sort does it too, but \
              for the one warp in which the kinds meet.",
        proof: Proof::Run(Test {
            rows: &["sqrt_partitioned"],
            twins: &["sqrt_mixed"],
            holds: |seen| seen[0].verdict() == "ok" && same(parted(seen[0]), 0.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N0.14",
        says: "all lanes of a warp execute the same instruction in the same cycle",
        ruling: Ruling::Outdated,
        why: "So it was before Volta, and still is for code built for it: of two halves that wait for each \
              other, one gives up before the other begins. Since Volta each lane has its own place in the \
              program.",
        proof: Proof::Run(Test {
            rows: &["handshake_60"],
            twins: &["handshake_70"],
            holds: |seen| seen[0].fact("lanes_through") < 32.0,
            evidence: |seen| {
                format!(
                    "{}: {} of 32 lanes get what they wait for from the others",
                    seen[0].variant(),
                    seen[0].fact("lanes_through")
                )
            },
        }),
    },
    Claim {
        id: "N2.1",
        says: "instructions can be predicated, and the root of a negative number is then not computed",
        ruling: Ruling::Holds,
        why: "In PTX a branch switches the lanes off, and in machine code a predicate may (N2.26). A select \
              keeps one of two values, and all lanes have computed both.",
        proof: Proof::Run(Test {
            rows: &["warp_halved"],
            twins: &["warp_selects"],
            holds: |seen| seen[0].fact("roots") > 0.0 && same(seen[0].fact("roots_of_negative"), 0.0),
            evidence: |seen| {
                let [roots, negative] = ["roots", "roots_of_negative"].map(|name| seen[0].fact(name));
                format!("{roots} roots, {negative} of them of negative numbers")
            },
        }),
    },
    Claim {
        id: "N2.2",
        says: "behind `if (n >= 0)` nobody has to worry about an illegal read of x[n]",
        ruling: Ruling::Condition,
        why: "Of negative places it holds: half of the indices are negative, and the emulator finds no fault. The \
              guard protects from what it asks about and from nothing else: an index past the end is read.",
        proof: Proof::Run(Test {
            rows: &["guarded_load"],
            twins: &["guarded_load_past"],
            holds: |seen| seen[0].verdict() == "ok" && seen[0].fault("out-of-bounds").is_none(),
            evidence: |seen| past_the_end(seen[0]),
        }),
    },
    Claim {
        id: "N2.3",
        says: "all lanes go through both branches, so the cost is the sum of the two",
        ruling: Ruling::Holds,
        why: "For each warp that has lanes on both: two paths cost more than either, and 32 nearly 32 times one. A \
              warp whose lanes agree pays for its own path.",
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
            evidence: |seen| per_warp(seen),
        }),
    },
    Claim {
        id: "N2.4",
        says: "around long branches the compiler puts votes of the warp",
        ruling: Ruling::Outdated,
        why: "The compiler writes a branch, and the branch asks the lanes by itself: nobody walks a path that no \
              lane of the warp wants. In machine code it is a branch too, with a place to meet again behind it \
              (`output/h200_machine_code.txt`). The votes of `warp_votes` are in its source, and it pays for them; \
              of its own accord the compiler writes none.",
        proof: Proof::Run(Test {
            rows: &["warp_votes"],
            twins: &["merge_32"],
            holds: |seen| seen[0].fact("votes") > 0.0,
            evidence: |seen| format!("{}: {} votes in its trace", seen[0].variant(), seen[0].fact("votes")),
        }),
    },
    Claim {
        id: "N2.5",
        says: "where all lanes must agree, as on an argument of the kernel, no vote is needed",
        ruling: Ruling::Holds,
        why: "No warp parts, so each walks one path. Nor is a vote needed elsewhere (N2.4).",
        proof: Proof::Run(Test {
            rows: &["uniform"],
            twins: &["sqrt_mixed"],
            holds: |seen| seen[0].verdict() == "ok" && same(branches(seen[0]), 0.0),
            evidence: |seen| format!("{}: {} divergent branches", seen[0].variant(), branches(seen[0])),
        }),
    },
    Claim {
        id: "N2.6",
        says: "it pays to sort elements into simple and expensive ones first",
        ruling: Ruling::Condition,
        why: "In instructions it pays if the expensive work is long enough to make up for building the lists. In \
              time it did not on an H200, even there: the lists are five launches, in one of which a single thread \
              walks all counts (`lists_100` and `mixed_100` in `output/h200.txt`).",
        proof: Proof::Run(Test {
            rows: &["lists_100", "mixed_100"],
            twins: &["lists_10", "mixed_10"],
            holds: |seen| instructions(seen[0]) < instructions(seen[1]),
            evidence: |seen| {
                let [lists, mixed] = [0, 1].map(|index| grouped(instructions(seen[index]) as u64));
                format!("{lists} PTX instructions with lists, {mixed} in one pass")
            },
        }),
    },
    Claim {
        id: "N2.7",
        says: "at worst, one lane with long work costs a factor of 32",
        ruling: Ruling::Holds,
        why: "The long path keeps one lane of 32 at work; the longer it is, the less the rest counts. As \
              many long elements in whole warps keep all lanes at work.",
        proof: Proof::Run(Test {
            rows: &["expensive_one_lane"],
            twins: &["expensive_packed"],
            // What comes before and after the work is done by all lanes, so the factor stays below 32.
            holds: |seen| (24.0..32.0).contains(&(32.0 / seen[0].active_lanes())),
            evidence: |seen| {
                let lanes = seen[0].active_lanes();
                format!("{}: {lanes:.2} lanes at work, a factor of {:.1}", seen[0].variant(), 32.0 / lanes)
            },
        }),
    },
    Claim {
        id: "N2.26",
        says: "short branches are predicated, and long ones become real branches",
        ruling: Ruling::Condition,
        why: "That is settled twice. In PTX an if that picks a value is a select, and so may be one whose value is \
              cheap to compute for all lanes; the others are branches, here even around a single step (`merge_1`). \
              Of those the assembler predicates short ones: for an H200 a body of 4 steps (`merge_4`), while one \
              of 8 keeps its branch (`output/counters.md`).",
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
        says: "`z = p ? x : y` is the merge of old vector machines",
        ruling: Ruling::Holds,
        why: "In PTX both values are loaded by all lanes, and a select keeps one. The assembler may still switch \
              off a load that a lane does not need, as it does for an H200 (`output/counters.md`). What must not \
              be read or computed needs an if (N2.1, N2.2).",
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
        says: "the kernel that adds vectors compiles as it is printed",
        ruling: Ruling::Wrong,
        why: "It has no return type, no parameters, and `C[I]` and `B[1]` where it means `C[i]` and `B[i]`. \
              `add_guarded` is what was meant.",
        proof: Proof::None("it is about text that does not compile"),
    },
    Claim {
        id: "N3.2",
        says: "1003 elements in blocks of 64 take 32 warps, and only the last one parts",
        ruling: Ruling::Holds,
        why: "21 threads of the last warp have no element. With 1024 elements no warp parts.",
        proof: Proof::Run(Test {
            rows: &["add_1003"],
            twins: &["add_1024"],
            holds: |seen| is(seen[0], 1.0, 32.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N3.3",
        says: "of 100 elements one warp of four parts, and of 1000 one of 32",
        ruling: Ruling::Holds,
        why: "It is the one that holds the end, and there is one end.",
        proof: Proof::Run(Test {
            rows: &["add_100", "add_1000"],
            twins: &["add_1024", "add_10240"],
            holds: |seen| is(seen[0], 1.0, 4.0) && is(seen[1], 1.0, 32.0),
            evidence: |seen| format!("{}, {}", warps(seen[0]), warps(seen[1])),
        }),
    },
    Claim {
        id: "N3.4",
        says: "of 10,000 elements one warp of 313 parts",
        ruling: Ruling::Wrong,
        why: "313 warps have an element, but blocks of 64 come in pairs of warps: 314 are launched, and the \
              last has nothing to do. In blocks of 32 it is true.",
        proof: Proof::Run(Test {
            rows: &["add_10000"],
            twins: &["add_10000_32"],
            holds: |seen| is(seen[0], 1.0, 313.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N3.5",
        says: "of a picture of 76 x 62 in blocks of 16 x 16, 31 of 160 warps part",
        ruling: Ruling::Holds,
        why: "The map `map_76x62` shows them: at the right edge, one for each two rows.",
        proof: Proof::Run(Test {
            rows: &["picture_76x62"],
            twins: &["picture_76x61"],
            holds: |seen| is(seen[0], 31.0, 160.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N3.6",
        says: "of a picture of 200 x 150, 80 of 1040 warps part",
        ruling: Ruling::Wrong,
        why: "By the rule that counted 31: five of the eight warps in the corner lie wholly below the \
              picture, so 75 part. With a height of 160 it is 80.",
        proof: Proof::Run(Test {
            rows: &["picture_200x150"],
            twins: &["picture_200x160"],
            holds: |seen| is(seen[0], 80.0, 1040.0),
            evidence: |seen| warps(seen[0]),
        }),
    },
    Claim {
        id: "N3.7",
        says: "one parted warp of 32 costs about 3 %, even if it takes twice as long, and 80 of 1040 less than 8 %",
        ruling: Ruling::Condition,
        why: "As bounds from above they are right. A parted warp costs more where it has two paths to walk. A \
              guard without an else costs it no instruction, so at the end of an array it is nothing.",
        proof: Proof::Run(Test {
            rows: &["sqrt_mixed", "sqrt_negative"],
            twins: &["add_1003", "add_1024"],
            holds: |seen| seen[0].per_warp() > seen[1].per_warp(),
            evidence: |seen| per_warp(seen),
        }),
    },
    Claim {
        id: "N3.8",
        says: "of a picture with an odd number of rows, the bottom warps part too",
        ruling: Ruling::Holds,
        why: "A warp is two rows of a block of 16 x 16, so the last row is half of a warp.",
        proof: Proof::Run(Test {
            rows: &["picture_76x61"],
            twins: &["picture_76x62"],
            holds: |seen| seen[0].fact("parted_off_the_right") > 0.0,
            evidence: |seen| {
                format!(
                    "{}, {} of them not at the right edge",
                    warps(seen[0]),
                    seen[0].fact("parted_off_the_right")
                )
            },
        }),
    },
];

/// Counts are whole numbers, but comparing floats is not for that.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// Warps with a divergent branch.
fn parted(row: Seen) -> f64 {
    row.counter("divergent_warps")
}

fn branches(row: Seen) -> f64 {
    row.counter("ptx_divergent_branches")
}

fn instructions(row: Seen) -> f64 {
    row.counter("ptx_instructions")
}

/// Loads of a warp.
fn loads(row: Seen) -> f64 {
    row.counter("global_load_requests") / row.counter("warps")
}

/// Whether so many warps part, of so many.
fn is(row: Seen, parting: f64, warps: f64) -> bool {
    same(parted(row), parting) && same(row.counter("warps"), warps)
}

fn past_the_end(row: Seen) -> String {
    let past = row.fault("out-of-bounds").unwrap_or(0);
    format!("{} is {}, with {past} instructions out of bounds", row.variant(), row.verdict())
}

fn warps(row: Seen) -> String {
    format!("{}: {} of {} warps part", row.variant(), parted(row), row.counter("warps"))
}

fn per_warp(seen: &[Seen]) -> String {
    let one = |row: Seen| format!("{} {:.2}", row.variant(), row.per_warp());
    format!("PTX instructions per warp: {}", seen.iter().copied().map(one).collect::<Vec<_>>().join(", "))
}
