//! Lock step: a block whose warps carry out each instruction one right after the other.
//!
//! Where a block runs alone on a fork of global memory ([`crate::exec::cores`]) and its warps keep apart between two barriers
//! ([`apart`]), their turns do not matter: what comes of them is the same if all warps go through the kernel together. Then
//! an instruction is looked up once a block, not once a warp, and what is linear in lane and warp ([`plane`]) is computed
//! once a block as well. The plan of the kernel is the one by which single warps run the fast way ([`crate::exec::warp`]).
//!
//! Warps that part from each other at a branch are groups, which wait for each other at the next barrier. Lanes that part
//! within a warp are known where one side only waits for the other, or ends. An access that others might notice, a fault,
//! anything that is not known here: it is given up, and the launch starts over warp by warp. So this decides nothing; it is
//! held to the plain loop by the same tests as everything that is fast. Left out: lanes that go two ways, atomics, calls,
//! generic and local addresses, blocks of more than one dimension.

mod exchange;
mod footprints;
mod memory;
mod plane;
mod run;

use crate::compile::planner;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::compile::affine::Span;
use crate::compile::inst::Pc;
use crate::compile::plan::Plan;
use crate::exec::state::{Run, Stop};
use crate::exec::step::Place;
use crate::launch::{Dim3, Launch, MAX_BLOCK_THREADS};
use crate::machine::divergence::Frame;
use crate::machine::local::Local;
use crate::machine::registers::{FULL_MASK, Registers, Shape, WARP_SIZE, distance, lanes_of};
use crate::machine::written::Written;
use footprints::{Apart, Who};
use plane::{Extent, Plane};

/// Warps of a block at most.
const MAX_WARPS: usize = MAX_BLOCK_THREADS as usize / WARP_SIZE;

/// Instructions that the groups of a block issue at most: more may be a loop without an end, and others can tell.
const LONGEST: u64 = 1 << 21;

/// The lanes of each warp.
type Masks = [u32; MAX_WARPS];
/// No lane of any.
const NOBODY: Masks = [0; MAX_WARPS];
/// The registers that are planes, as many as a number of eight bits can tell apart.
type Planes = [Plane; 256];

/// The threads that carry out an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    masks: Masks,
    /// The warps of which there are any lanes, one bit a warp.
    warps: u32,
    /// How many threads there are.
    threads: u64,
    extent: Extent,
    /// How the lanes lie, where it is the same in all warps, and these lie at equal distances.
    rows: Option<Rows>,
}

/// Lanes at equal distances, the same in all warps.
#[derive(Clone, Copy, Debug)]
struct Rows {
    mask: u32,
    /// How many lanes.
    count: u32,
    /// How far they lie from each other.
    every: u32,
}

impl Team {
    /// The threads of some masks; `None` of none.
    fn new(masks: Masks) -> Option<Team> {
        let (mut warps, mut threads, mut any, mut all) = (0, 0, 0, FULL_MASK);
        for (warp, &mask) in masks.iter().enumerate() {
            if mask != 0 {
                warps |= 1_u32 << warp;
                threads += u64::from(mask.count_ones());
                any |= mask;
                all &= mask;
            }
        }
        let (first, last) = (warps.trailing_zeros(), 31_u32.checked_sub(warps.leading_zeros())?);
        let apart = distance(warps);
        let every_lane = distance(any).unwrap_or(1);
        let extent = Extent { span: Span::of(any), every_lane, first, last, every: apart.unwrap_or(1) };
        let every = distance(any).filter(|_| all == any && apart.is_some());
        let rows = every.map(|every| Rows { mask: any, count: any.count_ones(), every });
        Some(Team { masks, warps, threads, extent, rows })
    }

    /// How many warps it has.
    fn count(&self) -> u64 {
        u64::from(self.warps.count_ones())
    }

    /// Its warps, and the lanes of each.
    #[inline(always)]
    fn each(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        lanes_of(self.warps).map(|warp| (warp, self.masks[warp]))
    }
}

/// Warps that are at the same instruction with the same planes.
#[derive(Debug)]
pub(crate) struct Group {
    pc: Pc,
    team: Team,
    planes: Box<Planes>,
}

/// A machine for one block after the other.
pub(crate) struct Lockstep<'w, 'r> {
    run: &'w mut Run<'r>,
    plan: &'w Plan,
    place: Place<'r>,
    frame: Frame,
    /// Warps of a block.
    warps: u32,
    /// Threads of a block.
    lanes: Masks,
    /// The columns and predicates of all warps, warp after warp.
    registers: Registers,
    /// How many there are of each warp.
    shape: Shape,
    shared: Vec<u8>,
    /// Which bytes of it have been written; empty where nobody asks.
    shared_written: Written,
    /// Whether it is kept what has been written.
    keeps_written: bool,
    /// What no thread has; accesses want to know it.
    local: Local,
    /// The planes of the group that runs.
    planes: Box<Planes>,
    /// For planes of groups to come.
    spare: Vec<Box<Planes>>,
    /// What the warps have touched since the last barrier, in global and in shared memory.
    touched: [Apart; 2],
    /// Groups that can run.
    ready: Vec<Group>,
    /// Groups that wait at a barrier, and its number.
    waiting: Vec<(u8, Group)>,
    /// The warps whose lanes parted.
    diverged: u32,
    /// Whether threads have ended.
    some_ended: bool,
    /// Instructions that groups have issued since the block started.
    issued: u64,
    /// How many these were when others of their warps began to wait for the threads that run, if any do.
    parted_since: Option<u64>,
    /// Whether all is over, for another core has found out that this will not do.
    is_over: &'w AtomicBool,
}

impl<'w, 'r> Lockstep<'w, 'r> {
    /// A machine for the blocks of a launch that may be run so.
    pub fn new(run: &'w mut Run<'r>, plan: &'w Plan, is_over: &'w AtomicBool) -> Lockstep<'w, 'r> {
        let block = run.launch.block;
        let warps = block.x.div_ceil(WARP_SIZE as u32);
        let lanes = std::array::from_fn(|warp| match block.x.saturating_sub((warp * WARP_SIZE) as u32) {
            0 => 0,
            left => FULL_MASK >> (WARP_SIZE as u32 - left.min(WARP_SIZE as u32)),
        });
        let code = &run.program.functions[run.kernel as usize];
        let mut registers = Registers::default();
        for _ in 0..warps {
            registers.narrow.extend_from_slice(&code.image.narrow);
            registers.wide.extend_from_slice(&code.image.wide);
            registers.preds.extend_from_slice(&code.image.preds);
        }
        Lockstep {
            place: Place::in_block(run, Dim3::default(), warps),
            frame: Frame { function: run.kernel, ..Frame::default() },
            shape: code.image.shape(),
            plan,
            warps,
            lanes,
            registers,
            shared: vec![0; run.shared_bytes as usize],
            shared_written: Written::default(),
            local: Local::default(),
            keeps_written: run.initialisation.is_on,
            planes: Box::new([Plane::default(); 256]),
            spare: Vec::new(),
            touched: [(); 2].map(|()| Apart::new(who(run.launch))),
            ready: Vec::new(),
            waiting: Vec::new(),
            diverged: 0,
            some_ended: false,
            issued: 0,
            parted_since: None,
            is_over,
            run,
        }
    }

    /// Runs a block from its start to its end.
    pub fn block(&mut self, number: u64) -> Result<(), Stop> {
        self.start(number);
        loop {
            while let Some(group) = self.ready.pop() {
                self.group(group)?;
            }
            if self.waiting.is_empty() {
                break;
            }
            self.complete_barrier()?;
        }
        self.run.count_warps(u64::from(self.warps), u64::from(self.diverged.count_ones()));
        if self.run.global.end_block() { Ok(()) } else { Err(Stop::NeedsOneCore) }
    }

    fn start(&mut self, number: u64) {
        let code = &self.run.program.functions[self.run.kernel as usize];
        self.place = Place::in_block(self.run, self.run.launch.grid.nth(number), self.warps);
        self.shared.fill(0);
        if self.run.initialisation.reports {
            self.shared_written.restart(self.shared.len());
        }
        for warp in 0..self.warps as usize {
            for &(wide, slot) in &self.plan.first_read {
                let slot = usize::from(slot);
                if wide {
                    self.registers.wide[warp * self.shape.wide + slot] = code.image.wide[slot];
                } else {
                    self.registers.narrow[warp * self.shape.narrow + slot] = code.image.narrow[slot];
                }
            }
            let first = warp * self.shape.preds;
            self.registers.preds[first..first + self.shape.preds].copy_from_slice(&code.image.preds);
        }
        for (plane, &line) in self.planes.iter_mut().zip(&self.plan.image) {
            *plane = Plane { line, hop: 0 };
        }
        (self.diverged, self.some_ended, self.issued) = (0, false, 0);
        self.touched.iter_mut().for_each(Apart::restart);
        let team = Team::new(self.lanes).expect("a block has threads");
        let planes = self.copy_of_planes();
        self.ready.push(Group { pc: code.start, team, planes });
    }

    /// Lets all groups go on that wait at a barrier, for all that have not ended have come.
    fn complete_barrier(&mut self) -> Result<(), Stop> {
        let number = self.waiting[0].0;
        // What a thread does before it ends is not ordered by a barrier that it does not come to.
        let asks = self.run.launch.checks.synchronisation || who(self.run.launch) == Who::Threads;
        let is_told = self.some_ended && asks;
        if is_told || self.waiting.iter().any(|&(other, _)| other != number) {
            return Err(Stop::NotInLockStep);
        }
        self.touched.iter_mut().for_each(Apart::clear);
        for (_, mut group) in self.waiting.drain(..) {
            group.pc += 1;
            let alike = self.ready.iter_mut().find(|other| are_alike(self.plan, other, &group));
            match alike {
                Some(other) => {
                    other.team = together(&other.team, &group.team);
                    self.spare.push(group.planes);
                }
                None => self.ready.push(group),
            }
        }
        Ok(())
    }

    /// The planes of the group that runs, for another one.
    fn copy_of_planes(&mut self) -> Box<Planes> {
        let mut copy = self.spare.pop().unwrap_or_else(|| Box::new([Plane::default(); 256]));
        let count = self.plan.kept.len();
        copy[..count].copy_from_slice(&self.planes[..count]);
        copy
    }

    /// Where the columns of a warp begin.
    #[inline(always)]
    fn base(&self, warp: usize) -> Shape {
        let Shape { narrow, wide, preds } = self.shape;
        Shape { narrow: warp * narrow, wide: warp * wide, preds: warp * preds }
    }

    /// Whether somebody has found out that this will not do, or it goes on for too long.
    fn check_time(&self) -> Result<(), Stop> {
        if self.run.steps > self.run.launch.max_steps || self.is_over.load(Ordering::Relaxed) {
            return Err(Stop::NeedsOneCore);
        }
        if self.issued > LONGEST { Err(Stop::NotInLockStep) } else { Ok(()) }
    }
}

impl Run<'_> {
    /// The plan by which the blocks of the launch may be run in lock step, if they may.
    pub(crate) fn lockstep_plan(&self) -> Option<Arc<Plan>> {
        let block = self.launch.block;
        let is_row = block.y == 1 && block.z == 1;
        // Threads that keep apart do not see that a memory is weak. Whether their lanes came apart counters would show.
        if is_row && !self.separates {
            planner::plan_of_threads(self.program, self.kernel, self.launch)
        } else {
            None
        }
    }
}

/// Who has to keep apart in a launch.
fn who(launch: &Launch) -> Who {
    if launch.checks.races || launch.weak_memory { Who::Threads } else { Who::Warps }
}

/// Whether two groups are at the same instruction, and have the same in all planes that still matter.
fn are_alike(plan: &Plan, one: &Group, other: &Group) -> bool {
    let planes = plan.kept.iter().zip(one.planes.iter().zip(other.planes.iter()));
    let mut differing = planes.filter(|(_, (one, other))| one != other);
    one.pc == other.pc && differing.all(|(kept, _)| !plan.live.at(one.pc, kept.register))
}

fn together(one: &Team, other: &Team) -> Team {
    let masks = std::array::from_fn(|warp| one.masks[warp] | other.masks[warp]);
    Team::new(masks).expect("they have threads")
}
