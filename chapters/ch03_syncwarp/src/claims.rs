//! The claims that this chapter decides, and by which of its rows.
//!
//! They are the first half of the note on warp functions, and what the note on control flow says about the barrier of the
//! block. It leaves out votes, shuffles and groups.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};

pub static CLAIMS: &[Claim] = &[N4_1, N4_2, N4_3, N4_4, N4_5, N4_6, N4_7, N4_21, N4_24, N2_9, N2_28];

const N4_1: Claim = Claim {
    id: "N4.1",
    voice: Voice::Note,
    says: "divergence concerns only the threads of one warp, and guards such as `tid < N` cannot be avoided",
    ruling: Ruling::Holds,
    why: "If each warp decides as a whole, no warp diverges. A guard is needed because all blocks of a \
          launch have the same size, and arrays have any length. Where the length is a multiple of the block \
          size, the guard makes no warp diverge.",
    proof: Proof::Run(Test {
        rows: &["by_thread-G", "unguarded"],
        twins: &["by_warp-G", "guarded"],
        holds: |seen| seen[0].counter("divergent_warps") > 1.0 && seen[1].fault("out-of-bounds").is_some(),
        evidence: |seen| {
            let (diverged, warps) = (seen[0].counter("divergent_warps"), seen[0].counter("warps"));
            let (name, verdict) = (seen[1].variant(), seen[1].verdict());
            format!("{}: {diverged} of {warps} warps diverge; {name} is {verdict}", seen[0].variant())
        },
    }),
};

const N4_2: Claim = Claim {
    id: "N4.2",
    voice: Voice::Note,
    says: "since Volta each thread has its own program counter, so threads of one warp can wait for each \
           other",
    ruling: Ruling::Holds,
    why: "Both sides of a branch get their turns. The target of the PTX decides this: it must be sm_70 or \
          above. Only threads of resident blocks are promised a turn.",
    proof: Proof::Run(Test {
        rows: &["handshake_70", "chain_after_70"],
        twins: &["handshake_60", "chain_after_60"],
        holds: |seen| seen.iter().copied().all(all_through),
        evidence: through,
    }),
};

const N4_3: Claim = Claim {
    id: "N4.3",
    voice: Voice::Note,
    says: "compiling with `-arch=compute_60 -code=sm_70` brings the old scheduling back",
    ruling: Ruling::Condition,
    why: "Only compilers up to CUDA 12 still have compute_60. CUDA 13 begins at compute_75 and refuses the \
          note's command. An H200 follows the target too: from sm_70 on, its machine code has a `YIELD` in \
          the loop. If a kernel needs the old scheduling, it is better to correct the kernel.",
    proof: Proof::Run(Test {
        rows: &["lock_after_60"],
        twins: &["lock_after_70"],
        holds: |seen| !all_through(seen[0]),
        evidence: through,
    }),
};

const N4_4: Claim = Claim {
    id: "N4.4",
    voice: Voice::Note,
    says: "the default mask of `__syncwarp` is `0xfffffff`, with which all threads of the warp take part",
    ruling: Ruling::Wrong,
    why: "The default is `0xffffffff`, with eight digits. Seven digits leave out lanes 28 to 31, which must \
          not execute a `__syncwarp` with this mask.",
    proof: Proof::Run(Test {
        rows: &["mask_seven_f"],
        twins: &["mask_default"],
        holds: |seen| seen[0].fact("mask_lanes") > 31.5 && seen[0].verdict() == "ok",
        evidence: |seen| {
            let (name, lanes) = (seen[0].variant(), seen[0].fact("mask_lanes"));
            format!("{name}: the mask names {lanes} lanes, and the run is {}", seen[0].verdict())
        },
    }),
};

const N4_5: Claim = Claim {
    id: "N4.5",
    voice: Voice::Note,
    says: "in the last five rounds of a sum, `__syncwarp` can replace `__syncthreads`",
    ruling: Ruling::Holds,
    why: "These rounds stay within the first warp. The replacement saves barriers of the block, but it saves \
          no instructions unless the other warps leave the kernel before these rounds. Without any barrier \
          between the rounds, there is a race.",
    proof: Proof::Run(Test {
        rows: &["tail_syncwarp", "tail_syncwarp_float"],
        twins: &["tail_no_barrier", "tail_no_barrier"],
        holds: |seen| seen.iter().all(|seen| seen.verdict() == "ok" && seen.fault("race").is_none()),
        evidence: verdicts,
    }),
};

const N4_6: Claim = Claim {
    id: "N4.6",
    voice: Voice::Note,
    says: "without `if (tid < offset)` the threads race, and the sum may be wrong",
    ruling: Ruling::Holds,
    why: "There is a race, and it hides: as long as the lanes of a warp all load before they store, the sum \
          is right, on the emulator and on an H200. But nothing forbids another order, and in another order \
          the sum is wrong (`tail_other_order`). In addition, the last warp reads past the end of the array \
          (`tail_past_the_end`), which the note does not mention.",
    proof: Proof::Run(Test {
        rows: &["tail_unguarded", "warp_tree_unguarded", "tail_other_order"],
        twins: &["guarded_tail", "warp_tree_fixed", "tail_fixed"],
        holds: |seen| {
            seen[..2].iter().all(|seen| seen.fault("race").is_some()) && seen[2].verdict() == "WRONG"
        },
        evidence: |seen| {
            let (races, wrong) = (seen[1].fact("seeds_with_race"), seen[1].fact("seeds_wrong"));
            let seeds = seen[1].fact("seeds");
            format!("{}; of {seeds} seeds, {races} have a race and {wrong} give a wrong sum", verdicts(seen))
        },
    }),
};

const N4_7: Claim = Claim {
    id: "N4.7",
    voice: Voice::Code,
    says: "the race is repaired if each round adds to a register, executes a barrier, adds in shared memory, \
           and executes another barrier",
    ruling: Ruling::Wrong,
    why: "Nothing uses the register, so the compiler drops the load for it. What is left is the same race \
          with one more barrier in each round. To repair it, load the thread's element into the register \
          once; then, in each round, add the partner's element to the register, wait, store the register, \
          and wait.",
    proof: Proof::Run(Test {
        rows: &["tail_unused_register"],
        twins: &["tail_fixed"],
        holds: |seen| seen[0].verdict() == "ok" && seen[0].fault("race").is_none(),
        evidence: |seen| {
            let (loads, barriers) =
                (seen[0].counter("shared_load_requests"), seen[0].fact("warp_barriers_per_warp"));
            format!("{}, with {loads} shared loads, and {barriers} warp barriers per warp", verdicts(seen))
        },
    }),
};

const N4_21: Claim = Claim {
    id: "N4.21",
    voice: Voice::Note,
    says: "a program counter of its own costs each thread two registers",
    ruling: Ruling::NotDecided,
    why: "Kernels take more registers when they are compiled for sm_70 than for sm_60. But the difference is \
          not one fixed number, and the two targets differ in more than the program counter, so the cost of \
          the program counter alone is neither shown nor refuted.",
    proof: Proof::None(
        "registers are assigned by the assembler and do not appear in PTX, and no pair of targets differs in \
         the program counter alone",
    ),
};

const N4_24: Claim = Claim {
    id: "N4.24",
    voice: Voice::Note,
    says: "the threads for which the condition is true run first, and the others after them",
    ruling: Ruling::Wrong,
    why: "No order is promised. In its default order the emulator begins with the side that comes first in \
          the code, and in random order with the side that has the lowest lane. An H200 begins with the true \
          side in `sides`, and with the false side in `handshake` compiled for sm_60. If one side must come \
          first, put `__syncwarp()` between the two.",
    proof: Proof::Run(Test {
        rows: &["true_above"],
        twins: &["ordered_above"],
        holds: |seen| seen[0].fact("seeds_true_first") >= seen[0].fact("seeds"),
        evidence: |seen| {
            let (first, seeds) = (seen[0].fact("seeds_true_first"), seen[0].fact("seeds"));
            let name = seen[0].variant();
            format!(
                "{name}: lanes 16 to 31, for which the condition is true, run first under {first} of {seeds} seeds"
            )
        },
    }),
};

const N2_9: Claim = Claim {
    id: "N2.9",
    voice: Voice::Note,
    says: "all threads must reach `__syncthreads()`, otherwise the kernel can end in deadlock",
    ruling: Ruling::Condition,
    why: "It ends in deadlock if the missing threads have not ended but wait somewhere else. Threads that \
          have ended no longer count, so the barrier lets the others pass. Such a kernel is fragile, and the \
          emulator warns about it.",
    proof: Proof::Run(Test {
        rows: &["wait_apart"],
        twins: &["wait_without_exited"],
        holds: |seen| seen[0].fault("deadlock").is_some(),
        evidence: |seen| {
            let kinds = ["deadlock", "barrier-divergence"];
            let found = kinds.into_iter().find(|kind| seen[0].fault(kind).is_some()).unwrap_or("nothing");
            format!("{} is {}; the emulator found {found}", seen[0].variant(), seen[0].verdict())
        },
    }),
};

const N2_28: Claim = Claim {
    id: "N2.28",
    voice: Voice::Note,
    says: "`__syncthreads()` between loading data into shared memory and using it ensures that the loading \
           has finished",
    ruling: Ruling::Holds,
    why: "The barrier orders all stores of the block before it and all loads after it. Without it, loads \
          race with the stores of other warps, and wrong results appear.",
    proof: Proof::Run(Test {
        rows: &["tile_barrier"],
        twins: &["tile_no_barrier"],
        holds: |seen| seen[0].fault("race").is_none() && seen[0].fact("seeds_wrong") < 0.5,
        evidence: |seen| {
            let (seeds, races) = (seen[0].fact("seeds"), seen[0].fact("seeds_with_race"));
            let wrong = seen[0].fact("seeds_wrong");
            let name = seen[0].variant();
            format!("{name}: of {seeds} seeds, {races} have a race and {wrong} give a wrong result")
        },
    }),
};

fn all_through(seen: Seen) -> bool {
    seen.fact("lanes_through") > 31.5
}

fn through(seen: &[Seen]) -> String {
    let one =
        |seen: &Seen| format!("{}: {} of 32 lanes get through", seen.variant(), seen.fact("lanes_through"));
    seen.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn verdicts(seen: &[Seen]) -> String {
    let mut verdicts: Vec<String> =
        seen.iter().map(|seen| format!("{} is {}", seen.variant(), seen.verdict())).collect();
    verdicts.dedup();
    verdicts.join(", ")
}
