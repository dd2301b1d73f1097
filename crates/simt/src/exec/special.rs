//! What a warp reads that is neither a register nor memory: special registers, and where things are.

use crate::compile::inst::Inst;
use crate::exec::state::Run;
use crate::isa::op::Op;
use crate::isa::op::cluster::ClusterAddress;
use crate::isa::special::{Axis, Special};
use crate::isa::value::Value;
use crate::launch::{Dim3, Launch};
use crate::machine::block::Block;
use crate::machine::divergence::Frame;
use crate::machine::global::{Buffer, Window};
use crate::machine::registers::{Lanes, WARP_SIZE, Wide};
use crate::order::clocks::WarpId;

/// Writes `value(lane)` to the active lanes of a register of 32 or of 64 bits.
#[inline(always)]
pub fn write(lanes: &mut Lanes<'_>, slot: u16, wide: bool, value: impl Fn(usize) -> u64) {
    if wide {
        lanes.write_wide(slot, value);
    } else {
        lanes.write_narrow(slot, |lane| value(lane) as u32);
    }
}

/// What the special registers of a warp are made of, and where constant memory is.
pub(crate) struct Place<'a> {
    launch: &'a Launch,
    constants: &'a [Buffer],
    block: Dim3,
    pub(crate) id: WarpId,
    warps: u32,
    clock: u64,
    /// Instructions that the warp had issued before its group got its slice.
    pub(crate) steps: u64,
    /// Steps that the launch had taken before.
    pub(crate) before: u64,
    total_shared: u64,
    /// The number of the block in the grid.
    number: u64,
    /// Whether the kernel or its launch speaks of clusters.
    is_cluster: bool,
}

impl<'a> Place<'a> {
    pub fn of(run: &Run<'a>, block: &Block, w: usize) -> Place<'a> {
        Place {
            launch: run.setup.launch,
            constants: &run.setup.program.constants,
            block: block.index,
            id: WarpId { slot: block.slot, warp: w },
            warps: block.warps.len() as u32,
            clock: run.counts.steps + run.late,
            steps: block.warps[w].steps,
            before: run.counts.steps,
            total_shared: run.setup.shared_bytes,
            number: block.number,
            is_cluster: run.setup.is_cluster(),
        }
    }

    /// The same warp, when `before` steps of the launch and `done` of its turn have been taken.
    #[inline(always)]
    pub fn after(self, before: u64, done: u64) -> Place<'a> {
        Place { clock: self.clock - self.before + before, steps: self.steps + done, before, ..self }
    }

    /// Carries out an instruction that asks where a lane is, `since` instructions after its group got its slice.
    #[inline(always)]
    pub fn answer(&self, lanes: &mut Lanes<'_>, inst: &Inst, frame: &Frame, since: u64) {
        let (to, active) = (inst.args.d, lanes.mask);
        match inst.op {
            Op::Special { what, wide } => self.read(lanes, to, what, wide, since),
            Op::FrameAddress { offset, wide } => {
                let address = frame.local.wrapping_add_signed(i64::from(offset));
                write(lanes, to, wide, |_| address);
            }
            Op::IsSpace { global } => {
                let addresses = lanes.wide[inst.args.a as usize];
                bool::write(lanes, to, |lane| self.is_constant_or_global(addresses[lane], global));
            }
            Op::ClusterAddress { asks, wide } => {
                let (a, operands) = (usize::from(inst.args.a), lanes.narrow.get(inst.args.b));
                let answer = |address, lane: usize| asks.answer(address, operands[lane], self.rank());
                let answers: Wide = if wide {
                    let at = lanes.wide[a];
                    std::array::from_fn(|lane| answer(at[lane], lane))
                } else {
                    let at = lanes.narrow[a];
                    std::array::from_fn(|lane| answer(at[lane].into(), lane))
                };
                write(lanes, to, wide && asks == ClusterAddress::Map, |lane| answers[lane]);
            }
            _ => lanes.write_narrow(to, |_| active),
        }
    }

    /// Whether a generic address lies in constant memory, or in global memory: in nothing else. A kernel's parameters
    /// are global memory too.
    fn is_constant_or_global(&self, address: u64, global: bool) -> bool {
        let is_constant =
            self.constants.iter().any(|variable| address.wrapping_sub(variable.address()) < variable.bytes());
        let is_elsewhere = is_constant || matches!(Window::of(address), Some(Window::Local | Window::Shared));
        if global { !is_elsewhere } else { is_constant }
    }

    /// Reads a special register, `since` instructions after the group got its slice. Rare, and the inner loop is slower
    /// with it inside.
    #[inline(never)]
    fn read(&self, lanes: &mut Lanes<'_>, slot: u16, what: Special, wide: bool, since: u64) {
        match what {
            Special::Tid(axis) => self.read_tid(lanes, slot, axis, wide),
            Special::LaneId => write(lanes, slot, wide, |lane| lane as u64),
            Special::LaneMask(mask) => write(lanes, slot, wide, |lane| u64::from(mask.of(lane as u32))),
            uniform => {
                let value = self.uniform(uniform, since);
                write(lanes, slot, wide, |_| value);
            }
        }
    }

    fn read_tid(&self, lanes: &mut Lanes<'_>, slot: u16, axis: Axis, wide: bool) {
        let first = (self.id.warp * WARP_SIZE) as u64;
        let flat = self.launch.block.y == 1 && self.launch.block.z == 1;
        match axis {
            // The common case needs no division.
            Axis::X if flat => write(lanes, slot, wide, |lane| first + lane as u64),
            _ => {
                let dim = self.launch.block;
                let threads: [u32; WARP_SIZE] =
                    std::array::from_fn(|lane| pick(dim.nth(first + lane as u64), axis));
                write(lanes, slot, wide, |lane| u64::from(threads[lane]));
            }
        }
    }

    /// The number of the block in its cluster.
    fn rank(&self) -> u64 {
        self.number % self.launch.cluster_size().count()
    }

    pub fn uniform(&self, what: Special, since: u64) -> u64 {
        match what {
            Special::Ntid(axis) => u64::from(pick(self.launch.block, axis)),
            Special::Ctaid(axis) => u64::from(pick(self.block, axis)),
            Special::Nctaid(axis) => u64::from(pick(self.launch.grid, axis)),
            Special::ClusterId(axis) => u64::from(pick(self.launch.cluster_at(self.number), axis)),
            Special::NclusterId(axis) => u64::from(pick(self.launch.clusters(), axis)),
            Special::ClusterCtaid(axis) => u64::from(pick(self.launch.cluster_size().nth(self.rank()), axis)),
            Special::ClusterNctaid(axis) => u64::from(pick(self.launch.cluster_size(), axis)),
            Special::ClusterRank => self.rank(),
            Special::ClusterBlocks => self.launch.cluster_size().count(),
            Special::IsCluster => u64::from(self.is_cluster),
            Special::WarpId => self.id.warp as u64,
            Special::NwarpId => u64::from(self.warps),
            Special::NsmId => 1,
            Special::Clock => self.clock + since,
            Special::ClockHigh => (self.clock + since) >> 32,
            Special::DynamicShared => u64::from(self.launch.shared_bytes),
            Special::TotalShared => self.total_shared,
            Special::SmId | Special::GridId | Special::Environment | Special::Fourth => 0,
            Special::Tid(_) | Special::LaneId | Special::LaneMask(_) => unreachable!("these differ by lane"),
        }
    }
}

fn pick(dim: Dim3, axis: Axis) -> u32 {
    match axis {
        Axis::X => dim.x,
        Axis::Y => dim.y,
        Axis::Z => dim.z,
    }
}
