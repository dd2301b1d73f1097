//! Loops: those whose rounds the front end can count, where it has to see what their parts do beside that, and others.

use crate::express::Ty;
use crate::write::{Kind, Writer};

impl Writer<'_> {
    /// A loop whose variable nothing in it changes.
    pub fn counting(&mut self, depth: usize) {
        let ty = self.random.pick(&["int", "int", "unsigned", "unsigned char", "short", "long long"]);
        self.count += 1;
        let name = format!("k{}", self.count);
        let (start, condition, step) = (self.start(), self.condition(&name), self.loop_step(&name));
        let pragma = self.random.below(8);
        if pragma < 2 {
            line!(self, "#pragma unroll {}", ["", "1"][pragma]);
        }
        self.loops += 1;
        self.block(&format!("for ({ty} {name} = {start}; {condition}; {step}) {{"), "}", |writer| {
            writer.declare(&name, Kind::Number(Ty::UnsignedShort), true, None);
            writer.statements(depth);
        });
        self.loops -= 1;
    }

    fn start(&mut self) -> String {
        let start = self.random.below(2_u32);
        match self.random.below(9) {
            0 => format!("({}, {start})", self.effect(1)),
            1 => format!("ignored({}) & 1", self.effect(1)),
            2 => self.called(start),
            _ => start.to_string(),
        }
    }

    fn condition(&mut self, name: &str) -> String {
        let bound = self.bound(name);
        match self.random.below(12) {
            0 => format!("({}, {name} < {bound})", self.effect(1)),
            1 => format!("({}, {name}) < {bound}", self.effect(1)),
            2 => format!("{name} < {bound} && {}", self.effect(1)),
            3 => format!("!({name} >= {bound})"),
            _ => format!("{name} < {bound}"),
        }
    }

    fn bound(&mut self, name: &str) -> String {
        let bound = self.random.below(6_u32) + 1;
        match self.random.below(10) {
            0 => "(C1 & 3)".to_owned(),
            1 => format!("kind({name}) % {bound}"),
            2 => format!("of_kind(Kind::K{}) % {bound}", self.random.below(2_u32)),
            3 => "Power<1>::value".to_owned(),
            4 => {
                let before = self.random.below(8);
                format!("last{before}({}{bound})", "1, ".repeat(before))
            }
            5 => self.called(bound),
            6 => format!("ignored({})", self.effect(1)),
            7 => format!("({}, {bound})", self.effect(1)),
            _ => bound.to_string(),
        }
    }

    /// A number that a function returns. Another of its arguments changes something.
    fn called(&mut self, number: u32) -> String {
        let (before, after) = (self.random.below(3), self.random.below(3));
        format!(
            "last{}({}{}, {}{number})",
            before + after + 1,
            "1, ".repeat(before),
            self.effect(1),
            "2, ".repeat(after)
        )
    }

    fn loop_step(&mut self, name: &str) -> String {
        let effect = self.effect(1);
        match self.random.below(13) {
            0 => format!("{name} += 2"),
            1 => format!("{name}++, {effect}"),
            2 => format!("{effect}, ++{name}"),
            3 => format!("{name}++, {name}++"),
            4 => format!("{name} += 2, h = mix(h, {name})"),
            5 => format!("h = mix(h, {name}), {name}++"),
            6 => format!("{name} += ignored({effect})"),
            7 => format!("{name} = last1({effect}, {name} + 1)"),
            8 => format!("{effect} ? {name}++ : ++{name}"),
            9 => format!("{name} += ({effect}, 1)"),
            _ => format!("{name}++"),
        }
    }

    pub fn other_loop(&mut self, depth: usize) {
        self.count += 1;
        let (name, count, effect) =
            (format!("n{}", self.count), self.random.below(5_u32) + 1, self.effect(1));
        let local = format!("int {name} = {count};");
        self.line(&local);
        self.loops += 1;
        let (head, tail) = match self.random.below(6) {
            0 => (format!("while ({name}-- > 0 && ({effect}, true)) {{"), "}".to_owned()),
            1 => (format!("while ({name}-- > ({effect}, 0)) {{"), "}".to_owned()),
            2 => (format!("while (last1({effect}, {name}--) > 0) {{"), "}".to_owned()),
            3 => ("do {".to_owned(), format!("}} while (--{name} > 0 && {effect});")),
            4 => ("do {".to_owned(), format!("}} while (ignored({effect}) && --{name} > 0);")),
            _ => (
                format!(
                    "for (struct {{ int k; unsigned char m; }} {name}_ = {{0, 1}}; {name}_.k < {count}; {name}_.k++, {name}_.m *= 3) {{"
                ),
                "}".to_owned(),
            ),
        };
        self.block(&head, &tail, |writer| {
            if head.starts_with("for") {
                writer.mixed(&format!("{name}_.m"));
            }
            writer.statements(depth);
        });
        self.loops -= 1;
    }
}
