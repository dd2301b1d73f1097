//! Instructions that change which lanes run together: branches, calls, returns, ends, and the way to barriers
//! and collectives.

use super::faults;
use super::lower::MAX_LOCAL_BYTES;
use super::program::{AT_RETURN, Builtin, NEVER, Pc};
use super::run::{Run, Stop};
use super::step::like_the_lowest;
use crate::fault::FaultKind;
use crate::isa::Op;
use crate::isa::control::{CallIndex, CallSite, Callee, FUNCTIONS_BASE};
use crate::isa::scope::Place;
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::Frame;
use crate::machine::local::MAX_RESIDENT_LOCAL_BYTES;
use crate::machine::registers::{WARP_SIZE, lanes_of};
use crate::ptx::Error;

/// Calls that may be nested.
pub const MAX_CALL_DEPTH: usize = 64;

impl Run<'_> {
    /// Carries out the instruction at which group `g` left the inner loop, with the lanes of `active`.
    pub fn control(&mut self, block: &mut Block, w: usize, g: usize, active: u32) -> Result<(), Stop> {
        let pc = block.warps[w].divergence.groups[g].pc;
        let inst = &self.program.insts[pc as usize];
        let mask = block.warps[w].divergence.groups[g].mask;
        match inst.op {
            Op::Branch { target, meet } => {
                // Whoever evaluates a branch is active at it, whichever way it goes.
                self.issued[pc as usize].lanes += u64::from((mask & !active).count_ones());
                return self.part_or_end(block, w, g, active, (target, pc + 1), meet);
            }
            Op::Return if active != mask && depth(block, w, g) > 0 => {
                block.warps[w].divergence.split(g, active, AT_RETURN, pc + 1, Some(AT_RETURN));
                return Ok(());
            }
            Op::Return | Op::Exit => {
                if end(block, w, g, active, matches!(inst.op, Op::Return)) {
                    self.see_end(block.slot, w, active);
                }
                return self.after_exit(block, w);
            }
            Op::Trap => {
                return Err(faults::at_lanes(
                    self,
                    block,
                    w,
                    pc,
                    active,
                    FaultKind::Trap,
                    "the kernel executed `trap`",
                ));
            }
            Op::Unsupported(error) => {
                return Err(Stop::Unsupported(self.program.errors[error as usize].clone()));
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

    /// Takes back that an instruction was counted for `lanes`, which come to it again. The step they took
    /// stays: every turn in which somebody runs has one, which tells it from a deadlock.
    pub fn again(&mut self, pc: Pc, lanes: u32) {
        let issued = &mut self.issued[pc as usize];
        issued.count -= 1;
        issued.lanes -= u64::from(lanes.count_ones());
        self.taken_back |= lanes;
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
        self.issued[pc as usize].parted += 1;
        let warp = &mut block.warps[w];
        warp.diverged = true;
        warp.divergence.groups[g].pc = others_go;
        warp.end(g, ending, pc);
        block.live_threads -= ending.count_ones();
        self.see_end(block.slot, w, ending);
        self.after_exit(block, w)
    }

    /// Tells who watches that lanes have ended.
    fn see_end(&mut self, slot: usize, w: usize, lanes: u32) {
        if let Some(watch) = &mut self.watch {
            watch.clocks.end(slot, w, lanes);
        }
    }

    /// Whether a thread of a kernel that comes to `pc` ends.
    pub(super) fn is_end(&self, pc: Pc) -> bool {
        let inst = self.program.insts.get(pc as usize);
        inst.is_some_and(|inst| !inst.guarded && matches!(inst.op, Op::Return | Op::Exit))
    }

    /// Parts a group at a branch.
    fn part(&mut self, block: &mut Block, w: usize, g: usize, leaving: u32, ways: (Pc, Pc), meet: Pc) {
        let warp = &mut block.warps[w];
        let pc = warp.divergence.groups[g].pc;
        self.issued[pc as usize].parted += 1;
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
        let inst = &self.program.insts[pc as usize];
        let index = warp.registers.narrow[group.frame.base.narrow + inst.args.a as usize];
        let leaving = like_the_lowest(&index, mask);
        let number = index[mask.trailing_zeros() as usize];
        let targets = &self.program.tables[list as usize];
        let Some(&target) = targets.get(number as usize) else {
            let message = format!("branch number {number} of a list of {}", targets.len());
            return Err(faults::at_lanes(self, block, w, pc, leaving, FaultKind::OutOfBounds, &message));
        };
        if leaving == mask {
            warp.divergence.groups[g].pc = target;
        } else {
            self.again(pc, mask & !leaving);
            self.issued[pc as usize].count += 1;
            self.part(block, w, g, leaving, (target, pc), meet);
        }
        Ok(())
    }

    fn call(&mut self, block: &mut Block, w: usize, g: usize, call: CallIndex) -> Result<(), Stop> {
        let site = &self.program.calls[call.0 as usize];
        let warp = &mut block.warps[w];
        let group = &warp.divergence.groups[g];
        let (pc, mask) = (group.pc, group.mask);
        let callee = match site.callee {
            Callee::Direct(function) => function,
            Callee::Indirect(slot) => {
                let target = warp.registers.wide[group.frame.base.wide + slot as usize];
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
        let Some(code) = self.program.functions.get(callee as usize) else {
            let message = "call through a register that holds no function's address";
            return Err(faults::at_lanes(self, block, w, pc, mask, FaultKind::OutOfBounds, message));
        };
        match code.builtin {
            Some(Builtin::Print) => self.print(block, w, g, site),
            Some(Builtin::AssertFail) => self.assert_fail(block, w, g, site),
            None if code.is_entry => {
                Err(self.refuse(pc, format!("`{}` is a kernel; only functions can be called", code.name)))
            }
            None if code.start == code.end => {
                let message =
                    format!("`{}` is declared but not defined, and not a function of the engine", code.name);
                Err(self.refuse(pc, message))
            }
            None => self.enter(block, w, g, callee, site),
        }
    }

    fn refuse(&self, pc: Pc, message: String) -> Stop {
        let span = self.program.origins[pc as usize].span;
        Stop::Unsupported(Error::at(&self.program.text, span, message))
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
        let code = &self.program.functions[callee as usize];
        let (pc, mask) = (block.warps[w].divergence.groups[g].pc, block.warps[w].divergence.groups[g].mask);
        if depth(block, w, g) >= MAX_CALL_DEPTH {
            let message = format!("more than {MAX_CALL_DEPTH} calls are nested");
            return Err(faults::at_lanes(self, block, w, pc, mask, FaultKind::CallDepth, &message));
        }
        let warp = &mut block.warps[w];
        let caller = warp.divergence.groups[g].frame;
        let caller_code = &self.program.functions[caller.function as usize];
        let local = caller.local + caller_code.frame_bytes;
        if local + code.frame_bytes > MAX_LOCAL_BYTES {
            let message = format!(
                "the nested calls need more than the {MAX_LOCAL_BYTES} bytes of local memory of a thread"
            );
            return Err(faults::at_lanes(self, block, w, pc, mask, FaultKind::CallDepth, &message));
        }
        let grown = (local + code.frame_bytes).saturating_sub(block.warps[w].local.lane_bytes());
        self.local_bytes += grown * WARP_SIZE as u64;
        // On one of several cores there is one block where otherwise all resident ones are.
        let blocks_here = if self.is_one_of_many { self.residents() } else { 1 };
        if self.local_bytes * blocks_here > MAX_RESIDENT_LOCAL_BYTES {
            let message = format!(
                "the nested calls of all resident threads need more than {MAX_RESIDENT_LOCAL_BYTES} bytes of local memory"
            );
            return Err(faults::at_lanes(self, block, w, pc, mask, FaultKind::CallDepth, &message));
        }
        let warp = &mut block.warps[w];
        let frame =
            Frame { base: caller.base.plus(caller_code.image.shape()), local, function: callee, call: pc };
        warp.registers.open(frame.base, &code.image, mask);
        warp.local.grow(frame.local + code.frame_bytes);
        for (from, to) in site.args.iter().zip(&code.params) {
            copy(warp, mask, (from, caller.local), (to, frame.local));
        }
        let group = &mut warp.divergence.groups[g];
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
        let Op::Call(CallIndex(call)) = self.program.insts[frame.call as usize].op else {
            unreachable!("a frame is opened by a call");
        };
        let results = &self.program.functions[frame.function as usize].results;
        for (from, to) in results.iter().zip(&self.program.calls[call as usize].results) {
            copy(warp, mask, (from, frame.local), (to, caller.local));
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
fn copy(warp: &mut Warp, mask: u32, (from, from_base): (&Place, u64), (to, to_base): (&Place, u64)) {
    let (from_start, to_start) = ((from.address + from_base) as usize, (to.address + to_base) as usize);
    let bytes = from.size.min(to.size) as usize;
    for lane in lanes_of(mask) {
        warp.local.lane(lane).copy_within(from_start..from_start + bytes, to_start);
    }
}
