//! What a chapter found, as JSON: the types that its program writes, and that the book, the figures and the chores read.
//!
//! Three files are made of them. `chapter --json` prints a [`Report`]. A chapter's `output/sim.json` holds the reports of
//! all its recorded runs on the emulator ([`Emulated`]), which anyone can make again. `output/h200.json` holds what a GPU
//! measured in the same runs, and nothing else ([`Measured`]), so that nothing the emulator found can pass for the GPU's.
//!
//! Every file begins with its [`VERSION`]. A reader refuses another one by name.

mod emulated;
mod measured;
mod report;

use anyhow::{Context, Result, bail};
use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use emulated::{Emulated, Recorded};
pub use measured::{Measured, Run, SectionOnGpu, measured};
pub use report::{
    Actor, Check, Column, CudaLine, Difference, Fault, Line, Machine, OnGpu, Report, Row, Section, Timing,
};

/// The version of the format. It changes when a key gets another meaning or goes away, not when one is added.
pub const VERSION: u64 = 2;

/// Names and what belongs to them, in the order in which they were written.
pub type Named<T> = IndexMap<String, T>;

/// Reads one of the files, after a look at its version. `what` is what an error calls it.
///
/// # Errors
/// It is not JSON, has another version, or lacks a key.
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
    fn what_is_written_is_read() {
        let row = Row { variant: "a".into(), facts: [("lost".into(), Some(2.5))].into(), ..Row::default() };
        let section = Section { name: "s".into(), rows: vec![row], ..Section::default() };
        let report = Report { version: VERSION, sections: vec![section], ..Report::default() };
        let again: Report = read(&text(&report), "the report").unwrap();
        assert_eq!(again, report);
        assert_eq!(again.row("a").unwrap().facts["lost"], Some(2.5));
        assert!(again.row("b").unwrap_err().to_string().contains("there are a"));
    }
}
