//! Claims about tiles and copies as tutorials and manuals make them, and those that a reader may draw from them. Each names
//! where it comes from, and the emulator's counts and findings decide it.
//!
//! It leaves out claims about time: the pages judge those by the record of a larger product.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};
use thirty_two_lanes::report::layout::grouped;

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "S10.1",
        voice: Voice::Asked,
        says: "a matrix product should have neighbouring threads compute neighbouring elements of a row",
        ruling: Ruling::Holds,
        why: "NVIDIA's *CUDA C++ Best Practices Guide* asks for coalesced accesses before anything else. In a row of C the lanes \
              of a warp share one element of A, and their elements of B are side by side. In a column, each lane needs another \
              row of A, which is another sector.",
        proof: Proof::Run(Test {
            rows: &["product_across"],
            twins: &["product_down"],
            holds: |seen| sectors_per_load(seen[0]) <= 4.0,
            evidence: |seen| {
                format!("{}: {:.1} sectors for a load", seen[0].variant(), sectors_per_load(seen[0]))
            },
        }),
    },
    Claim {
        id: "S10.2",
        voice: Voice::Asked,
        says: "with tiles of 32 by 32 in shared memory, a product makes one 32nd of its loads from global memory",
        ruling: Ruling::Holds,
        why: "The chapter on shared memory in NVIDIA's *CUDA C++ Programming Guide* explains tiles in this way. Each value of a \
              tile is loaded once for the block, and 32 threads use it. With a larger tile it's a smaller part, as in the twin.",
        proof: Proof::Run(Test {
            rows: &["product_tile", "product_across"],
            twins: &["product_registers", "product_across"],
            holds: |seen| is_equal(32.0 * requests(seen[0]), requests(seen[1])),
            evidence: |seen| counts(seen, requests, "loads from global memory"),
        }),
    },
    Claim {
        id: "S10.3",
        voice: Voice::Asked,
        says: "once its tiles are in shared memory, loads no longer limit a product",
        ruling: Ruling::Wrong,
        why: "Readers conclude this from the Programming Guide, which ends its example there. But a product still takes two \
              loads, only from shared memory. Simon Boehm's worklog about a kernel as fast as cuBLAS \
              finds the same, and gives each thread a tile of its own, as the twin does. (The assembler merges some \
              of the loads of `product_tile`, which the counts of PTX don't show.)",
        proof: Proof::Run(Test {
            rows: &["product_across", "product_tile"],
            twins: &["product_across", "product_registers"],
            holds: |seen| 2.0 * loads(seen[1]) < loads(seen[0]),
            evidence: |seen| counts(seen, loads, "loads"),
        }),
    },
    Claim {
        id: "S10.4",
        voice: Voice::Asked,
        says: "the barrier at the end of a round can go, because the next round has one before the tiles are used",
        ruling: Ruling::Wrong,
        why: "It's a question that every worklog gets about its loop with two `__syncthreads()`. The barrier of the next round \
              comes after its loads, and these loads overwrite the tiles that a slower warp may still be reading.",
        proof: Proof::Run(Test {
            rows: &["product_tile_no_second"],
            twins: &["product_tile"],
            holds: has_no_race,
            evidence: races,
        }),
    },
    Claim {
        id: "S10.5",
        voice: Voice::Asked,
        says: "loads of 16 bytes bring the same tiles out of shared memory in a quarter of the instructions",
        ruling: Ruling::Holds,
        why: "Justin Luitjens showed it for copies in NVIDIA's blog, in a tip about wide accesses to memory. \
              Here it needs A's tile transposed, so that the four values for a load are side by side.",
        proof: Proof::Run(Test {
            rows: &["product_wide", "product_registers"],
            twins: &["product_registers", "product_tile"],
            holds: |seen| is_equal(4.0 * shared_loads(seen[0]), shared_loads(seen[1])),
            evidence: |seen| counts(seen, shared_loads, "loads from shared memory"),
        }),
    },
    Claim {
        id: "S10.6",
        voice: Voice::Asked,
        says: "`cp.async.wait_group N` waits until N groups have arrived",
        ruling: Ruling::Wrong,
        why: "The *PTX ISA* says the opposite: it waits until at most N of the thread's most recent groups are still under way. \
              So a larger number waits for less.",
        proof: Proof::Run(Test {
            rows: &["product_async_late_wait"],
            twins: &["product_async"],
            holds: has_no_race,
            evidence: races,
        }),
    },
    Claim {
        id: "S10.7",
        voice: Voice::Asked,
        says: "a thread that has waited for its copies may read the tile",
        ruling: Ruling::Condition,
        why: "It may read what it has copied itself, because the *PTX ISA* makes that visible to the thread that waits, and to no \
              other. For the copies of other threads the block needs a barrier after the wait, as `product_async` has.",
        proof: Proof::Run(Test {
            rows: &["product_async"],
            twins: &["product_async_no_barrier"],
            holds: has_no_race,
            evidence: races,
        }),
    },
    Claim {
        id: "S10.8",
        voice: Voice::Asked,
        says: "the sooner the copies of a later round are issued the better, so they should come first in the loop",
        ruling: Ruling::Wrong,
        why: "Guides to pipelines, NVIDIA's CUTLASS among them, say to issue copies early. The ring limits how early: the next \
              copies go into the stage of the round before, which others may still read until the barrier has been passed.",
        proof: Proof::Run(Test {
            rows: &["product_async_too_early"],
            twins: &["product_async"],
            holds: has_no_race,
            evidence: races,
        }),
    },
    Claim {
        id: "S10.9",
        voice: Voice::Asked,
        says: "the bytes that an mbarrier expects may be rounded up",
        ruling: Ruling::Wrong,
        why: "CUTLASS speaks of the transaction bytes of a stage, and the size of the stage looks like the right number. If there is \
              padding in it, the barrier waits for bytes that nobody brings. In the *PTX ISA* a phase ends only when the count \
              is exactly zero.",
        proof: Proof::Run(Test {
            rows: &["product_supplied_too_many"],
            twins: &["product_supplied"],
            holds: is_right,
            evidence: verdict,
        }),
    },
    Claim {
        id: "S10.10",
        voice: Voice::Asked,
        says: "one barrier for each stage is enough: the consumers wait until it's full",
        ruling: Ruling::Wrong,
        why: "The pipelines of CUTLASS have a full and an empty barrier for each stage, and this is why: without the second \
              one, copies of the next lap arrive in a stage that is still being read.",
        proof: Proof::Run(Test {
            rows: &["product_supplied_no_empty"],
            twins: &["product_supplied"],
            holds: is_right,
            evidence: verdict,
        }),
    },
    Claim {
        id: "S10.11",
        voice: Voice::Asked,
        says: "after `__syncthreads()` a bulk copy reads what the threads stored before it",
        ruling: Ruling::Wrong,
        why: "`__syncthreads()` orders accesses of threads. A bulk copy reads through another path, the asynchronous proxy, and \
              the *CUDA C++ Programming Guide* asks for `fence.proxy.async` after the stores and before the barrier.",
        proof: Proof::Run(Test {
            rows: &["product_supplied_no_fence"],
            twins: &["product_supplied"],
            holds: has_no_race,
            evidence: races,
        }),
    },
    Claim {
        id: "S10.12",
        voice: Voice::Asked,
        says: "a supplier waits until its own block has read a stage, and may then fill it again in all blocks of a cluster",
        ruling: Ruling::Wrong,
        why: "Its copies overwrite the stage in the other blocks too, and the warps there may still be reading it. In the pipelines \
              of CUTLASS, a consumer therefore arrives at the empty barrier of every block that sends it a part of the tile.",
        proof: Proof::Run(Test {
            rows: &["product_pair_own_only"],
            twins: &["product_pair"],
            holds: has_no_race,
            evidence: races,
        }),
    },
    Claim {
        id: "S10.13",
        voice: Voice::Asked,
        says: "a block of a cluster may end as soon as it has all that it needs",
        ruling: Ruling::Wrong,
        why: "Its shared memory ends with it, and another block may still need that. The *CUDA C++ Programming Guide* asks that all \
              accesses to distributed shared memory come before the block ends, and its example ends with `cluster.sync()`.",
        proof: Proof::Run(Test {
            rows: &["product_pair_no_end"],
            twins: &["product_pair"],
            holds: has_no_race,
            evidence: races,
        }),
    },
];

fn requests(seen: Seen) -> f64 {
    seen.counter("global_load_requests")
}

fn shared_loads(seen: Seen) -> f64 {
    seen.counter("shared_load_requests")
}

fn loads(seen: Seen) -> f64 {
    requests(seen) + shared_loads(seen)
}

fn sectors_per_load(seen: Seen) -> f64 {
    seen.counter("global_load_sectors") / requests(seen)
}

// Of whole numbers.
fn is_equal(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.5
}

fn is_right(seen: &[Seen]) -> bool {
    seen[0].verdict() == "ok"
}

fn verdict(seen: &[Seen]) -> String {
    format!("{}: {}", seen[0].variant(), seen[0].verdict())
}

fn has_no_race(seen: &[Seen]) -> bool {
    seen[0].fault("race").is_none()
}

fn races(seen: &[Seen]) -> String {
    format!("{}: {}", seen[0].variant(), if has_no_race(seen) { "no race" } else { "a race" })
}

fn counts(seen: &[Seen], count: fn(Seen) -> f64, what: &str) -> String {
    let each = |seen: &Seen| format!("{} {}", seen.variant(), grouped(count(*seen) as u64));
    format!("{what}: {}", seen.iter().map(each).collect::<Vec<_>>().join(", "))
}
