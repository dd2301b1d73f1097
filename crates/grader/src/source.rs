//! One file for a solution, its starter, and the wrong solutions that a learner might write.
//!
//! The file compiles as the solution. A part that differs is between marks, and the other versions of it follow as
//! comments:
//!
//! ```text
//! //= solution
//!     if (i + stride < length) part[i] += part[i + stride];
//! //= starter
//! //    part[i] += part[i + stride];
//! //= wrong own_element
//! //    if (i < length) part[i] += part[i + stride];
//! //= end
//! ```
//!
//! A version that a part does not name has the solution's text there, so each wrong solution is written only where it
//! differs. What it leaves out: nesting.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Result, bail, ensure};

/// The start of a mark.
const MARK: &str = "//= ";

/// A version of the text in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// The version that passes.
    Solution,
    /// The version that a learner begins with.
    Starter,
    /// A wrong solution by name.
    Wrong(String),
}

impl Version {
    fn parse(mark: &str) -> Option<Version> {
        match mark.split_once(' ') {
            None if mark == "solution" => Some(Version::Solution),
            None if mark == "starter" => Some(Version::Starter),
            Some(("wrong", name)) if is_name(name) => Some(Version::Wrong(name.to_owned())),
            _ => None,
        }
    }
}

/// As in names of files and tables: `solution`, `starter`, `wrong_own_element`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Version::Solution => write!(f, "solution"),
            Version::Starter => write!(f, "starter"),
            Version::Wrong(name) => write!(f, "wrong_{name}"),
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A file in parts: text that all versions share, and text that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Shared(String),
    /// The versions of one part; the first is the solution's.
    Choice(Vec<(Version, String)>),
}

impl Source {
    /// Reads a file with marks.
    ///
    /// # Errors
    /// Names the line of a mark that is unknown or in the wrong place.
    pub fn parse(text: &str) -> Result<Source> {
        let mut source = Source::default();
        let mut open: Option<Vec<(Version, String)>> = None;
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            let mark = line.trim().strip_prefix(MARK);
            match (mark, open.as_mut()) {
                (None, None) => source.share(line),
                (None, Some(choice)) => add(choice, line, number)?,
                (Some("solution"), None) => open = Some(vec![(Version::Solution, String::new())]),
                (Some("end"), Some(_)) => source.parts.extend(open.take().map(Part::Choice)),
                (Some(mark), Some(choice)) => begin(choice, mark, number)?,
                (Some(mark), None) => bail!(
                    "line {number}: `{MARK}{mark}` is outside of a part: begin it with `{MARK}solution`"
                ),
            }
        }
        ensure!(open.is_none(), "the last part has no end: `{MARK}end`");
        Ok(source)
    }

    fn share(&mut self, line: &str) {
        match self.parts.last_mut() {
            Some(Part::Shared(text)) => text.push_str(line),
            _ => self.parts.push(Part::Shared(line.to_owned())),
        }
    }

    /// The text of a version, without marks.
    pub fn text(&self, version: &Version) -> String {
        let text = |part: &Part| match part {
            Part::Shared(text) => text.clone(),
            Part::Choice(choice) => {
                let own = choice.iter().find(|(of, _)| of == version);
                own.or(choice.first()).map(|(_, text)| text.clone()).unwrap_or_default()
            }
        };
        self.parts.iter().map(text).collect()
    }

    /// The names of the wrong solutions, in alphabetical order.
    pub fn wrong(&self) -> Vec<String> {
        let choices = self.parts.iter().filter_map(|part| match part {
            Part::Choice(choice) => Some(choice),
            Part::Shared(_) => None,
        });
        let names: BTreeSet<String> = choices
            .flatten()
            .filter_map(|(version, _)| match version {
                Version::Wrong(name) => Some(name.clone()),
                _ => None,
            })
            .collect();
        names.into_iter().collect()
    }
}

fn begin(choice: &mut Vec<(Version, String)>, mark: &str, number: usize) -> Result<()> {
    let Some(version) = Version::parse(mark) else {
        bail!("line {number}: `{MARK}{mark}` is not a mark: write `starter`, `wrong name_of_it` or `end`");
    };
    ensure!(
        choice.iter().all(|(known, _)| *known != version),
        "line {number}: `{MARK}{mark}` is a duplicate"
    );
    choice.push((version, String::new()));
    Ok(())
}

/// Adds a line to a version; those after the solution are comments.
fn add(choice: &mut [(Version, String)], line: &str, number: usize) -> Result<()> {
    let Some((version, text)) = choice.last_mut() else { return Ok(()) };
    if *version == Version::Solution {
        text.push_str(line);
        return Ok(());
    }
    let Some(code) = line.strip_prefix("//") else {
        bail!("line {number}: only the solution's lines are code; put `//` before it");
    };
    text.push_str(code);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n//= solution\n  right\n//= starter\n//  gap\n//= wrong one\n//= end\nb\n//= solution\nc\n//= wrong two\n//d\n//= end\n";

    #[track_caller]
    fn check(version: &Version, text: &str) {
        assert_eq!(Source::parse(TEXT).unwrap().text(version), text);
    }

    #[test]
    fn each_version_differs_where_it_says_so() {
        check(&Version::Solution, "a\n  right\nb\nc\n");
        check(&Version::Starter, "a\n  gap\nb\nc\n");
        check(&Version::Wrong("one".into()), "a\nb\nc\n");
        check(&Version::Wrong("two".into()), "a\n  right\nb\nd\n");
    }

    #[test]
    fn wrong_solutions_are_listed() {
        assert_eq!(Source::parse(TEXT).unwrap().wrong(), ["one", "two"]);
    }

    #[test]
    fn marks_out_of_place_are_named_with_their_line() {
        let error = |text| Source::parse(text).unwrap_err().to_string();
        assert!(error("a\n//= end\n").starts_with("line 2: "));
        assert!(error("//= solution\n//= strater\n").starts_with("line 2: "));
        assert!(error("//= solution\n//= starter\ncode\n").starts_with("line 3: "));
        assert!(error("//= solution\n").contains("no end"));
    }
}
