//! One instruction of the intermediate code as one of PTX, or a few.
//!
//! There is nothing to choose here: passes have brought the code into a form that PTX has. Specification: PTX ISA,
//! section 9.7.
//!
//! ```text
//! Store [r2+4], r5, r6           st.global.v2.u32    [%rd2+4], {%r5, %r6};
//! Mad(F32) r1, r2, r3            fma.rn.f32          %f4, %f1, %f2, %f3;
//! Convert U8 from U64            cvt.u32.u64, and then an `and`
//! ```

use std::fmt::Write;

use super::{Emitter, add_number};
use crate::check::asm::{Percent, percent};
use crate::code::{Access, Arith, Base, Binary, Class, Compare, Inst, Op, Ptx, PtxOperand, Space, Ty, Unary};

impl Emitter<'_> {
    /// Most have one name in two parts and then their operands.
    pub(super) fn inst(&mut self, inst: &Inst<'_>) {
        let [first, second] = match &inst.op {
            Op::Mov => ["mov.", self.moved(inst)],
            Op::Arith(arith, ty) => arithmetic(*arith, *ty),
            Op::Unary(unary, ty) => unary_name(*unary, *ty),
            Op::MulWide(ty) => ["mul.wide.", suffix(*ty)],
            Op::Mad(ty) if ty.is_float() => ["fma.rn.", suffix(*ty)],
            Op::Mad(ty) => ["mad.lo.", signed(*ty)],
            Op::Select(ty) => ["selp.", bits(*ty)],
            Op::Set(compare, ty) => {
                let name = compare_name(*compare, *ty);
                return self.simple(&["\tsetp.", name, ".", suffix(*ty), " \t"], inst);
            }
            Op::Convert { to, from } => return self.convert(*to, *from, inst),
            Op::ToGlobal => ["cvta.to.global.u64", ""],
            Op::ToGeneric(space) => return self.simple(&["\tcvta", space.suffix(), ".u64 \t"], inst),
            Op::Special(_) | Op::Symbol(_) | Op::SlotAddress(_) | Op::Param(..) => return self.source(inst),
            Op::Load(access) | Op::Store(access) => return self.access(access, inst),
            Op::Ptx(ptx) => return self.ptx(ptx, inst),
        };
        self.simple(&["\t", first, second, " \t"], inst);
    }

    /// The type of a copy. PTX ISA, `mov`: the class of both sides has to agree with the type; `.b32` and `.b64` fit
    /// both floats and integers.
    fn moved(&self, inst: &Inst<'_>) -> &'static str {
        let class = inst.dsts.first().map_or(Class::B32, |dst| self.function.class(*dst));
        let from = inst.args.first().and_then(|arg| arg.reg()).map_or(class, |reg| self.function.class(reg));
        match class {
            // Between a float and an integer the bits move.
            Class::B64 | Class::F64 if from != class => "b64",
            Class::Pred => "pred",
            Class::B16 if from != class => "b16",
            _ if from != class => "b32",
            Class::B16 => "u16",
            Class::B32 => "u32",
            Class::B64 => "u64",
            Class::F32 => "f32",
            Class::F64 => "f64",
        }
    }

    /// What an instruction takes from outside of the registers.
    fn source(&mut self, inst: &Inst<'_>) {
        let name = match &inst.op {
            Op::Param(_, _, ty) => ["ld.param.", memory(*ty)],
            Op::Special(_) => ["mov.", "u32"],
            _ => ["mov.", "u64"],
        };
        self.add(&["\t", name[0], name[1], " \t"]);
        self.reg(inst.dsts[0]);
        self.add(&[", "]);
        match &inst.op {
            Op::Special(name) => self.add(&[name]),
            Op::Symbol(global) => self.add(&[self.checked.program.globals[*global].name]),
            Op::SlotAddress(_) => self.local(),
            Op::Param(nth, distance, _) => {
                self.add(&["[", &self.function.name, "_param_"]);
                add_number(*nth as u32, &mut self.text);
                self.end_address((*distance).into());
            }
            _ => {}
        }
        self.add(&[";\n"]);
    }

    /// The name of the kernel's local memory.
    fn local(&mut self) {
        self.add(&[LOCAL]);
        add_number(self.nth as u32, &mut self.text);
    }

    fn access(&mut self, access: &Access, inst: &Inst<'_>) {
        // Registers are numbered in this order, whatever the order of the text.
        if let Some(base) = inst.base() {
            self.number(base);
        }
        // No other thread sees a constant or what is local, so PTX has no such accesses.
        let is_volatile = access.is_volatile && !matches!(access.space, Space::Constant | Space::Local);
        let volatile = if is_volatile { ".volatile" } else { "" };
        let [vector, open, close] = match inst.dsts.len().max(inst.args.len()) {
            1 => ["", "", ""],
            2 => [".v2", "{", "}"],
            _ => [".v4", "{", "}"],
        };
        let is_store = inst.dsts.is_empty();
        let kind = if is_store { "\tst" } else { "\tld" };
        // PTX ISA, `ld` and `st`: the order of the modifiers is fixed.
        self.add(&[kind, volatile, access.space.suffix(), vector, ".", memory(access.ty), " \t"]);
        if is_store {
            self.address(access);
            self.add(&[", "]);
        }
        self.add(&[open]);
        self.operands(inst);
        self.add(&[close]);
        if !is_store {
            self.add(&[", "]);
            self.address(access);
        }
        self.add(&[";\n"]);
    }

    fn address(&mut self, access: &Access) {
        self.add(&["["]);
        match access.place.base {
            Base::Reg(reg) => self.reg(reg),
            Base::Slot(_) => self.local(),
            Base::Symbol(global) => self.add(&[self.checked.program.globals[global].name]),
        }
        self.end_address(access.place.offset);
    }

    /// The distance may be negative: `[%rd1+-4]` is what PTX wants.
    fn end_address(&mut self, distance: i64) {
        if distance != 0 {
            let _ = write!(self.text, "+{distance}");
        }
        self.add(&["]"]);
    }

    /// To narrow types: an `and` cuts and extends unsigned numbers in one, and `cvt.s32.s8` does so for signed ones.
    fn convert(&mut self, to: Ty, from: Ty, inst: &Inst<'_>) {
        let class = self.function.class(inst.dsts[0]);
        let source = inst.args[0].reg().map(|reg| self.function.class(reg));
        let is_short = source == Some(Class::B16);
        let is_narrow = matches!(to, Ty::U8 | Ty::S8 | Ty::U16 | Ty::S16);
        let (name, mask) = match to {
            _ if class == Class::B16 => ("cvt.u16.u32", ""),
            // What `asm` left in a register of 16 bits.
            Ty::S32 if is_short => ("cvt.s32.s16", ""),
            _ if is_short => ("cvt.u32.u16", ""),
            Ty::U8 => ("and.b32", ", 255"),
            Ty::U16 => ("and.b32", ", 65535"),
            Ty::S8 => ("cvt.s32.s8", ""),
            Ty::S16 => ("cvt.s32.s16", ""),
            _ => {
                let parts = ["\tcvt", rounding(to, from), ".", suffix(to), ".", suffix(from), " \t"];
                return self.simple(&parts, inst);
            }
        };
        // From 64 bits it takes two steps.
        let is_wide = is_narrow && from.size() == 8 && !is_short && class != Class::B16;
        if is_wide {
            self.simple(&["\tcvt.u32.u64 \t"], inst);
        }
        self.add(&["\t", name, " \t"]);
        if is_wide {
            self.reg(inst.dsts[0]);
            self.add(&[", "]);
            self.reg(inst.dsts[0]);
        } else {
            self.operands(inst);
        }
        self.add(&[mask, ";\n"]);
    }

    /// Operands are put in for `%0` and the like ([`percent`]). Blanks around lines and a last `;` are made uniform.
    fn ptx(&mut self, ptx: &Ptx<'_>, inst: &Inst<'_>) {
        if let Some(call) = ptx.text.strip_prefix("vprintf ") {
            self.vprintf(call, inst);
            return;
        }
        let start = self.text.len();
        let mut rest = ptx.text;
        while let Some(at) = rest.find('%') {
            self.add(&[&rest[..at]]);
            let what;
            (what, rest) = percent(&rest[at + 1..]);
            let (Percent::Operand(number) | Percent::Space(number) | Percent::Base(number)) = what else {
                self.add(&["%"]);
                continue;
            };
            match ptx.operands.get(number) {
                Some(PtxOperand::Argument(at)) => match (what, ptx.addresses[*at]) {
                    (Percent::Space(_), _) => self.add(&[self.function.space(inst.args[*at]).suffix()]),
                    (Percent::Operand(_), Some(distance)) => {
                        self.add(&["["]);
                        self.operand(inst.args[*at]);
                        self.end_address(distance);
                    }
                    _ => self.operand(inst.args[*at]),
                },
                Some(PtxOperand::Result(at)) => self.reg(inst.dsts[*at]),
                None => {}
            }
        }
        self.add(&[rest]);
        let text = self.text.split_off(start);
        let text = text.trim().trim_end_matches(';');
        if text.is_empty() {
            return;
        }
        // A block in braces ends without a semicolon.
        let is_block = text.ends_with('}') && text.starts_with('{');
        let end = if is_block { "" } else { ";" };
        for line in text.lines() {
            self.add(&["\t", line.trim(), "\n"]);
        }
        self.text.pop();
        self.add(&[end, "\n"]);
    }

    /// The call of the system's function that prints. A block of its own, because the parameters of a call have names
    /// (PTX ISA, `call`).
    fn vprintf(&mut self, call: &str, inst: &Inst<'_>) {
        let text = call.split(' ').nth(1).unwrap_or("$str0");
        // Registers are numbered in this order, whatever the order of the text.
        self.number(inst.dsts[0]);
        self.strings += 1;
        let nth = self.strings;
        let _ = write!(
            self.text,
            "\t{{\n\t\t.reg .b64 \t%text{nth};\n\t\tmov.u64 \t%text{nth}, {text};\n\
             \t\tcvta.global.u64 \t%text{nth}, %text{nth};\n\t\t.param .b64 param0;\n\
             \t\tst.param.b64 \t[param0+0], %text{nth};\n\t\t.param .b64 param1;\n\
             \t\tst.param.b64 \t[param1+0], "
        );
        self.operand(inst.args[0]);
        self.add(&[
            ";\n\t\t.param .b32 retval0;\n\t\tcall.uni (retval0), vprintf, (param0, param1);\n\t\tld.param.b32 \t",
        ]);
        self.reg(inst.dsts[0]);
        self.add(&[", [retval0+0];\n\t}\n"]);
    }
}

/// The name of a kernel's local memory, less the number of the kernel.
pub(super) const LOCAL: &str = "__local_depot";

/// The type of an instruction that depends on the sign. Narrow ones are computed in 32 bits.
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

/// The type of an instruction that looks at bits only.
fn bits(ty: Ty) -> &'static str {
    match ty {
        Ty::Pred => "pred",
        Ty::U64 | Ty::S64 => "b64",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        _ => "b32",
    }
}

/// The type of an access, whose register may be wider than it (PTX ISA, section 9.4.1).
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

/// Division of floats is rounded correctly (`.rn`), as nvcc does by default (`-prec-div=true`).
fn arithmetic(arith: Arith, ty: Ty) -> [&'static str; 2] {
    let is_float = ty.is_float();
    let Arith::Binary(op) = arith else {
        let name = match arith {
            Arith::Min => "min.",
            Arith::Max => "max.",
            _ => "mul.hi.",
        };
        return [name, suffix(ty)];
    };
    match op {
        Binary::Add => ["add.", signed(ty)],
        Binary::Sub => ["sub.", signed(ty)],
        Binary::Mul if is_float => ["mul.", suffix(ty)],
        Binary::Mul => ["mul.lo.", signed(ty)],
        Binary::Div if is_float => ["div.rn.", suffix(ty)],
        Binary::Div => ["div.", suffix(ty)],
        Binary::Rem => ["rem.", suffix(ty)],
        Binary::And => ["and.", bits(ty)],
        Binary::Or => ["or.", bits(ty)],
        Binary::Xor => ["xor.", bits(ty)],
        // To the left the sign does not matter, to the right it does.
        Binary::Shl => ["shl.", bits(ty)],
        Binary::Shr => ["shr.", suffix(ty)],
    }
}

/// Sums and products of integers do not depend on the sign. NVIDIA's compiler writes `s32` for both.
fn signed(ty: Ty) -> &'static str {
    match suffix(ty) {
        "u32" => "s32",
        "u64" => "s64",
        other => other,
    }
}

fn unary_name(unary: Unary, ty: Ty) -> [&'static str; 2] {
    match unary {
        Unary::Neg => ["neg.", signed(ty)],
        Unary::Abs => ["abs.", signed(ty)],
        Unary::Not => ["not.", bits(ty)],
        Unary::Popc => ["popc.", bits(ty)],
        Unary::Clz => ["clz.", bits(ty)],
        Unary::Brev => ["brev.", bits(ty)],
    }
}

/// A comparison with NaN is false, except that `!=` is true. PTX has ordered comparisons, and unordered ones (`neu`),
/// which are true if a number is NaN.
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

/// How a conversion rounds. To fewer digits to the nearest, to an integer towards zero ([conv.fpint]).
fn rounding(to: Ty, from: Ty) -> &'static str {
    match (to.is_float(), from.is_float()) {
        (true, true) if to.size() < from.size() => ".rn",
        (true, false) => ".rn",
        (false, true) => ".rzi",
        _ => "",
    }
}
