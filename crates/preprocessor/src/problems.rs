//! The problems of the book, by file and line.
//!
//! One cause can have many places: a kernel that has changed makes every page stale that shows it. Therefore each cause
//! is printed once, with its first place and the number of the others; the list contains all places.

use std::fmt;

/// Something that is wrong with a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The page, or another file, from the repository's root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to do about it.
    pub what: String,
}

/// All problems of a book, in the order of its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

impl Problems {
    /// The first place of each cause, and the number of its other lines.
    fn causes(&self) -> Vec<(&Problem, usize)> {
        let mut causes: Vec<(&Problem, usize)> = Vec::new();
        for problem in &self.0 {
            match causes.iter_mut().find(|(first, _)| first.what == problem.what) {
                Some((_, more)) => *more += 1,
                None => causes.push((problem, 0)),
            }
        }
        causes
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes = self.causes();
        write!(
            f,
            "the book has {} {}:",
            causes.len(),
            if causes.len() == 1 { "problem" } else { "problems" }
        )?;
        for (first, more) in causes {
            write!(f, "\n{first}")?;
            match more {
                0 => {}
                1 => write!(f, " (and in another place)")?,
                more => write!(f, " (and in {more} more places)")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_printed_once() {
        let problem = |line, what: &str| Problem { file: "a.md".to_owned(), line, what: what.to_owned() };
        let problems = Problems(vec![problem(1, "x"), problem(2, "y"), problem(3, "x"), problem(4, "x")]);
        assert_eq!(
            problems.to_string(),
            "the book has 2 problems:\na.md:1: x (and in 2 more places)\na.md:2: y"
        );
    }
}
