//! Generates a kernel and a launch from a seed: the subject of the kernel, its frame, and the results that it stores.

use simt::{Checks, Dim3, Launch, Reconvergence, Schedule};

use crate::memory::Area;
use crate::writer::{Hint, Style, Width, Writer};
use test_support::Random;

/// A kernel and its launch.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The text before the instructions.
    pub head: String,
    /// The instructions, labels and lists of targets, one on each line.
    pub lines: Vec<String>,
    /// The launch without its arguments.
    pub launch: Launch,
    /// The sizes of the buffers in bytes; see [`BUFFERS`].
    pub bytes: [u64; 5],
    /// The numbers that it gets as arguments.
    pub numbers: [u32; 2],
    /// Whether the third buffer counts as written. It then contains a number in each word, with equal differences.
    pub has_ramp: bool,
    /// How often it is launched, one launch after another on the same memory.
    pub times: usize,
}

/// The buffers' names: one that is only read unless blocks communicate, one that is written, one that is uninitialised
/// at first, one to which all blocks add, and one to which each thread stores some registers at the end.
pub const BUFFERS: [&str; 5] = ["data", "out", "scratch", "tally", "dump"];

impl Kernel {
    /// The text of the kernel's module.
    pub fn text(&self) -> String {
        format!("{}{}\n$end:\n\tret;\n}}\n", self.head, self.lines.join("\n"))
    }
}

/// The bytes of shared memory and of local memory that a kernel declares.
const SHARED_BYTES: u64 = 8192;
const LOCAL_BYTES: u64 = 512;

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    let mut numbers = Random::new(seed);
    let shape = shape(&mut numbers);
    generate(numbers, shape, 20_000, 0)
}

/// The kernel of a seed, launched with so many blocks that it is worth using several cores.
pub fn wide_kernel(seed: u64) -> Kernel {
    let mut numbers = Random::new(!seed);
    let (threads, blocks) =
        numbers.pick(&[(32, 512), (32, 600), (64, 256), (100, 130), (128, 128), (256, 64), (1024, 16)]);
    let grid = if numbers.chance(20) { Dim3::new(blocks / 2, 2, 1) } else { Dim3::new(blocks, 1, 1) };
    let shape = (Dim3::new(threads, 1, 1), grid);
    let delay = numbers.pick(&[0, 30, 300]);
    let mut kernel = generate(numbers, shape, 1_000_000, delay);
    // With any other schedule, one core runs the whole launch.
    kernel.launch.schedule = Schedule::RoundRobin;
    kernel.launch.weak_memory = false;
    kernel
}

fn generate(mut numbers: Random, (block, grid): (Dim3, Dim3), max_steps: u64, delay: u64) -> Kernel {
    let style = Style { delay, ..style(&mut numbers, block.count(), grid.count()) };
    let (areas, bytes) = areas(&mut numbers, &style);
    let launch = launch(&mut numbers, block, grid, max_steps);
    let warps = block.count().div_ceil(32) * grid.count();
    let budget = match numbers.below(20) {
        _ if warps > 32 => 10 + numbers.below(60),
        0 => 700,
        1..4 => 150 + numbers.below(200),
        _ => 10 + numbers.below(100),
    };
    let given = [numbers.below(200) as u32, numbers.bits() as u32];
    let times = if numbers.chance(15) { 2 } else { 1 };
    let slice = bytes[1] / style.blocks;
    let mut writer = Writer::new(numbers, style, areas, budget as usize);
    writer.prologue(block, slice);
    writer.budget += writer.lines.len();
    while writer.lines.len() < writer.budget {
        writer.statement(0);
    }
    let by_register = writer.chance(50);
    writer.epilogue(by_register);
    let head = head(&writer);
    Kernel { head, lines: writer.lines, launch, bytes, numbers: given, has_ramp: false, times }
}

/// The block and the grid, with a limit on the number of warps.
fn shape(numbers: &mut Random) -> (Dim3, Dim3) {
    let flat = |threads: u32| Dim3::new(threads, 1, 1);
    let block = match numbers.below(16) {
        0 => {
            numbers.pick(&[Dim3::new(8, 4, 1), Dim3::new(16, 2, 2), Dim3::new(5, 7, 3), Dim3::new(33, 3, 1)])
        }
        1 => {
            numbers.pick(&[Dim3::new(32, 4, 1), Dim3::new(4, 4, 4), Dim3::new(64, 2, 1), Dim3::new(1, 40, 1)])
        }
        2 => flat(1),
        3 => flat(if numbers.chance(50) { 1024 } else { 96 }),
        4..8 => flat(32),
        8..10 => flat(64),
        10 => flat(31),
        11 => flat(33),
        12 => flat(100),
        13 => flat(128),
        14 => flat(256),
        _ => flat(48),
    };
    let warps = block.count().div_ceil(32);
    let blocks = match numbers.below(12) {
        0..3 => 1,
        3 => 40,
        4 => 17,
        5 => 16,
        _ => 2 + numbers.below(7),
    };
    let blocks = blocks.min((96 / warps).max(1)) as u32;
    let grid = match numbers.below(8) {
        0 if blocks.is_multiple_of(2) => Dim3::new(blocks / 2, 2, 1),
        1 if blocks.is_multiple_of(4) => Dim3::new(2, blocks / 4, 2),
        _ => flat(blocks),
    };
    (block, grid)
}

fn style(numbers: &mut Random, threads: u64, blocks: u64) -> Style {
    let warps = threads.div_ceil(32) * blocks;
    let weights = numbers.pick(&[
        [10, 6, 6, 2, 2, 1],
        [10, 6, 6, 2, 2, 1],
        [12, 2, 1, 1, 0, 0],
        [6, 12, 2, 2, 1, 0],
        [8, 2, 8, 4, 1, 1],
        [6, 3, 4, 6, 1, 2],
        [6, 4, 2, 2, 8, 1],
        [20, 8, 0, 0, 0, 0],
    ]);
    Style {
        sm: numbers.pick(&[60, 70, 70, 70, 80]),
        guards: numbers.pick(&[0, 5, 15, 30]),
        weights,
        communicates: numbers.chance(25),
        peeks: numbers.chance(30),
        delay: 0,
        tallies: numbers.chance(40),
        looks_at_clock: numbers.chance(7),
        prints: numbers.chance(10),
        is_faulty: numbers.chance(12),
        has_lines: numbers.chance(10),
        threads,
        blocks,
        turns: if warps < 8 && numbers.chance(20) { 40 } else { 5 },
    }
}

/// The memory that the kernel accesses, and the sizes of the buffers. If blocks do not communicate, each has a part of
/// its own of the memory that is written, at the registers `%b1` and `%b2`.
pub fn areas(numbers: &mut Random, style: &Style) -> (Vec<Area>, [u64; 5]) {
    let blocks = style.blocks;
    let data = numbers.pick(&[4096, 8192, 16384]);
    let part = (style.threads * numbers.pick(&[4, 4, 8, 16])).max(512) + 16 * numbers.below(40);
    let part = part.next_multiple_of(16);
    let room = if style.communicates { part * blocks } else { part };
    let area = |base, space, room, is_written| Area {
        base,
        space,
        room,
        is_written,
        is_tally: base == "%b10",
        is_own: matches!(base, "%b5" | "%b6"),
    };
    let mut areas = vec![
        area("%b0", ".global", data, style.communicates),
        area("%b0", ".global", data, style.communicates),
        area("%b0", "", data, style.communicates),
        area("%b1", ".global", room, true),
        area("%b1", ".global", room, true),
        area("%b1", "", room, true),
        area("%b2", ".global", room, true),
        area("%b3", ".shared", SHARED_BYTES, true),
        area("%b3", ".shared", SHARED_BYTES, true),
        area("%b4", "", SHARED_BYTES, true),
        area("%b5", ".local", LOCAL_BYTES, true),
        area("%b6", "", LOCAL_BYTES, true),
        area("%b7", ".const", 256, false),
        area("%b8", ".param", 64, false),
        area("%b9", ".global", 512, style.communicates),
        area("%b10", ".global", 256, true),
        area("%b10", ".global", 256, true),
        area("%b10", "", 256, true),
    ];
    if style.peeks && !style.communicates {
        areas.extend(vec![area("%b12", ".global", room, false); 5]);
        areas.extend(vec![area("%b12", "", room, false); 2]);
    }
    (areas, [data, part * blocks, part * blocks, 256, DUMP_BYTES * style.threads * blocks])
}

fn launch(numbers: &mut Random, block: Dim3, grid: Dim3, most: u64) -> Launch {
    // Checkers are slow if there are many accesses.
    let is_large = block.count().div_ceil(32) * grid.count() > 16;
    let checks = match numbers.below(10) {
        0 | 1 if is_large && numbers.chance(80) => Checks::NONE,
        0 => Checks::ALL,
        1 => Checks { races: true, ..Checks::NONE },
        2 => Checks { initialisation: true, ..Checks::NONE },
        3 => Checks { synchronisation: true, ..Checks::NONE },
        _ => Checks::NONE,
    };
    let max_steps = match numbers.below(10) {
        0 => 1 + numbers.below(most / 64),
        1 => 1 + numbers.below(most / 4),
        _ => most,
    };
    Launch {
        schedule: numbers.pick(&[
            Schedule::RoundRobin,
            Schedule::RoundRobin,
            Schedule::Random,
            Schedule::Hunt,
        ]),
        reconvergence: numbers.pick(&[
            Reconvergence::Auto,
            Reconvergence::Auto,
            Reconvergence::Stack,
            Reconvergence::Its,
        ]),
        seed: numbers.below(1000),
        checks,
        weak_memory: numbers.chance(if is_large { 1 } else { 5 }),
        resident_blocks: numbers.pick(&[16, 16, 16, 16, 1, 2, 3, 64]),
        shared_bytes: numbers.pick(&[0, 0, 0, 256]),
        max_steps,
        ..Launch::new(grid, block)
    }
}

/// The bytes of registers that a thread stores at the end.
const DUMP_BYTES: u64 = 160;

pub fn head(writer: &Writer) -> String {
    let table: Vec<String> = (0..64_u64).map(|word| (word * 0x9e37_79b9 % 0xffff_fffb).to_string()).collect();
    let has = |word: &str| writer.lines.iter().any(|line| line.contains(word));
    let part = |is_wanted: bool, text| if is_wanted { text } else { "" };
    format!(
        ".version 8.0\n.target sm_{}\n.address_size 64\n{}\
         .const .align 16 .b32 fixed[64] = {{{}}};\n.global .align 16 .b32 table[128];\n{}{}{ENTRY}",
        writer.style.sm,
        part(writer.style.has_lines, ".file 1 \"kernel.cu\"\n"),
        table.join(", "),
        part(has("vprintf"), PRINT),
        part(has("call (c)"), FUNCTIONS),
    )
}

/// The variables and functions that printing needs.
const PRINT: &str = ".global .align 1 .b8 format[6] = {37, 117, 32, 33, 10, 0};
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 arguments);
";

/// The functions that kernels call: one diverges, one returns early and calls another, one has local memory of its own.
const FUNCTIONS: &str = r"
.func (.param .b32 c) mix(.param .b32 a, .param .b32 b)
{
	.reg .b32 %r<4>;
	.reg .pred %p;
	ld.param.u32 %r1, [a];
	ld.param.u32 %r2, [b];
	setp.lt.s32 %p, %r1, %r2;
	@%p bra $less;
	xor.b32 %r1, %r1, %r2;
	add.u32 %r1, %r1, 17;
	bra $both;
$less:
	sub.u32 %r1, %r2, %r1;
$both:
	add.u32 %r1, %r1, %r3;
	st.param.b32 [c], %r1;
	ret;
}

.func (.param .b32 c) nest(.param .b32 a, .param .b32 b)
{
	.reg .b32 %r<4>;
	.reg .pred %p;
	ld.param.u32 %r1, [a];
	ld.param.u32 %r2, [b];
	and.b32 %r3, %r1, 1;
	setp.eq.s32 %p, %r3, 0;
	st.param.b32 [c], %r2;
	@%p ret;
	{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %r2; st.param.b32 [y], %r1;
	call (z), mix, (x, y); ld.param.b32 %r3, [z]; }
	st.param.b32 [c], %r3;
	ret;
}

.func (.param .b32 c) sum(.param .b32 a, .param .b32 b)
{
	.reg .b32 %r<5>;
	.reg .b64 %q<3>;
	.reg .pred %p;
	.local .align 8 .b8 own[64];
	ld.param.u32 %r1, [a];
	ld.param.u32 %r2, [b];
	and.b32 %r1, %r1, 7;
	mov.u64 %q1, own;
	st.local.u32 [%q1+4], %r2;
	mov.u32 %r3, 1;
$more:
	ld.local.u32 %r4, [%q1];
	add.u32 %r3, %r3, %r4;
	add.s64 %q1, %q1, 4;
	add.s32 %r1, %r1, -1;
	setp.gt.s32 %p, %r1, 0;
	@%p bra $more;
	st.param.b32 [c], %r3;
	ret;
}
";

const ENTRY: &str = r"
.visible .entry kernel(.param .u64 data, .param .u64 out, .param .u64 scratch, .param .u64 tally, .param .u64 dump,
	.param .u32 n, .param .u32 m, .param .align 16 .b8 structure[64])
{
	.reg .b16 %h<4>;
	.reg .b32 %r<12>, %t<4>, %c<5>, %n<4>, %x<3>, %z<4>;
	.reg .b64 %q<8>, %u<4>, %a<1>, %b<13>, %y<1>;
	.reg .f32 %f<4>;
	.reg .pred %p<5>, %k;
	.shared .align 16 .b8 s[8192];
	.local .align 16 .b8 depot[512];
";

impl Writer {
    /// The beginning of every kernel: addresses, the numbers of the thread, and values in some registers.
    pub fn prologue(&mut self, block: Dim3, part: u64) {
        for (number, param) in BUFFERS.iter().enumerate() {
            let register = if number < 3 { number } else { number + 7 };
            self.line(format!("ld.param.u64 %b{register}, [{param}];"));
        }
        self.line("mov.u32 %x0, %tid.x;");
        if block.y * block.z > 1 {
            self.line(format!("mov.u32 %t0, %tid.y; mad.lo.u32 %x0, %t0, {}, %x0;", block.x));
            self.line(format!("mov.u32 %t0, %tid.z; mad.lo.u32 %x0, %t0, {}, %x0;", block.x * block.y));
        }
        self.line("mov.u32 %x1, %laneid;");
        self.line("mov.u32 %n1, %ctaid.x; mov.u32 %t0, %ctaid.y; mov.u32 %t1, %nctaid.x;");
        self.line("mad.lo.u32 %n1, %t0, %t1, %n1; mov.u32 %t2, %nctaid.y; mul.lo.u32 %t1, %t1, %t2;");
        self.line("mov.u32 %t0, %ctaid.z; mad.lo.u32 %n1, %t0, %t1, %n1;");
        self.line(format!("mad.lo.u32 %x2, %n1, {}, %x0;", block.count()));
        self.line("ld.param.u32 %n0, [n]; ld.param.u32 %n3, [m]; mov.u32 %n2, %ntid.x;");
        if self.style.delay > 0 {
            self.line(format!("mov.u32 %t0, {};", self.style.delay));
            self.place("$delay");
            self.line("add.s32 %t0, %t0, -1;");
            self.line("setp.ne.s32 %k, %t0, 0;");
            self.line("@%k bra $delay;");
        }
        if !self.style.communicates {
            // The part to which the block before or after stores. The first or the last block uses its own.
            if self.chance(60) {
                self.line("max.u32 %t0, %n1, 1; add.u32 %t0, %t0, -1;");
            } else {
                self.line(format!("add.u32 %t0, %n1, 1; min.u32 %t0, %t0, {};", self.style.blocks - 1));
            }
            self.line(format!("mad.wide.u32 %b12, %t0, {part}, %b1;"));
            self.line(format!("mad.wide.u32 %b1, %n1, {part}, %b1;"));
            self.line(format!("mad.wide.u32 %b2, %n1, {part}, %b2;"));
        }
        self.line("mov.u64 %b3, s; cvta.shared.u64 %b4, %b3;");
        if self.areas.iter().any(|area| area.is_own) {
            self.line("mov.u64 %b5, depot; cvta.local.u64 %b6, %b5;");
        }
        self.line("mov.u64 %b7, fixed; mov.u64 %b8, structure; mov.u64 %b9, table;");
        // Floats whose sum depends on the order of the additions.
        self.line("cvt.rn.f32.u32 %f0, %x2; mul.f32 %f0, %f0, 0f3DCCCCCD; mov.f32 %f1, 0f4B800001;");
        for number in 0..12 {
            let register = format!("%r{number}");
            match self.below(6) {
                0 | 1 => {
                    let from = self.pick(&["%x0", "%x1", "%x2"]);
                    self.define(&register, Hint::Linear, format!("mov.u32 {register}, {from};"));
                }
                2 | 3 => {
                    let value = self.number(Width::B32);
                    self.define(&register, Hint::Uniform, format!("mov.u32 {register}, {value};"));
                }
                _ => {}
            }
        }
        for number in 0..8 {
            if self.chance(50) {
                let register = format!("%q{number}");
                let from = self.source(Width::B32);
                self.define(&register, Hint::Linear, format!("cvt.u64.u32 {register}, {from};"));
            }
        }
    }

    /// Stores some registers, by thread or by register.
    pub fn epilogue(&mut self, by_register: bool) {
        let all = self.style.threads * self.style.blocks;
        let (own, step) = if by_register { (8, all * 8) } else { (DUMP_BYTES, 8) };
        self.line(format!("mad.wide.u32 %u3, %x2, {own}, %b11;"));
        let share = self.pick(&[20, 60, 100]);
        let mut place = 0;
        for (letter, count, ty) in [('r', 12, "u32"), ('q', 8, "u64")] {
            for number in 0..count {
                // There is space for twenty; two places are used below.
                if place < 18 && self.chance(share) {
                    self.line(format!("st.global.{ty} [%u3+{}], %{letter}{number};", place * step));
                    place += 1;
                }
            }
        }
        self.line("selp.b32 %z0, 1, 0, %p0; selp.b32 %z1, 2, 0, %p1; selp.b32 %z2, 4, 0, %p2;");
        self.line("add.u32 %z0, %z0, %z1; add.u32 %z0, %z0, %z2; cvt.u32.u16 %z1, %h0;");
        self.line(format!("st.global.v2.u32 [%u3+{}], {{%z0, %z1}};", 19 * step));
        self.line(format!("st.global.u64 [%u3+{}], %y0;", 18 * step));
        if self.chance(30) {
            let place = place.min(17) * step;
            self.line(format!("st.global.v2.f32 [%u3+{place}], {{%f0, %f1}};"));
        }
    }
}
