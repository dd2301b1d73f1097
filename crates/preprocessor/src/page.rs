//! Divides a page into pieces: prose, fenced blocks, formulas, and directives, each with its line.
//!
//! It knows only as much of Markdown as is needed to recognise code, and to find formulas where the KaTeX preprocessor
//! finds them. mdBook does the rest.

/// A part of a page. All pieces in order are the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Where it begins, counted from 1.
    pub line: usize,
    /// What kind of piece it is.
    pub kind: Kind<'a>,
}

/// A kind of piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// Markdown that is passed on as it is.
    Prose(&'a str),
    /// A word in backticks, including the backticks.
    Code(&'a str),
    /// A fenced block: the text after the opening fence, and the whole block with both fences.
    Fence {
        /// The language.
        info: &'a str,
        /// The whole block.
        text: &'a str,
    },
    /// A formula with its dollars.
    Formula(&'a str),
    /// `{{#name words}}` or `{{= words}}`, without the braces.
    Directive {
        /// The text between the braces.
        text: &'a str,
        /// Whether it is alone on its line.
        is_alone: bool,
    },
}

/// Divides a page into pieces. An error names the line on which something is opened and never closed.
pub fn pieces(page: &str) -> Result<Vec<Piece<'_>>, (usize, String)> {
    Cutter { page, at: 0, line: 1, found: Vec::new() }.run()
}

/// The directives inside a formula, with the text between them.
pub fn inside_formula(formula: &str) -> Vec<Kind<'_>> {
    let mut kinds = Vec::new();
    let mut rest = formula;
    while let Some((before, text, after)) = next_directive(rest) {
        kinds.push(Kind::Prose(before));
        kinds.push(Kind::Directive { text, is_alone: false });
        rest = after;
    }
    kinds.push(Kind::Prose(rest));
    kinds
}

fn next_directive(text: &str) -> Option<(&str, &str, &str)> {
    let start = [text.find("{{#"), text.find("{{=")].into_iter().flatten().min()?;
    let end = start + text[start..].find("}}")?;
    Some((&text[..start], &text[start + 2..end], &text[end + 2..]))
}

struct Cutter<'a> {
    page: &'a str,
    at: usize,
    line: usize,
    found: Vec<Piece<'a>>,
}

impl<'a> Cutter<'a> {
    fn run(mut self) -> Result<Vec<Piece<'a>>, (usize, String)> {
        while self.at < self.page.len() {
            let rest = &self.page[self.at..];
            let starts_line = self.at == 0 || self.page[..self.at].ends_with('\n');
            if starts_line && let Some(length) = self.fence(rest)? {
                let info =
                    rest.trim_start().trim_start_matches(['`', '~']).lines().next().unwrap_or_default();
                self.push(length, |text| Kind::Fence { info: info.trim(), text });
            } else if rest.starts_with("{{#") || rest.starts_with("{{=") {
                let end = rest.find("}}").ok_or_else(|| self.open("`{{`", "`}}`"))?;
                let is_alone = self.is_alone(end + 2);
                self.push(end + 2, |text| Kind::Directive { text: text[2..end].trim(), is_alone });
            } else if rest.starts_with('`') {
                let length = code(rest);
                self.push(length, Kind::Code);
            } else if rest.starts_with('$') {
                let length = formula(rest).ok_or_else(|| self.open("`$`", "`$`"))?;
                self.push(length, Kind::Formula);
            } else {
                let length = prose(rest);
                self.push(length, Kind::Prose);
            }
        }
        Ok(self.found)
    }

    fn open(&self, what: &str, end: &str) -> (usize, String) {
        (self.line, format!("{what} is opened and never closed with {end}"))
    }

    fn push(&mut self, length: usize, kind: impl FnOnce(&'a str) -> Kind<'a>) {
        let text = &self.page[self.at..self.at + length];
        self.found.push(Piece { line: self.line, kind: kind(text) });
        self.line += text.matches('\n').count();
        self.at += length;
    }

    /// The length of the fenced block that begins here.
    fn fence(&self, rest: &str) -> Result<Option<usize>, (usize, String)> {
        let first = rest.lines().next().unwrap_or_default().trim_start();
        let mark: String = first.chars().take_while(|c| first.starts_with(*c)).collect();
        if mark.len() < 3 || !mark.starts_with(['`', '~']) {
            return Ok(None);
        }
        let mut length = 0;
        for (number, line) in rest.split_inclusive('\n').enumerate() {
            length += line.len();
            if number > 0 && line.trim() == mark {
                return Ok(Some(length));
            }
        }
        Err(self.open("a fenced block", &format!("`{mark}`")))
    }

    /// Whether the piece that begins here is alone on its line.
    fn is_alone(&self, length: usize) -> bool {
        let before = self.page[..self.at].rsplit('\n').next().unwrap_or_default();
        let after = self.page[self.at + length..].split('\n').next().unwrap_or_default();
        before.trim().is_empty() && after.trim().is_empty()
    }
}

/// The length of a code span. It ends with as many backticks as it began with; if it has no end, the backticks are
/// text.
fn code(rest: &str) -> usize {
    let ticks = rest.len() - rest.trim_start_matches('`').len();
    let paragraph = rest.find("\n\n").unwrap_or(rest.len());
    let mut at = ticks;
    while let Some(found) = rest[at..paragraph].find('`') {
        let start = at + found;
        let run = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        if run == ticks {
            return start + run;
        }
        at = start + run;
    }
    ticks
}

/// The length of the prose up to the next possible piece, at least one character.
fn prose(rest: &str) -> usize {
    let escaped = if rest.starts_with("\\$") { 2 } else { 0 };
    let first = escaped.max(rest.chars().next().map_or(1, char::len_utf8));
    let mut at = first;
    while at < rest.len() {
        let here = &rest[at..];
        if here.starts_with("\\$") {
            at += 2;
            continue;
        }
        let special = here.starts_with(['`', '$']) || here.starts_with("{{#") || here.starts_with("{{=");
        if special || rest[..at].ends_with('\n') {
            break;
        }
        at += here.chars().next().map_or(1, char::len_utf8);
    }
    at
}

/// The length of the formula that begins here: `$$…$$`, or `$…$` within a paragraph.
fn formula(rest: &str) -> Option<usize> {
    if let Some(display) = rest.strip_prefix("$$") {
        return Some(display.find("$$")? + 4);
    }
    let paragraph = rest.find("\n\n").unwrap_or(rest.len());
    Some(rest[1..paragraph].find('$')? + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(page: &str) -> Vec<Kind<'_>> {
        pieces(page).unwrap().into_iter().map(|piece| piece.kind).collect()
    }

    #[test]
    fn all_pieces_together_are_the_page() {
        let page = "# A\n\nb `$c$` {{= x}} $d_{e}$\n\n```sh\n{{#not}} $\n```\n\n{{#figure f}}\n\n$$\ng\n$$\n";
        let mut again = String::new();
        for piece in pieces(page).unwrap() {
            match piece.kind {
                Kind::Prose(text) | Kind::Code(text) | Kind::Formula(text) | Kind::Fence { text, .. } => {
                    again += text;
                }
                Kind::Directive { text, .. } => {
                    again.extend(["{{", text, "}}"]);
                }
            }
        }
        assert_eq!(again, page);
    }

    #[test]
    fn directives_are_found_with_their_lines_and_left_alone_in_fences() {
        let found = pieces("a {{= b}}\n```\n{{#c}}\n```\n{{#d e}}\n").unwrap();
        let directives: Vec<_> = found
            .iter()
            .filter_map(|piece| match piece.kind {
                Kind::Directive { text, is_alone } => Some((piece.line, text, is_alone)),
                _ => None,
            })
            .collect();
        assert_eq!(directives, [(1, "= b", false), (5, "#d e", true)]);
    }

    #[test]
    fn dollars_in_code_and_escaped_dollars_are_not_formulas() {
        assert!(kinds("`$a` \\$5 b\n").iter().all(|kind| !matches!(kind, Kind::Formula(_))));
        assert!(kinds("a $b$ c\n").contains(&Kind::Formula("$b$")));
    }

    #[test]
    fn unclosed_pieces_are_named_with_their_lines() {
        assert_eq!(pieces("a\n$b\n\nc").unwrap_err().0, 2);
        assert_eq!(pieces("a\n```cpp\nb").unwrap_err().0, 2);
        assert_eq!(pieces("\n\n{{#a").unwrap_err().0, 3);
    }

    #[test]
    fn a_formula_may_contain_directives() {
        let kinds = inside_formula("$\\frac{ {{= a / b | .1}} }{2}$");
        assert_eq!(kinds[1], Kind::Directive { text: "= a / b | .1", is_alone: false });
    }
}
