//! Random programs of accesses of different sizes, which overlap in part.
//!
//! The axioms of the memory model are about whole locations, so the executions of such programs cannot be enumerated.
//! The following can be compared. Whether there is a race follows from the text, because only barriers order anything,
//! besides a load that happens to observe a store (8.9.5). A load gets every byte from a store that may have provided
//! it. A load that is morally strong with a write sees that write as a whole (single-copy atomicity). And atomics on
//! one place lose nothing, even if loads overlap it. The axioms do not cover the rest, and it is not compared.
//! Specification: PTX ISA, sections 8.2.2 (overlap), 8.7 (moral strength), 8.10.1, 8.10.3.

use std::fmt::Write;

use simt::{Checks, Emulator, FaultKind, Launch, Limits, Schedule, Severity};

use crate::program::Scope;
use test_support::Random;

/// The bytes for stores and loads, and a counter after them.
const BYTES: usize = 8;
const COUNTER: usize = 8;

/// A kind of access. Every byte that a store writes is the tag of the store, which is its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    /// Stores, and loads the old value.
    Exchange,
    /// Adds to the counter.
    Add(u64),
    /// Loads a part of the counter.
    Peek,
}

/// An access of some bytes; a strong one has a scope.
#[derive(Clone, Copy, Debug)]
struct Access {
    kind: Kind,
    offset: usize,
    bytes: usize,
    scope: Option<Scope>,
    is_volatile: bool,
    thread: usize,
    /// The number of barriers that its block has passed.
    phase: usize,
    tag: u8,
}

/// A program: the block of each thread, which has a warp of its own, and the accesses in program order.
#[derive(Debug)]
pub struct Sizes {
    blocks: Vec<usize>,
    phases: usize,
    accesses: Vec<Access>,
}

impl Access {
    fn writes(&self) -> bool {
        matches!(self.kind, Kind::Store | Kind::Exchange | Kind::Add(_))
    }

    fn loads(&self) -> bool {
        matches!(self.kind, Kind::Load | Kind::Exchange)
    }

    fn covers(&self, byte: usize) -> bool {
        (self.offset..self.offset + self.bytes).contains(&byte)
    }

    fn overlaps(&self, other: &Access) -> bool {
        self.offset < other.offset + other.bytes && other.offset < self.offset + self.bytes
    }

    fn is_of_same_bytes(&self, other: &Access) -> bool {
        (self.offset, self.bytes) == (other.offset, other.bytes)
    }
}

impl Sizes {
    /// The program of a seed.
    pub fn new(seed: u64) -> Sizes {
        let numbers = &mut Random::new(seed);
        let blocks = 1 + numbers.below(2);
        let blocks: Vec<usize> = (0..2 + numbers.below(2)).map(|_| numbers.below(blocks)).collect();
        // With a single size, or with a few threads that never run at the same time, there may be no race at all.
        let sizes = numbers.pick(&[&[1, 2, 4, 8][..], &[4, 8], &[4]]);
        let weak = numbers.pick(&[2, 1000]);
        let phases = 1 + numbers.below(3);
        let mut accesses = Vec::new();
        for phase in 0..phases {
            for thread in 0..blocks.len() {
                for _ in 0..numbers.below(4) {
                    let tag = accesses.len() as u8 + 1;
                    accesses.push(access(numbers, sizes, weak, (thread, phase, tag)));
                }
            }
        }
        Sizes { blocks, phases, accesses }
    }

    /// Whether program order or a barrier orders the first before the second.
    fn is_before(&self, first: &Access, second: &Access) -> bool {
        let at = |access: &Access| self.accesses.iter().position(|other| other.tag == access.tag);
        let is_one_block = self.blocks[first.thread] == self.blocks[second.thread];
        (first.thread == second.thread && at(first) < at(second))
            || (is_one_block && first.phase < second.phase)
    }

    /// Clause 8.7: two accesses of one thread, or both strong with scopes that include each other; and both of the same
    /// bytes.
    fn is_morally_strong(&self, one: &Access, other: &Access) -> bool {
        let reaches = |access: &Access| match access.scope {
            Some(Scope::Cta) => self.blocks[one.thread] == self.blocks[other.thread],
            scope => scope.is_some(),
        };
        one.is_of_same_bytes(other) && (one.thread == other.thread || (reaches(one) && reaches(other)))
    }

    /// Whether there is a race: in none of the executions, or in all except those in which a load has observed one of
    /// the two accesses before its thread executes the other.
    fn has_race(&self) -> bool {
        let mut pairs =
            self.accesses.iter().flat_map(|one| self.accesses.iter().map(move |other| (one, other)));
        pairs.any(|(one, other)| {
            one.thread < other.thread
                && one.overlaps(other)
                && (one.writes() || other.writes())
                && !self.is_before(one, other)
                && !self.is_before(other, one)
                && !self.is_morally_strong(one, other)
        })
    }

    /// Runs the program with some seeds, and returns what was wrong with the first run that was wrong. If all were
    /// right, returns whether it has a race, and how many loads got bytes of several stores.
    pub fn check(&self, runs: impl Iterator<Item = (u64, Schedule)>) -> Result<(bool, u64), String> {
        let mut emulator = Emulator::new(Limits::default());
        let text = self.render();
        let module = emulator.load("sizes", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let memory = emulator.alloc("bytes", 16).unwrap();
        let results = emulator.alloc("results", 8 * self.accesses.len().max(1) as u64).unwrap();
        let (has_race, mut is_reported, mut torn) = (self.has_race(), false, 0);
        for (seed, schedule) in runs {
            emulator.write(memory).unwrap().fill(0);
            emulator.write(results).unwrap().fill(0);
            let grid = 1 + self.blocks.iter().max().unwrap_or(&0);
            let launch = Launch::new(grid as u32, 32 * self.blocks.len() as u32);
            let launch = launch.arg(memory.address()).arg(results.address());
            let weak_memory = seed % 4 < 3;
            let launch =
                Launch { seed, schedule, weak_memory, checks: Checks::ALL, max_steps: 100_000, ..launch };
            let report = emulator.launch(&module, "sizes", &launch).map_err(|error| error.to_string())?;
            let failure = |message: String| format!("seed {seed}, {schedule:?}: {message}");
            let errors = report.faults.iter().filter(|fault| fault.severity == Severity::Error);
            let races = errors.clone().filter(|fault| fault.kind == FaultKind::Race);
            if let Some(other) = errors.clone().find(|fault| fault.kind != FaultKind::Race) {
                return Err(failure(other.to_string()));
            }
            if let Some(race) = races.clone().next() {
                is_reported = true;
                if !has_race {
                    return Err(failure(format!("there is no race, and this was reported: {race}")));
                }
            }
            let loaded = emulator.read(results).unwrap().to_vec();
            torn += self.check_loads(&loaded).map_err(failure)?;
            let counter = u64::from_le_bytes(
                emulator.read(memory).unwrap()[COUNTER..].try_into().expect("eight bytes"),
            );
            self.check_counter(counter).map_err(failure)?;
        }
        if has_race && !is_reported {
            Err("the race was not reported".to_owned())
        } else {
            Ok((has_race, torn))
        }
    }

    /// Checks the results of the loads. Returns how many got bytes of several stores.
    fn check_loads(&self, loaded: &[u8]) -> Result<u64, String> {
        let mut torn = 0;
        for (index, load) in self.accesses.iter().enumerate().filter(|(_, access)| access.loads()) {
            let bytes = &loaded[8 * index..][..load.bytes];
            let places = || bytes.iter().zip(load.offset..);
            for (&tag, byte) in places() {
                self.check_byte(load, tag, byte)
                    .map_err(|why| format!("{load:?} brought {bytes:?}: {why}"))?;
            }
            torn += u64::from(bytes.iter().any(|&tag| tag != bytes[0]));
            // One byte is from a write that is morally strong with the load, and one from an older write.
            let whole = |tag: u8| self.find(tag).is_some_and(|write| self.is_morally_strong(load, write));
            let write = bytes.iter().find(|&&tag| whole(tag)).and_then(|&tag| self.find(tag));
            let is_older = |tag: u8, write: &Access| {
                self.find(tag).is_none_or(|other| other.tag != write.tag && self.is_before(other, write))
            };
            if let Some(write) = write.filter(|write| bytes.iter().any(|&tag| is_older(tag, write))) {
                return Err(format!("{load:?} brought {bytes:?}, which is a part of {write:?}"));
            }
        }
        Ok(torn)
    }

    fn find(&self, tag: u8) -> Option<&Access> {
        self.accesses.iter().find(|access| access.tag == tag)
    }

    /// A byte must come from a write to it that does not follow the load, and that no other write between the two
    /// overwrites.
    fn check_byte(&self, load: &Access, tag: u8, byte: usize) -> Result<(), &'static str> {
        let write = self.find(tag);
        if tag != 0 && !write.is_some_and(|write| write.writes() && write.covers(byte)) {
            return Err("nobody wrote that there");
        }
        if write.is_some_and(|write| write.tag == load.tag || self.is_before(load, write)) {
            return Err("that is written later");
        }
        let overwrites = |other: &&Access| {
            let is_since = write.is_none_or(|write| other.tag != write.tag && self.is_before(write, other));
            other.writes() && other.covers(byte) && is_since && self.is_before(other, load)
        };
        if self.accesses.iter().any(|other| overwrites(&other)) {
            Err("that is overwritten before")
        } else {
            Ok(())
        }
    }

    /// If all additions to the counter are morally strong with each other, none is lost.
    fn check_counter(&self, counter: u64) -> Result<(), String> {
        let adds = || self.accesses.iter().filter(|access| matches!(access.kind, Kind::Add(_)));
        let strong = |one: &Access| adds().all(|other| self.is_morally_strong(one, other));
        let value = |access: &Access| if let Kind::Add(value) = access.kind { value } else { 0 };
        let sum: u64 = adds().map(value).sum();
        if !adds().all(strong) || counter == sum {
            return Ok(());
        }
        Err(format!("the counter holds {counter} and not {sum}"))
    }

    /// The program as PTX: each thread is the first lane of a warp.
    fn render(&self) -> String {
        let mut text = String::from(HEADER);
        for (thread, block) in self.blocks.iter().enumerate() {
            let place = 1024 * block + 32 * thread;
            let _ = writeln!(text, "\tsetp.eq.u32 \t%p0, %place, {place};\n\t@%p0 bra \tT{thread};");
        }
        barriers(&mut text, 1..self.phases);
        text.push_str("\tbra.uni \tEND;\n");
        for thread in 0..self.blocks.len() {
            let _ = writeln!(text, "T{thread}:");
            let mut phase = 0;
            for (index, access) in
                self.accesses.iter().enumerate().filter(|(_, access)| access.thread == thread)
            {
                barriers(&mut text, phase..access.phase);
                phase = access.phase;
                render(&mut text, index, access);
            }
            barriers(&mut text, phase + 1..self.phases);
            text.push_str("\tbra.uni \tEND;\n");
        }
        text.push_str("END:\n\tret;\n}\n");
        text
    }
}

const HEADER: &str = "\
.version 8.0
.target sm_70
.address_size 64
.visible .entry sizes(.param .u64 memory, .param .u64 results)
{
\t.reg .pred \t%p<2>;
\t.reg .b32 \t%t<3>, %place, %w;
\t.reg .b64 \t%memory, %results, %d;
\tld.param.u64 \t%memory, [memory];
\tld.param.u64 \t%results, [results];
\tmov.u32 \t%t0, %tid.x;
\tmov.u32 \t%t1, %ctaid.x;
\tmad.lo.u32 \t%place, %t1, 1024, %t0;
";

fn barriers(text: &mut String, phases: std::ops::Range<usize>) {
    phases.for_each(|_| text.push_str("\tbarrier.sync \t1;\n"));
}

fn access(
    numbers: &mut Random,
    sizes: &[usize],
    weak: usize,
    (thread, phase, tag): (usize, usize, u8),
) -> Access {
    let bytes = numbers.pick(sizes);
    let kind = match numbers.below(12) {
        4..8 => Kind::Store,
        8 | 9 if bytes >= 4 => Kind::Exchange,
        10 => Kind::Add(1 + numbers.below(5) as u64),
        11 => Kind::Peek,
        _ => Kind::Load,
    };
    let is_atomic = matches!(kind, Kind::Exchange | Kind::Add(_));
    let scope = numbers.pick(&[Scope::Cta, Scope::Gpu, Scope::Gpu, Scope::Sys]);
    let scope = (is_atomic || !numbers.once_in(weak)).then_some(scope);
    let is_volatile = scope.is_some() && !is_atomic && numbers.once_in(4);
    let scope = if is_volatile { Some(Scope::Sys) } else { scope };
    let (offset, bytes) = match kind {
        Kind::Add(_) => (COUNTER, 8),
        Kind::Peek => (COUNTER + bytes * numbers.below(BYTES / bytes), bytes),
        _ => (bytes * numbers.below(BYTES / bytes), bytes),
    };
    Access { kind, offset, bytes, scope, is_volatile, thread, phase, tag }
}

fn render(text: &mut String, index: usize, access: &Access) {
    let Access { kind, offset, bytes, scope, is_volatile, tag, .. } = *access;
    let how = match scope {
        None => ".weak".to_owned(),
        Some(_) if is_volatile => ".volatile".to_owned(),
        Some(scope) => format!(".relaxed.{scope}"),
    };
    let (bits, register) = (8 * bytes, if bytes == 8 { "%d" } else { "%w" });
    let repeated = u64::from_le_bytes([tag; 8]) >> (64 - bits);
    let value = format!("\tmov.b{} \t{register}, {repeated};\n", if bytes == 8 { 64 } else { 32 });
    let keep = format!("\tst.global.u{bits} \t[%results+{}], {register};\n", 8 * index);
    let _ = match kind {
        Kind::Load => writeln!(text, "\tld{how}.global.u{bits} \t{register}, [%memory+{offset}];\n{keep}"),
        Kind::Peek => writeln!(text, "\tld{how}.global.u{bits} \t{register}, [%memory+{offset}];"),
        Kind::Store => writeln!(text, "{value}\tst{how}.global.u{bits} \t[%memory+{offset}], {register};"),
        Kind::Exchange => writeln!(
            text,
            "{value}\tatom{how}.global.exch.b{bits} \t{register}, [%memory+{offset}], {register};\n{keep}"
        ),
        Kind::Add(value) => {
            writeln!(text, "\tatom{how}.global.add.u64 \t%d, [%memory+{offset}], {value};")
        }
    };
}
