//! Longer rows of a shared array: how many bank conflicts would be left.
//!
//! If lanes want different words of one bank, it is mostly because their distance is a multiple of all banks. With one more
//! element in each row the distance is another one. Whether that helps all accesses to the array, and not only those of one
//! line, is computed from the addresses that they had.

use std::collections::HashMap;

use simt::{AccessKind, Space};

use super::observe::{Key, LANES, Observed, Pattern, Requests, lanes};

/// Bytes of a row of all banks.
const BANK_ROW_BYTES: u64 = 128;

/// Longer rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The bytes of a row now.
    pub row_bytes: u64,
    /// The bytes to add to each row: one element.
    pub more_bytes: u64,
    /// Bank conflicts of all accesses to the array now.
    pub before: u64,
    /// Bank conflicts with longer rows.
    pub after: u64,
    /// Whether the array is declared with rows, as in `x[32][32]`.
    pub has_rows: bool,
}

/// The padding with the fewest conflicts, if it avoids at least half of them.
pub(crate) fn find(observed: &Observed, key: &Key, seen: &Requests, cuda: Option<&str>) -> Option<Padding> {
    let variable = key.target.filter(|_| key.space == Space::Shared && key.kind != AccessKind::Update)?;
    let (start, bytes) = (observed.variables[variable].address, observed.variables[variable].bytes);
    let has_rows = has_rows(cuda, &observed.variables[variable].name);
    let patterns = observed.shared.get(&variable)?.as_ref()?;
    let step = seen.usual_step().map(i64::unsigned_abs);
    let rows = [step, Some(BANK_ROW_BYTES)].into_iter().flatten();
    let rows = rows.filter(|&row| row > key.bytes && row.is_multiple_of(key.bytes) && row < bytes);
    let tried = rows.map(|row_bytes| {
        let more_bytes = key.bytes;
        let before = patterns.iter().map(|(pattern, count)| conflicts(pattern) * count).sum();
        let after = conflicts_with(patterns, start, row_bytes, more_bytes);
        Padding { row_bytes, more_bytes, before, after, has_rows }
    });
    tried.min_by_key(|padding| padding.after).filter(|padding| 2 * padding.after <= padding.before)
}

/// Whether a text has a name with two sizes after it, as in `float tile[32][33];`. Without a text, it may have.
fn has_rows(cuda: Option<&str>, name: &str) -> bool {
    let Some(text) = cuda else { return true };
    let after = |line: &str| {
        let (_, rest) = line.split_once("__shared__")?.1.split_once(&format!("{name}["))?;
        Some(rest.split_once(']')?.1.trim_start().starts_with('['))
    };
    text.lines().any(|line| after(line) == Some(true))
}

fn conflicts(pattern: &Pattern) -> u64 {
    pattern.access.bank_conflicts_at(&pattern.access.addresses)
}

fn conflicts_with(patterns: &HashMap<Pattern, u64>, start: u64, row: u64, more: u64) -> u64 {
    let of = |(pattern, count): (&Pattern, &u64)| {
        let mut addresses = [0; LANES];
        for (lane, address) in lanes(&pattern.access) {
            addresses[lane] = address + (address - start) / row * more;
        }
        pattern.access.bank_conflicts_at(&addresses) * count
    };
    patterns.iter().map(of).sum()
}
