//! Statements in which threads synchronise: barriers, shuffles, votes, leaders, reductions, and blocks that wait for
//! each other.

use crate::writer::{Hint, Width, Writer};

impl Writer {
    /// Writes a statement in which threads synchronise, or find out which lanes are active.
    pub fn synchronise(&mut self) {
        match self.below(16) {
            0..3 => self.barrier(),
            3 | 4 => self.shuffle(),
            5 | 6 => self.vote(),
            7 => self.leader(),
            8 => self.fence(),
            9 => self.tree(),
            10 => self.butterfly(),
            11 => self.ticket(),
            12 => self.turn_of_block(),
            13 if self.style.prints => self.print(),
            14 => {
                let d = self.target(Width::B32);
                self.define(&d, Hint::Uniform, format!("activemask.b32 {d};"));
            }
            _ => self.line("bar.warp.sync -1;"),
        }
    }

    /// A barrier where all threads arrive; elsewhere it is left out.
    fn barrier(&mut self) {
        if !self.together {
            return self.value();
        }
        let (d, p, q) = (self.target(Width::B32), self.predicate(), self.predicate());
        let threads = self.style.threads;
        match self.below(12) {
            0..7 => self.line("bar.sync 0;"),
            7 => self.line("bar.sync 1;"),
            8 => self.line(format!("bar.sync 2, {};", threads.next_multiple_of(32))),
            9 => self.line(format!("bar.red.popc.u32 {d}, 0, {p};")),
            10 => self.line(format!("bar.red.or.pred {q}, 0, {p};")),
            // Two warps arrive, the others do not.
            _ if threads >= 64 => {
                let end = self.label();
                self.line("setp.ge.u32 %k, %x0, 64;");
                self.line(format!("@%k bra {end};"));
                self.line("bar.sync 3, 64;");
                self.place(&end);
            }
            _ => self.line(format!("bar.red.and.pred {q}, 1, !{p};")),
        }
    }

    pub fn shuffle(&mut self) {
        let (d, a) = (self.target(Width::B32), self.source(Width::B32));
        let mode = self.pick(&["up", "down", "bfly", "idx"]);
        let width = self.pick(&[8, 16, 32, 32]);
        let clamp = (32 - width) << 8 | if mode == "up" { 0 } else { 31 };
        let by = if self.chance(70) { self.below(width).to_string() } else { self.source(Width::B32) };
        let q = self.predicate();
        self.define(&d, Hint::Any, format!("shfl.sync.{mode}.b32 {d}|{q}, {a}, {by}, {clamp}, -1;"));
    }

    fn vote(&mut self) {
        let (d, p, q) = (self.target(Width::B32), self.predicate(), self.predicate());
        let (a, wide) = (self.source(Width::B32), self.source(Width::B64));
        let text = match self.below(7) {
            0..3 => format!("vote.sync.ballot.b32 {d}, {p}, -1;"),
            3 => format!("vote.sync.any.pred {q}, {p}, -1;"),
            4 => format!("vote.sync.all.pred {q}, !{p}, -1;"),
            5 if self.style.sm >= 80 => format!("redux.sync.add.u32 {d}, {a}, -1;"),
            5 if self.style.sm >= 70 => format!("match.any.sync.b32 {d}, {a}, -1;"),
            6 if self.style.sm >= 70 => format!("match.all.sync.b64 {d}|{q}, {wide}, -1;"),
            _ => format!("vote.sync.uni.pred {q}, {p}, -1;"),
        };
        self.define(&d, Hint::Uniform, text);
    }

    /// The lowest active lane adds for all of them, and passes on the old value.
    fn leader(&mut self) {
        let (d, end) = (self.target(Width::B32), self.label());
        self.line("activemask.b32 %t0;");
        self.line("brev.b32 %t1, %t0;");
        self.line("clz.b32 %t1, %t1;");
        self.line("setp.ne.u32 %k, %t1, %x1;");
        self.line(format!("@%k bra {end};"));
        self.line("popc.b32 %t2, %t0;");
        let space = if self.style.tallies { ("%b10", ".global") } else { ("%b3", ".shared") };
        self.line(format!("atom{}.add.u32 {d}, [{}+4], %t2;", space.1, space.0));
        self.place(&end);
        if self.chance(50) {
            self.line(format!("shfl.sync.idx.b32 {d}, {d}, %t1, 31, %t0;"));
        }
        self.hint(&d, Hint::Any);
    }

    /// The sum over a block's threads in shared memory, by halves: neighboured or interleaved.
    fn tree(&mut self) {
        if !self.together || self.style.threads < 32 || self.lines.len() > self.budget {
            return self.value();
        }
        let (start, end) = (self.label(), self.label());
        let value = self.source(Width::B32);
        let half = self.style.threads.next_power_of_two() / 2;
        self.line("cvt.u32.u64 %t1, %b3;");
        self.line("mad.lo.u32 %t1, %x0, 4, %t1;");
        self.line(format!("st.shared.u32 [%t1], {value};"));
        self.line("bar.sync 0;");
        self.line(format!("mov.u32 %c4, {half};"));
        self.place(&start);
        self.line("setp.ge.u32 %k, %x0, %c4;");
        self.line(format!("@%k bra {end};"));
        self.line("shl.b32 %t2, %c4, 2;");
        self.line("add.u32 %t2, %t2, %t1;");
        self.line("ld.shared.u32 %t3, [%t2];");
        self.line("ld.shared.u32 %t2, [%t1];");
        self.line("add.u32 %t3, %t3, %t2;");
        self.line("st.shared.u32 [%t1], %t3;");
        self.place(&end);
        self.line("bar.sync 0;");
        self.line("shr.u32 %c4, %c4, 1;");
        self.line("setp.ne.u32 %k, %c4, 0;");
        self.line(format!("@%k bra {start};"));
        let d = self.target(Width::B32);
        self.line(format!("ld.shared.u32 {d}, [%b3];"));
        self.hint(&d, Hint::Uniform);
    }

    /// The sum over a warp by shuffles.
    fn butterfly(&mut self) {
        let (d, mode) = (self.target(Width::B32), self.pick(&["bfly", "down"]));
        for by in [16, 8, 4, 2, 1] {
            self.line(format!("shfl.sync.{mode}.b32 %t0, {d}, {by}, 31, -1;"));
            self.line(format!("add.s32 {d}, {d}, %t0;"));
        }
        self.hint(&d, Hint::Any);
    }

    /// The block that finishes last adds up the values that all of them have left.
    fn ticket(&mut self) {
        if !self.style.tallies || !self.together || !self.style.communicates {
            return self.value();
        }
        let (end, start) = (self.label(), self.label());
        let (d, blocks) = (self.target(Width::B32), self.style.blocks);
        self.line("setp.ne.u32 %k, %x0, 0;");
        self.line(format!("@%k bra {end};"));
        self.line("mad.wide.u32 %u1, %n1, 4, %b1;");
        self.line(format!("st.global.u32 [%u1], {d};"));
        self.line("membar.gl;");
        self.line(format!("atom.global.inc.u32 %t0, [%b10], {};", blocks - 1));
        self.line(format!("setp.ne.u32 %k, %t0, {};", blocks - 1));
        self.line(format!("@%k bra {end};"));
        self.line(format!("mov.u32 %t1, {blocks};"));
        self.line("mov.u64 %u1, %b1;");
        self.place(&start);
        self.line("ld.volatile.global.u32 %t2, [%u1];");
        self.line(format!("add.u32 {d}, {d}, %t2;"));
        self.line("add.s64 %u1, %u1, 4;");
        self.line("add.s32 %t1, %t1, -1;");
        self.line("setp.ne.s32 %k, %t1, 0;");
        self.line(format!("@%k bra {start};"));
        self.place(&end);
        self.hint(&d, Hint::Any);
    }

    /// A block waits for the block before it, usually with a limit.
    fn turn_of_block(&mut self) {
        if !self.style.tallies || !self.together || !self.loops.is_empty() || !self.style.communicates {
            return self.value();
        }
        let (start, end) = (self.label(), self.label());
        let tries = self.pick(&[10, 1000, 1000, 1_000_000]);
        self.line("setp.ne.u32 %k, %x0, 0;");
        self.line(format!("@%k bra {end};"));
        self.line(format!("mov.u32 %t1, {tries};"));
        self.place(&start);
        self.line("add.s32 %t1, %t1, -1;");
        self.line("setp.lt.s32 %k, %t1, 0;");
        self.line(format!("@%k bra {end};"));
        self.line("ld.volatile.global.u32 %t0, [%b10+8];");
        self.line("setp.lt.u32 %k, %t0, %n1;");
        self.line(format!("@%k bra {start};"));
        self.line("ld.global.u32 %t2, [%b10+12];");
        self.line("mad.lo.u32 %t2, %t2, 3, %n1;");
        self.line("st.global.u32 [%b10+12], %t2;");
        self.line("membar.gl;");
        self.line("atom.global.add.u32 %t0, [%b10+8], 1;");
        self.place(&end);
    }

    /// The first lanes of each warp print a value.
    fn print(&mut self) {
        let (a, end) = (self.source(Width::B32), self.label());
        self.line("setp.ge.u32 %k, %x1, 2;");
        self.line(format!("@%k bra {end};"));
        self.line(format!("st.local.u32 [%b5], {a};"));
        self.line("mov.u64 %u0, format;");
        self.line("cvta.global.u64 %u0, %u0;");
        self.line(
            "{ .param .b64 one; .param .b64 two; .param .b32 status; st.param.b64 [one], %u0; \
             st.param.b64 [two], %b6; call (status), vprintf, (one, two); }",
        );
        self.place(&end);
    }
}
