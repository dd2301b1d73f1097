//! The claims of the second note about votes and of the fourth about shuffles, groups and the sums made of them.
//!
//! It leaves out the fourth note's first half, scheduling and the barrier of the warp, which other chapters decide.

use lanes::claims::{Claim, Proof, Ruling, Seen, Test};

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N2.10",
        says: "`__all`, `__any` and `__ballot` vote within a warp",
        ruling: Ruling::Outdated,
        why: "They took whichever lanes came together. Since Volta that is nothing to rely on: for sm_70 there is no \
              vote without a mask, and its text is refused. Use `__all_sync`, `__any_sync`, `__ballot_sync`.",
        proof: Proof::Run(Test {
            rows: &["ballot_bare_sm_60"],
            twins: &["ballot_bare_sm_70"],
            holds: |seen| seen[0].fact("is_accepted") > 0.0,
            evidence: |seen| {
                let refused = if seen[0].fact("is_accepted") > 0.0 { "is carried out" } else { "is refused" };
                format!("{} {refused}", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N2.11",
        says: "`__syncthreads_count`, `_and` and `_or` ask all threads of a block",
        ruling: Ruling::Holds,
        why: "They are barriers of the block that bring an answer along. A vote asks a warp only.",
        proof: Proof::Run(Test {
            rows: &["count_block"],
            twins: &["count_by_ballot"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.8",
        says: "with the mask of all lanes, ballot, all and any tell each lane what its whole warp says",
        ruling: Ruling::Holds,
        why: "Who participates is said by the mask. With one for each half, a lane is told of its own half only.",
        proof: Proof::Run(Test {
            rows: &["vote_warp"],
            twins: &["vote_halves"],
            holds: |seen| {
                let told = seen[0].fact("lanes_told_of_the_whole_warp");
                seen[0].verdict() == "ok" && told >= 32.0 * seen[0].counter("warps")
            },
            evidence: |seen| {
                let (told, warps) = (seen[0].fact("lanes_told_of_the_whole_warp"), seen[0].counter("warps"));
                format!("{}: {told} lanes of {warps} warps are told of their whole warp", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N4.9",
        says: "the width of a shuffle is 2, 4, 6, 8, 16 or 32",
        ruling: Ruling::Wrong,
        why: "It is a power of two. With 6 the lanes do not get what segments of 6 would give them, and CUDA does \
              not say what they get.",
        proof: Proof::Run(Test {
            rows: &["idx_width_6", "up_width_6", "down_width_6", "xor_width_6"],
            twins: FOUR_SHUFFLES,
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.10",
        says: "the lane's number in its segment is threadIdx.x % w, or threadIdx.x & (w - 1)",
        ruling: Ruling::Condition,
        why: "In blocks of one row, and of several if each is a whole number of segments. Otherwise the thread's \
              rank through all dimensions decides.",
        proof: Proof::Run(Test {
            rows: &["modulo_64", "and_64"],
            twins: &["modulo_8x8", "and_8x8"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.11",
        says: "idx reads a named lane of the segment, up and down one an offset away, or the lane's own past the \
              edge, xor one with other bits",
        ruling: Ruling::Holds,
        why: "All four, at all widths that there are, equal their closed forms; the pictures show each lane. idx \
              takes its number modulo the width.",
        proof: Proof::Run(Test {
            rows: FOUR_SHUFFLES,
            twins: &["idx_width_6", "up_width_6", "down_width_6", "xor_width_6"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.12",
        says: "with offset 4, 0 to 7 become 4 5 6 7 4 5 6 7 by down and 4 5 6 7 0 1 2 3 by xor",
        ruling: Ruling::Holds,
        why: "In segments of 8. A call without a width has 32, and lane 4 then has a lane 8 to read.",
        proof: Proof::Run(Test {
            rows: &["down_4", "xor_4"],
            twins: &["down_4_of_32", "xor_4"],
            holds: |seen| {
                seen[0].fact("is_as_noted_for_down") > 0.0 && seen[1].fact("is_as_noted_for_xor") > 0.0
            },
            evidence: |seen| {
                let noted = |yes: f64| if yes > 0.0 { "as noted" } else { "otherwise" };
                let (down, xor) = (seen[0].fact("is_as_noted_for_down"), seen[1].fact("is_as_noted_for_xor"));
                format!("{} {}, {} {}", seen[0].variant(), noted(down), seen[1].variant(), noted(xor))
            },
        }),
    },
    Claim {
        id: "N4.13",
        says: "functions that end in `_sync` need no `__syncwarp()`",
        ruling: Ruling::Condition,
        why: "For the values that they exchange themselves. They order no memory: between a store and another lane's \
              load there must be a `__syncwarp()`, shuffle or not. For an H200 the assembler puts the load of \
              `shuffle_no_order` in front of its shuffle.",
        proof: Proof::Run(Test {
            rows: &["lanes_xor"],
            twins: &["shuffle_no_order"],
            holds: |seen| seen[0].fault("race").is_none() && seen[0].verdict() == "ok",
            evidence: |seen| format!("{}: {} races", seen[0].variant(), seen[0].fault("race").unwrap_or(0)),
        }),
    },
    Claim {
        id: "N4.14",
        says: "the last rounds are faster by shuffles than in shared memory",
        ruling: Ruling::Wrong,
        why: "They spare requests to shared memory, and take no less time: all blocks wait for memory and for one \
              total. With the note's 10^8 floats it is the same (`output/h200_note_size.txt`). The twin shows that \
              this clock tells kernels apart: it has shuffles on both sides, and more atomics on one.",
        proof: Proof::Clock(Test {
            rows: &["clock_shared", "clock_shuffle"],
            twins: &["clock_each_warp", "clock_shuffle"],
            holds: |seen| seen[1].time_us() < 0.8 * seen[0].time_us(),
            evidence: |seen| {
                let times = seen.iter().map(|row| format!("{} {:.1} µs", row.variant(), row.time_us()));
                times.collect::<Vec<_>>().join(", ")
            },
        }),
    },
    Claim {
        id: "N4.15",
        says: "`group_index()` is blockIdx.x; groups have `is_valid()`; `thread_block` is a member of them",
        ruling: Ruling::Condition,
        why: "`group_index()` is all of blockIdx, and x alone is enough in one dimension. `thread_block` is a type \
              of its own, `is_valid()` is gone from it and from `thread_group`, and `tile_partition` is called \
              `tiled_partition`.",
        proof: Proof::Run(Test {
            rows: &["members_1d"],
            twins: &["members_3d"],
            holds: |seen| seen[0].fact("blocks_told_apart_by_x") >= seen[0].fact("blocks"),
            evidence: |seen| {
                let (apart, blocks) = (seen[0].fact("blocks_told_apart_by_x"), seen[0].fact("blocks"));
                format!("{}: x tells {apart} of {blocks} blocks apart", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N4.16",
        says: "a tile has the warp's votes and shuffles, without mask and width",
        ruling: Ruling::Holds,
        why: "It knows both. The warp's own functions give the same only with mask and width written out.",
        proof: Proof::Run(Test {
            rows: &["tile_functions"],
            twins: &["forgotten_width"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.17",
        says: "two passes of a loop over a tile that begins at its size, 32, add up an array",
        ruling: Ruling::Wrong,
        why: "No lane is 32 away: the shuffle gives each lane its own value, and each pass doubles the sum. Begin at \
              half the size.",
        proof: Proof::Run(Test {
            rows: &["two_pass_doubled"],
            twins: &["two_pass"],
            holds: is_right,
            evidence: |seen| {
                format!("{}: {:.3} times the sum", seen[0].variant(), seen[0].fact("sum_over_exact"))
            },
        }),
    },
    Claim {
        id: "N4.18",
        says: "with a thread's elements a grid apart, accesses stay coalesced",
        ruling: Ruling::Holds,
        why: "A warp then loads 32 neighbours, four sectors of 32 bytes. With a stretch for each thread, its lanes \
              are as far apart as the stretches are long.",
        proof: Proof::Run(Test {
            rows: &["two_pass"],
            twins: &["two_pass_chunked"],
            holds: |seen| sectors(seen[0]) <= 4.0,
            evidence: |seen| format!("{}: {:.2} sectors for a load", seen[0].variant(), sectors(seen[0])),
        }),
    },
    Claim {
        id: "N4.19",
        says: "a static `__device__` array saves the time of allocating one",
        ruling: Ruling::Holds,
        why: "The array comes with the module. The kernels do the same work either way, as the rows two_pass and \
              two_pass_static show; an allocation that is kept from one sum to the next saves as much.",
        proof: Proof::None(
            "it is about the host's time for cudaMalloc and cudaFree, and the clock here is around kernels; \
             `benches/gpu/h200.txt` has the host's",
        ),
    },
    Claim {
        id: "N4.20",
        says: "sums in single precision are good enough if they are made as a tree",
        ruling: Ruling::Holds,
        why: "Each addition is off by half a rounding step at most, and in a tree an element goes through log2(n) of \
              them. One after the other, it goes through up to n.",
        proof: Proof::Run(Test {
            rows: &["order_tree"],
            twins: &["order_one_thread"],
            holds: |seen| seen[0].fact("roundings_off") <= seen[0].fact("elements").log2(),
            evidence: |seen| {
                let (off, n) = (seen[0].fact("roundings_off"), seen[0].fact("elements"));
                format!("{}: off by {off:.1} roundings; log2({n}) is {}", seen[0].variant(), n.log2())
            },
        }),
    },
    Claim {
        id: "N4.22",
        says: "a tile of 32 is the same as a `thread_group` made by `tiled_partition(block, 32)`",
        ruling: Ruling::Wrong,
        why: "A plain `thread_group` can wait for its threads and number them, and has no shuffles: `plain_groups` \
              adds up through shared memory. The size must be part of the type, `tiled_partition<32>(block)`.",
        proof: Proof::None(
            "a shuffle of a plain `thread_group` does not compile, so there is nothing to run",
        ),
    },
    Claim {
        id: "N4.23",
        says: "`__shfl_xor_sync` gives a lane the value of lane + offset",
        ruling: Ruling::Wrong,
        why: "It flips the bits of the mask in the lane's number: half of the lanes read below themselves, as the \
              note's own example shows. down reads lane + offset, wherever the segment has it.",
        proof: Proof::Run(Test {
            rows: &["xor_2"],
            twins: &["down_2"],
            holds: |seen| seen[0].fact("of_them_with_such_a_lane") < 1.0,
            evidence: |seen| {
                let other = seen[0].fact("of_them_with_such_a_lane");
                format!(
                    "{}: {other} lanes read another than lane + 2, although there is one",
                    seen[0].variant()
                )
            },
        }),
    },
];

const FOUR_SHUFFLES: &[&str] = &["shuffle_idx", "shuffle_up", "shuffle_down", "shuffle_xor"];

fn is_right(seen: &[Seen]) -> bool {
    seen.iter().all(|row| row.verdict() == "ok")
}

fn verdicts(seen: &[Seen]) -> String {
    let verdicts: Vec<String> =
        seen.iter().map(|row| format!("{} {}", row.variant(), row.verdict())).collect();
    verdicts.join(", ")
}

fn sectors(row: Seen) -> f64 {
    row.counter("global_load_sectors") / row.counter("global_load_requests")
}
