//! Live figures: launches that a reader can play in the page, beside the drawing of the same warp.
//!
//! `book/live.toml` has one entry for each launch. `cargo xtask facts` runs them; what it found is in the facts, from which the
//! page gets the launch, the first moment, and a record of the end. Of the committed PTX only the kernel is included, at its own
//! lines, and of the CUDA source only the functions that the kernel's instructions come from.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::facts::{Facts, Launch, Range};
use crate::html::{escape, sentence};
use crate::repository::Repository;

/// The entries.
pub const FILE: &str = "book/live.toml";

/// `{{#live NAME}}`, or `{{#live NAME plays}}` if the player is open when the page is, and plays before the emulator is there. It
/// is plain then: what is hard to read is under a fold.
pub fn figure(words: &[&str], facts: &Facts, repository: &Repository) -> Result<String> {
    let (name, plays) = match *words {
        [name] => (name, false),
        [name, "plays"] => (name, true),
        [_, option] => bail!("`{option}`: write `plays`, or nothing"),
        _ => bail!("name a launch of `{FILE}`"),
    };
    let live = facts.live.get(name)?;
    let data = data(name, live, plays, repository)?;
    Ok(format!(
        "<div class=\"live\" data-live=\"{}\" data-title=\"{}\"{} hidden>\n<p>{}</p>\n<!--{}-->\n</div>\n",
        escape(name),
        escape(&live.title),
        if plays { " data-plays" } else { "" },
        sentence(&live.title),
        inert(&data.to_string())
    ))
}

/// What the player needs.
fn data(name: &str, live: &Launch, plays: bool, repository: &Repository) -> Result<Value> {
    let mut record = live.record.clone();
    let moments = record["moments"].as_u64().unwrap_or(0);
    let first = record["first"].as_array_mut().context("a live figure has a first moment")?;
    ensure!(
        !plays || first.len() as u64 == moments,
        "it isn't known what `{name}` shows at each moment; run `cargo xtask facts`"
    );
    first.truncate(if plays { first.len() } else { 1 });
    let text = live.text(repository)?;
    let source = repository.read(&live.source_file())?;
    let lines: Vec<(usize, &str)> = numbered(&source, &live.source).collect();
    Ok(json!({
        "name": name,
        "title": live.title,
        "program": { "name": format!("{}.ptx", live.ptx), "text": text },
        "source": { "name": live.source_file().trim_start_matches("kernels/"), "lines": lines },
        "launch": live.request,
        "beside": live.beside,
        "record": record,
        "plain": plays,
    }))
}

impl Launch {
    fn source_file(&self) -> String {
        format!("kernels/{}.cu", self.ptx.split('.').next().unwrap_or_default())
    }

    /// The PTX of its kernel, each line with its number in the file.
    pub fn text(&self, repository: &Repository) -> Result<String> {
        repository.check_ptx(&self.source_file())?;
        let whole = repository.read(&format!("kernels/ptx/{}.ptx", self.ptx))?;
        let mut lines = vec![""; self.kept.last().map_or(0, |[_, to]| *to)];
        for (number, line) in numbered(&whole, &self.kept) {
            lines[number - 1] = line;
        }
        Ok(lines.join("\n") + "\n")
    }
}

/// The lines of these parts of a text, with their numbers.
fn numbered<'t>(text: &'t str, parts: &[Range]) -> impl Iterator<Item = (usize, &'t str)> {
    let is_in = |number: usize| parts.iter().any(|[from, to]| (*from..=*to).contains(&number));
    (1..).zip(text.lines()).filter(move |(number, _)| is_in(*number))
}

/// The data is in a comment, because mdBook's search would find the words of a script.
///
/// JSON in which neither HTML, Markdown nor another preprocessor finds anything: what could be theirs is only in texts, where
/// an escape means the same.
pub fn inert(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut characters = json.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('\\') => text += "\\u005c",
                Some(escaped) => text.extend(['\\', escaped]),
                None => {}
            },
            '<' | '>' | '&' | '$' | '`' | '*' | '_' | '~' => {
                let _ = write!(text, "\\u{:04x}", c as u32);
            }
            _ => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers() {
        let lines: Vec<_> = numbered("a\nb\nc\nd\n", &[[2, 2], [4, 9]]).collect();
        assert_eq!(lines, [(2, "b"), (4, "d")]);
    }

    #[test]
    fn json_keeps_its_meaning_and_has_nothing_to_expand() {
        let value = json!({ "a": "x\\$L < `*_~` \"q\" \n{{#x}}" });
        let text = inert(&value.to_string());
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(!text.contains(['$', '<', '*', '_', '`', '~']));
    }
}
