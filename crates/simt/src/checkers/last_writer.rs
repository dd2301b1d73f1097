//! The last writer: which thread stored one byte of global memory last ([`Launch::follow`](crate::Launch)).
//!
//! With it, a wrong result can be shown together with the line that stored it. A store is shown before it is carried
//! out, like to the other checkers; an atomic is shown lane by lane while it is carried out. Earlier writers are not
//! kept, and other memories are not covered, because nothing is left of them after a launch.

use crate::access::address::addresses;
use crate::access::address::check_writable;
use crate::access::lane_order::LaneOrder;
use crate::access::window::lanes_in;
use crate::checkers::context::Context;
use crate::compile::inst::{Inst, Pc};
use crate::isa::op::memory::{Access, Memory};
use crate::machine::divergence::Frame;
use crate::machine::global::Global;
use crate::machine::registers::{Lanes, lanes_of};
use crate::order::{ByteRange, Space};
use crate::report::fault::Actor;

/// Records the last store to one byte.
#[derive(Debug)]
pub struct LastWriter {
    address: u64,
    /// The block in the grid, the warp and the instruction that run now.
    block: u64,
    warp: usize,
    pc: Pc,
    last: Option<Store>,
}

/// A store or an update of one lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store {
    pub(crate) block: u64,
    pub(crate) warp: usize,
    pub(crate) lane: usize,
    pub(crate) pc: Pc,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

impl LastWriter {
    /// Records the stores to the byte at an address.
    pub fn new(address: u64) -> LastWriter {
        LastWriter { address, block: 0, warp: 0, pc: 0, last: None }
    }

    /// Lanes of a warp are about to run.
    pub fn run(&mut self, block: u64, warp: usize) {
        (self.block, self.warp) = (block, warp);
    }

    /// The next instruction.
    pub fn at(&mut self, pc: Pc) {
        self.pc = pc;
    }

    /// A lane stores `bytes` bytes at an address of global memory.
    pub fn stored(&mut self, lane: usize, address: u64, bytes: u64) {
        let LastWriter { block, warp, pc, .. } = *self;
        self.took_effect(Store { block, warp, lane, pc, address, bytes });
    }

    /// A store takes effect, possibly later than its lane issued it.
    pub(crate) fn took_effect(&mut self, store: Store) {
        if self.is_in(store.address, store.bytes) {
            self.last = Some(store);
        }
    }

    fn is_in(&self, address: u64, bytes: u64) -> bool {
        self.address.wrapping_sub(address) < bytes
    }

    /// A store is about to be carried out. If several lanes store the byte, the last one counts. A lane whose access is
    /// refused ends the store, but the stores of the lanes before it stay.
    pub fn record(
        &mut self,
        global: &Global,
        order: LaneOrder,
        lanes: &Lanes<'_>,
        inst: &Inst,
        access: &Access,
        frame: &Frame,
    ) {
        let at = addresses(lanes, &access.address, inst.args.a, frame);
        let mask = match access.address.memory {
            Memory::Global => lanes.mask,
            Memory::Generic => lanes_in(None, &at, lanes.mask),
            _ => return,
        };
        let bytes = access.lane_bytes();
        if !lanes_of(mask).any(|lane| self.is_in(at[lane], bytes)) {
            return;
        }
        let is_allowed = |&lane: &usize| check_writable(global, lane, at[lane], access).is_ok();
        for lane in order.lanes(mask).take_while(is_allowed) {
            self.stored(lane, at[lane], bytes);
        }
    }
}

/// The thread that stored the byte last, if any did.
pub fn actor(last_writer: &LastWriter, context: &Context<'_>) -> Option<Actor> {
    let store = last_writer.last?;
    let (region, offset) = context.global.locate(store.address, store.bytes).ok()?;
    let range =
        ByteRange { space: Space::Global(region as u32), offset: offset as u64, bytes: store.bytes as u8 };
    let (.., access) = context.program.insts[store.pc as usize].op.access()?;
    let doing = format!("{} {}", access.past(), context.describe(range));
    let actor = context.actor(store.block, store.warp, store.lane as u32, store.pc, doing);
    Some(actor.with(access))
}
