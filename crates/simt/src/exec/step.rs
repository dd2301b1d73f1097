//! The inner loop: one group of lanes, instruction after instruction.
//!
//! Arithmetic, loads, stores and branches that the lanes agree on stay in the loop; everything that changes
//! which lanes run together leaves it.

use crate::access::address::Denied;
use crate::access::element;
use crate::access::lane_order::LaneOrder;
use crate::checkers::initialisation::hooks::{self, CheckedMemory};
use crate::checkers::last_writer;
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::memory_view::MemoryView;
use crate::checkers::races::shadow::list::OpKind;
use crate::compile::inst::{AT_RETURN, Inst, NEVER, Pc};
use crate::exec::counts::Issued;
use crate::exec::faults;
use crate::exec::memory::{Memories, WarpAccess};
use crate::exec::probe::Probe;
use crate::exec::state::{Run, Stop};
use crate::isa::op::{Op, Touched};
use crate::isa::special::{Axis, Special};
use crate::isa::value::Value;
use crate::launch::{Dim3, Launch};
use crate::machine::block::Block;
use crate::machine::divergence::{Frame, Group};
use crate::machine::global::{Buffer, Window};
use crate::machine::registers::{Lanes, WARP_SIZE, lane_count};
use crate::report::counters::Counters;

/// Where a group stands when it leaves the loop.
pub(crate) enum Left {
    /// Its slice is used up, or it stands at its meeting.
    Paused,
    /// The schedule took the rest of its slice away.
    Yielded,
    /// Memory denied an access.
    Denied(Denied),
    /// It came to an instruction that changes which lanes run together, with these lanes active.
    At(u32),
}

impl Run<'_> {
    /// Runs a group until it waits, meets, parts, ends, or its slice is used up.
    pub fn run_group(&mut self, block: &mut Block, w: usize, g: usize, slice: &mut u32) -> Result<(), Stop> {
        block.registers.expand_all();
        let divergence = &mut block.warps[w].divergence;
        if divergence.has_arrived(g) {
            let now = block.warps[w].steps;
            block.warps[w].divergence.arrive(g, now);
            return Ok(());
        }
        if divergence.groups[g].pc == AT_RETURN {
            self.return_from_function(block, w, g);
            return Ok(());
        }
        self.run_settled(block, (w, g), slice).map(drop)
    }

    /// [`Run::run_group`] of a group that is neither at its meeting nor at the end of a function, after registers have been
    /// written out. Whether it only executed instructions that leave the groups as they are.
    pub(crate) fn run_settled(
        &mut self,
        block: &mut Block,
        (w, g): (usize, usize),
        slice: &mut u32,
    ) -> Result<bool, Stop> {
        self.observers.run(block.number, block.slot, w, block.warps[w].divergence.groups[g].mask);
        let before = self.counts.steps;
        let left = if self.observers.watcher.is_some() {
            self.run_watched(block, (w, g), slice)
        } else {
            let slice_before = *slice;
            let left = self.straight_on_by((block, w, g), slice);
            let steps = u64::from(slice_before - *slice);
            self.counts.steps += steps;
            block.warps[w].steps += steps;
            Ok(left)
        };
        self.counts.effort.apart += self.counts.steps - before;
        if !self.observers.initialisation.found.is_empty() {
            self.observers.find_unwritten(self.setup.program, block.number, w);
        }
        let left = left?;
        if matches!(left, Left::Paused) {
            return Ok(true);
        }
        self.leave_loop(block, w, (g, left), slice)?;
        Ok(false)
    }

    /// Does what a group left the loop for.
    pub(crate) fn leave_loop(
        &mut self,
        block: &mut Block,
        w: usize,
        (g, left): (usize, Left),
        slice: &mut u32,
    ) -> Result<(), Stop> {
        match left {
            Left::At(active) => self.watched_control(block, w, g, active),
            Left::Paused => Ok(()),
            Left::Yielded => {
                *slice = 0;
                Ok(())
            }
            Left::Denied(denied) => {
                let pc = block.warps[w].divergence.groups[g].pc;
                Err(faults::denied(self, block, w, pc, &denied))
            }
        }
    }

    /// Whether every instruction is noted before it is carried out: by the probe, by the schedule, which ends slices after
    /// accesses, or by the weak memory, for the registers that it names.
    pub(crate) fn needs_each_instruction(&self) -> bool {
        self.observers.probe.is_on() || self.setup.launch.weak_memory
    }

    /// [`Run::control`], shown to the watcher for the lanes that do not come to the instruction again.
    pub(crate) fn watched_control(
        &mut self,
        block: &mut Block,
        w: usize,
        g: usize,
        active: u32,
    ) -> Result<(), Stop> {
        if self.observers.watcher.is_none() {
            return self.control(block, w, g, active);
        }
        let group = block.warps[w].divergence.groups[g].clone();
        self.observers.taken_back = 0;
        let result = self.control(block, w, g, active);
        let active = active & !self.observers.taken_back;
        if active != 0 {
            // A fault that ends the launch comes before the wish of the watcher to do so.
            let shown = self.show_control(block, w, (&group, active));
            return result.and(shown);
        }
        result
    }

    /// Runs a group as far as it goes straight on.
    pub(crate) fn straight_on_by(
        &mut self,
        (block, w, g): (&mut Block, usize, usize),
        slice: &mut u32,
    ) -> Left {
        if self.needs_each_instruction() {
            return self.straight_on::<true>((block, w, g), slice);
        }
        self.straight_on::<false>((block, w, g), slice)
    }

    /// `EACH` is whether [`Run::needs_each_instruction`]; the loop without it costs nothing more.
    fn straight_on<const EACH: bool>(&mut self, at: (&mut Block, usize, usize), slice: &mut u32) -> Left {
        let (block, w, g) = at;
        let (program, before) = (self.setup.program, *slice);
        let place = Place::of(self, block, w);
        let divergence = &block.warps[w].divergence;
        let meeting = divergence.meeting_here(g).map_or(NEVER, |meeting| meeting.pc);
        let Group { mask, frame, mut pc, .. } = divergence.groups[g];
        let (mut memories, mut lanes, counts) = parts_of(self, block, w, &frame, mask);
        let Counts { issued, traffic, probe } = counts;
        let left = loop {
            if *slice == 0 || pc == meeting || EACH && probe.stops_at(pc, before - *slice) {
                break Left::Paused;
            }
            let inst = &program.insts[pc as usize];
            let active = mask & (lanes.preds[inst.guard as usize] ^ inst.flip);
            let issued = &mut issued[pc as usize];
            issued.count += 1;
            issued.lanes += lane_count(active);
            *slice -= 1;
            lanes.mask = active;
            if EACH {
                if active != 0 {
                    settle_results(&mut memories, &mut lanes, program.touched(inst));
                }
                probe.note(&mut memories, &lanes, inst, &frame, pc);
            }
            let outcome = match &inst.op {
                Op::Branch { target, .. } if active == mask => {
                    pc = *target;
                    continue;
                }
                // Whoever evaluates a branch is active at it, whichever way it goes.
                Op::Branch { .. } if active == 0 => {
                    issued.lanes += lane_count(mask);
                    Ok(())
                }
                _ if active == 0 => Ok(()),
                _ => {
                    let (since, counters) = (u64::from(before - *slice), &mut traffic[pc as usize]);
                    carry_out(&mut memories, &mut lanes, (inst, pc), &frame, (&place, since), counters)
                }
            };
            if let Err(left) = outcome {
                break left;
            }
            pc += 1;
            if EACH && probe.takes_slice(inst, active) {
                break Left::Yielded;
            }
        };
        block.warps[w].divergence.groups[g].pc = pc;
        left
    }
}

/// Carries out an instruction of the inner loop, `since` instructions after its group got its slice.
#[inline(always)]
pub(crate) fn carry_out<'m>(
    memories: &mut Memories<'m>,
    lanes: &mut Lanes<'m>,
    (inst, pc): (&Inst, Pc),
    frame: &Frame,
    (place, since): (&Place<'_>, u64),
    counters: &mut Counters,
) -> Result<(), Left> {
    // Asked for by itself, for it is most of them, and a `match` is a jump to a place that the processor has to guess.
    if let Op::Alu(run) = inst.op {
        run(&mut lanes.warps(), &inst.args);
        return Ok(());
    }
    match &inst.op {
        Op::Load(_) | Op::Store(_) | Op::Atomic(_) | Op::Mbarrier(_) => {
            memories.order.step = place.steps + since;
            memories.now = place.before + since - 1;
            let mut access = WarpAccess { memories, lanes, inst, pc, frame, counters };
            return access.carry_out_at(place).map_err(Left::Denied);
        }
        Op::Special { .. } | Op::FrameAddress { .. } | Op::IsSpace { .. } | Op::ActiveMask => {
            place.answer(lanes, inst, frame, since);
        }
        Op::Fence(fence) => {
            if let Some((model, mut target)) = memories.modelled() {
                model.drain(&mut target, (place.slot, place.warp as usize), lanes.mask);
                model.fence(lanes.mask, *fence);
            }
        }
        Op::Hint => {}
        _ => return Err(Left::At(lanes.mask)),
    }
    Ok(())
}

/// What the special registers of a warp are made of, when `before` steps of the launch and `done` of its turn have been
/// taken.
pub(crate) fn place_of<'a>(run: &Run<'a>, block: &Block, w: usize, (before, done): (u64, u64)) -> Place<'a> {
    let place = Place::of(run, block, w);
    Place { clock: before + run.late, steps: place.steps + done, before, ..place }
}

/// The memories that a warp can reach, its lanes, and where an instruction of it is counted.
#[inline(always)]
pub(crate) fn memories_of<'m>(
    run: &'m mut Run<'_>,
    block: &'m mut Block,
    w: usize,
    (pc, frame): (Pc, &Frame),
    active: u32,
) -> (Memories<'m>, Lanes<'m>, &'m mut Counters) {
    let (memories, lanes, counts) = parts_of(run, block, w, frame, active);
    (memories, lanes, &mut counts.traffic[pc as usize])
}

/// What each instruction of a launch is noted in.
struct Counts<'m> {
    issued: &'m mut [Issued],
    traffic: &'m mut [Counters],
    probe: &'m mut Probe,
}

/// What instructions of a warp work on: the memories that it can reach, its lanes, and where they are counted.
#[inline(always)]
fn parts_of<'m>(
    run: &'m mut Run<'_>,
    block: &'m mut Block,
    w: usize,
    frame: &Frame,
    active: u32,
) -> (Memories<'m>, Lanes<'m>, Counts<'m>) {
    let is_checked = run.observers.check_accesses();
    let warp = &mut block.warps[w];
    let memories = Memories {
        global: run.global,
        shared: &mut block.shared,
        local: &mut warp.local,
        params: &run.setup.params,
        mbarriers: &mut block.mbarriers,
        order: LaneOrder::new(run.setup.launch.seed, block.number, w as u32, warp.steps),
        now: 0,
        initialisation: Some((&mut run.observers.initialisation, &mut block.shared_written))
            .filter(|(checker, _)| checker.is_on),
        memory_model: run.observers.memory_model.as_deref_mut(),
        last_writer: run.observers.last_writer.as_mut(),
        is_checked,
    };
    let counts = Counts {
        issued: &mut run.counts.issued,
        traffic: &mut run.counts.traffic,
        probe: &mut run.observers.probe,
    };
    (memories, block.registers.lanes(w, frame.base, active), counts)
}

/// Lets lanes have the results of updates that an instruction names and that have waited.
#[inline(never)]
fn settle_results(memories: &mut Memories<'_>, lanes: &mut Lanes<'_>, touched: &[Touched]) {
    if let Some((model, mut target)) = memories.modelled() {
        model.deliver_results(&mut target, lanes, touched);
    }
}

impl WarpAccess<'_, '_> {
    /// Carries it out for a warp, and shows it to the checkers.
    #[inline(always)]
    fn carry_out_at(&mut self, place: &Place<'_>) -> Result<(), Denied> {
        let (inst, warp) = (self.inst, place.warp as usize);
        if let Op::Mbarrier(op) = &inst.op {
            return self.mbarrier(op, (place.slot, warp));
        }
        if !self.memories.mbarriers.is_empty() {
            self.check_objects(warp)?;
        }
        if self.memories.is_checked { self.carry_out_checked() } else { self.carry_out() }
    }

    /// Shows it to the checkers and carries it out; an atomic is shown lane by lane, while it is carried out. What
    /// the weak memory has a load return instead replaces what it got.
    #[inline(never)]
    fn carry_out_checked(&mut self) -> Result<(), Denied> {
        let WarpAccess { memories, lanes, inst, pc, frame, .. } = self;
        if let Some((checker, shared_written)) = &mut memories.initialisation {
            let shown = CheckedMemory { checker, shared_written, global: memories.global };
            hooks::check_access(shown, lanes, inst, frame, (*pc, memories.now));
        }
        let mut replaced = Vec::new();
        if let Some((model, mut target)) = memories.modelled() {
            model.drain_due(&mut target);
            model.drain_touched(&mut target, lanes, inst, frame);
        }
        if let Some(model) = memories.memory_model.as_deref_mut() {
            let seen = MemoryView { global: memories.global, shared: memories.shared, order: memories.order };
            model.at(*pc, memories.now);
            if let Op::Load(access) = &inst.op {
                model.access(seen, lanes, &inst.args, (access, OpKind::Load), frame);
                replaced = model.take_replaced();
            } else if let Op::Store(access) = &inst.op {
                model.access(seen, lanes, &inst.args, (access, OpKind::Store), frame);
            }
        }
        // Lanes that are delayed store later, and the last writer is shown it then.
        let held = memories.memory_model.as_deref().map_or(0, MemoryModel::delayed_lanes);
        if let Some(last_writer) = memories.last_writer.as_deref_mut() {
            last_writer.at(*pc);
            if let Op::Store(access) = &inst.op {
                let all = lanes.mask;
                lanes.mask &= !held;
                let seen = (&*memories.global, memories.order);
                last_writer::record_store(last_writer, seen, lanes, inst, access, frame);
                lanes.mask = all;
            }
        }
        self.carry_out()?;
        if let (Op::Store(_), Some((model, mut target))) = (&self.inst.op, self.memories.modelled()) {
            model.restore_delayed(&mut target);
        }
        if let Op::Load(access) = &self.inst.op {
            for (lane, element, bytes) in replaced {
                element::set_element(self.lanes, &self.inst.args, access, (lane, element), bytes);
            }
        }
        Ok(())
    }
}

/// Writes `value(lane)` to the active lanes of a register of 32 or of 64 bits.
#[inline(always)]
pub(crate) fn write(lanes: &mut Lanes<'_>, slot: u16, wide: bool, value: impl Fn(usize) -> u64) {
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
    /// The slot of its block.
    pub(crate) slot: usize,
    pub(crate) warp: u32,
    warps: u32,
    clock: u64,
    /// Instructions that the warp had issued before its group got its slice.
    pub(crate) steps: u64,
    /// Steps that the launch had taken before.
    pub(crate) before: u64,
    total_shared: u64,
}

impl<'a> Place<'a> {
    pub(crate) fn of(run: &Run<'a>, block: &Block, w: usize) -> Place<'a> {
        Place {
            launch: run.setup.launch,
            constants: &run.setup.program.constants,
            block: block.index,
            slot: block.slot,
            warp: w as u32,
            warps: block.warps.len() as u32,
            clock: run.counts.steps + run.late,
            steps: block.warps[w].steps,
            before: run.counts.steps,
            total_shared: run.setup.shared_bytes,
        }
    }

    /// Carries out an instruction that asks where a lane is, `since` instructions after its group got its slice.
    #[inline(always)]
    pub(crate) fn answer(&self, lanes: &mut Lanes<'_>, inst: &Inst, frame: &Frame, since: u64) {
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
        let first = u64::from(self.warp) * WARP_SIZE as u64;
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

    pub(crate) fn uniform(&self, what: Special, since: u64) -> u64 {
        match what {
            Special::Ntid(axis) => u64::from(pick(self.launch.block, axis)),
            Special::Ctaid(axis) => u64::from(pick(self.block, axis)),
            Special::Nctaid(axis) => u64::from(pick(self.launch.grid, axis)),
            Special::WarpId => u64::from(self.warp),
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
