//! Statements in which the threads of a block arrive at the mbarrier of another block of the cluster, or copy to its memory.
//!
//! Every block has the same part in them, turned by its rank: it waits at its own mbarrier for the block that is some steps
//! before it. Barriers of the cluster are around each, so no block writes where another one still reads.

use super::bulk::is_async_store;
use super::extra::FEED_BYTES;
use super::{Register, Writer};
use crate::family::{BARRIERS, BULK};
use crate::shape::Kind;

impl Writer {
    /// An mbarrier of each block, which its cluster may use from here on.
    fn open_door(&mut self, count: usize) -> (String, Register) {
        let (door, first) = (self.door(), self.elected());
        self.initialise(&format!("@{first} "), &door, count);
        self.line("fence.mbarrier_init.release.cluster;");
        self.proxy_fence(false, true);
        self.meet(true);
        (door, first)
    }

    /// No block uses the mbarrier any more.
    fn close_door(&mut self, door: &str, first: Register) {
        self.meet(true);
        self.invalidate(&format!("@{first} "), door);
    }

    /// Lets one thread of the block do something.
    fn by_one(&mut self, first: Register, write: impl FnOnce(&mut Writer)) {
        let skip = self.label();
        self.line(format!("@!{first} bra {skip};"));
        write(self);
        self.mark(&skip);
    }

    /// Every thread arrives at the mbarrier of another block, and may write something for a thread there before that.
    pub(super) fn arrive_at_peer(&mut self) {
        let opcode = self.drawn_of(BARRIERS, |opcode| {
            opcode.starts_with("mbarrier.arrive") && opcode.contains("shared::cluster")
        });
        // A thread that drops out is not expected again, so another one has to be.
        let stays = opcode.contains("drop");
        let (door, first) = self.open_door(self.block_threads + usize::from(stays));
        let steps = self.steps();
        let rank = self.rank_after(steps);
        let far_door = self.mapped(&door, &rank.to_string());
        if stays {
            self.by_one(first, |writer| writer.arrive_at_door(&door));
        }
        // What names no scope, or only the block, orders nothing between blocks.
        let orders = opcode.contains(".cluster.");
        let value = self.held(Kind::B64);
        let far_post = self.mapped("%post", &rank.to_string());
        if orders {
            self.line(format!("st.shared::cluster.b64 [{far_post}], {value};"));
        }
        if opcode.contains("relaxed") {
            self.line("fence.acq_rel.cluster;");
        }
        if opcode.contains("expect_tx") {
            self.line(format!("{opcode} _, [{far_door}], 16;"));
            self.transactions_far("mbarrier.complete_tx", &far_door, 16);
        } else {
            self.line(format!("{opcode} _, [{far_door}];"));
        }
        self.wait(&door, 0, true);
        if orders {
            let result = self.fresh(Kind::B64);
            let instruction = format!("ld.shared.b64 {result}, [%post];");
            self.line(&instruction);
            self.result(result, &opcode, &instruction);
        }
        self.close_door(&door, first);
    }

    fn transactions_far(&mut self, name: &str, address: &str, count: usize) {
        let opcode =
            self.drawn_of(BARRIERS, |opcode| opcode.starts_with(name) && opcode.contains("shared::cluster"));
        self.line(format!("{opcode} [{address}], {count};"));
    }

    /// Every thread stores or reduces asynchronously into the land of a thread of another block.
    pub(super) fn store_to_peer(&mut self) {
        let Some(land) = self.take_land(16) else { return };
        let opcode = self.drawn_of(BULK, is_async_store);
        let to = Writer::at("%land", land);
        if opcode.starts_with("red") {
            self.fill_typed(&opcode, "shared", &to, 8);
        }
        let expects_far = self.dice.chance(40);
        let (door, first) = self.open_door(if expects_far { self.block_threads } else { 1 });
        let steps = self.steps();
        let rank = self.rank_after(steps);
        let (far_door, far) = (self.mapped(&door, &rank.to_string()), self.mapped(&to, &rank.to_string()));
        let (values, bytes) = self.async_values(&opcode);
        if expects_far {
            let arrival = self.drawn_of(BARRIERS, |opcode| {
                opcode.starts_with("mbarrier.arrive.expect_tx") && opcode.contains("shared::cluster")
            });
            self.line(format!("{arrival} _, [{far_door}], {bytes};"));
        } else {
            let all = bytes * self.block_threads;
            self.by_one(first, |writer| writer.expect_bytes(&door, all));
        }
        self.line(format!("{opcode} [{far}], {values}, [{far_door}];"));
        self.wait(&door, 0, true);
        self.show("shared", &to, bytes, &opcode);
        self.close_door(&door, first);
        self.give_land(land);
    }

    /// Every thread copies or reduces in bulk into the land of a thread of another block.
    pub(super) fn copy_to_peer(&mut self) {
        let bytes = 16 * (1 + self.dice.below(2));
        let Some(land) = self.take_land(2 * bytes) else { return };
        let opcode = self.drawn_of(BULK, |opcode| opcode.contains("shared::cluster.shared::cta"));
        let (to, from) = (Writer::at("%land", land), Writer::at("%land", land + bytes));
        self.fill_typed(&opcode, "shared", &from, bytes);
        if opcode.contains("reduce") {
            self.fill_typed(&opcode, "shared", &to, bytes);
        }
        let (door, first) = self.open_door(1);
        let steps = self.steps();
        let rank = self.rank_after(steps);
        let (far_door, far) = (self.mapped(&door, &rank.to_string()), self.mapped(&to, &rank.to_string()));
        let all = bytes * self.block_threads;
        self.by_one(first, |writer| writer.expect_bytes(&door, all));
        let size = self.size_of(bytes);
        self.line(format!("{opcode} [{far}], [{from}], {size}, [{far_door}];"));
        self.wait(&door, 0, true);
        self.show("shared", &to, bytes, &opcode);
        self.close_door(&door, first);
        self.give_land(land);
    }

    /// One block loads into the stage of some blocks of its cluster, or of itself only.
    pub(super) fn multicast(&mut self) {
        let bytes = 16 * (1 + self.dice.below(8));
        let Some(at) = self.take_stage(128) else { return };
        let (door, first) = self.open_door(1);
        let blocks = 1 + self.dice.below((1 << self.ranks()) - 1);
        let (own, bit, gets) = (self.fresh(Kind::B32), self.fresh(Kind::B32), self.fresh(Kind::Pred));
        let (size, loads) = (self.fresh(Kind::B32), self.fresh(Kind::Pred));
        let sender = self.dice.below(self.ranks() as usize);
        self.line(format!("mov.u32 {own}, %cluster_ctarank;"));
        self.line(format!("shr.u32 {bit}, {blocks}, {own};"));
        self.line(format!("and.b32 {bit}, {bit}, 1;"));
        self.line(format!("setp.ne.u32 {gets}, {bit}, 0;"));
        self.line(format!("mul.lo.u32 {size}, {bit}, {bytes};"));
        self.line(format!("setp.eq.and.u32 {loads}, {own}, {sender}, {first};"));
        self.by_one(first, |writer| {
            let state = writer.fresh(Kind::B64);
            writer.line(format!("mbarrier.arrive.expect_tx.shared.b64 {state}, [{door}], {size};"));
        });
        let stage = self.variable("stage");
        let to = Writer::at(&stage, at);
        self.by_one(loads, |writer| writer.load_for(&to, bytes, &door, blocks));
        self.wait(&door, 0, true);
        for _ in 0..=self.dice.below(2) {
            let result = self.fresh(Kind::B64);
            let address = self.inside(&to, bytes, 8, 8);
            self.line(format!("mov.b64 {result}, 0;"));
            let instruction = format!("@{gets} ld.shared.b64 {result}, [{address}];");
            self.line(&instruction);
            self.result(result, "cp.async.bulk.multicast", &instruction);
        }
        self.close_door(&door, first);
        self.give_stage(at);
    }

    /// A load for the blocks of a mask.
    fn load_for(&mut self, to: &str, bytes: usize, door: &str, blocks: usize) {
        let opcode = self.drawn_of(BULK, |opcode| opcode.contains("multicast"));
        let (mask, feed) = (self.fresh(Kind::B16), self.variable("feed"));
        self.line(format!("mov.b16 {mask}, {blocks};"));
        let from = self.inside(&feed, FEED_BYTES, bytes, 16);
        let (size, policy) = (self.size_of(bytes), self.policy(&opcode));
        self.line(format!("{opcode} [{to}], [{from}], {size}, [{door}], {mask}{policy};"));
    }
}
