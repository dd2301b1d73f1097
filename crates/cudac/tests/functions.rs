//! The functions that PTX has no instruction for, on many arguments: how far each is from what Rust's library computes in
//! double precision, beside the error that the CUDA C++ Programming Guide documents (in units of the last place).

use simt::{Checks, Emulator, Launch, Limits};
use test_support::Random;

/// Arguments in one run.
const COUNT: usize = 4096;

type Reference = fn(f64, f64) -> f64;

/// Evaluates an expression of `x` and `y` for all arguments; `T` is `float` or `double`.
fn evaluate(expression: &str, is_double: bool, arguments: &[(f64, f64)]) -> Vec<f64> {
    let ty = if is_double { "double" } else { "float" };
    let text = format!(
        "extern \"C\" __global__ void kernel({ty}* r, const {ty}* a, const {ty}* b) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x; {ty} x = a[i], y = b[i]; r[i] = {expression}; }}"
    );
    let source = cudac::Source { name: "kernel.cu", text: &text };
    let output =
        cudac::compile(&source, &cudac::Options::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", &output.ptx).unwrap();
    let width = if is_double { 8 } else { 4 };
    let buffers = ["r", "a", "b"].map(|name| emulator.alloc(name, (COUNT * width) as u64).unwrap());
    for (nth, buffer) in buffers[1..].iter().enumerate() {
        let bytes = emulator.write(*buffer).unwrap();
        for (bytes, (x, y)) in bytes.chunks_exact_mut(width).zip(arguments) {
            let value = if nth == 0 { *x } else { *y };
            if is_double {
                bytes.copy_from_slice(&value.to_le_bytes());
            } else {
                bytes.copy_from_slice(&(value as f32).to_le_bytes());
            }
        }
    }
    let mut launch = Launch::new(COUNT as u32 / 128, 128);
    for buffer in &buffers {
        launch = launch.arg(buffer.address());
    }
    launch.checks = Checks::NONE;
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    assert!(report.faults.is_empty(), "{expression}: {:?}", report.faults);
    let bytes = emulator.read(buffers[0]).unwrap();
    let read = |bytes: &[u8]| match width {
        8 => f64::from_le_bytes(bytes.try_into().unwrap()),
        _ => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
    };
    bytes.chunks_exact(width).map(read).collect()
}

/// Where arguments come from: evenly between two numbers, or evenly in the exponent with both signs.
#[derive(Clone, Copy)]
enum From {
    Between(f64, f64),
    Exponents(i32, i32),
    Positive(i32, i32),
}

fn draw(from: From, random: &mut Random) -> f64 {
    match from {
        From::Between(low, high) => low + (high - low) * random.unit(),
        From::Exponents(low, high) | From::Positive(low, high) => {
            let size = (f64::from(low) + f64::from(high - low) * random.unit()).exp2();
            if matches!(from, From::Exponents(..)) && random.unit() < 0.5 { -size } else { size }
        }
    }
}

/// The distance from one float to the next at a value.
fn unit(value: f64, is_double: bool) -> f64 {
    if is_double {
        let size = value.abs();
        return f64::from_bits(size.to_bits() + 1) - size;
    }
    let size = (value as f32).abs();
    f64::from(f32::from_bits(size.to_bits() + 1)) - f64::from(size)
}

/// A function: how it is called, how many units it may be off, what it computes, and of what.
type Function = (&'static str, f64, Reference, &'static [From]);

/// What is wrong with a function, if anything is.
fn check(function: &Function, is_double: bool, seed: u64) -> Option<String> {
    let (expression, units, reference, from) = *function;
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9) ^ expression.len() as u64);
    let round = |value: f64| if is_double { value } else { f64::from(value as f32) };
    let mut worst = (0.0, (0.0, 0.0), 0.0);
    for from in from {
        let arguments: Vec<(f64, f64)> =
            (0..COUNT).map(|_| (round(draw(*from, &mut random)), round(draw(*from, &mut random)))).collect();
        for (found, (x, y)) in evaluate(expression, is_double, &arguments).into_iter().zip(&arguments) {
            let wanted = reference(*x, *y);
            let rounded = round(wanted);
            if found.total_cmp(&rounded).is_eq() || found.is_nan() && wanted.is_nan() {
                continue;
            }
            let error = (found - wanted).abs() / unit(rounded, is_double);
            if error.is_nan() || error > worst.0 {
                worst = (error, (*x, *y), found);
            }
        }
    }
    let (error, at, found) = worst;
    // What Rust's library returns for a double may itself be one unit off.
    let allowed = if is_double { units + 1.0 } else { units };
    println!("{expression}: {error:.2} of {units}");
    (error.is_nan() || error > allowed).then(|| {
        format!(
            "`{expression}` is {error:.2} units off, and {units} are allowed: {found:e} at {at:?}, not {:e}",
            reference(at.0, at.1)
        )
    })
}

/// The IEEE remainder: what is left after the nearest multiple, the even one of two.
fn remainder(x: f64, y: f64) -> f64 {
    let rest = x % y;
    let (size, half) = (rest.abs(), y.abs() / 2.0);
    let is_odd = (x.abs() % (2.0 * y.abs())) >= y.abs();
    let goes_up = size > half || size >= half && is_odd;
    if goes_up { rest - y.abs().copysign(rest) } else { rest }
}

/// The hyperbolic tangent, for which some libraries are two units off.
fn tanh(x: f64) -> f64 {
    let t = (2.0 * x.abs()).exp_m1();
    if t > 6.0 {
        return (1.0 - 2.0 / (t + 2.0)).copysign(x);
    }
    let sum = t + 2.0;
    let low = if t < 2.0 { t - (sum - 2.0) } else { 2.0 - (sum - t) };
    let quotient = t / sum;
    (quotient + (quotient.mul_add(-sum, t) - quotient * low) / sum).copysign(x)
}

/// A number of half turns without whole turns, from -1 to 1.
fn turned(x: f64) -> f64 {
    x - 2.0 * (x / 2.0).round()
}

/// The sine of a number of half turns, which is zero for whole ones.
fn sinpi(x: f64) -> f64 {
    let x = turned(x);
    let near = if x.abs() > 0.5 { 1.0_f64.copysign(x) - x } else { x };
    (near * std::f64::consts::PI).sin()
}

/// The error function, by its Taylor series where that converges fast.
fn erf(x: f64) -> f64 {
    if x.abs() > 2.0 {
        return (1.0 - erfc(x.abs())).copysign(x);
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..60 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

/// What is missing from the error function to 1, by a continued fraction where the difference would cancel.
fn erfc(x: f64) -> f64 {
    if x < 2.0 {
        return if x < -2.0 { 2.0 - erfc(-x) } else { 1.0 - erf(x) };
    }
    let fraction = (1..200).rev().fold(0.0, |below, n| f64::from(n) / 2.0 / (x + below));
    (-x * x).exp() / (x + fraction) * std::f64::consts::FRAC_2_SQRT_PI / 2.0
}

const NEAR: &[From] = &[From::Between(-8.0, 8.0), From::Exponents(-30, 6)];
const WIDE: &[From] = &[From::Between(-100.0, 100.0), From::Exponents(-60, 127)];
const UNIT: &[From] = &[From::Between(-1.0, 1.0), From::Exponents(-30, 0)];
const POSITIVE: &[From] = &[From::Between(0.0, 4.0), From::Positive(-126, 127)];
const FAR: &[From] = &[From::Between(-100.0, 100.0), From::Exponents(-60, 1000)];

const FLOATS: &[Function] = &[
    ("expf(x)", 1.0, |x, _| x.exp(), WIDE),
    ("exp10f(x)", 2.0, |x, _| 10f64.powf(x), NEAR),
    ("expm1f(x)", 1.0, |x, _| x.exp_m1(), NEAR),
    ("logf(x)", 1.0, |x, _| x.ln(), POSITIVE),
    ("log2f(x)", 1.0, |x, _| x.log2(), POSITIVE),
    ("log10f(x)", 2.0, |x, _| x.log10(), POSITIVE),
    ("log1pf(x)", 1.0, |x, _| x.ln_1p(), UNIT),
    ("powf(x, y)", 4.0, f64::powf, POSITIVE),
    ("powf(x, y)", 4.0, f64::powf, NEAR),
    ("sinf(x)", 2.0, |x, _| x.sin(), WIDE),
    ("cosf(x)", 2.0, |x, _| x.cos(), WIDE),
    ("tanf(x)", 4.0, |x, _| x.tan(), WIDE),
    ("asinf(x)", 2.0, |x, _| x.asin(), UNIT),
    ("acosf(x)", 2.0, |x, _| x.acos(), UNIT),
    ("atanf(x)", 2.0, |x, _| x.atan(), WIDE),
    ("atan2f(x, y)", 3.0, f64::atan2, WIDE),
    ("sinhf(x)", 3.0, |x, _| x.sinh(), WIDE),
    ("coshf(x)", 2.0, |x, _| x.cosh(), WIDE),
    ("tanhf(x)", 2.0, |x, _| x.tanh(), WIDE),
    ("asinhf(x)", 3.0, |x, _| x.asinh(), NEAR),
    ("atanhf(x)", 3.0, |x, _| x.atanh(), UNIT),
    ("acoshf(1.0f + fabsf(x))", 4.0, |x, _| f64::from(1.0 + x.abs() as f32).acosh(), NEAR),
    ("sinpif(x)", 1.0, |x, _| sinpi(x), NEAR),
    ("cospif(x)", 1.0, |x, _| sinpi(0.5 - turned(x).abs()), NEAR),
    ("erff(x)", 2.0, |x, _| erf(x), NEAR),
    ("erfcf(x)", 4.0, |x, _| erfc(x), NEAR),
    ("normcdff(x)", 5.0, |x, _| erfc(-x * std::f64::consts::FRAC_1_SQRT_2) / 2.0, NEAR),
    ("exp2f(x)", 2.0, |x, _| x.exp2(), WIDE),
    ("rsqrtf(x)", 2.0, |x, _| 1.0 / x.sqrt(), POSITIVE),
    ("sqrtf(x)", 0.0, |x, _| x.sqrt(), POSITIVE),
    ("norm3df(x, y, 1.0f)", 3.0, |x, y| (x * x + y * y + 1.0).sqrt(), NEAR),
    ("rnorm3df(x, y, 1.0f)", 2.0, |x, y| 1.0 / (x * x + y * y + 1.0).sqrt(), NEAR),
    ("remainderf(x, y)", 0.0, remainder, NEAR),
    ("truncf(x)", 0.0, |x, _| x.trunc(), WIDE),
    ("ceilf(x)", 0.0, |x, _| x.ceil(), WIDE),
    ("floorf(x)", 0.0, |x, _| x.floor(), WIDE),
    ("rintf(x)", 0.0, |x, _| x.round_ties_even(), WIDE),
    ("fdimf(x, y)", 0.0, |x, y| f64::from(if x > y { x as f32 - y as f32 } else { 0.0 }), NEAR),
    ("cbrtf(x)", 1.0, |x, _| x.cbrt(), WIDE),
    ("hypotf(x, y)", 3.0, f64::hypot, NEAR),
    ("fmodf(x, y)", 0.0, |x, y| x % y, WIDE),
    ("ldexpf(x, 5)", 0.0, |x, _| x * 32.0, NEAR),
    ("roundf(x)", 0.0, |x, _| x.round(), WIDE),
    ("[&] { float s, c; sincosf(x, &s, &c); return s; }()", 2.0, |x, _| x.sin(), WIDE),
    ("[&] { float s, c; sincosf(x, &s, &c); return c; }()", 2.0, |x, _| x.cos(), WIDE),
    (
        "[&] { float s, c; __sincosf(x, &s, &c); return s - __sinf(x) + (c - __cosf(x)); }()",
        0.0,
        |_, _| 0.0,
        NEAR,
    ),
    ("[&] { float w; return modff(x, &w); }()", 0.0, |x, _| x.fract(), NEAR),
    ("[&] { float w; modff(x, &w); return w; }()", 0.0, |x, _| x.trunc(), NEAR),
    ("copysignf(x, y)", 0.0, f64::copysign, NEAR),
    ("scalbnf(x, -3)", 0.0, |x, _| x / 8.0, NEAR),
    ("lroundf(x * 8.0f) / 8.0f", 0.0, |x, _| (x * 8.0).round() / 8.0, NEAR),
    ("llroundf(x * 8.0f) / 8.0f", 0.0, |x, _| (x * 8.0).round() / 8.0, NEAR),
    ("lrintf(x * 8.0f) / 8.0f", 0.0, |x, _| (x * 8.0).round_ties_even() / 8.0, NEAR),
    ("llrintf(x * 8.0f) / 8.0f", 0.0, |x, _| (x * 8.0).round_ties_even() / 8.0, NEAR),
];

const DOUBLES: &[Function] = &[
    ("exp(x)", 1.0, |x, _| x.exp(), &[From::Between(-740.0, 740.0), From::Exponents(-60, 3)]),
    ("exp2(x)", 1.0, |x, _| x.exp2(), &[From::Between(-1070.0, 1030.0), From::Exponents(-60, 3)]),
    ("expm1(x)", 1.0, |x, _| x.exp_m1(), NEAR),
    ("exp10(x)", 1.0, |x, _| 10f64.powf(x), &[From::Between(-2.0, 2.0)]),
    ("remainder(x, y)", 0.0, remainder, NEAR),
    ("sqrt(x)", 0.0, |x, _| x.sqrt(), POSITIVE),
    ("log(x)", 1.0, |x, _| x.ln(), POSITIVE),
    ("log2(x)", 1.0, |x, _| x.log2(), POSITIVE),
    ("log10(x)", 1.0, |x, _| x.log10(), POSITIVE),
    ("log1p(x)", 1.0, |x, _| x.ln_1p(), UNIT),
    ("pow(x, y)", 2.0, f64::powf, &[From::Between(0.0, 40.0), From::Positive(-10, 8)]),
    ("sin(x)", 2.0, |x, _| x.sin(), FAR),
    ("cos(x)", 2.0, |x, _| x.cos(), FAR),
    ("tan(x)", 2.0, |x, _| x.tan(), FAR),
    ("asin(x)", 2.0, |x, _| x.asin(), UNIT),
    ("acos(x)", 2.0, |x, _| x.acos(), UNIT),
    ("atan(x)", 2.0, |x, _| x.atan(), FAR),
    ("atan2(x, y)", 2.0, f64::atan2, WIDE),
    ("sinh(x)", 2.0, |x, _| x.sinh(), NEAR),
    ("cosh(x)", 1.0, |x, _| x.cosh(), NEAR),
    ("tanh(x)", 1.0, |x, _| tanh(x), NEAR),
    ("cbrt(x)", 1.0, |x, _| x.cbrt(), FAR),
    ("hypot(x, y)", 2.0, f64::hypot, FAR),
    ("rsqrt(x)", 1.0, |x, _| 1.0 / x.sqrt(), POSITIVE),
    ("fmod(x, y)", 0.0, |x, y| x % y, FAR),
    ("[&] { double s, c; sincos(x, &s, &c); return s; }()", 2.0, |x, _| x.sin(), FAR),
    ("[&] { double s, c; sincos(x, &s, &c); return c; }()", 2.0, |x, _| x.cos(), FAR),
    ("[&] { double w; return modf(x, &w); }()", 0.0, |x, _| x.fract(), NEAR),
    ("[&] { double w; modf(x, &w); return w; }()", 0.0, |x, _| x.trunc(), NEAR),
    ("copysign(x, y)", 0.0, f64::copysign, NEAR),
    ("fdim(x, y)", 0.0, |x, y| if x > y { x - y } else { 0.0 }, NEAR),
    ("ldexp(x, 5)", 0.0, |x, _| x * 32.0, NEAR),
    ("scalbn(x, -3)", 0.0, |x, _| x / 8.0, NEAR),
    ("round(x)", 0.0, |x, _| x.round(), NEAR),
    ("lround(x * 8.0) / 8.0", 0.0, |x, _| (x * 8.0).round() / 8.0, NEAR),
    ("lrint(x * 8.0) / 8.0", 0.0, |x, _| (x * 8.0).round_ties_even() / 8.0, NEAR),
];

/// Functions of the header that compute no number: `special_values` and `groups.rs` have them.
const ELSEWHERE: [&str; 4] = ["isfinite", "memcpy", "memset", "signbit"];

#[test]
fn every_function_of_the_header_is_measured() {
    let all: Vec<_> = FLOATS.iter().chain(DOUBLES).map(|(expression, ..)| *expression).collect();
    let is_measured = |name: &str| {
        let call = format!("{name}(");
        all.iter().any(|expression| expression.starts_with(&call) || expression.contains(&format!(" {call}")))
    };
    let text = include_str!("../src/headers/functions.cuh");
    let names = text.lines().filter_map(|line| line.strip_prefix("//: ")).flat_map(str::split_whitespace);
    let names: Vec<_> = names.filter(|name| !name.starts_with("__own_")).collect();
    assert!(names.len() > 70, "{names:?}");
    for name in names {
        assert!(is_measured(name) != ELSEWHERE.contains(&name), "`{name}` has no bound in this test, or two");
    }
}

fn failures(functions: &[Function], is_double: bool) -> Vec<String> {
    let all: Vec<_> =
        test_support::seeds(1).flat_map(|seed| functions.iter().map(move |own| (own, seed))).collect();
    let checked = test_support::side_by_side(&all, |(function, seed)| check(function, is_double, *seed));
    checked.into_iter().flatten().collect()
}

#[test]
fn floats_are_within_the_documented_error() {
    let failed = failures(FLOATS, false);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn doubles_are_within_the_documented_error() {
    let failed = failures(DOUBLES, true);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What the standard says of zeros, infinities and the rest.
#[test]
fn special_values() {
    let cases: &[(&str, f64, f64, f64)] = &[
        ("exp(x)", f64::NEG_INFINITY, 0.0, 0.0),
        ("exp(x)", 1000.0, 0.0, f64::INFINITY),
        ("log(x)", 0.0, 0.0, f64::NEG_INFINITY),
        ("log(x)", -1.0, 0.0, f64::NAN),
        ("log2(x)", 1024.0, 0.0, 10.0),
        ("log10(x)", 1000.0, 0.0, 3.0),
        ("pow(x, y)", -2.0, 3.0, -8.0),
        ("pow(x, y)", -2.0, 0.5, f64::NAN),
        ("pow(x, y)", 0.0, -1.0, f64::INFINITY),
        ("pow(x, y)", -0.0, 3.0, -0.0),
        ("pow(x, y)", f64::NAN, 0.0, 1.0),
        ("pow(x, y)", 10.0, 15.0, 1e15),
        ("sin(x)", f64::INFINITY, 0.0, f64::NAN),
        ("sin(x)", -0.0, 0.0, -0.0),
        ("atan2(x, y)", 0.0, -1.0, std::f64::consts::PI),
        ("atan2(x, y)", -0.0, -1.0, -std::f64::consts::PI),
        ("fmod(x, y)", 5.0, f64::INFINITY, 5.0),
        ("fmod(x, y)", 5.0, 0.0, f64::NAN),
        ("fmod(x, y)", -6.0, 3.0, -0.0),
        ("remainder(x, y)", 5.0, 2.0, 1.0),
        ("remainder(x, y)", 7.0, 2.0, -1.0),
        ("remainder(x, y)", 3.0, 2.0, -1.0),
        ("tanh(x)", f64::NEG_INFINITY, 0.0, -1.0),
        ("cbrt(x)", -27.0, 0.0, -3.0),
        ("erff(x)", 0.5, 0.0, 0.520_499_877_813_046_5),
        ("erfcf(x)", 4.0, 0.0, 1.541_725_790_028_002e-8),
        ("normcdff(x)", 1.0, 0.0, 0.841_344_746_068_542_9),
        ("round(x)", -2.5, 0.0, -3.0),
        ("isfinite(x) + 2 * signbit(x)", -1.0, 0.0, 3.0),
        ("isfinite(x) + 2 * signbit(x)", f64::INFINITY, 0.0, 0.0),
        ("isfinite(x) + 2 * signbit(x)", -f64::NAN, 0.0, 2.0),
        ("isfinite(x) + 2 * signbit(x)", -0.0, 0.0, 3.0),
    ];
    for (expression, x, y, wanted) in cases {
        let is_double = !expression.contains("f(");
        let found = evaluate(expression, is_double, &vec![(*x, *y); COUNT])[0];
        let wanted = if is_double { *wanted } else { f64::from(*wanted as f32) };
        let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
        assert!(same, "`{expression}` at {x} and {y}: {found:e}, not {wanted:e}");
    }
}
