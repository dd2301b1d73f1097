//! What is expected of launches: bounds of counters, and contents of buffers.

use std::cmp::Ordering;
use std::ops::Range;

use anyhow::{Result, anyhow, bail, ensure};
use simt::Counters;
use spec::{BufferSpec, Kind, Type};

/// A bound of a counter.
#[derive(Clone, Debug)]
pub struct Bound {
    counter: &'static str,
    comparison: Comparison,
    value: u64,
}

/// How a comparison is written, what it is called, and whether it holds.
type Comparison = (&'static str, &'static str, fn(&u64, &u64) -> bool);

const COMPARISONS: [Comparison; 3] =
    [("<=", "at most", u64::le), (">=", "at least", u64::ge), ("=", "exactly", u64::eq)];

impl Bound {
    /// Reads a bound, as in `<= 128`.
    pub fn parse(counter: &str, text: &str) -> Result<Bound> {
        let known = Counters::default().all().into_iter().map(|(name, ..)| name);
        let counter = known.clone().find(|name| *name == counter).ok_or_else(|| {
            let nearest = known.max_by(|a, b| {
                let likeness = |name: &&str| strsim::jaro_winkler(name, counter);
                likeness(a).total_cmp(&likeness(b))
            });
            anyhow!(
                "there is no counter `{counter}`: did you mean `{}`? `lanes run --json` lists all of them",
                nearest.unwrap_or_default()
            )
        })?;
        let mut known = COMPARISONS.into_iter();
        let parts = known.find_map(|known| Some((known, text.trim().strip_prefix(known.0)?)));
        let bound = parts.and_then(|(comparison, number)| Some((comparison, number.trim().parse().ok()?)));
        let (comparison, value) = bound.ok_or_else(|| {
            anyhow!("`{text}` is not a bound of `{counter}`: write it as in `<= 128`, `>= 1` or `= 32`")
        })?;
        Ok(Bound { counter, comparison, value })
    }

    /// What is wrong with the counters of a launch, if anything is.
    pub fn problem(&self, counters: &Counters) -> Option<String> {
        let (_, unit, _, value) = counters.all().into_iter().find(|(name, ..)| *name == self.counter)?;
        let (_, words, holds) = self.comparison;
        (!holds(&value, &self.value))
            .then(|| format!("`{}` is {value} ({unit}), and should be {words} {}", self.counter, self.value))
    }
}

/// The elements of a buffer that a range selects, as in `0..64`; without a range, all of them.
pub fn elements(spec: &BufferSpec, text: Option<&str>) -> Result<Range<usize>> {
    let all = 0..spec.count as usize;
    let Some(text) = text else { return Ok(all) };
    let ends = text
        .split_once("..")
        .and_then(|(start, end)| Some(start.trim().parse().ok()?..end.trim().parse().ok()?));
    let range: Range<usize> =
        ends.ok_or_else(|| anyhow!("`{text}` is not a range of elements: write it as in `0..64`"))?;
    let is_inside = range.start < range.end && range.end <= all.end;
    ensure!(is_inside, "`{text}` is not a range of its elements, which are 0..{}", all.end);
    Ok(range)
}

/// By how much elements of a type may differ.
pub fn tolerance(ty: Type, given: Option<f64>) -> Result<f64> {
    let tolerance = given.unwrap_or(0.0);
    if tolerance < 0.0 || !tolerance.is_finite() {
        bail!("the tolerance {tolerance} is not a positive number");
    }
    if tolerance > 0.0 && ty.kind != Kind::Float {
        bail!("its elements are {}, which are compared exactly: omit the tolerance", ty.name);
    }
    Ok(tolerance)
}

/// What the elements of a buffer have to be in the end.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The name of the buffer or the variable.
    pub name: String,
    pub ty: Type,
    pub range: Range<usize>,
    pub expected: Expected,
    pub tolerance: f64,
}

/// Where the expected elements come from.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The bytes of all elements.
    Bytes(Vec<u8>),
    /// Another buffer.
    Like(String),
}

impl Contents {
    /// What is wrong with the bytes of the buffer, if anything is. `expected` are those of all elements.
    pub fn problem(&self, found: &[u8], expected: &[u8]) -> Option<String> {
        let size = self.ty.bytes;
        let element = |bytes: &'_ [u8], index: usize| bytes[index * size..][..size].to_vec();
        let differs = |&index: &usize| !self.is_equal(&element(found, index), &element(expected, index));
        let wrong: Vec<usize> = self.range.clone().filter(differs).collect();
        let first = *wrong.first()?;
        let show = |bytes: &[u8]| self.ty.show(&element(bytes, first));
        let elsewhere = match wrong.len() - 1 {
            0 => String::new(),
            1 => ", and one more element is wrong".to_owned(),
            more => format!(", and {more} more elements are wrong"),
        };
        let source = match &self.expected {
            Expected::Like(other) => format!(", as in `{other}`"),
            Expected::Bytes(_) => String::new(),
        };
        Some(format!(
            "element {first} of `{}` is {}, and should be {}{source}{elsewhere}",
            self.name,
            show(found),
            show(expected)
        ))
    }

    fn is_equal(&self, found: &[u8], expected: &[u8]) -> bool {
        if found == expected {
            return true;
        }
        if self.ty.kind != Kind::Float {
            return false;
        }
        let (found, expected) = (Type::value(found), Type::value(expected));
        // Zeros of both signs are equal, and so are all NaNs.
        let is_same =
            found.partial_cmp(&expected) == Some(Ordering::Equal) || (found.is_nan() && expected.is_nan());
        is_same || (found - expected).abs() <= self.tolerance * expected.abs().max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(spec: &str, given: Option<f64>, range: Option<&str>) -> Result<Contents> {
        let spec = BufferSpec::parse(spec).unwrap();
        let (range, tolerance) = (elements(&spec, range)?, tolerance(spec.ty, given)?);
        let expected = Expected::Bytes(Vec::new());
        Ok(Contents { name: "x".to_owned(), ty: spec.ty, range, expected, tolerance })
    }

    #[test]
    fn floats_may_differ_by_a_tolerance_and_integers_may_not() {
        let bytes = |values: [f32; 3]| values.map(f32::to_le_bytes).concat();
        let (found, expected) = (bytes([1.0, 1000.1, f32::NAN]), bytes([1.05, 1000.0, f32::NAN]));
        let problem =
            |tolerance| contents("f32:3:zeros", Some(tolerance), None).unwrap().problem(&found, &expected);
        assert_eq!(problem(0.1), None);
        let text = problem(0.01).unwrap();
        assert_eq!(text, "element 0 of `x` is 1.0, and should be 1.05");
        assert!(problem(0.0).unwrap().ends_with(", and one more element is wrong"));
        let error = contents("i32:3:zeros", Some(0.1), None).unwrap_err().to_string();
        assert!(error.contains("compared exactly"), "{error}");
        assert!(contents("f32:3:zeros", Some(f64::NAN), None).is_err());
    }

    #[test]
    fn a_range_selects_elements() {
        let some = contents("u8:3:zeros", None, Some("1..3")).unwrap();
        assert_eq!(some.problem(&[9, 1, 2], &[0, 1, 2]), None);
        assert!(some.problem(&[0, 1, 9], &[0, 1, 2]).is_some());
        for wrong in ["1..4", "2..2", "1", "x..3"] {
            assert!(contents("u8:3:zeros", None, Some(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bounds_name_counters() {
        let counters = Counters { ptx_instructions: 5, ..Counters::default() };
        let problem = |text| Bound::parse("ptx_instructions", text).unwrap().problem(&counters);
        assert!(problem("<= 5").is_none() && problem(">=5").is_none() && problem("= 5").is_none());
        let text = problem("<= 4").unwrap();
        assert!(
            text.starts_with("`ptx_instructions` is 5 (") && text.ends_with("should be at most 4"),
            "{text}"
        );
        let error = |name, text| Bound::parse(name, text).unwrap_err().to_string();
        assert!(error("ptx_instruction", "= 5").contains("did you mean `ptx_instructions`?"));
        assert!(error("ptx_instructions", "5").contains("as in `<= 128`"));
    }
}
