//! The probe for threads that never continue: whether a group changes anything that others can see, and what it polls.
//! It also says after which access the schedule takes a slice away.
//!
//! The inner loop is compiled twice, and the one that ordinary runs use knows nothing of this. An instruction is noted
//! before it is carried out, so a store that changes nothing is told from one that does by comparing what is there
//! with what will be. Each lane is compared by itself: two lanes that change a word and change it back have changed it,
//! and where no lane changes anything the order of the lanes cannot matter.
//! Left out: a lane's own registers and local memory, which [`crate::exec::livelock`] compares as a whole.

use crate::access::address::addresses;
use crate::access::element::read_le;
use crate::access::window::resolve;
use crate::compile::inst::{Inst, Pc};
use crate::exec::atomics::operands;
use crate::exec::memory::{Memories, WarpAccess};
use crate::isa::op::Op;
use crate::isa::op::atomic::Atomic;
use crate::isa::op::matrix::Matrix;
use crate::isa::op::memory::{Access, Address, Memory};
use crate::isa::special::Special;
use crate::machine::mbarriers::OBJECT_BYTES;
use crate::machine::registers::lanes_of;
use crate::order::Order;

/// Places that are remembered at most; a lane each, or all lanes one.
const MAX_POLLS: usize = 32;

/// A place in memory that is read again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Poll {
    /// The instruction that reads it.
    pub pc: Pc,
    /// Its allocation in global memory; `None` for the block's shared memory.
    pub region: Option<usize>,
    /// Its first byte there.
    pub offset: usize,
}

/// What is noted of each instruction, and what has been found.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// Where the group that is probed pauses, if one is.
    stop: Option<Pc>,
    /// Accesses to shared or global memory after which the slice ends; `None` where they do not matter.
    accesses: Option<u32>,
    /// Something happened that others can see, or that does not depend on registers and memory alone.
    pub moved: bool,
    /// Somebody asked who runs together.
    pub asked_company: bool,
    /// How often somebody read the clock.
    pub clock_reads: u64,
    /// Atomics and strong loads since the last [`Probe::begin`]: what nobody does in a loop but to wait.
    pub strong_reads: u64,
    /// Where they and other loads went.
    pub polls: Vec<Poll>,
    /// Whether there were more places than [`MAX_POLLS`].
    pub many_polls: bool,
}

impl Probe {
    /// Whether it notes instructions or counts accesses.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.stop.is_some() || self.accesses.is_some()
    }

    /// From now on slices end after so many accesses, if anything is said.
    pub fn end_slice_after(&mut self, accesses: Option<u32>) {
        self.accesses = accesses;
    }

    /// Starts to note what a group does, and to pause it when it comes to `stop` again.
    pub fn begin(&mut self, stop: Pc) {
        (self.stop, self.moved) = (Some(stop), false);
        (self.asked_company, self.clock_reads) = (false, 0);
        (self.strong_reads, self.many_polls) = (0, false);
        self.polls.clear();
    }

    /// Stops noting.
    pub fn end(&mut self) {
        self.stop = None;
    }

    /// Whether a group is to pause at `pc`, `since` instructions after it got its slice.
    pub fn stops_at(&self, pc: Pc, since: u32) -> bool {
        self.stop == Some(pc) && since != 0
    }

    /// Whether the slice ends after this instruction, which these lanes have carried out.
    pub fn takes_slice(&mut self, inst: &Inst, active: u32) -> bool {
        let Some(left) = &mut self.accesses else { return false };
        let Some((address, ..)) = inst.op.access() else { return false };
        if active == 0
            || !matches!(address.memory, Memory::Shared | Memory::Cluster | Memory::Global | Memory::Generic)
        {
            return false;
        }
        *left = left.saturating_sub(1);
        *left == 0
    }

    /// Takes note of an instruction that lanes are about to carry out.
    pub fn note(&mut self, warp: &mut WarpAccess<'_, '_>) {
        if self.stop.is_none() || warp.lanes.mask == 0 {
            return;
        }
        match &warp.inst.op {
            Op::Load(access) if is_own(access.address.memory) => {}
            Op::Load(access) => {
                self.strong_reads += u64::from(access.order != Order::Weak);
                self.note_reads(warp, &access.address, access.lane_bytes());
            }
            Op::Store(access) => self.moved |= store_changes(warp, access),
            Op::Atomic(atomic) => self.note_atomic(warp, atomic),
            // Who asks for a phase changes nothing; everybody else who uses an mbarrier does.
            Op::Mbarrier(mbarrier) if mbarrier.asks() => {
                self.strong_reads += 1;
                self.note_reads(warp, &mbarrier.address, OBJECT_BYTES);
            }
            Op::Special { what: Special::Clock | Special::ClockHigh, .. } => self.clock_reads += 1,
            Op::Mbarrier(_)
            | Op::Barrier(_)
            | Op::ClusterBarrier(_)
            | Op::Async(_)
            | Op::Bulk(_)
            | Op::Matrix(Matrix::Load(_) | Matrix::Store(_) | Matrix::LoadTile(_) | Matrix::StoreTile(_)) => {
                self.moved = true;
            }
            Op::ActiveMask => self.asked_company = true,
            Op::Collective(collective) if !collective.sync => self.asked_company = true,
            _ => {}
        }
    }

    /// Takes note of where lanes read so many bytes each.
    fn note_reads(&mut self, warp: &mut WarpAccess<'_, '_>, address: &Address, bytes: u64) {
        let at = addresses(warp.lanes, address, warp.inst.args.a, warp.frame);
        for lane in lanes_of(warp.lanes.mask) {
            self.note_poll(&find(warp.memories, address.memory, at[lane], bytes), warp.pc);
        }
    }

    fn note_atomic(&mut self, warp: &mut WarpAccess<'_, '_>, atomic: &Atomic) {
        self.strong_reads += 1;
        let (lanes, args) = (&*warp.lanes, &warp.inst.args);
        // Whoever adds something changes what is there, whatever it is. Where several cores run blocks it is not there
        // yet.
        if atomic.adds() && lanes_of(lanes.mask).any(|lane| operands(lanes, args, atomic, lane)[0] != 0) {
            self.moved = true;
            return;
        }
        let at = addresses(lanes, &atomic.address, args.a, warp.frame);
        for lane in lanes_of(lanes.mask) {
            let found = find(warp.memories, atomic.address.memory, at[lane], u64::from(atomic.bytes));
            self.note_poll(&found, warp.pc);
            let Found::Shown(_, _, bytes) = found else {
                self.moved = true;
                return;
            };
            let width = u32::from(atomic.bytes) * 8;
            let (memory, _) = resolve(atomic.address.memory, at[lane]);
            let [b, c] = operands(lanes, args, atomic, lane);
            let new = atomic.new_value(memory, read_le(bytes), b, c);
            self.moved |= (new ^ read_le(bytes)) << (64 - width) != 0;
        }
    }

    fn note_poll(&mut self, found: &Found<'_>, pc: Pc) {
        let &Found::Shown(region, offset, _) = found else { return };
        let poll = Poll { pc, region, offset };
        if self.polls.contains(&poll) {
            return;
        }
        if self.polls.len() < MAX_POLLS {
            self.polls.push(poll);
        } else {
            self.many_polls = true;
        }
    }
}

/// What an access reaches.
enum Found<'m> {
    /// Memory of the lane itself, or memory that cannot be written.
    Own,
    /// Memory that others see: its allocation (`None` for shared memory), the offset in it, and the bytes.
    Shown(Option<usize>, usize, &'m [u8]),
    /// Nothing: the access is about to be denied.
    Nothing,
}

/// Whether a memory is the lane's own, or cannot be written.
fn is_own(memory: Memory) -> bool {
    matches!(memory, Memory::Local | Memory::Frame | Memory::Param | Memory::Const)
}

fn find<'m>(memories: &'m mut Memories<'_>, memory: Memory, address: u64, bytes: u64) -> Found<'m> {
    let (memory, address) = resolve(memory, address);
    match memory {
        Memory::Global | Memory::Generic => {
            let Ok((region, offset)) = memories.global.locate(address, bytes) else { return Found::Nothing };
            let data = memories.global.read(region, offset, bytes as usize);
            data.map_or(Found::Nothing, |data| Found::Shown(Some(region), offset, data))
        }
        Memory::Shared | Memory::Cluster => {
            let (shared, offset) = memories.shared_at(address);
            let data = offset
                .checked_add(bytes)
                .and_then(|end| shared.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?));
            data.map_or(Found::Nothing, |data| Found::Shown(None, address as usize, data))
        }
        Memory::Const | Memory::Local | Memory::Param | Memory::Frame => Found::Own,
    }
}

/// Whether a store changes what others can see, for any of its lanes. One that is about to be denied does.
fn store_changes(warp: &mut WarpAccess<'_, '_>, access: &Access) -> bool {
    let (lanes, args) = (&*warp.lanes, &warp.inst.args);
    let at = addresses(lanes, &access.address, args.a, warp.frame);
    let width = access.bytes as usize;
    lanes_of(lanes.mask).any(|lane| {
        match find(warp.memories, access.address.memory, at[lane], access.lane_bytes()) {
            Found::Own => false,
            Found::Nothing => true,
            Found::Shown(_, _, bytes) => {
                let elements = bytes.chunks_exact(width).zip([args.d, args.q, args.b, args.c]);
                let value = |slot| lanes.value(slot, lane, access.register_bits == 64).to_le_bytes();
                elements.into_iter().any(|(element, slot)| *element != value(slot)[..width])
            }
        }
    })
}

/// Lanes that go round in a loop and change nothing.
#[derive(Clone, Debug)]
pub struct Spin {
    /// Their block, by its number.
    pub block: u64,
    /// Their warp.
    pub warp: usize,
    /// The lanes.
    pub lanes: u32,
    /// An instruction of the loop.
    pub pc: u32,
    /// What they read in it.
    pub polls: Vec<Poll>,
    /// Whether they read more than that.
    pub many_polls: bool,
}

/// The lanes of a warp that spin.
pub fn lanes_that_spin(spins: &[Spin], block: u64, warp: usize) -> u32 {
    let here = spins.iter().filter(|spin| spin.block == block && spin.warp == warp);
    here.fold(0, |lanes, spin| lanes | spin.lanes)
}
