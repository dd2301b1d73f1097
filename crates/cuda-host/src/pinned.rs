//! The CUDA runtime: memory that is allocated and freed, and memory of the host that is pinned.
//!
//! Pinned memory has one address on the host and on the device, so it is an allocation of the emulator that host code may use
//! too. Memory that the program registers moves there until it is unregistered: it keeps the addresses that the host uses,
//! and `Device::resolve` knows where it is. Beside a process there are few addresses that both can use; when they are used up,
//! memory is the process's, and registered. A kernel that reads its address from memory does not find it then.
//!
//! Specification: CUDA C++ Programming Guide, page-locked host memory.

use cudac::host::Scalar;

use crate::device::{Block, Owner};
use crate::errors::{ALREADY_REGISTERED, INVALID_VALUE, NOT_REGISTERED, OUT_OF_MEMORY};
use crate::finding::Kind;
use crate::function::Function;
use crate::machine::{Machine, Result, Stop};
use crate::memory::{Access, BASE, state};
use crate::order::{Point, What};
use crate::runtime::{OTHER_FREE, OTHER_MEMORY};

impl Machine<'_> {
    pub(crate) fn of_memory(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b) = (at(0), at(1));
        match function {
            Function::CudaMalloc => {
                self.cuda_allocate(a, b, Owner::Device).map(|made| made.err().unwrap_or(0))
            }
            Function::CudaMallocManaged => {
                self.cuda_allocate(a, b, Owner::Managed).map(|made| made.err().unwrap_or(0))
            }
            Function::CudaMallocHost => {
                self.cuda_allocate(a, b, Owner::Pinned).map(|made| made.err().unwrap_or(0))
            }
            Function::CudaMallocAsync => self.allocate_in_stream(a, b, at(2), Owner::Device),
            Function::CudaFree => self.cuda_free(a, "cudaFree", None),
            Function::CudaFreeAsync => self.cuda_free(a, "cudaFreeAsync", Some(b)),
            Function::CudaFreeHost => self.cuda_free(a, "cudaFreeHost", None),
            Function::HostRegister => self.register(a, b),
            Function::HostUnregister => self.unregister(a),
            Function::DevicePointer => Ok(self.device.resolve(a)),
            _ => {
                let block = self.device.block(self.device.resolve(a)).filter(|block| block.is_live);
                Ok(block.map_or(0, |block| match block.owner {
                    Owner::Pinned | Owner::Pooled | Owner::Registered => 1,
                    Owner::Device => 2,
                    Owner::Managed => 3,
                }))
            }
        }
    }

    /// Allocates memory, and stores its address; the address, or the error.
    fn cuda_allocate(&mut self, to: u64, bytes: u64, owner: Owner) -> Result<std::result::Result<u64, u64>> {
        let name = self.first.take();
        // No bytes are a null pointer, and no error: so on an H200 with CUDA 13, for memory of each kind.
        if bytes == 0 {
            self.store(Scalar::U64, to, 0)?;
            return Ok(Ok(0));
        }
        let made = match self.new_memory(name.clone(), bytes, owner) {
            None if owner != Owner::Device => self.new_beside(name, bytes, owner)?,
            made => made,
        };
        let Some(address) = made else {
            let message = format!("there are no {bytes} bytes left on the device");
            return Ok(Err(self.failed(OUT_OF_MEMORY, message)));
        };
        if owner != Owner::Device && !self.is_beside(address) && !self.share(address, bytes)? {
            let message = format!("the process cannot have {bytes} bytes at {address:#x}");
            return Ok(Err(self.failed(OUT_OF_MEMORY, message)));
        }
        self.store(Scalar::U64, to, address)?;
        Ok(Ok(address))
    }

    /// New memory of the device, if the program may have so much.
    fn new_memory(&mut self, name: Option<String>, bytes: u64, owner: Owner) -> Option<u64> {
        let [_, most] = self.most_bytes();
        let fits = self.device.live_bytes().checked_add(bytes).is_some_and(|all| all <= most);
        let name = name.unwrap_or_else(|| self.places.name_of_memory(self.line));
        fits.then(|| self.device.allocate(&name, bytes, owner, self.line)).flatten()
    }

    /// Memory that host and kernels share, when no address is left that both can use: the process has it at an address of its
    /// own, and kernels use it as they use memory that was registered.
    fn new_beside(&mut self, name: Option<String>, bytes: u64, owner: Owner) -> Result<Option<u64>> {
        let Some(native) = &mut self.native else { return Ok(None) };
        let Some(address) = native.shared.next_beside(bytes) else { return Ok(None) };
        let process = native.process;
        let Some(at) = self.new_memory(name, bytes, Owner::Registered) else { return Ok(None) };
        if !process.map(address, bytes)? {
            self.device.block(at).into_iter().for_each(|block| self.device.free(block));
            return Ok(None);
        }
        self.device.write(at, &vec![0; bytes as usize]).map_err(Stop::error)?;
        self.device.registered.insert(address, (bytes, at));
        self.forget_shared(at, bytes);
        if let Some(native) = &mut self.native {
            native.shared.beside.insert(address, Some(owner));
        }
        Ok(Some(address))
    }

    /// Whether an address is that of such memory.
    fn is_beside(&self, address: u64) -> bool {
        self.native.as_ref().is_some_and(|native| native.shared.beside.contains_key(&address))
    }

    /// Frees such memory; whether there is some at the address that is freed like this.
    fn free_beside(&mut self, address: u64, is_pinned: bool) -> Result<bool> {
        if !self.is_beside(address) {
            return Ok(false);
        }
        self.await_functions(None)?;
        let Some(native) = &mut self.native else { return Ok(false) };
        match native.shared.beside.get_mut(&address) {
            Some(None) if is_pinned => {
                let message = "the pinned memory is freed a second time";
                return self.found(Kind::DoubleFree, message, "free each allocation once");
            }
            Some(owner @ Some(Owner::Pinned)) if is_pinned => *owner = None,
            Some(owner @ Some(Owner::Managed | Owner::Pooled)) if !is_pinned => *owner = None,
            _ => return Ok(false),
        }
        let process = native.process;
        self.finish(None)?;
        if let Some((bytes, at)) = self.device.registered.remove(&address) {
            self.forget_shared(at, bytes);
            self.device.block(at).into_iter().for_each(|block| self.device.free(block));
            process.unmap(address, bytes)?;
        }
        Ok(true)
    }

    /// `cudaMallocAsync`: the memory is there for what comes after it in the order of its stream.
    pub(crate) fn allocate_in_stream(
        &mut self,
        to: u64,
        bytes: u64,
        stream: u64,
        owner: Owner,
    ) -> Result<u64> {
        let Some(stream) = self.device.order.stream(stream) else { return Ok(self.no_stream()) };
        self.refuse_in_capture(stream, "an allocation")?;
        self.device.order.enter(stream);
        self.await_functions(Some(Point::Stream(stream)))?;
        match self.cuda_allocate(to, bytes, owner)? {
            Ok(address) => self.submit(What::Set, stream, 0..0, address..address + bytes).map(|()| 0),
            Err(code) => Ok(code),
        }
    }

    /// Frees memory, in the order of a stream or when everything is done.
    fn cuda_free(&mut self, address: u64, function: &str, stream: Option<u64>) -> Result<u64> {
        if address == 0 {
            return Ok(0);
        }
        let is_pinned = function == "cudaFreeHost";
        if self.free_beside(address, is_pinned)? {
            return Ok(0);
        }
        let is_its = |block: &Block| {
            let is_start = block.buffer.address() == address && !block.is_variable;
            is_start && (block.owner == Owner::Pinned) == is_pinned
        };
        let Some(block) = self.device.block(address).filter(is_its) else {
            let is_other = self.memory.offset(address).is_some_and(|at| self.memory.blocks.contains_key(&at));
            if is_pinned && is_other {
                return self.found(Kind::OutOfBounds, OTHER_MEMORY, OTHER_FREE);
            }
            let allocates = if is_pinned { "cudaMallocHost" } else { "cudaMalloc" };
            let message = format!("`{function}` got a pointer that `{allocates}` has not returned");
            return Ok(self.failed(INVALID_VALUE, message));
        };
        if !block.is_live {
            let whose = if is_pinned { "pinned memory" } else { "memory of the device" };
            let place = self.places.place(block.line);
            let message = format!("the {whose} that {place} allocated is freed a second time");
            return self.found(Kind::DoubleFree, message, "free each allocation once");
        }
        if let Some(stream) = stream {
            let Some(stream) = self.device.order.stream(stream) else { return Ok(self.no_stream()) };
            self.submit(What::Set, stream, 0..0, address..address + block.buffer.bytes())?;
        } else if is_pinned {
            self.await_functions(None)?;
        } else {
            self.finish(None)?;
        }
        if block.is_shared() {
            self.unshare(address, block.buffer.bytes())?;
        }
        self.device.free(block);
        Ok(0)
    }

    /// `cudaHostRegister`: memory of the host moves to where kernels can use it.
    fn register(&mut self, address: u64, bytes: u64) -> Result<u64> {
        if bytes == 0 || self.device.has(address) {
            let message = "`cudaHostRegister` needs memory of the host that is not pinned".to_owned();
            return Ok(self.failed(INVALID_VALUE, message));
        }
        let is_part =
            |(start, (size, _)): (&u64, &(u64, u64))| *start < address + bytes && address < start + size;
        if self.device.registered.iter().any(is_part) {
            return Ok(self.failed(ALREADY_REGISTERED, "this memory is registered already".to_owned()));
        }
        self.check_host(address, bytes, "registered", Access::Copy)?;
        let Some(at) = self.new_memory(None, bytes, Owner::Registered) else {
            return Ok(self.failed(OUT_OF_MEMORY, format!("there are no {bytes} bytes left on the device")));
        };
        let (found, is_written) = self.host_bytes(address, bytes)?;
        self.device.copy_in(at, &found, |nth| is_written[nth]).map_err(Stop::error)?;
        if self.native.is_none() {
            let offset = (address - BASE) as usize;
            self.memory.states[offset..offset + bytes as usize].fill(state::MOVED);
        }
        self.device.registered.insert(address, (bytes, at));
        self.forget_shared(at, bytes);
        Ok(0)
    }

    /// `cudaHostUnregister`: memory of the host moves back.
    fn unregister(&mut self, address: u64) -> Result<u64> {
        self.await_functions(None)?;
        let is_registered = !self.is_beside(address);
        let Some((bytes, at)) = is_registered.then(|| self.device.registered.remove(&address)).flatten()
        else {
            return Ok(self.failed(NOT_REGISTERED, "this memory was never registered".to_owned()));
        };
        self.finish(None)?;
        if let Some((found, is_written)) = self.device.read(at, bytes) {
            self.set_host_bytes(address, &found, |nth| is_written[nth])?;
        }
        if let Some(block) = self.device.block(at) {
            self.device.free(block);
        }
        Ok(0)
    }
}
