//! Reductions that are put off until all blocks have run, and then carried out in the order in which one core would have done it.
//!
//! A sum of floating-point numbers depends on the order of its parts. Which parts there are does not, as long as nobody
//! reads the sum. So each fork of memory keeps a log of them, with the block and the turn in which each was added. On one
//! core every resident block takes one turn in each round, and the next block of the grid takes the place of one that has
//! ended. So the lengths of the blocks, in turns, are enough to find out in which round and at which place among the residents
//! each turn would have been taken.
//!
//! Left out: operations with two operands, and exchanges, which a loop that waits for a lock may contain. The log is bounded.
//! Where it is full, the blocks are run on one core.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::sums::Reduction;

/// What all logs of a launch may hold together: operations, and blocks that are not as most are. About 128 MiB.
pub const MOST: usize = 1 << 22;

/// A moment in the life of a block: twice the number of its turn, of which the first is 1, or one more in the probe after that
/// turn.
pub type Moment = u64;

/// The moment in which a block ends that takes only one turn.
const FIRST_TURN: Moment = 2;

/// An operation on a word.
#[derive(Clone, Copy, Debug)]
pub struct PutOff {
    moment: Moment,
    /// Its allocation.
    pub region: u32,
    /// The index of its reduction.
    kind: u8,
    /// The first byte in the allocation.
    pub offset: usize,
    /// What is added.
    pub operand: u64,
}

/// A block that did such operations, or took more than one turn.
#[derive(Clone, Copy, Debug)]
struct Life {
    block: u64,
    /// When it ended.
    end: Moment,
    /// The index after its last operation.
    last: usize,
}

/// What the blocks on one fork have put off.
#[derive(Clone, Debug, Default)]
pub struct Log {
    operations: Vec<PutOff>,
    reductions: Vec<Reduction>,
    lives: Vec<Life>,
    /// The block that runs, and the moment in its life.
    now: (u64, Moment),
    /// How much this log may hold. None is kept of a launch that puts nothing off.
    most: usize,
}

impl Log {
    /// Empties the log, which from now on may hold so much.
    pub fn start(&mut self, most: usize) {
        *self = Log { most, ..Log::default() };
    }

    /// Tells which block runs from now on, and in which moment of its life.
    pub fn set_now(&mut self, block: u64, moment: Moment) {
        self.now = (block, moment);
    }

    /// Whether it may hold anything.
    pub fn is_kept(&self) -> bool {
        self.most != 0
    }

    /// Whether nothing was put off.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    fn reduction(&self, one: &PutOff) -> Reduction {
        self.reductions[usize::from(one.kind)]
    }

    /// Puts an operation off; whether there was room for it.
    pub fn add(&mut self, region: usize, offset: usize, reduction: Reduction, operand: u64) -> bool {
        let known = self.reductions.iter().position(|known| known.number == reduction.number);
        let kind = known.unwrap_or_else(|| {
            self.reductions.push(reduction);
            self.reductions.len() - 1
        });
        let has_room = self.operations.len() < self.most;
        if has_room {
            let (kind, region) = (kind as u8, region as u32);
            self.operations.push(PutOff { moment: self.now.1, region, kind, offset, operand });
        }
        has_room
    }

    /// Ends the block that runs; whether there was room for what has to be known of it.
    pub fn end_block(&mut self) -> bool {
        let ((block, end), last) = (self.now, self.operations.len());
        if !self.is_kept() || end == FIRST_TURN && last == self.lives.last().map_or(0, |life| life.last) {
            return true;
        }
        self.lives.push(Life { block, end, last });
        self.lives.len() <= self.most
    }
}

/// All operations of these logs, each with its reduction, in the order of one core on which so many blocks take turns beside
/// each other.
pub fn in_order<'l>(logs: &[&'l Log], residents: u64) -> Vec<(Reduction, &'l PutOff)> {
    if logs.iter().all(|log| log.is_empty()) {
        return Vec::new();
    }
    let mut lives: Vec<(Life, usize, &'l Log)> = Vec::new();
    for log in logs {
        let mut first = 0;
        lives.extend(log.lives.iter().map(|&life| (life, std::mem::replace(&mut first, life.last), *log)));
    }
    lives.sort_unstable_by_key(|(life, ..)| life.block);
    let (mut turns, mut ordered) = (Turns { residents, ends: BinaryHeap::new(), next: 0 }, Vec::new());
    for (life, first, log) in lives {
        let (start, place) = turns.life_of(life.block, life.end);
        let operations = log.operations[first..life.last].iter();
        ordered.extend(operations.map(|one| ((start + one.moment, place), log.reduction(one), one)));
    }
    // Those of one turn are in their order, and stay in it.
    ordered.sort_by_key(|&(when, ..)| when);
    ordered.into_iter().map(|(_, reduction, one)| (reduction, one)).collect()
}

/// When and where blocks would have started on one core.
struct Turns {
    residents: u64,
    /// When and where blocks end whose place no other block has taken, the first of them on top.
    ends: BinaryHeap<Reverse<(Moment, u64)>>,
    /// The next block of the grid.
    next: u64,
}

impl Turns {
    /// When and where a block starts that ends at a moment of its life. It has to come after those that were asked for before; the
    /// blocks between them take one turn each.
    fn life_of(&mut self, block: u64, end: Moment) -> (Moment, u64) {
        while self.next < block {
            self.start_next(FIRST_TURN);
        }
        self.start_next(end)
    }

    fn start_next(&mut self, end: Moment) -> (Moment, u64) {
        let free = if self.next < self.residents { None } else { self.ends.pop() };
        // A block starts at the end of the round in which the one before it has ended, and takes its first turn in the next.
        let (start, place) = free.map_or((0, self.next), |Reverse((ended, place))| (ended & !1, place));
        self.ends.push(Reverse((start + end, place)));
        self.next += 1;
        (start, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: Reduction = Reduction { number: 24, bytes: 4, in_order: true, update: |_, b, _| b };

    /// The blocks of the grid by number, each with the moments of its operations and its end, on so many forks.
    fn order(residents: u64, forks: usize, lives: &[(&[Moment], Moment)]) -> Vec<u64> {
        let mut logs = vec![Log::default(); forks];
        logs.iter_mut().for_each(|log| log.start(MOST));
        for (block, (moments, end)) in lives.iter().enumerate() {
            let log = &mut logs[block * 7 / 3 % forks];
            for (number, &moment) in moments.iter().enumerate() {
                log.set_now(block as u64, moment);
                assert!(log.add(0, 0, SUM, (block * 10 + number) as u64));
            }
            log.set_now(block as u64, *end);
            assert!(log.end_block());
        }
        let logs: Vec<&Log> = logs.iter().collect();
        in_order(&logs, residents).into_iter().map(|(_, one)| one.operand).collect()
    }

    #[test]
    fn blocks_of_one_turn_come_in_their_order() {
        for forks in 1..4 {
            let blocks: [(&[Moment], Moment); 5] =
                [(&[2, 2], 2), (&[2], 2), (&[], 2), (&[2, 2], 2), (&[2], 2)];
            for residents in 1..6 {
                assert_eq!(order(residents, forks, &blocks), [0, 1, 10, 30, 31, 40]);
            }
        }
    }

    #[test]
    fn turns_of_residents_alternate() {
        // One after the other, or in rounds.
        let blocks: [(&[Moment], Moment); 3] = [(&[2, 4, 6], 6), (&[2, 4], 4), (&[2], 2)];
        for forks in 1..4 {
            assert_eq!(order(1, forks, &blocks), [0, 1, 2, 10, 11, 20]);
            assert_eq!(order(2, forks, &blocks), [0, 10, 1, 11, 2, 20]);
            assert_eq!(order(3, forks, &blocks), [0, 10, 20, 1, 11, 2]);
        }
    }

    #[test]
    fn what_a_probe_does_comes_after_the_turns_of_all() {
        // The third block starts where the second has ended in a turn, before that of the first ends in a probe.
        let blocks: [(&[Moment], Moment); 4] = [(&[2, 3], 3), (&[2], 2), (&[2, 4], 4), (&[2, 4], 4)];
        for forks in 1..4 {
            assert_eq!(order(2, forks, &blocks), [0, 10, 1, 30, 20, 31, 21]);
        }
    }

    #[test]
    fn blocks_that_put_nothing_off_take_their_turns_too() {
        let blocks: [(&[Moment], Moment); 4] = [(&[], 8), (&[2], 2), (&[4], 4), (&[6], 6)];
        for forks in 1..4 {
            // The first keeps its place for four rounds, so the others come one after the other.
            assert_eq!(order(2, forks, &blocks), [10, 20, 30]);
            assert_eq!(order(4, forks, &blocks), [10, 20, 30]);
        }
        let blocks: [(&[Moment], Moment); 3] = [(&[], 8), (&[6], 6), (&[2], 2)];
        assert_eq!(order(2, 2, &blocks), [10, 20]);
        assert_eq!(order(3, 2, &blocks), [20, 10]);
    }

    #[test]
    fn a_log_that_is_full_says_so() {
        let mut log = Log::default();
        log.start(1);
        assert!(log.add(0, 0, SUM, 1));
        assert!(!log.add(0, 0, SUM, 1));
        assert!(log.end_block());
        log.set_now(1, 4);
        assert!(!log.end_block());
    }
}
