//! The grids that a grid launches, until they run (`exec::nested`), and which launches are refused.

use std::collections::{BTreeMap, VecDeque};

use crate::compile::program::Program;
use crate::exec::shape;
use crate::launch::{Launch, LaunchError};
use crate::machine::global::Buffer;
use crate::report::fault::Fault;

/// How deep launches may be nested.
const MOST_DEPTH: u32 = 24;
/// How many grids of one may wait for their turn: what `cudaLimitDevRuntimePendingLaunchCount` is at first.
const MOST_WAITING: usize = 2048;

/// Errors of the runtime by their numbers.
pub const INVALID_VALUE: u32 = 1;
pub const OUT_OF_MEMORY: u32 = 2;
const INVALID_CONFIGURATION: u32 = 9;
const INVALID_FUNCTION: u32 = 98;
const TOO_DEEP: u32 = 65;
const TOO_MANY_WAITING: u32 = 69;

/// A grid that is launched, or is about to be.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) kernel: u32,
    pub(crate) launch: Launch,
    /// Where its arguments are.
    pub(crate) arguments: Buffer,
    /// The block that launched it.
    pub(crate) by: u64,
    pub(crate) is_tail: bool,
}

/// The grids that a grid launches.
#[derive(Debug, Default)]
pub(crate) struct Children {
    /// How many grids are above.
    pub(crate) depth: u32,
    /// Those whose arguments are being written, by the address of these.
    pub(crate) prepared: BTreeMap<u64, Grid>,
    /// Those that have been launched.
    pub(crate) waiting: VecDeque<Grid>,
    /// The arguments of all. The addresses are not used twice, since the accesses of two threads would look like a race.
    pub(crate) buffers: Vec<Buffer>,
    /// Launches that failed.
    pub(crate) failures: Vec<Fault>,
    /// The last error of a thread, by its block and its number: its own number, and which of the failures it is.
    pub(crate) errors: BTreeMap<(u64, usize), (u32, usize)>,
}

impl Children {
    /// The failures for which nobody has asked.
    pub fn take_failures(&mut self) -> impl Iterator<Item = Fault> + use<> {
        std::mem::take(&mut self.failures).into_iter().filter(|failure| failure.count > 0)
    }

    /// The last error of a thread, which asks for it, and so has it in hand.
    pub fn tell_error(&mut self, thread: (u64, usize), forgets: bool) -> u32 {
        let Some((error, at)) = self.errors.get_mut(&thread) else { return 0 };
        let error = *error;
        // The thread may look twice, and counts once.
        if let Some(failure) = self.failures.get_mut(std::mem::replace(at, usize::MAX)) {
            failure.count -= 1;
        }
        if forgets {
            self.errors.remove(&thread);
        }
        error
    }

    /// A launch that can be done, with fewer blocks resident if there is no room for as many; the error if it cannot.
    pub fn admit(&self, program: &Program, kernel: u32, mut launch: Launch) -> Result<Launch, (u32, String)> {
        let Some(code) = program.functions.get(kernel as usize).filter(|code| code.is_entry) else {
            return Err((INVALID_FUNCTION, "it does not name a kernel".to_owned()));
        };
        if self.depth >= MOST_DEPTH {
            return Err((TOO_DEEP, format!("launches are nested more than {MOST_DEPTH} deep")));
        }
        if self.waiting.len() + self.prepared.len() >= MOST_WAITING {
            return Err((TOO_MANY_WAITING, format!("{MOST_WAITING} launches are waiting already")));
        }
        launch.cluster = shape::cluster_of(code, &launch);
        loop {
            match shape::check(code, program, &launch) {
                Err(LaunchError::TooManyResident { .. }) if launch.resident_blocks > 1 => {
                    let residents = launch.grid.count().min(launch.resident_blocks.into());
                    launch.resident_blocks = residents as u32 / 2;
                }
                Err(error) => return Err((INVALID_CONFIGURATION, error.to_string())),
                Ok(()) => return Ok(launch),
            }
        }
    }
}
