//! Calls of functions and returns from them: frames, and what is passed between them.

use crate::compile::inst::Pc;
use crate::compile::lower::MAX_LOCAL_BYTES;
use crate::compile::program::Builtin;
use crate::exec::cursor::Cursor;
use crate::exec::faults::Problem;
use crate::exec::state::Stop;
use crate::isa::op::Op;
use crate::isa::op::call::{CallIndex, CallSite, Callee, FUNCTIONS_BASE, Passed};
use crate::machine::divergence::{Frame, Group};
use crate::machine::local::MAX_RESIDENT_LOCAL_BYTES;
use crate::machine::registers::{Bank, WARP_SIZE, lanes_of, like_the_lowest};
use crate::ptx::Error;

/// Calls that may be nested.
const MAX_CALL_DEPTH: usize = 64;

/// A parameter of a function, in a frame.
#[derive(Clone, Copy)]
pub(crate) struct Parameter<'f> {
    pub(crate) passed: &'f Passed,
    pub(crate) frame: &'f Frame,
}

impl Cursor<'_, '_> {
    pub fn call(&mut self, g: usize, call: CallIndex) -> Result<(), Stop> {
        let program = self.run.setup.program;
        let site = &program.calls[call.0 as usize];
        let Group { pc, mask, frame, .. } = *self.group(g);
        let callee = match site.callee {
            Callee::Direct(function) => function,
            Callee::Indirect(slot) => {
                let target = self.block.registers.wide.get(frame.base.wide + slot as usize, self.w);
                let narrow = target.map(function_at);
                let leaving = like_the_lowest(&narrow, mask);
                if leaving != mask {
                    self.again(pc, mask);
                    self.warp_mut().divergence.split(g, leaving, pc, pc, Some(pc + 1));
                    return Ok(());
                }
                narrow[mask.trailing_zeros() as usize]
            }
        };
        let Some(code) = program.functions.get(callee as usize) else {
            return Err(self.fault(pc, mask, Problem::no_function()));
        };
        match code.builtin {
            Some(Builtin::Print) => self.print(g, site),
            Some(Builtin::AssertFail) => self.assert_fail(g, site),
            #[cfg(not(target_family = "wasm"))]
            Some(Builtin::Nested(what)) => self.nested(g, site, what),
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
            None => self.enter(g, callee, site),
        }
    }

    fn refuse(&self, pc: Pc, message: String) -> Stop {
        let program = self.run.setup.program;
        Stop::Unsupported(Error::at(&program.text, program.origins[pc as usize].span, message))
    }

    /// Opens the callee's frame, and passes the arguments.
    fn enter(&mut self, g: usize, callee: u32, site: &CallSite) -> Result<(), Stop> {
        let functions = &self.run.setup.program.functions;
        let Group { pc, mask, frame: caller, ref callers, .. } = *self.group(g);
        if callers.len() >= MAX_CALL_DEPTH {
            return Err(self.fault(pc, mask, Problem::call_depth(MAX_CALL_DEPTH)));
        }
        let (code, caller_code) = (&functions[callee as usize], &functions[caller.function as usize]);
        let local = caller.local + caller_code.frame_bytes;
        let bytes = local + code.frame_bytes;
        if bytes > MAX_LOCAL_BYTES {
            return Err(self.fault(pc, mask, Problem::local_memory(MAX_LOCAL_BYTES)));
        }
        self.run.local_bytes += bytes.saturating_sub(self.warp().local.lane_bytes()) * WARP_SIZE as u64;
        // On one of several cores there is one block where otherwise all resident ones are.
        let setup = &self.run.setup;
        let blocks_here = if setup.is_one_of_many { setup.residents() } else { 1 };
        if self.run.local_bytes * blocks_here > MAX_RESIDENT_LOCAL_BYTES {
            return Err(self.fault(pc, mask, Problem::resident_local_memory(MAX_RESIDENT_LOCAL_BYTES)));
        }
        let frame =
            Frame { base: caller.base.plus(caller_code.image.shape()), local, function: callee, call: pc };
        self.block.registers.open(self.w, frame.base, &code.image, mask);
        self.warp_mut().local.grow(bytes);
        for (from, to) in site.args.iter().zip(&code.takes) {
            let from = Parameter { passed: from, frame: &caller };
            self.pass(mask, from, Parameter { passed: to, frame: &frame });
        }
        let group = self.group_mut(g);
        group.callers.push(caller);
        (group.frame, group.pc) = (frame, code.start);
        Ok(())
    }

    /// Closes the frame of a function, and passes the results.
    pub fn return_from_function(&mut self, g: usize) {
        let program = self.run.setup.program;
        let group = self.group_mut(g);
        let (mask, frame) = (group.mask, group.frame);
        let caller = group.callers.pop().expect("a group that returns was called");
        (group.frame, group.pc) = (caller, frame.call + 1);
        let Op::Call(CallIndex(call)) = program.insts[frame.call as usize].op else {
            unreachable!("a frame is opened by a call");
        };
        let results = &program.functions[frame.function as usize].results;
        for (from, to) in results.iter().zip(&program.calls[call as usize].results) {
            let from = Parameter { passed: from, frame: &frame };
            self.pass(mask, from, Parameter { passed: to, frame: &caller });
        }
    }

    /// Copies a parameter between frames, for the lanes of `mask`.
    fn pass(&mut self, mask: u32, from: Parameter<'_>, to: Parameter<'_>) {
        if let (Passed::Variable(source), Passed::Variable(target)) = (from.passed, to.passed) {
            let start = (source.address + from.frame.local) as usize;
            let at = (target.address + to.frame.local) as usize;
            let bytes = source.size.min(target.size) as usize;
            for lane in lanes_of(mask) {
                self.warp_mut().local.lane(lane).copy_within(start..start + bytes, at);
            }
        } else if *to.passed != Passed::Nothing {
            for lane in lanes_of(mask) {
                let value = self.take(lane, from);
                self.give(lane, value, to);
            }
        }
    }

    /// The lowest 64 bits of a lane's parameter.
    pub fn take(&mut self, lane: usize, from: Parameter<'_>) -> u64 {
        match *from.passed {
            Passed::Variable(place) => {
                let start = (place.address + from.frame.local) as usize;
                let bytes = &self.warp().local.of_lane(lane)[start..start + place.size.min(8) as usize];
                bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
            }
            Passed::Column { bank, slot, .. } => {
                let lanes = self.block.registers.lanes(self.w, from.frame.base, 0);
                let slot = usize::from(slot);
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
    pub fn give(&mut self, lane: usize, value: u64, to: Parameter<'_>) {
        match *to.passed {
            Passed::Variable(place) => {
                let start = (place.address + to.frame.local) as usize;
                let bytes = place.size.min(8) as usize;
                let local = self.warp_mut().local.lane(lane);
                local[start..start + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
            }
            Passed::Column { bank, slot, bytes } => {
                let (slot, value) = (usize::from(slot), value & u64::MAX >> (64 - 8 * bytes.clamp(1, 8)));
                let mut lanes = self.block.registers.lanes(self.w, to.frame.base, 1 << lane);
                match bank {
                    Bank::Narrow => lanes.narrow[slot][lane] = value as u32,
                    Bank::Wide => lanes.wide[slot][lane] = value,
                    Bank::Preds => lanes.write_pred(slot as u16, u32::from(value & 1 != 0) << lane),
                }
            }
            Passed::Nothing => {}
        }
    }
}

/// The number of the function at an address; one that no module has where there is none.
pub fn function_at(address: u64) -> u32 {
    address.checked_sub(FUNCTIONS_BASE).and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX)
}
