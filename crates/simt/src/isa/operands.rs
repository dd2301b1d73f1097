//! Binds the operands of one instruction to columns. If an operand does not fit, the error names it.
//!
//! A family's decoder takes operands in the order of the text: results first, then sources. Whatever is left
//! over when it returns is an error. A source that is neither a register nor a literal (`!%p`, `%r1+4`) is computed
//! by an instruction of its own before (`prepared.rs`).

use super::affine::Rule;
use super::grammar::parse_type;
use super::scope::{Scope, Symbol};
use super::special;
use super::value::{Alu, Args, Kind};
use crate::isa::op::place::bits;
use crate::isa::op::{Decoded, Op, Touched};
use crate::machine::registers::{Bank, Slot};
use crate::ptx::ast::{Ident, Instruction, Operand, Type};
use crate::ptx::{Error, LineIndex, Span};

/// The operands of one instruction, taken one by one.
#[derive(Debug)]
pub struct Operands<'s, 't> {
    lines: &'s LineIndex,
    /// The instruction itself.
    pub instruction: &'s Instruction<'t>,
    /// The names in scope.
    pub scope: &'s mut Scope<'t>,
    /// The columns bound so far.
    pub args: Args,
    /// Every column that it names, for what looks at programs as a whole.
    pub touched: Vec<Touched>,
    /// What is to be carried out before it, to compute its sources.
    pub before: Vec<Decoded>,
    /// What becomes of affine sources.
    pub affine: Rule,
    /// The numbers that the opcode names, where they are all of one class.
    class: Option<Class>,
    next: usize,
}

/// A register and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its column.
    pub slot: Slot,
    /// The bank of its column.
    pub bank: Bank,
    /// Its declared width in bits.
    pub bits: u32,
    /// The class of numbers that it was declared for; `None` if it holds bits.
    pub class: Option<Class>,
}

/// The class of numbers that a register is declared for. Integers of either sign fit each other, and bits (`.b32`) fit
/// all classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `.u32`, `.s16`
    Integer,
    /// `.f32`, `.f16x2`
    Float,
}

/// The class of a type; `None` for bits.
pub fn class(ty: Type) -> Option<Class> {
    match ty {
        Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::S8 | Type::S16 | Type::S32 | Type::S64 => {
            Some(Class::Integer)
        }
        Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 | Type::F32 | Type::F64 => Some(Class::Float),
        _ => None,
    }
}

/// The class of all types of an opcode; `None` if they differ, or if one of them is bits.
fn class_of_opcode(opcode: &str) -> Option<Class> {
    let mut classes = opcode.split('.').filter_map(parse_type).map(class);
    let first = classes.next()??;
    classes.all(|other| other == Some(first)).then_some(first)
}

impl<'s, 't> Operands<'s, 't> {
    /// The operands of `instruction`, of which none has been taken yet.
    pub fn new(lines: &'s LineIndex, instruction: &'s Instruction<'t>, scope: &'s mut Scope<'t>) -> Self {
        Operands {
            lines,
            instruction,
            scope,
            args: Args::default(),
            touched: Vec::new(),
            before: Vec::new(),
            affine: Rule::No,
            class: class_of_opcode(instruction.opcode.text),
            next: 0,
        }
    }

    /// An error at `span`.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Error {
        self.lines.error(span, message)
    }

    /// The next operand, as it is in the text.
    pub fn take(&mut self) -> Result<&'s Operand<'t>, Error> {
        let instruction = self.instruction;
        let operand = instruction.operands.get(self.next).ok_or_else(|| {
            let opcode = instruction.opcode;
            self.error(opcode.span, format!("`{}` needs more than {} operands", opcode.text, self.next))
        })?;
        self.next += 1;
        Ok(operand)
    }

    /// The next operand, without taking it.
    pub fn peek(&self) -> Option<&'s Operand<'t>> {
        self.instruction.operands.get(self.next)
    }

    /// Takes the next operand if it is a list in parentheses; otherwise returns an empty list.
    pub fn list(&mut self) -> &'s [Operand<'t>] {
        let Some(Operand::List(list, _)) = self.peek() else { return &[] };
        self.next += 1;
        list
    }

    /// Takes a source: its column.
    pub fn take_source(&mut self, kind: Kind) -> Result<Slot, Error> {
        let operand = self.take()?;
        self.source(operand, kind)
    }

    /// Takes a result: its column.
    pub fn take_result(&mut self, kind: Kind) -> Result<Slot, Error> {
        let operand = self.take()?;
        self.result(operand, kind)
    }

    /// Takes a predicate that may be negated, `!p`: its column, and whether it is.
    pub fn predicate(&mut self) -> Result<(Slot, bool), Error> {
        match self.take()? {
            Operand::Not(name) => Ok((self.source(&Operand::Name(*name), Kind::Pred)?, true)),
            operand => Ok((self.source(operand, Kind::Pred)?, false)),
        }
    }

    /// The predicate column of the carry flag.
    pub fn carry(&mut self) -> Result<Slot, Error> {
        let span = self.instruction.opcode.span;
        let slot = self.scope.carry().ok_or_else(|| self.too_many_registers(span))?;
        // Every instruction that names it may read it, and may write it.
        self.touch(Bank::Preds, slot, false);
        self.touch(Bank::Preds, slot, true);
        Ok(slot)
    }

    /// Records a column that the instruction names.
    pub(super) fn touch(&mut self, bank: Bank, slot: Slot, is_written: bool) {
        self.touched.push(Touched { bank, slot, is_written });
    }

    /// How many operands have not been taken.
    pub fn remaining(&self) -> usize {
        self.instruction.operands.len() - self.next
    }

    /// Refuses operands that were not taken.
    pub fn finish(&self) -> Result<(), Error> {
        let opcode = self.instruction.opcode;
        match self.remaining() {
            0 => Ok(()),
            left => Err(self.error(
                opcode.span,
                format!("`{}` has too many operands; leave out the last {left}", opcode.text),
            )),
        }
    }

    /// Binds an arithmetic instruction: its results, then its sources.
    pub fn alu(&mut self, alu: Alu) -> Result<Op, Error> {
        self.bind(&alu)?;
        // Numbers of 16 bits wrap where their registers do not.
        let is_short = alu.results.iter().chain(alu.sources).any(|&kind| kind == Kind::B16);
        self.affine = if is_short { Rule::No } else { alu.affine };
        Ok(Op::Alu(alu.run))
    }

    /// Binds the operands of `alu` to [`Operands::args`]. Two results are written `d|p`; either may be left out.
    pub fn bind(&mut self, alu: &Alu) -> Result<(), Error> {
        match (alu.results, self.take()?) {
            (&[d, q], Operand::Pair(first, second)) => {
                self.args.d = self.result_or_sink(first, d)?;
                self.args.q = self.result_or_sink(second, q)?;
            }
            (&[d], operand) => self.args.d = self.result(operand, d)?,
            (&[d, q], operand) => {
                self.args.d = self.result_or_sink(operand, d)?;
                self.args.q = self.result_or_sink(&Operand::Sink(self.instruction.span), q)?;
            }
            _ => unreachable!("an instruction has one or two results"),
        }
        for (index, &kind) in alu.sources.iter().enumerate() {
            let slot = self.take_source(kind)?;
            *[&mut self.args.a, &mut self.args.b, &mut self.args.c, &mut self.args.e][index] = slot;
        }
        Ok(())
    }

    /// The column that a result goes to.
    pub fn result(&mut self, operand: &Operand<'t>, kind: Kind) -> Result<Slot, Error> {
        match *operand {
            Operand::Name(name) => self.result_register(name, kind, None),
            Operand::Part(name, part) => self.result_register(name, kind, Some(part)),
            Operand::Sink(span) => Err(self
                .error(span, format!("`{}` needs a register for its result", self.instruction.opcode.text))),
            _ => Err(self.error(span_of(operand), format!("a result must be {}", describe(kind)))),
        }
    }

    fn result_register(&mut self, name: Ident<'t>, kind: Kind, part: Option<u8>) -> Result<Slot, Error> {
        let slot = self.register_of_kind(name, part, kind)?;
        self.touch(bank_of(kind), slot, true);
        Ok(slot)
    }

    /// [`Operands::result`], for the instructions that let one be left out: a scratch column for `_`.
    pub fn result_or_sink(&mut self, operand: &Operand<'t>, kind: Kind) -> Result<Slot, Error> {
        match *operand {
            Operand::Sink(span) => {
                let slot = self.scratch(bank_of(kind), span)?;
                self.touch(bank_of(kind), slot, true);
                Ok(slot)
            }
            _ => self.result(operand, kind),
        }
    }

    /// The column that a source comes from: a register, or a literal spread over all lanes.
    pub fn source(&mut self, operand: &Operand<'t>, kind: Kind) -> Result<Slot, Error> {
        let slot = match *operand {
            Operand::Name(name) => self.register_of_kind(name, None, kind)?,
            Operand::Part(name, part) => self.register_of_kind(name, Some(part), kind)?,
            Operand::Not(name) if kind == Kind::Pred => self.negated(name)?,
            Operand::Offset(name, offset) => self.sum(name, offset, kind)?,
            _ => {
                let bits = literal(operand, kind).ok_or_else(|| {
                    self.error(
                        span_of(operand),
                        format!("this operand must be {} or a literal", describe(kind)),
                    )
                })?;
                return self.constant(bank_of(kind), bits, span_of(operand));
            }
        };
        self.touch(bank_of(kind), slot, false);
        Ok(slot)
    }

    /// A column that no other operand uses.
    pub(super) fn scratch(&mut self, bank: Bank, span: Span) -> Result<Slot, Error> {
        self.scope.new_column(bank, 0).ok_or_else(|| self.too_many_registers(span))
    }

    /// A column that holds `bits` in every lane.
    pub fn constant(&mut self, bank: Bank, bits: u64, span: Span) -> Result<Slot, Error> {
        let slot = self.scope.constant(bank, bits).ok_or_else(|| self.too_many_registers(span))?;
        self.touch(bank, slot, false);
        Ok(slot)
    }

    /// A register of any type that the instruction writes. This is for conversions and moves, which accept registers
    /// wider than their type.
    pub fn written(&mut self, name: Ident<'t>) -> Result<Register, Error> {
        let register = self.look_up(name)?;
        self.touch(register.bank, register.slot, true);
        Ok(register)
    }

    /// A register of any type that the instruction reads.
    pub fn register(&mut self, name: Ident<'t>) -> Result<Register, Error> {
        let register = self.look_up(name)?;
        self.touch(register.bank, register.slot, false);
        Ok(register)
    }

    /// A register, with its bank and width, without recording whether the instruction reads or writes it.
    pub fn look_up(&mut self, name: Ident<'t>) -> Result<Register, Error> {
        self.look_up_part(name, None)
    }

    /// A register, or an element of a vector of which the text names the whole.
    pub(super) fn look_up_part(&mut self, name: Ident<'t>, part: Option<u8>) -> Result<Register, Error> {
        let found = match part {
            None => self.scope.find_register(name.text),
            Some(part) => match self.scope.find(name.text) {
                Some((level, Symbol::Vector(ty, _))) => Some((level, name.text, part, ty)),
                _ => None,
            },
        };
        let Some((level, base, part, ty)) = found else { return Err(self.no_register(name)) };
        let bank = Bank::of(ty).ok_or_else(|| {
            self.error(name.span, format!("`{}` has 128 bits; registers are supported up to 64", name.text))
        })?;
        let slot = self.scope.column(level, base, part, bank);
        let slot = slot.ok_or_else(|| self.too_many_registers(name.span))?;
        Ok(Register { slot, bank, bits: bits(ty), class: class(ty) })
    }

    fn no_register(&self, name: Ident<'t>) -> Error {
        let text = name.text;
        let message = match self.scope.find(text) {
            Some((_, Symbol::Vector(..))) => {
                format!("`{text}` is a vector; name an element, for example `{text}.x`")
            }
            Some(_) => format!("`{text}` is not a register"),
            None if special::parse(text).or(special::vector(text).map(|all| all[0])).is_some() => {
                format!("`{text}` is a special register; move it into a register with `mov` first")
            }
            None => format!("`{text}` is not declared"),
        };
        self.error(name.span, message)
    }

    fn register_of_kind(&mut self, name: Ident<'t>, part: Option<u8>, kind: Kind) -> Result<Slot, Error> {
        let register = self.look_up_part(name, part)?;
        if register.bits == bits_of(kind) && self.fits(register, kind) {
            return Ok(register.slot);
        }
        let (text, wanted) = (name.text, describe(kind));
        let found = match (register.bits == bits_of(kind), register.class) {
            (true, Some(Class::Integer)) => "holds integers".to_string(),
            (true, _) => "holds floating-point numbers".to_string(),
            _ => format!("has {} bits", register.bits),
        };
        Err(self.error(name.span, format!("`{text}` {found}, but {wanted} is expected")))
    }

    /// Whether a register of the right width was declared for numbers of this class.
    fn fits(&self, register: Register, kind: Kind) -> bool {
        let wanted = match kind {
            Kind::F32 | Kind::F64 => Some(Class::Float),
            _ => self.class,
        };
        wanted.is_none() || register.class.is_none() || wanted == register.class
    }

    /// The operands that a vector consists of: those in braces, or all elements of a vector of registers.
    pub fn elements(&self, operand: &Operand<'t>) -> Option<Vec<Operand<'t>>> {
        match operand {
            Operand::Vector(elements, _) => Some(elements.clone()),
            Operand::Name(name) => match self.scope.find(name.text) {
                Some((_, Symbol::Vector(_, count))) => {
                    Some((0..count).map(|part| Operand::Part(*name, part)).collect())
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn too_many_registers(&self, span: Span) -> Error {
        let limit = super::scope::MAX_COLUMNS;
        self.error(span, format!("the function uses more than {limit} registers and literals of one width"))
    }
}

/// The bits of a literal for an operand of this kind.
pub fn literal(operand: &Operand<'_>, kind: Kind) -> Option<u64> {
    match (operand, kind) {
        (Operand::Int(value, _), Kind::B16) => Some(value & 0xffff),
        (Operand::Int(value, _), Kind::B32) => Some(value & 0xffff_ffff),
        (Operand::Int(value, _), Kind::B64) => Some(*value),
        (Operand::Int(value, _), Kind::Pred) => Some(u64::from(*value != 0)),
        // A bit pattern may be written as the number that it represents.
        (Operand::F32(bits, _), Kind::F32 | Kind::B32) => Some(u64::from(*bits)),
        (Operand::F64(bits, _), Kind::F64 | Kind::B64) => Some(*bits),
        (Operand::F64(bits, _), Kind::F32) => Some(u64::from((f64::from_bits(*bits) as f32).to_bits())),
        (Operand::F32(bits, _), Kind::F64) => Some(f64::from(f32::from_bits(*bits)).to_bits()),
        _ => None,
    }
}

/// The span of an operand in the text.
pub fn span_of(operand: &Operand<'_>) -> Span {
    match operand {
        Operand::Name(name)
        | Operand::Not(name)
        | Operand::Offset(name, _)
        | Operand::Element(name, _)
        | Operand::Part(name, _) => name.span,
        Operand::Sink(span)
        | Operand::Int(_, span)
        | Operand::F32(_, span)
        | Operand::F64(_, span)
        | Operand::Vector(_, span)
        | Operand::List(_, span)
        | Operand::Tensor { span, .. }
        | Operand::Address { span, .. } => *span,
        Operand::Pair(first, second) => span_of(first).to(span_of(second)),
    }
}

/// The bank of an operand's column.
pub fn bank_of(kind: Kind) -> Bank {
    match kind {
        Kind::B16 | Kind::B32 | Kind::F32 => Bank::Narrow,
        Kind::B64 | Kind::F64 => Bank::Wide,
        Kind::Pred => Bank::Preds,
    }
}

fn bits_of(kind: Kind) -> u32 {
    match kind {
        Kind::B16 => 16,
        Kind::B32 | Kind::F32 => 32,
        Kind::B64 | Kind::F64 => 64,
        Kind::Pred => 1,
    }
}

fn describe(kind: Kind) -> &'static str {
    match kind {
        Kind::B16 => "a 16-bit register",
        Kind::B32 => "a 32-bit register",
        Kind::B64 => "a 64-bit register",
        Kind::F32 => "a 32-bit floating-point register",
        Kind::F64 => "a 64-bit floating-point register",
        Kind::Pred => "a predicate",
    }
}

/// The kind of a type that registers hold unchanged; `None` for types of 8 bits and 128, and for textures.
pub fn kind_of(ty: Type) -> Option<Kind> {
    match ty {
        Type::Pred => Some(Kind::Pred),
        Type::U16 | Type::S16 | Type::B16 | Type::F16 | Type::Bf16 => Some(Kind::B16),
        Type::U32 | Type::S32 | Type::B32 | Type::F16x2 | Type::Bf16x2 => Some(Kind::B32),
        Type::U64 | Type::S64 | Type::B64 => Some(Kind::B64),
        Type::F32 => Some(Kind::F32),
        Type::F64 => Some(Kind::F64),
        Type::U8 | Type::S8 | Type::B8 | Type::B128 | Type::Texref | Type::Samplerref | Type::Surfref => None,
    }
}
