//! The weak memory: what a load may return besides the last store.
//!
//! Of every place that a launch stores to, the stores are kept in the order in which they were carried out, which is taken
//! for the coherence order. A load may return any of them from its *floor* on: the last store that comes before the load in
//! causality order, be it because the reader's thread knows of it, or because a strong load that the thread knows of has
//! observed it. The seed chooses, in half of the cases the last store, so that nobody waits for ever for what was stored. An
//! atomic update returns nothing older than the last store with which it is morally strong. `fence.sc` are in the order in
//! which they were carried out, and synchronise in that order ([`super::messages`]).
//!
//! Stores and relaxed updates are not always carried out when their thread comes to them: they may wait, which
//! `engine::watch::late` decides. What is said of stores here holds from when they are carried out.
//!
//! *What it cannot produce:* a load that returns a store which is carried out after it, because a load never waits (an
//! update does, until its result is looked at); an update whose result was looked at, carried out later; and weak stores of
//! which nothing says which came last, for memory is one for all. Of one place it remembers 32 stores; what is forgotten
//! beyond makes a run stronger, never weaker. Specification: PTX ISA, section 8.10, "Axioms".

use std::collections::{BTreeMap, VecDeque};

use super::clocks::{Clocks, Who};
use super::messages::Written;
use super::{Place, Reach, Space, Stamp, forget_space};
use crate::machine::random::Random;

/// Bytes of a piece of memory of which versions are kept together.
const PIECE: u64 = 8;
/// Versions and observations of a piece that are remembered.
const MAX_REMEMBERED: usize = 32;

/// A store to a piece of memory.
#[derive(Clone, Debug)]
struct Version {
    number: u64,
    /// Which bytes it stored.
    place: Place,
    /// The piece after it.
    after: [u8; PIECE as usize],
    /// Who stored; nobody in this launch for the first version.
    written: Option<Written>,
    pc: u32,
}

/// The versions of a piece, oldest first, never empty.
#[derive(Clone, Debug)]
struct Piece {
    versions: VecDeque<Version>,
    /// Strong loads that observed a version.
    observed: Vec<Observed>,
    /// No load returns anything older.
    floor: u64,
}

/// A strong load: when, of what, and which version.
#[derive(Clone, Copy, Debug)]
struct Observed {
    by: Stamp,
    place: Place,
    number: u64,
}

/// What a load returns.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The bytes, as many as were asked for.
    pub bytes: [u8; PIECE as usize],
    /// The store that it reads, where there is one of exactly these bytes.
    pub written: Option<Written>,
    /// The store that it should have returned in an ordinary memory, if it does not.
    pub newer: Option<(Stamp, u32)>,
}

/// A load that asks.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Who loads.
    pub who: Who,
    /// What.
    pub place: Place,
    /// Its scope; `None` for a weak load.
    pub scope: Option<Reach>,
    /// Whether it is part of an atomic update.
    pub updates: bool,
}

/// The versions of all places that the launch has stored to.
#[derive(Clone, Debug)]
pub struct History {
    pieces: BTreeMap<(Space, u64), Piece>,
    random: Random,
    numbers: u64,
}

impl History {
    /// A memory that makes its choices by a seed.
    pub fn new(seed: u64) -> History {
        // The schedule draws from the same seed, and the two should not go hand in hand.
        History { pieces: BTreeMap::new(), random: Random::new(!seed), numbers: 0 }
    }

    /// A block has left its shared memory.
    pub fn forget(&mut self, space: Space) {
        forget_space(&mut self.pieces, space);
    }

    /// What a load of up to eight bytes returns; `None` where the launch has stored nothing yet, so that memory holds the
    /// one value there is.
    pub fn choose(&mut self, clocks: &Clocks, question: &Question) -> Option<Chosen> {
        let Question { who, place, scope, .. } = *question;
        let key = key(place);
        let candidates = self.pieces.get(&key)?.candidates(clocks, question);
        let newest = candidates.len() as u64 - 1;
        let choice =
            if newest == 0 || self.random.below(2) == 0 { newest } else { self.random.below(newest + 1) };
        let piece = self.pieces.get_mut(&key).expect("the piece was found above");
        let index = candidates[choice as usize];
        let version = &piece.versions[index];
        let start = (place.offset % PIECE) as usize;
        let mut bytes = [0; PIECE as usize];
        bytes[..usize::from(place.bytes)]
            .copy_from_slice(&version.after[start..start + usize::from(place.bytes)]);
        let written = version.written.clone().filter(|_| version.place == place);
        let newer = candidates.get(choice as usize + 1).map(|&next| &piece.versions[next]);
        let newer = newer.and_then(|next| Some((next.written.as_ref()?.stamp, next.pc)));
        let reader = clocks.thread(who);
        if let (Some(written), Some(scope)) = (&written, scope)
            && written.is_observed_by(reader, scope)
        {
            let observed = Observed { by: clocks.stamp(who), place, number: version.number };
            piece.observe(observed);
        }
        Some(Chosen { bytes, written, newer })
    }

    /// A store of up to eight bytes is carried out. `before` is what the piece of memory around it holds until then, as far
    /// as there is memory.
    pub fn store(
        &mut self,
        place: Place,
        value: &[u8],
        before: [u8; PIECE as usize],
        written: Written,
        pc: u32,
    ) {
        self.numbers += 1;
        let number = self.numbers;
        let piece = self.pieces.entry(key(place)).or_insert_with(|| Piece::new(place.space, before));
        let mut after = piece.versions.back().expect("a piece has a version").after;
        let start = (place.offset % PIECE) as usize;
        after[start..start + value.len()].copy_from_slice(value);
        piece.versions.push_back(Version { number, place, after, written: Some(written), pc });
        if piece.versions.len() > MAX_REMEMBERED {
            piece.versions.pop_front();
        }
    }
}

/// Where the piece around a place starts.
pub fn piece_start(offset: u64) -> u64 {
    offset - offset % PIECE
}

fn key(place: Place) -> (Space, u64) {
    (place.space, piece_start(place.offset))
}

impl Piece {
    fn new(space: Space, before: [u8; PIECE as usize]) -> Piece {
        let place = Place { space, offset: 0, bytes: 0 };
        let first = Version { number: 0, place, after: before, written: None, pc: 0 };
        Piece { versions: VecDeque::from([first]), observed: Vec::new(), floor: 0 }
    }

    /// The versions that a load may return, oldest first, by their index. Stores to other bytes of the piece make no
    /// difference to it.
    fn candidates(&self, clocks: &Clocks, question: &Question) -> Vec<usize> {
        let Question { who, place, scope, updates } = *question;
        let observed = self.observed.iter().filter(|observed| overlap(observed.place, place));
        let known = observed.filter(|observed| clocks.knows(who, observed.by));
        let floor = known.map(|observed| observed.number).fold(self.floor, u64::max);
        let reader = clocks.thread(who);
        let mut candidates = Vec::new();
        for (index, version) in self.versions.iter().enumerate().rev() {
            let is_first = index == 0;
            if !is_first && !overlap(version.place, place) {
                continue;
            }
            candidates.push(index);
            let Some(written) = &version.written else { break };
            let is_strong = scope.is_some_and(|scope| written.is_observed_by(reader, scope));
            let is_last = updates && is_strong && version.place == place;
            if version.number <= floor || is_last || clocks.knows(who, written.stamp) {
                break;
            }
        }
        candidates.reverse();
        candidates
    }

    /// Remembers that a strong load observed a version. Where too many would have to be, everybody has to.
    fn observe(&mut self, new: Observed) {
        let oldest = self.versions.front().map_or(0, |version| version.number);
        self.observed.retain(|known| known.number > oldest);
        // What the thread observed before, it observed for all who know of this load too.
        let same = |known: &Observed| known.by.thread == new.by.thread && known.place == new.place;
        if self.observed.iter().any(|known| same(known) && known.number >= new.number) {
            return;
        }
        if self.observed.len() >= MAX_REMEMBERED {
            self.floor = self.floor.max(new.number);
            return;
        }
        self.observed.push(new);
    }
}

/// Whether two places of one memory have a byte in common.
pub fn overlap(one: Place, other: Place) -> bool {
    one.space == other.space
        && one.offset < other.offset + u64::from(other.bytes)
        && other.offset < one.offset + u64::from(one.bytes)
}
