//! Exchanges between the lanes of a warp, with a mask that names exactly the lanes that execute them.

use super::memory::{draw, forms};
use super::{Place, Register, Writer};
use crate::shape::Kind;

impl Writer {
    /// Writes a shuffle, a vote, a match, a reduction, or words that are exchanged through shared memory across a
    /// warp's barrier.
    pub(super) fn exchange(&mut self, place: Place) {
        let Some(mask) = place.mask else { return };
        let newest = if self.target >= 80 { 3 } else { 0 };
        let matches = if self.target >= 70 { 3 } else { 0 };
        let write = self.dice.weighted::<fn(&mut Writer, Register, Place)>(&[
            (4, Writer::shuffle),
            (4, |writer, mask, _| writer.vote(mask)),
            (matches, |writer, mask, _| writer.matching(mask)),
            (newest, |writer, mask, _| writer.reduction(mask)),
            (2, |writer, mask, _| writer.pass_on(mask)),
        ]);
        write(self, mask, place);
    }

    /// A lane of the mask: the executing one, the first, or the last.
    pub(super) fn member(&mut self, mask: Register) -> Register {
        let (lane, reversed) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
        match self.dice.below(3) {
            0 => self.line(format!("mov.u32 {lane}, %laneid;")),
            1 => self.line(format!("bfind.u32 {lane}, {mask};")),
            _ => {
                self.line(format!("brev.b32 {reversed}, {mask};"));
                self.line(format!("clz.b32 {lane}, {reversed};"));
            }
        }
        lane
    }

    /// Writes a shuffle that reads from a participating lane: any lane of a full warp, otherwise one that is in the
    /// mask.
    fn shuffle(&mut self, mask: Register, place: Place) {
        let (value, result) = (self.held(Kind::B32), self.fresh(Kind::B32));
        let (opcode, lane, clamp) = if place.full {
            let mode = *self.dice.pick(&["up", "down", "bfly", "idx"]);
            let lane = if self.dice.chance(50) {
                self.held(Kind::B32).to_string()
            } else {
                self.dice.below(40).to_string()
            };
            let segment = *self.dice.pick(&[0, 0, 16, 24, 28, 30, 31, 21]);
            let clamp = if mode == "up" { 0 } else { *self.dice.pick(&[31, 31, 15, 7]) };
            (format!("shfl.sync.{mode}.b32"), lane, segment << 8 | clamp)
        } else if self.dice.chance(70) {
            ("shfl.sync.idx.b32".to_owned(), self.member(mask).to_string(), 31)
        } else {
            let mode = *self.dice.pick(&["up", "down", "bfly"]);
            (format!("shfl.sync.{mode}.b32"), "0".to_owned(), if mode == "up" { 0 } else { 31 })
        };
        if self.dice.chance(50) {
            let inside = self.fresh(Kind::Pred);
            let instruction = format!("{opcode} {result}|{inside}, {value}, {lane}, {clamp}, {mask};");
            self.exchanged(&[result, inside], &opcode, &instruction);
        } else {
            self.exchanged(
                &[result],
                &opcode,
                &format!("{opcode} {result}, {value}, {lane}, {clamp}, {mask};"),
            );
        }
    }

    fn exchanged(&mut self, results: &[Register], opcode: &str, instruction: &str) {
        self.line(instruction);
        for &result in results {
            self.result(result, opcode, instruction);
        }
    }

    /// An opcode of a mnemonic that has a mask.
    fn synchronous(&mut self, mnemonic: &str) -> String {
        let forms = forms(mnemonic, self.target);
        loop {
            let form = self.dice.pick(&forms);
            let words = draw(&mut self.dice, form);
            if words.contains(&"sync".to_owned()) {
                return words.join(".");
            }
        }
    }

    fn vote(&mut self, mask: Register) {
        let opcode = self.synchronous("vote");
        let result = self.fresh(if opcode.contains("ballot") { Kind::B32 } else { Kind::Pred });
        let negation = if self.dice.chance(30) { "!" } else { "" };
        let asked = self.held(Kind::Pred);
        self.exchanged(&[result], &opcode, &format!("{opcode} {result}, {negation}{asked}, {mask};"));
    }

    /// Writes a match of values that are often equal.
    fn matching(&mut self, mask: Register) {
        let opcode = self.synchronous("match");
        let kind = if opcode.ends_with("b64") { Kind::B64 } else { Kind::B32 };
        let (value, few, result) = (self.held(kind), self.fresh(kind), self.fresh(Kind::B32));
        let kept = *self.dice.pick(&[0, 1, 3]);
        self.line(format!("and.{} {few}, {value}, {kept};", kind.name()));
        if opcode.contains(".all") && self.dice.chance(60) {
            let all = self.fresh(Kind::Pred);
            self.exchanged(&[result, all], &opcode, &format!("{opcode} {result}|{all}, {few}, {mask};"));
        } else {
            self.exchanged(&[result], &opcode, &format!("{opcode} {result}, {few}, {mask};"));
        }
    }

    fn reduction(&mut self, mask: Register) {
        let opcode = self.synchronous("redux");
        let (value, result) = (self.held(Kind::B32), self.fresh(Kind::B32));
        self.exchanged(&[result], &opcode, &format!("{opcode} {result}, {value}, {mask};"));
    }

    /// Writes a word for the other lanes and reads that of another one. Barriers of the warp separate the writes from
    /// the reads, and these from the writes of the next iteration.
    fn pass_on(&mut self, mask: Register) {
        let (value, result) = (self.held(Kind::B64), self.fresh(Kind::B64));
        let (lane, own, steps) = (self.member(mask), self.fresh(Kind::B32), self.fresh(Kind::B32));
        let (bytes, address) = (self.fresh(Kind::B64), self.fresh(Kind::B64));
        self.line(format!("st.shared.b64 [%post], {value};"));
        self.line(format!("mov.u32 {own}, %laneid;"));
        self.line(format!("sub.s32 {steps}, {lane}, {own};"));
        self.line(format!("mul.wide.s32 {bytes}, {steps}, 8;"));
        self.line(format!("add.s64 {address}, %post, {bytes};"));
        self.line(format!("bar.warp.sync {mask};"));
        let instruction = format!("ld.shared.b64 {result}, [{address}];");
        self.line(&instruction);
        self.line(format!("bar.warp.sync {mask};"));
        self.result(result, "bar.warp.sync", &instruction);
    }
}
