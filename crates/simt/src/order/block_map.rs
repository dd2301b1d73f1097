//! A map from blocks of the grid to what is known about them, of which copies are cheap and share what is equal.
//!
//! It is a tree with a shape that depends on the numbers of the blocks only: each level looks at four bits of the number. So
//! two maps of which one was made from a copy of the other have most of their nodes in common, and a join passes over those
//! without a look. If it leaves a part as it is in one of the two, the result has that very part, so what comes from a counter
//! to which a thousand blocks have added is shared again by all that read it. A join costs as much as the two maps differ.

use std::sync::Arc;

/// How many bits of a number each level looks at.
const BITS: u32 = 4;
const CHILDREN: usize = 1 << BITS;

type Children<V> = [Option<Node<V>>; CHILDREN];

#[derive(Clone, Debug)]
enum Node<V> {
    Branch(Arc<Children<V>>),
    Leaf(Arc<V>),
}

/// The map.
#[derive(Clone, Debug)]
pub struct BlockMap<V> {
    root: Option<Node<V>>,
    /// How many branches there are above each leaf.
    levels: u32,
}

/// What a join makes of two things, so that nothing is copied if it is one of them.
#[derive(Debug)]
pub enum Joined<T> {
    /// The two are one and the same.
    Same,
    /// The first one.
    Own,
    /// The second one.
    Other,
    /// Something new.
    New(T),
}

impl<V> Default for BlockMap<V> {
    fn default() -> BlockMap<V> {
        BlockMap { root: None, levels: 0 }
    }
}

fn digit(block: u32, level: u32) -> usize {
    (block >> (BITS * level)) as usize % CHILDREN
}

/// How many levels a map needs that has a block.
fn levels_for(block: u32) -> u32 {
    (u32::BITS - block.leading_zeros()).div_ceil(BITS)
}

impl<V: Clone + Default> BlockMap<V> {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// What is known about a block.
    pub fn get(&self, block: u32) -> Option<&Arc<V>> {
        if levels_for(block) > self.levels {
            return None;
        }
        let mut node = self.root.as_ref()?;
        let mut level = self.levels;
        loop {
            match node {
                Node::Leaf(value) => return Some(value),
                Node::Branch(children) => {
                    level -= 1;
                    node = children[digit(block, level)].as_ref()?;
                }
            }
        }
    }

    /// Changes what is known about a block: a default value, if that is nothing so far.
    pub fn change(&mut self, block: u32, change: impl FnOnce(&mut V)) {
        let place = self.place(block);
        let mut value = match place.take() {
            Some(Node::Leaf(value)) => value,
            _ => Arc::default(),
        };
        change(Arc::make_mut(&mut value));
        *place = Some(Node::Leaf(value));
    }

    /// Replaces what is known about a block.
    pub fn insert(&mut self, block: u32, value: Arc<V>) {
        *self.place(block) = Some(Node::Leaf(value));
    }

    /// Where a block belongs.
    fn place(&mut self, block: u32) -> &mut Option<Node<V>> {
        self.grow(levels_for(block));
        let mut place = &mut self.root;
        for level in (0..self.levels).rev() {
            let node = place.get_or_insert_with(|| Node::Branch(Arc::default()));
            let Node::Branch(children) = node else { unreachable!("leaves are below all levels") };
            place = &mut Arc::make_mut(children)[digit(block, level)];
        }
        place
    }

    fn grow(&mut self, levels: u32) {
        while self.levels < levels {
            self.levels += 1;
            if let Some(root) = self.root.take() {
                let mut children = Children::default();
                children[0] = Some(root);
                self.root = Some(Node::Branch(Arc::new(children)));
            }
        }
    }

    /// Removes a block.
    pub fn remove(&mut self, block: u32) {
        if self.get(block).is_some() {
            remove(&mut self.root, block, self.levels);
        }
    }

    /// All blocks and what is known about them, in the order of their numbers.
    pub fn entries(&self) -> Vec<(u32, &V)> {
        let mut entries = Vec::new();
        collect(self.root.as_ref(), 0, &mut entries);
        entries
    }

    /// Joins another map into this one. `values` joins what both know about a block.
    pub fn join(&mut self, other: &BlockMap<V>, values: impl Fn(&Arc<V>, &Arc<V>) -> Joined<Arc<V>>) {
        self.grow(other.levels);
        let raised;
        let other = if other.levels < self.levels {
            raised = {
                let mut copy = other.clone();
                copy.grow(self.levels);
                copy
            };
            &raised
        } else {
            other
        };
        match join(self.root.as_ref(), other.root.as_ref(), &values) {
            Joined::Same | Joined::Own => {}
            Joined::Other => self.root.clone_from(&other.root),
            Joined::New(root) => self.root = Some(root),
        }
    }
}

fn remove<V: Clone>(place: &mut Option<Node<V>>, block: u32, level: u32) {
    if let Some(Node::Branch(children)) = place {
        let children = Arc::make_mut(children);
        remove(&mut children[digit(block, level - 1)], block, level - 1);
        if children.iter().any(Option::is_some) {
            return;
        }
    }
    *place = None;
}

fn collect<'m, V>(node: Option<&'m Node<V>>, above: u32, entries: &mut Vec<(u32, &'m V)>) {
    match node {
        None => {}
        Some(Node::Leaf(value)) => entries.push((above, value)),
        Some(Node::Branch(children)) => {
            for (digit, child) in (0..).zip(children.iter()) {
                collect(child.as_ref(), (above << BITS) | digit, entries);
            }
        }
    }
}

fn join<V: Clone>(
    own: Option<&Node<V>>,
    other: Option<&Node<V>>,
    values: &impl Fn(&Arc<V>, &Arc<V>) -> Joined<Arc<V>>,
) -> Joined<Node<V>> {
    match (own, other) {
        (None, None) => Joined::Same,
        (_, None) => Joined::Own,
        (None, _) => Joined::Other,
        (Some(Node::Leaf(own)), Some(Node::Leaf(other))) => match values(own, other) {
            Joined::Same => Joined::Same,
            Joined::Own => Joined::Own,
            Joined::Other => Joined::Other,
            Joined::New(value) => Joined::New(Node::Leaf(value)),
        },
        (Some(Node::Branch(own)), Some(Node::Branch(other))) => join_children(own, other, values),
        _ => unreachable!("both have the same levels"),
    }
}

fn join_children<V: Clone>(
    own: &Arc<Children<V>>,
    other: &Arc<Children<V>>,
    values: &impl Fn(&Arc<V>, &Arc<V>) -> Joined<Arc<V>>,
) -> Joined<Node<V>> {
    if Arc::ptr_eq(own, other) {
        return Joined::Same;
    }
    let parts: [Joined<Node<V>>; CHILDREN] =
        std::array::from_fn(|child| join(own[child].as_ref(), other[child].as_ref(), values));
    let is_other = parts.iter().all(|part| matches!(part, Joined::Same | Joined::Other));
    if parts.iter().all(|part| matches!(part, Joined::Same | Joined::Own)) {
        return if is_other { Joined::Same } else { Joined::Own };
    }
    if is_other {
        return Joined::Other;
    }
    let mut children = Children::clone(own);
    for (place, (part, other)) in children.iter_mut().zip(parts.into_iter().zip(other.iter())) {
        match part {
            Joined::Same | Joined::Own => {}
            Joined::Other => place.clone_from(other),
            Joined::New(node) => *place = Some(node),
        }
    }
    Joined::New(Node::Branch(Arc::new(children)))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;
    use std::collections::BTreeMap;

    use super::*;

    fn later(own: &Arc<u32>, other: &Arc<u32>) -> Joined<Arc<u32>> {
        match own.cmp(other) {
            Ordering::Equal => Joined::Same,
            Ordering::Greater => Joined::Own,
            Ordering::Less => Joined::Other,
        }
    }

    fn map(entries: &[(u32, u32)]) -> BlockMap<u32> {
        let mut map = BlockMap::default();
        for &(block, value) in entries {
            map.insert(block, Arc::new(value));
        }
        map
    }

    fn root(map: &BlockMap<u32>) -> *const Children<u32> {
        let Some(Node::Branch(children)) = &map.root else { panic!("a map with a branch") };
        Arc::as_ptr(children)
    }

    #[test]
    fn blocks_are_found_whatever_their_numbers() {
        let numbers = [0, 1, 15, 16, 17, 255, 256, 4095, 1 << 20, u32::MAX - 1, u32::MAX];
        let mut all = BlockMap::default();
        for (count, &number) in numbers.iter().enumerate() {
            assert!(all.get(number).is_none());
            all.change(number, |value| *value = number / 2);
            assert_eq!(all.entries().len(), count + 1);
        }
        assert!(all.entries().iter().map(|(number, _)| *number).eq(numbers));
        for number in numbers {
            assert_eq!(all.get(number).map(|value| **value), Some(number / 2));
            all.remove(number);
            assert!(all.get(number).is_none());
            all.remove(number);
        }
        assert!(all.is_empty());
    }

    #[test]
    fn a_copy_does_not_change_with_the_original() {
        let mut own = map(&[(3, 1), (70, 2)]);
        let copy = own.clone();
        own.change(70, |value| *value = 9);
        own.remove(3);
        assert_eq!(own.entries(), [(70, &9)]);
        assert_eq!(copy.entries(), [(3, &1), (70, &2)]);
    }

    #[test]
    fn a_join_takes_the_later_value_of_each_block() {
        for (own, other) in [
            (map(&[]), map(&[(5, 1)])),
            (map(&[(0, 3)]), map(&[(0, 4), (300, 1)])),
            (map(&[(0, 3), (300, 7), (40, 1)]), map(&[(0, 4), (17, 2)])),
            (map(&[(9, 9)]), map(&[])),
        ] {
            let wanted: BTreeMap<u32, u32> =
                [&own, &other].into_iter().fold(BTreeMap::new(), |mut all, map| {
                    for (block, &value) in map.entries() {
                        let known: &mut u32 = all.entry(block).or_default();
                        *known = value.max(*known);
                    }
                    all
                });
            for (mut one, two) in [(own.clone(), &other), (other.clone(), &own)] {
                one.join(two, later);
                let found: Vec<(u32, u32)> =
                    one.entries().iter().map(|&(block, value)| (block, *value)).collect();
                assert_eq!(found, wanted.clone().into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_join_shares_the_parts_that_it_leaves_as_they_are() {
        let numbers: Vec<(u32, u32)> = (0..1000).map(|block| (block, 1)).collect();
        let counter = map(&numbers);
        let mut older = counter.clone();
        older.remove(999);
        older.join(&counter, later);
        assert_eq!(root(&older), root(&counter), "all that the other knows");
        let mut newer = counter.clone();
        newer.change(5, |value| *value = 2);
        let (before, looks) = (root(&newer), std::cell::Cell::new(0));
        newer.join(&counter, |own, other| {
            looks.set(looks.get() + 1);
            later(own, other)
        });
        assert_eq!(root(&newer), before, "all that was known");
        assert_eq!(looks.get(), CHILDREN, "the branch that differs");
    }
}
