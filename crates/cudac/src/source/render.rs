//! A problem in words: message, place, the line of the source, a caret, and what to do.
//!
//! The form is that of rustc, because it shows the line. [`Diagnostic`] owns its texts, so it outlives the compilation,
//! and has all parts apart: the page draws them itself, and the command line uses `Display`.

use std::fmt;

#[cfg(feature = "host")]
use super::Line;
use super::{Files, Problem};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The text cannot be compiled.
    Error,
    /// The text can be compiled, but probably does not do what it should.
    Warning,
}

/// What a warning is about, if tools tell it from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// A variable is read that has no value, whenever the text is executed.
    Uninitialized,
    /// A quotient of integers becomes a floating-point number, which is rarely meant.
    RoundedQuotient,
}

/// A message of the compiler about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether there is PTX nevertheless.
    pub severity: Severity,
    /// One line, in lower case, without a full stop.
    pub message: String,
    /// The name of the text.
    pub file: String,
    /// The directives that include that file, from the innermost on: names of files, and lines.
    pub included: Vec<(String, u32)>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// What the line says.
    pub text: String,
    /// How many characters of the line are meant; at least 1.
    pub width: u32,
    /// What to do about it.
    pub help: Option<String>,
    /// What surely goes wrong. Without it, a warning is a guess about what was meant.
    pub bug: Option<Bug>,
}

/// Lines are shown up to this many characters.
const LONGEST_LINE: usize = 200;

impl Diagnostic {
    /// The line and what to do there, if this may be the reason of a wrong result.
    #[cfg(feature = "host")]
    pub(crate) fn suspect(&self, files: &Files) -> Option<(Line, String)> {
        let help = self.help.as_deref().unwrap_or_default();
        let file = files.users().position(|name| name == self.file)?;
        let line = Line::new(file as u16, self.line);
        (self.bug? == Bug::RoundedQuotient).then(|| (line, format!("{}: {help}", self.message)))
    }

    pub(super) fn new(files: &Files, problem: &Problem) -> Diagnostic {
        let span = problem.span;
        let (line, column) = files.place(span);
        let text = files.line(span.file(), line);
        // Columns become characters here. `get` fails inside of a character, where a span should not begin; the line is
        // then marked at its end.
        let before = text.get(..column as usize - 1).unwrap_or(text);
        let rest = &text[before.len()..];
        let meant = rest.get(..(span.end().saturating_sub(span.start()) as usize).min(rest.len()));
        let place =
            |directive: super::Span| (files.get(directive.file()).name.clone(), files.place(directive).0);
        Diagnostic {
            included: files.chain(span.file()).map(place).collect(),
            severity: problem.severity,
            message: problem.message.clone(),
            file: files.get(span.file()).name.clone(),
            line,
            column: before.chars().count() as u32 + 1,
            text: text.chars().take(LONGEST_LINE).collect(),
            width: meant.map_or(1, |meant| meant.trim_end().chars().count() as u32).max(1),
            help: problem.help.clone(),
            bug: problem.bug,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(f, "{}:{}:{}: {kind}: {}", self.file, self.line, self.column, self.message)?;
        for (file, line) in &self.included {
            writeln!(f, "  included at {file}:{line}")?;
        }
        let number = self.line.to_string();
        let margin = number.len();
        writeln!(f, " {number} | {}", self.text)?;
        // Tabs are repeated, so that the caret stands where the reader's tabs put the text.
        let before = self.text.chars().take(self.column as usize - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        // A long line is cut above, and the carets with it.
        let carets = (self.width as usize).min(LONGEST_LINE.saturating_sub(indent.len()).max(1));
        write!(f, " {:margin$} | {indent}{:^<carets$}", "", "")?;
        match &self.help {
            Some(help) => write!(f, "\n {:margin$} = help: {help}", ""),
            None => Ok(()),
        }
    }
}
