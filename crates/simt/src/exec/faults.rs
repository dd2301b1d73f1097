//! Describes what stopped a launch, as a [`Fault`](crate::report::fault::Fault): which lanes, where, why, and what to do.

use crate::access::address::{Denied, Why};
use crate::checkers::context::{Context, fault};
use crate::compile::inst::Pc;
use crate::exec::cursor::Cursor;
use crate::exec::state::{Run, Stop};
use crate::isa::op::Op;
use crate::isa::op::bulk::GRANULE;
use crate::isa::op::mbarrier::{MAX_COUNT, Misuse};
use crate::isa::op::memory::Memory;
use crate::isa::op::tensor_copy::{BadCoordinate, BadMap};
use crate::machine::block::BARRIERS;
use crate::machine::divergence::Group;
use crate::machine::global::Miss;
use crate::machine::tensor_map::{BOX_ALIGN, TENSOR_MAP_ALIGN, TensorMapError};
use crate::report::fault::{Actor, FaultKind, Severity};
use crate::report::location::{AccessKind, Allocation, Location, Space};

/// Why lanes cannot execute an instruction, other than an access that memory denies.
#[derive(Clone, Debug)]
pub struct Problem {
    kind: FaultKind,
    message: String,
}

impl Problem {
    /// A `trap`, in a kernel that may have asked for the memory of a cooperative launch before.
    pub fn trap(is_cooperative: bool) -> Problem {
        let why = if is_cooperative {
            "; it asks for the memory of a cooperative launch, as `grid.sync()` does, and cooperative launches are not supported"
        } else {
            ""
        };
        Problem { kind: FaultKind::Trap, message: format!("the kernel executed `trap`{why}") }
    }

    /// An assertion failed, with this message.
    pub fn assertion(message: &str) -> Problem {
        Problem { kind: FaultKind::Trap, message: format!("assertion `{message}` failed") }
    }

    /// A `brx.idx` with an index that its list does not have.
    pub fn branch_index(index: u32, targets: usize) -> Problem {
        let message = format!("the branch has index {index}, but its list has {targets} targets");
        Problem { kind: FaultKind::OutOfBounds, message }
    }

    /// A call through a register without a function's address.
    pub fn no_function() -> Problem {
        let message = "call through a register that does not hold the address of a function".to_owned();
        Problem { kind: FaultKind::OutOfBounds, message }
    }

    /// Calls are nested deeper than `limit`.
    pub fn call_depth(limit: usize) -> Problem {
        Problem { kind: FaultKind::CallDepth, message: format!("calls are nested more than {limit} deep") }
    }

    /// The frames of a thread need too much local memory.
    pub fn local_memory(limit_bytes: u64) -> Problem {
        let message = format!(
            "the nested calls need more than the {limit_bytes} bytes of local memory that a thread has"
        );
        Problem { kind: FaultKind::CallDepth, message }
    }

    /// The frames of all resident threads need too much local memory.
    pub fn resident_local_memory(limit_bytes: u64) -> Problem {
        let message = format!(
            "the nested calls of all resident threads need more than {limit_bytes} bytes of local memory"
        );
        Problem { kind: FaultKind::CallDepth, message }
    }

    /// Something that the place knows that refuses it.
    pub fn of(kind: FaultKind, message: String) -> Problem {
        Problem { kind, message }
    }

    /// A barrier that does not exist.
    pub fn no_barrier(number: usize) -> Problem {
        let message = format!("there is no barrier {number}; a block has barriers 0 to {}", BARRIERS - 1);
        Problem { kind: FaultKind::BarrierDivergence, message }
    }

    /// A barrier for a number of threads that is not a multiple of the warp size.
    pub fn barrier_count(count: u32) -> Problem {
        let message =
            format!("the barrier is for {count} threads, but the count must be a multiple of the warp size");
        Problem { kind: FaultKind::BarrierDivergence, message }
    }

    /// A barrier that is in use with another count.
    pub fn barrier_counts(number: usize) -> Problem {
        let message = format!("barrier {number} is used with different thread counts at the same time");
        Problem { kind: FaultKind::BarrierDivergence, message }
    }

    /// Lanes arrive at the barrier of the cluster again without having waited there.
    pub fn arrives_twice() -> Problem {
        let message =
            "the thread has already arrived at the barrier of the cluster, and has not waited there since"
                .to_owned();
        Problem { kind: FaultKind::BarrierDivergence, message }
    }

    /// Lanes wait at the barrier of the cluster without having arrived there.
    pub fn waits_without_arrival() -> Problem {
        let message =
            "the thread waits at the barrier of the cluster, and has not arrived there before".to_owned();
        Problem { kind: FaultKind::BarrierDivergence, message }
    }

    /// A lane executes a collective with a membermask that does not contain the lane.
    pub fn not_member(lane: usize, members: u32) -> Problem {
        let message = format!(
            "lane {lane} executes the instruction with membermask {members:#010x}, which does not contain it"
        );
        Problem { kind: FaultKind::BadMask, message }
    }

    /// Two lanes that wait for each other have different membermasks.
    pub fn waiting_masks(lane: usize, members: u32, other: usize, theirs: u32) -> Problem {
        let message = format!(
            "lane {lane} waits with membermask {members:#010x} and lane {other} with {theirs:#010x}, but lanes that wait for each other must use the same mask"
        );
        Problem { kind: FaultKind::BadMask, message }
    }

    /// With the reconvergence stack, a lane names another one that is not active together with it.
    pub fn absent_member(lane: usize, members: u32, absent: u32) -> Problem {
        let message = format!(
            "membermask {members:#010x} of lane {lane} contains lane {absent}, which is not active here together with it: \
             with the reconvergence stack, the instruction does not wait for it"
        );
        Problem { kind: FaultKind::BadMask, message }
    }

    /// A warp without some of its lanes comes to an instruction that all 32 of them must execute together.
    pub fn not_aligned(absent: u32, why: &str) -> Problem {
        let lane = absent.trailing_zeros();
        let message =
            format!("all 32 lanes of the warp must execute this instruction together, but lane {lane} {why}");
        Problem { kind: FaultKind::BarrierDivergence, message }
    }

    /// With the reconvergence stack, two active lanes have different membermasks.
    pub fn different_masks(lane: usize, members: u32, other: usize, theirs: u32) -> Problem {
        let message = format!(
            "lane {lane} uses membermask {members:#010x}, but lane {other}, which is in this mask, uses {theirs:#010x}"
        );
        Problem { kind: FaultKind::BadMask, message }
    }
}

impl Cursor<'_, '_> {
    /// A problem of some lanes at one instruction. The fault names the lowest of them.
    pub fn fault(&self, pc: Pc, lanes: u32, problem: Problem) -> Stop {
        let doing = match lanes.count_ones() {
            1 => "stopped here".to_string(),
            2 => "stopped here, with another lane".to_string(),
            count => format!("stopped here, with {} other lanes", count - 1),
        };
        stop(problem.kind, problem.message, vec![self.actor(lanes, pc, doing)])
    }

    /// An access that memory denied.
    pub fn denied(&self, pc: Pc, denied: &Denied) -> Stop {
        let op = &self.inst(pc).op;
        let is_map = matches!(denied.why, Why::TensorMap(_));
        let denied = &where_no_map_is(*denied);
        let access = match op {
            _ if is_map => AccessKind::Read,
            // An asynchronous copy reads global memory and writes to shared memory.
            Op::Async(_) if denied.memory != Memory::Shared => AccessKind::Read,
            Op::Bulk(bulk) => bulk.access_to(denied.memory, matches!(denied.why, Why::Mbarrier(_))),
            _ => op.access().expect("memory is asked for accesses only").2,
        };
        let verb = access.past();
        // The message says which bytes of the memory these are. Its address may count from elsewhere.
        let doing = match denied.why {
            Why::PastEnd(_) => format!("{verb} {} bytes", denied.bytes),
            _ => format!("{verb} {} bytes at {:#x}", denied.bytes, denied.address),
        };
        let actor = self.actor(1 << denied.lane, pc, doing).with(access);
        let (kind, mut message) = why(self.run, denied);
        if let Some(owner) = denied.owner {
            message = format!("{message}, in block {}", self.run.setup.launch.block_at(owner));
        }
        let mut fault = fault(kind, Severity::Error, message, vec![actor]);
        fault.location = Some(location(&self.run.context(), denied));
        if matches!(denied.why, Why::PastEnd(_)) && denied.memory == Memory::Shared {
            fault.help += match self.run.setup.launch.shared_bytes {
                0 => ", or, if the array is `extern`, ask for enough dynamic shared memory at the launch",
                _ => ", or, if the array is `extern`, ask for more dynamic shared memory at the launch",
            };
        }
        Stop::Fault(Box::new(fault))
    }

    /// Lanes of the warp that met at a barrier by two instructions.
    pub fn two_barriers(&self, one: &Group, other: &Group) -> Stop {
        let actor_of = |group: &Group| {
            let doing = format!("waits here with lanes {:#010x}", group.mask);
            self.actor(group.mask, group.pc, doing)
        };
        let message = "lanes of one warp arrived at a barrier through different instructions".to_string();
        stop(FaultKind::BarrierDivergence, message, vec![actor_of(one), actor_of(other)])
    }

    /// The lowest of some lanes at an instruction.
    fn actor(&self, lanes: u32, pc: Pc, doing: String) -> Actor {
        self.run.context().actor(self.block.number, self.w, lanes.trailing_zeros(), pc, doing)
    }
}

/// The bytes that were denied, and what they belong to or have run out of.
fn location(context: &Context<'_>, denied: &Denied) -> Location {
    let Denied { address, bytes, memory, .. } = *denied;
    let space = memory.space();
    let region = match denied.why {
        Why::Missed(Miss::Constant { region } | Miss::Freed { region } | Miss::Outside { region, .. }) => {
            Some(region)
        }
        Why::Missed(Miss::Null | Miss::Wild) | Why::PastEnd(_) => None,
        _ if matches!(space, Space::Global | Space::Const) => {
            context.global.locate(address, 1).ok().map(|(region, _)| region)
        }
        _ => None,
    };
    let (space, allocation) = match (region, denied.why) {
        (Some(region), _) => {
            let (space, allocation) = context.region(region);
            (space, Some(allocation))
        }
        (None, Why::PastEnd(size)) => {
            (space, Some(Allocation { name: space.name().to_owned(), address: 0, bytes: size }))
        }
        (None, _) if space == Space::Shared => (space, context.shared(address)),
        (None, _) => (space, None),
    };
    Location { space, address, bytes, allocation }
}

fn why(run: &Run<'_>, denied: &Denied) -> (FaultKind, String) {
    let bytes = denied.bytes;
    match denied.why {
        Why::Missed(Miss::Null) => {
            (FaultKind::Null, format!("the address {:#x} is null or close to null", denied.address))
        }
        Why::Missed(Miss::Wild) => (
            FaultKind::OutOfBounds,
            format!("the address {:#x} is in no allocation, nor close to one", denied.address),
        ),
        Why::Missed(Miss::Constant { region }) => {
            let name = &run.global.region(region).name;
            (FaultKind::ReadOnly, format!("`{name}` is in constant memory, which a kernel cannot write to"))
        }
        Why::Missed(Miss::Freed { region }) => {
            (FaultKind::UseAfterFree, format!("`{}` has been freed", run.global.region(region).name))
        }
        Why::Missed(Miss::Outside { region, offset }) => {
            let region = run.global.region(region);
            (FaultKind::OutOfBounds, outside(&region.name, region.bytes, offset, bytes))
        }
        Why::PastEnd(size) => {
            let gap = gap(run, denied.memory);
            let offset = denied.address.saturating_sub(gap) as i64;
            let message = outside(denied.memory.space().name(), size.saturating_sub(gap), offset, bytes);
            (FaultKind::OutOfBounds, message)
        }
        Why::BoxMisaligned => {
            let message = format!(
                "the address {:#x} of the box in shared memory is not a multiple of {BOX_ALIGN} bytes",
                denied.address
            );
            (FaultKind::Misaligned, message)
        }
        Why::NoCluster => {
            let message = "an asynchronous store or copy from shared memory to the shared memory of a cluster, in a launch without \
                           clusters";
            (FaultKind::NoCluster, message.to_owned())
        }
        Why::Coordinate(bad) => bad_coordinate(bad),
        Why::TensorMap(bad) => (FaultKind::BadTensorMap, bad_map(denied.address, bad)),
        Why::Misaligned => {
            let message = format!(
                "the address {:#x} is not a multiple of {bytes} bytes, the size of the access",
                denied.address
            );
            (FaultKind::Misaligned, message)
        }
        Why::BulkSize => {
            let message = format!("a bulk copy of {bytes} bytes: the size has to be a multiple of {GRANULE}");
            (FaultKind::Misaligned, message)
        }
        Why::ReadOnly => {
            (FaultKind::ReadOnly, format!("{} cannot be written to", denied.memory.space().name()))
        }
        Why::NotShared => {
            let message = format!(
                "the address {:#x} is not in shared memory, where the rows of a matrix must be",
                denied.address
            );
            (FaultKind::OutOfBounds, message)
        }
        Why::NoRank(rank) => (FaultKind::OutOfBounds, no_rank(rank, run.setup.cluster())),
        Why::Mbarrier(misuse) => (FaultKind::BadMbarrier, misused(misuse)),
        Why::NoAtomics => (
            FaultKind::ReadOnly,
            format!("{} cannot be updated by atomic operations", denied.memory.space().name()),
        ),
    }
}

/// The address names a block that the cluster does not have.
fn no_rank(rank: u64, blocks: usize) -> String {
    let whole = if blocks == 1 { "1 block".to_owned() } else { format!("{blocks} blocks") };
    format!("the address names the block with rank {rank}, and the cluster has {whole}")
}

/// A tensor map where nothing is, is denied like any other access.
fn where_no_map_is(denied: Denied) -> Denied {
    match denied.why {
        Why::TensorMap(BadMap::Missed(miss)) => {
            Denied { memory: Memory::Global, why: Why::Missed(miss), ..denied }
        }
        _ => denied,
    }
}

/// Why a box may not begin where it does.
fn bad_coordinate(bad: BadCoordinate) -> (FaultKind, String) {
    match bad {
        BadCoordinate::Misaligned(bytes) => {
            let message = format!(
                "a box begins {} bytes {} the start of its tensor in the first dimension: that has to be a multiple of {GRANULE}",
                bytes.unsigned_abs(),
                if bytes < 0 { "before" } else { "after" }
            );
            (FaultKind::Misaligned, message)
        }
        BadCoordinate::Negative(axis, coordinate) => {
            let message = format!(
                "coordinate {axis} of a copy from shared memory to a tensor is {coordinate}: such a copy may end after the tensor, \
                 but not begin before it"
            );
            (FaultKind::OutOfBounds, message)
        }
    }
}

/// Why a tensor map cannot be used.
fn bad_map(address: u64, bad: BadMap) -> String {
    match bad {
        BadMap::Misaligned => {
            format!("the address {address:#x} of a tensor map is not a multiple of {TENSOR_MAP_ALIGN} bytes")
        }
        BadMap::Memory | BadMap::Missed(_) => {
            "a tensor map has to be in global or constant memory, or a parameter of the kernel".to_owned()
        }
        BadMap::Bytes(TensorMapError::NoMap) => {
            "there is no tensor map here: the bytes are another thing".to_owned()
        }
        BadMap::Bytes(error) => format!("the tensor map has been changed to what no map may be: {error}"),
        BadMap::Rank(map, opcode) => {
            format!("the tensor map has {map} dimensions, and the instruction is for {opcode}")
        }
        BadMap::Element(combining, element) => format!(
            "a tensor copy cannot reduce elements of type `{}` with `{}`",
            element.name(),
            combining.name()
        ),
    }
}

/// What somebody did to an mbarrier that nobody may do.
fn misused(misuse: Misuse) -> String {
    match misuse {
        Misuse::NoObject => {
            "there is no mbarrier here: none has been initialised, or it has been invalidated".to_owned()
        }
        Misuse::IsThere => "there is an mbarrier here already, which has not been invalidated".to_owned(),
        Misuse::Count(count) => {
            format!("the count of an mbarrier must be from 1 to {MAX_COUNT}, and this one is {count}")
        }
        Misuse::TooMany { count, pending } => {
            format!("{count} arrivals at an mbarrier whose current phase expects only {pending} more")
        }
        Misuse::Completes => "an arrival with `.noComplete` would complete the phase".to_owned(),
        Misuse::Transactions(sum) => {
            format!("an mbarrier can count up to {MAX_COUNT} transactions, and these would make {sum}")
        }
        Misuse::Stale => {
            "the state belongs neither to the mbarrier's current phase nor to the one before".to_owned()
        }
        Misuse::Plain => {
            "these bytes are part of an mbarrier, which only `mbarrier` operations may access".to_owned()
        }
        Misuse::OtherBlock => {
            "the mbarrier of a copy to another block must be in the shared memory of that block".to_owned()
        }
        Misuse::NotShared => "an mbarrier must be in shared memory".to_owned(),
    }
}

/// What a launch asks for lies behind the static part of the module's largest kernel. Nobody who reads a message knows of
/// the gap that this leaves behind the static part of a smaller one.
fn gap(run: &Run<'_>, memory: Memory) -> u64 {
    let own = run.setup.program.functions[run.setup.kernel as usize].shared_bytes;
    let has_gap = memory == Memory::Shared && run.setup.launch.shared_bytes > 0;
    if has_gap { run.setup.program.dynamic_shared.saturating_sub(own) } else { 0 }
}

/// An access that is not inside `name`: both its bytes and those that exist are counted from the start, so that the two
/// numbers can be compared.
fn outside(name: &str, size: u64, offset: i64, bytes: u64) -> String {
    let whole = match size {
        0 => "0 bytes".to_owned(),
        1 => "1 byte (0)".to_owned(),
        _ => format!("{size} bytes (0 to {})", size - 1),
    };
    let last = offset.saturating_add_unsigned(bytes.saturating_sub(1));
    let touched = if bytes == 1 { format!("byte {offset}") } else { format!("bytes {offset} to {last}") };
    match offset {
        ..0 => format!("{} bytes before the start of `{name}`, which has {whole}", offset.unsigned_abs()),
        _ if offset as u64 >= size => {
            let far = match offset as u64 - size {
                0 => "just".to_owned(),
                bytes => format!("{bytes} bytes"),
            };
            format!("{far} past the end of `{name}`, which has {whole}: {touched}")
        }
        _ => format!("{touched} of `{name}`, which has {whole}"),
    }
}

/// The fault, with the line of help that its kind has.
pub fn stop(kind: FaultKind, message: String, actors: Vec<Actor>) -> Stop {
    Stop::Fault(Box::new(fault(kind, Severity::Error, message, actors)))
}
