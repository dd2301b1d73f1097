//! The CUDA runtime: memory, streams, events, errors.
//!
//! Specification: CUDA Runtime API. Copies and kernels are carried out at once; what the program has to wait for is in
//! `order`.

use cudac::host::Scalar;

use simt::Dim3;

use crate::device::{Failure, PRINT_LIMIT};
use crate::errors::{
    self, CAPTURED_EVENT, INVALID_DEVICE, INVALID_HANDLE, INVALID_PITCH, INVALID_VALUE, NO_STREAM,
    NOT_PERMITTED, NOT_READY,
};
use crate::finding::{Finding, Kind};
use crate::function::Function;
use crate::machine::{Machine, Result, Stop};
use crate::memory::state;
use crate::order::{Point, is_blocking};
use crate::work::Copy;

/// The smallest buffer for what kernels print that an H200 grants.
const LEAST_PRINT_BYTES: u64 = 512 << 10;

const NOT_RECORDED: &str = "`cudaEventElapsedTime` needs two events that were recorded";
const WITHOUT_TIME: &str =
    "`cudaEventElapsedTime` needs two events that were not created with `cudaEventDisableTiming`";
/// The flag of an event that keeps no time.
const DISABLE_TIMING: u64 = 2;
const NOT_OVER: &str = "`cudaEventElapsedTime` is called before the work in front of the events has ended: call \
                        `cudaEventSynchronize` with the second one";

impl Machine<'_> {
    pub(crate) fn cuda(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        if function != Function::CallbackEnd
            && let Some(code) = self.refused_in_function()
        {
            return Ok(code);
        }
        if !is_said_after_a_failure(function) {
            self.device.thread.known_failure = None;
        }
        match function {
            Function::CudaMalloc
            | Function::CudaMallocManaged
            | Function::CudaMallocHost
            | Function::CudaMallocAsync
            | Function::CudaFree
            | Function::CudaFreeAsync
            | Function::CudaFreeHost
            | Function::HostRegister
            | Function::HostUnregister
            | Function::MemoryType
            | Function::DevicePointer => self.of_memory(function, values),
            Function::CudaMemcpy | Function::CudaMemset | Function::ToSymbol | Function::FromSymbol => {
                match self.capture_error(false) {
                    Some((code, message)) => Ok(self.failed(code, message.to_owned())),
                    None => self.of_bytes(function, values, None),
                }
            }
            Function::CudaMemcpyAsync
            | Function::CudaMemsetAsync
            | Function::ToSymbolAsync
            | Function::FromSymbolAsync => {
                match values.last().and_then(|stream| self.device.order.stream(*stream)) {
                    Some(stream) => self.of_bytes(function, values, Some(stream)),
                    None => Ok(self.no_stream()),
                }
            }
            Function::StreamCreate
            | Function::StreamSynchronize
            | Function::StreamDestroy
            | Function::StreamWait
            | Function::StreamFlags
            | Function::CallbackBegin
            | Function::CallbackEnd => self.of_stream(function, values),
            Function::Synchronize => self.host_waits(None),
            Function::EventCreate
            | Function::EventDestroy
            | Function::EventRecord
            | Function::EventSynchronize
            | Function::EventElapsed => self.of_event(function, values),
            Function::CaptureBegin
            | Function::CaptureEnd
            | Function::IsCapturing
            | Function::GraphCreate
            | Function::GraphNodes
            | Function::GraphLaunch
            | Function::GraphKeep
            | Function::GraphDrop => self.of_graph(function, values),
            _ => self.of_launch(function, values),
        }
    }

    /// Copies and memsets, in a stream or not.
    fn of_bytes(&mut self, function: Function, values: &[u64], stream: Option<u64>) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let copy = Copy { to: at(0), from: at(1), bytes: at(2), kind: at(3) };
        match function {
            Function::CudaMemcpy | Function::CudaMemcpyAsync => self.cuda_memcpy(copy, stream),
            Function::CudaMemset | Function::CudaMemsetAsync => {
                self.cuda_memset(at(0), at(1) as u8, at(2), stream)
            }
            Function::ToSymbol | Function::ToSymbolAsync => self.copy_to_symbol(values, stream),
            _ => self.cuda_memcpy(Copy::of_symbol(values), stream),
        }
    }

    /// Launches, what is known of kernels, and errors.
    fn of_launch(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b) = (at(0), at(1));
        match function {
            Function::LaunchKernel | Function::LaunchCooperative => {
                self.launch_kernel(values, function == Function::LaunchCooperative)?;
                Ok(self.returned_error())
            }
            Function::NextLaunch => {
                self.device.thread.next_is_cooperative = a != 0;
                let [x, y, z] = [1, 2, 3].map(|nth| at(nth) as u32);
                self.device.thread.next_cluster = (x != 0).then(|| Dim3::new(x, y, z));
                Ok(0)
            }
            Function::LaunchError => Ok(self.returned_error()),
            Function::SharedBytes | Function::SharedAllowed | Function::SharedLimit => {
                self.of_shared_memory(function, a, b)
            }
            Function::Occupancy => {
                let declared = self.kernels[self.kernel_at(a)?].kernel.shared_bytes;
                Ok(self.device.room.of_multiprocessor(b, declared.saturating_add(at(2))))
            }
            Function::SetDevice if a as i32 == 0 => Ok(0),
            Function::SetDevice => {
                let message = format!("there is no device {}, only device 0", a as i32);
                Ok(self.failed(INVALID_DEVICE, message))
            }
            Function::Pitch => {
                let message = format!("rows of {a} bytes are longer than the pitch of {b} bytes");
                Ok(self.failed(INVALID_PITCH, message))
            }
            Function::SetLimit | Function::GetLimit => Ok(self.of_limit(function, a, b)),
            Function::TensorMap => self.encode_tensor_map(values),
            Function::TensorMapAddress => self.move_tensor_map(a, b),
            Function::TensorMapIm2col => Ok(self.other_tensor_map("cuTensorMapEncodeIm2col")),
            Function::Capability => Ok(u64::from(self.device.room.capability)),
            Function::SharedRoom => Ok(self.device.room.shared_bytes),
            Function::MemoryLeft => Ok(self.most_bytes()[1].saturating_sub(self.device.live_bytes())),
            Function::GetLastError | Function::PeekAtLastError => {
                let code = self.device.thread.last_error;
                if let Some(failure) = self.device.thread.failure.take() {
                    self.look_at(failure);
                }
                if function == Function::GetLastError {
                    self.device.thread.last_error = 0;
                }
                Ok(code)
            }
            Function::ErrorString | Function::ErrorName => self.error_text(function, a),
            _ => Err(Stop::error("this function is not supported in host code")),
        }
    }

    /// Host code asks to wait for what comes before a point, or for everything.
    fn host_waits(&mut self, point: Option<Point>) -> Result<u64> {
        match self.capture_error(true) {
            Some((code, message)) => Ok(self.failed(code, message.to_owned())),
            None => self.finish(point).map(|()| 0),
        }
    }

    /// The limits that a program may set: for the stack, for what kernels print, and for their heap.
    fn of_limit(&mut self, function: Function, limit: u64, value: u64) -> u64 {
        let Some(known) = self.device.limits.get_mut(limit as usize) else {
            return self.failed(INVALID_VALUE, "this limit does not exist".to_owned());
        };
        if function == Function::GetLimit {
            return *known;
        }
        *known = if limit == PRINT_LIMIT as u64 { value.max(LEAST_PRINT_BYTES) } else { value };
        0
    }

    /// How much shared memory a kernel declares, and how much it may have.
    fn of_shared_memory(&mut self, function: Function, kernel: u64, bytes: u64) -> Result<u64> {
        let kernel = self.kernel_at(kernel)?;
        let declared = self.kernels[kernel].kernel.shared_bytes;
        if function == Function::SharedBytes {
            return Ok(declared);
        }
        if function == Function::SharedAllowed {
            return Ok(self.device.shared_allowed(kernel));
        }
        let wanted = bytes.saturating_add(declared);
        let most = self.device.room.shared_bytes;
        if wanted > most {
            let message = format!("{wanted} bytes of shared memory are more than {most}");
            return Ok(self.failed(INVALID_VALUE, message));
        }
        self.device.shared_limits.insert(kernel, wanted);
        Ok(0)
    }

    /// The name of an error, or what it means.
    fn error_text(&mut self, function: Function, a: u64) -> Result<u64> {
        self.kept_text(errors::named(a)[usize::from(function == Function::ErrorString)])
    }

    /// Where a text is in the host's memory, and stays.
    pub(crate) fn kept_text(&mut self, text: &str) -> Result<u64> {
        if let Some(known) = self.kept_texts.get(text) {
            return Ok(*known);
        }
        let address = self.kept_bytes(&[text.as_bytes(), &[0]].concat())?;
        self.kept_texts.insert(text.to_owned(), address);
        Ok(address)
    }

    /// Puts bytes into the host's memory, where they stay; the address.
    pub(crate) fn kept_bytes(&mut self, bytes: &[u8]) -> Result<u64> {
        let address = match &self.native {
            Some(native) => native.process.allocate(bytes.len() as u64)?,
            None => self.allocate(bytes.len() as u64, state::SET)?,
        };
        self.give(address, bytes, |_| true)?;
        Ok(address)
    }

    /// A call that fails: its error.
    pub(crate) fn failed(&mut self, code: u64, message: String) -> u64 {
        self.device.fail(code, self.line, message);
        code
    }

    /// The error of a call in a function that a stream calls.
    pub(crate) fn refused_in_function(&mut self) -> Option<u64> {
        let message = "a function that a stream calls may not call CUDA";
        (!self.device.thread.callbacks.is_empty()).then(|| self.failed(NOT_PERMITTED, message.to_owned()))
    }

    /// Nothing looks at the result of a call.
    pub(crate) fn ignored(&mut self) -> Result<()> {
        match &self.device.thread.failure {
            Some(failure) if !failure.is_launch || failure.line != self.line => self.unchecked(),
            _ => Ok(()),
        }
    }

    /// An error at which nothing has looked is a finding.
    pub(crate) fn unchecked(&mut self) -> Result<()> {
        let Some(failure) = self.device.thread.failure.take() else { return Ok(()) };
        let message = format!("{}, and nothing looks at the error", failure.named());
        let help = if failure.is_launch {
            "correct the shape of the launch, and test `cudaGetLastError()` after it"
        } else {
            "correct the call, and test what it returns"
        };
        Err(Finding::new(Kind::UncheckedError, failure.line, message, help).into())
    }

    /// The program looks at an error. A launch that was refused is a mistake, whatever the program does about it; other calls
    /// may fail on purpose, so they are the reason only if the program ends with a status that says so.
    pub(crate) fn look_at(&mut self, failure: Failure) {
        if failure.is_refused_launch {
            let help = "correct the shape of the launch";
            self.report(Finding::new(Kind::FailedCall, failure.line, failure.named(), help));
        }
        self.device.thread.known_failure = Some(failure);
    }

    /// Host code waits for what comes before a point, or for everything, and sees what kernels have printed.
    pub(crate) fn finish(&mut self, point: Option<Point>) -> Result<()> {
        if let Some(Point::Stream(stream)) = point {
            self.device.order.enter(stream);
        }
        self.await_functions(point)?;
        self.device.order.finish(point);
        self.flush()
    }

    /// Prints what kernels have printed that have ended.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let order = &self.device.order;
        let printed = &mut self.device.printed;
        let ended: Vec<_> = printed.extract_if(.., |printed| !order.is_running(printed.work)).collect();
        ended.iter().try_for_each(|printed| self.put(1, printed.text.as_bytes()))
    }

    /// Prints what kernels have printed, whether they have ended or not: the program ends here.
    pub(crate) fn print_all(&mut self) -> Result<()> {
        let printed = std::mem::take(&mut self.device.printed);
        printed.iter().try_for_each(|printed| self.put(1, printed.text.as_bytes()))
    }

    pub(crate) fn no_stream(&mut self) -> u64 {
        self.failed(INVALID_HANDLE, NO_STREAM.to_owned())
    }

    fn of_stream(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b) = (at(0), at(1));
        match function {
            Function::StreamCreate => {
                self.check_handles(
                    self.device.order.streams(),
                    "streams",
                    "call `cudaStreamDestroy` when one is not needed any more, or use it again",
                )?;
                let stream = self.device.order.create(b == 0);
                return self.store(Scalar::U64, a, stream).map(|()| 0);
            }
            Function::StreamDestroy => {
                return Ok(if self.device.order.destroy(a) { 0 } else { self.no_stream() });
            }
            Function::CallbackEnd => {
                let done = self.device.thread.callbacks.pop().unwrap_or_default();
                self.device.order.resume(done);
                return Ok(0);
            }
            _ => {}
        }
        let Some(stream) = self.device.order.stream(a) else { return Ok(self.no_stream()) };
        match function {
            Function::StreamSynchronize => return self.host_waits(Some(Point::Stream(stream))),
            Function::StreamWait if self.device.events.contains_key(&b) => {
                if !self.is_wait_kept(stream, b) {
                    self.device.order.wait_for(stream, b);
                }
            }
            Function::StreamWait => return Ok(self.no_event()),
            Function::StreamFlags => return Ok(u64::from(!is_blocking(stream))),
            // For the function that a stream calls, everything before it is done.
            _ => {
                self.refuse_in_capture(stream, "a function of the host")?;
                let done = self.device.order.finish(Some(Point::Stream(stream)));
                self.flush()?;
                self.device.thread.callbacks.push(done);
            }
        }
        Ok(0)
    }

    fn no_event(&mut self) -> u64 {
        self.failed(INVALID_HANDLE, "there is no such event: it was never created, or destroyed".to_owned())
    }

    fn of_event(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b) = (at(0), at(1));
        if function == Function::EventCreate {
            self.check_handles(
                self.device.events.len(),
                "events",
                "call `cudaEventDestroy` when one is not needed any more, or use it again",
            )?;
            let event = self.device.new_event();
            if b & DISABLE_TIMING != 0 {
                self.device.untimed.insert(event);
            }
            return self.store(Scalar::U64, a, event).map(|()| 0);
        }
        if function == Function::EventElapsed {
            return self.elapsed(a, [b, at(2)]);
        }
        if function == Function::EventDestroy {
            return Ok(if self.device.destroy_event(a) { 0 } else { self.no_event() });
        }
        let now = self.device.now();
        if !self.device.events.contains_key(&a) {
            return Ok(self.no_event());
        }
        if let Some(capture) = self.capture.as_mut().filter(|capture| capture.events.contains(&a))
            && function == Function::EventSynchronize
        {
            capture.is_invalid = true;
            let message = "an event that was recorded while its stream is captured is never over".to_owned();
            return Ok(self.failed(CAPTURED_EVENT, message));
        }
        if function == Function::EventSynchronize {
            return self.host_waits(Some(Point::Event(a)));
        }
        let Some(stream) = self.device.order.stream(b) else { return Ok(self.no_stream()) };
        self.device.events.insert(a, Some(now));
        if !self.is_record_kept(stream, a) {
            self.device.order.record(a, stream);
        }
        Ok(0)
    }

    /// `cudaEventElapsedTime`: where the time goes, and two events, which have to be over.
    fn elapsed(&mut self, to: u64, events: [u64; 2]) -> Result<u64> {
        if events.iter().any(|event| self.device.untimed.contains(event)) {
            return Ok(self.failed(INVALID_HANDLE, WITHOUT_TIME.to_owned()));
        }
        let recorded = |number: u64| *self.device.events.get(&number)?;
        let [Some(start), Some(stop)] = events.map(recorded) else {
            return Ok(self.failed(INVALID_HANDLE, NOT_RECORDED.to_owned()));
        };
        if events.iter().any(|event| self.device.order.is_awaited(*event)) {
            return Ok(self.failed(NOT_READY, NOT_OVER.to_owned()));
        }
        let milliseconds = (stop as f32 - start as f32) / 1000.0;
        self.store(Scalar::F32, to, u64::from(milliseconds.to_bits())).map(|()| 0)
    }

    /// Whether bytes of the device are in an allocation.
    pub(crate) fn check_device(&mut self, address: u64, bytes: u64, done: &str) -> Result<()> {
        let Some(block) = self.device.block(address) else {
            let message =
                format!("{bytes} bytes at {address:#x} are {done}, which is in no memory of the device");
            return self.found(Kind::OutOfBounds, message, "find out where the pointer comes from");
        };
        if !block.is_live {
            let whose = if block.is_of_host() { "pinned memory" } else { "memory of the device" };
            let place = self.places.place(block.line);
            let message = format!("{whose} is {done} after it was freed; {place} allocated it");
            return self.found(Kind::UseAfterFree, message, "free it after its last use");
        }
        let (at, size, line) = (address - block.buffer.address(), block.buffer.bytes(), block.line);
        self.check_end(done, at, bytes, size, line)
    }
}

/// Whether a program calls this on its way to its end after a failure.
fn is_said_after_a_failure(function: Function) -> bool {
    matches!(
        function,
        Function::GetLastError
            | Function::PeekAtLastError
            | Function::ErrorString
            | Function::ErrorName
            | Function::CudaFree
            | Function::CudaFreeHost
            | Function::StreamDestroy
            | Function::EventDestroy
            | Function::GraphDrop
            | Function::Synchronize
    )
}
