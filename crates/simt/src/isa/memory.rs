//! Loads and stores, and the fences between them.
//!
//! They are decoded here and carried out by [`crate::exec`]. Modifiers that only control caches are part of the grammar
//! and change nothing. Left out: cache hints with a policy operand, and `multimem`. Specification: PTX
//! ISA, sections 9.7.9.8 to 9.7.9.16 (`ld`, `ldu`, `st`, `prefetch`) and 9.7.13.4 (fences).

use super::grammar::{Modifiers, parse_type};
use super::op::memory::{Access, Address, Base, Memory};
use super::operands::{Operands, Register, class, kind_of, span_of};
use super::scope::Symbol;
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::place::bits;
use crate::machine::registers::{Bank, Slot};
use crate::order::{Order, Scope, Semantics};
use crate::ptx::ast::{Ident, Operand, Space, Type};
use crate::ptx::{Error, Span};

/// Loads, stores and fences.
pub const FAMILY: Family = Family {
    title: "Loads, stores and fences",
    section: "9.7.9, 9.7.13",
    forms: &[
        Form::new(
            "ld.weak?.(const|global|local|param|shared|shared::cta|shared::cluster)?.(ca|cg|cs|lu|cv)?.<vector>?.<type>",
            load,
        ),
        // Hints to caches concern global memory, generic addresses included.
        Form::new("ld.weak?.global?.(ca|cg|cs|lu|cv)?.<L2>.<vector>?.<type>", load),
        Form::new("ld.weak?.global?.<L1>.<L2>?.<vector>?.<type>", load),
        Form::new("ld.volatile.<space>?.<vector>?.<type>", load),
        Form::new("ld.volatile.global?.<L2>.<vector>?.<type>", load),
        Form::new("ld.(relaxed|acquire).<scope>.<space>?.<vector>?.<type>", load).since(70),
        Form::new("ld.(relaxed|acquire).<scope>.global?.<L2>.<vector>?.<type>", load),
        Form::new("ld.(relaxed|acquire).<scope>.global?.<L1>.<L2>?.<vector>?.<type>", load),
        Form::new("ld.global.(ca|cg|cs)?.nc.<L2>?.<vector>?.<type>", load),
        Form::new("ld.global.nc.<L1>.<L2>?.<vector>?.<type>", load),
        Form::new("ldu.global?.<vector>?.<type>", load),
        Form::new(
            "st.weak?.(global|local|param|shared|shared::cta|shared::cluster)?.(wb|cg|cs|wt)?.<vector>?.<type>",
            store,
        ),
        Form::new("st.weak?.global?.<L1>.<vector>?.<type>", store),
        Form::new("st.volatile.<space>?.<vector>?.<type>", store),
        Form::new("st.(relaxed|release).<scope>.<space>?.<vector>?.<type>", store).since(70),
        Form::new("st.(relaxed|release).<scope>.global?.<L1>.<vector>?.<type>", store),
        Form::new("prefetch.(global|local)?.(L1|L2)", prefetch),
        Form::new("prefetchu.L1", prefetch),
        Form::new("membar.(cta|gl|sys)", |m, _| {
            // From sm_70 on this is the same as `fence.sc`, and it was not weaker before.
            Ok(Op::Fence(Semantics { order: Order::SeqCst, scope: scope(m).unwrap_or(Scope::Sys) }))
        }),
        Form::new("fence.(sc|acq_rel)?.<scope>", |m, _| {
            let order = order(m).unwrap_or(Order::AcqRel);
            Ok(Op::Fence(Semantics { order, scope: scope(m).unwrap_or(Scope::Sys) }))
        })
        .since(70),
    ],
};

fn load(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let values = o.take()?;
    let address = o.address(memory(m))?;
    access(m, o, address, values, true).map(Op::Load)
}

fn store(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let address = o.address(memory(m))?;
    let values = o.take()?;
    access(m, o, address, values, false).map(Op::Store)
}

pub fn access<'t>(
    m: &Modifiers<'_>,
    o: &mut Operands<'_, 't>,
    address: Address,
    values: &Operand<'t>,
    is_load: bool,
) -> Result<Access, Error> {
    let ty = m.words().find_map(parse_type).expect("every form of an access has a type");
    let count = m.meaning(&[("v2", 2), ("v4", 4)]).unwrap_or(1);
    let (slots, register_bits) = value_slots(o, values, ty, count, is_load)?;
    let [d, q, b, c] = slots;
    (o.args.d, o.args.q, o.args.b, o.args.c) = (d, q, b, c);
    Ok(Access {
        address,
        bytes: (bits(ty) / 8) as u8,
        count,
        signed: matches!(ty, Type::S8 | Type::S16 | Type::S32),
        register_bits,
        order: order(m).unwrap_or(Order::Weak),
        scope: scope(m).unwrap_or(Scope::Sys),
        read_only: m.says("nc"),
    })
}

/// The columns of the values, and their width in bits, which is the same for all elements of a vector.
fn value_slots<'t>(
    o: &mut Operands<'_, 't>,
    values: &Operand<'t>,
    ty: Type,
    count: u8,
    is_load: bool,
) -> Result<([Slot; 4], u8), Error> {
    let parts = o.elements(values);
    let elements = match &parts {
        Some(elements) => elements.as_slice(),
        None => std::slice::from_ref(values),
    };
    if elements.len() != count as usize {
        let found = elements.len();
        return Err(o.error(span_of(values), format!("expected {count} values here, found {found}")));
    }
    let mut registers = [None; 4];
    for (register, element) in registers.iter_mut().zip(elements) {
        *register = match *element {
            Operand::Name(name) => match o.special(name)? {
                Some(special) if !is_load && count > 1 => Some(special),
                _ => Some(o.look_up(name)?),
            },
            Operand::Part(name, part) => Some(o.look_up_part(name, Some(part))?),
            _ => None,
        };
    }
    // Operands that are not registers get the width of those that are.
    let width = registers.iter().flatten().next().map_or(bits(ty).max(32), |register| register.bits);
    let mut slots = [0; 4];
    for ((slot, register), element) in slots.iter_mut().zip(registers).zip(elements) {
        *slot = match register {
            Some(register) if register.bits != width => {
                return Err(o.error(span_of(element), "all registers of a vector must have the same width"));
            }
            Some(register) => value_register(o, element, ty, register, is_load)?,
            None => value_literal(o, element, ty, width, is_load, count > 1)?,
        };
    }
    Ok((slots, width as u8))
}

/// The column of a register that is loaded or stored: at least as wide as the type, and not declared for other numbers.
fn value_register(
    o: &mut Operands<'_, '_>,
    element: &Operand<'_>,
    ty: Type,
    register: Register,
    is_load: bool,
) -> Result<Slot, Error> {
    let bits = register.bits;
    let differs = class(ty).is_some() && register.class.is_some() && class(ty) != register.class;
    if register.bank == Bank::Preds || bits < self::bits(ty) || differs {
        let found = match register.bank {
            Bank::Preds => "is a predicate and cannot hold a value".to_string(),
            _ if differs => "is declared for another kind of number than the values".to_string(),
            _ => format!("has {bits} bits, which are too few for a value"),
        };
        return Err(o.error(span_of(element), format!("the register {found} of type `{ty:?}`")));
    }
    o.touch(register.bank, register.slot, is_load);
    Ok(register.slot)
}

/// The column of an operand that is not a register: a literal to be stored, or an element of a vector that is not
/// needed.
fn value_literal<'t>(
    o: &mut Operands<'_, 't>,
    element: &Operand<'t>,
    ty: Type,
    bits: u32,
    is_load: bool,
    is_vector: bool,
) -> Result<Slot, Error> {
    let kind = match kind_of(ty) {
        Some(kind) if self::bits(ty) == bits => kind,
        _ if bits == 64 => Kind::B64,
        _ => Kind::B32,
    };
    match (is_load, is_vector) {
        (false, _) => o.source(element, kind),
        (true, true) => o.result_or_sink(element, kind),
        (true, false) => o.result(element, kind),
    }
}

impl<'t> Operands<'_, 't> {
    /// Takes an address operand; its base register goes to `args.a`.
    pub fn address(&mut self, memory: Memory) -> Result<Address, Error> {
        let parts = match self.take()? {
            Operand::Address { base, offset, span } => (*base, *offset, *span),
            Operand::Element(name, index) => match self.scope.find(name.text) {
                Some((_, Symbol::Variable(place))) => {
                    (Some(*name), index.wrapping_mul(i64::from(place.element)), name.span)
                }
                _ => return Err(self.error(name.span, format!("`{}` is not a variable", name.text))),
            },
            other => return Err(self.error(span_of(other), "expected an address in brackets")),
        };
        self.address_at(parts, memory)
    }

    /// The address that consists of a base, an offset and a place in the text; its base register goes to `args.a`.
    pub(super) fn address_at(
        &mut self,
        parts: (Option<Ident<'t>>, i64, Span),
        memory: Memory,
    ) -> Result<Address, Error> {
        let (base, offset, span) = parts;
        let Some(name) = base else {
            if memory != Memory::Local {
                let message = "a number can be an address only in local memory; move it into a register";
                return Err(self.error(span, message));
            }
            return Ok(Address { memory, base: Base::Absolute, offset });
        };
        if self.scope.find_register(name.text).is_some() {
            return self.address_in(name, memory, offset);
        }
        let place = match self.scope.find(name.text) {
            Some((_, Symbol::Variable(place))) => place,
            Some(_) => return Err(self.error(name.span, format!("`{}` is not a variable", name.text))),
            None => return Err(self.error(name.span, format!("`{}` is not declared", name.text))),
        };
        let Some(own) = Memory::of(place.space) else {
            return Err(self.error(name.span, format!("`{}` has no address", name.text)));
        };
        // A variable that is named without its space is accessed in the space it is in.
        let is_in_cluster = (memory, own) == (Memory::Cluster, Memory::Shared);
        if memory != Memory::Generic && memory != own && !is_in_cluster {
            return Err(self.wrong_space(name, place.space));
        }
        let memory = if own == Memory::Param && place.in_frame { Memory::Frame } else { own };
        let base = if place.in_frame { Base::Frame } else { Base::Absolute };
        Ok(Address { memory, base, offset: offset.wrapping_add(place.address as i64) })
    }

    /// The error for a variable of another space than the one that is named.
    pub fn wrong_space(&self, name: Ident<'t>, space: Space) -> Error {
        let space = format!("{space:?}").to_lowercase();
        self.error(name.span, format!("`{}` is in `.{space}` memory", name.text))
    }

    /// An address in a register of 64 bits, or of 32 bits for shared, local and parameter memory.
    fn address_in(&mut self, name: Ident<'t>, memory: Memory, offset: i64) -> Result<Address, Error> {
        let register = self.register(name)?;
        self.args.a = register.slot;
        let may_be_narrow = matches!(
            memory,
            Memory::Shared | Memory::Cluster | Memory::Local | Memory::Param | Memory::Const
        );
        let base = match register.bank {
            Bank::Wide => Base::Wide,
            Bank::Narrow if register.bits == 32 && may_be_narrow => Base::Narrow,
            Bank::Narrow if register.bits == 32 => {
                let message = format!("`{}` has 32 bits, but a global or generic address has 64", name.text);
                return Err(self.error(name.span, message));
            }
            _ => return Err(self.error(name.span, "an address must be a register of 32 or 64 bits")),
        };
        // What a function is passed is in its frame, and so is what its registers point to in that space.
        let memory = if memory == Memory::Param && self.scope.in_function { Memory::Frame } else { memory };
        Ok(Address { memory, base, offset })
    }
}

/// The memory that an opcode names; generic if it names none.
pub fn memory(m: &Modifiers<'_>) -> Memory {
    let named = m.meaning(&[
        ("const", Memory::Const),
        ("global", Memory::Global),
        ("local", Memory::Local),
        ("param", Memory::Param),
        ("shared", Memory::Shared),
        ("shared::cta", Memory::Shared),
        ("shared::cluster", Memory::Cluster),
    ]);
    named.unwrap_or(Memory::Generic)
}

/// The memory order that an opcode names.
pub fn order(m: &Modifiers<'_>) -> Option<Order> {
    m.meaning(&[
        ("volatile", Order::Volatile),
        ("relaxed", Order::Relaxed),
        ("acquire", Order::Acquire),
        ("release", Order::Release),
        ("acq_rel", Order::AcqRel),
        ("sc", Order::SeqCst),
    ])
}

/// The scope that an opcode names.
pub fn scope(m: &Modifiers<'_>) -> Option<Scope> {
    m.meaning(&[
        ("cta", Scope::Cta),
        ("cluster", Scope::Cluster),
        ("gl", Scope::Gpu),
        ("gpu", Scope::Gpu),
        ("sys", Scope::Sys),
    ])
}

fn prefetch(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.address(Memory::Generic)?;
    Ok(Op::Hint)
}
