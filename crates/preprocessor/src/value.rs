//! Numbers in sentences: `{{= ch02.reduce_less.warps / ch02.set.block | .1}}`.
//!
//! Values are taken from a record, so that every number in the book was printed by a program. An expression consists of
//! values and plain numbers with `+ - * /`, with blanks around each, products before sums, and without parentheses.

use anyhow::{Context, Result, bail};

use crate::beside;
use crate::facts;
use crate::profile;
use crate::repository::Repository;
use crate::source::{self, Run, Source as Chapter};

/// How a value of a launch of `book/live.toml` begins.
pub const LIVE: &str = "live";

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
    let words: Vec<&str> = expression.split_whitespace().collect();
    let (value, source) = calculate(&words, repository).with_context(|| format!("`{expression}`"))?;
    if !value.is_finite() {
        bail!("`{expression}` comes to {value}");
    }
    let origin = format!("{}: {expression}", source.words());
    Ok(Number { text: render(value, format, expression)?, source, origin })
}

/// The value of an expression, as a number.
pub fn number(expression: &str, repository: &Repository) -> Result<f64> {
    let words: Vec<&str> = expression.split_whitespace().collect();
    let (value, _) = calculate(&words, repository).with_context(|| format!("`{expression}`"))?;
    Ok(value)
}

/// The values in an expression that come from a record.
pub fn words(expression: &str) -> impl Iterator<Item = &str> {
    let is_value = |word: &&str| word.parse::<f64>().is_err() && !["+", "-", "*", "/"].contains(word);
    expression.split_whitespace().filter(is_value)
}

/// What is split off first is calculated last: the last `+` or `-`, or if there is none, the last `*` or `/`.
fn calculate(words: &[&str], repository: &Repository) -> Result<Value> {
    for operators in [["+", "-"], ["*", "/"]] {
        if let Some(at) = words.iter().rposition(|word| operators.contains(word)) {
            let (left, source) = calculate(&words[..at], repository)?;
            let (right, other) = calculate(&words[at + 1..], repository)?;
            let value = match words[at] {
                "+" => left + right,
                "-" => left - right,
                "*" => left * right,
                _ => left / right,
            };
            return Ok((value, source.max(other)));
        }
    }
    match words {
        [word] => value(word, repository),
        _ => bail!("`{}` stands where a value should: write `A + B / C`", words.join(" ")),
    }
}

/// Reads a plain number, `chapter.row.name`, `live.launch.counter` of a launch that a page plays, or `bench.size.name.column` of a
/// record that [`beside`] reads. Names of rows and chapters contain no dots.
fn value(word: &str, repository: &Repository) -> Result<Value> {
    if let Ok(number) = word.parse() {
        return Ok((number, Source::Arithmetic));
    }
    let parts: Vec<&str> = word.splitn(3, '.').collect();
    let [chapter, row, name] = parts[..] else {
        bail!("`{word}` is no value: write `ch02.ROW.NAME`");
    };
    if chapter == LIVE {
        let value = facts::counted(row, name, repository).with_context(|| format!("`{word}`"))?;
        return Ok((value, Source::Emulator));
    }
    if let Some(value) = beside::value(chapter, row, name, repository) {
        return Ok((value.with_context(|| format!("`{word}`"))?, Source::Gpu));
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
    fn what_a_played_launch_counted_is_a_value() {
        let repository = Repository::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into());
        let requests = evaluate("live.block_of_512.global_load_requests", &repository).unwrap();
        assert_eq!((requests.text.as_str(), requests.source), ("32", Source::Emulator));
        for text in ["live.block_of_512.loads", "live.block_of_513.warps"] {
            assert!(evaluate(text, &repository).is_err(), "{text}");
        }
    }

    #[test]
    fn an_expression_that_cannot_be_evaluated_is_named() {
        for text in ["1 / 3", "1 +", "* 2", "1 2", "1 / 0", "1 | .x", "ch02", "1 / * 2"] {
            assert!(evaluate(text, &repository()).is_err(), "{text}");
        }
    }
}
