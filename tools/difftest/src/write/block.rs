//! Statements for all threads of a block: barriers of every kind, and words that threads exchange across them.
//!
//! They are written only where all threads of the block arrive, equally often.

use super::Writer;
use crate::shape::Kind;

impl Writer {
    /// Writes a barrier, a reduction over the block, or an exchange through shared memory.
    pub(super) fn synchronise(&mut self) {
        let parts = if self.block_threads >= 64 && self.block_threads.is_multiple_of(32) { 2 } else { 0 };
        let write = self.dice.weighted::<fn(&mut Writer)>(&[
            (2, Writer::barrier),
            (3, Writer::block_reduction),
            (4, Writer::rotate),
            (parts, Writer::produce),
        ]);
        write(self);
    }

    /// Writes a barrier at which all threads of the block wait.
    pub(super) fn barrier(&mut self) {
        let whole = self.block_threads.next_multiple_of(32);
        let text = match self.dice.below(5) {
            0 => "barrier.sync 0;".to_owned(),
            1 => format!("bar.sync {}, {whole};", 2 + self.dice.below(13)),
            2 => "bar.cta.sync 0;".to_owned(),
            3 => "barrier.cta.sync.aligned 0;".to_owned(),
            _ => "bar.sync 0;".to_owned(),
        };
        self.line(text);
    }

    fn block_reduction(&mut self) {
        let asked = self.held(Kind::Pred);
        let (word, ty) = *self.dice.pick(&[("popc", "u32"), ("and", "pred"), ("or", "pred")]);
        let result = self.fresh(if ty == "u32" { Kind::B32 } else { Kind::Pred });
        let negation = if self.dice.chance(30) { "!" } else { "" };
        let opcode = match self.dice.below(3) {
            0 => format!("barrier.red.{word}.{ty}"),
            1 => format!("bar.cta.red.{word}.{ty}"),
            _ => format!("bar.red.{word}.{ty}"),
        };
        let instruction = format!("{opcode} {result}, 0, {negation}{asked};");
        self.line(&instruction);
        self.result(result, &opcode, &instruction);
    }

    /// Each thread reads what the thread a few places after it has written.
    fn rotate(&mut self) {
        let (value, result) = (self.held(Kind::B64), self.fresh(Kind::B64));
        let (place, steps) = (self.fresh(Kind::B32), self.dice.below(self.block_threads));
        self.line(format!("st.shared.b64 [%post], {value};"));
        self.barrier();
        self.line(format!("add.u32 {place}, %tid_, {steps};"));
        self.line(format!("rem.u32 {place}, {place}, {};", self.block_threads));
        let address = self.post_of(&place.to_string());
        let instruction = format!("ld.shared.b64 {result}, [{address}];");
        self.line(&instruction);
        self.barrier();
        self.result(result, "bar.sync", &instruction);
    }

    /// The address of a thread's word in shared memory.
    pub(super) fn post_of(&mut self, thread: &str) -> String {
        let (bytes, address) = (self.fresh(Kind::B64), self.fresh(Kind::B64));
        let base = self.fresh(Kind::B64);
        self.line(format!("mov.u64 {base}, post;"));
        self.line(format!("mul.wide.u32 {bytes}, {thread}, 8;"));
        self.line(format!("add.u64 {address}, {base}, {bytes};"));
        address.to_string()
    }

    /// The first warp writes and continues; the others wait for it and read.
    fn produce(&mut self) {
        let (value, result) = (self.held(Kind::B64), self.fresh(Kind::B64));
        let (writes, lane) = (self.fresh(Kind::Pred), self.fresh(Kind::B32));
        let (consume, end) = (self.label(), self.label());
        let whole = self.block_threads;
        self.line(format!("mov.b64 {result}, {value};"));
        self.line(format!("setp.lo.u32 {writes}, %tid_, 32;"));
        self.line(format!("and.b32 {lane}, %tid_, 31;"));
        let address = self.post_of(&lane.to_string());
        self.line(format!("@!{writes} bra {consume};"));
        self.line(format!("st.shared.b64 [%post], {value};"));
        self.line(format!("bar.arrive 1, {whole};"));
        self.line(format!("bra {end};"));
        self.mark(&consume);
        self.line(format!("bar.sync 1, {whole};"));
        let instruction = format!("ld.shared.b64 {result}, [{address}];");
        self.line(&instruction);
        self.mark(&end);
        self.line("bar.sync 0;");
        self.result(result, "bar.arrive", &instruction);
    }
}
