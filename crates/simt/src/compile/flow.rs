//! Where the two sides of a branch meet again: immediate post-dominators.
//!
//! One graph of basic blocks a function, with a virtual exit that every end of a thread leads to. A block that
//! cannot reach it (an endless loop) gets an edge to it, so that every block has a post-dominator.
//!
//! Lanes that end do not have to be met: a guarded `exit`, and a branch straight to one, do not keep the lanes
//! that go on from meeting where they would otherwise.
//! The method is that of Lengauer and Tarjan on the reversed graph, in its simple form. It takes little more time than a look at
//! each edge: a text may have half a million branches, and all may lead to one label.

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
        let (previous, exit) = (self.previous(), self.exit());
        let mut reached = vec![false; exit + 1];
        for block in (0..=exit).rev() {
            if reached[block] {
                continue;
            }
            if block != exit {
                self.next[block].push(exit);
            }
            reached[block] = true;
            let mut left = vec![block];
            while let Some(block) = left.pop() {
                let new =
                    previous[block].iter().filter(|&&before| !std::mem::replace(&mut reached[before], true));
                left.extend(new);
            }
        }
    }

    /// The blocks in the order in which a depth-first search from the exit comes to them against the edges, each with the place of
    /// the one from which it does.
    fn backwards_from_exit(&self) -> Vec<(usize, usize)> {
        let previous = self.previous();
        let mut seen = vec![false; self.exit() + 1];
        let mut order = Vec::new();
        let mut left = vec![(self.exit(), 0)];
        while let Some((block, from)) = left.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                left.extend(previous[block].iter().map(|&before| (before, order.len())));
                order.push((block, from));
            }
        }
        order
    }

    /// The immediate post-dominator of each block; the exit is its own.
    fn post_dominators(&self) -> Vec<usize> {
        let order = self.backwards_from_exit();
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &(block, _))| place[block] = at);
        let mut forest = Forest::new(order.len());
        let mut nearest = vec![0; order.len()];
        let mut buckets = vec![Vec::new(); order.len()];
        for (at, &(block, from)) in order.iter().enumerate().skip(1).rev() {
            for &next in &self.next[block] {
                let best = forest.best(place[next]);
                forest.semi[at] = forest.semi[at].min(forest.semi[best]);
            }
            buckets[forest.semi[at]].push(at);
            forest.above[at] = from;
            for below in std::mem::take(&mut buckets[from]) {
                let best = forest.best(below);
                nearest[below] = if forest.semi[best] < forest.semi[below] { best } else { from };
            }
        }
        for at in 1..order.len() {
            if nearest[at] != forest.semi[at] {
                nearest[at] = nearest[nearest[at]];
            }
        }
        place.iter().map(|&at| order[nearest[at]].0).collect()
    }
}

/// The part of the tree of the search that has been looked at: blocks by their places in its order.
struct Forest {
    /// The semidominator of each, as far as it is known.
    semi: Vec<usize>,
    /// One above it in the tree, at first [`ROOT`].
    above: Vec<usize>,
    /// The one with the lowest semidominator on the way there.
    best: Vec<usize>,
}

const ROOT: usize = usize::MAX;

impl Forest {
    fn new(blocks: usize) -> Forest {
        Forest { semi: (0..blocks).collect(), above: vec![ROOT; blocks], best: (0..blocks).collect() }
    }

    /// The block with the lowest semidominator between one and the root of its tree, which is left out. The ways of all blocks that
    /// it passes become short.
    fn best(&mut self, at: usize) -> usize {
        let (mut way, mut up) = (Vec::new(), at);
        while self.above[up] != ROOT && self.above[self.above[up]] != ROOT {
            way.push(up);
            up = self.above[up];
        }
        for block in way.into_iter().rev() {
            let above = self.above[block];
            if self.semi[self.best[above]] < self.semi[self.best[block]] {
                self.best[block] = self.best[above];
            }
            self.above[block] = self.above[above];
        }
        self.best[at]
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::Random;

    /// Whether the exit is reached from a block on a way around another one.
    fn passes(graph: &Graph, from: usize, around: usize) -> bool {
        let (mut seen, mut left) = (vec![false; graph.exit() + 1], vec![from]);
        while let Some(block) = left.pop() {
            if block != around && !std::mem::replace(&mut seen[block], true) {
                left.extend(graph.next.get(block).into_iter().flatten());
            }
        }
        seen[graph.exit()]
    }

    fn all_after(graph: &Graph, block: usize) -> Vec<usize> {
        (0..=graph.exit()).filter(|&other| other != block && !passes(graph, block, other)).collect()
    }

    #[test]
    fn the_nearest_block_on_all_ways_to_the_exit_is_found() {
        let mut random = Random::new(1);
        for _ in 0..3000 {
            let blocks = 1 + random.below(9_usize);
            let mut successors = || {
                let count = random.below(3_usize);
                (0..count).map(|_| random.below(blocks + 1)).collect()
            };
            let next: Vec<Vec<usize>> = (0..blocks).map(|_| successors()).collect();
            let starts = (0..blocks as Pc).collect();
            let mut graph = Graph { starts, end: blocks as Pc, returns_end_lanes: true, next };
            graph.lead_everything_to_the_exit();
            let found = graph.post_dominators();
            for (block, found) in found.iter().enumerate().take(blocks) {
                let after = all_after(&graph, block);
                let nearest = after.iter().max_by_key(|&&other| all_after(&graph, other).len());
                assert_eq!(Some(found), nearest, "{block} of {:?}", graph.next);
            }
        }
    }
}
