//! Relations between a few events, as matrices of bits.
//!
//! The memory model is a set of sentences about relations, so the test is written with relations: a row of bits for
//! every event, and a bit for every event that comes after it. Relations of more than 64 events are not supported.
//! Specification: none of its own; PTX ISA, section 8.9 is written with these relations.

/// The largest number of events of an execution, so small that a relation can be copied.
pub const MAX_EVENTS: usize = 32;

/// A set of pairs of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    rows: [u64; MAX_EVENTS],
}

impl Relation {
    /// The pairs of the first `count` events for which `holds` returns true.
    pub fn from_fn(count: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        assert!(count <= MAX_EVENTS, "{count} events are too many");
        let row = |a| (0..count).filter(|&b| holds(a, b)).fold(0, |row, b| row | 1 << b);
        let mut relation = Relation::default();
        (0..count).for_each(|a| relation.rows[a] = row(a));
        relation
    }

    /// Whether `a` comes before `b`.
    pub fn has(&self, a: usize, b: usize) -> bool {
        self.rows[a] >> b & 1 == 1
    }

    /// Adds a pair.
    pub fn add(&mut self, a: usize, b: usize) {
        self.rows[a] |= 1 << b;
    }

    /// The pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let row = move |a: usize| (0..MAX_EVENTS).filter(move |&b| self.has(a, b)).map(move |b| (a, b));
        (0..MAX_EVENTS).filter(|&a| self.rows[a] != 0).flat_map(row)
    }

    /// The pairs that are in at least one of the two.
    #[must_use]
    pub fn or(&self, other: &Relation) -> Relation {
        Relation { rows: std::array::from_fn(|a| self.rows[a] | other.rows[a]) }
    }

    /// The pairs that are in both.
    #[must_use]
    pub fn and(&self, other: &Relation) -> Relation {
        Relation { rows: std::array::from_fn(|a| self.rows[a] & other.rows[a]) }
    }

    /// The pairs that are in the first and not in the second.
    #[must_use]
    pub fn minus(&self, other: &Relation) -> Relation {
        Relation { rows: std::array::from_fn(|a| self.rows[a] & !other.rows[a]) }
    }

    /// The pairs of `a` and `c` for which `a` comes before some `b` in this relation, and `b` before `c` in the other.
    #[must_use]
    pub fn then(&self, other: &Relation) -> Relation {
        let mut result = Relation::default();
        for a in 0..MAX_EVENTS {
            let mut middle = self.rows[a];
            while middle != 0 {
                result.rows[a] |= other.rows[middle.trailing_zeros() as usize];
                middle &= middle - 1;
            }
        }
        result
    }

    /// The same pairs in reverse.
    #[must_use]
    pub fn inverse(&self) -> Relation {
        let mut result = Relation::default();
        self.pairs().for_each(|(a, b)| result.add(b, a));
        result
    }

    /// The smallest transitive relation that contains this one.
    #[must_use]
    pub fn closure(&self) -> Relation {
        let mut rows = self.rows;
        for middle in 0..MAX_EVENTS {
            let beyond = rows[middle];
            if beyond == 0 {
                continue;
            }
            for row in &mut rows {
                if *row >> middle & 1 == 1 {
                    *row |= beyond;
                }
            }
        }
        Relation { rows }
    }

    /// Whether no event comes before itself.
    pub fn is_irreflexive(&self) -> bool {
        (0..MAX_EVENTS).all(|a| !self.has(a, a))
    }

    /// Whether no event comes before itself, directly or through others.
    pub fn is_acyclic(&self) -> bool {
        self.closure().is_irreflexive()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&row| row == 0)
    }
}

#[test]
fn relations_compose_and_close() {
    let chain = Relation::from_fn(4, |a, b| a + 1 == b);
    assert_eq!(chain.then(&chain), Relation::from_fn(4, |a, b| a + 2 == b));
    assert_eq!(chain.closure(), Relation::from_fn(4, |a, b| a < b));
    assert_eq!(chain.inverse(), Relation::from_fn(4, |a, b| b + 1 == a));
    assert!(chain.is_acyclic() && !chain.or(&chain.inverse()).is_acyclic());
    assert!(chain.minus(&chain).is_empty() && chain.and(&chain) == chain);
}
