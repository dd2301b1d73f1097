//! What is the same in every turn of a loop is computed once, before the loop.
//!
//! Only instructions that compute nothing but their results are moved, so no access to memory changes its place or its
//! number. They are computed before the first turn even if a branch in the loop might not need them, which costs one
//! instruction and can neither fault nor be noticed. Left out: loads, which another thread's store might change.
//!
//! It is the textbook's loop-invariant code motion, on natural loops (a back edge, and everything that reaches it
//! without passing the header).
//!
//! ```text
//! loop:                                   mul.wide.s32 %rd2, %r1, 4;
//!     mul.wide.s32 %rd2, %r1, 4;          loop:
//!     add.s64 %rd3, %rd4, %rd2;    ->         add.s64 %rd3, %rd4, %rd2;     %rd4 changes in the loop
//! ```

use crate::code::{Block, BlockId, End, Function, Inst, Op};
use crate::source::budget;

/// Says whether there are loops.
pub(super) fn hoist(function: &mut Function<'_>) -> bool {
    let headers = headers(function);
    if headers.is_empty() {
        return false;
    }
    enter(function, &headers);
    let loops = loops(function, headers);
    let mut writes = vec![0u32; function.regs.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        inst.dsts.iter().for_each(|dst| writes[*dst as usize] += 1);
    }
    let mut is_changed = vec![0u32; function.regs.len()];
    // What an inner loop gives away may leave the outer one as well, whose header comes before that of the inner one.
    for (nth, found) in (1..).zip(loops.iter().rev()) {
        empty(function, found, &writes, &mut is_changed, nth);
    }
    true
}

/// A loop: the block before it, and its own in the order of the text.
struct Loop {
    before: BlockId,
    blocks: Vec<BlockId>,
}

/// The blocks to which a later one that they dominate goes back, each with those that do.
fn headers(function: &Function<'_>) -> Vec<(BlockId, Vec<BlockId>)> {
    let order = function.reverse_postorder();
    let predecessors = function.predecessors();
    let idom = function.dominators(&order, &predecessors);
    let mut position = vec![0; function.blocks.len()];
    order.iter().enumerate().for_each(|(nth, block)| position[*block] = nth);
    let dominates = |header: BlockId, mut block: BlockId| {
        // A block that comes before the header is not dominated by it, and neither is what dominates that block.
        while position[block] >= position[header] && budget::work(1) && block != header && block != 0 {
            block = idom[block];
        }
        block == header
    };
    let is_reachable = |block: BlockId| idom[block] != usize::MAX;
    let back = |header: BlockId| {
        let from = predecessors[header].iter().copied();
        from.filter(|from| is_reachable(*from) && dominates(header, *from)).collect::<Vec<_>>()
    };
    // Nothing could be put before the first block.
    let found = order.iter().skip(1).map(|header| (*header, back(*header)));
    found.filter(|(_, back)| !back.is_empty()).collect()
}

/// Gives each loop a block of its own from which it is entered. Jumps from inside of the loop still go to the header;
/// all others come by way of the new block.
fn enter(function: &mut Function<'_>, headers: &[(BlockId, Vec<BlockId>)]) {
    for (header, back) in headers {
        let before = function.blocks.len();
        if !budget::work(before / 4) {
            return;
        }
        for (at, block) in function.blocks.iter_mut().enumerate() {
            if !back.contains(&at) {
                block.end.retarget(|target| if target == *header { before } else { target });
            }
        }
        let line = function.blocks[*header].line;
        function.blocks.push(Block { insts: Vec::new(), end: End::Jump(*header), line });
    }
}

/// The loops, each of which is entered from one block.
fn loops(function: &Function<'_>, headers: Vec<(BlockId, Vec<BlockId>)>) -> Vec<Loop> {
    let order = function.reverse_postorder();
    let predecessors = function.predecessors();
    let mut found = Vec::new();
    for (header, back) in headers.into_iter().take_while(|_| budget::work(function.blocks.len() / 4)) {
        let before = predecessors[header].iter().copied().find(|from| !back.contains(from));
        let mut inside = vec![false; function.blocks.len()];
        inside[header] = true;
        let mut work = back;
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut inside[block], true) {
                work.extend(&predecessors[block]);
            }
        }
        let blocks = order.iter().copied().filter(|block| inside[*block]).collect();
        found.extend(before.map(|before| Loop { before, blocks }));
    }
    found
}

/// Moves out of a loop what does not change in it. Registers that it changes are marked with its number. An instruction
/// moves if its operands do not change in the loop and it is the only one that writes its result; then all that read
/// the result come after it.
fn empty(function: &mut Function<'_>, found: &Loop, writes: &[u32], changed: &mut [u32], nth: u32) {
    for inst in found.blocks.iter().flat_map(|block| &function.blocks[*block].insts) {
        inst.dsts.iter().for_each(|dst| changed[*dst as usize] = nth);
    }
    let mut moved = Vec::new();
    for block in &found.blocks {
        moved.extend(function.blocks[*block].insts.extract_if(.., |inst| {
            let is_same = can_move(inst)
                && inst.dsts.iter().all(|dst| writes[*dst as usize] == 1)
                && inst.reads().all(|reg| changed[reg as usize] != nth);
            if is_same {
                // It no longer changes in the loop, and what depends on it may follow.
                inst.dsts.iter().for_each(|dst| changed[*dst as usize] = 0);
            }
            is_same
        }));
    }
    function.blocks[found.before].insts.extend(moved);
}

/// Whether an instruction may be carried out anywhere and any number of times. Text of `asm` is excluded, although some
/// of it would be pure.
fn can_move(inst: &Inst<'_>) -> bool {
    inst.op.is_pure() && !matches!(inst.op, Op::Ptx(_)) && !inst.dsts.is_empty()
}
