//! Questions that a reader answers in the page, by clicking lanes or by writing a number, before the answer is shown.
//!
//! ```text
//! {{#guess lanes mixed_work "x = sqrtf(x)" | Which lanes of warp 0 take a root?}}
//! {{#guess lanes hidden_race fault | Which lanes race?}}
//! {{#guess number ch04.modulo_8x8.wrong | In how many threads is it wrong?}}
//! ```
//!
//! No answer is written by hand. Lanes come from a launch of `book/live.toml`; `cargo xtask facts` finds them: those of warp 0 of
//! the first block (`warp=1`: of another warp) that execute the only line with this text, or those that take part in the first
//! fault. A number is an expression as in `{{= …}}`. If the page plays the launch, its player shows the moment in question after
//! the reader has answered. Without JavaScript the question is a paragraph like any other.

use anyhow::{Context, Result, bail, ensure};

use crate::facts::{Answer, Facts};
use crate::html::{escape, sentence};
use crate::repository::Repository;
use crate::value;

/// `{{#guess … | …}}`.
pub fn question(words: &str, facts: &Facts, repository: &Repository) -> Result<String> {
    let (what, ask) = words.split_once(" | ").context("write the question after ` | `")?;
    let (kind, rest) = what.split_once(' ').context("write `lanes LAUNCH …` or `number EXPRESSION`")?;
    let data = match kind {
        "lanes" => {
            let name = rest.split(' ').next().unwrap_or_default();
            let Answer { lanes, moment } = facts.answers.get(rest)?;
            format!(
                "data-of=\"lane\" data-is=\"{lanes}\" data-plays=\"{}\" data-moment=\"{moment}\"",
                escape(name)
            )
        }
        "number" => {
            let number = value::evaluate(rest, repository)?.text.replace(',', "");
            ensure!(
                number.parse::<u64>().is_ok(),
                "`{rest}` is {number}, and a reader is asked for whole numbers"
            );
            format!("data-of=\"number\" data-is=\"{number}\"")
        }
        _ => bail!("`{kind}` cannot be guessed: write `lanes LAUNCH …` or `number EXPRESSION`"),
    };
    Ok(format!("<div class=\"guess\" {data}>\n<p>{}</p>\n</div>\n", sentence(ask)))
}
