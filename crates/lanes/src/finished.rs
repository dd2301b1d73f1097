//! The results of a run on each machine, before they are formatted.
//!
//! What it leaves out: the wording, which is in [`show`](super::show).

use super::on_gpu::OnGpu;
use super::plan::Plan;
use super::print::Shown;
use super::results;
use super::seeds::Search;

/// A run on the emulator, on the GPU, or on both.
#[derive(Debug)]
pub(super) struct Finished<'a> {
    pub plan: &'a Plan<'a>,
    pub search: Option<Search>,
    pub on_gpu: Option<OnGpu>,
}

impl Finished<'_> {
    /// Whether the kernel has a fault, or its seeds had different results in the buffers that the user wants to
    /// compare. With `--strict`, a GPU that disagrees counts too.
    pub fn is_failure(&self) -> bool {
        let at_fault = |search: &Search| self.plan.is_failure(&search.outcome) || results::differ(search);
        let disagrees = |gpu: &OnGpu| self.plan.options.strict && !gpu.differences.is_empty();
        self.search.as_ref().is_some_and(at_fault) || self.on_gpu.as_ref().is_some_and(disagrees)
    }

    /// The contents of a buffer after the run: the emulator's if it ran, otherwise the GPU's; `None` if neither did.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        let gpu = self.on_gpu.as_ref().filter(|gpu| gpu.withheld.is_none());
        let emulated = self.search.as_ref().map(|search| search.outcome.bytes(name));
        emulated.or_else(|| gpu.map(|gpu| gpu.bytes(self.plan, name)))
    }

    /// The buffers to print, for each machine that ran.
    pub fn prints(&self) -> Vec<Shown<'_>> {
        let plan = self.plan;
        let sim = self
            .search
            .iter()
            .flat_map(|search| Shown::all(plan, "emulator", |name| search.outcome.bytes(name)));
        let gpu = self
            .on_gpu
            .iter()
            .filter(|gpu| gpu.withheld.is_none())
            .flat_map(|gpu| Shown::all(plan, "GPU", |name| gpu.bytes(plan, name)));
        sim.chain(gpu).collect()
    }
}
