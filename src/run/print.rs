//! The contents of a buffer after a run, in rows of 80 columns.
//!
//! What it leaves out: everything beyond the elements that were asked for; a program reads better from a program.

use simt::Emulator;

use super::arguments::Given;
use super::spec::Print;
use crate::report::layout::{WIDTH, grouped};

/// Elements that are shown where nobody said how many.
const SHOWN: u64 = 64;

/// A buffer's first elements, each row with the index of its first one before it.
pub(super) fn render(print: &Print, given: &Given, emulator: &Emulator) -> String {
    let Given::Buffer(buffer, ty) = given else { return String::new() };
    let all = buffer.bytes() / ty.bytes as u64;
    let count = print.count.unwrap_or_else(|| all.min(SHOWN));
    let bytes = emulator.read(*buffer).chunks_exact(ty.bytes).take(count as usize);
    let values: Vec<String> = bytes.map(|element| ty.show(element)).collect();
    let which = if count == all {
        format!("all {}", grouped(all))
    } else {
        format!("the first {} of {}", grouped(count), grouped(all))
    };
    format!("\narg{} afterwards, {which} ({})\n{}", print.argument, ty.name, rows(&values))
}

fn rows(values: &[String]) -> String {
    let index_width = (values.len() - 1).to_string().len() + 2;
    let width = values.iter().map(String::len).max().unwrap_or(0) + 2;
    let fitting = ((WIDTH - index_width - 1) / width).max(1);
    // A power of two, so that rows are parts of warps.
    let per_row = (1 << fitting.ilog2()).min(16);
    let row = |out: String, (number, row): (usize, &[String])| {
        let cells: Vec<String> = row.iter().map(|value| format!("{value:>width$}")).collect();
        out + &format!("{:>index_width$}:{}\n", number * per_row, cells.concat())
    };
    values.chunks(per_row).enumerate().fold(String::new(), row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_and_say_where_they_start() {
        let values: Vec<String> = (0..40).map(|n| format!("{}.5", n * 1000)).collect();
        let rows = rows(&values);
        assert!(rows.lines().all(|line| line.chars().count() <= WIDTH), "{rows}");
        assert!(rows.lines().nth(1).unwrap().starts_with("   8:   8000.5"), "{rows}");
    }
}
