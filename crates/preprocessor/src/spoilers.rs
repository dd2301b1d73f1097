//! Refuses a page that answers its own question: what an answer is computed from may not be shown before the question, nor
//! beside it.
//!
//! The answer to a prediction is hidden (see `boxes`), so this module looks at the rest: at what a reader sees who has answered
//! all questions before this one. An answer is computed from values of rows, from verdicts, or from a launch (see `guess`). It is given
//! away by
//!
//! - numbers, tables and claims that together show all of these values,
//! - the number itself, if it is so large that it is hardly there by chance, or in a number of the same section,
//! - the live figure of the launch, or of a kernel that a row is named after, and the drawing above that figure,
//! - if the question is about a fault, its box anywhere on the page, because it marks lines in listings above the question.
//!
//! The first page of a chapter is read before any of its questions, so it may give away none of them (see [`early`]).
//!
//! It can't judge prose and figures that show a row without naming it; whoever writes the page has to.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use anyhow::Result;
use regex::Regex;

use crate::boxes::{Folded, Progress, heading};
use crate::choice::is_claim;
use crate::directives::Library;
use crate::guess::{From, Guess};
use crate::outputs;
use crate::page::{Kind, Piece, pieces};
use crate::pages::{Page, SOURCE};
use crate::problems::Problem;
use crate::value;

/// A number in a text, with commas between thousands.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d(?:[\d,]*\d)?(?:\.\d+)?").expect("a valid expression"));

/// From here on, a number is hardly on a page by chance.
const LARGE: u64 = 1000;

/// A piece of a page, and where it is.
struct Seen<'a> {
    line: usize,
    kind: &'a Kind<'a>,
    part: Folded,
    /// How many headings are above it.
    section: usize,
}

/// A question, and what its answer is computed from.
struct Asked<'a> {
    guess: Guess<'a>,
    number: Option<u64>,
    /// The values and verdicts.
    values: BTreeSet<&'a str>,
    part: Folded,
    section: usize,
}

/// The places at which a page gives an answer away, each with its line.
pub fn problems(pieces: &[Piece<'_>], library: &Library<'_>) -> Vec<(usize, String)> {
    let seen = seen(pieces);
    let mut problems = Vec::new();
    for (at, piece) in seen.iter().enumerate() {
        // A question that cannot be read is reported when it is expanded.
        let Some(Ok(asked)) = asked(piece, library) else { continue };
        let before = |other: &&Seen<'_>| {
            other.part.is_shown_with(asked.part) && other.section <= asked.section && other.line != piece.line
        };
        let visible: Vec<&Seen<'_>> = seen.iter().filter(before).collect();
        let mut say = |line: usize, what: String| {
            problems.push((line, format!("{what} answers the question on line {}", piece.line)));
        };
        for (line, what) in asked.is_given_away_by(&visible, library) {
            say(line, what);
        }
        for other in seen.iter().skip(at).filter(|other| other.part.is_open()) {
            if let Some(row) = fault(other.kind)
                && asked.is_about(&row)
            {
                say(other.line, format!("the fault of `{row}`, which marks lines above,"));
            }
        }
    }
    problems
}

/// What the first page of a chapter, or of another group of pages, gives away of the questions on the pages after it.
pub fn early(pages: &[Page], library: &Library<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for first in pages {
        let folder = format!("{}/", first.path.trim_end_matches(".md"));
        // A page that cannot be read is reported when it is expanded.
        let Ok(on_first) = pieces(&first.text) else { continue };
        // No section of it is the one of a question.
        let elsewhere = |piece| Seen { section: usize::MAX, ..piece };
        let on_first: Vec<Seen<'_>> = seen(&on_first).into_iter().map(elsewhere).collect();
        let visible: Vec<&Seen<'_>> = on_first.iter().collect();
        for page in pages.iter().filter(|page| page.path.starts_with(&folder)) {
            let Ok(of_page) = pieces(&page.text) else { continue };
            for piece in &seen(&of_page) {
                let Some(Ok(asked)) = asked(piece, library) else { continue };
                for (line, what) in asked.is_given_away_by(&visible, library) {
                    let what =
                        format!("{what} answers the question on line {} of `{}`", piece.line, page.path);
                    problems.push(Problem { file: format!("{SOURCE}/{}", first.path), line, what });
                }
            }
        }
    }
    problems
}

fn seen<'a>(pieces: &'a [Piece<'a>]) -> Vec<Seen<'a>> {
    let (mut now, mut section) = (Progress::default(), 0);
    let mut seen = Vec::with_capacity(pieces.len());
    for piece in pieces {
        section += usize::from(heading(piece).is_some());
        now = now.at(piece);
        seen.push(Seen { line: piece.line, kind: &piece.kind, part: now.part, section });
    }
    seen
}

/// The name of a directive and its words.
fn directive<'a>(kind: &'a Kind<'a>) -> Option<(&'a str, &'a str)> {
    let Kind::Directive { text, .. } = kind else { return None };
    let text = text.strip_prefix('#')?;
    Some(text.split_once(char::is_whitespace).unwrap_or((text, "")))
}

/// The question that a piece asks.
fn asked<'a>(seen: &Seen<'a>, library: &Library<'_>) -> Option<Result<Asked<'a>>> {
    let ("guess", words) = directive(seen.kind)? else { return None };
    let read = || {
        let guess = Guess::read(words)?;
        let values = guess.values().into_iter().filter(|value| !value.contains(".set.")).collect();
        let number = guess.number(library.repository)?;
        Ok(Asked { guess, number, values, part: seen.part, section: seen.section })
    };
    Some(read())
}

/// The row whose faults a piece shows, `ch03.ROW`.
fn fault(kind: &Kind<'_>) -> Option<String> {
    let ("fault", words) = directive(kind)? else { return None };
    Some(words.split_whitespace().collect::<Vec<_>>().join("."))
}

impl Asked<'_> {
    /// Whether the answer is what the emulator found in this row, `ch03.ROW`.
    fn is_about(&self, row: &str) -> bool {
        self.values.iter().any(|value| value.strip_suffix(".fault") == Some(row))
    }

    /// What each of these pieces gives away, with its line, and what they give away together.
    fn is_given_away_by(&self, visible: &[&Seen<'_>], library: &Library<'_>) -> Vec<(usize, String)> {
        let alone = |other: &&Seen<'_>| {
            let what = self.is_played_by(other.kind, library).or(self.is_in(other, library))?;
            Some((other.line, what))
        };
        visible.iter().filter_map(alone).chain(self.is_shown_by(visible, library)).collect()
    }

    /// The live figure or drawing that plays what is asked for.
    fn is_played_by(&self, kind: &Kind<'_>, library: &Library<'_>) -> Option<String> {
        let (name, words) = directive(kind)?;
        let word = words.split_whitespace().next()?;
        let launches: Vec<&String> = library
            .facts
            .live
            .iter()
            .map(|(launch, _)| launch)
            .filter(|launch| self.plays(launch, library))
            .collect();
        match name {
            "live" if launches.iter().any(|launch| *launch == word) || self.is_counted_in(word) => {
                Some(format!("the live figure `{word}`"))
            }
            "figure" if launches.iter().any(|launch| library.mentions.draws(launch, word)) => {
                Some(format!("the figure `{word}`"))
            }
            _ => None,
        }
    }

    /// Whether a launch of `book/live.toml` shows the answer.
    fn plays(&self, launch: &str, library: &Library<'_>) -> bool {
        if let From::Lanes { launch: asked, .. } = self.guess.from {
            return launch == asked;
        }
        let Ok(live) = library.facts.live.get(launch) else { return false };
        let kernel = live.request["kernel"].as_str().unwrap_or_default();
        let rows: BTreeSet<&str> = self.values.iter().filter_map(|value| row_of(value)).collect();
        rows.len() == 1 && rows.iter().any(|row| row.split_once('.').is_some_and(|(_, row)| row == kernel))
    }

    /// Whether a value of the answer is what a run of this launch of `book/live.toml` counted.
    fn is_counted_in(&self, launch: &str) -> bool {
        self.values
            .iter()
            .filter_map(|value| row_of(value))
            .any(|row| row.split_once('.') == Some((value::LIVE, launch)))
    }

    /// The number that is asked for, if a piece has it.
    fn is_in(&self, other: &Seen<'_>, library: &Library<'_>) -> Option<String> {
        let number = self.number?;
        let is_near = other.section == self.section;
        let is_it = |text: &str| {
            let numbers = NUMBER.find_iter(text).map(|found| found.as_str().replace(',', ""));
            numbers.into_iter().any(|found| found == number.to_string())
        };
        match other.kind {
            Kind::Prose(text) | Kind::Code(text) | Kind::Fence { text, .. } if number >= LARGE => {
                is_it(text).then(|| format!("the number {number}"))
            }
            Kind::Directive { text, .. } if text.starts_with('=') => {
                let expression = text[1..].split('|').next().unwrap_or_default();
                let shown = value::evaluate(&text[1..], library.repository).ok()?.text;
                let may_be_chance = number < LARGE && !(is_near && number >= 10);
                // A setting is as large as it is, whatever a run does.
                let is_setting = value::words(expression).all(|word| word.contains(".set."));
                let is_same = self.guess.is_computed_by(expression);
                let is_told = is_same || (!may_be_chance && !is_setting && is_it(&shown));
                is_told.then(|| format!("the number {number}"))
            }
            // Its evidence has numbers of a run.
            Kind::Directive { text, .. } if number >= LARGE => {
                let id = text.strip_prefix("#claim ")?.trim();
                let claim = library.ledger.get(id).ok()?.render("p", "", "");
                is_it(&claim).then(|| format!("the number {number} in `{id}`"))
            }
            _ => None,
        }
    }

    /// The last of the pieces that together show all values.
    fn is_shown_by(&self, visible: &[&Seen<'_>], library: &Library<'_>) -> Option<(usize, String)> {
        let mut left: BTreeSet<&str> = self.values.clone();
        if left.is_empty() {
            return None;
        }
        for seen in visible {
            let shown = Shown::of(seen.kind, library);
            left.retain(|value| !shown.has(value));
            if left.is_empty() {
                return Some((seen.line, format!("{}, with what is above it,", shown.name())));
            }
        }
        None
    }
}

/// The row of a value, `ch02.ROW.NAME`.
fn row_of(value: &str) -> Option<&str> {
    let (chapter, rest) = value.split_once('.')?;
    let (row, _) = rest.split_once('.')?;
    Some(&value[..chapter.len() + 1 + row.len()])
}

/// What a piece shows of the records.
enum Shown {
    Nothing,
    /// The values of an expression.
    Values(Vec<String>),
    /// The rows of a table or the row of a fault.
    Rows(Vec<String>),
    /// What the profiler found in some rows: how values of it begin.
    Profile(Vec<String>),
    /// The verdict on a claim.
    Claim(String),
}

impl Shown {
    fn of(kind: &Kind<'_>, library: &Library<'_>) -> Self {
        if let Kind::Directive { text, .. } = kind
            && let Some(expression) = text.strip_prefix('=')
        {
            let expression = expression.split('|').next().unwrap_or_default();
            // A value that is only a part of an expression is shown by nothing but that expression.
            let words: Vec<String> = value::words(expression).map(str::to_owned).collect();
            return if words.len() == 1 { Shown::Values(words) } else { Shown::Nothing };
        }
        let Some((name, words)) = directive(kind) else { return Shown::Nothing };
        let mut words = words.split_whitespace();
        match name {
            "claim" | "ref" => Shown::Claim(words.next().unwrap_or_default().to_owned()),
            "fault" => Shown::Rows(fault(kind).into_iter().collect()),
            "output" => {
                let words: Vec<&str> = words.collect();
                Shown::Rows(outputs::shown(&words, library.repository).unwrap_or_default())
            }
            "profile" => {
                let mut next = || words.next().unwrap_or_default();
                let (chapter, rows, section) = (next(), next(), next());
                let metrics: Vec<&str> = words.collect();
                let of_row = |row: &str| {
                    let start = format!("{chapter}.{row}.profile:{section}/");
                    match metrics[..] {
                        [] => vec![start],
                        _ => metrics.iter().map(|metric| format!("{start}{metric}")).collect(),
                    }
                };
                Shown::Profile(rows.split(',').flat_map(of_row).collect())
            }
            _ => Shown::Nothing,
        }
    }

    fn has(&self, value: &str) -> bool {
        let is_of = |rows: &[String]| row_of(value).is_some_and(|row| rows.iter().any(|shown| shown == row));
        match self {
            Shown::Nothing => false,
            Shown::Values(values) => values.iter().any(|shown| shown == value),
            // What a profiler found is in no table of a report.
            Shown::Rows(rows) => !value.contains(':') && is_of(rows),
            Shown::Profile(starts) => starts.iter().any(|start| value.starts_with(start)),
            Shown::Claim(id) => is_claim(value) && id == value,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Shown::Nothing => "this",
            Shown::Values(_) => "the number here",
            Shown::Rows(_) => "the table or fault here",
            Shown::Profile(_) => "the profile here",
            Shown::Claim(_) => "the verdict here",
        }
    }
}
