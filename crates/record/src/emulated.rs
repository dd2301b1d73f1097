//! `output/sim.json`: what the emulator found in each recorded run of a chapter.

use serde::{Deserialize, Serialize};

use crate::{Named, Report};

/// The reports of a chapter's recorded runs, in the order of its `output/runs.txt`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Emulated {
    /// [`VERSION`](crate::VERSION).
    pub version: u64,
    /// A note for people who open the file: the chore that writes it.
    pub generated: String,
    /// The checksums of the kernel files that were run, by name: `kernels/reduction.cu`. If a file has another checksum
    /// now, the record is stale.
    pub kernels: Named<String>,
    /// The runs.
    pub runs: Vec<Recorded>,
}

/// A recorded run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// The arguments of the chapter's program.
    pub arguments: String,
    /// What the run found.
    pub report: Report,
}

impl Report {
    /// The report in the form in which it is recorded: without the many counters by line, and without the GPU's part.
    #[must_use]
    pub fn to_be_recorded(mut self) -> Report {
        for section in &mut self.sections {
            section.gpu_notes.clear();
            for row in &mut section.rows {
                row.lines.clear();
                row.gpu = None;
            }
        }
        self
    }
}
