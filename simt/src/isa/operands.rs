//! Binds the operands of one instruction to columns, with an error that names the operand that does not fit.
//!
//! A family's decoder takes operands in the order of the text: results first, then sources. Whatever is left
//! over when it returns is an error.

use super::Op;
use super::scope::{Bank, Scope, Symbol, bits};
use super::value::{Alu, Args, Kind};
use crate::machine::registers::Slot;
use crate::ptx::ast::{Ident, Instruction, Operand, Type};
use crate::ptx::{Error, Span};

/// The operands of one instruction, taken one by one.
#[derive(Debug)]
pub struct Operands<'s, 't> {
    text: &'t str,
    /// The instruction itself.
    pub instruction: &'s Instruction<'t>,
    /// The names it can see.
    pub scope: &'s mut Scope<'t>,
    /// The columns bound so far.
    pub args: Args,
    /// What the instruction does, where it is arithmetic of which more is known than how to carry it out.
    pub alu: Option<Alu>,
    /// Every column that it names, for what looks at programs as a whole.
    pub touched: Vec<Touched>,
    next: usize,
}

/// A column that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its bank.
    pub bank: Bank,
    /// Its number.
    pub slot: Slot,
    /// Whether the instruction may write it; if not, it only reads it.
    pub is_written: bool,
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
}

impl<'s, 't> Operands<'s, 't> {
    /// The operands of `instruction`, none taken yet.
    pub fn new(text: &'t str, instruction: &'s Instruction<'t>, scope: &'s mut Scope<'t>) -> Self {
        let args = Args::default();
        Operands { text, instruction, scope, args, alu: None, touched: Vec::new(), next: 0 }
    }

    /// An error at `span`.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Error {
        Error::at(self.text, span, message)
    }

    /// The next operand as it stands in the text.
    pub fn take(&mut self) -> Result<&'s Operand<'t>, Error> {
        let instruction = self.instruction;
        let operand = instruction.operands.get(self.next).ok_or_else(|| {
            let opcode = instruction.opcode;
            self.error(opcode.span, format!("`{}` needs more than {} operands", opcode.text, self.next))
        })?;
        self.next += 1;
        Ok(operand)
    }

    /// The next operand, left where it is.
    pub fn peek(&self) -> Option<&'s Operand<'t>> {
        self.instruction.operands.get(self.next)
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

    /// Takes note of a column that the instruction names.
    fn touch(&mut self, bank: Bank, slot: Slot, is_written: bool) {
        self.touched.push(Touched { bank, slot, is_written });
    }

    /// How many operands have not been taken.
    pub fn remaining(&self) -> usize {
        self.instruction.operands.len() - self.next
    }

    /// Refuses operands that nobody took.
    pub fn finish(&self) -> Result<(), Error> {
        let opcode = self.instruction.opcode;
        match self.remaining() {
            0 => Ok(()),
            left => Err(self.error(opcode.span, format!("`{}` has {left} operands too many", opcode.text))),
        }
    }

    /// Binds an arithmetic instruction: its results, then its sources.
    pub fn alu(&mut self, alu: Alu) -> Result<Op, Error> {
        self.bind(&alu)?;
        Ok(self.means(alu))
    }

    /// The operation of an arithmetic instruction whose operands have been bound.
    pub fn means(&mut self, alu: Alu) -> Op {
        self.alu = Some(alu);
        Op::Alu(alu.run)
    }

    /// Binds the operands of `alu` to [`Operands::args`]. Two results are written `d|p`.
    pub fn bind(&mut self, alu: &Alu) -> Result<(), Error> {
        match (alu.results, self.take()?) {
            (&[d, q], Operand::Pair(first, second)) => {
                self.args.d = self.result(first, d)?;
                self.args.q = self.result(second, q)?;
            }
            // The second of two results may be left out.
            (&[d], operand) => self.args.d = self.result(operand, d)?,
            (&[d, q], operand) => {
                self.args.d = self.result(operand, d)?;
                self.args.q = self.result(&Operand::Sink(self.instruction.span), q)?;
            }
            _ => unreachable!("an instruction has one or two results"),
        }
        for (index, &kind) in alu.sources.iter().enumerate() {
            let operand = self.take()?;
            let slot = self.source(operand, kind)?;
            *[&mut self.args.a, &mut self.args.b, &mut self.args.c, &mut self.args.e][index] = slot;
        }
        Ok(())
    }

    /// The column that a result goes to; a scratch column for `_`.
    pub fn result(&mut self, operand: &Operand<'t>, kind: Kind) -> Result<Slot, Error> {
        match *operand {
            Operand::Name(name) => {
                let slot = self.register_of_kind(name, kind)?;
                self.touch(bank_of(kind), slot, true);
                Ok(slot)
            }
            Operand::Sink(span) => {
                let column = self.scope.new_column(bank_of(kind), 0);
                let slot = column.ok_or_else(|| self.too_many_registers(span))?;
                self.touch(bank_of(kind), slot, true);
                Ok(slot)
            }
            _ => Err(self.error(span_of(operand), format!("a result must be {}", describe(kind)))),
        }
    }

    /// The column that a source comes from: a register, or a literal spread over all lanes.
    pub fn source(&mut self, operand: &Operand<'t>, kind: Kind) -> Result<Slot, Error> {
        if let Operand::Name(name) = *operand {
            let slot = self.register_of_kind(name, kind)?;
            self.touch(bank_of(kind), slot, false);
            return Ok(slot);
        }
        let bits = literal(operand, kind).ok_or_else(|| {
            self.error(
                span_of(operand),
                format!("this operand must be {} or a literal of it", describe(kind)),
            )
        })?;
        self.constant(bank_of(kind), bits, span_of(operand))
    }

    /// A column that holds `bits` in every lane.
    pub fn constant(&mut self, bank: Bank, bits: u64, span: Span) -> Result<Slot, Error> {
        let slot = self.scope.constant(bank, bits).ok_or_else(|| self.too_many_registers(span))?;
        self.touch(bank, slot, false);
        Ok(slot)
    }

    /// A register of whatever type that the instruction writes. For conversions and moves, which take registers wider than
    /// their type.
    pub fn written(&mut self, name: Ident<'t>) -> Result<Register, Error> {
        let register = self.look_up(name)?;
        self.touch(register.bank, register.slot, true);
        Ok(register)
    }

    /// A register of whatever type that the instruction reads.
    pub fn register(&mut self, name: Ident<'t>) -> Result<Register, Error> {
        let register = self.look_up(name)?;
        self.touch(register.bank, register.slot, false);
        Ok(register)
    }

    /// A register, with its bank and width, of which it is not said yet what the instruction does with it.
    pub fn look_up(&mut self, name: Ident<'t>) -> Result<Register, Error> {
        let Some((level, symbol)) = self.scope.find(name.text) else {
            return Err(self.error(name.span, format!("`{}` is not declared", name.text)));
        };
        let Symbol::Register(ty) = symbol else {
            return Err(self.error(name.span, format!("`{}` is not a register", name.text)));
        };
        let bank = Bank::of(ty).ok_or_else(|| {
            self.error(
                name.span,
                format!("`{}` has 128 bits; registers of up to 64 are supported", name.text),
            )
        })?;
        let slot = self.scope.column(level, name.text, bank);
        let slot = slot.ok_or_else(|| self.too_many_registers(name.span))?;
        Ok(Register { slot, bank, bits: bits(ty) })
    }

    fn register_of_kind(&mut self, name: Ident<'t>, kind: Kind) -> Result<Slot, Error> {
        let register = self.look_up(name)?;
        if register.bits == bits_of(kind) {
            return Ok(register.slot);
        }
        let (name_text, wanted) = (name.text, describe(kind));
        Err(self
            .error(name.span, format!("`{name_text}` has {} bits where {wanted} is wanted", register.bits)))
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
        // A bit pattern may be written as the number that it is.
        (Operand::F32(bits, _), Kind::F32 | Kind::B32) => Some(u64::from(*bits)),
        (Operand::F64(bits, _), Kind::F64 | Kind::B64) => Some(*bits),
        (Operand::F64(bits, _), Kind::F32) => Some(u64::from((f64::from_bits(*bits) as f32).to_bits())),
        (Operand::F32(bits, _), Kind::F64) => Some(f64::from(f32::from_bits(*bits)).to_bits()),
        _ => None,
    }
}

/// Where an operand stands.
pub fn span_of(operand: &Operand<'_>) -> Span {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => name.span,
        Operand::Sink(span)
        | Operand::Int(_, span)
        | Operand::F32(_, span)
        | Operand::F64(_, span)
        | Operand::Vector(_, span)
        | Operand::List(_, span)
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

/// The kind of a type that registers hold as it is; `None` for types of 8 bits and 128.
pub fn kind_of(ty: Type) -> Option<Kind> {
    match ty {
        Type::Pred => Some(Kind::Pred),
        Type::U16 | Type::S16 | Type::B16 | Type::F16 | Type::Bf16 => Some(Kind::B16),
        Type::U32 | Type::S32 | Type::B32 | Type::F16x2 | Type::Bf16x2 => Some(Kind::B32),
        Type::U64 | Type::S64 | Type::B64 => Some(Kind::B64),
        Type::F32 => Some(Kind::F32),
        Type::F64 => Some(Kind::F64),
        Type::U8 | Type::S8 | Type::B8 | Type::B128 => None,
    }
}
