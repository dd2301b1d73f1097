//! Prints the contents of a buffer after a run, in rows of 80 columns or as JSON.
//!
//! What it leaves out: elements that were not asked for.

use std::fmt;
use std::ops::Range;

use anyhow::{Result, anyhow, ensure};
use serde_json::{Value, json};

use super::plan::Plan;
use spec::layout::{WIDTH, grouped};
use spec::{Type, is_name, whole};

/// Which buffer to print after the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Print {
    /// The buffer as the user names it, or the number of an argument.
    given: String,
    /// The name of the buffer.
    pub name: String,
    /// Which of its elements; if it is `None`, all of them, up to a limit.
    pub which: Option<Range<u64>>,
}

impl Print {
    /// Reads `1`, `1:8` or `1:16..32`.
    pub fn parse(text: &str) -> Result<Print, String> {
        let (name, which) = text.split_once(':').map_or((text, None), |(name, which)| (name, Some(which)));
        let is_argument = name.parse::<usize>().is_ok() || is_name(name);
        let parsed = which.map(range).map_or(Some(None), |range| range.map(Some));
        let Some(which) = parsed.filter(|_| is_argument) else {
            return Err("an argument is counted from 0 and shown as in `1`, `1:8` or `1:16..32`".to_owned());
        };
        if which.as_ref().is_some_and(Range::is_empty) {
            return Err("this range is empty: the second number is not included in it".to_owned());
        }
        Ok(Print { given: name.to_owned(), name: name.to_owned(), which })
    }

    /// With the name of the buffer, if there is one, and it has these elements. This is checked before the run, which may
    /// take long.
    pub fn resolved(&self, plan: &Plan<'_>) -> Result<Print> {
        let name = plan.buffer_name(&self.given).map_err(|error| anyhow!("`--print {self}`: {error}"))?;
        let elements = plan.spec(&name).count;
        let end = self.which.as_ref().map_or(elements, |which| which.end);
        let whose = if self.given == name { format!("`{name}`") } else { format!("argument {}", self.given) };
        ensure!(end <= elements, "`--print {self}`: {whose} has only {elements} elements");
        Ok(Print { name, ..self.clone() })
    }

    /// A description of what it shows: `arg2`, or `arg2, elements 16 to 31,`.
    pub fn what(&self) -> String {
        match &self.which {
            None => self.name.clone(),
            Some(one) if one.end - one.start == 1 => format!("{}, element {},", self.name, one.start),
            Some(Range { start, end }) => format!("{}, elements {start} to {},", self.name, end - 1),
        }
    }
}

/// `8` or `16..32`.
fn range(text: &str) -> Option<Range<u64>> {
    match text.split_once("..") {
        Some((start, end)) => Some(start.parse().ok()?..end.parse().ok()?),
        None => whole(text).map(|count| 0..count),
    }
}

/// As it is written in an option.
impl fmt::Display for Print {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.which {
            None => write!(f, "{}", self.given),
            Some(Range { start: 0, end }) => write!(f, "{}:{end}", self.given),
            Some(Range { start, end }) => write!(f, "{}:{start}..{end}", self.given),
        }
    }
}

/// How many elements are printed by default.
const SHOWN: u64 = 64;

/// A buffer to print, and its contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub print: &'a Print,
    /// Which argument it is, if there is one launch.
    pub argument: Option<usize>,
    pub ty: Type,
    pub bytes: &'a [u8],
    /// `emulator`, or `GPU`.
    pub machine: &'static str,
}

impl<'a> Shown<'a> {
    /// The buffers that a plan wants printed, in its order. `contents` has the contents of each argument's buffer.
    pub fn all(
        plan: &'a Plan,
        machine: &'static str,
        bytes: impl Fn(&str) -> &'a [u8],
    ) -> impl Iterator<Item = Shown<'a>> {
        plan.prints.iter().map(move |print| Shown {
            print,
            argument: plan.argument(&print.name),
            ty: plan.spec(&print.name).ty,
            bytes: bytes(&print.name),
            machine,
        })
    }

    fn elements(&self, range: &Range<u64>) -> impl Iterator<Item = &'a [u8]> {
        let size = self.ty.bytes;
        bytes_of(self.bytes, range, size).chunks_exact(size)
    }

    /// The bytes of the elements that were asked for; all of them by default.
    pub fn part(&self) -> &'a [u8] {
        let Some(which) = &self.print.which else { return self.bytes };
        bytes_of(self.bytes, which, self.ty.bytes)
    }

    /// As text: the elements that were asked for, in rows that begin with the index of their first element.
    pub fn text(&self) -> String {
        let all = (self.bytes.len() / self.ty.bytes) as u64;
        let range = self.print.which.clone().unwrap_or(0..all.min(SHOWN));
        let which = match range {
            Range { start: 0, end } if end == all => format!("all {}", grouped(all)),
            Range { start: 0, end } => format!("the first {} of {}", grouped(end), grouped(all)),
            Range { start, end } => format!("elements {start} to {} of {}", end - 1, grouped(all)),
        };
        let whose = if self.machine == "GPU" { " on the GPU" } else { "" };
        let values: Vec<String> = self.elements(&range).map(|element| self.ty.show(element)).collect();
        let (name, ty, rows) = (&self.print.name, self.ty.name, rows(&values, range.start as usize));
        format!("\n{name} afterwards{whose}, {which} ({ty})\n{rows}")
    }

    /// As JSON: the elements that were asked for, all of them by default.
    pub fn json(&self) -> Value {
        let range = self.print.which.clone().unwrap_or(0..(self.bytes.len() / self.ty.bytes) as u64);
        json!({
            "argument": self.argument,
            "name": self.print.name,
            "type": self.ty.name,
            "machine": self.machine,
            "start": range.start,
            "values": self.elements(&range).map(|element| number(self.ty, element)).collect::<Vec<_>>(),
        })
    }
}

/// A number in JSON. NaN and infinity, which JSON does not have, are strings.
fn number(ty: Type, bytes: &[u8]) -> Value {
    let shown = ty.show(bytes);
    shown.parse::<serde_json::Number>().map_or_else(|_| json!(shown), Value::Number)
}

fn bytes_of<'a>(bytes: &'a [u8], elements: &Range<u64>, size: usize) -> &'a [u8] {
    &bytes[elements.start as usize * size..elements.end as usize * size]
}

fn rows(values: &[String], first: usize) -> String {
    let index_width = (first + values.len() - 1).to_string().len() + 2;
    let width = values.iter().map(String::len).max().unwrap_or(0) + 2;
    let fitting = (WIDTH.saturating_sub(index_width + 1) / width).max(1);
    // A power of two, so that the rows divide a warp.
    let per_row = (1 << fitting.ilog2()).min(16);
    let row = |out: String, (number, row): (usize, &[String])| {
        let cells: Vec<String> = row.iter().map(|value| format!("{value:>width$}")).collect();
        out + &format!("{:>index_width$}:{}\n", first + number * per_row, cells.concat())
    };
    values.chunks(per_row).enumerate().fold(String::new(), row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_and_say_where_they_start() {
        let values: Vec<String> = (0..40).map(|n| format!("{}.5", n * 1000)).collect();
        let rows = rows(&values, 100);
        assert!(rows.lines().all(|line| line.chars().count() <= WIDTH), "{rows}");
        assert!(rows.lines().nth(1).unwrap().starts_with("  108:   8000.5"), "{rows}");
    }

    #[test]
    fn json_keeps_every_digit_and_has_a_word_for_nan() {
        for (ty, text) in [("u64", "18446744073709551615"), ("i8", "-1"), ("f32", "0.1"), ("f64", "1e300")] {
            let ty = Type::named(ty).unwrap();
            let bytes = ty.parse(text).unwrap();
            assert_eq!(number(ty, &bytes).to_string().replace("e+", "e"), text);
        }
        let ty = Type::named("f32").unwrap();
        assert_eq!(number(ty, &f32::NAN.to_le_bytes()), "NaN");
    }

    #[test]
    fn prints_name_an_argument_and_come_back_as_they_were_written() {
        assert_eq!(Print::parse("1").unwrap().which, None);
        assert_eq!(Print::parse("0:8").unwrap().which, Some(0..8));
        assert_eq!(Print::parse("x:3..8").unwrap().which, Some(3..8));
        for text in ["1", "0:8", "2:3..8", "sums:8"] {
            assert_eq!(Print::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["", "x y", "1:", "1:0", "-1", "1:x", "1:4..4", "1:5..4", "1:..4", "1:4..", "1:0..=4"] {
            assert!(Print::parse(wrong).is_err(), "{wrong}");
        }
    }
}
