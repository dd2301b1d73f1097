//! Kernels of several warps and of several blocks. For most of them the mechanism inside a warp does not matter.

use super::Case;
use super::Verdict::{Ends, Livelock};
use super::kernel::{At, Cells, Spin, Writer};

const OTHERS_RUN: &str = "every warp and every resident block gets its turns";
const NOT_RESIDENT: &str = "who is waited for cannot start before somebody ends";

/// A kernel with this many blocks and threads, whose results are the threads' numbers.
fn case(name: String, mut kernel: Writer, grid: u32, block: u32) -> Case {
    kernel.result("%r9");
    let results = (0..grid * block).collect();
    Case { grid, block, ..Case::warp(name, kernel.text(), results) }.stack(Ends, OTHERS_RUN)
}

/// All threads of a block wait for one thread, which is in a warp of its own; then all wait at a barrier.
fn warp_waits(cells: Cells, spin: Spin, producer: u32) -> Case {
    let mut kernel = Writer::new(cells, spin);
    kernel.either(
        "%r3",
        producer / 32,
        false,
        |kernel| {
            kernel.code(&format!("setp.ne.u32 %p2, %r1, {producer};\n@%p2 bra $produced;"));
            kernel.write(At::Word(0), "1").code("$produced:");
        },
        |kernel| {
            kernel.wait(At::Word(0), "1");
        },
    );
    kernel.code("bar.sync 0;");
    case(format!("{cells:?} {spin:?}: three warps wait for thread {producer}"), kernel, 1, 128)
}

/// One thread waits for a flag, and the others of its warp wait for it at the block's barrier.
fn one_waits(waiting: u32) -> Case {
    let mut kernel = Writer::new(Cells::Shared, Spin::Plain);
    kernel.code(&format!("setp.ne.u32 %p2, %r1, {waiting};\n@%p2 bra $others;"));
    kernel.wait(At::Word(0), "1").code("$others:");
    kernel
        .code("setp.ne.u32 %p2, %r1, 64;\n@%p2 bra $met;")
        .write(At::Word(0), "1")
        .code("$met:\nbar.sync 0;");
    case(format!("thread {waiting} waits for thread 64 in front of a barrier"), kernel, 1, 96)
}

/// Warps, or blocks, pass a number around a ring several times.
fn ring(grid: u32, block: u32) -> Case {
    let (own, count) = if grid > 1 { ("%r4", grid) } else { ("%r3", block / 32) };
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.code("setp.ne.u32 %p2, %r2, 0;\n@%p2 bra $out;");
    kernel.code(&format!("mov.u32 %r10, {own};\n$turn:")).wait(At::Word(0), "%r10");
    kernel.code("add.u32 %r11, %r10, 1;").write(At::Word(0), "%r11");
    kernel.code(&format!("add.u32 %r10, %r10, {count};\nsetp.lt.u32 %p3, %r10, {};", 4 * count));
    kernel.code("@%p3 bra $turn;\n$out:");
    let what = if grid > 1 { "blocks" } else { "warps" };
    case(format!("{count} {what} hand a number round"), kernel, grid, block)
}

/// The first lane of each warp, or every thread, takes a lock that is released after the loop.
fn lock(every_thread: bool, grid: u32) -> Case {
    let mut kernel = Writer::new(Cells::GlobalAtomic, Spin::Plain);
    if !every_thread {
        kernel.code("setp.ne.u32 %p3, %r2, 0;\n@%p3 bra $out;");
    }
    kernel
        .code("$lock:\natom.global.cas.b32 %r10, [%rd1], 0, 1;\nsetp.ne.u32 %p2, %r10, 0;\n@%p2 bra $lock;");
    kernel.read("%r11", At::Word(1)).code("add.u32 %r11, %r11, 1;").write(At::Word(1), "%r11");
    kernel.write(At::Word(0), "0").code("$out:");
    let who = if every_thread { "every thread" } else { "one lane of each warp" };
    let case = case(format!("{who} of {grid} blocks takes one lock"), kernel, grid, 64);
    if every_thread {
        return case.stack(Livelock, "who has the lock waits behind the loop for the others of its warp");
    }
    case
}

/// Warp 1 arrives late at a barrier and then waits for warp 0, which has waited for it there. A probe of warp 1 during
/// its arrival must not assume that warp 0 still waits.
fn late_at_a_barrier(turns: u32) -> Case {
    let mut kernel = Writer::new(Cells::Shared, Spin::Plain);
    kernel.code("mov.u32 %r10, 0;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra $come;\n$late:");
    kernel.code(&format!("add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p2, %r10, {turns};\n@%p2 bra $late;"));
    kernel.code("$come:\nbar.sync 0;");
    kernel.either(
        "%r3",
        0,
        true,
        |kernel| {
            kernel.write(At::Word(0), "1");
        },
        |kernel| {
            kernel.wait(At::Word(0), "1");
        },
    );
    case(format!("a warp is {turns} turns late at a barrier, then waits for the other"), kernel, 1, 64)
}

/// Several warps.
pub fn warps() -> Vec<Case> {
    let mut cases = Vec::new();
    for cells in [Cells::Global, Cells::Shared, Cells::SharedAtomic] {
        cases.extend([0, 31, 127].map(|producer| warp_waits(cells, Spin::Plain, producer)));
    }
    cases.extend([Spin::Sleep, Spin::Delay, Spin::Nested].map(|spin| warp_waits(Cells::Global, spin, 64)));
    cases.extend([100, 5_400, 20_000].map(late_at_a_barrier));
    cases.extend([one_waits(0), one_waits(40), ring(1, 128), lock(false, 1), lock(true, 1)]);
    cases
}

/// One block waits for another.
fn block_waits(producer: u32, resident: u32) -> Case {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.either(
        "%r4",
        producer,
        true,
        |kernel| {
            kernel.write(At::Word(0), "1");
        },
        |kernel| {
            kernel.wait(At::Word(0), "1");
        },
    );
    let case = case(format!("three blocks wait for block {producer}, {resident} resident"), kernel, 4, 1);
    stuck_if(producer >= resident, Case { resident, ..case })
}

/// Each block waits for its neighbour.
fn block_chain(upward: bool, resident: u32) -> Case {
    let mut kernel = Writer::new(Cells::GlobalAtomic, Spin::Plain);
    // The address of a block's cell is computed like that of a lane's cell, from the block's number.
    kernel.code("mul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd3, %rd1, %rd3;");
    let (from, to) = if upward { (At::Lane(0), At::Lane(1)) } else { (At::Lane(1), At::Lane(0)) };
    kernel.wait(from, "1").write(to, "1");
    let way = if upward { "the one below" } else { "the one above" };
    let case = case(format!("each of 8 blocks waits for {way}, {resident} resident"), kernel, 8, 1);
    let start = Some((if upward { 0 } else { 8 }, 1));
    stuck_if(!upward && resident < 8, Case { resident, start, ..case })
}

fn stuck_if(stuck: bool, case: Case) -> Case {
    if stuck { Case { its: Livelock, stack: Livelock, why: NOT_RESIDENT, ..case } } else { case }
}

/// Several blocks.
pub fn blocks() -> Vec<Case> {
    let mut cases = vec![ring(8, 32), lock(false, 6), lock(true, 2)];
    for resident in [1, 3, 4] {
        cases.extend([0, 3].map(|producer| block_waits(producer, resident)));
    }
    for resident in [1, 7, 8] {
        cases.extend([true, false].map(|upward| block_chain(upward, resident)));
    }
    cases
}
