//! The CUDA runtime: what copies and sets bytes.
//!
//! Specification: CUDA Runtime API, "API synchronization behavior". Copies are carried out at once; what the program has to
//! wait for is in `order`.

use std::ops::Range;

use crate::device::{Block, Device};
use crate::errors::{INVALID_DIRECTION, INVALID_VALUE};
use crate::finding::{Finding, Kind};
use crate::machine::{Machine, Result, Stop};
use crate::memory::Access;
use crate::order::{LEGACY, Point, What};
use crate::unordered;
use crate::work::{Copy, Node};

/// How many bytes are copied at a time: a copy may need memory of its own, twice as much as it copies.
const PART_BYTES: u64 = 1 << 20;

impl Machine<'_> {
    /// Copies bytes between the host and the device, in a stream or in the default stream, for which the host waits then.
    pub(crate) fn cuda_memcpy(&mut self, copy: Copy, stream: Option<u64>) -> Result<u64> {
        let [to, from] = [copy.to, copy.from].map(|address| self.device.resolve(address));
        let bytes = copy.bytes;
        if bytes == 0 && (to == 0 || from == 0) {
            return Ok(0);
        }
        if let Some((code, message)) = self.wrong_direction(to, from, copy.kind) {
            return Ok(self.failed(code, message));
        }
        if stream.is_some_and(|stream| self.is_kept(stream, || Node::Copy(copy))) {
            return Ok(0);
        }
        self.check_place(from, bytes, "copied")?;
        self.check_place(to, bytes, "copied to")?;
        let (read, written) = (self.on_device(from, bytes), self.on_device(to, bytes));
        self.submit(What::Copy, stream.unwrap_or(LEGACY), read, written)?;
        // Memory that has an address in the process is copied from there, and to it.
        let is_native = |address| self.process_with(address).is_some();
        let [takes_from, gives_to] =
            [from, to].map(|address| self.device.has(address) && !is_native(address));
        if takes_from {
            self.pull_part(from, bytes)?;
        }
        for at in (0..bytes).step_by(PART_BYTES as usize) {
            self.copy_part(to + at, from + at, PART_BYTES.min(bytes - at))?;
        }
        if self.device.has(to) {
            self.device.note_filled(self.line, to, bytes);
        }
        if gives_to {
            self.push_part(to, bytes)?;
        }
        if let Some(stream) = stream {
            // What goes to memory that is not pinned has arrived when the call returns.
            if !self.device.has(to) {
                self.device.order.finish(Some(Point::Stream(stream)));
            }
        } else if self.is_visible(to) || self.is_visible(from) {
            self.finish(Some(Point::Stream(LEGACY)))?;
        }
        Ok(0)
    }

    /// Copies bytes that both places have.
    fn copy_part(&mut self, to: u64, from: u64, bytes: u64) -> Result<()> {
        match (self.process_with(from), self.process_with(to)) {
            (Some(process), None) => {
                let into = self.device.bytes_mut(to, bytes).unwrap_or_default();
                return if process.read(from, into)? { Ok(()) } else { self.unreadable(from, bytes) };
            }
            (None, Some(process)) => {
                return self.native_write(process, to, self.device.bytes(from, bytes).unwrap_or_default());
            }
            // What host code has stored there last is in the process, and not yet on the device.
            (Some(process), Some(_)) => {
                let found = self.native_read(process, from, bytes)?;
                return self.native_write(process, to, &found);
            }
            _ => {}
        }
        let (found, is_written) = if self.device.has(from) {
            self.device.read(from, bytes).unwrap_or_default()
        } else {
            self.host_bytes(from, bytes)?
        };
        let is_all = !is_written.contains(&false);
        if self.device.has(to) {
            let copied = if is_all {
                self.device.write(to, &found)
            } else {
                self.device.copy_in(to, &found, |nth| is_written[nth])
            };
            copied.map_err(Stop::error)
        } else if is_all {
            self.set_host_bytes(to, &found, |_| true)
        } else {
            self.set_host_bytes(to, &found, |nth| is_written[nth])
        }
    }

    /// `cudaMemset` and `cudaMemsetAsync`. The host waits for the first one if it can use the memory.
    pub(crate) fn cuda_memset(
        &mut self,
        address: u64,
        value: u8,
        bytes: u64,
        stream: Option<u64>,
    ) -> Result<u64> {
        let address = self.device.resolve(address);
        if bytes == 0 && address == 0 {
            return Ok(0);
        }
        if !self.device.has(address) {
            let message = "`cudaMemset` got a pointer to memory of the host that is not pinned".to_owned();
            return Ok(self.failed(INVALID_VALUE, message));
        }
        if stream.is_some_and(|stream| self.is_kept(stream, || Node::Set(address, value, bytes))) {
            return Ok(0);
        }
        self.check_device(address, bytes, "set")?;
        let written = self.on_device(address, bytes);
        self.submit(What::Set, stream.unwrap_or(LEGACY), 0..0, written)?;
        self.device.write(address, &vec![value; bytes as usize]).map_err(Stop::error)?;
        self.push_part(address, bytes)?;
        self.device.note_filled(self.line, address, bytes);
        // All ones, as bytes and as numbers, are -1.
        if !matches!(value, 0 | 0xff) {
            let message = format!(
                "`cudaMemset` stores {value} in every byte, so that an `int` becomes {}: to store numbers, fill an array on \
                 the host, and copy it",
                u32::from_ne_bytes([value; 4])
            );
            self.suspects.push((self.line, message));
        }
        if stream.is_none() && self.is_visible(address) {
            self.finish(Some(Point::Stream(LEGACY)))?;
        }
        Ok(0)
    }

    /// The bytes that are used of memory of the device; none if it is the host's.
    fn on_device(&self, address: u64, bytes: u64) -> Range<u64> {
        if self.device.has(address) { address..address.saturating_add(bytes) } else { 0..0 }
    }

    /// Whether host code can use memory.
    fn is_visible(&self, address: u64) -> bool {
        !self.device.has(address) || self.device.block(address).is_some_and(|block| block.is_shared())
    }

    /// Whether a copy may use bytes of the host or of the device.
    fn check_place(&mut self, address: u64, bytes: u64, done: &str) -> Result<()> {
        if self.device.has(address) {
            self.check_device(address, bytes, done)
        } else {
            self.check_host(address, bytes, done, Access::Copy)
        }
    }

    /// A stream gets work that reads and writes bytes: what other streams do with them has to be ordered before it. A client of the
    /// driver goes on, as on a GPU, which returns no error.
    pub(crate) fn submit(
        &mut self,
        what: What,
        stream: u64,
        read: Range<u64>,
        written: Range<u64>,
    ) -> Result<()> {
        self.device.order.enter(stream);
        self.await_functions(Some(Point::Stream(stream)))?;
        let mut others = self.device.order.work.iter().filter(|work| work.is_unordered(stream));
        let clash = others.find(|work| work.changes(&read) || work.changes(&written) || work.reads(&written));
        if let Some(other) = clash {
            let name = if what == What::Copy { "copy" } else { "call" };
            let message = format!(
                "this {name} uses the same bytes as the work of {} in another stream, and nothing orders the two",
                self.places.place(other.line)
            );
            let help = unordered::help([stream, other.stream]);
            if !self.places.are_of_driver() {
                return self.found(Kind::Unsynchronized, message, &help);
            }
            self.report(Finding::new(Kind::Unsynchronized, self.line, message, help));
        }
        let work = self.device.order.add(what, stream, self.line);
        work.changed.push(written);
        work.read = read;
        Ok(())
    }

    /// Why a copy with this direction is refused.
    fn wrong_direction(&self, to: u64, from: u64, kind: u64) -> Option<(u64, String)> {
        let wanted = match kind {
            0 => [false, false],
            1 => [false, true],
            2 => [true, false],
            3 => [true, true],
            4 => [from, to].map(|address| self.device.has(address)),
            _ => return Some((INVALID_DIRECTION, "this direction of a copy does not exist".to_owned())),
        };
        let mut ends = [("the source", from, wanted[0]), ("the destination", to, wanted[1])].into_iter();
        ends.find_map(|(argument, address, is_wanted)| {
            if Device::is_name(address) {
                let message = format!(
                    "{argument} of the copy is the name of a variable of the device, which is no address on the host: \
                     `cudaMemcpyToSymbol` and `cudaMemcpyFromSymbol` take names"
                );
                return Some((INVALID_VALUE, message));
            }
            let is_either = self.device.block(address).as_ref().is_some_and(Block::is_shared);
            let whose = |is_device: bool| if is_device { "the device" } else { "the host" };
            (self.device.has(address) != is_wanted && !is_either).then(|| {
                let message = format!(
                    "{argument} of the copy is in memory of {}, but its direction says {}",
                    whose(!is_wanted),
                    whose(is_wanted)
                );
                (INVALID_VALUE, message)
            })
        })
    }

    /// `cudaMemcpyToSymbol`: the symbol, its size, and the source, the bytes, the offset and the direction of the copy.
    pub(crate) fn copy_to_symbol(&mut self, values: &[u64], stream: Option<u64>) -> Result<u64> {
        let [symbol, whole, from, bytes, offset, kind, ..] = values[..] else { return Ok(INVALID_VALUE) };
        if offset == 0 && bytes < whole {
            let name = self.device.variable_at(Device::named(symbol)).unwrap_or("the variable");
            let message = format!(
                "only {bytes} of the {whole} bytes of `{name}` are copied: copy `sizeof({name})` bytes"
            );
            self.suspects.push((self.line, message));
        }
        let to = Device::named(symbol).wrapping_add(offset);
        self.cuda_memcpy(Copy { to, from, bytes, kind }, stream)
    }
}
