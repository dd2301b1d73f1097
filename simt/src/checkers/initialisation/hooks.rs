//! The hooks through which the initialisation checker sees the accesses of a run.
//!
//! An instruction is shown before it is carried out, because a load may overwrite the register that held its address.
//! Accesses that memory will refuse are skipped, because the launch ends there.

use crate::access::address::addresses;
use crate::access::row::Row;
use crate::access::window::{lanes_in, memory_of};
use crate::checkers::initialisation::{AccessCheck, Initialisation, MemoryRegion};
use crate::compile::inst::{Inst, Pc};
use crate::isa::op::Op;
use crate::isa::op::memory::Memory;
use crate::machine::divergence::Frame;
use crate::machine::global::{Global, Window};
use crate::machine::registers::{Lanes, WARP_SIZE, Wide, lanes_of};
use crate::machine::written::Written;
use crate::report::location::AccessKind;

/// The checker, and the records of which bytes have been written.
pub(crate) struct CheckedMemory<'m> {
    /// The checker.
    pub checker: &'m mut Initialisation,
    /// Which bytes of shared memory have been written; empty if nothing is reported.
    pub shared_written: &'m mut Written,
    /// Global memory.
    pub global: &'m mut Global,
}

/// Checks an instruction that accesses memory, and records what it writes.
#[inline(never)]
pub(crate) fn check_access(
    mut memory: CheckedMemory<'_>,
    lanes: &Lanes<'_>,
    inst: &Inst,
    frame: &Frame,
    instruction: (Pc, u64),
) {
    let (address, bytes, kind) = match &inst.op {
        Op::Load(access) => (&access.address, access.lane_bytes(), AccessKind::Read),
        Op::Store(access) => (&access.address, access.lane_bytes(), AccessKind::Write),
        Op::Atomic(atomic) => {
            let kind = if atomic.only_writes() { AccessKind::Write } else { AccessKind::Update };
            (&atomic.address, u64::from(atomic.bytes), kind)
        }
        _ => return,
    };
    if kind == AccessKind::Read && !memory.checker.reports {
        return;
    }
    let at = addresses(lanes, address, inst.args.a, frame);
    let mut check = AccessCheck::new(instruction, kind);
    match address.memory {
        Memory::Shared => check_shared(&mut check, &mut memory, &at, lanes.mask, bytes),
        Memory::Global => check_global(&mut check, &mut memory, &at, lanes.mask, bytes),
        Memory::Generic => check_generic(&mut check, &mut memory, &at, lanes.mask, bytes),
        Memory::Const | Memory::Local | Memory::Param | Memory::Frame => return,
    }
    if memory.checker.reports {
        memory.checker.found.extend(check.found());
    }
}

fn check_shared(check: &mut AccessCheck, memory: &mut CheckedMemory<'_>, at: &Wide, mask: u32, bytes: u64) {
    if !memory.checker.reports {
        return;
    }
    let written = &mut *memory.shared_written;
    let size = written.bytes();
    let inside = |start: u64, bytes: u64| {
        start.checked_add(bytes).filter(|&end| end <= size as u64).map(|end| start as usize..end as usize)
    };
    if let Some((start, length)) = Row::range_of_neighbours(at, mask, bytes)
        && let Some(range) = inside(start, length)
        && check.contiguous(written, range)
    {
        return;
    }
    for lane in lanes_of(mask) {
        if let Some(range) = inside(at[lane], bytes) {
            check.lane(lane, MemoryRegion::Shared, written, range);
        }
    }
}

fn check_global(check: &mut AccessCheck, memory: &mut CheckedMemory<'_>, at: &Wide, mask: u32, bytes: u64) {
    if !memory.global.has_unwritten() {
        return;
    }
    if let Some((start, length)) = Row::range_of_neighbours(at, mask, bytes)
        && let Ok((region, start)) = memory.global.locate(start, length)
    {
        let Some(written) = memory.global.written_mut(region) else { return };
        if check.contiguous(written, start..start + length as usize) {
            return;
        }
    }
    for lane in lanes_of(mask) {
        let Ok((region, start)) = memory.global.locate(at[lane], bytes) else { continue };
        if let Some(written) = memory.global.written_mut(region) {
            check.lane(lane, MemoryRegion::Global(region), written, start..start + bytes as usize);
        }
    }
}

/// Checks the lanes that access shared memory and those that access global memory separately.
fn check_generic(check: &mut AccessCheck, memory: &mut CheckedMemory<'_>, at: &Wide, mask: u32, bytes: u64) {
    let shared = lanes_in(Some(Window::Shared), at, mask);
    if shared != 0 {
        let (_, base) = memory_of(Some(Window::Shared));
        let offsets: Wide = std::array::from_fn(|lane| at[lane % WARP_SIZE].wrapping_sub(base));
        check_shared(check, memory, &offsets, shared, bytes);
    }
    let global = lanes_in(None, at, mask);
    if global != 0 {
        check_global(check, memory, at, global, bytes);
    }
}
