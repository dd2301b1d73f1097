//! Control flow: branches that skip, forks, loops, ways out of them, switches, calls, and early ends.

use crate::writer::{Loop, Width, Writer};

/// How deeply statements may be nested.
const DEEPEST: usize = 3;

impl Writer {
    /// Writes a statement of any kind.
    pub fn statement(&mut self, depth: usize) {
        let weights = self.style.weights;
        let mut drawn = self.below(weights.iter().sum());
        let family = weights.iter().position(|&weight| {
            let is_it = drawn < weight;
            drawn = drawn.saturating_sub(weight);
            is_it
        });
        let may_nest = depth < DEEPEST && self.lines.len() < self.budget;
        match family {
            Some(1) => self.access(),
            Some(2) if may_nest => self.fork(depth),
            Some(3) if may_nest => self.turns(depth),
            Some(4) => self.synchronise(),
            Some(5) => self.call_or_end(),
            _ => self.value(),
        }
    }

    /// Writes some statements, at least one.
    pub fn statements(&mut self, depth: usize, most: u64) {
        for _ in 0..=self.below(most) {
            self.statement(depth + 1);
        }
    }

    /// A predicate for a branch, usually the result of a new comparison.
    fn condition(&mut self) -> String {
        match self.below(10) {
            0 => self.predicate(),
            1 | 2 => {
                let (register, bound) = (self.pick(&["%x0", "%x1"]), self.below(36));
                let op = self.pick(&["lt", "ge", "eq", "gt"]);
                self.line(format!("setp.{op}.u32 %k, {register}, {bound};"));
                "%k".to_owned()
            }
            3 => {
                let (value, bit) = (self.source(Width::B32), self.below(6));
                self.line(format!("and.b32 %t0, {value}, {};", 1 << bit));
                self.line("setp.eq.s32 %k, %t0, 0;");
                "%k".to_owned()
            }
            _ => self.comparison(),
        }
    }

    fn fork(&mut self, depth: usize) {
        let before = self.together;
        let is_uniform = self.together && self.chance(30);
        let p = if is_uniform { self.uniform_comparison().to_owned() } else { self.condition() };
        self.together = is_uniform;
        let not = self.pick(&["", "!"]);
        match self.below(8) {
            0..5 => {
                let end = self.label();
                self.line(format!("@{not}{p} bra {end};"));
                self.statements(depth, 4);
                self.place(&end);
            }
            5 => self.switch(depth),
            _ => {
                let (other, end) = (self.label(), self.label());
                self.line(format!("@{not}{p} bra {other};"));
                self.statements(depth, 4);
                let uni = self.pick(&["", ".uni"]);
                self.line(format!("bra{uni} {end};"));
                self.place(&other);
                self.statements(depth, 4);
                self.place(&end);
            }
        }
        self.together = before;
    }

    fn switch(&mut self, depth: usize) {
        self.together = false;
        let (list, end) = (self.label(), self.label());
        let targets = [(); 4].map(|()| self.label());
        let value = if self.chance(30) { "%n1".to_owned() } else { self.source(Width::B32) };
        self.lines.push(format!("{list}: .branchtargets {};", targets.join(", ")));
        self.line(format!("and.b32 %t0, {value}, 3;"));
        self.line(format!("brx.idx %t0, {list};"));
        for target in &targets {
            self.place(target);
            self.statements(depth, 2);
            if self.chance(60) {
                self.line(format!("bra {end};"));
            }
        }
        self.place(&end);
    }

    /// A loop with its body.
    fn turns(&mut self, depth: usize) {
        let before = self.together;
        let counter = format!("%c{}", self.loops.len());
        let (start, again, end) = (self.label(), self.label(), self.label());
        let turns = self.style.turns;
        let count = if self.chance(8) && depth == 0 { turns * 8 } else { 1 + self.below(turns) };
        let around = Loop { counter: counter.clone(), again: again.clone(), end: end.clone() };
        let kind = self.below(6);
        let not = match kind {
            0 | 1 => {
                self.line(format!("mov.u32 {counter}, {count};"));
                ""
            }
            2 => {
                let n = self.below(4);
                self.line(format!("and.b32 {counter}, %n{n}, 7;"));
                ""
            }
            3 => {
                let value = self.source(Width::B32);
                self.line(format!("and.b32 {counter}, {value}, 7;"));
                self.together = false;
                ""
            }
            // Begins with the index of the thread, and increases by the number of threads.
            _ => {
                let first = self.pick(&["%x0", "%x0", "%x1", "%x2"]);
                self.line(format!("mov.u32 {counter}, {first};"));
                self.together = false;
                "!"
            }
        };
        let is_tested_first = kind >= 2 && self.chance(60);
        let bound = self.style.threads * self.pick(&[1, 1, 2, 3]) + self.pick(&[0, 0, 1, 7]);
        let count = if kind >= 4 { bound / 32 + 2 } else { count };
        let test = match kind {
            0..4 => format!("setp.le.s32 %k, {counter}, 0;"),
            _ => format!("setp.lt.u32 %k, {counter}, {bound};"),
        };
        if is_tested_first {
            self.line(&test);
            self.line(format!("@{not}%k bra {end};"));
        }
        self.place(&start);
        self.loops.push(around);
        let is_walk = self.chance(25);
        if is_walk {
            self.walk(&start, count);
        }
        self.statements(depth, 5);
        if self.chance(25) {
            self.carry();
        }
        self.loops.pop();
        self.place(&again);
        if kind < 4 {
            self.line(format!("add.s32 {counter}, {counter}, -1;"));
        } else {
            let step = if self.chance(70) { "%ntid.x" } else { "32" };
            self.line(format!("mov.u32 %t0, {step};"));
            self.line(format!("add.u32 {counter}, {counter}, %t0;"));
        }
        self.line(&test);
        self.line(format!("@{}%k bra {start};", if not.is_empty() { "!" } else { "" }));
        self.place(&end);
        self.together = before;
    }

    /// An address that advances with each iteration: `%a0` gets its value before the loop that began with `start`.
    fn walk(&mut self, start: &str, count: u64) {
        let threads = self.style.threads;
        let areas: Vec<_> =
            self.areas.iter().filter(|area| !area.is_own && !area.is_tally).cloned().collect();
        let area = self.pick(&areas);
        let turns = count.max(7);
        let stride = if threads * 4 + turns * 4 <= area.room { 4 } else { 0 };
        let spare = area.room.saturating_sub(threads * stride + 4);
        let step = (spare / turns / 4).min(threads) * 4;
        let at = self.lines.iter().rposition(|line| line.starts_with(&format!("{start}:"))).expect("placed");
        self.lines.insert(at, format!("\tmad.wide.u32 %a0, %x0, {stride}, {};", area.base));
        let d = self.target(Width::B32);
        self.line(format!("ld{}.u32 {d}, [%a0];", area.space));
        if area.is_written && self.chance(60) {
            let value = self.source(Width::B32);
            self.guarded(format!("st{}.u32 [%a0], {value};", area.space));
        }
        // In a nested loop the address does not advance, because the two loops together might leave their areas.
        self.line(format!("add.s64 %a0, %a0, {};", if self.loops.len() > 1 { 0 } else { step }));
    }

    /// Values that one iteration passes to the next.
    fn carry(&mut self) {
        let (a, b) = (self.target(Width::B32), self.target(Width::B32));
        let (step, q, r) = (self.small(), self.target(Width::B64), self.target(Width::B64));
        match self.below(5) {
            0 => self.line(format!("add.s32 {a}, {a}, {step};")),
            1 => self.line(format!("add.s32 {a}, {a}, %x1;")),
            2 => {
                self.line(format!("add.s32 %t2, {a}, {b};"));
                self.line(format!("mov.u32 {a}, {b};"));
                self.line(format!("mov.u32 {b}, %t2;"));
            }
            3 => self.line(format!("add.s64 {q}, {q}, {step};")),
            _ => {
                self.line(format!("mov.b64 %u2, {q};"));
                self.line(format!("mov.b64 {q}, {r};"));
                self.line(format!("mov.b64 {r}, %u2;"));
            }
        }
    }

    /// Writes a call, a way out of a loop, or an end.
    fn call_or_end(&mut self) {
        match self.below(10) {
            0 | 1 => self.end(),
            2..6 => self.leave_turn(),
            _ => self.call(),
        }
    }

    fn end(&mut self) {
        if self.chance(70) {
            return self.value();
        }
        let p = self.condition();
        let text = self.pick(&["exit;", "ret;", "bra $end;"]);
        self.line(format!("@{p} {text}"));
    }

    /// Some lanes continue with the next iteration, or after the loop.
    fn leave_turn(&mut self) {
        let Some(around) = self.loops.last().cloned() else { return self.call() };
        let is_uniform = self.chance(20);
        let p = if is_uniform { self.uniform_comparison().to_owned() } else { self.condition() };
        let outer = self.loops[0].end.clone();
        let to = self.pick(&[around.again, around.end.clone(), around.end, outer]);
        self.together &= is_uniform;
        self.line(format!("@{p} bra {to};"));
    }

    fn call(&mut self) {
        let d = self.target(Width::B32);
        let [a, b] = [(); 2].map(|()| self.operand(Width::B32).0);
        let function = self.pick(&["mix", "mix", "nest", "sum"]);
        let guard = if self.chance(15) { format!("@{} ", self.predicate()) } else { String::new() };
        self.line(format!(
            "{{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], {a}; st.param.b32 [b], {b}; \
             st.param.b32 [c], 7; {guard}call (c), {function}, (a, b); ld.param.b32 {d}, [c]; }}"
        ));
        self.hint(&d, crate::writer::Hint::Any);
    }
}
