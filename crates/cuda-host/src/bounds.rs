//! What a program may have at most, besides the [`Limits`](crate::Limits) that its caller chooses, and what is said at a bound.

use crate::finding::{Finding, Kind};
use crate::machine::{Machine, Result, Stop};

/// Streams, events, graphs, open files and streams into texts, each. Work knows the events after it, so they are not many.
pub(crate) const MOST_HANDLES: usize = 1 << 14;

/// Parts of a graph.
pub(crate) const MOST_PARTS: usize = 1 << 16;

/// After so many turns the program tells that it goes on, and looks whether it shall.
const TURNS_OF_A_SIGN: u64 = 1 << 12;

impl Machine<'_> {
    /// Counts a turn of a loop, or a call.
    pub(crate) fn count(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps.is_multiple_of(TURNS_OF_A_SIGN) {
            self.sign()?;
        }
        if self.steps > self.limits.steps {
            let message =
                format!("the host code took more than {} turns of loops and calls", self.limits.steps);
            return self.bounded(message, "use a smaller input; is there a loop that never ends?");
        }
        Ok(())
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.limits.launch.pulse.as_ref().is_some_and(|pulse| pulse.is_stopping())
    }

    /// Tells that the program goes on, unless it shall not.
    pub(crate) fn sign(&self) -> Result<()> {
        let (turns, launches, line) = (self.steps, self.device.launches, self.line);
        (self.watch)(crate::Event::Alive { turns, launches, line });
        if self.is_interrupted() { Err(Box::new(Stop::Interrupted)) } else { Ok(()) }
    }

    /// The program reaches a bound.
    pub(crate) fn bounded<T>(&self, message: String, help: &str) -> Result<T> {
        self.found(Kind::Limit, message, help)
    }

    /// Refuses a new handle if there are as many as there can be.
    pub(crate) fn check_handles(&self, count: usize, what: &str, help: &str) -> Result<()> {
        if count < MOST_HANDLES {
            return Ok(());
        }
        self.bounded(format!("the program has {count} {what}, and cannot have more at the same time"), help)
    }

    /// What is said where memory ends.
    pub(crate) fn out_of_memory(&self) -> Finding {
        let bytes = self.limits.memory_bytes;
        let help = "free what is not needed any more, allocate less, or give the program more with `--memory`; a byte of the \
                    host counts twice, because its state is kept, and those of files count too";
        let message =
            format!("the program needs more than {bytes} bytes of memory, or than this computer has");
        Finding::new(Kind::Limit, self.line, message, help)
    }

    /// How many bytes of the host the program may have, and how many of the device.
    pub(crate) fn most_bytes(&self) -> [u64; 2] {
        let (host, device) = (self.memory.used(), self.device.live_bytes());
        let all = self.limits.memory_bytes.saturating_sub(self.files.bytes);
        [all.saturating_sub(device) / 2, all.saturating_sub(2 * host)]
    }

    /// How many more bytes its files may have.
    pub(crate) fn bytes_for_files(&self) -> u64 {
        self.most_bytes()[1].saturating_sub(self.device.live_bytes())
    }
}
