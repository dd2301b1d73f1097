//! Where the two sides of a branch meet again: immediate post-dominators.
//!
//! One graph of basic blocks a function, with a virtual exit that every end of a thread leads to. A block that
//! cannot reach it (an endless loop) gets an edge to it, so that every block has a post-dominator.
//!
//! Lanes that end do not have to be met: a guarded `exit`, and a branch straight to one, do not keep the lanes
//! that go on from meeting where they would otherwise.
//! The method is the iterative one of Cooper, Harvey and Kennedy, on the reversed graph.

use std::ops::Range;

use crate::compile::inst::{Inst, NEVER, Pc};
use crate::isa::op::Op;

/// For each instruction of a function that may part the lanes, where they meet again.
pub fn meeting_points(insts: &[Inst], range: Range<Pc>, is_entry: bool, tables: &[Vec<Pc>]) -> Vec<(Pc, Pc)> {
    let graph = Graph::new(insts, range, is_entry, tables);
    let post = graph.post_dominators();
    let blocks = graph.starts.iter().enumerate();
    blocks
        .filter_map(|(block, _)| {
            let last = graph.last(block);
            let parts = match insts[last as usize].op {
                Op::Branch { .. } => insts[last as usize].guarded,
                Op::BranchIndexed { .. } => true,
                _ => false,
            };
            let meet = graph.starts.get(post[block]).copied().unwrap_or(NEVER);
            parts.then_some((last, meet))
        })
        .collect()
}

/// The basic blocks of a function. The virtual exit is the block after the last.
struct Graph {
    /// First instruction of each block.
    starts: Vec<Pc>,
    /// One past the last instruction of the function.
    end: Pc,
    /// Whether `ret` ends lanes, as it does in a kernel.
    returns_end_lanes: bool,
    /// Blocks that may follow each block.
    next: Vec<Vec<usize>>,
}

impl Graph {
    fn new(insts: &[Inst], range: Range<Pc>, is_entry: bool, tables: &[Vec<Pc>]) -> Graph {
        let mut starts = vec![range.start];
        for pc in range.clone() {
            if ends_block(insts[pc as usize].op) {
                starts.extend(successors(insts, pc, tables));
                starts.push(pc + 1);
            }
        }
        starts.retain(|&pc| pc < range.end);
        starts.sort_unstable();
        starts.dedup();
        let mut graph = Graph { starts, end: range.end, returns_end_lanes: is_entry, next: Vec::new() };
        graph.next = (0..graph.starts.len()).map(|block| graph.edges(insts, block, tables)).collect();
        graph.lead_everything_to_the_exit();
        graph
    }

    fn exit(&self) -> usize {
        self.starts.len()
    }

    fn last(&self, block: usize) -> Pc {
        self.starts.get(block + 1).copied().unwrap_or(self.end) - 1
    }

    fn edges(&self, insts: &[Inst], block: usize, tables: &[Vec<Pc>]) -> Vec<usize> {
        let last = self.last(block);
        let inst = &insts[last as usize];
        let block_at = |pc: Pc| if pc >= self.end { self.exit() } else { self.block_of(pc) };
        let mut targets = successors(insts, last, tables);
        if targets.iter().any(|&pc| !self.only_ends(insts, pc)) {
            targets.retain(|&pc| !self.only_ends(insts, pc));
        }
        let mut next: Vec<usize> = targets.into_iter().map(block_at).collect();
        if next.is_empty() || (matches!(inst.op, Op::Return) && !self.returns_end_lanes) {
            next.push(self.exit());
        }
        next
    }

    /// Whether lanes that come to `pc` end there.
    fn only_ends(&self, insts: &[Inst], pc: Pc) -> bool {
        pc < self.end
            && match &insts[pc as usize] {
                Inst { guarded: true, .. } => false,
                Inst { op: Op::Return, .. } => self.returns_end_lanes,
                Inst { op, .. } => matches!(op, Op::Exit | Op::Trap),
            }
    }

    fn block_of(&self, pc: Pc) -> usize {
        self.starts.partition_point(|&start| start <= pc) - 1
    }

    fn previous(&self) -> Vec<Vec<usize>> {
        let mut previous = vec![Vec::new(); self.exit() + 1];
        for (block, next) in self.next.iter().enumerate() {
            for &successor in next {
                previous[successor].push(block);
            }
        }
        previous
    }

    /// Adds an edge to the exit for blocks that cannot reach it, last ones first: one edge a loop.
    fn lead_everything_to_the_exit(&mut self) {
        loop {
            let mut reached = vec![false; self.exit() + 1];
            for block in self.backwards_from_exit() {
                reached[block] = true;
            }
            let Some(lost) = (0..self.exit()).rev().find(|&block| !reached[block]) else { return };
            let exit = self.exit();
            self.next[lost].push(exit);
        }
    }

    /// Blocks that reach the exit, in postorder of the reversed graph, the exit last.
    fn backwards_from_exit(&self) -> Vec<usize> {
        let previous = self.previous();
        let mut seen = vec![false; self.exit() + 1];
        let mut order = Vec::new();
        let mut stack = vec![(self.exit(), 0)];
        seen[self.exit()] = true;
        while let Some((block, edge)) = stack.pop() {
            let Some(&before) = previous[block].get(edge) else {
                order.push(block);
                continue;
            };
            stack.push((block, edge + 1));
            if !std::mem::replace(&mut seen[before], true) {
                stack.push((before, 0));
            }
        }
        order
    }

    /// The immediate post-dominator of each block; the exit is its own.
    fn post_dominators(&self) -> Vec<usize> {
        let postorder = self.backwards_from_exit();
        let mut rank = vec![0; self.exit() + 1];
        postorder.iter().enumerate().for_each(|(at, &block)| rank[block] = at);
        let mut post = vec![usize::MAX; self.exit() + 1];
        post[self.exit()] = self.exit();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in postorder.iter().rev().skip(1) {
                let known = self.next[block].iter().copied().filter(|&next| post[next] != usize::MAX);
                let new = known.reduce(|one, other| common(&post, &rank, one, other));
                let new = new.expect("a block before the exit has a successor that was visited first");
                changed |= std::mem::replace(&mut post[block], new) != new;
            }
        }
        post
    }
}

/// The nearest block that post-dominates both.
fn common(post: &[usize], rank: &[usize], mut one: usize, mut other: usize) -> usize {
    while one != other {
        if rank[one] < rank[other] {
            one = post[one];
        } else {
            other = post[other];
        }
    }
    one
}

fn ends_block(op: Op) -> bool {
    matches!(op, Op::Branch { .. } | Op::BranchIndexed { .. } | Op::Return | Op::Exit | Op::Trap)
}

/// The instructions of the function that may come next.
pub fn successors(insts: &[Inst], pc: Pc, tables: &[Vec<Pc>]) -> Vec<Pc> {
    let inst = &insts[pc as usize];
    let mut next = match inst.op {
        Op::Branch { target, .. } => vec![target],
        Op::BranchIndexed { list, .. } => tables[list as usize].clone(),
        Op::Return | Op::Exit | Op::Trap => Vec::new(),
        _ => return vec![pc + 1],
    };
    if inst.guarded {
        next.push(pc + 1);
    }
    next
}
