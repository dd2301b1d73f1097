//! Analyses the registers of a function: which may differ from thread to thread, and which are constant.
//!
//! Both analyses ignore the order of the code: a register differs if any instruction that writes it makes it differ. So
//! a condition that is found to be the same for all threads really is. Within a block, a plain load from one address is
//! assumed to return the same number to all threads, because a store in between would be a race.

use std::collections::{BTreeMap, BTreeSet};

use simt::ptx::ast::{Instruction, Operand};

use crate::sites::Step;

/// The threads among which registers may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// The threads of the launch.
    Launch,
    /// The threads of a block.
    Block,
}

/// The result of the analysis.
#[derive(Debug)]
pub struct Flow<'t> {
    among: Among,
    differing: BTreeSet<&'t str>,
    /// The values of registers that a single `mov` writes.
    numbers: BTreeMap<&'t str, u32>,
}

/// Instructions whose results come from memory or from other lanes, except loads of parameters.
const BRING: [&str; 9] = ["ld", "ldu", "atom", "shfl", "vote", "match", "redux", "activemask", "call"];

/// Instructions whose first operand is not a result.
const NO_RESULT: [&str; 8] = ["st", "red", "bar", "barrier", "membar", "fence", "bra", "ret"];

/// Loads of bytes that another thread may be storing.
const STRONG: [&str; 3] = ["volatile", "relaxed", "acquire"];

/// Special registers that differ within a block.
const OF_A_THREAD: [&str; 6] = ["%tid", "%laneid", "%warpid", "%lanemask_lt", "%lanemask_le", "%lanemask_eq"];

impl<'t> Flow<'t> {
    /// Analyses a function.
    pub fn of(steps: &[Step<'_, 't>], among: Among) -> Flow<'t> {
        let code = || {
            steps.iter().filter_map(|step| match step {
                Step::Instruction(inst) => Some(*inst),
                Step::Label(_) => None,
            })
        };
        let mut flow = Flow { among, differing: BTreeSet::new(), numbers: BTreeMap::new() };
        let mut before = usize::MAX;
        while before != flow.differing.len() {
            before = flow.differing.len();
            for inst in code() {
                if flow.brings(inst) {
                    flow.differing.extend(names(&inst.operands[..1]));
                }
            }
        }
        let mut written: BTreeMap<&str, usize> = BTreeMap::new();
        for name in code().filter_map(|inst| inst.operands.get(..1)).flat_map(names) {
            *written.entry(name).or_default() += 1;
        }
        for inst in code().filter(|inst| inst.opcode.text.starts_with("mov.") && inst.guard.is_none()) {
            if let [Operand::Name(name), Operand::Int(bits, _)] = &inst.operands[..]
                && written[name.text] == 1
            {
                flow.numbers.insert(name.text, *bits as u32);
            }
        }
        flow
    }

    /// Whether the result of an instruction may differ from thread to thread.
    fn brings(&self, inst: &Instruction<'t>) -> bool {
        let Some((_, sources)) = inst.operands.split_first() else { return false };
        let parts: Vec<&str> = inst.opcode.text.split('.').collect();
        if NO_RESULT.contains(&parts[0]) {
            return false;
        }
        let is_plain = parts[0] == "ld" && !parts.iter().any(|part| STRONG.contains(part));
        let is_known = is_plain && (parts.contains(&"param") || self.among == Among::Block);
        (BRING.contains(&parts[0]) && !is_known)
            || inst.guard.is_some_and(|guard| self.differs(guard.register.text))
            || names(sources).into_iter().any(|name| self.differs(name))
    }

    /// Whether a register may differ from thread to thread.
    pub fn differs(&self, name: &str) -> bool {
        let register = name.split('.').next().unwrap_or(name);
        let is_special =
            OF_A_THREAD.contains(&register) || register == "%ctaid" && self.among == Among::Launch;
        is_special || self.differing.contains(name)
    }

    /// Whether an instruction has the same effect for all threads, however many of them execute it: arithmetic, a plain
    /// load, or a plain store of one number to one address.
    pub fn is_the_same(&self, inst: &Instruction<'t>) -> bool {
        let parts: Vec<&str> = inst.opcode.text.split('.').collect();
        let acts = BRING[1..].contains(&parts[0])
            || ["red", "bar", "barrier", "membar", "fence", "ret", "exit", "bra"].contains(&parts[0]);
        let is_strong = parts.iter().any(|part| STRONG.contains(part) || *part == "release");
        !acts && !is_strong && !names(&inst.operands).into_iter().any(|name| self.differs(name))
    }

    /// The value of an operand, if it is constant.
    pub fn constant(&self, operand: &Operand<'_>) -> Option<u32> {
        match operand {
            Operand::Int(bits, _) => Some(*bits as u32),
            Operand::Name(name) => self.numbers.get(name.text).copied(),
            _ => None,
        }
    }
}

/// The registers and variables that operands name.
fn names<'t>(operands: &[Operand<'t>]) -> Vec<&'t str> {
    let mut found = Vec::new();
    for operand in operands {
        match operand {
            Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => found.push(name.text),
            Operand::Address { base, .. } => found.extend(base.map(|base| base.text)),
            Operand::Vector(parts, _) | Operand::List(parts, _) => found.extend(names(parts)),
            Operand::Pair(first, second) => {
                found.extend(names(std::slice::from_ref(first)));
                found.extend(names(std::slice::from_ref(second)));
            }
            _ => {}
        }
    }
    found
}
