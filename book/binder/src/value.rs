//! Numbers in sentences: `{{= ch02.reduce_less.warps / ch02.set.block | .1}}`.
//!
//! A value is a record's, so that no number stands in the book that nothing printed. The grammar is that of a sentence:
//! values and plain numbers with `+ - * /`, blanks around each, products before sums, and no brackets.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::record::{self, Source};
use crate::repository::Repository;

/// A number and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// As it stands in the sentence.
    pub text: String,
    /// The expression.
    pub origin: String,
}

/// Works out `EXPR | FORMAT`.
pub fn evaluate(text: &str, repository: &Repository) -> Result<Number> {
    let (expression, format) = text.split_once('|').map_or((text, ""), |(left, right)| (left, right));
    let (expression, format) = (expression.trim(), format.trim());
    let value = sum(expression, repository)?;
    if !value.is_finite() {
        bail!("`{expression}` comes to {value}");
    }
    Ok(Number { text: render(value, format, expression)?, origin: expression.to_owned() })
}

fn sum(expression: &str, repository: &Repository) -> Result<f64> {
    let mut total = 0.0;
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
        let value = value(word, repository)?;
        product = Some(match (product, pending.take()) {
            (None, _) => value,
            (Some(left), Some("*")) => left * value,
            (Some(left), Some(_)) => left / value,
            (Some(_), None) => bail!("`{expression}`: no operator stands before `{word}`"),
        });
    }
    match (product, pending) {
        (Some(product), None) => Ok(total + sign * product),
        _ => bail!("`{expression}` does not end with a value"),
    }
}

/// A plain number, or `chapter.row.name`; the name of a row may hold dots as little as that of a chapter.
fn value(word: &str, repository: &Repository) -> Result<f64> {
    if let Ok(number) = word.parse() {
        return Ok(number);
    }
    let parts: Vec<&str> = word.splitn(3, '.').collect();
    let [source, row, name] = parts[..] else {
        bail!("`{word}` is no value: write `ch02.ROW.NAME`");
    };
    let source = Source::parse(source, repository)?;
    source.check_fresh(repository)?;
    if let Some(metric) = name.strip_prefix("hw:") {
        return record::hardware(&source, repository, row, metric);
    }
    let report = source.json(repository)?;
    if row == "set" {
        let setting = report["settings"][name].as_f64();
        return setting.with_context(|| format!("`{word}`: the report has no setting `{name}`"));
    }
    of_row(record::row(&report, row)?, name).with_context(|| format!("`{word}` is in no record"))
}

fn of_row(row: &Value, name: &str) -> Result<f64> {
    let counter = |name: &str| row["counters"][name].as_f64().context("a row without counters");
    match name {
        "per_warp" => return Ok(counter("ptx_instructions")? / counter("warps")?),
        "active_lanes" => return Ok(counter("ptx_lanes")? / counter("ptx_instructions")?),
        _ => {}
    }
    let found = match name {
        "time_us" => &row["timing"]["median_us"],
        "warm_up_us" => &row["timing"]["warm_up_us"],
        "wrong" => &row["check"]["wrong"],
        _ if row["counters"][name].is_number() => &row["counters"][name],
        _ => &row["facts"][name],
    };
    found.as_f64().with_context(|| {
        let names = |key: &str| {
            let object = row[key].as_object().into_iter().flatten();
            object.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        };
        format!(
            "the row has no `{name}`; it has the facts {}; and the counters {}",
            names("facts"),
            names("counters")
        )
    })
}

/// A number as it is read: `.2` digits behind the point, `%.1` a ratio in percent, nothing for whole numbers.
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

/// Commas between thousands, and a true minus.
fn with_commas(number: &str) -> String {
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
    fn numbers_are_written_as_they_are_read() {
        check("16777216", "16,777,216");
        check("1 / 8 | %.1", "12.5\u{a0}%");
        check("1000 - 2500.5 | .1", "−1,500.5");
    }

    #[test]
    fn what_cannot_be_worked_out_is_named() {
        for text in ["1 / 3", "1 +", "* 2", "1 2", "1 / 0", "1 | .x", "ch02", "1 / * 2"] {
            assert!(evaluate(text, &repository()).is_err(), "{text}");
        }
    }
}
