//! Instructions of a warpgroup: four warps start a matrix product together, and each of them waits for it.
//!
//! The lanes of a warp execute them together, as they do other matrix instructions. A product and `setmaxnreg` are executed by the
//! four warps of a warpgroup together: who comes waits for the others. (The specification has a warp wait only for its own lanes;
//! a program in which a warp goes on until it lets another one come to the product would be refused.) A product is carried out
//! at a time that the seed decides, until a warp has waited for it, and in the order in which the warpgroup has started its products.
//! To the race checker it reads its matrices in the name of an agent ([`crate::checkers::memory_model::bulk`]).
//!
//! `setmaxnreg` moves registers between the warps of a block and a pool, of which a kernel has as many as its bounds allow
//! (`.maxnreg`, or the threads and blocks of `.maxntid` and `.minnctapersm`); a kernel without bounds has as many as it asks for,
//! because the assembler leaves the instruction out then. Warps that have ended give theirs back.
//! Left out: what the products cost; registers that a kernel uses beyond what it has kept, because registers of PTX are virtual.
//! Specification: PTX ISA, sections 9.7.15 and 9.7.19.5.

use crate::access::lane_order::LaneOrder;
use crate::checkers::findings::Finding;
use crate::checkers::fragments::{FragmentUse, Misuse};
use crate::checkers::initialisation::AccessCheck;
use crate::compile::inst::Pc;
use crate::exec::cursor::Cursor;
use crate::exec::faults::Problem;
use crate::exec::state::Stop;
use crate::isa::op::Op;
use crate::isa::op::warpgroup::{Product, REGISTERS_OF_A, ROWS, Source, Warpgroup};
use crate::machine::bulk::{Area, Reached};
use crate::machine::descriptor::{Descriptor, Flaw, UNIT};
use crate::machine::divergence::Wait;
use crate::machine::registers::{Bank, FULL_MASK, WARP_SIZE, Wide, lanes_of};
use crate::machine::warpgroup::{EarlyUse, Held, UnderWay, Use, WARPS, first_of};
use crate::order::Space;
use crate::report::fault::FaultKind;
use crate::report::location::AccessKind;

/// How many instructions of warpgroups and barriers a product takes at most, unless it takes until a warp waits for it.
const LONGEST: u64 = 8;

impl Cursor<'_, '_> {
    /// Lets a group come to an instruction of a warpgroup.
    pub fn warpgroup(&mut self, g: usize, op: Warpgroup) -> Result<(), Stop> {
        let pc = self.group(g).pc;
        if !self.is_whole_warp(g)? {
            return Ok(());
        }
        self.pass_products();
        let w = self.w;
        match op {
            Warpgroup::Fence => self.block.warpgroups.warps[w].fences += 1,
            Warpgroup::Commit => self.block.warpgroups.commit(w),
            Warpgroup::Wait(groups) => self.await_products(groups),
            Warpgroup::Multiply(_) | Warpgroup::Registers { .. } => return self.meet(pc),
        }
        self.leave_together();
        Ok(())
    }

    /// The warp waits for the others of its warpgroup.
    fn meet(&mut self, pc: Pc) -> Result<(), Stop> {
        let first = first_of(self.w);
        let threads = self.run.setup.launch.block.count();
        if threads < ((first + WARPS) * WARP_SIZE) as u64 {
            let message = format!(
                "four whole warps must execute this instruction together, but the warpgroup from warp {first} on has {} threads",
                threads - (first * WARP_SIZE) as u64
            );
            return Err(self.not_together(self.w, pc, message));
        }
        let stack = self.run.setup.stack;
        let divergence = &mut self.warp_mut().divergence;
        divergence.groups.iter_mut().for_each(|group| group.wait = Wait::Nothing);
        if !stack && divergence.groups.len() > 1 {
            divergence.unite();
        }
        divergence.groups.iter_mut().for_each(|group| group.wait = Wait::Warpgroup);
        self.complete_warpgroups()
    }

    /// Carries out what the warps of warpgroups wait for, where all four have come.
    pub fn complete_warpgroups(&mut self) -> Result<(), Stop> {
        let mut firsts = (0..self.block.warps.len()).step_by(WARPS);
        while let Some(first) = firsts.next() {
            // Another warpgroup may have waited for the registers that this one has given away.
            if self.complete_warpgroup(first)? {
                firsts = (0..self.block.warps.len()).step_by(WARPS);
            }
        }
        Ok(())
    }

    /// The instruction at which a warp waits for others of its warpgroup, if it does.
    fn waits_at(&self, w: usize) -> Option<Pc> {
        let groups = &self.block.warps.get(w)?.divergence.groups;
        groups.first().filter(|group| group.wait == Wait::Warpgroup).map(|group| group.pc)
    }

    fn complete_warpgroup(&mut self, first: usize) -> Result<bool, Stop> {
        let warps = first..first + WARPS;
        let Some((waiting, pc)) = warps.clone().find_map(|w| Some((w, self.waits_at(w)?))) else {
            return Ok(false);
        };
        for other in warps.clone() {
            if self.block.warps[other].divergence.exited != 0 {
                let message = format!(
                    "the four warps of a warpgroup must execute this instruction together, but warp {other} has ended, or some of its lanes"
                );
                return Err(self.not_together(waiting, pc, message));
            }
            if let Some(at) = self.waits_at(other).filter(|&at| at != pc) {
                return Err(self.two_instructions((waiting, pc), (other, at)));
            }
        }
        if warps.clone().any(|w| self.waits_at(w).is_none()) {
            return Ok(false);
        }
        match self.inst(pc).op {
            Op::Warpgroup(Warpgroup::Multiply(product)) => self.start_product(first, pc, product)?,
            Op::Warpgroup(Warpgroup::Registers { count, takes })
                if !self.move_registers(first, count, takes) =>
            {
                return Ok(false);
            }
            _ => {}
        }
        for group in self.block.warps[warps].iter_mut().flat_map(|warp| &mut warp.divergence.groups) {
            (group.pc, group.wait) = (pc + 1, Wait::Nothing);
        }
        Ok(true)
    }

    fn not_together(&mut self, w: usize, pc: Pc, message: String) -> Stop {
        let help = "let whole warpgroups come to the instruction, 128 threads from a multiple of 128 on, and move it out of the branch";
        let at = self.run.at(self.block, w);
        at.fault(pc, FULL_MASK, Problem::of(FaultKind::BarrierDivergence, message)).with_help(help)
    }

    fn two_instructions(&mut self, one: (usize, Pc), other: (usize, Pc)) -> Stop {
        let message = format!(
            "the warps of a warpgroup must execute one instruction together, but warp {} waits at this one and warp {} at another",
            one.0, other.0
        );
        let mut stop = self.not_together(one.0, one.1, message);
        let second =
            self.run.context().actor(self.block.number, other.0, 0, other.1, "waits here".to_owned());
        if let Stop::Fault(fault) = &mut stop {
            fault.actors.push(second);
        }
        stop
    }

    /// Moves registers of a warpgroup; whether there are enough.
    fn move_registers(&mut self, first: usize, count: u32, takes: bool) -> bool {
        let Some(at_start) = self.run.setup.registers_of_thread() else { return true };
        let warps = &self.block.warps;
        let groups = &mut self.block.warpgroups;
        groups.registers.resize(warps.len(), at_start);
        let own = first..first + WARPS;
        if takes {
            let kept = |(w, has): (usize, &u32)| {
                let is_other = !own.contains(&w) && warps[w].live() != 0;
                if is_other { *has } else { 0 }
            };
            let others: u32 = groups.registers.iter().enumerate().map(kept).sum();
            let all = at_start * warps.len() as u32;
            let current = groups.registers[first];
            if others + count.max(current) * WARPS as u32 > all {
                return false;
            }
            groups.registers[own].fill(count.max(current));
        } else {
            let current = groups.registers[first];
            groups.registers[own].fill(count.min(current));
        }
        true
    }

    /// Starts a product of a warpgroup whose warps have all come.
    fn start_product(&mut self, first: usize, pc: Pc, product: Product) -> Result<(), Stop> {
        let args = self.inst(pc).args;
        let held: Vec<Held> = (first..first + WARPS)
            .flat_map(|warp| {
                let groups = self.block.warps[warp].divergence.groups.iter();
                groups.map(move |group| Held { warp, mask: group.mask, base: group.frame.base })
            })
            .collect();
        let mut a = None;
        if !product.has_registers {
            a = Some(self.descriptor(pc, &held, args.a, ("A", product.a.bytes_across(ROWS)))?);
        }
        let b = self.descriptor(pc, &held, args.b, ("B", product.b.bytes_across(product.n.into())))?;
        let adds = self.adds(pc, &held, product)?;
        let mut areas = Vec::new();
        if let Some(a) = &a {
            areas = self.areas(first, pc, "A", product.a.units(a, ROWS).collect())?;
        }
        areas.extend(self.areas(first, pc, "B", product.b.units(&b, product.n.into()).collect())?);
        self.check_initialised(first, pc, &areas);
        self.run.observers.run(self.block.number, self.id(), FULL_MASK);
        let now = self.run.counts.steps - 1;
        let agents = self.run.observers.memory_model.as_mut().map(|model| {
            model.at(pc, now);
            model.start_product(first, pc, &areas)
        });
        self.block.warpgroups.started += 1;
        let number = self.block.warpgroups.started;
        self.use_registers(&held, pc, product, number);
        let steps = self.block.warps[first].steps;
        let draw = LaneOrder::new(self.run.setup.launch.seed, self.block.number, first as u32, steps).draw(0);
        let left = match draw % 4 {
            0 => Some(0),
            1 => None,
            _ => Some((draw >> 8 & (LONGEST - 1)) as u8),
        };
        let sources = [a, Some(b)];
        let (groups, is_awaited) = ([None; WARPS], [false; WARPS]);
        let started = UnderWay {
            number,
            first,
            pc,
            sources,
            adds,
            held,
            left,
            is_done: false,
            groups,
            is_awaited,
            agents,
        };
        self.block.warpgroups.under_way.push(started);
        self.run.counts.changes += 1;
        let earlier = self.block.warpgroups.under_way.iter().filter(|other| other.first == first);
        if left == Some(0) && earlier.filter(|other| !other.is_done).count() == 1 {
            self.carry_out(number);
        }
        Ok(())
    }

    /// The descriptor that all threads of a warpgroup give of a matrix with so many bytes across.
    fn descriptor(
        &mut self,
        pc: Pc,
        held: &[Held],
        slot: u16,
        matrix: (&str, u64),
    ) -> Result<Descriptor, Stop> {
        let (name, bytes_across) = matrix;
        let column =
            |held: &Held| self.block.registers.wide.get(held.base.wide + usize::from(slot), held.warp);
        let bits = column(&held[0])[held[0].mask.trailing_zeros() as usize % WARP_SIZE];
        for held in held {
            let values = column(held);
            if let Some(lane) = lanes_of(held.mask).find(|&lane| values[lane] != bits) {
                let message = format!(
                    "all threads of a warpgroup must give the same descriptor of {name}, but lane {lane} of warp {} gives {:#x}, \
                     and others {bits:#x}",
                    held.warp, values[lane]
                );
                return Err(self.not_together(held.warp, pc, message));
            }
        }
        let found =
            Descriptor::of(bits).and_then(|descriptor| descriptor.check(bytes_across).map(|()| descriptor));
        found.map_err(|flaw| self.flawed(held[0].warp, pc, name, bits, flaw))
    }

    fn flawed(&mut self, w: usize, pc: Pc, name: &str, bits: u64, flaw: Flaw) -> Stop {
        let start = (bits & 0x3fff) << 4;
        let (message, help) = match flaw {
            Flaw::Unused => (
                format!("the descriptor of {name}, {bits:#x}, has bits that mean nothing"),
                "make it of a start, a leading distance and a stride, each divided by 16 and cut to 14 bits, and the kind of swizzle in bits 62 and 63",
            ),
            Flaw::Start(size) => (
                format!(
                    "{name} begins at {start:#x} of shared memory, where none of its swizzles of {size} bytes begins"
                ),
                "align the array that has the matrix to as many bytes as the swizzle has: 1024, 512 or 256",
            ),
            Flaw::Row(row) => (
                format!(
                    "{name} begins at {start:#x} of shared memory, within a row of {row} bytes, and goes beyond the end of the row"
                ),
                "begin at a multiple of 32 bytes within the row",
            ),
        };
        let at = self.run.at(self.block, w);
        at.fault(pc, FULL_MASK, Problem::of(FaultKind::Misaligned, message)).with_help(help)
    }

    /// Whether a product adds to D, which all threads have to say alike.
    fn adds(&mut self, pc: Pc, held: &[Held], product: Product) -> Result<bool, Stop> {
        let slot = usize::from(self.inst(pc).args.c);
        let bits = |held: &Held| {
            let bits = self.block.registers.preds.get(held.base.preds + slot, held.warp);
            if product.adds_if_false { !bits & held.mask } else { bits & held.mask }
        };
        let adds = bits(&held[0]) != 0;
        let differs = |held: &&Held| bits(held) != if adds { held.mask } else { 0 };
        match held.iter().find(differs) {
            None => Ok(adds),
            Some(held) => {
                let message =
                    "all threads of a warpgroup must say alike whether the product is added to D".to_owned();
                Err(self.not_together(held.warp, pc, message))
            }
        }
    }

    /// The areas of shared memory that some units of 16 bytes make up.
    fn areas(&mut self, first: usize, pc: Pc, name: &str, mut units: Vec<u64>) -> Result<Vec<Area>, Stop> {
        units.sort_unstable();
        units.dedup();
        let mut areas: Vec<Area> = Vec::new();
        for unit in units {
            match areas.last_mut() {
                Some(last) if last.offset + last.bytes == unit => last.bytes += UNIT,
                _ => areas.push(Area { memory: Reached::Shared, offset: unit, bytes: UNIT }),
            }
        }
        let size = self.block.shared.len() as u64;
        let end = areas.last().map_or(0, |last| last.offset + last.bytes);
        if end <= size {
            return Ok(areas);
        }
        let message = format!("{name} reaches to byte {} of shared memory, which has {size} bytes", end - 1);
        let help = "compare the start and the distances in the descriptor with the array, and ask for enough shared memory at the launch";
        let at = self.run.at(self.block, first);
        Err(at.fault(pc, FULL_MASK, Problem::of(FaultKind::OutOfBounds, message)).with_help(help))
    }

    /// Reports bytes of the matrices that nobody has written.
    fn check_initialised(&mut self, first: usize, pc: Pc, areas: &[Area]) {
        let checker = &mut self.run.observers.initialisation;
        if !checker.reports {
            return;
        }
        let mut check = AccessCheck::new(pc, self.run.counts.steps - 1, AccessKind::Read);
        let space = Space::Shared(self.block.number as u32);
        for area in areas {
            let range = area.offset as usize..(area.offset + area.bytes) as usize;
            check.lane(0, space, &mut self.block.shared_written, range);
        }
        checker.found.extend(check.found());
        self.run.at(self.block, first).find_unwritten();
    }

    /// Lets time pass for the products of the block: the first of each warpgroup that has not been carried out.
    pub fn pass_products(&mut self) {
        let (mut due, mut seen) = (Vec::new(), 0_u32);
        for product in self.block.warpgroups.under_way.iter_mut().filter(|product| !product.is_done) {
            if seen >> product.first & 1 != 0 {
                continue;
            }
            seen |= 1 << product.first;
            match &mut product.left {
                Some(0) => due.push(product.number),
                Some(left) => *left -= 1,
                None => {}
            }
        }
        for number in due {
            self.carry_out(number);
        }
    }

    /// Carries out the products that the warpgroup of this warp has started, up to one.
    pub fn carry_out_until(&mut self, number: u64) {
        let first = first_of(self.w);
        let is_due =
            |product: &&UnderWay| product.first == first && product.number <= number && !product.is_done;
        let due: Vec<u64> =
            self.block.warpgroups.under_way.iter().filter(is_due).map(|product| product.number).collect();
        for number in due {
            self.carry_out(number);
        }
    }

    /// Reads the matrices of a product, multiplies them, and writes the result.
    fn carry_out(&mut self, number: u64) {
        let all = &mut self.block.warpgroups.under_way;
        let Some(index) = all.iter().position(|product| product.number == number) else { return };
        all[index].is_done = true;
        let UnderWay { first, pc, sources: [a, b], adds, ref held, .. } = all[index];
        let held = held.clone();
        let program = self.run.setup.program;
        let inst = &program.insts[pc as usize];
        let Op::Warpgroup(Warpgroup::Multiply(product)) = inst.op else { return };
        let (results, rest) = program.reads(inst).split_at(product.registers());
        let shared = &self.block.shared;
        let bytes = |units: &mut dyn Iterator<Item = u64>| {
            units.flat_map(|at| shared[at as usize..(at + UNIT) as usize].iter().copied()).collect()
        };
        let source = Source {
            a: a.map(|a| bytes(&mut product.a.units(&a, ROWS))).unwrap_or_default(),
            b: b.map(|b| bytes(&mut product.b.units(&b, product.n.into()))).unwrap_or_default(),
        };
        let registers = &mut self.block.registers;
        let column = |registers: &crate::machine::registers::Registers, warp: usize, slot: u16| {
            let mut column: Wide = [0; WARP_SIZE];
            for held in held.iter().filter(|held| held.warp == warp) {
                let values = registers.narrow.get(held.base.narrow + usize::from(slot), warp);
                lanes_of(held.mask).for_each(|lane| column[lane] = u64::from(values[lane]));
            }
            column
        };
        let of_a = if product.has_registers { &rest[..REGISTERS_OF_A] } else { &[] };
        let fragments: Vec<Vec<Wide>> = (first..first + WARPS)
            .map(|warp| of_a.iter().map(|register| column(registers, warp, register.slot)).collect())
            .collect();
        let factors = product.factors(&source, &fragments);
        for warp in 0..WARPS {
            let mut d: Vec<Wide> =
                results.iter().map(|register| column(registers, first + warp, register.slot)).collect();
            product.evaluate(&factors, warp, &mut d, adds);
            for held in held.iter().filter(|held| held.warp == first + warp) {
                for (register, values) in results.iter().zip(&d) {
                    registers.change(held.base, Bank::Narrow, register.slot);
                    let mut lanes = registers.lanes(held.warp, held.base, held.mask);
                    lanes.write_narrow(register.slot, |lane| values[lane] as u32);
                }
            }
        }
        self.run.counts.changes += 1;
    }

    /// The warp waits until at most so many of its latest groups are under way.
    fn await_products(&mut self, groups: u32) {
        let (w, number) = (self.w, self.block.warpgroups.awaited(self.w, groups));
        self.carry_out_until(number);
        self.run.observers.run(self.block.number, self.id(), FULL_MASK);
        let warpgroups = &mut self.block.warpgroups;
        let own = warpgroups.under_way.iter_mut().filter(|product| product.first == first_of(w));
        for product in own.filter(|product| product.number <= number) {
            let is_new = !std::mem::replace(&mut product.is_awaited[w % WARPS], true);
            if let (Some(model), Some(agents), true) =
                (&mut self.run.observers.memory_model, product.agents, is_new)
            {
                (0..WARP_SIZE).for_each(|lane| model.bulk_awaited(lane, agents, false));
            }
        }
        let uses = &mut warpgroups.warps[w];
        if number > uses.completed {
            (uses.completed, uses.fences_at_wait) = (number, uses.fences);
        }
        warpgroups.under_way.retain(|product| product.is_awaited.contains(&false));
    }

    /// The warps use registers for a product.
    fn use_registers(&mut self, held: &[Held], pc: Pc, product: Product, number: u64) {
        let program = self.run.setup.program;
        let reads = program.reads(&program.insts[pc as usize]);
        let count = product.registers() + if product.has_registers { REGISTERS_OF_A } else { 0 };
        for held in held {
            let mut found = None;
            for (place, register) in reads[..count].iter().enumerate() {
                let (column, is_result) =
                    (held.base.narrow + usize::from(register.slot), place < product.registers());
                let known = self.block.warpgroups.warps[held.warp].of(column);
                let what = self.misuse(held.warp, known, product, is_result);
                found = found.or(what.map(|(what, before)| (what, before.unwrap_or(pc), register.slot)));
                let used = Use { product: number, is_result, ..known };
                self.block.warpgroups.warps[held.warp].set(column, used);
            }
            if let Some((what, before, slot)) = found {
                let lane = held.mask.trailing_zeros();
                self.report_use(FragmentUse {
                    step: self.run.counts.steps - 1,
                    block: self.block.number,
                    warp: held.warp,
                    lane,
                    pc,
                    product: before,
                    slot,
                    what,
                });
            }
        }
    }

    /// What is wrong with the use of a register by a product, and the product that was there before.
    fn misuse(
        &self,
        warp: usize,
        known: Use,
        product: Product,
        is_result: bool,
    ) -> Option<(Misuse, Option<Pc>)> {
        let (groups, uses) = (&self.block.warpgroups, &self.block.warpgroups.warps[warp]);
        if uses.is_pending(known) {
            let before = groups.product(known.product)?;
            let is_committed = before.groups[warp % WARPS].is_some();
            let early = Misuse::Early { is_written: is_result, is_result: known.is_result, is_committed };
            return match (known.is_result, is_result) {
                (false, false) => None,
                (true, true) if self.is_continued(before.pc, product) => None,
                (true, true) => Some((Misuse::OtherShape, Some(before.pc))),
                _ => Some((early, Some(before.pc))),
            };
        }
        let writer = (known.written != 0).then_some(known.written_at);
        uses.is_unfenced(known).then_some((Misuse::Unfenced(writer), None))
    }

    /// Whether a product has the same shape as the one at a place.
    fn is_continued(&self, before: Pc, product: Product) -> bool {
        let Op::Warpgroup(Warpgroup::Multiply(before)) = self.inst(before).op else { return false };
        before.continues(&product)
    }

    fn report_use(&mut self, found: FragmentUse) {
        if self.run.setup.launch.checks.races {
            self.run.find(|context, findings| findings.add(context.program, Finding::Fragment(found)));
        }
    }

    /// Adds to the findings what instructions have done to registers of products.
    pub fn find_early_uses(&mut self) {
        let block = self.block.number;
        for early in std::mem::take(&mut self.block.warpgroups.found) {
            let EarlyUse { step, warp, lane, pc, slot, product, is_committed, is_result, is_written } = early;
            let what = Misuse::Early { is_written, is_result, is_committed };
            self.report_use(FragmentUse { step, block, warp, lane, pc, product, slot, what });
        }
    }

    /// The block has ended: reports products that are still under way.
    pub fn end_products(&mut self) {
        for product in std::mem::take(&mut self.block.warpgroups.under_way) {
            if product.is_awaited.contains(&true) {
                continue;
            }
            let slot =
                self.run.setup.program.reads(self.inst(product.pc)).first().map_or(0, |read| read.slot);
            self.report_use(FragmentUse {
                step: self.run.counts.steps - 1,
                block: self.block.number,
                warp: product.first,
                lane: 0,
                pc: product.pc,
                product: product.pc,
                slot,
                what: Misuse::AtEnd,
            });
        }
    }
}

impl Stop {
    /// The fault with another line of help.
    fn with_help(mut self, help: &str) -> Stop {
        if let Stop::Fault(fault) = &mut self {
            help.clone_into(&mut fault.help);
        }
        self
    }
}
