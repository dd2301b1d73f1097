//! What is needed to describe a finding: the source line of an instruction, the thread that a lane runs, and the names
//! of memory.

use crate::compile::inst::Pc;
use crate::compile::program::Program;
use crate::launch::Launch;
use crate::machine::global::{Global, start_of};
use crate::machine::registers::WARP_SIZE;
use crate::order;
use crate::order::{ByteRange, Epoch};
use crate::report::fault::{Actor, Fault, FaultKind, Severity};
use crate::report::location::{Allocation, Location, Space};

/// A launch, with what is needed to describe what happens in it.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program,
    /// The number of the kernel.
    pub kernel: u32,
    /// The launch.
    pub launch: &'a Launch,
    /// Global memory.
    pub global: &'a Global,
    /// The current step of the launch.
    pub step: u64,
}

impl Context<'_> {
    /// A lane of any block of the grid. The block need not be resident any more.
    pub fn actor(&self, block: u64, warp: usize, lane: u32, pc: Pc, doing: String) -> Actor {
        let thread = self.launch.block.nth(warp as u64 * WARP_SIZE as u64 + u64::from(lane));
        let (block, site) = (self.launch.block_at(block), self.program.site(pc));
        Actor { site, doing, ..Actor::new(block, thread, warp as u32, lane) }
    }

    /// The thread of an epoch, at an instruction.
    pub fn actor_at(&self, epoch: Epoch, pc: Pc, doing: String) -> Actor {
        let number = u32::from(epoch.thread.number);
        let (warp, lane) = (number / WARP_SIZE as u32, number % WARP_SIZE as u32);
        self.actor(u64::from(epoch.thread.block), warp as usize, lane, pc, doing)
    }

    /// An allocation in global or constant memory, and which of the two memories it is in.
    pub fn region(&self, number: usize) -> (Space, Allocation) {
        let region = self.global.region(number);
        let space = if region.writable { Space::Global } else { Space::Const };
        (space, Allocation { name: region.name.clone(), address: start_of(number), bytes: region.bytes })
    }

    /// The variable in shared memory to which a byte belongs.
    pub fn shared(&self, byte: u64) -> Option<Allocation> {
        let variable = self.program.shared_variable(self.kernel, byte)?;
        let code = &self.program.functions[self.kernel as usize];
        let end = variable.end.min(self.program.shared_bytes(code, self.launch.shared_bytes));
        let bytes = end.saturating_sub(variable.start);
        Some(Allocation { name: variable.name.clone(), address: variable.start, bytes })
    }

    /// The location of some bytes, as data.
    pub fn location(&self, range: ByteRange) -> Location {
        let bytes = u64::from(range.bytes);
        match range.space {
            order::Space::Global(region) => {
                let (space, allocation) = self.region(region as usize);
                let address = allocation.address + range.offset;
                Location { space, address, bytes, allocation: Some(allocation) }
            }
            order::Space::Shared(_) => Location {
                space: Space::Shared,
                address: range.offset,
                bytes,
                allocation: self.shared(range.offset),
            },
        }
    }

    /// The location of some bytes, in words.
    pub fn describe(&self, range: ByteRange) -> String {
        let (bytes, name) = self.bytes_of(range);
        format!("{bytes} of {name}")
    }

    /// Which bytes of a variable or a buffer some bytes are, and its name.
    pub fn bytes_of(&self, range: ByteRange) -> (String, String) {
        let (name, start) = match range.space {
            order::Space::Global(region) => (format!("`{}`", self.global.region(region as usize).name), 0),
            order::Space::Shared(block) => {
                let (name, start) = self.program.shared_owner(self.kernel, range.offset);
                let has_peers = self.launch.cluster_size().count() > 1;
                let owner = || format!(" of block {}", self.launch.block_at(block.into()));
                (if has_peers { name + &owner() } else { name }, start)
            }
        };
        let (first, last) = (range.offset - start, range.offset - start + u64::from(range.bytes) - 1);
        let bytes = if first == last { format!("byte {first}") } else { format!("bytes {first} to {last}") };
        (bytes, name)
    }
}

/// A finding, with the line of help that belongs to its kind.
pub fn fault(kind: FaultKind, severity: Severity, message: String, actors: Vec<Actor>) -> Fault {
    Fault { actors, help: help(kind).to_string(), ..Fault::new(kind, severity, message) }
}

fn help(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::VolatileRace => "put a barrier between the two accesses: `volatile` does not order them",
        FaultKind::Race => {
            "put a barrier between the two accesses, or a release and an acquire through an atomic"
        }
        FaultKind::Uninitialized => {
            "write the bytes before they are read, with a barrier in between if another thread writes them, or skip the read"
        }
        FaultKind::UndefinedShuffle => {
            "make every lane that is read take part in the shuffle, or do not use the value that was read"
        }
        FaultKind::Livelock => {
            "find the thread that should change what they read, and why it does not: it may have ended, or be waiting for them"
        }
        FaultKind::OutOfBounds => "compare the index with the length of the array before the access",
        FaultKind::Misaligned => {
            "an access of N bytes needs an address that is a multiple of N; check casts to wider types"
        }
        FaultKind::Null => "check that the argument was passed and points to an allocation",
        FaultKind::UseAfterFree => "free the buffer after the last launch that uses it",
        FaultKind::ReadOnly => "write to global or shared memory instead",
        FaultKind::BarrierDivergence => {
            "make every thread of the block reach the same barrier: move the barrier out of the branch"
        }
        FaultKind::BadMask => {
            "pass a mask of exactly the lanes that execute this call, for example from `__ballot_sync()` before the branch"
        }
        FaultKind::BadMbarrier => {
            "let one thread initialise the mbarrier once, put a block barrier after that, and arrive exactly as often as the mbarrier expects"
        }
        FaultKind::NoCluster => {
            "launch the kernel in clusters, if only of one block: `__cluster_dims__(1, 1, 1)`, or `--cluster 1`"
        }
        FaultKind::BadTensorMap => {
            "make the map on the host with `cuTensorMapEncodeTiled`, and pass it as a `const __grid_constant__ CUtensorMap` parameter"
        }
        FaultKind::Deadlock => {
            "make sure that every thread that is waited for can arrive: look at the branch before the wait"
        }
        FaultKind::StepLimit => "look for a loop that never ends, or raise the limit on steps",
        FaultKind::CallDepth => "bound the recursion, or turn it into a loop",
        FaultKind::Trap => "look at the condition before the trap",
        FaultKind::FailedLaunch => {
            "look at the numbers of blocks and threads, and ask `cudaGetLastError()` after the launch"
        }
        FaultKind::LostOutput => {
            "print less, or ask for a larger buffer before the launch: `cudaDeviceSetLimit(cudaLimitPrintfFifoSize, bytes)`"
        }
    }
}
