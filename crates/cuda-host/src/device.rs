//! The device: its memory as host code sees it, its streams, its last error.
//!
//! Everything is carried out at once, in the order of the calls. What the program would have to wait for is recorded,
//! so that a missing wait is found although nothing is ever late.

use std::collections::BTreeMap;
use std::ops::Range;

use simt::{Buffer, Emulator, LaunchError, Module, Report};

/// This bit of an address says that it is what the name of a variable of the device stands for on the host. Only the functions
/// for symbols can do anything with it. `cudaGetSymbolAddress` in `runtime.cuh` knows the bit too.
const NAME: u64 = 1 << 60;

/// Memory of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub buffer: Buffer,
    pub is_live: bool,
    pub is_managed: bool,
    pub is_variable: bool,
    pub line: u32,
    pub filled: Option<Filled>,
}

/// What a line of host code has written to an allocation, the last that did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filled {
    pub line: u32,
    /// From this byte of the allocation on.
    pub from: u64,
    pub bytes: u64,
}

/// Work of a stream for which nothing has waited.
#[derive(Debug)]
pub(crate) struct Work {
    /// Its place in the order of all work.
    pub number: u64,
    pub stream: u64,
    /// Other streams that wait for it.
    pub awaited_by: Vec<u64>,
    /// The allocations that it accesses, by their addresses.
    pub blocks: Vec<u64>,
    /// What it has changed.
    pub changed: Vec<Range<u64>>,
    /// What it reads, if it is a copy.
    pub read: Range<u64>,
    pub line: u32,
}

impl Work {
    pub fn new(number: u64, stream: u64, blocks: Vec<u64>, line: u32) -> Work {
        Work { number, stream, awaited_by: Vec::new(), blocks, changed: Vec::new(), read: 0..0, line }
    }

    /// Whether nothing orders it before what a stream does next.
    pub fn is_unordered(&self, stream: u64) -> bool {
        self.stream != stream && self.stream != 0 && stream != 0 && !self.awaited_by.contains(&stream)
    }

    pub fn changes(&self, bytes: &Range<u64>) -> bool {
        self.changed.iter().any(|changed| overlap(changed, bytes))
    }

    pub fn reads(&self, bytes: &Range<u64>) -> bool {
        overlap(&self.read, bytes)
    }
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub stream: u64,
    /// It follows the work of its stream whose numbers are below this one.
    pub work: u64,
    /// When it was recorded, in microseconds.
    pub at: Option<u64>,
}

impl Event {
    /// Whether some work comes before it. The stream 0 waits for all others.
    pub fn follows(&self, stream: u64, number: u64) -> bool {
        self.at.is_some() && number < self.work && (self.stream == 0 || self.stream == stream)
    }
}

impl Event {
    /// Whether some work comes before it: that of its stream, and that for which its stream waits.
    pub fn comes_after(&self, work: &Work) -> bool {
        let is_awaited = work.awaited_by.contains(&self.stream) && work.number < self.work;
        self.follows(work.stream, work.number) || self.at.is_some() && is_awaited
    }
}

/// Bytes of the host that an asynchronous copy writes or reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    /// The place of the copy in the order of all work.
    pub number: u64,
    pub stream: u64,
    pub offset: u64,
    pub bytes: u64,
    /// What the bytes are until then.
    pub state: u8,
}

/// An error that a call or a launch returned.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub code: u64,
    pub line: u32,
    pub message: String,
    pub is_launch: bool,
}

/// The device.
#[derive(Debug)]
pub(crate) struct Device {
    emulator: Emulator,
    module: Module,
    /// By their addresses.
    pub blocks: BTreeMap<u64, Block>,
    pub work: Vec<Work>,
    pub arriving: Vec<Arriving>,
    pub streams: u64,
    pub events: Vec<Event>,
    /// How much work there was so far.
    pub work_count: u64,
    /// The time in microseconds, which passes whenever something looks at it.
    pub time: u64,
    /// What `cudaGetLastError` returns.
    pub last_error: u64,
    /// The last failure, until something has looked at it.
    pub failure: Option<Failure>,
    pub launches: u64,
    /// How many bytes have been compared before and after launches.
    pub compared: u64,
    /// What `cudaFuncSetAttribute` allows kernels, by their numbers, beside what they declare.
    pub shared_limits: BTreeMap<usize, u64>,
}

impl Device {
    pub fn new(name: &str, ptx: &str, bytes: u64, managed: &[String]) -> Result<Device, String> {
        let mut emulator = Emulator::new(simt::Limits { memory_bytes: bytes });
        let module = emulator.load(name, ptx).map_err(|error| format!("PTX of {name}: {error}"))?;
        let of_variable = |name: &str, buffer: Buffer| {
            let is_managed = managed.iter().any(|known| known == name);
            let block = Block { buffer, is_live: true, is_managed, is_variable: true, line: 0, filled: None };
            (buffer.address(), block)
        };
        let blocks = module.variables().map(|(name, buffer)| of_variable(name, buffer)).collect();
        Ok(Device {
            emulator,
            module,
            blocks,
            work: Vec::new(),
            arriving: Vec::new(),
            streams: 0,
            events: Vec::new(),
            work_count: 0,
            time: 0,
            last_error: 0,
            failure: None,
            launches: 0,
            compared: 0,
            shared_limits: BTreeMap::new(),
        })
    }

    /// The time in microseconds. A look at it takes one.
    pub fn now(&mut self) -> u64 {
        self.time += 1;
        self.time
    }

    /// Whether an address is one of the device.
    pub fn has(address: u64) -> bool {
        address >> 40 >= 16 && address >> 60 != NAME >> 60
    }

    /// Whether an address is what the name of a variable of the device stands for on the host.
    pub fn is_name(address: u64) -> bool {
        address >> 60 == NAME >> 60 && Device::has(address & !NAME)
    }

    /// What the name of a variable stands for on the host: the address, if it is managed.
    pub fn symbol(&self, name: &str) -> u64 {
        let address = self.module.variable(name).map_or(0, Buffer::address);
        let is_managed = self.block(address).is_some_and(|block| block.is_managed);
        if is_managed || address == 0 { address } else { address | NAME }
    }

    /// The address of a variable of the device by what stands for it on the host.
    pub fn named(symbol: u64) -> u64 {
        symbol & !NAME
    }

    /// What PTX calls the variable at an address.
    pub fn variable_at(&self, address: u64) -> Option<&str> {
        self.module.variables().find(|(_, buffer)| buffer.address() == address).map(|(name, _)| name)
    }

    /// Whether a variable of the device has only zeros.
    pub fn is_zero(&self, name: &str) -> bool {
        let bytes = self.module.variable(name).and_then(|buffer| self.emulator.read(buffer).ok());
        bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
    }

    pub fn launch(&mut self, kernel: &str, launch: &simt::Launch) -> Result<Report, LaunchError> {
        self.emulator.launch(&self.module, kernel, launch)
    }

    pub fn fail(&mut self, code: u64, line: u32, message: String, is_launch: bool) {
        self.last_error = code;
        self.failure = Some(Failure { code, line, message, is_launch });
    }

    /// A new statement begins. If the last call failed, and its result was ignored, that would have been reported at the end of
    /// its statement; so the program has the error in hand. A launch has no result, so its error waits for a look at it.
    pub fn is_in_hand(&mut self) {
        if self.failure.as_ref().is_some_and(|failure| !failure.is_launch) {
            self.failure = None;
        }
    }

    /// New memory, named after the variable that gets its address; its address.
    pub fn allocate(&mut self, name: Option<String>, bytes: u64, is_managed: bool, line: u32) -> Option<u64> {
        let name = name.unwrap_or_else(|| format!("memory of line {line}"));
        let made = if is_managed {
            self.emulator.alloc(&name, bytes)
        } else {
            self.emulator.alloc_uninitialized(&name, bytes)
        };
        let buffer = made.ok()?;
        let block = Block { buffer, is_live: true, is_managed, is_variable: false, line, filled: None };
        self.blocks.insert(buffer.address(), block);
        Some(buffer.address())
    }

    /// The allocation that an address is in or after.
    pub fn block(&self, address: u64) -> Option<Block> {
        let (start, block) = self.blocks.range(..=address).next_back()?;
        (start >> 40 == address >> 40).then_some(*block)
    }

    /// Notes that a line of the host has filled bytes of an allocation.
    pub fn note_filled(&mut self, line: u32, address: u64, bytes: u64) {
        if let Some((start, block)) = self.blocks.range_mut(..=address).next_back() {
            block.filled = Some(Filled { line, from: address - start, bytes });
        }
    }

    /// What to do about bytes at an address that a kernel reads and nobody has written, if it is the host that should have.
    pub fn unfilled(&self, address: u64) -> Option<String> {
        let block = self.block(address)?;
        let (at, size) = (address - block.buffer.address(), block.buffer.bytes());
        match block.filled {
            None => Some(
                "set it before the launch, with `cudaMemset` or a copy, or let a kernel write all of it"
                    .to_owned(),
            ),
            Some(Filled { line, from: 0, bytes }) if at >= bytes => Some(format!(
                "line {line} fills only the first {bytes} of its {size} bytes: is the number of bytes right?"
            )),
            Some(_) => None,
        }
    }

    pub fn free(&mut self, block: Block) {
        if let Some(known) = self.blocks.get_mut(&block.buffer.address()) {
            known.is_live = false;
        }
        // It was found among the live ones, so that the emulator has it.
        let _ = self.emulator.free(block.buffer);
    }

    /// Bytes of an allocation, which the caller knows to be there, and which of them have been written.
    pub fn read(&self, address: u64, bytes: u64) -> Option<(Vec<u8>, Vec<bool>)> {
        let buffer = self.block(address)?.buffer;
        let at = (address - buffer.address()) as usize;
        let range = at..at.checked_add(bytes as usize)?;
        let found = self.emulator.read(buffer).ok()?.get(range.clone())?.to_vec();
        if self.emulator.has_written(buffer, range.clone()).ok()? {
            return Some((found, vec![true; bytes as usize]));
        }
        let is_written = |at: usize| self.emulator.has_written(buffer, at..at + 1).unwrap_or(true);
        Some((found, range.map(is_written).collect()))
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), String> {
        self.copy_in(address, bytes, |_| true)
    }

    /// Writes bytes, of which some may count as unwritten.
    pub fn copy_in(
        &mut self,
        address: u64,
        bytes: &[u8],
        is_written: impl Fn(usize) -> bool,
    ) -> Result<(), String> {
        let failed = || format!("{address:#x} is in no memory of the device");
        let buffer = self.block(address).ok_or_else(failed)?.buffer;
        let at = (address - buffer.address()) as usize;
        if at as u64 + bytes.len() as u64 > buffer.bytes() {
            return Err(failed());
        }
        self.emulator.copy_in(buffer, at, bytes, is_written).map_err(|error| error.to_string())
    }

    /// The lines and sizes of what is still allocated.
    pub fn live(&self) -> Vec<(u32, u64)> {
        let live = self.blocks.values().filter(|block| block.is_live && !block.is_variable);
        let mut found: Vec<_> = live.map(|block| (block.line, block.buffer.bytes())).collect();
        found.sort_unstable();
        let mut merged: Vec<(u32, u64)> = Vec::new();
        for (line, bytes) in found {
            match merged.last_mut() {
                Some((known, sum)) if *known == line => *sum += bytes,
                _ => merged.push((line, bytes)),
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = ".version 8.0\n.target sm_70\n.address_size 64\n.global .align 4 .b8 table[8];\n";

    fn device() -> Device {
        Device::new("test.cu", MODULE, 1 << 20, &[]).unwrap()
    }

    #[test]
    fn memory_is_found_until_and_after_it_is_freed() {
        let mut device = device();
        let at = device.allocate(None, 64, false, 7).unwrap();
        assert!(Device::has(at));
        device.write(at + 8, &[1, 2]).unwrap();
        assert_eq!(device.read(at + 8, 3).unwrap(), (vec![1, 2, 0], vec![true, true, false]));
        assert_eq!(device.live(), [(7, 64)]);
        let block = device.block(at + 63).unwrap();
        device.free(block);
        assert!(device.live().is_empty() && !device.block(at).unwrap().is_live);
        assert!(device.write(at + 63, &[1, 2]).is_err());
    }

    #[test]
    fn variables_are_no_leaks() {
        let device = device();
        assert!(device.symbol("table") != 0 && device.symbol("other") == 0);
        assert!(Device::is_name(device.symbol("table")) && !Device::has(device.symbol("table")));
        assert!(device.block(Device::named(device.symbol("table"))).unwrap().is_variable);
        assert!(device.live().is_empty());
    }

    #[test]
    fn an_event_follows_the_work_of_its_stream() {
        let event = Event { stream: 2, work: 5, at: Some(1) };
        assert_eq!([event.follows(2, 4), event.follows(2, 5), event.follows(1, 4)], [true, false, false]);
        assert!(Event { stream: 0, ..event }.follows(1, 4) && !Event { at: None, ..event }.follows(2, 4));
    }
}
