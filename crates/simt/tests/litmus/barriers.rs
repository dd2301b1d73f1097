//! Shapes with a barrier: what two threads do before and after it, and what a third thread of another block sees of
//! that.
//!
//! A barrier orders what its threads did before it with what they do after it, at the scope of the block. Because of
//! causality, that order extends through patterns of a wider scope (8.9.5). Barriers at which some threads only arrive
//! are left to the tests of barriers. Specification: PTX ISA, sections 8.9.4 and 9.7.13.

use crate::program::{Action, Among, FenceKind, Op, Place, Program, Scope, Space, Strength, Thread};
use crate::program::{WEAK, acquire, relaxed, release};
use crate::shapes::{X, Y};
use crate::sides::{exchange, fence, guarded, load, pairs, store};

use Scope::{Cta, Gpu};

/// Two threads of a block or of a warp wait at a barrier; a third thread, in another block or in the same one, reads
/// what they did.
pub fn across() -> Vec<Program> {
    let stores: [Strength; 3] = [WEAK, relaxed(Cta), relaxed(Gpu)];
    let flags = [
        vec![store(Y, 1, release(Gpu))],
        vec![store(Y, 1, relaxed(Gpu))],
        vec![fence(FenceKind::AcqRel, Gpu), exchange(2, Y, 1, relaxed(Gpu))],
    ];
    let looks =
        [vec![load(0, Y, acquire(Gpu))], vec![load(0, Y, relaxed(Gpu)), fence(FenceKind::AcqRel, Cta)]];
    let ends = pairs(&flags, &looks).collect::<Vec<_>>();
    let ways = pairs(&stores, &ends).collect::<Vec<_>>();
    let settings = [Among::Block, Among::Warp];
    let places = pairs(&settings, &[0_u32, 1]).collect::<Vec<_>>();
    let programs = pairs(&ways, &places).flat_map(|((how, (flag, look)), (among, third))| {
        let barrier = Op::from(Action::Barrier { among, number: 0 });
        let first = vec![store(X, 1, how), barrier, load(0, X, how)];
        let last = [look, vec![guarded(0, 1, load(1, X, WEAK))]].concat();
        let flagged = [vec![barrier], flag.clone()].concat();
        let over = [vec![barrier, store(X, 2, how)], flag].concat();
        [flagged, over].map(|second| program(among, third, [first.clone(), second, last.clone()]))
    });
    programs.collect()
}

/// The first two threads are in the same block, and in the same warp if the barrier is one of a warp. The third thread
/// is in that block, where it also arrives if the barrier is one of the block, or in another.
fn program(among: Among, third: u32, ops: [Vec<Op>; 3]) -> Program {
    let second = match among {
        Among::Block => Place { block: 0, warp: 1, lane: 3 },
        Among::Warp => Place { block: 0, warp: 0, lane: 9 },
    };
    let first = Place { block: 0, warp: 0, lane: 2 };
    let last = Place { block: third, warp: 2, lane: 0 };
    let [one, two, mut three] = ops;
    if among == Among::Block && third == 0 {
        three.insert(0, Action::Barrier { among, number: 0 }.into());
    }
    let threads = [(first, one), (second, two), (last, three)];
    let threads = threads.into_iter().map(|(place, ops)| Thread { place, ops }).collect();
    Program { threads, space: Space::Global }
}
