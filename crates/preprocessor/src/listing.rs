//! Code as the book shows it: each line with its number in the file, and with a mark if the page mentions the line.
//!
//! A number is an attribute that the theme draws in the margin, so it is not selected, copied or found by the search.
//! Every line is an element that the highlighter leaves in place. A mark is not only a colour but a sign in the margin
//! with a name for screen readers; it works in print and without JavaScript. Where it would answer a question, it is hidden until
//! the reader has answered. Which lines are shown is decided in `code`.

use std::fmt::Write as _;

use crate::html::escape;

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number in the file; generated code has no numbers.
    pub number: Option<usize>,
    /// Its text.
    pub text: String,
    /// Why the page mentions the line, if it does.
    pub mark: Option<Mark>,
    /// The name by which the box of a fault links to it.
    pub anchor: Option<String>,
    /// Where a comment begins that tells what is wrong.
    pub told: Option<usize>,
    /// The id of the question that hides the mark and the comment until it is answered.
    pub question: Option<String>,
}

/// Why a line is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A fault on the page names it.
    Fault,
    /// The text explains its opcode.
    Opcode,
}

impl Row {
    /// A line without a number.
    pub fn plain(text: &str) -> Self {
        Self { number: None, text: text.to_owned(), mark: None, anchor: None, told: None, question: None }
    }

    fn html(&self) -> String {
        let mut html = String::from("<span class=\"row");
        html += if self.mark.is_some() { " marked\"" } else { "\"" };
        let hidden = self.question.as_ref().map(|id| format!(" data-answer=\"{id}\"")).unwrap_or_default();
        if self.mark.is_some() {
            html += &hidden;
        }
        if let Some(anchor) = &self.anchor {
            let _ = write!(html, " id=\"{}\"", escape(anchor));
        }
        if let Some(number) = self.number {
            let _ = write!(html, " data-line=\"{number}\"");
        }
        html.push('>');
        if let Some(mark) = self.mark {
            let name = match mark {
                Mark::Fault => "named by a fault",
                Mark::Opcode => "explained here",
            };
            let _ = write!(html, "<span class=\"row-sign\" role=\"img\" aria-label=\"{name}\"></span>");
        }
        match self.told {
            Some(at) if self.question.is_some() => {
                let (code, comment) = self.text.split_at(at);
                let (code, comment) = (escape(code), escape(comment));
                html + &format!("{code}<span class=\"answer\"{hidden}>{comment}</span></span>")
            }
            _ => html + &escape(&self.text) + "</span>",
        }
    }
}

/// A listing with a caption, which may be HTML. The class of its code selects the highlighting.
pub fn figure(language: &str, rows: &[Row], caption: &str) -> String {
    let numbered = if rows.iter().any(|row| row.number.is_some()) { " numbered" } else { "" };
    let code = rows.iter().map(Row::html).collect::<Vec<_>>().join("\n");
    format!(
        "<figure class=\"listing{numbered}\">\n\n<pre><code class=\"{}\">{code}\n</code></pre>\n\n\
         <figcaption>{caption}{}</figcaption>\n</figure>\n",
        language.replace(',', " "),
        named(rows),
    )
}

/// The explanation of the marks for faults, with the numbers of their lines.
fn named(rows: &[Row]) -> String {
    let is_named = |row: &&Row| row.mark == Some(Mark::Fault);
    let numbers: Vec<String> =
        rows.iter().filter(is_named).filter_map(|row| Some(row.number?.to_string())).collect();
    let lines = match numbers.as_slice() {
        [] => return String::new(),
        [one] => format!("line {one}"),
        [others @ .., last] => format!("lines {} and {last}", others.join(", ")),
    };
    let named = format!(". <span class=\"named-lines\">A fault on this page names {lines}.</span>");
    match rows.iter().find_map(|row| row.question.as_ref()) {
        Some(id) => format!("<span class=\"answer\" data-answer=\"{id}\">{named}</span>"),
        None => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: usize, text: &str, mark: Option<Mark>) -> Row {
        Row { number: Some(number), mark, ..Row::plain(text) }
    }

    #[test]
    fn a_number_is_an_attribute_and_not_part_of_the_text() {
        let html = figure("language-cpp", &[row(7, "a<b", None), row(8, "", None)], "c");
        assert!(
            html.contains(
                "<code class=\"language-cpp\"><span class=\"row\" data-line=\"7\">a&lt;b</span>\n\
                 <span class=\"row\" data-line=\"8\"></span>\n</code>"
            ),
            "{html}"
        );
        assert!(html.contains("<figcaption>c</figcaption>"), "{html}");
    }

    #[test]
    fn a_mark_has_a_name_and_the_caption_says_which_lines_have_one() {
        let mut rows = [7, 8, 9].map(|number| row(number, "a", Some(Mark::Fault)));
        rows[0].anchor = Some("k.cu-7".to_owned());
        let html = figure("", &rows, "c");
        assert!(html.contains("<span class=\"row marked\" id=\"k.cu-7\" data-line=\"7\">"), "{html}");
        assert!(html.contains("<span class=\"row marked\" data-line=\"8\">"), "{html}");
        assert!(html.contains("aria-label=\"named by a fault\""), "{html}");
        assert!(html.contains("A fault on this page names lines 7, 8 and 9."), "{html}");
    }

    #[test]
    fn generated_code_has_marks_and_no_numbers() {
        let html = figure("", &[Row { mark: Some(Mark::Opcode), ..Row::plain("bra") }], "c");
        assert!(html.starts_with("<figure class=\"listing\">") && html.contains("explained here"), "{html}");
        assert!(!html.contains("data-line") && html.contains("<figcaption>c</figcaption>"), "{html}");
    }
}
