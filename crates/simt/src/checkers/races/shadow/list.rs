//! Lists of accesses to the same bytes, for words that more than one instruction accessed.

use std::collections::BTreeMap;

use crate::checkers::races::shadow::cell::Cell;
use crate::machine::registers::lanes_of;
use crate::order::vector_clock::VectorClock;
use crate::order::{ByteRange, Scope};

/// The largest number of entries in a list. Of older accesses, only the threads are remembered ([`Forgotten`]).
pub const MAX_ENTRIES: usize = 64;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// It loads.
    Load,
    /// It stores.
    Store,
    /// It loads and stores atomically.
    Update,
}

/// A volatile access, with the widest scope of the fences that it relies on: for a store, those that its thread has passed
/// before; for a load, those among them that follow a volatile store of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volatile(pub Option<Scope>);

/// An access in a list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The lanes, their clock and the instruction.
    pub cell: Cell,
    /// What it did.
    pub kind: OpKind,
    /// Its scope; `None` for a weak access.
    pub scope: Option<Scope>,
    /// The bytes that it accessed.
    pub range: ByteRange,
    /// The chain of updates to which it belongs, or whose store it observed; 0 if there is none.
    pub chain: u64,
    /// The lane of the cell that accessed last.
    pub last: u8,
    /// What it relies on, if it is volatile.
    pub volatile: Option<Volatile>,
}

/// The accesses of a cell that no longer fit into its list. Their epochs are known, but not their instructions.
#[derive(Clone, Debug, Default)]
pub struct Forgotten {
    /// Weak loads.
    pub weak: VectorClock,
    /// All loads.
    pub loads: VectorClock,
    /// Strong stores and updates.
    pub writes: VectorClock,
}

impl Forgotten {
    fn add(&mut self, entry: &Entry) {
        let is_load = entry.kind == OpKind::Load;
        for lane in lanes_of(entry.cell.mask) {
            let epoch = entry.cell.epoch(lane as u32);
            if is_load {
                self.loads.raise(epoch);
            } else {
                self.writes.raise(epoch);
            }
            if is_load && entry.scope.is_none() {
                self.weak.raise(epoch);
            }
        }
    }
}

/// The accesses to some bytes, oldest first.
#[derive(Clone, Debug)]
struct List {
    entries: Vec<Entry>,
    /// Whether each is strong, accessed the same bytes and has a scope that includes all blocks: the usual accesses to a lock or a
    /// counter, of which no two race.
    are_alike: bool,
    /// Whether each is a load: what many blocks read, and nobody writes.
    are_loads: bool,
    /// Whether one was a volatile store.
    has_volatile: bool,
}

/// The lists of all shadow memories.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    all: Vec<List>,
    forgotten: BTreeMap<usize, Forgotten>,
    free: Vec<usize>,
}

impl Lists {
    /// The entries of a list, oldest first.
    pub fn entries(&self, list: usize) -> &[Entry] {
        &self.all[list].entries
    }

    /// The entries of a list, oldest first, that may race with an access to some bytes. A strong access has a scope.
    pub fn rivals(&self, list: usize, kind: OpKind, scope: Option<Scope>, range: ByteRange) -> &[Entry] {
        let List { entries, are_alike, are_loads, .. } = &self.all[list];
        if *are_loads && kind == OpKind::Load {
            return &[];
        }
        let is_like_them = *are_alike
            && scope.is_some_and(|scope| scope >= Scope::Gpu)
            && entries.first().is_some_and(|first| first.range == range);
        if is_like_them { &[] } else { entries }
    }

    /// The entries of a list, oldest first, that may race in CUDA C++ with a strong access, given whether that is a volatile
    /// store.
    pub fn volatile_rivals(&self, list: usize, is_volatile: bool) -> &[Entry] {
        let List { entries, has_volatile, .. } = &self.all[list];
        if is_volatile || *has_volatile { entries } else { &[] }
    }

    /// What has been removed from a list because it was full, if anything.
    pub fn forgotten(&self, list: usize) -> Option<&Forgotten> {
        self.forgotten.get(&list)
    }

    /// Makes a list of plain loads, oldest first, with the threads of those that are forgotten. Returns its number.
    pub fn add_with(&mut self, entries: Vec<Entry>, forgotten: VectorClock) -> usize {
        let list = self.add(entries);
        if !forgotten.is_empty() {
            let (weak, loads) = (forgotten.clone(), forgotten);
            *self.forgotten.entry(list).or_default() = Forgotten { weak, loads, ..Forgotten::default() };
        }
        list
    }

    /// Makes a list of some entries. Returns its number.
    pub fn add(&mut self, entries: Vec<Entry>) -> usize {
        let are_alike = entries.iter().all(|entry| entry.is_like(&entries[0]));
        let has_volatile = entries.iter().any(Entry::is_volatile_store);
        let are_loads = entries.iter().all(|entry| entry.kind == OpKind::Load);
        let new = List { entries, are_alike, are_loads, has_volatile };
        if let Some(list) = self.free.pop() {
            self.all[list] = new;
            return list;
        }
        self.all.push(new);
        self.all.len() - 1
    }

    /// Adds an entry to a list, in place of those that it makes unnecessary.
    pub fn add_to(&mut self, list: usize, entry: Entry, replaces: impl Fn(&Entry) -> bool) {
        let List { entries, are_alike, are_loads, has_volatile } = &mut self.all[list];
        *has_volatile |= entry.is_volatile_store();
        *are_loads &= entry.kind == OpKind::Load;
        *are_alike &= entry.is_like(entries.first().unwrap_or(&entry));
        if let Some(last) = entries.last_mut().filter(|last| last.is_of_one_instruction(&entry)) {
            *last = Entry { cell: entry.cell.with_mask(last.cell.mask | entry.cell.mask), ..entry };
            return;
        }
        retain_needed(entries, &entry, replaces);
        if entries.len() == MAX_ENTRIES {
            self.forgotten.entry(list).or_default().add(&entries.remove(0));
        }
        // Most lists are for a word that one warp updates once, and there may be millions of them.
        if entries.is_empty() {
            entries.reserve_exact(1);
        }
        entries.push(entry);
    }

    /// Empties a list; its number may be used again.
    pub fn remove(&mut self, list: usize) {
        self.all[list].entries.clear();
        self.forgotten.remove(&list);
        self.free.push(list);
    }
}

impl Entry {
    /// An entry for a plain load that is in a cell. Which of the bytes of the cell it loaded is not known.
    pub fn plain_load(cell: Cell, range: ByteRange) -> Entry {
        let last = 31 - cell.mask.leading_zeros() as u8;
        Entry { cell, kind: OpKind::Load, scope: None, range, chain: 0, last, volatile: None }
    }

    /// Whether it is a volatile store.
    pub fn is_volatile_store(&self) -> bool {
        self.kind == OpKind::Store && self.volatile.is_some()
    }

    /// Whether this access is strong, with a scope that includes all blocks, and accesses the same bytes as another one.
    fn is_like(&self, other: &Entry) -> bool {
        let includes_all = self.scope.is_some_and(|scope| scope >= Scope::Gpu);
        includes_all && !self.cell.is_read_only() && self.range == other.range
    }

    /// Whether two entries are accesses of two lanes by one instruction and need not be distinguished.
    fn is_of_one_instruction(&self, other: &Entry) -> bool {
        self.cell.is_same_but_for_lanes(other.cell)
            && self.range == other.range
            && (self.kind, self.scope, self.volatile) == (other.kind, other.scope, other.volatile)
            && (self.chain == other.chain || self.kind == OpKind::Store)
    }
}

/// Removes the entries that a new one replaces. It keeps those that still show which accesses are ordered after an
/// older store of a chain that differs from the new entry's.
fn retain_needed(entries: &mut Vec<Entry>, new: &Entry, replaces: impl Fn(&Entry) -> bool) {
    let mut index = 0;
    while index < entries.len() {
        let known = &entries[index];
        let other_chain = known.chain != 0 && known.chain != new.chain;
        let older = |entry: &Entry| entry.kind != OpKind::Load && entry.chain == known.chain;
        if replaces(known) && !(other_chain && entries[..index].iter().any(older)) {
            entries.remove(index);
        } else {
            index += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Space;

    #[test]
    fn a_load_has_no_rivals_among_loads() {
        let range = ByteRange { space: Space::Global(0), offset: 8, bytes: 4 };
        let load = Entry::plain_load(Cell::default().with_mask(1), range);
        let mut lists = Lists::default();
        let list = lists.add(vec![load; 3]);
        let rivals = |lists: &Lists, kind: OpKind| lists.rivals(list, kind, None, range).len();
        assert_eq!((rivals(&lists, OpKind::Load), rivals(&lists, OpKind::Store)), (0, 3));
        let update = Entry { kind: OpKind::Update, scope: Some(Scope::Gpu), ..load };
        lists.add_to(list, update, |_| false);
        assert_eq!((rivals(&lists, OpKind::Load), rivals(&lists, OpKind::Store)), (4, 4));
    }
}
