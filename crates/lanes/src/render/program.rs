//! What `lanes run` prints about a whole program: its output in the order in which it happens, with what is found.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal, Write};

use anyhow::{Result, bail};
use cuda_host::{Event, Finding, Outcome, Severity, Unchecked};
use cudac::host::Program;
use serde_json::{Value, json};
use spec::layout::{counted, grouped, paragraph};
use thirty_two_lanes::terminal;

use super::files;
use crate::execute::files::Made;
use crate::outcome::seen::Difference;
use crate::outcome::{Seen, unchecked};

/// What stands under the output of a program that looked at a clock.
const NO_MEASUREMENT: &str = "\nnote: times in this output are no measurements: clocks and events advance by a microsecond with each look at them\n";

/// What stands under the output of a program that Ctrl-C has ended.
const INTERRUPTED: &str = "\nnote: Ctrl-C ended the program; the rest was not checked\n";

/// What has been printed while the program was running.
#[derive(Debug, Default)]
pub struct Told {
    /// Bytes of the program's output.
    bytes: usize,
    /// Whether a line has been begun and not ended.
    is_inside_line: bool,
    /// Why something could not be printed.
    error: Option<std::io::Error>,
}

impl Told {
    /// Prints a finding at once, and before it what the program has printed.
    pub fn tell(&mut self, program: &Program, event: Event<'_>) {
        match event {
            Event::Output(bytes) => {
                self.bytes += bytes.len();
                self.is_inside_line = !bytes.ends_with(b"\n");
                self.print(&of_program(bytes, std::io::stdout().is_terminal()));
            }
            Event::Finding(finding) => {
                let mut text = String::new();
                if std::mem::take(&mut self.is_inside_line) {
                    text.push('\n');
                }
                finding_text(&mut text, program, finding);
                self.print(terminal::visible(&text).as_bytes());
            }
            Event::Alive { .. } | Event::Refused(_) => {}
        }
    }

    /// Prints what the program has printed since, and what it has printed to its standard error.
    pub fn tell_rest(&mut self, program: &Program, outcome: &Outcome) {
        let rest = &outcome.output[self.bytes..];
        if !rest.is_empty() {
            self.tell(program, Event::Output(rest));
        }
        // As with any other program, nothing can be done if nobody reads it.
        let _ = std::io::stderr().write_all(&of_program(&outcome.errors, std::io::stderr().is_terminal()));
    }

    fn print(&mut self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        let printed = out.write_all(bytes).and_then(|()| out.flush());
        self.error = self.error.take().or(printed.err());
    }

    /// Why something could not be printed, unless its reader had seen enough.
    pub fn error(&mut self) -> Result<()> {
        match self.error.take().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
            Some(error) => bail!("cannot print: {error}"),
            None => Ok(()),
        }
    }
}

/// What a program prints: every byte for a file or another program, and for a terminal what cannot change it.
fn of_program(bytes: &[u8], is_terminal: bool) -> Cow<'_, [u8]> {
    if !is_terminal {
        return Cow::Borrowed(bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    Cow::Owned(terminal::visible(&text).into_owned().into_bytes())
}

/// What comes after what was printed.
pub fn render(outcome: &Outcome, told: &Told, made: &[Made], note: Option<&str>) -> String {
    let mut text = String::new();
    let about_files = files::notes(made, &outcome.files);
    let unchecked = unchecked::sentence(&outcome.unchecked);
    let has_notes = outcome.asked_the_time
        || outcome.was_interrupted
        || !about_files.is_empty()
        || note.is_some()
        || unchecked.is_some();
    if outcome.findings.is_empty() && !has_notes {
        return text;
    }
    if told.is_inside_line {
        text.push('\n');
    }
    if outcome.was_interrupted {
        text.push_str(INTERRUPTED);
    }
    if outcome.asked_the_time {
        text.push_str(NO_MEASUREMENT);
    }
    text.push_str(&about_files);
    let unchecked = unchecked.map(|what| format!("{what}: {}", unchecked::HELP));
    for note in [unchecked.as_deref(), note].into_iter().flatten() {
        let _ = write!(text, "\n{}", paragraph("note: ", note));
    }
    if outcome.findings.is_empty() {
        return text;
    }
    let stopped = if outcome.was_stopped {
        "; the program was stopped there, and the rest was not checked"
    } else {
        ""
    };
    let launches = outcome.launches;
    let launch = if launches == 1 { "launch" } else { "launches" };
    let _ = writeln!(text, "\n{} in {launches} {launch}{stopped}", how_many(&outcome.findings));
    text
}

/// `1 finding`, or `2 findings, 1 of them an error,`.
fn how_many(findings: &[Finding]) -> String {
    let count = counted(findings.len() as u64, "finding");
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    match errors {
        _ if errors == findings.len() => count,
        0 if findings.len() == 1 => format!("{count}, which is no error,"),
        0 => format!("{count}, none of them an error,"),
        errors => format!("{count}, {errors} of them {},", if errors == 1 { "an error" } else { "errors" }),
    }
}

/// What many seeds showed.
pub fn seeds(seen: &Seen, has_failed: bool, replay: &str) -> String {
    let range = format!("{} to {}", seen.seeds.start, seen.seeds.end - 1);
    let clean = seen.ran - u64::from(has_failed);
    let milder = match seen.with_findings - u64::from(has_failed) {
        0 => String::new(),
        milder => format!(", {} of them with warnings or notes", grouped(milder)),
    };
    let summary = match (has_failed, clean) {
        (true, 0) => format!("seed {}, the first, finds an error", seen.seed),
        (true, clean) => {
            format!("{} ran without an error{milder}, then seed {} finds one", grouped(clean), seen.seed)
        }
        (false, clean) => {
            format!("all {} ran without an error{milder}; shown is seed {}", grouped(clean), seen.seed)
        }
    };
    let mut text = format!("\n{}", paragraph("seeds: ", &format!("{range}: {summary}")));
    if let Some(Difference { seed, line, first, other }) = seen.difference() {
        let what = format!(
            "the output depends on the seed: line {line} is `{first}` with seed {}, and `{other}` with seed {seed}",
            seen.seeds.start
        );
        text += &paragraph("       ", &what);
    }
    text + &format!("replay: {replay}\n")
}

/// Many seeds, for programs.
pub fn seeds_json(seen: &Seen) -> Value {
    let difference = seen.difference().map(|Difference { seed, line, first, other }| {
        json!({ "seed": seed, "line": line, "first": first, "other": other })
    });
    json!({
        "start": seen.seeds.start,
        "end": seen.seeds.end,
        "ran": seen.ran,
        "with_findings": seen.with_findings,
        "shown": seen.seed,
        "difference": difference,
    })
}

/// What else to try with a program whose threads wait for each other, and in which nothing was found.
pub fn look_further(command: &str) -> String {
    format!(
        "\nnote: its threads wait for each other or take locks, and one order of turns shows little; others: {command}\n"
    )
}

fn finding_text(text: &mut String, program: &Program, finding: &Finding) {
    let (file, line) = (program.file(finding.line), finding.line);
    let place = if line.is_known() { format!("{file}:{}", line.number()) } else { file.to_owned() };
    // A reader expects an error, so only a warning or a note says what it is.
    let severity = match finding.severity {
        Severity::Error => String::new(),
        milder => format!("{}: ", milder.name()),
    };
    let _ = writeln!(text, "\n{severity}{} at {place}: {}", finding.kind.name(), finding.message);
    for actor in &finding.actors {
        let _ = writeln!(text, "  {actor}");
    }
    if !finding.help.is_empty() {
        let _ = writeln!(text, "  help: {}", finding.help);
    }
}

pub fn json(name: &str, program: &Program, outcome: &Outcome, made: &[Made]) -> Value {
    let findings = outcome.findings.iter().map(|finding| {
        json!({
            "kind": finding.kind.name(),
            "severity": finding.severity.name(),
            "file": program.file(finding.line),
            "line": finding.line.number(),
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
        "interrupted": outcome.was_interrupted,
        "launches": outcome.launches,
        "unchecked": outcome.unchecked.iter().map(unchecked_json).collect::<Vec<_>>(),
        "asked_the_time": outcome.asked_the_time,
        "output": String::from_utf8_lossy(&outcome.output),
        "errors": String::from_utf8_lossy(&outcome.errors),
        "files": files::json(made, &outcome.files),
        "findings": findings.collect::<Vec<_>>(),
    })
}

fn unchecked_json(of: &Unchecked) -> Value {
    json!({ "kernel": of.kernel, "unchecked": of.unchecked, "launches": of.launches })
}
