//! Host code accesses memory: numbers, and bytes in a row.
//!
//! What is allowed takes the short way through `memory`; everything else is looked at again, for memory that kernels use too,
//! or for the finding.

use cudac::Line;
use cudac::host::{Scalar, Update, UpdateResult};

use crate::arithmetic;
use crate::device::{Block, Device, Owner};
use crate::finding::{Finding, Kind};
use crate::machine::{Machine, Result, Stop};
use crate::memory::{Access, BASE, state};
use crate::order::{What, Work};
use crate::places::Places;

/// What to do about a device's pointer that host code dereferences.
pub(crate) const DEREFERENCED: &str = "copy the value to the host with `cudaMemcpy`, and use the copy";

/// What to do about an asynchronous copy that is too late.
const WAIT: &str = "call `cudaStreamSynchronize` or `cudaDeviceSynchronize` before";

/// Bytes, and which of them have been written.
pub(crate) type Found = (Vec<u8>, Vec<bool>);

impl Machine<'_> {
    #[inline]
    pub fn load(&mut self, ty: Scalar, address: u64) -> Result<u64> {
        let memory = &self.memory;
        let value = match ty {
            Scalar::Bool | Scalar::U8 => {
                memory.read(address).map(|bytes| u64::from(u8::from_le_bytes(bytes)))
            }
            Scalar::I8 => memory.read(address).map(|bytes| i8::from_le_bytes(bytes) as u64),
            Scalar::I16 => memory.read(address).map(|bytes| i16::from_le_bytes(bytes) as u64),
            Scalar::U16 => memory.read(address).map(|bytes| u64::from(u16::from_le_bytes(bytes))),
            Scalar::I32 => memory.read(address).map(|bytes| i32::from_le_bytes(bytes) as u64),
            Scalar::U32 | Scalar::F32 => {
                memory.read(address).map(|bytes| u64::from(u32::from_le_bytes(bytes)))
            }
            Scalar::I64 | Scalar::U64 | Scalar::F64 => memory.read(address).map(u64::from_le_bytes),
        };
        match value {
            Some(value) => Ok(value),
            None => self.load_elsewhere(ty, address),
        }
    }

    #[inline]
    pub fn store(&mut self, ty: Scalar, address: u64, value: u64) -> Result<()> {
        self.changes += 1;
        let is_written = match ty.bytes() {
            1 => self.memory.write(address, (value as u8).to_le_bytes()),
            2 => self.memory.write(address, (value as u16).to_le_bytes()),
            4 => self.memory.write(address, (value as u32).to_le_bytes()),
            _ => self.memory.write(address, value.to_le_bytes()),
        };
        if is_written {
            return Ok(());
        }
        self.store_elsewhere(address, &value.to_le_bytes()[..ty.bytes() as usize])
    }

    #[cold]
    fn load_elsewhere(&mut self, ty: Scalar, address: u64) -> Result<u64> {
        let (mut value, bytes) = ([0; 8], ty.bytes());
        self.check_name(address)?;
        if let Some(process) = self.process_with(address) {
            let found = self.native_read(process, address, bytes)?;
            value[..found.len()].copy_from_slice(&found);
            return Ok(arithmetic::extend(ty, u64::from_le_bytes(value)));
        }
        let address = self.device.resolve(address);
        let found = if self.device.has(address) {
            self.check_shared(address, bytes, "read", Access::Read)?;
            self.device.bytes(address, bytes).unwrap_or_default()
        } else {
            self.check_host(address, bytes, "read", Access::Read)?;
            let at = (address.max(BASE) - BASE) as usize;
            &self.memory.bytes[at..at + bytes as usize]
        };
        value[..found.len()].copy_from_slice(found);
        Ok(arithmetic::extend(ty, u64::from_le_bytes(value)))
    }

    #[cold]
    fn store_elsewhere(&mut self, address: u64, value: &[u8]) -> Result<()> {
        self.give(address, value, |_| true)
    }

    pub fn divided<T>(&mut self, line: Line) -> Result<T> {
        self.at(line);
        let help = "test the divisor before the division";
        self.found(Kind::DivisionByZero, "an integer is divided by zero", help)
    }

    pub fn update(&mut self, update: &Update, frame: u64) -> Result<u64> {
        let value = self.operand(&update.value, frame)?;
        let address = self.place(&update.address, frame)?;
        self.at(update.line);
        let old = self.load(update.ty, address)?;
        let is_same = update.computed_as == update.ty;
        let wide = if is_same { old } else { arithmetic::convert(update.computed_as, update.ty, old) };
        let Some(new) = arithmetic::binary(update.op, update.computed_as, wide, value) else {
            return self.divided(update.line);
        };
        let new = if is_same { new } else { arithmetic::convert(update.ty, update.computed_as, new) };
        self.store(update.ty, address, new)?;
        Ok(match update.result {
            UpdateResult::Old => old,
            UpdateResult::New => new,
            UpdateResult::Address => address,
        })
    }

    /// Bytes that host code reads.
    pub(crate) fn take(&mut self, address: u64, bytes: u64, access: Access) -> Result<Found> {
        self.check_name(address)?;
        if let Some(process) = self.process_with(address) {
            return Ok((self.native_read(process, address, bytes)?, vec![true; bytes as usize]));
        }
        let address = self.device.resolve(address);
        if self.device.has(address) {
            self.check_shared(address, bytes, "read", access)?;
            return Ok(self.device.read(address, bytes).unwrap_or_default());
        }
        self.check_host(address, bytes, "read", access)?;
        self.host_bytes(address, bytes)
    }

    /// Bytes of the memory of the host, which the caller knows to be there.
    pub(crate) fn host_bytes(&self, address: u64, bytes: u64) -> Result<Found> {
        if let Some(process) = self.process_with(address) {
            return Ok((self.native_read(process, address, bytes)?, vec![true; bytes as usize]));
        }
        let at = (address.max(BASE) - BASE) as usize;
        let range = at..at + bytes as usize;
        let is_written = self.memory.states[range.clone()].iter().map(|known| *known == state::SET);
        Ok((self.memory.bytes[range].to_vec(), is_written.collect()))
    }

    /// Host code writes bytes, of which some may count as unwritten.
    pub(crate) fn give(
        &mut self,
        address: u64,
        bytes: &[u8],
        is_written: impl Fn(usize) -> bool,
    ) -> Result<()> {
        self.check_name(address)?;
        self.changes += 1;
        if let Some(process) = self.process_with(address) {
            return self.native_write(process, address, bytes);
        }
        let (address, count) = (self.device.resolve(address), bytes.len() as u64);
        if self.device.has(address) {
            self.check_shared(address, count, "written", Access::Write)?;
            return self.device.copy_in(address, bytes, is_written).map_err(Stop::error);
        }
        self.check_host(address, count, "written", Access::Write)?;
        self.set_host_bytes(address, bytes, is_written)
    }

    /// Sets bytes of the memory of the host, which the caller knows to be there.
    pub(crate) fn set_host_bytes(
        &mut self,
        address: u64,
        bytes: &[u8],
        is_written: impl Fn(usize) -> bool,
    ) -> Result<()> {
        if let Some(process) = self.process_with(address) {
            return self.native_write(process, address, bytes);
        }
        let at = (address.max(BASE) - BASE) as usize;
        self.memory.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        for (nth, known) in self.memory.states[at..at + bytes.len()].iter_mut().enumerate() {
            *known = if is_written(nth) { state::SET } else { state::EMPTY };
        }
        Ok(())
    }

    /// A variable of the device cannot be used by its name on the host.
    fn check_name(&self, address: u64) -> Result<()> {
        if !Device::is_name(address) {
            return Ok(());
        }
        let help = "copy the value with `cudaMemcpyFromSymbol` or `cudaMemcpyToSymbol`";
        self.found(Kind::WrongSpace, "host code accesses a variable of the device", help)
    }

    /// Host code accesses memory at an address of the device: managed or pinned memory that nobody else is using.
    fn check_shared(&mut self, address: u64, bytes: u64, done: &str, access: Access) -> Result<()> {
        let Some(block) = self.device.block(address).filter(Block::is_shared) else {
            let message =
                format!("host code dereferences a pointer to memory of the device: {bytes} bytes are {done}");
            return self.found(Kind::WrongSpace, message, DEREFERENCED);
        };
        self.check_device(address, bytes, done)?;
        let range = address..address + bytes;
        let uses = |work: &&Work| {
            let is_its = work.blocks.contains(&block.buffer.address());
            let is_moved = is_its && (block.owner == Owner::Managed || access == Access::Write);
            is_moved || work.changes(&range) || access == Access::Write && work.reads(&range)
        };
        if let Some(work) = self.device.order.work.iter().find(uses) {
            let whose = if block.owner == Owner::Managed { "managed" } else { "pinned" };
            let (place, is_target) = (self.places.place(work.line), work.changes(&range));
            let message = match work.what {
                What::Kernel => {
                    format!("{whose} memory is {done} while the kernel of {place} may still be running")
                }
                What::Function => {
                    format!("{whose} memory is {done} while the function of {place} may still be running")
                }
                What::Copy if is_target => {
                    format!("{bytes} bytes are {done} before an asynchronous copy to them has finished")
                }
                What::Copy => {
                    format!("{bytes} bytes are {done} before an asynchronous copy from them has finished")
                }
                What::Set => {
                    format!("{bytes} bytes are {done} before the memset of {place} has finished")
                }
            };
            let help = if work.what == What::Kernel { "call `cudaDeviceSynchronize()` before" } else { WAIT };
            return self.found(Kind::Unsynchronized, message, help);
        }
        let is_unwritten = access == Access::Read && !self.device.has_written(address, bytes);
        if is_unwritten {
            Err(self.unwritten(bytes, done, &place_in(&self.places, &block, address)).into())
        } else {
            Ok(())
        }
    }

    /// The finding about bytes that nobody has written.
    pub(crate) fn unwritten(&self, bytes: u64, done: &str, place: &str) -> Finding {
        let help = "set it first; a result of a kernel has to be copied back with `cudaMemcpy`, and the kernel has to write \
                    all of it";
        let message = format!("{bytes} bytes are {done} that nobody has written{place}");
        Finding::new(Kind::Uninitialized, self.line, message, help)
    }

    /// Copies bytes that host code can access, those that nobody has written too.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<()> {
        if self.is_on_host(to) && self.is_on_host(from) {
            self.check_host(from, bytes, "read", Access::Copy)?;
            self.check_host(to, bytes, "written", Access::Write)?;
            self.changes += 1;
            let (to, from, bytes) = ((to - BASE) as usize, (from - BASE) as usize, bytes as usize);
            self.memory.bytes.copy_within(from..from + bytes, to);
            self.memory.states.copy_within(from..from + bytes, to);
            return Ok(());
        }
        if bytes > 0 {
            let (found, is_written) = self.take(from, bytes, Access::Copy)?;
            self.give(to, &found, |nth| is_written[nth])?;
        }
        Ok(())
    }

    /// Whether an address is in the memory of the host, and that of no device.
    fn is_on_host(&self, address: u64) -> bool {
        self.memory.offset(address).is_some() && self.device.registered.is_empty()
    }

    /// Sets bytes that host code can access.
    pub fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<()> {
        if bytes > 0 {
            self.give(address, &vec![value; bytes as usize], |_| true)?;
        }
        Ok(())
    }
}

/// Where an address is in an allocation, for a message.
fn place_in(places: &Places, block: &Block, address: u64) -> String {
    let (at, size) = (address - block.buffer.address(), block.buffer.bytes());
    format!(": byte {at} of {}", allocated(places, size, block.line))
}

/// What an allocation is called in a message. A variable has no line.
pub(crate) fn allocated(places: &Places, bytes: u64, line: Line) -> String {
    if line.is_known() {
        format!("the {bytes} bytes that {} allocated", places.place(line))
    } else {
        format!("a variable of {bytes} bytes")
    }
}
