//! Kernels of two to four blocks that access the same few bytes of global memory, or neighbouring bytes.
//!
//! Blocks run side by side as long as none accesses a byte that another one wrote. Which two blocks do what, in which
//! order, and whether both are on one core, differs from kernel to kernel. The kernels do little else, because with
//! many shared bytes the conflicts that are found would hide those that are missed.

use simt::{Checks, Dim3, Launch};

use crate::kernel::{Kernel, areas, head};
use crate::writer::{Style, Writer};
use test_support::Random;

/// The bytes of a page, which is the unit of a fork of memory.
const PAGE: u64 = 4096;

/// The kernel of a seed.
pub fn sharing(seed: u64) -> Kernel {
    let mut numbers = Random::new(seed ^ 0x7472_6164_6500_0000);
    let (threads, blocks) = numbers.pick(&[(32, 2), (32, 2), (32, 3), (64, 2), (32, 4)]);
    let style = Style {
        sm: 70,
        guards: 0,
        weights: [1, 0, 0, 0, 0, 0],
        communicates: true,
        peeks: false,
        delay: 0,
        tallies: true,
        looks_at_clock: false,
        prints: false,
        is_faulty: false,
        has_lines: false,
        threads,
        blocks,
        turns: 5,
    };
    let (areas, mut bytes) = areas(&mut numbers, &style);
    let areas = areas.into_iter().filter(|area| !area.is_own).collect();
    bytes[1..3].fill(4 * PAGE);
    let launch = Launch {
        seed: numbers.below(1000),
        resident_blocks: numbers.pick(&[16, 16, 1]),
        max_steps: if numbers.chance(5) { 1 + numbers.below(400 * blocks) } else { 100_000 },
        checks: if numbers.chance(8) { Checks::ALL } else { Checks::NONE },
        ..Launch::new(blocks as u32, threads as u32)
    };
    let has_ramp = numbers.chance(85);
    // Uninitialised memory has an effect only in the second launch.
    let (base, times) = if has_ramp { ("%b1", 1) } else { ("%b2", 2) };
    let mut writer = Writer::new(numbers, style, areas, 0);
    writer.prologue(Dim3::new(threads as u32, 1, 1), 0);
    writer.neighbours();
    for _ in 0..=writer.below(2) {
        writer.share(base);
    }
    writer.epilogue(true);
    let head = head(&writer);
    Kernel { head, lines: writer.lines, launch, bytes, numbers: [1, 2], has_ramp, times }
}

impl Writer {
    /// Writes stores to bytes of each block between those of other blocks.
    fn neighbours(&mut self) {
        let (width, ty) = self.pick(&[(1, "u8"), (2, "u16"), (4, "u32")]);
        let blocks = self.style.blocks;
        self.line(format!("mad.lo.u32 %t2, %x0, {blocks}, %n1; mad.wide.u32 %u2, %t2, {width}, %b1;"));
        self.line("add.u32 %t1, %x2, 129;");
        let offset = 3 * PAGE + self.below(16) * 4;
        self.line(format!("st.global.{ty} [%u2+{offset}], %t1;"));
    }

    /// One or more blocks access some bytes, and then other blocks do.
    fn share(&mut self, base: &str) {
        let start = self.pick(&[0, 0, 64, 1000, PAGE - 128, PAGE]);
        let (one, blocks) = (self.below(self.style.blocks), self.style.blocks);
        let other = (one + 1 + self.below(blocks - 1)) % blocks;
        let is_all = self.chance(25);
        for (block, is_all) in [(one, false), (other, is_all)] {
            let end = self.label();
            self.wait();
            self.line(format!("setp.{}.u32 %k, %n1, {block};", if is_all { "eq" } else { "ne" }));
            self.line(format!("@%k bra {end};"));
            self.touch(base, start);
            self.place(&end);
        }
    }

    /// One block runs a longer loop than the others.
    fn wait(&mut self) {
        let (block, turns, start) = (self.below(self.style.blocks), self.pick(&[1, 30, 300]), self.label());
        self.line(format!("setp.eq.u32 %k, %n1, {block}; selp.b32 %c0, {turns}, 1, %k;"));
        self.place(&start);
        self.line("add.s32 %c0, %c0, -1; setp.gt.s32 %k, %c0, 0;");
        self.line(format!("@%k bra {start};"));
    }

    /// Writes an access to bytes after `start`.
    fn touch(&mut self, base: &str, start: u64) {
        let stride = self.pick(&[0, 4, 4, 4, 8, 16, 64]);
        let (d, value) = (self.below(12), self.below(1000));
        let offset = start + self.pick(&[0, 0, 0, 4, 8]);
        let index = if self.chance(50) { "%x0" } else { "%x1" };
        self.line(format!("mad.wide.u32 %u0, {index}, {stride}, {base}; mad.lo.u32 %t1, %x2, 3, {value};"));
        self.line("cvt.u64.u32 %q0, %t1;");
        // Rows, sometimes with gaps, or only a few lanes.
        let mask = self.pick(&[0, 0, 0, 1, 5, 28]);
        self.line(format!("and.b32 %t0, %x0, {mask}; setp.eq.u32 %p0, %t0, 0;"));
        match self.below(12) {
            0..3 => self.line(format!("@%p0 ld.global.u32 %r{d}, [%u0+{offset}];")),
            3 => self.line(format!("@%p0 ld.global.u8 %r{d}, [%u0+{}];", offset + value % 4)),
            4 | 5 => self.line(format!("@%p0 st.global.u32 [%u0+{offset}], %t1;")),
            6 => self.line(format!("@%p0 st.global.u8 [%u0+{}], %t1;", offset + value % 4)),
            7 => self.whole_page(base, start),
            8 => self.line(format!("atom.global.add.u32 %r{d}, [%u0+{offset}], %t1;")),
            _ => {
                let op = self.pick(&["add.u32", "add.u32", "max.u32", "xor.b32", "add.u64"]);
                let (offset, value) = if op.ends_with("64") { (offset & !7, "%q0") } else { (offset, "%t1") };
                // A step that is not half an element of 8 bytes.
                let step = if stride == 4 && op.ends_with("64") { 8 } else { stride };
                self.line(format!("mad.wide.u32 %u1, {index}, {step}, {base};"));
                self.line(format!("@%p0 red.global.{op} [%u1+{offset}], {value};"));
            }
        }
        self.line(format!("mad.wide.u32 %y0, %r{d}, 40503, %y0;"));
    }

    /// Writes loads or stores of all bytes of a page.
    fn whole_page(&mut self, base: &str, start: u64) {
        let (page, is_store) = (start / PAGE * PAGE, self.chance(50));
        self.line(format!("mad.wide.u32 %u0, %x1, 16, {base};"));
        for row in 0..PAGE / 512 {
            let offset = page + row * 512;
            if is_store {
                self.line(format!("st.global.v4.u32 [%u0+{offset}], {{%t1, %x2, %t1, %x2}};"));
            } else {
                self.line(format!("ld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%u0+{offset}];"));
                self.line("mad.wide.u32 %y0, %r1, 40503, %y0; mad.wide.u32 %y0, %r3, 9, %y0;");
            }
        }
    }
}
