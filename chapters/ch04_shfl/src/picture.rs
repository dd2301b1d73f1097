//! Pictures of a warp: a line for each thing that is shown, with two characters for each lane.
//!
//! The contents are left out; the sections take them from runs.

/// The lanes of a warp.
pub const LANES: usize = 32;

/// A line: what it shows, and a cell of at most two characters for each lane.
pub fn line(head: &str, cell: impl Fn(usize) -> String) -> String {
    let cells: Vec<String> = (0..LANES).map(|lane| format!("{:<2}", cell(lane))).collect();
    format!("  {head:<13}{}\n", cells.concat().trim_end())
}

/// The number of every fourth lane.
pub fn ruler() -> String {
    line("lane", |lane| if lane % 4 == 0 { lane.to_string() } else { String::new() })
}

/// A line with one number for each tile of lanes; `?` if its lanes do not agree.
pub fn tiles(head: &str, values: &[i32], size: usize) -> String {
    let cells = values.chunks(size).map(|tile| {
        let all_same = tile.iter().all(|value| value == &tile[0]);
        let text = if all_same { tile[0].to_string() } else { "?".to_owned() };
        format!("|{text:^width$}", width = 2 * size - 1)
    });
    format!("  {head:<13}{}|\n", cells.collect::<String>())
}

/// The lane's letter: `A` to `Z`, then `a` to `f`.
pub fn letter(lane: usize) -> char {
    let first = if lane < 26 { b'A' } else { b'a' - 26 };
    char::from(first + lane as u8)
}

/// A line of numbers, four characters each, for the first half of a warp.
pub fn numbers(head: &str, values: &[i32]) -> String {
    let cells: Vec<String> = values.iter().take(LANES / 2).map(|value| format!("{value:>4}")).collect();
    format!("  {head:<13}{}\n", cells.concat())
}
