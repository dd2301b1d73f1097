//! How much shared memory a kernel declares: the variables that it and the functions that it calls name.
//!
//! The executor adds it to what a launch asks for, and refuses more than a block may have; the runtime can be asked for
//! it as well (`cudaFuncGetAttributes`). Calls are followed on the typed tree, as the kernel's code is freed by then.
//! Dynamic shared memory is the launch's and does not count.

use crate::check::Checked;
use crate::check::typed::{FunctionId, GlobalId, Kind, Space};
use crate::check::walk;
use crate::source::map::Set;

/// The bytes of the shared variables that a kernel uses.
pub(super) fn bytes(checked: &Checked<'_>, kernel: FunctionId) -> u64 {
    let mut functions: Set<FunctionId> = Set::default();
    let mut globals: Set<GlobalId> = Set::default();
    let mut waiting = vec![kernel];
    let mut bytes = 0u64;
    while let Some(id) = waiting.pop() {
        if functions.insert(id, ()).is_some() {
            continue;
        }
        let mut each = |expr: crate::check::typed::Expr| match &expr.kind {
            Kind::Call(function, _) | Kind::Construct(function, _) => waiting.push(*function),
            Kind::Global(global) if globals.insert(*global, ()).is_none() => {
                let known = &checked.program.globals[*global];
                if known.space == Space::Shared && !known.is_extern {
                    bytes = bytes.next_multiple_of(known.align.max(1)) + checked.types.size(known.ty);
                }
            }
            _ => {}
        };
        for statement in checked.program.functions[id].body {
            walk::statement(statement, &mut each);
        }
    }
    bytes
}
