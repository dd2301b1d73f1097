//! Instructions that compute registers from registers: every opcode that the emulator's families declare.

use super::{Register, Writer, catalogue};
use crate::kernel::{Alone, Compare, Width};
use crate::shape::{Kind, Shape, Source};
use crate::values::Domain;

/// A source operand as it is written, and the register, if it is one.
struct Operand {
    text: String,
    register: Option<Register>,
}

impl Writer {
    /// Writes an instruction, with a slot for each result.
    pub(super) fn arithmetic(&mut self) {
        let (opcode, shape) = self.opcode(|opcode| !touches_carry(opcode));
        let shape = self.widened(&opcode, shape);
        self.compute(&opcode, &shape, false);
    }

    /// Writes instructions that pass a carry from one to the next. The first one only writes it, and the last one may
    /// only read it.
    pub(super) fn carry_chain(&mut self) {
        let (first, shape) = self.opcode(is_carry_start);
        self.compute(&first, &shape, true);
        let kind = shape.results[0];
        for _ in 0..=self.dice.below(3) {
            let (next, shape) = loop {
                let drawn = self.opcode(|opcode| touches_carry(opcode) && !is_carry_start(opcode));
                // All words of a number that consists of several words have the same width.
                if drawn.1.results[0] == kind {
                    break drawn;
                }
            };
            self.compute(&next, &shape, true);
            if !next.contains(".cc.") {
                break;
            }
        }
    }

    /// Draws a form that the target has, and then one of its opcodes.
    fn opcode(&mut self, wanted: impl Fn(&str) -> bool) -> (String, Shape) {
        let target = self.target;
        let has = |form: &&crate::shape::Opcodes| {
            form.min_sm <= target
                && target <= form.max_sm
                && form.all.first().is_some_and(|(opcode, _)| wanted(opcode))
        };
        let forms: Vec<_> = catalogue().iter().filter(has).collect();
        loop {
            let form = *self.dice.pick(&forms);
            let (opcode, shape) = self.dice.pick(&form.all);
            // ptxas 12.9 accepts `cvt.ftz.f32.bf16` from sm_80 on, and 13.0 from sm_90.
            let is_newer = opcode.contains("ftz") && opcode.ends_with("f32.bf16") && target < 90;
            if wanted(opcode) && !is_newer {
                return (opcode.clone(), shape.clone());
            }
        }
    }

    /// Uses wider registers for some integers, which a conversion allows (PTX ISA, 9.4.1).
    fn widened(&mut self, opcode: &str, mut shape: Shape) -> Shape {
        let integer = |word: Option<&str>| word.is_some_and(|word| word.starts_with(['u', 's']));
        let words = || opcode.rsplit('.');
        if !opcode.starts_with("cvt.")
            || opcode.contains("pack")
            || opcode.contains("bf16")
            || !self.dice.chance(30)
        {
            return shape;
        }
        let wider = |kind: Kind, dice: &mut crate::dice::Dice| match kind {
            Kind::B16 => *dice.pick(&[Kind::B16, Kind::B32, Kind::B64]),
            Kind::B32 => *dice.pick(&[Kind::B32, Kind::B64]),
            other => other,
        };
        if integer(words().next()) {
            shape.sources[0].kind = wider(shape.sources[0].kind, &mut self.dice);
        }
        if integer(words().nth(1)) {
            shape.results[0] = wider(shape.results[0], &mut self.dice);
        }
        shape
    }

    /// Writes an instruction, with or without a guard, and then stores its results.
    fn compute(&mut self, opcode: &str, shape: &Shape, in_chain: bool) {
        let mut sources: Vec<Operand> =
            shape.sources.iter().map(|&source| self.operand(opcode, source)).collect();
        self.make_different(opcode, shape, &mut sources);
        let pair_is_optional = opcode.starts_with("setp") && !opcode.ends_with("x2");
        let mut kinds = shape.results.clone();
        if pair_is_optional && self.dice.chance(60) {
            kinds.truncate(1);
        }
        self.reveal(&sources, kinds.len());
        let results: Vec<Register> = kinds.iter().map(|&kind| self.fresh(kind)).collect();
        let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
        let written: Vec<String> = results.iter().map(Register::to_string).collect();
        let instruction = format!("{opcode} {}, {};", written.join("|"), texts.join(", "));
        let is_guarded = !in_chain && self.dice.chance(12);
        let instruction = if is_guarded { self.guarded(opcode, &results, &instruction) } else { instruction };
        if !is_guarded {
            self.line(&instruction);
        }
        for (index, &result) in results.iter().enumerate() {
            let alone = (!in_chain).then(|| Alone {
                opcode: opcode.to_owned(),
                results: kinds.clone(),
                result: index,
                sources: sources
                    .iter()
                    .map(|source| source.register.map(|r| r.kind).ok_or(source.text.clone()))
                    .collect(),
                same: texts
                    .iter()
                    .map(|text| texts.iter().position(|other| other == text).unwrap_or(0))
                    .collect(),
            });
            self.slot(result, opcode, &instruction, compare(opcode), alone);
            match compare(opcode) {
                Compare::Number(Width::F32 | Width::F64) => self.settle(result),
                Compare::Exact if flows_on(opcode) => self.keep(result),
                _ => {}
            }
        }
    }

    /// Gives `min` and `max` two different operands. Assemblers simplify `max a, a` to `a`, even if `a` is a NaN that
    /// has to become the canonical one.
    fn make_different(&mut self, opcode: &str, shape: &Shape, sources: &mut [Operand]) {
        let picks = opcode.starts_with("min.") || opcode.starts_with("max.");
        if picks && sources[0].text == sources[1].text {
            let other = self.input(shape.sources[1]);
            sources[1] = Operand { text: other.to_string(), register: Some(other) };
        }
    }

    /// Writes the instruction under a predicate, and moves that give its results a value if the predicate is false.
    fn guarded(&mut self, opcode: &str, results: &[Register], instruction: &str) -> String {
        let guard = self.held(Kind::Pred);
        let otherwise: Vec<Register> = results.iter().map(|result| self.held(result.kind)).collect();
        let moves = |other: &str| {
            let pairs = results.iter().zip(&otherwise);
            pairs
                .map(|(result, before)| format!("{other}mov.{} {result}, {before};", result.kind.name()))
                .collect::<Vec<_>>()
        };
        let guarded = format!("@{guard} {instruction}");
        // Every version of ptxas writes the result of some `set` and `testp` even if the guard is false. For these, the
        // moves come after the instruction.
        let is_set = opcode.starts_with("set.") || opcode.starts_with("testp");
        if is_set {
            self.line(&guarded);
        }
        for line in moves(&if is_set { format!("@!{guard} ") } else { String::new() }) {
            self.line(line);
        }
        if !is_set {
            self.line(&guarded);
        }
        guarded
    }

    /// A source: a literal, an input of its domain, or the result of another instruction.
    fn operand(&mut self, opcode: &str, source: Source) -> Operand {
        let may_be_literal = !opcode.starts_with("cvt") || source.kind != Kind::B16;
        if source.domain == Domain::Table || (may_be_literal && self.dice.chance(14)) {
            let mut value = source.domain.value(&mut self.dice);
            if source.domain == Domain::Shift && opcode.ends_with("16") {
                // If a count is a literal, assemblers use only as many of its bits as the shifted type has.
                value &= 0xffff;
            }
            if let Some(text) = literal(source.domain, value) {
                return Operand { text, register: None };
            }
        }
        let is_new = !source.domain.takes_anything() || self.dice.chance(35);
        let register = match source.domain {
            _ if is_new => self.input(source),
            Domain::Shift => self.copied(source.kind),
            _ => self.held(source.kind),
        };
        if is_new && source.domain.takes_anything() {
            self.keep(register);
        }
        Operand { text: register.to_string(), register: Some(register) }
    }

    /// Lets later instructions read a floating-point result, after every NaN was replaced by the same one.
    fn settle(&mut self, result: Register) {
        let (number, settled) = (self.fresh(Kind::Pred), self.fresh(result.kind));
        let (bits, nan) =
            if result.kind == Kind::B64 { (64, "0x7ff8000000000000") } else { (32, "0x7fffffff") };
        self.line(format!("testp.number.f{bits} {number}, {result};"));
        self.line(format!("selp.b{bits} {settled}, {result}, {nan}, {number};"));
        self.keep(settled);
    }

    /// Stores the operands if those of this slot were requested.
    fn reveal(&mut self, sources: &[Operand], results: usize) {
        let first = self.slots.len();
        if !self.reveal.is_some_and(|slot| (first..first + results).contains(&slot)) {
            return;
        }
        for (index, register) in
            sources.iter().enumerate().filter_map(|(at, source)| Some((at, source.register?)))
        {
            self.store(register, super::REVEALED + index);
        }
    }

    /// Writes a move: between registers, from a special register, or between a register and its parts.
    pub(super) fn movement(&mut self) {
        const SPECIAL: [&str; 17] = [
            "%tid.x",
            "%tid.y",
            "%tid.z",
            "%ntid.x",
            "%ntid.y",
            "%ntid.z",
            "%ctaid.x",
            "%ctaid.y",
            "%ctaid.z",
            "%nctaid.x",
            "%laneid",
            "%lanemask_eq",
            "%lanemask_le",
            "%lanemask_lt",
            "%lanemask_ge",
            "%lanemask_gt",
            "%nctaid.z",
        ];
        const PARTS: [(Kind, Kind, usize); 3] =
            [(Kind::B32, Kind::B16, 2), (Kind::B64, Kind::B32, 2), (Kind::B64, Kind::B16, 4)];
        let list = |registers: &[Register]| {
            format!("{{{}}}", registers.iter().map(Register::to_string).collect::<Vec<_>>().join(", "))
        };
        match self.dice.below(4) {
            0 => {
                let (result, name) = (self.fresh(Kind::B32), *self.dice.pick(&SPECIAL));
                self.moved(&[result], &format!("mov.u32 {result}, {name};"));
            }
            1 => {
                let &(whole, part, count) = self.dice.pick(&PARTS);
                let parts: Vec<Register> = (0..count).map(|_| self.held(part)).collect();
                let result = self.fresh(whole);
                self.moved(&[result], &format!("mov.{} {result}, {};", whole.name(), list(&parts)));
            }
            2 => {
                let &(whole, part, count) = self.dice.pick(&PARTS);
                let source = self.held(whole);
                let parts: Vec<Register> = (0..count).map(|_| self.fresh(part)).collect();
                self.moved(&parts, &format!("mov.{} {}, {source};", whole.name(), list(&parts)));
            }
            _ => {
                const TYPES: [(&str, Kind); 12] = [
                    ("pred", Kind::Pred),
                    ("b16", Kind::B16),
                    ("u16", Kind::B16),
                    ("s16", Kind::B16),
                    ("b32", Kind::B32),
                    ("u32", Kind::B32),
                    ("s32", Kind::B32),
                    ("f32", Kind::B32),
                    ("b64", Kind::B64),
                    ("u64", Kind::B64),
                    ("s64", Kind::B64),
                    ("f64", Kind::B64),
                ];
                let &(name, kind) = self.dice.pick(&TYPES);
                let (source, result) = (self.held(kind), self.fresh(kind));
                self.moved(&[result], &format!("mov.{name} {result}, {source};"));
            }
        }
    }

    fn moved(&mut self, results: &[Register], instruction: &str) {
        self.line(instruction);
        let opcode = instruction.split(' ').next().unwrap_or_default().to_owned();
        for &result in results {
            self.result(result, &opcode, instruction);
        }
    }

    /// Overwrites a register that later statements read, also inside a branch or a loop.
    pub(super) fn assignment(&mut self) {
        let kind = *self.dice.pick(&[Kind::Pred, Kind::B16, Kind::B32, Kind::B32, Kind::B64]);
        let (target, source) = (self.held(kind), self.held(kind));
        let guard = if self.dice.chance(30) { format!("@{} ", self.held(Kind::Pred)) } else { String::new() };
        self.line(format!("{guard}mov.{} {target}, {source};", kind.name()));
    }
}

fn touches_carry(opcode: &str) -> bool {
    opcode.contains(".cc.") || ["addc", "subc", "madc"].iter().any(|name| opcode.starts_with(name))
}

fn is_carry_start(opcode: &str) -> bool {
    ["add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"].iter().any(|name| opcode.starts_with(name))
}

/// Whether other instructions may compute with an exact result. A sum or product without a rounding is excluded,
/// because an assembler may fuse it with the next one (PTX ISA, 9.7.3.4: "may be optimized aggressively").
fn flows_on(opcode: &str) -> bool {
    let is_float = opcode.contains("f16") || opcode.contains("f32") || opcode.contains("f64");
    let is_sum = ["add.", "sub.", "mul."].iter().any(|name| opcode.starts_with(name));
    let is_rounded = [".rn", ".rz", ".rm", ".rp"].iter().any(|rounding| opcode.contains(rounding));
    !is_float || !is_sum || is_rounded
}

/// How an instruction's result is compared. An approximation must be within the bound that its section of the PTX ISA
/// gives.
pub fn compare(opcode: &str) -> Compare {
    if let Some(width) = any_nan(opcode) {
        return Compare::Number(width);
    }
    if !opcode.contains(".approx") && !opcode.contains(".full") {
        return Compare::Exact;
    }
    let width = match opcode.rsplit('.').next() {
        Some("f16") => Width::F16,
        Some("bf16") => Width::Bf16,
        Some("f16x2") => Width::F16x2,
        Some("bf16x2") => Width::Bf16x2,
        Some("f32") => Width::F32,
        // The PTX ISA gives no bound for doubles: this is the "gross approximation" of 9.7.3.14 and 9.7.3.17.
        _ => return Compare::Nothing,
    };
    let power = |exponent: f64| exponent.exp2();
    let (relative, absolute) = match (opcode.split('.').next().unwrap_or_default(), width) {
        ("rcp" | "sqrt", _) => (power(-23.0), 0.0),
        // Two units in the last place of a quotient that may be just above a power of two.
        ("div", _) | ("ex2", Width::F32) => (power(-22.0), 0.0),
        ("rsqrt", _) => (power(-22.9), 0.0),
        ("sin" | "cos", _) => (0.0, power(-20.5)),
        ("lg2", _) => (power(-22.0), power(-22.0)),
        ("ex2", Width::F16 | Width::F16x2) => (power(-9.9), 0.0),
        ("ex2", _) => (power(-7.0), 0.0),
        ("tanh", Width::F32) => (power(-11.0), 0.0),
        ("tanh", Width::F16 | Width::F16x2) => (0.0, power(-10.987)),
        ("tanh", _) => (0.0, power(-8.0)),
        _ => return Compare::Nothing,
    };
    // With `.ftz`, a result just below the smallest normal number becomes zero, but one that is rounded up to that
    // number does not.
    let flushed = if opcode.contains(".ftz") { 1.001 * f64::from(f32::MIN_POSITIVE) } else { 0.0 };
    Compare::Within(width, relative, absolute.max(flushed))
}

/// The format of the result, if the instruction may return any NaN.
fn any_nan(opcode: &str) -> Option<Width> {
    const SIGNS: [&str; 2] = ["abs", "neg"];
    const SUMS: [&str; 10] = ["add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", "min", "max"];
    let (mnemonic, _) = opcode.split_once('.')?;
    // A conversion of a type to itself makes a NaN quiet, but only if the assembler does not remove it. Without
    // optimisation it is kept. 9.7.9.21 says only that a NaN stays a NaN.
    match opcode {
        "cvt.f64.f64" => return Some(Width::F64),
        "cvt.f32.f32" => return Some(Width::F32),
        "cvt.f16.f16" => return Some(Width::F16),
        _ => {}
    }
    let is = |list: &[&str]| list.contains(&mnemonic) && !opcode.contains("approx");
    match opcode.rsplit('.').next()? {
        "f64" if is(&SIGNS) || is(&SUMS) => Some(Width::F64),
        "f32" if is(&SIGNS) => Some(Width::F32),
        "f16" if is(&SIGNS) => Some(Width::F16),
        "f16x2" if is(&SIGNS) => Some(Width::F16x2),
        "bf16" if is(&SIGNS) => Some(Width::Bf16),
        "bf16x2" if is(&SIGNS) => Some(Width::Bf16x2),
        _ => None,
    }
}

/// A literal of the domain; `None` for half precision and predicates, which have no literals.
fn literal(domain: Domain, value: u64) -> Option<String> {
    Some(match domain {
        Domain::Bits(8) | Domain::Pred | Domain::Half | Domain::Brain | Domain::Halves | Domain::Brains => {
            return None;
        }
        Domain::Bits(64) | Domain::NonZero(64) => format!("{value:#x}"),
        Domain::Bits(32) if value >> 31 != 0 => format!("{}", value as u32 as i32),
        Domain::Small => format!("{}", value as u32 as i32),
        Domain::Bits(_) | Domain::NonZero(_) | Domain::Below(_) | Domain::Shift | Domain::Table => {
            value.to_string()
        }
        Domain::Single | Domain::Divisor | Domain::Angle => format!("0f{:08X}", value as u32),
        Domain::Double => format!("0d{value:016X}"),
    })
}
