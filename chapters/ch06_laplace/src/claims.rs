//! What the note on control flow says about Laplace's equation and about borders, decided by this chapter's rows.
//!
//! It leaves out what the note says about the caches of the GPUs of its time.

use thirty_two_lanes::claims::{Claim, Proof, Ruling, Seen, Test, Voice};

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N2.8",
        voice: Voice::Note,
        says: "if the conditions at the boundary are cheap, branch; if they are expensive, use a second \
               kernel for the boundary",
        ruling: Ruling::Condition,
        why: "A warp with one boundary point takes as long as a warp full of them, and the two ends of a row \
              are in different warps. The second kernel packs boundary points into full warps, which saves \
              instructions if the work at the boundary is long. But it is an additional launch, so on the \
              small grid of these rows the branch is faster even then. On a grid that fills an H200, the \
              times agree with the note (`output/h200.json`).",
        proof: Proof::Run(Test {
            rows: &["branch_1000", "two_kernels_1000"],
            twins: &["branch_0", "two_kernels_0"],
            holds: |seen| 2.0 * instructions(seen[1]) < instructions(seen[0]),
            evidence: |seen| {
                let (branch, two) = (instructions(seen[0]), instructions(seen[1]));
                let ratio = branch / two;
                let [one, other] = [0, 1].map(|index| seen[index].variant());
                format!("PTX instructions: {one} {branch}, {other} {two}, a ratio of {ratio:.2}")
            },
        }),
    },
    Claim {
        id: "N2.20",
        voice: Voice::Note,
        says: "if the grid is a multiple of the block in both directions, one thread for each point, border \
               included, needs no test whether the point exists",
        ruling: Ruling::Holds,
        why: "With whole blocks every thread has a point. On other grids the same kernel accesses memory \
              outside its arrays.",
        proof: Proof::Run(Test {
            rows: &["jacobi_whole"],
            twins: &["whole_low"],
            holds: all_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N2.21",
        voice: Voice::Code,
        says: "for a grid of any size it is enough to test `i < I && j < J` in the branch of the interior \
               points",
        ruling: Ruling::Wrong,
        why: "A thread outside the grid whose column or row is that of a border takes the other branch, \
              which has no test. Below the grid, and at the end of its last row, such threads write past the \
              end of the array. To the right of the first row they write to interior points of the next row, \
              in a race with the threads of those points. Test first whether the thread is outside.",
        proof: Proof::Run(Test {
            rows: &["border_first_low", "border_first_narrow", "border_first_room"],
            twins: &["guarded_low", "guarded_narrow", "guarded_room"],
            holds: all_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N2.22",
        voice: Voice::Code,
        says: "the first version multiplies by `0.25`, without an `f`, and so computes the mean in double \
               precision",
        ruling: Ruling::Condition,
        why: "Without optimisation (`-G`) it does. An optimising compiler uses single precision, because a \
              float holds 0.25 exactly and the rounded product is therefore the same; the machine code with \
              `0.25` equals that with `0.25f`. For `1.0 / 6.0` the products differ, and the double precision \
              stays. Write the `f`.",
        proof: Proof::Run(Test {
            rows: &["quarter_double-G", "sixth_double"],
            twins: &["quarter_double", "sixth_float"],
            holds: |seen| all_right(seen) && seen.iter().all(|row| row.fact("doubles_per_warp") > 0.0),
            evidence: |seen| {
                let doubles = |row: &Seen| {
                    let doubles = row.fact("doubles_per_warp");
                    format!(
                        "{} is {}, with {doubles:.2} double-precision instructions per warp",
                        row.variant(),
                        row.verdict()
                    )
                };
                seen.iter().map(doubles).collect::<Vec<_>>().join("; ")
            },
        }),
    },
    Claim {
        id: "N2.23",
        voice: Voice::Note,
        says: "the best block is 32 times as wide as high, or 8 times if cache lines have 32 bytes, because \
               each point beside the block loads a whole line",
        ruling: Ruling::Condition,
        why: "With sectors of 32 bytes, 8 times is right if you count the different sectors that a block \
              needs, each of which a tile in shared memory loads once: the shapes on either side of it, 32 x \
              8 and 64 x 4, need the fewest. Without a tile, the warps of a block request some sectors \
              several times, and the number of requested sectors is the same for every width from 32 on. \
              Neither count is wrong: on an H200 the first-level cache serves the repeated requests, and the \
              second level is asked for no more than the different sectors, with a tile or without. The \
              chapter's table in the appendix on counters has all of these counts.",
        proof: Proof::Run(Test {
            rows: &["tile_16x16", "tile_32x8", "tile_64x4", "tile_128x2", "tile_256x1"],
            twins: &["direct_16x16", "direct_32x8", "direct_64x4", "direct_128x2", "direct_256x1"],
            holds: |seen| {
                let sectors = |at: usize| seen[at].fact("sectors_per_block");
                let best = sectors(1).max(sectors(2));
                best < sectors(0) && best < sectors(3) && sectors(3) < sectors(4)
            },
            evidence: |seen| {
                let sectors = |row: &Seen| format!("{} {}", row.variant(), row.fact("sectors_per_block"));
                "sectors per block: ".to_owned() + &seen.iter().map(sectors).collect::<Vec<_>>().join(", ")
            },
        }),
    },
    Claim {
        id: "N2.24",
        voice: Voice::Note,
        says: "in three dimensions one thread for each point is faster than one for each line, although it \
               executes many more integer operations, perhaps because many more threads are active",
        ruling: Ruling::Condition,
        why: "In a cube, whose lines are few and long, it is more than twice as fast on an H200, with more \
              instructions and the same requests. A slab of a few planes has as many points, but in many \
              short lines, so there is no lack of threads, and the two times differ little. This supports \
              the note's guess.",
        proof: Proof::Clock(Test {
            rows: &["cube_by_lines", "cube_by_points"],
            twins: &["slab_by_lines", "slab_by_points"],
            holds: |seen| {
                let more_work = instructions(seen[1]) > instructions(seen[0]);
                more_work && 2.0 * seen[1].time_us() < seen[0].time_us()
            },
            evidence: |seen| {
                let row = |row: &Seen| {
                    let (us, points) = (row.time_us(), row.fact("points"));
                    format!("{} {us:.1} µs for {points} points", row.variant())
                };
                seen.iter().map(row).collect::<Vec<_>>().join(", ")
            },
        }),
    },
];

fn instructions(row: Seen) -> f64 {
    row.counter("ptx_instructions")
}

fn all_right(seen: &[Seen]) -> bool {
    seen.iter().all(|row| row.verdict() == "ok")
}

/// The verdict on each row, and what the emulator found.
fn verdicts(seen: &[Seen]) -> String {
    let verdict = |row: &Seen| {
        let faults = ["out-of-bounds", "race"].map(|kind| row.fault(kind).map(|_| format!(", {kind}")));
        format!("{} is {}{}", row.variant(), row.verdict(), faults.into_iter().flatten().collect::<String>())
    };
    seen.iter().map(verdict).collect::<Vec<_>>().join("; ")
}
