//! Programs whose host code runs natively, in a process of its own, and asks for the CUDA runtime.
//!
//! What they call is carried out by the functions that carry it out for interpreted host code, so the findings of kernels, copies
//! and streams are the same. What differs is where the bytes are. The host's memory is the process's: it is read and
//! written through [`Process`], and what nobody has written is not known. What kernels use too is in `shared`.
//!
//! Left out, because only an interpreter sees it: accesses by host code. So reads of what nobody has written, and memory that is
//! used before the device is ready, are not found. An access that ends the process is. Whether the program looks at the error
//! that a call returns is not seen either, so a call that fails is a warning, unless the program asks what the error means.

use std::collections::BTreeMap;
use std::fmt;

use simt::Severity;

use crate::demangled::of_source;
use crate::device::{Device, Failure, Owner, Thread};
use crate::finding::{Finding, Kind};
use crate::function::Function;
use crate::machine::{Machine, Result, Stop};
use crate::{Error, Outcome};

/// The process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// What came over the connection.
type Known<T> = std::result::Result<T, Gone>;

/// A process that executes host code.
pub trait Process: fmt::Debug {
    /// Waits for its next call.
    ///
    /// # Errors
    /// It has ended.
    fn next(&self) -> Known<Call>;

    /// Gives the result of its call, so that it goes on.
    ///
    /// # Errors
    /// It has ended.
    fn answer(&self, value: u64) -> Known<()>;

    /// Fills bytes with those of its memory; whether it has memory there.
    ///
    /// # Errors
    /// It has ended.
    fn read(&self, address: u64, into: &mut [u8]) -> Known<bool>;

    /// The [`digest`](crate::digest) of so many bytes of its memory; `None` if it has none there.
    ///
    /// # Errors
    /// It has ended.
    fn digest(&self, address: u64, bytes: u64) -> Known<Option<u64>>;

    /// Writes bytes to its memory; whether it has memory there.
    ///
    /// # Errors
    /// It has ended.
    fn write(&self, address: u64, bytes: &[u8]) -> Known<bool>;

    /// New memory of its own, which it never frees; the address.
    ///
    /// # Errors
    /// It has ended.
    fn allocate(&self, bytes: u64) -> Known<u64>;

    /// Memory at an address, all zeros; whether it could have it.
    ///
    /// # Errors
    /// It has ended.
    fn map(&self, address: u64, bytes: u64) -> Known<bool>;

    /// Gives that memory back.
    ///
    /// # Errors
    /// It has ended.
    fn unmap(&self, address: u64, bytes: u64) -> Known<()>;

    /// Prints to its standard output, after what it has printed itself.
    ///
    /// # Errors
    /// It has ended.
    fn print(&self, text: &[u8]) -> Known<()>;

    /// What it has printed since this was asked the last time, to its standard output and to its standard error.
    fn printed(&self) -> [Vec<u8>; 2];

    /// How it ended; it is stopped if it has not.
    fn end(&self) -> Ending;
}

/// A call of the runtime.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub name: String,
    /// The number of the thread that calls.
    pub thread: u64,
    /// Its arguments, as numbers.
    pub values: Vec<u64>,
    /// The file and the line of the call, if they are known.
    pub place: Option<(String, u32)>,
    /// Its arguments as they are written.
    pub text: String,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With this status.
    Exited(i32),
    /// By this signal.
    Signal(i32),
    /// It took as much time of the processor as it may have, in seconds.
    TooLong(u64),
    /// It printed more than it may.
    TooMuchOutput,
}

/// A process and what its addresses stand for.
#[derive(Debug)]
pub(crate) struct Native<'p> {
    pub process: &'p dyn Process,
    /// The numbers of kernels by the addresses of the functions that stand for them.
    pub kernels: BTreeMap<u64, usize>,
    /// The addresses of variables of the device by those of the variables that stand for them.
    variables: BTreeMap<u64, u64>,
    /// What kernels use of it.
    pub shared: Sharing,
    /// Calls that failed, one for each line.
    failures: Vec<Failure>,
    /// The number of the thread that called last, and what is of the others.
    thread: u64,
    others: BTreeMap<u64, Thread>,
}

impl<'p> Native<'p> {
    pub fn new(process: &'p dyn Process) -> Native<'p> {
        Native {
            process,
            kernels: BTreeMap::new(),
            variables: BTreeMap::new(),
            shared: Sharing::default(),
            failures: Vec::new(),
            thread: 0,
            others: BTreeMap::new(),
        }
    }
}

/// Bytes that the process and kernels use: where they are in the process and on the device, and how many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    pub process: u64,
    pub device: u64,
    pub bytes: u64,
}

/// What is known of memory that a process and kernels use.
#[derive(Debug, Default)]
pub(crate) struct Sharing {
    /// Variables that host code and kernels use by the same name.
    pub managed: Vec<Shared>,
    /// The digests of parts that were the same on both sides, by their addresses on the device.
    pub same: BTreeMap<u64, u64>,
    /// Memory that the process has got at addresses that are not the device's; nobody's if it was freed. And where the next goes.
    pub beside: BTreeMap<u64, Option<Owner>>,
    pub last_beside: u64,
}

impl From<Gone> for Box<Stop> {
    fn from(_: Gone) -> Box<Stop> {
        Box::new(Stop::Gone)
    }
}

/// The signals that say what went wrong. Their numbers are the same on Linux and macOS, except for those of a bus error.
const INTERRUPTED: i32 = 2;
const ILLEGAL: i32 = 4;
const ABORTED: i32 = 6;
const DIVIDED: i32 = 8;
const OUT_OF_BOUNDS: [i32; 3] = [7, 10, 11];

impl<'p> Machine<'p> {
    /// Carries out what the process asks for, until it ends.
    pub fn serve(mut self, process: &'p dyn Process) -> std::result::Result<Outcome, Error> {
        let mut ended = self.serve_calls(process);
        if ended.as_ref().is_err_and(|stop| !matches!(**stop, Stop::Gone)) {
            // What kernels have printed goes through the process.
            let _ = self.print_all();
            self.tell_printed();
        }
        let ending = process.end();
        self.take_printed(process);
        if ended.as_ref().is_err_and(|stop| matches!(**stop, Stop::Gone)) {
            ended = self.ended(ending);
        }
        if matches!(ended, Ok(0)) {
            self.tell_failures();
        }
        self.conclude(ended)
    }

    fn serve_calls(&mut self, process: &dyn Process) -> Result<u64> {
        loop {
            let call = process.next()?;
            self.turn_to(call.thread);
            if let Some((file, number)) = &call.place {
                self.line = self.places.line(file, *number);
            }
            if let Some(failure) = self.device.in_hand() {
                self.note_failure(failure);
            }
            self.first = first_name(&call.text);
            let launch = self.device.thread.failure.clone().filter(|failure| failure.is_launch);
            let value = self.carry_out(&call)?;
            self.keep_launch(launch);
            process.answer(value)?;
        }
    }

    /// A thread calls, and has the errors of its own calls.
    pub(crate) fn turn_to(&mut self, thread: u64) {
        let Some(native) = self.native.as_mut().filter(|native| native.thread != thread) else { return };
        let its = native.others.remove(&thread).unwrap_or_default();
        let before = std::mem::replace(&mut native.thread, thread);
        native.others.insert(before, std::mem::replace(&mut self.device.thread, its));
    }

    /// A launch that failed and at which nothing has looked is not forgotten because a call fails after it.
    fn keep_launch(&mut self, launch: Option<Failure>) {
        let is_call = |failure: &Failure| !failure.is_launch;
        if let Some(launch) = launch.filter(|_| self.device.thread.failure.as_ref().is_some_and(is_call)) {
            let message = format!("{}, and nothing looks at the error", launch.named());
            let help = "correct the shape of the launch, and test `cudaGetLastError()` after it";
            self.report(Finding::new(Kind::UncheckedError, launch.line, message, help));
        }
    }

    /// The program asks for an error, or for its text: so it looks at the calls that returned it.
    fn looks_at(&mut self, code: u64) {
        if let Some(native) = &mut self.native {
            native.failures.retain(|failure| failure.code != code);
        }
    }

    /// A call has failed. Whether the program looks at the error is known only if it ends for it.
    fn note_failure(&mut self, failure: Failure) {
        if let Some(native) = &mut self.native
            && native.failures.iter().all(|known| known.line != failure.line)
        {
            native.failures.push(failure.clone());
        }
        self.look_at(failure);
    }

    /// What is said of calls that failed, if the program went on as if nothing had happened.
    fn tell_failures(&mut self) {
        if let Some(failure) = self.device.in_hand() {
            self.note_failure(failure);
        }
        let failures = self.native.as_mut().map(|native| std::mem::take(&mut native.failures));
        for failure in failures.into_iter().flatten() {
            let message =
                format!("{}, and it is not known whether the program looks at the error", failure.named());
            let help = "correct the call, or test what it returns";
            let finding = Finding::new(Kind::UncheckedError, failure.line, message, help);
            self.report(Finding { severity: Severity::Warning, ..finding });
        }
    }

    fn carry_out(&mut self, call: &Call) -> Result<u64> {
        let at = |nth: usize| call.values.get(nth).copied().unwrap_or(0);
        match &*call.name {
            "__lanes_kernel" => {
                let symbol = self.native_text(at(1))?;
                let named =
                    |symbol: &str| self.program.kernels.iter().position(|kernel| kernel.symbol == symbol);
                let number = named(&of_source(&symbol, at(2))).or_else(|| named(&symbol));
                if let (Some(number), Some(native)) = (number, &mut self.native) {
                    native.kernels.insert(at(0), number);
                }
                Ok(0)
            }
            "__lanes_variable" => {
                let name = self.native_text(at(1))?;
                let named = |name: &str| {
                    Some(Device::named(self.device.symbol(name))).filter(|address| *address != 0)
                };
                if let Some(address) = named(&of_source(&name, at(3))).or_else(|| named(&name)) {
                    self.register_variable(at(0), address, at(2) != 0)?;
                }
                Ok(0)
            }
            "__lanes_begin" => Ok(0),
            "__lanes_launch" => {
                let is_cooperative = std::mem::take(&mut self.device.thread.next_is_cooperative);
                self.launch_kernel(&call.values, is_cooperative)
            }
            "__lanes_symbol" => Ok(self.of_variable(at(0))),
            name => {
                let Some(function) = Function::named(name) else {
                    return Err(Stop::error(format!("`{name}` is not supported")));
                };
                let mut values = call.values.clone();
                let symbol = match function {
                    Function::ToSymbol | Function::ToSymbolAsync => values.first_mut(),
                    Function::FromSymbol | Function::FromSymbolAsync => values.get_mut(1),
                    _ => None,
                };
                if let Some(symbol) = symbol {
                    *symbol = self.of_variable(*symbol);
                }
                match function {
                    Function::ErrorName | Function::ErrorString => self.looks_at(at(0)),
                    Function::GetLastError | Function::PeekAtLastError => {
                        self.looks_at(self.device.thread.last_error);
                    }
                    _ => {}
                }
                self.cuda(function, &values)
            }
        }
    }

    /// A variable of the host stands for one of the device; a managed one is both.
    fn register_variable(&mut self, address: u64, on_device: u64, is_managed: bool) -> Result<()> {
        let Some(block) = self.device.block(on_device) else { return Ok(()) };
        let Some(native) = &mut self.native else { return Ok(()) };
        native.variables.insert(address, on_device);
        if !is_managed {
            return Ok(());
        }
        let shared = Shared { process: address, device: on_device, bytes: block.buffer.bytes() };
        native.shared.managed.push(shared);
        self.push_part(on_device, shared.bytes)
    }

    /// The address of the variable of the device for which one of the host stands.
    fn of_variable(&self, address: u64) -> u64 {
        let known = self.native.as_ref().and_then(|native| native.variables.get(&address));
        known.copied().unwrap_or(address)
    }

    fn native_text(&mut self, address: u64) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.text(address)?).into_owned())
    }

    /// What the process has printed comes to the output.
    pub(crate) fn take_printed(&mut self, process: &dyn Process) {
        let [output, errors] = process.printed();
        self.output.extend_from_slice(&output);
        self.errors.extend_from_slice(&errors);
    }

    /// The process has ended by itself.
    fn ended(&mut self, ending: Ending) -> Result<u64> {
        if self.is_interrupted() || ending == Ending::Signal(INTERRUPTED) {
            return Err(Box::new(Stop::Interrupted));
        }
        let after = if self.line.is_known() {
            format!(" after the call of {}", self.places.place(self.line))
        } else {
            String::new()
        };
        let help =
            "run it in a debugger, or with `--host interpret`, which finds such accesses at their lines";
        match ending {
            Ending::Exited(status) => Ok(status as u64),
            Ending::Signal(ABORTED) => {
                let message = format!(
                    "the program is aborted{after} (signal {ABORTED}): by `abort`, an `assert`, or an exception that nothing \
                     catches"
                );
                self.found(Kind::ExitStatus, message, "look at what it printed")
            }
            Ending::Signal(DIVIDED) => {
                let message = format!("host code divides an integer by zero{after}");
                self.found(Kind::DivisionByZero, message, "test the divisor before the division")
            }
            Ending::Signal(signal) if OUT_OF_BOUNDS.contains(&signal) => {
                let message =
                    format!("host code accesses memory that it does not have{after} (signal {signal})");
                self.found(Kind::OutOfBounds, message, help)
            }
            Ending::Signal(ILLEGAL) => {
                let message = format!(
                    "host code executes what is no instruction{after}: does a function end without `return`?"
                );
                self.found(Kind::OutOfBounds, message, help)
            }
            Ending::Signal(signal) => Err(Box::new(Stop::Exit(128 + signal))),
            Ending::TooLong(seconds) => {
                let message = format!("the host code took more than {seconds} seconds of the processor");
                self.bounded(message, "use a smaller input; is there a loop that never ends?")
            }
            Ending::TooMuchOutput => self.too_much_output(),
        }
    }

    /// Bytes of the host's memory that the process has.
    pub(crate) fn native_read(&self, process: &dyn Process, address: u64, bytes: u64) -> Result<Vec<u8>> {
        let mut found = vec![0; bytes as usize];
        if process.read(address, &mut found)? { Ok(found) } else { self.unreadable(address, bytes) }
    }

    /// The process has no memory there.
    pub(crate) fn unreadable<T>(&self, address: u64, bytes: u64) -> Result<T> {
        self.found(
            Kind::OutOfBounds,
            format!("{bytes} bytes at {address:#x} are read, which belong to nothing"),
            "compare the number of bytes with that of the allocation",
        )
    }

    pub(crate) fn native_write(&self, process: &dyn Process, address: u64, bytes: &[u8]) -> Result<()> {
        if process.write(address, bytes)? {
            return Ok(());
        }
        self.found(
            Kind::OutOfBounds,
            format!("{} bytes at {address:#x} are written, which belong to nothing", bytes.len()),
            "compare the number of bytes with that of the allocation",
        )
    }

    /// The process, if an address is in its memory.
    pub(crate) fn process_with(&self, address: u64) -> Option<&'p dyn Process> {
        let process = self.native.as_ref()?.process;
        (!self.device.has(address) || self.device.is_mapped(address)).then_some(process)
    }

    /// Whether an address is in memory of the host that kernels cannot use.
    pub(crate) fn is_of_host(&self, address: u64) -> bool {
        match &self.native {
            Some(_) => (1 << 16..256 << 40).contains(&address) && !self.device.has(address),
            None => self.memory.offset(address).is_some(),
        }
    }

    /// Tells what the process has printed so far.
    pub(crate) fn tell_printed(&mut self) {
        if let Some(process) = self.native.as_ref().map(|native| native.process) {
            let _ = process.print(&[]);
            self.take_printed(process);
        }
    }
}

/// The variable whose address is the first argument of a call, as the text names it.
fn first_name(text: &str) -> Option<String> {
    let first = text.split(',').next()?.rsplit(')').find(|part| !part.trim().is_empty())?.trim();
    let name = first.strip_prefix('&')?.trim();
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || "_.->[]".contains(letter));
    (is_name && !name.is_empty()).then(|| name.to_owned())
}
