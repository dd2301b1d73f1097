//! Text in 80 columns: numbers in groups, paragraphs, and tables.
//!
//! Widths are counted in characters. That is right for what this crate prints, which has no wide characters; names with
//! wide ones would only be misaligned.

use std::fmt::Write as _;

/// The width of a report. It does not depend on the terminal, so reports are the same on every computer and in the
/// book.
pub const WIDTH: usize = 80;

/// `10240000` as `10,240,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// With two decimals, or with none from a thousand on: `13.25`, `13,046`.
pub fn decimal(number: f64) -> String {
    if number < 1000.0 { format!("{number:.2}") } else { grouped(number.round() as u64) }
}

/// `1 warp`, `2 warps`, `1,000 warps`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number of bytes in the largest unit in which it is at least one: `1.5 GiB`.
pub fn bytes(count: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut size = count as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} bytes") } else { format!("{size:.1} {}", units[unit]) }
}

/// A paragraph with `first` before its first line, and as many spaces before the others. A list without spaces that is
/// longer than a line is broken after its commas. Any other long word, such as a path, gets a line of its own and is
/// not broken, so that it can be copied.
pub fn paragraph(first: &str, text: &str) -> String {
    let indent = " ".repeat(first.chars().count());
    let room = WIDTH - indent.len();
    let lines = text.lines().flat_map(|line| wrap(line, room));
    let mut out = String::new();
    for (index, line) in lines.enumerate() {
        let before = if index == 0 { first } else { &indent };
        out += format!("{before}{line}").trim_end();
        out.push('\n');
    }
    out
}

fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace().flat_map(|word| pieces(word, room)) {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > room {
            lines.push(String::new());
            used = 0;
        }
        let line = lines.last_mut().expect("there is a first line");
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    lines
}

/// A word; or, for a list that is longer than a line, parts that fit, each but the last one with its comma. Two
/// successive parts never fit into one line.
fn pieces(word: &str, room: usize) -> Vec<&str> {
    if word.chars().count() <= room {
        return vec![word];
    }
    let (mut parts, mut start, mut end) = (Vec::new(), 0, 0);
    for item in word.split_inclusive(',') {
        if end > start && word[start..end + item.len()].chars().count() > room {
            parts.push(&word[start..end]);
            start = end;
        }
        end += item.len();
    }
    parts.push(&word[start..]);
    parts
}

/// A table. The first column is left-aligned and as wide as there is room, the others are right-aligned. A first cell
/// that is too long gets a line of its own, so that nothing is cut off.
pub fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let others: usize = widths.iter().skip(1).map(|width| width + GAP).sum();
    let first = widths.first().map_or(0, |&width| width.min(WIDTH.saturating_sub(others)));
    rows.iter().flat_map(|row| table_row(row, first, &widths)).collect()
}

/// The space between two columns.
const GAP: usize = 2;

fn table_row(row: &[String], first: usize, widths: &[usize]) -> Vec<String> {
    let Some((name, cells)) = row.split_first() else { return Vec::new() };
    let mut lines = Vec::new();
    let mut line = name.clone();
    if name.chars().count() > first {
        lines.extend(wrap(name, WIDTH));
        line.clear();
    }
    line += &" ".repeat(first - line.chars().count());
    for (cell, width) in cells.iter().zip(&widths[1..]) {
        let _ = write!(line, "{cell:>width$}", width = width + GAP);
    }
    lines.push(line.trim_end().to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(row: &[&str]) -> Vec<String> {
        row.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn digits_stand_in_threes() {
        let numbers = [0, 999, 1000, 10_240_000];
        assert_eq!(numbers.map(grouped), ["0", "999", "1,000", "10,240,000"]);
    }

    #[test]
    fn numbers_are_as_long_as_they_are_useful() {
        assert_eq!([0.0, 13.246, 13046.4].map(decimal), ["0.00", "13.25", "13,046"]);
        assert_eq!([1, 2, 1000].map(|n| counted(n, "warp")), ["1 warp", "2 warps", "1,000 warps"]);
    }

    #[test]
    fn bytes_have_a_unit() {
        assert_eq!([0, 1023, 1536, 8 << 30].map(bytes), ["0 bytes", "1023 bytes", "1.5 KiB", "8.0 GiB"]);
    }

    #[test]
    fn a_list_without_spaces_is_broken_after_its_commas() {
        let list = (0..20).map(|number| format!("name_{number}")).collect::<Vec<_>>().join(",");
        let text = paragraph("  - ", &format!("only {list} and more"));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[..lines.len() - 1].iter().all(|line| line.ends_with(',')), "{text}");
        assert!(lines.last().unwrap().ends_with("name_19 and more"), "{text}");
        let words: String = text.split_whitespace().filter(|word| word.contains("name_")).collect();
        assert_eq!(words, list);
    }

    #[test]
    fn a_line_of_a_paragraph_is_too_long_only_if_it_is_one_word() {
        let path = "long".repeat(40);
        let text = paragraph("  - ", &format!("word {path} {}", "many words ".repeat(20)));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["  - word", &format!("    {path}")]);
        assert!(lines.len() > 4 && lines[2..].iter().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn numbers_stand_below_one_another() {
        let rows = [cells(&["name", "x"]), cells(&["a", "10"])];
        assert_eq!(table(&rows), ["name   x", "a     10"]);
    }

    #[test]
    fn a_name_that_is_too_long_gets_its_own_line() {
        let name = "n".repeat(100);
        let lines = table(&[cells(&["a", "1"]), cells(&[&name, "2"])]);
        assert_eq!(lines[1..], [name, format!("{:>80}", 2)]);
    }
}
