//! Loads, stores and atomics at addresses that are linear in the lane, the same in all lanes, data-dependent, or wrong.
//!
//! Unless the kernel is meant to have faults, an address is inside its area by construction: an index that is linear in
//! the thread times a stride that fits, or a value that is masked.

use crate::writer::{Hint, Width, Writer};

/// A piece of memory that a kernel accesses.
#[derive(Clone, Debug)]
pub struct Area {
    /// The register of 64 bits that holds its address.
    pub base: &'static str,
    /// The space as instructions name it; empty for generic addresses.
    pub space: &'static str,
    /// Its size in bytes.
    pub room: u64,
    /// Whether threads may store there.
    pub is_written: bool,
    /// Whether it is used for atomics.
    pub is_tally: bool,
    /// Whether each thread has its own.
    pub is_own: bool,
}

/// What an access moves: the type, the registers, and the bytes of all of them.
#[derive(Clone, Debug)]
pub struct Parts {
    /// For example `v2.u32`.
    ty: &'static str,
    letter: char,
    count: u64,
    pub bytes: u64,
}

const fn parts(ty: &'static str, letter: char, count: u64, bytes: u64) -> Parts {
    Parts { ty, letter, count, bytes }
}

/// Usually words; a register may be wider than what is loaded.
pub const PARTS: [Parts; 24] = [
    parts("u32", 'r', 1, 4),
    parts("u32", 'r', 1, 4),
    parts("u32", 'r', 1, 4),
    parts("s32", 'r', 1, 4),
    parts("b32", 'r', 1, 4),
    parts("f32", 'f', 1, 4),
    parts("u64", 'q', 1, 8),
    parts("s64", 'q', 1, 8),
    parts("s32", 'q', 1, 4),
    parts("u32", 'q', 1, 4),
    parts("u8", 'r', 1, 1),
    parts("s8", 'r', 1, 1),
    parts("u16", 'r', 1, 2),
    parts("s16", 'r', 1, 2),
    parts("u8", 'h', 1, 1),
    parts("s8", 'h', 1, 1),
    parts("u16", 'h', 1, 2),
    parts("s8", 'q', 1, 1),
    parts("v2.u32", 'r', 2, 8),
    parts("v4.u32", 'r', 4, 16),
    parts("v2.u64", 'q', 2, 16),
    parts("v2.u16", 'h', 2, 4),
    parts("v4.u8", 'r', 4, 4),
    parts("v4.f32", 'f', 4, 16),
];

impl Writer {
    /// Writes a statement that accesses memory.
    pub fn access(&mut self) {
        match self.below(12) {
            0..6 => self.load(),
            6..10 => self.store(),
            _ => self.atomic(),
        }
    }

    fn area(&mut self, is_wanted: impl Fn(&Area) -> bool) -> Area {
        let areas: Vec<Area> = self.areas.iter().filter(|area| is_wanted(area)).cloned().collect();
        self.pick(&areas)
    }

    fn load(&mut self) {
        let is_peek = self.style.communicates || self.style.peeks;
        let area = self.area(|area| !area.is_tally || is_peek);
        let parts = self.pick(&PARTS);
        let address = self.address(&area, parts.bytes);
        self.load_at(&area, &parts, &address);
    }

    /// Writes a load from an address, sometimes guarded, and returns the registers that it writes.
    pub fn load_at(&mut self, area: &Area, parts: &Parts, address: &str) -> String {
        let way = self.way(area, true);
        let registers = self.registers(parts, true);
        let not = self.pick(&["", "!"]);
        let text = format!("ld{way}.{} {registers}, [{address}];", parts.ty);
        if self.style.guards > 0 && self.chance(15) {
            let p = self.predicate();
            self.line(format!("@{not}{p} {text}"));
        } else {
            self.line(text);
        }
        registers
    }

    fn store(&mut self) {
        let area = self.area(|area| area.is_written && !area.is_tally);
        let parts = self.pick(&PARTS);
        let address = self.address(&area, parts.bytes);
        self.store_at(&area, &parts, &address);
    }

    /// Writes a store to an address, sometimes guarded.
    pub fn store_at(&mut self, area: &Area, parts: &Parts, address: &str) {
        let way = self.way(area, false);
        let registers = self.registers(parts, false);
        // A store uses only as many bits of a register as its type has.
        self.guarded(format!("st{way}.{} [{address}], {registers};", parts.ty));
    }

    /// The space, and the strength of the access.
    fn way(&mut self, area: &Area, is_load: bool) -> String {
        let space = area.space;
        let is_global = space == ".global";
        match self.below(12) {
            0 if is_load && is_global && !area.is_written => ".global.nc".to_owned(),
            1 if is_load && is_global => ".global.cg".to_owned(),
            2 if !matches!(space, ".const" | ".local" | ".param") => format!(".volatile{space}"),
            3 if self.style.sm >= 70 && matches!(space, ".global" | ".shared" | "") => {
                let order = self.pick(&["relaxed", if is_load { "acquire" } else { "release" }]);
                let scope = self.pick(&["cta", "gpu"]);
                format!(".{order}.{scope}{space}")
            }
            _ => space.to_owned(),
        }
    }

    fn registers(&mut self, parts: &Parts, is_load: bool) -> String {
        let (letter, count) = (parts.letter, parts.count);
        let all = match letter {
            'h' | 'f' => 4,
            'q' => 8,
            _ => 12,
        };
        let first = self.below(all);
        let numbers = (0..count).map(|next| format!("%{letter}{}", (first + next) % all));
        let registers: Vec<String> = numbers.collect();
        if is_load {
            for register in &registers {
                self.hint(register, Hint::Any);
            }
        } else if count == 1 && letter == 'r' && self.chance(30) {
            return self.source(Width::B32);
        }
        if count == 1 { registers[0].clone() } else { format!("{{{}}}", registers.join(", ")) }
    }

    /// An address of `bytes` bytes in an area, in the form in which it is written between brackets.
    pub fn address(&mut self, area: &Area, bytes: u64) -> String {
        if self.style.is_faulty && self.chance(10) {
            return self.wrong_address(area, bytes);
        }
        match self.below(10) {
            0 => self.same_address(area, bytes),
            1 => self.few_addresses(area, bytes),
            2 | 3 => self.masked_address(area, bytes),
            _ => self.linear_address(area, bytes),
        }
    }

    /// An offset that is the same for all lanes.
    fn same_address(&mut self, area: &Area, bytes: u64) -> String {
        let places = area.room / bytes;
        if self.chance(50) {
            let offset = self.below(places) * bytes;
            return format!("{}+{offset}", area.base);
        }
        let (n, places) = (self.below(4), power_below(places.min(64)));
        self.line(format!("and.b32 %t0, %n{n}, {};", places - 1));
        self.line(format!("mad.wide.u32 %u1, %t0, {bytes}, {};", area.base));
        "%u1".to_owned()
    }

    /// Addresses that several lanes share.
    fn few_addresses(&mut self, area: &Area, bytes: u64) -> String {
        let (shift, mask) = (self.below(5), self.pick(&[1, 3, 7]));
        let mask = mask.min(power_below(area.room / bytes) - 1);
        self.line(format!("shr.u32 %t0, %x1, {shift};"));
        self.line(format!("and.b32 %t0, %t0, {mask};"));
        self.line(format!("mul.wide.u32 %u0, %t0, {bytes};"));
        self.line(format!("add.s64 %u1, {}, %u0;", area.base));
        "%u1".to_owned()
    }

    /// An address that depends on a value.
    fn masked_address(&mut self, area: &Area, bytes: u64) -> String {
        let places = power_below(area.room / bytes);
        let index = self.source(Width::B32);
        self.line(format!("and.b32 %t0, {index}, {};", places - 1));
        self.line(format!("mul.wide.u32 %u0, %t0, {bytes};"));
        self.line(format!("add.s64 %u1, %u0, {};", area.base));
        "%u1".to_owned()
    }

    /// An address that increases or decreases with the thread by equal steps.
    pub fn linear_address(&mut self, area: &Area, bytes: u64) -> String {
        let threads = self.style.threads;
        let (mut index, mut count) = if self.chance(75) { ("%x0", threads) } else { ("%x1", 32) };
        let stride = self.pick(&[0, 1, 1, 1, 1, 1, 2, 4, 8, 16, 128]) * bytes;
        let fits = |count: u64, stride: u64| (count - 1) * stride + bytes <= area.room;
        if area.is_own || !fits(count, stride) && fits(32, stride) {
            (index, count) = ("%x1", 32);
        }
        let stride = if fits(count, stride) { stride } else { bytes };
        let stride = if fits(count, stride) { stride } else { 0 };
        let spare = (area.room - (count - 1) * stride - bytes) / bytes;
        let offset = self.below(spare + 1).min(40) * bytes;
        if self.chance(15) {
            // The threads in reverse order.
            self.line(format!("sub.s32 %t0, {}, {index};", count - 1));
            index = "%t0";
        }
        self.by_stride(area, index, stride, offset)
    }

    /// The address `base + offset + index * stride`, written in one of several ways.
    pub fn by_stride(&mut self, area: &Area, index: &str, stride: u64, offset: u64) -> String {
        let base = area.base;
        match self.below(12) {
            0 | 1 => {
                self.line(format!("mul.wide.u32 %u0, {index}, {stride};"));
                self.line(format!("add.s64 %u1, {base}, %u0;"));
            }
            2 => self.line(format!("mad.wide.s32 %u1, {index}, {stride}, {base};")),
            3 => {
                self.line(format!("mul.lo.s32 %t1, {index}, {stride};"));
                self.line("cvt.s64.s32 %u0, %t1;");
                self.line(format!("add.s64 %u1, %u0, {base};"));
            }
            4 if stride.is_power_of_two() => {
                self.line(format!("shl.b32 %t1, {index}, {};", stride.trailing_zeros()));
                self.line("cvt.u64.u32 %u0, %t1;");
                self.line(format!("add.u64 %u1, {base}, %u0;"));
            }
            5 if stride.is_power_of_two() => {
                self.line(format!("cvt.u64.u32 %u0, {index};"));
                self.line(format!("shl.b64 %u0, %u0, {};", stride.trailing_zeros()));
                self.line(format!("add.s64 %u1, {base}, %u0;"));
            }
            6 => {
                // An index that starts below zero, and a base that is higher by the same amount.
                let back = self.pick(&[1, 3, 16, 32, 1000]);
                self.line(format!("add.s32 %t1, {index}, -{back};"));
                self.line(format!("mul.wide.s32 %u0, %t1, {stride};"));
                self.line(format!("add.s64 %u0, %u0, {base};"));
                return format!("%u0+{}", offset + back * stride);
            }
            7 => {
                self.line(format!("cvt.u64.u32 %u0, {index};"));
                self.line(format!("mad.lo.s64 %u1, %u0, {stride}, {base};"));
            }
            8..12 if matches!(area.space, ".shared" | ".local") => {
                self.line(format!("cvt.u32.u64 %t1, {base};"));
                self.line(format!("mad.lo.u32 %t1, {index}, {stride}, %t1;"));
                // Addresses of 32 bits may start below zero.
                let back = self.pick(&[0, 0, 16, 4096, 16384]);
                if back != 0 {
                    self.line(format!("add.u32 %t1, %t1, -{back};"));
                }
                return format!("%t1+{}", offset + back);
            }
            _ => {
                self.line(format!("neg.s32 %t1, {index};"));
                self.line(format!("mad.wide.s32 %u1, %t1, -{stride}, {base};"));
            }
        }
        if self.chance(30) {
            self.line(format!("add.s64 %u1, %u1, {offset};"));
            return "%u1".to_owned();
        }
        format!("%u1+{offset}")
    }

    /// An address that is misaligned, outside of the area, null or random, for all lanes or for some.
    fn wrong_address(&mut self, area: &Area, bytes: u64) -> String {
        let base = area.base;
        match self.below(9) {
            0 | 8 => {
                let off = self.pick(&[1, bytes / 2]);
                self.line(format!("mad.wide.u32 %u1, %x0, {bytes}, {base};"));
                format!("%u1+{off}")
            }
            1 => {
                self.line(format!("mad.wide.u32 %u1, %x1, {bytes}, {base};"));
                format!("%u1+{}", area.room / bytes * bytes - 16 * bytes.min(area.room / 16 / bytes * bytes))
            }
            2 => {
                self.line("add.s32 %t0, %x1, -16;");
                self.line(format!("mad.wide.s32 %u1, %t0, {bytes}, {base};"));
                "%u1".to_owned()
            }
            3 => {
                self.line(format!("mul.wide.u32 %u1, %x0, {bytes};"));
                "%u1".to_owned()
            }
            4 => {
                let stride = self.pick(&[0x1000, 0x1_0000, 0x100_0000, 0x1000_0000]);
                self.line(format!("mad.wide.s32 %u1, %x1, {stride}, {base};"));
                "%u1".to_owned()
            }
            5 => {
                let value = self.source(Width::B32);
                self.line(format!("mad.wide.u32 %u1, {value}, 1, {base};"));
                "%u1".to_owned()
            }
            6 => self.source(Width::B64),
            _ => {
                self.line(format!("mad.wide.s32 %u1, %x1, -{bytes}, {base};"));
                "%u1+64".to_owned()
            }
        }
    }

    /// Writes an atomic, with or without a result.
    pub fn atomic(&mut self) {
        let tallies = self.style.tallies;
        if tallies && self.chance(10) {
            return self.two_reductions();
        }
        let area = self.area(|area| {
            let is_place = matches!(area.space, ".global" | ".shared" | "") && !area.is_own;
            is_place && area.is_written && (!area.is_tally || tallies)
        });
        let is_wide = self.chance(20);
        let address = self.address(&area, if is_wide { 8 } else { 4 });
        let space = area.space;
        let (width, bits) = if is_wide { (Width::B64, 64) } else { (Width::B32, 32) };
        let d = self.target(width);
        let [a, b] = [(); 2].map(|()| self.operand(width).0);
        let scope = self.pick(&["", "", "", ".gpu", ".cta"]);
        let order = if self.style.sm >= 70 { self.pick(&["", "", "", ".relaxed", ".acq_rel"]) } else { "" };
        let scope = if order.is_empty() { scope } else { ".gpu" };
        let op = match self.below(8) {
            0..3 => format!("add.u{bits}"),
            3 => format!("min.u{bits}"),
            4 => format!("max.s{bits}"),
            5 => format!("xor.b{bits}"),
            6 if !is_wide => return self.float_atomic(space, &address),
            6 => format!("or.b{bits}"),
            _ => format!("and.b{bits}"),
        };
        let text = match self.below(6) {
            0..3 => {
                let order = if order == ".acq_rel" { ".release" } else { order };
                format!("red{order}{scope}{space}.{op} [{address}], {a};")
            }
            3 => format!("atom{order}{scope}{space}.cas.b{bits} {d}, [{address}], {a}, {b};"),
            4 if self.chance(50) => format!("atom{order}{scope}{space}.exch.b{bits} {d}, [{address}], {a};"),
            4 if !is_wide => format!("atom{order}{scope}{space}.inc.u32 {d}, [{address}], {a};"),
            _ => format!("atom{order}{scope}{space}.{op} {d}, [{address}], {a};"),
        };
        self.define(&d, Hint::Any, text);
    }

    /// Some blocks add to a word, others access it or a part of it in another way.
    fn two_reductions(&mut self) {
        let blocks = self.style.blocks;
        let (a, bound) = (self.source(Width::B32), self.below(blocks));
        let other = self.pick(&["red.global.max.u32 [%b10+32]", "red.global.add.u32 [%b10+32]"]);
        let (other, wide) =
            if self.chance(30) { ("red.global.add.u64 [%b10+32]", true) } else { (other, false) };
        let b = if wide { self.source(Width::B64) } else { self.source(Width::B32) };
        self.line(format!("setp.lt.u32 %k, %n1, {bound};"));
        self.line(format!("@%k red.global.add.u32 [%b10+32], {a};"));
        self.line(format!("@!%k {other}, {b};"));
    }

    fn float_atomic(&mut self, space: &str, address: &str) {
        let (d, a) = (self.below(4), self.below(4));
        let is_red = self.chance(60);
        let text = if is_red {
            format!("red{space}.add.f32 [{address}], %f{a};")
        } else {
            format!("atom{space}.add.f32 %f{d}, [{address}], %f{a};")
        };
        self.guarded(text);
    }

    /// Writes a fence of any kind.
    pub fn fence(&mut self) {
        let fence = match self.below(4) {
            0 if self.style.sm >= 70 => "fence.acq_rel.gpu;",
            1 if self.style.sm >= 70 => "fence.sc.cta;",
            2 => "membar.cta;",
            _ => "membar.gl;",
        };
        self.line(fence);
    }
}

/// The largest power of two that is not larger than the number.
fn power_below(number: u64) -> u64 {
    1 << number.max(1).ilog2()
}
