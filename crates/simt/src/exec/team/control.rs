//! What all warps of a block do together that otherwise changes which lanes run together: meet at a barrier, shuffle, end.
//!
//! Each of these is what comes of letting one warp after another arrive ([`crate::exec::control`]), in the case in which
//! nobody has to wait: all threads of the block are in the team, or all lanes of each warp shuffle. What is not that case
//! is left to the others.

use pulp::{Simd, WithSimd};

use crate::compile::inst::Inst;
use crate::exec::state::Run;
use crate::exec::team::Team;
use crate::isa::op::Op;
use crate::isa::op::sync::{Action, Barrier};
use crate::isa::op::warp::{Collective, Exchange, Shuffle};
use crate::isa::value::{Args, Kind, map_pred, vectorise};
use crate::machine::block::{BarrierState, Block};
use crate::machine::file::Place;
use crate::machine::registers::{
    Bank, FULL_MASK, Narrow, RegisterCells, Registers, Shape, Slot, WARP_SIZE, Warps, column_of, copy_lanes,
};
use crate::order::clocks::WarpId;

impl Run<'_> {
    /// Carries out an instruction for all warps of a team, if that is one of the simple cases; whether it was.
    pub fn control_together(&mut self, block: &mut Block, team: &Team, inst: &Inst, is_whole: bool) -> bool {
        if self.setup.launch.weak_memory {
            return false;
        }
        match inst.op {
            Op::Barrier(barrier) => is_whole && self.barrier_together(block, team, inst, barrier).is_some(),
            Op::Collective(collective) => self.shuffle_together(block, team, inst, collective),
            _ => false,
        }
    }

    /// A barrier at which all threads of the block that have not ended are, each warp with one group; its number, if it is a
    /// simple case.
    pub fn barrier_together(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        barrier: Barrier,
    ) -> Option<u8> {
        let number = number_in_all(&block.registers, team.frame.base, inst.args.a)?;
        let has_ended = block.warps.iter().any(|warp| warp.divergence.exited != 0);
        let is_simple = barrier.action == Action::Sync
            && !barrier.counted
            && block.barriers.get(number as usize) == Some(&BarrierState::default())
            && !(has_ended && self.setup.launch.checks.synchronisation);
        if is_simple && let Some(model) = &mut self.observers.memory_model {
            model.clocks.block_barrier(block.slot);
        }
        is_simple.then_some(number as u8)
    }

    /// A shuffle of whole warps in which every lane reads as far away as the others, and a barrier of whole warps.
    pub fn shuffle_together(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        collective: Collective,
    ) -> bool {
        let (base, args) = (team.frame.base, &inst.args);
        let is_full = |mask: &u32| *mask == FULL_MASK || *mask == 0;
        let members = number_in_all(&block.registers, base, args.e);
        if !collective.sync || members != Some(FULL_MASK) || !team.active().iter().all(is_full) {
            return false;
        }
        match (collective.exchange, collective.source) {
            (Exchange::Barrier, _) => {
                if let Some(model) = &mut self.observers.memory_model {
                    let warps = team.active().iter().enumerate().filter(|(_, mask)| **mask != 0);
                    warps.for_each(|(w, _)| model.clocks.warp_barrier(block.slot, w, FULL_MASK));
                }
                true
            }
            (Exchange::Shuffle(shuffle), Kind::B32) => exchange(block, team, inst, shuffle),
            _ => false,
        }
    }

    /// The end of all threads of a block.
    pub fn end_together(&mut self, block: &mut Block, pc: u32) {
        for warp in &mut block.warps {
            let lanes = warp.live();
            if lanes != 0 {
                warp.divergence.groups[0].pc = pc + 1;
                warp.end(0, lanes, pc);
            }
        }
        if let Some(model) = &mut self.observers.memory_model {
            for (w, warp) in block.warps.iter().enumerate() {
                model.forget_results(WarpId { slot: block.slot, warp: w }, warp.lanes);
                model.clocks.end(block.slot, w, warp.lanes);
            }
        }
        block.live_threads = 0;
        self.end_block(block);
    }
}

/// Shuffles registers of 32 bits; whether all lanes name the same numbers.
fn exchange(block: &mut Block, team: &Team, inst: &Inst, shuffle: Shuffle) -> bool {
    let (base, args) = (team.frame.base, &inst.args);
    let registers = &mut block.registers;
    let [Some(b), Some(c)] = [args.b, args.c].map(|slot| number_in_all(registers, base, slot)) else {
        return false;
    };
    let routes = shuffle.routes(&[b; WARP_SIZE], &[c; WARP_SIZE], &[FULL_MASK; WARP_SIZE], FULL_MASK);
    registers.expand(base, Bank::Narrow, args.a);
    registers.expand(base, Bank::Preds, args.q);
    let is_in_all = !team.active().contains(&0);
    if is_in_all && args.d != args.a {
        registers.replace(base, Bank::Narrow, args.d);
    } else {
        registers.change(base, Bank::Narrow, args.d);
    }
    if is_in_all {
        *registers.preds.replace_first(base.preds + usize::from(args.q)) = routes.inside;
    }
    let mut warps = registers.warps(base, team.active(), false);
    if !is_in_all {
        map_pred(&mut warps, &Args { d: args.q, a: args.q, ..Args::default() }, |_| routes.inside);
    }
    let (a, d) = (warps.narrow.place(args.a), warps.narrow.place_to_write(args.d, false));
    let values = Values { warps, a, d };
    match mover(shuffle, b & 31) {
        Some(mover) => mover(values, routes.inside),
        None => values.shuffle(|values| column_of(|lane| values[routes.read[lane] as usize % WARP_SIZE])),
    }
    true
}

/// What is shuffled: a register of all warps, and the one that gets its values.
struct Values<'r> {
    warps: Warps<'r>,
    a: Place,
    d: Place,
}

impl Values<'_> {
    /// Gives each lane what `move_lanes` does.
    #[inline(always)]
    fn shuffle(mut self, move_lanes: impl Fn(&Narrow) -> Narrow) {
        let cells = self.warps.narrow.cells();
        let (a, d) = (RegisterCells::at(cells, self.a), RegisterCells::at(cells, self.d));
        for (w, _) in self.warps.masks.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            d.of(w).set(move_lanes(&a.of(w).get()));
        }
    }
}

/// What moves values between lanes whose numbers differ by a power of two, as almost all shuffles do: the lanes that get
/// another lane's value are given, and the others keep theirs.
fn mover(shuffle: Shuffle, distance: u32) -> Option<fn(Values<'_>, u32)> {
    Some(match (shuffle, distance) {
        (Shuffle::Down, 1) => from_later::<1>,
        (Shuffle::Down, 2) => from_later::<2>,
        (Shuffle::Down, 4) => from_later::<4>,
        (Shuffle::Down, 8) => from_later::<8>,
        (Shuffle::Down | Shuffle::Up, 16) => from_later::<16>,
        (Shuffle::Up, 1) => from_later::<31>,
        (Shuffle::Up, 2) => from_later::<30>,
        (Shuffle::Up, 4) => from_later::<28>,
        (Shuffle::Up, 8) => from_later::<24>,
        (Shuffle::Bfly, 1) => from_across::<1>,
        (Shuffle::Bfly, 2) => from_across::<2>,
        (Shuffle::Bfly, 4) => from_across::<4>,
        (Shuffle::Bfly, 8) => from_across::<8>,
        (Shuffle::Bfly, 16) => from_across::<16>,
        _ => return None,
    })
}

/// Lane `i` gets the value of lane `i + N`, where the first lane comes after the last one.
fn from_later<const N: usize>(values: Values<'_>, lanes: u32) {
    vectorise(Moved { values, lanes, source: |lane| (lane + N) % WARP_SIZE });
}

/// Lane `i` gets the value of lane `i ^ N`.
fn from_across<const N: usize>(values: Values<'_>, lanes: u32) {
    vectorise(Moved { values, lanes, source: |lane| lane ^ N });
}

/// A shuffle in which the lanes of `lanes` get the value of lane `source(lane)`, and the others keep theirs.
struct Moved<'r, F> {
    values: Values<'r>,
    lanes: u32,
    source: F,
}

impl<F: Fn(usize) -> usize> WithSimd for Moved<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Moved { values, lanes, source } = self;
        values.shuffle(|values| {
            let mut got = *values;
            copy_lanes(&mut got, lanes, &column_of(|lane| values[source(lane)]));
            got
        });
    }
}

/// The number that all threads of the block have in a register of 32 bits.
fn number_in_all(registers: &Registers, base: Shape, slot: Slot) -> Option<u32> {
    registers.uniform(base, Bank::Narrow, slot).map(|number| number as u32)
}
