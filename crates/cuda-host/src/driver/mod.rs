//! The CUDA driver, for a program that brings its kernels as PTX and calls `libcuda`.
//!
//! Specification: CUDA Driver API. A call is a name and numbers, as it is for the runtime (`process`), and what memory, streams,
//! events and launches do is carried out by the same functions, so the findings are the same. What only the driver has is here:
//! contexts (`context`), modules and the linker (`module`), attributes of the device (`attributes`), the handles.
//!
//! There is one device. Its memory belongs to no context: a pointer can be used in every context, and is freed by none.
//!
//! A mistake does not end the program, because it is not ours to end: the call returns the error that the documentation names,
//! and the finding is told. What stops a launch breaks the context, as on a GPU: later calls return that error until the context
//! is reset or destroyed. A launch that cannot be emulated is told as an [`Event::Refused`], and returns
//! `CUDA_ERROR_NOT_SUPPORTED`, as functions do that are left out.
//!
//! Left out: accesses by host code, as natively; and what the documentation leaves to several devices.

#![allow(
    clippy::match_same_arms,
    reason = "tables of functions by name, in the order of their documentation"
)]

mod attributes;
mod context;
mod errors;
mod function;
mod graph;
mod held;
mod memory;
mod module;
mod module_text;
mod pool;
mod pool_calls;
mod ptx_run;
mod state;
mod stream;
mod user_object;
mod user_object_calls;

use cudac::host::Program;
use simt::{FaultKind, Severity};

use crate::device::Failure;
use crate::driver::errors::code;
use crate::driver::graph::Graphs;
use crate::driver::held::{Contexts, Functions, Modules, Texts};
use crate::driver::module_text::NO_KERNELS;
use crate::driver::pool::Pools;
use crate::driver::state::{Driver, Values};
use crate::driver::user_object::UserObjects;
use crate::finding::{Finding, Kind};
use crate::machine::{Machine, Result, Stop};
use crate::places::Places;
use crate::process::{Call, Process};
use crate::resident::Room;
use crate::{Error, Event, Given, Limits, Outcome, Watch};

/// The answer to a call that has done nothing, and has to be made again when a function of the host has ended. It is no error's.
pub const AGAIN: u64 = 1 << 32;

/// Carries out what a process calls of the driver, until it ends. The device claims a compute capability, 80 for 8.0.
///
/// # Errors
///
/// The limits are too small for the machine itself.
pub fn drive(
    process: &dyn Process,
    capability: u32,
    limits: &Limits,
    watch: Watch<'_>,
) -> std::result::Result<Outcome, Error> {
    let program = Program {
        files: Vec::new(),
        functions: Vec::new(),
        main: 0,
        globals: Vec::new(),
        texts: Vec::new(),
        start: None,
        symbols: Vec::new(),
        managed: Vec::new(),
        zeros: Vec::new(),
        suspects: Vec::new(),
        kernels: Vec::new(),
        runtime: Vec::new(),
    };
    let given = Given::default();
    let mut machine = Machine::new(&program, "driver", NO_KERNELS, &given, Some(process), limits, watch)?;
    machine.places = Places::of_driver();
    machine.device.has_free_streams = true;
    machine.device.room = Room::of_capability(capability);
    let driver = Driver {
        machine,
        is_initialised: false,
        capability,
        calls: 0,
        contexts: Contexts::default(),
        modules: Modules::default(),
        functions: Functions::default(),
        graphs: Graphs::default(),
        objects: UserObjects::default(),
        texts: Texts::default(),
        pools: Pools::new(),
        broken: None,
        failures: Vec::new(),
    };
    driver.serve(process)
}

impl Driver<'_> {
    fn serve(mut self, process: &dyn Process) -> std::result::Result<Outcome, Error> {
        let ended = loop {
            let Ok(call) = process.next() else { break Ok(0) };
            self.begin(&call);
            let code = match self.carry_out(&call) {
                Ok(code) => errors::of_runtime(code),
                Err(stop) if matches!(*stop, Stop::Awaits) => self.again(),
                Err(stop) => match self.survive(*stop) {
                    Some(code) => code,
                    None => break Err(Box::new(Stop::Interrupted)),
                },
            };
            if process.answer(code).is_err() {
                break Ok(0);
            }
        };
        self.tell_failures();
        self.machine.conclude(ended)
    }

    /// A call begins: it has a number, if the program has made it, and is a thread's.
    fn begin(&mut self, call: &Call) {
        self.calls = self.calls.saturating_add(u32::from(!is_of_library(&call.name)));
        self.machine.turn_to(call.thread);
        self.contexts.turn_to(call.thread);
        let name = match &*call.name {
            "__lanes_function" | "__lanes_function_begin" | "__lanes_function_end" => "cuLaunchHostFunc",
            "__lanes_source" => "nvrtcCompileProgram",
            "__lanes_destroyed_object" => "cuUserObjectRelease",
            name => name,
        };
        self.machine.line = self.machine.places.call(name, self.calls);
        self.machine.first = None;
    }

    /// The answer to a call that has to be made again. It would never come in a function that a stream calls.
    fn again(&mut self) -> u64 {
        if let Some(code) = self.machine.refused_in_function() {
            return code;
        }
        self.calls -= 1;
        AGAIN
    }

    fn carry_out(&mut self, call: &Call) -> Result<u64> {
        let name = without_stream_suffix(&call.name);
        let values = Values(&call.values);
        match name {
            "ptx_run" => return self.run_text(values),
            "__lanes_source" => return self.source_refused(values),
            "__lanes_function_begin" => {
                self.machine.begin_function();
                return Ok(code::SUCCESS);
            }
            "__lanes_function_end" => {
                self.machine.end_function(values.at(0));
                return Ok(code::SUCCESS);
            }
            "__lanes_destroyed_object" => return self.destroyed_object(values.at(0)),
            _ => {}
        }
        let code = match self.refused(name) {
            Some(code) => code,
            None => self.call_function(name, values)?,
        };
        if let Some(failure) = self.machine.device.in_hand() {
            self.note(failure);
        }
        Ok(code)
    }

    fn call_function(&mut self, name: &str, values: Values<'_>) -> Result<u64> {
        let done = self
            .of_context(name, values)
            .or_else(|| self.of_module(name, values))
            .or_else(|| self.of_function(name, values))
            .or_else(|| self.of_memory(name, values))
            .or_else(|| self.of_pools(name, values))
            .or_else(|| self.of_graph(name, values))
            .or_else(|| self.of_user_objects(name, values))
            .or_else(|| self.of_stream(name, values))
            .or_else(|| self.of_tensor_maps(name, values));
        // A program may ask for what not every device has, and do without it.
        done.unwrap_or_else(|| self.fail(code::NOT_SUPPORTED, format!("`{name}` is not supported")))
    }

    /// The error of a call that comes too early, or too late.
    fn refused(&mut self, name: &str) -> Option<u64> {
        if errors::is_always_allowed(name) {
            return None;
        }
        if !self.is_initialised {
            return Some(code::NOT_INITIALIZED);
        }
        if !context::needs_one(name) {
            return None;
        }
        if let Some(code) = self.machine.refused_in_function() {
            return Some(code);
        }
        if self.contexts.current().is_none() {
            return Some(code::INVALID_CONTEXT);
        }
        self.broken
    }

    /// What a call returns that did something wrong; nothing if the program shall end.
    fn survive(&mut self, stop: Stop) -> Option<u64> {
        match stop {
            Stop::Finding(finding) => {
                self.machine.report(finding);
                Some(code::INVALID_VALUE)
            }
            Stop::Reported => {
                let kind = self.machine.findings.iter().rev().find_map(|finding| match finding.kind {
                    Kind::Kernel(kind) if finding.severity == Severity::Error => Some(kind),
                    _ => None,
                });
                // The launch itself has succeeded: on a GPU it is carried out later.
                self.broken = Some(kind.map_or(code::LAUNCH_FAILED, of_fault));
                Some(code::SUCCESS)
            }
            Stop::Error(message) => {
                self.tell_refused(message);
                Some(code::NOT_SUPPORTED)
            }
            Stop::Exit(_) | Stop::Interrupted | Stop::Gone | Stop::Awaits => None,
        }
    }

    /// NVRTC has refused a source: where the sentence is that says why, and whether it would compile with NVIDIA's. Then it is
    /// as if a launch could not be emulated. Otherwise the program may have wanted that.
    fn source_refused(&mut self, values: Values<'_>) -> Result<u64> {
        let message = self.take_name(values.at(0))?;
        if values.at(1) != 0 {
            self.tell_refused(message);
            return Ok(code::SUCCESS);
        }
        let help = "correct the source, unless it is wrong on purpose";
        let finding = Finding::new(Kind::FailedCall, self.machine.line, message, help);
        self.machine.report(Finding { severity: Severity::Warning, ..finding });
        Ok(code::SUCCESS)
    }

    /// What the call that is carried out wants cannot be emulated.
    fn tell_refused(&self, message: String) {
        let place = Some(self.machine.places.place(self.machine.line));
        (self.machine.watch)(Event::Refused(&Error { place, message }));
    }

    /// A call has failed, and returned an error. What the program does about it is not known.
    fn note(&mut self, failure: Failure) {
        let is_known =
            |known: &Failure| (known.code, known.line.file()) == (failure.code, failure.line.file());
        if failure.is_refused_launch {
            let help = "correct the shape of the launch";
            self.machine.report(Finding::new(Kind::FailedCall, failure.line, failure.message, help));
        } else if !self.failures.iter().any(is_known) {
            self.failures.push(failure);
        }
    }

    /// What is said of calls that failed: on purpose, perhaps.
    fn tell_failures(&mut self) {
        for failure in std::mem::take(&mut self.failures) {
            let code = errors::named(errors::of_runtime(failure.code))[0];
            let message = format!("{} (`{code}`)", failure.message);
            let help = if failure.code == code::OUT_OF_MEMORY {
                "free what is not needed any more, or give the device more memory with `--memory`"
            } else {
                "correct the call, unless it fails on purpose"
            };
            let finding = Finding::new(Kind::FailedCall, failure.line, message, help);
            self.machine.report(Finding { severity: Severity::Note, ..finding });
        }
    }
}

/// Whether a call is the library's own, about a call that the program has made before.
fn is_of_library(name: &str) -> bool {
    matches!(name, "__lanes_function_begin" | "__lanes_function_end" | "__lanes_destroyed_object")
}

/// The name without what says that its default stream is the thread's own: streams say that themselves.
fn without_stream_suffix(name: &str) -> &str {
    name.trim_end_matches("_ptsz").trim_end_matches("_ptds")
}

/// The error of a context in which a launch was stopped.
fn of_fault(kind: FaultKind) -> u64 {
    match kind {
        FaultKind::OutOfBounds | FaultKind::Null | FaultKind::UseAfterFree | FaultKind::ReadOnly => {
            code::ILLEGAL_ADDRESS
        }
        FaultKind::Misaligned => code::MISALIGNED_ADDRESS,
        FaultKind::NoCluster => code::ILLEGAL_INSTRUCTION,
        FaultKind::Deadlock | FaultKind::Livelock | FaultKind::StepLimit => code::LAUNCH_TIMEOUT,
        _ => code::LAUNCH_FAILED,
    }
}
