//! What the note on control flow says about atomics, locks and fences, and which rows decide it.
//!
//! It leaves out code that cannot be run: the note's addition of doubles lacks `__device__` and does not compile.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};
use thirty_two_lanes::report::layout::counted;

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N2.12",
        voice: Voice::Note,
        says: "if several threads of one warp execute `count++`, the counter is updated only once",
        ruling: Ruling::Condition,
        why: "This holds as long as the lanes stay together, because then they load the same value and store \
              the same sum. But nothing promises that they stay together. With several warps, as in the \
              twin, more than one update may survive. In every case it is a race: use an atomic.",
        proof: Proof::Run(Test {
            rows: &["count_plain-warp", "count_shared_plain-warp"],
            twins: &["count_plain-block", "count_shared_plain-block"],
            holds: |seen| {
                seen.iter().all(|seen| whole(*seen, "least") == Some(1) && whole(*seen, "most") == Some(1))
            },
            evidence: |seen| {
                let counted = |seen: &Seen| {
                    let [least, most, threads] = ["least", "most", "threads"].map(|name| seen.fact(name));
                    let left = if least < most { format!("{least} to {most}") } else { format!("{least}") };
                    let race = if seen.fault("race").is_some() { "a race" } else { "no race" };
                    format!("{}: {left} of {threads} updates, {race}", seen.variant())
                };
                seen.iter().map(counted).collect::<Vec<_>>().join("; ")
            },
        }),
    },
    Claim {
        id: "N2.13",
        voice: Voice::Note,
        says: "several atomic operations are supported, almost all of them only for integers",
        ruling: Ruling::Holds,
        why: "For floating point there are additions and an exchange of floats, but no minimum, no maximum \
              and nothing bitwise. New since the note are additions of `__half` and `__nv_bfloat16`, alone \
              and in pairs, additions of `float2` and `float4` in global memory (from sm_90 on), and a \
              compare-and-swap of 128 bits (from sm_90 on). Compare-and-swap on the bits makes any operation \
              on a word atomic.",
        proof: Proof::Run(Test {
            rows: &["apply_unsigned", "apply_float", "apply_double"],
            twins: &["apply_unsigned", "apply_int", "apply_long"],
            // For each of the other types there is at most one operation for every four on integers.
            holds: |seen| {
                let operations = |row: &Seen| row.fact("operations");
                seen[1..].iter().all(|row| 4.0 * operations(row) <= operations(&seen[0]))
            },
            evidence: |seen| {
                let operations = |row: &Seen| format!("{} {}", row.variant(), row.fact("operations"));
                let operations: Vec<String> = seen.iter().map(operations).collect();
                format!("built-in operations: {}", operations.join(", "))
            },
        }),
    },
    Claim {
        id: "N2.14",
        voice: Voice::Note,
        says: "atomics are fast in shared memory and only slightly slower in global memory",
        ruling: Ruling::Condition,
        why: "If each thread has a counter of its own, global memory is not slower. If all threads add to \
              one counter, they queue; in global memory, the lanes of all blocks queue at one address. In \
              that case, add up in shared memory first, and add to global memory once for each block.",
        proof: Proof::Clock(Test {
            rows: &["tally_shared-own", "tally_global-own"],
            twins: &["tally_shared-one", "tally_global-one"],
            holds: |seen| seen[1].time_us() < 2.0 * seen[0].time_us(),
            evidence: |seen| {
                let time = |seen: &Seen| format!("{} {:.1} µs", seen.variant(), seen.time_us());
                seen.iter().map(time).collect::<Vec<_>>().join(", ")
            },
        }),
    },
    Claim {
        id: "N2.15",
        voice: Voice::Note,
        says: "`atomicCAS` returns the old value whether or not it has replaced it",
        ruling: Ruling::Holds,
        why: "A thread that gets back the value it compared with has replaced it. Every other thread gets \
              the value that is there now.",
        proof: Proof::Run(Test {
            rows: &["cas_one_wins"],
            twins: &["exch_last_wins"],
            holds: |seen| whole(seen[0], "got_0") == Some(1) && whole(seen[0], "got_winner") == Some(255),
            evidence: |seen| {
                let [first, later] = ["got_0", "got_winner"].map(|name| seen[0].fact(name));
                let name = seen[0].variant();
                format!(
                    "{name}: threads that got the 0 back {first}, that got the winner's number back {later}"
                )
            },
        }),
    },
    Claim {
        id: "N2.16",
        voice: Voice::Note,
        says: "a lock that is released without a fence can lose updates",
        ruling: Ruling::Holds,
        why: "Nothing orders one owner's update before the next owner's. If blocks add many times, an H200 \
              loses nearly all updates, because each block continues with the copy in the cache of its \
              multiprocessor; nearly none of its loads reaches the second-level cache, which has the sum.",
        proof: Proof::Run(Test {
            rows: &["rounds_no_fence", "rounds_no_fence-weak"],
            twins: &["rounds_fences", "rounds_fences-weak"],
            holds: |seen| seen[0].fault("race").is_some() && seen[1].fact("seeds_wrong") > 0.0,
            evidence: |seen| format!("{}{}", in_both_memories(seen), on_the_gpu(seen[0])),
        }),
    },
    Claim {
        id: "N2.17",
        voice: Voice::Code,
        says: "a lock that is released after a single `__threadfence()` loses no update",
        ruling: Ruling::Condition,
        why: "This is true if a load always returns the last store. It is true on an H200, whose fence also \
              empties the first-level cache, so that no copy outlives the owner's turn. The memory model \
              promises less: the store that releases the lock is a plain store and races with the \
              compare-and-swap of other threads, and nothing keeps the next owner from loading an older \
              value. The lock needs a second fence after it is taken and an atomic to release it, or acquire \
              and release.",
        proof: Proof::Run(Test {
            rows: &["rounds_note"],
            twins: &["rounds_note-weak"],
            holds: |seen| seen[0].fact("lost") == 0.0,
            evidence: |seen| {
                let [lost, updates] = ["lost", "updates"].map(|name| seen[0].fact(name));
                let race = if seen[0].fault("race").is_some() { ", and a race is reported" } else { "" };
                let gpu = on_the_gpu(seen[0]);
                format!("{}: {lost} of {updates} updates lost{race}{gpu}", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N2.18",
        voice: Voice::Note,
        says: "`__threadfence()` waits until a thread's writes are visible to all threads",
        ruling: Ruling::Condition,
        why: "A fence orders the accesses of its own thread and waits for no other thread. Another thread is \
              certain to see the write only if it has seen a flag that was stored after the fence, and has \
              then executed a fence of its own. Without the flag, nothing ensures that its load comes after \
              the write.",
        proof: Proof::Run(Test {
            rows: &["message_fences", "message_fences-weak"],
            twins: &["message_no_flag", "message_no_flag-weak"],
            holds: |seen| seen[0].fault("race").is_none() && seen[1].fact("seeds_wrong") == 0.0,
            evidence: in_both_memories,
        }),
    },
    Claim {
        id: "N2.19",
        voice: Voice::Code,
        says: "doubles are added atomically by a loop over compare-and-swap, until the old value equals the \
               assumed one",
        ruling: Ruling::Wrong,
        why: "The loop compares doubles. A NaN never equals itself, so the loop does not end; and -0 equals \
              +0, so the loop ends although the exchange has failed. In addition the plain first load is a \
              race, `__device__` is missing, and since sm_60 the name belongs to a built-in function. \
              Compare the bits and load with `volatile`, or use the built-in function.",
        proof: Proof::Run(Test {
            rows: &["add_double_note", "add_double_compare-nan", "add_zero_compare"],
            twins: &["add_double_bits", "add_double_bits-nan", "add_zero_bits"],
            holds: |seen| seen[0].fault("race").is_none() && seen.iter().all(|seen| seen.verdict() == "ok"),
            evidence: |seen| {
                let race = if seen[0].fault("race").is_some() { "a race" } else { "no race" };
                let (endless, lost) = (seen[1].fact("gave_up"), seen[2].fact("lost"));
                format!("{race}; with a NaN {endless} threads do not finish; at -0 {lost} additions are lost")
            },
        }),
    },
    Claim {
        id: "N2.25",
        voice: Voice::Reader,
        says: "the note's lock also works if all lanes of one warp want it",
        ruling: Ruling::Condition,
        why: "In the note's kernels one thread of a block takes the lock. With one program counter for the \
              warp (before Volta, or when compiled for it) the owner waits after the loop for the other \
              lanes, and they wait for the owner. With a program counter for each lane, all lanes get the \
              lock. If the lock is released inside the loop, they get it in either case. It is better to let \
              one lane take the lock for all.",
        proof: Proof::Run(Test {
            rows: &["lock_after-sm_70", "lock_inside-sm_60"],
            twins: &["lock_after-sm_60", "lock_after-endless"],
            holds: |seen| seen.iter().all(|seen| whole(*seen, "through") == Some(32)),
            evidence: |seen| {
                let lanes =
                    |seen: &Seen| format!("{}: {} of 32 lanes get it", seen.variant(), seen.fact("through"));
                seen.iter().map(lanes).collect::<Vec<_>>().join("; ")
            },
        }),
    },
    Claim {
        id: "N2.29",
        voice: Voice::Note,
        says: "`__threadfence_block()` makes writes visible to the threads of the block, `__threadfence()` \
               to the threads of other blocks as well",
        ruling: Ruling::Holds,
        why: "The scope of a fence must include both threads, and each of the two threads needs a fence.",
        proof: Proof::Run(Test {
            rows: &["message_in_block-weak", "message_block_fence-weak", "message_fences-weak"],
            twins: &["message_in_block_none-weak", "message_block_fence-weak", "message_fences-weak"],
            holds: |seen| {
                let wrong = |seen: &Seen| seen.fact("seeds_wrong") > 0.0;
                !wrong(&seen[0]) && wrong(&seen[1]) && !wrong(&seen[2])
            },
            evidence: |seen| {
                let wrong = |seen: &Seen| format!("{} {}", seen.variant(), seen.fact("seeds_wrong"));
                format!(
                    "wrong messages in {} seeds: {}",
                    seen[0].fact("seeds"),
                    seen.iter().map(wrong).collect::<Vec<_>>().join(", ")
                )
            },
        }),
    },
];

/// What the checker of races found in the first row, and the result of the second row in the weak memory.
fn in_both_memories(seen: &[Seen]) -> String {
    let race = seen[0].fault("race").map(|count| format!("a race, reported {}", counted(count, "time")));
    let race = race.unwrap_or_else(|| "no race".to_owned());
    let [wrong, seeds] = ["seeds_wrong", "seeds"].map(|name| seen[1].fact(name));
    format!("{}: {race}; in the weak memory {wrong} of {seeds} seeds give a wrong result", seen[0].variant())
}

/// How many updates a GPU lost, if there is a GPU.
fn on_the_gpu(seen: Seen) -> String {
    let [lost, updates] = ["gpu_lost", "updates"].map(|name| seen.fact(name));
    if lost.is_nan() { String::new() } else { format!("; {lost} of {updates} updates lost on the GPU") }
}

/// A fact that is a count, if the row has it.
fn whole(seen: Seen, name: &str) -> Option<u64> {
    let value = seen.fact(name);
    value.is_finite().then_some(value as u64)
}
