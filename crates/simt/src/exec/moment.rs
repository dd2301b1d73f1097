//! What a watcher sees: the machine right after a warp issued an instruction.
//!
//! A watcher looks and changes nothing, but it may stop the launch. What it sees is lent: registers, memories and groups of
//! lanes as they are, and the access to memory that the instruction made. [`super::watched`] runs a launch that has one.
//! Left out are the other blocks on the machine, whose state no instruction of this one changes but through global memory.

use std::ops::ControlFlow;

use crate::access::address::addresses_of;
use crate::access::row::Shape;
use crate::access::traffic::{atomic_conflicts, atomic_sectors, load_conflicts, store_conflicts};
use crate::access::window::resolve;
use crate::compile::inst::{AT_RETURN, Inst, Pc};
use crate::compile::program::Program;
use crate::exec::team::stack::Masks;
use crate::isa::op::Op;
use crate::isa::op::bulk::{Bulk, BulkOp};
use crate::isa::op::copy::{Async, Copy};
use crate::isa::op::matrix::{Matrix, Piece};
use crate::isa::op::memory::{Address, Base, Memory};
use crate::isa::value::Args;
use crate::launch::{Dim3, MemoryError};
use crate::machine::block::{Block, Warp};
use crate::machine::bulk::{Area, BulkCopy, Reached};
use crate::machine::divergence::{Divergence, Frame, Wait, position};
use crate::machine::global::{Buffer, Global, start_of};
use crate::machine::kept::Kept;
use crate::machine::registers::{Bank, Registers, Slot, WARP_SIZE, Wide, lanes_of, write_lanes};
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
    pub(crate) machine: Machine<'m>,
}

/// The state that a moment lends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine<'m> {
    pub program: &'m Program,
    pub global: &'m Global,
    pub block: &'m Block,
    pub frame: &'m Frame,
    /// Registers as they were before the instruction, for the warps after this one, and for the addresses of its access.
    pub kept: &'m Kept,
    /// Where the warps stand that execute the instruction together, if they do.
    pub standing: Option<Standing<'m>>,
}

/// Where the warps of a team stand, which execute an instruction one after another for the watcher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing<'m> {
    /// The lanes of each warp.
    pub lanes: &'m Masks,
    /// At which instruction they are until it is their turn.
    pub from: Pc,
    /// What becomes of them in their turn.
    pub then: Then,
}

/// What becomes of the warps of a team when they have executed an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Then {
    /// They go on here.
    Go(Pc),
    /// They wait at the barrier of this number, and with the last one all go on here.
    Wait(u8, Pc),
    /// They end.
    End,
}

/// An access to memory by the active lanes of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

impl Access {
    /// The extra passes that the access would need, in shared memory, if its lanes had other addresses.
    pub fn bank_conflicts_at(&self, addresses: &[u64; WARP_SIZE]) -> u64 {
        match self.kind {
            AccessKind::Read => load_conflicts(addresses, self.lanes, self.bytes),
            AccessKind::Write => store_conflicts(addresses, self.lanes, self.bytes),
            AccessKind::Update => atomic_conflicts(addresses, self.lanes, self.bytes),
            AccessKind::Mbarrier => 0,
        }
    }
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
    /// For the other threads of the cluster of blocks, at its barrier.
    Cluster,
    /// For other lanes of the warp, at an instruction that the lanes of a mask execute together.
    Warp,
    /// For other warps of their warpgroup, at an instruction that the four execute together, or for registers.
    Warpgroup,
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
    registers: &'m Registers,
    warp: usize,
    place: (Bank, usize),
}

impl Register<'_> {
    /// What the register holds in a lane, as bits. Lanes that are in another function have a register of that one there.
    pub fn value(&self, lane: usize) -> u64 {
        let (registers, (bank, slot)) = (self.registers, self.place);
        let lane = lane % WARP_SIZE;
        match bank {
            Bank::Narrow => u64::from(registers.narrow.get(slot, self.warp)[lane]),
            Bank::Wide => registers.wide.get(slot, self.warp)[lane],
            Bank::Preds => u64::from(registers.preds.get(slot, self.warp) >> lane & 1),
        }
    }
}

impl<'m> Moment<'m> {
    /// What the instruction is, and where it stands.
    pub fn site(&self) -> Site {
        self.machine.program.site(self.instruction)
    }

    /// The accesses to memory that the instruction made; more than one where generic addresses of its lanes are in several
    /// memories. An access that memory denied is one of them, with what it would have cost: the launch ends with a fault
    /// then. They are computed here, so a watcher that does not ask does not wait for them.
    pub fn accesses(&self) -> Vec<Access> {
        let machine = &self.machine;
        let inst = machine.program.insts.get(self.instruction as usize);
        if let Some(Inst { op: Op::Bulk(BulkOp::Copy(copy)), args, .. }) = inst {
            return self.copied_in_bulk(args, copy);
        }
        if let Some(Inst { op: Op::Bulk(BulkOp::Tensor(_)), .. }) = inst {
            return self.copied_boxes();
        }
        let Some((inst, (address, bytes, kind))) = inst.and_then(|inst| Some((inst, inst.op.access()?)))
        else {
            return Vec::new();
        };
        let active = inst.op.accessing(self.active);
        if active == 0 {
            return Vec::new();
        }
        if let Op::Async(Async::Copy(copy)) = &inst.op {
            return self.copied(inst, copy);
        }
        let bank = if address.base == Base::Narrow { Bank::Narrow } else { Bank::Wide };
        let slot = machine.frame.base.of(bank) + usize::from(inst.args.a);
        let (registers, slot) = machine.kept.find(bank, slot).unwrap_or((&machine.block.registers, slot));
        let at = addresses_of(registers, self.warp as usize, address, slot, machine.frame.local);
        let Op::Matrix(Matrix::LoadTile(tile) | Matrix::StoreTile(tile)) = &inst.op else {
            return accessed(address.memory, bytes, kind, active, &at);
        };
        let stride = machine.frame.base.narrow + usize::from(inst.args.b);
        let stride = machine.block.registers.narrow.get(stride, self.warp as usize);
        let of_piece = |piece: Piece| {
            let at: Wide = std::array::from_fn(|lane| {
                at[lane].wrapping_add(tile.offset(piece, lane, u64::from(stride[lane])))
            });
            accessed(address.memory, piece.bytes.into(), kind, active, &at)
        };
        tile.pieces().flat_map(of_piece).collect()
    }

    /// What the lanes of an asynchronous copy read and write, at some time. It has no conflicts of banks.
    fn copied(&self, inst: &Inst, copy: &Copy) -> Vec<Access> {
        let (machine, active, warp) = (&self.machine, self.active, self.warp as usize);
        let (registers, base) = (&machine.block.registers, machine.frame.base);
        let given = registers.narrow.get(base.narrow + usize::from(inst.args.c), warp);
        let ignores = registers.preds.get(base.preds + usize::from(inst.args.e), warp);
        let reads = |lane: usize| copy.reads(|| given[lane], || ignores >> lane & 1 != 0) != 0;
        let readers = lanes_of(active).filter(|&lane| reads(lane)).fold(0, |lanes, lane| lanes | 1 << lane);
        let access = |address: &Address, slot: Slot, lanes: u32, kind: AccessKind| {
            let bank = if address.base == Base::Narrow { Bank::Narrow } else { Bank::Wide };
            let slot = base.of(bank) + usize::from(slot);
            let at = addresses_of(registers, warp, address, slot, machine.frame.local);
            let mut addresses = [0; WARP_SIZE];
            write_lanes(&mut addresses, lanes, |lane| at[lane]);
            let (space, bytes) = (address.memory.space(), u64::from(copy.bytes));
            Access { space, kind, bytes, lanes, addresses, sectors: 0, bank_conflicts: 0 }
        };
        let mut accesses = Vec::new();
        if readers != 0 {
            let read = access(&copy.from, inst.args.b, readers, AccessKind::Read);
            let sectors = Shape::of(&read.addresses, readers).sectors(read.bytes);
            accesses.push(Access { sectors, ..read });
        }
        accesses.push(access(&copy.to, inst.args.a, active, AccessKind::Write));
        accesses
    }

    /// What bulk copies of lanes read and write, at some time. No counter tells what that costs.
    fn copied_in_bulk(&self, args: &Args, copy: &Bulk) -> Vec<Access> {
        let (machine, warp) = (&self.machine, self.warp as usize);
        let (registers, base) = (&machine.block.registers, machine.frame.base);
        let sizes = registers.narrow.get(base.narrow + usize::from(args.c), warp);
        let access = |address: &Address, slot: Slot, lane: usize, kind: AccessKind| {
            let bank = if address.base == Base::Narrow { Bank::Narrow } else { Bank::Wide };
            let slot = base.of(bank) + usize::from(slot);
            let mut addresses = [0; WARP_SIZE];
            addresses[lane] = addresses_of(registers, warp, address, slot, machine.frame.local)[lane];
            let (space, bytes) = (address.memory.space(), u64::from(sizes[lane]));
            Access { space, kind, bytes, lanes: 1 << lane, addresses, sectors: 0, bank_conflicts: 0 }
        };
        let written = if copy.reduction.is_some() { AccessKind::Update } else { AccessKind::Write };
        let both = |lane| {
            [access(&copy.from, args.b, lane, AccessKind::Read), access(&copy.to, args.a, lane, written)]
        };
        lanes_of(self.active).flat_map(both).collect()
    }

    /// What tensor copies of lanes read and write, at some time: each row of a box is an access. Left out: copies to other
    /// blocks of the cluster only.
    fn copied_boxes(&self) -> Vec<Access> {
        let at = (self.step, self.warp as usize, self.instruction);
        let all = self.machine.block.bulk.under_way.iter();
        let started = all.filter(|copy| (copy.step, copy.warp, copy.pc) == at);
        let access = |copy: &BulkCopy, area: &Area, kind: AccessKind| {
            let (space, start) = match area.memory {
                Reached::Shared => (Space::Shared, 0),
                Reached::Global(region) => (Space::Global, start_of(region)),
            };
            let mut addresses = [0; WARP_SIZE];
            addresses[copy.lane] = start + area.offset;
            let (bytes, lanes) = (area.bytes, 1 << copy.lane);
            Access { space, kind, bytes, lanes, addresses, sectors: 0, bank_conflicts: 0 }
        };
        let of_copy = |copy: &BulkCopy| {
            let written = if copy.reduction.is_some() { AccessKind::Update } else { AccessKind::Write };
            let sources = copy.sources().into_iter().map(|area| access(copy, &area, AccessKind::Read));
            let targets = copy.targets().into_iter().map(|area| access(copy, &area, written));
            sources.chain(targets).collect::<Vec<_>>()
        };
        started.flat_map(of_copy).collect()
    }

    /// The lanes of all warps of the block that have not ended, by what they execute next and what they wait for.
    pub fn groups(&self) -> impl Iterator<Item = LaneGroup> + '_ {
        self.machine.block.warps.iter().flat_map(|warp| groups(warp.id, &self.divergence(warp)))
    }

    /// The lanes of a warp of the block that have ended, or that a last warp does not have, one bit a lane.
    pub fn ended(&self, warp: u32) -> u32 {
        let warp = self.machine.block.warps.get(warp as usize);
        warp.map_or(u32::MAX, |warp| !warp.lanes | self.divergence(warp).exited)
    }

    /// The groups of a warp. In those of a team it has yet to be written what has become of them.
    fn divergence(&self, warp: &Warp) -> Divergence {
        let (mut divergence, w) = (warp.divergence.clone(), warp.id as usize);
        let Some(Standing { lanes, from, then }) = self.machine.standing.filter(|team| team.lanes[w] != 0)
        else {
            return divergence;
        };
        let group = position(&divergence, lanes[w]);
        let (has_executed, others) = (warp.id <= self.warp, &lanes[self.warp as usize + 1..]);
        let pc = &mut divergence.groups[group].pc;
        match then {
            _ if !has_executed => *pc = from,
            Then::Wait(number, _) if others.iter().any(|lanes| *lanes != 0) => {
                *pc = from;
                divergence.groups[group].wait = Wait::Barrier(number);
            }
            Then::Go(to) | Then::Wait(_, to) => *pc = to,
            Then::End => divergence.exit(group, lanes[w]),
        }
        divergence
    }

    /// The registers of the function that the lanes ran in, as the text names them, in a warp of the block. Registers that
    /// no instruction names are left out.
    pub fn registers(&self, warp: u32) -> impl Iterator<Item = Register<'m>> + use<'m> {
        let (machine, executing) = (self.machine, self.warp);
        let code = &machine.program.functions[machine.frame.function as usize];
        let is_there = (warp as usize) < machine.block.warps.len();
        code.registers.iter().filter(move |_| is_there).filter_map(move |register| {
            let (bank, registers) = (register.bank, &machine.block.registers);
            let slot = machine.frame.base.of(bank) + usize::from(register.slot);
            // A warp that has never been in the function has no such registers yet.
            if slot >= registers.shape().of(bank) {
                return None;
            }
            let before = machine.kept.find(bank, slot).filter(|_| warp > executing);
            let (registers, slot) = before.unwrap_or((registers, slot));
            let (name, warp) = (&register.name, warp as usize);
            Some(Register { name, ty: register.ty, registers, warp, place: (bank, slot) })
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

/// The lanes of a warp that have not ended.
fn groups(warp: u32, divergence: &Divergence) -> Vec<LaneGroup> {
    let running = (0..divergence.groups.len()).map(|number| {
        let group = &divergence.groups[number];
        let waiting = match group.wait {
            Wait::Barrier(number) => Waiting::Barrier(number),
            Wait::Cluster => Waiting::Cluster,
            Wait::Collective => Waiting::Warp,
            Wait::Warpgroup => Waiting::Warpgroup,
            Wait::Nothing => match missing(divergence, number) {
                0 => Waiting::Nothing,
                missing => Waiting::Reconvergence { missing },
            },
        };
        let instruction = (group.pc < AT_RETURN).then_some(group.pc);
        LaneGroup { warp, lanes: group.mask, instruction, waiting }
    });
    let waiting = divergence.waiting().map(|meeting| LaneGroup {
        warp,
        lanes: meeting.arrived,
        instruction: Some(meeting.pc),
        waiting: Waiting::Reconvergence { missing: meeting.expected & !meeting.arrived },
    });
    running.chain(waiting).collect()
}

/// The lanes that are still to come where a group reconverges with others, if it has come there itself.
fn missing(divergence: &Divergence, group: usize) -> u32 {
    let Some(meeting) = divergence.meeting_of(group).filter(|_| divergence.has_arrived(group)) else {
        return 0;
    };
    let own = divergence.groups[group].meeting;
    let others = (0..divergence.groups.len())
        .filter(|&other| divergence.groups[other].meeting == own && divergence.has_arrived(other));
    let come = others.fold(meeting.arrived, |lanes, other| lanes | divergence.groups[other].mask);
    meeting.expected & !come
}

/// The accesses of lanes at some addresses: one for each memory in which they are.
fn accessed(memory: Memory, bytes: u64, kind: AccessKind, active: u32, at: &Wide) -> Vec<Access> {
    let access = |memory: Memory, lanes: u32, addresses: Wide| {
        let space = memory.space();
        let access = Access { space, kind, bytes, lanes, addresses, sectors: 0, bank_conflicts: 0 };
        match space {
            _ if kind == AccessKind::Mbarrier => access,
            Space::Global if kind == AccessKind::Update => {
                Access { sectors: atomic_sectors(&addresses, lanes), ..access }
            }
            Space::Global => Access { sectors: Shape::of(&addresses, lanes).sectors(bytes), ..access },
            Space::Shared => Access { bank_conflicts: access.bank_conflicts_at(&addresses), ..access },
            _ => access,
        }
    };
    let mut addresses = [0; WARP_SIZE];
    if memory != Memory::Generic {
        write_lanes(&mut addresses, active, |lane| at[lane]);
        return vec![access(memory, active, addresses)];
    }
    let in_memory = |wanted: Memory| {
        let (mut lanes, mut addresses) = (0, [0; WARP_SIZE]);
        for lane in lanes_of(active) {
            let (reached, address) = resolve(memory, at[lane]);
            if reached == wanted {
                lanes |= 1 << lane;
                addresses[lane] = address;
            }
        }
        (lanes != 0).then(|| access(wanted, lanes, addresses))
    };
    [Memory::Global, Memory::Shared, Memory::Local, Memory::Param].into_iter().filter_map(in_memory).collect()
}
