//! The calls about objects that graphs keep alive.
//!
//! Specification: CUDA Driver API, "Graph Management".

use std::collections::BTreeMap;

use cudac::host::Scalar;

use super::errors::code;
use super::held::Handle;
use super::state::{Driver, Values};
use super::user_object::{Object, take_from_graph};
use crate::machine::Result;

/// The only flag of a new object, which is required: nobody waits for the function that destroys it.
const NO_DESTRUCTOR_SYNC: u64 = 1;

/// The flag of a reference that the program gives to a graph instead of making another one.
const MOVE: u64 = 1;

/// So many references can be made or given up in one call.
const MOST_REFERENCES: u64 = i32::MAX as u64;

impl Driver<'_> {
    pub(super) fn of_user_objects(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let [a, b, c, d] = [0, 1, 2, 3].map(|nth| values.at(nth));
        Some(match name {
            "cuUserObjectCreate" => self.create_object(values),
            "cuUserObjectRetain" => self.in_object(a, b, |_, object| {
                object.of_program += b;
                object.all += b;
                None
            }),
            "cuUserObjectRelease" => {
                let released = self.in_object(a, b, |_, object| object.take_from_program(b));
                self.then_give_up(released, a, b)
            }
            "cuGraphRetainUserObject" => self.retain_in_graph(a, b, c, d),
            "cuGraphReleaseUserObject" => {
                let released = self.in_object(b, c, |held, _| take_from_graph(held, [a, b], c));
                self.then_give_up(released, b, c)
            }
            _ => return None,
        })
    }

    /// The next function that has to be called because an object is held by nobody, and what it gets; zeros if there is none.
    pub(super) fn destroyed_object(&mut self, to: u64) -> Result<u64> {
        let [function, data] = self.objects.due.pop().unwrap_or_default();
        self.give(to, Scalar::U64, function)?;
        self.give(to + 8, Scalar::U64, data)
    }

    /// Where the handle goes, the object, the function that destroys it, the references, the flags.
    fn create_object(&mut self, values: Values<'_>) -> Result<u64> {
        let [to, data, destroy, count, flags] = [0, 1, 2, 3, 4].map(|nth| values.at(nth));
        if destroy == 0 || count == 0 || count > MOST_REFERENCES || flags != NO_DESTRUCTOR_SYNC {
            let message = "an object needs a function that destroys it, a reference, and the flag `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`";
            return self.fail(code::INVALID_VALUE, message);
        }
        let help = "call `cuUserObjectRelease` when one is not needed any more";
        self.machine.check_handles(self.objects.alive.len(), "objects of graphs", help)?;
        let handle = Handle::UserObject.make(self.objects.made);
        self.give(to, Scalar::U64, handle)?;
        self.objects.made += 1;
        self.objects.alive.insert(handle, Object { data, destroy, of_program: count, all: count });
        Ok(0)
    }

    /// What is done with some references to an object. It may say what is wrong.
    fn in_object(
        &mut self,
        object: u64,
        count: u64,
        then: impl FnOnce(&mut BTreeMap<u64, BTreeMap<u64, u64>>, &mut Object) -> Option<&'static str>,
    ) -> Result<u64> {
        if count == 0 || count > MOST_REFERENCES {
            return self.fail(code::INVALID_VALUE, format!("{count} references to an object"));
        }
        let objects = &mut self.objects;
        let wrong = match objects.alive.get_mut(&object) {
            Some(known) => then(&mut objects.of_graphs, known),
            None => Some("there is no such object of graphs: it was never made, or nobody holds it any more"),
        };
        match wrong {
            Some(wrong) => self.fail(code::INVALID_VALUE, wrong),
            None => Ok(0),
        }
    }

    fn then_give_up(&mut self, released: Result<u64>, object: u64, count: u64) -> Result<u64> {
        if matches!(released, Ok(0)) {
            self.objects.give_up(object, count);
        }
        released
    }

    fn retain_in_graph(&mut self, graph: u64, object: u64, count: u64, flags: u64) -> Result<u64> {
        let is_captured = self.machine.capture.as_ref().is_some_and(|capture| capture.graph == graph);
        if !is_captured && !self.machine.graphs.contains_key(&graph) {
            return self.no_graph();
        }
        self.in_object(object, count, |held, known| {
            match flags {
                0 => known.all += count,
                MOVE => {
                    if let wrong @ Some(_) = known.take_from_program(count) {
                        return wrong;
                    }
                }
                _ => {
                    return Some(
                        "a graph holds an object with no other flag than `CU_GRAPH_USER_OBJECT_MOVE`",
                    );
                }
            }
            *held.entry(graph).or_default().entry(object).or_default() += count;
            None
        })
    }
}
