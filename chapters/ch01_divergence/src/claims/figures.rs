//! The figures of a row that this chapter's claims compare, and their wording as evidence.

use thirty_two_lanes::claims::Seen;
use thirty_two_lanes::report::layout::counted;

/// Whether two counts are equal; here counts are floats.
pub fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// The number of warps with a divergent branch.
pub fn diverged(row: Seen) -> f64 {
    row.counter("divergent_warps")
}

pub fn branches(row: Seen) -> f64 {
    row.counter("ptx_divergent_branches")
}

pub fn instructions(row: Seen) -> f64 {
    row.counter("ptx_instructions")
}

/// Loads per warp.
pub fn loads(row: Seen) -> f64 {
    row.counter("global_load_requests") / row.counter("warps")
}

/// Whether a row has this many warps, and this many of them diverge.
pub fn is(row: Seen, diverging: f64, warps: f64) -> bool {
    same(diverged(row), diverging) && same(row.counter("warps"), warps)
}

pub fn past_the_end(row: Seen) -> String {
    let past = counted(row.fault("out-of-bounds").unwrap_or(0), "out-of-bounds instruction");
    format!("{} is {}, with {past}", row.variant(), row.verdict())
}

pub fn warps(row: Seen) -> String {
    format!("{}: {} of {} warps diverge", row.variant(), diverged(row), row.counter("warps"))
}

/// The same as a share, which does not depend on the size.
pub fn which_diverge(row: Seen) -> String {
    match diverged(row) {
        count if same(count, 0.0) => "no warp diverges".to_owned(),
        count if same(count, row.counter("warps")) => "every warp diverges".to_owned(),
        _ => "some warps diverge".to_owned(),
    }
}

pub fn per_warp(seen: &[Seen]) -> String {
    let one = |row: Seen| format!("{} {:.2}", row.variant(), row.per_warp());
    format!("PTX instructions per warp: {}", seen.iter().copied().map(one).collect::<Vec<_>>().join(", "))
}
