//! Calls of the program's own functions, and the ends of objects.

use cudac::host::{Call, CallPointer, FUNCTION_BASE, FUNCTION_BYTES, Function, Passing};

use crate::finding::Kind;
use crate::machine::{Flow, Machine, Result};
use crate::memory::{BASE, STACK_BYTES, state};

impl<'p> Machine<'p> {
    /// Calls a function with values, and returns its value.
    pub(crate) fn invoke(&mut self, number: usize, arguments: &[u64]) -> Result<u64> {
        self.count()?;
        let program = self.program;
        self.enter(&program.functions[number], arguments)
    }

    /// Executes a function.
    pub(crate) fn enter(&mut self, function: &'p Function, arguments: &[u64]) -> Result<u64> {
        let outer = self.memory.top;
        let base = outer.next_multiple_of(function.frame_align);
        let end = base + function.frame_bytes + 32;
        if end > STACK_BYTES || self.calls >= self.limits.calls {
            let limit = self.limits.calls;
            let message = format!(
                "functions call each other more than {limit} deep, or their variables fill the stack"
            );
            return self
                .bounded(message, "call it with a smaller problem; is there a recursion that never ends?");
        }
        let (from, to) = (base as usize, (base + function.frame_bytes) as usize);
        self.memory.states[from..to].fill(state::EMPTY);
        for (offset, bytes) in &function.objects {
            let (from, to) = ((base + offset) as usize, (base + offset + bytes) as usize);
            self.memory.states[from - 16..from].fill(state::NONE);
            self.memory.states[to..to + 16].fill(state::NONE);
        }
        for (parameter, value) in function.parameters.iter().zip(arguments) {
            let at = BASE + base + parameter.offset;
            match parameter.passing {
                Passing::Scalar(ty) => self.store(ty, at, *value)?,
                Passing::Object(bytes) => self.copy(at, *value, bytes)?,
            }
        }
        self.memory.top = end;
        self.calls += 1;
        let line = self.line;
        let was_own = std::mem::replace(&mut self.is_own, function.is_own);
        let result = self.statements(&function.body, base);
        self.is_own = was_own;
        self.memory.top = outer;
        self.calls -= 1;
        let flow = result?;
        self.line = line;
        Ok(if flow == Flow::Return { self.returned } else { 0 })
    }

    pub(crate) fn call(&mut self, call: &Call, frame: u64) -> Result<u64> {
        // Most calls have few arguments, for which no memory has to be allocated.
        let mut few = [0; 4];
        let mut many = Vec::new();
        let values = if let Some(few) = few.get_mut(..call.arguments.len()) {
            few
        } else {
            many.resize(call.arguments.len(), 0);
            &mut many[..]
        };
        for (value, argument) in values.iter_mut().zip(&call.arguments) {
            *value = self.eval(argument, frame)?;
        }
        self.at(call.line);
        if call.first.is_some() {
            self.first.clone_from(&call.first);
        }
        let value = self.invoke(call.function, values)?;
        let Some((slot, bytes)) = call.result else { return Ok(value) };
        // The frame of the function is not in use any more, but its bytes are still there.
        let to = BASE + frame + slot;
        self.copy(to, value, bytes)?;
        Ok(to)
    }

    /// Calls the function at an address.
    pub(crate) fn call_pointer(&mut self, call: &CallPointer, frame: u64) -> Result<u64> {
        let pointer = self.eval(&call.pointer, frame)?;
        let mut values = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            values.push(self.eval(argument, frame)?);
        }
        self.at(call.line);
        let number = pointer.wrapping_sub(FUNCTION_BASE);
        let function = self.program.functions.get((number / FUNCTION_BYTES) as usize);
        let fits = function.is_some_and(|function| function.parameters.len() == values.len());
        if !fits || !number.is_multiple_of(FUNCTION_BYTES) {
            let message = match pointer {
                0 => "a null pointer is called".to_owned(),
                _ => format!("{pointer:#x} is called, which is no such function of the host"),
            };
            let help = "test the pointer: it has to hold the address of a function";
            return self.found(Kind::OutOfBounds, message, help);
        }
        let value = self.invoke((number / FUNCTION_BYTES) as usize, &values)?;
        let Some((slot, bytes)) = call.result else { return Ok(value) };
        let to = BASE + frame + slot;
        self.copy(to, value, bytes)?;
        Ok(to)
    }

    /// Calls the destructors of all but so many objects, of the last one first.
    pub(crate) fn destroy_down_to(&mut self, kept: usize) -> Result<()> {
        while self.owned.len() > kept {
            let Some((function, address)) = self.owned.pop() else { break };
            self.invoke(function, &[address])?;
        }
        Ok(())
    }
}
