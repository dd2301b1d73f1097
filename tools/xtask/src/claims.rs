//! `cargo xtask claims`: the verdict on every claim, from fresh runs of all chapters.
//!
//! Each chapter decides its own claims. This chore asks all of them and sorts the answers: first the notes' claims
//! (`N1.11`), then those of the chapters without a note (`S7.1`). It reports claims that are missing or decided twice.
//! Of the evidence it prints one line per claim; a claim's own command prints all of it.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;
use thirty_two_lanes::golden;
use thirty_two_lanes::report::layout::paragraph;

use crate::bless::{build, chapters, program};
use crate::chore::Outcome;

/// The notes and how many claims each makes: `N0.1` to `N0.15`, and so on.
const NOTES: [(&str, usize); 5] = [("N0", 15), ("N1", 18), ("N2", 29), ("N3", 8), ("N4", 24)];

pub fn run() -> Result<Outcome> {
    let mut ledger = Vec::new();
    for chapter in chapters()? {
        let name = golden::name(&chapter)?;
        build(name)?;
        let output =
            Command::new(program(name)?).args(["--device", "sim", "--claim", "all", "--json"]).output();
        let output = output.with_context(|| format!("cannot run `{name}`"))?;
        let entries: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()))?;
        ledger.extend(entries.as_array().cloned().unwrap_or_default());
    }
    ledger.sort_by_key(|entry| order(id(entry)));
    for entry in &ledger {
        print!("{}", line(entry));
    }
    print!("\n{}", summary(&ledger));
    let ids: Vec<&str> = ledger.iter().map(id).collect();
    let off = miscounted(&ids);
    for complaint in &off {
        println!("failed: {complaint}");
    }
    let is_sound = off.is_empty() && ledger.iter().all(|entry| entry["sound"] == true);
    Ok(if is_sound { Outcome::Done } else { Outcome::Stale })
}

fn id(entry: &Value) -> &str {
    entry["id"].as_str().unwrap_or_default()
}

/// The order of claims, in which `N0.10` comes after `N0.9`.
fn order(id: &str) -> (String, usize) {
    let (note, number) = id.split_once('.').unwrap_or((id, ""));
    (note.to_owned(), number.parse().unwrap_or_default())
}

fn line(entry: &Value) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or_default();
    let found = match (&entry["rows"]["evidence"], &entry["not_run"], &entry["missing"]) {
        (Value::String(evidence), ..) => match &entry["record"] {
            Value::String(record) => format!("{evidence} (recorded: {record})"),
            _ => evidence.clone(),
        },
        (_, Value::String(reason), _) => format!("not run: {reason}"),
        (.., Value::String(what)) => format!("not run: it needs {what}"),
        _ => String::new(),
    };
    let mark = if entry["sound"] == true { "" } else { "FAILED " };
    paragraph(&format!("{:<6} {mark}{:<22} ", text("id"), text("ruling")), &found)
}

/// How many entries have each value of a key: `3 holds, 2 wrong`.
fn tally(ledger: &[Value], key: &str) -> String {
    let mut values: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in ledger {
        *values.entry(entry[key].as_str().unwrap_or_default()).or_default() += 1;
    }
    let values: Vec<String> = values.iter().map(|(value, count)| format!("{count} {value}")).collect();
    values.join(", ")
}

fn summary(ledger: &[Value]) -> String {
    let count = |is: fn(&Value) -> bool| ledger.iter().filter(|entry| is(entry)).count();
    let tested = count(|entry| entry["rows"].is_object() && entry["record"].is_null());
    let recorded = count(|entry| entry["record"].is_string());
    paragraph(
        "",
        &format!(
            "{} claims: {}. Whose they are: {}. {tested} are tested by runs on the emulator, {recorded} by a recorded run \
             on a GPU, {} without a run.",
            ledger.len(),
            tally(ledger, "ruling"),
            tally(ledger, "voice"),
            ledger.len() - tested - recorded
        ),
    )
}

/// The claims that are missing, unknown, or listed more than once.
fn miscounted(ids: &[&str]) -> Vec<String> {
    let wanted: Vec<String> =
        NOTES.iter().flat_map(|(note, last)| (1..=*last).map(move |n| format!("{note}.{n}"))).collect();
    let times = |id: &str| ids.iter().filter(|known| **known == id).count();
    let missing = wanted.iter().filter(|id| times(id) != 1);
    let mut off: Vec<String> = missing.map(|id| format!("{id} is decided {} times", times(id))).collect();
    let (of_notes, said): (Vec<&str>, Vec<&str>) = ids.iter().partition(|id| id.starts_with('N'));
    let unknown = of_notes.iter().filter(|id| !wanted.iter().any(|known| known == *id));
    off.extend(unknown.map(|id| format!("{id} is not a claim of any note")));
    let twice = said.iter().collect::<BTreeSet<_>>().into_iter().filter(|id| times(id) > 1);
    off.extend(twice.map(|id| format!("{id} is decided {} times", times(id))));
    off
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_claim_of_the_notes_is_in_exactly_one_ledger() {
        let ledgers = chapters().unwrap().into_iter().map(|chapter| chapter.join("output/sim_claims.txt"));
        let text: String = ledgers.map(|path| fs::read_to_string(path).unwrap_or_default()).collect();
        let heads = text.lines().filter_map(|line| line.split_once("  ").map(|(id, _)| id));
        let ids: Vec<&str> = heads.filter(|id| id.starts_with(['N', 'S']) && id.contains('.')).collect();
        assert_eq!(miscounted(&ids), Vec::<String>::new());
    }

    #[test]
    fn claims_are_in_the_order_of_the_notes() {
        assert!(order("N0.9") < order("N0.10") && order("N0.14") < order("N1.1"));
    }

    #[test]
    fn the_summary_counts_verdicts_and_whose_the_claims_are() {
        let entry = |ruling: &str, voice: &str| serde_json::json!({ "ruling": ruling, "voice": voice });
        let ledger = [entry("wrong", "the note's code"), entry("not decided", "the note says")];
        let summary = summary(&ledger);
        assert!(
            summary.starts_with("2 claims: 1 not decided, 1 wrong. Whose they are: 1 the note says,"),
            "{summary}"
        );
    }

    #[test]
    fn missing_and_repeated_claims_are_reported() {
        let off = miscounted(&["N0.1", "N0.1", "N9.1", "S7.1", "S7.2", "S7.2"]);
        assert!(off.contains(&"N0.1 is decided 2 times".to_owned()));
        assert!(off.contains(&"N0.2 is decided 0 times".to_owned()));
        assert!(off.contains(&"N9.1 is not a claim of any note".to_owned()));
        assert!(off.contains(&"S7.2 is decided 2 times".to_owned()));
        assert!(!off.iter().any(|line| line.contains("S7.1")));
    }
}
