//! Statements with `cp.async`: copies to a thread's own land, completed with groups or at mbarriers, and read by the
//! thread itself, by another one of its warp, or by another one of its block.

use super::extra::LAND_BYTES;
use super::{Place, Writer};
use crate::family::COPIES;
use crate::shape::Kind;

/// Who reads what a statement has copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Thread,
    Warp,
    Block,
}

impl Writer {
    /// Writes a statement with asynchronous copies, or with mbarriers alone.
    pub(super) fn copies(&mut self, place: Place) {
        let if_uniform = |weight| if place.uniform { weight } else { 0 };
        let if_known = |weight| if place.mask.is_some() { weight } else { 0 };
        let write = self.dice.weighted::<fn(&mut Writer, Place)>(&[
            (8, |writer, place| writer.copy_groups(place, Reader::Thread)),
            (if_known(3), |writer, place| writer.copy_groups(place, Reader::Warp)),
            (if_uniform(4), |writer, place| writer.copy_groups(place, Reader::Block)),
            (4, Writer::copies_at_gate),
            (2, Writer::gate_alone),
            (if_uniform(4), Writer::copies_at_door),
            (if_uniform(2), |writer, _| writer.door_exchange()),
        ]);
        write(self, place);
    }

    /// Starts a copy to `room` bytes at an address, a multiple of 16. Returns whether the thread may store to its source.
    pub(super) fn copy(&mut self, to: &str, room: usize) -> bool {
        let opcode = self.drawn_of(COPIES, |opcode| opcode.contains(".global"));
        let bytes = if opcode.contains(".cg") { 16 } else { *self.dice.pick(&[4, 8, 16]) };
        let (from, is_own) = self.source(bytes, bytes);
        let to = self.inside(to, room, bytes, bytes);
        let size = match self.dice.below(6) {
            0 => format!(", {}", self.dice.below(bytes + 1)),
            1 => {
                let (value, size) = (self.held(Kind::B32), self.fresh(Kind::B32));
                self.line(format!("and.b32 {size}, {value}, {};", 2 * bytes - 1));
                self.line(format!("min.u32 {size}, {size}, {bytes};"));
                format!(", {size}")
            }
            2 => {
                let negation = if self.dice.chance(30) { "!" } else { "" };
                format!(", {negation}{}", self.held(Kind::Pred))
            }
            _ => String::new(),
        };
        let guard = if self.dice.chance(15) { format!("@{} ", self.held(Kind::Pred)) } else { String::new() };
        self.line(format!("{guard}{opcode} [{to}], [{from}], {bytes}{size};"));
        is_own
    }

    /// Copies in one to three groups, each with a part of the land, and waits until few enough are under way.
    fn copy_groups(&mut self, place: Place, reader: Reader) {
        // No two copies that may be under way at the same time write to the same bytes.
        let (groups, copies) = (1 + self.dice.below(3), 1 + self.dice.below(2));
        let bytes = 16 * copies;
        let Some(land) = self.take_land(bytes * groups) else { return };
        let base = self.base_of("land", LAND_BYTES);
        let mut is_own = false;
        for group in 0..groups {
            for copy in 0..copies {
                is_own |= self.copy(&Writer::at(&base, land + bytes * group + 16 * copy), 16);
            }
            self.commit();
            self.between(place, !is_own);
        }
        let mut shown = 0;
        while shown < groups {
            let next = shown + 1 + self.dice.below(groups - shown);
            self.await_groups(groups - next);
            self.show_copied(place, reader, &base, land + bytes * shown, bytes * (next - shown));
            shown = next;
        }
        self.give_land(land);
    }

    fn commit(&mut self) {
        let opcode = self.drawn_of(COPIES, |opcode| opcode.contains("commit_group"));
        self.line(format!("{opcode};"));
    }

    /// Waits until at most so many groups are left.
    fn await_groups(&mut self, left: usize) {
        let opcode = self.drawn_of(COPIES, |opcode| {
            opcode.contains("wait_group") || opcode.contains("wait_all") && left == 0
        });
        let number = if opcode.contains("wait_group") { format!(" {left}") } else { String::new() };
        self.line(format!("{opcode}{number};"));
    }

    /// Shows what has been copied, after the barrier that its reader needs, and keeps others from writing there until then.
    fn show_copied(&mut self, place: Place, reader: Reader, base: &str, land: usize, bytes: usize) {
        match (reader, place.mask) {
            (Reader::Thread, _) | (Reader::Warp, None) => {
                self.show("shared", &Writer::at(base, land), bytes, "cp.async");
            }
            (Reader::Warp, Some(mask)) => {
                self.line(format!("bar.warp.sync {mask};"));
                let lane = self.member(mask);
                let address = self.land_of_lane(base, lane);
                self.show("shared", &Writer::at(&address, land), bytes, "cp.async");
                self.line(format!("bar.warp.sync {mask};"));
            }
            (Reader::Block, _) => {
                self.barrier();
                let address = self.land_of_another();
                self.show("shared", &Writer::at(&address, land), bytes, "cp.async");
                self.barrier();
            }
        }
    }

    /// The land of another lane of the warp.
    pub(super) fn land_of_lane(&mut self, base: &str, lane: super::Register) -> String {
        let (own, steps) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
        let (bytes, address) = (self.fresh(Kind::B64), self.fresh(Kind::B64));
        self.line(format!("mov.u32 {own}, %laneid;"));
        self.line(format!("sub.s32 {steps}, {lane}, {own};"));
        self.line(format!("mul.wide.s32 {bytes}, {steps}, {LAND_BYTES};"));
        self.line(format!("add.s64 {address}, {base}, {bytes};"));
        address.to_string()
    }

    /// The land of another thread of the block, in the kernel itself.
    pub(super) fn land_of_another(&mut self) -> String {
        let (place, base) = (self.thread_after(), self.variable("land"));
        let address = self.fresh(Kind::B64);
        self.line(format!("mad.wide.u32 {address}, {place}, {LAND_BYTES}, {base};"));
        address.to_string()
    }

    /// Copies that a thread waits for at an mbarrier of its own.
    fn copies_at_gate(&mut self, place: Place) {
        let Some(land) = self.take_land(16) else { return };
        if let Some(gate) = self.take_gate() {
            let base = self.base_of("land", LAND_BYTES);
            let land = Writer::at(&base, land);
            self.gate_phases(place, gate, Some(&land));
            self.give_gate(gate);
        }
        self.give_land(land);
    }

    /// Copies of all threads of a block, for which all wait at one mbarrier.
    fn copies_at_door(&mut self, place: Place) {
        let Some(land) = self.take_land(16) else { return };
        let (door, first) = (self.door(), self.elected());
        self.initialise(&format!("@{first} "), &door, self.block_threads);
        self.barrier();
        for phase in 0..=self.dice.below(2) {
            let is_own = self.copy(&Writer::at("%land", land), 16);
            let opcode = self.drawn_of(COPIES, |opcode| opcode.contains("mbarrier"));
            let object = self.object(&opcode, &door);
            self.line(format!("{opcode} {object};"));
            if !opcode.contains("noinc") {
                self.arrive_at_door(&door);
            }
            self.between(place, !is_own);
            self.wait(&door, phase, false);
            let address = self.land_of_another();
            self.show("shared", &Writer::at(&address, land), 16, "cp.async.mbarrier.arrive");
            self.barrier();
        }
        self.invalidate(&format!("@{first} "), &door);
        self.give_land(land);
    }
}
