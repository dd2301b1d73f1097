//! Generates random kernels: arithmetic, divergent branches, loops that end, accesses within bounds, and
//! synchronisation where all threads of a block take part.
//!
//! A kernel is a list of statements. Those at the top level may also synchronise threads: barriers, shuffles, votes.
//! Those inside branches and loops may not, so that no kernel hangs. Every address is masked, so that none is out of
//! bounds.

use std::fmt::Write as _;

use simt::{Launch, Reconvergence, Schedule};
use test_support::Random;

/// The size in bytes of the two buffers that a kernel takes.
pub const BUFFER_BYTES: u64 = 4096;
/// Registers with values, from `%r0` on; those after them are for addresses and loops.
const VALUES: u64 = 8;
/// How deeply statements may be nested.
const DEEPEST: usize = 3;

/// A kernel and its launch; the caller adds the arguments.
pub struct Kernel {
    pub text: String,
    pub launch: Launch,
}

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    let mut writer = Writer { random: Random::new(seed), body: String::new(), labels: 0 };
    let (grid, block) = (writer.pick(&[1, 2, 3]), writer.pick(&[32, 48, 64, 96]));
    let reconvergence = writer.pick(&[Reconvergence::Stack, Reconvergence::Its]);
    let schedule = writer.pick(&[Schedule::RoundRobin, Schedule::Random, Schedule::Hunt]);
    let statements = 6 + writer.below(14);
    for _ in 0..statements {
        writer.top_statement();
    }
    let launch = Launch { reconvergence, schedule, seed, max_steps: 1_000_000, ..Launch::new(grid, block) };
    Kernel { text: format!("{PROLOGUE}{}\tret;\n}}\n", writer.body), launch }
}

const PROLOGUE: &str = r"
.version 8.0
.target sm_70
.address_size 64

.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[8] = {37, 117, 32, 37, 117, 10, 0};

.visible .entry kernel(.param .u64 data, .param .u64 scratch)
{
	.reg .pred %p<8>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<12>;
	.shared .align 8 .b8 s[1024];
	.local .align 8 .b8 depot[8];
	ld.param.u64 %rd1, [data];
	ld.param.u64 %rd2, [scratch];
	mov.u64 %rd3, s;
	cvta.shared.u64 %rd4, %rd3;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %laneid;
	mul.lo.u32 %r3, %r0, 40503;
	mad.lo.u32 %r4, %r1, 77, %r0;
	shl.b32 %r5, %r0, 2;
	shr.u32 %r6, %r0, 5;
	mov.u32 %r7, 12345;
";

/// The widths of an access: its type, its registers after the first, and the mask that aligns an offset.
const WIDTHS: [(&str, bool, u64); 4] =
    [("u8", false, 0), ("u16", false, 1), ("u32", false, 3), ("v2.u32", true, 7)];

struct Writer {
    random: Random,
    body: String,
    labels: usize,
}

impl Writer {
    fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        self.random.pick(choices)
    }

    fn line(&mut self, text: &str) {
        writeln!(self.body, "\t{text}").unwrap();
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("$l{}", self.labels)
    }

    fn place(&mut self, label: &str) {
        writeln!(self.body, "{label}:").unwrap();
    }

    fn value(&mut self) -> String {
        format!("%r{}", self.below(VALUES))
    }

    /// A statement that all threads execute together.
    fn top_statement(&mut self) {
        match self.below(16) {
            0 | 1 => self.line("bar.sync 0;"),
            2 => self.line("bar.warp.sync -1;"),
            3 | 4 => self.shuffle(),
            5 => {
                let (d, a) = (self.value(), self.value());
                self.line(&format!("setp.lt.u32 %p1, {a}, 40;"));
                let vote = ["vote.sync.ballot.b32 {d}, %p1, -1;", "bar.red.popc.u32 {d}, 0, %p1;"];
                let vote = self.pick(&vote).replace("{d}", &d);
                self.line(&vote);
            }
            6 if self.below(3) == 0 => {
                let bound = self.pick(&[20, 40, 70]);
                self.line("mov.u32 %r8, %tid.x;");
                self.line(&format!("setp.ge.u32 %p1, %r8, {bound};"));
                self.line("@%p1 exit;");
            }
            7 if self.below(3) == 0 => self.print(),
            _ => self.statement(0),
        }
    }

    fn shuffle(&mut self) {
        let (d, a) = (self.value(), self.value());
        let mode = self.pick(&["up", "down", "bfly", "idx"]);
        let width = self.pick(&[8, 16, 32]);
        let clamp = (32 - width) << 8 | if mode == "up" { 0 } else { 31 };
        let by = self.below(width);
        self.line(&format!("shfl.sync.{mode}.b32 {d}|%p2, {a}, {by}, {clamp}, -1;"));
    }

    /// The first lanes of each warp print two values.
    fn print(&mut self) {
        let (a, b, end) = (self.value(), self.value(), self.label());
        self.line("mov.u32 %r8, %laneid;");
        self.line("setp.ge.u32 %p1, %r8, 2;");
        self.line(&format!("@%p1 bra {end};"));
        self.line("mov.u64 %rd5, depot;");
        self.line(&format!("st.local.u32 [%rd5], {a};"));
        self.line(&format!("st.local.u32 [%rd5+4], {b};"));
        self.line("cvta.local.u64 %rd6, %rd5;");
        self.line("mov.u64 %rd7, format;");
        self.line("{ .param .b64 one; .param .b64 two; .param .b32 status;");
        self.line("st.param.b64 [one], %rd7; st.param.b64 [two], %rd6;");
        self.line("call (status), vprintf, (one, two); }");
        self.place(&end);
    }

    /// A statement that some lanes may execute without the others.
    fn statement(&mut self, depth: usize) {
        match self.below(if depth < DEEPEST { 14 } else { 10 }) {
            0..4 => self.arithmetic(),
            4..8 => self.access(),
            8 => self.atomic(),
            9 => {
                let fence = self.pick(&["membar.cta;", "membar.gl;", "fence.acq_rel.gpu;"]);
                self.line(fence);
            }
            10..12 => self.branch(depth),
            _ => self.repeat(depth),
        }
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..=self.below(4) {
            self.statement(depth + 1);
        }
    }

    fn arithmetic(&mut self) {
        let (d, a, b) = (self.value(), self.value(), self.value());
        let op = self.pick(&["add.s32", "sub.s32", "mul.lo.s32", "xor.b32", "and.b32", "min.u32", "max.s32"]);
        self.line(&format!("{op} {d}, {a}, {b};"));
    }

    /// Leaves an address in `%rd8`, masked and aligned; returns its space.
    fn address(&mut self, align: u64) -> &'static str {
        let (space, base, bytes) = self.pick(&[
            (".shared", 3, 1024),
            (".global", 1, BUFFER_BYTES),
            (".global", 2, BUFFER_BYTES),
            ("", 4, 1024),
        ]);
        let (index, shift) = (self.value(), self.pick(&[0, 2, 3]));
        // Usually small indices times the size of an element, as in ordinary kernels.
        self.line(&format!("shl.b32 %r8, {index}, {shift};"));
        self.line(&format!("and.b32 %r8, %r8, {};", (bytes - 1) & !align));
        self.line("cvt.u64.u32 %rd8, %r8;");
        self.line(&format!("add.s64 %rd8, %rd8, %rd{base};"));
        space
    }

    fn access(&mut self) {
        let (ty, is_pair, align) = self.pick(&WIDTHS);
        let space = self.address(align);
        let strong = match (ty, space) {
            ("u32", "") => self.pick(&["", ".volatile"]),
            ("u32", _) => self.pick(&["", "", ".volatile", ".relaxed.cta", ".relaxed.gpu"]),
            _ => "",
        };
        let (a, b) = (self.value(), self.below(VALUES));
        let other = format!("%r{}", if a == format!("%r{b}") { (b + 1) % VALUES } else { b });
        let registers = if is_pair { format!("{{{a}, {other}}}") } else { a };
        let guard = if self.below(4) == 0 { "@%p1 " } else { "" };
        if self.below(2) == 0 {
            self.line(&format!("{guard}ld{strong}{space}.{ty} {registers}, [%rd8];"));
        } else {
            self.line(&format!("{guard}st{strong}{space}.{ty} [%rd8], {registers};"));
        }
    }

    fn atomic(&mut self) {
        let space = self.address(3);
        let (d, a, b) = (self.value(), self.value(), self.value());
        let text = match self.below(5) {
            0 => format!("atom{space}.add.u32 {d}, [%rd8], {a};"),
            1 => format!("atom{space}.exch.b32 {d}, [%rd8], {a};"),
            2 => format!("atom{space}.cas.b32 {d}, [%rd8], {a}, {b};"),
            3 => format!("atom.acq_rel.gpu{space}.max.u32 {d}, [%rd8], {a};"),
            _ => format!("red{space}.add.u32 [%rd8], {a};"),
        };
        self.line(&text);
    }

    fn branch(&mut self, depth: usize) {
        let (a, b) = (self.value(), self.value());
        let (other, end) = (self.label(), self.label());
        let bit = self.below(6);
        self.line(&format!("xor.b32 %r8, {a}, {b};"));
        self.line(&format!("shr.u32 %r8, %r8, {bit};"));
        self.line("and.b32 %r8, %r8, 1;");
        self.line("setp.eq.u32 %p1, %r8, 0;");
        self.line(&format!("@%p1 bra {other};"));
        self.statements(depth);
        self.line(&format!("bra {end};"));
        self.place(&other);
        if self.below(2) == 0 {
            self.statements(depth);
        }
        self.place(&end);
    }

    /// A loop of one to four iterations, as many as each lane's value says.
    fn repeat(&mut self, depth: usize) {
        let (count, start) = (format!("%r{}", 10 + depth), self.label());
        let value = self.value();
        self.line(&format!("and.b32 {count}, {value}, 3;"));
        self.place(&start);
        self.statements(depth);
        self.line(&format!("sub.s32 {count}, {count}, 1;"));
        self.line(&format!("setp.gt.s32 %p3, {count}, 0;"));
        self.line(&format!("@%p3 bra {start};"));
    }
}
