//! Who stored one byte of global memory last: [`Launch::follow`](crate::Launch).
//!
//! It lets a wrong result be told together with the line that left it there. A store is shown before it is carried out,
//! as to all who watch; an atomic lane by lane, while it is carried out. It leaves out who stored before the last one,
//! and every other memory, of which nothing is left after a launch.

use crate::access::address::addresses;
use crate::access::address::check_writable;
use crate::access::lane_order::LaneOrder;
use crate::checkers::context::{Context, access_of};
use crate::compile::inst::{Inst, Pc};
use crate::isa::op::memory::{Access, Memory};
use crate::machine::divergence::Frame;
use crate::machine::global::{Global, Window};
use crate::machine::registers::{Lanes, lanes_of};
use crate::order::{Place, Space};
use crate::report::fault::Actor;

/// Follows one byte.
#[derive(Debug)]
pub struct Follow {
    address: u64,
    /// Who runs: the block's number in the grid, the warp, the instruction.
    block: u64,
    warp: u32,
    pc: Pc,
    last: Option<Store>,
}

/// A store or an update of one lane.
#[derive(Clone, Copy, Debug)]
struct Store {
    block: u64,
    warp: u32,
    lane: usize,
    pc: Pc,
    address: u64,
    bytes: u64,
}

impl Follow {
    /// Follows the byte at an address.
    pub fn new(address: u64) -> Follow {
        Follow { address, block: 0, warp: 0, pc: 0, last: None }
    }

    /// Lanes of a warp are about to run.
    pub fn run(&mut self, block: u64, warp: usize) {
        (self.block, self.warp) = (block, warp as u32);
    }

    /// The instruction that is next.
    pub fn at(&mut self, pc: Pc) {
        self.pc = pc;
    }

    /// A lane stores so many bytes at an address of global memory.
    pub fn stored(&mut self, lane: usize, address: u64, bytes: u64) {
        if self.is_in(address, bytes) {
            let Follow { block, warp, pc, .. } = *self;
            self.last = Some(Store { block, warp, lane, pc, address, bytes });
        }
    }

    /// A lane stores that has waited to: who it is, by which instruction, at which address how many bytes.
    pub fn stored_by(
        &mut self,
        (block, warp): (u32, usize),
        (lane, pc): (usize, Pc),
        (address, bytes): (u64, u64),
    ) {
        if self.is_in(address, bytes) {
            self.last = Some(Store { block: block.into(), warp: warp as u32, lane, pc, address, bytes });
        }
    }

    fn is_in(&self, address: u64, bytes: u64) -> bool {
        self.address.wrapping_sub(address) < bytes
    }
}

/// Shows a store that is about to be carried out. Of several lanes that store the byte it is the one that comes last;
/// who is denied ends the store, and what lanes before it stored stays.
pub fn see(
    follow: &mut Follow,
    (global, order): (&Global, LaneOrder),
    lanes: &Lanes<'_>,
    inst: &Inst,
    access: &Access,
    frame: &Frame,
) {
    let at = addresses(lanes, &access.address, inst.args.a, frame);
    let in_window = |window: Option<Window>| {
        let inside = lanes_of(lanes.mask).filter(|&lane| Window::of(at[lane]) == window);
        inside.fold(0_u32, |mask, lane| mask | 1 << lane)
    };
    let mask = match access.address.memory {
        Memory::Global => lanes.mask,
        Memory::Generic => in_window(None),
        _ => return,
    };
    let bytes = access.lane_bytes();
    if !lanes_of(mask).any(|lane| follow.is_in(at[lane], bytes)) {
        return;
    }
    let is_allowed = |&lane: &usize| check_writable(global, lane, at[lane], access).is_ok();
    for lane in order.lanes(mask).take_while(is_allowed) {
        follow.stored(lane, at[lane], bytes);
    }
}

/// The thread that stored the byte last, if any did.
pub fn told(follow: &Follow, context: &Context<'_>) -> Option<Actor> {
    let store = follow.last?;
    let (region, offset) = context.global.locate(store.address, store.bytes).ok()?;
    let place =
        Place { space: Space::Global(region as u32), offset: offset as u64, bytes: store.bytes as u8 };
    let access = access_of(context.program.insts[store.pc as usize].op);
    let doing = format!("{} {}", access.past(), context.place(place));
    let actor = context.actor(store.block, store.warp as usize, store.lane as u32, store.pc, doing);
    Some(actor.with(access))
}
