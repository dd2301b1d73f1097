//! Floating point of single and double precision: the instructions whose results are defined to the last bit.
//!
//! [`single`] and [`double`] contain the meaning of the instructions for one lane, and [`exact`] the arithmetic that
//! the host does not have natively. Approximations are in [`super::approx`], comparisons in [`super::compare`]. Left
//! out: `.f32x2` and the forms with three inputs of `min` and `max`, which are newer than `sm_90`, and `mad.f32`
//! without a rounding, which only `sm_1x` had.
//!
//! Specification: PTX ISA, section 9.7.3.

pub(super) mod double;
pub(super) mod exact;
#[cfg(test)]
pub(super) mod model;
pub(super) mod single;
#[cfg(test)]
mod tests;

use super::grammar::Modifiers;
use super::operands::Operands;
use super::value::alu;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;
use single::{Mode, Pick};

/// Floating point.
pub const FAMILY: Family = Family {
    title: "Floating point",
    section: "9.7.3",
    forms: &[
        Form::new("testp.(finite|infinite|number|notanumber|normal|subnormal).(f32|f64)", testp),
        Form::new("copysign.f32", |_, o| o.alu(alu!((f32, f32) -> f32, |a, b| b.copysign(a)))),
        Form::new("copysign.f64", |_, o| o.alu(alu!((f64, f64) -> f64, |a, b| b.copysign(a)))),
        Form::new("add.(rn|rz|rm|rp)?.ftz?.sat?.f32", add_f32),
        Form::new("add.(rn|rz|rm|rp)?.f64", add_f64),
        Form::new("sub.(rn|rz|rm|rp)?.ftz?.sat?.f32", sub_f32),
        Form::new("sub.(rn|rz|rm|rp)?.f64", sub_f64),
        Form::new("mul.(rn|rz|rm|rp)?.ftz?.sat?.f32", mul_f32),
        Form::new("mul.(rn|rz|rm|rp)?.f64", mul_f64),
        Form::new("fma.(rn|rz|rm|rp).ftz?.sat?.f32", fma_f32),
        Form::new("fma.(rn|rz|rm|rp).f64", fma_f64),
        Form::new("mad.(rn|rz|rm|rp).ftz?.sat?.f32", fma_f32),
        Form::new("mad.(rn|rz|rm|rp).f64", fma_f64),
        Form::new("div.(rn|rz|rm|rp).ftz?.f32", div_f32),
        Form::new("div.(rn|rz|rm|rp).f64", div_f64),
        Form::new("abs.ftz?.f32", abs_f32),
        Form::new("abs.f64", |_, o| o.alu(alu!((f64) -> f64, |a| double::unary(a, f64::abs)))),
        Form::new("neg.ftz?.f32", neg_f32),
        Form::new("neg.f64", |_, o| o.alu(alu!((f64) -> f64, |a| double::unary(a, |a| -a)))),
        Form::new("min.ftz?.f32", min_f32),
        Form::new("max.ftz?.f32", max_f32),
        Form::new("min.ftz?.NaN.f32", min_f32).since(80),
        Form::new("max.ftz?.NaN.f32", max_f32).since(80),
        Form::new("min.ftz?.NaN?.xorsign.abs.f32", min_xorsign_f32).since(86),
        Form::new("max.ftz?.NaN?.xorsign.abs.f32", max_xorsign_f32).since(86),
        Form::new("min.f64", |_, o| o.alu(alu!((f64, f64) -> f64, |a, b| double::pick(false, a, b)))),
        Form::new("max.f64", |_, o| o.alu(alu!((f64, f64) -> f64, |a, b| double::pick(true, a, b)))),
        Form::new("rcp.(rn|rz|rm|rp).ftz?.f32", rcp_f32),
        Form::new("rcp.(rn|rz|rm|rp).f64", rcp_f64),
        Form::new("sqrt.(rn|rz|rm|rp).ftz?.f32", sqrt_f32),
        Form::new("sqrt.(rn|rz|rm|rp).f64", sqrt_f64),
    ],
};

/// An [`Alu`] as [`alu!`] makes it, where `$f` may name the constant `$NAME`, which is the rounding named by `$text`. Kernels seldom
/// round in another way than to nearest, the default.
macro_rules! by_rounding {
    ($text:expr, $NAME:ident => $types:tt -> $d:ty, $f:expr) => {{
        use $crate::isa::float::exact::Rounding;
        match $text {
            "rz" => {
                const $NAME: Rounding = Rounding::Zero;
                by_rounding!(@rare $types -> $d, $f)
            }
            "rm" => {
                const $NAME: Rounding = Rounding::Down;
                by_rounding!(@rare $types -> $d, $f)
            }
            "rp" => {
                const $NAME: Rounding = Rounding::Up;
                by_rounding!(@rare $types -> $d, $f)
            }
            _ => {
                const $NAME: Rounding = Rounding::Nearest;
                by_rounding!(@often $types -> $d, $f)
            }
        }
    }};
    (@rare ($($source:ty),*) -> $d:ty, $f:expr) => { alu!(rare ($($source),*) -> $d, $f) };
    (@often ($($source:ty),*) -> $d:ty, $f:expr) => { alu!(($($source),*) -> $d, $f) };
}

/// Evaluates `$body` with `$NAME` a constant that equals `$flag`.
macro_rules! by_flag {
    ($flag:expr, $NAME:ident => $body:expr) => {
        if $flag {
            const $NAME: bool = true;
            $body
        } else {
            const $NAME: bool = false;
            $body
        }
    };
}
pub(super) use by_flag;

/// The same with `$MODE` a constant that holds the modifiers `.rnd` and `.ftz` in segments 1 and 2, and `.sat` in segment 3 where
/// `$m` has one.
macro_rules! by_mode {
    ($m:expr, sat, $MODE:ident => $types:tt -> $d:ty, $f:expr) => {
        by_flag!($m.has(3), SAT => by_mode!($m, SAT, $MODE => $types -> $d, $f))
    };
    ($m:expr, $SAT:expr, $MODE:ident => $types:tt -> $d:ty, $f:expr) => {
        by_flag!($m.has(2), FTZ => by_rounding!($m.text(1), RND => $types -> $d, {
            const $MODE: Mode = Mode { rounding: RND, ftz: FTZ, sat: $SAT };
            $f
        }))
    };
}

fn add_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_mode!(m, sat, MODE => (f32, f32) -> f32, |a, b| single::add(MODE, a, b)))
}

fn sub_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_mode!(m, sat, MODE => (f32, f32) -> f32, |a, b| single::sub(MODE, a, b)))
}

fn mul_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_mode!(m, sat, MODE => (f32, f32) -> f32, |a, b| single::mul(MODE, a, b)))
}

fn fma_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_mode!(m, sat, MODE => (f32, f32, f32) -> f32, |a, b, c| single::fma(MODE, a, b, c)))
}

fn div_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_mode!(m, false, MODE => (f32, f32) -> f32, |a, b| single::div(MODE, a, b)))
}

fn rcp_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_mode!(m, false, MODE => (f32) -> f32, |a| single::div(MODE, 1.0, a)))
}

fn sqrt_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_mode!(m, false, MODE => (f32) -> f32, |a| single::sqrt(MODE, a)))
}

fn add_f64(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_rounding!(m.text(1), RND => (f64, f64) -> f64, |a, b| double::add(RND, a, b)))
}

fn sub_f64(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_rounding!(m.text(1), RND => (f64, f64) -> f64, |a, b| double::sub(RND, a, b)))
}

fn mul_f64(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_rounding!(m.text(1), RND => (f64, f64) -> f64, |a, b| double::mul(RND, a, b)))
}

fn fma_f64(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_rounding!(m.text(1), RND => (f64, f64, f64) -> f64, |a, b, c| double::fma(RND, a, b, c)))
}

fn div_f64(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_rounding!(m.text(1), RND => (f64, f64) -> f64, |a, b| double::div(RND, a, b)))
}

fn rcp_f64(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_rounding!(m.text(1), RND => (f64) -> f64, |a| double::div(RND, 1.0, a)))
}

fn sqrt_f64(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_rounding!(m.text(1), RND => (f64) -> f64, |a| double::sqrt(RND, a)))
}

fn abs_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_flag!(m.has(1), FTZ => alu!((f32) -> f32, |a| single::unary(FTZ, a, f32::abs))))
}

fn neg_f32(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_flag!(m.has(1), FTZ => alu!((f32) -> f32, |a| single::unary(FTZ, a, |a| -a))))
}

/// `min` and `max` with an optional `.ftz` in segment 1, and `.NaN` or something else in segment 2.
macro_rules! pick_f32 {
    ($name:ident, max: $max:expr, xorsign: $xorsign:expr) => {
        fn $name(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
            o.alu(by_flag!(m.has(1), FTZ => by_flag!(m.text(2) == "NaN", NAN => {
                const PICK: Pick = Pick { ftz: FTZ, nan: NAN, xorsign: $xorsign, max: $max };
                alu!((f32, f32) -> f32, |a, b| single::pick(PICK, a, b))
            })))
        }
    };
}

pick_f32!(min_f32, max: false, xorsign: false);
pick_f32!(max_f32, max: true, xorsign: false);
pick_f32!(min_xorsign_f32, max: false, xorsign: true);
pick_f32!(max_xorsign_f32, max: true, xorsign: true);

fn testp(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match (m.text(1), m.text(2)) {
        ("finite", "f32") => alu!(rare (f32) -> bool, f32::is_finite),
        ("finite", _) => alu!(rare (f64) -> bool, f64::is_finite),
        ("infinite", "f32") => alu!(rare (f32) -> bool, f32::is_infinite),
        ("infinite", _) => alu!(rare (f64) -> bool, f64::is_infinite),
        ("number", "f32") => alu!(rare (f32) -> bool, |a: f32| !a.is_nan()),
        ("number", _) => alu!(rare (f64) -> bool, |a: f64| !a.is_nan()),
        ("notanumber", "f32") => alu!(rare (f32) -> bool, f32::is_nan),
        ("notanumber", _) => alu!(rare (f64) -> bool, f64::is_nan),
        // The specification counts zeros as normal.
        ("normal", "f32") => alu!(rare (f32) -> bool, |a: f32| a.is_normal() || a == 0.0),
        ("normal", _) => alu!(rare (f64) -> bool, |a: f64| a.is_normal() || a == 0.0),
        (_, "f32") => alu!(rare (f32) -> bool, f32::is_subnormal),
        _ => alu!(rare (f64) -> bool, f64::is_subnormal),
    })
}
