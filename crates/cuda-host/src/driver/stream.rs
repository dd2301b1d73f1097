//! Streams and events.

use cudac::host::Scalar;

use super::errors::code;
use super::held::Handle;
use super::state::{Driver, Values};
use crate::function::Function;
use crate::machine::{Result, Stop};

/// The flags that a stream and an event may have.
const NON_BLOCKING: u64 = 1;

/// The answer to a question that does not wait.
fn ready(waited: Result<u64>) -> Result<u64> {
    match waited {
        Err(stop) if matches!(*stop, Stop::Awaits) => Ok(code::NOT_READY),
        other => other,
    }
}

impl Driver<'_> {
    pub(super) fn of_stream(&mut self, name: &str, values: Values<'_>) -> Option<Result<u64>> {
        let [a, b, c] = [0, 1, 2].map(|nth| values.at(nth));
        let simple = match name {
            "cuStreamSynchronize" => Some((Function::StreamSynchronize, vec![a])),
            "cuStreamDestroy_v2" => Some((Function::StreamDestroy, vec![a])),
            "cuStreamWaitEvent" => Some((Function::StreamWait, vec![a, b])),
            "cuStreamBeginCapture" | "cuStreamBeginCapture_v2" => Some((Function::CaptureBegin, vec![a])),
            "cuEventCreate" => Some((Function::EventCreate, vec![a, b])),
            "cuEventDestroy_v2" => Some((Function::EventDestroy, vec![a])),
            "cuEventRecord" | "cuEventRecordWithFlags" => Some((Function::EventRecord, vec![a, b])),
            "cuEventSynchronize" => Some((Function::EventSynchronize, vec![a])),
            "cuEventElapsedTime" | "cuEventElapsedTime_v2" => Some((Function::EventElapsed, vec![a, b, c])),
            _ => None,
        };
        if let Some((function, values)) = simple {
            return Some(self.machine.cuda(function, &values));
        }
        Some(match name {
            "cuStreamQuery" => ready(self.machine.cuda(Function::StreamSynchronize, &[a])),
            "cuEventQuery" => ready(self.machine.cuda(Function::EventSynchronize, &[a])),
            "__lanes_function" => self.add_function(a, b),
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
                self.capture_info(name, values)
            }
            "cuStreamEndCapture" => self.end_capture(a, b),
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

    /// A stream gets a function of the program, whose number goes where the library wants it.
    fn add_function(&mut self, stream: u64, to: u64) -> Result<u64> {
        match self.machine.add_function(stream)? {
            Ok(number) => self.give(to, Scalar::U64, number),
            Err(code) => Ok(code),
        }
    }

    /// Whether a stream is captured, and in which graph. Of what its next node depends on nothing is said.
    fn capture_info(&mut self, name: &str, values: Values<'_>) -> Result<u64> {
        let stream = values.at(0);
        let known = self.of_known_stream(stream, values.at(1), Scalar::I32, Self::is_capturing)?;
        let capture = self.machine.capture.as_ref().filter(|capture| capture.streams.contains(&stream));
        let Some(graph) = capture.map(|capture| capture.graph).filter(|_| known == 0) else {
            return Ok(known);
        };
        self.offer(values.at(2), Scalar::U64, graph)?;
        if name != "cuStreamGetCaptureInfo" {
            self.offer(values.at(3), Scalar::U64, graph)?;
            (4..values.0.len()).try_for_each(|nth| self.offer(values.at(nth), Scalar::U64, 0).map(|_| ()))?;
        }
        Ok(0)
    }

    /// A capture ends. If it makes no graph, nothing holds the objects that the graph would have held.
    fn end_capture(&mut self, stream: u64, to: u64) -> Result<u64> {
        let graph = self.machine.capture.as_ref().map_or(0, |capture| capture.graph);
        let code = self.machine.cuda(Function::CaptureEnd, &[stream, to])?;
        if code != 0 {
            self.objects.drop_graph(graph);
        }
        Ok(code)
    }

    fn flags(&mut self, stream: u64) -> Result<u64> {
        self.machine.cuda(Function::StreamFlags, &[stream])
    }

    fn is_capturing(&mut self, stream: u64) -> Result<u64> {
        self.machine.cuda(Function::IsCapturing, &[stream])
    }
}
