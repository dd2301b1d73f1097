//! What the second note says about atomics, locks and fences, and which rows decide it.
//!
//! It leaves out what cannot be run: that its sum in double precision lacks `__device__` and does not compile.

use lanes::claims::{Claim, Proof, Ruling, Seen, Test};
use lanes::report::layout::counted;

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N2.12",
        says: "when several threads of a warp execute count++ the counter is updated once",
        ruling: Ruling::Holds,
        why: "The lanes of one instruction load the same value and store the same sum. Nothing promises that \
              lanes stay together, several warps leave any number of updates, and it is a race in any case: \
              use an atomic.",
        proof: Proof::Run(Test {
            rows: &["count_plain-warp", "count_shared_plain-warp"],
            twins: &["count_atomic-warp", "count_shared_atomic-warp"],
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
        says: "atomic operations are almost all for integers only",
        ruling: Ruling::Outdated,
        why: "Built in for floating point are additions, by now of half precision too, and an exchange of floats; \
              no maximum, and nothing bitwise. But compare-and-swap on the bits makes an atomic of any operation \
              on 64 bits or less.",
        proof: Proof::Run(Test {
            rows: &["max_float_as_int-negative"],
            twins: &["max_float_cas-negative"],
            holds: |seen| seen[0].verdict() != "ok",
            evidence: |seen| {
                format!("the atomic maximum of floats by {} is {}", seen[0].variant(), seen[0].verdict())
            },
        }),
    },
    Claim {
        id: "N2.14",
        says: "atomics are fast in shared memory and only slightly slower in global memory",
        ruling: Ruling::Condition,
        why: "Where threads have counters of their own global memory is not slower. Where all add to one counter \
              they queue, in global memory those of all blocks at one place, lane by lane: add up in shared \
              memory first, and once for each block in global memory.",
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
        says: "atomicCAS returns the old value whether or not it replaced it",
        ruling: Ruling::Holds,
        why: "Who gets back what he compared with has replaced it; everybody else learns what is there now.",
        proof: Proof::Run(Test {
            rows: &["cas_one_wins"],
            twins: &["exch_last_wins"],
            holds: |seen| whole(seen[0], "got_0") == Some(1) && whole(seen[0], "got_winner") == Some(255),
            evidence: |seen| {
                let [winners, others] = ["got_0", "got_winner"].map(|name| seen[0].fact(name));
                format!(
                    "{}: {winners} got back the 0 and is what is left, {others} got back what is left",
                    seen[0].variant()
                )
            },
        }),
    },
    Claim {
        id: "N2.16",
        says: "a lock that is given back without a fence can lose updates",
        ruling: Ruling::Holds,
        why: "Nothing orders the count of one owner before that of the next. An H200 loses nearly all updates \
              when blocks add many times, because each goes on with the copy in its multiprocessor's cache; \
              nearly none of its loads goes on to the second-level cache, which has the sum.",
        proof: Proof::Run(Test {
            rows: &["rounds_no_fence", "rounds_no_fence-weak"],
            twins: &["rounds_fences", "rounds_fences-weak"],
            holds: |seen| seen[0].fault("race").is_some() && seen[1].fact("seeds_wrong") > 0.0,
            evidence: |seen| format!("{}{}", both_worlds(seen), on_the_gpu(seen[0])),
        }),
    },
    Claim {
        id: "N2.17",
        says: "with one fence before it is given back, the lock loses nothing",
        ruling: Ruling::Condition,
        why: "True where a load returns the last store, and on an H200: its fence also empties the first-level \
              cache, so that no copy outlives its owner's turn. The memory model promises less: the store that \
              gives the lock back is plain and races with the others' compare-and-swap, and nothing keeps the \
              next owner's load from being older. It takes a fence after the lock is taken too, and an atomic \
              to give it back, or acquire and release.",
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
        says: "after __threadfence() a thread's writes are visible to all threads",
        ruling: Ruling::Condition,
        why: "A fence orders its own thread's accesses and waits for nobody. The others see the write if they \
              have seen a flag that was stored after the fence, and have a fence of their own behind that; \
              without the flag nothing says that they come later.",
        proof: Proof::Run(Test {
            rows: &["message_fences", "message_fences-weak"],
            twins: &["message_no_flag", "message_no_flag-weak"],
            holds: |seen| seen[0].fault("race").is_none() && seen[1].fact("seeds_wrong") == 0.0,
            evidence: both_worlds,
        }),
    },
    Claim {
        id: "N2.19",
        says: "doubles are added atomically by compare-and-swap until the old value equals the assumed one",
        ruling: Ruling::Wrong,
        why: "The doubles are compared: a NaN never equals itself, and -0 equals +0 although the exchange \
              failed. The plain first load is a race, there is no `__device__`, and since sm_60 the name is \
              taken. Compare the bits, load with volatile, or use the built-in one.",
        proof: Proof::Run(Test {
            rows: &["add_double_note", "add_double_compare-nan", "add_zero_compare"],
            twins: &["add_double_bits", "add_double_bits-nan", "add_zero_bits"],
            holds: |seen| seen.iter().all(|seen| seen.verdict() == "ok"),
            evidence: |seen| {
                let race = if seen[0].fault("race").is_some() { "a race" } else { "no race" };
                let (vain, lost) = (seen[1].fact("gave_up"), seen[2].fact("lost"));
                format!("{race}; {vain} threads never end with a NaN; {lost} additions lost at -0")
            },
        }),
    },
    Claim {
        id: "N2.25",
        says: "lanes of one warp that all want one lock wait for ever",
        ruling: Ruling::Condition,
        why: "The note does not say so, for in its kernels one thread of a block takes the lock; it is what a \
              reader tries next. With one program counter for a warp, before Volta or when built for it, the owner \
              waits behind the loop for those who wait for him. With one for each lane it ends; a lock that is \
              given back inside the loop always does. Better, one lane takes it for all.",
        proof: Proof::Run(Test {
            rows: &["lock_behind-sm_60", "lock_behind-endless"],
            twins: &["lock_behind-sm_70", "lock_inside-sm_60"],
            holds: |seen| seen.iter().all(|seen| seen.fact("through") < 32.0),
            evidence: |seen| {
                let lanes =
                    |seen: &Seen| format!("{}: {} of 32 get it", seen.variant(), seen.fact("through"));
                seen.iter().map(lanes).collect::<Vec<_>>().join("; ")
            },
        }),
    },
    Claim {
        id: "N2.29",
        says: "__threadfence_block() is enough within a block, and __threadfence() is needed between blocks",
        ruling: Ruling::Holds,
        why: "The scope of a fence must reach both threads, and both need one.",
        proof: Proof::Run(Test {
            rows: &["message_in_block-weak", "message_block_fence-weak", "message_fences-weak"],
            twins: &["message_in_block_none-weak", "message_block_fence-weak", "message_fences-weak"],
            holds: |seen| {
                let wrong = |seen: &Seen| seen.fact("seeds_wrong") > 0.0;
                !wrong(&seen[0]) && wrong(&seen[1]) && !wrong(&seen[2])
            },
            evidence: |seen| {
                let wrong = |seen: &Seen| format!("{}: {} wrong", seen.variant(), seen.fact("seeds_wrong"));
                format!(
                    "of {} seeds {}",
                    seen[0].fact("seeds"),
                    seen.iter().map(wrong).collect::<Vec<_>>().join(", ")
                )
            },
        }),
    },
];

/// What the checker of races found in one row, and the weak memory in the next.
fn both_worlds(seen: &[Seen]) -> String {
    let race = seen[0].fault("race").map(|count| format!("a race, found {}", counted(count, "time")));
    let race = race.unwrap_or_else(|| "no race".to_owned());
    let [wrong, seeds] = ["seeds_wrong", "seeds"].map(|name| seen[1].fact(name));
    format!("{}: {race}; {wrong} of {seeds} seeds wrong in a weak memory", seen[0].variant())
}

/// What a GPU lost, if there is one.
fn on_the_gpu(seen: Seen) -> String {
    let [lost, updates] = ["gpu_lost", "updates"].map(|name| seen.fact(name));
    if lost.is_nan() { String::new() } else { format!("; {lost} of {updates} updates lost on the GPU") }
}

/// A fact that is a count, if the row has it.
fn whole(seen: Seen, name: &str) -> Option<u64> {
    let value = seen.fact(name);
    value.is_finite().then_some(value as u64)
}
