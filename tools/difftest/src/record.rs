//! The result of a campaign as the committed JSON: how many kernels were run, how many differ, and why, opcode by
//! opcode.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::campaign::{EQUAL, Outcome};

/// What is recorded about a campaign besides its outcome.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// The date, which the command line gives, because the program reads no calendar.
    pub date: String,
    /// The device.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// The assemblers besides the driver's.
    pub ptxas: Vec<String>,
    /// The command.
    pub command: String,
    /// How many seconds it took.
    pub seconds: u64,
}

/// The record.
pub fn record(about: &Circumstances, outcome: &Outcome) -> Value {
    let lines = &outcome.lines;
    let sum = |key: &str| lines.iter().filter_map(|line| line[key].as_u64()).sum::<u64>();
    let differences: Vec<&Value> = lines.iter().filter(|line| line["difference"].is_object()).collect();
    let troubles: Vec<&Value> = lines.iter().filter(|line| !line["trouble"].is_null()).collect();
    let seeds = lines.first().zip(lines.last()).map(|(first, last)| json!([first["seed"], last["seed"]]));
    json!({
        "date": about.date,
        "device": about.device,
        "driver": about.driver,
        "ptxas": about.ptxas,
        "command": about.command,
        "seconds": about.seconds,
        "cut_short": outcome.cut_short,
        "seeds": seeds,
        "kernels": lines.len(),
        "instructions": sum("instructions"),
        "slots": sum("slots"),
        "equal": lines.len() - differences.len() - troubles.len(),
        "different": differences.len(),
        "unexplained": unexplained(&differences, &troubles),
        "troubles": troubles,
        "groups": groups(&differences),
    })
}

/// The number of kernels that differ, or were lost, without a compiler that is known to be the reason.
fn unexplained(differences: &[&Value], troubles: &[&Value]) -> usize {
    let differ = differences.iter().filter(|line| verdict(&line["difference"]) != "assembler").count();
    let came_back = |line: &Value| {
        line["retries"].as_object().is_some_and(|retries| retries.values().any(|result| result == EQUAL))
    };
    differ + troubles.iter().filter(|line| !came_back(line)).count()
}

/// Whose mistake a difference is, as far as a program can decide that.
pub fn verdict(difference: &Value) -> &'static str {
    let alone = &difference["alone"];
    let differs = |level: &str| alone.is_object() && alone[level] != alone["emulator"];
    let levels = difference["levels"].as_object();
    let some_level_is_equal =
        levels.is_some_and(|levels| levels.values().any(|level| level == "equal" || level == "equal here"));
    match () {
        // The instruction differs even by itself, so its value is in question.
        () if differs("driver -O0") && differs("driver -O4") => "value",
        // The same text has the right result if it is compiled in another way, so the assembler is wrong.
        () if some_level_is_equal || differs("driver -O0") || differs("driver -O4") => "assembler",
        // Wrong at every level, but right by itself: a person has to read the kernel.
        () => "open",
    }
}

/// The differences by instruction and verdict, each with its seeds and an example.
fn groups(differences: &[&Value]) -> Vec<Value> {
    let mut groups: BTreeMap<(String, &str), Vec<&Value>> = BTreeMap::new();
    for line in differences {
        let difference = &line["difference"];
        let opcode = difference["opcode"].as_str().unwrap_or("?").to_owned();
        groups.entry((opcode, verdict(difference))).or_default().push(line);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(key, lines)| (std::cmp::Reverse(lines.len()), key.clone()));
    let summaries = groups.into_iter().map(|((opcode, verdict), lines)| {
        let seeds: Vec<&Value> = lines.iter().map(|line| &line["seed"]).collect();
        json!({ "opcode": opcode, "verdict": verdict, "kernels": lines.len(), "seeds": seeds, "example": lines[0]["difference"] })
    });
    summaries.collect()
}

/// A summary of the record in a few lines.
pub fn summary(record: &Value) -> String {
    let mut text = format!(
        "{} kernels with {} instructions and {} results on {}: {} equal, {} different, {} lost\n",
        record["kernels"],
        record["instructions"],
        record["slots"],
        record["device"],
        record["equal"],
        record["different"],
        record["troubles"].as_array().map_or(0, Vec::len),
    );
    for trouble in record["troubles"].as_array().into_iter().flatten().take(10) {
        let _ =
            writeln!(text, "  seed {}: {}", trouble["seed"], trouble["trouble"].as_str().unwrap_or_default());
    }
    for group in record["groups"].as_array().into_iter().flatten() {
        let example = &group["example"];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let _ = writeln!(
            text,
            "  {:>5} {:9} {:28} seed {}: `{}` gives {} and not {}",
            group["kernels"].to_string(),
            word(&group["verdict"]),
            word(&group["opcode"]),
            group["seeds"][0],
            word(&example["instruction"]),
            word(&example["device"]),
            word(&example["emulator"]),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_follows_from_the_other_results() {
        let alone = |o0: &str, o4: &str| json!({ "emulator": "0x1", "driver -O0": o0, "driver -O4": o4 });
        let wrong = json!({ "driver -O0": "slot 3", "driver -O4": "slot 3" });
        let mended = json!({ "driver -O0": "equal", "driver -O4": "slot 3" });
        let verdict = |alone: &Value, levels: &Value| verdict(&json!({ "alone": alone, "levels": levels }));
        assert_eq!(verdict(&alone("0x2", "0x2"), &wrong), "value");
        assert_eq!(verdict(&alone("0x1", "0x1"), &mended), "assembler");
        assert_eq!(verdict(&alone("0x1", "0x2"), &wrong), "assembler");
        assert_eq!(verdict(&alone("0x1", "0x1"), &wrong), "open");
        assert_eq!(verdict(&Value::Null, &mended), "assembler");
    }
}
