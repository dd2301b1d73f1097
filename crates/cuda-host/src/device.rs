//! The device: its memory as host code sees it, its streams, its last error.
//!
//! Everything is carried out at once, in the order of the calls. What the program would have to wait for is recorded,
//! so that a missing wait is found although nothing is ever late.

use cudac::Line;
use cudac::host::Kernel;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use simt::{Buffer, Dim3, Emulator, LaunchError, Module, Report};

use crate::errors;
use crate::facts::Kernels;
use crate::order::{Order, Work};
use crate::places::Places;
use crate::resident::{Room, SHARED_BYTES};

/// This bit of an address says that it is what the name of a variable of the device stands for on the host. Only the functions
/// for symbols can do anything with it. `cudaGetSymbolAddress` in `runtime.cuh` knows the bit too.
const NAME: u64 = 1 << 60;

/// The number of the limit for what kernels print: `cudaLimitPrintfFifoSize`.
pub(crate) const PRINT_LIMIT: usize = 1;

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The device's.
    Device,
    /// Of both, in one copy that moves to whoever uses it.
    Managed,
    /// The host's, which the device can reach at the same address.
    Pinned,
    /// The same from a pool of memory: it is freed as memory of the device is.
    Pooled,
    /// The host's, which the program has registered.
    Registered,
}

/// What the runtime knows of one thread of the host.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// What `cudaGetLastError` returns.
    pub last_error: u64,
    /// The last failure, until something has looked at it.
    pub failure: Option<Failure>,
    /// The last failure at which the program has looked, if it has done nothing with the device since.
    pub known_failure: Option<Failure>,
    /// Whether the next launch with `<<<>>>` is a cooperative one.
    pub next_is_cooperative: bool,
    /// Blocks in a cluster of the next launch, if it says so.
    pub next_cluster: Option<Dim3>,
    /// For each function that a stream has called in it and that runs now: the work that is done for it, and not for others.
    pub callbacks: Vec<Vec<Work>>,
}

/// Memory that kernels can use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub buffer: Buffer,
    pub is_live: bool,
    pub owner: Owner,
    pub is_variable: bool,
    pub line: Line,
    pub filled: Option<Filled>,
}

impl Block {
    /// Whether host code can use it.
    pub fn is_shared(&self) -> bool {
        self.owner != Owner::Device
    }

    /// Whether it is the host's.
    pub fn is_of_host(&self) -> bool {
        matches!(self.owner, Owner::Pinned | Owner::Pooled | Owner::Registered)
    }
}

/// What a line of host code has written to an allocation, the last that did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filled {
    pub line: Line,
    /// From this byte of the allocation on.
    pub from: u64,
    pub bytes: u64,
}

/// What a kernel has printed.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    /// The number of the launch as work.
    pub work: u64,
    /// The line of the launch.
    pub line: Line,
    pub kernel: String,
    pub text: String,
}

/// An error that a call or a launch returned.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub code: u64,
    pub line: Line,
    pub message: String,
    /// Whether it was a launch with `<<<>>>`, which has no result.
    pub is_launch: bool,
    /// Whether a launch was refused for its shape.
    pub is_refused_launch: bool,
}

impl Failure {
    /// What failed, with the name of the error.
    pub fn named(&self) -> String {
        format!("{} (`{}`)", self.message, errors::named(self.code)[0])
    }
}

/// A module of PTX.
#[derive(Debug)]
struct LoadedModule {
    module: Module,
    /// What the text says of the kernels.
    facts: Kernels,
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub(crate) struct LoadedKernel {
    /// The number of the module.
    pub module: usize,
    pub kernel: Kernel,
}

impl LoadedKernel {
    /// A kernel of the program's own module.
    pub fn own(kernel: &Kernel) -> Rc<LoadedKernel> {
        Rc::new(LoadedKernel { module: 0, kernel: kernel.clone() })
    }
}

/// The device.
#[derive(Debug)]
pub(crate) struct Device {
    emulator: Emulator,
    /// The modules by their numbers; the program's own is the first.
    modules: Vec<Option<LoadedModule>>,
    /// Whether host code runs natively.
    is_beside_a_process: bool,
    /// By their addresses.
    pub blocks: BTreeMap<u64, Block>,
    /// Memory of the host that was registered, by its addresses: its size, and the address at which it is now.
    pub registered: BTreeMap<u64, (u64, u64)>,
    pub order: Order,
    /// Events, by their numbers from 1 on: when each was recorded, in microseconds.
    pub events: BTreeMap<u64, Option<u64>>,
    last_event: u64,
    /// Events that keep no time.
    pub untimed: BTreeSet<u64>,
    /// The bytes of all memory that is allocated.
    live_bytes: u64,
    /// What kernels have printed and the host has not seen yet, by the number of their work.
    pub printed: Vec<Printed>,
    /// What `cudaDeviceSetLimit` sets, by the numbers of the limits.
    pub limits: [u64; 3],
    /// What is of the thread of the host that calls.
    pub thread: Thread,
    /// Whether the program creates streams that are not ordered with the default stream.
    pub has_free_streams: bool,
    /// The time in microseconds, which passes whenever something looks at it.
    pub time: u64,
    pub launches: u64,
    /// How many bytes have been compared before and after launches.
    pub compared: u64,
    /// What `cudaFuncSetAttribute` allows kernels, by their numbers, beside what they declare.
    pub shared_limits: BTreeMap<usize, u64>,
    /// Blocks in the clusters that `cuFuncSetAttribute` demands of launches of kernels, by their numbers; zero where it has said
    /// nothing yet.
    pub clusters: BTreeMap<usize, [u32; 3]>,
    /// What a multiprocessor has for blocks.
    pub room: Room,
}

impl Device {
    /// A device with a module, alone or beside a process.
    pub fn new(
        name: &str,
        ptx: &str,
        bytes: u64,
        managed: &[String],
        is_beside_a_process: bool,
    ) -> Result<Device, String> {
        let emulator = Emulator::new(simt::Limits { memory_bytes: bytes });
        let emulator = if is_beside_a_process { emulator.beside_a_process() } else { emulator };
        let mut device = Device {
            emulator,
            modules: Vec::new(),
            is_beside_a_process,
            blocks: BTreeMap::new(),
            registered: BTreeMap::new(),
            order: Order::default(),
            events: BTreeMap::new(),
            last_event: 0,
            untimed: BTreeSet::new(),
            live_bytes: 0,
            printed: Vec::new(),
            limits: [1024, simt::DEFAULT_PRINT_BYTES, 8 << 20],
            thread: Thread::default(),
            has_free_streams: false,
            time: 0,
            launches: 0,
            compared: 0,
            shared_limits: BTreeMap::new(),
            clusters: BTreeMap::new(),
            room: Room::default(),
        };
        device.load(name, ptx, managed).map_err(|error| format!("PTX of {name}: {error}"))?;
        // The device is the one that the kernels were compiled for.
        if let [Some(first)] = &device.modules[..] {
            device.room = Room::of_capability(first.module.target_sm());
        }
        Ok(device)
    }

    /// Loads a module, some of whose variables are managed; its number.
    pub fn load(&mut self, name: &str, ptx: &str, managed: &[String]) -> Result<usize, simt::ptx::Error> {
        let module = self.emulator.load(name, ptx)?;
        for (name, buffer) in module.variables() {
            let is_managed = managed.iter().any(|known| known == name);
            let owner = if is_managed { Owner::Managed } else { Owner::Device };
            let block =
                Block { buffer, is_live: true, owner, is_variable: true, line: Line::NONE, filled: None };
            self.blocks.insert(buffer.address(), block);
        }
        let facts = Kernels::new(ptx, &module.variables().map(|(name, _)| name).collect());
        self.modules.push(Some(LoadedModule { module, facts }));
        Ok(self.modules.len() - 1)
    }

    /// Frees the variables of a module, whose kernels cannot be launched any more.
    pub fn unload(&mut self, number: usize) {
        let Some(LoadedModule { module, .. }) = self.modules.get_mut(number).and_then(Option::take) else {
            return;
        };
        for (_, buffer) in module.variables() {
            self.blocks.remove(&buffer.address());
        }
        // It was loaded by this emulator.
        let _ = self.emulator.unload(&module);
    }

    /// Whether a module is loaded.
    pub fn is_loaded(&self, number: usize) -> bool {
        self.module(number).is_some()
    }

    /// The names of the kernels of a module.
    pub fn kernels_of(&self, number: usize) -> Vec<String> {
        let kernels = self.module(number).map(|known| known.module.kernels()).unwrap_or_default();
        kernels.iter().map(|kernel| kernel.name.clone()).collect()
    }

    /// A kernel of a module.
    pub fn kernel_of(&self, number: usize, name: &str) -> Option<&simt::KernelInfo> {
        self.module(number)?.module.kernels().iter().find(|kernel| kernel.name == name)
    }

    /// A variable of a module.
    pub fn variable_of(&self, number: usize, name: &str) -> Option<Buffer> {
        self.module(number)?.module.variable(name)
    }

    /// A module that is loaded.
    fn module(&self, number: usize) -> Option<&LoadedModule> {
        self.modules.get(number)?.as_ref()
    }

    /// The module with the program's own kernels and variables.
    fn own(&self) -> Option<&Module> {
        self.module(0).map(|own| &own.module)
    }

    /// A new event; its number.
    pub fn new_event(&mut self) -> u64 {
        self.last_event += 1;
        self.events.insert(self.last_event, None);
        self.last_event
    }

    /// Destroys an event; whether there was one. What waits for it goes on to wait.
    pub fn destroy_event(&mut self, event: u64) -> bool {
        self.order.forget_event(event);
        self.untimed.remove(&event);
        self.events.remove(&event).is_some()
    }

    /// The bytes of all memory that is allocated, without the variables of the module.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// The time in microseconds. A look at it takes one.
    pub fn now(&mut self) -> u64 {
        self.time += 1;
        self.time
    }

    /// Whether an address is one of the device. Beside a process, those between are the process's.
    pub fn has(&self, address: u64) -> bool {
        let first = if self.is_beside_a_process && !self.is_mapped(address) { 256 } else { 16 };
        address >> 40 >= first && address >> 60 != NAME >> 60
    }

    /// Whether an address is one that a process has too.
    pub fn is_mapped(&self, address: u64) -> bool {
        self.is_beside_a_process && (16..80).contains(&(address >> 40))
    }

    /// Whether an address is what the name of a variable of the device stands for on the host.
    pub fn is_name(address: u64) -> bool {
        address >> 60 == NAME >> 60 && (address & !NAME) >> 40 >= 16
    }

    /// What the name of a variable stands for on the host: the address, if it is managed.
    pub fn symbol(&self, name: &str) -> u64 {
        let address = self.own().and_then(|own| own.variable(name)).map_or(0, Buffer::address);
        let is_managed = self.block(address).is_some_and(|block| block.owner == Owner::Managed);
        if is_managed || address == 0 { address } else { address | NAME }
    }

    /// The address of a variable of the device by what stands for it on the host.
    pub fn named(symbol: u64) -> u64 {
        symbol & !NAME
    }

    /// What PTX calls the variable at an address.
    pub fn variable_at(&self, address: u64) -> Option<&str> {
        self.own()?.variables().find(|(_, buffer)| buffer.address() == address).map(|(name, _)| name)
    }

    /// Whether a variable of the device has only zeros.
    pub fn is_zero(&self, name: &str) -> bool {
        let buffer = self.own().and_then(|own| own.variable(name));
        let bytes = buffer.and_then(|buffer| self.emulator.read(buffer).ok());
        bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
    }

    /// Launches a kernel, with as many blocks resident as the launch says or as there is room for.
    pub fn launch(&mut self, kernel: &LoadedKernel, mut launch: simt::Launch) -> Result<Report, LaunchError> {
        let Some(LoadedModule { module, .. }) = self.modules.get(kernel.module).and_then(Option::as_ref)
        else {
            return Err(LaunchError::ForeignModule {
                module: format!("the module of {}", kernel.kernel.name),
            });
        };
        loop {
            match self.emulator.launch(module, &kernel.kernel.symbol, &launch) {
                Err(LaunchError::TooManyResident { .. }) if launch.resident_blocks > 1 => {
                    launch.resident_blocks = launch.resident_blocks.min(launch.grid.count() as u32) / 2;
                }
                launched => return launched,
            }
        }
    }

    /// How much shared memory a kernel may have, by its number.
    pub fn shared_allowed(&self, kernel: usize) -> u64 {
        self.shared_limits.get(&kernel).copied().unwrap_or(0).max(SHARED_BYTES)
    }

    /// Whether a kernel reads memory in a way which sees what other blocks write.
    pub fn may_wait(&self, kernel: &LoadedKernel) -> bool {
        self.module(kernel.module).is_some_and(|module| module.facts.may_wait(&kernel.kernel.symbol))
    }

    /// The addresses of the variables that a kernel may use.
    pub fn variables_of(&self, kernel: &LoadedKernel) -> impl Iterator<Item = u64> {
        let module = self.module(kernel.module);
        let names = module.into_iter().flat_map(|known| known.facts.variables(&kernel.kernel.symbol));
        names.filter_map(move |name| module?.module.variable(name)).map(Buffer::address)
    }

    /// Tells the functions of cooperative groups of a kernel's module whether its next launch is a cooperative one.
    pub fn tell_kind(&mut self, kernel: &LoadedKernel, is_cooperative: bool) {
        let is_flag = |(name, _): &(&str, Buffer)| name.contains("__is_ordinary");
        let module = self.module(kernel.module);
        let flag = module.and_then(|known| known.module.variables().find(is_flag)).map(|(_, buffer)| buffer);
        if let Some(flag) = flag {
            // The variable is the module's, which the emulator has loaded.
            let _ = self.emulator.copy_in(flag, 0, &u32::from(!is_cooperative).to_le_bytes(), |_| true);
        }
    }

    pub fn fail(&mut self, code: u64, line: Line, message: String) {
        self.thread.last_error = code;
        self.thread.failure =
            Some(Failure { code, line, message, is_launch: false, is_refused_launch: false });
    }

    /// A launch fails; whether for its shape.
    pub fn fail_launch(&mut self, code: u64, line: Line, message: String, is_refused_launch: bool) {
        self.thread.last_error = code;
        self.thread.failure = Some(Failure { code, line, message, is_launch: true, is_refused_launch });
    }

    /// A new statement begins. If the last call failed, and its result was ignored, that would have been reported at the end of
    /// its statement; so the program has the error in hand. A launch has no result, so its error waits for a look at it.
    pub fn in_hand(&mut self) -> Option<Failure> {
        self.thread.failure.take_if(|failure| !failure.is_launch)
    }

    /// New memory, named after the variable that gets its address; its address.
    pub fn allocate(&mut self, name: &str, bytes: u64, owner: Owner, line: Line) -> Option<u64> {
        let is_mapped = matches!(owner, Owner::Managed | Owner::Pinned | Owner::Pooled);
        let made = if is_mapped && self.is_beside_a_process {
            self.emulator.alloc_mapped(name, bytes)
        } else if owner == Owner::Managed {
            self.emulator.alloc(name, bytes)
        } else {
            self.emulator.alloc_uninitialized(name, bytes)
        };
        let buffer = made.ok()?;
        let block = Block { buffer, is_live: true, owner, is_variable: false, line, filled: None };
        let address = buffer.address();
        // What is known of an earlier allocation there does not concern this one.
        if self.blocks.insert(address, block).is_some_and(|old| !old.is_live) {
            self.order.forget_bytes(address);
        }
        self.live_bytes += bytes;
        Some(address)
    }

    /// The allocation that an address is in or after.
    pub fn block(&self, address: u64) -> Option<Block> {
        let (start, block) = self.blocks.range(..=address).next_back()?;
        (start >> 40 == address >> 40).then_some(*block)
    }

    /// Notes that a line of the host has filled bytes of an allocation.
    pub fn note_filled(&mut self, line: Line, address: u64, bytes: u64) {
        if let Some((start, block)) = self.blocks.range_mut(..=address).next_back() {
            block.filled = Some(Filled { line, from: address - start, bytes });
        }
    }

    /// What to do about bytes at an address that a kernel reads and nobody has written, if it is the host that should have.
    pub fn unfilled(&self, places: &Places, address: u64) -> Option<String> {
        let block = self.block(address)?;
        let (at, size) = (address - block.buffer.address(), block.buffer.bytes());
        match block.filled {
            None => Some(
                "set it before the launch, with `cudaMemset` or a copy, or let a kernel write all of it"
                    .to_owned(),
            ),
            Some(Filled { line, from: 0, bytes }) if at >= bytes => Some(format!(
                "{} fills only the first {bytes} of its {size} bytes: is the number of bytes right?",
                places.place(line)
            )),
            Some(_) => None,
        }
    }

    /// Where the memory at an address is: memory of the host that is registered has moved.
    pub fn resolve(&self, address: u64) -> u64 {
        let Some((start, (bytes, at))) = self.registered.range(..=address).next_back() else {
            return address;
        };
        if address - start < *bytes { at + (address - start) } else { address }
    }

    pub fn free(&mut self, block: Block) {
        if let Some(known) = self.blocks.get_mut(&block.buffer.address()).filter(|known| known.is_live) {
            known.is_live = false;
            self.live_bytes -= block.buffer.bytes();
        }
        // It was found among the live ones, so that the emulator has it.
        let _ = self.emulator.free(block.buffer);
    }

    /// Bytes of an allocation, which the caller knows to be there.
    pub fn bytes(&self, address: u64, bytes: u64) -> Option<&[u8]> {
        let buffer = self.block(address)?.buffer;
        let at = (address - buffer.address()) as usize;
        self.emulator.read(buffer).ok()?.get(at..at.checked_add(bytes as usize)?)
    }

    /// Bytes of an allocation, which the caller knows to be there, and which of them have been written.
    pub fn read(&self, address: u64, bytes: u64) -> Option<(Vec<u8>, Vec<bool>)> {
        let buffer = self.block(address)?.buffer;
        let at = (address - buffer.address()) as usize;
        let found = self.bytes(address, bytes)?.to_vec();
        let range = at..at + bytes as usize;
        if self.emulator.has_written(buffer, range.clone()).ok()? {
            return Some((found, vec![true; bytes as usize]));
        }
        let is_written = |at: usize| self.emulator.has_written(buffer, at..at + 1).unwrap_or(true);
        Some((found, range.map(is_written).collect()))
    }

    /// Whether all of some bytes of an allocation have been written.
    pub fn has_written(&self, address: u64, bytes: u64) -> bool {
        let Some(block) = self.block(address) else { return false };
        let at = (address - block.buffer.address()) as usize;
        self.emulator.has_written(block.buffer, at..at + bytes as usize).unwrap_or(false)
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), String> {
        self.copy_in(address, bytes, |_| true)
    }

    /// Bytes of an allocation, which the caller knows to be there, to be written: they count as written from then on.
    pub fn bytes_mut(&mut self, address: u64, bytes: u64) -> Option<&mut [u8]> {
        let buffer = self.block(address)?.buffer;
        let at = (address - buffer.address()) as usize;
        self.emulator.write_range(buffer, at..at.checked_add(bytes as usize)?).ok()
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

    /// The lines and sizes of what is still allocated on the device.
    pub fn live(&self) -> Vec<(Line, u64)> {
        let is_leak = |block: &&Block| block.is_live && !block.is_variable && !block.is_of_host();
        let live = self.blocks.values().filter(is_leak);
        let mut found: Vec<_> = live.map(|block| (block.line, block.buffer.bytes())).collect();
        found.sort_unstable();
        let mut merged: Vec<(Line, u64)> = Vec::new();
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
        Device::new("test.cu", MODULE, 1 << 20, &[], false).unwrap()
    }

    #[test]
    fn memory_is_found_until_and_after_it_is_freed() {
        let mut device = device();
        let at = device.allocate("x", 64, Owner::Device, Line::new(0, 7)).unwrap();
        assert!(device.has(at));
        device.write(at + 8, &[1, 2]).unwrap();
        assert_eq!(device.read(at + 8, 3).unwrap(), (vec![1, 2, 0], vec![true, true, false]));
        assert_eq!(device.live(), [(Line::new(0, 7), 64)]);
        let block = device.block(at + 63).unwrap();
        device.free(block);
        assert!(device.live().is_empty() && !device.block(at).unwrap().is_live);
        assert!(device.write(at + 63, &[1, 2]).is_err());
    }

    #[test]
    fn variables_are_no_leaks() {
        let device = device();
        assert!(device.symbol("table") != 0 && device.symbol("other") == 0);
        assert!(Device::is_name(device.symbol("table")) && !device.has(device.symbol("table")));
        assert!(device.block(Device::named(device.symbol("table"))).unwrap().is_variable);
        assert!(device.live().is_empty());
    }
}
