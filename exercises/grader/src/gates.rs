//! Gates: counters that may not be larger than a number, or smaller where more is better.
//!
//! Never time, which differs from machine to machine; counters do not.

use anyhow::{Result, anyhow};
use simt::Counters;

use crate::verdict::Measured;

/// An average that the counters give, by the name that a gate may have.
type Average = (&'static str, &'static str, fn(&Counters) -> f64);

const AVERAGES: [Average; 4] = [
    ("sectors_per_request", "sectors per request of global loads", Counters::global_load_sectors_per_request),
    ("store_sectors_per_request", "sectors per request of global stores", store_sectors),
    ("instructions_per_warp", "PTX instructions per warp", Counters::ptx_instructions_per_warp),
    (ACTIVE_LANES, "active lanes per PTX instruction", Counters::ptx_lanes_per_instruction),
];

/// The one average of which more is better.
const ACTIVE_LANES: &str = "active_lanes";

fn store_sectors(counters: &Counters) -> f64 {
    counters.global_store_sectors as f64 / (counters.global_store_requests.max(1)) as f64
}

/// A counter by its name: what it is in words, and its value.
///
/// # Errors
/// When there is none of that name.
pub(crate) fn counter(name: &str, counters: &Counters) -> Result<(String, f64)> {
    if let Some((_, words, value)) = AVERAGES.iter().find(|(known, ..)| *known == name) {
        return Ok(((*words).to_owned(), value(counters)));
    }
    let all = counters.all();
    let found = all.iter().find(|(known, ..)| *known == name);
    let words = |name: &str| name.replace('_', " ").replace("ptx", "PTX");
    found.map(|(name, _, _, value)| (words(name), *value as f64)).ok_or_else(|| {
        anyhow!("there is no counter `{name}`: take one of `lanes run --json`, or sectors_per_request and the like")
    })
}

/// Holds an attempt's counter to its gate.
pub(crate) fn measure(name: &str, gate: f64, now: &Counters, solution: &Counters) -> Result<Measured> {
    let (what, now) = counter(name, now)?;
    let (_, solution) = counter(name, solution)?;
    let passes = if name == ACTIVE_LANES { now >= gate } else { now <= gate };
    Ok(Measured { what, now, gate, solution, passes })
}
