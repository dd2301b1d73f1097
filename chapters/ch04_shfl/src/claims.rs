//! What the note on control flow says about votes, and what the note on warp functions says about shuffles, groups and
//! their sums.
//!
//! It leaves out the first half of the latter note, on scheduling and the barrier of the warp, which chapter 3 decides.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N2.10",
        voice: Voice::Note,
        says: "`__all`, `__any` and `__ballot` vote within a warp",
        ruling: Ruling::Outdated,
        why: "They count the lanes that happen to execute them together, and since Volta nothing promises \
              which lanes these are. For sm_70 and above a vote needs a mask, and PTX without one is \
              refused. Use `__all_sync`, `__any_sync` and `__ballot_sync`.",
        proof: Proof::Run(Test {
            rows: &["ballot_bare_sm_60"],
            twins: &["ballot_bare_sm_70"],
            holds: |seen| seen[0].fact("is_accepted") > 0.0,
            evidence: |seen| {
                let refused = if seen[0].fact("is_accepted") > 0.0 { "is executed" } else { "is refused" };
                format!("{} {refused}", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N2.11",
        voice: Voice::Note,
        says: "`__syncthreads_count`, `__syncthreads_and` and `__syncthreads_or` evaluate a predicate over \
               all threads of a block",
        ruling: Ruling::Holds,
        why: "They are barriers of the block that return an answer. A vote asks one warp only.",
        proof: Proof::Run(Test {
            rows: &["count_block"],
            twins: &["count_by_ballot"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.8",
        voice: Voice::Note,
        says: "with the mask of all lanes, `__ballot_sync`, `__all_sync` and `__any_sync` answer for the \
               whole warp",
        ruling: Ruling::Holds,
        why: "The mask says which lanes take part. With one mask for each half of the warp, a lane gets the \
              answer for its own half.",
        proof: Proof::Run(Test {
            rows: &["vote_warp"],
            twins: &["vote_halves"],
            holds: |seen| {
                let answered = seen[0].fact("lanes_with_whole_ballot");
                seen[0].verdict() == "ok" && answered >= 32.0 * seen[0].counter("warps")
            },
            evidence: |seen| {
                let (answered, warps) = (seen[0].fact("lanes_with_whole_ballot"), seen[0].counter("warps"));
                format!(
                    "{}: {answered} lanes of {warps} warps get the answer for their whole warp",
                    seen[0].variant()
                )
            },
        }),
    },
    Claim {
        id: "N4.9",
        voice: Voice::Note,
        says: "the width of a shuffle can be 2, 4, 6, 8, 16 or 32",
        ruling: Ruling::Wrong,
        why: "The width must be a power of two. With a width of 6 the lanes do not get what segments of 6 \
              lanes would give them, and CUDA does not define what they get.",
        proof: Proof::Run(Test {
            rows: &["idx_width_6", "up_width_6", "down_width_6", "xor_width_6"],
            twins: FOUR_SHUFFLES,
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.10",
        voice: Voice::Note,
        says: "a lane's index in its segment is `threadIdx.x % w`, or `threadIdx.x & (w - 1)`",
        ruling: Ruling::Condition,
        why: "This holds in one-dimensional blocks, and in others if each row of the block is a whole number \
              of segments. In general the index follows from the thread's rank over all dimensions.",
        proof: Proof::Run(Test {
            rows: &["modulo_64", "and_64"],
            twins: &["modulo_8x8", "and_8x8"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.11",
        voice: Voice::Note,
        says: "a shuffle reads another lane of its segment: `idx` the lane that is named, `up` and `down` \
               the lane at an offset (or the lane's own value, past the edge), `xor` the lane whose number \
               differs in the given bits",
        ruling: Ruling::Holds,
        why: "All four functions, at all widths that exist, agree with their closed forms; the pictures show \
              each lane. `idx` takes its lane number modulo the width.",
        proof: Proof::Run(Test {
            rows: FOUR_SHUFFLES,
            twins: &["idx_width_6", "up_width_6", "down_width_6", "xor_width_6"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.12",
        voice: Voice::Note,
        says: "with offset 4, `down` turns 0 1 2 3 4 5 6 7 into 4 5 6 7 4 5 6 7, and `xor` turns it into 4 5 \
               6 7 0 1 2 3",
        ruling: Ruling::Holds,
        why: "This is true in segments of 8 lanes. A call that names no width has segments of 32 lanes, in \
              which lane 4 can read lane 8.",
        proof: Proof::Run(Test {
            rows: &["down_4", "xor_4"],
            twins: &["down_4_of_32", "xor_4"],
            holds: |seen| {
                seen[0].fact("matches_note_for_down") > 0.0 && seen[1].fact("matches_note_for_xor") > 0.0
            },
            evidence: |seen| {
                let noted = |yes: f64| if yes > 0.0 { "is as in the note" } else { "is different" };
                let (down, xor) =
                    (seen[0].fact("matches_note_for_down"), seen[1].fact("matches_note_for_xor"));
                format!("{} {}, {} {}", seen[0].variant(), noted(down), seen[1].variant(), noted(xor))
            },
        }),
    },
    Claim {
        id: "N4.13",
        voice: Voice::Note,
        says: "functions whose names end in `_sync` synchronise the warp, so they need no `__syncwarp()`",
        ruling: Ruling::Condition,
        why: "This holds for the values that they exchange. They do not order memory: between one lane's \
              store and another lane's load there must be a `__syncwarp()`, even if there is a shuffle \
              between them. For an H200 the assembler moves the load of `shuffle_no_order` in front of its \
              shuffle.",
        proof: Proof::Run(Test {
            rows: &["lanes_xor"],
            twins: &["shuffle_no_order"],
            holds: |seen| seen[0].fault("race").is_none() && seen[0].verdict() == "ok",
            evidence: |seen| format!("{}: {} races", seen[0].variant(), seen[0].fault("race").unwrap_or(0)),
        }),
    },
    Claim {
        id: "N4.14",
        voice: Voice::Note,
        says: "the last rounds of a sum are faster with shuffles than in shared memory, because the values \
               stay in registers",
        ruling: Ruling::Condition,
        why: "The rounds themselves are faster: repeated in a kernel that does nothing else, they take less \
              time by shuffles than in shared memory, although both kernels have as many barriers of the \
              warp, so it is the accesses to shared memory that are saved. A whole sum need not be faster. \
              In the twin, and with the note's 10^8 floats in blocks of 128, the kernel with shuffles takes \
              about the same time, because all blocks wait for one total. In blocks of 1,024, with an eighth \
              of the atomics, the shuffles show (`sum_shared` and `sum_shuffle` in `output/h200.json`).",
        proof: Proof::Clock(Test {
            rows: &["rounds_shared", "rounds_shuffle_waits"],
            twins: &["clock_shared", "clock_shuffle"],
            // More than the clock's noise: the slowest of the runs is faster than the fastest without shuffles.
            holds: |seen| seen[1].slowest_us() < seen[0].fastest_us(),
            evidence: |seen| {
                let time = |row: &Seen<'_>| {
                    let (median, fastest, slowest) = (row.time_us(), row.fastest_us(), row.slowest_us());
                    format!("{} {median:.1} µs ({fastest:.1} to {slowest:.1})", row.variant())
                };
                seen.iter().map(time).collect::<Vec<_>>().join(", ")
            },
        }),
    },
    Claim {
        id: "N4.15",
        voice: Voice::Note,
        says: "`group_index()` is `blockIdx.x`, groups have `is_valid()`, and `thread_block` is a member of \
               `thread_group`",
        ruling: Ruling::Condition,
        why: "`group_index()` returns all of `blockIdx`, so its `x` is enough only in a one-dimensional \
              grid. `thread_block` is a type of its own. Neither it nor `thread_group` has `is_valid()` any \
              more, and the function is called `tiled_partition`, not `tile_partition`.",
        proof: Proof::Run(Test {
            rows: &["members_1d"],
            twins: &["members_3d"],
            holds: |seen| seen[0].fact("blocks_distinct_by_x") >= seen[0].fact("blocks"),
            evidence: |seen| {
                let (apart, blocks) = (seen[0].fact("blocks_distinct_by_x"), seen[0].fact("blocks"));
                format!("{}: `x` distinguishes {apart} of {blocks} blocks", seen[0].variant())
            },
        }),
    },
    Claim {
        id: "N4.16",
        voice: Voice::Note,
        says: "a tile has the votes and shuffles of a warp, without mask and width",
        ruling: Ruling::Holds,
        why: "The tile knows its mask and its width. The functions of the warp give the same results if both \
              are passed explicitly, and only then.",
        proof: Proof::Run(Test {
            rows: &["tile_functions"],
            twins: &["forgotten_width"],
            holds: is_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N4.17",
        voice: Voice::Code,
        says: "two passes of a kernel whose loop over a tile begins at offset 32, the size of the tile, add \
               up an array",
        ruling: Ruling::Wrong,
        why: "In a tile of 32 lanes no lane is 32 away, so the shuffle returns the lane's own value, and \
              each pass doubles the sum. Begin at half the size of the tile.",
        proof: Proof::Run(Test {
            rows: &["two_pass_doubled"],
            twins: &["two_pass"],
            holds: is_right,
            evidence: |seen| {
                format!("{}: {:.3} times the exact sum", seen[0].variant(), seen[0].fact("sum_over_exact"))
            },
        }),
    },
    Claim {
        id: "N4.18",
        voice: Voice::Note,
        says: "if the elements of one thread are a grid apart, accesses to memory stay coalesced",
        ruling: Ruling::Holds,
        why: "In each load a warp then reads 32 adjacent elements, which are four sectors of 32 bytes. If \
              each thread has a contiguous part of the array instead, the addresses of a warp's lanes are as \
              far apart as the parts are long.",
        proof: Proof::Run(Test {
            rows: &["two_pass"],
            twins: &["two_pass_chunked"],
            holds: |seen| sectors(seen[0]) <= 4.0,
            evidence: |seen| {
                format!("{}: {:.2} sectors per load request", seen[0].variant(), sectors(seen[0]))
            },
        }),
    },
    Claim {
        id: "N4.19",
        voice: Voice::Note,
        says: "a static `__device__` array saves the time of allocating memory for each sum",
        ruling: Ruling::Holds,
        why: "The array is allocated with the module. The kernels do the same work either way, as the rows \
              `two_pass` and `two_pass_static` show. A buffer that is kept from one sum to the next saves as \
              much.",
        proof: Proof::None(
            "it is about the host's time for `cudaMalloc` and `cudaFree`, and the clock here measures \
             kernels; `tools/benchmarks/gpu/h200_sum.json` has the host's times",
        ),
    },
    Claim {
        id: "N4.20",
        voice: Voice::Reader,
        says: "a sum in single precision is accurate enough if it is added up as a tree",
        ruling: Ruling::Holds,
        why: "Each addition is off by half a rounding step at most, and in a tree an element goes through \
              only log2(n) additions. If one thread adds one element after another, an element goes through \
              up to n of them.",
        proof: Proof::Run(Test {
            rows: &["order_tree"],
            twins: &["order_one_thread"],
            holds: |seen| seen[0].fact("roundings_off") <= seen[0].fact("elements").log2(),
            evidence: |seen| {
                let (off, n) = (seen[0].fact("roundings_off"), seen[0].fact("elements"));
                format!(
                    "{}: the sum is off by {off:.1} roundings, and log2({n}) is {}",
                    seen[0].variant(),
                    n.log2()
                )
            },
        }),
    },
    Claim {
        id: "N4.22",
        voice: Voice::Note,
        says: "`thread_block_tile<32>` is equivalent to a `thread_group` made by `tiled_partition(block, \
               32)`",
        ruling: Ruling::Wrong,
        why: "A plain `thread_group` can synchronise its threads and number them, but it has no shuffles: \
              `plain_groups` adds up through shared memory. The size must be part of the type, as in \
              `tiled_partition<32>(block)`.",
        proof: Proof::None(
            "a shuffle of a plain `thread_group` does not compile, so there is nothing to run",
        ),
    },
    Claim {
        id: "N4.23",
        voice: Voice::Note,
        says: "`__shfl_xor_sync` returns the value of lane + offset, as `__shfl_down_sync` does",
        ruling: Ruling::Wrong,
        why: "It flips the bits of the mask in the lane's number, so half of the lanes read a lower lane, as \
              the note's own example shows. `__shfl_down_sync` reads lane + offset wherever the segment has \
              that lane.",
        proof: Proof::Run(Test {
            rows: &["xor_2"],
            twins: &["down_2"],
            holds: |seen| seen[0].fact("not_plus_offset_in_segment") < 1.0,
            evidence: |seen| {
                let other = seen[0].fact("not_plus_offset_in_segment");
                format!(
                    "{}: {other} lanes do not read lane + 2, although the segment has that lane",
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
        seen.iter().map(|row| format!("{} is {}", row.variant(), row.verdict())).collect();
    verdicts.join(", ")
}

fn sectors(row: Seen) -> f64 {
    row.counter("global_load_sectors") / row.counter("global_load_requests")
}
