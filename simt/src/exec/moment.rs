//! What a watcher sees: the machine right after a warp issued an instruction.
//!
//! A watcher looks and changes nothing, but it may stop the launch. What it sees is lent: registers, memories and groups of
//! lanes as they are, and the access to memory that the instruction made, which has to be found out before the instruction
//! runs, because a load may overwrite its own address.
//! Left out are the other blocks on the machine, whose state no instruction of this one changes but through global memory.

use std::ops::ControlFlow;

use crate::access::address::addresses;
use crate::access::window::resolve;
use crate::compile::inst::{AT_RETURN, Inst, Pc};
use crate::compile::program::Program;
use crate::exec::state::{Run, Stop};
use crate::exec::step::Left;
use crate::isa::op::Op;
use crate::isa::op::memory::{Address, Memory};
use crate::isa::op::place::Bank;
use crate::launch::{Dim3, MemoryError};
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Frame, Group, Wait};
use crate::machine::global::{Buffer, Global};
use crate::machine::registers::WARP_SIZE;
use crate::report::counters::Counters;
use crate::report::fault::Site;
use crate::report::location::{AccessKind, Space};

/// A function that is called after each instruction that a warp issues, and may stop the launch.
pub type Watcher<'w> = dyn FnMut(&Moment<'_>) -> ControlFlow<()> + 'w;

/// The machine right after a warp issued an instruction: what [`Emulator::launch_watched`](crate::Emulator::launch_watched)
/// lends its watcher.
#[derive(Debug)]
#[non_exhaustive]
pub struct Moment<'m> {
    /// How many steps the launch had taken before. The number grows from moment to moment, mostly by one: a step that only
    /// told lanes apart, which then issue the instruction one part after another, is not shown. The same launch has the same
    /// moments every time.
    pub step: u64,
    /// The block in the grid.
    pub block: Dim3,
    /// The warp in the block.
    pub warp: u32,
    /// The lanes that ran together, one bit a lane.
    pub mask: u32,
    /// Those of them for which the instruction was carried out: whose guard is true; at a branch, those that take it.
    pub active: u32,
    /// The instruction, by its number in the module.
    pub instruction: u32,
    accesses: &'m [Access],
    machine: Machine<'m>,
}

/// The state that a moment lends.
#[derive(Clone, Copy, Debug)]
struct Machine<'m> {
    program: &'m Program,
    global: &'m Global,
    block: &'m Block,
    frame: Frame,
}

/// An access to memory by the active lanes of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// The memory.
    pub space: Space,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes of each lane.
    pub bytes: u64,
    /// The lanes that take part, one bit a lane.
    pub lanes: u32,
    /// The address of each lane, in its memory; 0 for lanes that take no part.
    pub addresses: [u64; WARP_SIZE],
    /// Sectors of 32 bytes that the access touched, in global memory.
    pub sectors: u64,
    /// Extra passes that it needed because lanes wanted different words of one bank, in shared memory.
    pub bank_conflicts: u64,
}

/// Lanes of a warp that stand at the same instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneGroup {
    /// The warp in the block.
    pub warp: u32,
    /// The lanes, one bit a lane.
    pub lanes: u32,
    /// The instruction that they execute next, by its number in the module. `None` at the end of a function.
    pub instruction: Option<u32>,
    /// What they wait for.
    pub waiting: Waiting,
}

/// What lanes wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Waiting {
    /// For nothing: they can run.
    Nothing,
    /// For the other threads of the block, at the barrier of this number.
    Barrier(u8),
    /// For other lanes of the warp, at an instruction that the lanes of a mask execute together.
    Warp,
    /// For the lanes that a branch parted from them, where they reconverge: `missing` are still to come.
    Reconvergence {
        /// One bit a lane.
        missing: u32,
    },
}

/// A register of the function that the warp runs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Register<'m> {
    /// Its name in the text, `%r3` or `v.x`.
    pub name: &'m str,
    /// The name of its type in the text, `b32`.
    pub ty: &'static str,
    machine: Machine<'m>,
    warp: usize,
    place: (Bank, usize),
}

impl Register<'_> {
    /// What the register holds in a lane, as bits. Lanes that are in another function have a register of that one there.
    pub fn value(&self, lane: usize) -> u64 {
        let registers = &self.machine.block.warps[self.warp].registers;
        let (bank, slot) = self.place;
        let lane = lane % WARP_SIZE;
        match bank {
            Bank::Narrow => u64::from(registers.narrow[slot][lane]),
            Bank::Wide => registers.wide[slot][lane],
            Bank::Preds => u64::from(registers.preds[slot] >> lane & 1),
        }
    }
}

impl<'m> Moment<'m> {
    /// What the instruction is, and where it stands.
    pub fn site(&self) -> Site {
        self.machine.program.site(self.instruction)
    }

    /// The accesses to memory that the instruction made; more than one where generic addresses of its lanes are in several
    /// memories. An access that memory denied is one of them: the launch ends with a fault then.
    pub fn accesses(&self) -> &[Access] {
        self.accesses
    }

    /// The lanes of all warps of the block that have not ended, by what they execute next and what they wait for.
    pub fn groups(&self) -> impl Iterator<Item = LaneGroup> + '_ {
        self.machine.block.warps.iter().flat_map(|warp| {
            let groups = warp.divergence.groups.iter().map(|group| running(warp, group));
            let waiting = warp.divergence.waiting().map(|meeting| LaneGroup {
                warp: warp.id,
                lanes: meeting.arrived,
                instruction: Some(meeting.pc),
                waiting: Waiting::Reconvergence { missing: meeting.expected & !meeting.arrived },
            });
            groups.chain(waiting)
        })
    }

    /// The lanes of a warp of the block that have ended, or that a last warp does not have, one bit a lane.
    pub fn ended(&self, warp: u32) -> u32 {
        self.machine.block.warps.get(warp as usize).map_or(u32::MAX, |warp| !warp.live())
    }

    /// The registers of the function that the lanes ran in, as the text names them, in a warp of the block. Registers that
    /// no instruction names are left out.
    pub fn registers(&self, warp: u32) -> impl Iterator<Item = Register<'m>> + use<'m> {
        let machine = self.machine;
        let code = &machine.program.functions[machine.frame.function as usize];
        let is_there = (warp as usize) < machine.block.warps.len();
        code.registers.iter().filter(move |_| is_there).filter_map(move |register| {
            let (registers, base) = (&machine.block.warps[warp as usize].registers, machine.frame.base);
            let slot = usize::from(register.slot);
            let (slot, count) = match register.bank {
                Bank::Narrow => (base.narrow + slot, registers.narrow.len()),
                Bank::Wide => (base.wide + slot, registers.wide.len()),
                Bank::Preds => (base.preds + slot, registers.preds.len()),
            };
            let place = (register.bank, slot);
            let known =
                Register { name: &register.name, ty: register.ty, machine, warp: warp as usize, place };
            // A warp that has never been in the function has no such registers yet.
            (slot < count).then_some(known)
        })
    }

    /// The shared memory of the block.
    pub fn shared(&self) -> &'m [u8] {
        &self.machine.block.shared
    }

    /// The local memory of a lane of a warp of the block; empty for a warp that there is not.
    pub fn local(&self, warp: u32, lane: usize) -> &'m [u8] {
        let warp = self.machine.block.warps.get(warp as usize);
        warp.map_or(&[], |warp| warp.local.of_lane(lane % WARP_SIZE))
    }

    /// The bytes of an allocation in global memory, or of a variable of the module.
    ///
    /// # Errors
    /// The buffer is not in this emulator's memory, or has been freed.
    pub fn read(&self, buffer: Buffer) -> Result<&'m [u8], MemoryError> {
        self.machine.global.check(buffer)?;
        Ok(self.machine.global.bytes(buffer))
    }
}

fn running(warp: &Warp, group: &Group) -> LaneGroup {
    let waiting = match group.wait {
        Wait::Nothing => Waiting::Nothing,
        Wait::Barrier(number) => Waiting::Barrier(number),
        Wait::Collective => Waiting::Warp,
    };
    let instruction = (group.pc < AT_RETURN).then_some(group.pc);
    LaneGroup { warp: warp.id, lanes: group.mask, instruction, waiting }
}

/// What is known of an instruction before it runs.
struct Before {
    step: u64,
    pc: Pc,
    mask: u32,
    active: u32,
    frame: Frame,
    accesses: Vec<Access>,
    traffic: Counters,
}

impl Run<'_> {
    /// Runs a group as [`Run::straight_on`] does, and shows every step but the last where that leaves the loop for
    /// something that [`Run::leave_loop`] does and shows.
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
            self.show(block, w, &before, before.active)?;
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
            traffic: Counters::default(),
        };
        self.show(block, w, &before, active)
    }

    fn before(&self, block: &mut Block, w: usize, g: usize) -> Before {
        let group = &block.warps[w].divergence.groups[g];
        let (pc, mask, frame) = (group.pc, group.mask, group.frame);
        let inst = self.program.insts.get(pc as usize);
        let guard = |inst: &Inst| {
            let slot = frame.base.preds + usize::from(inst.guard);
            mask & (block.warps[w].registers.preds.get(slot).copied().unwrap_or(0) ^ inst.flip)
        };
        let active = inst.map_or(0, guard);
        let traffic = self.traffic.get(pc as usize).copied().unwrap_or_default();
        let accesses = inst.map_or_else(Vec::new, |inst| accesses(block, w, inst, (active, &frame)));
        Before { step: self.steps, pc, mask, active, frame, accesses, traffic }
    }

    fn show(&mut self, block: &Block, w: usize, before: &Before, active: u32) -> Result<(), Stop> {
        let Some(watcher) = self.watcher.take() else { return Ok(()) };
        let mut accesses = before.accesses.clone();
        if let Some(after) = self.traffic.get(before.pc as usize) {
            accesses.iter_mut().for_each(|access| cost(access, &before.traffic, after));
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
    let lanes = block.warps[w].registers.lanes(frame.base, active);
    let at = addresses(&lanes, address, inst.args.a, frame);
    let memories: &[Memory] = match address.memory {
        Memory::Generic => &[Memory::Global, Memory::Shared, Memory::Local, Memory::Param],
        _ => std::slice::from_ref(&address.memory),
    };
    let in_memory = |memory: &Memory| {
        let mut access = Access {
            space: space(*memory),
            kind,
            bytes,
            lanes: 0,
            addresses: [0; WARP_SIZE],
            sectors: 0,
            bank_conflicts: 0,
        };
        for lane in (0..WARP_SIZE).filter(|lane| active >> lane & 1 != 0) {
            let (reached, address) = resolve(address.memory, at[lane]);
            if reached == *memory {
                access.lanes |= 1 << lane;
                access.addresses[lane] = address;
            }
        }
        (access.lanes != 0).then_some(access)
    };
    memories.iter().filter_map(in_memory).collect()
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
