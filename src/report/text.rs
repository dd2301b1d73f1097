//! Formats a report for a reader: 80 columns, with colour only on a terminal.
//!
//! Colours are always written. The stream that prints removes them if there is no terminal or `NO_COLOR` is set. What
//! it leaves out: counters that the chapter is not about; `--json` has all of them.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{Report, Row, Section, Verdict, faults};
use crate::machine::About;
use spec::layout::{paragraph, table};

const TITLE: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const FOUND: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The whole report.
pub fn render(report: &Report) -> String {
    head(report) + &body(report)
}

/// What is known before anything is run: the title, the machines and the settings.
pub fn head(report: &Report) -> String {
    let mut out = format!("{TITLE}{}{TITLE:#}\n", report.title);
    let machines: Vec<String> = report.machines.iter().map(machine).chain(report.missing.clone()).collect();
    out += &paragraph("on: ", &machines.join("; "));
    let settings: Vec<String> =
        report.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
    if !settings.is_empty() {
        out += &paragraph("with: ", &settings.join(", "));
    }
    out
}

/// What was found.
pub fn body(report: &Report) -> String {
    let mut out = report.unwatched.as_ref().map_or_else(String::new, |text| paragraph("checkers: ", text));
    report.sections.iter().filter(|section| section.was_run()).for_each(|s| out += &render_section(s));
    out + &failures(report)
}

fn machine(about: &About) -> String {
    let details: Vec<String> = about.details.iter().map(|(name, value)| format!("{name} {value}")).collect();
    if details.is_empty() { about.name.clone() } else { format!("{} ({})", about.name, details.join(", ")) }
}

fn render_section(section: &Section) -> String {
    let mut out = format!("\n{TITLE}");
    out += paragraph("", &format!("{}: {}", section.name, section.title)).trim_end();
    let _ = writeln!(out, "{TITLE:#}");
    if !section.rows.is_empty() {
        out += &rows(section);
    }
    section.pictures.iter().for_each(|(name, lines)| out += &picture(name, lines));
    section.rows.iter().for_each(|row| out += &faults::about(row));
    let notes = section.notes.iter().chain(&section.gpu_notes);
    notes.for_each(|note| out += &paragraph("  * ", note));
    out
}

/// A picture as it was drawn, below its name.
fn picture(name: &str, lines: &str) -> String {
    format!("{TITLE}{name}{TITLE:#}\n{}\n", lines.trim_end())
}

/// The table, without a head if it has no columns. There are columns for a GPU's time and for the agreement of the
/// machines if any row has them.
fn rows(section: &Section) -> String {
    let timed = section.rows.iter().any(|row| time(row) != NO_TIME);
    let compared = section.rows.iter().any(|row| row.agreement.is_some());
    let mut lines = vec![columns(section, timed, compared, 0), columns(section, timed, compared, 1)];
    lines.retain(|head| head.iter().any(|cell| !cell.is_empty()));
    lines.extend(section.rows.iter().map(|row| cells(section, row, timed, compared)));
    let lines = table(&lines);
    lines.iter().fold(String::new(), |out, line| out + &coloured(line, section) + "\n")
}

fn columns(section: &Section, timed: bool, compared: bool, line: usize) -> Vec<String> {
    let mut head = vec![String::new(), String::new()];
    head.extend(section.columns.iter().map(|column| column.head[line].to_owned()));
    head.extend(timed.then(|| ["GPU", "µs"][line].to_owned()));
    head.extend(compared.then(|| ["", "agree"][line].to_owned()));
    head
}

fn cells(section: &Section, row: &Row, timed: bool, compared: bool) -> Vec<String> {
    let mut cells = vec![row.variant.clone(), row.verdict.name().to_owned()];
    cells.extend(section.columns.iter().map(|column| row.cell(column)));
    cells.extend(timed.then(|| time(row)));
    cells.extend(compared.then(|| agreement(row).to_owned()));
    cells
}

const NO_TIME: &str = "-";

/// How long the GPU took, or the target that it is too old for.
fn time(row: &Row) -> String {
    let needs = row.run.needs.as_ref().map_or(NO_TIME.to_owned(), |target| format!("needs {target}"));
    row.run.timing.as_ref().map_or(needs, |timing| format!("{:.1}", timing.median_us))
}

fn agreement(row: &Row) -> &'static str {
    match &row.agreement {
        Some(check) if check.is_right() => "yes",
        Some(_) => "NO",
        None => "-",
    }
}

/// A line of a table, with its verdict in colour.
fn coloured(line: &str, section: &Section) -> String {
    let row = section.rows.iter().find(|row| line.split_whitespace().next() == Some(&row.variant));
    let Some(row) = row else { return line.to_owned() };
    let (style, name) = (style(row), row.verdict.name());
    line.replacen(&format!(" {name} "), &format!(" {style}{name}{style:#} "), 1)
}

fn style(row: &Row) -> Style {
    match row.verdict {
        _ if row.is_failure() => BAD,
        Verdict::Ok => GOOD,
        Verdict::Wrong | Verdict::Fault => FOUND,
    }
}

/// The rows whose verdict is not the one that the chapter expects.
fn failures(report: &Report) -> String {
    let mut out = String::new();
    for row in report.rows().filter(|row| row.is_failure()) {
        let (got, expected) = (row.verdict.name(), row.expected.name());
        let text = if row.verdict == row.expected {
            format!("{}: the machines disagree", row.variant)
        } else {
            format!("{}: the verdict is {got}, expected {expected}", row.variant)
        };
        let _ = write!(out, "{BAD}{}{BAD:#}", paragraph("failed: ", &text));
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Run, Timing};

    #[test]
    fn a_gpu_that_is_too_old_has_what_it_needs_in_place_of_a_time() {
        let row = |variant: &str, run| Row { variant: variant.to_owned(), ..Row::new(run, Verdict::Ok) };
        let timing = Timing { median_us: 2.5, ..Timing::default() };
        let timed = row("pick_ballot", Run { timing: Some(timing), ..Run::default() });
        let needs = row("pick_elect", Run { needs: Some("sm_90".to_owned()), ..Run::default() });
        assert!(!needs.is_failure());
        let table = |rows: Vec<Row>| {
            let text = super::rows(&Section { rows, ..Section::default() });
            anstream::adapter::strip_str(&text).to_string()
        };
        let both = table(vec![timed, needs.clone()]);
        let line = |name: &str| both.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        assert!(
            line("pick_ballot").ends_with(" 2.5") && line("pick_elect").ends_with(" needs sm_90"),
            "{both}"
        );
        assert!(table(vec![needs]).ends_with("needs sm_90\n"));
    }

    #[test]
    fn a_table_without_columns_has_no_head() {
        let row = Row { variant: "sum".to_owned(), ..Row::new(Run::default(), Verdict::Ok) };
        let section = Section { rows: vec![row], ..Section::default() };
        assert_eq!(anstream::adapter::strip_str(&rows(&section)).to_string(), "sum  ok\n");
    }
}
