//! Decoded instructions that the lanes of a warp carry out together: what each lane contributes, and what it gets.

use crate::isa::value::Kind;
use crate::machine::registers::{Narrow, WARP_SIZE, Wide, lanes_of};

/// What is exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// `shfl`: each lane reads `a` of another lane.
    Shuffle(Shuffle),
    /// `vote.all`, `.any` and `.uni`: one predicate for all lanes.
    Vote(Vote),
    /// `vote.ballot`: the mask of lanes whose predicate is true.
    Ballot,
    /// `match.any`: the mask of lanes that hold the same value.
    MatchAny,
    /// `match.all`: the whole mask if all hold the same value, and whether they do.
    MatchAll,
    /// `redux`: the values of all lanes combined.
    Reduce(Reduce),
    /// `elect`: one lane for all, and whether it is the lane itself.
    Elect,
    /// `bar.warp.sync`: nothing; the lanes only wait for each other.
    Barrier,
}

/// Which lane a shuffle reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The specification's own names.
pub enum Shuffle {
    Up,
    Down,
    Bfly,
    Idx,
}

/// The condition of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The specification's own names.
pub enum Vote {
    All,
    Any,
    Uni,
}

/// How a reduction combines two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The specification's own names.
pub enum Reduce {
    Add,
    MinU32,
    MaxU32,
    MinS32,
    MaxS32,
    And,
    Or,
    Xor,
}

/// A collective instruction. Results `args.d` and `args.q`, sources `a`, `b` and `c`, membermask `args.e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Collective {
    /// What is exchanged.
    pub exchange: Exchange,
    /// Whether it names its members (`.sync`) and waits for them.
    pub sync: bool,
    /// Whether the source predicate is negated.
    pub negated: bool,
    /// Whether source `a` is a predicate, a 32-bit or a 64-bit register.
    pub source: Kind,
}

/// What the lanes contribute: columns in which only the lanes that take part matter.
#[derive(Clone, Debug)]
pub struct Brought {
    /// Source `a`; a predicate is 0 or 1. For an election, the lane's position in the order: the first is elected.
    pub a: Wide,
    /// Source `b`.
    pub b: Narrow,
    /// Source `c`.
    pub c: Narrow,
    /// The members that each lane names.
    pub members: Narrow,
}

/// What the lanes get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Got {
    /// Result `d`.
    pub d: Narrow,
    /// The predicate result: `q` of a shuffle or match, `d` of a vote.
    pub predicate: u32,
    /// Lanes that read a lane which does not take part, so that their value is undefined.
    pub undefined: u32,
    /// The lane that each lane of a shuffle reads.
    pub read: Narrow,
    /// The members of the lane that read.
    pub members: Narrow,
}

impl Collective {
    /// Whether lanes at two instructions complete each other's collective: the same instruction with the same
    /// qualifiers.
    pub fn meets(self, other: Collective) -> bool {
        self.exchange == other.exchange && self.source == other.source
    }

    /// The results for the lanes of `taking_part`, each with its own members.
    pub fn evaluate(self, brought: &Brought, taking_part: u32) -> Got {
        match self.exchange {
            Exchange::Shuffle(mode) => mode.evaluate(brought, taking_part),
            _ => self.ask(brought, taking_part),
        }
    }

    /// All exchanges except shuffles.
    fn ask(self, brought: &Brought, taking_part: u32) -> Got {
        let (d, read) = ([0; WARP_SIZE], [0; WARP_SIZE]);
        let mut got = Got { d, predicate: 0, undefined: 0, read, members: brought.members };
        for lane in lanes_of(taking_part) {
            let members = brought.members[lane] & taking_part;
            let (d, predicate) = match self.exchange {
                Exchange::Vote(vote) => (0, vote.decide(ballot(brought, members), members)),
                Exchange::Ballot => (ballot(brought, members), false),
                Exchange::MatchAny => (equal_to(brought, members, lane), false),
                Exchange::MatchAll => {
                    let same = equal_to(brought, members, lane) == members;
                    (if same { members } else { 0 }, same)
                }
                Exchange::Reduce(reduce) => (reduce.combine(brought, members), false),
                Exchange::Elect => {
                    let leader = elected(brought, members);
                    (leader as u32, leader == lane)
                }
                Exchange::Barrier | Exchange::Shuffle(_) => (0, false),
            };
            got.d[lane] = d;
            got.predicate |= u32::from(predicate) << lane;
        }
        got
    }
}

/// The routes of the values in a shuffle, whatever the values are.
#[derive(Clone, Copy, Debug)]
pub struct Routes {
    /// The lane that each lane reads.
    pub read: Narrow,
    /// Lanes that read inside their segment; the others read themselves.
    pub inside: u32,
    /// Lanes that read a lane which does not take part.
    pub undefined: u32,
}

impl Shuffle {
    fn evaluate(self, brought: &Brought, taking_part: u32) -> Got {
        let Routes { read, inside, undefined } =
            self.routes(&brought.b, &brought.c, &brought.members, taking_part);
        let d = read.map(|source| brought.a[source as usize % WARP_SIZE] as u32);
        Got { d, predicate: inside, undefined, read, members: brought.members }
    }

    /// The routes of all lanes, in one loop without a branch. Lanes that do not take part are removed at the end.
    pub fn routes(self, b: &Narrow, c: &Narrow, members: &Narrow, taking_part: u32) -> Routes {
        let mut routes = Routes { read: [0; WARP_SIZE], inside: 0, undefined: 0 };
        for lane in 0..WARP_SIZE {
            let (source, inside) = self.source(lane as u32, b[lane], c[lane]);
            routes.read[lane] = source;
            routes.undefined |= (!(members[lane] & taking_part) >> source & 1) << lane;
            routes.inside |= u32::from(inside) << lane;
        }
        routes.undefined &= taking_part;
        routes.inside &= taking_part;
        routes
    }

    /// The lane that `lane` reads, and whether it is inside its segment. If it is not, the lane reads itself.
    ///
    /// `c` holds the clamp in bits 0 to 4 and the segment mask in bits 8 to 12.
    fn source(self, lane: u32, b: u32, c: u32) -> (u32, bool) {
        let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
        let last = (lane & segment) | (clamp & !segment);
        let first = lane & segment;
        let (source, inside) = match self {
            Shuffle::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= last as i32),
            Shuffle::Down => (lane + b, lane + b <= last),
            Shuffle::Bfly => (lane ^ b, lane ^ b <= last),
            Shuffle::Idx => (first | (b & !segment), first | (b & !segment) <= last),
        };
        if inside { (source & 31, true) } else { (lane, false) }
    }
}

impl Vote {
    fn decide(self, ballot: u32, members: u32) -> bool {
        match self {
            Vote::All => ballot == members,
            Vote::Any => ballot != 0,
            Vote::Uni => ballot == 0 || ballot == members,
        }
    }
}

impl Reduce {
    fn combine(self, brought: &Brought, members: u32) -> u32 {
        let values = lanes_of(members).map(|lane| brought.a[lane] as u32);
        let combined = values.reduce(|x, y| match self {
            Reduce::Add => x.wrapping_add(y),
            Reduce::MinU32 => x.min(y),
            Reduce::MaxU32 => x.max(y),
            Reduce::MinS32 => (x as i32).min(y as i32) as u32,
            Reduce::MaxS32 => (x as i32).max(y as i32) as u32,
            Reduce::And => x & y,
            Reduce::Or => x | y,
            Reduce::Xor => x ^ y,
        });
        combined.unwrap_or(0)
    }
}

fn ballot(brought: &Brought, members: u32) -> u32 {
    lanes_of(members).filter(|&lane| brought.a[lane] != 0).fold(0, |mask, lane| mask | 1 << lane)
}

/// The lane that is elected. The specification leaves it open, and requires only that it is the same for the same
/// members; [`crate::exec`] decides it by the order of the lanes.
fn elected(brought: &Brought, members: u32) -> usize {
    lanes_of(members).min_by_key(|&lane| (brought.a[lane], lane)).unwrap_or(0)
}

fn equal_to(brought: &Brought, members: u32, lane: usize) -> u32 {
    let value = brought.a[lane];
    lanes_of(members).filter(|&other| brought.a[other] == value).fold(0, |mask, other| mask | 1 << other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each lane of a full warp reads when lane `i` brings `i`, for `width` and the shuffle `mode`.
    fn read(mode: Shuffle, b: u32, width: u32) -> Vec<u32> {
        let clamp = if mode == Shuffle::Up { 0 } else { 31 };
        let c = (32 - width) << 8 | clamp;
        let brought = Brought {
            a: std::array::from_fn(|lane| lane as u64),
            b: [b; 32],
            c: [c; 32],
            members: [u32::MAX; 32],
        };
        let collective =
            Collective { exchange: Exchange::Shuffle(mode), sync: true, negated: false, source: Kind::B32 };
        collective.evaluate(&brought, u32::MAX).d.to_vec()
    }

    #[test]
    fn shuffles_stay_in_their_segment_at_every_width() {
        for width in [1, 2, 4, 8, 16, 32] {
            for b in 0..32 {
                let inside = |lane: u32, source: i64| {
                    let first = i64::from(lane / width * width);
                    if source >= first && source < first + i64::from(width) { source as u32 } else { lane }
                };
                let model = |f: &dyn Fn(i64) -> i64| -> Vec<u32> {
                    (0..32u32).map(|lane| inside(lane, f(i64::from(lane)))).collect()
                };
                let b_signed = i64::from(b);
                assert_eq!(
                    read(Shuffle::Up, b, width),
                    model(&|lane| lane - b_signed),
                    "up {b} width {width}"
                );
                assert_eq!(
                    read(Shuffle::Down, b, width),
                    model(&|lane| lane + b_signed),
                    "down {b} width {width}"
                );
                let xor: Vec<u32> = (0..32).map(|lane| xor_model(lane, b, width)).collect();
                assert_eq!(read(Shuffle::Bfly, b, width), xor, "bfly {b} width {width}");
                let idx: Vec<u32> = (0..32).map(|lane| lane / width * width + b % width).collect();
                assert_eq!(read(Shuffle::Idx, b, width), idx, "idx {b} width {width}");
            }
        }
    }

    /// `bfly` may read a lower segment, but never a higher one: only the last lane of the segment is a bound.
    fn xor_model(lane: u32, b: u32, width: u32) -> u32 {
        let last = lane / width * width + width - 1;
        if lane ^ b <= last { lane ^ b } else { lane }
    }

    #[test]
    fn votes_and_matches_see_members_only() {
        let brought = Brought {
            a: std::array::from_fn(|lane| u64::from(lane % 2 == 0)),
            b: [0; 32],
            c: [0; 32],
            members: std::array::from_fn(|lane| if lane < 16 { 0xffff } else { 0xffff_0000 }),
        };
        let run = |exchange, taking_part| {
            let collective = Collective { exchange, sync: true, negated: false, source: Kind::Pred };
            collective.evaluate(&brought, taking_part)
        };
        assert_eq!(run(Exchange::Ballot, u32::MAX).d[0], 0x5555);
        assert_eq!(run(Exchange::Ballot, u32::MAX).d[31], 0x5555_0000);
        assert_eq!(run(Exchange::Vote(Vote::All), 0x5555).predicate, 0x5555);
        assert_eq!(run(Exchange::Vote(Vote::Any), 0xaaaa).predicate, 0);
        assert_eq!(run(Exchange::Vote(Vote::Uni), 0x0003).predicate, 0);
        assert_eq!(run(Exchange::MatchAny, 0xffff).d[1], 0xaaaa);
        assert_eq!(run(Exchange::MatchAll, 0x5555).d[0], 0x5555);
        assert_eq!((run(Exchange::MatchAll, 0xffff).d[0], run(Exchange::MatchAll, 0xffff).predicate), (0, 0));
        assert_eq!(run(Exchange::Reduce(Reduce::Add), u32::MAX).d[20], 8);
    }

    #[test]
    fn the_lane_that_stands_first_is_elected() {
        let mut brought = Brought { a: [0; 32], b: [0; 32], c: [0; 32], members: [0x0000_00f0; 32] };
        let collective =
            Collective { exchange: Exchange::Elect, sync: true, negated: false, source: Kind::B32 };
        let got = collective.evaluate(&brought, 0x0000_00f0);
        assert_eq!((got.d[7], got.predicate), (4, 1 << 4));
        brought.a = std::array::from_fn(|lane| 32 - lane as u64);
        let got = collective.evaluate(&brought, 0x0000_00f0);
        assert_eq!((got.d[4], got.predicate), (7, 1 << 7));
    }

    #[test]
    fn a_shuffle_from_a_lane_that_does_not_take_part_is_undefined() {
        let brought = Brought { a: [7; 32], b: [16; 32], c: [0x1f; 32], members: [0x0000_ffff; 32] };
        let collective = Collective {
            exchange: Exchange::Shuffle(Shuffle::Down),
            sync: true,
            negated: false,
            source: Kind::B32,
        };
        assert_eq!(collective.evaluate(&brought, 0x0000_ffff).undefined, 0x0000_ffff);
    }
}
