//! How far a launch has come, for others to see while it runs, and their wish that it stops.
//!
//! Nothing of it influences what a launch does, except that a wish to stop ends it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What launches let other threads know while they run, and whether they shall stop. Several launches may share one.
///
/// ```
/// use std::sync::Arc;
/// let pulse = Arc::new(simt::Pulse::default());
/// pulse.stop();
/// let launch = simt::Launch { pulse: Some(Arc::clone(&pulse)), ..simt::Launch::new(1, 32) };
/// assert!(launch.pulse.is_some_and(|pulse| pulse.is_stopping()));
/// assert_eq!((pulse.steps(), pulse.blocks()), (0, 0));
/// ```
#[derive(Debug, Default)]
pub struct Pulse {
    steps: AtomicU64,
    blocks: AtomicU64,
    stops: AtomicBool,
}

impl Pulse {
    /// The warp instructions so far.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// The blocks that have ended so far.
    pub fn blocks(&self) -> u64 {
        self.blocks.load(Ordering::Relaxed)
    }

    /// Ends the launches soon. Their reports say what was found until then, and [`crate::Report::was_stopped`] is true.
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }

    /// Whether the launches shall stop.
    pub fn is_stopping(&self) -> bool {
        self.stops.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, steps: u64, blocks: u64) {
        self.steps.fetch_add(steps, Ordering::Relaxed);
        self.blocks.fetch_add(blocks, Ordering::Relaxed);
    }

    /// Forgets steps and blocks that will be carried out again.
    pub(crate) fn take_back(&self, steps: u64, blocks: u64) {
        self.steps.fetch_sub(steps, Ordering::Relaxed);
        self.blocks.fetch_sub(blocks, Ordering::Relaxed);
    }
}
