//! The bulk copies of a block that are under way: who started each, from where to where, and how far it is.
//!
//! A bulk copy reads, and later it writes; when it does is drawn when it starts, and counted in uses of mbarriers and of copies
//! by the block. Left out: that the hardware may write parts of it at different times.

use std::ops::Range;

use super::global::Global;
use super::sums::value_of;
use super::tensor_box::{Placed, SharedBox};

/// A memory that bulk copies reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The shared memory of the block.
    Shared,
    /// The region of global memory with this number.
    Global(usize),
}

/// Some bytes of shared or global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// The memory.
    pub memory: Reached,
    /// The offset of the first byte in it.
    pub offset: u64,
    /// How many there are.
    pub bytes: u64,
}

/// A reduction of elements.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// Bytes of an element.
    pub bytes: u8,
    /// The new element from the old one, the one that was read, and nothing.
    pub update: fn(u64, u64, u64) -> u64,
}

/// What a bulk copy completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Transactions of the mbarrier at this offset of shared memory.
    Mbarrier(u64),
    /// A bulk group, counted for each thread; none before the thread commits.
    Group(Option<u32>),
}

/// How far a bulk copy is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It has not read its source.
    Started,
    /// It has read this.
    Read(Vec<u8>),
    /// It has written.
    Written,
}

impl Progress {
    /// Whether the source may be changed.
    pub fn has_read(&self) -> bool {
        *self != Progress::Started
    }

    /// Whether nothing is left to do.
    pub fn is_written(&self) -> bool {
        *self == Progress::Written
    }
}

/// A bulk copy that has not completed, or a store that is like one. It belongs to the block to whose shared memory it writes, if it
/// does, and otherwise to the block that started it.
#[derive(Clone, Debug)]
pub struct BulkCopy {
    /// The block that started it.
    pub block: u64,
    /// The index of that block among the resident ones.
    pub slot: usize,
    /// The rank of that block in the cluster, if it is another one than the block to which the copy belongs.
    pub starter: Option<usize>,
    /// The warp of the thread that started it.
    pub warp: usize,
    /// Its lane.
    pub lane: usize,
    /// The instruction.
    pub pc: u32,
    /// The step of the launch at which it started.
    pub step: u64,
    /// What it reads.
    pub from: Area,
    /// What it writes, of the same size.
    pub to: Area,
    /// The box of a tensor that it moves, if it is a tensor copy. What it reads or writes of global memory is then there.
    pub tensor: Option<SharedBox>,
    /// What it does with what it has read, if it does not just write it.
    pub reduction: Option<Reduction>,
    /// What it completes.
    pub end: End,
    /// How far it is.
    pub progress: Progress,
    /// After how many uses of copies and mbarriers it takes its next step; none where it takes as long as it may.
    pub left: Option<u8>,
    /// How many of them are between its two steps.
    pub gap: u8,
    /// Whether its thread has waited until it had at least read its source.
    pub is_awaited: bool,
    /// The agents in whose name it reads and writes, for the race checker.
    pub agents: Option<[u16; 2]>,
}

impl BulkCopy {
    /// The box that it moves, with its place in shared memory.
    fn placed(&self) -> Option<Placed<'_>> {
        let shared = if self.from.memory == Reached::Shared { &self.from } else { &self.to };
        self.tensor.as_deref().map(|tensor| Placed { tensor, shared: shared.offset })
    }

    /// The bytes that it reads.
    pub fn sources(&self) -> Vec<Area> {
        match self.placed() {
            None => vec![self.from],
            Some(placed) if self.from.memory == Reached::Shared => placed.read(),
            Some(placed) => placed.tensor.areas(),
        }
    }

    /// The bytes that it writes.
    pub fn targets(&self) -> Vec<Area> {
        match self.placed() {
            None => vec![self.to],
            Some(placed) if self.from.memory == Reached::Shared => placed.tensor.areas(),
            Some(placed) => placed.written(),
        }
    }

    /// Reads its source.
    pub fn read(&self, shared: &[u8], global: &mut Global) -> Vec<u8> {
        match self.placed() {
            None => bytes_of(&self.from, shared, global),
            Some(placed) if self.from.memory == Reached::Shared => placed.take(shared),
            Some(placed) => placed.tensor.gather(global),
        }
    }

    /// Writes what it has read, or reduces what is there with it.
    pub fn write(&self, data: &[u8], shared: &mut [u8], global: &mut Global) {
        match self.placed() {
            None => write(&self.to, data, self.reduction, shared, global),
            Some(placed) if self.from.memory == Reached::Shared => {
                placed.tensor.scatter(data, self.reduction, global);
            }
            Some(placed) => placed.put(data, shared),
        }
    }
}

/// The bulk copies of a block.
#[derive(Clone, Debug, Default)]
pub struct BulkCopies {
    /// In the order in which they were started.
    pub under_way: Vec<BulkCopy>,
    /// How many groups the lanes of each warp have committed.
    groups: Vec<[u32; 32]>,
}

impl BulkCopies {
    /// Nothing is under way, and no lane has committed a group.
    pub fn reset(&mut self) {
        self.under_way.clear();
        self.groups.clear();
    }

    /// Makes a group of what a lane has started since its last one.
    pub fn commit(&mut self, warp: usize, lane: usize) {
        if self.groups.len() <= warp {
            self.groups.resize(warp + 1, [0; 32]);
        }
        let number = &mut self.groups[warp][lane];
        for copy in self.under_way.iter_mut().filter(|copy| (copy.warp, copy.lane) == (warp, lane)) {
            if copy.end == End::Group(None) {
                copy.end = End::Group(Some(*number));
            }
        }
        *number += 1;
    }

    /// Whether a lane that waits until so many of its groups are left waits for a copy.
    pub fn is_awaited(&self, copy: &BulkCopy, warp: usize, lane: usize, groups: u32) -> bool {
        let committed = self.groups.get(warp).map_or(0, |lanes| lanes[lane]);
        let End::Group(Some(group)) = copy.end else { return false };
        (copy.warp, copy.lane) == (warp, lane) && group < committed.saturating_sub(groups)
    }
}

/// The bytes of an area. The copy has been checked, so they are there.
pub fn bytes_of(area: &Area, shared: &[u8], global: &mut Global) -> Vec<u8> {
    let (offset, bytes) = (area.offset as usize, area.bytes as usize);
    match area.memory {
        Reached::Shared => shared[offset..offset + bytes].to_vec(),
        Reached::Global(region) => {
            let piece = |at: Range<usize>| global.read(region, at.start, at.len()).map(<[u8]>::to_vec);
            pieces(offset, bytes).filter_map(piece).flatten().collect()
        }
    }
}

/// Writes the bytes of an area, or reduces those that it has with new ones.
pub fn write(area: &Area, data: &[u8], reduction: Option<Reduction>, shared: &mut [u8], global: &mut Global) {
    let (offset, bytes) = (area.offset as usize, area.bytes as usize);
    match area.memory {
        Reached::Shared => apply(&mut shared[offset..offset + bytes], data, reduction),
        Reached::Global(region) => {
            for at in pieces(offset, bytes) {
                let data = &data[at.start - offset..at.end - offset];
                let bytes = match reduction {
                    None => global.write(region, at.start, at.len()),
                    Some(_) => global.update(region, at.start, at.len()),
                };
                if let Some(bytes) = bytes {
                    apply(bytes, data, reduction);
                }
            }
        }
    }
}

/// Bytes of global memory that always lie in one piece, if they begin at a multiple of their number.
const PIECE: usize = 16;

/// Bytes of global memory, in pieces.
fn pieces(offset: usize, bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let (end, mut next) = (offset + bytes, offset);
    std::iter::from_fn(move || {
        let start = next;
        next = end.min((start / PIECE + 1) * PIECE);
        (start < end).then_some(start..next)
    })
}

fn apply(bytes: &mut [u8], data: &[u8], reduction: Option<Reduction>) {
    let Some(Reduction { bytes: width, update }) = reduction else {
        return bytes.copy_from_slice(data);
    };
    let width = usize::from(width);
    for (old, new) in bytes.chunks_exact_mut(width).zip(data.chunks_exact(width)) {
        let result = update(value_of(old), value_of(new), 0);
        old.copy_from_slice(&result.to_le_bytes()[..width]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(lane: usize) -> BulkCopy {
        let area = Area { memory: Reached::Shared, offset: 0, bytes: 16 };
        BulkCopy {
            block: 0,
            slot: 0,
            starter: None,
            warp: 0,
            lane,
            pc: 0,
            step: 0,
            from: area,
            to: area,
            tensor: None,
            reduction: None,
            end: End::Group(None),
            progress: Progress::Started,
            left: None,
            gap: 0,
            is_awaited: false,
            agents: None,
        }
    }

    #[test]
    fn a_lane_waits_for_the_groups_that_it_has_committed() {
        let mut copies = BulkCopies::default();
        copies.under_way.push(copy(0));
        copies.under_way.push(copy(1));
        copies.commit(0, 0);
        copies.under_way.push(copy(0));
        let awaited = |copies: &BulkCopies, lane, groups| {
            copies.under_way.iter().map(|copy| copies.is_awaited(copy, 0, lane, groups)).collect::<Vec<_>>()
        };
        assert_eq!(awaited(&copies, 0, 0), [true, false, false]);
        assert_eq!(awaited(&copies, 0, 1), [false; 3]);
        assert_eq!(awaited(&copies, 1, 0), [false; 3], "lane 1 has committed nothing");
        copies.commit(0, 0);
        assert_eq!(awaited(&copies, 0, 0), [true, false, true]);
        assert_eq!(awaited(&copies, 0, 1), [true, false, false]);
    }

    #[test]
    fn a_reduction_works_element_by_element() {
        let mut bytes = [1, 0, 0, 0, 255, 255, 255, 255];
        let add = Reduction { bytes: 4, update: |old, b, _| old.wrapping_add(b) };
        apply(&mut bytes, &[2, 0, 0, 0, 1, 0, 0, 0], Some(add));
        assert_eq!(bytes, [3, 0, 0, 0, 0, 0, 0, 0]);
    }
}
