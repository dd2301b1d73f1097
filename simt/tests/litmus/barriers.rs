//! Shapes with a barrier: what two threads do before it and after it, and what a third one of another block sees of that.
//!
//! A barrier orders what its threads did before it and what they do after it, at the scope of the block; by causality that
//! reaches on through patterns of a wider scope (8.9.5). Left out: barriers that some threads only arrive at, which the
//! tests of barriers have. Specification: PTX ISA, sections 8.9.4 and 9.7.13.

use crate::program::{Action, Among, FenceKind, Op, Place, Program, Scope, Space, Strength, Thread};
use crate::program::{WEAK, acquire, relaxed, release};
use crate::shapes::{X, Y};
use crate::sides::{exchange, fence, guarded, load, pairs, store};

use Scope::{Cta, Gpu};

/// Two threads of a block or of a warp meet; a third one, elsewhere or in the same block, looks at what they did.
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
        let meet = Op::from(Action::Meet { among, number: 0 });
        let first = vec![store(X, 1, how), meet, load(0, X, how)];
        let last = [look, vec![guarded(0, 1, load(1, X, WEAK))]].concat();
        let told = [vec![meet], flag.clone()].concat();
        let over = [vec![meet, store(X, 2, how)], flag].concat();
        [told, over].map(|second| program(among, third, [first.clone(), second, last.clone()]))
    });
    programs.collect()
}

/// The first two threads share a block, and a warp if they meet there; the third one is of that block, where it comes to
/// the barrier as well if it is one of the block, or of another.
fn program(among: Among, third: u32, ops: [Vec<Op>; 3]) -> Program {
    let second = match among {
        Among::Block => Place { block: 0, warp: 1, lane: 3 },
        Among::Warp => Place { block: 0, warp: 0, lane: 9 },
    };
    let first = Place { block: 0, warp: 0, lane: 2 };
    let last = Place { block: third, warp: 2, lane: 0 };
    let [one, two, mut three] = ops;
    if among == Among::Block && third == 0 {
        three.insert(0, Action::Meet { among, number: 0 }.into());
    }
    let threads = [(first, one), (second, two), (last, three)];
    let threads = threads.into_iter().map(|(place, ops)| Thread { place, ops }).collect();
    Program { threads, space: Space::Global }
}
