//! Names of the source, each stored once.
//!
//! Comparing two names compares two numbers, and hashing one hashes a number; text is compared only when a token is
//! made. The text of a number is stored in the same way.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::arena::Arena;
use super::map::Set;

/// Words that cannot be names of the text, in the order of the alphabet. Binary search needs that order. Those of
/// [lex.key] that device code has no use for, such as `thread_local`, are absent, and so are the alternative spellings
/// of operators (`and`, `not`). `__int128` and `__int64` are no keywords of C++, but of the compilers that nvcc works
/// with, and name types all the same.
const KEYWORDS: [&str; 62] = [
    "__int128",
    "__int64",
    "alignas",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "namespace",
    "new",
    "nullptr",
    "operator",
    "reinterpret_cast",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
];

/// An identifier, or the text of a number. Names of one compilation are compared by their numbers. A reference, so that
/// it can say its text without the table; [`Names`] makes them all, hence equal texts have equal numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'t>(&'t Stored<'t>);

#[derive(Clone, Copy, Debug)]
struct Stored<'t> {
    /// From 1, in the order in which the text mentions them.
    number: u32,
    is_keyword: bool,
    text: &'t str,
}

impl<'t> Name<'t> {
    pub fn as_str(self) -> &'t str {
        self.0.text
    }

    /// Whether it is a word of the language, which cannot be the name of anything.
    pub fn is_keyword(self) -> bool {
        self.0.is_keyword
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for Name<'_> {}

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.0.number);
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is found by its text. The set of names needs other keys than every other map: it hashes what it looks
/// for as text.
#[derive(Debug, PartialEq, Eq)]
struct ByText<'t>(Name<'t>);

impl Hash for ByText<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl Borrow<str> for ByText<'_> {
    fn borrow(&self) -> &str {
        self.0.as_str()
    }
}

/// All names of a compilation.
#[derive(Debug)]
pub(crate) struct Names<'t> {
    /// Here because whoever makes names puts lists beside them: one argument in place of two.
    pub arena: Arena<'t>,
    known: Set<ByText<'t>>,
    count: u32,
}

impl<'t> Names<'t> {
    pub fn new(arena: Arena<'t>) -> Names<'t> {
        Names { arena, known: Set::default(), count: 0 }
    }

    /// The name with this text, which is stored if it is new.
    pub fn get(&mut self, text: &str) -> Name<'t> {
        if let Some(known) = self.known.key(text) {
            return known.0;
        }
        self.count += 1;
        let is_keyword = KEYWORDS.binary_search(&text).is_ok();
        let text = self.arena.text(text);
        let name = Name(self.arena.put(Stored { number: self.count, is_keyword, text }));
        self.known.insert(ByText(name), ());
        name
    }
}
