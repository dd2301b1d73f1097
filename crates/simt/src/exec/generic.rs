//! Generic addresses: each lane's address decides which memory it reaches.

use crate::access::address::Denied;
use crate::access::window::{lanes_in, memory_of};
use crate::exec::memory::WarpAccess;
use crate::isa::op::memory::{Access, Address};
use crate::machine::global::Window;
use crate::machine::registers::Wide;

impl WarpAccess<'_, '_> {
    /// Runs `part` once for each window that a lane's generic address lies in, with the lanes it concerns and the
    /// access as one of that window's memory. A denial does not keep the other windows from being tried, so that the lowest
    /// lane that is denied in any of them is told.
    #[inline(never)]
    pub fn by_window(
        &mut self,
        access: &Access,
        at: &Wide,
        part: impl Fn(&mut Self, &Access) -> Result<(), Denied>,
    ) -> Result<(), Denied> {
        let all = self.lanes.mask;
        let mut left = all;
        let mut outcome: Result<(), Denied> = Ok(());
        while left != 0 {
            let window = Window::of(at[left.trailing_zeros() as usize]);
            self.lanes.mask = lanes_in(window, at, left);
            left &= !self.lanes.mask;
            let (memory, base) = memory_of(window);
            let offset = access.address.offset.wrapping_sub(base as i64);
            let here =
                part(self, &Access { address: Address { memory, offset, ..access.address }, ..*access });
            outcome = match (outcome, here) {
                (Err(one), Err(other)) => Err(if one.lane < other.lane { one } else { other }),
                (one, other) => one.and(other),
            };
        }
        self.lanes.mask = all;
        outcome
    }
}
