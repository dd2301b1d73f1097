//! Runs a launch that has a watcher, an instruction at a time, and shows each ([`super::moment`]).
//!
//! What an instruction does to memory has to be found out before it runs, because a load may overwrite its own address. What
//! it cost is the difference that it made to the counters.

use crate::access::address::addresses;
use crate::access::window::resolve;
use crate::compile::inst::{Inst, Pc};
use crate::exec::moment::{Access, Machine, Moment};
use crate::exec::state::{Run, Stop};
use crate::exec::step::Left;
use crate::isa::op::Op;
use crate::isa::op::memory::{Address, Memory};
use crate::machine::block::Block;
use crate::machine::divergence::{Frame, Group};
use crate::machine::registers::{WARP_SIZE, lanes_of, write_lanes};
use crate::report::counters::Counters;
use crate::report::location::{AccessKind, Space};

/// What is known of an instruction before it runs.
struct Before {
    step: u64,
    pc: Pc,
    mask: u32,
    active: u32,
    frame: Frame,
    accesses: Vec<Access>,
    /// The counters of the instruction, if it accesses memory.
    traffic: Option<Counters>,
}

impl Run<'_> {
    /// Runs a group as [`Run::straight_on_by`] does, and shows every step. An instruction that changes which lanes run
    /// together is left to [`Run::leave_loop`], which shows it too.
    pub(crate) fn run_watched(
        &mut self,
        block: &mut Block,
        (w, g): (usize, usize),
        slice: &mut u32,
    ) -> Result<Left, Stop> {
        let mut done = 0;
        loop {
            if *slice == 0 || done != 0 && self.lookout.stops_at(block.warps[w].divergence.groups[g].pc, done)
            {
                return Ok(Left::Paused);
            }
            let before = self.before(block, w, g);
            let mut one = 1;
            let left = self.straight_on_by((block, w, g), &mut one);
            if one != 0 {
                return Ok(left);
            }
            *slice -= 1;
            done += 1;
            self.steps += 1;
            block.warps[w].steps += 1;
            if let Left::At(_) = left {
                return Ok(left);
            }
            let active = before.active;
            self.show(block, w, before, active)?;
            if !matches!(left, Left::Paused) {
                return Ok(left);
            }
        }
    }

    /// Shows an instruction that changes which lanes run together, carried out for these lanes.
    pub(crate) fn show_control(
        &mut self,
        block: &Block,
        w: usize,
        (group, active): (&Group, u32),
    ) -> Result<(), Stop> {
        let before = Before {
            step: self.steps - 1,
            pc: group.pc,
            mask: group.mask,
            active,
            frame: group.frame,
            accesses: Vec::new(),
            traffic: None,
        };
        self.show(block, w, before, active)
    }

    fn before(&self, block: &mut Block, w: usize, g: usize) -> Before {
        let group = &block.warps[w].divergence.groups[g];
        let (pc, mask, frame) = (group.pc, group.mask, group.frame);
        let inst = self.program.insts.get(pc as usize);
        let guard = |inst: &Inst| {
            let slot = frame.base.preds + usize::from(inst.guard);
            mask & (block.registers.preds.get(slot, w) ^ inst.flip)
        };
        let active = inst.map_or(0, guard);
        let accesses = inst.map_or_else(Vec::new, |inst| accesses(block, w, inst, (active, &frame)));
        let traffic = if accesses.is_empty() { None } else { self.traffic.get(pc as usize).copied() };
        Before { step: self.steps, pc, mask, active, frame, accesses, traffic }
    }

    fn show(&mut self, block: &Block, w: usize, before: Before, active: u32) -> Result<(), Stop> {
        let Some(watcher) = self.watcher.take() else { return Ok(()) };
        let mut accesses = before.accesses;
        if let Some(traffic) = before.traffic {
            let after = &self.traffic[before.pc as usize];
            for access in &mut accesses {
                cost(access, &traffic, after);
            }
        }
        let machine = Machine { program: self.program, global: self.global, block, frame: before.frame };
        let moment = Moment {
            step: before.step,
            block: block.index,
            warp: w as u32,
            mask: before.mask,
            active,
            instruction: before.pc,
            accesses: &accesses,
            machine,
        };
        let goes_on = watcher(&moment).is_continue();
        self.watcher = Some(watcher);
        if goes_on { Ok(()) } else { Err(Stop::Watcher) }
    }
}

/// What an access cost: the difference that it made to the counters.
fn cost(access: &mut Access, before: &Counters, after: &Counters) {
    let more = |count: fn(&Counters) -> u64| count(after) - count(before);
    match access.space {
        Space::Global => {
            access.sectors = more(|counters| {
                counters.global_load_sectors
                    + counters.global_store_sectors
                    + counters.global_atomic_sectors
                    + counters.global_reduction_sectors
            });
        }
        Space::Shared => {
            access.bank_conflicts = more(|counters| {
                counters.shared_load_bank_conflicts
                    + counters.shared_store_bank_conflicts
                    + counters.shared_atomic_bank_conflicts
            });
        }
        _ => {}
    }
}

/// The accesses that an instruction is about to make.
fn accesses(block: &mut Block, w: usize, inst: &Inst, (active, frame): (u32, &Frame)) -> Vec<Access> {
    let (address, bytes, kind): (&Address, u64, AccessKind) = match &inst.op {
        Op::Load(access) => (&access.address, access.lane_bytes(), AccessKind::Read),
        Op::Store(access) => (&access.address, access.lane_bytes(), AccessKind::Write),
        Op::Atomic(atomic) => (&atomic.address, u64::from(atomic.bytes), AccessKind::Update),
        Op::Mbarrier(mbarrier) => (&mbarrier.address, 8, AccessKind::Mbarrier),
        _ => return Vec::new(),
    };
    if active == 0 {
        return Vec::new();
    }
    let lanes = block.registers.lanes(w, frame.base, active);
    let at = addresses(&lanes, address, inst.args.a, frame);
    let access = |memory: Memory| Access {
        space: space(memory),
        kind,
        bytes,
        lanes: 0,
        addresses: [0; WARP_SIZE],
        sectors: 0,
        bank_conflicts: 0,
    };
    if address.memory != Memory::Generic {
        let mut access = Access { lanes: active, ..access(address.memory) };
        write_lanes(&mut access.addresses, active, |lane| at[lane]);
        return vec![access];
    }
    let in_memory = |memory: Memory| {
        let mut access = access(memory);
        for lane in lanes_of(active) {
            let (reached, address) = resolve(address.memory, at[lane]);
            if reached == memory {
                access.lanes |= 1 << lane;
                access.addresses[lane] = address;
            }
        }
        (access.lanes != 0).then_some(access)
    };
    [Memory::Global, Memory::Shared, Memory::Local, Memory::Param].into_iter().filter_map(in_memory).collect()
}

fn space(memory: Memory) -> Space {
    match memory {
        Memory::Global | Memory::Generic => Space::Global,
        Memory::Const => Space::Const,
        Memory::Shared => Space::Shared,
        Memory::Local | Memory::Frame => Space::Local,
        Memory::Param => Space::Param,
    }
}
