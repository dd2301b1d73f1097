//! Questions that a reader answers in the page, by clicking lanes, by writing a number, or by choosing, before the answer is
//! shown.
//!
//! ```text
//! {{#guess lanes mixed_work "x = sqrtf(x)" | Which lanes of warp 0 take a root?}}
//! {{#guess lanes hidden_race fault | Which lanes race?}}
//! {{#guess number ch04.modulo_8x8.wrong | In how many threads is it wrong?}}
//! {{#guess choice yes: ch03.tail.wrong = 0; no: ch03.tail.wrong > 0 | Is the sum right?}}
//! ```
//!
//! No answer is written by hand. Lanes come from a launch of `book/live.toml`; `cargo xtask facts` finds them: those of warp 0 of
//! the first block (`warp=1`: of another warp) that execute the only line with this text, or those that take part in the first
//! fault. A number is an expression as in `{{= …}}`. Of the choices, exactly one has a condition that is true (see `choice`). If
//! the page plays the launch, its player shows the moment in question after the reader has answered. Without JavaScript the
//! question is a paragraph like any other, with the choices under it.

use anyhow::{Context, Result, bail, ensure};

use crate::choice::Choices;
use crate::claims::Ledger;
use crate::facts::{Answer, Facts};
use crate::html::{escape, sentence};
use crate::repository::Repository;
use crate::value;

/// A question as a page writes it.
#[derive(Debug)]
pub struct Guess<'t> {
    /// What comes before the question: the kind of the answer, and where it is from.
    words: &'t str,
    /// The question.
    ask: &'t str,
    /// The source of the answer.
    pub from: From<'t>,
}

/// The source of an answer.
#[derive(Debug)]
pub enum From<'t> {
    /// A launch of `book/live.toml`, and the question about it as `book/facts` has it.
    Lanes {
        /// The launch.
        launch: &'t str,
        /// The launch and what is asked of it.
        key: &'t str,
    },
    /// An expression.
    Number(&'t str),
    /// Words, each with a condition.
    Choice(Choices<'t>),
}

/// What is needed to answer.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The records.
    pub repository: &'a Repository,
    /// What was collected from runs.
    pub facts: &'a Facts,
    /// The claims.
    pub ledger: &'a Ledger,
}

impl<'t> Guess<'t> {
    /// Reads the words of `{{#guess … | …}}`.
    pub fn read(words: &'t str) -> Result<Self> {
        let (what, ask) = words.split_once(" | ").context("write the question after ` | `")?;
        let what = what.trim();
        let (kind, rest) = what
            .split_once(char::is_whitespace)
            .context("write `lanes LAUNCH …`, `number EXPRESSION` or `choice WORD: CONDITION; …`")?;
        let rest = rest.trim();
        let from = match kind {
            "lanes" => From::Lanes { launch: rest.split(' ').next().unwrap_or_default(), key: rest },
            "number" => From::Number(rest),
            "choice" => From::Choice(Choices::read(rest)?),
            _ => bail!(
                "`{kind}` cannot be guessed: write `lanes LAUNCH …`, `number EXPRESSION` or `choice WORD: CONDITION; …`"
            ),
        };
        Ok(Self { words: what, ask: ask.trim(), from })
    }

    /// The number that is asked for, if it is one.
    pub fn number(&self, repository: &Repository) -> Result<Option<u64>> {
        let From::Number(expression) = self.from else { return Ok(None) };
        let number = value::evaluate(expression, repository)?.text.replace(',', "");
        let whole = number.parse().ok();
        ensure!(whole.is_some(), "`{expression}` is {number}, and a reader is asked for whole numbers");
        Ok(whole)
    }

    /// Whether an expression is that of the number that is asked for.
    pub fn is_computed_by(&self, expression: &str) -> bool {
        matches!(self.from, From::Number(own) if own.split_whitespace().eq(expression.split_whitespace()))
    }

    /// The values that the answer is computed from: `ch02.ROW.NAME`, or the verdict on a claim, `N1.3`.
    pub fn values(&self) -> Vec<&'t str> {
        match &self.from {
            From::Lanes { .. } => Vec::new(),
            From::Number(expression) => value::words(expression).collect(),
            From::Choice(choices) => choices.values(),
        }
    }

    /// The question as the page has it. What a reader answered is stored under the names of the page and of what is asked.
    pub fn html(&self, page: &str, known: Known<'_>) -> Result<String> {
        let (data, below) = match &self.from {
            From::Lanes { launch, key } => {
                let Answer { lanes, moment } = known.facts.answers.get(key)?;
                let launch = escape(launch);
                (
                    format!(
                        "data-of=\"lane\" data-is=\"{lanes}\" data-plays=\"{launch}\" data-moment=\"{moment}\""
                    ),
                    String::new(),
                )
            }
            From::Number(_) => {
                let number = self.number(known.repository)?.unwrap_or_default();
                (format!("data-of=\"number\" data-is=\"{number}\""), String::new())
            }
            From::Choice(choices) => {
                let right = escape(choices.right(known)?);
                let items = choices
                    .words()
                    .fold(String::new(), |items, word| items + &format!("<li>{}</li>\n", escape(word)));
                (
                    format!("data-of=\"word\" data-is=\"{right}\""),
                    format!("<ul class=\"choices\">\n{items}</ul>\n"),
                )
            }
        };
        Ok(format!(
            "<div class=\"guess\" data-key=\"{page} {}\" {data}>\n<p>{}</p>\n{below}</div>\n",
            escape(&self.words.split_whitespace().collect::<Vec<_>>().join(" ")),
            sentence(self.ask)
        ))
    }
}
