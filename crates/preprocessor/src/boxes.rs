//! Questions whose answers the reader unfolds: predictions before a table, and things to try.
//!
//! A box is opened by one directive and closed by another. Between them is Markdown, as everywhere else:
//!
//! ```text
//! {{#predict}}            {{#try}}
//! How many sectors?       Run it with `--block 48`.
//! {{#reveal}}             {{#answer}}
//! {{#output ch02 …}}      The last warp has …
//! {{#end}}                {{#end}}
//! ```
//!
//! Words after `reveal` and `answer` become part of the label: `{{#reveal the three tables}}` becomes *Show the three
//! tables*.
//!
//! The answer is an HTML `details`, so it needs no JavaScript, works from the keyboard, and is printed. Scripts find a
//! box by `data-question`, whose value is its kind, by `data-answer` inside it, and by its id, which consists of the
//! kind and the number on the page.

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
    fn of(name: &str) -> Option<Part> {
        Some(match name {
            "predict" => Part::Predict,
            "reveal" => Part::Reveal,
            "try" => Part::Try,
            "answer" => Part::Answer,
            "end" => Part::End,
            _ => return None,
        })
    }

    /// The directive that must follow.
    fn next(self) -> Option<&'static str> {
        match self {
            Part::Predict => Some("reveal"),
            Part::Try => Some("answer"),
            Part::Reveal | Part::Answer => Some("end"),
            Part::End => None,
        }
    }
}

/// The HTML of a directive that belongs to a box, or `None` for any other directive. `number` is the number of the box
/// on the page.
pub fn part(name: &str, words: &str, number: usize) -> Option<Result<String>> {
    let part = Part::of(name)?;
    let may_have_words = matches!(part, Part::Reveal | Part::Answer);
    if !may_have_words && !words.is_empty() {
        return Some(Err(anyhow!("`{{{{#{name}}}}}` takes no words")));
    }
    let or = |default: &'static str| if words.is_empty() { default } else { words };
    Some(Ok(match part {
        Part::Predict => question("predict", "Predict", number),
        Part::Try => question("try", "Try", number),
        Part::Reveal => answer(or("what happens")),
        Part::Answer => answer(or("the answer")),
        Part::End => "</details>\n</section>\n".to_owned(),
    }))
}

/// The state of the boxes at some place of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of boxes that have begun.
    pub begun: usize,
    /// The number of the box whose answer this place is in. The answer is still folded when the page is opened.
    pub answer: Option<usize>,
}

impl Progress {
    /// The state at a piece; `self` is the state at the piece before it.
    pub fn at(self, kind: &Kind<'_>) -> Self {
        let Kind::Directive { text, .. } = kind else { return self };
        let name = text.trim_start_matches('#').split_whitespace().next().unwrap_or_default();
        match Part::of(name) {
            None => self,
            Some(Part::Predict | Part::Try) => Self { begun: self.begun + 1, answer: None },
            Some(Part::Reveal | Part::Answer) => Self { answer: Some(self.begun), ..self },
            Some(Part::End) => Self { answer: None, ..self },
        }
    }
}

/// A group and no landmark: a page has many boxes of the same name.
fn question(kind: &str, label: &str, number: usize) -> String {
    format!(
        "<section class=\"question {kind}\" role=\"group\" id=\"{kind}-{number}\" data-question=\"{kind}\" \
         aria-labelledby=\"{kind}-{number}-kind\">\n\
         <p class=\"question-kind\" id=\"{kind}-{number}-kind\">{label}</p>\n"
    )
}

fn answer(what: &str) -> String {
    format!("<details data-answer>\n<summary>Show {}</summary>\n", sentence(what))
}

/// Errors in the boxes of a page, each with its line.
pub fn problems(pieces: &[Piece<'_>]) -> Vec<(usize, String)> {
    let mut problems = Vec::new();
    let mut expected: Option<&'static str> = None;
    let mut last = 1;
    for piece in pieces {
        let Kind::Directive { text, .. } = piece.kind else { continue };
        let name = text.trim_start_matches('#').split_whitespace().next().unwrap_or_default();
        let Some(part) = Part::of(name) else { continue };
        let opens = matches!(part, Part::Predict | Part::Try);
        match expected {
            None if !opens => problems.push((
                piece.line,
                format!(
                    "`{{{{#{name}}}}}` closes nothing: a box begins with `{{{{#predict}}}}` or `{{{{#try}}}}`"
                ),
            )),
            Some(next) if next != name => {
                problems
                    .push((piece.line, format!("`{{{{#{name}}}}}` where `{{{{#{next}}}}}` has to follow")));
            }
            _ => {}
        }
        expected = part.next();
        last = piece.line;
    }
    if let Some(next) = expected {
        problems.push((last, format!("the box that is opened here has no `{{{{#{next}}}}}`")));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::pieces;

    fn found(page: &str) -> Vec<(usize, String)> {
        problems(&pieces(page).unwrap())
    }

    #[test]
    fn a_box_has_a_question_and_an_answer() {
        assert_eq!(found("{{#predict}}\na\n{{#reveal}}\nb\n{{#end}}\n{{#try}}\n{{#answer}}\n{{#end}}\n"), []);
    }

    #[test]
    fn a_summary_says_what_it_reveals() {
        let html = |name: &str, words: &str| part(name, words, 2).unwrap().unwrap();
        assert!(html("reveal", "").contains("<summary>Show what happens</summary>"));
        assert!(html("answer", "").contains("<summary>Show the answer</summary>"));
        assert!(
            html("reveal", "what `a` counts").contains("<summary>Show what <code>a</code> counts</summary>")
        );
        assert_eq!(found("{{#predict}}\n{{#reveal what it counts}}\n{{#end}}\n"), []);
        assert!(part("end", "it", 2).unwrap().is_err());
    }

    #[test]
    fn a_box_has_hooks_for_scripts() {
        let html = part("predict", "", 2).unwrap().unwrap();
        assert!(html.contains("id=\"predict-2\" data-question=\"predict\""), "{html}");
        assert!(part("answer", "", 2).unwrap().unwrap().starts_with("<details data-answer>"));
    }

    #[test]
    fn the_answers_of_a_page_are_distinguished() {
        let page = pieces("{{#try}}\n{{#answer}}\n{{#end}}\n{{#predict}}\n{{#reveal}}\n").unwrap();
        let at =
            |last: usize| page[..=last].iter().fold(Progress::default(), |now, piece| now.at(&piece.kind));
        let is_directive = |index: &usize| matches!(page[*index].kind, Kind::Directive { .. });
        let states: Vec<_> =
            (0..page.len()).filter(is_directive).map(|index| (at(index).begun, at(index).answer)).collect();
        assert_eq!(states, [(1, None), (1, Some(1)), (1, None), (2, None), (2, Some(2))]);
    }

    #[test]
    fn missing_and_misplaced_directives_are_named_with_their_lines() {
        let lines = |page: &str| found(page).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines("a\n{{#end}}\n"), [2]);
        assert_eq!(lines("{{#try}}\na\n{{#reveal}}\n{{#end}}\n"), [3]);
        assert_eq!(lines("{{#predict}}\na\n"), [1]);
        assert!(found("{{#predict}}\n{{#reveal}}\n")[0].1.contains("{{#end}}"));
    }
}
