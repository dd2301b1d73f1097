//! Questions about orders, scopes, barriers and new instructions, and which rows decide it.
//!
//! No note makes these statements. It leaves out those that only the standard of C++ decides.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};

/// The run of `output/runs.txt` in which locks, barriers and sums are large enough for a clock.
const LARGE: &str = "--only locks,additions,waiting,handshakes,sums,leaders --size 1048576";
/// The run in which every thread has a counter of its own and there are enough of them. With fewer, most of the time is
/// the launch, and the two kinds of `fetch_add` differ by less than two runs of either.
const LONG: &str = "--only add_built_in-own,add_relaxed-own,add_default-own,rounds_fences,ref_rounds \
                    --size 33554432 --check off";

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "S9.1",
        voice: Voice::Asked,
        says: "`volatile` is enough for a flag",
        ruling: Ruling::Wrong,
        why: "It is enough for the flag itself, because every look then really loads it. But it orders \
              nothing else: the data may be old when the flag is new. Store the flag with release and load \
              it with acquire, or put a fence on each side of it.",
        proof: Proof::Run(Test {
            rows: &["message_no_fence", "message_no_fence-weak"],
            twins: &["ref_message", "ref_message-weak"],
            holds: comes_out_right,
            evidence: in_both_memories,
        }),
    },
    Claim {
        id: "S9.2",
        voice: Voice::Asked,
        says: "an atomic access orders the accesses around it",
        ruling: Ruling::Wrong,
        why: "It does so only if it has an order that is stronger than relaxed. A relaxed access is atomic, \
              and nothing else. `atomicAdd` and the other built-in functions are relaxed.",
        proof: Proof::Run(Test {
            rows: &["ref_message_relaxed", "ref_message_relaxed-weak"],
            twins: &["ref_message", "ref_message-weak"],
            holds: comes_out_right,
            evidence: in_both_memories,
        }),
    },
    Claim {
        id: "S9.3",
        voice: Voice::Asked,
        says: "it is enough that the writer of a message uses release",
        ruling: Ruling::Wrong,
        why: "A release takes effect only for a thread that acquires what was stored. A reader whose load of \
              the flag is relaxed may read data that is older than the flag.",
        proof: Proof::Run(Test {
            rows: &["ref_message_release", "ref_message_release-weak"],
            twins: &["ref_message", "ref_message-weak"],
            holds: comes_out_right,
            evidence: in_both_memories,
        }),
    },
    Claim {
        id: "S9.4",
        voice: Voice::Asked,
        says: "relaxed order is enough for a lock, because only one thread can get it",
        ruling: Ruling::Wrong,
        why: "Only one thread at a time gets it, and yet updates are lost: nothing orders what one owner did \
              before what the next one does. Take the lock with acquire, and give it back with release.",
        proof: Proof::Run(Test {
            rows: &["ref_rounds_relaxed", "ref_rounds_relaxed-weak"],
            twins: &["ref_rounds", "ref_rounds-weak"],
            holds: comes_out_right,
            evidence: in_both_memories,
        }),
    },
    Claim {
        id: "S9.5",
        voice: Voice::Asked,
        says: "`thread_scope_block` suffices if one thread of a block does the work",
        ruling: Ruling::Condition,
        why: "It does not matter how many threads of a block work. The scope has to include all threads \
              that use the flag or the lock: the block is enough if they are all of one block, and if they \
              are of several blocks it has to be the device.",
        proof: Proof::Run(Test {
            rows: &["ref_in_block", "ref_in_block-weak"],
            twins: &["ref_message_block_scope", "ref_message_block_scope-weak"],
            holds: comes_out_right,
            evidence: in_both_memories,
        }),
    },
    Claim {
        id: "S9.6",
        voice: Voice::Asked,
        says: "a thread that has arrived at a barrier may read what the others wrote before it",
        ruling: Ruling::Wrong,
        why: "By arriving, a thread only tells the others that its own part is done. It may read their parts \
              when it has waited, which `arrive` does not do and `arrive_and_wait` does.",
        proof: Proof::Run(Test {
            rows: &["hand_on_no_wait", "hand_on_no_wait-weak"],
            twins: &["hand_on", "hand_on-weak"],
            holds: comes_out_right,
            evidence: in_both_memories,
        }),
    },
    Claim {
        id: "S9.7",
        voice: Voice::Asked,
        says: "where one lane acts for its warp, it may as well be lane 0",
        ruling: Ruling::Condition,
        why: "Lane 0 will do where all lanes come. Inside a branch it may not be among them, and then \
              nothing is done. Let the lowest lane of the mask act there, or the one that `elect.sync` \
              chooses.",
        proof: Proof::Run(Test {
            rows: &["pick_elect"],
            twins: &["pick_zero"],
            holds: |seen| seen[0].fact("missing") == 0.0,
            evidence: |seen| {
                let [counted, missing] = ["counted", "missing"].map(|name| seen[0].fact(name));
                format!("{}: {missing} of {} are left out", seen[0].variant(), counted + missing)
            },
        }),
    },
    Claim {
        id: "S9.8",
        voice: Voice::Asked,
        says: "`cuda::atomic_ref` is slower than the built-in functions",
        ruling: Ruling::Condition,
        why: "A lock can be faster with it: in the twin, acquire and release take the place of two \
              `__threadfence()`. An addition can be slower: if nothing uses the result of `atomicAdd`, the \
              assembler takes an instruction that returns none, but it leaves a `fetch_add` as it is. Where \
              many threads add to one counter, that makes no difference.",
        proof: Proof::Recorded(
            LONG,
            Test {
                rows: &["add_built_in-own", "add_relaxed-own"],
                twins: &["rounds_fences", "ref_rounds"],
                holds: |seen| seen[1].time_us() > 1.1 * seen[0].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S9.9",
        voice: Voice::Asked,
        says: "a back-off is always faster than trying again at once",
        ruling: Ruling::Wrong,
        why: "It makes far fewer requests, and so it leaves the memory to other work. Here there is no other \
              work, and while all that wait are asleep, the lock may be open and no thread takes it. What \
              does make a lock faster is acquire and release in place of fences, as in the twin.",
        proof: Proof::Recorded(
            LARGE,
            Test {
                rows: &["wait_spin-many", "wait_doubling-many"],
                twins: &["rounds_fences", "ref_rounds"],
                holds: |seen| seen[1].time_us() < seen[0].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S9.10",
        voice: Voice::Asked,
        says: "`redux.sync`, being one instruction, is five times as fast as five shuffles",
        ruling: Ruling::Wrong,
        why: "It is faster, but by less than that, because its result takes longer to arrive than that of a \
              shuffle. The number of instructions is not the time. The twin shows that this clock can tell a \
              factor of five: additions to one counter queue, and additions to a counter each do not.",
        proof: Proof::Recorded(
            LARGE,
            Test {
                rows: &["sums_shuffles", "sums_redux"],
                twins: &["add_built_in-one", "add_built_in-own"],
                holds: |seen| 5.0 * seen[1].time_us() <= seen[0].time_us(),
                evidence: times,
            },
        ),
    },
    Claim {
        id: "S9.11",
        voice: Voice::Asked,
        says: "`arrive_and_wait` of a `cuda::barrier` costs as much as `__syncthreads()`",
        ruling: Ruling::Wrong,
        why: "`__syncthreads()` is one instruction, at which a warp is not issued until it may continue. At \
              a `cuda::barrier` a thread arrives, asks in a loop, and looks at a clock. Use it for what \
              `__syncthreads()` cannot do. Work between arriving and waiting, as in the twin, hardly \
              changes the time.",
        proof: Proof::Recorded(
            LARGE,
            Test {
                rows: &["turn_syncthreads", "turn_barrier-sm_90"],
                twins: &["turn_barrier-sm_90", "turn_split-sm_90"],
                holds: |seen| seen[1].time_us() < 1.3 * seen[0].time_us(),
                evidence: times,
            },
        ),
    },
];

/// Whether no race was found, and no seed of the weak memory had a wrong result.
fn comes_out_right(seen: &[Seen]) -> bool {
    seen[0].fault("race").is_none() && seen[1].fact("seeds_wrong") == 0.0
}

/// What the checker of races found in the first row, and the result of the second row in the weak memory.
fn in_both_memories(seen: &[Seen]) -> String {
    let race = if seen[0].fault("race").is_some() { "a race" } else { "no race" };
    let [wrong, seeds] = ["seeds_wrong", "seeds"].map(|name| seen[1].fact(name));
    format!("{}: {race}; in the weak memory {wrong} of {seeds} seeds give a wrong result", seen[0].variant())
}

fn times(seen: &[Seen]) -> String {
    let time = |seen: &Seen| format!("{} {:.1} µs", seen.variant(), seen.time_us());
    seen.iter().map(time).collect::<Vec<_>>().join(", ")
}
