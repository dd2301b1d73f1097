//! Numbers in sentences: `{{= ch02.reduce_less.warps / ch02.set.block | .1}}`.
//!
//! Values are taken from a record, so that every number in the book was printed by a program. An expression consists of
//! values and plain numbers with `+ - * /`, with blanks around each, products before sums, and without parentheses.

use anyhow::{Context, Result, bail};

use crate::profile;
use crate::repository::Repository;
use crate::source::{self, Run, Source as Chapter};

/// A number, and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The number as it is written in the sentence.
    pub text: String,
    /// The kind of source.
    pub source: Source,
    /// The source in words, and the expression.
    pub origin: String,
}

/// A kind of source. An expression has the last of these that any of its values has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A calculation for which nothing was run.
    #[default]
    Arithmetic,
    /// The emulator's record, which can be made again on any machine.
    Emulator,
    /// A GPU's clock or its results.
    Gpu,
    /// A GPU's clock or its results, from instructions that have changed since.
    StaleGpu,
}

impl Source {
    /// The class of the element that shows the number.
    pub fn class(self) -> &'static str {
        match self {
            Source::Arithmetic => "from-nowhere",
            Source::Emulator => "from-emulator",
            Source::Gpu => "from-gpu",
            Source::StaleGpu => "from-gpu stale",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Source::Arithmetic => "calculated",
            Source::Emulator => "counted by the emulator",
            Source::Gpu => "measured on the GPU of the record",
            Source::StaleGpu => "measured on the GPU of the record, when the kernel had other instructions",
        }
    }
}

/// A value and its kind of source.
type Value = (f64, Source);

/// Evaluates `EXPR | FORMAT`.
pub fn evaluate(text: &str, repository: &Repository) -> Result<Number> {
    let (expression, format) = text.split_once('|').map_or((text, ""), |(left, right)| (left, right));
    let (expression, format) = (expression.trim(), format.trim());
    let (value, source) = sum(expression, repository)?;
    if !value.is_finite() {
        bail!("`{expression}` comes to {value}");
    }
    let origin = format!("{}: {expression}", source.words());
    Ok(Number { text: render(value, format, expression)?, source, origin })
}

fn sum(expression: &str, repository: &Repository) -> Result<Value> {
    let mut total = 0.0;
    let mut kind = Source::default();
    let mut product: Option<f64> = None;
    let mut pending: Option<&str> = None;
    let mut sign = 1.0;
    for word in expression.split_whitespace() {
        if matches!(word, "+" | "-" | "*" | "/") {
            if product.is_none() || pending.is_some() {
                bail!("`{expression}`: no value stands before `{word}`");
            }
            if matches!(word, "+" | "-") {
                total += sign * product.take().unwrap_or_default();
                sign = if word == "-" { -1.0 } else { 1.0 };
            } else {
                pending = Some(word);
            }
            continue;
        }
        let (value, source) = value(word, repository)?;
        kind = kind.max(source);
        product = Some(match (product, pending.take()) {
            (None, _) => value,
            (Some(left), Some("*")) => left * value,
            (Some(left), Some(_)) => left / value,
            (Some(_), None) => bail!("`{expression}`: no operator stands before `{word}`"),
        });
    }
    match (product, pending) {
        (Some(product), None) => Ok((total + sign * product, kind)),
        _ => bail!("`{expression}` does not end with a value"),
    }
}

/// Reads a plain number, `chapter.row.name`, or `bench.size.name.column` of one of [`CONTESTS`]. Names of rows and
/// chapters contain no dots.
fn value(word: &str, repository: &Repository) -> Result<Value> {
    if let Ok(number) = word.parse() {
        return Ok((number, Source::Arithmetic));
    }
    let parts: Vec<&str> = word.splitn(3, '.').collect();
    let [chapter, row, name] = parts[..] else {
        bail!("`{word}` is no value: write `ch02.ROW.NAME`");
    };
    if let Some(contest) = CONTESTS.iter().find(|contest| contest.name == chapter) {
        let value = contest.cell(row, name, repository).with_context(|| format!("`{word}`"))?;
        return Ok((value, Source::Gpu));
    }
    let chapter = Chapter::parse(chapter, repository)?;
    let run = chapter.read(repository)?;
    if let Some(metric) = name.strip_prefix("hw:") {
        return Ok((source::hardware(&chapter, repository, row, metric)?, gpu_source(&run)));
    }
    if let Some(column) = name.strip_prefix("racecheck:") {
        return Ok((source::racecheck(&chapter, repository, row, column)?, gpu_source(&run)));
    }
    if let Some(metric) = name.strip_prefix("profile:") {
        return profile::number(&chapter, repository, row, metric).with_context(|| format!("`{word}`"));
    }
    if row == "set" {
        let setting = run.report().settings.get(name);
        let setting = setting.with_context(|| format!("`{word}`: the report has no setting `{name}`"))?;
        return Ok((*setting as f64, Source::Arithmetic));
    }
    of_row(&run, row, name).with_context(|| format!("`{word}` is in no record"))
}

fn gpu_source(run: &Run) -> Source {
    if run.gpu().is_some_and(|gpu| gpu.is_stale) { Source::StaleGpu } else { Source::Gpu }
}

fn of_row(run: &Run, variant: &str, name: &str) -> Result<Value> {
    let row = run.report().row(variant)?;
    let counter = |name: &str| row.counters.get(name).map(|&count| count as f64);
    let average = |value: Option<f64>| Ok((value.context("no counters")?, Source::Emulator));
    let on_gpu = run.measured(variant);
    let timing = on_gpu.and_then(|on_gpu| on_gpu.timing);
    let timed =
        |time: Option<f64>| Ok((time.context("a GPU has no time of this row on record")?, gpu_source(run)));
    match name {
        "per_warp" => return average(row.instructions_per_warp()),
        "active_lanes" => return average(row.active_lanes()),
        "time_us" => return timed(timing.map(|timing| timing.median_us)),
        "warm_up_us" => return timed(timing.and_then(|timing| timing.warm_up_us)),
        "wrong" => {
            let check = row.check.as_ref().context("the row was compared with no reference")?;
            return Ok((check.wrong as f64, Source::Emulator));
        }
        _ => {}
    }
    if let Some(value) = counter(name).or_else(|| row.facts.get(name).copied().flatten()) {
        return Ok((value, Source::Emulator));
    }
    if let Some(value) = on_gpu.and_then(|on_gpu| on_gpu.facts.get(name).copied().flatten()) {
        return Ok((value, gpu_source(run)));
    }
    let names = |names: Vec<&String>| names.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    bail!(
        "the row has no `{name}`; it has the facts {}; on a GPU {}; and the counters {}",
        names(row.facts.keys().collect()),
        names(on_gpu.map(|on_gpu| on_gpu.facts.keys().collect()).unwrap_or_default()),
        names(row.counters.keys().collect())
    );
}

/// A record that compares a kernel with CUB's, both in the table for the size at which they were launched.
struct Contest {
    /// The beginning of an expression.
    name: &'static str,
    record: &'static str,
    /// The unit of the size in the head of a table: `1073741824 floats, ...`.
    elements: &'static str,
}

const CONTESTS: [Contest; 2] = [
    Contest { name: "bench", record: "tools/benchmarks/gpu/h200.txt", elements: "floats" },
    Contest { name: "scan", record: "tools/benchmarks/gpu/h200_scan.txt", elements: "integers" },
];

impl Contest {
    /// `1073741824`, `sum_last_block.us`: the median of that row at that size.
    fn cell(&self, size: &str, name: &str, repository: &Repository) -> Result<f64> {
        const COLUMNS: [&str; 4] = ["us", "min_us", "max_us", "gb_s"];
        let Contest { name: contest, record, elements } = self;
        let (kernel, column) =
            name.split_once('.').with_context(|| format!("write `{contest}.SIZE.KERNEL.us`"))?;
        let at = COLUMNS.iter().position(|known| *known == column);
        let at =
            at.with_context(|| format!("there is no column `{column}`; there are {}", COLUMNS.join(", ")))?;
        let text = repository.read(record)?;
        let is_head =
            |line: &&str| line.starts_with(&format!("{size} {elements}")) && line.ends_with("as launched");
        let table = text.lines().skip_while(|line| !is_head(line)).take_while(|line| !line.is_empty());
        let mut rows = table.map(|line| line.split_whitespace().collect::<Vec<_>>());
        let row = rows.find(|cells| cells.first() == Some(&kernel));
        let row = row.with_context(|| format!("`{record}` has no `{kernel}` of {size} {elements}"))?;
        let cell = row.get(at + 1).copied().unwrap_or_default();
        cell.parse().with_context(|| format!("`{record}` has `{cell}` there"))
    }
}

/// A number for readers: `.2` has two digits after the point, `%.1` is a ratio in percent, and without a format the
/// number is whole.
fn render(value: f64, format: &str, expression: &str) -> Result<String> {
    let digits = |text: &str| -> Result<usize> {
        let digits = text.strip_prefix('.').and_then(|digits| digits.parse().ok());
        digits
            .filter(|digits| *digits < 10)
            .with_context(|| format!("`{format}` is no format: write `.2` or `%.1`"))
    };
    if format.is_empty() {
        if value.fract() != 0.0 || value.abs() >= 1e15 {
            bail!("`{expression}` comes to {value}, which is not whole: say how many digits, as in `| .2`");
        }
        return Ok(with_commas(&format!("{value:.0}")));
    }
    if let Some(format) = format.strip_prefix('%') {
        let digits = if format.is_empty() { 0 } else { digits(format)? };
        return Ok(format!("{}\u{a0}%", with_commas(&format!("{:.digits$}", value * 100.0))));
    }
    let digits = digits(format)?;
    Ok(with_commas(&format!("{value:.digits$}")))
}

/// The number with commas between thousands, and with a proper minus sign.
pub fn with_commas(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("−", number));
    let (whole, rest) = number.find('.').map_or((number, ""), |point| number.split_at(point));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> Repository {
        Repository::new(std::path::PathBuf::from("nowhere"))
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(evaluate(text, &repository()).unwrap().text, expected);
    }

    #[test]
    fn products_come_before_sums() {
        check("2 + 3 * 4 - 6 / 2", "11");
        check("10 - 4 - 3", "3");
        check("1 / 4 | .2", "0.25");
    }

    #[test]
    fn numbers_are_written_for_readers() {
        check("16777216", "16,777,216");
        check("1 / 8 | %.1", "12.5\u{a0}%");
        check("1000 - 2500.5 | .1", "−1,500.5");
    }

    #[test]
    fn an_expression_that_cannot_be_evaluated_is_named() {
        for text in ["1 / 3", "1 +", "* 2", "1 2", "1 / 0", "1 | .x", "ch02", "1 / * 2"] {
            assert!(evaluate(text, &repository()).is_err(), "{text}");
        }
    }
}
