//! Control flow: branches, counting loops, indirect branches, and calls.
//!
//! Before a divergent branch, a vote may compute the mask of the lanes that take each side, so that exchanges on that
//! side can name them. Other branches diverge without a vote, as they do in ordinary code.

use super::{Frame, Function, Place, Register, Writer};
use crate::shape::{Kind, Source};
use crate::values::Domain;

/// What a function gets besides its arguments, as one structure: the addresses that [`super::entry`] computes.
pub(super) const CONTEXT: [&str; 6] = ["%in", "%out", "%own", "%cells", "%shown", "%post"];

impl Writer {
    /// Writes the statements of a block of code, and then restores the pool of registers.
    pub(super) fn scope(&mut self, count: usize, place: Place) {
        let held = self.frame.pool.len();
        self.statements(count, place);
        self.frame.pool.truncate(held);
    }

    /// Writes an `if`, with or without `else`.
    pub(super) fn branch(&mut self, place: Place) {
        let condition = self.held(Kind::Pred);
        let masks = self.split(place, condition);
        let (otherwise, end) = (self.label(), self.label());
        let has_else = self.dice.chance(60);
        let count = 1 + self.dice.below(4);
        self.line(format!("@!{condition} bra {};", if has_else { &otherwise } else { &end }));
        self.scope(count, place.inside(masks.map(|(yes, _)| yes)));
        if has_else {
            self.line(format!("bra {end};"));
            self.mark(&otherwise);
            self.scope(count, place.inside(masks.map(|(_, no)| no)));
        }
        self.mark(&end);
    }

    /// The masks of the lanes for which a condition holds and for which it does not, if exchanges need them.
    fn split(&mut self, place: Place, condition: Register) -> Option<(Register, Register)> {
        let mask = place.mask.filter(|_| self.dice.chance(60))?;
        let (yes, no) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
        self.line(format!("vote.sync.ballot.b32 {yes}, {condition}, {mask};"));
        self.line(format!("xor.b32 {no}, {mask}, {yes};"));
        Some((yes, no))
    }

    /// Writes a loop of up to four iterations. All threads take the same number, or each takes the number in its input.
    pub(super) fn count(&mut self, place: Place) {
        let is_common = self.dice.chance(50);
        let (times, inside) = if is_common {
            ((1 + self.dice.below(4)).to_string(), Place { depth: place.depth + 1, ..place })
        } else {
            let drawn = self.input(Source::new(Domain::Below(4)));
            (drawn.to_string(), place.inside(self.running(place)))
        };
        // A loop with a common count keeps all lanes. Only in the other kind may lanes leave early, so only that kind
        // needs a mask of the lanes that are left.
        let running = if is_common { None } else { inside.mask };
        let (turn, again) = (self.fresh(Kind::B32), self.fresh(Kind::Pred));
        let (head, end) = (self.label(), self.label());
        self.line(format!("mov.u32 {turn}, 0;"));
        self.mark(&head);
        let held = self.frame.pool.len();
        let seen = self.fresh(Kind::B32);
        self.line(format!("mov.u32 {seen}, {turn};"));
        self.keep(seen);
        let before = 1 + self.dice.below(3);
        self.statements(before, inside);
        if !is_common && self.dice.chance(30) {
            let done = self.held(Kind::Pred);
            self.remain(running, &format!("!{done}"));
            self.line(format!("@{done} bra {end};"));
        }
        let after = self.dice.below(3);
        self.statements(after, inside);
        self.frame.pool.truncate(held);
        self.line(format!("add.u32 {turn}, {turn}, 1;"));
        self.line(format!("setp.lo.u32 {again}, {turn}, {times};"));
        self.remain(running, &again.to_string());
        self.line(format!("@{again} bra {head};"));
        self.mark(&end);
    }

    /// A register with the mask of the lanes that are still in the loop, at first all of them.
    fn running(&mut self, place: Place) -> Option<Register> {
        let mask = place.mask.filter(|_| self.dice.chance(60))?;
        let running = self.fresh(Kind::B32);
        self.line(format!("mov.b32 {running}, {mask};"));
        Some(running)
    }

    /// Keeps only those lanes of the mask for which a condition holds.
    fn remain(&mut self, running: Option<Register>, condition: &str) {
        let Some(running) = running else { return };
        let left = self.fresh(Kind::B32);
        self.line(format!("vote.sync.ballot.b32 {left}, {condition}, {running};"));
        self.line(format!("mov.b32 {running}, {left};"));
    }

    /// Writes an indirect branch to one of two or four targets. Some of these fall through to the next.
    pub(super) fn switch(&mut self, place: Place) {
        let ways = *self.dice.pick(&[2, 4]);
        let (index, source) = (self.fresh(Kind::B32), self.held(Kind::B32));
        self.line(format!("and.b32 {index}, {source}, {};", ways - 1));
        let mask = place.mask.filter(|_| self.target >= 70 && self.dice.chance(60)).map(|mask| {
            let alike = self.fresh(Kind::B32);
            self.line(format!("match.any.sync.b32 {alike}, {index}, {mask};"));
            alike
        });
        let labels: Vec<String> = (0..ways).map(|_| self.label()).collect();
        let (list, end) = (self.label(), self.label());
        self.line(format!("{list}: .branchtargets {};", labels.join(", ")));
        self.line(format!("brx.idx {index}, {list};"));
        let mut falls_into = false;
        for label in labels {
            self.mark(&label);
            let count = 1 + self.dice.below(2);
            // Lanes that fall through join those that chose this target, so the mask of those is not enough.
            self.scope(count, place.inside(mask.filter(|_| !falls_into)));
            falls_into = self.dice.chance(30);
            if !falls_into {
                self.line(format!("bra {end};"));
            }
        }
        self.mark(&end);
    }

    /// Writes a call of one of the functions.
    pub(super) fn call(&mut self, place: Place) {
        let callable = |function: &&Function| place.mask.is_some() || !function.wants_mask;
        let functions: Vec<Function> = self.functions.iter().filter(callable).cloned().collect();
        if functions.is_empty() {
            return;
        }
        let function = self.dice.pick(&functions).clone();
        let depth = if function.recursive { self.dice.below(3) } else { 0 };
        let mask = place.mask.map_or_else(|| "0".to_owned(), |mask| mask.to_string());
        let result = self.call_with(&function, &mask, &depth.to_string());
        self.result(result, "call", &format!("call {};", function.name));
    }

    /// Writes a call of a function, with arguments from the pool of registers.
    pub(super) fn call_with(&mut self, function: &Function, mask: &str, depth: &str) -> Register {
        let arguments: Vec<Register> = function.arguments.iter().map(|&kind| self.held(kind)).collect();
        let result = self.fresh(function.result);
        self.line("{");
        self.line(".param .align 8 .b8 to[56];");
        for (index, register) in CONTEXT.iter().enumerate() {
            self.line(format!("st.param.b64 [to+{}], {register};", 8 * index));
        }
        self.line(format!("st.param.b32 [to+48], {mask};"));
        self.line(format!("st.param.b32 [to+52], {depth};"));
        let mut names = vec!["to".to_owned()];
        // An argument is passed as a register, or copied through a variable.
        for (index, argument) in arguments.iter().enumerate() {
            if self.dice.chance(50) {
                names.push(argument.to_string());
                continue;
            }
            let name = format!("to{index}");
            self.line(format!(".param .{} {name};", argument.kind.name()));
            self.line(format!("st.param.{} [{name}], {argument};", argument.kind.name()));
            names.push(name);
        }
        if self.dice.chance(50) {
            self.line(format!("call ({result}), {}, ({});", function.name, names.join(", ")));
        } else {
            self.line(format!(".param .{} got;", function.result.name()));
            self.line(format!("call (got), {}, ({});", function.name, names.join(", ")));
            self.line(format!("ld.param.{} {result}, [got];", function.result.name()));
        }
        self.line("}");
        result
    }

    /// Writes a function that the code after it can call, and returns its text.
    pub(super) fn function(&mut self) -> String {
        let number = self.functions.len();
        let kinds = [Kind::B16, Kind::B32, Kind::B32, Kind::B64];
        let count = 1 + self.dice.below(3);
        let function = Function {
            name: format!("f{number}"),
            wants_mask: self.dice.chance(60),
            recursive: self.dice.chance(35),
            arguments: (0..count).map(|_| *self.dice.pick(&kinds)).collect(),
            result: *self.dice.pick(&kinds),
        };
        let inner = Frame { is_function: true, ..Frame::default() };
        let caller = std::mem::replace(&mut self.frame, inner);
        for (index, &kind) in function.arguments.iter().enumerate() {
            let register = self.fresh(kind);
            self.line(format!("ld.param.{} {register}, [a{index}];", kind.name()));
            self.keep(register);
        }
        let mask = self.fresh(Kind::B32);
        self.line(format!("ld.param.b32 {mask}, [context+48];"));
        let place =
            Place { mask: Some(mask).filter(|_| function.wants_mask), full: false, uniform: false, depth: 1 };
        let count = 3 + self.dice.below(5);
        self.statements(count, place);
        if function.recursive {
            self.recurse(&function, place);
        }
        let result = self.held(function.result);
        self.line(format!("st.param.{} [back], {result};", function.result.name()));
        let frame = std::mem::replace(&mut self.frame, caller);
        let text = definition(&function, &frame);
        self.functions.push(function);
        text
    }

    /// Calls the function itself from some of its lanes, with a depth that is one less.
    fn recurse(&mut self, function: &Function, place: Place) {
        let (left, less) = (self.fresh(Kind::B32), self.fresh(Kind::B32));
        let (wants, deeper, goes) = (self.held(Kind::Pred), self.fresh(Kind::Pred), self.fresh(Kind::Pred));
        self.line(format!("ld.param.b32 {left}, [context+52];"));
        self.line(format!("setp.ne.u32 {deeper}, {left}, 0;"));
        self.line(format!("and.pred {goes}, {wants}, {deeper};"));
        self.line(format!("sub.u32 {less}, {left}, 1;"));
        let mask = place.mask.map(|mask| {
            let going = self.fresh(Kind::B32);
            self.line(format!("vote.sync.ballot.b32 {going}, {goes}, {mask};"));
            going.to_string()
        });
        let (target, end) = (self.held(function.result), self.label());
        self.line(format!("@!{goes} bra {end};"));
        let result = self.call_with(function, &mask.unwrap_or_else(|| "0".to_owned()), &less.to_string());
        self.line(format!("mov.{} {target}, {result};", function.result.name()));
        self.mark(&end);
    }
}

/// The text of a function.
fn definition(function: &Function, frame: &Frame) -> String {
    let arguments: Vec<String> = function
        .arguments
        .iter()
        .enumerate()
        .map(|(index, kind)| format!(", .param .{} a{index}", kind.name()))
        .collect();
    let loads = CONTEXT.iter().enumerate();
    let loads = loads.fold(String::new(), |text, (index, name)| {
        text + &format!("    ld.param.b64 {name}, [context+{}];\n", 8 * index)
    });
    format!(
        ".func (.param .{} back) {}(.param .align 8 .b8 context[56]{})\n{{\n{}{loads}{}    ret;\n}}\n",
        function.result.name(),
        function.name,
        arguments.concat(),
        frame.declarations(),
        frame.body
    )
}
