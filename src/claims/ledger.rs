//! Claims and their verdicts, for a reader and for a program.
//!
//! What it leaves out: the rows behind the evidence, which the command under each claim prints.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json as object};

use super::{Judged, Outcome, Side};
use spec::layout::paragraph;

const ID: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
/// The indentation of lines below the claim's own words.
const INDENT: &str = "       ";

/// The ledger, for a reader.
pub(crate) fn text(chapter: &str, judged: &[Judged]) -> String {
    let mut out = String::new();
    for judged in judged {
        let claim = &judged.claim;
        let _ = writeln!(out, "\n{ID}{:<7}{ID:#}{}", claim.id, claim.ruling.name());
        out += &paragraph(&format!("{INDENT}{}: ", claim.voice.name()), claim.says);
        out += &decided(judged);
        out += &paragraph(INDENT, claim.why);
        let _ = writeln!(out, "{INDENT}$ {}", command(chapter, judged));
    }
    out.trim_start_matches('\n').to_owned() + &complaints(judged)
}

/// The command that shows it.
fn command(chapter: &str, judged: &Judged) -> String {
    format!("cargo run --bin {chapter} -- --claim {}", judged.claim.id)
}

fn decided(judged: &Judged) -> String {
    let finding = |side: &Side| judged.claim.ruling.finding(side.holds);
    match &judged.outcome {
        Outcome::Decided { holds, twin, record } => {
            let on = record.as_ref().map_or_else(|| "here".to_owned(), |origin| format!("on {origin}"));
            paragraph(&format!("{INDENT}{} {on}: ", finding(holds)), &holds.evidence)
                + &paragraph(&format!("{INDENT}{} for the twin: ", finding(twin)), &twin.evidence)
        }
        Outcome::NoRun(reason) => paragraph(&format!("{INDENT}not run: "), reason),
        Outcome::Missing(what) => paragraph(&format!("{INDENT}not run: "), &format!("it needs {what}")),
    }
}

/// The claims whose test does not agree with their ruling.
fn complaints(judged: &[Judged]) -> String {
    let mut out = String::new();
    for judged in judged.iter().filter(|judged| !judged.is_sound()) {
        let ruling = judged.claim.ruling;
        let what = match &judged.outcome {
            Outcome::Missing(what) => format!("needs {what}"),
            Outcome::Decided { holds, twin, .. } if holds.holds == twin.holds => {
                format!("is {} for its twin too", ruling.finding(twin.holds))
            }
            Outcome::Decided { holds, .. } => {
                format!("is ruled `{}`, but is {}", ruling.name(), ruling.finding(holds.holds))
            }
            Outcome::NoRun(_) => continue,
        };
        let _ = write!(out, "{BAD}{}{BAD:#}", paragraph("failed: ", &format!("{} {what}", judged.claim.id)));
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

/// The ledger, for a program.
pub(crate) fn json(chapter: &str, judged: &[Judged]) -> Value {
    judged.iter().map(|judged| entry(chapter, judged)).collect::<Vec<_>>().into()
}

fn entry(chapter: &str, judged: &Judged) -> Value {
    let claim = &judged.claim;
    let mut entry = object!({
        "id": claim.id,
        "voice": claim.voice.name(),
        "says": claim.says,
        "ruling": claim.ruling.name(),
        "why": claim.why,
        "command": command(chapter, judged),
        "sound": judged.is_sound(),
    });
    match &judged.outcome {
        Outcome::Decided { holds, twin, record } => {
            let side = |side: &Side| {
                let finding = claim.ruling.finding(side.holds);
                object!({ "finding": finding, "evidence": side.evidence })
            };
            entry["rows"] = side(holds);
            entry["twin"] = side(twin);
            entry["record"] = object!(record);
        }
        Outcome::NoRun(reason) => entry["not_run"] = (*reason).into(),
        Outcome::Missing(what) => entry["missing"] = what.clone().into(),
    }
    entry
}
