//! One instruction of the intermediate code as one of PTX, or a few.

use super::Emitter;
use crate::code::{Access, Arith, Base, Binary, Class, Compare, Inst, Op, Ptx, PtxOperand, Space, Ty, Unary};

impl Emitter<'_> {
    pub(super) fn inst(&mut self, inst: &Inst) {
        if let Op::Ptx(ptx) = &inst.op {
            self.ptx(ptx, inst);
            return;
        }
        let name = match &inst.op {
            Op::Mov => self.mov(inst),
            Op::Arith(arith, ty) => arithmetic(*arith, *ty),
            Op::Unary(unary, ty) => unary_name(*unary, *ty),
            Op::MulWide(ty) => format!("mul.wide.{}", suffix(*ty)),
            Op::Mad(ty) if ty.is_float() => format!("fma.rn.{}", suffix(*ty)),
            Op::Mad(ty) => format!("mad.lo.{}", signed(*ty)),
            Op::Select(ty) => format!("selp.{}", bits(*ty)),
            Op::Set(compare, ty) => format!("setp.{}.{}", compare_name(*compare, *ty), suffix(*ty)),
            Op::Convert { to, from } => return self.convert(*to, *from, inst),
            Op::ToGlobal => "cvta.to.global.u64".to_owned(),
            Op::ToGeneric(space) => format!("cvta{}.u64", space_name(*space)),
            Op::Special(_) | Op::Symbol(_) | Op::SlotAddress(_) | Op::Param(..) => return self.source(inst),
            Op::Load(access) | Op::Store(access) => return self.access(access, inst),
            Op::Ptx(_) => return,
        };
        let operands = self.operands(inst);
        self.put(&format!("{name} \t{operands}"));
    }

    fn mov(&mut self, inst: &Inst) -> String {
        let class = inst.dsts.first().map_or(Class::B32, |dst| self.function.class(*dst));
        let from = inst.args.first().and_then(|arg| arg.reg()).map_or(class, |reg| self.function.class(reg));
        let name = match class {
            // Between a float and an integer the bits move.
            _ if from != class => match class {
                Class::B64 | Class::F64 => "b64",
                Class::B16 => "b16",
                _ => "b32",
            },
            Class::Pred => "pred",
            Class::B16 => "u16",
            Class::B32 => "u32",
            Class::B64 => "u64",
            Class::F32 => "f32",
            Class::F64 => "f64",
        };
        format!("mov.{name}")
    }

    /// What an instruction takes from outside of the registers.
    fn source(&mut self, inst: &Inst) {
        let dst = self.reg(inst.dsts[0]);
        let text = match &inst.op {
            Op::Special(name) => format!("mov.u32 \t{dst}, {name}"),
            Op::Symbol(global) => format!("mov.u64 \t{dst}, {}", self.checked.program.globals[*global].name),
            Op::SlotAddress(_) => format!("mov.u64 \t{dst}, __local_depot{}", self.nth),
            Op::Param(nth, offset, ty) => {
                let offset = if *offset == 0 { String::new() } else { format!("+{offset}") };
                format!("ld.param.{} \t{dst}, [{}_param_{nth}{offset}]", memory(*ty), self.function.name)
            }
            _ => return,
        };
        self.put(&text);
    }

    fn access(&mut self, access: &Access, inst: &Inst) {
        let base = match access.place.base {
            Base::Reg(reg) => self.reg(reg),
            Base::Slot(_) => format!("__local_depot{}", self.nth),
            Base::Symbol(global) => self.checked.program.globals[global].name.clone(),
        };
        let address = offset(&base, access.place.offset);
        let volatile = if access.is_volatile && access.space != Space::Constant { ".volatile" } else { "" };
        let (space, ty) = (space_name(access.space), memory(access.ty));
        let values = self.operands(inst);
        let (vector, values) = match inst.dsts.len().max(inst.args.len()) {
            1 => ("", values),
            2 => (".v2", format!("{{{values}}}")),
            _ => (".v4", format!("{{{values}}}")),
        };
        if inst.dsts.is_empty() {
            self.put(&format!("st{volatile}{space}{vector}.{ty} \t{address}, {values}"));
        } else {
            self.put(&format!("ld{volatile}{space}{vector}.{ty} \t{values}, {address}"));
        }
    }

    fn convert(&mut self, to: Ty, from: Ty, inst: &Inst) {
        let class = self.function.class(inst.dsts[0]);
        let operands = self.operands(inst);
        let source = inst.args[0].reg().map(|reg| self.function.class(reg));
        let is_short = source == Some(Class::B16);
        let narrow = matches!(to, Ty::U8 | Ty::S8 | Ty::U16 | Ty::S16);
        let text = match (to, from) {
            _ if class == Class::B16 => format!("cvt.u16.u32 \t{operands}"),
            // What `asm` left in a register of 16 bits.
            (Ty::S32, _) if is_short => format!("cvt.s32.s16 \t{operands}"),
            _ if is_short => format!("cvt.u32.u16 \t{operands}"),
            (Ty::U8, _) if from.size() < 8 => format!("and.b32 \t{operands}, 255"),
            (Ty::U16, _) if from.size() < 8 => format!("and.b32 \t{operands}, 65535"),
            (Ty::S8, _) if from.size() < 8 => format!("cvt.s32.s8 \t{operands}"),
            (Ty::S16, _) if from.size() < 8 => format!("cvt.s32.s16 \t{operands}"),
            _ if narrow => {
                let dst = self.reg(inst.dsts[0]);
                self.put(&format!("cvt.u32.u64 \t{operands}"));
                match to {
                    Ty::U8 => format!("and.b32 \t{dst}, {dst}, 255"),
                    Ty::U16 => format!("and.b32 \t{dst}, {dst}, 65535"),
                    Ty::S8 => format!("cvt.s32.s8 \t{dst}, {dst}"),
                    _ => format!("cvt.s32.s16 \t{dst}, {dst}"),
                }
            }
            _ => format!("{} \t{operands}", conversion(to, from)),
        };
        self.put(&text);
    }

    fn ptx(&mut self, ptx: &Ptx, inst: &Inst) {
        if let Some(call) = ptx.text.strip_prefix("vprintf ") {
            self.vprintf(call, inst);
            return;
        }
        let mut text = String::with_capacity(ptx.text.len() + 16);
        let mut rest = &ptx.text[..];
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('%') {
                text.push('%');
                rest = after;
                continue;
            }
            let wants_space = rest.starts_with('s');
            rest = if wants_space { &rest[1..] } else { rest };
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number: usize = rest[..digits].parse().unwrap_or(0);
            rest = &rest[digits..];
            match ptx.operands.get(number) {
                Some(PtxOperand::Argument(at)) if wants_space => text.push_str(space_name(ptx.spaces[*at])),
                Some(PtxOperand::Argument(at)) => {
                    let operand = self.operand(inst.args[*at]);
                    match ptx.addresses[*at] {
                        Some(distance) => text.push_str(&offset(&operand, distance)),
                        None => text.push_str(&operand),
                    }
                }
                Some(PtxOperand::Result(at)) => text.push_str(&self.reg(inst.dsts[*at])),
                None => {}
            }
        }
        text.push_str(rest);
        let text = text.trim().trim_end_matches(';');
        if text.is_empty() {
            return;
        }
        let is_block = text.ends_with('}') && text.starts_with('{');
        let end = if is_block { "" } else { ";" };
        for line in text.lines() {
            self.text.push('\t');
            self.text.push_str(line.trim());
            self.text.push('\n');
        }
        self.text.pop();
        self.text.push_str(end);
        self.text.push('\n');
    }

    /// The call of the system's function that prints.
    fn vprintf(&mut self, call: &str, inst: &Inst) {
        let text = call.split(' ').nth(1).unwrap_or("$str0").to_owned();
        let dst = self.reg(inst.dsts[0]);
        let list = self.operand(inst.args[0]);
        self.strings += 1;
        let nth = self.strings;
        for line in [
            "{".to_owned(),
            format!("\t.reg .b64 \t%text{nth};"),
            format!("\tmov.u64 \t%text{nth}, {text};"),
            format!("\tcvta.global.u64 \t%text{nth}, %text{nth};"),
            "\t.param .b64 param0;".to_owned(),
            format!("\tst.param.b64 \t[param0+0], %text{nth};"),
            "\t.param .b64 param1;".to_owned(),
            format!("\tst.param.b64 \t[param1+0], {list};"),
            "\t.param .b32 retval0;".to_owned(),
            "\tcall.uni (retval0), vprintf, (param0, param1);".to_owned(),
            format!("\tld.param.b32 \t{dst}, [retval0+0];"),
            "}".to_owned(),
        ] {
            self.text.push('\t');
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }
}

fn offset(base: &str, distance: i64) -> String {
    if distance == 0 { format!("[{base}]") } else { format!("[{base}+{distance}]") }
}

pub(super) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Generic => "",
        Space::Global => ".global",
        Space::Shared => ".shared",
        Space::Constant => ".const",
        Space::Local => ".local",
    }
}

fn suffix(ty: Ty) -> &'static str {
    match ty {
        Ty::Pred => "pred",
        Ty::U8 | Ty::U16 | Ty::U32 => "u32",
        Ty::S8 | Ty::S16 | Ty::S32 => "s32",
        Ty::U64 => "u64",
        Ty::S64 => "s64",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
    }
}

fn bits(ty: Ty) -> &'static str {
    match ty {
        Ty::Pred => "pred",
        Ty::U64 | Ty::S64 => "b64",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        _ => "b32",
    }
}

fn memory(ty: Ty) -> &'static str {
    match ty {
        Ty::Pred | Ty::U8 => "u8",
        Ty::S8 => "s8",
        Ty::U16 => "u16",
        Ty::S16 => "s16",
        Ty::U32 | Ty::S32 => "u32",
        Ty::U64 | Ty::S64 => "u64",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
    }
}

fn arithmetic(arith: Arith, ty: Ty) -> String {
    let (float, single) = (ty.is_float(), ty == Ty::F32);
    let name = suffix(ty);
    match arith {
        Arith::Min => format!("min.{name}"),
        Arith::Max => format!("max.{name}"),
        Arith::MulHigh => format!("mul.hi.{name}"),
        Arith::Binary(Binary::Add) => format!("add.{}", signed(ty)),
        Arith::Binary(Binary::Sub) => format!("sub.{}", signed(ty)),
        Arith::Binary(Binary::Mul) if float => format!("mul.{name}"),
        Arith::Binary(Binary::Mul) => format!("mul.lo.{}", signed(ty)),
        Arith::Binary(Binary::Div) if single => "div.rn.f32".to_owned(),
        Arith::Binary(Binary::Div) if float => "div.rn.f64".to_owned(),
        Arith::Binary(Binary::Div) => format!("div.{name}"),
        Arith::Binary(Binary::Rem) => format!("rem.{name}"),
        Arith::Binary(Binary::And) => format!("and.{}", bits(ty)),
        Arith::Binary(Binary::Or) => format!("or.{}", bits(ty)),
        Arith::Binary(Binary::Xor) => format!("xor.{}", bits(ty)),
        Arith::Binary(Binary::Shl) => format!("shl.{}", bits(ty)),
        Arith::Binary(Binary::Shr) => format!("shr.{name}"),
    }
}

/// Sums and products of integers do not depend on the sign.
fn signed(ty: Ty) -> &'static str {
    match suffix(ty) {
        "u32" => "s32",
        "u64" => "s64",
        other => other,
    }
}

fn unary_name(unary: Unary, ty: Ty) -> String {
    match unary {
        Unary::Neg => format!("neg.{}", signed(ty)),
        Unary::Not => format!("not.{}", bits(ty)),
        Unary::Abs => format!("abs.{}", signed(ty)),
        Unary::Popc => format!("popc.{}", bits(ty)),
        Unary::Clz => format!("clz.{}", bits(ty)),
        Unary::Brev => format!("brev.{}", bits(ty)),
    }
}

/// A comparison with NaN is false, except that `!=` is true.
fn compare_name(compare: Compare, ty: Ty) -> &'static str {
    match compare {
        Compare::Eq => "eq",
        Compare::Ne if ty.is_float() => "neu",
        Compare::Ne => "ne",
        Compare::Lt => "lt",
        Compare::Le => "le",
        Compare::Gt => "gt",
        Compare::Ge => "ge",
    }
}

fn conversion(to: Ty, from: Ty) -> String {
    let (a, b) = (suffix(to), suffix(from));
    let rounding = match (to.is_float(), from.is_float()) {
        (true, true) if to.size() < from.size() => ".rn",
        (true, false) => ".rn",
        (false, true) => ".rzi",
        _ => "",
    };
    format!("cvt{rounding}.{a}.{b}")
}
