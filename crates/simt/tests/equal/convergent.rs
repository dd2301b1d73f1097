//! Kernels whose warps stay together for long, for the executor that runs all warps of a block at once: code that it
//! can run, and code with which it has to give up.
//!
//! The lanes of other random kernels diverge so soon, and their warps access each other's bytes so soon, that this
//! executor is hardly used. The kernels here access memory at addresses that are linear in the thread, each computed in
//! registers of its own. How often their warps keep to separate bytes is drawn for each kernel ([`rows`](crate::rows)).
//! Their branches skip only a few instructions, or all lanes of a warp take them. Two kernels of three are short and
//! consist mainly of rows that warps pass to each other. Local memory and generic addresses are left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use simt::{Checks, Dim3, Launch, Reconvergence, Schedule};

use crate::kernel::{Kernel, areas, head};
use crate::rows::Pattern;
use crate::writer::{Style, Width, Writer};
use test_support::Random;

/// How deeply statements may be nested.
const DEEPEST: usize = 3;

/// The place of a statement in the control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// All warps execute it the same number of times, so it may contain a barrier.
    Open,
    /// Some warps execute it.
    Warps,
    /// It is in a short section that some lanes skip.
    Region,
}

/// A kernel that is being written.
pub struct Convergent {
    pub writer: Writer,
    /// Registers of 32 and of 64 bits that are linear in the thread and the warp.
    pub planes: [Vec<String>; 2],
    /// How many registers have been named so far.
    named: usize,
    /// For each area, how it was accessed last since the last barrier, and whether there was a store.
    pub since: BTreeMap<&'static str, (Pattern, bool)>,
    /// How many of a hundred accesses avoid the bytes that other warps access.
    pub care: u64,
    /// How many of a hundred statements are of kinds with which warps can hardly be kept together.
    trouble: u64,
    /// Whether it consists mainly of rows of memory that warps pass to each other.
    pub passes: bool,
}

/// The kernel of a seed.
pub fn convergent(seed: u64) -> Kernel {
    let mut numbers = Random::new(seed ^ 0x6d61_7263_6800_0000);
    let threads = numbers.pick(&[32, 64, 64, 80, 96, 100, 128, 128, 160, 200, 256, 256, 480, 1000, 1024]);
    let blocks = numbers.pick(&[1, 1, 2, 3, 4, 6]).min(1.max(2048 / threads));
    let block = Dim3::new(threads, 1, 1);
    let grid = if blocks == 6 && numbers.chance(50) { Dim3::new(3, 2, 1) } else { Dim3::new(blocks, 1, 1) };
    let style = style(&mut numbers, block, grid);
    let (areas, mut bytes) = areas(&mut numbers, &style);
    // The part of each block begins at the same place of a row.
    let part = (bytes[1] / grid.count()).next_multiple_of(512);
    bytes[1..3].fill(part * grid.count());
    let areas = areas.into_iter().filter(|area| !area.space.is_empty() && !area.is_tally && !area.is_own);
    let areas = areas.filter(|area| matches!(area.space, ".global" | ".shared")).collect();
    let launch = launch(&mut numbers, block, grid);
    let passes = !seed.is_multiple_of(3);
    let (least, most) = if passes { (1, 8) } else { (10, if threads > 256 { 60 } else { 100 }) };
    let budget = least + numbers.below(most) as usize;
    let given = [numbers.below(200) as u32, numbers.bits() as u32];
    let (care, trouble) =
        numbers.pick(&[(100, 0), (100, 0), (100, 0), (95, 0), (80, 0), (100, 4), (100, 30)]);
    let has_ramp = numbers.chance(90);
    let mut kernel = Convergent {
        writer: Writer::new(numbers, style, areas, 0),
        planes: [0, 1].map(|_| Vec::new()),
        named: 0,
        since: BTreeMap::new(),
        care,
        trouble,
        passes,
    };
    kernel.write(part, budget);
    let mut head = head(&kernel.writer);
    let named = kernel.named;
    writeln!(head, "\t.reg .b32 %i<{named}>;\n\t.reg .b64 %w<{named}>;\n\t.reg .pred %o<2>;").unwrap();
    Kernel { head, lines: kernel.writer.lines, launch, bytes, numbers: given, has_ramp, times: 1 }
}

fn style(numbers: &mut Random, block: Dim3, grid: Dim3) -> Style {
    Style {
        sm: numbers.pick(&[60, 70, 70, 80]),
        guards: numbers.pick(&[0, 5, 15]),
        weights: [1, 0, 0, 0, 0, 0],
        communicates: numbers.chance(12),
        peeks: false,
        delay: 0,
        tallies: false,
        looks_at_clock: false,
        prints: false,
        is_faulty: false,
        has_lines: numbers.chance(10),
        // Includes the threads that are missing in the last warp.
        threads: block.count().next_multiple_of(32),
        blocks: grid.count(),
        turns: 5,
    }
}

fn launch(numbers: &mut Random, block: Dim3, grid: Dim3) -> Launch {
    let checks = match numbers.below(20) {
        0..4 => Checks { races: true, ..Checks::NONE },
        4 | 5 => Checks { initialisation: true, ..Checks::NONE },
        6 | 7 => Checks::ALL,
        8..12 => Checks { synchronisation: true, ..Checks::NONE },
        _ => Checks::NONE,
    };
    let schedule = match numbers.below(8) {
        0 => Schedule::Random,
        1 => Schedule::Hunt,
        _ => Schedule::RoundRobin,
    };
    Launch {
        schedule,
        weak_memory: numbers.chance(8),
        reconvergence: numbers.pick(&[Reconvergence::Auto, Reconvergence::Stack, Reconvergence::Its]),
        checks,
        seed: numbers.below(1000),
        resident_blocks: numbers.pick(&[16, 1, 2]),
        max_steps: if numbers.chance(5) { 1 + numbers.below(2000) } else { 200_000 },
        ..Launch::new(grid, block)
    }
}

impl Convergent {
    fn write(&mut self, part: u64, budget: usize) {
        let threads = Dim3::new(self.writer.style.threads as u32, 1, 1);
        self.afresh(|kernel| kernel.writer.prologue(threads, part));
        for name in ["%x0", "%x1", "%x2", "%n0", "%n1"] {
            self.planes[0].push(name.to_owned());
        }
        for factor in [1, 8] {
            let d = self.name(Width::B64);
            self.line(format!("mul.wide.u32 {d}, %x0, {factor};"));
            self.planes[1].push(d);
        }
        self.writer.budget = self.writer.lines.len() + budget;
        while self.writer.lines.len() < self.writer.budget {
            self.statement(0, Place::Open);
        }
        self.barrier();
        self.afresh(|kernel| {
            // The last values in shared memory, in the first words and in the last.
            let last = 8192 - kernel.writer.style.threads * 4;
            kernel.writer.line("mad.wide.u32 %u0, %x0, 4, %b3;");
            for offset in [0, last] {
                kernel.writer.line(format!("ld.shared.u32 %t0, [%u0+{offset}];"));
                kernel.writer.line("mad.wide.u32 %y0, %t0, 40503, %y0;");
            }
            kernel.writer.epilogue(true);
        });
    }

    /// Writes something with new registers in place of the temporary ones for addresses, and of its counter.
    pub fn afresh(&mut self, write: impl FnOnce(&mut Convergent)) {
        let start = self.writer.lines.len();
        write(self);
        let depth = self.writer.loops.len();
        let counters = [format!("%c{depth}"), "%c4".to_owned()];
        let passing = ["%t0", "%t1", "%t2", "%t3", "%u0", "%u1", "%u2", "%u3"].map(str::to_owned);
        for passing in passing.iter().chain(&counters) {
            let own = self.name(if passing.starts_with("%u") { Width::B64 } else { Width::B32 });
            for line in &mut self.writer.lines[start..] {
                *line = line.replace(passing.as_str(), &own);
            }
        }
    }

    /// A register that has not been written.
    pub fn name(&mut self, width: Width) -> String {
        self.named += 1;
        format!("{}{}", if width == Width::B64 { "%w" } else { "%i" }, self.named - 1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.writer.chance(percent)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.writer.below(bound)
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        self.writer.line(text);
    }

    /// Writes a statement of any kind that is allowed here.
    fn statement(&mut self, depth: usize, place: Place) {
        if self.passes {
            return self.afresh(|kernel| match kernel.below(16) {
                0 | 1 => kernel.writer.value(),
                2 => kernel.plane(place),
                3 => kernel.crowd(),
                4..8 => kernel.barrier(),
                _ => kernel.pass(place),
            });
        }
        let nests = depth < DEEPEST && self.writer.lines.len() < self.writer.budget;
        let is_free = place != Place::Region;
        self.afresh(|kernel| match kernel.below(26) {
            0..3 => kernel.writer.value(),
            3..5 => kernel.plane(place),
            5 | 6 => kernel.choice(),
            7 | 8 if nests => kernel.region(depth),
            9 | 10 if nests && is_free => kernel.split(depth, place),
            11 | 12 if nests && is_free => kernel.turns(depth, place),
            13 if place == Place::Open => kernel.tree(),
            14 if place == Place::Open => kernel.exchange(),
            15 if place == Place::Open => kernel.barrier(),
            16 if depth == 0 => kernel.end(),
            17 => kernel.trouble(),
            18 | 19 => kernel.pass(place),
            20 if place == Place::Open && kernel.chance(50) => kernel.crowd(),
            21 | 22 if nests && is_free => kernel.laps(depth),
            23 if place == Place::Open => kernel.writer.shuffle(),
            _ => kernel.access(place),
        });
    }

    /// Writes some statements, at least one.
    fn statements(&mut self, depth: usize, most: u64, place: Place) {
        // After the statements, only those registers are known to be linear that were linear before, because some lanes
        // may have skipped the statements.
        let known = self.planes.clone();
        for _ in 0..=self.below(most) {
            self.statement(depth + 1, place);
        }
        self.planes = known;
    }

    pub fn barrier(&mut self) {
        let number = self.writer.pick(&[0, 0, 0, 0, 0, 1]);
        self.line(format!("bar.sync {number};"));
        self.since.clear();
    }

    /// Writes something that the executor cannot run, or may not run.
    fn trouble(&mut self) {
        let trouble = self.trouble;
        if !self.chance(trouble) {
            return self.writer.value();
        }
        if self.chance(50) { self.writer.synchronise() } else { self.writer.atomic() }
    }

    /// A linear register of this width, or a number.
    fn operand(&mut self, width: Width) -> String {
        let known = &self.planes[usize::from(width == Width::B64)];
        if known.is_empty() || self.writer.numbers.chance(30) {
            return if self.writer.chance(30) {
                self.writer.number(width)
            } else {
                self.writer.small().to_string()
            };
        }
        let known = known.clone();
        self.writer.pick(&known)
    }

    /// Computes a value that is linear in the thread and the warp, in a new register or in one that had another such
    /// value.
    fn plane(&mut self, place: Place) {
        let wide = self.chance(40);
        let (width, bits) = if wide { (Width::B64, 64) } else { (Width::B32, 32) };
        let is_own = |name: &&String| name.starts_with("%i") || name.starts_with("%w");
        let known: Vec<String> = self.planes[usize::from(wide)].iter().filter(is_own).cloned().collect();
        let is_again = place != Place::Region && !known.is_empty() && self.chance(35);
        let d = if is_again { self.writer.pick(&known) } else { self.name(width) };
        let [a, b] = [(); 2].map(|()| self.operand(width));
        let (narrow, small) = (self.operand(Width::B32), self.writer.small());
        let sign = self.writer.pick(&['u', 's']);
        let special = self.writer.pick(&["%tid.x", "%warpid", "%warpid", "%laneid", "%ctaid.x"]);
        let text = match self.below(12) {
            0 | 1 => format!("add.{sign}{bits} {d}, {a}, {b};"),
            2 => format!("sub.{sign}{bits} {d}, {a}, {b};"),
            3 => format!("mul.lo.{sign}{bits} {d}, {a}, {small};"),
            4 => format!("mad.lo.{sign}{bits} {d}, {a}, {small}, {b};"),
            5 => format!("shl.b{bits} {d}, {a}, {};", small % 8),
            6 => format!("neg.s{bits} {d}, {a};"),
            7 | 8 if wide => format!("mul.wide.{sign}32 {d}, {narrow}, {small};"),
            9 if wide => format!("mad.wide.{sign}32 {d}, {narrow}, {small}, {a};"),
            _ if wide => format!("cvt.{sign}64.{sign}32 {d}, {narrow};"),
            7 if self.chance(30) => format!("shr.{sign}32 {d}, {a}, {};", small % 4),
            _ => format!("mov.u32 {d}, {special};"),
        };
        self.line(text);
        if !is_again {
            self.planes[usize::from(wide)].push(d.clone());
        }
        if self.chance(60) {
            self.absorb(&d);
        }
    }

    /// Chooses one of two values by a predicate that is the same for all lanes of a warp, and then again for some
    /// lanes.
    fn choice(&mut self) {
        let (o, p, end) = (self.below(2), self.comparison(), self.writer.label());
        for is_again in [false, true] {
            let (d, some, n) = (self.name(Width::B32), self.below(6), self.below(3));
            let [a, b] = [(); 2].map(|()| self.writer.pick(&["%n0", "%n1", "%n2", "1", "7"]));
            let op = self.writer.pick(&["eq", "ne", "lt", "ge"]);
            self.line(format!("setp.{op}.u32 %o{o}, %n{n}, {some};"));
            self.line(format!("selp.b32 {d}, {a}, {b}, %o{o};"));
            self.absorb(&d);
            if !is_again {
                self.line(format!("@{p} bra {end};"));
            }
        }
        self.writer.place(&end);
    }

    /// Mixes registers into the one that is stored at the end.
    pub fn absorb(&mut self, registers: &str) {
        for register in registers.trim_matches(['{', '}']).split(", ") {
            match register.as_bytes()[1] {
                b'q' | b'w' => self.line(format!("mad.lo.s64 %y0, %y0, 31, {register};")),
                b'h' => self.line(format!("cvt.u64.u16 %u2, {register}; add.s64 %y0, %y0, %u2;")),
                b'f' => self.line(format!("mov.b32 %t2, {register}; mad.wide.u32 %y0, %t2, 3, %y0;")),
                _ => self.line(format!("mad.wide.u32 %y0, {register}, 40503, %y0;")),
            }
        }
    }

    /// A comparison whose result may differ between the lanes of a warp; returns its predicate.
    pub fn comparison(&mut self) -> String {
        if self.chance(15) {
            return self.writer.comparison();
        }
        if self.chance(25) {
            // Lanes that are not neighbours.
            let (p, mask) = (self.writer.predicate(), self.writer.pick(&[1, 5, 16, 33]));
            self.line(format!("and.b32 %t2, %x0, {mask}; setp.ne.u32 {p}, %t2, 0;"));
            return p;
        }
        let width = if self.chance(25) { Width::B64 } else { Width::B32 };
        let (p, a) = (self.writer.predicate(), self.operand(width));
        let threads = self.writer.style.threads;
        let b = match self.below(10) {
            0..6 => self.below(threads + 2).to_string(),
            6 if width == Width::B64 => {
                let far = [i64::MIN, i64::MIN + 1, i64::MAX, -1, -32, 1 << 60, 1 << 62];
                self.writer.pick(&far).to_string()
            }
            6 | 7 => self.writer.number(width),
            _ => self.operand(width),
        };
        let op = self.writer.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
        let (sign, bits) = (self.writer.pick(&['u', 's']), width.bits());
        self.line(format!("setp.{op}.{sign}{bits} {p}, {a}, {b};"));
        p
    }

    /// A comparison whose result is the same for all lanes of a warp; returns its predicate.
    pub fn comparison_of_warps(&mut self) -> String {
        let p = self.writer.predicate();
        let warps = self.writer.style.threads.div_ceil(32);
        let some = if self.chance(30) { 1 } else { self.below(warps.min(6) + 1) };
        let op = self.writer.pick(&["lt", "ge", "eq", "ne", "ne"]);
        match self.below(6) {
            0 => return self.writer.uniform_comparison().to_owned(),
            1 => {
                self.line("mov.u32 %t2, %warpid;");
                self.line(format!("setp.{op}.u32 {p}, %t2, {some};"));
            }
            2 => {
                let op = self.writer.pick(&["lt", "ge"]);
                self.line(format!("setp.{op}.u32 {p}, %x0, {};", some * 32));
            }
            3 | 4 => {
                // Every second or fourth warp.
                let (mask, one) = self.writer.pick(&[(1, 0), (1, 0), (1, 1), (2, 0), (3, 1)]);
                self.line("shr.u32 %t2, %x0, 5;");
                self.line(format!("and.b32 %t2, %t2, {mask};"));
                self.line(format!("setp.eq.u32 {p}, %t2, {one};"));
            }
            _ => {
                self.line("div.u32 %t2, %x0, 32;");
                self.line(format!("setp.{op}.s32 {p}, %t2, {some};"));
            }
        }
        p
    }

    /// Writes a section that some lanes skip.
    fn region(&mut self, depth: usize) {
        let p = if self.chance(60) { self.comparison() } else { self.comparison_of_warps() };
        let (not, end) = (self.writer.pick(&["", "!"]), self.writer.label());
        self.line(format!("@{not}{p} bra {end};"));
        self.statements(depth, 3, Place::Region);
        self.writer.place(&end);
    }

    /// Writes a branch with warps on both sides, which may wait at different barriers.
    fn split(&mut self, depth: usize, place: Place) {
        let p = self.comparison_of_warps();
        let has_barrier = place == Place::Open && self.chance(25);
        let (other, end) = (self.writer.label(), self.writer.label());
        let numbers = self.writer.pick(&[(0, 0), (0, 0), (0, 0), (0, 1)]);
        let changed = self.planes[0].iter().rfind(|name| name.starts_with("%i")).cloned();
        self.line(format!("@{p} bra {other};"));
        if let Some(d) = &changed {
            self.line(format!("add.u32 {d}, {d}, 5;"));
        }
        self.statements(depth, 3, Place::Warps);
        if has_barrier {
            self.line(format!("bar.sync {};", numbers.0));
        }
        self.line(format!("bra {end};"));
        self.writer.place(&other);
        self.statements(depth, 3, Place::Warps);
        if has_barrier {
            self.line(format!("bar.sync {};", numbers.1));
            self.since.clear();
        }
        self.writer.place(&end);
        // The register that one side has changed is used after the next barrier.
        if let Some(d) = changed.filter(|_| place == Place::Open) {
            self.barrier();
            let next = self.name(Width::B32);
            self.line(format!("add.u32 {next}, {d}, 3;"));
            self.absorb(&next);
        }
    }

    /// A loop with the same number of iterations for all warps, or another one for each warp, or over an area by the
    /// threads of the block.
    fn turns(&mut self, depth: usize, place: Place) {
        let counter = format!("%c{}", self.writer.loops.len());
        let (start, again, end) = (self.writer.label(), self.writer.label(), self.writer.label());
        let threads = self.writer.style.threads;
        let kind = self.below(4);
        match kind {
            0 | 1 => {
                let count = self.writer.pick(&[1, 2, 2, 3, 3, 4, 9, 12]);
                self.line(format!("mov.u32 {counter}, {count};"));
            }
            2 => {
                let shift = self.writer.pick(&[5, 6, 7, 8]);
                self.line(format!("shr.u32 {counter}, %x0, {shift};"));
                self.line(format!("and.b32 {counter}, {counter}, 3;"));
                self.line(format!("add.u32 {counter}, {counter}, 1;"));
            }
            _ => self.line(format!("mov.u32 {counter}, %x0;")),
        }
        self.writer.place(&start);
        self.writer.loops.push(crate::writer::Loop {
            counter: counter.clone(),
            again: again.clone(),
            end: end.clone(),
        });
        let inside = if kind < 2 { place } else { Place::Warps };
        if kind == 3 {
            self.walk(&counter);
        }
        // One iteration may load what the one before has stored, so each needs a barrier.
        let has_barrier = inside == Place::Open && self.chance(60);
        if has_barrier {
            self.barrier();
        }
        self.statements(depth, 3, inside);
        if has_barrier {
            self.barrier();
        }
        self.writer.loops.pop();
        self.writer.place(&again);
        if kind == 3 {
            let bound = threads * 3 - self.writer.pick(&[0, 0, 0, 32, 7]);
            self.line(format!("add.u32 {counter}, {counter}, {threads};"));
            self.line(format!("setp.lt.u32 %k, {counter}, {bound};"));
        } else {
            self.line(format!("add.s32 {counter}, {counter}, -1;"));
            self.line(format!("setp.gt.s32 %k, {counter}, 0;"));
        }
        self.line(format!("@%k bra {start};"));
        self.writer.place(&end);
    }

    /// A loop that lanes leave one after another. They wait for those that are still in it.
    fn laps(&mut self, depth: usize) {
        let [counter, laps, sum] = [(); 3].map(|()| self.name(Width::B32));
        let (start, end) = (self.writer.label(), self.writer.label());
        let most = self.writer.pick(&[1, 3, 7, 7, 15]);
        let from = if self.chance(50) { self.writer.source(Width::B32) } else { "%x0".to_owned() };
        self.line(format!("and.b32 {laps}, {from}, {most};"));
        self.line(format!("mov.u32 {counter}, 0; mov.u32 {sum}, %x1;"));
        if self.chance(40) {
            self.line(format!("setp.ge.u32 %k, {counter}, {laps};"));
            self.line(format!("@%k bra {end};"));
        }
        self.writer.place(&start);
        self.statements(depth, 2, Place::Region);
        self.line(format!("mad.lo.u32 {sum}, {sum}, 3, {counter};"));
        if depth < 2 && self.chance(25) {
            self.laps(depth + 1);
        }
        self.line(format!("add.u32 {counter}, {counter}, 1;"));
        self.line(format!("setp.lt.u32 %k, {counter}, {laps};"));
        self.line(format!("@%k bra {start};"));
        self.writer.place(&end);
        self.absorb(&sum);
        // Uses the counter after the loop, where it differs between lanes.
        if self.chance(15) {
            self.absorb(&counter);
        }
    }

    /// Some lanes end here, or some warps.
    fn end(&mut self) {
        let p = if self.chance(50) { self.comparison() } else { self.comparison_of_warps() };
        let text = self.writer.pick(&["exit;", "ret;", "bra $end;", "bra $end;"]);
        if self.chance(20) {
            let on = self.writer.label();
            self.line(format!("@{p} bra {on};"));
            self.line("ret;");
            self.writer.place(&on);
        } else {
            self.line(format!("@{p} {text}"));
        }
    }
}
