//! Kernels of one warp.

use super::Case;
use super::Verdict::{Ends, Livelock};
use super::kernel::{ALL_CELLS, At, Cells, Spin, Writer};

const LOWEST_FIRST: &str = "the side with the lowest lane runs first, and it is the one that produces";
const WAITS_FIRST: &str = "the side with the lowest lane runs first, and it waits for the other";
const OUT_OF_THE_LOOP: &str = "who has got on waits behind the loop for those that are in it";
const IN_THE_LOOP: &str = "what is waited for is done inside the loop, before its end is reached";

/// One lane writes a value and raises a flag; the others wait for the flag and add their lane to the value.
fn producer(cells: Cells, spin: Spin, lane: u32, producer_first: bool) -> Case {
    let mut kernel = Writer::new(cells, spin);
    kernel.either(
        "%r2",
        lane,
        producer_first,
        |kernel| {
            kernel.write(At::Word(1), "40").write(At::Word(0), "1").result("7");
        },
        |kernel| {
            kernel.wait(At::Word(0), "1").read("%r10", At::Word(1));
            kernel.code("add.u32 %r10, %r10, %r2;").result("%r10");
        },
    );
    let order = if producer_first { "before" } else { "behind" };
    let results = (0..32).map(|own| if own == lane { 7 } else { 40 + own }).collect();
    let (stack, why) = if lane == 0 { (Ends, LOWEST_FIRST) } else { (Livelock, WAITS_FIRST) };
    Case::warp(
        format!("{cells:?} {spin:?}: lane {lane} produces, {order} the others"),
        kernel.text(),
        results,
    )
    .stack(stack, why)
}

/// Producers and consumers with every kind of cell and every kind of loop.
pub fn producers() -> Vec<Case> {
    let mut cases = Vec::new();
    for producer_first in [true, false] {
        for lane in [0, 13, 31] {
            cases.extend(ALL_CELLS.map(|cells| producer(cells, Spin::Plain, lane, producer_first)));
        }
        for spin in [Spin::Sleep, Spin::Delay, Spin::Nested] {
            cases.push(producer(Cells::Global, spin, 0, producer_first));
            cases.push(producer(Cells::Shared, spin, 31, producer_first));
        }
    }
    cases
}

/// How a lock is taken: the cell, and the sign that it was taken (`%p2` is set).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lock {
    CompareAndSwap,
    Exchange,
    /// `%r11` is the lane's ticket, and cell 2 contains the one that is served.
    Ticket,
}

impl Lock {
    fn enter(self, kernel: &mut Writer) {
        let (space, place) = kernel.place(At::Word(0));
        match self {
            Lock::CompareAndSwap => kernel.code(&format!("atom.{space}.cas.b32 %r12, {place}, 0, 1;")),
            Lock::Exchange => kernel.code(&format!("atom.{space}.exch.b32 %r12, {place}, 1;")),
            Lock::Ticket => kernel.read("%r12", At::Word(2)).code("sub.u32 %r12, %r12, %r11;"),
        };
        kernel.code("setp.eq.u32 %p2, %r12, 0;");
    }

    /// What the lanes do under the lock: they count themselves. Then they release it.
    fn work_and_leave(self, kernel: &mut Writer) {
        kernel.read("%r13", At::Word(1)).code("add.u32 %r13, %r13, 1;").write(At::Word(1), "%r13");
        match self {
            Lock::Ticket => {
                kernel.code("add.u32 %r14, %r11, 1;").write(At::Word(2), "%r14");
            }
            _ => {
                kernel.write(At::Word(0), "0");
            }
        }
    }
}

/// Every lane counts itself under a lock. The sum of their counts is a triangular number, in any order.
fn lock(cells: Cells, lock: Lock, inside: bool) -> Case {
    let mut kernel = Writer::new(cells, Spin::Plain);
    if lock == Lock::Ticket {
        let (space, place) = kernel.place(At::Word(0));
        kernel.code(&format!("atom.{space}.add.u32 %r11, {place}, 1;"));
    }
    kernel.code("$lock:");
    lock.enter(&mut kernel);
    if inside {
        kernel.code("@!%p2 bra $next;");
        lock.work_and_leave(&mut kernel);
        kernel.code("$next:\n@!%p2 bra $lock;");
    } else {
        kernel.code("@!%p2 bra $lock;");
        lock.work_and_leave(&mut kernel);
    }
    // Which number a lane drew depends on the seed, but each was drawn once.
    kernel.code("bar.sync 0;").read("%r10", At::Word(1)).result("%r10");
    let (stack, why) = if inside { (Ends, IN_THE_LOOP) } else { (Livelock, OUT_OF_THE_LOOP) };
    let form = if inside { "inside the loop" } else { "behind the loop" };
    Case::warp(format!("{cells:?}: {lock:?} lock, {form}"), kernel.text(), vec![32; 32]).stack(stack, why)
}

/// Locks that are released inside the loop that takes them, or after it.
pub fn locks() -> Vec<Case> {
    let mut cases = Vec::new();
    for cells in [Cells::Global, Cells::Shared] {
        for kind in [Lock::CompareAndSwap, Lock::Exchange, Lock::Ticket] {
            cases.extend([true, false].map(|inside| lock(cells, kind, inside)));
        }
    }
    cases
}

/// Each lane waits for its neighbour: the one below, or the one above. The result is the lane's place in the chain.
fn chain(cells: Cells, spin: Spin, upward: bool, inside: bool) -> Case {
    let mut kernel = Writer::new(cells, spin);
    let (first, from, to) =
        if upward { (0, At::Lane(0), At::Lane(1)) } else { (31, At::Lane(1), At::Lane(0)) };
    // The first lane of the chain starts it: cell 0 upward, cell 32 downward.
    let start = if upward { At::Word(0) } else { At::Word(32) };
    kernel.code(&format!("setp.ne.u32 %p3, %r2, {first};\n@%p3 bra $started;"));
    kernel.write(start, "1").code("$started:");
    if inside {
        kernel.code("$again:").read("%r10", from).code("setp.eq.u32 %p2, %r10, 0;\n@%p2 bra $next;");
        kernel.code("add.u32 %r11, %r10, 1;").write(to, "%r11").code("$next:\n@%p2 bra $again;");
    } else {
        kernel.code("mov.u32 %r11, 0;\n$again:").wait_for_more(from);
        kernel.code("add.u32 %r11, %r10, 1;").write(to, "%r11");
    }
    kernel.result("%r10");
    let results = (0..32).map(|lane| if upward { lane + 1 } else { 32 - lane }).collect();
    let (stack, why) = if inside { (Ends, IN_THE_LOOP) } else { (Livelock, OUT_OF_THE_LOOP) };
    let (way, form) = (if upward { "up" } else { "down" }, if inside { "inside" } else { "behind" });
    Case::warp(format!("{cells:?} {spin:?}: chain {way}, {form} the loop"), kernel.text(), results)
        .stack(stack, why)
}

impl Writer {
    /// Waits until a cell is not zero, and leaves its value in `%r10`.
    fn wait_for_more(&mut self, at: At) {
        let again = self.label("more");
        self.code(&format!("{again}:")).read("%r10", at);
        self.code(&format!("setp.eq.u32 %p2, %r10, 0;\n@%p2 bra {again};"));
    }
}

/// Chains from lane to lane.
pub fn chains() -> Vec<Case> {
    let mut cases = Vec::new();
    for cells in [Cells::Global, Cells::SharedAtomic, Cells::Function] {
        for upward in [true, false] {
            cases.extend([true, false].map(|inside| chain(cells, Spin::Plain, upward, inside)));
        }
    }
    cases
}

/// Two lanes take turns: each waits for its number, and sets the next.
fn ping_pong(together: bool) -> Case {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.code("setp.gt.u32 %p4, %r2, 1;\n@%p4 bra $out;");
    if together {
        // Both lanes are in one loop, and the lane whose turn it is takes it.
        kernel.code("mov.u32 %r10, %r2;\n$again:").read("%r11", At::Word(0));
        kernel.code("setp.ne.u32 %p2, %r11, %r10;\n@%p2 bra $next;\nadd.u32 %r12, %r10, 1;");
        kernel.write(At::Word(0), "%r12").code("add.u32 %r10, %r10, 2;\n$next:");
        kernel.code("setp.lt.u32 %p3, %r10, 8;\n@%p3 bra $again;");
    } else {
        let side = |first: u32| {
            move |kernel: &mut Writer| {
                let turn = kernel.label("turn");
                kernel.code(&format!("mov.u32 %r10, {first};\n{turn}:")).wait(At::Word(0), "%r10");
                kernel.code("add.u32 %r12, %r10, 1;").write(At::Word(0), "%r12");
                kernel.code(&format!("add.u32 %r10, %r10, 2;\nsetp.lt.u32 %p3, %r10, 8;\n@%p3 bra {turn};"));
            }
        };
        kernel.either("%r2", 0, true, side(0), side(1));
    }
    kernel.code("$out:").result("%r2");
    let (stack, why) = if together {
        (Ends, IN_THE_LOOP)
    } else {
        (Livelock, "the side that runs first waits for an answer of the other")
    };
    let form = if together { "in one loop" } else { "on two sides" };
    Case::warp(format!("two lanes take turns {form}"), kernel.text(), (0..32).collect()).stack(stack, why)
}

/// Lanes leave a loop after as many iterations as their number. One waits in its last iteration for something that
/// another lane does.
fn unequal_loops(waiting: u32, inside: bool) -> Case {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.code("mov.u32 %r10, 0;\n$turn:");
    if inside {
        // Lane 31 raises the flag in its first iteration, before lane 0 waits for it after the loop.
        kernel.code("setp.ne.u32 %p2, %r2, 31;\n@%p2 bra $next;").write(At::Word(0), "1");
    } else {
        kernel.code(&format!("setp.ne.u32 %p2, %r2, {waiting};\n@%p2 bra $next;"));
        kernel.code("setp.ne.u32 %p3, %r10, %r2;\n@%p3 bra $next;").wait(At::Word(0), "1");
    }
    kernel.code("$next:\nadd.u32 %r10, %r10, 1;\nsetp.le.u32 %p2, %r10, %r2;\n@%p2 bra $turn;");
    kernel.code("setp.ne.u32 %p2, %r2, 0;\n@%p2 bra $end;");
    if inside {
        kernel.wait(At::Word(0), "1");
    } else {
        kernel.write(At::Word(0), "1");
    }
    kernel.code("$end:").result("%r10");
    let (stack, why) = if inside { (Ends, IN_THE_LOOP) } else { (Livelock, OUT_OF_THE_LOOP) };
    let name = if inside {
        "the longest loop raises a flag for who has left it".to_string()
    } else {
        format!("lane {waiting} waits in its last turn for one that has left the loop")
    };
    Case::warp(name, kernel.text(), (1..=32).collect()).stack(stack, why)
}

/// One half of the warp waits for the other, and a warp barrier of its own keeps its lanes together in each iteration.
/// They vote on whether there is another iteration. If each lane decided for itself, one might see the flag and leave,
/// and another, which read the flag a moment earlier, might not.
fn halves(producer_low: bool) -> Case {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    let (produces, waits) = if producer_low { (0, 1) } else { (1, 0) };
    let masks = ["0x0000ffff", "0xffff0000"];
    kernel.code("shr.u32 %r15, %r2, 4;");
    kernel.either(
        "%r15",
        produces,
        false,
        |kernel| {
            kernel.code(&format!("bar.warp.sync {};", masks[produces as usize]));
            kernel.write(At::Word(0), "1");
        },
        |kernel| {
            kernel.code("$half:").code(&format!("bar.warp.sync {};", masks[waits as usize]));
            kernel.read("%r10", At::Word(0)).code("setp.eq.u32 %p2, %r10, 0;");
            kernel.code(&format!("vote.sync.any.pred %p2, %p2, {};", masks[waits as usize]));
            kernel.code("@%p2 bra $half;");
        },
    );
    kernel.code("bar.warp.sync 0xffffffff;").result("%r2");
    let (stack, why) = if producer_low { (Ends, LOWEST_FIRST) } else { (Livelock, WAITS_FIRST) };
    let name = format!("half {produces} of a warp produces for the other, with warp barriers");
    Case::warp(name, kernel.text(), (0..32).collect()).stack(stack, why)
}

/// Lanes diverge twice, and the innermost path waits for the outermost.
fn nested_branches(outer_lane: u32) -> Case {
    let mut kernel = Writer::new(Cells::Shared, Spin::Plain);
    kernel.either(
        "%r2",
        outer_lane,
        true,
        |kernel| {
            kernel.write(At::Word(0), "1");
        },
        |kernel| {
            kernel.code("setp.ne.u32 %p5, %r2, 16;\n@%p5 bra $inner;").wait(At::Word(0), "1");
            kernel.code("$inner:");
        },
    );
    kernel.result("%r2");
    let (stack, why) = if outer_lane == 0 { (Ends, LOWEST_FIRST) } else { (Livelock, WAITS_FIRST) };
    Case::warp(format!("lane {outer_lane} outside frees lane 16 inside"), kernel.text(), (0..32).collect())
        .stack(stack, why)
}

/// The flag is never raised, which is a livelock under both mechanisms.
fn nobody(spin: Spin) -> Case {
    let mut kernel = Writer::new(Cells::Global, spin);
    kernel.code("setp.eq.u32 %p1, %r2, 5;\n@%p1 bra $out;").wait(At::Lane(0), "1").code("$out:");
    let case = Case::warp(format!("{spin:?}: nobody raises the flag"), kernel.text(), vec![0; 32]);
    Case { its: Livelock, ..case }.stack(Livelock, "what is waited for is never done")
}

/// Kernels in which lanes reconverge, diverge and wait.
pub fn reconverging() -> Vec<Case> {
    let mut cases = vec![ping_pong(true), ping_pong(false)];
    cases.extend([unequal_loops(31, false), unequal_loops(7, false), unequal_loops(0, true)]);
    cases.extend([halves(true), halves(false), nested_branches(0), nested_branches(31)]);
    cases.extend([Spin::Plain, Spin::Sleep, Spin::Delay, Spin::Nested].map(nobody));
    cases
}
