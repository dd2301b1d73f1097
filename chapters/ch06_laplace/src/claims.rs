//! What the second note says of Laplace's equation and of borders, decided by this chapter's rows.
//!
//! It leaves out what the note says of the caches of GPUs of its time.

use lanes::claims::{Claim, Proof, Ruling, Seen, Test};

pub static CLAIMS: &[Claim] = &[
    Claim {
        id: "N2.8",
        says: "branch at a border whose conditions are cheap; use a second kernel where they are expensive",
        ruling: Ruling::Condition,
        why: "A warp with one border point works for as long as one that is full of them, and each end of a row is in a \
              warp of its own. The second kernel fills its warps, and pays in instructions once the work is long. It is one \
              launch more: with the few warps of these rows the branch is the faster one even there. On a grid that fills \
              an H200 the clock says what the note says, the branch for short work and two kernels for long \
              (`output/h200_note_size.txt`).",
        proof: Proof::Run(Test {
            rows: &["branch_1000", "two_kernels_1000"],
            twins: &["branch_0", "two_kernels_0"],
            holds: |seen| 2.0 * instructions(seen[1]) < instructions(seen[0]),
            evidence: |seen| {
                let (branch, two) = (instructions(seen[0]), instructions(seen[1]));
                format!(
                    "{branch} PTX instructions with the branch, {two} in two kernels: {:.2} times",
                    branch / two
                )
            },
        }),
    },
    Claim {
        id: "N2.20",
        says: "on a grid that is a multiple of the block in both directions, one thread for each point, border \
              included, needs no further guard",
        ruling: Ruling::Holds,
        why: "On whole blocks every thread has a point. On others the same kernel leaves its arrays.",
        proof: Proof::Run(Test {
            rows: &["jacobi_whole"],
            twins: &["whole_low"],
            holds: all_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N2.21",
        says: "for any size it is enough to ask `x < width && y < height` in the branch of the inner points",
        ruling: Ruling::Wrong,
        why: "Threads outside the grid whose column or row is on the border take the other branch. Below the grid, and at \
              the end of its last row, they write past the end; to the right of its first row they write to inner \
              points of the next, in a race with the threads of those. Ask who is outside first.",
        proof: Proof::Run(Test {
            rows: &["border_first_low", "border_first_narrow", "border_first_room"],
            twins: &["guarded_low", "guarded_narrow", "guarded_room"],
            holds: all_right,
            evidence: verdicts,
        }),
    },
    Claim {
        id: "N2.22",
        says: "0.25 *, without an f, makes the mean in double precision, and is as good",
        ruling: Ruling::Condition,
        why: "It works, and as written it is double precision. An optimising compiler takes it back, because a float holds \
              0.25 and so the rounded product is the same: both kernels become the same machine code. It cannot with \
              1.0 / 6.0: write the f.",
        proof: Proof::Run(Test {
            rows: &["quarter_double-G", "sixth_double"],
            twins: &["quarter_double", "sixth_float"],
            holds: |seen| all_right(seen) && seen.iter().all(|row| row.fact("doubles_per_warp") > 0.0),
            evidence: |seen| {
                let doubles = |row: &Seen| {
                    let doubles = row.fact("doubles_per_warp");
                    format!("{} is {} with {doubles:.2} doubles per warp", row.variant(), row.verdict())
                };
                seen.iter().map(doubles).collect::<Vec<_>>().join(", ")
            },
        }),
    },
    Claim {
        id: "N2.23",
        says: "the best block is 32 times as wide as high, or 8 times where cache lines have 32 bytes, because each point at \
               a side loads a whole line",
        ruling: Ruling::Condition,
        why: "It is true with 32-byte sectors, at 8 times as wide as high, of what a block needs at all: the sectors it \
              loads with a tile, each once. Of what its warps ask for without one, every width from 32 on asks for the \
              same. Both are right: on an H200 the first-level cache sees to what is asked for again, and the second is asked \
              for what blocks need, with a tile and without; the chapter's table of counters has all three.",
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
        says: "in three dimensions a thread for each point is faster than one for each line, although it has many more \
               integer operations, perhaps because so many more threads are active",
        ruling: Ruling::Condition,
        why: "In a cube, whose lines are few and long, it is more than twice as fast on an H200, with more instructions and \
              the same requests: the guess is right. A slab of few planes has as many points in many short lines: threads are \
              not scarce, and both take the same time.",
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

/// How each came out, and what the emulator found.
fn verdicts(seen: &[Seen]) -> String {
    let verdict = |row: &Seen| {
        let faults = ["out-of-bounds", "race"].map(|kind| row.fault(kind).map(|_| format!(", {kind}")));
        format!("{} {}{}", row.variant(), row.verdict(), faults.into_iter().flatten().collect::<String>())
    };
    seen.iter().map(verdict).collect::<Vec<_>>().join("; ")
}
