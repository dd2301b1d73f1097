//! The checker against one that remembers everything: random accesses and barriers of a few warps.
//!
//! The slow one compares each access with all earlier ones, byte by byte, and asks the same clocks. Where the checker
//! reports a race, the slow one must have it; where the slow one has the first race of a byte, the checker must report
//! one. And where it decides for many lanes at a glance, it has to report and to remember what it does lane by lane. Left
//! out: what only a whole run shows, the order through memory; the litmus tests have that.

use crate::checkers::races::*;
use crate::machine::registers::FULL_MASK;
use crate::order::Space;

const WARPS: usize = 3;
const BYTES: u64 = 512;

/// An access as the slow checker remembers it.
struct Known {
    by: Stamp,
    kind: Kind,
    scope: Option<Reach>,
    read_only: bool,
    place: Place,
}

struct Bench {
    clocks: Clocks,
    races: Races,
    /// A checker that is shown every access lane by lane.
    plain: Races,
    known: Vec<Known>,
    /// Bytes that raced already: the checker need not report who races with what came before.
    raced: Vec<bool>,
    random: u64,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let mut clocks = Clocks::new(2, false);
        (0..2).for_each(|slot| clocks.start(slot, slot as u64, WARPS as u32 * 32));
        let random = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let (races, plain, raced) = (Races::new(2), Races::new(2), vec![false; BYTES as usize]);
        Bench { clocks, races, plain, known: Vec::new(), raced, random }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }

    /// Whether the slow checker has a race of this access, and whether one of a byte that never raced before.
    fn slow(&mut self, who: Who, access: Access, place: Place) -> (bool, bool) {
        let own = self.clocks.block(who.slot);
        let (mut any, mut first) = (false, false);
        for known in &self.known {
            let both_load = known.kind == Kind::Load && access.kind == Kind::Load;
            let strong = known.scope.zip(access.scope).is_some_and(|(one, other)| {
                let block = known.by.thread.block;
                one.includes(block, own) && other.includes(own, block) && known.place == place
            });
            let start = known.place.offset.max(place.offset);
            let end = (known.place.offset + u64::from(known.place.bytes))
                .min(place.offset + u64::from(place.bytes));
            let promised = known.read_only || access.read_only;
            let in_order = !promised && (strong || self.clocks.knows(who, known.by));
            if both_load || start >= end || in_order {
                continue;
            }
            any = true;
            for byte in start..end {
                first |= !std::mem::replace(&mut self.raced[byte as usize], true);
            }
        }
        let Access { kind, scope, read_only, .. } = access;
        self.known.push(Known { by: self.clocks.stamp(who), kind, scope, read_only, place });
        (any, first)
    }

    fn access(&mut self, who: Who, access: Access, offset: u64, bytes: u8) {
        let place = Place { space: Space::Global(0), offset, bytes };
        let found = self.races.lane(&self.clocks, who, access, place, 0, |_, _| false);
        self.compare(found, who, access, place);
    }

    fn compare(&mut self, found: Option<Conflict>, who: Who, access: Access, place: Place) {
        let plain = self.plain.lane(&self.clocks, who, access, place, 0, |_, _| false);
        assert_eq!(format!("{found:?}"), format!("{plain:?}"), "{who:?}, {access:?}, {place:?}");
        let (any, first) = self.slow(who, access, place);
        assert!(found.is_none() || any, "false alarm: {who:?}, {access:?}, {place:?}");
        assert!(found.is_some() || !first, "missed: {who:?}, {access:?}, {place:?}");
    }

    /// Both checkers remember the same of every byte.
    fn compare_all(&mut self) {
        let remembered = |races: &mut Races, at: u64| {
            let (shadow, lists) = races.shadow(Space::Global(0), 0);
            let word = Place { space: Space::Global(0), offset: at / 4 * 4, bytes: 4 };
            let at =
                shadow.cells(word, lists).take_while(|&cell| cell <= at).last().expect("a word has cells");
            let loads = shadow.loads(at);
            let known =
                loads.as_list().map_or(format!("{loads:?}"), |list| format!("{:?}", lists.entries(list)));
            format!("{:?}, {known}", shadow.store(at))
        };
        for at in 0..BYTES {
            assert_eq!(remembered(&mut self.races, at), remembered(&mut self.plain, at), "byte {at}");
        }
    }

    /// Words by lanes in equal steps, at a glance where that works, and lane by lane where not.
    fn row(&mut self, slot: usize, warp: usize, access: Access) {
        let width = 1 << self.below(3).saturating_sub(self.below(2));
        let any = self.below(1 << 32) as u32;
        let mask = [FULL_MASK, FULL_MASK, 0xffff, 0x5555_5555, 0x0101_0101, any, 1 << (any % 32)]
            [self.below(7) as usize];
        let step = match self.below(8) {
            0..4 => width,
            4 if width == 1 => -1 - self.below(3) as i64,
            5 => width * 32,
            _ => width * (1 + self.below(5) as i64),
        };
        // Lanes that are outside take no part; the first that is active is somewhere near the start or the end.
        let first = match self.below(3) {
            0 => 0,
            _ => self.below(BYTES / 4 / width as u64) as i64 * width,
        } - i64::from(mask.trailing_zeros()) * step.min(4);
        let at = |lane: usize| first + lane as i64 * step;
        let inside = |lane: &usize| at(*lane) >= 0 && at(*lane) + width <= BYTES as i64 / 4;
        let mask = lanes_of(mask).filter(inside).fold(0, |mask, lane| mask | 1 << lane);
        let row = Row { first, step, width: width as u32, mask };
        let here = self.clocks.here(slot, warp);
        let left = self.races.row(&here, slot, access, Space::Global(0), row);
        for lane in lanes_of(mask) {
            let who = Who { slot, warp, lane };
            let (offset, bytes) = (at(lane) as u64 * 4, width as u8 * 4);
            if left >> lane & 1 == 0 {
                self.compare(None, who, access, Place { space: Space::Global(0), offset, bytes });
            } else {
                self.access(who, access, offset, bytes);
            }
        }
    }

    /// One place for several lanes, likewise.
    fn broadcast(&mut self, slot: usize, warp: usize, access: Access) {
        let bytes = [1, 4, 8][self.below(3) as usize];
        let place =
            Place { space: Space::Global(0), offset: self.below(BYTES / bytes) * bytes, bytes: bytes as u8 };
        let mask = self.below(1 << 32) as u32 | 1;
        let here = self.clocks.here(slot, warp);
        let done = self.races.broadcast(&here, slot, access, place, mask);
        for lane in lanes_of(mask) {
            let who = Who { slot, warp, lane };
            if done {
                self.compare(None, who, access, place);
            } else {
                self.access(who, access, place.offset, place.bytes);
            }
        }
    }

    fn step(&mut self, pc: u32) {
        let (slot, warp) = (self.below(5) as usize / 4, self.below(WARPS as u64) as usize);
        let kind = if self.below(3) == 0 { Kind::Store } else { Kind::Load };
        let read_only = kind == Kind::Load && self.below(16) == 0;
        let weak = Access { pc, kind, scope: None, read_only, is_bare: false };
        match self.below(16) {
            0..3 => self.clocks.block_barrier(slot),
            3..5 => self.clocks.warp_barrier(slot, warp, u32::MAX),
            5 => {
                let lanes = self.below(1 << 32) as u32 | 1;
                self.clocks.warp_barrier(slot, warp, lanes);
            }
            6..9 => self.row(slot, warp, weak),
            9 => self.broadcast(slot, warp, weak),
            10..14 => {
                let bytes = [1, 2, 4, 8, 16][self.below(5) as usize];
                let offset = self.below(BYTES / bytes) * bytes;
                let lane = self.below(32) as usize;
                self.access(Who { slot, warp, lane }, weak, offset, bytes as u8);
            }
            _ => {
                let kind = [Kind::Load, Kind::Store, Kind::Update][self.below(3) as usize];
                let scope = Some([Reach::Cta, Reach::Gpu][self.below(2) as usize]);
                let bytes = [4, 8][self.below(2) as usize];
                let offset = self.below(BYTES / bytes) * bytes;
                let lane = self.below(32) as usize;
                self.access(
                    Who { slot, warp, lane },
                    Access { kind, scope, read_only: false, ..weak },
                    offset,
                    bytes as u8,
                );
            }
        }
    }
}

#[test]
fn it_reports_what_one_that_remembers_everything_reports() {
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
fn beyond_its_memory_it_misses_and_does_not_make_up() {
    let mut bench = Bench::new(0);
    let load = |pc| Access { pc, kind: Kind::Load, scope: None, read_only: false, is_bare: false };
    for pc in 0..200 {
        let who = Who { slot: 0, warp: pc as usize % WARPS, lane: pc as usize / WARPS % 32 };
        bench.access(who, load(pc), 0, 4);
    }
    let store = Access { kind: Kind::Store, ..load(200) };
    bench.access(Who { slot: 1, warp: 0, lane: 0 }, store, 0, 4);
}
