//! How the threads of [`Convergent`] access memory: each its own bytes, or those that another warp has accessed, or rows
//! that warps pass to each other.
//!
//! Between two barriers an area is accessed with one pattern, in which each warp keeps to its own bytes; if that is not
//! possible, there is a barrier first. Accesses without care use any pattern. Addresses that are not linear in the
//! thread are left out.

use crate::convergent::{Convergent, Place};
use crate::memory::{Area, PARTS};
use crate::writer::Width;

/// How the threads of a block access an area: thread, lane or warp `i` accesses byte `offset + i * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    index: Index,
    stride: u64,
    offset: u64,
}

/// The number with which an address grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    Thread,
    /// The number of the thread in reverse order.
    Turned,
    Lane,
    Warp,
}

impl Convergent {
    /// Writes a load or a store.
    pub fn access(&mut self, place: Place) {
        let areas = self.writer.areas.clone();
        let area = self.writer.pick(&areas);
        let is_store = area.is_written && self.chance(45);
        let known = self.since.get(area.base).copied();
        let mut pattern = self.pattern(&area);
        let care = self.care;
        if self.chance(care) && !fits(known, pattern, is_store) {
            let is_wanted = |pattern: &Pattern| fits(known, *pattern, is_store);
            match known.map(|(pattern, _)| pattern).filter(is_wanted) {
                Some(known) => pattern = known,
                None if place != Place::Open => return self.writer.value(),
                None => {
                    self.barrier();
                    if is_store && !pattern.is_own() {
                        pattern.index = Index::Thread;
                        pattern = self.within(pattern, &area);
                    }
                }
            }
        }
        self.go(&area, pattern, is_store);
        let stored = is_store || self.since.get(area.base).is_some_and(|&(_, stored)| stored);
        self.since.insert(area.base, (pattern, stored));
    }

    /// A pattern for an area.
    fn pattern(&mut self, area: &Area) -> Pattern {
        let index = match self.below(12) {
            0 => Index::Turned,
            1 => Index::Lane,
            2 | 3 if area.is_written || self.chance(15) => Index::Warp,
            _ => Index::Thread,
        };
        let stride = self.writer.pick(&[1, 2, 4, 4, 4, 4, 4, 8, 8, 16, 16, 64, 0]);
        let offset = match self.below(10) {
            0 => self.below(5) * 4,
            1 => 16 * self.below(8),
            2..5 => self.below(8) * 32 * stride,
            _ => 0,
        };
        self.within(Pattern { index, stride, offset }, area)
    }

    /// The same pattern, changed so that it stays within the area.
    fn within(&self, mut pattern: Pattern, area: &Area) -> Pattern {
        let count = match pattern.index {
            Index::Thread | Index::Turned => self.writer.style.threads,
            Index::Lane => 32,
            Index::Warp => self.writer.style.threads.div_ceil(32),
        };
        let is_inside = |pattern: &Pattern| {
            (count - 1) * pattern.stride + pattern.offset + pattern.stride.max(16) <= area.room
        };
        while pattern.offset > 0 && !is_inside(&pattern) {
            pattern.offset = (pattern.offset / 2) & !3;
        }
        while pattern.stride > 4 && !is_inside(&pattern) {
            pattern.stride /= 2;
        }
        if !is_inside(&pattern) {
            (pattern.index, pattern.stride) = (Index::Lane, 4);
        }
        pattern
    }

    /// Writes an access with this pattern.
    fn go(&mut self, area: &Area, pattern: Pattern, is_store: bool) {
        let Pattern { index, stride, offset } = pattern;
        let step = if stride == 0 { 4 } else { stride };
        let fit = PARTS
            .iter()
            .filter(|parts| step.is_multiple_of(parts.bytes) && offset.is_multiple_of(parts.bytes));
        let parts = self.writer.pick(&fit.cloned().collect::<Vec<_>>());
        let last = self.writer.style.threads - 1;
        let index = match index {
            Index::Thread => "%x0",
            Index::Lane => "%x1",
            Index::Turned => {
                self.line(format!("sub.u32 %t3, {last}, %x0;"));
                "%t3"
            }
            Index::Warp => {
                self.line("mov.u32 %t3, %warpid;");
                "%t3"
            }
        };
        let address = self.writer.by_stride(area, index, stride, offset);
        let is_one = pattern.index == Index::Warp || stride == 0;
        if is_store && is_one {
            // Usually one lane stores for its warp.
            let (lane, value) = (self.below(32), self.below(12));
            let p = self.writer.predicate();
            self.line(format!("setp.eq.u32 {p}, %x1, {lane};"));
            let guard = if self.chance(90) { format!("@{p} ") } else { String::new() };
            let ty = if step.is_multiple_of(4) { "u32" } else { "u8" };
            self.line(format!("{guard}st{}.{ty} [{address}], %r{value};", area.space));
        } else if is_store {
            self.writer.store_at(area, &parts, &address);
        } else if is_one && step.is_multiple_of(4) && self.chance(if area.is_written { 80 } else { 10 }) {
            let d = self.name(Width::B32);
            self.line(format!("ld{}.u32 {d}, [{address}];", area.space));
            self.absorb(&d);
            self.planes[0].push(d);
        } else {
            let p = if self.chance(12) { Some(self.comparison()) } else { None };
            let start = self.writer.lines.len();
            let registers = self.writer.load_at(area, &parts, &address);
            if let Some(p) = p {
                self.guard(start, &p, area);
            }
            if self.chance(80) {
                self.absorb(&registers);
            }
        }
    }

    /// Writes a loop that updates an area in place, one element in each iteration.
    pub fn walk(&mut self, counter: &str) {
        let threads = self.writer.style.threads;
        let areas: Vec<Area> =
            self.writer.areas.iter().filter(|area| area.room >= threads * 12).cloned().collect();
        if areas.is_empty() {
            return;
        }
        let area = self.writer.pick(&areas);
        self.afresh(|kernel| {
            let address = kernel.writer.by_stride(&area, counter, 4, 0);
            let (space, d) = (area.space, kernel.writer.target(Width::B32));
            kernel.line(format!("ld{space}.u32 {d}, [{address}];"));
            if area.is_written {
                kernel.line(format!("mad.lo.u32 {d}, {d}, 5, {counter};"));
                kernel.line(format!("st{space}.u32 [{address}], {d};"));
            }
        });
        self.since
            .insert(area.base, (Pattern { index: Index::Thread, stride: 1, offset: 2 }, area.is_written));
    }

    /// Some warps store to rows of an area and then some load from it, or the other way round. Usually each warp
    /// accesses its own bytes.
    pub fn pass(&mut self, place: Place) {
        let area = self.stored_area();
        let mut one = self.pattern(&area);
        let care = if self.passes { 20 } else { self.care.min(90) };
        if !one.is_own() || !self.since.get(area.base).is_none_or(|&(known, _)| known == one) {
            if place != Place::Open {
                return self.writer.value();
            }
            self.barrier();
            one = self.within(Pattern { index: Index::Thread, ..one }, &area);
        }
        let is_careful = self.chance(care);
        let (mut other, mut tests) = (one, [None; 2]);
        if !is_careful {
            (one, other) = (self.row(&area), self.row(&area));
            if self.chance(50) {
                (other.index, other.stride) = (one.index, one.stride * self.writer.pick(&[1, 1, 2]));
                other = self.within(other, &area);
            }
        }
        if !is_careful && self.chance(30) {
            // Either all warps and all except the first, so that both access the first rows; or all except the second,
            // so that the distances are not equal.
            other = Pattern { offset: one.offset + 32 * one.stride, ..one };
            let (all, others, split) = (Some(("ge", 0)), Some(("ge", 1)), Some(("ne", 1)));
            tests = self.writer.pick(&[[others, all], [all, others], [split, split]]);
            if tests[1] == others {
                (one, other) = (other, one);
            }
            (one, other) = (self.within(one, &area), self.within(other, &area));
        }
        let (first, is_same) = (self.below(3), self.chance(40));
        let mut p = self.comparison_of_warps();
        for (place, (pattern, test)) in (0..).zip([one, other].into_iter().zip(tests)) {
            if let Some((op, warp)) = test {
                self.line(format!("shr.u32 %t2, %x0, 5; setp.{op}.u32 {p}, %t2, {warp};"));
            } else if !is_same {
                p = self.comparison_of_warps();
            }
            let start = self.writer.lines.len();
            self.go(&area, pattern, first != place);
            self.guard(start, &p, &area);
        }
        let pattern = if is_careful { one } else { Pattern { index: Index::Lane, ..one } };
        self.since.insert(area.base, (pattern, true));
    }

    /// Adds a guard to the memory accesses from a line on.
    fn guard(&mut self, start: usize, p: &str, area: &Area) {
        let space = format!("{}.", area.space);
        for line in &mut self.writer.lines[start..] {
            if line.contains(&space) && !line.contains('@') {
                *line = format!("\t@{p} {}", line.trim_start());
            }
        }
    }

    /// Rows of an area, one for each warp, beginning with one of the first.
    fn row(&mut self, area: &Area) -> Pattern {
        let index =
            self.writer.pick(&[Index::Thread, Index::Thread, Index::Thread, Index::Turned, Index::Lane]);
        let stride = self.writer.pick(&[4, 4, 4, 8, 16]);
        let offset = self.writer.pick(&[0, 0, 0, 1, 2, 3]) * 32 * stride
            + self.writer.pick(&[0, 0, 0, 1, 2, 4, 8, 64]);
        self.within(Pattern { index, stride, offset }, area)
    }

    /// Stores more rows than the executor keeps apart, and then loads one of them.
    pub fn crowd(&mut self) {
        let (area, threads, rows) = (self.stored_area(), self.writer.style.threads, 9 + self.below(4));
        let (ty, bytes) = if rows * threads * 4 <= area.room { ("u32", 4) } else { ("u8", 1) };
        if rows * threads * bytes > area.room {
            return self.writer.value();
        }
        self.barrier();
        let (base, space, value) = (area.base, area.space, self.writer.target(Width::B32));
        self.line(format!("mad.wide.u32 %u0, %x0, {bytes}, {base};"));
        for row in 0..rows {
            self.line(format!("st{space}.{ty} [%u0+{}], {value};", row * threads * bytes));
        }
        let own = if self.chance(60) { "%x0" } else { "%t0" };
        self.line(format!("sub.u32 %t0, {}, %x0;", threads - 1));
        self.line(format!("mad.wide.u32 %u1, {own}, {bytes}, {base};"));
        let row = if own == "%x0" { rows - 1 - self.below(4) } else { self.below(4) };
        let d = self.writer.target(Width::B32);
        self.line(format!("ld{space}.{ty} {d}, [%u1+{}];", row * threads * bytes));
        self.absorb(&d);
        self.barrier();
    }

    /// An area that threads may store to.
    fn stored_area(&mut self) -> Area {
        let areas: Vec<Area> = self.writer.areas.iter().filter(|area| area.is_written).cloned().collect();
        self.writer.pick(&areas)
    }

    /// The sum over a block's threads in place, with half as many words in each round.
    pub fn tree(&mut self) {
        let area = self.stored_area();
        let (space, base, value) = (area.space, area.base, self.writer.target(Width::B32));
        let half = self.writer.style.threads.next_power_of_two() / 2;
        if half * 8 > area.room {
            return self.writer.value();
        }
        self.barrier();
        let (start, end) = (self.writer.label(), self.writer.label());
        self.line(format!("mad.wide.u32 %u0, %x0, 4, {base};"));
        self.line(format!("st{space}.u32 [%u0], {value};"));
        self.line(format!("mov.u32 %c4, {half};"));
        self.barrier();
        self.writer.place(&start);
        // Sometimes there is one thread too many.
        let op = self.writer.pick(&["ge", "ge", "ge", "ge", "ge", "ge", "ge", "gt"]);
        self.line(format!("setp.{op}.u32 %k, %x0, %c4;"));
        self.line(format!("@%k bra {end};"));
        self.line("mul.wide.u32 %u1, %c4, 4; add.s64 %u1, %u1, %u0;");
        self.line(format!("ld{space}.u32 %t2, [%u1];"));
        self.line(format!("ld{space}.u32 %t3, [%u0]; add.u32 %t3, %t3, %t2;"));
        self.line(format!("st{space}.u32 [%u0], %t3;"));
        self.writer.place(&end);
        if self.chance(95) {
            self.barrier();
        }
        self.line("shr.u32 %c4, %c4, 1; setp.ne.u32 %k, %c4, 0;");
        self.line(format!("@%k bra {start};"));
        let d = self.writer.target(Width::B32);
        self.line(format!("ld{space}.u32 {d}, [{base}];"));
        self.since.insert(base, (Pattern { index: Index::Lane, stride: 0, offset: 0 }, false));
    }

    /// Rounds in which each thread loads its neighbour's word from one half of an area and stores its own word in the
    /// other half.
    pub fn exchange(&mut self) {
        let area = self.stored_area();
        let (space, base, d) = (area.space, area.base, self.writer.target(Width::B32));
        // If the halves touch, the executor cannot tell the last warp's row from one that extends into the other half.
        let spare = self.writer.pick(&[0, 33, 33, 33]);
        let row = ((self.writer.style.threads + spare) * 4).next_power_of_two();
        if row * 2 > area.room {
            return self.writer.value();
        }
        self.barrier();
        let (start, rounds) = (self.writer.label(), self.below(4) + 1);
        let by = self.writer.pick(&[1, 2, 32, 33]);
        let last = self.writer.style.threads - 1;
        self.line(format!("mov.u32 %c4, {rounds}; mov.u64 %u3, 0;"));
        self.line(format!("sub.u32 %t0, {last}, %x0; mad.wide.u32 %u0, %x0, 4, {base};"));
        let p = self.writer.predicate();
        self.line(format!("setp.ge.u32 {p}, %t0, {by};"));
        self.writer.place(&start);
        self.line("add.s64 %u1, %u0, %u3;");
        self.line(format!("@{p} ld{space}.u32 %t2, [%u1+{}]; add.u32 {d}, {d}, %t2;", by * 4));
        self.line(format!("xor.b64 %u3, %u3, {row}; add.s64 %u2, %u0, %u3;"));
        self.line(format!("st{space}.u32 [%u2], {d};"));
        if self.chance(95) {
            self.barrier();
        }
        self.line("add.s32 %c4, %c4, -1; setp.gt.s32 %k, %c4, 0;");
        self.line(format!("@%k bra {start};"));
        self.barrier();
    }
}

impl Pattern {
    /// Whether no two warps access the same byte, if each lane stores its own value or one lane stores for all.
    fn is_own(self) -> bool {
        self.stride != 0 && self.index != Index::Lane
    }
}

/// Whether a pattern may be used for an area after the accesses since the last barrier.
fn fits(known: Option<(Pattern, bool)>, pattern: Pattern, is_store: bool) -> bool {
    match known {
        None => !is_store || pattern.is_own(),
        Some((_, false)) if !is_store => true,
        Some((known, _)) => known == pattern && pattern.is_own(),
    }
}
