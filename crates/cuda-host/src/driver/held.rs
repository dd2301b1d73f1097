//! What a process holds of the driver: contexts, modules, functions, texts that are being linked.

use std::collections::{BTreeMap, VecDeque};

/// What stands in every handle, so that a handle is no address and no small number.
const HANDLE: u64 = 0x7a << 56;

/// The kinds of handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handle {
    Context = 1,
    Module = 2,
    Function = 3,
    Link = 4,
    Pool = 5,
    Node = 6,
    UserObject = 7,
}

impl Handle {
    pub fn make(self, number: usize) -> u64 {
        HANDLE | (self as u64) << 48 | (number as u64 + 1) << 4
    }

    /// The number of a handle of this kind.
    pub fn number(self, handle: u64) -> Option<usize> {
        let number = handle ^ HANDLE ^ (self as u64) << 48;
        (number >> 48 == 0 && number.trailing_zeros() >= 4 && number > 0).then(|| (number >> 4) as usize - 1)
    }
}

/// The number of the primary context.
pub(super) const PRIMARY: usize = 0;

/// The contexts of a process.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    /// Those that are alive, by their handles, with their flags.
    pub alive: BTreeMap<u64, u64>,
    /// How often the primary context is retained, and its flags.
    pub retained: u64,
    pub primary_flags: u64,
    /// How many were made.
    pub made: usize,
    /// For each thread its stack of contexts, of which the last is current.
    pub stacks: BTreeMap<u64, Vec<u64>>,
    pub thread: u64,
    pub limits: BTreeMap<u64, u64>,
}

impl Contexts {
    pub fn turn_to(&mut self, thread: u64) {
        self.thread = thread;
    }

    pub fn stack(&mut self) -> &mut Vec<u64> {
        self.stacks.entry(self.thread).or_default()
    }

    /// The context that is current in the thread that calls, if it is alive.
    pub fn current(&self) -> Option<u64> {
        let current = *self.stacks.get(&self.thread)?.last()?;
        self.alive.contains_key(&current).then_some(current)
    }

    /// Makes a context current in place of the one that is.
    pub fn set(&mut self, context: Option<u64>) {
        let stack = self.stack();
        stack.pop();
        stack.extend(context);
        self.forget_empty();
    }

    /// A thread without contexts takes no room.
    pub fn forget_empty(&mut self) {
        let thread = self.thread;
        if self.stack().is_empty() {
            self.stacks.remove(&thread);
        }
    }
}

/// The modules of a process, by their handles, with their numbers on the device; and the texts that are being linked.
#[derive(Debug, Default)]
pub(super) struct Modules {
    pub loaded: BTreeMap<u64, usize>,
    pub made: usize,
    pub links: BTreeMap<u64, Link>,
    pub links_made: usize,
}

/// Texts that are being linked, and where the result is in the caller's memory.
#[derive(Debug, Default)]
pub(super) struct Link {
    pub texts: Vec<String>,
    pub log: Log,
}

/// Where a caller wants to read what is wrong with a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Log {
    pub to: u64,
    pub room: u64,
    /// Where the options say how many bytes there are.
    pub size_at: u64,
}

impl Modules {
    /// The handle of a module by its number; 0 if it is not loaded.
    pub fn handle(&self, number: usize) -> u64 {
        self.loaded.iter().find(|(_, known)| **known == number).map_or(0, |(handle, _)| *handle)
    }

    /// The number of a module that is loaded.
    pub fn number(&self, module: u64) -> Option<usize> {
        self.loaded.get(&module).copied()
    }
}

/// Texts that `ptx_run` has run, with the numbers of their modules, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub loaded: VecDeque<(String, usize)>,
}

/// The functions that the program has asked for: which module and name has which number among the machine's kernels.
#[derive(Debug, Default)]
pub(super) struct Functions {
    pub known: BTreeMap<(usize, String), usize>,
}

impl Functions {
    /// A module is unloaded.
    pub fn forget(&mut self, module: usize) {
        self.known.retain(|(of, _), _| *of != module);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_say_what_they_are() {
        let function = Handle::Function.make(7);
        assert_eq!(Handle::Function.number(function), Some(7));
        assert_eq!((Handle::Module.number(function), Handle::Function.number(7)), (None, None));
        assert_eq!((Handle::Function.number(0), Handle::Function.number(u64::MAX)), (None, None));
    }
}
