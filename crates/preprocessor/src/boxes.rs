//! Boxes with questions: predictions, which stand before everything that answers them, and things to try.
//!
//! ```text
//! {{#predict}}                              {{#try}}
//! The array has 1,024 elements.             Run it with `--block 48`.
//! {{#guess number ch02.a.loads | How …?}}   {{#answer}}
//! {{#reveal}}                               The last warp has …
//! {{#output ch02 …}}                        {{#end}}
//! It has …
//! ```
//!
//! The answer to a prediction is all that follows it, up to the next heading, the end of the page, or an `{{#end}}`. It may
//! contain further boxes, so a question that follows from an answer is asked after that answer. Scripts hide it until the reader
//! has answered; without them it is text like any other. The answer to a task is an HTML `details`. Both are printed.
//!
//! Scripts find a box by `data-question`, whose value is its kind, by its id, which consists of the kind and the number on
//! the page, and its answer by `data-answer`, whose value is that id. `spoilers` checks that no answer stands elsewhere.

use anyhow::{Result, anyhow};

use crate::html::sentence;
use crate::page::{Kind, Piece};

/// A part of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Predict,
    Reveal,
    Try,
    Answer,
    End,
}

impl Part {
    fn of(kind: &Kind<'_>) -> Option<Part> {
        let Kind::Directive { text, .. } = kind else { return None };
        Part::named(text.strip_prefix('#')?.split_whitespace().next()?)
    }

    fn named(name: &str) -> Option<Part> {
        Some(match name {
            "predict" => Part::Predict,
            "reveal" => Part::Reveal,
            "try" => Part::Try,
            "answer" => Part::Answer,
            "end" => Part::End,
            _ => return None,
        })
    }
}

/// The HTML of a directive that belongs to a box, or `None` for any other directive. `at` is the state at this directive.
pub fn part(name: &str, words: &str, at: Progress) -> Option<Result<String>> {
    let part = Part::named(name)?;
    if part != Part::Answer && !words.is_empty() {
        return Some(Err(anyhow!("`{{{{#{name}}}}}` takes no words")));
    }
    let number = at.begun;
    Some(Ok(match part {
        Part::Predict => question("predict", "Predict", number),
        Part::Try => question("try", "Try", number),
        Part::Reveal => format!("</section>\n<div class=\"answer\" data-answer=\"{}\">\n", predicted(number)),
        Part::Answer => {
            let what = if words.is_empty() { "the answer" } else { words };
            format!("<details data-answer>\n<summary>Show {}</summary>\n", sentence(what))
        }
        Part::End if at.ends_task => "</details>\n</section>\n".to_owned(),
        Part::End => CLOSED.to_owned(),
    }))
}

/// The end of the answer to a prediction.
const CLOSED: &str = "</div>\n";

/// The id of a prediction, by its number on the page.
pub fn predicted(number: usize) -> String {
    format!("predict-{number}")
}

/// The state of the boxes at some place of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of boxes that have begun.
    pub begun: usize,
    /// The part of the page that this place is in.
    pub part: Folded,
    /// How many answers to predictions this place is in. Each but the first is inside of the one before.
    depth: usize,
    /// Whether this is the `{{#end}}` of a task.
    ends_task: bool,
}

/// A part of a page that is shown as a whole, once the reader has answered what is asked before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Folded {
    /// The first and the last prediction whose answers this place is in. All predictions between them have been answered, too.
    predictions: Option<(usize, usize)>,
    /// The task whose answer this place is in.
    task: Option<usize>,
}

impl Folded {
    /// Whether a reader that sees `other` sees this part as well.
    pub fn is_shown_with(self, other: Self) -> bool {
        let is_answered = match (self.predictions, other.predictions) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some((first, last)), Some((other_first, other_last))) => {
                first == other_first && last <= other_last
            }
        };
        is_answered && (self.task.is_none() || self.task == other.task)
    }

    /// Whether this is the answer to this prediction.
    pub fn is_answer_to(self, question: Option<usize>) -> bool {
        question.is_some() && self.task.is_none() && self.predictions.map(|(_, last)| last) == question
    }

    /// Whether nothing has to be answered before it.
    pub fn is_open(self) -> bool {
        self == Self::default()
    }
}

impl Progress {
    /// The state at a piece; `self` is the state at the piece before it.
    pub fn at(self, piece: &Piece<'_>) -> Self {
        let Folded { predictions, task } = self.part;
        let now = Self { ends_task: false, ..self };
        if heading(piece).is_some() {
            return Self { part: Folded::default(), depth: 0, ..now };
        }
        match Part::of(&piece.kind) {
            None => now,
            Some(Part::Predict | Part::Try) => Self { begun: self.begun + 1, ..now },
            Some(Part::Reveal) => {
                let predictions = Some((predictions.map_or(self.begun, |(first, _)| first), self.begun));
                Self { part: Folded { predictions, task }, depth: self.depth + 1, ..now }
            }
            Some(Part::Answer) => Self { part: Folded { predictions, task: Some(self.begun) }, ..now },
            Some(Part::End) if task.is_some() => {
                Self { part: Folded { predictions, task: None }, ends_task: true, ..now }
            }
            // All answers that are open: what follows depends on none of them.
            Some(Part::End) => Self { part: Folded::default(), depth: 0, ..now },
        }
    }

    /// What ends the answers that end at a piece, before it; `self` is the state at the piece before it.
    pub fn closing(self, piece: Option<&Piece<'_>>) -> String {
        let ends = match piece {
            None => self.depth,
            Some(piece) if heading(piece).is_some() => self.depth,
            // The directive itself closes one.
            Some(piece) if self.part.task.is_none() && Part::of(&piece.kind) == Some(Part::End) => {
                self.depth.saturating_sub(1)
            }
            Some(_) => 0,
        };
        if ends == 0 { String::new() } else { format!("\n{}\n", CLOSED.repeat(ends)) }
    }
}

/// The level of the heading that a piece begins with.
pub fn heading(piece: &Piece<'_>) -> Option<usize> {
    let Kind::Prose(text) = piece.kind else { return None };
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with(' ')).then_some(level)
}

/// A group and no landmark: a page has many boxes of the same name.
fn question(kind: &str, label: &str, number: usize) -> String {
    format!(
        "<section class=\"question {kind}\" role=\"group\" id=\"{kind}-{number}\" data-question=\"{kind}\" \
         aria-labelledby=\"{kind}-{number}-kind\">\n\
         <p class=\"question-kind\" id=\"{kind}-{number}-kind\">{label}</p>\n"
    )
}

/// Errors in the boxes of a page, each with its line.
pub fn problems(pieces: &[Piece<'_>]) -> Vec<(usize, String)> {
    let mut reader = Reader::default();
    for piece in pieces {
        reader.read(piece);
    }
    if let Some((line, next)) = reader.expected {
        reader.problems.push((line, format!("the box that is opened here has no `{{{{#{next}}}}}`")));
    }
    reader.problems
}

/// Reads the boxes of a page in order.
#[derive(Default)]
struct Reader {
    problems: Vec<(usize, String)>,
    /// The line of the part before, and the directive that has to follow.
    expected: Option<(usize, &'static str)>,
    /// How many answers to predictions are open, and how many questions the box has.
    open: usize,
    asked: usize,
}

impl Reader {
    fn read(&mut self, piece: &Piece<'_>) {
        let Piece { line, ref kind } = *piece;
        let mut problem = |what: String| self.problems.push((line, what));
        if heading(piece).is_some() {
            self.open = 0;
            if let Some((_, next)) = self.expected {
                problem(format!("a heading where `{{{{#{next}}}}}` has to follow"));
            }
        }
        let is_guess = matches!(kind, Kind::Directive { text, .. } if text.starts_with("#guess"));
        if is_guess {
            self.asked += 1;
            if self.expected.is_none_or(|(_, next)| next != "reveal") {
                problem("`{{#guess}}` is outside of a `{{#predict}}` box".to_owned());
            }
        }
        let Some(part) = Part::of(kind) else { return };
        let name = match part {
            Part::Predict => "predict",
            Part::Reveal => "reveal",
            Part::Try => "try",
            Part::Answer => "answer",
            Part::End => "end",
        };
        let opens = matches!(part, Part::Predict | Part::Try);
        match self.expected {
            Some((_, next)) if next != name => {
                problem(format!("`{{{{#{name}}}}}` where `{{{{#{next}}}}}` has to follow"));
            }
            None if !opens && (part != Part::End || self.open == 0) => problem(format!(
                "`{{{{#{name}}}}}` closes nothing: a box begins with `{{{{#predict}}}}` or `{{{{#try}}}}`"
            )),
            _ => {}
        }
        if part == Part::Reveal && self.asked != 1 {
            let asked = self.asked;
            problem(format!("a prediction asks one question, `{{{{#guess …}}}}`, and this one asks {asked}"));
        }
        if opens {
            self.asked = 0;
        }
        let ended = part == Part::End && self.expected.is_none();
        self.open = if ended { 0 } else { self.open + usize::from(part == Part::Reveal) };
        self.expected = match part {
            Part::Predict => Some((line, "reveal")),
            Part::Try => Some((line, "answer")),
            Part::Answer => Some((line, "end")),
            Part::Reveal | Part::End => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::pieces;

    const ASKED: &str = "{{#predict}}\na\n{{#guess number 1 | b?}}\n{{#reveal}}\n";

    fn found(page: &str) -> Vec<(usize, String)> {
        problems(&pieces(page).unwrap())
    }

    #[track_caller]
    fn check(page: &str, line: usize, what: &str) {
        let found = found(page);
        assert!(found.iter().any(|(at, said)| *at == line && said.contains(what)), "{page}: {found:?}");
    }

    #[test]
    fn an_answer_extends_to_a_heading_an_end_or_the_end_of_the_page() {
        for end in ["", "b\n# B\nc\n", "b\n{{#end}}\nc\n", "{{#try}}\n{{#answer}}\n{{#end}}\n"] {
            assert_eq!(found(&format!("{ASKED}{end}")), [], "{end}");
            assert_eq!(found(&format!("{ASKED}{ASKED}{end}")), [], "{end}");
        }
    }

    #[test]
    fn a_prediction_asks_one_question() {
        check("{{#predict}}\na\n{{#reveal}}\n", 3, "asks 0");
        check(&ASKED.replace("a\n", "{{#guess number 2 | c?}}\n"), 4, "asks 2");
        check("{{#guess number 2 | c?}}\n", 1, "outside of a");
        check(&format!("{ASKED}{{{{#guess number 2 | c?}}}}\n"), 5, "outside of a");
        assert_eq!(found("{{#try}}\na\n{{#answer}}\n{{#end}}\n"), []);
    }

    #[test]
    fn a_box_that_is_not_closed_or_closed_twice_is_a_problem() {
        check("\n{{#predict}}\n", 2, "has no `{{#reveal}}`");
        check("{{#predict}}\n# A\n", 2, "a heading where `{{#reveal}}`");
        check("{{#try}}\n{{#answer}}\n", 2, "has no `{{#end}}`");
        check("{{#try}}\n{{#reveal}}\n", 2, "where `{{#answer}}` has to follow");
        check("\n{{#end}}\n", 2, "closes nothing");
        check(&format!("{ASKED}# A\n{{{{#end}}}}\n"), 6, "closes nothing");
        check(&format!("{ASKED}{{{{#end}}}}\n{{{{#end}}}}\n"), 6, "closes nothing");
    }

    #[test]
    fn a_box_has_hooks_for_scripts() {
        let at = Progress { begun: 2, ..Progress::default() };
        let html = |name: &str, words: &str| part(name, words, at).unwrap().unwrap();
        let predict = html("predict", "");
        assert!(predict.contains("id=\"predict-2\" data-question=\"predict\""), "{predict}");
        assert_eq!(html("reveal", ""), "</section>\n<div class=\"answer\" data-answer=\"predict-2\">\n");
        assert!(html("answer", "").starts_with("<details data-answer>\n<summary>Show the answer</summary>"));
        assert!(html("answer", "what `a` counts").contains("Show what <code>a</code> counts"));
        assert!(part("reveal", "it", at).unwrap().is_err() && part("end", "it", at).unwrap().is_err());
        assert!(part("figure", "", at).is_none());
    }

    /// The state at each line of a page.
    fn states(page: &str) -> Vec<Folded> {
        let mut now = Progress::default();
        let mut states = Vec::new();
        for piece in pieces(page).unwrap() {
            now = now.at(&piece);
            states.resize(piece.line, now.part);
            *states.last_mut().unwrap() = now.part;
        }
        states
    }

    #[test]
    fn what_is_seen_before_an_answer_is_not_what_is_seen_after_it() {
        let page = format!(
            "a\n{ASKED}b\n{ASKED}c\n{{{{#try}}}}\nt\n{{{{#answer}}}}\nd\n{{{{#end}}}}\ne\n# B\n{ASKED}f\n"
        );
        let at = |text: &str| {
            let line = page.lines().position(|line| line == text).unwrap();
            states(&page)[line]
        };
        let shown = |one: &str, with: &str| at(one).is_shown_with(at(with));
        assert!(at("a").is_open() && !at("b").is_open());
        assert!(shown("a", "f") && shown("b", "c") && shown("b", "d") && shown("t", "e"));
        assert!(!shown("b", "a") && !shown("c", "b") && !shown("d", "e") && !shown("b", "f"));
    }

    #[test]
    fn all_answers_are_closed_where_they_end() {
        for end in ["# B\n", "{{#end}}\n", ""] {
            let page = format!("{ASKED}b\n{ASKED}c\n{end}");
            let (mut now, mut html) = (Progress::default(), String::new());
            for piece in &pieces(&page).unwrap() {
                html += &now.closing(Some(piece));
                now = now.at(piece);
                if let Kind::Directive { text, .. } = piece.kind {
                    let name = text.trim_start_matches('#').split(' ').next().unwrap();
                    html += &part(name, "", now).map_or_else(String::new, Result::unwrap);
                }
            }
            html += &now.closing(None);
            assert_eq!((html.matches("<div").count(), html.matches("</div>").count()), (2, 2), "{html}");
        }
    }
}
