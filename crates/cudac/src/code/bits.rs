//! Floating-point numbers whose bits an atomic minimum or maximum compares as integers.
//!
//! *What is found.* Each such instruction whose value is a copy of a float's bits, and its line.
//!
//! *What is left out.* Absolute values, and bits that anything but copies has gone through. Where no number is negative, the
//! comparison is right; therefore nobody is told unless the program turns out to fail.
//!
//! It works on optimised code, where a conversion such as `__float_as_int` is a copy between registers of different
//! classes, however many functions it went through. Only with the feature `host`: a program's result can be compared
//! with what it should be, a kernel's alone cannot.

use std::fmt;

use crate::source::line::Line;

use super::{Class, Function, Op, Operand, Reg, Unary};

/// The lines on which the bits of floats are compared as integers, and what to do about it.
pub(crate) fn find(function: &Function<'_>) -> Vec<(Line, String)> {
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    let mut found = Vec::new();
    for inst in insts() {
        let Op::Ptx(ptx) = inst.op else { continue };
        let Some(how) = Comparison::of(ptx.text) else { continue };
        // The address is no value that is compared.
        let values = inst.args.iter().zip(ptx.addresses).filter(|(_, address)| address.is_none());
        let mut values = values.filter_map(|(value, _)| value.reg());
        if values.any(|value| is_bits_of_float(function, value)) {
            let site = function.lines[inst.line as usize];
            found.push((Line::new(site.file, site.line), how.to_string()));
        }
    }
    found.dedup();
    found
}

/// Whether a register only ever holds the bits of a float that may be negative.
fn is_bits_of_float(function: &Function<'_>, mut reg: Reg) -> bool {
    // In a loop, copies may go round.
    for _ in 0..8 {
        let mut made =
            function.blocks.iter().flat_map(|block| &block.insts).filter(|inst| inst.dsts.contains(&reg));
        // A register that is written in several places may hold something else.
        let (Some(inst), None) = (made.next(), made.next()) else { return false };
        let (Op::Mov, [Operand::Reg(from)]) = (inst.op, &inst.args[..]) else {
            return matches!(function.class(reg), Class::F32 | Class::F64)
                && !matches!(inst.op, Op::Unary(Unary::Abs, _));
        };
        reg = *from;
    }
    false
}

/// How an atomic instruction compares.
struct Comparison {
    is_min: bool,
    is_signed: bool,
    bits: u32,
}

impl Comparison {
    /// What the PTX of an atomic minimum or maximum says. `atom.global.max.s32` and `red.shared.min.u64` have the
    /// operation before the type (PTX ISA, `atom`).
    fn of(text: &str) -> Option<Comparison> {
        let mut parts = text.split_whitespace().next()?.split('.');
        if !matches!(parts.next()?.trim_end_matches(|c| c != 'm' && c != 'd'), "atom" | "red") {
            return None;
        }
        let is_min = parts.find(|part| matches!(*part, "min" | "max"))? == "min";
        let (is_signed, bits) = match parts.next()? {
            "s32" => (true, 32),
            "u32" => (false, 32),
            "s64" => (true, 64),
            "u64" => (false, 64),
            _ => return None,
        };
        Some(Comparison { is_min, is_signed, bits })
    }
}

impl fmt::Display for Comparison {
    /// The help is the usual trick: an order of integers that agrees with that of floats.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let which = if self.is_min { "minimum" } else { "maximum" };
        let float = if self.bits == 64 { "double" } else { "float" };
        let sign = 1_u64 << (self.bits - 1);
        let rest = sign - 1;
        write!(f, "the atomic {which} compares the bits of `{float}`s as integers")?;
        if self.is_signed {
            write!(
                f,
                ", and of two negative numbers the lesser has the greater bits: pass `bits >= 0 ? bits : bits ^ {rest:#x}` \
                 in place of `bits`, and do the same with the result before it becomes a `{float}` again"
            )
        } else {
            write!(
                f,
                " without a sign, and those of negative numbers are the greatest: pass `bits < {sign:#x} ? bits | {sign:#x} \
                 : ~bits` in place of `bits`, and with the result do `bits < {sign:#x} ? ~bits : bits ^ {sign:#x}` before it \
                 becomes a `{float}` again"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Line, Options, Source, compile_program};

    /// What is suspicious in a kernel with this body.
    fn suspects(body: &str) -> Vec<(Line, String)> {
        let text = format!(
            "__device__ int bits_of(float x) {{ int bits = __float_as_int(x); return bits; }}\n\
             __device__ int ordered(float x) {{ int b = bits_of(x); return b >= 0 ? b : b ^ 0x7fffffff; }}\n\
             __global__ void kernel(int* i, unsigned* u, long long* l, float* f, double* d) {{\n{body}\n}}\n\
             int main() {{}}"
        );
        compile_program(&Source { name: "bits.cu", text: &text }, &Options::default()).unwrap().1.suspects
    }

    #[test]
    fn bits_that_are_compared_as_integers_are_found() {
        for (body, wanted) in [
            (
                "atomicMax(i, bits_of(f[1]));",
                "the atomic maximum compares the bits of `float`s as integers, and",
            ),
            ("atomicMin(i, __float_as_int(f[1] * 2));", "bits >= 0 ? bits : bits ^ 0x7fffffff"),
            ("atomicMax_block(u, __float_as_uint(f[1]));", "bits < 0x80000000 ? bits | 0x80000000 : ~bits"),
            ("__shared__ int s; atomicMax(&s, __float_as_int(f[0]));", "the atomic maximum"),
            (
                "atomicMin(l, __double_as_longlong(d[1] + 1));",
                "`double`s as integers, and of two negative numbers",
            ),
            (
                "asm(\"red.global.max.s32 [%0], %1;\" :: \"l\"(i), \"r\"(__float_as_int(f[2])) : \"memory\");",
                "the atomic maximum",
            ),
        ] {
            let found = suspects(body);
            let [(line, message)] = &found[..] else { panic!("{body}: {found:?}") };
            assert!(line.number() == 4 && message.contains(wanted), "{body}: {message}");
        }
    }

    #[test]
    fn other_minima_and_maxima_are_not() {
        for body in [
            "atomicMax(i, ordered(f[1]));",
            "atomicMax(i, (int)f[1]);",
            "atomicMax(i, __float_as_int(fabsf(f[1])));",
            "atomicAdd(i, __float_as_int(f[1]));",
            "atomicExch(f, f[1]);",
            "asm(\"red.global.max.s0 [%0], %1;\" :: \"l\"(i), \"r\"(__float_as_int(f[2])) : \"memory\");",
            "asm(\"red.global.max.u128 [%0], %1;\" :: \"l\"(i), \"r\"(__float_as_int(f[2])) : \"memory\");",
            "int v = 3; for (int n = 0; n < i[1]; n++) v = n > 5 ? __float_as_int(f[n]) : v + 1; atomicMax(i, v);",
        ] {
            assert_eq!(suspects(body), [], "{body}");
        }
    }
}
