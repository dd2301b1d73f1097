//! Values: arithmetic on 16, 32 and 64 bits and on predicates, and the special registers of a thread.

use crate::writer::{Hint, Width, Writer};

use Hint::{Any, Linear, Uniform};
use Width::{B16, B32, B64};

/// The hint for the sum of two values.
fn sum(a: Hint, b: Hint) -> Hint {
    match (a, b) {
        (Uniform, Uniform) => Uniform,
        (Any, _) | (_, Any) => Any,
        _ => Linear,
    }
}

/// The hint for the product of two values, and for most other results of two values.
fn product(a: Hint, b: Hint) -> Hint {
    match (a, b) {
        (Uniform, Uniform) => Uniform,
        (Linear, Uniform) | (Uniform, Linear) => Linear,
        _ => Any,
    }
}

fn both(a: Hint, b: Hint) -> Hint {
    if a == Uniform && b == Uniform { Uniform } else { Any }
}

/// Comparisons of integers with a sign, and without.
const SIGNED: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNSIGNED: [&str; 10] = ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"];

impl Writer {
    /// Writes one statement about values, or a few.
    pub fn value(&mut self) {
        for _ in 0..=self.below(3) {
            self.one_value();
        }
        if self.chance(40) {
            self.absorb();
        }
    }

    fn one_value(&mut self) {
        match self.below(28) {
            0 | 1 => self.special(),
            2..8 => self.linear(),
            8 | 9 => self.copy(),
            10..13 => self.plain_op(),
            13..16 => self.division(),
            16 | 17 => self.wide(),
            18 | 19 => self.convert(),
            20..23 => {
                self.comparison();
            }
            23 => self.logic_of_predicates(),
            24 | 25 => self.select(),
            26 => self.bits_op(),
            _ => self.float(),
        }
    }

    /// Mixes a register into one that is stored at the end, so that a value that is overwritten later also counts.
    pub fn absorb(&mut self) {
        let (r, q, h, p) = (self.target(B32), self.target(B64), self.target(B16), self.predicate());
        match self.below(5) {
            0 | 1 => self.line(format!("mad.wide.u32 %y0, {r}, 40503, %y0;")),
            2 => self.line(format!("mad.lo.s64 %y0, %y0, 31, {q};")),
            3 => self.line(format!("cvt.u64.u16 %u2, {h}; add.s64 %y0, %y0, %u2;")),
            _ => self.line(format!("selp.b64 %u2, 77, 5, {p}; mad.lo.s64 %y0, %y0, 3, %u2;")),
        }
    }

    fn width(&mut self) -> Width {
        self.pick(&[B16, B32, B32, B32, B32, B64, B64])
    }

    fn special(&mut self) {
        let (name, hint) = self.pick(&[
            ("%tid.x", Linear),
            ("%tid.x", Linear),
            ("%tid.y", Any),
            ("%tid.z", Any),
            ("%ntid.x", Uniform),
            ("%ntid.y", Uniform),
            ("%ctaid.x", Uniform),
            ("%ctaid.y", Uniform),
            ("%nctaid.x", Uniform),
            ("%laneid", Linear),
            ("%warpid", Uniform),
            ("%lanemask_lt", Any),
            ("%lanemask_ge", Any),
            ("%smid", Uniform),
        ]);
        let d = self.target(B32);
        self.define(&d, hint, format!("mov.u32 {d}, {name};"));
        if self.style.looks_at_clock && self.chance(30) {
            let (d, q) = (self.target(B32), self.target(B64));
            let text = self.pick(&[format!("mov.u32 {d}, %clock;"), format!("mov.u64 {q}, %clock64;")]);
            self.define(&d, Any, text);
        }
    }

    /// Writes an operation that keeps values linear in the lane, usually with operands that are linear.
    pub fn linear(&mut self) {
        let width = self.width();
        let (bits, d) = (width.bits(), self.target(width));
        let (a, ha) = self.like(width, &[Linear]);
        let (b, hb) =
            if self.chance(50) { self.uniform(width) } else { self.like(width, &[Linear, Uniform]) };
        let sign = self.pick(&['u', 's']);
        let shift = self.pick(&[0, 1, 2, 3, 4, 7, 15, 16, 31, 32, 33, 63, 64]);
        match self.below(10) {
            0..3 => self.define(&d, sum(ha, hb), format!("add.{sign}{bits} {d}, {a}, {b};")),
            3 => self.define(&d, sum(ha, hb), format!("sub.{sign}{bits} {d}, {a}, {b};")),
            4 => self.define(&d, sum(ha, hb), format!("sub.{sign}{bits} {d}, {b}, {a};")),
            5 => self.define(&d, product(ha, hb), format!("mul.lo.{sign}{bits} {d}, {a}, {b};")),
            6 => {
                let (c, hc) = self.like(width, &[Linear, Uniform]);
                let hint = sum(product(ha, hb), hc);
                self.define(&d, hint, format!("mad.lo.{sign}{bits} {d}, {a}, {b}, {c};"));
            }
            7 => self.define(&d, ha, format!("shl.b{bits} {d}, {a}, {shift};")),
            8 => self.define(&d, ha, format!("neg.s{bits} {d}, {a};")),
            _ => self.define(&d, ha, format!("not.b{bits} {d}, {a};")),
        }
    }

    /// Copies a register to another, sometimes in a cycle.
    fn copy(&mut self) {
        let width = self.width();
        let bits = width.bits();
        let ty = self.pick(&['u', 's', 'b']);
        let [a, b, c] = [(); 3].map(|()| self.target(width));
        if self.chance(30) {
            let (value, hint) = self.uniform(width);
            self.define(&a, hint, format!("mov.{ty}{bits} {a}, {value};"));
        } else if self.chance(50) {
            let (value, hint) = self.like(width, &[Linear, Uniform]);
            self.define(&a, hint, format!("mov.{ty}{bits} {a}, {value};"));
        } else {
            for (to, from) in [(&a, &b), (&b, &c), (&c, &a)] {
                self.define(to, Linear, format!("mov.{ty}{bits} {to}, {from};"));
            }
        }
    }

    fn plain_op(&mut self) {
        let width = self.width();
        let (bits, d) = (width.bits(), self.target(width));
        let ((a, ha), (b, hb)) = (self.operand(width), self.operand(width));
        let sign = self.pick(&['u', 's']);
        let (hint, text) = match self.below(9) {
            0 => (both(ha, hb), format!("and.b{bits} {d}, {a}, {b};")),
            1 => (both(ha, hb), format!("or.b{bits} {d}, {a}, {b};")),
            2 => (both(ha, hb), format!("xor.b{bits} {d}, {a}, {b};")),
            3 => (both(ha, hb), format!("min.{sign}{bits} {d}, {a}, {b};")),
            4 => (both(ha, hb), format!("max.{sign}{bits} {d}, {a}, {b};")),
            5 => {
                let by = if self.chance(60) { self.below(70).to_string() } else { self.source(B32) };
                (both(ha, hb), format!("shr.{sign}{bits} {d}, {a}, {by};"))
            }
            6 => {
                let by = self.source(B32);
                (Any, format!("shl.b{bits} {d}, {a}, {by};"))
            }
            7 => (both(ha, hb), format!("mul.hi.{sign}{bits} {d}, {a}, {b};")),
            _ => (both(ha, hb), format!("sub.{sign}{bits} {d}, {a}, {b};")),
        };
        self.define(&d, hint, text);
    }

    /// Remainders and quotients with divisors that are uniform, varying, or zero.
    fn division(&mut self) {
        let width = self.width();
        let (bits, d, op, sign) =
            (width.bits(), self.target(width), self.pick(&["rem", "div"]), self.pick(&['u', 's']));
        let (a, ha) = self.operand(width);
        let (b, hb) = match self.below(3) {
            0 => (self.pick(&[2, 3, 4, 5, 7, 8, 16, 32, 64, 100]).to_string(), Uniform),
            1 => self.uniform(width),
            _ => self.operand(width),
        };
        self.define(&d, both(ha, hb), format!("{op}.{sign}{bits} {d}, {a}, {b};"));
    }

    fn wide(&mut self) {
        let (from, to) = self.pick(&[(B32, B64), (B32, B64), (B32, B64), (B16, B32)]);
        let (bits, d, sign) = (from.bits(), self.target(to), self.pick(&['u', 's']));
        let (a, ha) = self.like(from, &[Linear, Uniform]);
        let (b, hb) = if self.chance(70) { self.uniform(from) } else { self.operand(from) };
        if self.chance(50) {
            self.define(&d, product(ha, hb), format!("mul.wide.{sign}{bits} {d}, {a}, {b};"));
        } else {
            let (c, hc) = self.like(to, &[Linear, Uniform]);
            let hint = sum(product(ha, hb), hc);
            self.define(&d, hint, format!("mad.wide.{sign}{bits} {d}, {a}, {b}, {c};"));
        }
    }

    fn convert(&mut self) {
        let (from, to) = (self.width(), self.width());
        let d = self.target(to);
        let (a, hint) = self.like(from, &[Linear, Uniform]);
        let (sign, other) = (self.pick(&['u', 's']), self.pick(&['u', 's']));
        let bits = if self.chance(15) { 8 } else { from.bits() };
        self.define(&d, hint, format!("cvt.{sign}{}.{other}{bits} {d}, {a};", to.bits()));
    }

    /// A comparison of two typical operands; returns the predicate.
    pub fn comparison(&mut self) -> String {
        let p = self.predicate();
        let width = self.width();
        let bits = width.bits();
        let (a, _) = self.like(width, &[Linear, Uniform]);
        let b = match self.below(4) {
            0 if width == B32 => self.below(40).to_string(),
            0 | 1 => self.number(width),
            2 => self.uniform(width).0,
            _ => self.operand(width).0,
        };
        let (a, b) = if self.chance(15) && a != b { (a, b) } else { (a.clone(), b) };
        let (sign, op) =
            if self.chance(50) { ('s', self.pick(&SIGNED)) } else { ('u', self.pick(&UNSIGNED)) };
        if self.chance(12) {
            let (other, q, join) = (self.predicate(), self.predicate(), self.pick(&["and", "or", "xor"]));
            let both = if other != p && self.chance(50) { format!("{p}|{other}") } else { p.clone() };
            let not = self.pick(&["", "!"]);
            self.guarded(format!("setp.{op}.{join}.{sign}{bits} {both}, {a}, {b}, {not}{q};"));
        } else {
            self.guarded(format!("setp.{op}.{sign}{bits} {p}, {a}, {b};"));
        }
        p
    }

    /// A comparison with the same result in all lanes of all warps of the block; returns the predicate, which contains
    /// no other value.
    pub fn uniform_comparison(&mut self) -> &'static str {
        let (a, b) = (self.below(4), self.below(4));
        let b = if self.chance(60) { self.below(6).to_string() } else { format!("%n{b}") };
        let (sign, op) = (self.pick(&['u', 's']), self.pick(&SIGNED));
        self.line(format!("setp.{op}.{sign}32 %k, %n{a}, {b};"));
        "%k"
    }

    fn logic_of_predicates(&mut self) {
        let [d, a, b] = [(); 3].map(|()| self.predicate());
        let text = match self.below(5) {
            0 => format!("mov.pred {d}, {a};"),
            1 => format!("not.pred {d}, {a};"),
            2 => format!("xor.pred {d}, {a}, {b};"),
            3 => format!("or.pred {d}, {a}, {b};"),
            _ => format!("and.pred {d}, {a}, {b};"),
        };
        self.guarded(text);
    }

    fn select(&mut self) {
        let width = self.width();
        let (d, p, bits) = (self.target(width), self.predicate(), width.bits());
        let ((a, _), (b, _)) = (self.operand(width), self.like(width, &[Linear, Uniform]));
        self.define(&d, Any, format!("selp.b{bits} {d}, {a}, {b}, {p};"));
    }

    fn bits_op(&mut self) {
        let d = self.target(B32);
        let ((a, ha), (b, hb)) = (self.operand(B32), self.operand(B32));
        let (wide, amount) = (self.source(B64), self.below(40));
        let (hint, text) = match self.below(9) {
            0 => (ha, format!("popc.b32 {d}, {a};")),
            1 => (ha, format!("clz.b32 {d}, {a};")),
            2 => (ha, format!("brev.b32 {d}, {a};")),
            3 => (ha, format!("bfe.u32 {d}, {a}, {amount}, 7;")),
            4 => (both(ha, hb), format!("shf.l.wrap.b32 {d}, {a}, {b}, {amount};")),
            5 => (both(ha, hb), format!("prmt.b32 {d}, {a}, {b}, 0x5140;")),
            6 => (both(ha, hb), format!("lop3.b32 {d}, {a}, {b}, {a}, 0x96;")),
            7 => (ha, format!("abs.s32 {d}, {d};")),
            _ => (Any, format!("popc.b64 {d}, {wide};")),
        };
        self.define(&d, hint, text);
    }

    fn float(&mut self) {
        let (d, a, b) = (self.below(4), self.below(4), self.below(4));
        let (r, _) = self.like(B32, &[Linear, Uniform]);
        let to = self.target(B32);
        let text = match self.below(6) {
            0 => format!("cvt.rn.f32.s32 %f{d}, {r};"),
            1 => format!("cvt.rn.f32.u32 %f{d}, {r};"),
            2 => format!("add.f32 %f{d}, %f{a}, %f{b};"),
            3 => format!("mul.f32 %f{d}, %f{a}, 0f3F400000;"),
            4 => format!("fma.rn.f32 %f{d}, %f{a}, %f{b}, %f{d};"),
            _ => format!("cvt.rzi.s32.f32 {to}, %f{a};"),
        };
        self.define(&to, Any, text);
    }
}
