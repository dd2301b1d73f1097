//! Loads and stores: addresses to bytes, for all lanes of an instruction at once.
//!
//! The common case, lanes that touch neighbouring elements of one allocation, is a copy. Everything else goes
//! lane by lane, with the same result. Which of several lanes that store to one address wins is decided by
//! [`Memories::order`], which is drawn from the seed, never by lane order.

use std::ops::Range;

use crate::access::address::{
    Denied, TOGETHER, Why, addresses, check_alignment, check_flat, denied, lowest_denied,
};
use crate::access::element::{load_lane, store_lane};
use crate::access::lane_order::LaneOrder;
use crate::access::row::{Row, Shape};
use crate::checkers::initialisation::Initialisation;
use crate::checkers::last_writer::LastWriter;
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::delayed::Target;
use crate::compile::inst::{Inst, Pc};
use crate::isa::op::Op;
use crate::isa::op::memory::{Access, Memory};
use crate::machine::block::Peer;
use crate::machine::bulk::BulkCopies;
use crate::machine::copies::Copies;
use crate::machine::divergence::Frame;
use crate::machine::global::Global;
use crate::machine::local::Local;
use crate::machine::mbarriers::Mbarriers;
use crate::machine::registers::{Lanes, WARP_SIZE, Wide, lanes_of};
use crate::machine::written::Written;
use crate::report::counters::Counters;

/// The memories that a warp can reach.
#[derive(Debug)]
pub struct Memories<'m> {
    /// Global and constant memory.
    pub global: &'m mut Global,
    /// The block's shared memory.
    pub shared: &'m mut [u8],
    /// The block whose shared memory that is.
    pub owner: u64,
    /// The warp's local memory.
    pub local: &'m mut Local,
    /// The kernel's parameters.
    pub params: &'m [u8],
    /// Decides in which order lanes store.
    pub order: LaneOrder,
    /// Steps of the launch before the instruction.
    pub now: u64,
    /// The mbarriers in the block's shared memory.
    pub mbarriers: &'m mut Mbarriers,
    /// The asynchronous copies of the block that are under way.
    pub copies: &'m mut Copies,
    /// The bulk copies of the block that are under way.
    pub bulk: &'m mut BulkCopies,
    /// The shared memory of the other blocks of the cluster, by rank; empty in a launch without clusters.
    pub peers: &'m mut [Peer],
    /// The checker of reads of bytes that were never written, if it is on, and which bytes of shared memory have been.
    pub initialisation: Option<(&'m mut Initialisation, &'m mut Written)>,
    /// The race checker and the weak memory, if the launch has one of them.
    pub memory_model: Option<&'m mut MemoryModel>,
    /// The checker that follows a byte, if the launch asks for that.
    pub last_writer: Option<&'m mut LastWriter>,
    /// How many atomics have changed memory so far.
    pub changes: &'m mut u64,
    /// Whether any of these three checkers is there: the inner loop asks once.
    pub is_checked: bool,
}

/// A warp at an instruction that accesses memory.
#[derive(Debug)]
pub struct WarpAccess<'a, 'm> {
    /// The memories that it can reach.
    pub memories: &'a mut Memories<'m>,
    /// Its registers, and the lanes for which the instruction is carried out.
    pub lanes: &'a mut Lanes<'m>,
    /// The instruction.
    pub inst: &'a Inst,
    /// Where it is.
    pub pc: Pc,
    /// The frame of the running function.
    pub frame: &'a Frame,
    /// Where it is counted.
    pub counters: &'a mut Counters,
}

impl WarpAccess<'_, '_> {
    /// Carries out a load, a store or an atomic.
    #[inline(always)]
    pub fn carry_out(&mut self) -> Result<(), Denied> {
        let inst = self.inst;
        match &inst.op {
            Op::Load(access) => self.load(access),
            Op::Store(access) => self.store(access),
            Op::Atomic(atomic) => self.atomic(atomic),
            _ => unreachable!("the inner loop asks for instructions that go to memory only"),
        }
    }

    /// Loads for the active lanes.
    #[inline(always)]
    pub fn load(&mut self, access: &Access) -> Result<(), Denied> {
        let at = addresses(self.lanes, &access.address, self.inst.args.a, self.frame);
        match access.address.memory {
            Memory::Generic => self.by_window(access, &at, WarpAccess::load),
            Memory::Local | Memory::Frame => self.load_local(access, &at),
            _ => self.load_shaped(access, &Shape::of(&at, self.lanes.mask)),
        }
    }

    /// Stores for the active lanes.
    #[inline(always)]
    pub fn store(&mut self, access: &Access) -> Result<(), Denied> {
        let at = addresses(self.lanes, &access.address, self.inst.args.a, self.frame);
        match access.address.memory {
            Memory::Generic => self.by_window(access, &at, WarpAccess::store),
            Memory::Local | Memory::Frame => self.store_local(access, &at),
            _ => self.store_shaped(access, &Shape::of(&at, self.lanes.mask)),
        }
    }

    /// Loads from memory that lanes have in common, at addresses of a known shape.
    #[inline(always)]
    pub fn load_shaped(&mut self, access: &Access, shape: &Shape<'_>) -> Result<(), Denied> {
        self.count(access, shape, true);
        self.load_rows(access, shape)
    }

    /// Stores to memory that lanes have in common, at addresses of a known shape.
    #[inline(always)]
    pub fn store_shaped(&mut self, access: &Access, shape: &Shape<'_>) -> Result<(), Denied> {
        self.count(access, shape, false);
        self.store_rows(access, shape)
    }

    /// Counts an access. Constant memory and parameters cost nothing.
    #[inline(always)]
    fn count(&mut self, access: &Access, shape: &Shape<'_>, is_load: bool) {
        let is_shared = access.address.memory == Memory::Shared;
        if is_shared || access.address.memory == Memory::Global {
            let cost = shape.cost(access.lane_bytes(), is_load, is_shared);
            self.counters.count_accesses(is_load, is_shared, 1, cost);
        }
    }

    /// Loads row by row where the addresses form rows, lane by lane otherwise.
    #[inline(never)]
    fn load_rows(&mut self, access: &Access, shape: &Shape<'_>) -> Result<(), Denied> {
        let WarpAccess { memories, lanes, inst, .. } = self;
        let mut left = lanes.mask;
        for row in shape.rows() {
            if let Some(data) = memories.row(access, row) {
                row.load(lanes, &inst.args, access, data);
                left &= !row.mask;
            }
        }
        for lane in lanes_of(left) {
            let (region, offset) = memories.find(access, lane, shape.address(lane), true)?;
            load_lane(lanes, &inst.args, access, lane, memories.read(access, lane, region, offset));
        }
        Ok(())
    }

    /// Stores row by row where no two lanes store to one byte, in the order of [`Memories::order`] otherwise.
    #[inline(never)]
    fn store_rows(&mut self, access: &Access, shape: &Shape<'_>) -> Result<(), Denied> {
        let WarpAccess { memories, lanes, inst, .. } = self;
        let mut left = lanes.mask;
        if shape.is_disjoint(access.lane_bytes()) {
            for row in shape.rows() {
                if let Some(data) = memories.row_to_write(access, row) {
                    row.store(lanes, &inst.args, access, data);
                    left &= !row.mask;
                }
            }
        }
        if left == 0 {
            return Ok(());
        }
        for lane in memories.order.lanes(left) {
            let find = |lane| memories.find(access, lane, shape.address(lane), false);
            let (region, offset) =
                find(lane).map_err(|first| lowest_denied(first, left, |lane| find(lane).map(drop)))?;
            store_lane(lanes, &inst.args, access, lane, memories.write(access, lane, region, offset));
        }
        Ok(())
    }

    #[inline(never)]
    fn load_local(&mut self, access: &Access, at: &Wide) -> Result<(), Denied> {
        self.counters.local_requests += u64::from(access.address.memory == Memory::Local);
        let (local, mask) = (&self.memories.local, self.lanes.mask);
        if let Some(offset) = same_word(at, mask, access, local.lane_bytes()) {
            let words = local.word(offset);
            self.lanes.write_narrow(self.inst.args.d, |lane| words[lane]);
            return Ok(());
        }
        self.load_rows(access, &Shape::Scattered(at, mask))
    }

    #[inline(never)]
    fn store_local(&mut self, access: &Access, at: &Wide) -> Result<(), Denied> {
        self.counters.local_requests += u64::from(access.address.memory == Memory::Local);
        let WarpAccess { memories, lanes, inst, .. } = self;
        if let Some(offset) = same_word(at, lanes.mask, access, memories.local.lane_bytes()) {
            memories.local.set_word(offset, lanes.mask, &lanes.narrow[usize::from(inst.args.d)]);
            return Ok(());
        }
        for lane in lanes_of(lanes.mask) {
            let (region, offset) = memories.find(access, lane, at[lane], false)?;
            store_lane(lanes, &inst.args, access, lane, memories.write(access, lane, region, offset));
        }
        Ok(())
    }
}

impl Memories<'_> {
    /// The memory model, if the launch has one, and the memory in which it may perform what was delayed.
    pub fn modelled(&mut self) -> Option<(&mut MemoryModel, Target<'_>)> {
        let model = self.memory_model.as_deref_mut()?;
        let last_writer = self.last_writer.as_deref_mut();
        Some((model, Target { global: self.global, shared: self.shared, last_writer }))
    }

    /// The bytes of a row, to read its elements; `None` where it does not lie in one piece.
    #[inline(always)]
    fn row(&mut self, access: &Access, row: &Row) -> Option<&[u8]> {
        let bytes = access.lane_bytes();
        let (start, length) = row.range(bytes)?;
        match access.address.memory {
            Memory::Shared | Memory::Cluster => self.shared.get(flat(start, length)?),
            Memory::Param => self.params.get(flat(start, length)?),
            _ => {
                let (region, offset) = self.global.locate(start, length).ok()?;
                let length = length as usize;
                self.global.read_some(region, offset, length, |marks, at| row.mark(marks, at, length, bytes))
            }
        }
    }

    /// [`Memories::row`], to write its elements.
    #[inline(always)]
    fn row_to_write(&mut self, access: &Access, row: &Row) -> Option<&mut [u8]> {
        let bytes = access.lane_bytes();
        let (start, length) = row.range(bytes)?;
        match access.address.memory {
            Memory::Shared => self.shared.get_mut(flat(start, length)?),
            Memory::Global => {
                let (region, offset) = self.global.locate_writable(start, length).ok()?;
                let length = length as usize;
                self.global.write_some(region, offset, length, |marks, at| row.mark(marks, at, length, bytes))
            }
            _ => None,
        }
    }

    /// Where the element of a lane is: its region in global memory, and its offset there or in another memory.
    #[inline(always)]
    fn find(
        &self,
        access: &Access,
        lane: usize,
        address: u64,
        is_load: bool,
    ) -> Result<(usize, usize), Denied> {
        let (memory, bytes) = (access.address.memory, access.lane_bytes());
        let deny = |why| denied(lane, address, bytes, memory, why);
        let size = match memory {
            Memory::Const | Memory::Param if !is_load => return Err(deny(Why::ReadOnly)),
            Memory::Shared | Memory::Cluster => self.shared.len() as u64,
            Memory::Param => self.params.len() as u64,
            Memory::Local | Memory::Frame => self.local.lane_bytes(),
            Memory::Global | Memory::Const | Memory::Generic => {
                check_alignment(lane, address, access)?;
                let found = if is_load {
                    self.global.locate(address, bytes)
                } else {
                    self.global.locate_writable(address, bytes)
                };
                return found.map_err(|miss| deny(Why::Missed(miss)));
            }
        };
        check_flat(lane, address, access, size).map(|offset| (0, offset))
    }

    /// The bytes from an element on that [`Memories::find`] has found, to read it.
    #[inline(always)]
    fn read(&mut self, access: &Access, lane: usize, region: usize, offset: usize) -> &[u8] {
        match access.address.memory {
            Memory::Shared => &self.shared[offset..],
            Memory::Param => &self.params[offset..],
            Memory::Local | Memory::Frame => &self.local.of_lane(lane)[offset..],
            _ => self.global.read(region, offset, access.lane_bytes() as usize).expect(TOGETHER),
        }
    }

    /// [`Memories::read`], to write it.
    #[inline(always)]
    fn write(&mut self, access: &Access, lane: usize, region: usize, offset: usize) -> &mut [u8] {
        match access.address.memory {
            Memory::Shared => &mut self.shared[offset..],
            Memory::Local | Memory::Frame => &mut self.local.lane(lane)[offset..],
            _ => self.global.write(region, offset, access.lane_bytes() as usize).expect(TOGETHER),
        }
    }
}

/// A range of bytes in a memory that starts at zero.
#[inline(always)]
pub fn flat(start: u64, length: u64) -> Option<Range<usize>> {
    let end = start.checked_add(length)?;
    Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// The place of a 32-bit variable that every active lane accesses in its own local memory: the common case, for which
/// one check is enough. `None` for every other case.
#[inline(always)]
fn same_word(at: &Wide, mask: u32, access: &Access, size: u64) -> Option<usize> {
    let first = at[mask.trailing_zeros() as usize % WARP_SIZE];
    let mut others = 0;
    for (lane, &address) in at.iter().enumerate() {
        others |= u32::from(address != first) << lane;
    }
    let plain = (access.bytes, access.count, access.register_bits) == (4, 1, 32);
    let inside = first.is_multiple_of(4) && first.checked_add(4).is_some_and(|end| end <= size);
    (plain && inside && others & mask == 0).then_some(first as usize)
}
