//! The addresses of a team's access, where they are affine in the place of a thread: how they lie is known without looking at them.

use crate::access::address::is_aligned;
use crate::access::row::{Row, Shape};
use crate::compile::inst::Inst;
use crate::exec::team::Team;
use crate::isa::op::Op;
use crate::isa::op::memory::{Access, Base, Memory};
use crate::machine::affine::{Affine, Grid};
use crate::machine::block::Block;
use crate::machine::registers::{Bank, FULL_MASK, WARP_SIZE, Wide};

/// The addresses of a team's access that are affine in the place of a thread.
#[derive(Clone, Copy)]
pub(crate) struct Addresses<'i> {
    pub(super) inst: &'i Inst,
    pub(super) access: &'i Access,
    pub(super) value: Affine,
    pub(super) grid: Grid,
}

impl<'i> Addresses<'i> {
    pub fn is_load(&self) -> bool {
        matches!(self.inst.op, Op::Load(_))
    }

    /// The addresses of a load from or a store to global or shared memory, where they are affine.
    #[inline(always)]
    pub fn of(block: &Block, team: &Team, inst: &'i Inst) -> Option<Addresses<'i>> {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return None };
        if !matches!(access.address.memory, Memory::Global | Memory::Shared) {
            return None;
        }
        let (registers, base, slot) = (&block.registers, team.frame.base, inst.args.a);
        let grid = registers.grid();
        let offset = Affine::uniform(access.address.offset as u64);
        let value = match access.address.base {
            Base::Wide => registers.affine(base, slot, true)?.plus(offset),
            // Addresses of 32 bits wrap where those of 64 do not.
            Base::Narrow => {
                registers.affine(base, slot, false)?.plus(offset).narrow().widened(false, grid)?
            }
            Base::Absolute => offset,
            Base::Frame => return None,
        };
        Some(Addresses { inst, access, value, grid })
    }

    /// Where the elements of all threads of the block begin, and how far they reach, if none of them is misaligned and no address
    /// wraps.
    #[inline(always)]
    pub fn range(&self) -> Option<(u64, u64)> {
        let Addresses { access, value, grid, .. } = *self;
        let bytes = access.lane_bytes();
        let is_aligned = is_aligned(value.base | value.x | value.y | value.warp, bytes);
        let (least, most) = value.exact(true, false, grid).filter(|_| is_aligned)?.range(grid);
        Some((least as u64, (most - least) as u64 + bytes))
    }

    /// How the addresses of lanes of a warp lie.
    #[inline(always)]
    pub fn shape<'s>(&self, w: usize, mask: u32, scratch: &'s mut Wide) -> Shape<'s> {
        let Addresses { value, grid, .. } = *self;
        let first = value.of_warp(w);
        if let Some(stride) = value.stride(grid) {
            return Shape::One(Row::from_lane_0(first, stride, mask));
        }
        if mask == FULL_MASK && grid.columns == WARP_SIZE as u32 / 2 {
            return Shape::of_halves(first, first.wrapping_add(value.y), value.x);
        }
        for (lane, address) in scratch.iter_mut().enumerate() {
            *address = value.lane(first, lane, grid);
        }
        Shape::of(scratch, mask)
    }
}

/// The bank of the register of an access by which each lane loads or stores one word of its width.
pub fn bank_of(access: &Access) -> Option<Bank> {
    match (access.count, access.bytes, access.register_bits) {
        (1, 4, 32) => Some(Bank::Narrow),
        (1, 8, 64) => Some(Bank::Wide),
        _ => None,
    }
}
