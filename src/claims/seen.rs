//! What a predicate sees of a run: a row of a report in its JSON, so that a recorded report does as well.
//!
//! A name that the row does not have comes out as NaN, of which nothing is true: the claim then fails its test. What it
//! leaves out: the words of a report, which no verdict may depend on.

use serde_json::Value;

/// A row of a report.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a>(&'a Value);

impl<'a> Seen<'a> {
    /// The row of a variant in a report.
    pub(crate) fn find(report: &'a Value, variant: &str) -> Option<Seen<'a>> {
        let rows = report["sections"].as_array()?.iter().filter_map(|section| section["rows"].as_array());
        rows.flatten().find(|row| row["variant"] == variant).map(Seen)
    }

    /// The variant's name.
    pub fn variant(&self) -> &'a str {
        self.0["variant"].as_str().unwrap_or_default()
    }

    /// `ok`, `WRONG` or `FAULT`.
    pub fn verdict(&self) -> &'a str {
        self.0["verdict"].as_str().unwrap_or_default()
    }

    /// A counter of the emulator, by its name in [`Counters`](simt::Counters).
    pub fn counter(&self, name: &str) -> f64 {
        number(&self.0["counters"][name])
    }

    /// A figure that the chapter gave the row, see [`Row::fact`](crate::Row::fact).
    pub fn fact(&self, name: &str) -> f64 {
        number(&self.0["facts"][name])
    }

    /// How often the emulator found a kind of fault, a warning or a note, by its name, `race` say; `None` if never.
    pub fn fault(&self, kind: &str) -> Option<u64> {
        let faults = self.0["faults"].as_array()?.iter().filter(|fault| fault["kind"] == kind);
        faults.map(|fault| fault["count"].as_u64().unwrap_or(1)).reduce(|sum, count| sum + count)
    }

    /// PTX instructions that a warp executed, on average.
    pub fn per_warp(&self) -> f64 {
        self.counter("ptx_instructions") / self.counter("warps")
    }

    /// Lanes at work, averaged over the PTX instructions.
    pub fn active_lanes(&self) -> f64 {
        self.counter("ptx_lanes") / self.counter("ptx_instructions")
    }

    /// The median of a GPU's times in microseconds.
    pub fn time_us(&self) -> f64 {
        number(&self.0["timing"]["median_us"])
    }

    /// How long a GPU took for the run before those, in microseconds.
    pub fn warm_up_us(&self) -> f64 {
        number(&self.0["timing"]["warm_up_us"])
    }

    pub(crate) fn is_timed(self) -> bool {
        !self.time_us().is_nan()
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Where a recorded report was made: the GPU, and its driver.
pub(super) fn origin(report: &Value) -> String {
    let gpu = report["machines"].as_array().and_then(|machines| machines.last());
    let name = gpu.and_then(|gpu| gpu["name"].as_str()).unwrap_or("a GPU");
    match gpu.and_then(|gpu| gpu["details"]["driver"].as_str()) {
        Some(driver) => format!("{name}, driver {driver}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_is_read_by_name() {
        let row = json!({
            "variant": "sum", "verdict": "FAULT",
            "counters": { "warps": 2, "ptx_instructions": 10, "ptx_lanes": 160 },
            "facts": { "lost": 3.0 },
            "faults": [{ "kind": "race", "count": 2 }, { "kind": "race", "count": 5 }],
        });
        let report = json!({ "sections": [{ "rows": [row] }] });
        let seen = Seen::find(&report, "sum").unwrap();
        assert_eq!((seen.per_warp(), seen.active_lanes(), seen.fact("lost")), (5.0, 16.0, 3.0));
        assert_eq!((seen.fault("race"), seen.fault("deadlock")), (Some(7), None));
        assert!(seen.counter("no_such").is_nan() && !seen.is_timed());
        assert!(Seen::find(&report, "difference").is_none());
    }
}
