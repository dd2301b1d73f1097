//! Blocks: empty ones are skipped, those that follow each other become one, unreachable ones disappear. What is left is in
//! reverse postorder.
//!
//! Other passes leave jumps to jumps and empty blocks where that is easier for them. The order is what `number` and
//! `emit` expect: a block comes after those that lead to it, and falls into the next where it can.
//!
//! ```text
//! 0: a, jump 1      1: jump 2      2: b, jump 4      3: c, jump 2      4: return
//!
//! thread: 0 jumps to 2       merge: 0, 2 and 4 become one     compact: 1 and 3 are gone if nothing leads there
//! ```

use crate::code::{Block, End, Function};

/// First jumps are shortened, then chains of blocks joined, then the rest is put in order: each makes work for the
/// next.
pub(super) fn simplify(function: &mut Function<'_>) {
    thread(function);
    let order = merge(function);
    compact(function, &order);
}

/// The same for a function whose branches are still what `simplify` has made them: only if a block has become empty.
pub(super) fn skip_empty(function: &mut Function<'_>) {
    if function.blocks.iter().any(|block| block.insts.is_empty()) {
        simplify(function);
    }
}

/// Jumps to a block that only jumps go where that leads.
fn thread(function: &mut Function<'_>) {
    let targets: Vec<usize> = (0..function.blocks.len()).map(|block| destination(function, block)).collect();
    for block in &mut function.blocks {
        block.end.retarget(|target| targets[target]);
        if let End::Branch { yes, no, .. } = block.end
            && yes == no
        {
            block.end = End::Jump(yes);
        }
    }
}

/// The first block on the way that does something.
fn destination(function: &Function<'_>, start: usize) -> usize {
    let mut at = start;
    // A loop of empty blocks has no end.
    for _ in 0..64 {
        match &function.blocks[at] {
            Block { insts, end: End::Jump(to), .. } if insts.is_empty() && *to != at => at = *to,
            _ => return at,
        }
    }
    at
}

/// A block whose only successor has no other predecessor absorbs it. Returns the blocks that are left, each after those that
/// lead to it.
fn merge(function: &mut Function<'_>) -> Vec<usize> {
    let mut count = vec![0usize; function.blocks.len()];
    // The first block is entered from outside, and can never be absorbed.
    count[0] = 1;
    let mut order = function.reverse_postorder();
    for block in &order {
        for target in function.blocks[*block].end.targets() {
            count[target] += 1;
        }
    }
    for block in &order {
        while let End::Jump(next) = function.blocks[*block].end {
            if next == *block || count[next] != 1 {
                break;
            }
            let absorbed = &mut function.blocks[next];
            let (end, line) = (std::mem::replace(&mut absorbed.end, End::Return), absorbed.line);
            let insts = std::mem::take(&mut absorbed.insts);
            count[next] = 0;
            let own = &mut function.blocks[*block];
            own.insts.extend(insts);
            (own.end, own.line) = (end, line);
        }
    }
    order.retain(|block| count[*block] > 0);
    order
}

/// Removes blocks that nothing leads to, and puts the others in this order.
fn compact(function: &mut Function<'_>, order: &[usize]) {
    if order.len() == function.blocks.len() && order.is_sorted() {
        return;
    }
    let mut places = vec![usize::MAX; function.blocks.len()];
    let mut old = std::mem::take(&mut function.blocks);
    for (nth, block) in order.iter().enumerate() {
        places[*block] = nth;
    }
    for block in order {
        let Block { insts, end, line } = &mut old[*block];
        end.retarget(|target| places[target]);
        let (insts, end) = (std::mem::take(insts), std::mem::replace(end, End::Return));
        function.blocks.push(Block { insts, end, line: *line });
    }
}
