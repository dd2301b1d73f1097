//! `tools/benchmarks/gpu/h200_sum.json` and `h200_scan.json`: the times of kernels beside CUB's.
//!
//! The programs in that folder print everything but the origin.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::Named;

/// What such a program measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    /// When it was made, and by which program.
    #[serde(default)]
    pub origin: String,
    /// The GPU, the driver, and CUB's version.
    pub machine: String,
    /// How often everything was timed.
    pub rounds: u32,
    /// The comparisons.
    pub tables: Vec<Comparison>,
}

/// Times of one kind and size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The number of elements.
    pub elements: u64,
    /// What they are: `floats`, `integers`.
    pub kind: String,
    /// The shape of our kernels' launches.
    pub blocks: u32,
    /// Threads in a block.
    pub threads: u32,
    /// `as launched`, `out of graphs`, or `by the host's clock`.
    pub how: String,
    /// Who was timed; CUB is the first, if it was.
    pub rows: Named<Contender>,
}

/// The times of a contender, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    /// The median.
    pub median_us: f64,
    /// The shortest.
    pub min_us: f64,
    /// The longest.
    pub max_us: f64,
    /// The bytes that were read and written in the median time, in gigabytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gb_s: Option<f64>,
    /// How many times as long CUB takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cub_over_this: Option<f64>,
}

impl Contest {
    /// Reads what such a program printed, or its record. An error calls it `what`.
    ///
    /// # Errors
    /// If the text is not JSON, or lacks a key.
    pub fn read(text: &str, what: &str) -> Result<Contest> {
        serde_json::from_str(text).with_context(|| format!("{what} is no comparison with CUB"))
    }

    /// A contender as launched by a program, for this many elements.
    ///
    /// # Errors
    /// If there is no such row, and then the error lists the sizes or the names that exist.
    pub fn launched(&self, elements: u64, name: &str) -> Result<Contender> {
        let launched = || self.tables.iter().filter(|table| table.how == "as launched");
        let table = launched().find(|table| table.elements == elements);
        let table = table.with_context(|| {
            let sizes: Vec<String> = launched().map(|table| table.elements.to_string()).collect();
            format!("{elements} elements were not timed; there are {}", sizes.join(", "))
        })?;
        let names = || table.rows.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        table
            .rows
            .get(name)
            .copied()
            .with_context(|| format!("`{name}` was not timed; there are {}", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_records_survive_being_read_and_written() {
        for kept in [
            include_str!("../../../tools/benchmarks/gpu/h200_sum.json"),
            include_str!("../../../tools/benchmarks/gpu/h200_scan.json"),
        ] {
            let contest = Contest::read(kept, "it").unwrap();
            assert_eq!(crate::text(&contest), kept.replace("\r\n", "\n"));
            let first = &contest.tables[0];
            assert_eq!(contest.launched(first.elements, "cub").unwrap().cub_over_this, Some(1.0));
            assert!(
                contest
                    .launched(first.elements, "nobody")
                    .unwrap_err()
                    .to_string()
                    .contains("there are cub, ")
            );
            assert!(contest.launched(1, "cub").unwrap_err().to_string().contains("there are 1"));
        }
    }
}
