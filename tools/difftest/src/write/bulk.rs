//! Statements with bulk copies and asynchronous stores, in each direction, completed at mbarriers or with bulk groups.
//!
//! Bulk copies go through the asynchronous proxy. So what was accessed in the ordinary way before, and mbarriers that were
//! initialised, are followed by a proxy fence before a copy touches them. Each copy is waited for by the statement that starts it.

use super::extra::{AREA_BYTES, FEED_BYTES, LAND_BYTES};
use super::{Place, Register, Writer};
use crate::family::{BARRIERS, BULK};
use crate::shape::{Kind, Source};
use crate::values::Domain;

impl Writer {
    /// Writes a statement with bulk copies, or with mbarriers alone.
    pub(super) fn bulk(&mut self, place: Place) {
        let if_uniform = |weight| if place.uniform { weight } else { 0 };
        // Functions do not get the addresses of areas and sums.
        let if_kernel = |weight| if self.frame.is_function { 0 } else { weight };
        let write = self.dice.weighted::<fn(&mut Writer, Place)>(&[
            (8, Writer::load_in_bulk),
            (8, Writer::store_in_bulk),
            (if_kernel(6), Writer::reduce_area),
            (if_kernel(3), Writer::reduce_sums),
            (5, Writer::copy_land),
            (5, Writer::store_async),
            (if_uniform(5), Writer::load_stage),
            (if_uniform(3), Writer::reduce_stage),
            (2, Writer::gate_alone),
            (if_uniform(2), |writer, _| writer.door_exchange()),
            (1, |writer, _| writer.prefetch_in_bulk()),
            (1, |writer, _| writer.proxy_or_init_fence()),
        ]);
        write(self, place);
    }

    /// Fences between what was done in the ordinary way, to global or shared memory, and bulk copies.
    pub(super) fn proxy_fence(&mut self, global: bool, shared: bool) {
        if global == shared || self.dice.chance(40) {
            self.line("fence.proxy.async;");
            return;
        }
        let opcode = self.drawn_of(BULK, |opcode| {
            let names = if global { opcode.contains("global") } else { opcode.contains("shared") };
            opcode.starts_with("fence.proxy.async") && names
        });
        self.line(format!("{opcode};"));
    }

    /// A fence that changes nothing that a thread can see.
    fn proxy_or_init_fence(&mut self) {
        let opcode = self.drawn_of(BULK, |opcode| opcode.starts_with("fence"));
        self.line(format!("{opcode};"));
    }

    /// The operand with the cache policy, where an opcode wants one: what `createpolicy` returns for whole accesses.
    pub(super) fn policy(&mut self, opcode: &str) -> String {
        if !opcode.contains("L2::cache_hint") {
            return String::new();
        }
        let policy = self.fresh(Kind::B64);
        let value = *self.dice.pick(&["0x1000000000000000", "0x12f0000000000000", "0x14f0000000000000"]);
        self.line(format!("mov.b64 {policy}, {value};"));
        format!(", {policy}")
    }

    /// A number of bytes as an operand.
    pub(super) fn size_of(&mut self, bytes: usize) -> String {
        if self.dice.chance(50) {
            return bytes.to_string();
        }
        let size = self.fresh(Kind::B32);
        self.line(format!("mov.u32 {size}, {bytes};"));
        size.to_string()
    }

    /// Arrives once at an mbarrier, which has to expect some bytes in this phase.
    pub(super) fn expect_bytes(&mut self, address: &str, bytes: usize) {
        let is_one = self.dice.chance(70);
        if !is_one {
            self.transactions("mbarrier.expect_tx", address, bytes);
        }
        let opcode = self.drawn_of(BARRIERS, |opcode| {
            let is_plain = !opcode.contains("noComplete") && !opcode.contains("drop");
            opcode.starts_with("mbarrier.arrive") && is_plain && opcode.contains("expect_tx") == is_one
        });
        let object = self.object(&opcode, address);
        let has_sink = opcode.contains("shared::cluster");
        let state = if has_sink { "_".to_owned() } else { self.fresh(Kind::B64).to_string() };
        let size = if is_one { format!(", {}", self.size_of(bytes)) } else { String::new() };
        self.line(format!("{opcode} {state}, {object}{size};"));
    }

    /// Writes loads from global memory to `bytes` bytes of shared memory, which complete at an mbarrier. Returns whether the
    /// thread may store to one of the sources.
    pub(super) fn loads(&mut self, to: &str, bytes: usize, gate: &str) -> bool {
        let (mut done, mut is_own) = (0, false);
        while done < bytes {
            let size = 16 * (1 + self.dice.below((bytes - done) / 16));
            let opcode = self.drawn_of(BULK, |opcode| {
                opcode.starts_with("cp.async.bulk.shared")
                    && opcode.contains(".global")
                    && !opcode.contains("multicast")
            });
            let (from, own) = self.source(size, 16);
            is_own |= own;
            if own {
                self.proxy_fence(true, false);
            }
            let (to, policy) = (Writer::at(to, done), self.policy(&opcode));
            let size_text = self.size_of(size);
            self.line(format!("{opcode} [{to}], [{from}], {size_text}, [{gate}]{policy};"));
            done += size;
        }
        is_own
    }

    /// A thread loads into its land, and waits at its gate.
    fn load_in_bulk(&mut self, place: Place) {
        self.with_land_and_gate(1, |writer, land, gate| {
            for phase in 0..=writer.dice.below(2) {
                writer.proxy_fence(false, true);
                let bytes = 16 * (1 + writer.dice.below(4));
                let expects_late = writer.dice.chance(30);
                if !expects_late {
                    writer.expect_bytes(gate, bytes);
                }
                let is_own = writer.loads(land, bytes, gate);
                if expects_late {
                    writer.expect_bytes(gate, bytes);
                }
                writer.between(place, !is_own);
                writer.wait(gate, phase, false);
                writer.show("shared", land, bytes, "cp.async.bulk");
            }
        });
    }

    /// Writes a statement that has 64 bytes of the thread's land, and a gate that it initialises and invalidates.
    fn with_land_and_gate(&mut self, count: usize, write: impl FnOnce(&mut Writer, &str, &str)) {
        let Some(land) = self.take_land(64) else { return };
        if let Some(gate) = self.take_gate() {
            let bases = (self.base_of("land", LAND_BYTES), self.base_of("gate", 8 * super::extra::GATES));
            let address = Writer::at(&bases.1, gate);
            self.initialise("", &address, count);
            if self.dice.chance(20) {
                self.line("fence.mbarrier_init.release.cluster;");
            }
            write(self, &Writer::at(&bases.0, land), &address);
            self.invalidate("", &address);
            self.give_gate(gate);
        }
        self.give_land(land);
    }

    fn group_end(&mut self) {
        let opcode = self.drawn_of(BULK, |opcode| opcode.contains("commit_group"));
        self.line(format!("{opcode};"));
    }

    fn await_bulk_groups(&mut self, left: usize, only_read: bool) {
        let opcode = self
            .drawn_of(BULK, |opcode| opcode.contains("wait_group") && opcode.contains("read") == only_read);
        self.line(format!("{opcode} {left};"));
    }

    /// A thread stores parts of its land to global memory, in one to three groups.
    fn store_in_bulk(&mut self, place: Place) {
        let groups = 1 + self.dice.below(3);
        let Some(land) = self.take_land(16 * groups) else { return };
        let base = self.base_of("land", LAND_BYTES);
        let to = if self.frame.is_function || self.dice.chance(30) { "%own" } else { "%area" };
        for group in 0..groups {
            let from = Writer::at(&base, land + 16 * group);
            self.fill("shared", &from, 16);
            self.proxy_fence(true, true);
            let opcode = self.drawn_of(BULK, |opcode| opcode.starts_with("cp.async.bulk.global"));
            let (size, policy) = (self.size_of(16), self.policy(&opcode));
            let to = Writer::at(to, 16 * group);
            self.line(format!("{opcode} [{to}], [{from}], {size}{policy};"));
            self.group_end();
            self.between(place, false);
        }
        let mut read = 0;
        while read < groups && self.dice.chance(60) {
            read += 1;
            self.await_bulk_groups(groups - read, true);
            // Nothing reads this part any more.
            let from = Writer::at(&base, land + 16 * (read - 1));
            self.fill("shared", &from, 16);
        }
        let mut done = 0;
        while done < groups {
            let next = done + 1 + self.dice.below(groups - done);
            self.await_bulk_groups(groups - next, false);
            self.show("global", &Writer::at(to, 16 * done), 16 * (next - done), "cp.async.bulk.global");
            done = next;
        }
        self.give_land(land);
    }

    /// Stores values of the type of an opcode to some bytes.
    pub(super) fn fill_typed(&mut self, opcode: &str, space: &str, base: &str, bytes: usize) {
        let domain = match opcode.rsplit('.').next() {
            Some("f16") => Domain::Halves,
            Some("bf16") => Domain::Brains,
            word => word.and_then(Domain::of_type).unwrap_or(Domain::Bits(32)),
        };
        let width = domain.kind().bits() as usize / 8;
        for offset in (0..bytes).step_by(width) {
            let is_new = self.dice.chance(40);
            let value = if is_new { self.input(Source::new(domain)) } else { self.held(domain.kind()) };
            let address = Writer::at(base, offset);
            self.line(format!("st.{space}.b{} [{address}], {value};", 8 * width));
        }
    }

    /// A thread reduces part of its area in global memory.
    fn reduce_area(&mut self, place: Place) {
        let bytes = 16 * (1 + self.dice.below(2));
        let Some(land) = self.take_land(bytes) else { return };
        let from = Writer::at("%land", land);
        let opcode = self.drawn_of(BULK, |opcode| opcode.starts_with("cp.reduce.async.bulk.global"));
        let to = Writer::at("%area", 16 * self.dice.below((AREA_BYTES - bytes) / 16 + 1));
        if self.dice.chance(60) {
            self.fill_typed(&opcode, "global", &to, bytes);
        }
        for _ in 0..=self.dice.below(2) {
            self.fill_typed(&opcode, "shared", &from, bytes);
            self.proxy_fence(true, true);
            let (size, policy) = (self.size_of(bytes), self.policy(&opcode));
            self.line(format!("{opcode} [{to}], [{from}], {size}{policy};"));
            self.group_end();
            self.between(place, false);
            self.await_bulk_groups(0, false);
        }
        self.show("global", &to, bytes, &opcode);
        self.give_land(land);
    }

    /// Stores operands of a reduction whose result does not depend on the order, and returns values to start with.
    fn fill_in_any_order(&mut self, opcode: &str, base: &str, bytes: usize) -> Vec<u8> {
        if opcode.contains(".inc.") || opcode.contains(".dec.") {
            // All count up to the same bound, from a start below it.
            for offset in (0..bytes).step_by(4) {
                self.line(format!("st.shared.u32 [{}], 7;", Writer::at(base, offset)));
            }
            return (0..bytes / 4).flat_map(|index| (index as u32 % 8).to_le_bytes()).collect();
        }
        if opcode.contains(".f32") || opcode.contains(".f64") {
            // Sums of small whole numbers are exact.
            let (source, small) = (self.held(Kind::B32), self.fresh(Kind::B32));
            let (ty, kind) = if opcode.contains(".f32") { ("f32", Kind::B32) } else { ("f64", Kind::B64) };
            let number = self.fresh(kind);
            self.line(format!("and.b32 {small}, {source}, 15;"));
            self.line(format!("cvt.rn.{ty}.u32 {number}, {small};"));
            for offset in (0..bytes).step_by(kind.bits() as usize / 8) {
                self.line(format!("st.shared.{ty} [{}], {number};", Writer::at(base, offset)));
            }
            return vec![0; bytes];
        }
        self.fill("shared", base, bytes);
        (0..bytes / 8).flat_map(|_| Domain::Bits(64).value(&mut self.dice).to_le_bytes()).collect()
    }

    /// All threads reduce sums in global memory, in any order.
    fn reduce_sums(&mut self, place: Place) {
        let bytes = 16 * (1 + self.dice.below(2));
        let Some(land) = self.take_land(bytes) else { return };
        let from = Writer::at("%land", land);
        let opcode = self.drawn_of(BULK, |opcode| {
            opcode.starts_with("cp.reduce.async.bulk.global") && !opcode.contains("f16")
        });
        let start = self.fill_in_any_order(&opcode, &from, bytes);
        if let Some(sums) = self.take_sums(&start) {
            self.proxy_fence(false, true);
            let (size, policy) = (self.size_of(bytes), self.policy(&opcode));
            let to = Writer::at("%sums", sums);
            self.line(format!("{opcode} [{to}], [{from}], {size}{policy};"));
            self.group_end();
            self.between(place, false);
            let only_read = self.dice.chance(50);
            self.await_bulk_groups(0, only_read);
        }
        self.give_land(land);
    }

    /// A thread copies or reduces from one part of its land to another one, which is in its cluster too.
    fn copy_land(&mut self, place: Place) {
        self.with_land_and_gate(1, |writer, land, gate| {
            let opcode = writer.drawn_of(BULK, |opcode| opcode.contains("shared::cluster.shared::cta"));
            let from = Writer::at(land, 32);
            let bytes = 16 * (1 + writer.dice.below(2));
            for phase in 0..=writer.dice.below(2) {
                writer.fill_typed(&opcode, "shared", &from, bytes);
                if opcode.contains("reduce") && phase == 0 {
                    writer.fill_typed(&opcode, "shared", land, bytes);
                }
                writer.proxy_fence(false, true);
                writer.expect_bytes(gate, bytes);
                let size = writer.size_of(bytes);
                writer.line(format!("{opcode} [{land}], [{from}], {size}, [{gate}];"));
                writer.between(place, true);
                writer.wait(gate, phase, false);
                writer.show("shared", land, bytes, &opcode);
            }
        });
    }

    /// Registers for an asynchronous store, as an operand, and how many bytes they are.
    pub(super) fn async_values(&mut self, opcode: &str) -> (String, usize) {
        let domain = opcode.rsplit('.').next().and_then(Domain::of_type).unwrap_or(Domain::Bits(32));
        let count = if opcode.contains(".v4") { 4 } else { 1 + usize::from(opcode.contains(".v2")) };
        let values: Vec<Register> = (0..count).map(|_| self.held(domain.kind())).collect();
        (super::extra::listed_registers(&values).1, count * domain.bits() as usize / 8)
    }

    /// A thread stores to its land asynchronously.
    fn store_async(&mut self, place: Place) {
        self.with_land_and_gate(1, |writer, land, gate| {
            for phase in 0..=writer.dice.below(2) {
                let opcode = writer.drawn_of(BULK, is_async_store);
                let (values, bytes) = writer.async_values(&opcode);
                if opcode.starts_with("red") {
                    writer.fill_typed(&opcode, "shared", land, bytes);
                }
                writer.proxy_fence(false, true);
                writer.expect_bytes(gate, bytes);
                writer.line(format!("{opcode} [{land}], {values}, [{gate}];"));
                writer.between(place, true);
                writer.wait(gate, phase, false);
                writer.show("shared", land, bytes, &opcode);
            }
        });
    }

    /// One thread, or several with a part each, load for all threads of the block.
    fn load_stage(&mut self, place: Place) {
        let bytes = 128 * (1 + self.dice.below(4));
        let Some(at) = self.take_stage(bytes) else { return };
        let (door, first, stage) = (self.door(), self.elected(), self.variable("stage"));
        self.initialise(&format!("@{first} "), &door, 1);
        for phase in 0..=self.dice.below(2) {
            self.proxy_fence(false, true);
            self.barrier();
            let skip = self.label();
            self.line(format!("@!{first} bra {skip};"));
            self.expect_bytes(&door, bytes);
            let parts = if self.dice.chance(50) { 0 } else { *self.dice.pick(&[4, 8]) };
            if parts == 0 {
                self.loads(&Writer::at(&stage, at), bytes, &door);
            }
            self.mark(&skip);
            if let Some(part) = bytes.checked_div(parts) {
                self.load_parts(&stage, at, part, parts, &door);
            }
            self.between(place, false);
            self.wait(&door, phase, false);
            let address = self.inside(&Writer::at(&stage, at), bytes, 16, 16);
            self.show("shared", &address, 16, "cp.async.bulk");
        }
        self.barrier();
        self.invalidate(&format!("@{first} "), &door);
        self.give_stage(at);
    }

    /// The first threads load a part each.
    fn load_parts(&mut self, stage: &str, at: usize, size: usize, parts: usize, door: &str) {
        let (loads, skip) = (self.fresh(Kind::Pred), self.label());
        let (offset, from, to) = (self.fresh(Kind::B64), self.fresh(Kind::B64), self.fresh(Kind::B64));
        let feed = self.variable("feed");
        self.line(format!("setp.lo.u32 {loads}, %tid_, {parts};"));
        self.line(format!("@!{loads} bra {skip};"));
        self.line(format!("mul.wide.u32 {offset}, %tid_, {size};"));
        self.line(format!("add.u64 {to}, {stage}, {offset};"));
        self.line(format!("sub.u64 {from}, {feed}, {offset};"));
        let opcode = self.drawn_of(BULK, |opcode| {
            opcode.starts_with("cp.async.bulk.shared")
                && opcode.contains(".global")
                && !opcode.contains("multicast")
        });
        let (to, from) = (Writer::at(&to.to_string(), at), format!("{from}+{}", FEED_BYTES - size));
        let (size, policy) = (self.size_of(size), self.policy(&opcode));
        self.line(format!("{opcode} [{to}], [{from}], {size}, [{door}]{policy};"));
        self.mark(&skip);
    }

    /// All threads of the block reduce the same bytes of the stage.
    fn reduce_stage(&mut self, place: Place) {
        let Some(at) = self.take_stage(128) else { return };
        let Some(land) = self.take_land(32) else { return self.give_stage(at) };
        let (door, first, stage) = (self.door(), self.elected(), self.variable("stage"));
        let to = Writer::at(&stage, at);
        let opcode = self.drawn_of(BULK, |opcode| {
            opcode.starts_with("cp.reduce.async.bulk.shared") || opcode.starts_with("red.async")
        });
        let (from, is_bulk) = (Writer::at("%land", land), opcode.starts_with("cp"));
        let bytes = if is_bulk { 16 * (1 + self.dice.below(2)) } else { 16 };
        let start = self.fill_in_any_order(&opcode, &from, bytes);
        self.initialise(&format!("@{first} "), &door, 1);
        for (index, word) in start.chunks_exact(8).enumerate() {
            let value = word.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
            let register = self.fresh(Kind::B64);
            self.line(format!("mov.b64 {register}, {value:#x};"));
            self.line(format!("@{first} st.shared.b64 [{}], {register};", Writer::at(&to, 8 * index)));
        }
        self.proxy_fence(false, true);
        self.barrier();
        let operation = if is_bulk {
            let size = self.size_of(bytes);
            (format!("{opcode} [{to}], [{from}], {size}, [{door}];"), bytes)
        } else {
            let (values, bytes) = self.async_values(&opcode);
            let is_count = opcode.contains(".inc.") || opcode.contains(".dec.");
            let values = if is_count { "7".to_owned() } else { values };
            (format!("{opcode} [{to}], {values}, [{door}];"), bytes)
        };
        let skip = self.label();
        self.line(format!("@!{first} bra {skip};"));
        self.expect_bytes(&door, operation.1 * self.block_threads);
        self.mark(&skip);
        self.line(operation.0);
        self.between(place, false);
        self.wait(&door, 0, false);
        self.show("shared", &to, bytes, &opcode);
        self.barrier();
        self.invalidate(&format!("@{first} "), &door);
        self.give_stage(at);
        self.give_land(land);
    }

    fn prefetch_in_bulk(&mut self) {
        let opcode = self.drawn_of(BULK, |opcode| opcode.contains("prefetch"));
        let (from, _) = self.source(16, 16);
        let (size, policy) = (self.size_of(16), self.policy(&opcode));
        self.line(format!("{opcode} [{from}], {size}{policy};"));
    }
}

/// Whether an opcode stores registers asynchronously.
pub(super) fn is_async_store(opcode: &str) -> bool {
    opcode.starts_with("st.async") || opcode.starts_with("red.async")
}
