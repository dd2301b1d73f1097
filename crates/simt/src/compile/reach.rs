//! Whether a kernel can come to something that is not supported, in its own code or in a function that it may call.
//!
//! A launch of such a kernel may end in an error, so what it writes is kept apart ([`crate::machine::global`]). A call through
//! a register may lead to any function of the module, and so to one that cannot be called. A launch from a kernel may lead to
//! any other kernel.

use crate::compile::program::{Builtin, Program};
use crate::isa::op::Op;
use crate::isa::op::call::Callee;

/// Whether a launch of the kernel may end at an unsupported instruction.
pub fn may_be_refused(program: &Program, kernel: u32) -> bool {
    let mut reached = vec![false; program.functions.len()];
    let mut open = vec![kernel];
    reached[kernel as usize] = true;
    while let Some(function) = open.pop() {
        let code = &program.functions[function as usize];
        for inst in &program.insts[code.start as usize..code.end as usize] {
            let callee = match inst.op {
                Op::Unsupported(_) => return true,
                Op::Call(call) => program.calls[call.0 as usize].callee,
                _ => continue,
            };
            let Callee::Direct(callee) = callee else { return true };
            let code = &program.functions[callee as usize];
            if code.builtin.is_some_and(Builtin::launches) {
                for (kernel, _) in (0..).zip(&program.functions).filter(|(_, code)| code.is_entry) {
                    if !std::mem::replace(&mut reached[kernel as usize], true) {
                        open.push(kernel);
                    }
                }
            }
            if code.builtin.is_none() && (code.is_entry || code.start == code.end) {
                return true;
            }
            if !std::mem::replace(&mut reached[callee as usize], true) {
                open.push(callee);
            }
        }
    }
    false
}
