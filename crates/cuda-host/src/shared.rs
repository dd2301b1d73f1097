//! Memory that a process and kernels use: managed, pinned and registered memory.
//!
//! Managed and pinned memory has one address in the process and in the emulator, and two copies: the process's is current, and
//! kernels, copies and memsets get its bytes before and give theirs back after. Memory that is registered stays where it is, and
//! kernels use a copy in the same way.
//!
//! Bytes that are the same on both sides stay where they are. Each side makes a [`digest`] of a part of a megabyte at the speed of
//! memory; the one that both sides had last is kept, and only parts that have another one now are sent.

use std::ops::Range;

use crate::device::Block;
use crate::machine::{Machine, Result, Stop};
use crate::process::{Process, Shared, Sharing};

/// How many bytes are compared, and sent if they differ.
const PART_BYTES: u64 = 1 << 20;

/// Fewer bytes are sent without being compared.
const MIN_BYTES: u64 = 1 << 12;

/// What the halves of a digest are multiplied with: 2⁶⁴ divided by the golden ratio, made odd.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that is different, all but surely, if bytes of the same length are. `runtime.cc` has the same function.
///
/// Words of eight bytes go into four numbers in turn, because a processor multiplies several at the same time; a change of one
/// word always changes the result.
///
/// # Examples
///
/// ```
/// assert_ne!(cuda_host::digest(&[0; 40]), cuda_host::digest(&[[0; 39].as_slice(), &[1]].concat()));
/// ```
pub fn digest(bytes: &[u8]) -> u64 {
    let mixed = |number: u64, word: u64| (number.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    };
    let mut numbers = [1, 2, 3, 4];
    let mut rows = bytes.chunks_exact(32);
    for row in &mut rows {
        for (number, bytes) in numbers.iter_mut().zip(row.chunks_exact(8)) {
            *number = mixed(*number, word(bytes));
        }
    }
    let all = numbers.into_iter().fold(0, mixed);
    rows.remainder().chunks(8).map(word).fold(all, mixed)
}

/// Where a process has memory that is not at the same address for kernels: below the addresses that both can use, above those
/// of programs whose addresses are fixed.
const BESIDE: Range<u64> = 12 << 40..16 << 40;

impl Sharing {
    /// The next address there with so much room; each is given out once.
    pub fn next_beside(&mut self, bytes: u64) -> Option<u64> {
        let address = self.last_beside.max(BESIDE.start);
        let end = address.checked_add(bytes)?.checked_next_multiple_of(MIN_BYTES)?;
        (end <= BESIDE.end).then(|| {
            self.last_beside = end;
            address
        })
    }

    /// A range of the device's memory gets another meaning, or other bytes.
    fn forget(&mut self, range: Range<u64>) {
        let first = range.start.saturating_sub(PART_BYTES - 1);
        let found: Vec<u64> = self.same.range(first..range.end).map(|(at, _)| *at).collect();
        for at in found {
            self.same.remove(&at);
        }
    }
}

/// The parts of a range of the device's memory.
fn parts(of: Shared, range: Range<u64>) -> impl Iterator<Item = Part> {
    let end = range.end.min(of.device + of.bytes);
    let mut at = range.start;
    std::iter::from_fn(move || {
        let start = of.device + (at - of.device) / PART_BYTES * PART_BYTES;
        let whole = start..(start + PART_BYTES).min(of.device + of.bytes);
        let part = at..whole.end.min(end);
        (at < end).then(|| {
            at = part.end;
            let bytes = part.end - part.start;
            let shared = Shared { process: of.process + (part.start - of.device), device: part.start, bytes };
            Part { shared, is_whole: part == whole && bytes >= MIN_BYTES }
        })
    })
}

/// Some bytes, and whether they are all of a part that is compared.
#[derive(Clone, Copy, Debug)]
struct Part {
    shared: Shared,
    is_whole: bool,
}

impl Machine<'_> {
    /// New memory that host and kernels share gets its place in the process; whether there was one.
    pub(crate) fn share(&mut self, address: u64, bytes: u64) -> Result<bool> {
        match &self.native {
            Some(native) => Ok(native.process.map(address, bytes)?),
            None => Ok(true),
        }
    }

    pub(crate) fn unshare(&mut self, address: u64, bytes: u64) -> Result<()> {
        match &mut self.native {
            Some(native) => {
                native.shared.forget(address..address + bytes);
                Ok(native.process.unmap(address, bytes)?)
            }
            None => Ok(()),
        }
    }

    /// Memory of the host has moved to an address of the device, or back.
    pub(crate) fn forget_shared(&mut self, address: u64, bytes: u64) {
        if let Some(native) = &mut self.native {
            native.shared.forget(address..address + bytes);
        }
    }

    /// What the process and kernels share.
    fn shared(&self) -> Vec<Shared> {
        let is_mapped = |block: &&Block| block.is_live && self.device.is_mapped(block.buffer.address());
        let blocks = self.device.blocks.values().filter(is_mapped);
        let blocks = blocks.map(|block| {
            let at = block.buffer.address();
            Shared { process: at, device: at, bytes: block.buffer.bytes() }
        });
        let registered = self.device.registered.iter();
        let registered =
            registered.map(|(start, (bytes, at))| Shared { process: *start, device: *at, bytes: *bytes });
        let managed = self.native.iter().flat_map(|native| native.shared.managed.iter().copied());
        blocks.chain(registered).chain(managed).collect()
    }

    /// The parts of everything that is shared.
    fn all_parts(&self) -> Vec<Part> {
        let all = self.shared().into_iter();
        all.flat_map(|shared| parts(shared, shared.device..shared.device + shared.bytes)).collect()
    }

    /// The parts of some bytes of the device, if they are shared.
    fn parts_at(&self, address: u64, bytes: u64) -> Vec<Part> {
        let has = |shared: &&Shared| (shared.device..shared.device + shared.bytes).contains(&address);
        let shared = self.shared();
        let found = shared.iter().find(has);
        found.map_or(Vec::new(), |of| parts(*of, address..address.saturating_add(bytes)).collect())
    }

    /// The device gets the bytes of the process, before a kernel uses them.
    pub(crate) fn pull(&mut self) -> Result<()> {
        let Some(process) = self.native.as_ref().map(|native| native.process) else { return Ok(()) };
        self.all_parts().into_iter().try_for_each(|part| self.pull_from(process, part))
    }

    /// The same with bytes of the device that are copied.
    pub(crate) fn pull_part(&mut self, address: u64, bytes: u64) -> Result<()> {
        let Some(process) = self.native.as_ref().map(|native| native.process) else { return Ok(()) };
        self.parts_at(address, bytes).into_iter().try_for_each(|part| self.pull_from(process, part))
    }

    /// The process gets the bytes of the device back after a kernel, before which the device got those of the process.
    pub(crate) fn push(&mut self) -> Result<()> {
        let Some(process) = self.native.as_ref().map(|native| native.process) else { return Ok(()) };
        let changed: Vec<Part> =
            self.all_parts().into_iter().filter(|part| !self.is_unchanged(*part)).collect();
        changed.into_iter().try_for_each(|part| self.push_to(process, part))
    }

    /// Whether the device has the bytes that both sides had.
    fn is_unchanged(&self, part: Part) -> bool {
        let Shared { device, bytes, .. } = part.shared;
        part.is_whole && self.device.bytes(device, bytes).map(digest) == self.same_as(device)
    }

    /// The same with bytes of the device that were copied to or set. Host code may have changed those of the process since they
    /// were compared, so they are always sent.
    pub(crate) fn push_part(&mut self, address: u64, bytes: u64) -> Result<()> {
        let Some(process) = self.native.as_ref().map(|native| native.process) else { return Ok(()) };
        self.parts_at(address, bytes).into_iter().try_for_each(|part| self.push_to(process, part))
    }

    fn pull_from(&mut self, process: &dyn Process, part: Part) -> Result<()> {
        let Shared { process: from, device: to, bytes } = part.shared;
        if part.is_whole && self.same_as(to).is_some() && process.digest(from, bytes)? == self.same_as(to) {
            return Ok(());
        }
        let found = self.native_read(process, from, bytes)?;
        self.device.write(to, &found).map_err(Stop::error)?;
        self.note_same(part, &found);
        Ok(())
    }

    fn push_to(&mut self, process: &dyn Process, part: Part) -> Result<()> {
        let Shared { process: to, device: from, bytes } = part.shared;
        let found = self.device.bytes(from, bytes).unwrap_or_default().to_vec();
        self.native_write(process, to, &found)?;
        self.note_same(part, &found);
        Ok(())
    }

    /// The digest that a part had on both sides.
    fn same_as(&self, device: u64) -> Option<u64> {
        self.native.as_ref()?.shared.same.get(&device).copied()
    }

    /// Both sides have these bytes.
    fn note_same(&mut self, part: Part, bytes: &[u8]) {
        let Some(native) = &mut self.native else { return };
        let at = part.shared.device;
        if part.is_whole {
            native.shared.same.insert(at, digest(bytes));
        } else {
            native.shared.forget(at..at + part.shared.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_in_one_part_and_only_whole_parts_are_compared() {
        let of = Shared { process: 1 << 40, device: 3 << 40, bytes: 2 * PART_BYTES + MIN_BYTES };
        let told = |range: Range<u64>| {
            let found = parts(of, of.device + range.start..of.device + range.end);
            let told = |part: Part| {
                assert_eq!(part.shared.process - of.process, part.shared.device - of.device);
                (part.shared.device - of.device, part.shared.bytes, part.is_whole)
            };
            found.map(told).collect::<Vec<_>>()
        };
        let [one, some] = [PART_BYTES, MIN_BYTES];
        assert_eq!(told(0..of.bytes), [(0, one, true), (one, one, true), (2 * one, some, true)]);
        assert_eq!(told(1..one + 1), [(1, one - 1, false), (one, 1, false)]);
        assert_eq!(told(one..u64::MAX - of.device), [(one, one, true), (2 * one, some, true)]);
        assert_eq!(told(5..5), []);
        let small = Shared { bytes: MIN_BYTES - 1, ..of };
        assert!(!parts(small, of.device..of.device + small.bytes).next().unwrap().is_whole);
    }

    #[test]
    fn a_digest_has_all_bytes_in_their_order() {
        let bytes: Vec<u8> = (0..100).collect();
        for length in 0..=bytes.len() {
            for at in 0..length {
                let mut other = bytes[..length].to_vec();
                other[at] ^= 0x80;
                assert_ne!(digest(&bytes[..length]), digest(&other), "{at} of {length}");
            }
        }
        let mut turned = bytes.clone();
        turned.swap(0, 32);
        assert_ne!(digest(&bytes), digest(&turned));
    }

    #[test]
    fn what_is_forgotten_is_all_that_a_range_touches() {
        let mut sharing = Sharing::default();
        sharing.same.extend([(0, 1), (PART_BYTES, 2), (2 * PART_BYTES, 3)]);
        sharing.forget(2 * PART_BYTES - 1..2 * PART_BYTES);
        assert_eq!(sharing.same.keys().copied().collect::<Vec<_>>(), [0, 2 * PART_BYTES]);
    }
}
