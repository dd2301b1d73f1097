//! The cursor that the grammar's rules share: one token of lookahead, errors, and bounds.
//!
//! Each rule of the grammar is a method on [`Parser`] in a file of its own: [`super::module`],
//! [`super::function`], [`super::variable`], [`super::initializer`], [`super::instruction`],
//! [`super::operand`], [`super::constant`] and [`super::loc`].

use super::ast::Ident;
use super::lexer::{Kind, Lexer, Token};
use super::loc::Locs;
use super::{Error, Span};

/// Blocks in blocks, and likewise parentheses and braces of initial values.
pub(super) const MAX_NESTING: u32 = 64;

pub(super) type Result<T> = std::result::Result<T, Error>;

/// A text on its way to a tree.
pub(super) struct Parser<'t> {
    /// The whole text.
    pub text: &'t str,
    /// The next token, not consumed yet.
    pub token: Token<'t>,
    /// The CUDA lines of the function being read.
    pub locs: Locs,
    /// Registers declared so far in the function being read.
    pub registers: u64,
    /// Initial values read so far.
    pub initial_values: usize,
    /// Instructions and labels read so far.
    pub statements: u32,
    lexer: Lexer<'t>,
    end: u32,
    depth: u32,
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str) -> Result<Parser<'t>> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        Ok(Parser {
            text,
            token,
            locs: Locs::default(),
            registers: 0,
            initial_values: 0,
            statements: 0,
            lexer,
            end: 0,
            depth: 0,
        })
    }

    /// Consumes the next token.
    pub fn take(&mut self) -> Result<Token<'t>> {
        let taken = self.token;
        self.end = taken.span.end;
        self.token = self.lexer.next()?;
        Ok(taken)
    }

    /// Consumes the next token if it is the character `punct`.
    pub fn take_if(&mut self, punct: u8) -> Result<bool> {
        let found = self.token.is(punct);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    /// Consumes the next token if it is the directive `name`.
    pub fn take_directive(&mut self, name: &str) -> Result<bool> {
        let found = self.token.is_directive(name);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    /// Consumes the character `punct`, or says what it was for.
    pub fn expect(&mut self, punct: u8, place: &str) -> Result<Token<'t>> {
        if self.token.is(punct) {
            return self.take();
        }
        Err(self.expected(&format!("`{}` {place}", char::from(punct))))
    }

    /// Consumes a name that is being declared or pointed at, so one without a point.
    pub fn name(&mut self, what: &str) -> Result<Ident<'t>> {
        if self.token.kind != Kind::Word || self.token.text.contains(['.', ':']) {
            return Err(self.expected(what));
        }
        self.ident()
    }

    /// Consumes the next token as a name, whatever it is.
    pub fn ident(&mut self) -> Result<Ident<'t>> {
        let Token { text, span, .. } = self.take()?;
        Ok(Ident { text, span })
    }

    /// Reads `item, item, …` up to `close`, which it consumes.
    pub fn list<T>(
        &mut self,
        close: u8,
        place: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.token.is(close) {
            items.push(item(self)?);
            if !self.take_if(b',')? {
                break;
            }
        }
        self.expect(close, place)?;
        Ok(items)
    }

    /// Reads something that may contain itself, up to [`MAX_NESTING`] deep.
    pub fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_NESTING {
            return Err(self.error(format!("nested more than {MAX_NESTING} deep")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// The byte right after the next token: `<<` is two tokens, and `< <` is no shift.
    pub fn following(&self) -> Option<u8> {
        self.lexer.following()
    }

    /// From the start of `first` to the end of the last token consumed.
    pub fn since(&self, first: Span) -> Span {
        Span { start: first.start, end: self.end.max(first.start) }
    }

    /// An error at the next token.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::at(self.text, self.token.span, message)
    }

    /// The error of a token that does not fit.
    pub fn expected(&self, what: &str) -> Error {
        if self.token.kind == Kind::End {
            return self.error(format!("expected {what}, but the text ends; is the file complete?"));
        }
        self.error(format!("expected {what}, found {}", self.token.quoted()))
    }
}
