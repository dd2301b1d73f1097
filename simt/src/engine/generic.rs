//! Generic addresses: each lane's address decides which memory it reaches.

use super::access::{Denied, Memories, load, store};
use crate::isa::memory::{Access, Address, Memory};
use crate::isa::value::Args;
use crate::machine::divergence::Frame;
use crate::machine::global::Window;
use crate::machine::registers::{Lanes, Wide};
use crate::observe::counters::Counters;

/// Loads from each memory that a lane's address reaches, one access a memory, each for its own lanes.
pub(super) fn load_generic(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    frame: &Frame,
    at: &Wide,
    counters: &mut Counters,
) -> Result<(), Denied> {
    by_window(lanes, at, access, |lanes, access| load(memories, lanes, args, access, frame, counters))
}

/// Stores to each memory that a lane's address reaches.
pub(super) fn store_generic(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    frame: &Frame,
    at: &Wide,
    counters: &mut Counters,
) -> Result<(), Denied> {
    by_window(lanes, at, access, |lanes, access| store(memories, lanes, args, access, frame, counters))
}

/// Runs `part` once for each window that a lane's generic address lies in, with the lanes it concerns and the
/// access as one of that window's memory. A denial does not keep the other windows from being tried, so that the lowest
/// lane that is denied in any of them is told.
fn by_window(
    lanes: &mut Lanes<'_>,
    at: &Wide,
    access: &Access,
    mut part: impl FnMut(&mut Lanes<'_>, &Access) -> Result<(), Denied>,
) -> Result<(), Denied> {
    let all = lanes.mask;
    let mut left = all;
    let mut outcome: Result<(), Denied> = Ok(());
    while left != 0 {
        let window = Window::of(at[left.trailing_zeros() as usize]);
        let mut here = 0;
        for (lane, &address) in at.iter().enumerate() {
            here |= u32::from(Window::of(address) == window) << lane;
        }
        lanes.mask = here & left;
        left &= !here;
        let (memory, base) = memory_of(window);
        let offset = access.address.offset.wrapping_sub(base as i64);
        let here = part(lanes, &Access { address: Address { memory, offset, ..access.address }, ..*access });
        outcome = match (outcome, here) {
            (Err(one), Err(other)) => Err(if one.lane < other.lane { one } else { other }),
            (one, other) => one.and(other),
        };
    }
    lanes.mask = all;
    outcome
}

/// The memory behind a window, and the generic address where it starts.
pub(super) fn memory_of(window: Option<Window>) -> (Memory, u64) {
    match window {
        None => (Memory::Global, 0),
        Some(Window::Shared) => (Memory::Shared, Window::Shared.base()),
        Some(Window::Local) => (Memory::Local, Window::Local.base()),
        Some(Window::Param) => (Memory::Param, Window::Param.base()),
    }
}
