//! Instructions that change which lanes run together: branches, calls, returns, ends, and the way to barriers
//! and collectives.

use crate::checkers::memory_model::delayed::Target;
use crate::compile::inst::{AT_RETURN, NEVER, Pc};
use crate::compile::lower::MAX_LOCAL_BYTES;
use crate::compile::program::Builtin;
use crate::exec::faults::{Problem, at_lanes};
use crate::exec::state::{Run, Stop};
use crate::isa::op::Op;
use crate::isa::op::call::{CallIndex, CallSite, Callee, FUNCTIONS_BASE, Passed};
use crate::isa::op::warp::Exchange;
use crate::isa::special::Special;
use crate::machine::block::Block;
use crate::machine::divergence::Frame;
use crate::machine::local::MAX_RESIDENT_LOCAL_BYTES;
use crate::machine::registers::{Bank, WARP_SIZE, lanes_of, like_the_lowest};
use crate::ptx::Error;

/// Calls that may be nested.
pub const MAX_CALL_DEPTH: usize = 64;

impl Run<'_> {
    /// Carries out the instruction at which group `g` left the inner loop, with the lanes of `active`.
    pub fn control(&mut self, block: &mut Block, w: usize, g: usize, active: u32) -> Result<(), Stop> {
        let pc = block.warps[w].divergence.groups[g].pc;
        let inst = &self.setup.program.insts[pc as usize];
        let mask = block.warps[w].divergence.groups[g].mask;
        self.settle(block, w, g, active);
        match inst.op {
            Op::Branch { target, meet } => {
                // Whoever evaluates a branch is active at it, whichever way it goes.
                self.counts.issued[pc as usize].lanes += u64::from((mask & !active).count_ones());
                return self.part_or_end(block, w, g, active, (target, pc + 1), meet);
            }
            Op::Return if active != mask && depth(block, w, g) > 0 => {
                block.warps[w].divergence.split(g, active, AT_RETURN, pc + 1, Some(AT_RETURN));
                return Ok(());
            }
            Op::Return | Op::Exit => {
                if end(block, w, g, active, matches!(inst.op, Op::Return)) {
                    self.model_end(block, w, active);
                }
                return self.after_exit(block, w);
            }
            Op::Trap => {
                let problem = Problem::trap(self.asks_for_environment(pc));
                return Err(at_lanes(self, block, w, pc, active, problem));
            }
            Op::Unsupported(error) => {
                return Err(Stop::Unsupported(self.setup.program.refused[error as usize].error()));
            }
            _ => {}
        }
        if active != mask {
            // A guard that some lanes fail: the others come to this instruction again, by themselves.
            self.again(pc, active);
            let meet = match inst.op {
                Op::BranchIndexed { meet, .. } => (meet != NEVER).then_some(meet),
                _ => Some(pc + 1),
            };
            block.warps[w].divergence.split(g, active, pc, pc + 1, meet);
            return Ok(());
        }
        match inst.op {
            Op::BranchIndexed { list, meet } => self.branch_indexed(block, w, g, list, meet),
            Op::Call(call) => self.call(block, w, g, call),
            Op::Barrier(barrier) => self.barrier(block, w, g, barrier),
            Op::Collective(collective) => self.collective(block, w, g, collective),
            _ => unreachable!("the inner loop keeps what does not change control"),
        }
    }

    /// Whether the function of an instruction reads the registers in which a driver passes the memory that the blocks of a
    /// cooperative launch share. Cooperative groups read them, and trap if the launch is not cooperative.
    fn asks_for_environment(&self, pc: Pc) -> bool {
        let functions = self.setup.program.functions.iter();
        let own =
            functions.filter(|code| (code.start..code.end).contains(&pc)).map(|code| code.start..code.end);
        own.flatten().any(|pc| {
            matches!(self.setup.program.insts[pc as usize].op, Op::Special { what: Special::Environment, .. })
        })
    }

    /// Takes back that an instruction was counted for `lanes`, which come to it again. The step they took
    /// stays: every turn in which somebody runs has one, which tells it from a deadlock.
    pub fn again(&mut self, pc: Pc, lanes: u32) {
        let issued = &mut self.counts.issued[pc as usize];
        issued.count -= 1;
        issued.lanes -= u64::from(lanes.count_ones());
        self.observers.taken_back |= lanes;
    }

    /// Parts a group at a branch. Lanes that it sends straight to the end of the kernel end here, as those of a guarded
    /// `exit` do: machine code makes one of such a branch, and nobody issues a `ret` for them.
    fn part_or_end(
        &mut self,
        block: &mut Block,
        w: usize,
        g: usize,
        leaving: u32,
        ways: (Pc, Pc),
        meet: Pc,
    ) -> Result<(), Stop> {
        let group = &block.warps[w].divergence.groups[g];
        let staying = group.mask & !leaving;
        let in_kernel = group.callers.is_empty();
        let (ending, others_go) = match ways {
            (target, next) if in_kernel && self.is_end(target) => (leaving, next),
            (target, next) if in_kernel && self.is_end(next) => (staying, target),
            _ => {
                self.part(block, w, g, leaving, ways, meet);
                return Ok(());
            }
        };
        let pc = group.pc;
        self.counts.issued[pc as usize].parted += 1;
        let warp = &mut block.warps[w];
        warp.diverged = true;
        warp.divergence.groups[g].pc = others_go;
        warp.end(g, ending, pc);
        block.live_threads -= ending.count_ones();
        self.model_end(block, w, ending);
        self.after_exit(block, w)
    }

    /// Shows the memory model that lanes have ended.
    fn model_end(&mut self, block: &mut Block, w: usize, lanes: u32) {
        if let Some(model) = &mut self.observers.memory_model {
            let last_writer = self.observers.last_writer.as_mut();
            let mut target = Target { global: self.global, shared: &mut block.shared, last_writer };
            model.drain(&mut target, (block.slot, w), lanes);
            model.forget_results(block.slot, w, lanes);
            model.clocks.end(block.slot, w, lanes);
        }
    }

    /// In the weak memory operations may wait: not beyond a barrier, nor beyond a call or a return, after which a register
    /// is another one.
    fn settle(&mut self, block: &mut Block, w: usize, g: usize, active: u32) {
        let Some(model) = self.observers.memory_model.as_mut().filter(|_| self.setup.launch.weak_memory)
        else {
            return;
        };
        let group = &block.warps[w].divergence.groups[g];
        let (op, base) = (self.setup.program.insts[group.pc as usize].op, group.frame.base);
        let lanes = match op {
            Op::Branch { .. } | Op::BranchIndexed { .. } => return,
            Op::Collective(collective) if collective.exchange != Exchange::Barrier => return,
            // Under the stack a warp comes to a barrier as a whole.
            Op::Barrier(_) if self.setup.stack => block.warps[w].live(),
            _ => active,
        };
        let mut target = Target {
            global: self.global,
            shared: &mut block.shared,
            last_writer: self.observers.last_writer.as_mut(),
        };
        model.drain(&mut target, (block.slot, w), lanes);
        if matches!(op, Op::Call(_) | Op::Return) {
            let mut columns = block.registers.lanes(w, base, active);
            model.deliver_all_results(&mut target, (block.slot, w), &mut columns);
        }
    }

    /// Whether a thread of a kernel that comes to `pc` ends.
    pub(crate) fn is_end(&self, pc: Pc) -> bool {
        let inst = self.setup.program.insts.get(pc as usize);
        inst.is_some_and(|inst| !inst.guarded && matches!(inst.op, Op::Return | Op::Exit))
    }

    /// Parts a group at a branch.
    fn part(&mut self, block: &mut Block, w: usize, g: usize, leaving: u32, ways: (Pc, Pc), meet: Pc) {
        let warp = &mut block.warps[w];
        let pc = warp.divergence.groups[g].pc;
        self.counts.issued[pc as usize].parted += 1;
        warp.diverged = true;
        warp.divergence.split(g, leaving, ways.0, ways.1, (meet != NEVER).then_some(meet));
    }

    fn branch_indexed(
        &mut self,
        block: &mut Block,
        w: usize,
        g: usize,
        list: u32,
        meet: Pc,
    ) -> Result<(), Stop> {
        let warp = &mut block.warps[w];
        let group = &warp.divergence.groups[g];
        let (pc, mask) = (group.pc, group.mask);
        let inst = &self.setup.program.insts[pc as usize];
        let index = block.registers.narrow.get(group.frame.base.narrow + inst.args.a as usize, w);
        let leaving = like_the_lowest(&index, mask);
        let number = index[mask.trailing_zeros() as usize];
        let targets = &self.setup.program.tables[list as usize];
        let Some(&target) = targets.get(number as usize) else {
            let problem = Problem::branch_index(number, targets.len());
            return Err(at_lanes(self, block, w, pc, leaving, problem));
        };
        if leaving == mask {
            warp.divergence.groups[g].pc = target;
        } else {
            self.again(pc, mask & !leaving);
            self.counts.issued[pc as usize].count += 1;
            self.part(block, w, g, leaving, (target, pc), meet);
        }
        Ok(())
    }

    fn call(&mut self, block: &mut Block, w: usize, g: usize, call: CallIndex) -> Result<(), Stop> {
        let site = &self.setup.program.calls[call.0 as usize];
        let warp = &mut block.warps[w];
        let group = &warp.divergence.groups[g];
        let (pc, mask) = (group.pc, group.mask);
        let callee = match site.callee {
            Callee::Direct(function) => function,
            Callee::Indirect(slot) => {
                let target = block.registers.wide.get(group.frame.base.wide + slot as usize, w);
                let narrow = target.map(function_at);
                let leaving = like_the_lowest(&narrow, mask);
                if leaving != mask {
                    self.again(pc, mask);
                    block.warps[w].divergence.split(g, leaving, pc, pc, Some(pc + 1));
                    return Ok(());
                }
                narrow[mask.trailing_zeros() as usize]
            }
        };
        let Some(code) = self.setup.program.functions.get(callee as usize) else {
            return Err(at_lanes(self, block, w, pc, mask, Problem::no_function()));
        };
        match code.builtin {
            Some(Builtin::Print) => self.print(block, w, g, site),
            Some(Builtin::AssertFail) => self.assert_fail(block, w, g, site),
            None if code.is_entry => {
                Err(self.refuse(pc, format!("`{}` is a kernel; only functions can be called", code.name)))
            }
            None if code.start == code.end => {
                let message = format!(
                    "`{}` is declared but not defined, and the emulator has no built-in function of this name",
                    code.name
                );
                Err(self.refuse(pc, message))
            }
            None => self.enter(block, w, g, callee, site),
        }
    }

    fn refuse(&self, pc: Pc, message: String) -> Stop {
        let span = self.setup.program.origins[pc as usize].span;
        Stop::Unsupported(Error::at(&self.setup.program.text, span, message))
    }

    /// Opens the callee's frame, and passes the arguments.
    fn enter(
        &mut self,
        block: &mut Block,
        w: usize,
        g: usize,
        callee: u32,
        site: &CallSite,
    ) -> Result<(), Stop> {
        let code = &self.setup.program.functions[callee as usize];
        let (pc, mask) = (block.warps[w].divergence.groups[g].pc, block.warps[w].divergence.groups[g].mask);
        if depth(block, w, g) >= MAX_CALL_DEPTH {
            let problem = Problem::call_depth(MAX_CALL_DEPTH);
            return Err(at_lanes(self, block, w, pc, mask, problem));
        }
        let warp = &mut block.warps[w];
        let caller = warp.divergence.groups[g].frame;
        let caller_code = &self.setup.program.functions[caller.function as usize];
        let local = caller.local + caller_code.frame_bytes;
        if local + code.frame_bytes > MAX_LOCAL_BYTES {
            let problem = Problem::local_memory(MAX_LOCAL_BYTES);
            return Err(at_lanes(self, block, w, pc, mask, problem));
        }
        let grown = (local + code.frame_bytes).saturating_sub(block.warps[w].local.lane_bytes());
        self.local_bytes += grown * WARP_SIZE as u64;
        // On one of several cores there is one block where otherwise all resident ones are.
        let blocks_here = if self.setup.is_one_of_many { self.setup.residents() } else { 1 };
        if self.local_bytes * blocks_here > MAX_RESIDENT_LOCAL_BYTES {
            let problem = Problem::resident_local_memory(MAX_RESIDENT_LOCAL_BYTES);
            return Err(at_lanes(self, block, w, pc, mask, problem));
        }
        let frame =
            Frame { base: caller.base.plus(caller_code.image.shape()), local, function: callee, call: pc };
        block.registers.open(w, frame.base, &code.image, mask);
        block.warps[w].local.grow(frame.local + code.frame_bytes);
        for (from, to) in site.args.iter().zip(&code.takes) {
            pass(block, w, mask, (from, &caller), (to, &frame));
        }
        let group = &mut block.warps[w].divergence.groups[g];
        group.callers.push(caller);
        (group.frame, group.pc) = (frame, code.start);
        Ok(())
    }

    /// Closes the frame of a function, and passes the results.
    pub fn return_from_function(&mut self, block: &mut Block, w: usize, g: usize) {
        let warp = &mut block.warps[w];
        let group = &mut warp.divergence.groups[g];
        let (mask, frame) = (group.mask, group.frame);
        let caller = group.callers.pop().expect("a group that returns was called");
        (group.frame, group.pc) = (caller, frame.call + 1);
        let Op::Call(CallIndex(call)) = self.setup.program.insts[frame.call as usize].op else {
            unreachable!("a frame is opened by a call");
        };
        let results = &self.setup.program.functions[frame.function as usize].results;
        for (from, to) in results.iter().zip(&self.setup.program.calls[call as usize].results) {
            pass(block, w, mask, (from, &frame), (to, &caller));
        }
    }
}

/// Ends lanes, or returns from a function with all of a group; whether they end.
fn end(block: &mut Block, w: usize, g: usize, lanes: u32, is_return: bool) -> bool {
    let divergence = &mut block.warps[w].divergence;
    if is_return && !divergence.groups[g].callers.is_empty() {
        // All of the group return: they meet those who parted from them in this function, if any.
        divergence.groups[g].pc = AT_RETURN;
        return false;
    }
    let pc = divergence.groups[g].pc;
    divergence.groups[g].pc += 1;
    block.warps[w].end(g, lanes, pc);
    block.live_threads -= lanes.count_ones();
    true
}

/// The number of the function at an address; one that no module has where there is none.
fn function_at(address: u64) -> u32 {
    address.checked_sub(FUNCTIONS_BASE).and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX)
}

/// How many calls a group is inside of.
fn depth(block: &Block, w: usize, g: usize) -> usize {
    block.warps[w].divergence.groups[g].callers.len()
}

/// Copies a parameter between frames, for the lanes of `mask`.
fn pass(
    block: &mut Block,
    w: usize,
    mask: u32,
    (from, source): (&Passed, &Frame),
    (to, target): (&Passed, &Frame),
) {
    if let (Passed::Variable(from), Passed::Variable(to)) = (from, to) {
        let (start, at) = ((from.address + source.local) as usize, (to.address + target.local) as usize);
        let bytes = from.size.min(to.size) as usize;
        for lane in lanes_of(mask) {
            block.warps[w].local.lane(lane).copy_within(start..start + bytes, at);
        }
        return;
    }
    if *to == Passed::Nothing {
        return;
    }
    for lane in lanes_of(mask) {
        let value = take(block, (w, lane), from, source);
        give(block, (w, lane), value, (to, target));
    }
}

/// The lowest 64 bits of a lane's parameter.
pub(crate) fn take(block: &mut Block, (w, lane): (usize, usize), from: &Passed, frame: &Frame) -> u64 {
    match *from {
        Passed::Variable(place) => {
            let start = (place.address + frame.local) as usize;
            let bytes = &block.warps[w].local.lane(lane)[start..start + place.size.min(8) as usize];
            bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
        }
        Passed::Column { bank, slot, .. } => {
            let (lanes, slot) = (block.registers.lanes(w, frame.base, 0), usize::from(slot));
            match bank {
                Bank::Narrow => u64::from(lanes.narrow[slot][lane]),
                Bank::Wide => lanes.wide[slot][lane],
                Bank::Preds => u64::from(lanes.preds[slot] >> lane & 1),
            }
        }
        Passed::Nothing => unreachable!("only a result can be left out"),
    }
}

/// Gives a lane's parameter its value.
pub(crate) fn give(block: &mut Block, (w, lane): (usize, usize), value: u64, (to, frame): (&Passed, &Frame)) {
    match *to {
        Passed::Variable(place) => {
            let start = (place.address + frame.local) as usize;
            let bytes = place.size.min(8) as usize;
            let local = block.warps[w].local.lane(lane);
            local[start..start + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        Passed::Column { bank, slot, bytes } => {
            let (slot, value) = (usize::from(slot), value & u64::MAX >> (64 - 8 * bytes.clamp(1, 8)));
            let mut lanes = block.registers.lanes(w, frame.base, 1 << lane);
            match bank {
                Bank::Narrow => lanes.narrow[slot][lane] = value as u32,
                Bank::Wide => lanes.wide[slot][lane] = value,
                Bank::Preds => lanes.write_pred(slot as u16, u32::from(value & 1 != 0) << lane),
            }
        }
        Passed::Nothing => {}
    }
}
