//! Functions of the host that a client of the driver gives to streams.
//!
//! A thread of the client calls them one after the other, in the order in which they were given: what comes before one in its stream
//! is another function, or was carried out when it was given. What comes after one has to wait until it has ended, and so has
//! whoever waits for it. Such a call ends with [`Stop::Awaits`], before it has done anything, and is made again later.
//!
//! Specification: CUDA Driver API, `cuLaunchHostFunc`: functions without an order between them may be called one after the other.

use crate::machine::{Machine, Result, Stop};
use crate::order::{Point, What};

impl Machine<'_> {
    /// A stream gets a function; its number, or the error.
    pub(crate) fn add_function(&mut self, stream: u64) -> Result<std::result::Result<u64, u64>> {
        let Some(stream) = self.device.order.stream(stream) else { return Ok(Err(self.no_stream())) };
        self.refuse_in_capture(stream, "a function of the host")?;
        self.flush()?;
        self.device.order.enter(stream);
        Ok(Ok(self.device.order.add(What::Function, stream, self.line).number))
    }

    /// The thread that calls now is in a function, in which it may not call CUDA.
    pub(crate) fn begin_function(&mut self) {
        self.device.thread.callbacks.push(Vec::new());
    }

    /// A function has ended.
    pub(crate) fn end_function(&mut self, number: u64) {
        self.device.thread.callbacks.pop();
        self.device.order.end_function(number);
    }

    /// A call waits for what comes before a point, or for everything: it is made again if a function is among that.
    pub(crate) fn await_functions(&self, point: Option<Point>) -> Result<()> {
        if self.device.order.has_function_before(point) { Err(Box::new(Stop::Awaits)) } else { Ok(()) }
    }
}
