//! What the notes say that this chapter decides, and by which of its rows.
//!
//! The first half of the fourth note, and the second note on the barrier of the block. What it leaves out: the votes,
//! shuffles and groups of the fourth note.

use lanes::claims::{Claim, Proof, Ruling, Seen, Test};

pub static CLAIMS: &[Claim] = &[N4_1, N4_2, N4_3, N4_4, N4_5, N4_6, N4_7, N4_21, N4_24, N2_9, N2_28];

const N4_1: Claim = Claim {
    id: "N4.1",
    says: "only the lanes of one warp diverge, and a guard like `tid < N` cannot be avoided",
    ruling: Ruling::Holds,
    why: "Warps that decide as a whole do not part. Blocks are whole and data is not, so somebody has to ask; \
          where the length is a multiple of the block, nobody is turned away and the guard parts no warp.",
    proof: Proof::Run(Test {
        rows: &["by_thread-G", "unguarded"],
        twins: &["by_warp-G", "guarded"],
        holds: |seen| seen[0].counter("divergent_warps") > 1.0 && seen[1].fault("out-of-bounds").is_some(),
        evidence: |seen| {
            let (parted, warps) = (seen[0].counter("divergent_warps"), seen[0].counter("warps"));
            let (name, verdict) = (seen[1].variant(), seen[1].verdict());
            format!("{parted} of {warps} warps part in {}; {name} comes out {verdict}", seen[0].variant())
        },
    }),
};

const N4_2: Claim = Claim {
    id: "N4.2",
    says: "since Volta each thread has its own program counter, so threads of one warp can wait for each other",
    ruling: Ruling::Holds,
    why: "Both sides of a branch get their turns. It is the target of the PTX that decides, sm_70 or above, and the \
          turns are fair only to those that are resident.",
    proof: Proof::Run(Test {
        rows: &["handshake_70", "chain_behind_70"],
        twins: &["handshake_60", "chain_behind_60"],
        holds: |seen| seen.iter().copied().all(all_through),
        evidence: through,
    }),
};

const N4_3: Claim = Claim {
    id: "N4.3",
    says: "compiling for compute_60 and running on sm_70 brings the old scheduling back",
    ruling: Ruling::Condition,
    why: "It does with a compiler that still has compute_60, up to CUDA 12. CUDA 13 starts at compute_75 and \
          refuses the note's command. An H200 goes by the target too: from sm_70 on, its machine code has a `YIELD` \
          in the loop. A kernel that needs the old scheduling had better be mended.",
    proof: Proof::Run(Test {
        rows: &["lock_behind_60"],
        twins: &["lock_behind_70"],
        holds: |seen| !all_through(seen[0]),
        evidence: through,
    }),
};

const N4_4: Claim = Claim {
    id: "N4.4",
    says: "`__syncwarp(unsigned mask = 0xfffffff)`, and by default all lanes take part",
    ruling: Ruling::Wrong,
    why: "The default is 0xffffffff, eight f. Seven f leave out the lanes 28 to 31, which must not make such a call.",
    proof: Proof::Run(Test {
        rows: &["mask_seven_f"],
        twins: &["mask_default"],
        holds: |seen| seen[0].fact("mask_lanes") > 31.5 && seen[0].verdict() == "ok",
        evidence: |seen| {
            let (name, lanes) = (seen[0].variant(), seen[0].fact("mask_lanes"));
            format!("{name} names {lanes} lanes and comes out {}", seen[0].verdict())
        },
    }),
};

const N4_5: Claim = Claim {
    id: "N4.5",
    says: "in the last five rounds of a sum `__syncwarp` can take the place of `__syncthreads`",
    ruling: Ruling::Holds,
    why: "These rounds stay inside the first warp. It saves barriers of the block and no instruction, unless the other \
          warps leave before. With no barrier at all between the rounds they race.",
    proof: Proof::Run(Test {
        rows: &["tail_syncwarp", "tail_syncwarp_float"],
        twins: &["tail_no_barrier", "tail_no_barrier"],
        holds: |seen| seen.iter().all(|seen| seen.verdict() == "ok" && seen.fault("race").is_none()),
        evidence: verdicts,
    }),
};

const N4_6: Claim = Claim {
    id: "N4.6",
    says: "without `if (tid < offset)` the lanes race, and the sum may come out wrong",
    ruling: Ruling::Holds,
    why: "It races, and it hides: as long as a warp's lanes read before they store, the sum is right, here as \
          on an H200. In another order, which nothing forbids, it is not (`tail_other_order`). The last warp reads \
          past the array besides (`tail_past_the_end`), which the note does not say.",
    proof: Proof::Run(Test {
        rows: &["tail_unguarded", "warp_tree_unguarded", "tail_other_order"],
        twins: &["guarded_tail", "warp_tree_mended", "tail_mended"],
        holds: |seen| {
            seen[..2].iter().all(|seen| seen.fault("race").is_some()) && seen[2].verdict() == "WRONG"
        },
        evidence: |seen| {
            let (races, wrong) = (seen[1].fact("seeds_with_race"), seen[1].fact("seeds_wrong"));
            let seeds = seen[1].fact("seeds");
            format!("{}; of {seeds} seeds {races} race and {wrong} come out wrong", verdicts(seen))
        },
    }),
};

const N4_7: Claim = Claim {
    id: "N4.7",
    says: "it is repaired by adding to a register, a barrier, the addition in shared memory, a barrier",
    ruling: Ruling::Wrong,
    why: "Nobody uses the register, so the compiler drops its load, and what is left is the same race with one barrier \
          more a round. Read into the register once, then in each round add to it, barrier, store it, barrier.",
    proof: Proof::Run(Test {
        rows: &["tail_repaired_in_vain"],
        twins: &["tail_mended"],
        holds: |seen| seen[0].verdict() == "ok" && seen[0].fault("race").is_none(),
        evidence: |seen| {
            let (loads, barriers) =
                (seen[0].counter("shared_load_requests"), seen[0].fact("warp_barriers_per_warp"));
            format!("{}, {loads} shared loads, {barriers} barriers of the warp in each", verdicts(seen))
        },
    }),
};

const N4_21: Claim = Claim {
    id: "N4.21",
    says: "a program counter of its own costs each thread two registers",
    ruling: Ruling::Condition,
    why: "Neither shown nor refuted: kernels compiled for sm_70 do take more registers than for sm_60, but not by one \
          number, and the program counter is one difference of the two targets among several. What holds is that there \
          are fewer registers to spare.",
    proof: Proof::None(
        "registers are given out by the assembler and not in PTX, and no pair of targets differs in the program \
         counter alone",
    ),
};

const N4_24: Claim = Claim {
    id: "N4.24",
    says: "the lanes for which the condition is true run first",
    ruling: Ruling::Wrong,
    why: "No order is promised. The emulator begins with the lowest lane. An H200 begins `sides` with the true \
          side and `handshake`, built for sm_60, with the other: its lower half gets through. If one must come \
          first, put `__syncwarp` between them.",
    proof: Proof::Run(Test {
        rows: &["true_above"],
        twins: &["ordered_above"],
        holds: |seen| seen[0].fact("true_lanes_first") > 0.5,
        evidence: |seen| {
            let place = if seen[0].fact("true_lanes_first") > 0.5 { "first" } else { "last" };
            format!("{}: the lanes 16 to 31, of which the condition is true, run {place}", seen[0].variant())
        },
    }),
};

const N2_9: Claim = Claim {
    id: "N2.9",
    says: "all threads must reach `__syncthreads`, or it ends in deadlock",
    ruling: Ruling::Condition,
    why: "If those who do not come are still there and wait themselves. Threads that have ended no longer \
          count, so the barrier lets the others pass; fragile, and worth a warning.",
    proof: Proof::Run(Test {
        rows: &["wait_apart"],
        twins: &["wait_without_exited"],
        holds: |seen| seen[0].fault("deadlock").is_some(),
        evidence: |seen| {
            let kinds = ["deadlock", "barrier-divergence"];
            let found = kinds.into_iter().find(|kind| seen[0].fault(kind).is_some()).unwrap_or("nothing");
            format!("{} comes out {}, with {found} found", seen[0].variant(), seen[0].verdict())
        },
    }),
};

const N2_28: Claim = Claim {
    id: "N2.28",
    says: "a `__syncthreads` between loading shared memory and using it is what makes the use right",
    ruling: Ruling::Holds,
    why: "The barrier orders what all threads of the block stored before it and read behind it. Without it the \
          use is a race between warps, and it shows.",
    proof: Proof::Run(Test {
        rows: &["tile_barrier"],
        twins: &["tile_no_barrier"],
        holds: |seen| seen[0].fault("race").is_none() && seen[0].fact("seeds_wrong") < 0.5,
        evidence: |seen| {
            let (seeds, races) = (seen[0].fact("seeds"), seen[0].fact("seeds_with_race"));
            let wrong = seen[0].fact("seeds_wrong");
            format!("{}: of {seeds} seeds {races} race and {wrong} come out wrong", seen[0].variant())
        },
    }),
};

fn all_through(seen: Seen) -> bool {
    seen.fact("lanes_through") > 31.5
}

fn through(seen: &[Seen]) -> String {
    let one =
        |seen: &Seen| format!("{} lets {} of 32 lanes through", seen.variant(), seen.fact("lanes_through"));
    seen.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn verdicts(seen: &[Seen]) -> String {
    let mut told: Vec<String> =
        seen.iter().map(|seen| format!("{} {}", seen.variant(), seen.verdict())).collect();
    told.dedup();
    told.join(", ")
}
