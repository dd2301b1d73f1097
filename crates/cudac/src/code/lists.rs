//! Lists of numbers, such as the predecessors of each block, in one piece of memory.
//!
//! A `Vec` of `Vec`s would allocate once for each block, in passes that run several times for each kernel. The lists
//! are built once, by counting (a bucket sort), and then only read.

use std::ops::Index;

/// A list of numbers for each block or register.
pub(crate) struct Lists {
    /// Where each list begins, and where the last one ends.
    starts: Vec<usize>,
    items: Vec<usize>,
}

impl Lists {
    /// So many lists; a pair is the list and what it has. Each list has its items in the order of the pairs.
    pub fn new(lists: usize, pairs: &[(usize, usize)]) -> Lists {
        let mut starts = vec![0; lists + 1];
        for (list, _) in pairs {
            starts[*list] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut items = vec![0; pairs.len()];
        // The ends of the lists become their starts, because the pairs are walked backwards.
        for (list, item) in pairs.iter().rev() {
            starts[*list] -= 1;
            items[starts[*list]] = *item;
        }
        Lists { starts, items }
    }
}

impl Index<usize> for Lists {
    type Output = [usize];

    fn index(&self, list: usize) -> &[usize] {
        &self.items[self.starts[list]..self.starts[list + 1]]
    }
}
