//! Host code accesses memory: numbers, and bytes in a row.
//!
//! What is allowed takes the short way through `memory`; everything else is looked at again, for managed memory or for the
//! finding.

use cudac::host::Scalar;

use crate::arithmetic;
use crate::device::Device;
use crate::finding::Kind;
use crate::machine::{Machine, Result, Stop};
use crate::memory::{Access, BASE, state};

/// What to do about a device's pointer that host code dereferences.
pub(crate) const DEREFERENCED: &str = "copy the value to the host with `cudaMemcpy`, and use the copy";

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
        let bytes = ty.bytes();
        let mut value = [0; 8];
        self.check_name(address)?;
        if Device::has(address) {
            let found = self.managed(address, bytes, "read")?;
            value[..bytes as usize].copy_from_slice(&found);
            return Ok(arithmetic::extend(ty, u64::from_le_bytes(value)));
        }
        self.check_host(address, bytes, "read", Access::Read)?;
        // What an asynchronous copy reads may be read.
        let at = address.saturating_sub(BASE) as usize;
        value[..bytes as usize].copy_from_slice(&self.memory.bytes[at..at + bytes as usize]);
        Ok(arithmetic::extend(ty, u64::from_le_bytes(value)))
    }

    #[cold]
    fn store_elsewhere(&mut self, address: u64, value: &[u8]) -> Result<()> {
        self.check_name(address)?;
        if Device::has(address) {
            self.managed(address, value.len() as u64, "written")?;
            return self.device.write(address, value).map_err(Stop::error);
        }
        self.check_host(address, value.len() as u64, "written", Access::Write)
    }

    /// A variable of the device cannot be used by its name on the host.
    fn check_name(&self, address: u64) -> Result<()> {
        if !Device::is_name(address) {
            return Ok(());
        }
        let help = "copy the value with `cudaMemcpyFromSymbol` or `cudaMemcpyToSymbol`";
        self.found(Kind::WrongSpace, "host code accesses a variable of the device", help)
    }

    /// Copies bytes within the memory of the host, those that nobody has written too.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<()> {
        self.check_name(to)?;
        self.check_name(from)?;
        if Device::has(to) || Device::has(from) {
            return self.found(Kind::WrongSpace, "host code accesses memory of the device", DEREFERENCED);
        }
        self.check_host(from, bytes, "read", Access::Copy)?;
        self.check_host(to, bytes, "written", Access::Write)?;
        self.changes += 1;
        let (to, from, bytes) = ((to - BASE) as usize, (from - BASE) as usize, bytes as usize);
        self.memory.bytes.copy_within(from..from + bytes, to);
        self.memory.states.copy_within(from..from + bytes, to);
        let lent = self.memory.states[to..to + bytes].iter_mut().filter(|known| **known == state::LENT);
        lent.for_each(|known| *known = state::SET);
        Ok(())
    }

    /// Sets bytes of the memory of the host.
    pub fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<()> {
        self.check_name(address)?;
        if Device::has(address) {
            return self.found(Kind::WrongSpace, "host code accesses memory of the device", DEREFERENCED);
        }
        self.check_host(address, bytes, "written", Access::Write)?;
        self.changes += 1;
        let (at, bytes) = ((address.max(BASE) - BASE) as usize, bytes as usize);
        self.memory.bytes[at..at + bytes].fill(value);
        self.memory.states[at..at + bytes].fill(state::SET);
        Ok(())
    }
}
