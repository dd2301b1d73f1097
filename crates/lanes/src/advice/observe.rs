//! One watched run of a launch: what each line did, with the addresses of its accesses.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use anyhow::Result;
use simt::{Access, AccessKind, Allocation, Buffer, Dim3, Moment, Site, Space};

use super::case::{Case, Outcome};

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// Bytes of a sector, the unit in which the caches move data.
pub(crate) const SECTOR_BYTES: u64 = 32;
/// The largest number of different patterns of addresses that are remembered of a shared variable.
const MOST_PATTERNS: usize = 1 << 14;

/// The launch as it was seen.
pub(crate) struct Observed {
    /// What the lines did, one entry for each kind of access, by line.
    pub requests: BTreeMap<Key, Requests>,
    /// How many lanes the instructions of each line had.
    pub lines: BTreeMap<Line, Activity>,
    /// The accesses to each shared variable, and how often each was made; `None` if there were too many.
    pub shared: BTreeMap<usize, Option<HashMap<Pattern, u64>>>,
    /// What one block read of each buffer.
    pub read: BTreeMap<usize, ReadByBlock>,
    /// That block.
    pub sample: Dim3,
    /// The buffers and variables in global memory, by number.
    pub buffers: Vec<(String, Buffer)>,
    /// The variables in shared memory, by number.
    pub variables: Vec<Allocation>,
    /// Barriers and fences that were executed, by line, the first of each line.
    pub ordering: BTreeMap<Line, Vec<Site>>,
}

/// A CUDA line, or a line of PTX if the file does not say from which CUDA line it was compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line {
    pub source: Option<(String, u32)>,
    pub ptx_line: u32,
}

/// The accesses that are counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub line: Line,
    pub space: Space,
    pub kind: AccessKind,
    pub bytes: u64,
    /// The buffer or the shared variable, if one contains all addresses of the request.
    pub target: Option<usize>,
}

/// What was counted of these accesses.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    /// The first of the instructions.
    pub site: Site,
    pub count: u64,
    pub sectors: u64,
    /// Sectors that would do if neighbouring lanes had neighbouring bytes.
    pub needed: u64,
    pub bank_conflicts: u64,
    /// The lanes of all requests, and the different addresses that they had.
    pub lanes: u64,
    pub addresses: u64,
    /// How often active lanes that follow each other were so many bytes apart in a whole request; `None` if there is no fixed
    /// distance.
    pub steps: BTreeMap<Option<i64>, u64>,
    /// The request that cost the most.
    pub worst: Access,
}

/// The lanes and addresses of an access to shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pattern {
    pub access: Access,
}

/// How many lanes the instructions of a line had.
#[derive(Clone, Debug)]
pub(crate) struct Activity {
    /// The first of its instructions.
    pub site: Site,
    pub instructions: u64,
    pub active: u64,
    pub idle: Idleness,
    /// How many lanes were idle with each mask of active lanes.
    pub masks: HashMap<u32, u64>,
    /// By warp of the block that is looked at: the lanes that were ever active while others were idle.
    pub used: BTreeMap<u32, u32>,
}

/// Why lanes were idle: how many lanes of how many instructions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Idleness {
    /// The block has no such thread.
    pub absent: u64,
    /// The thread has ended.
    pub ended: u64,
    /// The thread is at another instruction.
    pub elsewhere: u64,
    /// The guard of the instruction is false.
    pub guarded: u64,
}

/// What a block read of a buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadByBlock {
    /// How often each sector was requested, and each of its elements.
    pub sectors: HashMap<u64, u64>,
    pub elements: HashMap<u64, u64>,
    /// The sectors that each line requested.
    pub lines: BTreeMap<Line, (Site, u64)>,
}

/// What is known of an instruction before it runs.
struct Known {
    site: Site,
    line: Line,
    is_branch: bool,
}

impl Observed {
    /// Runs a launch and watches it.
    pub fn of(case: &Case<'_>) -> Result<(Observed, Outcome)> {
        let mut ready = case.ready(case.ptx)?;
        let variables = ready.module.variables().map(|(name, buffer)| (name.to_owned(), buffer));
        let buffers = ready.placed.buffers.iter().cloned().chain(variables).collect();
        let blocks = case.launch.grid.count();
        let mut observed = Observed {
            requests: BTreeMap::new(),
            lines: BTreeMap::new(),
            shared: BTreeMap::new(),
            read: BTreeMap::new(),
            sample: nth(case.launch.grid, blocks / 2),
            buffers,
            variables: ready.module.shared_variables(case.kernel),
            ordering: BTreeMap::new(),
        };
        let threads = case.launch.block.count();
        let mut known: HashMap<u32, Known> = HashMap::new();
        let mut watcher = |moment: &Moment<'_>| {
            let known = known.entry(moment.instruction).or_insert_with(|| Known::of(moment.site()));
            observed.see(moment, known, threads);
            ControlFlow::Continue(())
        };
        let outcome = case.run(&mut ready, case.launch, Some(&mut watcher))?;
        Ok((observed, outcome))
    }

    fn see(&mut self, moment: &Moment<'_>, known: &Known, threads: u64) {
        let activity = self.lines.entry(known.line.clone()).or_insert_with(|| Activity::of(&known.site));
        activity.add(moment, known.is_branch, threads, moment.block == self.sample);
        if is_ordering(&known.site.ptx) {
            let sites = self.ordering.entry(known.line.clone()).or_default();
            if !sites.contains(&known.site) {
                sites.push(known.site.clone());
            }
        }
        for access in &moment.accesses() {
            if access.kind != AccessKind::Mbarrier && matches!(access.space, Space::Global | Space::Shared) {
                self.add(access, known, moment.block);
            }
        }
    }

    fn add(&mut self, access: &Access, known: &Known, block: Dim3) {
        let target = self.target(access);
        let key = Key {
            line: known.line.clone(),
            space: access.space,
            kind: access.kind,
            bytes: access.bytes,
            target,
        };
        let requests = self.requests.entry(key).or_insert_with(|| Requests::of(&known.site, access));
        requests.add(access);
        match (access.space, target) {
            (Space::Shared, Some(variable)) => self.remember(variable, access),
            (Space::Global, Some(buffer)) if access.kind == AccessKind::Read && block == self.sample => {
                self.read.entry(buffer).or_default().add(access, known);
            }
            _ => {}
        }
    }

    fn remember(&mut self, variable: usize, access: &Access) {
        let patterns = self.shared.entry(variable).or_insert_with(|| Some(HashMap::new()));
        let Some(known) = patterns else { return };
        *known.entry(Pattern { access: access.clone() }).or_default() += 1;
        if known.len() > MOST_PATTERNS {
            *patterns = None;
        }
    }

    /// The buffer or variable that contains all bytes of an access.
    fn target(&self, access: &Access) -> Option<usize> {
        let (low, high) = ends(access)?;
        let has = |start: u64, bytes: u64| start <= low && high - start <= bytes;
        match access.space {
            Space::Shared => self.variables.iter().position(|known| has(known.address, known.bytes)),
            _ => self.buffers.iter().position(|(_, buffer)| has(buffer.address(), buffer.bytes())),
        }
    }

    /// The name of what an access goes to.
    pub fn name(&self, key: &Key) -> String {
        let name = match key.space {
            Space::Shared => key.target.map(|target| self.variables[target].name.clone()),
            _ => key.target.map(|target| self.buffers[target].0.clone()),
        };
        name.unwrap_or_else(|| key.space.name().to_owned())
    }
}

/// The first byte of an access, and the first one after it.
fn ends(access: &Access) -> Option<(u64, u64)> {
    let low = lanes(access).map(|(_, address)| address).min()?;
    let high = lanes(access).map(|(_, address)| address).max()?;
    Some((low, high.checked_add(access.bytes)?))
}

/// The lanes of an access, with their addresses.
pub(crate) fn lanes(access: &Access) -> impl Iterator<Item = (usize, u64)> {
    (0..LANES).filter(|lane| access.lanes >> lane & 1 != 0).map(|lane| (lane, access.addresses[lane]))
}

/// The block with a number, counted along x first.
fn nth(grid: Dim3, number: u64) -> Dim3 {
    let (x, y) = (u64::from(grid.x), u64::from(grid.y));
    Dim3::new((number % x) as u32, (number / x % y) as u32, (number / x / y) as u32)
}

/// Whether an instruction is a barrier or a fence.
fn is_ordering(ptx: &str) -> bool {
    let op = opcode(ptx);
    ["bar.sync", "barrier.sync", "bar.warp.sync", "membar", "fence"].iter().any(|name| op.starts_with(name))
}

/// The opcode, without a guard before it.
pub(crate) fn opcode(ptx: &str) -> &str {
    let ptx = if ptx.starts_with('@') { ptx.split_once(' ').map_or(ptx, |(_, rest)| rest) } else { ptx };
    ptx.split([' ', ';']).next().unwrap_or(ptx)
}

impl Known {
    fn of(site: Site) -> Known {
        let source = site.source.as_ref().map(|source| (source.file.clone(), source.line));
        let ptx_line = if source.is_some() { 0 } else { site.ptx_line };
        let is_branch = opcode(&site.ptx).starts_with("bra");
        Known { line: Line { source, ptx_line }, is_branch, site }
    }
}

impl Activity {
    fn of(site: &Site) -> Activity {
        let (site, masks) = (site.clone(), HashMap::new());
        let (idle, used) = (Idleness::default(), BTreeMap::new());
        Activity { site, instructions: 0, active: 0, idle, masks, used }
    }

    fn add(&mut self, moment: &Moment<'_>, is_branch: bool, threads: u64, is_sample: bool) {
        // All lanes that evaluate a branch take part in it; `active` has those that take it.
        let active = if is_branch { moment.mask } else { moment.active };
        let there = threads.saturating_sub(u64::from(moment.warp) * LANES as u64).min(LANES as u64);
        let present = u32::MAX.checked_shr(LANES as u32 - there as u32).unwrap_or(0);
        let ended = moment.ended(moment.warp) & present & !moment.mask;
        let count = |lanes: u32| u64::from(lanes.count_ones());
        self.instructions += 1;
        self.active += count(active);
        self.idle.absent += count(!present);
        self.idle.ended += count(ended);
        self.idle.elsewhere += count(present & !ended & !moment.mask);
        self.idle.guarded += count(moment.mask & !active);
        if active != u32::MAX {
            *self.masks.entry(active).or_default() += LANES as u64 - count(active);
        }
        if is_sample && active != present {
            *self.used.entry(moment.warp).or_default() |= active;
        }
    }
}

impl Requests {
    fn of(site: &Site, access: &Access) -> Requests {
        Requests {
            site: site.clone(),
            count: 0,
            sectors: 0,
            needed: 0,
            bank_conflicts: 0,
            lanes: 0,
            addresses: 0,
            steps: BTreeMap::new(),
            worst: access.clone(),
        }
    }

    fn add(&mut self, access: &Access) {
        let mut addresses: Vec<u64> = lanes(access).map(|(_, address)| address).collect();
        let active = addresses.len();
        self.lanes += active as u64;
        addresses.sort_unstable();
        addresses.dedup();
        self.count += 1;
        self.sectors += access.sectors;
        self.needed += if addresses.len() < active {
            // Lanes share addresses.
            (addresses.len() as u64 * access.bytes).div_ceil(SECTOR_BYTES)
        } else {
            by_lane(access)
        };
        self.bank_conflicts += access.bank_conflicts;
        self.addresses += addresses.len() as u64;
        if access.lanes.count_ones() > 1 {
            *self.steps.entry(step(access)).or_default() += 1;
        }
        if access.sectors + access.bank_conflicts > self.worst.sectors + self.worst.bank_conflicts {
            self.worst = access.clone();
        }
    }

    /// The distance between neighbouring lanes in most requests, if it is fixed in them.
    pub fn usual_step(&self) -> Option<i64> {
        let all: u64 = self.steps.values().sum();
        let usual = self.steps.iter().max_by_key(|(_, count)| **count);
        usual.filter(|(_, count)| 2 * **count > all).and_then(|(step, _)| *step)
    }
}

/// The sectors of a request in which each lane has the place of its number. Between lanes that are idle there are gaps, which are
/// no matter of the addresses.
fn by_lane(access: &Access) -> u64 {
    let mut sectors: Vec<u64> =
        lanes(access).map(|(lane, _)| lane as u64 * access.bytes / SECTOR_BYTES).collect();
    sectors.dedup();
    sectors.len() as u64
}

/// The distance between active lanes that follow each other, if it is the same for all.
fn step(access: &Access) -> Option<i64> {
    let mut found = None;
    let mut pairs = lanes(access).zip(lanes(access).skip(1));
    let is_fixed = pairs.all(|((_, address), (_, other))| {
        let distance = other.wrapping_sub(address) as i64;
        *found.get_or_insert(distance) == distance
    });
    found.filter(|_| is_fixed)
}

impl ReadByBlock {
    fn add(&mut self, access: &Access, known: &Known) {
        let mut sectors: Vec<u64> = lanes(access).map(|(_, address)| address / SECTOR_BYTES).collect();
        sectors.sort_unstable();
        sectors.dedup();
        let line = self.lines.entry(known.line.clone()).or_insert_with(|| (known.site.clone(), 0));
        line.1 += sectors.len() as u64;
        for sector in sectors {
            *self.sectors.entry(sector).or_default() += 1;
        }
        let mut elements: Vec<u64> = lanes(access).map(|(_, address)| address).collect();
        elements.sort_unstable();
        elements.dedup();
        for element in elements {
            *self.elements.entry(element).or_default() += 1;
        }
    }
}
