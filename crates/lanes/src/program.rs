//! A file with `main`: the whole program is run, host code and kernels.
//!
//! It is always compiled by cudac, because NVIDIA's run-time compiler takes kernels only. What the program prints comes
//! in the order in which it happens, with what is found. What it leaves out: options that choose or change one launch, which are refused.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, bail};
use cuda_host::{Event, Finding, Given, Limits, Outcome};
use serde_json::{Value, json};
use simt::Dim3;
use thirty_two_lanes::cores;
use thirty_two_lanes::terminal;

use super::Output;
use super::options::{Device, RunOptions};
use super::source;

/// The text of a CUDA file that has a function `main`, if the options ask for no kernel of it.
pub(super) fn text(options: &RunOptions) -> Result<Option<String>> {
    let is_cuda = options.file.extension().is_some_and(|extension| extension == "cu");
    if !is_cuda || options.kernel.is_some() || !options.args.is_empty() || !options.launches.is_empty() {
        return Ok(None);
    }
    let text = source::cuda_text(&options.file)?;
    Ok(Some(text).filter(|text| has_main(text)))
}

/// Whether a text has the word `main` with a parenthesis after it, in neither a comment nor a text in quotes.
pub(super) fn has_main(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |at| at + 4)
        } else if c == '"' || c == '\'' {
            quoted(rest, c)
        } else if is_word(c) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            if &rest[..end] == "main" && rest[end..].trim_start().starts_with('(') {
                return true;
            }
            end
        } else {
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    false
}

/// How long a text in quotes is, with them; it ends with its line at the latest.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '\n' || c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// Compiles and runs a program.
pub(super) fn run(options: &RunOptions, text: &str) -> Result<Output> {
    refuse(options)?;
    let name = source::name(&options.file);
    let short = options.file.file_name().unwrap_or(options.file.as_os_str()).to_string_lossy();
    let wanted = cudac::Options {
        sm: options.arch.unwrap_or(70),
        defines: options.defines.clone(),
        instances: Vec::new(),
    };
    let compiled = cudac::compile_program(&cudac::Source { name: &short, text }, &wanted);
    let (made, program) = compiled.map_err(|errors| source::rejected(&name, &errors))?;
    let bugs: Vec<Finding> = made.warnings.iter().filter_map(finding).collect();
    let guesses = made.warnings.iter().filter(|warning| finding(warning).is_none());
    if !options.json {
        guesses.for_each(|warning| terminal::warn(&warning.to_string()));
    }
    let limits = Limits::default();
    let launch_steps = options.max_steps.unwrap_or(limits.launch_steps);
    let limits = Limits { launch_steps, cores: options.cores.unwrap_or_else(cores::available), ..limits };
    let mut input = Vec::new();
    if cuda_host::reads_input(&program) {
        std::io::stdin().read_to_end(&mut input).context("cannot read the standard input")?;
    }
    let given = Given { arguments: &options.words, input: &input };
    let told = Mutex::new(Told::default());
    let watch = |event: Event<'_>| {
        if !options.json {
            told.lock().unwrap_or_else(PoisonError::into_inner).tell(&short, event);
        }
    };
    for bug in &bugs {
        watch(Event::Finding(bug));
    }
    let mut outcome = cuda_host::run_watched(&program, &short, &made.ptx, &given, &limits, &watch)
        .map_err(|error| anyhow!("cannot run `{name}`: {error}"))?;
    let told = told.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.findings.splice(..0, bugs);
    let failed = !outcome.findings.is_empty();
    let status = if failed { 1 } else { outcome.status as u8 };
    if !options.json {
        // As with any other program, nothing can be done if nobody reads it.
        let _ = std::io::stderr().write_all(&outcome.errors);
    }
    let text =
        if options.json { format!("{:#}\n", as_json(&name, &outcome)) } else { render(&outcome, &told) };
    Ok((text, ExitCode::from(status)))
}

/// What the compiler knows to go wrong, as a finding.
fn finding(warning: &cudac::Diagnostic) -> Option<Finding> {
    let kind = match warning.bug? {
        cudac::Bug::Uninitialized => cuda_host::Kind::Uninitialized,
        cudac::Bug::RoundedQuotient => return None,
    };
    let help = warning.help.clone().unwrap_or_default();
    Some(Finding { kind, line: warning.line, message: warning.message.clone(), actors: Vec::new(), help })
}

/// Refuses options that have no effect on a program.
fn refuse(options: &RunOptions) -> Result<()> {
    let given = [
        ("--grid", options.grid != Dim3::from(1)),
        ("--block", options.block != Dim3::from(32)),
        ("--shared-bytes", options.shared_bytes != 0),
        ("--compiler", options.compiler == Some(cudac::toolchain::Choice::Nvrtc)),
        ("--seed", options.seed.is_some()),
        ("--seeds", options.seeds.is_some()),
        ("--schedule", options.schedule.is_some()),
        ("--reconvergence", options.reconvergence.is_some()),
        ("--resident-blocks", options.resident_blocks.is_some()),
        ("--weak-memory", options.weak_memory),
        ("--check", options.check.is_some()),
        ("--strict", options.strict),
        ("--device", options.device == Device::Gpu),
        ("--trace", options.trace.is_some()),
    ];
    if let Some((option, _)) = given.iter().chain(&options.for_kernels()).find(|(_, given)| *given) {
        bail!(
            "`{}` has a function `main`, so the whole program is run, and `{option}` has no effect on that: omit it, or \
             choose a kernel with `--kernel`",
            source::name(&options.file)
        );
    }
    Ok(())
}

/// What stands under the output of a program that looked at a clock.
const NO_MEASUREMENT: &str = "\nnote: times in this output are no measurements: clocks and events advance by a microsecond with each look at them\n";

/// What has been printed while the program was running.
#[derive(Debug, Default)]
struct Told {
    /// Bytes of the program's output.
    bytes: usize,
    /// Whether a line has been begun and not ended.
    is_inside_line: bool,
}

impl Told {
    /// Prints a finding at once, and before it what the program has printed.
    fn tell(&mut self, file: &str, event: Event<'_>) {
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
fn render(outcome: &Outcome, told: &Told) -> String {
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
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let stopped = if outcome.was_stopped { "; the program was stopped there" } else { "" };
    let _ = writeln!(
        text,
        "\n{findings} finding{} in {launches} launch{}{stopped}",
        plural(findings as u64),
        if launches == 1 { "" } else { "es" }
    );
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

fn as_json(name: &str, outcome: &Outcome) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_is_a_word_before_a_parenthesis() {
        for text in ["int main() {}", "void f();\nint main (void)", "int main\n(int argc)"] {
            assert!(has_main(text), "{text}");
        }
        let quoted = [
            "char* s = \"main (\";",
            "// main (see below)\nvoid f();",
            "/* main( */ int x;",
            "char c = '\"'; // main(",
        ];
        for text in ["void domain(int x)", "int mainly() {}", "// the main loop", "int main_loop()"] {
            assert!(!has_main(text), "{text}");
        }
        assert!(has_main("char c = '\\''; int main() {}"));
        for text in quoted {
            assert!(!has_main(text), "{text}");
        }
    }
}
