//! Prints the contents of a buffer after a run, in rows of 80 columns or as JSON.
//!
//! What it leaves out: elements that were not asked for.

use std::ops::Range;

use serde_json::{Value, json};

use crate::outcome::Finished;
use crate::request::Print;
use crate::resolve::Named;
use spec::Type;
use spec::layout::{WIDTH, grouped};

/// A description of what an option prints: `arg2`, or `arg2, elements 16 to 31,`.
pub fn what(Named { name, asked }: &Named<Print>) -> String {
    match &asked.which {
        None => name.clone(),
        Some(one) if one.end - one.start == 1 => format!("{name}, element {},", one.start),
        Some(Range { start, end }) => format!("{name}, elements {start} to {},", end - 1),
    }
}

/// How many elements are printed by default.
const SHOWN: u64 = 64;

/// A buffer to print, and its contents.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    pub print: &'a Named<Print>,
    /// Which argument it is, if there is one launch.
    pub argument: Option<usize>,
    pub ty: Type,
    pub bytes: &'a [u8],
    /// `emulator`, or `GPU`.
    pub machine: &'static str,
}

impl<'a> Shown<'a> {
    /// The buffers to print, for each machine that ran.
    pub fn all(finished: &'a Finished<'_>) -> Vec<Shown<'a>> {
        let sequence = &finished.plan.sequence;
        let shown = |machine, print: &'a Named<Print>, bytes| Shown {
            print,
            argument: sequence.argument_of(&print.name),
            ty: sequence.spec(&print.name).ty,
            bytes,
            machine,
        };
        let prints = &finished.plan.outputs.prints;
        let emulated = finished.search.iter().flat_map(|search| {
            prints.iter().map(|print| shown("emulator", print, search.outcome.bytes(&print.name)))
        });
        let on_gpu = finished
            .gpu()
            .into_iter()
            .flat_map(|gpu| prints.iter().map(move |print| shown("GPU", print, gpu.bytes(&print.name))));
        emulated.chain(on_gpu).collect()
    }

    fn elements(&self, range: &Range<u64>) -> impl Iterator<Item = &'a [u8]> {
        let size = self.ty.bytes;
        self.bytes[range.start as usize * size..range.end as usize * size].chunks_exact(size)
    }

    /// As text: the elements that were asked for, in rows that begin with the index of their first element.
    pub fn text(&self) -> String {
        let all = (self.bytes.len() / self.ty.bytes) as u64;
        let range = self.print.asked.which.clone().unwrap_or(0..all.min(SHOWN));
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
        let range = self.print.asked.which.clone().unwrap_or(0..(self.bytes.len() / self.ty.bytes) as u64);
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
}
