//! Objects of the program that graphs keep alive: who holds each, and which nobody holds any more.
//!
//! Specification: CUDA Driver API, "Graph Management"; CUDA C++ Programming Guide, "CUDA User Objects". The program and graphs hold
//! references. What was made of a graph holds as many as the graph did. When the last reference is gone, a function of the program
//! destroys the object: it is called in the process, by whoever has made the call, because nothing here is done later.

use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Object {
    pub data: u64,
    /// The function that destroys it.
    pub destroy: u64,
    /// The references of the program, and all.
    pub of_program: u64,
    pub all: u64,
}

/// The objects of a process.
#[derive(Debug, Default)]
pub(super) struct UserObjects {
    pub alive: BTreeMap<u64, Object>,
    pub made: usize,
    /// The references of each graph to each object.
    pub of_graphs: BTreeMap<u64, BTreeMap<u64, u64>>,
    /// What has to be called: functions, and what each gets.
    pub due: Vec<[u64; 2]>,
}

impl UserObjects {
    /// References are given up, and with the last one the object.
    pub fn give_up(&mut self, object: u64, count: u64) {
        let Some(known) = self.alive.get_mut(&object) else { return };
        known.all -= count;
        if known.all == 0
            && let Some(Object { data, destroy, .. }) = self.alive.remove(&object)
        {
            self.due.push([destroy, data]);
        }
    }

    /// A graph was made of another one.
    pub fn share(&mut self, graph: u64, made: u64) {
        let Some(held) = self.of_graphs.get(&graph).cloned() else { return };
        for (object, count) in &held {
            self.alive.get_mut(object).into_iter().for_each(|known| known.all += count);
        }
        self.of_graphs.insert(made, held);
    }

    /// A graph, or what was made of one, is destroyed.
    pub fn drop_graph(&mut self, graph: u64) {
        for (object, count) in self.of_graphs.remove(&graph).unwrap_or_default() {
            self.give_up(object, count);
        }
    }
}

impl Object {
    /// The program gives up references, or passes them on.
    pub fn take_from_program(&mut self, count: u64) -> Option<&'static str> {
        match self.of_program.checked_sub(count) {
            Some(left) => {
                self.of_program = left;
                None
            }
            None => Some("the program gives up more references to an object than it holds"),
        }
    }
}

/// The same for a graph and an object.
pub(super) fn take_from_graph(
    held: &mut BTreeMap<u64, BTreeMap<u64, u64>>,
    [graph, object]: [u64; 2],
    count: u64,
) -> Option<&'static str> {
    let known = held.get_mut(&graph).and_then(|held| held.get_mut(&object)).filter(|known| **known >= count);
    let Some(known) = known else {
        return Some("a graph gives up more references to an object than it holds");
    };
    *known -= count;
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_graph_that_holds_an_object_destroys_it() {
        let mut objects = UserObjects::default();
        objects.alive.insert(9, Object { data: 5, destroy: 6, of_program: 0, all: 1 });
        objects.of_graphs.insert(1, BTreeMap::from([(9, 1)]));
        objects.share(1, 2);
        objects.share(3, 4);
        objects.drop_graph(1);
        objects.drop_graph(1);
        assert_eq!((objects.due.len(), objects.alive[&9].all), (0, 1));
        objects.drop_graph(2);
        assert_eq!((objects.due, objects.alive.len()), (vec![[6, 5]], 0));
    }
}
