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
use super::value::{alu, by_flag, by_type};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;
use exact::Rounding;
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

/// An `Alu` as [`alu!`] makes it, where `$f` may name the constant `$NAME`, which is the rounding named by `$text`. Kernels seldom
/// round in another way than to nearest, the default.
macro_rules! by_rounding {
    ($text:expr, $NAME:ident => $types:tt -> $d:ty, $f:expr) => {
        match $text {
            "rz" => by_rounding!(@as Zero, $NAME, alu!(rare $types -> $d, $f)),
            "rm" => by_rounding!(@as Down, $NAME, alu!(rare $types -> $d, $f)),
            "rp" => by_rounding!(@as Up, $NAME, alu!(rare $types -> $d, $f)),
            _ => by_rounding!(@as Nearest, $NAME, alu!($types -> $d, $f)),
        }
    };
    (@as $rounding:ident, $NAME:ident, $alu:expr) => {{
        const $NAME: Rounding = Rounding::$rounding;
        $alu
    }};
}

/// [`by_rounding!`] with `$MODE` a constant that holds the modifiers `.rnd` and `.ftz` in segments 1 and 2, and `.sat` in segment 3 where
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

/// An instruction that computes `$f(mode, operands…)`, with the modifiers of [`by_mode!`].
macro_rules! rounded_f32 {
    ($name:ident, $sat:tt, ($($x:ident: $ty:ty),*), $f:expr) => {
        fn $name(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
            o.alu(by_mode!(m, $sat, MODE => ($($ty),*) -> f32, |$($x),*| $f(MODE, $($x),*)))
        }
    };
}

rounded_f32!(add_f32, sat, (a: f32, b: f32), single::add);
rounded_f32!(sub_f32, sat, (a: f32, b: f32), single::sub);
rounded_f32!(mul_f32, sat, (a: f32, b: f32), single::mul);
rounded_f32!(fma_f32, sat, (a: f32, b: f32, c: f32), single::fma);
rounded_f32!(div_f32, false, (a: f32, b: f32), single::div);
rounded_f32!(rcp_f32, false, (a: f32), |mode, a| single::div(mode, 1.0, a));
rounded_f32!(sqrt_f32, false, (a: f32), single::sqrt);

/// An instruction that computes `$f(rounding, operands…)`, with the rounding in segment 1.
macro_rules! rounded_f64 {
    ($name:ident, ($($x:ident: $ty:ty),*), $f:expr) => {
        fn $name(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
            o.alu(by_rounding!(m.text(1), RND => ($($ty),*) -> f64, |$($x),*| $f(RND, $($x),*)))
        }
    };
}

rounded_f64!(add_f64, (a: f64, b: f64), double::add);
rounded_f64!(sub_f64, (a: f64, b: f64), double::sub);
rounded_f64!(mul_f64, (a: f64, b: f64), double::mul);
rounded_f64!(fma_f64, (a: f64, b: f64, c: f64), double::fma);
rounded_f64!(div_f64, (a: f64, b: f64), double::div);
rounded_f64!(rcp_f64, (a: f64), |rounding, a| double::div(rounding, 1.0, a));
rounded_f64!(sqrt_f64, (a: f64), double::sqrt);

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
    o.alu(by_type!(m.ty(2); [F32 => f32, F64 => f64], T => match m.text(1) {
        "finite" => alu!(rare (T) -> bool, T::is_finite),
        "infinite" => alu!(rare (T) -> bool, T::is_infinite),
        "number" => alu!(rare (T) -> bool, |a: T| !a.is_nan()),
        "notanumber" => alu!(rare (T) -> bool, T::is_nan),
        // The specification counts zeros as normal.
        "normal" => alu!(rare (T) -> bool, |a: T| a.is_normal() || a == 0.0),
        _ => alu!(rare (T) -> bool, T::is_subnormal),
    }))
}
