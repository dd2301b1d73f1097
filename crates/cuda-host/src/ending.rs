//! How a program ends, and what it did until then.

use crate::machine::{Machine, Result, Stop};
use crate::{Error, Outcome};

/// The status of a program that was interrupted: 128 and the number of the signal, as shells count.
const INTERRUPTED: i32 = 130;

impl Machine<'_> {
    /// What the program did, when it has ended.
    pub(crate) fn conclude(mut self, ended: Result<u64>) -> std::result::Result<Outcome, Error> {
        let (status, was_stopped) = match ended {
            Ok(status) => (status as i32, false),
            Err(stop) => match *stop {
                Stop::Exit(status) => (status, false),
                Stop::Finding(finding) => {
                    // At the bound of the output, what kernels have printed is too much as well.
                    let _ = self.print_all();
                    self.add(finding);
                    (1, true)
                }
                Stop::Reported | Stop::Gone | Stop::Awaits => (1, true),
                Stop::Interrupted => {
                    let _ = self.print_all();
                    (INTERRUPTED, false)
                }
                Stop::Error(message) => {
                    let place = self.line.is_known().then(|| self.places.place(self.line));
                    return Err(Error { place, message });
                }
            },
        };
        let was_interrupted = self.is_interrupted();
        if !was_stopped && !was_interrupted {
            self.at_end(status);
        }
        Ok(Outcome {
            output: self.output,
            errors: self.errors,
            status,
            was_stopped,
            was_interrupted,
            findings: self.findings,
            launches: self.device.launches,
            unchecked: self.repeats.unchecked(|kernel| self.kernels[kernel].kernel.name.clone()),
            asked_the_time: self.device.time > 0,
            files: self.files.used(),
        })
    }
}
