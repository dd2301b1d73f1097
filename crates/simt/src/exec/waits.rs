//! Who waits for whom, in words: the actors of a deadlock, of a livelock, and of a launch that takes too long.
//!
//! Each waiting set of lanes says for which lanes, threads or warps it waits, and where those are. What a spinning set
//! waits for is memory; who would have to change it nobody can say.

use std::collections::BTreeMap;

use crate::access::element::read_le;
use crate::compile::inst::{AT_RETURN, Pc};
use crate::exec::faults::stop;
use crate::exec::probe::Poll;
use crate::exec::probe::{Spin, lanes_that_spin};
use crate::exec::state::{Run, Stop};
use crate::isa::op::Op;
use crate::isa::op::mbarrier::Object;
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Frame, Group, Meeting, Wait};
use crate::machine::mbarriers::OBJECT_BYTES;
use crate::machine::registers::lanes_of;
use crate::machine::warpgroup::{WARPS, first_of};
use crate::report::fault::{Actor, FaultKind};

/// Actors that a report names at most.
const MAX_ACTORS: usize = 8;
/// Of these, those that are kept for who waits where others spin.
const MAX_WAITERS_BESIDE: usize = 3;
/// Warps that one waiter names at most.
const MAX_NAMED_WARPS: usize = 4;
/// Places that one spinner names at most.
const MAX_PLACES: usize = 4;

/// Nobody can go on.
pub fn deadlock(run: &Run<'_>, blocks: &[Block]) -> Stop {
    let mut waiters = waiters(run, blocks, &[]);
    let waiting = counted(waiters.len() as u64, "group of lanes waits", "groups of lanes wait");
    waiters.truncate(MAX_ACTORS);
    let message = format!("{waiting}, and no thread can make progress{}", not_resident(run));
    stop(FaultKind::Deadlock, message, waiters)
}

/// Everybody in a block waits, some for phases of mbarriers.
pub fn stalled(run: &Run<'_>, block: &Block) -> Stop {
    let (actors, count) = at_mbarriers(run, block);
    let message = format!(
        "{} for a phase of an mbarrier, and no thread is left that could complete it",
        counted(count as u64, "group of lanes waits", "groups of lanes wait")
    );
    stop(FaultKind::Deadlock, message, actors)
}

/// A number, with the words for one or for several.
fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Everybody who can run goes round in a loop that changes nothing.
pub fn livelock(run: &Run<'_>, blocks: &[Block], spins: &[Spin]) -> Stop {
    let (spinners, waiters) = (spinners(run, blocks, spins), waiters(run, blocks, spins));
    let spinning = counted(spinners.len() as u64, "group of lanes spins", "groups of lanes spin");
    let others = match waiters.len() {
        0 => String::new(),
        waiting => format!(", and {}", counted(waiting as u64, "waits", "wait")),
    };
    let message = format!(
        "{spinning} for ever{others}: no thread is left that could change what they read{}",
        not_resident(run)
    );
    stop(FaultKind::Livelock, message, with_waiters(spinners, waiters))
}

/// All who can run go round, and registers and memory with them.
pub fn recurrence(run: &Run<'_>, blocks: &[Block], steps: u64) -> Stop {
    let message = format!(
        "every {steps} warp instructions, all registers and all memory are the same as before: if the threads keep \
         taking turns in order, this repeats for ever{}",
        not_resident(run)
    );
    let loopers = who_can_run(run, blocks, "loops here");
    stop(FaultKind::Livelock, message, with_waiters(loopers, waiters(run, blocks, &[])))
}

/// A block that waits for one that cannot start before it ends waits for ever: the first thing to suspect.
fn not_resident(run: &Run<'_>) -> String {
    match run.waiting_blocks {
        0 => String::new(),
        1 => "; 1 block has not started, because the resident blocks leave no room for it".to_string(),
        blocks => {
            format!("; {blocks} blocks have not started, because the resident blocks leave no room for them")
        }
    }
}

/// The launch has taken more steps than it may.
pub fn step_limit(run: &Run<'_>, blocks: &[Block]) -> Stop {
    let steps = run.setup.launch.max_steps;
    let proof = if run.setup.launch.weak_memory {
        "with weak memory, no proof is sought"
    } else {
        "no proof was found"
    };
    let message = format!(
        "the launch took more than {steps} warp instructions; {proof} that it never ends, so the loop may be long or endless{}",
        not_resident(run)
    );
    stop(FaultKind::StepLimit, message, who_can_run(run, blocks, "was running here"))
}

/// Those who run, and beside them some of those who wait, as many as a report has room for.
fn with_waiters(mut actors: Vec<Actor>, waiters: Vec<Actor>) -> Vec<Actor> {
    actors.truncate(MAX_ACTORS - waiters.len().min(MAX_WAITERS_BESIDE));
    actors.extend(waiters);
    actors.truncate(MAX_ACTORS);
    actors
}

/// One actor for the lanes of a warp that spin at one place for the same reason.
fn spinners(run: &Run<'_>, blocks: &[Block], spins: &[Spin]) -> Vec<Actor> {
    let mut together: Vec<Spin> = Vec::new();
    for spin in spins {
        let place = |spin: &Spin| (spin.block, spin.warp, spin.pc);
        match together.iter_mut().find(|known| place(known) == place(spin) && known.polls == spin.polls) {
            Some(known) => known.lanes |= spin.lanes,
            None => together.push(spin.clone()),
        }
    }
    let spinner = |spin: &Spin| {
        let block = blocks.iter().find(|block| block.number == spin.block)?;
        let doing = format!("spins here with lanes {:#010x}, {}", spin.lanes, what_for(run, block, spin));
        Some(At { run, block, w: spin.warp, spins }.actor(spin.lanes, spin.pc, doing))
    };
    together.iter().filter_map(spinner).collect()
}

fn what_for(run: &Run<'_>, block: &Block, spin: &Spin) -> String {
    if spin.polls.is_empty() {
        return "and reads no memory that another thread could change".to_string();
    }
    let name = |poll: &Poll| match poll.region {
        Some(region) => format!("`{}` at byte {}", run.global.region(region).name, poll.offset),
        None if block.mbarriers.is_object(poll.offset as u64) => phase_at(run, block, poll.offset as u64),
        None => format!("shared memory at byte {}", poll.offset),
    };
    let mut places: Vec<String> = spin.polls.iter().map(name).collect();
    places.dedup();
    let more = places.len().saturating_sub(MAX_PLACES);
    places.truncate(MAX_PLACES);
    let list = places.join(", ");
    match more {
        _ if spin.many_polls => format!("waiting for a change of {list} or of one of many other places"),
        0 => format!("waiting for a change of {list}"),
        _ => format!("waiting for a change of {list} or of one of {more} other places"),
    }
}

/// Every set of lanes that waits, with whom it waits for.
fn waiters(run: &Run<'_>, blocks: &[Block], spins: &[Spin]) -> Vec<Actor> {
    let mut waiters = Vec::new();
    for block in blocks {
        for (w, warp) in block.warps.iter().enumerate() {
            let at = At { run, block, w, spins };
            let together = together(warp);
            let groups = together.iter().filter(|group| group.wait != Wait::Nothing);
            waiters.extend(groups.map(|group| at.group(group)));
            let spinning = lanes_that_spin(spins, block.number, w);
            let meetings = warp.divergence.waiting().filter(|meeting| meeting.arrived & !spinning != 0);
            waiters.extend(meetings.map(|meeting| at.meeting(meeting)));
            let groups = warp.divergence.groups.iter().filter(|group| group.wait == Wait::Nothing);
            waiters.extend(groups.filter(|group| !can_run(run, warp, group)).map(|group| at.behind(group)));
        }
    }
    waiters
}

/// Those of a block that wait for phases of mbarriers, then those that wait elsewhere; with how many there are of the first.
fn at_mbarriers(run: &Run<'_>, block: &Block) -> (Vec<Actor>, usize) {
    let mut actors = Vec::new();
    for (w, warp) in block.warps.iter().enumerate() {
        // By object and instruction: the lanes.
        let mut together: BTreeMap<(u64, Pc), u32> = BTreeMap::new();
        for lane in lanes_of(warp.live()) {
            if let Some(poll) = block.mbarriers.poll(w, lane) {
                *together.entry((poll.offset, poll.pc)).or_default() |= 1 << lane;
            }
        }
        actors.extend(together.iter().map(|(&(offset, pc), lanes)| {
            let doing = format!("lanes {lanes:#010x} wait for {}", phase_at(run, block, offset));
            At { run, block, w, spins: &[] }.actor(*lanes, pc, doing)
        }));
    }
    let count = actors.len();
    actors.extend(waiters(run, std::slice::from_ref(block), &[]));
    actors.truncate(MAX_ACTORS);
    (actors, count)
}

/// The phase of an mbarrier, with what it waits for.
fn phase_at(run: &Run<'_>, block: &Block, offset: u64) -> String {
    let (name, start) = run.setup.program.shared_owner(run.setup.kernel, offset);
    let place = format!("a phase of the mbarrier at byte {} of {name}", offset - start);
    let Some(object) = object(block, offset) else { return place };
    let missing = counted(u64::from(object.pending), "arrival is missing", "arrivals are missing");
    let transactions = match object.transactions {
        0 => String::new(),
        count => format!(" and {count} bytes have not been copied"),
    };
    let threads = run.setup.launch.block.count() - u64::from(block.live_threads);
    let ended = match threads {
        0 => String::new(),
        count => format!(
            "; {}",
            counted(count, "thread of the block has ended", "threads of the block have ended")
        ),
    };
    format!("{place}: {missing}{transactions}{ended}")
}

/// Those who can run, with what they do.
fn who_can_run(run: &Run<'_>, blocks: &[Block], does: &str) -> Vec<Actor> {
    let mut runners = Vec::new();
    for block in blocks {
        for (w, warp) in block.warps.iter().enumerate() {
            let groups = warp.divergence.groups.iter().filter(|group| can_run(run, warp, group));
            let runner = |group: &Group| {
                let doing = format!("{does} with lanes {:#010x}", group.mask);
                let at = At { run, block, w, spins: &[] };
                at.actor(group.mask, place(group.pc, &group.frame), doing)
            };
            runners.extend(groups.map(runner).take(MAX_ACTORS - runners.len()));
        }
    }
    runners
}

/// The groups of a warp, those as one that wait for the same at the same place: who came there with whom is no matter.
fn together(warp: &Warp) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    for group in &warp.divergence.groups {
        let stands = |group: &Group| (group.pc, group.wait, group.frame);
        match all.iter_mut().find(|known| group.wait != Wait::Nothing && stands(known) == stands(group)) {
            Some(known) => known.mask |= group.mask,
            None => all.push(group.clone()),
        }
    }
    all
}

fn can_run(run: &Run<'_>, warp: &Warp, group: &Group) -> bool {
    let newest = warp.divergence.groups.last().is_some_and(|newest| newest.mask == group.mask);
    group.wait == Wait::Nothing && (newest || !run.setup.stack)
}

/// An instruction to name: where a function is about to return there is none, and its call stands for it.
fn place(pc: Pc, frame: &Frame) -> Pc {
    if pc == AT_RETURN { frame.call } else { pc }
}

/// A warp whose waiters are told.
struct At<'a, 'r> {
    run: &'a Run<'r>,
    block: &'a Block,
    w: usize,
    spins: &'a [Spin],
}

impl At<'_, '_> {
    fn warp(&self) -> &Warp {
        &self.block.warps[self.w]
    }

    /// The lowest of some lanes at an instruction.
    fn actor(&self, lanes: u32, pc: Pc, doing: String) -> Actor {
        self.run.context().actor(self.block.number, self.w, lanes.trailing_zeros(), pc, doing)
    }

    fn group(&self, group: &Group) -> Actor {
        let lanes = group.mask;
        let doing = if let Wait::Barrier(number) = group.wait {
            let state = self.block.barriers[number as usize];
            let (come, wanted) = (state.arrived, state.wanted.unwrap_or(self.block.live_threads));
            let missing = self.missing(number);
            format!(
                "lanes {lanes:#010x} wait at barrier {number}: {come} of {wanted} threads have arrived{missing}"
            )
        } else if group.wait == Wait::Cluster {
            format!("lanes {lanes:#010x} wait at the barrier of the cluster: {}", self.missing_in_cluster())
        } else if group.wait == Wait::Warpgroup {
            format!("lanes {lanes:#010x} wait {}", self.missing_in_warpgroup())
        } else {
            let members = self.members(group);
            let others = self.whereabouts(members & !lanes);
            format!("lanes {lanes:#010x} wait for the other lanes of mask {members:#010x}: {others}")
        };
        self.actor(lanes, group.pc, doing)
    }

    /// A group that the stack does not let run.
    fn behind(&self, group: &Group) -> Actor {
        let newest = self.warp().divergence.groups.last().map_or(0, |newest| newest.mask);
        let lanes = group.mask;
        let doing = format!(
            "lanes {lanes:#010x} wait here until lanes {newest:#010x} have reconverged with them or ended"
        );
        let pc = place(group.pc, &group.frame);
        self.actor(lanes, pc, doing)
    }

    fn meeting(&self, meeting: &Meeting) -> Actor {
        let lanes = meeting.arrived;
        let others = self.whereabouts(meeting.expected & !lanes);
        let doing = format!("lanes {lanes:#010x} wait here to reconverge with the others: {others}");
        let pc = place(meeting.pc, &meeting.frame);
        self.actor(lanes, pc, doing)
    }

    fn members(&self, group: &Group) -> u32 {
        let inst = &self.run.setup.program.insts[group.pc as usize];
        if matches!(inst.op, Op::Matrix(_) | Op::Warpgroup(_)) {
            return u32::MAX;
        }
        let slot = group.frame.base.narrow + usize::from(inst.args.e);
        let column = self.block.registers.narrow.get(slot, self.w);
        lanes_of(group.mask).fold(0, |members, lane| members | column[lane])
    }

    /// The threads that have not come to a barrier, warp by warp.
    fn missing(&self, number: u8) -> String {
        let absent = |warp: &Warp| {
            let groups = warp.divergence.groups.iter();
            let come = groups.filter(|group| group.wait == Wait::Barrier(number));
            come.fold(warp.live(), |left, group| left & !group.mask)
        };
        let warps: Vec<usize> =
            (0..self.block.warps.len()).filter(|&w| absent(&self.block.warps[w]) != 0).collect();
        let tell = |&w: &usize| {
            let others = At { w, ..*self };
            format!("; in warp {w}, {}", others.whereabouts(absent(&self.block.warps[w])))
        };
        let mut parts: Vec<String> = warps.iter().take(MAX_NAMED_WARPS).map(tell).collect();
        if warps.len() > MAX_NAMED_WARPS {
            let more = counted((warps.len() - MAX_NAMED_WARPS) as u64, "more warp", "more warps");
            parts.push(format!("; and threads of {more}"));
        }
        parts.concat()
    }

    /// What the lanes of a warp wait for that have come to an instruction of their warpgroup.
    fn missing_in_warpgroup(&self) -> String {
        let first = first_of(self.w);
        let waits = |warp: &Warp| warp.divergence.groups.iter().any(|group| group.wait == Wait::Warpgroup);
        let all = first..(first + WARPS).min(self.block.warps.len());
        let missing = all.filter(|&w| !waits(&self.block.warps[w]));
        let tell = |w: usize| {
            let others = At { w, ..*self };
            format!("; in warp {w}, {}", others.whereabouts(others.warp().lanes))
        };
        match missing.map(tell).collect::<String>() {
            nobody if nobody.is_empty() => {
                "until other warps of the block give away registers with `setmaxnreg.dec`".to_owned()
            }
            parts => format!("for the other warps of their warpgroup{parts}"),
        }
    }

    /// How many threads have not come to the barrier of the cluster, block by block.
    fn missing_in_cluster(&self) -> String {
        let (size, launch) = (self.run.setup.cluster(), self.run.setup.launch);
        let (first, rank) = (self.block.number - self.block.number % size as u64, self.block.slot / size);
        let missing =
            self.run.clusters[rank].missing.iter().enumerate().filter(|(_, missing)| **missing != 0);
        let tell = |(rank, &missing): (usize, &u32)| {
            let threads = counted(missing.into(), "thread", "threads");
            format!("{threads} of block {}", launch.block_at(first + rank as u64))
        };
        let all: Vec<String> = missing.map(tell).collect();
        format!(
            "{} not arrived",
            all.join(", ") + if all.len() == 1 && all[0].starts_with("1 ") { " has" } else { " have" }
        )
    }

    /// Where some lanes of the warp are.
    fn whereabouts(&self, lanes: u32) -> String {
        let warp = self.warp();
        let mut parts = Vec::new();
        let mut tell = |lanes: u32, what: String| {
            if lanes != 0 {
                parts.push(format!("lanes {lanes:#010x} {what}"));
            }
        };
        tell(lanes & warp.divergence.exited, "have ended".to_string());
        tell(lanes & !warp.lanes, "do not exist".to_string());
        for group in &together(warp) {
            let at = self.site(place(group.pc, &group.frame));
            let what = match group.wait {
                Wait::Barrier(number) => format!("wait at barrier {number} at {at}"),
                Wait::Cluster => format!("wait at the barrier of the cluster at {at}"),
                Wait::Collective => format!("wait for other lanes at {at}"),
                Wait::Warpgroup => format!("wait for other warps of their warpgroup at {at}"),
                Wait::Nothing => self.running(group, &at),
            };
            tell(group.mask & lanes, what);
        }
        for meeting in warp.divergence.waiting() {
            let at = self.site(place(meeting.pc, &meeting.frame));
            tell(meeting.arrived & lanes, format!("wait at {at} to reconverge with the others"));
        }
        parts.join(", ")
    }

    fn running(&self, group: &Group, at: &str) -> String {
        let is_here = |spin: &&Spin| spin.block == self.block.number && spin.warp == self.w;
        let mut here = self.spins.iter().filter(is_here);
        match here.find(|spin| spin.lanes & group.mask != 0) {
            Some(spin) => format!("spin at {}", self.site(spin.pc)),
            None if can_run(self.run, self.warp(), group) => format!("run at {at}"),
            None => format!("cannot continue from {at} until the others have reconverged with them or ended"),
        }
    }

    fn site(&self, pc: Pc) -> String {
        let site = self.run.setup.program.site(pc);
        site.source.map_or_else(|| format!("PTX line {}", site.ptx_line), |source| source.to_string())
    }
}

/// The object at a place in a block's shared memory, if there is one.
pub fn object(block: &Block, offset: u64) -> Option<Object> {
    let start = offset as usize;
    let bytes = block
        .shared
        .get(start..start + OBJECT_BYTES as usize)
        .filter(|_| block.mbarriers.is_object(offset))?;
    Some(Object::from_bits(read_le(bytes)))
}
