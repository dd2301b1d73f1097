//! Blocks: empty ones are skipped, those that follow each other become one, unreachable ones disappear.

use crate::code::{Block, End, Function};

pub(super) fn simplify(function: &mut Function) {
    thread(function);
    merge(function);
    compact(function);
}

/// Jumps to a block that only jumps go where that leads.
fn thread(function: &mut Function) {
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

fn destination(function: &Function, start: usize) -> usize {
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

/// A block whose only successor has no other predecessor absorbs it.
fn merge(function: &mut Function) {
    let mut count = vec![0usize; function.blocks.len()];
    count[0] = 1;
    let order = function.reverse_postorder();
    for block in &order {
        for target in function.blocks[*block].end.targets() {
            count[target] += 1;
        }
    }
    for block in order {
        while let End::Jump(next) = function.blocks[block].end {
            if next == block || count[next] != 1 {
                break;
            }
            let insts = std::mem::take(&mut function.blocks[next].insts);
            let (end, line) = (function.blocks[next].end.clone(), function.blocks[next].line);
            function.blocks[next].end = End::Return;
            count[next] = 0;
            let own = &mut function.blocks[block];
            own.insts.extend(insts);
            (own.end, own.line) = (end, line);
        }
    }
}

/// Removes blocks that nothing leads to, and puts the others in the order of the text.
fn compact(function: &mut Function) {
    let order = layout(function);
    let mut places = vec![usize::MAX; function.blocks.len()];
    for (nth, block) in order.iter().enumerate() {
        places[*block] = nth;
    }
    let mut old: Vec<Option<Block>> = std::mem::take(&mut function.blocks).into_iter().map(Some).collect();
    for block in order {
        if let Some(mut block) = old[block].take() {
            block.end.retarget(|target| places[target]);
            function.blocks.push(block);
        }
    }
}

/// Each block is followed by where it falls through to, if that is free.
fn layout(function: &Function) -> Vec<usize> {
    let reachable = function.reverse_postorder();
    let mut is_reachable = vec![false; function.blocks.len()];
    for block in &reachable {
        is_reachable[*block] = true;
    }
    // Blocks are made in the order of the text, except for those after loops and branches.
    reachable
}
