//! What a predicate sees of a run: a row of a report in its JSON form, so that a recorded report can be used as well.
//!
//! A name that the row does not have gives NaN, for which no comparison is true, so the claim fails its test. What it
//! leaves out: the wording of a report, on which no verdict may depend.

use record::{Report, Row};

/// A row of a report.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a>(&'a Row);

impl<'a> Seen<'a> {
    /// The row of a variant in a report.
    pub(crate) fn find(report: &'a Report, variant: &str) -> Option<Seen<'a>> {
        report.rows().find(|row| row.variant == variant).map(Seen)
    }

    /// The variant's name.
    pub fn variant(&self) -> &'a str {
        &self.0.variant
    }

    /// `ok`, `WRONG` or `FAULT`.
    pub fn verdict(&self) -> &'a str {
        &self.0.verdict
    }

    /// A counter of the emulator, by its name in [`Counters`](simt::Counters).
    pub fn counter(&self, name: &str) -> f64 {
        self.0.counters.get(name).map_or(f64::NAN, |&count| count as f64)
    }

    /// A figure that the chapter added to the row, for either machine: see [`Row::fact`](crate::Row::fact) and
    /// [`Row::gpu_fact`](crate::Row::gpu_fact).
    pub fn fact(&self, name: &str) -> f64 {
        let on_gpu = self.0.gpu.as_ref().and_then(|gpu| gpu.facts.get(name));
        self.0.facts.get(name).or(on_gpu).copied().flatten().unwrap_or(f64::NAN)
    }

    /// How often the emulator found a kind of fault, warning or note, given its name, for example `race`; `None` if
    /// never.
    pub fn fault(&self, kind: &str) -> Option<u64> {
        let faults = self.0.faults.iter().filter(|fault| fault.kind == kind);
        faults.map(|fault| fault.count).reduce(|sum, count| sum + count)
    }

    /// PTX instructions that a warp executed, on average.
    pub fn per_warp(&self) -> f64 {
        self.0.instructions_per_warp().unwrap_or(f64::NAN)
    }

    /// Active lanes, averaged over the PTX instructions.
    pub fn active_lanes(&self) -> f64 {
        self.0.active_lanes().unwrap_or(f64::NAN)
    }

    /// The median of a GPU's times in microseconds.
    pub fn time_us(&self) -> f64 {
        self.timing().map_or(f64::NAN, |timing| timing.median_us)
    }

    /// The longest of a GPU's times in microseconds.
    pub fn slowest_us(&self) -> f64 {
        self.timing().map_or(f64::NAN, |timing| timing.max_us)
    }

    /// The shortest of a GPU's times in microseconds.
    pub fn fastest_us(&self) -> f64 {
        self.timing().map_or(f64::NAN, |timing| timing.min_us)
    }

    /// How long a GPU took for the run before the timed ones, in microseconds.
    pub fn warm_up_us(&self) -> f64 {
        self.timing().and_then(|timing| timing.warm_up_us).unwrap_or(f64::NAN)
    }

    fn timing(self) -> Option<&'a record::Timing> {
        self.0.gpu.as_ref()?.timing.as_ref()
    }

    pub(crate) fn is_timed(self) -> bool {
        !self.time_us().is_nan()
    }
}

#[cfg(test)]
mod tests {
    use record::Fault;

    use super::*;

    #[test]
    fn a_row_is_read_by_name() {
        let counters = [("warps", 2), ("ptx_instructions", 10), ("ptx_lanes", 160)];
        let race = |count| Fault { kind: "race".into(), count, ..Fault::default() };
        let row = Row {
            variant: "sum".into(),
            verdict: "FAULT".into(),
            counters: counters.map(|(name, value)| (name.to_owned(), value)).into(),
            facts: [("lost".to_owned(), Some(3.0))].into(),
            faults: vec![race(2), race(5)],
            ..Row::default()
        };
        let section = record::Section { rows: vec![row], ..record::Section::default() };
        let report = Report { sections: vec![section], ..Report::default() };
        let seen = Seen::find(&report, "sum").unwrap();
        assert_eq!((seen.per_warp(), seen.active_lanes(), seen.fact("lost")), (5.0, 16.0, 3.0));
        assert_eq!((seen.fault("race"), seen.fault("deadlock")), (Some(7), None));
        assert!(seen.counter("no_such").is_nan() && !seen.is_timed());
        assert!(Seen::find(&report, "difference").is_none());
    }
}
