//! Directives and macros: tokens to tokens.
//!
//! A macro's tokens get the place where the macro is used, because that is the line that the reader looks at; tokens of
//! its arguments keep their own. `#pragma unroll` becomes a token for the parser.
//!
//! Texts of this crate are read with the macros that it defined itself ([`Macros::seal`]), so that `#define x 3` in a
//! kernel cannot break them. A header's own macros then join the user's; those of a chunk vanish with it.
//!
//! Left out: `_Pragma`, `__has_include`, and the arguments of a macro that a function-like macro has produced,
//! if they follow its own. Specification: C++17, [cpp].

mod condition;
mod expand;

use crate::builtins::headers;
use crate::lex::{Kind, Token, lex};
use crate::source::MAX_TEXT_BYTES;
use crate::source::budget::{self, Bound};
use crate::source::headers::{Header, Headers};
use crate::source::map::Map;
use crate::source::near::nearest;
use crate::source::{Files, Name, Names, Result, Sink, Span, error};

/// A macro.
#[derive(Clone, Copy, Debug)]
struct Macro<'t> {
    /// The names of the parameters of a function-like macro. `None` differs from an empty list: `F` without arguments,
    /// and `F()`.
    parameters: Option<&'t [Name<'t>]>,
    /// The last parameter is then `__VA_ARGS__`, and takes what is left, commas included.
    is_variadic: bool,
    body: &'t [Token<'t>],
}

/// Turns texts into tokens, and keeps the macros from one to the next. The parser keeps it, because it asks for more
/// text on the way.
pub(crate) struct Preprocessor<'s, 't> {
    pub files: &'s mut Files,
    pub names: &'s mut Names<'t>,
    pub sink: &'s mut Sink,
    pub headers: Option<&'s dyn Headers>,
    pub macros: Macros<'t>,
    /// The tokens of this compiler's headers, if the text consists of several units: all of them share what these
    /// declare.
    #[cfg(feature = "host")]
    pub shared: Option<Vec<Token<'t>>>,
    /// The macros that each of these headers defines.
    #[cfg(feature = "host")]
    defined: Map<&'static str, Map<Name<'t>, &'t Macro<'t>>>,
}

/// What is defined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Macros<'t> {
    known: Map<Name<'t>, &'t Macro<'t>>,
    /// Headers that were read, by the names that they are known by. Each is read once, as if it began with `#pragma
    /// once`.
    included: Vec<&'static str>,
    /// What is defined for this compiler's own texts, which the macros of the user's text must not change.
    base: Map<Name<'t>, &'t Macro<'t>>,
    /// What `#line` says, in the order of the text: where it is, what it adds to the lines after it, and the name of the
    /// file.
    lines: Vec<(Span, i64, Option<&'t [u8]>)>,
    /// Whether the text is a whole program, with host code.
    pub is_program: bool,
    /// The user's files that say `#pragma once`.
    once: Vec<u16>,
    /// Whether a file that is included does not exist or cannot be read.
    pub lacks_files: bool,
}

impl Macros<'_> {
    /// What is defined now is what own texts find defined.
    pub fn seal(&mut self) {
        self.base = self.known.clone();
    }
}

/// A condition whose end has not been read.
struct Conditional {
    span: Span,
    /// Whether one of its branches has been taken. It begins as true if the condition is inside of a branch that is not
    /// taken, which keeps all of its branches out.
    was_taken: bool,
    /// Whether the branch that is being read counts.
    is_active: bool,
    /// After `#else`, neither `#elif` nor another `#else` may follow.
    has_else: bool,
}

/// A file on the way.
struct Reader<'p, 's, 't> {
    shared: &'p mut Preprocessor<'s, 't>,
    tokens: &'p [Token<'t>],
    at: usize,
    conditionals: Vec<Conditional>,
    output: Vec<Token<'t>>,
    /// How many headers and macros are around this place.
    depth: usize,
}

impl<'s, 't> Preprocessor<'s, 't> {
    /// Defines a macro by text, as `-D` does. The value becomes a file of its own, so that messages about it have a
    /// place.
    pub fn define(&mut self, name: &str, value: &str) -> Result<()> {
        let file = self.files.add("a definition", value);
        let body = self.names.arena.list(&lex(self.names, file, value)?);
        let name = self.names.get(name);
        let made = Macro { parameters: None, is_variadic: false, body };
        self.macros.known.insert(name, self.names.arena.put(made));
        Ok(())
    }

    /// The tokens of a file and of what it includes, ended by [`Kind::End`].
    pub fn run(&mut self, file: u16) -> Vec<Token<'t>> {
        let end = self.files.get(file).text.len() as u32;
        let tokens = self.file(file, 0);
        ended(tokens, Span::new(file, end, end))
    }

    /// What is needed to read texts, with what is defined before each of them.
    pub fn new(
        files: &'s mut Files,
        names: &'s mut Names<'t>,
        sink: &'s mut Sink,
        headers: Option<&'s dyn Headers>,
    ) -> Preprocessor<'s, 't> {
        Preprocessor {
            files,
            names,
            sink,
            headers,
            macros: Macros::default(),
            #[cfg(feature = "host")]
            shared: None,
            #[cfg(feature = "host")]
            defined: Map::default(),
        }
    }

    /// A header of this compiler for one of several units: its tokens once, and its macros for each.
    #[cfg(feature = "host")]
    fn include_shared(&mut self, name: &'static str, text: &str, depth: usize) {
        if let Some(known) = self.defined.get(name) {
            for (name, made) in known.iter() {
                self.macros.known.get_or_insert(*name, *made);
            }
            return;
        }
        let before = self.macros.known.clone();
        let file = self.files.add(name, text);
        let tokens = self.run_own(file, depth, true);
        let mut defined = Map::default();
        for (name, made) in self.macros.known.iter().filter(|(name, _)| !before.contains_key(name)) {
            defined.insert(*name, *made);
        }
        self.defined.insert(name, defined);
        // What it includes itself comes before it.
        if let Some(shared) = &mut self.shared {
            shared.extend(tokens);
        }
    }

    /// The tokens of one of this compiler's own texts. The macros of a header stay, those of a chunk do not. A chunk is
    /// a text of its own for the parser, and has an end; a header's tokens are inserted into the text that includes it.
    pub fn run_own(&mut self, file: u16, depth: usize, keeps: bool) -> Vec<Token<'t>> {
        let base = self.macros.base.clone();
        let outer = std::mem::replace(&mut self.macros.known, base);
        let tokens = if keeps { self.file(file, depth) } else { self.run(file) };
        let inner = std::mem::replace(&mut self.macros.known, outer);
        if keeps {
            for (name, made) in inner.iter() {
                // What the user has defined wins.
                self.macros.known.get_or_insert(*name, *made);
            }
        }
        tokens
    }

    /// What is wrong is in the sink; the tokens up to there are still useful to find more.
    fn file(&mut self, file: u16, depth: usize) -> Vec<Token<'t>> {
        // A reference is counted, not a text copied: files are added while this one is read.
        let text = self.files.get(file).text.clone();
        let tokens = match lex(self.names, file, &text) {
            Ok(tokens) => tokens,
            Err(problem) => {
                self.sink.add(problem);
                return Vec::new();
            }
        };
        let mut reader = Reader {
            shared: self,
            tokens: &tokens,
            at: 0,
            conditionals: Vec::new(),
            output: Vec::with_capacity(tokens.len()),
            depth,
        };
        reader.read();
        if let Some(open) = reader.conditionals.last() {
            let problem = error(open.span, "this condition does not end").with_help("add `#endif`");
            reader.shared.sink.add(problem);
        }
        reader.output
    }
}

impl<'p, 't> Reader<'p, '_, 't> {
    /// Goes through the file. A mistake ends its directive or token, not the file.
    fn read(&mut self) {
        while let Some(token) = self.tokens.get(self.at) {
            let result = if token.starts_line && token.is("#") {
                let hash = token.span;
                let line = self.line();
                self.directive(hash, line)
            } else if self.is_active() {
                self.expand_next()
            } else {
                self.at += 1;
                Ok(())
            };
            if let Err(problem) = result {
                self.shared.sink.add(problem);
            }
            if self.shared.sink.is_full() {
                self.at = self.tokens.len();
            }
        }
    }

    /// Only the innermost condition is asked: it is never active inside of one that is not.
    fn is_active(&self) -> bool {
        self.conditionals.last().is_none_or(|conditional| conditional.is_active)
    }

    /// The tokens of a directive after its `#`.
    fn line(&mut self) -> &'p [Token<'t>] {
        self.at += 1;
        let start = self.at;
        while self.tokens.get(self.at).is_some_and(|token| !token.starts_line) {
            self.at += 1;
        }
        &self.tokens[start..self.at]
    }

    /// C++17, [cpp.pre]. Where the text is left out, only directives that open and close conditions are looked at, so
    /// that others may be unknown there.
    fn directive(&mut self, hash: Span, line: &[Token<'t>]) -> Result<()> {
        let Some((head, rest)) = line.split_first() else { return Ok(()) };
        let span = hash.to(head.span);
        let name = head.word().map_or("", Name::as_str);
        match name {
            "if" | "ifdef" | "ifndef" => self.open(span, name, rest),
            "elif" => self.elif(span, rest),
            "else" => self.otherwise(span),
            "endif" => match self.conditionals.pop() {
                Some(_) => Ok(()),
                None => Err(error(span, "`#endif` without `#if`")),
            },
            _ if !self.is_active() => Ok(()),
            "define" => self.define(span, rest),
            "undef" => {
                let name = macro_name(span, rest)?;
                self.shared.macros.known.remove(&name);
                Ok(())
            }
            "include" => self.include(span, rest),
            "pragma" => self.pragma(span, rest),
            "line" => self.set_line(hash, rest),
            "error" => Err(error(span, format_args!("#error: {}", self.text_of(rest)))),
            "warning" => {
                let message = format!("#warning: {}", self.text_of(rest));
                self.shared.sink.warn(span, message, "");
                Ok(())
            }
            _ => Err(error(
                head.span,
                format_args!("the directive `#{}` is not supported", head.quoted().trim_matches('`')),
            )),
        }
    }

    /// What the user wrote, blanks included: the name of a header is no token, and the words of `#error` need not be
    /// any.
    fn text_of(&self, tokens: &[Token<'t>]) -> String {
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return String::new() };
        self.shared.files.text(first.span.to(last.span)).to_owned()
    }

    /// `#if`, `#ifdef` and `#ifndef`.
    fn open(&mut self, span: Span, kind: &str, rest: &[Token<'t>]) -> Result<()> {
        let outer = self.is_active();
        // Pushed before the condition is read, so that its `#endif` is found even if the condition is wrong.
        self.conditionals.push(Conditional { span, was_taken: !outer, is_active: false, has_else: false });
        budget::reach(Bound::Directives, self.conditionals.len(), span)?;
        if !outer {
            return Ok(());
        }
        // A condition is evaluated only if it can decide anything.
        let holds = match kind {
            "if" => self.condition(span, rest)?,
            _ => self.shared.macros.known.contains_key(&macro_name(span, rest)?) == (kind == "ifdef"),
        };
        if let Some(last) = self.conditionals.last_mut() {
            (last.is_active, last.was_taken) = (holds, holds);
        }
        Ok(())
    }

    /// Its condition is not even read if an earlier branch was taken, and may then be nonsense ([cpp.cond]).
    fn elif(&mut self, span: Span, rest: &[Token<'t>]) -> Result<()> {
        let Some(last) = self.conditionals.last_mut().filter(|last| !last.has_else) else {
            return Err(error(span, "`#elif` without `#if`"));
        };
        last.is_active = false;
        if last.was_taken {
            return Ok(());
        }
        let holds = self.condition(span, rest)?;
        if let Some(last) = self.conditionals.last_mut() {
            (last.is_active, last.was_taken) = (holds, holds);
        }
        Ok(())
    }

    /// `#else`.
    fn otherwise(&mut self, span: Span) -> Result<()> {
        let Some(last) = self.conditionals.last_mut().filter(|last| !last.has_else) else {
            return Err(error(span, "`#else` without `#if`"));
        };
        last.is_active = !last.was_taken;
        last.was_taken = true;
        last.has_else = true;
        Ok(())
    }

    /// A second definition replaces the first without a word; C++ asks for the same tokens ([cpp.replace]), and nvcc
    /// warns if they differ.
    fn define(&mut self, span: Span, rest: &[Token<'t>]) -> Result<()> {
        let name = macro_name(span, rest)?;
        let mut body = &rest[1..];
        let mut parameters = None;
        let mut is_variadic = false;
        if let [open, after @ ..] = body
            && open.is("(")
            // A parenthesis after a blank belongs to the body: `#define A (1)`.
            && !open.after_blank
        {
            let close = after.iter().position(|token| token.is(")"));
            let close =
                close.ok_or_else(|| error(open.span, "the parameters of this macro do not end with `)`"))?;
            let mut list = Vec::new();
            for token in &after[..close] {
                match token.kind {
                    Kind::Word(name) => list.push(name),
                    Kind::Punct("...") => {
                        // The dots become a parameter of that name, and need no case of their own when arguments are
                        // put in.
                        is_variadic = true;
                        list.push(self.shared.names.get("__VA_ARGS__"));
                    }
                    Kind::Punct(",") => {}
                    _ => return Err(error(token.span, "a parameter of a macro is a name")),
                }
            }
            parameters = Some(self.shared.names.arena.list(&list));
            body = &after[close + 1..];
        }
        let arena = self.shared.names.arena;
        let made = Macro { parameters, is_variadic, body: arena.list(body) };
        self.shared.macros.known.insert(name, arena.put(made));
        Ok(())
    }

    /// C++17, [cpp.include]: `<name>`, `"name"`, or macros that become one of them.
    fn include(&mut self, span: Span, rest: &[Token<'t>]) -> Result<()> {
        let whole = rest.first().map_or(span, |first| first.span.to(rest[rest.len() - 1].span));
        let written = self.text_of(rest);
        let written = if written.trim_start().starts_with(['<', '"']) {
            written
        } else {
            let expanded = self.expand_all(rest)?;
            match expanded.first().map(|first| first.kind) {
                Some(Kind::Text(name)) => format!("\"{}\"", String::from_utf8_lossy(name)),
                _ => self.spelling(&expanded),
            }
        };
        let Some((name, is_quoted)) = name_of(&written) else {
            return Err(error(whole, "expected the name of a header, as in `<x.h>` or `\"x.h\"`"));
        };
        budget::reach(Bound::Directives, self.depth + 1, whole)?;
        if let Some(header) = self.users(name, is_quoted, whole)? {
            return self.include_users(&header, whole);
        }
        let Some((name, text)) = headers::find(name, self.shared.macros.is_program) else {
            return self.absent(name, is_quoted, whole);
        };
        if self.shared.macros.included.contains(&name) {
            return Ok(());
        }
        self.shared.macros.included.push(name);
        #[cfg(feature = "host")]
        if self.shared.shared.is_some() {
            self.shared.include_shared(name, text, self.depth + 1);
            return Ok(());
        }
        let file = self.shared.files.add(name, text);
        let tokens = self.shared.run_own(file, self.depth + 1, true);
        self.output.extend(tokens);
        Ok(())
    }

    /// The user's file that a directive means. This compiler's own texts include only each other.
    fn users(&mut self, name: &str, is_quoted: bool, directive: Span) -> Result<Option<Header>> {
        let Some(headers) = self.shared.headers.filter(|_| directive.is_users()) else { return Ok(None) };
        let from = &self.shared.files.get(directive.file()).key;
        headers.find(name, is_quoted, from).map_err(|why| {
            self.shared.macros.lacks_files = true;
            error(directive, format_args!("`{name}` {why}"))
        })
    }

    fn include_users(&mut self, header: &Header, directive: Span) -> Result<()> {
        if header.text.len() > MAX_TEXT_BYTES {
            let (name, bytes) = (&header.name, header.text.len());
            let message = format!("`{name}` has {bytes} bytes, and at most {MAX_TEXT_BYTES} are supported");
            return Err(error(directive, message));
        }
        let file = self.shared.files.add_included(header, directive);
        budget::reach(Bound::Files, file.into(), directive)?;
        if !self.shared.macros.once.contains(&file) {
            let tokens = self.shared.file(file, self.depth + 1);
            self.output.extend(tokens);
        }
        Ok(())
    }

    /// A header that is not there. In a whole program, one of the system's may be included for nothing.
    fn absent(&mut self, name: &str, is_quoted: bool, directive: Span) -> Result<()> {
        #[cfg(feature = "host")]
        let is_for_host = self.shared.sink.leaves_host
            || self.shared.macros.is_program && crate::builtins::host::is_of_system(name);
        #[cfg(feature = "host")]
        if is_for_host {
            self.shared.sink.suspect_absent(name, directive);
            return Ok(());
        }
        self.shared.macros.lacks_files = true;
        let problem = error(directive, format_args!("the header `{name}` is not available"));
        if let Some(near) = nearest(name, headers::names()) {
            return Err(problem.with_help(format_args!("did you mean `<{near}>`?")));
        }
        #[cfg(feature = "host")]
        if let Some(whose) = headers::of_libraries(name) {
            return Err(problem.with_help(format_args!(
                "it belongs to {whose}, which is a library of compiled code; only what the text itself contains can be run"
            )));
        }
        let Some(headers) = self.shared.headers else {
            return Err(problem.with_help("this compiler has headers of its own and reads no files"));
        };
        let beside = if is_quoted { "neither beside the file that includes it nor" } else { "not" };
        Err(problem.with_help(format_args!("it is {beside} in {}", headers.places())))
    }

    /// `#line N "FILE"`: C++17, [cpp.line]. It changes `__LINE__` and `__FILE__`; messages keep the place in the text, which
    /// is where the reader has to look.
    fn set_line(&mut self, hash: Span, rest: &[Token<'t>]) -> Result<()> {
        let rest = self.expand_all(rest)?;
        let (number, name) = match &rest[..] {
            [Token { kind: Kind::Number(number), .. }] => (number, None),
            [Token { kind: Kind::Number(number), .. }, Token { kind: Kind::Text(name), .. }] => {
                (number, Some(*name))
            }
            _ => return Err(error(hash, "expected a number after `#line`, and a name in quotes")),
        };
        let number = number
            .as_str()
            .parse::<u32>()
            .map_err(|_| error(hash, "the number after `#line` is too large"))?;
        let (here, _) = self.shared.files.place(hash);
        let name = name.or_else(|| self.renumbered(hash).and_then(|(_, name)| name));
        // The line after the directive has the number.
        let change = i64::from(number) - i64::from(here) - 1;
        self.shared.macros.lines.push((hash, change, name));
        Ok(())
    }

    /// What the last `#line` before a place says: what to add to its line, and the name of the file.
    fn renumbered(&self, place: Span) -> Option<(i64, Option<&'t [u8]>)> {
        let is_before = |at: &Span| at.file() == place.file() && at.start() <= place.start();
        let last = self.shared.macros.lines.iter().rev().find(|(at, ..)| is_before(at));
        last.map(|(_, change, name)| (*change, *name))
    }

    /// An unknown pragma is only a warning ([cpp.pragma]), because other compilers' pragmas are no mistake.
    fn pragma(&mut self, span: Span, rest: &[Token<'t>]) -> Result<()> {
        let Some(first) = rest.first() else { return Ok(()) };
        if first.is_word("once") {
            if span.is_users() {
                self.shared.macros.once.push(span.file());
            }
            return Ok(());
        }
        let is_unroll = first.is_word("unroll") || first.is_word("nounroll");
        if !is_unroll {
            // These steer messages of other compilers.
            let is_known = [
                "nv_diag_suppress",
                "nv_diag_default",
                "nv_diagnostic",
                "diag_suppress",
                "GCC",
                "clang",
                "omp",
            ]
            .iter()
            .any(|known| first.is_word(known));
            if !is_known {
                let message = format!("the pragma {} is unknown and has no effect", first.quoted());
                self.shared.sink.warn(first.span, message, "");
            }
            return Ok(());
        }
        let token = |kind| Token { kind, span, starts_line: true, after_blank: true, is_painted: false };
        self.output.push(token(Kind::PragmaUnroll));
        // `#pragma nounroll` is `#pragma unroll 1` (CUDA programming guide, "#pragma unroll").
        if first.is_word("nounroll") {
            let one = self.shared.names.get("1");
            self.output.push(token(Kind::Number(one)));
        } else {
            // nvcc expands macros here, as in `#pragma unroll N`.
            let argument = self.expand_all(&rest[1..])?;
            self.output.extend(argument);
        }
        self.output.push(token(Kind::PragmaEnd));
        Ok(())
    }
}

/// Tokens for the parser: `>>` has a second half, and the last one is the end.
pub(crate) fn ended<'t>(tokens: Vec<Token<'t>>, span: Span) -> Vec<Token<'t>> {
    let halves = |token: Token<'t>| {
        let half = token.is(">>").then_some(Token { kind: Kind::Half, starts_line: false, ..token });
        std::iter::once(token).chain(half)
    };
    let mut tokens: Vec<_> = tokens.into_iter().flat_map(halves).collect();
    tokens.push(Token { kind: Kind::End, span, starts_line: true, after_blank: true, is_painted: false });
    tokens
}

/// What is between the quotes or the angle brackets of `#include`, and whether it is quotes. What comes after them is
/// ignored, as by other compilers.
fn name_of(written: &str) -> Option<(&str, bool)> {
    let written = written.trim_start();
    let (open, close) = if written.starts_with('"') { ('"', '"') } else { ('<', '>') };
    let (name, _) = written.strip_prefix(open)?.split_once(close)?;
    Some((name.trim(), open == '"')).filter(|(name, _)| !name.is_empty())
}

/// The name that a directive is about.
fn macro_name<'t>(span: Span, rest: &[Token<'t>]) -> Result<Name<'t>> {
    match rest.first() {
        Some(Token { kind: Kind::Word(name), .. }) => Ok(*name),
        Some(other) => {
            Err(error(other.span, format_args!("expected the name of a macro, found {}", other.quoted())))
        }
        None => Err(error(span, "expected the name of a macro")),
    }
}
