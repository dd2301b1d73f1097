//! Global memory: allocations, each in a region of its own.
//!
//! The high bits of an address are the number of its region, so finding an allocation takes one shift. If an address
//! has run past its allocation, by any distance that a mistake is likely to produce, it still says which allocation it
//! belongs to. The bytes of an allocation start in the middle of its region, so that an access before the start can be
//! told from one after the end. A freed region waits before its number is given out again, so a use after free is
//! recognised as such. Missed is one of a region after which [`QUARANTINE`] others were freed and one was allocated.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::launch::MemoryError;

use super::fork::{self, Conflict, Fork, Keeps, Marks, PAGE_BYTES, Shared, within_page};
use super::id::Id;
use super::journal::Journal;
use super::put_off::{self, Log, Moment};
use super::sums::Reduction;
use super::written::Written;

/// Addresses below this one come from a null pointer and an index: two gigabytes are 2²⁸ elements of eight bytes.
const MAX_FROM_NULL: u64 = 1 << 31;

/// The number of address bits below the region's number.
pub const REGION_SHIFT: u32 = 40;
/// The offset in its region at which an allocation starts.
const REGION_START: u64 = 1 << (REGION_SHIFT - 1);
/// The first region for allocations. The regions below are the null page and the windows of [`Window`].
const FIRST_REGION: u64 = 16;

/// The windows in the generic address space for the memories that are not global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The block's shared memory.
    Shared,
    /// The lane's local memory.
    Local,
    /// The kernel's parameters.
    Param,
}

impl Window {
    /// The generic address of the window's first byte.
    pub const fn base(self) -> u64 {
        match self {
            Window::Shared => 1 << REGION_SHIFT,
            Window::Local => 2 << REGION_SHIFT,
            Window::Param => 3 << REGION_SHIFT,
        }
    }

    /// The window that contains a generic address; `None` for global memory.
    pub const fn of(address: u64) -> Option<Window> {
        match address >> REGION_SHIFT {
            1 => Some(Window::Shared),
            2 => Some(Window::Local),
            3 => Some(Window::Param),
            _ => None,
        }
    }
}

/// An allocation in the global memory of an [`Emulator`](crate::Emulator).
///
/// It belongs to the emulator that allocated it and to copies that were made of that emulator later. Any other refuses it
/// with [`MemoryError::ForeignBuffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    pub(super) region: u32,
    bytes: u64,
    /// The id of its region.
    id: Id,
}

impl Buffer {
    /// The address of its first byte, as a kernel sees it.
    pub fn address(self) -> u64 {
        start_of(self.region as usize)
    }

    /// Its size in bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }
}

/// The address of the first byte of a region.
pub fn start_of(region: usize) -> u64 {
    ((FIRST_REGION + region as u64) << REGION_SHIFT) + REGION_START
}

/// One allocation.
#[derive(Clone, Debug)]
pub struct Region {
    /// The id of this allocation, which no allocation of another emulator has; copies of the emulator keep it.
    id: Id,
    /// The name that its owner gave it.
    pub name: String,
    /// Its contents; empty once freed.
    pub data: Vec<u8>,
    /// Its size in bytes, which is kept after it was freed.
    pub bytes: u64,
    /// Whether it is still allocated.
    pub live: bool,
    /// Whether kernels may write to it. They may not write to constant memory.
    pub writable: bool,
    /// Whether anybody ever wrote to it or gave it an initial value.
    pub(super) is_set: bool,
    /// Which bytes have been written; `None` if all of them count as written, as in ordinary allocations.
    pub(super) written: Option<Written>,
}

impl Region {
    /// Whether this is the same allocation, or a copy of it.
    pub(super) fn is_same(&self, other: &Region) -> bool {
        self.id == other.id
    }

    /// The same allocation with other contents.
    pub(super) fn with(&self, data: Vec<u8>) -> Region {
        let (name, written) = (self.name.clone(), self.written.clone());
        Region { name, data, written, ..*self }
    }
}

/// Why an address cannot be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// At or near address zero.
    Null,
    /// In no region that was ever allocated: a wild pointer.
    Wild,
    /// In constant memory, which only the host can write.
    Constant {
        /// The region's number.
        region: usize,
    },
    /// In a region that was freed.
    Freed {
        /// The region's number.
        region: usize,
    },
    /// Before or after an allocation.
    Outside {
        /// The region's number.
        region: usize,
        /// Where the access starts, in bytes from the first byte of the allocation; negative before it.
        offset: i64,
    },
}

/// How many freed regions wait. Each launch looks at all regions, so they are not many.
pub const QUARANTINE: usize = 1024;

/// How many regions there can be, those that wait included. Their addresses leave the highest bits to callers.
pub const MOST_REGIONS: usize = 1 << 16;

/// How many bytes of a region one thread merges at a time.
const PARTS_BYTES: usize = 512 * PAGE_BYTES;

/// The most copies of pages whose memory is kept from one launch to the next, because the operating system takes long to
/// provide it: 128 MiB for all forks together, and a quarter as much for what is recorded of the pages.
const MOST_SPARE_COPIES: usize = (128 << 20) / PAGE_BYTES;

/// Where the contents of global memory are, and what a write has to do first.
#[derive(Clone, Debug, Default)]
enum Contents {
    /// In the regions.
    #[default]
    Here,
    /// In the regions as well, and a journal keeps what they held before.
    Kept(Box<Journal>),
    /// In a copy-on-write fork.
    Fork(Box<Fork>),
}

/// Global memory.
#[derive(Clone, Debug, Default)]
pub struct Global {
    pub(super) regions: Vec<Region>,
    /// The freed regions, from the one that has waited longest on.
    freed: VecDeque<u32>,
    limit_bytes: u64,
    live_bytes: u64,
    /// How many regions have bytes that have not been written.
    unwritten_regions: usize,
    contents: Contents,
    /// The contents, while forks share them.
    lent: Option<Shared>,
    /// Empty forks, whose allocations the next launch uses.
    spare: Vec<Fork>,
}

/// The size of an allocation in the host's `usize`, at most `largest`. On a 32-bit host, 5 GiB must not become 1 GiB,
/// and 3 GiB are more than one allocation can have.
fn host_bytes(bytes: u64, largest: u64) -> Option<usize> {
    usize::try_from(bytes).ok().filter(|_| bytes <= largest)
}

/// Whether the host can allocate this many bytes. The allocation is freed at once: only `vec![0; n]` writes no zeros.
fn can_be_had(size: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(size).is_ok()
}

impl Global {
    /// An empty memory that may grow to `limit_bytes`.
    pub fn new(limit_bytes: u64) -> Global {
        Global { limit_bytes, ..Global::default() }
    }

    /// The same memory with these regions.
    pub(super) fn with(&self, regions: Vec<Region>) -> Global {
        let Global { limit_bytes, live_bytes, unwritten_regions, .. } = *self;
        let freed = self.freed.clone();
        Global { regions, freed, limit_bytes, live_bytes, unwritten_regions, ..Global::default() }
    }

    /// Allocates zeroed bytes.
    pub fn alloc(&mut self, name: &str, bytes: u64) -> Result<Buffer, MemoryError> {
        self.alloc_in(None, name, bytes)
    }

    /// Allocates zeroed bytes in a region, or in any.
    fn alloc_in(&mut self, region: Option<usize>, name: &str, bytes: u64) -> Result<Buffer, MemoryError> {
        let left = self.limit_bytes - self.live_bytes;
        let granted = host_bytes(bytes, isize::MAX as u64).filter(|_| bytes <= left && bytes < REGION_START);
        let Some(size) = granted.filter(|&size| can_be_had(size)) else {
            return Err(MemoryError::OutOfMemory { name: name.to_owned(), wanted: bytes, left });
        };
        let region = region.map_or_else(|| self.vacant(name), Ok)?;
        self.live_bytes += bytes;
        let (id, name, data) = (Id::new(), name.to_owned(), vec![0; size]);
        let new = Region { id, name, data, bytes, live: true, writable: true, is_set: false, written: None };
        match self.regions.get_mut(region) {
            Some(old) => *old = new,
            None => self.regions.push(new),
        }
        Ok(Buffer { region: region as u32, bytes, id })
    }

    /// Allocates bytes that do not count as written until a kernel or the host writes them. They hold zeros
    /// nevertheless, so that a read that is too early returns the same in every run.
    pub fn alloc_uninitialized(&mut self, name: &str, bytes: u64) -> Result<Buffer, MemoryError> {
        let buffer = self.alloc(name, bytes)?;
        self.record(buffer, Written::nothing(bytes as usize));
        Ok(buffer)
    }

    /// Begins to record which bytes of an allocation have been written.
    pub(super) fn record(&mut self, buffer: Buffer, written: Written) {
        let before = self.regions[buffer.region as usize].written.replace(written);
        self.unwritten_regions += usize::from(before.is_none());
    }

    /// The number of regions, including freed ones.
    pub fn regions(&self) -> usize {
        self.regions.len()
    }

    /// The number of bytes in all allocations.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// The first difference between the contents of the same allocations: a region and the offset of a byte.
    pub fn differs_at(&self, other: &Global) -> Option<(usize, usize)> {
        let mut pairs = self.regions.iter().zip(&other.regions).enumerate();
        pairs.find_map(|(number, (one, other))| {
            // The whole contents are compared first, which is many times faster than byte by byte.
            let differs = one.data != other.data;
            let mut bytes = one.data.iter().zip(&other.data);
            let at = differs.then(|| bytes.position(|(one, other)| one != other))?;
            Some((number, at?))
        })
    }

    /// Whether there may be bytes that have not been written.
    #[inline(always)]
    pub fn has_unwritten(&self) -> bool {
        self.unwritten_regions != 0
    }

    /// Which bytes of a region have been written; `None` if all of them count as written.
    #[inline(always)]
    pub fn written_mut(&mut self, number: usize) -> Option<&mut Written> {
        self.regions[number].written.as_mut()
    }

    /// Drops the record of written bytes of each region that has been written completely.
    pub fn settle(&mut self) {
        let is_complete = |region: &Region| region.written.as_ref().is_some_and(Written::is_complete);
        for number in 0..self.regions.len() {
            if is_complete(&self.regions[number]) {
                self.all_written(number);
            }
        }
    }

    fn all_written(&mut self, number: usize) {
        self.unwritten_regions -= usize::from(self.regions[number].written.take().is_some());
    }

    /// Checks that a buffer belongs to this memory and has not been freed.
    pub fn check(&self, buffer: Buffer) -> Result<(), MemoryError> {
        match self.regions.get(buffer.region as usize).filter(|region| region.id == buffer.id) {
            None => Err(MemoryError::ForeignBuffer { bytes: buffer.bytes }),
            Some(region) if !region.live => Err(MemoryError::Freed { name: region.name.clone() }),
            Some(_) => Ok(()),
        }
    }

    /// Frees an allocation; freeing it again does nothing.
    pub fn free(&mut self, buffer: Buffer) {
        self.all_written(buffer.region as usize);
        let region = &mut self.regions[buffer.region as usize];
        if std::mem::take(&mut region.live) {
            region.data = Vec::new();
            self.live_bytes -= region.bytes;
            self.retire(buffer.region);
        }
    }

    /// Makes an allocation read only for kernels.
    pub fn protect(&mut self, buffer: Buffer) {
        self.regions[buffer.region as usize].writable = false;
    }

    /// The bytes of an allocation; empty once freed.
    pub fn bytes(&self, buffer: Buffer) -> &[u8] {
        &self.regions[buffer.region as usize].data
    }

    /// The bytes of an allocation for writing; all of them count as written from then on.
    pub fn bytes_mut(&mut self, buffer: Buffer) -> &mut [u8] {
        self.all_written(buffer.region as usize);
        let region = &mut self.regions[buffer.region as usize];
        region.is_set = true;
        &mut region.data
    }

    /// Whether all bytes of a range of an allocation have been written.
    pub fn has_written(&self, buffer: Buffer, range: Range<usize>) -> bool {
        self.regions[buffer.region as usize].written.as_ref().is_none_or(|written| written.has(range))
    }

    /// Whether anybody ever wrote to an allocation, or gave it an initial value.
    pub fn is_set(&self, buffer: Buffer) -> bool {
        self.regions[buffer.region as usize].is_set
    }

    /// A region by its number.
    pub fn region(&self, number: usize) -> &Region {
        &self.regions[number]
    }

    /// The number of the region that contains all of `bytes` bytes at `address`, and their offset in it.
    #[inline(always)]
    pub fn locate(&self, address: u64, bytes: u64) -> Result<(usize, usize), Miss> {
        let number = (address >> REGION_SHIFT).wrapping_sub(FIRST_REGION) as usize;
        let offset = (address & ((1 << REGION_SHIFT) - 1)).wrapping_sub(REGION_START);
        match self.regions.get(number) {
            // `checked_add` fails for offsets before the start, which have wrapped around.
            Some(region)
                if offset.checked_add(bytes).is_some_and(|end| end <= region.bytes) && region.live =>
            {
                Ok((number, offset as usize))
            }
            _ => Err(self.miss(address, number, offset)),
        }
    }

    /// [`Global::locate`] for a store.
    #[inline(always)]
    pub fn locate_writable(&self, address: u64, bytes: u64) -> Result<(usize, usize), Miss> {
        let found = self.locate(address, bytes)?;
        if self.regions[found.0].writable { Ok(found) } else { Err(Miss::Constant { region: found.0 }) }
    }

    /// Whether bytes that [`Global::locate`] has found are contiguous, so that [`Global::read`] and [`Global::write`] give them.
    pub fn is_contiguous(&self, place: Result<(usize, usize), Miss>, bytes: u64) -> bool {
        place.is_ok_and(|(_, offset)| !self.is_fork() || within_page(offset, bytes as usize).is_some())
    }

    /// The bytes that a kernel reads in an access that [`Global::locate`] has accepted. `None` if they are not
    /// contiguous in a fork; then the caller reads element by element, because an aligned element always is.
    #[inline(always)]
    pub fn read(&mut self, number: usize, offset: usize, bytes: usize) -> Option<&[u8]> {
        self.read_some(number, offset, bytes, |marks, start| marks.add_range(start, bytes))
    }

    /// The bytes that a kernel writes, with their present values. All of them count as written. Like [`Global::read`]
    /// otherwise.
    #[inline(always)]
    pub fn write(&mut self, number: usize, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        self.write_some(number, offset, bytes, |marks, start| marks.add_range(start, bytes))
    }

    /// [`Global::read`], of which the kernel reads only the bytes that `mark` marks if this is a fork. It is passed the
    /// place of the first byte among the marks.
    #[inline(always)]
    pub fn read_some(
        &mut self,
        number: usize,
        offset: usize,
        bytes: usize,
        mark: impl FnOnce(&mut Marks, usize),
    ) -> Option<&[u8]> {
        match &mut self.contents {
            Contents::Fork(fork) => fork.read(number, offset, bytes, mark),
            _ => self.regions[number].data.get(offset..offset + bytes),
        }
    }

    /// [`Global::write`], of which the kernel writes only the bytes that `mark` marks. The caller must not change others.
    #[inline(always)]
    pub fn write_some(
        &mut self,
        number: usize,
        offset: usize,
        bytes: usize,
        mark: impl FnOnce(&mut Marks, usize),
    ) -> Option<&mut [u8]> {
        let region = &mut self.regions[number];
        match &mut self.contents {
            Contents::Here => {}
            Contents::Kept(journal) => journal.keep(number, offset, bytes, &region.data),
            Contents::Fork(fork) => return fork.write(number, region.is_set, offset, bytes, mark),
        }
        region.is_set = true;
        region.data.get_mut(offset..offset + bytes)
    }

    /// The bytes that a kernel reads and then writes. Like [`Global::write`] otherwise.
    #[inline(always)]
    pub fn update(&mut self, number: usize, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        self.read(number, offset, bytes)?;
        self.write(number, offset, bytes)
    }

    /// [`Global::read`] for a reader that is not the kernel.
    #[inline(always)]
    pub fn peek(&self, number: usize, offset: usize, bytes: usize) -> Option<&[u8]> {
        match &self.contents {
            Contents::Fork(fork) => fork.peek(number, offset, bytes),
            _ => self.regions[number].data.get(offset..offset + bytes),
        }
    }

    /// Whether this is a fork.
    #[inline(always)]
    pub fn is_fork(&self) -> bool {
        matches!(self.contents, Contents::Fork(_))
    }

    /// Whether reductions can be put off here, also those whose order matters if they are `in_order`.
    #[inline(always)]
    pub fn puts_off(&self, in_order: bool) -> bool {
        matches!(&self.contents, Contents::Fork(fork) if !in_order || fork.log.is_kept())
    }

    /// Puts off the reduction of one lane.
    pub fn reduce(&mut self, number: usize, offset: usize, reduction: Reduction, operand: u64) {
        if let Contents::Fork(fork) = &mut self.contents {
            fork.reduce(number, offset, reduction, operand);
        }
    }

    /// Tells a fork which block runs, and in which moment of its life.
    pub fn set_now(&mut self, block: u64, moment: Moment) {
        if let Contents::Fork(fork) = &mut self.contents {
            fork.log.set_now(block, moment);
        }
    }

    /// Begins to keep the contents of pages before they are written, until [`Global::commit`] or [`Global::roll_back`].
    pub fn begin(&mut self) {
        let written = self.regions.iter().map(|region| region.written.clone()).collect();
        self.contents = Contents::Kept(Box::new(Journal::new(written, self.unwritten_regions)));
    }

    /// Makes everything permanent that was written since [`Global::begin`].
    pub fn commit(&mut self) {
        self.contents = Contents::Here;
    }

    /// Undoes everything that was written since [`Global::begin`]. Without a call of that function it does nothing.
    pub fn roll_back(&mut self) {
        let Contents::Kept(journal) = std::mem::take(&mut self.contents) else { return };
        for (region, start, held) in journal.pages() {
            self.regions[region].data[start..][..held.len()].copy_from_slice(held);
        }
        for (region, written) in self.regions.iter_mut().zip(journal.written) {
            region.written = written;
        }
        self.unwritten_regions = journal.unwritten_regions;
    }

    /// Forks this memory, once for each core that will execute blocks. The forks have no inputs if they record all reads.
    /// Until [`Global::join`] this memory has no contents.
    pub fn fork(&mut self, count: usize, keeps: Keeps) -> Vec<Global> {
        let most_put_off = if keeps.log { put_off::MOST / count } else { 0 };
        let contents = self.regions.iter_mut().map(|region| std::mem::take(&mut region.data)).collect();
        let shared = Arc::new(contents);
        let fork = |_| {
            let mut fork = self.spare.pop().unwrap_or_default();
            fork.start(Arc::clone(&shared), keeps.all_reads, most_put_off);
            let (regions, unwritten_regions) = (self.regions.clone(), self.unwritten_regions);
            Global {
                contents: Contents::Fork(Box::new(fork)),
                regions,
                unwritten_regions,
                ..Global::default()
            }
        };
        let forks = (0..count).map(fork).collect();
        self.lent = Some(shared);
        forks
    }

    /// Takes the contents back and applies what the blocks on the forks did, unless they may be in conflict: that is the
    /// error. No other fork may be left. On one core, so many blocks would have taken turns beside each other. `hands` runs a
    /// closure on at most so many threads, which share the work.
    pub fn join(
        &mut self,
        forks: Vec<Global>,
        residents: u64,
        hands: impl Fn(usize, &(dyn Fn() + Sync)),
    ) -> Result<(), Conflict> {
        let split = |fork: Global| match fork.contents {
            Contents::Fork(contents) => Some((fork.regions, *contents)),
            _ => None,
        };
        let (regions, mut forks): (Vec<_>, Vec<_>) = forks.into_iter().filter_map(split).unzip();
        let outcome = fork::compare(&forks);
        for fork in &mut forks {
            fork.base = Shared::default();
        }
        let contents = self.lent.take().and_then(Arc::into_inner).expect("all forks have come back");
        for (region, data) in self.regions.iter_mut().zip(contents) {
            region.data = data;
        }
        if outcome.is_ok() && !forks.is_empty() {
            self.add(&regions, &forks, hands);
            let logs: Vec<&Log> = forks.iter().map(|fork| &fork.log).collect();
            for (reduction, one) in put_off::in_order(&logs, residents) {
                reduction.apply(&mut self.regions[one.region as usize].data[one.offset..], one.operand);
            }
        }
        let most_copies = MOST_SPARE_COPIES / forks.len().max(1);
        for fork in &mut forks {
            fork.empty(most_copies);
        }
        self.spare = forks;
        outcome
    }

    /// Applies the changes of the forks. Threads share the parts of the larger regions.
    fn add(&mut self, forked: &[Vec<Region>], forks: &[Fork], hands: impl Fn(usize, &(dyn Fn() + Sync))) {
        for (number, region) in self.regions.iter_mut().enumerate() {
            let others = forked.iter().filter_map(|regions| regions[number].written.as_ref());
            if let Some(written) = &mut region.written {
                others.for_each(|other| written.add(other));
            }
            region.is_set |= forks.iter().any(|fork| fork.has_written(number));
            let is_large = region.data.len() > PARTS_BYTES;
            let parts = Mutex::new(region.data.chunks_mut(PARTS_BYTES).enumerate());
            let next = || parts.lock().expect("nobody panics with it").next();
            let work = || {
                while let Some((part, data)) = next() {
                    fork::apply(forks, number, part * (PARTS_BYTES / PAGE_BYTES), data);
                }
            };
            hands(if is_large { forks.len() } else { 1 }, &work);
        }
    }

    /// Ends a block on this fork. An error is why this block and the earlier ones may not have run in any order.
    pub fn end_block(&mut self) -> Result<(), Conflict> {
        let Contents::Fork(fork) = &mut self.contents else { return Ok(()) };
        fork.end_block()
    }

    #[cold]
    fn miss(&self, address: u64, number: usize, offset: u64) -> Miss {
        match self.regions.get(number) {
            _ if address < MAX_FROM_NULL => Miss::Null,
            None => Miss::Wild,
            Some(region) if region.is_reserved() => Miss::Wild,
            Some(region) if !region.live => Miss::Freed { region: number },
            Some(_) => Miss::Outside { region: number, offset: offset as i64 },
        }
    }
}

mod bytes;
mod numbers;
#[cfg(test)]
mod tests;
