//! Choices of which exactly one is right: `fewer: ch01.a.loads < ch01.b.loads; as many: ch01.a.loads = ch01.b.loads`.
//!
//! Each has a condition. It compares two expressions with `<`, `<=`, `=`, `>=` or `>`, or a word with `=`: the kind of the first
//! fault that the emulator found in a row, `ch03.tail.fault = out-of-bounds` (`none` if it found nothing), or the verdict on a claim,
//! `N1.3 = holds with a condition`. Several comparisons are joined by `and`. So a page cannot say which choice is right; the records
//! say it.

use anyhow::{Context, Result, ensure};

use crate::guess::Known;
use crate::source::Source;
use crate::value;

/// Words to choose from.
#[derive(Debug)]
pub struct Choices<'t>(Vec<Choice<'t>>);

#[derive(Debug)]
struct Choice<'t> {
    word: &'t str,
    all: Vec<Comparison<'t>>,
}

#[derive(Debug)]
struct Comparison<'t> {
    left: &'t str,
    operator: &'t str,
    right: &'t str,
}

/// The operators. Those of two characters come first, because they begin with one of the others.
const OPERATORS: [&str; 5] = ["<=", ">=", "<", ">", "="];

impl<'t> Choices<'t> {
    /// Reads them.
    pub fn read(text: &'t str) -> Result<Self> {
        let choices = text.split(';').map(Choice::read).collect::<Result<Vec<_>>>()?;
        ensure!(choices.len() > 1, "write two choices or more, with `;` between them");
        Ok(Self(choices))
    }

    /// The words, in their order.
    pub fn words(&self) -> impl Iterator<Item = &'t str> {
        self.0.iter().map(|choice| choice.word)
    }

    /// The word whose condition is true.
    pub fn right(&self, known: Known<'_>) -> Result<&'t str> {
        let mut right = Vec::new();
        for choice in &self.0 {
            if choice.holds(known)? {
                right.push(choice.word);
            }
        }
        let [word] = right[..] else {
            let found = if right.is_empty() { "none".to_owned() } else { right.join(" and ") };
            anyhow::bail!("one choice has to be right, and here it is {found}");
        };
        Ok(word)
    }

    /// The values that the conditions read.
    pub fn values(&self) -> Vec<&'t str> {
        let sides = self.0.iter().flat_map(|choice| &choice.all).flat_map(|one| {
            let right = if one.is_of_words() { "" } else { one.right };
            value::words(one.left).chain(value::words(right))
        });
        let mut values: Vec<&str> = sides.collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}

impl<'t> Choice<'t> {
    fn read(text: &'t str) -> Result<Self> {
        let (word, condition) =
            text.split_once(": ").with_context(|| format!("`{}`: write `WORD: CONDITION`", text.trim()))?;
        let all = condition.split(" and ").map(Comparison::read).collect::<Result<_>>()?;
        Ok(Self { word: word.trim(), all })
    }

    fn holds(&self, known: Known<'_>) -> Result<bool> {
        let mut holds = true;
        for comparison in &self.all {
            holds &= comparison.holds(known)?;
        }
        Ok(holds)
    }
}

impl<'t> Comparison<'t> {
    fn read(text: &'t str) -> Result<Self> {
        let text = text.trim();
        let found = OPERATORS.iter().find_map(|operator| {
            let (left, right) = text.split_once(&format!(" {operator} "))?;
            Some(Self { left: left.trim(), operator, right: right.trim() })
        });
        found.with_context(|| format!("`{text}` compares nothing: write `A < B`, with blanks"))
    }

    /// Whether this compares words, and no numbers.
    fn is_of_words(&self) -> bool {
        self.left.strip_suffix(".fault").is_some() || is_claim(self.left)
    }

    fn holds(&self, known: Known<'_>) -> Result<bool> {
        if self.is_of_words() {
            ensure!(self.operator == "=", "`{}` is a word: compare it with `=`", self.left);
            return Ok(word(self.left, known)? == self.right);
        }
        let [left, right] = [self.left, self.right].map(|side| value::number(side, known.repository));
        let order = left?.total_cmp(&right?);
        Ok(match self.operator {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            _ => order.is_eq(),
        })
    }
}

/// Whether a word names a claim: `N1.3`, `S7.1`.
pub fn is_claim(word: &str) -> bool {
    word.starts_with(['N', 'S']) && word[1..].split('.').all(|part| part.parse::<u32>().is_ok())
}

/// The kind of a row's first fault, or the verdict on a claim.
fn word(name: &str, known: Known<'_>) -> Result<String> {
    if is_claim(name) {
        return Ok(known.ledger.get(name)?.verdict.clone());
    }
    let (source, row) = name
        .strip_suffix(".fault")
        .and_then(|row| row.split_once('.'))
        .with_context(|| format!("`{name}` is no fault: write `ch03.ROW.fault`"))?;
    let run = Source::parse(source, known.repository)?.read(known.repository)?;
    let fault = run.report().row(row)?.faults.first();
    Ok(fault.map_or_else(|| "none".to_owned(), |fault| fault.kind.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_values_are_found() {
        let text = "few er: ch01.a.x < 2 * ch01.b.y and N1.3 = holds; more: ch01.a.x >= 2 * ch01.b.y";
        let choices = Choices::read(text).unwrap();
        assert_eq!(choices.words().collect::<Vec<_>>(), ["few er", "more"]);
        assert_eq!(choices.values(), ["N1.3", "ch01.a.x", "ch01.b.y"]);
    }

    #[test]
    fn what_is_no_condition_is_named() {
        for (text, what) in [
            ("yes: 1 < 2", "two choices or more"),
            ("yes 1 < 2; no: 2 < 1", "write `WORD: CONDITION`"),
            ("yes: 1; no: 2 < 1", "`1` compares nothing"),
        ] {
            let error = Choices::read(text).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn claims_are_told_from_values() {
        assert!(is_claim("N2.14") && is_claim("S7.1"));
        assert!(!is_claim("ch01.a.x") && !is_claim("N2.x") && !is_claim("2"));
    }
}
