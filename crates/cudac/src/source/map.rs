//! Maps and sets of this crate.
//!
//! Their hash is a few instructions, where that of the standard library is a cipher against texts that are made to
//! collide: what a text can collide with here is only itself, and every text is bounded. The table does not depend on the types
//! of keys and values, so its code exists once. Entries are in the order of insertion until one is removed.
//!
//! That order makes the output of the compiler reproducible: everything that iterates over a map, from messages to
//! declarations in PTX, does so in the order of the text.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

/// A map. The entries are in a list of their own and the table has only their numbers, so that iterating is that of a
/// list.
#[derive(Clone, Debug)]
pub(crate) struct Map<K, V> {
    table: Table,
    entries: Vec<(K, V)>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map { table: Table::default(), entries: Vec::new() }
    }
}

impl<K: Eq + Hash, V> Map<K, V> {
    /// The hash of a key, and its place in the order.
    fn find<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> (u32, Option<usize>)
    where
        K: Borrow<Q>,
    {
        let mut mixer = Mixer::default();
        key.hash(&mut mixer);
        let hash = mixer.finish() as u32;
        (hash, self.table.find(hash, &mut |at| self.entries[at].0.borrow() == key))
    }

    fn position<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.find(key).1
    }

    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.position(key).map(|at| &self.entries[at].1)
    }

    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.position(key).map(|at| &mut self.entries[at].1)
    }

    pub fn contains_key<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).1.is_some()
    }

    /// Where the entry of a key is, and the value if it was not used, because the key has an entry. The caller decides
    /// whether it replaces the old value.
    fn enter(&mut self, key: K, value: V) -> (usize, Option<V>) {
        let (hash, known) = self.find(&key);
        if let Some(at) = known {
            return (at, Some(value));
        }
        self.table.add(hash);
        self.entries.push((key, value));
        (self.entries.len() - 1, None)
    }

    /// Sets the value of a key, and returns the old one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (at, left) = self.enter(key, value);
        left.map(|value| std::mem::replace(&mut self.entries[at].1, value))
    }

    /// The value of a key, which is set if it has none.
    pub fn get_or_insert(&mut self, key: K, value: V) -> &mut V {
        let (at, _) = self.enter(key, value);
        &mut self.entries[at].1
    }

    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Some(at) = self.position(key) {
            self.remove_at(at);
        }
    }

    /// Removes an entry by its place in the order; the last one takes its place.
    pub fn remove_at(&mut self, at: usize) {
        self.table.remove(at);
        self.entries.swap_remove(at);
    }

    /// The key that is equal to this one. Keys that are equal may still differ: names are found by their text, and the
    /// stored one has the number.
    pub fn key<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&K>
    where
        K: Borrow<Q>,
    {
        self.position(key).map(|at| &self.entries[at].0)
    }

    /// Removes all entries, and keeps the room for about as many. The optimiser clears its maps for every function: a
    /// table that was large once would otherwise cost its size each time.
    pub fn clear(&mut self) {
        if self.table.slots.len() > 16 * self.len() {
            self.table.slots.clear();
        }
        self.table.slots.fill(FREE);
        self.table.hashes.clear();
        self.entries.clear();
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.entries.iter()
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.iter().map(|(key, _)| key)
    }
}

/// A set.
pub(crate) type Set<K> = Map<K, ()>;

/// Where the entries of a map are, by their hashes: linear probing in at most half of the slots. Deletion moves the
/// entries behind it back, so there are no marks for removed entries and a table does not degrade.
///
/// ```text
/// entries:  0 (a, 1)   1 (b, 2)   2 (c, 3)          in the order of insertion
/// slots:    - 2 - 0 1 - - -                          numbers of entries, where their hashes say
/// ```
#[derive(Clone, Debug, Default)]
struct Table {
    /// The number of an entry, or [`FREE`]; their number is a power of two. A few entries have no slots.
    slots: Vec<u32>,
    /// The hash of each entry.
    hashes: Vec<u32>,
}

const FREE: u32 = u32::MAX;

/// So many entries are found without slots.
const FEW: usize = 8;

impl Table {
    /// The entry with a hash for which this holds.
    fn find(&self, hash: u32, is: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        if self.slots.is_empty() {
            return (0..self.hashes.len()).find(|at| self.hashes[*at] == hash && is(*at));
        }
        self.slot(hash, is).map(|slot| self.slots[slot] as usize)
    }

    /// The slot of an entry, or `None` at the first free slot, which always exists, because at most half of them are
    /// used.
    fn slot(&self, hash: u32, is: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = hash as usize & mask;
        while let Some(at) = self.slots.get(slot).filter(|at| **at != FREE) {
            if self.hashes[*at as usize] == hash && is(*at as usize) {
                return Some(slot);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Room is made by placing every entry anew: their hashes are kept, so no key is hashed twice.
    fn add(&mut self, hash: u32) {
        self.hashes.push(hash);
        if self.hashes.len() <= FEW && self.slots.is_empty() {
            return;
        }
        if self.hashes.len() * 2 > self.slots.len() {
            let length = (self.slots.len() * 2).max(4 * FEW);
            self.slots.clear();
            self.slots.resize(length, FREE);
            (0..self.hashes.len()).for_each(|at| self.place(at));
        } else {
            self.place(self.hashes.len() - 1);
        }
    }

    /// Puts an entry that is in no slot into the first free one.
    fn place(&mut self, at: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = self.hashes[at] as usize & mask;
        while self.slots[slot] != FREE {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = at as u32;
    }

    /// Removes an entry, whose number the last one gets.
    fn remove(&mut self, at: usize) {
        if self.slots.is_empty() {
            self.hashes.swap_remove(at);
            return;
        }
        let last = self.hashes.len() - 1;
        let slot_of = |at: usize| self.slot(self.hashes[at], &mut |entry| entry == at);
        let (Some(slot), Some(of_last)) = (slot_of(at), slot_of(last)) else { return };
        self.hashes.swap_remove(at);
        self.slots[of_last] = at as u32;
        self.slots[slot] = FREE;
        // What was pushed on by the entry moves back.
        let mask = self.slots.len() - 1;
        let mut next = (slot + 1) & mask;
        while self.slots[next] != FREE {
            let moved = std::mem::replace(&mut self.slots[next], FREE);
            self.place(moved as usize);
            next = (next + 1) & mask;
        }
    }
}

/// Multiplies and rotates; each word is mixed into those before. It need not resist anybody: see the header of this
/// file.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        self.write_u64(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn finish(&self) -> u64 {
        // The upper bits are the best ones, and the map uses both ends.
        self.0 ^ self.0 >> 32
    }
}

/// A map for a few entries, which is a list: less code than a map of hashes, and as fast.
#[derive(Clone, Debug)]
pub(crate) struct List<K, V>(Vec<(K, V)>);

impl<K, V> Default for List<K, V> {
    fn default() -> List<K, V> {
        List(Vec::new())
    }
}

impl<K: PartialEq, V> List<K, V> {
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    pub fn get<Q: PartialEq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.0.iter().find(|(known, _)| known.borrow() == key).map(|(_, value)| value)
    }

    pub fn insert(&mut self, key: K, value: V) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that collide, because the table has few slots and the numbers follow each other.
    #[test]
    fn a_map_does_what_a_list_of_its_entries_does() {
        let mut map = Map::default();
        let mut list: Vec<(u32, u32)> = Vec::new();
        for step in 0..20_000_u32 {
            let key = step.wrapping_mul(2_654_435_761) >> 7 & 255;
            let known = list.iter().position(|(own, _)| *own == key);
            assert_eq!(map.get(&key).copied(), known.map(|at| list[at].1));
            match (step % 3, known) {
                (0, Some(at)) => {
                    map.remove(&key);
                    list.swap_remove(at);
                }
                (_, Some(at)) => {
                    let old = std::mem::replace(&mut list[at].1, step);
                    assert_eq!(map.insert(key, step), Some(old));
                }
                (0, None) => map.remove(&key),
                (_, None) => {
                    assert_eq!(*map.get_or_insert(key, step), step);
                    list.push((key, step));
                }
            }
            assert!(map.iter().eq(&list), "step {step}");
        }
    }
}
