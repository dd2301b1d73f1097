//! Proves that a launch never ends whose threads write to memory and come round to where they were all the same: a flag
//! that goes 1, 0, 1, while somebody waits for 2.
//!
//! [`crate::exec::livelock`] looks at one group of lanes at a time, and a change of memory ends its proof, for others may see it.
//! Here the whole machine is looked at, on trial: all resident blocks take turns in order, and a copy of everything that
//! decides what they do next (registers, local, shared and global memory, barriers, meetings) is compared with what they
//! have come to after each round; later copies replace it at twice the distance (Brent's cycle detection). Where the
//! machine comes back to the copy, the turns between the two can be repeated for ever, and every thread that can run has
//! its share of them: a fair schedule under which the kernel never ends.
//!
//! *When it is a fault.* Where turns are taken in order anyway, at once. Where they are drawn from the seed, only when the
//! launch has used up its steps, because another draw might still lead out; it is stopped then in any case, and the proof
//! says more than the bound. Which of several lanes' stores wins is drawn in every step, so the machine has to come back
//! [`TIMES`] times: what only chance keeps going does not.
//!
//! *What it leaves out.* A trial changes nothing: it has a copy of the machine and of its memory. None is made
//! with weak memory, in kernels that read the clock or ask barriers in shared memory, which time out, and with more than [`MOST_BYTES`] of global memory. Loops that count
//! are never the same again, and end at the bound on steps.

use crate::checkers::initialisation::Initialisation;
use crate::exec::state::{Run, Stop};
use crate::exec::waits;
use crate::launch::{Launch, Schedule};
use crate::machine::block::{Block, Warp};
use crate::machine::cluster::ClusterState;
use crate::machine::global::Global;
use crate::schedule::Turns;

/// Steps of a launch before its first trial.
const FIRST_TRIAL: u64 = 1 << 22;
/// The next trial comes when the launch has taken so many times as many steps.
const TRIALS_APART: u64 = 4;
/// Of the steps before a trial, one part in so many is for the trial.
const SHARE: u64 = 16;
/// Steps of a trial at most.
pub(crate) const MOST_STEPS_OF_A_TRIAL: u64 = 1 << 19;
/// How often the machine has to come back to the same state.
const TIMES: u32 = 8;
/// Bytes of global memory of which a copy is made.
const MOST_BYTES: u64 = 16 << 20;

/// The step after which a launch is tried first; none where turns are not taken in order.
pub fn first_trial(launch: &Launch) -> u64 {
    if launch.schedule == Schedule::RoundRobin { FIRST_TRIAL } else { u64::MAX }
}

/// A state of the machine to come back to.
struct Place {
    blocks: Vec<Block>,
    clusters: Vec<ClusterState>,
    /// Global memory, copied when the blocks have come back for the first time: most never do.
    global: Option<Global>,
    printed: u64,
    steps: u64,
    times: u32,
    /// The byte of global memory that differed last: a region and a place in it.
    witness: (usize, usize),
}

impl Place {
    fn of(run: &Run<'_>, blocks: &[Block]) -> Place {
        let (steps, printed) = (run.counts.steps, run.printed.count);
        let clusters = run.clusters.clone();
        Place { blocks: blocks.to_vec(), clusters, global: None, printed, steps, times: 0, witness: (0, 0) }
    }

    /// Looks whether the run is here again; after how many steps since the last time, once it has been so often enough.
    fn look(&mut self, run: &Run<'_>, blocks: &[Block]) -> Option<u64> {
        let alike = self.blocks.iter().zip(blocks).all(|(one, other)| stand_alike(one, other));
        let are_alike = |one: &ClusterState, other: &ClusterState| {
            (one.phase ^ other.phase) & 1 == 0 && one.missing == other.missing
        };
        let alike =
            alike && self.clusters.iter().zip(&run.clusters).all(|(one, other)| are_alike(one, other));
        if !alike || self.printed != run.printed.count {
            return None;
        }
        let Some(global) = &self.global else {
            (self.global, self.steps) = (Some(run.global.clone()), run.counts.steps);
            return None;
        };
        let byte = |global: &Global, (region, at): (usize, usize)| {
            (region < global.regions()).then(|| global.region(region).data.get(at).copied())
        };
        // A loop that counts in memory comes here each time, and differs where it did the last time.
        if byte(global, self.witness) != byte(run.global, self.witness) {
            return None;
        }
        if let Some(place) = global.differs_at(run.global) {
            self.witness = place;
            return None;
        }
        self.times += 1;
        let period = run.counts.steps - std::mem::replace(&mut self.steps, run.counts.steps);
        (self.times == TIMES).then_some(period)
    }
}

/// Whether two blocks will do the same next, as far as it depends on them.
fn stand_alike(one: &Block, other: &Block) -> bool {
    let warps = || one.warps.iter().zip(&other.warps);
    one.number == other.number
        && one.live_threads == other.live_threads
        && warps().all(|(one, other)| one.divergence.stands_like(&other.divergence))
        && one.barriers == other.barriers
        && warps().all(|(one, other)| wait_alike(one, other))
        && one.registers == other.registers
        && one.shared == other.shared
        // Copies that are under way will change something.
        && one.bulk.under_way.is_empty()
        && other.bulk.under_way.is_empty()
        && one.warpgroups.under_way.is_empty()
        && other.warpgroups.under_way.is_empty()
        && one.warpgroups.registers == other.warpgroups.registers
        // It may be large, and in a loop that counts it is the same every time.
        && warps().all(|(one, other)| one.local == other.local)
}

fn wait_alike(one: &Warp, other: &Warp) -> bool {
    one.patience == other.patience
        && one.divergence.waits_like(one.steps, &other.divergence, other.steps)
        && one.starved == other.starved
        && one.at_cluster == other.at_cluster
}

impl Run<'_> {
    /// Makes a trial if it is time for the next one: an error if the launch goes round for ever.
    pub fn try_when_due(&self, next: &mut u64, blocks: &[Block]) -> Result<(), Stop> {
        if self.counts.steps < *next || blocks.is_empty() {
            return Ok(());
        }
        *next = self.counts.steps * TRIALS_APART;
        self.goes_round(blocks, self.counts.steps / SHARE).map_or(Ok(()), Err)
    }

    /// Runs on trial for so many steps at most, and says how the launch ends if it goes round for ever.
    pub fn goes_round(&self, blocks: &[Block], steps: u64) -> Option<Stop> {
        let has_time = self.reads_the_clock() || blocks.iter().any(|block| block.mbarriers.is_polled());
        if self.setup.launch.weak_memory || has_time || self.global.live_bytes() > MOST_BYTES {
            return None;
        }
        let mut global = self.global.clone();
        let mut trial = Run::new(
            self.setup.program,
            self.setup.kernel,
            self.setup.launch,
            &mut global,
            self.setup.params.clone(),
        );
        trial.clusters.clone_from(&self.clusters);
        (trial.counts.steps, trial.local_bytes) = (self.counts.steps, self.local_bytes);
        trial.waiting_blocks = self.waiting_blocks;
        trial.printed.clone_from(&self.printed);
        trial.observers.probe_times.clone_from(&self.observers.probe_times);
        // Observers change no run.
        (trial.observers.last_writer, trial.observers.initialisation) = (None, Initialisation::default());
        let period = trial.period(&mut blocks.to_vec(), self.counts.steps + steps.min(MOST_STEPS_OF_A_TRIAL));
        period.map(|period| waits::recurrence(self, blocks, period))
    }

    /// After how many steps the machine is as it was, time after time, if it is so up to step `end`.
    fn period(&mut self, blocks: &mut Vec<Block>, end: u64) -> Option<u64> {
        let mut turns = Turns::new(Schedule::RoundRobin, self.setup.launch.seed);
        let live =
            |blocks: &[Block]| (blocks.len(), blocks.iter().map(|block| block.live_threads).sum::<u32>());
        let (threads, mut window) = (live(blocks), 1_u64);
        while self.counts.steps < end {
            let mut place = Place::of(self, blocks);
            for _ in 0..window {
                let goes_on = matches!(self.round(blocks, &mut turns, end), Ok(true));
                if !goes_on || live(blocks) != threads {
                    return None;
                }
                let period = place.look(self, blocks);
                if period.is_some() {
                    return period;
                }
            }
            window *= 2;
        }
        None
    }
}
