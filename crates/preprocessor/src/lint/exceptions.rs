//! `lint: allow WORDS: REASON`, the comment that allows a phrase.
//!
//! It is on a line of its own: `<!-- … -->` in Markdown, `# …` in TOML. It holds for the block of lines after it, up to
//! the next blank line, and for phrases that contain its words; several are separated by commas. It must give a reason,
//! and it must allow something.

use std::sync::LazyLock;

use regex::Regex;

use super::Found;

/// A line with an exception, complete or not.
static COMMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:<!--|#)\s*lint:(.*?)(?:-->\s*)?$").expect("a valid expression"));

/// The words and the reason of an exception.
static ALLOW: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*allow\s+([^:]+):\s*(\S.*)$").expect("a valid expression"));

/// Words that are allowed in a block of lines.
struct Exception {
    /// The line of the comment.
    line: usize,
    /// The last line of the block.
    last: usize,
    words: String,
    is_used: bool,
}

/// The findings that no exception allows, and the errors in the exceptions of this text.
pub fn apply(text: &str, found: Vec<Found>) -> Vec<Found> {
    let (mut exceptions, mut problems) = read(text);
    let mut left: Vec<Found> =
        found.into_iter().filter(|found| !is_allowed(found, &mut exceptions)).collect();
    let unused = exceptions.into_iter().filter(|exception| !exception.is_used);
    problems.extend(unused.map(|exception| Found {
        line: exception.line,
        phrase: exception.words,
        advice: "this exception allows nothing: take it out",
    }));
    left.append(&mut problems);
    left.sort_by_key(|found| found.line);
    left
}

/// A text without its exceptions, which are not meant for readers. In Markdown each of them would end a paragraph.
pub fn without(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !COMMENT.is_match(line.trim_end())).collect()
}

fn is_allowed(found: &Found, exceptions: &mut [Exception]) -> bool {
    let phrase = found.phrase.to_lowercase();
    let mut is_allowed = false;
    for exception in exceptions {
        let is_here = (exception.line..=exception.last).contains(&found.line);
        if is_here && phrase.contains(&exception.words) {
            exception.is_used = true;
            is_allowed = true;
        }
    }
    is_allowed
}

fn read(text: &str) -> (Vec<Exception>, Vec<Found>) {
    let lines: Vec<&str> = text.lines().collect();
    let (mut exceptions, mut problems) = (Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate() {
        let Some(comment) = COMMENT.captures(line) else { continue };
        let last = at + lines[at..].iter().take_while(|line| !line.trim().is_empty()).count();
        match ALLOW.captures(comment[1].trim_end()) {
            Some(allow) => exceptions.extend(allow[1].split(',').map(|words| Exception {
                line: at + 1,
                last,
                words: words.trim().to_lowercase(),
                is_used: false,
            })),
            None => problems.push(Found {
                line: at + 1,
                phrase: line.trim().to_owned(),
                advice: "an exception is `lint: allow WORDS: REASON`",
            }),
        }
    }
    (exceptions, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str, line: usize, phrase: &str) -> Vec<(usize, &'static str)> {
        let found = Found { line, phrase: phrase.to_owned(), advice: "habit" };
        apply(text, vec![found]).into_iter().map(|found| (found.line, found.advice)).collect()
    }

    #[test]
    fn an_exception_holds_for_its_words_and_the_block_below() {
        let text = "<!-- lint: allow behind, go on: a wall has a behind -->\na\nb\n\nc\n";
        assert_eq!(left(text, 3, "behind the"), [(1, "this exception allows nothing: take it out")]);
        let text = "# lint: allow behind: a wall has a behind\na\nb\n\nc\n";
        assert_eq!(left(text, 3, "Behind the"), []);
        assert_eq!(left(text, 5, "behind the").len(), 2);
        assert_eq!(left(text, 3, "in vain").len(), 2);
    }

    #[test]
    fn an_exception_needs_a_reason() {
        for comment in
            ["<!-- lint: allow behind -->", "<!-- lint: allow behind: -->", "<!-- lint: behind: it is -->"]
        {
            let left = left(&format!("{comment}\na\n"), 2, "behind the");
            assert_eq!(left.len(), 2, "{comment}: {left:?}");
        }
    }

    #[test]
    fn exceptions_are_removed_from_the_text() {
        assert_eq!(without("a\n<!-- lint: allow b: c -->\nd\n<!-- e -->\n"), "a\nd\n<!-- e -->\n");
    }
}
