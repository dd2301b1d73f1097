//! The hooks through which the initialisation checker sees the accesses of a run.
//!
//! An instruction is shown before it is carried out, because a load may overwrite the register that held its address.
//! Accesses that memory will refuse are skipped, because the launch ends there.

use std::ops::Range;

use crate::access::address::addresses;
use crate::access::row::Row;
use crate::access::window::lanes_in;
use crate::checkers::initialisation::{AccessCheck, Initialisation};
use crate::compile::inst::{Inst, Pc};
use crate::isa::op::Op;
use crate::isa::op::memory::Memory;
use crate::machine::divergence::Frame;
use crate::machine::global::{Global, Window};
use crate::machine::registers::{Lanes, Wide, lanes_of};
use crate::machine::written::Written;
use crate::order::Space;
use crate::report::location::AccessKind;

/// The checker, and the records of which bytes have been written.
pub(crate) struct CheckedMemory<'m> {
    /// The checker.
    pub checker: &'m mut Initialisation,
    /// Which bytes of shared memory have been written; empty if nothing is reported.
    pub shared_written: &'m mut Written,
    /// Global memory.
    pub global: &'m mut Global,
    /// The block whose shared memory it is.
    pub(crate) owner: u32,
}

/// Checks an instruction that accesses memory, and records what it writes.
#[inline(never)]
pub(crate) fn check_access(
    mut memory: CheckedMemory<'_>,
    lanes: &Lanes<'_>,
    inst: &Inst,
    frame: &Frame,
    pc: Pc,
    step: u64,
) {
    let Some((address, bytes, mut kind)) = inst.op.access() else { return };
    if matches!(&inst.op, Op::Atomic(atomic) if atomic.only_writes()) {
        kind = AccessKind::Write;
    }
    if kind == AccessKind::Read && !memory.checker.reports {
        return;
    }
    let at = addresses(lanes, address, inst.args.a, frame);
    let mut check = AccessCheck::new(pc, step, kind);
    match address.memory {
        Memory::Shared | Memory::Cluster => memory.check(&mut check, true, &at, lanes.mask, bytes),
        Memory::Global => memory.check(&mut check, false, &at, lanes.mask, bytes),
        Memory::Generic => memory.check_generic(&mut check, &at, lanes.mask, bytes),
        Memory::Const | Memory::Local | Memory::Param | Memory::Frame => return,
    }
    if memory.checker.reports {
        memory.checker.found.extend(check.found());
    }
}

impl CheckedMemory<'_> {
    /// Where some bytes are, and which bytes have been written there; `None` if all of them count as written.
    fn locate(
        &mut self,
        is_shared: bool,
        address: u64,
        bytes: u64,
    ) -> Option<(Space, Range<usize>, Option<&mut Written>)> {
        let (space, start, written) = if is_shared {
            let size = self.shared_written.bytes() as u64;
            address.checked_add(bytes).filter(|&end| end <= size)?;
            (Space::Shared(self.owner), address as usize, Some(&mut *self.shared_written))
        } else {
            let (region, start) = self.global.locate(address, bytes).ok()?;
            (Space::Global(region as u32), start, self.global.written_mut(region))
        };
        Some((space, start..start + bytes as usize, written))
    }

    /// Checks lanes that access shared memory, or lanes that access global memory.
    fn check(&mut self, check: &mut AccessCheck, is_shared: bool, at: &Wide, mask: u32, bytes: u64) {
        let is_recorded = if is_shared { self.checker.reports } else { self.global.has_unwritten() };
        if !is_recorded {
            return;
        }
        let row = Row::of(at, mask).filter(|row| row.is_dense(bytes));
        if let Some((start, length)) = row.and_then(|row| row.range(bytes))
            && let Some((_, range, written)) = self.locate(is_shared, start, length)
        {
            let Some(written) = written else { return };
            if check.contiguous(written, range) {
                return;
            }
        }
        for lane in lanes_of(mask) {
            if let Some((space, range, Some(written))) = self.locate(is_shared, at[lane], bytes) {
                check.lane(lane, space, written, range);
            }
        }
    }

    /// Checks the lanes that access shared memory and those that access global memory separately.
    fn check_generic(&mut self, check: &mut AccessCheck, at: &Wide, mask: u32, bytes: u64) {
        let shared = lanes_in(Some(Window::Shared), at, mask);
        if shared != 0 {
            let offsets = at.map(|address| address.wrapping_sub(Window::Shared.base()));
            self.check(check, true, &offsets, shared, bytes);
        }
        let global = lanes_in(None, at, mask);
        if global != 0 {
            self.check(check, false, at, global, bytes);
        }
    }
}
