//! Streams and events.

use cudac::host::Scalar;

use super::errors::code;
use super::state::{Driver, Handle, Values};
use crate::function::Function;
use crate::machine::Result;

/// The flags that a stream and an event may have.
const NON_BLOCKING: u64 = 1;

impl Driver<'_> {
    pub(super) fn of_stream(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let [a, b, c] = [0, 1, 2].map(|nth| values.at(nth));
        let simple = match name {
            "cuStreamSynchronize" | "cuStreamQuery" => Some((Function::StreamSynchronize, vec![a])),
            "cuStreamDestroy_v2" => Some((Function::StreamDestroy, vec![a])),
            "cuStreamWaitEvent" => Some((Function::StreamWait, vec![a, b])),
            "cuStreamBeginCapture" | "cuStreamBeginCapture_v2" => Some((Function::CaptureBegin, vec![a])),
            "cuStreamEndCapture" => Some((Function::CaptureEnd, vec![a, b])),
            "__lanes_callback_begin" => Some((Function::CallbackBegin, vec![a])),
            "__lanes_callback_end" => Some((Function::CallbackEnd, Vec::new())),
            "cuEventCreate" => Some((Function::EventCreate, vec![a, b])),
            "cuEventDestroy_v2" => Some((Function::EventDestroy, vec![a])),
            "cuEventRecord" | "cuEventRecordWithFlags" => Some((Function::EventRecord, vec![a, b])),
            "cuEventSynchronize" | "cuEventQuery" => Some((Function::EventSynchronize, vec![a])),
            "cuEventElapsedTime" | "cuEventElapsedTime_v2" => Some((Function::EventElapsed, vec![a, b, c])),
            _ => None,
        };
        if let Some((function, values)) = simple {
            return Some(self.machine.cuda(function, &values));
        }
        Some(match name {
            "cuStreamCreate" | "cuStreamCreateWithPriority" => {
                if b > NON_BLOCKING {
                    return Some(self.fail(code::INVALID_VALUE, format!("a stream has no flags {b}")));
                }
                self.machine.cuda(Function::StreamCreate, &[a, b])
            }
            "cuStreamGetFlags" => self.of_known_stream(a, b, Scalar::U32, Self::flags),
            "cuStreamGetPriority" => self.of_known_stream(a, b, Scalar::I32, |_, _| Ok(0)),
            "cuStreamGetId" => self.of_known_stream(a, b, Scalar::U64, |_, stream| Ok(stream)),
            "cuStreamGetCtx" | "cuStreamGetCtx_v2" => self.of_known_stream(a, b, Scalar::U64, |driver, _| {
                Ok(driver.contexts.current().unwrap_or(Handle::Context.make(0)))
            }),
            "cuStreamGetDevice" => self.of_known_stream(a, b, Scalar::I32, |_, _| Ok(0)),
            "cuStreamIsCapturing" => self.of_known_stream(a, b, Scalar::I32, Self::is_capturing),
            "cuStreamGetCaptureInfo" | "cuStreamGetCaptureInfo_v2" | "cuStreamGetCaptureInfo_v3" => {
                self.of_known_stream(a, b, Scalar::I32, Self::is_capturing)
            }
            // Whose memory a managed allocation is at a time, and how captures of other threads are seen.
            "cuStreamAttachMemAsync" => self.of_known_stream(a, 0, Scalar::I32, |_, _| Ok(0)),
            "cuThreadExchangeStreamCaptureMode" => self.give(a, Scalar::I32, 0),
            _ => return None,
        })
    }

    /// What is known of a stream goes where the caller wants it.
    fn of_known_stream(
        &mut self,
        stream: u64,
        to: u64,
        ty: Scalar,
        known: impl FnOnce(&mut Self, u64) -> Result<u64>,
    ) -> Result<u64> {
        if self.machine.device.order.stream(stream).is_none() {
            return Ok(self.machine.no_stream());
        }
        let value = known(self, stream)?;
        self.offer(to, ty, value)
    }

    fn flags(&mut self, stream: u64) -> Result<u64> {
        self.machine.cuda(Function::StreamFlags, &[stream])
    }

    fn is_capturing(&mut self, stream: u64) -> Result<u64> {
        self.machine.cuda(Function::IsCapturing, &[stream])
    }
}
