//! The results of a run on each machine, before they are formatted.

use super::contents;
use super::search::Search;
use crate::execute::OnGpu;
use crate::resolve::Plan;

/// A run on the emulator, on the GPU, or on both.
#[derive(Debug)]
pub struct Finished<'a> {
    pub plan: &'a Plan<'a>,
    pub search: Option<Search>,
    pub on_gpu: Option<OnGpu>,
    pub trace: Option<Traced>,
}

/// A trace that was written.
#[derive(Clone, Debug)]
pub struct Traced {
    pub file: String,
    /// The steps of the run.
    pub steps: u64,
    /// The steps in the file.
    pub kept: u64,
    /// Whether the run was stopped before its end.
    pub was_stopped: bool,
}

impl Finished<'_> {
    /// Whether the kernel has a fault, or its seeds had different results in the buffers that the user wants to
    /// compare. With `--strict`, a GPU that disagrees counts too.
    pub fn is_failure(&self) -> bool {
        let at_fault = |search: &Search| search.outcome.has_failed || contents::differ(&search.results);
        let disagrees = |gpu: &OnGpu| self.plan.options.checks.strict && !gpu.differences.is_empty();
        self.search.as_ref().is_some_and(at_fault) || self.on_gpu.as_ref().is_some_and(disagrees)
    }

    /// The contents of a buffer after the run: the emulator's if it ran, otherwise the GPU's; `None` if neither did.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        let emulated = self.search.as_ref().map(|search| search.outcome.bytes(name));
        emulated.or_else(|| self.gpu().map(|gpu| gpu.bytes(name)))
    }

    /// What the GPU did, if it got the kernel.
    pub fn gpu(&self) -> Option<&OnGpu> {
        self.on_gpu.as_ref().filter(|gpu| gpu.withheld.is_none())
    }
}
