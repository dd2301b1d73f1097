//! The cursor that the grammar's rules share: one token of lookahead, errors, and bounds.
//!
//! Each rule of the grammar is a method on [`Parser`] in a file of its own: [`super::module`],
//! [`super::function`], [`super::variable`], [`super::initializer`], [`super::instruction`],
//! [`super::operand`], [`super::constant`] and [`super::loc`].

use super::ast::Ident;
use super::lexer::{Lexer, Token, TokenKind};
use super::loc::Locs;
use super::{Error, Span};

/// The deepest nesting of blocks, and also of parentheses and of braces in initial values.
pub(super) const MAX_NESTING: u32 = 64;

pub(super) type Result<T> = std::result::Result<T, Error>;

/// The state of the parser.
pub(super) struct Parser<'t> {
    /// The whole text.
    pub text: &'t str,
    /// The next token, not consumed yet.
    pub token: Token<'t>,
    /// The CUDA lines of the functions so far, and of the one that is being parsed.
    pub locs: Locs,
    /// The number of registers that this function has declared so far.
    pub registers: u64,
    /// The number of initial values so far.
    pub initial_values: usize,
    /// The number of instructions and labels so far.
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

    /// Consumes the character `punct`, or returns an error that names `place`.
    pub fn expect(&mut self, punct: u8, place: &str) -> Result<Token<'t>> {
        if self.token.is(punct) {
            return self.take();
        }
        Err(self.expected(&format!("`{}` {place}", char::from(punct))))
    }

    /// Consumes a name that is being declared or referred to, which cannot contain a point.
    pub fn name(&mut self, what: &str) -> Result<Ident<'t>> {
        if self.token.kind != TokenKind::Word || self.token.text.contains(['.', ':']) {
            return Err(self.expected(what));
        }
        self.ident()
    }

    /// Consumes the next token as a name, without checking it.
    pub fn ident(&mut self) -> Result<Ident<'t>> {
        let Token { text, span, .. } = self.take()?;
        Ok(Ident { text, span })
    }

    /// Parses `item, item, …` up to `close`, and consumes that.
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

    /// Parses `item, item, …`, at least one.
    pub fn items<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        loop {
            items.push(item(self)?);
            if !self.take_if(b',')? {
                return Ok(items);
            }
        }
    }

    /// Parses something that may contain itself, up to a depth of [`MAX_NESTING`].
    pub fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_NESTING {
            return self.refuse(format!("nested more than {MAX_NESTING} deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// The byte immediately after the next token. It distinguishes `<<`, which is two tokens, from `< <`, which is not
    /// a shift.
    pub fn following(&self) -> Option<u8> {
        self.lexer.following()
    }

    /// The span from the start of `first` to the end of the last consumed token.
    pub fn since(&self, first: Span) -> Span {
        Span { start: first.start, end: self.end.max(first.start) }
    }

    /// An error at the next token.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::at(self.text, self.token.span, message)
    }

    /// Refuses the text because of the next token.
    pub fn refuse<T>(&self, message: impl Into<String>) -> Result<T> {
        self.refuse_at(self.token.span, message)
    }

    /// Refuses the text because of what is at `span`.
    pub fn refuse_at<T>(&self, span: Span, message: impl Into<String>) -> Result<T> {
        Err(Error::at(self.text, span, message))
    }

    /// The error for a token that is not allowed here.
    pub fn expected(&self, what: &str) -> Error {
        if self.token.kind == TokenKind::End {
            return self.error(format!("expected {what}, but the text ends; is the file complete?"));
        }
        self.error(format!("expected {what}, found {}", self.token.quoted()))
    }
}
