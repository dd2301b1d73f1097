//! Source texts, places in them, and what the compiler has to say about them.
//!
//! A [`Span`] is a range of bytes of one file. A [`Problem`] is a message about a span, and the [`Sink`] collects them, so
//! that one run reports several. [`render`] puts a problem into words with the line of the source and a caret.
//! Left out: colours, and ranges that cover more than one line, of which the first line is shown.
//!
//! Every stage reports by returning [`Failed`], and the caller that can continue (with the next declaration, the next
//! statement, the next kernel) puts it into the sink. Attempts, such as trying whether an overload fits, simply drop
//! it.

pub(crate) mod arena;
pub(crate) mod budget;
pub(crate) mod headers;
#[cfg(feature = "host")]
pub(crate) mod line;
pub(crate) mod map;
mod name;
pub(crate) mod near;
pub mod render;

pub(crate) use name::{Name, Names};

use std::cell::Cell;
use std::fmt::Display;
use std::rc::Rc;

use headers::Header;
#[cfg(feature = "host")]
use line::Line;
use render::{Bug, Diagnostic, Severity};

/// A range of bytes in a file. It is one number, because nearly every function of this crate passes one on: 16 bits for
/// the file and 24 each for the start and the end, which are enough for the longest text. The default is the start of
/// the user's text, which is the place of a message that is about the whole.
///
/// ```text
/// 63    48 47     24 23      0
///   file     start      end
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Span(u64);

/// Longer texts are refused. Offsets in a [`Span`] have 24 bits, which is enough for four times as many.
pub(crate) const MAX_TEXT_BYTES: usize = 4 << 20;

const OFFSET_BITS: u32 = 24;

/// The number of the first file that is a text of this compiler; those of the user's files are smaller.
const OWN: u16 = 1 << 15;

impl Span {
    pub fn new(file: u16, start: u32, end: u32) -> Span {
        // Clamped, not wrapped: a span that is too long for its bits points to the end, and never into another file.
        let most = (1 << OFFSET_BITS) - 1;
        let (start, end) = (u64::from(start.min(most)), u64::from(end.min(most)));
        Span((u64::from(file) << OFFSET_BITS | start) << OFFSET_BITS | end)
    }

    pub fn file(self) -> u16 {
        (self.0 >> (2 * OFFSET_BITS)) as u16
    }

    pub fn start(self) -> u32 {
        (self.0 >> OFFSET_BITS) as u32 & ((1 << OFFSET_BITS) - 1)
    }

    pub fn end(self) -> u32 {
        self.0 as u32 & ((1 << OFFSET_BITS) - 1)
    }

    /// Whether it is in the user's text or in a file that this includes, not in a text of this compiler. Warnings are
    /// given only there, and the line table of PTX names only such lines.
    pub fn is_users(self) -> bool {
        self.file() < OWN
    }

    /// Of what this compiler adds to a text, and of which no line is named.
    #[cfg(feature = "host")]
    pub fn of_compiler() -> Span {
        Span::new(OWN, 0, 0)
    }

    /// From the start of this span to the end of another one in the same file. Tokens of a macro's body and of its
    /// arguments may be in different files or in another order; then this span alone remains.
    pub fn to(self, end: Span) -> Span {
        let is_after = self.file() == end.file() && end.end() >= self.start();
        if is_after { Span::new(self.file(), self.start(), end.end()) } else { self }
    }
}

/// A message about a place.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Only errors keep PTX from being made.
    pub severity: Severity,
    pub span: Span,
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// See [`Bug`]: what a tool may act on without reading the message.
    pub bug: Option<Bug>,
}

thread_local! {
    /// The error that was made last on this thread, which belongs to the last [`Failed`]. A cell and not an argument,
    /// so that `?` works everywhere without a context. It is the thread's own, so texts may be compiled in parallel.
    static LAST: Cell<Option<Problem>> = const { Cell::new(None) };
}

/// Something is wrong with the text. What it is has been put aside, so that this has no size: most functions of this crate
/// return a result, which is then a pointer that may be null, and WebAssembly returns it without memory. It is only about the
/// error that was made last. An older one is lost, as it is when an attempt fails and another succeeds.
#[derive(Debug)]
#[must_use]
pub(crate) struct Failed(());

pub(crate) type Result<T> = std::result::Result<T, Failed>;

/// An error at a place. Messages follow the rules of the whole project: lower case, no full stop, what the text says in
/// backticks.
pub(crate) fn error(span: Span, message: impl Display) -> Failed {
    Problem { severity: Severity::Error, span, message: message.to_string(), help: None, bug: None }
        .put_aside()
}

/// What this compiler does not support, by name. One wording for all, so that tools (`examples/foreign`) can count what
/// is missing.
pub(crate) fn unsupported(span: Span, what: impl Display) -> Failed {
    error(span, format_args!("{what} is not supported by this compiler"))
}

impl Problem {
    pub fn put_aside(self) -> Failed {
        LAST.set(Some(self));
        Failed(())
    }
}

impl Failed {
    pub fn with_help(self, help: impl Display) -> Failed {
        let mut problem = self.problem();
        problem.help = Some(help.to_string());
        problem.put_aside()
    }

    /// What is wrong. If the error was taken before, which would be a mistake of this crate, there is still a message.
    pub fn problem(self) -> Problem {
        let Failed(()) = self;
        let none = || Problem {
            severity: Severity::Error,
            span: Span::default(),
            message: "this cannot be compiled".to_owned(),
            help: None,
            bug: None,
        };
        LAST.take().unwrap_or_else(none)
    }
}

/// A text with a name. Shared, because the preprocessor reads a text while it adds others.
#[derive(Debug)]
pub(crate) struct File {
    pub name: String,
    pub text: Rc<str>,
    /// The directive that included it first, if it is a file of the user's.
    pub included: Option<Span>,
    /// What [`Headers`](crate::Headers) knows it by.
    pub key: String,
    /// Where each line starts.
    lines: Vec<u32>,
}

impl File {
    fn new(name: &str, text: &str) -> File {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        File { name: name.to_owned(), text: text.into(), included: None, key: String::new(), lines }
    }
}

/// The texts of a compilation: the user's, of which the first is the one to compile, and those of this crate.
#[derive(Debug, Default)]
pub(crate) struct Files {
    users: Vec<File>,
    own: Vec<File>,
}

impl Files {
    /// Adds a text of this crate. Its number is that of the spans in it.
    pub fn add(&mut self, name: &str, text: &str) -> u16 {
        self.own.push(File::new(name, text));
        OWN + (self.own.len() - 1) as u16
    }

    /// Adds a text to compile.
    pub fn add_unit(&mut self, name: &str, text: &str) -> u16 {
        self.users.push(File { key: name.to_owned(), ..File::new(name, text) });
        (self.users.len() - 1) as u16
    }

    /// Adds a file that a directive includes, unless it was included before.
    pub fn add_included(&mut self, header: &Header, directive: Span) -> u16 {
        let is_it = |file: &File| file.included.is_some() && file.key == header.key;
        let known = self.users.iter().position(is_it);
        let at = known.unwrap_or(self.users.len());
        if known.is_none() {
            let file = File::new(&header.name, &header.text);
            self.users.push(File { included: Some(directive), key: header.key.clone(), ..file });
        }
        at as u16
    }

    pub fn get(&self, file: u16) -> &File {
        match file.checked_sub(OWN) {
            Some(own) => &self.own[usize::from(own)],
            None => &self.users[usize::from(file)],
        }
    }

    /// What tells places in other files than the first from those there.
    pub fn suffix(&self, span: Span) -> String {
        let is_first = span.file() == 0 || !span.is_users();
        if is_first { String::new() } else { format!(" of {}", self.get(span.file()).name) }
    }

    /// The names of the user's files, by their numbers.
    pub fn users(&self) -> impl Iterator<Item = &str> {
        self.users.iter().map(|file| &*file.name)
    }

    /// The directives that include a file, from the innermost to that of the text to compile.
    pub fn chain(&self, file: u16) -> impl Iterator<Item = Span> {
        std::iter::successors(self.get(file).included, |directive| self.get(directive.file()).included)
    }

    #[cfg(feature = "host")]
    /// What the places of problems are sorted by: the order in which the compiler reads them.
    fn order(&self, span: Span) -> Vec<u32> {
        let mut order: Vec<_> =
            std::iter::once(span).chain(self.chain(span.file())).map(Span::start).collect();
        order.reverse();
        order
    }

    #[cfg(feature = "host")]
    /// The line of a place in the user's text.
    pub fn line_of(&self, span: Span) -> Line {
        Line::new(span.file(), self.place(span).0)
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file()).text.get(span.start() as usize..span.end() as usize).unwrap_or_default()
    }

    /// Line and column of the start of a span, both from 1; the column counts bytes. [`Diagnostic`] turns it into
    /// characters; the line table of PTX needs no columns.
    pub fn place(&self, span: Span) -> (u32, u32) {
        let lines = &self.get(span.file()).lines;
        let line = lines.partition_point(|start| *start <= span.start()).max(1);
        (line as u32, span.start() - lines[line - 1] + 1)
    }

    /// The text of a line, numbered from 1.
    fn line(&self, file: u16, line: u32) -> &str {
        let file = self.get(file);
        let start = file.lines[line as usize - 1] as usize;
        let end = file.lines.get(line as usize).map_or(file.text.len(), |end| *end as usize);
        file.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// The parts as one text, with something between them.
pub(crate) fn joined(parts: &[impl AsRef<str>], between: &str) -> String {
    let mut text = String::new();
    for (nth, part) in parts.iter().enumerate() {
        if nth > 0 {
            text.push_str(between);
        }
        text.push_str(part.as_ref());
    }
    text
}

/// At most this many errors are reported in one run. More do not help a reader, and a text that consists of mistakes
/// would take long: noting one compares it with the others.
const MAX_ERRORS: usize = 20;

/// The same for warnings.
const MAX_WARNINGS: usize = 3 * MAX_ERRORS;

/// Collects problems, in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    problems: Vec<Problem>,
    /// How many of the problems are errors.
    errors: usize,
    /// Headers of the system that the text includes and that are not there. Nothing may need them.
    #[cfg(feature = "host")]
    absent: Vec<(String, Span)>,
    /// Whether what is wrong with host code is left out.
    pub leaves_host: bool,
    /// What was, until something else is wrong.
    left_out: Vec<Problem>,
    /// Errors in the declaration that is being read.
    held: Vec<Failed>,
    /// Whether the error about a bound was noted ([`budget`]), after which there is no other.
    is_spent: bool,
    /// Where the user's text uses the function of this compiler that is being checked.
    pub used: Option<Span>,
    /// What is no warning, because it is right in most programs: lines, and what to do there if one finds its results wrong.
    #[cfg(feature = "host")]
    pub suspects: Vec<(Line, String)>,
}

impl Sink {
    /// Notes an error. The same message at the same place is noted once. That happens when a template is checked for
    /// several arguments, or a header is read by several kernels.
    pub fn add(&mut self, failed: Failed) {
        if self.is_spent {
            return;
        }
        self.is_spent = budget::is_passed();
        let failed = self.at_use(budget::passed().unwrap_or(failed));
        self.note(failed.problem());
    }

    /// Notes an error in a declaration that is being read; whether it is one is said later if it may be of host code that another
    /// compiler reads.
    pub fn hold(&mut self, failed: Failed) {
        if self.leaves_host { self.held.push(failed) } else { self.add(failed) }
    }

    /// Puts the errors of a declaration aside while others are read, or back.
    pub fn swap_held(&mut self, held: Vec<Failed>) -> Vec<Failed> {
        std::mem::replace(&mut self.held, held)
    }

    /// Whether there are such errors.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Notes them, as errors if the declaration is of device code.
    pub fn release(&mut self, is_device: bool) {
        for failed in std::mem::take(&mut self.held) {
            if is_device || budget::is_passed() {
                self.add(failed);
            } else if self.left_out.len() < MAX_ERRORS {
                self.left_out.push(failed.problem());
            }
        }
    }

    /// An error in a text of this compiler as one at the place that uses it.
    pub fn at_use(&self, failed: Failed) -> Failed {
        let mut problem = failed.problem();
        if let Some(used) = self.used.filter(|used| used.is_users() && !problem.span.is_users()) {
            problem.span = used;
        }
        problem.put_aside()
    }

    fn note(&mut self, problem: Problem) {
        let same = |known: &Problem| known.span == problem.span && known.message == problem.message;
        if self.problems.iter().any(same) {
            return;
        }
        let is_error = problem.severity == Severity::Error;
        self.errors += usize::from(is_error);
        // Each kind has a bound of its own: no number of warnings hides an error.
        let most = if is_error {
            self.errors > MAX_ERRORS
        } else {
            self.problems.len() - self.errors.min(MAX_ERRORS) >= MAX_WARNINGS
        };
        if most {
            return;
        }
        let place = |problem: &Problem| (problem.span.file(), problem.span.start());
        // Stages find problems in their own order: the parser reports one after the preprocessor has read to the end.
        let at = self.problems.partition_point(|known| place(known) <= place(&problem));
        self.problems.insert(at, problem);
    }

    pub fn warn(&mut self, span: Span, message: impl Display, help: &str) {
        self.warn_of(None, span, message, help);
    }

    /// Warns, and says what about, if tools tell that from other warnings.
    pub fn warn_of(&mut self, bug: Option<Bug>, span: Span, message: impl Display, help: &str) {
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.note(Problem { severity: Severity::Warning, span, message: message.to_string(), help, bug });
    }

    /// Notes a header that is not there. It is an error only if there is another, whose cause it may be.
    #[cfg(feature = "host")]
    pub fn suspect_absent(&mut self, name: &str, span: Span) {
        self.absent.push((name.to_owned(), span));
    }

    /// Reports the headers that are not there.
    #[cfg(feature = "host")]
    fn report_absent(&mut self) {
        let is_error = self.failed();
        for (name, span) in std::mem::take(&mut self.absent) {
            let message = format!("the header `{name}` is not available");
            if is_error {
                self.add(error(span, message).with_help("this compiler has headers of its own"));
            } else {
                self.warn(span, message, "nothing seems to need it");
            }
        }
    }

    /// Takes the warnings of another pass over the same text, as far as they are about the user's text.
    #[cfg(feature = "host")]
    pub fn warn_as(&mut self, other: Sink) {
        other
            .problems
            .into_iter()
            .filter(|problem| problem.span.is_users())
            .for_each(|problem| self.note(problem));
        self.suspects.extend(other.suspects);
    }

    /// Whether there was an error. Warnings do not count.
    pub fn failed(&self) -> bool {
        self.errors > 0 || budget::is_passed()
    }

    /// Whether so many errors were found that more would not help.
    pub fn is_full(&self) -> bool {
        self.errors >= MAX_ERRORS || budget::is_passed()
    }

    /// The problems in the order of the text.
    pub fn finish(mut self, files: &Files) -> Vec<Diagnostic> {
        // An attempt may have passed the bound, and its error may have been dropped.
        if let Some(passed) = budget::passed() {
            self.add(passed);
        }
        if self.failed() {
            for problem in std::mem::take(&mut self.left_out) {
                self.note(problem);
            }
        }
        #[cfg(feature = "host")]
        self.report_absent();
        // A file's problems are where it is included.
        #[cfg(feature = "host")]
        self.problems.sort_by_cached_key(|problem| (!problem.span.is_users(), files.order(problem.span)));
        self.problems.iter().map(|problem| Diagnostic::new(files, problem)).collect()
    }
}
