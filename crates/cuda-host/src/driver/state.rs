//! The driver of one process: what it knows, and how a call takes and gives values.

use cudac::host::Scalar;

use super::errors::code;
use super::graph::Graphs;
use super::held::{Contexts, Functions, Modules, Texts};
use super::pool::Pools;
use super::user_object::UserObjects;
use crate::device::Failure;
use crate::machine::{Machine, Result, Stop};

/// The driver of one process.
pub(super) struct Driver<'p> {
    pub machine: Machine<'p>,
    pub is_initialised: bool,
    /// The compute capability that the device claims: 80 for 8.0.
    pub capability: u32,
    /// How many calls there were.
    pub calls: u32,
    pub contexts: Contexts,
    pub modules: Modules,
    pub functions: Functions,
    /// The graphs that the program makes of nodes, and what was made of graphs to be launched.
    pub graphs: Graphs,
    /// The objects of the program that graphs hold.
    pub objects: UserObjects,
    /// The texts of PTX that were run without a module.
    pub texts: Texts,
    pub pools: Pools,
    /// The error that all calls return after a launch was stopped.
    pub broken: Option<u64>,
    /// Calls that failed, one for each function and error.
    pub failures: Vec<Failure>,
}

impl Driver<'_> {
    /// A call fails, for a reason.
    #[expect(clippy::unnecessary_wraps, reason = "it is what a call ends with")]
    pub fn fail(&mut self, code: u64, message: impl Into<String>) -> Result<u64> {
        Ok(self.machine.failed(code, message.into()))
    }

    /// Stores a number where the caller wants it.
    pub fn give(&mut self, to: u64, ty: Scalar, value: u64) -> Result<u64> {
        if to == 0 {
            return self.fail(code::INVALID_VALUE, "the result goes to a null pointer");
        }
        self.machine.store(ty, to, value).map(|()| code::SUCCESS)
    }

    /// The same where no place means that the caller does not want it.
    pub fn offer(&mut self, to: u64, ty: Scalar, value: u64) -> Result<u64> {
        if to == 0 { Ok(code::SUCCESS) } else { self.give(to, ty, value) }
    }

    /// Gives a text and the zero after it, cut off if there is not enough room.
    pub fn give_text(&mut self, to: u64, room: u64, text: &str) -> Result<u64> {
        if to == 0 || room == 0 {
            return self.fail(code::INVALID_VALUE, "the text goes to a null pointer, or has no room there");
        }
        let kept = text.len().min(room as usize - 1);
        let bytes = [&text.as_bytes()[..kept], &[0]].concat();
        self.machine.give(to, &bytes, |_| true).map(|()| code::SUCCESS)
    }

    /// Bytes of the caller's memory.
    pub fn take(&mut self, from: u64, bytes: u64) -> Result<Vec<u8>> {
        if bytes > MOST_TEXT_BYTES as u64 {
            return Err(Stop::error(format!("a text or a table of {bytes} bytes is not supported")));
        }
        self.machine.bytes_of(from, bytes)
    }

    /// Words of 64 bits of the caller's memory.
    pub fn take_words(&mut self, from: u64, count: u64) -> Result<Vec<u64>> {
        let bytes = self.take(from, count.saturating_mul(8))?;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Ok(bytes.chunks_exact(8).map(word).collect())
    }

    /// A text up to its zero, which is read a page at a time.
    pub fn take_text(&mut self, from: u64) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        if from == 0 {
            return Ok(text);
        }
        while text.len() < MOST_TEXT_BYTES {
            let at = from.wrapping_add(text.len() as u64);
            let part = self.take(at, PAGE_BYTES - at % PAGE_BYTES)?;
            match part.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend_from_slice(&part[..end]);
                    return Ok(text);
                }
                None => text.extend_from_slice(&part),
            }
        }
        Err(Stop::error(format!("a text has more than {MOST_TEXT_BYTES} bytes before its zero")))
    }

    pub fn take_name(&mut self, from: u64) -> Result<String> {
        self.take_text(from).map(|text| String::from_utf8_lossy(&text).into_owned())
    }
}

/// The smallest page of any processor.
const PAGE_BYTES: u64 = 4096;

/// More than any text of PTX.
const MOST_TEXT_BYTES: usize = 256 << 20;

/// The arguments of a call; those that it does not have are 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'v>(pub &'v [u64]);

impl Values<'_> {
    pub fn at(self, nth: usize) -> u64 {
        self.0.get(nth).copied().unwrap_or(0)
    }
}
