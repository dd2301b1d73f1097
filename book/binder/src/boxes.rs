//! Questions whose answers the reader unfolds: predictions before a table, and things to try.
//!
//! A box is opened by one directive and closed by another, and what stands between them is Markdown like everywhere else:
//!
//! ```text
//! {{#predict}}            {{#try}}
//! How many sectors?       Run it with `--block 48`.
//! {{#reveal}}             {{#answer}}
//! {{#output ch02 …}}      The last warp has …
//! {{#end}}                {{#end}}
//! ```
//!
//! The answer is an HTML `details`, so that it needs no JavaScript, works from the keyboard, and is printed.

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

    /// The directive that has to follow.
    fn next(self) -> Option<&'static str> {
        match self {
            Part::Predict => Some("reveal"),
            Part::Try => Some("answer"),
            Part::Reveal | Part::Answer => Some("end"),
            Part::End => None,
        }
    }
}

/// What a directive of a box becomes, or `None` if it belongs to none.
pub fn part(name: &str) -> Option<&'static str> {
    Part::of(name).map(|part| match part {
        Part::Predict => "<div class=\"question predict\">\n<p class=\"question-kind\">Predict</p>\n",
        Part::Try => "<div class=\"question try\">\n<p class=\"question-kind\">Try</p>\n",
        Part::Reveal => "<details>\n<summary>Show what happens</summary>\n",
        Part::Answer => "<details>\n<summary>Show the answer</summary>\n",
        Part::End => "</details>\n</div>\n",
    })
}

/// What is wrong with the boxes of a page, with the line.
pub fn problems(pieces: &[Piece<'_>]) -> Vec<(usize, String)> {
    let mut problems = Vec::new();
    let mut expected: Option<&'static str> = None;
    let mut last = 1;
    for piece in pieces {
        let Kind::Directive { text, .. } = piece.kind else { continue };
        let name = text.trim_start_matches('#').trim();
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
    fn what_is_missing_or_misplaced_is_named_with_its_line() {
        let lines = |page: &str| found(page).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines("a\n{{#end}}\n"), [2]);
        assert_eq!(lines("{{#try}}\na\n{{#reveal}}\n{{#end}}\n"), [3]);
        assert_eq!(lines("{{#predict}}\na\n"), [1]);
        assert!(found("{{#predict}}\n{{#reveal}}\n")[0].1.contains("{{#end}}"));
    }
}
