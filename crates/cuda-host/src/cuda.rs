//! The CUDA runtime: memory, copies, streams, errors.
//!
//! Specification: CUDA Runtime API. Copies and kernels are carried out at once; what the program has to wait for is in
//! `Device::work` and `Device::arriving`.

use cudac::host::Scalar;

use crate::access::DEREFERENCED;
use crate::device::{Arriving, Device, Event, Work};
use crate::finding::{Finding, Kind};
use crate::kernel::MAX_SHARED_BYTES;
use crate::machine::{Machine, Result, Stop};
use crate::memory::{Access, BASE, state};
use crate::runtime::Function;
use crate::unordered;

/// Numbers of errors.
const INVALID_VALUE: u64 = 1;
const OUT_OF_MEMORY: u64 = 2;
const INVALID_DIRECTION: u64 = 21;
const INVALID_HANDLE: u64 = 400;

const NOT_RECORDED: &str = "`cudaEventElapsedTime` needs two events that were recorded";

/// The errors by number: name, and what `cudaGetErrorString` returns.
const ERRORS: &[(u64, &str, &str)] = &[
    (0, "cudaSuccess", "no error"),
    (1, "cudaErrorInvalidValue", "invalid argument"),
    (2, "cudaErrorMemoryAllocation", "out of memory"),
    (9, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
    (13, "cudaErrorInvalidSymbol", "invalid device symbol"),
    (21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    (101, "cudaErrorInvalidDevice", "invalid device ordinal"),
    (400, "cudaErrorInvalidResourceHandle", "invalid resource handle"),
    (600, "cudaErrorNotReady", "device not ready"),
    (700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    (701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"),
    (704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"),
    (710, "cudaErrorAssert", "device-side assert triggered"),
    (719, "cudaErrorLaunchFailure", "unspecified launch failure"),
    (801, "cudaErrorNotSupported", "operation not supported"),
    (999, "cudaErrorUnknown", "unknown error"),
];

impl Machine<'_> {
    pub(crate) fn cuda(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b, c, d) = (at(0), at(1), at(2), at(3));
        match function {
            Function::CudaMalloc | Function::CudaMallocManaged => {
                let name = self.first.take();
                let made = self.device.allocate(name, b, function == Function::CudaMallocManaged, self.line);
                let Some(address) = made else {
                    return Ok(
                        self.failed(OUT_OF_MEMORY, format!("there are no {b} bytes left on the device"))
                    );
                };
                self.store(Scalar::U64, a, address).map(|()| 0)
            }
            Function::CudaMallocHost => {
                let address = self.allocate(b, state::EMPTY, true)?;
                self.store(Scalar::U64, a, address).map(|()| 0)
            }
            Function::CudaFree => self.cuda_free(a),
            Function::CudaFreeHost => self.free(a, true).map(|()| 0),
            Function::CudaMemcpy => {
                self.wait(None);
                self.transfer(a, b, c, d)
            }
            Function::CudaMemcpyAsync => self.transfer_async(values),
            Function::CudaMemset => self.cuda_memset(a, b as u8, c),
            Function::ToSymbol => self.copy_to_symbol(values),
            Function::FromSymbol => {
                self.wait(None);
                self.transfer(a, Device::named(b).wrapping_add(at(4)), d, 2)
            }
            Function::GetLastError | Function::PeekAtLastError => {
                let code = self.device.last_error;
                self.device.failure = None;
                if function == Function::GetLastError {
                    self.device.last_error = 0;
                }
                Ok(code)
            }
            Function::Synchronize => {
                self.wait(None);
                Ok(0)
            }
            Function::StreamCreate => {
                self.device.streams += 1;
                self.store(Scalar::U64, a, self.device.streams).map(|()| 0)
            }
            Function::StreamSynchronize => {
                self.wait(Some(a));
                Ok(0)
            }
            Function::EventCreate
            | Function::EventRecord
            | Function::EventSynchronize
            | Function::EventElapsed
            | Function::StreamWait => self.of_event(function, values),
            Function::LaunchKernel => self.launch_kernel(values),
            Function::SharedBytes | Function::SharedLimit => self.of_shared_memory(function, a, b),
            Function::ErrorString | Function::ErrorName => self.error_text(function, a),
            _ => Err(Stop::error("this function is not supported in host code")),
        }
    }

    /// How much shared memory a kernel declares, and how much it may have.
    fn of_shared_memory(&mut self, function: Function, kernel: u64, bytes: u64) -> Result<u64> {
        let kernel = self.kernel_at(kernel)?;
        let declared = self.program.kernels[kernel].shared_bytes;
        if function == Function::SharedBytes {
            return Ok(declared);
        }
        let wanted = bytes.saturating_add(declared);
        if wanted > MAX_SHARED_BYTES {
            let message = format!("{wanted} bytes of shared memory are more than {MAX_SHARED_BYTES}");
            return Ok(self.failed(INVALID_VALUE, message));
        }
        self.device.shared_limits.insert(kernel, wanted);
        Ok(0)
    }

    /// The name of an error, or what it means.
    fn error_text(&mut self, function: Function, a: u64) -> Result<u64> {
        let known = ERRORS.iter().find(|(code, ..)| *code == a);
        let (_, name, text) =
            known.copied().unwrap_or((a, "unrecognized error code", "unrecognized error code"));
        let text = if function == Function::ErrorName { name } else { text };
        let address = self.allocate(text.len() as u64 + 1, state::SET, false)?;
        let start = (address - BASE) as usize;
        self.memory.bytes[start..start + text.len()].copy_from_slice(text.as_bytes());
        Ok(address)
    }

    /// A call that fails: its error.
    fn failed(&mut self, code: u64, message: String) -> u64 {
        self.device.fail(code, self.line, message, false);
        code
    }

    /// Nothing looks at the result of a call.
    pub(crate) fn ignored(&mut self) -> Result<()> {
        match &self.device.failure {
            Some(failure) if !failure.is_launch || failure.line != self.line => self.unchecked(),
            _ => Ok(()),
        }
    }

    /// An error at which nothing has looked is a finding.
    pub(crate) fn unchecked(&mut self) -> Result<()> {
        let Some(failure) = self.device.failure.take() else { return Ok(()) };
        let name =
            ERRORS.iter().find(|(code, ..)| *code == failure.code).map_or("an error", |(_, name, _)| *name);
        let message = format!("{} (`{name}`), and nothing looks at the error", failure.message);
        let help = if failure.is_launch {
            "correct the shape of the launch, and test `cudaGetLastError()` after it"
        } else {
            "correct the call, and test what it returns"
        };
        Err(Finding::new(Kind::UncheckedError, failure.line, message, help).into())
    }

    /// Host code waits for a stream, or for everything.
    fn wait(&mut self, stream: Option<u64>) {
        self.wait_for(|of, _| stream.is_none_or(|stream| stream == of));
    }

    /// Host code waits for the work for which the function returns true, by its stream and its number.
    fn wait_for(&mut self, is_done: impl Fn(u64, u64) -> bool) {
        self.device.work.retain(|work| !is_done(work.stream, work.number));
        let states = &mut self.memory.states;
        self.device.arriving.retain(|copy| {
            let has_arrived = is_done(copy.stream, copy.number);
            if has_arrived {
                let waiting = &mut states[copy.offset as usize..(copy.offset + copy.bytes) as usize];
                let is_waiting = |known: &&mut u8| **known == copy.state;
                waiting.iter_mut().filter(is_waiting).for_each(|known| *known = state::SET);
            }
            !has_arrived
        });
    }

    /// The event that a program calls by this number; it counts from 1.
    fn event(&mut self, number: u64) -> Option<&mut Event> {
        number.checked_sub(1).and_then(|at| self.device.events.get_mut(at as usize))
    }

    fn of_event(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b) = (at(0), at(1));
        let number = if function == Function::StreamWait { b } else { a };
        if function == Function::EventCreate {
            self.device.events.push(Event { stream: 0, work: 0, at: None });
            return self.store(Scalar::U64, a, self.device.events.len() as u64).map(|()| 0);
        }
        if function == Function::EventElapsed {
            let [start, stop] = [b, at(2)].map(|number| self.event(number).and_then(|event| event.at));
            let (Some(start), Some(stop)) = (start, stop) else {
                return Ok(self.failed(INVALID_HANDLE, NOT_RECORDED.to_owned()));
            };
            let milliseconds = (stop as f32 - start as f32) / 1000.0;
            return self.store(Scalar::F32, a, u64::from(milliseconds.to_bits())).map(|()| 0);
        }
        let (now, work) = (self.device.now(), self.device.work_count);
        let Some(event) = self.event(number) else {
            return Ok(self.failed(INVALID_HANDLE, "this event was never created".to_owned()));
        };
        match function {
            Function::EventRecord => *event = Event { stream: b, work, at: Some(now) },
            Function::EventSynchronize => {
                let event = *event;
                self.wait_for(|stream, number| event.follows(stream, number));
            }
            _ => {
                let event = *event;
                let followed = self.device.work.iter_mut().filter(|work| event.comes_after(work));
                followed.for_each(|work| work.awaited_by.push(a));
            }
        }
        Ok(0)
    }

    /// A stream gets work on some allocations.
    pub(crate) fn touch(&mut self, addresses: &[u64], stream: u64) -> &mut Work {
        let blocks = addresses.iter().filter_map(|address| self.device.block(*address));
        let blocks: Vec<u64> = blocks.map(|block| block.buffer.address()).collect();
        let work = Work::new(self.device.work_count, stream, blocks, self.line);
        self.device.work_count += 1;
        self.device.work.push(work);
        let last = self.device.work.len() - 1;
        &mut self.device.work[last]
    }

    /// A stream copies bytes: what another stream does with them has to be ordered before it.
    fn touch_copy(&mut self, [to, from]: [u64; 2], bytes: u64, stream: u64) -> Result<()> {
        let on_device =
            |address| if Device::has(address) { address..address.saturating_add(bytes) } else { 0..0 };
        let (read, written) = (on_device(from), on_device(to));
        let mut others = self.device.work.iter().filter(|work| work.is_unordered(stream));
        let clash = others.find(|work| work.changes(&read) || work.changes(&written) || work.reads(&written));
        if let Some(other) = clash {
            let message = format!(
                "this copy uses the same bytes as the work of line {} in another stream, and nothing orders the two",
                other.line
            );
            return self.found(Kind::Unsynchronized, message, unordered::HELP);
        }
        let work = self.touch(&[to, from], stream);
        work.changed.push(written);
        work.read = read;
        Ok(())
    }

    /// Host code accesses managed memory.
    pub(crate) fn managed(&mut self, address: u64, bytes: u64, done: &str) -> Result<Vec<u8>> {
        let block = self.device.block(address).filter(|block| block.is_managed);
        let Some(block) = block else {
            let message =
                format!("host code dereferences a pointer to memory of the device: {bytes} bytes are {done}");
            return self.found(Kind::WrongSpace, message, DEREFERENCED);
        };
        self.check_device(address, bytes, done)?;
        let start = block.buffer.address();
        if let Some(work) = self.device.work.iter().find(|work| work.blocks.contains(&start)) {
            let message = format!(
                "managed memory is {done} while the kernel of line {} may still be running",
                work.line
            );
            return self.found(Kind::Unsynchronized, message, "call `cudaDeviceSynchronize()` before");
        }
        Ok(self.device.read(address, bytes).map_or_else(Vec::new, |(found, _)| found))
    }

    /// Whether bytes of the device are in an allocation.
    fn check_device(&mut self, address: u64, bytes: u64, done: &str) -> Result<()> {
        let Some(block) = self.device.block(address) else {
            let message =
                format!("{bytes} bytes at {address:#x} are {done}, which is in no memory of the device");
            return self.found(Kind::OutOfBounds, message, "find out where the pointer comes from");
        };
        if !block.is_live {
            let message = format!(
                "memory of the device is {done} after it was freed; line {} allocated it",
                block.line
            );
            return self.found(Kind::UseAfterFree, message, "free it after its last use");
        }
        let (at, size, line) = (address - block.buffer.address(), block.buffer.bytes(), block.line);
        self.check_end(done, at, bytes, size, line)
    }

    fn cuda_free(&mut self, address: u64) -> Result<u64> {
        if address == 0 {
            return Ok(0);
        }
        let block = self
            .device
            .block(address)
            .filter(|block| block.buffer.address() == address && !block.is_variable);
        let Some(block) = block else {
            return Ok(self.failed(
                INVALID_VALUE,
                "`cudaFree` got a pointer that `cudaMalloc` has not returned".to_owned(),
            ));
        };
        if !block.is_live {
            let message =
                format!("the memory of the device that line {} allocated is freed a second time", block.line);
            return self.found(Kind::DoubleFree, message, "free each allocation once");
        }
        self.wait(None);
        self.device.free(block);
        Ok(0)
    }

    fn cuda_memset(&mut self, address: u64, value: u8, bytes: u64) -> Result<u64> {
        if !Device::has(address) {
            return Ok(
                self.failed(INVALID_VALUE, "`cudaMemset` got a pointer to memory of the host".to_owned())
            );
        }
        self.check_device(address, bytes, "set")?;
        self.device.write(address, &vec![value; bytes as usize]).map_err(Stop::error)?;
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
        Ok(0)
    }

    /// Copies bytes between the host and the device.
    fn transfer(&mut self, to: u64, from: u64, bytes: u64, kind: u64) -> Result<u64> {
        let is_device = [Device::has(from), Device::has(to)];
        let wanted = match kind {
            0 => [false, false],
            1 => [false, true],
            2 => [true, false],
            3 => [true, true],
            4 => is_device,
            _ => {
                return Ok(
                    self.failed(INVALID_DIRECTION, "this direction of a copy does not exist".to_owned())
                );
            }
        };
        for (nth, address) in [from, to].into_iter().enumerate() {
            if Device::is_name(address) {
                let argument = ["the source", "the destination"][nth];
                let message = format!(
                    "{argument} of the copy is the name of a variable of the device, which is no address on the host: \
                     `cudaMemcpyToSymbol` and `cudaMemcpyFromSymbol` take names"
                );
                return Ok(self.failed(INVALID_VALUE, message));
            }
            let is_managed = self.device.block(address).is_some_and(|block| block.is_managed);
            if is_device[nth] != wanted[nth] && !is_managed {
                let (whose, argument) = (["the host", "the device"], ["the source", "the destination"][nth]);
                let message = format!(
                    "{argument} of the copy is in memory of {}, but its direction says {}",
                    whose[usize::from(is_device[nth])],
                    whose[usize::from(wanted[nth])]
                );
                return Ok(self.failed(INVALID_VALUE, message));
            }
        }
        let (found, is_written) = if is_device[0] {
            self.check_device(from, bytes, "copied")?;
            self.device.read(from, bytes).unwrap_or_default()
        } else {
            self.check_host(from, bytes, "copied", Access::Copy)?;
            let range = (from.max(BASE) - BASE) as usize..(from.max(BASE) - BASE + bytes) as usize;
            let is_set = |known: &u8| *known == state::SET || *known == state::LENT;
            (
                self.memory.bytes[range.clone()].to_vec(),
                self.memory.states[range].iter().map(is_set).collect(),
            )
        };
        if is_device[1] {
            self.check_device(to, bytes, "copied to")?;
            self.device.copy_in(to, &found, |nth| is_written[nth]).map_err(Stop::error)?;
            self.device.note_filled(self.line, to, bytes);
            return Ok(0);
        }
        // Bytes that an earlier copy reads may be the target: within a stream, copies follow each other.
        self.check_host(to, bytes, "copied to", Access::Copy)?;
        let start = (to.max(BASE) - BASE) as usize;
        self.memory.bytes[start..start + found.len()].copy_from_slice(&found);
        for (nth, is_written) in is_written.iter().enumerate() {
            self.memory.states[start + nth] = if *is_written { state::SET } else { state::EMPTY };
        }
        Ok(0)
    }

    fn transfer_async(&mut self, values: &[u64]) -> Result<u64> {
        let [to, from, bytes, kind, stream] = values[..] else { return Ok(INVALID_VALUE) };
        self.touch_copy([to, from], bytes, stream)?;
        let result = self.transfer(to, from, bytes, kind)?;
        if result == 0 {
            self.on_the_way(to, bytes, stream, state::PENDING);
            self.on_the_way(from, bytes, stream, state::LENT);
        }
        Ok(result)
    }

    /// Pinned memory of the host has a state until an asynchronous copy has finished.
    fn on_the_way(&mut self, address: u64, bytes: u64, stream: u64, with: u8) {
        let Some(at) = self.memory.offset(address) else { return };
        let block = self.memory.block_before(at);
        if !block.is_some_and(|(start, block)| block.is_pinned && at - start < block.bytes) {
            return;
        }
        let range = at as usize..(at + bytes) as usize;
        if with == state::PENDING {
            self.memory.states[range].fill(with);
        } else {
            let written = self.memory.states[range].iter_mut().filter(|known| **known == state::SET);
            written.for_each(|known| *known = with);
        }
        let number = self.device.work_count - 1;
        self.device.arriving.push(Arriving { number, stream, offset: at, bytes, state: with });
    }

    fn copy_to_symbol(&mut self, values: &[u64]) -> Result<u64> {
        let [symbol, whole, from, bytes, offset] = values[..] else { return Ok(INVALID_VALUE) };
        if offset == 0 && bytes < whole {
            let name = self.device.variable_at(Device::named(symbol)).unwrap_or("the variable");
            let message = format!(
                "only {bytes} of the {whole} bytes of `{name}` are copied: copy `sizeof({name})` bytes"
            );
            self.suspects.push((self.line, message));
        }
        self.wait(None);
        self.transfer(Device::named(symbol).wrapping_add(offset), from, bytes, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_numbers_names_and_texts() {
        assert!(ERRORS.is_sorted_by_key(|(code, ..)| *code));
        for (code, name, text) in ERRORS {
            assert!(name.starts_with("cuda") && !text.is_empty(), "{code}");
        }
        assert_eq!(ERRORS[0], (0, "cudaSuccess", "no error"));
    }
}
