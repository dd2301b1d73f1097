//! The lines that the fault boxes of a page name, if a listing of the same page shows them: the listing marks the
//! lines, and the box links to them.
//!
//! Faults name a file without its folder, `locks.cu:46`. A line that two listings show is marked in both, and the first
//! listing has the anchor. A fault in the answer to a question marks only what is shown together with it, and listings whose marks
//! that question hides, because anything else would give the answer away. It links to its lines like any other. This module reads the boxes as they are written to
//! the page, and does not use the reports.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::boxes::Folded;
use crate::html::escape;
use crate::listing::Mark;

/// The place of an actor in a fault box.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<code>(?<file>[\w.&#;-]+\.\w+):(?<line>\d+)</code>").expect("a valid expression")
});

/// The name of a file, and a line in it.
type Line = (String, usize);

/// The lines of a page that are marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The parts of the page in which a line is named.
    named: BTreeMap<Line, BTreeSet<Folded>>,
    /// The line of the page with the first listing that shows this line.
    shown: BTreeMap<Line, usize>,
    /// The line of the page with the first listing of this file.
    first: BTreeMap<String, usize>,
    /// The lines of the page with questions, each with the number of its box, and those with faults.
    questions: BTreeMap<usize, Option<usize>>,
}

impl Marks {
    /// Adds the lines that a fault box on line `at`, in this part of the page, names.
    pub fn name(&mut self, fault_box: &str, at: usize, part: Folded) {
        self.questions.insert(at, None);
        for line in PLACE.captures_iter(fault_box).filter_map(|place| line(&place)) {
            self.named.entry(line).or_default().insert(part);
        }
    }

    /// Adds the lines of a listing, which is on line `at` of the page.
    pub fn show(&mut self, file: &str, lines: impl Iterator<Item = usize>, at: usize) {
        self.first.entry(base(file)).or_insert(at);
        for number in lines {
            self.shown.entry((base(file), number)).or_insert(at);
        }
    }

    /// Adds the question on line `at` of the page.
    pub fn ask(&mut self, at: usize, number: usize) {
        self.questions.insert(at, Some(number));
    }

    /// Whether a question hides what the first listing of this line says about it.
    pub fn hides(&self, file: &str, number: usize) -> bool {
        self.shown.get(&(base(file), number)).is_some_and(|&at| self.question(at).is_some())
    }

    /// The number of the box with the first question below line `at` of the page, if no fault comes before it.
    pub fn question(&self, at: usize) -> Option<usize> {
        self.questions.range(at..).next().and_then(|(_, number)| *number)
    }

    /// Whether the listing at line `at` of the page is the first of its file.
    pub fn is_first(&self, file: &str, at: usize) -> bool {
        self.first.get(&base(file)) == Some(&at)
    }

    /// The mark of a line in a listing that is in this part of the page, and whose marks this question hides.
    pub fn of(&self, file: &str, number: usize, part: Folded, question: Option<usize>) -> Option<Mark> {
        let named = self.named.get(&(base(file), number))?;
        let is_shown = |named: &&Folded| named.is_shown_with(part) || named.is_answer_to(question);
        named.iter().any(|named| is_shown(&named)).then_some(Mark::Fault)
    }

    /// The anchor of a line in the listing at line `at` of the page, if a fault names the line and this listing shows
    /// it first.
    pub fn anchor(&self, file: &str, number: usize, at: usize) -> Option<String> {
        let line = (base(file), number);
        let is_here = self.named.contains_key(&line) && self.shown.get(&line) == Some(&at);
        is_here.then(|| anchor(&line))
    }

    /// A fault box whose places are links to the lines that the page shows.
    pub fn link(&self, fault_box: &str) -> String {
        let linked = PLACE.replace_all(fault_box, |place: &Captures<'_>| {
            match line(place).filter(|line| self.shown.contains_key(line)) {
                Some(line) => format!("<a href=\"#{}\">{}</a>", escape(&anchor(&line)), &place[0]),
                None => place[0].to_owned(),
            }
        });
        linked.into_owned()
    }
}

/// The line that a place names. Of HTML's escapes, names of files contain only the underscore.
fn line(place: &Captures<'_>) -> Option<Line> {
    Some((place["file"].replace("&#95;", "_"), place["line"].parse().ok()?))
}

/// A file's name without its folder.
fn base(file: &str) -> String {
    file.rsplit('/').next().unwrap_or(file).to_owned()
}

fn anchor((file, number): &Line) -> String {
    format!("{file}-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::Progress;

    const BOX: &str = "<li>lane 0 at <code>one&#95;two.cu:46</code>: reads <code>a[1:3]</code></li>";

    fn marks() -> Marks {
        let mut marks = Marks::default();
        marks.name(BOX, 5, Folded::default());
        marks.show("kernels/one_two.cu", 45..48, 3);
        marks.show("kernels/one_two.cu", 40..50, 9);
        marks
    }

    /// The answer to a question.
    fn answer() -> Folded {
        let page = crate::page::pieces("{{#predict}}\n{{#reveal}}\n").unwrap();
        page.iter().fold(Progress::default(), |now, piece| now.at(piece)).part
    }

    #[test]
    fn a_line_that_a_fault_names_is_marked_in_every_listing_and_has_one_anchor() {
        let (marks, file) = (marks(), "kernels/one_two.cu");
        let open = Folded::default();
        assert_eq!(marks.of(file, 46, open, None), Some(Mark::Fault));
        assert_eq!(marks.of(file, 46, answer(), None), Some(Mark::Fault));
        assert_eq!(marks.of(file, 45, open, None), None);
        assert_eq!(marks.of("kernels/other.cu", 46, open, None), None);
        assert_eq!(marks.anchor(file, 46, 3), Some("one_two.cu-46".to_owned()));
        assert_eq!((marks.anchor(file, 46, 9), marks.anchor(file, 45, 3)), (None, None));
    }

    #[test]
    fn a_fault_in_an_answer_marks_nothing_outside_of_it() {
        let mut marks = Marks::default();
        marks.name(BOX, 5, answer());
        marks.show("one_two.cu", 46..47, 3);
        assert_eq!(marks.of("one_two.cu", 46, Folded::default(), None), None);
        assert_eq!(marks.of("one_two.cu", 46, Folded::default(), Some(2)), None);
        assert_eq!(marks.of("one_two.cu", 46, Folded::default(), Some(1)), Some(Mark::Fault));
        assert_eq!(marks.of("one_two.cu", 46, answer(), None), Some(Mark::Fault));
        assert_eq!(marks.anchor("one_two.cu", 46, 3), Some("one_two.cu-46".to_owned()));
        assert!(marks.link(BOX).contains("<a href"));
    }

    #[test]
    fn a_box_links_to_the_lines_that_the_page_shows() {
        let linked = marks().link(BOX);
        assert!(
            linked.contains("<a href=\"#one&#95;two.cu-46\"><code>one&#95;two.cu:46</code></a>: reads"),
            "{linked}"
        );
        assert_eq!(Marks::default().link(BOX), BOX);
    }
}
