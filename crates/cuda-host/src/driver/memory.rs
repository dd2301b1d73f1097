//! Memory: allocations, copies, patterns, what a pointer is.

use cudac::host::Scalar;

use super::errors::code;
use super::held::Handle;
use super::state::{Driver, Values};
use crate::device::Owner;
use crate::function::Function;
use crate::machine::{Machine, Result, Stop};
use crate::order::{LEGACY, What};

/// The directions of copies, as the runtime numbers them.
const TO_DEVICE: u64 = 1;
const TO_HOST: u64 = 2;
const ON_DEVICE: u64 = 3;
const ANY: u64 = 4;

/// The pitch of rows is a multiple of this.
const PITCH: u64 = 512;

/// A range of memory in rows.
#[derive(Clone, Copy, Debug)]
struct Rows {
    at: u64,
    pitch: u64,
}

impl Rows {
    /// Where a row begins. An address that is too large is in no memory.
    fn row(self, nth: u64) -> u64 {
        nth.checked_mul(self.pitch).and_then(|bytes| self.at.checked_add(bytes)).unwrap_or(u64::MAX)
    }

    /// The rows from one on.
    fn from(self, first: u64) -> Rows {
        Rows { at: self.row(first), ..self }
    }
}

impl Driver<'_> {
    pub(super) fn of_memory(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        if let Some(done) = self.of_copies(name, values) {
            return Some(done);
        }
        if let Some(rest) = name.strip_prefix("cuMemsetD") {
            return Some(self.set(rest, values));
        }
        let [a, b, c] = [0, 1, 2].map(|nth| values.at(nth));
        Some(match name {
            "cuMemAlloc_v2" => self.allocate(Function::CudaMalloc, a, b),
            "cuMemAllocManaged" => self.allocate(Function::CudaMallocManaged, a, b),
            "cuMemAllocHost_v2" | "cuMemHostAlloc" => self.allocate(Function::CudaMallocHost, a, b),
            "cuMemAllocPitch_v2" => self.allocate_rows(values),
            "cuMemAllocAsync" => self.allocate_in_stream(a, b, c, Owner::Device),
            "cuMemFree_v2" => self.machine.cuda(Function::CudaFree, &[a]),
            "cuMemFreeHost" => self.machine.cuda(Function::CudaFreeHost, &[a]),
            "cuMemFreeAsync" => self.machine.cuda(Function::CudaFreeAsync, &[a, b]),
            "cuMemHostRegister_v2" => self.machine.cuda(Function::HostRegister, &[a, b]),
            "cuMemHostUnregister" => self.machine.cuda(Function::HostUnregister, &[a]),
            "cuMemHostGetDevicePointer_v2" => self.device_pointer(a, b),
            "cuMemHostGetFlags" => self.give(a, Scalar::U32, 0),
            "cuMemGetInfo_v2" => {
                let all = self.machine.limits.memory_bytes;
                let free = self.machine.most_bytes()[1].saturating_sub(self.machine.device.live_bytes());
                self.offer(a, Scalar::U64, free).and_then(|_| self.offer(b, Scalar::U64, all))
            }
            "cuMemGetAddressRange_v2" => self.range(a, b, c),
            // Advice about where pages are, and moves of them, change nothing here.
            "cuMemAdvise" | "cuMemAdvise_v2" | "cuMemPrefetchAsync" | "cuMemPrefetchAsync_v2" => {
                self.advise(a, b)
            }
            "cuPointerGetAttribute" => self.pointer_attribute(a, b, c),
            "cuPointerGetAttributes" => self.pointer_attributes(a, b, c, values.at(3)),
            "cuPointerSetAttribute" => Ok(0),
            _ => return None,
        })
    }

    pub(super) fn of_tensor_maps(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        Some(match name {
            "cuTensorMapEncodeTiled" => self.machine.cuda(Function::TensorMap, values.0),
            "cuTensorMapReplaceAddress" => self.machine.cuda(Function::TensorMapAddress, values.0),
            "cuTensorMapEncodeIm2col" | "cuTensorMapEncodeIm2colWide" => {
                Ok(self.machine.other_tensor_map(name))
            }
            _ => return None,
        })
    }

    fn allocate(&mut self, function: Function, to: u64, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return self.fail(code::INVALID_VALUE, "an allocation of no bytes");
        }
        self.machine.cuda(function, &[to, bytes])
    }

    /// Memory that is there in the order of a stream.
    pub(super) fn allocate_in_stream(
        &mut self,
        to: u64,
        bytes: u64,
        stream: u64,
        owner: Owner,
    ) -> Result<u64> {
        if bytes == 0 {
            return self.fail(code::INVALID_VALUE, "an allocation of no bytes");
        }
        self.machine.allocate_in_stream(to, bytes, stream, owner)
    }

    /// `cuMemAllocPitch`: where the address and the pitch go, the bytes of a row, the rows, the bytes of an element.
    fn allocate_rows(&mut self, values: Values<'_>) -> Result<u64> {
        let (width, height) = (values.at(2), values.at(3));
        let pitch = width.checked_next_multiple_of(PITCH);
        let Some((pitch, bytes)) = pitch.and_then(|pitch| Some((pitch, pitch.checked_mul(height)?))) else {
            return self.fail(code::INVALID_VALUE, format!("{height} rows of {width} bytes are too much"));
        };
        self.give(values.at(1), Scalar::U64, pitch)?;
        self.allocate(Function::CudaMalloc, values.at(0), bytes)
    }

    fn device_pointer(&mut self, to: u64, of_host: u64) -> Result<u64> {
        if self.machine.cuda(Function::MemoryType, &[of_host])? != 1 {
            return self.fail(code::INVALID_VALUE, format!("{of_host:#x} is no pinned memory of the host"));
        }
        let address = self.machine.device.resolve(of_host);
        self.give(to, Scalar::U64, address)
    }

    fn range(&mut self, to: u64, bytes_to: u64, address: u64) -> Result<u64> {
        let block = self.machine.device.block(self.machine.device.resolve(address));
        let is_in = |block: &crate::device::Block| {
            block.is_live && address - block.buffer.address() < block.buffer.bytes()
        };
        let Some(block) = block.filter(is_in) else {
            return self.fail(code::NOT_FOUND, format!("{address:#x} is in no memory of the device"));
        };
        self.offer(to, Scalar::U64, block.buffer.address())?;
        self.offer(bytes_to, Scalar::U64, block.buffer.bytes())
    }

    fn advise(&mut self, address: u64, bytes: u64) -> Result<u64> {
        let managed = |block: &crate::device::Block| {
            let shared = self.machine.native.as_ref().map(|native| &native.shared.beside);
            let of_process = shared.and_then(|beside| beside.range(..=address).next_back());
            block.owner == Owner::Managed
                || of_process.is_some_and(|(_, owner)| *owner == Some(Owner::Managed))
        };
        let address = self.machine.device.resolve(address);
        let block = self.machine.device.block(address).filter(|block| block.is_live && managed(block));
        let is_inside = block.is_some_and(|block| {
            bytes <= block.buffer.bytes().saturating_sub(address - block.buffer.address())
        });
        if is_inside {
            Ok(0)
        } else {
            self.fail(code::INVALID_VALUE, format!("{address:#x} is no managed memory"))
        }
    }

    fn of_copies(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let copied = name.strip_prefix("cuMemcpy")?;
        let (copied, is_async) = match copied.trim_end_matches("_v2").strip_suffix("Async") {
            Some(copied) => (copied, true),
            None => (copied.trim_end_matches("_v2"), false),
        };
        let direction = match copied {
            "" => ANY,
            "HtoD" => TO_DEVICE,
            "DtoH" => TO_HOST,
            "DtoD" => ON_DEVICE,
            "Peer" => {
                let stream = is_async.then(|| values.at(5));
                return Some(self.copy(values.at(0), values.at(2), values.at(4), ANY, stream));
            }
            "2D" | "2DUnaligned" => {
                return Some(self.copy_rows(values.at(0), is_async.then(|| values.at(1))));
            }
            _ => return None,
        };
        let stream = is_async.then(|| values.at(3));
        Some(self.copy(values.at(0), values.at(1), values.at(2), direction, stream))
    }

    fn copy(&mut self, to: u64, from: u64, bytes: u64, kind: u64, stream: Option<u64>) -> Result<u64> {
        match stream {
            Some(stream) => self.machine.cuda(Function::CudaMemcpyAsync, &[to, from, bytes, kind, stream]),
            None => self.machine.cuda(Function::CudaMemcpy, &[to, from, bytes, kind]),
        }
    }

    /// `cuMemcpy2D`: a structure of sixteen words, which describes the two places and the size.
    fn copy_rows(&mut self, described: u64, stream: Option<u64>) -> Result<u64> {
        if described == 0 {
            return self.fail(code::INVALID_VALUE, "the copy is described at a null pointer");
        }
        let words = self.take_words(described, 16)?;
        let place = |words: &[u64]| match words[2] & 0xffff_ffff {
            1 => Some(Rows { at: words[3].wrapping_add(words[0]), pitch: words[6] }.from(words[1])),
            2 | 4 => Some(Rows { at: words[4].wrapping_add(words[0]), pitch: words[6] }.from(words[1])),
            _ => None,
        };
        let (Some(from), Some(to)) = (place(&words[0..7]), place(&words[7..14])) else {
            return Err(Stop::error("copies from and to arrays are not supported"));
        };
        let (width, height) = (words[14], words[15]);
        if width == 0 || height == 0 {
            return Ok(0);
        }
        if height > 1 && (from.pitch < width || to.pitch < width) {
            return self
                .fail(code::INVALID_VALUE, format!("rows of {width} bytes are longer than their pitch"));
        }
        for row in 0..height {
            let [to, from] = [to, from].map(|rows| rows.row(row));
            let copied = self.copy(to, from, width, ANY, stream)?;
            if copied != 0 {
                return Ok(copied);
            }
        }
        Ok(0)
    }

    /// `cuMemsetD8`, `D16` and `D32`, for a row or several, in a stream or not.
    fn set(&mut self, name: &str, values: Values<'_>) -> Result<u64> {
        let name = name.trim_end_matches("_v2");
        let is_async = name.ends_with("Async");
        let name = name.trim_end_matches("Async");
        let (of, is_rows) = match name.strip_suffix("2D").or_else(|| name.strip_suffix("D2")) {
            Some(of) => (of, true),
            None => (name, false),
        };
        let (of, is_rows) = match of.split_once('D') {
            Some((_, of)) => (of, true),
            None => (of, is_rows),
        };
        let Ok(bits) = of.parse::<u64>() else {
            return Err(Stop::error(format!("`cuMemsetD{name}` is not supported")));
        };
        let each = bits / 8;
        let stream = |nth: usize| is_async.then(|| values.at(nth));
        if !is_rows {
            return self.set_row(values.at(0), values.at(1), each, values.at(2), stream(3));
        }
        let (at, pitch, value) = (values.at(0), values.at(1), values.at(2));
        let (width, height) = (values.at(3), values.at(4));
        if width == 0 || height == 0 {
            return Ok(0);
        }
        if height > 1 && width.checked_mul(each).is_none_or(|bytes| bytes > pitch) {
            let message = format!("rows of {width} elements are longer than their pitch of {pitch} bytes");
            return self.fail(code::INVALID_VALUE, message);
        }
        let rows = Rows { at, pitch };
        for row in 0..height {
            let done = self.set_row(rows.row(row), value, each, width, stream(5))?;
            if done != 0 {
                return Ok(done);
            }
        }
        Ok(0)
    }

    fn set_row(&mut self, at: u64, value: u64, each: u64, count: u64, stream: Option<u64>) -> Result<u64> {
        let Some(bytes) = count.checked_mul(each) else {
            return self.fail(code::INVALID_VALUE, format!("{count} elements are too many"));
        };
        let pattern = &value.to_le_bytes()[..each as usize];
        if !at.is_multiple_of(each) {
            return self.fail(code::INVALID_VALUE, format!("{at:#x} is no multiple of {each}"));
        }
        if pattern.iter().all(|byte| *byte == pattern[0]) {
            let value = u64::from(pattern[0]);
            return match stream {
                Some(stream) => self.machine.cuda(Function::CudaMemsetAsync, &[at, value, bytes, stream]),
                None => self.machine.cuda(Function::CudaMemset, &[at, value, bytes]),
            };
        }
        self.machine.set_pattern(at, pattern, count, stream)
    }

    /// What a pointer is. One of the host that nobody registered is not known.
    fn pointer_attribute(&mut self, to: u64, attribute: u64, pointer: u64) -> Result<u64> {
        let found = self.known_attribute(attribute, pointer);
        match found {
            Some((ty, value)) => self.give(to, ty, value),
            None => self.fail(
                code::INVALID_VALUE,
                format!(
                    "{pointer:#x} is in no memory of the device, so its attribute {attribute} is not known"
                ),
            ),
        }
    }

    fn known_attribute(&self, attribute: u64, pointer: u64) -> Option<(Scalar, u64)> {
        let device = &self.machine.device;
        let at = device.resolve(pointer);
        let block = device
            .block(at)
            .filter(|block| block.is_live && at - block.buffer.address() < block.buffer.bytes())?;
        let on_host = if block.is_of_host() || block.owner == Owner::Managed { pointer } else { 0 };
        Some(match attribute {
            1 => (Scalar::U64, Handle::Context.make(0)),
            2 => (Scalar::U32, if block.is_of_host() { 1 } else { 2 }),
            3 => (Scalar::U64, at),
            4 => (Scalar::U64, on_host),
            6 | 10 => (Scalar::U8, 0),
            8 => (Scalar::U8, u64::from(block.owner == Owner::Managed)),
            9 => (Scalar::I32, 0),
            7 | 11 => (Scalar::U64, block.buffer.address()),
            12 => (Scalar::U64, block.buffer.bytes()),
            13 => (Scalar::U8, 1),
            _ => return None,
        })
    }

    /// `cuPointerGetAttributes`: how many, their numbers, where each goes, the pointer. What is not known is 0.
    fn pointer_attributes(&mut self, count: u64, attributes: u64, table: u64, pointer: u64) -> Result<u64> {
        let count = (count & 0xffff_ffff).min(64);
        let numbers = self.take(attributes, 4 * count)?;
        let places = self.take_words(table, count)?;
        for (number, to) in numbers.chunks_exact(4).zip(places) {
            let number = u64::from(number[0]);
            let empty = (if matches!(number, 2 | 9) { Scalar::U32 } else { Scalar::U64 }, 0);
            let (ty, value) = self.known_attribute(number, pointer).unwrap_or(match number {
                6 | 8 | 10 | 13 => (Scalar::U8, 0),
                9 => (Scalar::I32, u64::MAX),
                _ => empty,
            });
            self.give(to, ty, value)?;
        }
        Ok(0)
    }
}

impl Machine<'_> {
    /// Fills memory of the device with a pattern of several bytes.
    fn set_pattern(&mut self, at: u64, pattern: &[u8], count: u64, stream: Option<u64>) -> Result<u64> {
        let bytes = pattern.len() as u64 * count;
        let at = self.device.resolve(at);
        if !self.device.has(at) {
            let message = "the memory that is set is not the device's".to_owned();
            return Ok(self.failed(code::INVALID_VALUE, message));
        }
        let stream = match stream.map(|stream| self.device.order.stream(stream)) {
            Some(None) => return Ok(self.no_stream()),
            Some(Some(stream)) => stream,
            None => LEGACY,
        };
        self.refuse_in_capture(stream, "a pattern of several bytes")?;
        self.check_device(at, bytes, "set")?;
        self.submit(What::Set, stream, 0..0, at..at + bytes)?;
        self.device.write(at, &pattern.repeat(count as usize)).map_err(Stop::error)?;
        self.push_part(at, bytes)?;
        self.device.note_filled(self.line, at, bytes);
        Ok(0)
    }
}
