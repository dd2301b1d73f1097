//! Tensor copies: the box that each lane names, and the checks of its tensor map.
//!
//! From there on a tensor copy is a bulk copy ([`crate::exec::bulk`]) that reads or writes the rows of a box. A box beyond the edge
//! counts in full at the mbarrier, and what it reads or writes are its rows in the tensor. The map is read when the copy starts; to
//! the race checker it is read by the agent that writes. Left out: a prefetch only looks at the map.
//! Specification: PTX ISA, sections 5.5 and 9.7.9.27.1.

use std::sync::Arc;

use crate::access::address::{Denied, Why, addresses, denied, is_aligned};
use crate::access::window::resolve;
use crate::exec::bulk::{To, What};
use crate::exec::memory::{Memories, WarpAccess, flat};
use crate::isa::op::bulk::{Completion, GRANULE};
use crate::isa::op::memory::Memory;
use crate::isa::op::tensor_copy::{BadCoordinate, BadMap, TensorAction, TensorCopy};
use crate::isa::tensor_copy::reduction;
use crate::machine::bulk::{Area, End, Reached, Reduction, bytes_of};
use crate::machine::tensor_box::{SharedBox, TensorBox};
use crate::machine::tensor_map::{BOX_ALIGN, MAX_RANK, TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES, TensorMap};
use crate::order::clocks::WarpId;
use crate::report::location::AccessKind;

/// What a tensor copy of one lane names.
struct Named {
    map: TensorMap,
    /// Where the map is, if it is in global memory.
    place: Option<Area>,
    coordinates: [i32; MAX_RANK],
}

/// What an H200 demands of coordinates. The specification doesn't mention it.
impl Named {
    /// In its first dimension a box begins at a multiple of 16 bytes, before the tensor too.
    fn check_first(&self, lane: usize) -> Result<(), Denied> {
        let bytes = i64::from(self.coordinates[0]) * self.map.element_bytes() as i64;
        if bytes % GRANULE as i64 == 0 { Ok(()) } else { self.deny(lane, BadCoordinate::Misaligned(bytes)) }
    }

    /// What is copied to global memory does not begin before the tensor; it may end behind it.
    fn check_signs(&self, lane: usize) -> Result<(), Denied> {
        let coordinates = &self.coordinates[..self.map.rank];
        match coordinates.iter().position(|&coordinate| coordinate < 0) {
            Some(axis) => self.deny(lane, BadCoordinate::Negative(axis, coordinates[axis])),
            None => Ok(()),
        }
    }

    fn deny(&self, lane: usize, bad: BadCoordinate) -> Result<(), Denied> {
        let bytes = self.map.box_bytes();
        Err(denied(lane, self.map.address, bytes, Memory::Global, Why::Coordinate(bad)))
    }
}

impl WarpAccess<'_, '_> {
    /// Starts tensor copies of the active lanes.
    pub fn start_tensor(&mut self, op: &TensorCopy, id: WarpId) -> Result<(), Denied> {
        let args = &self.inst.args;
        let maps = addresses(self.lanes, &op.map, args.b, self.frame);
        let shared = addresses(self.lanes, &op.shared, args.a, self.frame);
        self.settle_before(id);
        for lane in self.memories.order.lanes(self.lanes.mask) {
            let (map, place) = self.memories.tensor_map(lane, op, maps[lane])?;
            let column = |slot: u16| self.lanes.narrow[usize::from(slot)][lane] as i32;
            let named = Named { map, place, coordinates: op.coordinates.map(column) };
            match op.action {
                TensorAction::Load { .. } => self.start_load(lane, id, op, &named, shared[lane])?,
                TensorAction::Store => self.start_tensor_store(lane, id, &named, shared[lane], None)?,
                TensorAction::Reduce(combining) => {
                    let Some(reduction) = reduction(combining, map.element, map.flushes) else {
                        let bad = BadMap::Element(combining, map.element);
                        let (memory, address) = resolve(op.map.memory, maps[lane]);
                        return Err(bad_map(lane, address, memory, bad));
                    };
                    self.start_tensor_store(lane, id, &named, shared[lane], Some(reduction))?;
                }
                TensorAction::Prefetch => named.check_first(lane)?,
            }
        }
        Ok(())
    }

    fn start_load(
        &mut self,
        lane: usize,
        id: WarpId,
        op: &TensorCopy,
        named: &Named,
        shared: u64,
    ) -> Result<(), Denied> {
        let TensorAction::Load { end, multicast } = op.action else { return Ok(()) };
        let args = &self.inst.args;
        let object = match end {
            Completion::Mbarrier(object) => Some(addresses(self.lanes, &object, args.e, self.frame)[lane]),
            Completion::Group => None,
        };
        let blocks = multicast.then(|| self.lanes.narrow[usize::from(args.q)][lane]);
        let bytes = named.map.box_bytes();
        named.check_first(lane)?;
        let tensor = self.memories.tensor_box(lane, named, AccessKind::Read)?;
        let first = tensor.rows.first().map_or(Reached::Global(0), |(_, area)| area.memory);
        let from = Area { memory: first, offset: 0, bytes };
        let what = What { tensor: Some(tensor), ..What::plain(from) };
        let to = To { memory: op.shared.memory, address: shared, object, blocks };
        self.start_everywhere(lane, id, to, bytes, &what)
    }

    fn start_tensor_store(
        &mut self,
        lane: usize,
        id: WarpId,
        named: &Named,
        shared: u64,
        reduction: Option<Reduction>,
    ) -> Result<(), Denied> {
        let bytes = named.map.box_bytes();
        named.check_first(lane)?;
        named.check_signs(lane)?;
        let kind = if reduction.is_some() { AccessKind::Update } else { AccessKind::Write };
        let tensor = self.memories.tensor_box(lane, named, kind)?;
        let from = self.memories.box_area(lane, shared, bytes, tensor.span())?;
        let first = tensor.rows.first().map_or(Reached::Global(0), |(_, area)| area.memory);
        let to = Area { memory: first, offset: 0, bytes };
        let what = What { tensor: Some(tensor), reduction, ..What::plain(from) };
        self.start_copy(lane, id, to, (End::Group(None), None), what);
        Ok(())
    }
}

impl Memories<'_> {
    /// The tensor map at an address, and where it is if it is in global memory.
    fn tensor_map(
        &mut self,
        lane: usize,
        op: &TensorCopy,
        address: u64,
    ) -> Result<(TensorMap, Option<Area>), Denied> {
        let (memory, offset) = resolve(op.map.memory, address);
        let deny = |bad| bad_map(lane, offset, memory, bad);
        if !is_aligned(address, TENSOR_MAP_ALIGN) {
            return Err(deny(BadMap::Misaligned));
        }
        let mut place = None;
        let bytes = match memory {
            Memory::Param => flat(offset, TENSOR_MAP_BYTES as u64)
                .and_then(|range| self.params.get(range))
                .map(<[u8]>::to_vec),
            Memory::Global | Memory::Const => {
                let bytes = TENSOR_MAP_BYTES as u64;
                let (region, offset) =
                    self.global.locate(offset, bytes).map_err(|miss| deny(BadMap::Missed(miss)))?;
                let area = Area { memory: Reached::Global(region), offset: offset as u64, bytes };
                place = Some(area);
                Some(bytes_of(&area, &[], self.global))
            }
            _ => None,
        };
        let bytes: [u8; TENSOR_MAP_BYTES] =
            bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| deny(BadMap::Memory))?;
        let map = TensorMap::decode(&bytes).map_err(|error| deny(BadMap::Bytes(error)))?;
        if map.rank != usize::from(op.rank) {
            return Err(deny(BadMap::Rank(map.rank, op.rank)));
        }
        Ok((map, place))
    }

    /// The box that a copy names, if all of it that is in the tensor is in memory.
    fn tensor_box(&self, lane: usize, named: &Named, kind: AccessKind) -> Result<SharedBox, Denied> {
        let Named { map, place, coordinates } = named;
        let bytes = map.box_bytes();
        let size = self.shared.len() as u64;
        // A box that shared memory cannot hold may have very many rows.
        if bytes > size {
            return Err(denied(lane, 0, bytes, Memory::Shared, Why::PastEnd(size)));
        }
        let mut rows = Vec::new();
        for row in map.rows(coordinates) {
            let found = match kind {
                AccessKind::Read => self.global.locate(row.address, row.bytes),
                _ => self.global.locate_writable(row.address, row.bytes),
            };
            let (region, offset) = found
                .map_err(|miss| denied(lane, row.address, row.bytes, Memory::Global, Why::Missed(miss)))?;
            let memory = Reached::Global(region);
            rows.push((row.at, Area { memory, offset: offset as u64, bytes: row.bytes }));
        }
        let filler = (map.filler(), map.element_bytes() as u8);
        let (swizzle, rounds) = (map.swizzle, map.rounds);
        Ok(Arc::new(TensorBox { bytes, rows, swizzle, filler, rounds, map: *place }))
    }

    /// The bytes of a box in shared memory, if they may be there.
    pub fn box_area(&self, lane: usize, address: u64, bytes: u64, span: u64) -> Result<Area, Denied> {
        if !is_aligned(address, BOX_ALIGN) {
            return Err(denied(lane, address, bytes, Memory::Shared, Why::BoxMisaligned));
        }
        let area = self.area_of(lane, Memory::Shared, address, span, AccessKind::Write, GRANULE)?;
        Ok(Area { bytes, ..area })
    }
}

fn bad_map(lane: usize, address: u64, memory: Memory, bad: BadMap) -> Denied {
    denied(lane, address, TENSOR_MAP_BYTES as u64, memory, Why::TensorMap(bad))
}
