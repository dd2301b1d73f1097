//! Small PTX texts whose values are known, and what each compiler made of them on a GPU.
//!
//! The texts are in `crates/simt/tests/hardware` and `crates/simt/tests/compilers`, where tests run them on the emulator. The GPU's
//! results are in records; as long as there is none, the page says so. If a text expects other values than when the
//! record was made, the record is stale.

use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::code;
use crate::html::{escape, sentence};
use crate::repository::Repository;

/// The folder that contains the texts' folders.
const FOLDER: &str = "crates/simt/tests";
/// The GPU's results for the texts.
const RECORD: &str = "tools/benchmarks/gpu/h200_texts.json";
/// The GPU's results for random kernels.
const RANDOM: &str = "tools/benchmarks/gpu/h200_random.json";

/// A text: what its header says, and its code.
struct Text {
    /// `hardware/ftz_mul.ptx`.
    name: String,
    clause: String,
    columns: Vec<String>,
    /// The label of each row, and its values.
    rows: Vec<(String, Vec<u64>)>,
    /// Hexadecimal digits of a value.
    digits: usize,
    /// The line on which the code begins, and the code.
    line: usize,
    code: Vec<String>,
}

/// The result of a text with some compilers.
enum Outcome {
    AsExpected,
    Values(Vec<u64>),
    /// There is no result; the text says why.
    None(String),
}

/// `{{#text hardware/ftz_mul}}`: the clause, the results with each compiler, and under folds the values, the text and
/// the command.
pub fn text(words: &[&str], repository: &Repository, link: &dyn Fn(&str, usize) -> String) -> Result<String> {
    let [name] = words else { bail!("name a text, `hardware/ftz_mul`") };
    let text = Text::read(name, repository)?;
    let file = format!("{FOLDER}/{}", text.name);
    let verdict = match record(RECORD, repository)? {
        None => no_record(),
        Some(record) => verdict(&text, &outcomes(&text, &record)?),
    };
    let listing = code::plain(&text.code.join("\n"), &link(&file, text.line));
    Ok(format!(
        "<p>{}.</p>\n{verdict}<details>\n<summary>{} rows of {} values, and the whole text</summary>\n{}\n{listing}\n\
         <div class=\"command\"><code>{}</code></div>\n</details>\n",
        sentence(&text.clause),
        text.rows.len(),
        text.columns.len(),
        text.table(),
        escape(&text.command(&file)),
    ))
}

/// `{{#compilers}}`: where, when and with which compilers the texts were recorded.
pub fn compilers(repository: &Repository) -> Result<String> {
    let Some(record) = record(RECORD, repository)? else { return Ok(no_record()) };
    let first = record["texts"].get(0).context("the record has no texts")?;
    let names: Vec<&str> = runs(first)?.map(|(name, _)| name).collect();
    Ok(format!("<p>{}: {}.</p>\n", circumstances(&record), levels(&names)))
}

/// `{{#random}}`: the results of random kernels on a GPU, opcode by opcode where something differed.
pub fn random(repository: &Repository) -> Result<String> {
    let Some(record) = record(RANDOM, repository)? else { return Ok(no_record()) };
    let count =
        |key: &str| record[key].as_u64().map(grouped).with_context(|| format!("`{RANDOM}` has no `{key}`"));
    let mut html = format!(
        "<p>{}: {} kernels with {} instructions and {} results. {} kernels returned what the emulator returned, {} did not.</p>\n",
        circumstances(&record),
        count("kernels")?,
        count("instructions")?,
        count("slots")?,
        count("equal")?,
        count("different")?,
    );
    let groups = record["groups"].as_array().map_or(&[][..], Vec::as_slice);
    if !groups.is_empty() {
        let row = |group: &Value| {
            let cell = |key: &str| escape(group[key].as_str().unwrap_or_default());
            let kernels = group["kernels"].as_u64().unwrap_or_default();
            format!(
                "<tr><td><code>{}</code></td><td>{}</td><td class=\"number\">{kernels}</td></tr>\n",
                cell("opcode"),
                cell("verdict")
            )
        };
        let rows: String = groups.iter().map(row).collect();
        html += &table("<th>instruction</th><th>mistake of</th><th class=\"number\">kernels</th>", &rows);
    }
    Ok(html)
}

impl Text {
    fn read(name: &str, repository: &Repository) -> Result<Text> {
        let name = format!("{name}.ptx");
        let ptx = repository.read(&format!("{FOLDER}/{name}"))?;
        let header: Vec<&str> = ptx.lines().take_while(|line| line.starts_with("//")).collect();
        let fact = |key: &str| {
            let at = header.iter().position(|line| line.starts_with(key));
            let at = at.with_context(|| format!("`{name}` has no line `{key}`"))?;
            // A longer fact continues on indented lines.
            let more = header[at + 1..].iter().map_while(|line| line.strip_prefix("//   "));
            let first = header[at][key.len()..].trim();
            anyhow::Ok(std::iter::once(first).chain(more).collect::<Vec<_>>().join(" "))
        };
        let values = |line: &&str| line.strip_prefix("// expect:").map(numbers);
        let rows: Vec<Vec<u64>> = header.iter().filter_map(values).collect::<Result<_>>()?;
        let labels: Vec<String> = header
            .iter()
            .filter_map(|line| line.strip_prefix("// row:"))
            .map(|row| row.trim().to_owned())
            .collect();
        ensure!(labels.len() == rows.len(), "`{name}` has {} rows and {} labels", rows.len(), labels.len());
        Ok(Text {
            clause: fact("// clause:")?,
            columns: fact("// columns:")?.split(" | ").map(str::to_owned).collect(),
            digits: if fact("// out:")? == "u64" { 16 } else { 8 },
            rows: labels.into_iter().zip(rows).collect(),
            line: header.len() + 1,
            code: ptx
                .lines()
                .skip(header.len())
                .filter(|line| !line.contains("ANCHOR"))
                .map(str::to_owned)
                .collect(),
            name,
        })
    }

    fn value(&self, value: u64) -> String {
        format!("<code>0x{value:0digits$x}</code>", digits = self.digits)
    }

    /// The command that runs it on the emulator.
    fn command(&self, file: &str) -> String {
        let (ty, count) = (if self.digits == 16 { "u64" } else { "u32" }, self.values().count());
        format!(
            "cargo run --bin lanes -- run {file} --block 1 --arg buf:{ty}:{count}:zeros --print 0:{count}"
        )
    }

    /// All values that the text expects.
    fn values(&self) -> impl Iterator<Item = u64> {
        self.rows.iter().flat_map(|(_, values)| values).copied()
    }

    /// All values: in a column for each instruction if the columns fit side by side, and otherwise in a list.
    fn table(&self) -> String {
        if self.is_wide() {
            return self.list();
        }
        let head = |column: &String| format!("<th>{}</th>", escape(column));
        let cell = |&value: &u64| format!("<td>{}</td>", self.value(value));
        let row = |(label, values): &(String, Vec<u64>)| {
            let cells: Vec<String> = values.iter().map(cell).collect();
            format!("<tr><td>{}</td>{}</tr>\n", operands(label), cells.concat())
        };
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        let heads: Vec<String> = self.columns.iter().map(head).collect();
        table(&format!("<th></th>{}", heads.concat()), &rows.concat())
    }

    /// Whether a column for each instruction would not fit on a page. Widths are in characters.
    fn is_wide(&self) -> bool {
        const PAGE: usize = 72;
        const GAP: usize = 2;
        let column = |name: &String| name.chars().count().max(self.digits + 2) + GAP;
        let label = |(label, _): &(String, Vec<u64>)| label.split(", ").map(|one| one.chars().count()).max();
        let labels = self.rows.iter().filter_map(label).max().unwrap_or(0);
        labels + self.columns.iter().map(column).sum::<usize>() > PAGE
    }

    /// The values in a list, in the order of the columns. Neighbours with the same value share a line.
    fn list(&self) -> String {
        let part = |(label, values): &(String, Vec<u64>)| {
            let named: Vec<(&String, u64)> = self.columns.iter().zip(values.iter().copied()).collect();
            let lines = named.chunk_by(|(_, one), (_, next)| one == next).map(|group| {
                let names = group.iter().map(|(name, _)| whole(name)).collect::<Vec<_>>().join(" · ");
                format!("<tr><td>{names}</td><td>{}</td></tr>\n", self.value(group[0].1))
            });
            let lines: String = lines.collect();
            let label = operands(label);
            format!("<tbody>\n<tr><th colspan=\"2\" scope=\"rowgroup\">{label}</th></tr>\n{lines}</tbody>\n")
        };
        let parts: String = self.rows.iter().map(part).collect();
        format!(
            "<div class=\"table-wrapper\">\n<table class=\"values\">\n<thead><tr><th>instructions</th><th>result</th></tr></thead>\n\
             {parts}</table>\n</div>\n"
        )
    }

    /// The number of values that are not as expected, and the first of them in each column, as rows of a table.
    fn differences(&self, found: &[u64]) -> (usize, Vec<String>) {
        let places = self.rows.iter().flat_map(|(label, values)| {
            self.columns.iter().zip(values).map(move |(column, &expected)| (label, column, expected))
        });
        let differing = places.zip(found).filter(|((_, _, expected), found)| expected != *found);
        let (mut count, mut columns, mut rows) = (0, Vec::new(), Vec::new());
        for ((label, column, expected), &found) in differing {
            count += 1;
            if columns.contains(&column) {
                continue;
            }
            columns.push(column);
            let (column, label) = (escape(column), operands(label));
            let [expected, found] = [expected, found].map(|value| self.value(value));
            rows.push(format!(
                "<tr><td>{column}<br><small>{label}</small></td><td>{expected}</td><td>{found}</td></tr>\n"
            ));
        }
        (count, rows)
    }
}

/// The results of a text; compilers with the same result are in one group.
fn outcomes(text: &Text, record: &Value) -> Result<Vec<(Outcome, Vec<String>)>> {
    let entries = record["texts"].as_array().context("the record has no texts")?;
    let Some(entry) = entries.iter().find(|entry| entry["file"] == text.name) else { return Ok(Vec::new()) };
    let recorded = entry["expected"].as_array().into_iter().flatten();
    let recorded: Vec<u64> = recorded.map(hexadecimal).collect::<Result<_>>()?;
    ensure!(
        text.values().eq(recorded.iter().copied()),
        "`{RECORD}` is stale: `{FOLDER}/{}` has other values by now; record the texts again",
        text.name
    );
    let mut outcomes: BTreeMap<String, (Outcome, Vec<String>)> = BTreeMap::new();
    for (name, result) in runs(entry)? {
        let outcome = match result {
            Value::String(result) if result == "as expected" => Outcome::AsExpected,
            Value::Array(values) => Outcome::Values(values.iter().map(hexadecimal).collect::<Result<_>>()?),
            other => Outcome::None(other.as_str().unwrap_or_default().to_owned()),
        };
        outcomes.entry(result.to_string()).or_insert((outcome, Vec::new())).1.push(name.to_owned());
    }
    Ok(outcomes.into_values().collect())
}

/// The runs of a text through compilers: their names and results.
fn runs(entry: &Value) -> Result<impl Iterator<Item = (&str, &Value)>> {
    let runs = entry["runs"].as_object().context("a text of the record has no runs")?;
    Ok(runs.iter().map(|(name, result)| (name.as_str(), result)).filter(|(name, _)| *name != "emulator"))
}

fn verdict(text: &Text, outcomes: &[(Outcome, Vec<String>)]) -> String {
    if outcomes.is_empty() {
        return no_record();
    }
    let paragraphs = outcomes.iter().map(|(outcome, names)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let by = levels(&names);
        match outcome {
            Outcome::AsExpected if outcomes.len() == 1 => {
                format!("<p>On the GPU the code of every compiler returned the values below: {by}.</p>\n")
            }
            Outcome::AsExpected => format!("<p>On the GPU the right values came from {by}.</p>\n"),
            Outcome::Values(found) => wrong_values(text, found, &by),
            Outcome::None(why) => format!("<p>No result came from {by}: {}.</p>\n", escape(why)),
        }
    });
    paragraphs.collect()
}

fn wrong_values(text: &Text, found: &[u64], by: &str) -> String {
    let (count, rows) = text.differences(found);
    let all = text.values().count();
    let table = table("<th></th><th>required</th><th>returned</th>", &rows.concat());
    format!(
        "<p>On the GPU {count} of {all} values were wrong from {by}. The first one for each instruction is:</p>\n{table}"
    )
}

/// Compilers with their levels, which stay on one line: `ptxas 12.9 -O1` and `ptxas 12.9 -O2` are combined.
fn levels(names: &[&str]) -> String {
    let mut compilers: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let (compiler, level) = name.rsplit_once(' ').unwrap_or((name, ""));
        match compilers.last_mut() {
            Some((last, levels)) if *last == compiler => levels.push(level),
            _ => compilers.push((compiler, vec![level])),
        }
    }
    let parts = compilers.iter().map(|(compiler, levels)| match levels[..] {
        [first, .., last] if is_row(levels) => {
            format!("{} at {}", escape(compiler), whole(&format!("{first} to {last}")))
        }
        _ => format!("{} at {}", escape(compiler), whole(&levels.join(" and "))),
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Whether there are three levels or more, each one higher than the one before.
fn is_row(levels: &[&str]) -> bool {
    let number = |level: &&str| level.strip_prefix("-O").and_then(|level| level.parse::<u32>().ok());
    let is_next = |pair: &[&str]| number(&pair[0]).zip(number(&pair[1])).is_some_and(|(a, b)| a + 1 == b);
    levels.len() > 2 && levels.windows(2).all(is_next)
}

fn circumstances(record: &Value) -> String {
    let word = |key: &str| escape(record[key].as_str().unwrap_or("unknown"));
    format!(
        "Recorded on {}, {}, driver {}, by <code>{}</code>",
        word("date"),
        word("device"),
        word("driver"),
        word("command")
    )
}

fn no_record() -> String {
    "<p>This has not been run on a GPU yet: the values are what the emulator must return.</p>\n".to_owned()
}

/// A record, if there is one.
fn record(name: &str, repository: &Repository) -> Result<Option<Rc<Value>>> {
    repository.has(name).then(|| repository.json(name)).transpose()
}

fn table(head: &str, rows: &str) -> String {
    format!(
        "<div class=\"table-wrapper\">\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

/// Words that stay on one line.
fn whole(text: &str) -> String {
    format!("<span class=\"whole\">{}</span>", escape(text))
}

/// The label of a row of values, with line breaks between operands only.
fn operands(label: &str) -> String {
    let separated = label.replace(", ", ",\n");
    separated.lines().map(whole).collect::<Vec<_>>().join(" ")
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits
        .char_indices()
        .flat_map(|(at, digit)| comma(at).then_some(',').into_iter().chain([digit]))
        .collect()
}

fn numbers(row: &str) -> Result<Vec<u64>> {
    row.split_whitespace().map(number).collect()
}

fn hexadecimal(value: &Value) -> Result<u64> {
    number(value.as_str().context("a value of the record is no text")?)
}

fn number(word: &str) -> Result<u64> {
    let digits = word.strip_prefix("0x").with_context(|| format!("`{word}` is not a hexadecimal number"))?;
    u64::from_str_radix(digits, 16).with_context(|| format!("`{word}` is not a hexadecimal number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_a_compiler_are_combined() {
        let names =
            ["driver -O0", "driver -O1", "driver -O2", "ptxas 12.9 -O0", "ptxas 12.9 -O2", "ptxas 13.5 -O3"];
        let text = levels(&names).replace("<span class=\"whole\">", "").replace("</span>", "");
        assert_eq!(text, "driver at -O0 to -O2, ptxas 12.9 at -O0 and -O2, ptxas 13.5 at -O3");
    }

    #[test]
    fn thousands_are_separated_by_commas() {
        assert_eq!([1, 999, 1000, 1_234_567].map(grouped), ["1", "999", "1,000", "1,234,567"]);
    }

    fn sample() -> Text {
        Text {
            name: "hardware/sample.ptx".to_owned(),
            clause: "a clause".to_owned(),
            columns: vec!["a".to_owned(), "b".to_owned()],
            rows: vec![("x = 0x1".to_owned(), vec![1, 2])],
            digits: 8,
            line: 1,
            code: Vec::new(),
        }
    }

    #[test]
    fn values_that_do_not_fit_side_by_side_are_a_list() {
        let narrow = sample().table();
        assert!(narrow.contains("<th>a</th><th>b</th>"), "{narrow}");
        let wide = Text {
            columns: (0..4).map(|number| format!("an.instruction.with.a.long.name.{number}")).collect(),
            rows: vec![("x = 0x1, y = 0x2".to_owned(), vec![1, 1, 2, 1])],
            ..sample()
        };
        let html = wide.table();
        let names = "name.0</span> · <span class=\"whole\">an.instruction.with.a.long.name.1</span></td>\
                     <td><code>0x00000001</code></td></tr>";
        assert!(html.contains(">x = 0x1,</span> <span class=\"whole\">y = 0x2</span></th>"), "{html}");
        assert!(html.contains(names), "{html}");
        assert_eq!(html.matches("<tr><td>").count(), 3, "{html}");
    }

    fn recorded(runs: &Value, expected: &[&str]) -> Value {
        serde_json::json!({ "texts": [{ "file": "hardware/sample.ptx", "expected": expected, "runs": runs }] })
    }

    #[test]
    fn values_that_differ_are_shown_with_their_compilers() {
        let runs = serde_json::json!({
            "emulator": "as expected", "driver -O0": "as expected", "ptxas 1 -O2": ["0x1", "0x3"], "ptxas 1 -O3": "it crashed"
        });
        let html = verdict(&sample(), &outcomes(&sample(), &recorded(&runs, &["0x1", "0x2"])).unwrap());
        let html = html.replace("<span class=\"whole\">", "").replace("</span>", "");
        for part in ["came from driver at -O0", "1 of 2 values were wrong from ptxas 1 at -O2", "it crashed"]
        {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        assert!(html.contains("<td><code>0x00000002</code></td><td><code>0x00000003</code></td>"), "{html}");
    }

    #[test]
    fn a_record_of_other_values_is_stale() {
        let error = outcomes(&sample(), &recorded(&serde_json::json!({}), &["0x1", "0x5"])).err().unwrap();
        assert!(error.to_string().contains("is stale"), "{error}");
    }

    #[test]
    fn a_text_without_a_record_says_so() {
        let outcomes = outcomes(&sample(), &serde_json::json!({ "texts": [] })).unwrap();
        assert!(verdict(&sample(), &outcomes).contains("has not been run on a GPU yet"));
    }
}
