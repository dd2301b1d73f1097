//! Which registers an instruction reads and writes, and where blocks continue.
//!
//! Everything that passes need to know of the graph of blocks: predecessors, an order, dominators. It is computed anew
//! by each pass that needs it, since most of them change it.

use super::lists::Lists;
use super::{Base, BlockId, End, Function, Inst, Op, Operand, Reg};
use crate::source::budget;

impl Inst<'_> {
    /// The register of an address, which is an operand too.
    pub fn base(&self) -> Option<Reg> {
        match &self.op {
            Op::Load(access) | Op::Store(access) => match access.place.base {
                Base::Reg(reg) => Some(reg),
                _ => None,
            },
            _ => None,
        }
    }

    /// The registers that are read.
    pub fn reads(&self) -> impl Iterator<Item = Reg> {
        self.args.iter().filter_map(|arg| arg.reg()).chain(self.base())
    }

    /// Replaces the registers that are read. A base can only be a register: a constant as an address is left where it
    /// is.
    pub fn replace(&mut self, with: &mut dyn FnMut(Reg) -> Operand) {
        for arg in self.args.iter_mut() {
            if let Operand::Reg(reg) = *arg {
                *arg = with(reg);
            }
        }
        if let Op::Load(access) | Op::Store(access) = &mut self.op
            && let Base::Reg(reg) = access.place.base
            && let Operand::Reg(new) = with(reg)
        {
            access.place.base = Base::Reg(new);
        }
    }
}

impl End {
    pub fn targets(&self) -> impl Iterator<Item = BlockId> {
        let (a, b) = match self {
            End::Jump(to) => (Some(*to), None),
            End::Branch { yes, no, .. } => (Some(*yes), Some(*no)),
            End::Return => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// Sends the end somewhere else, by what each target becomes.
    pub fn retarget(&mut self, mut with: impl FnMut(BlockId) -> BlockId) {
        match self {
            End::Jump(to) => *to = with(*to),
            End::Branch { yes, no, .. } => (*yes, *no) = (with(*yes), with(*no)),
            End::Return => {}
        }
    }

    pub fn condition(&self) -> Option<Reg> {
        if let End::Branch { condition, .. } = self { Some(*condition) } else { None }
    }
}

impl Function<'_> {
    /// A block that branches to another in both cases is its predecessor twice.
    pub fn predecessors(&self) -> Lists {
        let mut edges = Vec::with_capacity(2 * self.blocks.len());
        for (at, block) in self.blocks.iter().enumerate() {
            edges.extend(block.end.targets().map(|target| (target, at)));
        }
        Lists::new(self.blocks.len(), &edges)
    }

    /// The blocks that can be reached, each after those that lead to it unless they form a loop. Without recursion,
    /// because a large kernel has deep chains of blocks.
    pub fn reverse_postorder(&self) -> Vec<BlockId> {
        let mut order = Vec::with_capacity(self.blocks.len());
        let mut seen = vec![false; self.blocks.len()];
        let mut stack = Vec::with_capacity(self.blocks.len() + 1);
        stack.push((0, false));
        while let Some((at, is_done)) = stack.pop() {
            if is_done {
                order.push(at);
                continue;
            }
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            stack.push((at, true));
            for target in self.blocks[at].end.targets() {
                if !seen[target] {
                    stack.push((target, false));
                }
            }
        }
        order.reverse();
        order
    }

    /// For each block the one that every path to it goes through last; for the first block itself. The algorithm is
    /// that of Cooper, Harvey and Kennedy: "A Simple, Fast Dominance Algorithm". Blocks that cannot be reached have
    /// none.
    pub fn dominators(&self, order: &[BlockId], predecessors: &Lists) -> Vec<BlockId> {
        const UNKNOWN: usize = usize::MAX;
        let mut position = vec![UNKNOWN; self.blocks.len()];
        for (nth, block) in order.iter().enumerate() {
            position[*block] = nth;
        }
        let mut idom = vec![UNKNOWN; self.blocks.len()];
        idom[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for block in order.iter().skip(1) {
                let mut new = UNKNOWN;
                let mut steps = 0;
                // The last ones first: where many cases of a `switch` meet, the walk goes up their chain once.
                for from in predecessors[*block].iter().rev() {
                    if position[*from] == UNKNOWN || idom[*from] == UNKNOWN {
                        continue;
                    }
                    new = if new == UNKNOWN { *from } else { meet(&idom, &position, new, *from, &mut steps) };
                }
                // Nobody uses the code when this was too much.
                if !budget::work(1 + steps) {
                    new = 0;
                }
                if idom[*block] != new {
                    idom[*block] = new;
                    changed = true;
                }
            }
        }
        idom
    }
}

/// The nearest block that dominates both: whichever comes later in the order goes up.
fn meet(idom: &[BlockId], position: &[usize], mut a: BlockId, mut b: BlockId, steps: &mut usize) -> BlockId {
    while a != b {
        while position[a] > position[b] {
            a = idom[a];
            *steps += 1;
        }
        while position[b] > position[a] {
            b = idom[b];
            *steps += 1;
        }
    }
    a
}
