//! Instructions that change which lanes run together: branches, ends, and the way to calls, barriers and collectives.

use crate::checkers::memory_model::delayed::Target;
use crate::compile::inst::{AT_RETURN, NEVER, Pc};
use crate::exec::cursor::Cursor;
use crate::exec::faults::Problem;
use crate::exec::state::{Run, Stop};
use crate::isa::op::Op;
use crate::isa::op::warp::Exchange;
use crate::isa::special::Special;
use crate::machine::divergence::Group;
use crate::machine::registers::like_the_lowest;

impl Run<'_> {
    /// Whether a thread of a kernel that comes to `pc` ends.
    pub fn is_end(&self, pc: Pc) -> bool {
        let inst = self.setup.program.insts.get(pc as usize);
        inst.is_some_and(|inst| !inst.guarded && matches!(inst.op, Op::Return | Op::Exit))
    }
}

impl Cursor<'_, '_> {
    /// Carries out the instruction at which group `g` left the inner loop, with the lanes of `active`.
    pub fn control(&mut self, g: usize, active: u32) -> Result<(), Stop> {
        let Group { pc, mask, .. } = *self.group(g);
        let inst = self.inst(pc);
        self.settle(g, active);
        if matches!(inst.op, Op::Return) && self.block.warpgroups.is_on() {
            // The registers of a function end with it.
            self.carry_out_until(u64::MAX);
        }
        match inst.op {
            Op::Branch { target, meet } => {
                // Whoever evaluates a branch is active at it, whichever way it goes.
                self.run.counts.issued[pc as usize].lanes += u64::from((mask & !active).count_ones());
                return self.part_or_end(g, active, target, meet);
            }
            Op::Return if active != mask && !self.group(g).callers.is_empty() => {
                self.warp_mut().divergence.split(g, active, AT_RETURN, pc + 1, Some(AT_RETURN));
                return Ok(());
            }
            Op::Return | Op::Exit => {
                if self.end(g, active, matches!(inst.op, Op::Return)) {
                    self.model_end(active);
                }
                return self.after_exit();
            }
            Op::Trap => return Err(self.fault(pc, active, Problem::trap(self.asks_for_environment(pc)))),
            Op::Unsupported(error) => {
                return Err(Stop::Unsupported(self.run.setup.program.refused[error as usize].error()));
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
            self.warp_mut().divergence.split(g, active, pc, pc + 1, meet);
            return Ok(());
        }
        match inst.op {
            Op::BranchIndexed { list, meet } => self.branch_indexed(g, list, meet),
            Op::Call(call) => self.call(g, call),
            Op::Barrier(barrier) => self.barrier(g, barrier),
            Op::ClusterBarrier(barrier) => self.cluster_barrier(g, barrier),
            Op::Collective(collective) => self.collective(g, collective),
            Op::Matrix(matrix) => self.matrix(g, matrix),
            Op::Warpgroup(op) => self.warpgroup(g, op),
            _ => unreachable!("the inner loop keeps what does not change control"),
        }
    }

    /// Whether the function of an instruction reads the registers in which a driver passes the memory that the blocks of a
    /// cooperative launch share. Cooperative groups read them, and trap if the launch is not cooperative.
    fn asks_for_environment(&self, pc: Pc) -> bool {
        let functions = self.run.setup.program.functions.iter().map(|code| code.start..code.end);
        let asks = |pc| matches!(self.inst(pc).op, Op::Special { what: Special::Environment, .. });
        functions.filter(|code| code.contains(&pc)).flatten().any(asks)
    }

    /// Takes back that an instruction was counted for `lanes`, which come to it again. The step they took
    /// stays: every turn in which somebody runs has one, which tells it from a deadlock.
    pub fn again(&mut self, pc: Pc, lanes: u32) {
        let issued = &mut self.run.counts.issued[pc as usize];
        issued.count -= 1;
        issued.lanes -= u64::from(lanes.count_ones());
        self.run.observers.taken_back |= lanes;
    }

    /// Parts a group at a branch. Lanes that it sends straight to the end of the kernel end here, as those of a guarded
    /// `exit` do: machine code makes one of such a branch, and nobody issues a `ret` for them.
    fn part_or_end(&mut self, g: usize, leaving: u32, target: Pc, meet: Pc) -> Result<(), Stop> {
        let Group { pc, mask, ref callers, .. } = *self.group(g);
        let (next, in_kernel) = (pc + 1, callers.is_empty());
        let (ending, others_go) = if in_kernel && self.run.is_end(target) {
            (leaving, next)
        } else if in_kernel && self.run.is_end(next) {
            (mask & !leaving, target)
        } else {
            self.part(g, leaving, target, next, meet);
            return Ok(());
        };
        self.run.counts.issued[pc as usize].parted += 1;
        self.group_mut(g).pc = others_go;
        let warp = self.warp_mut();
        warp.diverged = true;
        warp.end(g, ending, pc);
        self.block.live_threads -= ending.count_ones();
        self.model_end(ending);
        self.after_exit()
    }

    /// Shows the memory model that lanes have ended.
    fn model_end(&mut self, lanes: u32) {
        let (id, observers) = (self.id(), &mut self.run.observers);
        if let Some(model) = &mut observers.memory_model {
            let last_writer = observers.last_writer.as_mut();
            let mut target = Target { global: self.run.global, shared: &mut self.block.shared, last_writer };
            model.drain(&mut target, id, lanes);
            model.forget_results(id, lanes);
            model.clocks.end(id.slot, id.warp, lanes);
        }
    }

    /// In the weak memory operations may wait: not beyond a barrier, nor beyond a call or a return, after which a register
    /// is another one.
    fn settle(&mut self, g: usize, active: u32) {
        if !self.run.setup.launch.weak_memory {
            return;
        }
        let (id, pc, base) = (self.id(), self.group(g).pc, self.group(g).frame.base);
        let op = self.inst(pc).op;
        let lanes = match op {
            Op::Branch { .. } | Op::BranchIndexed { .. } | Op::Matrix(_) => return,
            Op::Collective(collective) if collective.exchange != Exchange::Barrier => return,
            // Under the stack a warp comes to a barrier as a whole.
            Op::Barrier(_) if self.run.setup.stack => self.warp().live(),
            _ => active,
        };
        let observers = &mut self.run.observers;
        let Some(model) = &mut observers.memory_model else { return };
        let last_writer = observers.last_writer.as_mut();
        let mut target = Target { global: self.run.global, shared: &mut self.block.shared, last_writer };
        model.drain(&mut target, id, lanes);
        if matches!(op, Op::Call(_) | Op::Return) {
            let mut columns = self.block.registers.lanes(self.w, base, active);
            model.deliver_all_results(&mut target, id, &mut columns);
        }
    }

    /// Parts a group at a branch: those that leave go to `target`, and the others elsewhere.
    fn part(&mut self, g: usize, leaving: u32, target: Pc, others_go: Pc, meet: Pc) {
        let pc = self.group(g).pc;
        self.run.counts.issued[pc as usize].parted += 1;
        let warp = self.warp_mut();
        warp.diverged = true;
        warp.divergence.split(g, leaving, target, others_go, (meet != NEVER).then_some(meet));
    }

    fn branch_indexed(&mut self, g: usize, list: u32, meet: Pc) -> Result<(), Stop> {
        let Group { pc, mask, frame, .. } = *self.group(g);
        let slot = frame.base.narrow + self.inst(pc).args.a as usize;
        let index = self.block.registers.narrow.get(slot, self.w);
        let leaving = like_the_lowest(&index, mask);
        let number = index[mask.trailing_zeros() as usize];
        let targets = &self.run.setup.program.tables[list as usize];
        let Some(&target) = targets.get(number as usize) else {
            return Err(self.fault(pc, leaving, Problem::branch_index(number, targets.len())));
        };
        if leaving == mask {
            self.group_mut(g).pc = target;
        } else {
            self.again(pc, mask & !leaving);
            self.run.counts.issued[pc as usize].count += 1;
            self.part(g, leaving, target, pc, meet);
        }
        Ok(())
    }

    /// Ends lanes, or returns from a function with all of a group; whether they end.
    fn end(&mut self, g: usize, lanes: u32, is_return: bool) -> bool {
        let group = self.group_mut(g);
        if is_return && !group.callers.is_empty() {
            // All of the group return: they meet those who parted from them in this function, if any.
            group.pc = AT_RETURN;
            return false;
        }
        let pc = group.pc;
        group.pc += 1;
        self.warp_mut().end(g, lanes, pc);
        self.block.live_threads -= lanes.count_ones();
        true
    }
}
