//! Kernels that launch kernels: what the runtime of the device provides for it, and when those grids run.
//!
//! A grid that a kernel launches is kept until the grid that launched it is done, and then they run one after another, each
//! with what it launches itself, in the order of the launches; those for `cudaStreamTailLaunch` come last. That is one of the
//! orders that the model allows: a program may not rely on a child that runs beside its parent. A kernel for targets before
//! `sm_90` may also wait for its children (`cudaDeviceSynchronize`), and then they run at that point.
//!
//! A child is a launch of its own with the checkers, the seed and the limits of its parent, whose counters, text and findings
//! it adds to. *What it can miss*: races between a grid and the grids that it launches, or between two of those.
//! A watcher is not shown children.
//!
//! Specification: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism". The names and parameters are those of the calls that
//! CUDA's compiler writes for `<<<>>>` in device code.

use std::collections::VecDeque;

use crate::checkers::context::fault;
use crate::compile::program::Nested;
use crate::exec::call::{Parameter, function_at};
use crate::exec::children::{Grid, INVALID_VALUE, OUT_OF_MEMORY};
use crate::exec::cursor::Cursor;
use crate::exec::state::{Run, Stop};
use crate::isa::op::call::{CallSite, Passed};
use crate::launch::{Dim3, Launch};
use crate::machine::divergence::{Frame, Group};
use crate::machine::global::Window;
use crate::machine::registers::{WARP_SIZE, lanes_of};
use crate::report::fault::{Fault, FaultKind, Severity};

/// The handle `cudaStreamTailLaunch`, and the one that new streams get: nothing runs at the same time, so one will do.
const TAIL_LAUNCH: u64 = 3;
const STREAM: u64 = 16;

impl Run<'_> {
    /// Runs the grids that the blocks of this one have launched, if these have ended well.
    pub fn run_children(&mut self, outcome: Result<(), Stop>) -> Result<(), Stop> {
        let outcome = outcome.and_then(|()| self.run_those(|_| true));
        for buffer in std::mem::take(&mut self.children.buffers) {
            self.global.free(buffer);
        }
        outcome
    }

    /// Runs those that wait and that a function picks; the last of all are those of the stream for the end.
    fn run_those(&mut self, picks: impl Fn(&Grid) -> bool) -> Result<(), Stop> {
        let (mut now, later): (VecDeque<Grid>, VecDeque<Grid>) =
            std::mem::take(&mut self.children.waiting).into_iter().partition(|grid| picks(grid));
        self.children.waiting = later;
        now.make_contiguous().sort_by_key(|grid| grid.is_tail);
        now.into_iter().try_for_each(|grid| self.run_child(&grid))
    }

    fn run_child(&mut self, grid: &Grid) -> Result<(), Stop> {
        let arguments = self.global.bytes(grid.arguments).to_vec();
        let mut child = Run::new(self.setup.program, grid.kernel, &grid.launch, self.global, arguments);
        child.children.depth = self.children.depth + 1;
        std::mem::swap(&mut child.counts, &mut self.counts);
        std::mem::swap(&mut child.printed, &mut self.printed);
        let outcome = child.all_blocks();
        child.word_findings();
        let last_store = child.last_store();
        let found = std::mem::take(&mut child.worded);
        std::mem::swap(&mut child.counts, &mut self.counts);
        std::mem::swap(&mut child.printed, &mut self.printed);
        self.worded.faults.extend(found.faults);
        self.worded.stale_reads.extend(found.stale_reads);
        self.worded.last_store = last_store.or(self.worded.last_store.take());
        outcome
    }
}

impl Cursor<'_, '_> {
    /// A function of the device's runtime.
    pub fn nested(&mut self, g: usize, site: &CallSite, what: Nested) -> Result<(), Stop> {
        // Blocks launch in the order in which they take their turns.
        if self.run.setup.is_one_of_many {
            return Err(Stop::NeedsOneCore);
        }
        let Group { mask, frame, .. } = *self.group(g);
        if what == Nested::Synchronize {
            let block = self.block.number;
            self.run.run_those(|grid| grid.by == block && !grid.is_tail)?;
            if let Some(model) = &mut self.run.observers.memory_model {
                model.others_have_stored();
            }
        }
        for lane in lanes_of(mask) {
            let thread = (self.block.number, self.w * WARP_SIZE + lane);
            let result = match what {
                Nested::Arguments => self.prepare(g, lane, site),
                Nested::Launch => u64::from(self.launch(lane, &frame, site)),
                Nested::LastError => u64::from(self.run.children.tell_error(thread, true)),
                Nested::PeekLastError => u64::from(self.run.children.tell_error(thread, false)),
                Nested::CreateStream => u64::from(self.create_stream(lane, &frame, site)),
                Nested::Synchronize | Nested::DestroyStream => 0,
            };
            if let Some(passed) = site.results.first() {
                self.give(lane, result, Parameter { passed, frame: &frame });
            }
        }
        self.group_mut(g).pc += 1;
        Ok(())
    }

    /// `__cudaCDP2GetParameterBufferV2(kernel, grid, block, shared)`: memory for the arguments; null if the launch would fail.
    fn prepare(&mut self, g: usize, lane: usize, site: &CallSite) -> u64 {
        let frame = self.group(g).frame;
        let kernel = function_at(self.argument(lane, &frame, site, 0));
        let (grid, block) = (self.shape(lane, &frame, site, 1), self.shape(lane, &frame, site, 2));
        let shared_bytes = self.argument(lane, &frame, site, 3) as u32;
        let launch = Launch { grid, block, shared_bytes, args: Vec::new(), ..self.run.setup.launch.clone() };
        let admitted = self.run.children.admit(self.run.setup.program, kernel, launch);
        match admitted.and_then(|launch| self.place_arguments(kernel, launch)) {
            Ok(address) => address,
            Err((error, why)) => {
                self.note_failure(g, lane, error, &why);
                0
            }
        }
    }

    fn place_arguments(&mut self, kernel: u32, launch: Launch) -> Result<u64, (u32, String)> {
        let code = &self.run.setup.program.functions[kernel as usize];
        let name = format!("arguments of {}", code.name);
        let room = self.run.global.alloc(&name, code.param_bytes().max(1));
        let arguments = room.map_err(|error| (OUT_OF_MEMORY, error.to_string()))?;
        let grid = Grid { kernel, launch, arguments, by: self.block.number, is_tail: false };
        self.run.children.buffers.push(arguments);
        self.run.children.prepared.insert(arguments.address(), grid);
        Ok(arguments.address())
    }

    /// `__cudaCDP2LaunchDeviceV2(arguments, stream)`: an error by its number.
    fn launch(&mut self, lane: usize, frame: &Frame, site: &CallSite) -> u32 {
        let (arguments, stream) = (self.argument(lane, frame, site, 0), self.argument(lane, frame, site, 1));
        let Some(grid) = self.run.children.prepared.remove(&arguments) else { return INVALID_VALUE };
        self.run.children.waiting.push_back(Grid { is_tail: stream == TAIL_LAUNCH, ..grid });
        0
    }

    /// `__cudaCDP2StreamCreateWithFlags(stream, flags)`
    fn create_stream(&mut self, lane: usize, frame: &Frame, site: &CallSite) -> u32 {
        let at = self.argument(lane, frame, site, 0);
        if self.write_bytes(lane, at, &STREAM.to_le_bytes()) { 0 } else { INVALID_VALUE }
    }

    /// Writes bytes at a generic address; whether it is one of global or local memory.
    fn write_bytes(&mut self, lane: usize, address: u64, bytes: &[u8]) -> bool {
        let place = match Window::of(address) {
            None => {
                let place = self.run.global.locate_writable(address, bytes.len() as u64).ok();
                place.and_then(|(region, offset)| self.run.global.write(region, offset, bytes.len()))
            }
            Some(Window::Local) => {
                let start = (address - Window::Local.base()) as usize;
                self.warp_mut().local.lane(lane).get_mut(start..start + bytes.len())
            }
            Some(_) => None,
        };
        place.map(|place| place.copy_from_slice(bytes)).is_some()
    }

    /// A launch has failed: the thread can ask for the error, and if it does not, the report has it.
    fn note_failure(&mut self, g: usize, lane: usize, error: u32, why: &str) {
        let pc = self.group(g).pc;
        let message = format!("a launch from a kernel fails: {why}");
        let context = self.run.context();
        let step = context.step;
        let actor = context.actor(self.block.number, self.w, lane as u32, pc, "launches a kernel".to_owned());
        let children = &mut self.run.children;
        let is_same = |known: &Fault| known.message == message && known.actors[0].site == actor.site;
        let at = children.failures.iter().position(is_same).unwrap_or(children.failures.len());
        if at == children.failures.len() {
            let found = fault(FaultKind::FailedLaunch, Severity::Error, message, vec![actor]);
            children.failures.push(Fault { step, count: 0, ..found });
        }
        children.failures[at].count += 1;
        children.errors.insert((self.block.number, self.w * WARP_SIZE + lane), (error, at));
    }

    /// A shape that is passed as three numbers.
    fn shape(&self, lane: usize, frame: &Frame, site: &CallSite, index: usize) -> Dim3 {
        let Some(Passed::Variable(place)) = site.args.get(index) else { return Dim3::default() };
        let start = (place.address + frame.local) as usize;
        let bytes = self.warp().local.of_lane(lane).get(start..start + 12).unwrap_or(&[0; 12]);
        let mut numbers =
            bytes.chunks_exact(4).map(|four| four.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b)));
        let mut next = || numbers.next().unwrap_or(0);
        Dim3 { x: next(), y: next(), z: next() }
    }
}
