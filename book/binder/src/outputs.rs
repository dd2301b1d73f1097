//! What a chapter printed, on both machines, as tabs with the command under them.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::html::{escape, escape_lines};
use crate::record::{self, Source};
use crate::report::{self, Wanted};
use crate::repository::Repository;

/// `{{#output ch02 in_place table notes}}`.
pub fn tabs(words: &[&str], repository: &Repository) -> Result<String> {
    let [source, name, parts @ ..] = words else { bail!("name a chapter and a section of its report") };
    let source = Source::parse(source, repository)?;
    source.check_fresh(repository)?;
    let wanted = parts.iter().map(|part| wanted(part)).collect::<Result<Vec<_>>>()?;
    let tables = wanted.iter().filter(|part| matches!(part, Wanted::Table | Wanted::Rows(_))).count();
    ensure!(tables < 2, "`table` has all rows: write that, or one `rows=A,B`");
    let wanted = if wanted.is_empty() { vec![Wanted::All] } else { wanted };
    let json = source.json(repository)?;
    let section = record::section(&json, name)?;
    let mut tabs = String::new();
    for (label, file) in files(&source, &json) {
        let text = repository.read(&format!("{}/{file}", source.output()))?;
        let reports = report::reports(&text);
        let report = reports
            .get(source.note.unwrap_or_default())
            .with_context(|| format!("`{file}` has no such report"))?;
        tabs += &tab(report, name, section, &wanted, &label)?;
    }
    let command = match source.note {
        None => command(&source, name, &wanted),
        Some(number) => {
            let text = repository.read(&format!("{}/h200_note_size.txt", source.output()))?;
            report::reports(&text)[number].command.to_owned()
        }
    };
    Ok(format!(
        "<div class=\"output\">\n<div class=\"tabs\">\n{tabs}</div>\n<div class=\"command\"><code>{}</code></div>\n</div>\n",
        escape(&command)
    ))
}

/// The tabs and the files behind them.
fn files(source: &Source, json: &Value) -> Vec<(String, &'static str)> {
    let gpu = json["machines"].as_array().and_then(|machines| machines.last());
    let gpu = gpu.and_then(|gpu| gpu["name"].as_str()).unwrap_or("GPU").to_owned();
    match source.note {
        None => vec![("Emulator".to_owned(), "sim.txt"), (gpu, "h200.txt")],
        Some(_) => vec![(gpu, "h200_note_size.txt")],
    }
}

fn tab(
    report: &report::Report<'_>,
    name: &str,
    json: &Value,
    wanted: &[Wanted],
    label: &str,
) -> Result<String> {
    let (rows, pictures) = (record::row_names(json), record::picture_names(json));
    let section = report.section(name, &rows, &pictures)?;
    let parts = wanted.iter().map(|wanted| section.text(wanted)).collect::<Result<Vec<_>>>()?;
    let (label, settings) = (escape(label), settings(json, label));
    Ok(format!(
        "<section class=\"tab\" data-label=\"{label}\">\n\
         <pre tabindex=\"0\" role=\"region\" aria-label=\"{label}, {name}\"><code class=\"language-text nohighlight\">{}</code></pre>\n\
         {settings}</section>\n",
        escape_lines(&parts.join("\n")),
    ))
}

/// The settings that the section depends on, if there are any; its title says what it fixes itself.
fn settings(section: &Value, label: &str) -> String {
    let settings = section["settings"].as_object().into_iter().flatten();
    let settings: Vec<String> = settings.map(|(name, value)| format!("{name} {value}")).collect();
    if settings.is_empty() {
        return String::new();
    }
    format!("<p class=\"settings\">{}; {}</p>\n", escape(label), escape(&settings.join(", ")))
}

fn wanted(part: &str) -> Result<Wanted> {
    match part.split_once('=') {
        None if part == "table" => Ok(Wanted::Table),
        None if part == "notes" => Ok(Wanted::Notes),
        Some(("picture", name)) => Ok(Wanted::Picture(name.to_owned())),
        Some(("rows", names)) => Ok(Wanted::Rows(names.split(',').map(str::to_owned).collect())),
        _ => bail!("`{part}` is no part of a section: write `table`, `notes`, `picture=NAME` or `rows=A,B`"),
    }
}

/// What shows these parts: a section has to be asked for whole, rows and pictures by their names.
fn command(source: &Source, section: &str, wanted: &[Wanted]) -> String {
    let names: Vec<&str> = wanted
        .iter()
        .filter_map(|wanted| match wanted {
            Wanted::Picture(name) => Some(vec![name.as_str()]),
            Wanted::Rows(names) => Some(names.iter().map(String::as_str).collect()),
            _ => None,
        })
        .flatten()
        .collect();
    let whole = wanted.iter().any(|wanted| matches!(wanted, Wanted::Table | Wanted::Notes | Wanted::All));
    let only = if whole { section.to_owned() } else { names.join(",") };
    format!("cargo run --bin {} -- --only {only}", source.chapter)
}
