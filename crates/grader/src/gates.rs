//! Gates: limits on counters. A counter must not be larger than its gate, or not smaller if more is better.
//!
//! There are no gates on time, because time differs from machine to machine and counters do not. An atomic counts
//! towards the gates of loads and of stores, because it does both: `atomicAdd(&x, 0)` loads, and `atomicExch` stores.
//!
//! Gates are written for the committed solution, which NVIDIA's compiler compiled. If another compiler compiled the
//! attempt, it compiled the solution too, and a gate on a counter of instructions is scaled as the solution's counter.
//! Memory counters depend on the text only, so their gates remain the same.

use anyhow::{Result, anyhow};
use simt::Counters;

use crate::verdict::Measured;

/// An average that follows from the counters, by the name of its gate.
type Average = (&'static str, &'static str, fn(&Counters) -> f64);

const AVERAGES: [Average; 4] = [
    ("sectors_per_request", "sectors per request of global loads", Counters::global_load_sectors_per_request),
    (
        "store_sectors_per_request",
        "sectors per request of global stores",
        Counters::global_store_sectors_per_request,
    ),
    (INSTRUCTIONS, "PTX instructions per warp", Counters::ptx_instructions_per_warp),
    (ACTIVE_LANES, "active lanes per PTX instruction", Counters::ptx_lanes_per_instruction),
];

/// The average that depends most on the compiler.
const INSTRUCTIONS: &str = "instructions_per_warp";

/// The only average of which more is better.
const ACTIVE_LANES: &str = "active_lanes";

/// Counters of loads and stores, and the counters of atomics that are added to them for a gate.
const WITH_ATOMICS: [(&str, &[&str]); 8] = [
    ("global_load_requests", &["global_atomic_requests"]),
    ("global_load_sectors", &["global_atomic_sectors"]),
    ("global_store_requests", &["global_atomic_requests", "global_reduction_requests"]),
    ("global_store_sectors", &["global_atomic_sectors", "global_reduction_sectors"]),
    ("shared_load_requests", &["shared_atomic_requests"]),
    ("shared_load_bank_conflicts", &["shared_atomic_bank_conflicts"]),
    ("shared_store_requests", &["shared_atomic_requests"]),
    ("shared_store_bank_conflicts", &["shared_atomic_bank_conflicts"]),
];

/// A counter by its name: a description, and its value.
///
/// # Errors
/// If there is none of that name.
pub(crate) fn counter(name: &str, counters: &Counters) -> Result<(String, f64)> {
    if let Some((_, words, value)) = AVERAGES.iter().find(|(known, ..)| *known == name) {
        return Ok(((*words).to_owned(), value(counters)));
    }
    let found = counters.all().into_iter().find(|(known, ..)| *known == name);
    let words = |name: &str| name.replace('_', " ").replace("ptx", "PTX");
    found.map(|(name, _, _, value)| (words(name), value as f64)).ok_or_else(|| {
        anyhow!("there is no counter `{name}`: take one of `lanes run --json`, or sectors_per_request and the like")
    })
}

/// The number that is compared with a gate: a counter, and the counters of atomics that do the same.
fn charged(name: &str, counters: &Counters) -> Result<(String, f64)> {
    let (words, own) = counter(name, counters)?;
    let atomics =
        WITH_ATOMICS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, atomics)| atomics);
    let values = atomics.iter().map(|atomic| Ok(counter(atomic, counters)?.1));
    let atomics: f64 = values.sum::<Result<f64>>()?;
    let with = if atomics > 0.0 { ", with those of atomics" } else { "" };
    Ok((words + with, own + atomics))
}

/// Whether a counter counts instructions, which differ between compilers.
fn counts_instructions(name: &str) -> bool {
    name.starts_with("ptx_") || [INSTRUCTIONS, ACTIVE_LANES].contains(&name)
}

/// Compares an attempt's counter with its gate. `solution` is the solution as compiled by the attempt's compiler, and
/// the committed one is given as well.
pub(crate) fn measure(
    name: &str,
    gate: f64,
    now: &Counters,
    solution: &Counters,
    committed: &Counters,
) -> Result<Measured> {
    let (what, now) = charged(name, now)?;
    let (_, solution) = charged(name, solution)?;
    let (_, committed) = charged(name, committed)?;
    let is_scaled = counts_instructions(name) && committed > 0.0;
    let gate = if is_scaled { gate * (solution / committed) } else { gate };
    let more_is_better = name == ACTIVE_LANES;
    let passes = if more_is_better { now >= gate } else { now <= gate };
    Ok(Measured { what, now, gate, more_is_better, solution, passes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atomic_counts_as_a_load_and_as_a_store() {
        let counters = Counters {
            global_load_sectors: 4,
            global_store_sectors: 8,
            global_atomic_sectors: 32,
            global_reduction_sectors: 16,
            ..Counters::default()
        };
        let of = |name| charged(name, &counters).unwrap();
        assert_eq!(
            of("global_load_sectors"),
            ("global load sectors, with those of atomics".to_owned(), 36.0)
        );
        assert_eq!(
            of("global_store_sectors"),
            ("global store sectors, with those of atomics".to_owned(), 56.0)
        );
        assert_eq!(of("global_atomic_sectors"), ("global atomic sectors".to_owned(), 32.0));
        assert_eq!(of("shared_load_requests"), ("shared load requests".to_owned(), 0.0));
    }

    #[test]
    fn a_gate_on_instructions_changes_as_the_solution_does() {
        let counters = |ptx_instructions, ptx_barriers, global_load_sectors| Counters {
            warps: 1,
            ptx_instructions,
            ptx_barriers,
            global_load_sectors,
            ..Counters::default()
        };
        let (now, solution, committed) = (counters(130, 2, 9), counters(120, 0, 8), counters(100, 0, 4));
        let gate = |name, gate| {
            let measured = measure(name, gate, &now, &solution, &committed).unwrap();
            (measured.gate, measured.passes)
        };
        assert_eq!(gate(INSTRUCTIONS, 110.0), (132.0, true));
        assert_eq!(gate("ptx_instructions", 105.0), (126.0, false));
        assert_eq!(gate("ptx_barriers", 1.0), (1.0, false));
        assert_eq!(gate("global_load_sectors", 4.0), (4.0, false));
    }

    #[test]
    fn every_counter_that_is_added_exists() {
        let all = Counters::default().all();
        let names = WITH_ATOMICS.iter().flat_map(|(name, atomics)| atomics.iter().chain([name]));
        for name in names {
            assert!(all.iter().any(|(known, ..)| known == name), "{name}");
        }
    }
}
