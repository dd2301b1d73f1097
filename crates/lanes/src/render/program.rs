//! What `lanes run` prints about a whole program: its output in the order in which it happens, with what is found.

use std::fmt::Write as _;
use std::io::Write;

use cuda_host::{Event, Finding, Outcome};
use serde_json::{Value, json};

/// What stands under the output of a program that looked at a clock.
const NO_MEASUREMENT: &str = "\nnote: times in this output are no measurements: clocks and events advance by a microsecond with each look at them\n";

/// What has been printed while the program was running.
#[derive(Debug, Default)]
pub struct Told {
    /// Bytes of the program's output.
    bytes: usize,
    /// Whether a line has been begun and not ended.
    is_inside_line: bool,
}

impl Told {
    /// Prints a finding at once, and before it what the program has printed.
    pub fn tell(&mut self, file: &str, event: Event<'_>) {
        let mut text = String::new();
        match event {
            Event::Output(bytes) => {
                self.bytes += bytes.len();
                text.push_str(&String::from_utf8_lossy(bytes));
                self.is_inside_line = !text.ends_with('\n');
            }
            Event::Finding(finding) => {
                if std::mem::take(&mut self.is_inside_line) {
                    text.push('\n');
                }
                finding_text(&mut text, file, finding);
            }
        }
        let mut out = std::io::stdout().lock();
        // As with any other program, nothing can be done if nobody reads it.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

/// What has not been printed yet.
pub fn render(outcome: &Outcome, told: &Told) -> String {
    let mut text = String::from_utf8_lossy(&outcome.output[told.bytes..]).into_owned();
    if outcome.findings.is_empty() && !outcome.asked_the_time {
        return text;
    }
    if told.is_inside_line && text.is_empty() || !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if outcome.asked_the_time {
        text.push_str(NO_MEASUREMENT);
    }
    if outcome.findings.is_empty() {
        return text;
    }
    let (findings, launches) = (outcome.findings.len(), outcome.launches);
    let stopped = if outcome.was_stopped { "; the program was stopped there" } else { "" };
    let (finding, launch) = (
        if findings == 1 { "finding" } else { "findings" },
        if launches == 1 { "launch" } else { "launches" },
    );
    let _ = writeln!(text, "\n{findings} {finding} in {launches} {launch}{stopped}");
    text
}

fn finding_text(text: &mut String, file: &str, finding: &Finding) {
    let place = if finding.line > 0 { format!("{file}:{}", finding.line) } else { file.to_owned() };
    let _ = writeln!(text, "\n{} at {place}: {}", finding.kind.name(), finding.message);
    for actor in &finding.actors {
        let _ = writeln!(text, "  {actor}");
    }
    if !finding.help.is_empty() {
        let _ = writeln!(text, "  help: {}", finding.help);
    }
}

pub fn json(name: &str, outcome: &Outcome) -> Value {
    let findings = outcome.findings.iter().map(|finding| {
        json!({
            "kind": finding.kind.name(),
            "line": finding.line,
            "message": finding.message,
            "actors": finding.actors,
            "help": finding.help,
        })
    });
    json!({
        "file": name,
        "machine": "emulator",
        "status": outcome.status,
        "stopped": outcome.was_stopped,
        "launches": outcome.launches,
        "asked_the_time": outcome.asked_the_time,
        "output": String::from_utf8_lossy(&outcome.output),
        "errors": String::from_utf8_lossy(&outcome.errors),
        "findings": findings.collect::<Vec<_>>(),
    })
}
