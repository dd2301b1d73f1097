//! Compares the memory that a kernel left with the expected contents.

use spec::{Kind, Type};

use crate::catalogue::{Argument, Role};
use crate::run::{Bytes, Ran};

/// The first element that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    /// `wrong-result` or `changed-input`.
    pub reason: &'static str,
    /// In one sentence without a full stop.
    pub headline: String,
    /// The argument's number and the byte's offset, if a single element is wrong.
    pub place: Option<(usize, u64)>,
}

/// Finds the first element that is wrong.
pub(crate) fn difference(arguments: &[Argument], got: &Ran, expected: &Ran) -> Option<Difference> {
    let both = got.buffers.iter().zip(&expected.buffers);
    let mut all = arguments.iter().zip(both).enumerate();
    all.find_map(|(index, (argument, buffers))| {
        let (Some(got), Some(expected)) = buffers else { return None };
        let found = match argument.role {
            Role::Scratch => None,
            Role::Input => changed(argument, got),
            Role::Result => wrong(argument, got, expected),
            Role::AnyOrder => misplaced(argument, got, expected),
        };
        let mut found = found?;
        found.place = found.place.map(|(_, offset)| (index, offset));
        Some(found)
    })
}

fn elements(bytes: &[u8], ty: Type) -> impl Iterator<Item = &[u8]> {
    bytes.chunks_exact(ty.bytes)
}

/// An input that was written to.
fn changed(argument: &Argument, got: &Bytes) -> Option<Difference> {
    let name = &argument.name;
    let both = elements(&got.before, got.ty).zip(elements(&got.after, got.ty));
    let (index, (before, after)) = both.enumerate().find(|(_, (before, after))| before != after)?;
    let (before, after) = (got.ty.show(before), got.ty.show(after));
    Some(Difference {
        reason: "changed-input",
        headline: format!(
            "`{name}` must only be read, but {name}[{index}] was changed from {before} to {after}"
        ),
        place: Some((0, (index * got.ty.bytes) as u64)),
    })
}

/// Elements that differ from the solution's.
fn wrong(argument: &Argument, got: &Bytes, expected: &Bytes) -> Option<Difference> {
    let (name, ty) = (&argument.name, got.ty);
    let margin = argument.tolerance.map_or(0.0, |tolerance| tolerance * largest(expected));
    let both = elements(&got.after, ty).zip(elements(&expected.after, ty));
    let differs = |(_, (got, expected)): &(usize, (&[u8], &[u8]))| !is_same(ty, got, expected, margin);
    let mut wrong = both.enumerate().filter(differs);
    let (index, (is, must)) = wrong.next()?;
    let more = match wrong.count() {
        0 => String::new(),
        more => format!("; {} of {} elements are wrong", more + 1, got.after.len() / ty.bytes),
    };
    let (is, must) = (ty.show(is), ty.show(must));
    Some(Difference {
        reason: "wrong-result",
        headline: format!("{name}[{index}] is {is} but must be {must}{more}"),
        place: Some((0, (index * ty.bytes) as u64)),
    })
}

/// Elements that occur too often or not often enough, in any order.
fn misplaced(argument: &Argument, got: &Bytes, expected: &Bytes) -> Option<Difference> {
    let (name, ty) = (&argument.name, got.ty);
    let sorted = |bytes: &[u8]| {
        let mut sorted: Vec<Vec<u8>> = elements(bytes, ty).map(<[u8]>::to_vec).collect();
        sorted.sort_unstable();
        sorted
    };
    let (is, must) = (sorted(&got.after), sorted(&expected.after));
    let (one, other) = is.iter().zip(&must).find(|(is, must)| is != must)?;
    let often = |all: &[Vec<u8>], one: &Vec<u8>| all.iter().filter(|element| *element == one).count();
    // The sorted lists differ from the smaller of the two on, so one of them contains it more often.
    let which = one.min(other);
    let (is, must) = (often(&is, which), often(&must, which));
    let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let headline = format!(
        "{name} contains {} {} and must contain it {}, in any order",
        ty.show(which),
        times(is),
        times(must)
    );
    Some(Difference { reason: "wrong-result", headline, place: None })
}

fn is_same(ty: Type, got: &[u8], expected: &[u8], margin: f64) -> bool {
    if got == expected || ty.kind != Kind::Float {
        return got == expected;
    }
    let (got, expected) = (value(ty, got), value(ty, expected));
    got.is_nan() && expected.is_nan() || (got - expected).abs() <= margin
}

/// The largest finite magnitude.
fn largest(bytes: &Bytes) -> f64 {
    let all = elements(&bytes.after, bytes.ty).map(|element| value(bytes.ty, element).abs());
    all.filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// A number as a float, read from its printed form.
fn value(ty: Type, bytes: &[u8]) -> f64 {
    ty.show(bytes).parse().unwrap_or(f64::NAN)
}
