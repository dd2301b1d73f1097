//! The results of a chapter's run, as a table whose columns say which machine they are from, with the remarks below it,
//! the command, and the text that the terminal shows.
//!
//! What the emulator found comes from one record and what the GPU measured from another (see [`record`]). Each part of
//! the page that shows the GPU's results has the class `by-gpu`, so the results of one machine are never shown as the
//! other's.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use record::{OnGpu, Report, Row, Section};

use crate::html::{escape, escape_lines, sentence};
use crate::repository::Repository;
use crate::source::{Gpu, Run, Source};
use crate::value::with_commas;

/// A part of a section that a directive asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// The table.
    Table,
    /// The rows of these names.
    Rows(Vec<String>),
    /// A picture.
    Picture(String),
    /// The remarks on single rows.
    Remarks,
    /// What to notice in the section.
    Notes,
}

/// `{{#output ch02 in_place table notes}}`.
pub fn output(words: &[&str], repository: &Repository) -> Result<String> {
    let [source, name, parts @ ..] = words else { bail!("name a chapter and a section of its report") };
    let source = Source::parse(source, repository)?;
    let run = source.read(repository)?;
    let section = run.report().section(name)?;
    let wanted = all_wanted(parts, section)?;
    let part = |wanted: &Wanted| match wanted {
        Wanted::Table => Ok(table(&run, section, |_| true)),
        Wanted::Rows(names) => rows(&run, section, names),
        Wanted::Picture(name) => picture(section, name),
        Wanted::Remarks => Ok(remarks(&run, &wanted_rows(&wanted_names(parts), section))),
        Wanted::Notes => Ok(notes(&run, section)),
    };
    let parts = wanted.iter().map(part).collect::<Result<String>>()?;
    Ok(format!(
        "<div class=\"output\">\n{parts}{}{}{}</div>\n",
        settings(section),
        if shows_all(&wanted) { terminal(&source, name, repository)? } else { String::new() },
        command(&source, &run, name, &wanted)
    ))
}

/// The rows whose values `{{#output …}}` shows, as `ch02.ROW`. A picture has none.
pub fn shown(words: &[&str], repository: &Repository) -> Result<Vec<String>> {
    let [chapter, name, parts @ ..] = words else { bail!("name a chapter and a section of its report") };
    if !parts.is_empty() && parts.iter().all(|part| part.starts_with("picture=")) {
        return Ok(Vec::new());
    }
    let run = Source::parse(chapter, repository)?.read(repository)?;
    let rows = wanted_rows(&wanted_names(parts), run.report().section(name)?).into_iter();
    Ok(rows.map(|row| format!("{chapter}.{}", row.variant)).collect())
}

/// The parts that the words ask for; without words these are all parts that the section has.
fn all_wanted(parts: &[&str], section: &Section) -> Result<Vec<Wanted>> {
    let wanted = parts.iter().map(|part| wanted(part)).collect::<Result<Vec<_>>>()?;
    let tables = wanted.iter().filter(|part| matches!(part, Wanted::Table | Wanted::Rows(_))).count();
    ensure!(tables < 2, "`table` has all rows: write that, or one `rows=A,B`");
    if !wanted.is_empty() {
        return Ok(wanted);
    }
    let table = (!section.rows.is_empty()).then_some(Wanted::Table);
    let pictures = section.pictures.keys().cloned().map(Wanted::Picture);
    Ok(table.into_iter().chain(pictures).chain([Wanted::Remarks, Wanted::Notes]).collect())
}

fn wanted(part: &str) -> Result<Wanted> {
    match part.split_once('=') {
        None if part == "table" => Ok(Wanted::Table),
        None if part == "remarks" => Ok(Wanted::Remarks),
        None if part == "notes" => Ok(Wanted::Notes),
        Some(("picture", name)) => Ok(Wanted::Picture(name.to_owned())),
        Some(("rows", names)) => Ok(Wanted::Rows(names.split(',').map(str::to_owned).collect())),
        _ => bail!(
            "`{part}` is no part of a section: write `table`, `rows=A,B`, `picture=NAME`, `remarks` or `notes`"
        ),
    }
}

/// The rows that the words name; an empty list means all rows.
fn wanted_names(parts: &[&str]) -> Vec<String> {
    let names = parts.iter().find_map(|part| part.strip_prefix("rows="));
    names.map(|names| names.split(',').map(str::to_owned).collect()).unwrap_or_default()
}

fn wanted_rows<'s>(names: &[String], section: &'s Section) -> Vec<&'s Row> {
    section.rows.iter().filter(|row| names.is_empty() || names.contains(&row.variant)).collect()
}

fn rows(run: &Run, section: &Section, names: &[String]) -> Result<String> {
    let all: Vec<&str> = section.rows.iter().map(|row| row.variant.as_str()).collect();
    if let Some(name) = names.iter().find(|name| !all.contains(&name.as_str())) {
        bail!("the section has no row `{name}`; it has {}", all.join(", "));
    }
    Ok(table(run, section, |row| names.contains(&row.variant)))
}

/// The columns with the GPU's results.
struct GpuColumns<'r> {
    gpu: Gpu<'r>,
    is_checked: bool,
    is_timed: bool,
}

impl<'r> GpuColumns<'r> {
    /// The columns in which at least one of the rows has a value, if there is a record.
    fn of(run: &'r Run, rows: &[&Row]) -> Option<Self> {
        let measured: Vec<&OnGpu> = rows.iter().filter_map(|row| run.measured(&row.variant)).collect();
        let is_checked = measured.iter().any(|on_gpu| result(on_gpu).is_some());
        let is_timed = measured.iter().any(|on_gpu| on_gpu.timing.is_some());
        (is_checked || is_timed).then_some(())?;
        Some(Self { gpu: run.gpu()?, is_checked, is_timed })
    }

    fn count(&self) -> usize {
        usize::from(self.is_checked) + usize::from(self.is_timed)
    }

    /// The head over the GPU's columns, which names the machine.
    fn group(&self) -> String {
        let Gpu { machine, date, is_stale } = self.gpu;
        let (class, mark, why) = if is_stale {
            (" stale", " (stale)", "; the kernels have other instructions now")
        } else {
            ("", "", "")
        };
        format!(
            "<th colspan=\"{}\" scope=\"colgroup\" class=\"by-gpu{class}\" title=\"recorded on {date}: {}{why}\">{}{mark}</th>",
            self.count(),
            escape(&machine.origin()),
            escape(&machine.name)
        )
    }

    fn heads(&self) -> String {
        let heads = [(self.is_checked, "result"), (self.is_timed, "µs")];
        let wanted = heads.iter().filter(|(is_there, _)| *is_there);
        wanted.fold(String::new(), |html, (_, head)| {
            html + &format!("<th scope=\"col\" class=\"by-gpu\">{head}</th>")
        })
    }

    fn cells(&self, row: &Row, on_gpu: Option<&OnGpu>) -> String {
        let dash = || "–".to_owned();
        // A chapter may withhold a harmful kernel from the GPU before the program would. In that case the record has no
        // row.
        let kept = || (on_gpu.is_none() && row.harmful).then(|| NOT_RUN.to_owned());
        let checked = on_gpu.and_then(result).or_else(kept).unwrap_or_else(dash);
        let time = on_gpu
            .and_then(|on_gpu| on_gpu.timing)
            .map_or_else(dash, |time| with_commas(&format!("{:.1}", time.median_us)));
        let cells = [(self.is_checked, "", checked), (self.is_timed, " number", time)];
        let wanted = cells.iter().filter(|(is_there, ..)| *is_there);
        wanted.fold(String::new(), |html, (_, class, cell)| {
            html + &format!("<td class=\"by-gpu{class}\">{}</td>", escape(cell))
        })
    }
}

/// The text for a kernel that was not run on the GPU.
const NOT_RUN: &str = "not run";

/// The result of a variant on the GPU, in one or two words.
fn result(on_gpu: &OnGpu) -> Option<String> {
    if on_gpu.withheld.is_some() {
        return Some(NOT_RUN.to_owned());
    }
    match (&on_gpu.check, &on_gpu.agreement) {
        (Some(check), _) if check.is_right() => Some("right".to_owned()),
        (Some(check), _) => Some(format!("{} wrong", with_commas(&check.wrong.to_string()))),
        (None, Some(agreement)) if agreement.is_right() => Some("the same".to_owned()),
        (None, Some(_)) => Some("another".to_owned()),
        (None, None) => None,
    }
}

fn table(run: &Run, section: &Section, is_wanted: impl Fn(&Row) -> bool) -> String {
    let rows: Vec<&Row> = section.rows.iter().filter(|row| is_wanted(row)).collect();
    let gpu = GpuColumns::of(run, &rows);
    let mut html = format!(
        "<p class=\"report-title\">{}</p>\n<table class=\"report\" aria-label=\"{}\">\n<thead>\n<tr><th rowspan=\"2\" scope=\"col\">variant</th>\
         <th colspan=\"{}\" scope=\"colgroup\" class=\"by-emulator\">emulator</th>{}</tr>\n<tr>\
         <th scope=\"col\" class=\"by-emulator\">result</th>",
        sentence(&section.title),
        escape(&section.title.replace('`', "")),
        1 + section.columns.len(),
        gpu.as_ref().map(GpuColumns::group).unwrap_or_default(),
    );
    for [upper, lower] in &section.columns {
        let head = escape(&head(upper, lower));
        let _ = write!(html, "<th scope=\"col\" class=\"by-emulator number\">{head}</th>");
    }
    html += &gpu.as_ref().map(GpuColumns::heads).unwrap_or_default();
    html += "</tr>\n</thead>\n<tbody>\n";
    for row in rows {
        html += &line(row, gpu.as_ref(), run.measured(&row.variant));
    }
    html + "</tbody>\n</table>\n"
}

/// A head of two lines, joined. In a narrow column it may break between the two and nowhere else.
fn head(upper: &str, lower: &str) -> String {
    let whole = [upper, lower].map(|line| line.replace(' ', "\u{a0}"));
    whole.join(" ").trim_matches(' ').to_owned()
}

fn line(row: &Row, gpu: Option<&GpuColumns<'_>>, on_gpu: Option<&OnGpu>) -> String {
    let verdict = escape(&row.verdict);
    let mut html = format!(
        "<tr><th scope=\"row\"><code>{}</code></th><td class=\"by-emulator result {}\">{verdict}</td>",
        escape(&row.variant),
        verdict.to_lowercase()
    );
    for cell in &row.cells {
        let _ = write!(html, "<td class=\"by-emulator number\">{}</td>", escape(cell));
    }
    html += &gpu.map(|gpu| gpu.cells(row, on_gpu)).unwrap_or_default();
    html + "</tr>\n"
}

fn picture(section: &Section, name: &str) -> Result<String> {
    let lines = section.pictures.get(name).with_context(|| {
        let names: Vec<&str> = section.pictures.keys().map(String::as_str).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        format!("the section has no picture `{name}`; it has {names}")
    })?;
    Ok(format!(
        "<pre tabindex=\"0\" role=\"region\" aria-label=\"{name}, a picture in text\"><code class=\"language-text nohighlight\">{}</code></pre>\n",
        escape_lines(lines.trim_end())
    ))
}

/// The remarks on single rows, machine by machine.
fn remarks(run: &Run, rows: &[&Row]) -> String {
    let gpu = run.gpu();
    let mut items = String::new();
    for row in rows {
        let bound = row.check.as_ref().and_then(|check| check.bound.as_ref());
        let bound = bound.map(|bound| format!("checked {bound}"));
        for text in bound.iter().chain(&row.remarks) {
            items += &item(&row.variant, text, None);
        }
        for text in run.measured(&row.variant).into_iter().flat_map(|on_gpu| &on_gpu.remarks) {
            items += &item(&row.variant, text, gpu.as_ref());
        }
    }
    list("remarks", &items)
}

/// What to notice, machine by machine.
fn notes(run: &Run, section: &Section) -> String {
    let mut items: String = section.notes.iter().map(|text| item("", text, None)).collect();
    let gpu = run.gpu();
    items.extend(run.gpu_notes(&section.name).iter().map(|text| item("", text, gpu.as_ref())));
    list("notes", &items)
}

fn item(variant: &str, text: &str, gpu: Option<&Gpu<'_>>) -> String {
    let variant =
        if variant.is_empty() { String::new() } else { format!("<code>{}</code>: ", escape(variant)) };
    match gpu {
        None => format!("<li class=\"by-emulator\">{variant}{}</li>\n", sentence(text)),
        Some(gpu) => {
            let stale = if gpu.is_stale { ", stale" } else { "" };
            let name = escape(&gpu.machine.name);
            format!(
                "<li class=\"by-gpu\"><span class=\"machine\">{name}{stale}</span> {variant}{}</li>\n",
                sentence(text)
            )
        }
    }
}

fn list(class: &str, items: &str) -> String {
    if items.is_empty() { String::new() } else { format!("<ul class=\"{class}\">\n{items}</ul>\n") }
}

/// The settings that the section depends on, if there are any. Sizes that the section fixes are in its title.
fn settings(section: &Section) -> String {
    let settings: Vec<String> = section
        .settings
        .iter()
        .map(|(name, value)| format!("{name} {}", with_commas(&value.to_string())))
        .collect();
    if settings.is_empty() {
        return String::new();
    }
    format!("<p class=\"settings\">{}</p>\n", escape(&settings.join(", ")))
}

/// The section as the emulator's report shows it in a terminal, under a fold, if that is recorded.
fn terminal(source: &Source, section: &str, repository: &Repository) -> Result<String> {
    if source.run > 0 {
        return Ok(String::new());
    }
    let name = format!("{}/sim.txt", source.output());
    let text = repository.read(&name)?;
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("{section}: "))).peekable();
    ensure!(lines.peek().is_some(), "`{name}` has no section `{section}`; run `cargo xtask bless`");
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    Ok(format!(
        "<details class=\"terminal\">\n<summary>In the terminal, on the emulator</summary>\n\
         <pre tabindex=\"0\" role=\"region\" aria-label=\"{section}, as the terminal prints it\"><code class=\"language-text nohighlight\">{}</code></pre>\n\
         </details>\n",
        escape_lines(&lines.join("\n"))
    ))
}

/// Whether the page shows the table with all its rows. If it shows only a part, the terminal's text would give away the
/// rest, which may be the answer to the next question.
fn shows_all(wanted: &[Wanted]) -> bool {
    wanted.contains(&Wanted::Table)
}

/// The command that shows these parts: a section without parts, and rows and pictures by their names.
fn command(source: &Source, run: &Run, section: &str, wanted: &[Wanted]) -> String {
    let chapter = &source.chapter;
    let command = if source.run > 0 {
        format!("cargo run --release --bin {chapter} -- {}", run.arguments())
    } else {
        let names = wanted.iter().filter_map(|wanted| match wanted {
            Wanted::Picture(name) => Some(name.clone()),
            Wanted::Rows(names) => Some(names.join(",")),
            _ => None,
        });
        let names: Vec<String> = names.collect();
        let whole = names.is_empty()
            || wanted.iter().any(|wanted| matches!(wanted, Wanted::Table | Wanted::Remarks | Wanted::Notes));
        let only = if whole { section.to_owned() } else { names.join(",") };
        format!("cargo run --bin {chapter} -- --only {only}")
    };
    format!("<div class=\"command\"><code>{}</code></div>\n", escape(&command))
}

/// Whether a command may ask for this name: a section, or something in one.
pub fn has(report: &Report, name: &str) -> bool {
    report.sections.iter().any(|section| {
        section.name == name
            || section.rows.iter().any(|row| row.variant == name)
            || section.pictures.contains_key(name)
    })
}

#[cfg(test)]
mod tests {
    use record::{Check, Timing};

    use super::*;

    #[test]
    fn the_gpus_result_is_given_in_a_word() {
        let check = |wrong| Some(Check { elements: 9, wrong, ..Check::default() });
        let of = |check, agreement| result(&OnGpu { check, agreement, ..OnGpu::default() });
        assert_eq!(of(check(0), check(3)).as_deref(), Some("right"));
        assert_eq!(of(check(1234), None).as_deref(), Some("1,234 wrong"));
        assert_eq!(of(None, check(0)).as_deref(), Some("the same"));
        assert_eq!(of(None, check(1)).as_deref(), Some("another"));
        let withheld = OnGpu { withheld: Some("it hangs".into()), check: check(0), ..OnGpu::default() };
        assert_eq!(result(&withheld).as_deref(), Some("not run"));
        let timed = OnGpu { timing: Some(Timing::default()), ..OnGpu::default() };
        assert_eq!(result(&timed), None);
    }

    #[test]
    fn a_harmful_kernel_that_is_missing_in_the_record_counts_as_not_run() {
        let machine = record::Machine::default();
        let gpu = Gpu { machine: &machine, date: "", is_stale: false };
        let columns = GpuColumns { gpu, is_checked: true, is_timed: true };
        let cells = |harmful| columns.cells(&Row { harmful, ..Row::default() }, None);
        assert!(cells(true).contains("not run"), "{}", cells(true));
        assert!(!cells(false).contains("not run"), "{}", cells(false));
    }

    #[test]
    fn a_head_is_broken_only_where_the_terminal_breaks_it() {
        assert_eq!(head("sectors", "ld / st"), "sectors ld\u{a0}/\u{a0}st");
        assert_eq!(head("PTX per", "warp"), "PTX\u{a0}per warp");
        assert_eq!(head("warps", ""), "warps");
    }

    #[test]
    fn parts_are_named_or_refused() {
        assert_eq!(wanted("rows=a,b").unwrap(), Wanted::Rows(vec!["a".into(), "b".into()]));
        assert!(wanted("faults").unwrap_err().to_string().contains("`remarks`"));
    }
}
