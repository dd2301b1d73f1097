//! What was found and measured: the types of all records, which programs and chores write, and which the book, the figures
//! and the tests read.
//!
//! Three kinds of JSON files say what a chapter found. `chapter --json` prints a [`Report`]. A chapter's `output/sim.json` contains the
//! reports of all its recorded runs on the emulator ([`Emulated`]), which can be made again on any machine.
//! `output/h200.json` contains what a GPU measured in the same runs, and nothing else ([`Measured`]), so that nothing
//! the emulator found can be mistaken for the GPU's.
//!
//! Each of these begins with its [`VERSION`]. A file of any other version is refused with an error that names both
//! versions.
//!
//! NVIDIA's tools count in a GPU's runs, and their counts are CSV, a [`Table`]. Programs that time our kernels beside
//! CUB's write JSON, a [`Contest`], and the one that times matrix products beside cuBLAS writes a table of each [`Product`].

mod contest;
mod emulated;
mod measured;
mod products;
mod report;
mod table;

use anyhow::{Context, Result, bail};
use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use contest::{Comparison, Contender, Contest};
pub use emulated::{Emulated, Recorded};
pub use measured::{Measured, Run, SectionOnGpu, measured};
pub use products::Product;
pub use report::{
    Actor, Check, Column, CudaLine, Difference, Fault, Line, Machine, OnGpu, Report, Row, Section, Timing,
};
pub use table::{Atomic, Counted, Metric, Table, launches};

/// The version of the format. It changes when a key gets another meaning or is removed, not when one is added.
pub const VERSION: u64 = 2;

/// Values by name, in the order in which they were written.
pub type Named<T> = IndexMap<String, T>;

/// Reads one of the files, after checking its version. An error calls the file `what`.
///
/// # Errors
/// If the text is not JSON, has another version, or lacks a key.
pub fn read<T: DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    let value: Value = serde_json::from_str(text).with_context(|| format!("{what} is not JSON"))?;
    match value["version"].as_u64() {
        Some(VERSION) => {}
        Some(version) => bail!(
            "{what} has version {version} of the format, and this program reads version {VERSION}: write it again with this program"
        ),
        None => {
            bail!("{what} does not say which version of the format it has: write it again with this program")
        }
    }
    serde_json::from_value(value).with_context(|| format!("{what} is not as version {VERSION} has it"))
}

/// The text of a file.
///
/// # Panics
/// Never: all keys are strings.
pub fn text<T: serde::Serialize>(of: &T) -> String {
    let value = serde_json::to_value(of).expect("all keys are strings");
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn refusal(text: &str) -> String {
        format!("{:#}", read::<Report>(text, "`a.json`").unwrap_err())
    }

    #[test]
    fn another_version_is_refused_by_name() {
        let newer = refusal(r#"{ "version": 3 }"#);
        assert!(newer.starts_with("`a.json` has version 3 of the format, and this program reads version 2"));
        assert!(refusal("{}").contains("does not say which version"));
        assert!(refusal("[").contains("is not JSON"));
        assert!(refusal(r#"{ "version": 2 }"#).contains("missing field `chapter`"));
    }

    #[test]
    fn a_file_that_was_written_can_be_read() {
        let row = Row { variant: "a".into(), facts: [("lost".into(), Some(2.5))].into(), ..Row::default() };
        let section = Section { name: "s".into(), rows: vec![row], ..Section::default() };
        let report = Report { version: VERSION, sections: vec![section], ..Report::default() };
        let again: Report = read(&text(&report), "the report").unwrap();
        assert_eq!(again, report);
        assert_eq!(again.row("a").unwrap().facts["lost"], Some(2.5));
        assert!(again.row("b").unwrap_err().to_string().contains("there are a"));
    }
    /// The numbers of a record stay the same to the last bit, no matter how often it is read and written.
    #[test]
    fn no_digit_of_a_number_is_lost() {
        let mantissas = (1..2000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12);
        let values =
            mantissas.zip((1000..1060).cycle()).map(|(bits, power)| f64::from_bits(power << 52 | bits));
        let facts: Named<Option<f64>> = values.map(|value| (format!("{value}"), Some(value))).collect();
        let row = Row { variant: "a".into(), facts: facts.clone(), ..Row::default() };
        let section = Section { name: "s".into(), rows: vec![row], ..Section::default() };
        let report = Report { version: VERSION, sections: vec![section], ..Report::default() };
        let again: Report = read(&text(&report), "the report").unwrap();
        for (name, value) in &again.row("a").unwrap().facts {
            assert_eq!(value.unwrap().to_bits(), facts[name].unwrap().to_bits(), "{name} became {value:?}");
        }
    }

    /// This is what a chore would do to the committed records. Some of a GPU's records were written by other programs,
    /// which spell exponents in another way.
    #[test]
    fn reading_and_writing_the_committed_records_changes_no_value() {
        let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../chapters");
        let mut count = 0;
        for chapter in fs::read_dir(chapters).unwrap() {
            let output = chapter.unwrap().path().join("output");
            let kept = |file: &str| fs::read_to_string(output.join(file)).ok();
            let emulated = kept("sim.json").map(|kept| (text(&read::<Emulated>(&kept, "it").unwrap()), kept));
            let measured =
                kept("h200.json").map(|kept| (text(&read::<Measured>(&kept, "it").unwrap()), kept));
            for (again, kept) in emulated.into_iter().chain(measured) {
                let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
                let first =
                    kept.lines().zip(again.lines()).find(|(one, other)| value_of(one) != value_of(other));
                assert!(value(&kept) == value(&again), "`{}`: {first:?}", output.display());
                count += 1;
            }
        }
        assert!(count >= 18, "{count} records");
    }

    /// The text after a line's key, as a number if it is one.
    fn value_of(line: &str) -> Result<f64, &str> {
        let value = line.rsplit(": ").next().unwrap_or_default().trim_end_matches(',');
        value.parse().map_err(|_| value)
    }
}
