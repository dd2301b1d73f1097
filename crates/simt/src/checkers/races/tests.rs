//! Compares the race checker with a slow one that remembers everything, on random accesses and barriers of a few warps.
//!
//! The slow checker compares each access with all earlier ones, byte by byte, using the same vector clocks. Every race
//! that the race checker reports must be one for the slow checker. The first race of each byte that the slow checker
//! finds must also be reported. The fast paths for many lanes have to report and record the same as a check lane by
//! lane. Synchronisation through memory is left out, because only a whole run shows it; the litmus tests cover it.

use test_support::Random;

use crate::checkers::races::*;
use crate::machine::registers::FULL_MASK;
use crate::order::Space;

const WARPS: usize = 3;
/// The accesses are to these bytes, on both sides of the boundary of two pages of shadow memory.
const START: u64 = 4096 - 256;
const BYTES: u64 = 512;

/// An access as the slow checker remembers it.
struct Known {
    by: Epoch,
    kind: OpKind,
    scope: Option<Scope>,
    read_only: bool,
    range: ByteRange,
}

/// Some of the bytes, counted from the first of them.
fn range_at(offset: u64, bytes: u8) -> ByteRange {
    ByteRange { space: Space::Global(0), offset: START + offset, bytes }
}

struct Bench {
    clocks: Clocks,
    races: Races,
    /// A race checker that gets every access lane by lane.
    plain: Races,
    known: Vec<Known>,
    /// Bytes that have raced already. The race checker need not report races with what came before.
    raced: Vec<bool>,
    random: Random,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let mut clocks = Clocks::new(2, false);
        (0..2).for_each(|slot| clocks.start(slot, slot as u64, WARPS as u32 * 32));
        let (races, plain, raced) = (Races::new(2), Races::new(2), vec![false; BYTES as usize]);
        Bench { clocks, races, plain, known: Vec::new(), raced, random: Random::new(seed) }
    }

    /// Whether the slow checker finds a race of this access, and whether it is the first race of some byte.
    fn slow(&mut self, id: LaneId, access: Access, range: ByteRange) -> (bool, bool) {
        let own = self.clocks.block(id.slot);
        let (mut any, mut first) = (false, false);
        for known in &self.known {
            let both_load = known.kind == OpKind::Load && access.kind == OpKind::Load;
            let strong = known.scope.zip(access.scope).is_some_and(|(one, other)| {
                let block = known.by.thread.block;
                self.clocks.includes(one, block, own)
                    && self.clocks.includes(other, own, block)
                    && known.range == range
            });
            let start = known.range.offset.max(range.offset);
            let end = (known.range.offset + u64::from(known.range.bytes))
                .min(range.offset + u64::from(range.bytes));
            let breaks_promise = known.read_only || access.read_only;
            let in_order = !breaks_promise && (strong || self.clocks.is_ordered_after(id, known.by));
            if both_load || start >= end || in_order {
                continue;
            }
            any = true;
            for byte in start..end {
                first |= !std::mem::replace(&mut self.raced[(byte - START) as usize], true);
            }
        }
        let Access { kind, scope, read_only, .. } = access;
        self.known.push(Known { by: self.clocks.epoch(id), kind, scope, read_only, range });
        (any, first)
    }

    fn access(&mut self, id: LaneId, access: Access, offset: u64, bytes: u8) {
        let range = range_at(offset, bytes);
        let found = self.races.check_and_record(&self.clocks, id, access, range, 0, |_, _| false);
        self.compare(found, id, access, range);
    }

    fn compare(&mut self, found: Option<Conflict>, id: LaneId, access: Access, range: ByteRange) {
        let plain = self.plain.check_and_record(&self.clocks, id, access, range, 0, |_, _| false);
        assert_eq!(format!("{found:?}"), format!("{plain:?}"), "{id:?}, {access:?}, {range:?}");
        let (any, first) = self.slow(id, access, range);
        assert!(found.is_none() || any, "false alarm: {id:?}, {access:?}, {range:?}");
        assert!(found.is_some() || !first, "missed: {id:?}, {access:?}, {range:?}");
    }

    /// Both race checkers have recorded the same for every byte.
    fn compare_all(&mut self) {
        let remembered = |races: &mut Races, at: u64| {
            let (shadow, lists) = races.shadow(Space::Global(0), 0);
            let word = ByteRange { space: Space::Global(0), offset: at / 4 * 4, bytes: 4 };
            let at =
                shadow.cells(word, lists).take_while(|&cell| cell <= at).last().expect("a word has cells");
            let loads = shadow.loads(at);
            let single = || (loads.mask != 0).then(|| Entry::plain_load(loads, word)).into_iter().collect();
            let mut known = loads.as_list().map_or_else(single, |list| lists.entries(list).to_vec());
            // Of a plain load, only the lanes are known for each word, not which other words it loaded.
            let plain = known.iter_mut().filter(|entry| entry.kind == OpKind::Load && entry.scope.is_none());
            plain.for_each(|entry| entry.range = word);
            format!("{:?}, {known:?}", shadow.store(at))
        };
        for at in START..START + BYTES {
            assert_eq!(remembered(&mut self.races, at), remembered(&mut self.plain, at), "byte {at}");
        }
    }

    /// Accesses to words with a constant stride, on the fast path if it can tell, and otherwise lane by lane.
    fn check_row(&mut self, slot: usize, warp: usize, access: Access) {
        let width = 1 << self.random.below(3_u64).saturating_sub(self.random.below(2));
        let any = self.random.bits() as u32;
        let mask = [FULL_MASK, FULL_MASK, 0xffff, 0x5555_5555, 0x0101_0101, any, 1 << (any % 32)]
            [self.random.below(7) as usize];
        let step = match self.random.below(8) {
            0..4 => width,
            4 if width == 1 => -1 - self.random.below(3) as i64,
            5 => width * 32,
            _ => width * (1 + self.random.below(5) as i64),
        };
        // Lanes outside of the memory take no part. The first active lane is near the start or the end.
        let first = match self.random.below(3) {
            0 => 0,
            _ => self.random.below(BYTES / 4 / width as u64) as i64 * width,
        } - i64::from(mask.trailing_zeros()) * step.min(4);
        let at = |lane: usize| first + lane as i64 * step;
        let inside = |lane: &usize| at(*lane) >= 0 && at(*lane) + width <= BYTES as i64 / 4;
        let mask = lanes_of(mask).filter(inside).fold(0, |mask, lane| mask | 1 << lane);
        let row = Row { first: first + START as i64 / 4, step, width: width as u32, mask };
        let warp_clock = self.clocks.warp_clock(slot, warp);
        let left = self.races.check_row(&warp_clock, slot, access, Space::Global(0), row);
        for lane in lanes_of(mask) {
            let id = LaneId { slot, warp, lane };
            let (offset, bytes) = (at(lane) as u64 * 4, width as u8 * 4);
            if left >> lane & 1 == 0 {
                self.compare(None, id, access, range_at(offset, bytes));
            } else {
                self.access(id, access, offset, bytes);
            }
        }
    }

    /// A load of one range by several lanes, in the same way.
    fn check_broadcast(&mut self, slot: usize, warp: usize, access: Access) {
        let bytes = [1, 4, 8][self.random.below(3) as usize];
        let offset = self.random.below(BYTES / bytes) * bytes;
        let range = range_at(offset, bytes as u8);
        let mask = self.random.bits() as u32 | 1;
        let warp_clock = self.clocks.warp_clock(slot, warp);
        let done = self.races.check_broadcast(&warp_clock, slot, access, range, mask);
        for lane in lanes_of(mask) {
            let id = LaneId { slot, warp, lane };
            if done {
                self.compare(None, id, access, range);
            } else {
                self.access(id, access, offset, range.bytes);
            }
        }
    }

    /// Accesses to neighbouring words by threads that follow each other, at once if that is certain not to race.
    fn check_stretch(&mut self, slot: usize, pc: u32, kind: OpKind) {
        let read_only = kind == OpKind::Load && self.random.below(8) == 0;
        let access = Access { pc, kind, scope: None, read_only, volatile: None };
        let width = [1, 1, 1, 2][self.random.below(4) as usize];
        let first = self.random.below(WARPS as u64) as usize * 32;
        let room = (BYTES / 4 / width) as usize;
        let threads = [1, 7, 32, 40, 64, 96][self.random.below(6) as usize].min(WARPS * 32 - first).min(room);
        let word = [0, 0, 64 - 32, self.random.below(128)][self.random.below(4) as usize] / width * width;
        let word = word.min(BYTES / 4 - threads as u64 * width);
        let (clocks, races) = (&mut self.clocks, &mut self.races);
        let done = clocks.team_clock(slot).is_some_and(|clock| {
            let (is_store, word) = (kind == OpKind::Store, START / 4 + word);
            let new = Stretch::new(clock, access.flags(), is_store, word, width, first..first + threads);
            races.check_stretch(clock, slot, Space::Global(0), new)
        });
        for thread in first..first + threads {
            let id = LaneId { slot, warp: thread / 32, lane: thread % 32 };
            let (offset, bytes) = ((word + (thread - first) as u64 * width) * 4, width as u8 * 4);
            if done {
                self.compare(None, id, access, range_at(offset, bytes));
            } else {
                self.access(id, access, offset, bytes);
            }
        }
    }

    /// A step of a launch in which most accesses are those of a whole block.
    fn step_of_team(&mut self, pc: u32) {
        let slot = self.random.below(9) as usize / 8;
        match self.random.below(64) {
            0..24 => self.clocks.block_barrier(slot),
            24..40 => self.check_stretch(slot, pc, OpKind::Load),
            40..60 => self.check_stretch(slot, pc, OpKind::Store),
            _ => self.step(pc),
        }
    }

    fn step(&mut self, pc: u32) {
        let (slot, warp) = (self.random.below(5) as usize / 4, self.random.below(WARPS as u64) as usize);
        let kind = if self.random.below(3) == 0 { OpKind::Store } else { OpKind::Load };
        let read_only = kind == OpKind::Load && self.random.below(16) == 0;
        let weak = Access { pc, kind, scope: None, read_only, volatile: None };
        match self.random.below(16) {
            0..3 => self.clocks.block_barrier(slot),
            3..5 => self.clocks.warp_barrier(slot, warp, u32::MAX),
            5 => {
                let lanes = self.random.bits() as u32 | 1;
                self.clocks.warp_barrier(slot, warp, lanes);
            }
            6..9 => self.check_row(slot, warp, weak),
            9 => self.check_broadcast(slot, warp, weak),
            10..14 => {
                let bytes = [1, 2, 4, 8, 16][self.random.below(5) as usize];
                let offset = self.random.below(BYTES / bytes) * bytes;
                let lane = self.random.below(32) as usize;
                self.access(LaneId { slot, warp, lane }, weak, offset, bytes as u8);
            }
            _ => {
                let kind = [OpKind::Load, OpKind::Store, OpKind::Update][self.random.below(3) as usize];
                let scope = Some([Scope::Cta, Scope::Gpu][self.random.below(2) as usize]);
                let bytes = [4, 8][self.random.below(2) as usize];
                let offset = self.random.below(BYTES / bytes) * bytes;
                let lane = self.random.below(32) as usize;
                self.access(
                    LaneId { slot, warp, lane },
                    Access { kind, scope, read_only: false, ..weak },
                    offset,
                    bytes as u8,
                );
            }
        }
    }
}

#[test]
fn it_reports_the_races_that_a_checker_without_limits_reports() {
    for seed in 0..400 {
        let mut bench = Bench::new(seed);
        for pc in 0..60 {
            bench.step(pc);
            if pc % 12 == 11 {
                bench.compare_all();
            }
        }
    }
}

#[test]
fn accesses_of_whole_blocks_are_recorded_like_those_of_their_lanes() {
    for seed in 0..400 {
        let mut bench = Bench::new(seed);
        let steps = 1 + bench.random.below(30) as u32;
        (0..steps).for_each(|pc| bench.step_of_team(pc));
        bench.compare_all();
    }
}

#[test]
fn with_full_lists_it_misses_races_and_reports_no_false_ones() {
    let mut bench = Bench::new(0);
    let load = |pc| Access { pc, kind: OpKind::Load, scope: None, read_only: false, volatile: None };
    for pc in 0..200 {
        let id = LaneId { slot: 0, warp: pc as usize % WARPS, lane: pc as usize / WARPS % 32 };
        bench.access(id, load(pc), 0, 4);
    }
    let store = Access { kind: OpKind::Store, ..load(200) };
    bench.access(LaneId { slot: 1, warp: 0, lane: 0 }, store, 0, 4);
}

/// Many warps read the same word, first those of another block, then those of the block that stores in the end.
#[test]
fn of_more_readers_than_it_remembers_it_knows_the_threads() {
    let mut bench = Bench::new(0);
    let load = |pc| Access { pc, kind: OpKind::Load, scope: None, read_only: false, volatile: None };
    let word = range_at(0, 4);
    for pc in 0..600 {
        let (slot, warp) = (pc as usize / 300, pc as usize % WARPS);
        let warp_clock = bench.clocks.warp_clock(slot, warp);
        assert!(bench.races.check_broadcast(&warp_clock, slot, load(pc), word, FULL_MASK), "load {pc}");
        for lane in 0..32 {
            bench.compare(None, LaneId { slot, warp, lane }, load(pc), word);
        }
    }
    bench.clocks.block_barrier(1);
    // The loads that are remembered are ordered before the store, those of the other block are not.
    let (by, store) = (LaneId { slot: 1, warp: 0, lane: 0 }, Access { kind: OpKind::Store, ..load(600) });
    let checked = |races: &mut Races| {
        let found = races.check_and_record(&bench.clocks, by, store, word, 0, |_, _| false);
        (found.is_some(), races.take_overflows().len())
    };
    assert_eq!((checked(&mut bench.races), checked(&mut bench.plain)), ((false, 1), (false, 1)));
    // Of the words beside it nothing was read.
    let beside = bench.races.check_and_record(&bench.clocks, by, store, range_at(4, 4), 0, |_, _| false);
    assert!(beside.is_none() && bench.races.take_overflows().is_empty());
}
