//! Generic addresses: each lane's address decides which memory it reaches.

use crate::access::address::Denied;
use crate::access::window::memory_of;
use crate::exec::memory::Memories;
use crate::exec::memory::load;
use crate::exec::memory::store;
use crate::isa::op::memory::{Access, Address};
use crate::isa::value::Args;
use crate::machine::divergence::Frame;
use crate::machine::global::Window;
use crate::machine::registers::{Lanes, Wide};
use crate::report::counters::Counters;

/// Loads from each memory that a lane's address reaches, one access a memory, each for its own lanes.
pub(crate) fn load_generic(
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
pub(crate) fn store_generic(
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
