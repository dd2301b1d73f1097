//! What tutorials say about matrix instructions, or leave a reader to believe, and which rows decide it.
//!
//! A claim that somebody makes names where. It leaves out statements about time: they are decided by a record of large matrices,
//! which the book shows.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "S11.1",
        voice: Voice::Asked,
        says: "a product in which no checker finds anything is right",
        ruling: Ruling::Wrong,
        why: "A matrix instruction takes what is in the registers. If B was loaded by rows where columns are expected, every \
              access is inside its array and every register has a value, so there is nothing to find. Only a comparison with \
              another product shows it.",
        proof: Proof::Run(Test {
            rows: &["multiply_b_by_rows"],
            twins: &["multiply_by_hand"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "S11.2",
        voice: Voice::Asked,
        says: "a lane that has no row of A may leave out the multiplication",
        ruling: Ruling::Wrong,
        why: "`mma.sync.aligned` is executed by all 32 lanes or not at all, because the elements that one lane holds are factors \
              of others' results. Give such a lane zeros, and put the branch around its loads and stores. (PTX ISA, `mma`; the \
              Programming Guide says the same of `wmma`.)",
        proof: Proof::Run(Test {
            rows: &["multiply_in_a_branch"],
            twins: &["multiply_first_rows"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "S11.3",
        voice: Voice::Asked,
        says: "`ldmatrix.sync` waits for the other warps' stores, because `sync` is in its name",
        ruling: Ruling::Wrong,
        why: "It makes the lanes of one warp wait for each other. What another warp has stored is there only after a block \
              barrier.",
        proof: Proof::Run(Test {
            rows: &["from_tile_no_barrier"],
            twins: &["from_tile"],
            holds: |seen| seen[0].fault("race").is_none(),
            evidence: verdicts,
        }),
    },
    Claim {
        id: "S11.4",
        voice: Voice::Asked,
        says: "one more element in each row of a tile is the cure for bank conflicts",
        ruling: Ruling::Wrong,
        why: "It is for loads of four bytes, as in Mark Harris's article on the transposition of a matrix (NVIDIA, 2013). But \
              `ldmatrix` reads rows of 16 bytes, which have to begin at a multiple of 16. Add 16 bytes to each row, or exchange \
              the pieces inside it.",
        proof: Proof::Run(Test {
            rows: &["from_tile_padded_by_one"],
            twins: &["strip_padded"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "S11.5",
        voice: Voice::Asked,
        says: "a swizzle removes the bank conflicts of `ldmatrix` and takes no memory",
        ruling: Ruling::Holds,
        why: "It stores each piece of 16 bytes in the same row, but in another place of it, so that eight rows below one another \
              use all banks. That is why the library CUTLASS stores its tiles in this way.",
        proof: Proof::Run(Test {
            rows: &["strip_swizzled"],
            twins: &["strip_rows"],
            holds: |seen| seen[0].counter("shared_load_bank_conflicts") == 0.0,
            evidence: |seen| {
                format!(
                    "{}: {} bank conflicts, {} bytes",
                    seen[0].variant(),
                    seen[0].counter("shared_load_bank_conflicts"),
                    seen[0].fact("shared_bytes")
                )
            },
        }),
    },
    Claim {
        id: "S11.6",
        voice: Voice::Asked,
        says: "a block barrier is enough before the block reads what `cp.async` has copied",
        ruling: Ruling::Wrong,
        why: "A barrier orders what threads have done, and the copy is not done by its thread. Each thread first waits for its own \
              copies, and the barrier then says that all threads have.",
        proof: Proof::Run(Test {
            rows: &["strip_no_wait"],
            twins: &["strip_ahead"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "S11.7",
        voice: Voice::Asked,
        says: "a tensor core adds the products of f16 as floats are added",
        ruling: Ruling::Wrong,
        why: "So it is often described, for example by Jeremy Appleyard and Scott Yokim when the first ones appeared (NVIDIA, \
              2017). The products are exact, but all terms are aligned with the largest one and cut off, and the sum is cut off \
              again. A float would be rounded to the nearest one.",
        proof: Proof::Run(Test {
            rows: &["three_quarters-mma"],
            twins: &["three_quarters-thread"],
            holds: |seen| (seen[0].fact("kept") - seen[0].fact("exact").round()).abs() < 0.1,
            evidence: kept,
        }),
    },
    Claim {
        id: "S11.8",
        voice: Voice::Asked,
        says: "a tensor core keeps a small addend between large ones",
        ruling: Ruling::Condition,
        why: "It does as long as the largest term is less than 2^26 times as large, whatever the order of the products. A thread \
              that adds one after another may lose it earlier, or keep it: there the order decides.",
        proof: Proof::Run(Test {
            rows: &["one_between-mma"],
            twins: &["one_at_the_end-mma"],
            holds: |seen| (seen[0].fact("kept") - seen[0].fact("exact")).abs() < 0.1,
            evidence: kept,
        }),
    },
    Claim {
        id: "S11.9",
        voice: Voice::Asked,
        says: "a long sum with f32 accumulators is off by as much in a tensor core as in a thread",
        ruling: Ruling::Wrong,
        why: "What is cut off has always the same sign, so with positive products the errors of all rounds add up. Roundings to the \
              nearest float nearly cancel. (That tensor cores do not round to the nearest was shown by Massimiliano Fasi, Nicholas \
              Higham, Mantas Mikaitis and Srikara Pranesh in PeerJ Computer Science, 2021.)",
        proof: Proof::Run(Test {
            rows: &["long_f16"],
            twins: &["long_one_by_one"],
            holds: |seen| seen[0].fact("lost").abs() < 10.0,
            evidence: |seen| format!("{}: {:.1} steps lost", seen[0].variant(), seen[0].fact("lost")),
        }),
    },
];

fn is_right(seen: &[Seen]) -> bool {
    seen[0].verdict() == "ok"
}

fn verdicts(seen: &[Seen]) -> String {
    format!("{}: {}", seen[0].variant(), seen[0].verdict())
}

fn kept(seen: &[Seen]) -> String {
    format!("{}: {} of {}", seen[0].variant(), seen[0].fact("kept"), seen[0].fact("exact"))
}
