//! The functions that host code calls: C's, and the CUDA runtime's.

use cudac::Line;
use cudac::host::{RuntimeCall, Scalar};

use crate::arithmetic::{float, of_float};
use crate::device::{Device, Owner};
use crate::files;
use crate::finding::Kind;
use crate::machine::{Machine, Result, Stop};
use crate::memory::{Access, BASE, state};
use crate::random::Random;

/// What to do about a function that frees other memory.
pub(crate) const OTHER_FREE: &str =
    "memory of `cudaMallocHost` is freed with `cudaFreeHost`, and that of `malloc` with `free`";

/// What is wrong with it.
pub(crate) const OTHER_MEMORY: &str = "this memory belongs to another function that frees";

/// A function that this executor carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Malloc,
    Calloc,
    Free,
    New,
    Delete,
    Memcpy,
    Memmove,
    Memset,
    Exit,
    Abort,
    Rand,
    Srand,
    Puts,
    Putchar,
    Clock,
    PutText,
    PutInteger,
    PutUnsigned,
    PutFloat,
    PutCharacter,
    PutBytes,
    Put,
    NewText,
    DeleteText,
    TextSize,
    TextCopy,
    TextSet,
    File(files::Function),
    BlockBytes,
    Aligned,
    Trap,
    Sqrt,
    Rsqrt,
    Floor,
    Ceil,
    Rint,
    Trunc,
    Fma,
    CudaMalloc,
    CudaMallocManaged,
    CudaMallocHost,
    CudaMallocAsync,
    CudaFree,
    CudaFreeAsync,
    CudaFreeHost,
    HostRegister,
    HostUnregister,
    MemoryType,
    DevicePointer,
    CudaMemcpy,
    CudaMemcpyAsync,
    CudaMemset,
    CudaMemsetAsync,
    ToSymbol,
    ToSymbolAsync,
    FromSymbol,
    FromSymbolAsync,
    GetLastError,
    PeekAtLastError,
    Synchronize,
    ErrorString,
    ErrorName,
    StreamCreate,
    StreamSynchronize,
    StreamDestroy,
    StreamWait,
    CallbackBegin,
    CallbackEnd,
    EventCreate,
    EventDestroy,
    EventRecord,
    EventSynchronize,
    EventElapsed,
    SharedLimit,
    SharedBytes,
    SharedAllowed,
    StreamFlags,
    CaptureBegin,
    CaptureEnd,
    IsCapturing,
    GraphNodes,
    GraphLaunch,
    GraphKeep,
    GraphDrop,
    MemoryLeft,
    LaunchKernel,
    LaunchCooperative,
    NextLaunch,
    LaunchError,
    Occupancy,
    SetLimit,
    GetLimit,
}

/// The functions by name.
const NAMES: &[(&str, Function)] = &[
    ("malloc", Function::Malloc),
    ("calloc", Function::Calloc),
    ("free", Function::Free),
    ("__host_new", Function::New),
    ("__host_delete", Function::Delete),
    ("memcpy", Function::Memcpy),
    ("memmove", Function::Memmove),
    ("memset", Function::Memset),
    ("exit", Function::Exit),
    ("abort", Function::Abort),
    ("rand", Function::Rand),
    ("srand", Function::Srand),
    ("puts", Function::Puts),
    ("putchar", Function::Putchar),
    ("clock", Function::Clock),
    ("__host_now", Function::Clock),
    ("__host_put_text", Function::PutText),
    ("__host_put_integer", Function::PutInteger),
    ("__host_put_unsigned", Function::PutUnsigned),
    ("__host_put_float", Function::PutFloat),
    ("__host_put_character", Function::PutCharacter),
    ("__host_put_bytes", Function::PutBytes),
    ("__host_put", Function::Put),
    ("__host_text_new", Function::NewText),
    ("__host_text_delete", Function::DeleteText),
    ("__host_text_size", Function::TextSize),
    ("__host_text_copy", Function::TextCopy),
    ("__host_text_set", Function::TextSet),
    ("fopen", Function::File(files::Function::Open)),
    ("fclose", Function::File(files::Function::Close)),
    ("fread", Function::File(files::Function::Read)),
    ("fwrite", Function::File(files::Function::Write)),
    ("fgets", Function::File(files::Function::GetText)),
    ("fgetc", Function::File(files::Function::GetByte)),
    ("ungetc", Function::File(files::Function::UngetByte)),
    ("fputs", Function::File(files::Function::PutText)),
    ("fputc", Function::File(files::Function::PutByte)),
    ("fseek", Function::File(files::Function::Seek)),
    ("ftell", Function::File(files::Function::Tell)),
    ("feof", Function::File(files::Function::IsAtEnd)),
    ("ferror", Function::File(files::Function::HasFailed)),
    ("clearerr", Function::File(files::Function::Clear)),
    ("fflush", Function::File(files::Function::Flush)),
    ("remove", Function::File(files::Function::Remove)),
    ("rename", Function::File(files::Function::Rename)),
    ("tmpfile", Function::File(files::Function::Temporary)),
    ("__host_errno", Function::File(files::Function::Errno)),
    ("__host_line_bytes", Function::File(files::Function::LineBytes)),
    ("__host_file_number", Function::File(files::Function::Number)),
    ("__host_block_bytes", Function::BlockBytes),
    ("__host_aligned", Function::Aligned),
    ("__trap", Function::Trap),
    ("sqrt", Function::Sqrt),
    ("sqrtf", Function::Sqrt),
    ("rsqrt", Function::Rsqrt),
    ("rsqrtf", Function::Rsqrt),
    ("floor", Function::Floor),
    ("floorf", Function::Floor),
    ("ceil", Function::Ceil),
    ("ceilf", Function::Ceil),
    ("rint", Function::Rint),
    ("rintf", Function::Rint),
    ("trunc", Function::Trunc),
    ("truncf", Function::Trunc),
    ("fma", Function::Fma),
    ("fmaf", Function::Fma),
    ("__host_cuda_malloc", Function::CudaMalloc),
    ("__host_cuda_malloc_managed", Function::CudaMallocManaged),
    ("__host_cuda_malloc_host", Function::CudaMallocHost),
    ("__host_cuda_malloc_async", Function::CudaMallocAsync),
    ("cudaFree", Function::CudaFree),
    ("__host_cuda_free_async", Function::CudaFreeAsync),
    ("cudaFreeHost", Function::CudaFreeHost),
    ("__host_cuda_register", Function::HostRegister),
    ("__host_cuda_unregister", Function::HostUnregister),
    ("__host_cuda_memory_type", Function::MemoryType),
    ("__host_cuda_device_pointer", Function::DevicePointer),
    ("cudaMemcpy", Function::CudaMemcpy),
    ("__host_cuda_memcpy_async", Function::CudaMemcpyAsync),
    ("cudaMemset", Function::CudaMemset),
    ("__host_cuda_memset_async", Function::CudaMemsetAsync),
    ("__host_cuda_to_symbol", Function::ToSymbol),
    ("__host_cuda_to_symbol_async", Function::ToSymbolAsync),
    ("__host_cuda_from_symbol", Function::FromSymbol),
    ("__host_cuda_from_symbol_async", Function::FromSymbolAsync),
    ("cudaGetLastError", Function::GetLastError),
    ("cudaPeekAtLastError", Function::PeekAtLastError),
    ("cudaDeviceSynchronize", Function::Synchronize),
    ("cudaGetErrorString", Function::ErrorString),
    ("cudaGetErrorName", Function::ErrorName),
    ("__host_cuda_stream_create", Function::StreamCreate),
    ("__host_cuda_stream_create_with", Function::StreamCreate),
    ("__host_cuda_stream_synchronize", Function::StreamSynchronize),
    ("__host_cuda_stream_destroy", Function::StreamDestroy),
    ("__host_cuda_callback_begin", Function::CallbackBegin),
    ("__host_cuda_callback_end", Function::CallbackEnd),
    ("__host_cuda_stream_wait", Function::StreamWait),
    ("__host_cuda_event_create", Function::EventCreate),
    ("__host_cuda_event_destroy", Function::EventDestroy),
    ("__host_cuda_event_record", Function::EventRecord),
    ("__host_cuda_event_synchronize", Function::EventSynchronize),
    ("__host_cuda_event_elapsed", Function::EventElapsed),
    ("__host_cuda_shared_limit", Function::SharedLimit),
    ("__host_cuda_shared_bytes", Function::SharedBytes),
    ("__host_cuda_shared_allowed", Function::SharedAllowed),
    ("__host_cuda_stream_flags", Function::StreamFlags),
    ("__host_cuda_capture_begin", Function::CaptureBegin),
    ("__host_cuda_capture_end", Function::CaptureEnd),
    ("__host_cuda_is_capturing", Function::IsCapturing),
    ("__host_cuda_graph_nodes", Function::GraphNodes),
    ("__host_cuda_graph_launch", Function::GraphLaunch),
    ("__host_cuda_graph_keep", Function::GraphKeep),
    ("__host_cuda_graph_drop", Function::GraphDrop),
    ("__host_cuda_memory_left", Function::MemoryLeft),
    ("__host_cuda_launch", Function::LaunchKernel),
    ("__host_cuda_launch_cooperative", Function::LaunchCooperative),
    ("__host_cuda_next_launch", Function::NextLaunch),
    ("__host_cuda_launch_error", Function::LaunchError),
    ("__host_cuda_occupancy", Function::Occupancy),
    ("__host_cuda_set_limit", Function::SetLimit),
    ("__host_cuda_get_limit", Function::GetLimit),
    ("cudaDeviceReset", Function::Synchronize),
];

impl Function {
    /// The function of a name.
    pub fn named(name: &str) -> Option<Function> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }
}

impl Machine<'_> {
    pub(crate) fn runtime(&mut self, function: Function, call: &RuntimeCall, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b, c) = (at(0), at(1), at(2));
        match function {
            Function::Malloc | Function::New => self.allocate(a, state::EMPTY),
            Function::Calloc => self.allocate(a.saturating_mul(b), state::SET),
            Function::Free | Function::Delete => self.free(a).map(|()| 0),
            Function::Memcpy | Function::Memmove => self.copy(a, b, c).map(|()| a),
            Function::Memset => self.fill(a, b as u8, c).map(|()| a),
            Function::Exit => Err(Box::new(Stop::Exit(a as i32))),
            Function::Abort => Err(Box::new(Stop::Exit(134))),
            Function::Rand => Ok(self.random.next() as u64),
            Function::Srand => {
                self.random = Random::new(a as u32);
                Ok(0)
            }
            Function::Clock => Ok(self.device.now()),
            Function::Puts => {
                let mut text = self.text(a)?;
                text.push(b'\n');
                self.put(1, &text).map(|()| 0)
            }
            Function::Putchar => self.put(1, &[a as u8]).map(|()| a),
            Function::PutText
            | Function::PutBytes
            | Function::PutInteger
            | Function::PutUnsigned
            | Function::PutFloat
            | Function::PutCharacter => self.put_value(function, values),
            Function::Put => {
                let bytes = self.bytes_of(b, c)?;
                self.put(a, &bytes).map(|()| 0)
            }
            Function::NewText
            | Function::DeleteText
            | Function::TextSize
            | Function::TextCopy
            | Function::TextSet => self.of_text(function, values),
            Function::File(function) => self.of_file(function, values),
            Function::BlockBytes => {
                let at = self.memory.offset(a);
                let known = at.and_then(|at| self.memory.blocks.get(&at)).filter(|block| block.is_live);
                Ok(known.map_or(0, |block| block.bytes))
            }
            Function::Aligned => self.allocate_aligned(a, b, state::EMPTY),
            Function::Trap => {
                let help = self.suspect().unwrap_or_else(|| {
                    "find out why the condition does not hold: print the values in it".to_owned()
                });
                self.found(Kind::Assert, "the condition of `assert` does not hold", &help)
            }
            Function::Sqrt
            | Function::Rsqrt
            | Function::Floor
            | Function::Ceil
            | Function::Rint
            | Function::Trunc
            | Function::Fma => Ok(math(function, call.result, values)),
            cuda => self.cuda(cuda, values),
        }
    }

    pub(crate) fn allocate(&mut self, bytes: u64, with: u8) -> Result<u64> {
        self.allocate_aligned(1, bytes, with)
    }

    /// `aligned_alloc`: allocations begin at multiples of 64, and of more if that is asked for.
    fn allocate_aligned(&mut self, align: u64, bytes: u64, with: u8) -> Result<u64> {
        let align = if align.is_power_of_two() && align <= 1 << 20 { align } else { 1 };
        let [most, _] = self.most_bytes();
        let made = self.memory.allocate(bytes, with, self.line, align, most);
        made.map(|at| BASE + at).ok_or_else(|| self.out_of_memory().into())
    }

    fn free(&mut self, address: u64) -> Result<()> {
        if address == 0 {
            return Ok(());
        }
        let known =
            self.memory.offset(address).and_then(|at| self.memory.blocks.get(&at).map(|block| (at, *block)));
        let Some((at, block)) = known else {
            if self.device.block(address).is_some_and(|block| block.owner == Owner::Pinned) {
                return self.found(Kind::OutOfBounds, OTHER_MEMORY, OTHER_FREE);
            }
            let help = "free what an allocation returned, with the function that belongs to it";
            let kind = if Device::has(address) { Kind::WrongSpace } else { Kind::OutOfBounds };
            return self.found(
                kind,
                format!("{address:#x} is no allocation of the host, so it cannot be freed"),
                help,
            );
        };
        if !block.is_live {
            let place = self.program.place(block.line);
            let message = format!("the memory that {place} allocated is freed a second time");
            return self.found(Kind::DoubleFree, message, "free it once, and set the pointer to `NULL` then");
        }
        self.memory.free(at);
        if let Some((_, at)) = self.device.registered.remove(&address)
            && let Some(block) = self.device.block(at)
        {
            self.device.free(block);
        }
        Ok(())
    }

    /// Whether bytes of the host may be accessed; if they are read, also whether somebody has written them.
    pub(crate) fn check_host(&mut self, address: u64, bytes: u64, done: &str, access: Access) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        if address < 4096 {
            let help = "test the pointer: an allocation may have failed, or the variable was never set";
            return self.found(
                Kind::OutOfBounds,
                format!("a null pointer is dereferenced: {bytes} bytes are {done}"),
                help,
            );
        }
        let range = self.memory.offset(address).map(|at| at as usize..(at.saturating_add(bytes)) as usize);
        let Some(states) = range.clone().and_then(|range| self.memory.states.get(range)) else {
            self.check_block(address, bytes, done)?;
            let message = format!("{bytes} bytes at {address:#x} are {done}, which belong to nothing");
            return self.found(Kind::OutOfBounds, message, "find out where the pointer comes from");
        };
        let bad = states.iter().position(|known| match *known {
            state::NONE | state::FREED | state::MOVED => true,
            state::EMPTY => access == Access::Read,
            _ => false,
        });
        let (Some(bad), Some(range)) = (bad, range) else { return Ok(()) };
        let found = states[bad];
        let place = self.place_of((range.start + bad) as u64);
        match found {
            state::FREED => {
                let help = "free it after its last use";
                self.found(
                    Kind::UseAfterFree,
                    format!("{bytes} bytes are {done} in memory that was freed{place}"),
                    help,
                )
            }
            state::NONE => {
                self.check_block(address, bytes, done)?;
                let help = "compare the index with the number of elements";
                self.found(
                    Kind::OutOfBounds,
                    format!("{bytes} bytes are {done} outside of every object{place}"),
                    help,
                )
            }
            state::MOVED => Err(Stop::error(
                "bytes of registered memory and others are used together: register all of them",
            )),
            _ => Err(self.unwritten(bytes, done, &place).into()),
        }
    }

    /// Whether bytes of the host that begin in an allocation end in it.
    fn check_block(&mut self, address: u64, bytes: u64, done: &str) -> Result<()> {
        let Some(offset) = self.memory.offset(address) else { return Ok(()) };
        match self.memory.block_before(offset) {
            Some((start, block)) if block.is_live && offset - start < block.bytes => {
                let (size, line) = (block.bytes, block.line);
                self.check_end(done, offset - start, bytes, size, line)
            }
            _ => Ok(()),
        }
    }

    /// Whether bytes from a place in an allocation on are all in it.
    pub(crate) fn check_end(&mut self, done: &str, at: u64, bytes: u64, size: u64, line: Line) -> Result<()> {
        if at.saturating_add(bytes) <= size {
            return Ok(());
        }
        let message = format!(
            "{bytes} bytes are {done} from byte {at} on of the {size} bytes that {} allocated",
            self.program.place(line)
        );
        self.found(Kind::OutOfBounds, message, "compare the number of bytes with that of the allocation")
    }

    /// Where an offset is, for a message.
    fn place_of(&self, offset: u64) -> String {
        let Some((start, block)) = self.memory.block_before(offset) else { return String::new() };
        let distance = offset - start;
        let place = self.program.place(block.line);
        if distance < block.bytes {
            format!(": byte {distance} of the {} bytes that {place} allocated", block.bytes)
        } else if distance - block.bytes < 64 {
            format!(
                ": {} bytes after the {} bytes that {place} allocated",
                distance - block.bytes,
                block.bytes
            )
        } else {
            String::new()
        }
    }
}

/// A function of numbers, in the type of its result.
pub(crate) fn math(function: Function, ty: Option<Scalar>, values: &[u64]) -> u64 {
    let is_single = ty == Some(Scalar::F32);
    let number = |nth: usize| {
        let bits = values.get(nth).copied().unwrap_or(0);
        if is_single { f64::from(float(bits)) } else { f64::from_bits(bits) }
    };
    let x = number(0);
    let value = match function {
        Function::Sqrt => x.sqrt(),
        Function::Rsqrt => 1.0 / x.sqrt(),
        Function::Floor => x.floor(),
        Function::Ceil => x.ceil(),
        Function::Rint => x.round_ties_even(),
        Function::Trunc => x.trunc(),
        _ if is_single => return of_float(float(values[0]).mul_add(float(values[1]), float(values[2]))),
        _ => x.mul_add(number(1), number(2)),
    };
    if is_single { of_float(value as f32) } else { value.to_bits() }
}
