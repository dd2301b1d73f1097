//! The device, and contexts: which is current in which thread, and how long each lives.

use cudac::host::Scalar;

use super::attributes;
use super::errors::{self, code};
use super::held::Handle;
use super::held::PRIMARY;
use super::state::{Driver, Values};
use crate::function::Function;
use crate::machine::Result;

/// Why NVIDIA's runtime does not find what it looks for. One of these tables proves that the driver is NVIDIA's.
const PRIVATE: &str = "the program asks for a private table of NVIDIA's driver, as NVIDIA's CUDA runtime does, which is in CuPy too: \
                       both need the real driver. Give the program's sources to `lanes run`, or call the driver instead";

/// The version of the driver: 12.9.
const VERSION: u64 = 12090;

/// Whether a function needs a current context. Those of devices, contexts and errors do not.
pub(super) fn needs_one(name: &str) -> bool {
    let is_of_a_device = name.starts_with("cuDevice");
    let is_of_contexts = matches!(
        name,
        "cuCtxCreate_v2"
            | "cuCtxCreate_v3"
            | "cuCtxCreate_v4"
            | "cuCtxDestroy_v2"
            | "cuCtxPushCurrent_v2"
            | "cuCtxPopCurrent_v2"
            | "cuCtxSetCurrent"
            | "cuCtxGetCurrent"
            | "cuCtxGetApiVersion"
            | "cuModuleGetLoadingMode"
            | "cuPointerGetAttribute"
            | "cuPointerGetAttributes"
    );
    !is_of_a_device && !is_of_contexts && !errors::is_always_allowed(name)
}

impl Driver<'_> {
    /// Functions of the device and of contexts.
    pub(super) fn of_context(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let (a, b) = (values.at(0), values.at(1));
        Some(match name {
            "cuInit" => self.initialise(a),
            "cuDriverGetVersion" => self.give(a, Scalar::I32, VERSION),
            "cuGetErrorName" => self.error_text(a, b, 0),
            "cuGetErrorString" => self.error_text(a, b, 1),
            "cuProfilerStart" | "cuProfilerStop" => Ok(0),
            "cuGetExportTable" => self.fail(code::NOT_SUPPORTED, PRIVATE),
            _ if name.starts_with("cuDevicePrimaryCtx") => return self.of_primary(name, a, values),
            _ if name.starts_with("cuDevice") => return self.of_device(name, values),
            _ if name.starts_with("cuCtx") => return self.of_contexts(name, values),
            _ => return None,
        })
    }

    fn initialise(&mut self, flags: u64) -> Result<u64> {
        if flags != 0 {
            return self.fail(code::INVALID_VALUE, "the flags of `cuInit` have to be 0");
        }
        self.is_initialised = true;
        Ok(0)
    }

    /// The name of an error or what it means, which stays where it is.
    fn error_text(&mut self, error: u64, to: u64, which: usize) -> Result<u64> {
        let Some(text) = errors::find(error).map(|texts| texts[which]) else {
            self.offer(to, Scalar::U64, 0)?;
            return Ok(code::INVALID_VALUE);
        };
        let address = self.machine.kept_text(text)?;
        self.give(to, Scalar::U64, address)
    }

    fn is_device(&mut self, device: u64) -> Result<bool> {
        if device as u32 == 0 {
            return Ok(true);
        }
        let message = format!("there is no device {}: there is one, and its number is 0", device as i32);
        self.fail(code::INVALID_DEVICE, message).map(|_| false)
    }

    fn of_device(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let (a, b, c) = (values.at(0), values.at(1), values.at(2));
        if name == "cuDeviceGetCount" {
            return Some(self.give(a, Scalar::I32, 1));
        }
        let device = match name {
            "cuDeviceGet"
            | "cuDeviceTotalMem_v2"
            | "cuDeviceGetUuid"
            | "cuDeviceGetUuid_v2"
            | "cuDeviceGetDefaultMemPool"
            | "cuDeviceGetMemPool"
            | "cuDeviceGetProperties" => b,
            "cuDeviceGetName"
            | "cuDeviceGetAttribute"
            | "cuDeviceComputeCapability"
            | "cuDeviceGetPCIBusId" => c,
            "cuDeviceSetMemPool" => a,
            _ => 0,
        };
        match self.is_device(device) {
            Ok(true) => {}
            Ok(false) => return Some(Ok(code::INVALID_DEVICE)),
            Err(stop) => return Some(Err(stop)),
        }
        Some(match name {
            "cuDeviceGet" | "cuDeviceCanAccessPeer" => self.give(a, Scalar::I32, 0),
            "cuDeviceGetName" => self.give_text(a, b, attributes::NAME),
            "cuDeviceTotalMem_v2" => self.give(a, Scalar::U64, self.machine.limits.memory_bytes),
            "cuDeviceGetUuid" | "cuDeviceGetUuid_v2" => {
                self.machine.give(a, attributes::UUID, |_| true).map(|()| 0)
            }
            "cuDeviceGetAttribute" => match attributes::value(b, self.capability) {
                Some(value) => self.give(a, Scalar::I32, value),
                None => self.fail(code::INVALID_VALUE, format!("the device has no attribute {b}")),
            },
            "cuDeviceComputeCapability" => self
                .give(a, Scalar::I32, u64::from(self.capability / 10))
                .and_then(|_| self.give(b, Scalar::I32, u64::from(self.capability % 10))),
            "cuDeviceGetPCIBusId" => self.give_text(a, b, attributes::BUS),
            "cuDeviceGetByPCIBusId" => self.device_on_bus(a, b),
            _ => return self.of_pools(name, values),
        })
    }

    fn device_on_bus(&mut self, to: u64, name: u64) -> Result<u64> {
        let name = self.take_name(name)?;
        if name.eq_ignore_ascii_case(attributes::BUS) {
            return self.give(to, Scalar::I32, 0);
        }
        self.fail(code::INVALID_DEVICE, format!("there is no device on the bus `{name}`"))
    }

    fn of_primary(&mut self, name: &str, a: u64, values: Values<'_>) -> Option<Result<u64>> {
        let device = if name == "cuDevicePrimaryCtxRetain" { values.at(1) } else { a };
        match self.is_device(device) {
            Ok(true) => {}
            Ok(false) => return Some(Ok(code::INVALID_DEVICE)),
            Err(stop) => return Some(Err(stop)),
        }
        let primary = Handle::Context.make(PRIMARY);
        Some(match name {
            "cuDevicePrimaryCtxRetain" => {
                self.contexts.retained += 1;
                let flags = self.contexts.primary_flags;
                self.contexts.alive.insert(primary, flags);
                self.give(a, Scalar::U64, primary)
            }
            "cuDevicePrimaryCtxRelease" | "cuDevicePrimaryCtxRelease_v2" => self.release(),
            "cuDevicePrimaryCtxReset" | "cuDevicePrimaryCtxReset_v2" => {
                self.machine.await_functions(None).and_then(|()| self.end_context(primary))
            }
            "cuDevicePrimaryCtxSetFlags" | "cuDevicePrimaryCtxSetFlags_v2" => {
                self.contexts.primary_flags = values.at(1);
                Ok(0)
            }
            "cuDevicePrimaryCtxGetState" => {
                let flags = self.contexts.primary_flags;
                let is_active = self.contexts.alive.contains_key(&primary);
                self.offer(values.at(1), Scalar::U32, flags)
                    .and_then(|_| self.offer(values.at(2), Scalar::I32, u64::from(is_active)))
            }
            _ => return None,
        })
    }

    fn release(&mut self) -> Result<u64> {
        if self.contexts.retained == 0 {
            return self
                .fail(code::INVALID_CONTEXT, "the primary context is released more often than retained");
        }
        if self.contexts.retained > 1 {
            self.contexts.retained -= 1;
            return Ok(0);
        }
        self.machine.await_functions(None)?;
        self.contexts.retained = 0;
        self.end_context(Handle::Context.make(PRIMARY))
    }

    /// A context ends. What was launched in it is done, and an error of it is over.
    fn end_context(&mut self, context: u64) -> Result<u64> {
        self.contexts.alive.remove(&context);
        if std::mem::take(&mut self.broken).is_none() {
            self.machine.finish(None)?;
        }
        Ok(0)
    }

    fn of_contexts(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let (a, b) = (values.at(0), values.at(1));
        Some(match name {
            "cuCtxCreate" | "cuCtxCreate_v2" => self.create(a, b, values.at(2)),
            "cuCtxCreate_v3" => self.create(a, values.at(3), values.at(4)),
            "cuCtxCreate_v4" => self.create(a, values.at(2), values.at(3)),
            "cuCtxDestroy" | "cuCtxDestroy_v2" => self.destroy(a),
            "cuCtxPushCurrent" | "cuCtxPushCurrent_v2" => self.known(a, |driver| {
                driver.contexts.stack().push(a);
                Ok(0)
            }),
            "cuCtxPopCurrent" | "cuCtxPopCurrent_v2" => {
                let popped = self.contexts.stack().pop();
                self.contexts.forget_empty();
                match popped {
                    Some(context) => self.offer(a, Scalar::U64, context),
                    None => self.fail(code::INVALID_CONTEXT, "no context is current that could be popped"),
                }
            }
            "cuCtxSetCurrent" if a == 0 => {
                self.contexts.set(None);
                Ok(0)
            }
            "cuCtxSetCurrent" => self.known(a, |driver| {
                driver.contexts.set(Some(a));
                Ok(0)
            }),
            "cuCtxGetCurrent" => self.give(a, Scalar::U64, self.contexts.current().unwrap_or(0)),
            "cuCtxGetDevice" | "cuCtxGetDevice_v2" | "cuCtxGetCacheConfig" => self.give(a, Scalar::I32, 0),
            "cuCtxGetFlags" => {
                let current = self.contexts.current().and_then(|current| self.contexts.alive.get(&current));
                self.give(a, Scalar::U32, current.copied().unwrap_or(0))
            }
            "cuCtxSetFlags" => {
                if let Some(current) = self.contexts.current() {
                    self.contexts.alive.insert(current, a);
                }
                Ok(0)
            }
            "cuCtxGetId" => {
                let context = if a == 0 { self.contexts.current().unwrap_or(0) } else { a };
                self.known(context, |driver| driver.give(b, Scalar::U64, context & 0xffff_ffff))
            }
            "cuCtxGetApiVersion" => self.give(b, Scalar::U32, VERSION),
            "cuCtxSynchronize" | "cuCtxSynchronize_v2" => self.machine.cuda(Function::Synchronize, &[]),
            "cuCtxGetLimit" => self.limit(a, b),
            "cuCtxSetLimit" => self.set_limit(a, b),
            "cuCtxGetStreamPriorityRange" => {
                self.offer(a, Scalar::I32, 0).and_then(|_| self.offer(b, Scalar::I32, -5_i64 as u64))
            }
            // What steers caches and banks changes nothing here.
            "cuCtxGetSharedMemConfig" => self.give(a, Scalar::I32, 1),
            "cuCtxSetCacheConfig" | "cuCtxSetSharedMemConfig" | "cuCtxResetPersistingL2Cache" => Ok(0),
            _ => return None,
        })
    }

    /// What is done with a context that is alive.
    fn known(&mut self, context: u64, then: impl FnOnce(&mut Self) -> Result<u64>) -> Result<u64> {
        if self.contexts.alive.contains_key(&context) {
            return then(self);
        }
        self.fail(code::INVALID_CONTEXT, format!("{context:#x} is no context, or one that was destroyed"))
    }

    fn create(&mut self, to: u64, flags: u64, device: u64) -> Result<u64> {
        if !self.is_device(device)? {
            return Ok(code::INVALID_DEVICE);
        }
        self.machine.check_handles(
            self.contexts.alive.len(),
            "contexts",
            "call `cuCtxDestroy` when one is not needed any more",
        )?;
        self.contexts.made += 1;
        let context = Handle::Context.make(self.contexts.made);
        self.give(to, Scalar::U64, context)?;
        self.contexts.alive.insert(context, flags);
        self.contexts.stack().push(context);
        Ok(0)
    }

    fn destroy(&mut self, context: u64) -> Result<u64> {
        if context == Handle::Context.make(PRIMARY) {
            return self.fail(
                code::INVALID_CONTEXT,
                "the primary context is not destroyed with `cuCtxDestroy`: call `cuDevicePrimaryCtxRelease`",
            );
        }
        self.known(context, |driver| {
            driver.machine.await_functions(None)?;
            if driver.contexts.stack().last() == Some(&context) {
                driver.contexts.stack().pop();
                driver.contexts.forget_empty();
            }
            driver.end_context(context)
        })
    }

    /// The limits of a context by their numbers: the first three are those of the runtime.
    fn limit(&mut self, to: u64, limit: u64) -> Result<u64> {
        let known = match limit {
            0..=2 => self.machine.device.limits[limit as usize],
            3..=6 => self.contexts.limits.get(&limit).copied().unwrap_or(0),
            _ => return self.fail(code::INVALID_VALUE, format!("there is no limit {limit}")),
        };
        self.give(to, Scalar::U64, known)
    }

    fn set_limit(&mut self, limit: u64, value: u64) -> Result<u64> {
        match limit {
            0..=2 => self.machine.cuda(Function::SetLimit, &[limit, value]),
            3..=6 => {
                self.contexts.limits.insert(limit, value);
                Ok(0)
            }
            _ => self.fail(code::INVALID_VALUE, format!("there is no limit {limit}")),
        }
    }
}
