//! The lexer, which turns PTX text into tokens.
//!
//! Tokens are slices of the text. They are made one at a time and not stored, so the lexer allocates nothing. An opcode
//! with its modifiers (`ld.global.L2::128B`) and a special register (`%tid.x`) are one token each, because no space is
//! allowed inside of them. A directive (`.reg`) is one token up to the next point. [`super::literal`] computes the
//! values of numbers. Specification: PTX ISA, sections 4.1 (source format), 4.2 (comments) and 4.4 (identifiers).

use super::{Error, Span};

/// The most tokens in a text. A long `-G` build has about 200,000.
pub(super) const MAX_TOKENS: u32 = 1 << 22;

/// The number of characters of a token that an error message repeats.
const QUOTED_CHARS: usize = 40;

/// The kinds of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, or an opcode with its modifiers.
    Word,
    /// A directive such as `.reg`, with its point.
    Directive,
    /// Anything that begins like a number.
    Number,
    /// A string such as `"text"`, with its quotes.
    Text,
    /// Any other single character. `<<` is two of these.
    Punct(u8),
    /// The end of the text.
    End,
}

/// A token: its kind, and the piece of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub kind: TokenKind,
    pub text: &'t str,
    pub span: Span,
}

impl Token<'_> {
    /// Whether it is the character `punct`.
    pub fn is(&self, punct: u8) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    /// Whether it is the directive `name`, given with its point.
    pub fn is_directive(&self, name: &str) -> bool {
        self.kind == TokenKind::Directive && self.text == name
    }

    /// The token as an error message shows it.
    pub fn quoted(&self) -> String {
        if self.kind == TokenKind::End { "the end of the text".to_owned() } else { quoted(self.text) }
    }
}

/// A piece of text as an error message shows it: in backticks, and shortened if it is long.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}

/// The lexer: a position in the text.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: u32,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0, tokens: 0 }
    }

    /// The next token. After the end of the text it is always [`TokenKind::End`].
    pub fn next(&mut self) -> Result<Token<'t>, Error> {
        self.skip_blanks()?;
        let start = self.at;
        let kind = self.kind()?;
        let span = Span::new(start, self.at);
        self.tokens += 1;
        if self.tokens > MAX_TOKENS {
            return Err(Error::at(self.text, span, format!("the text has more than {MAX_TOKENS} tokens")));
        }
        Ok(Token { kind, text: self.text.get(start..self.at).unwrap_or_default(), span })
    }

    /// The byte immediately after the last token.
    pub fn following(&self) -> Option<u8> {
        self.peek(0)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn skip_while(&mut self, test: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&test) {
            self.at += 1;
        }
    }

    /// Skips white space and comments, and returns the start of the next token.
    pub fn skip_blanks(&mut self) -> Result<usize, Error> {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace());
            match (self.peek(0), self.peek(1)) {
                (Some(b'/'), Some(b'/')) => self.skip_while(|byte| byte != b'\n'),
                (Some(b'/'), Some(b'*')) => self.skip_comment()?,
                _ => return Ok(self.at),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Error> {
        let body = self.text.get(self.at + 2..).unwrap_or_default();
        let Some(length) = body.find("*/") else {
            return Err(self.error("the comment that starts here has no `*/`"));
        };
        self.at += 2 + length + 2;
        Ok(())
    }

    /// Skips one token and returns its kind.
    fn kind(&mut self) -> Result<TokenKind, Error> {
        let Some(first) = self.peek(0) else { return Ok(TokenKind::End) };
        let second = self.peek(1).unwrap_or(b' ');
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Ok(self.word()),
            // A `%` by itself is the remainder in a constant expression.
            b'%' if is_name(second) => Ok(self.word()),
            b'0'..=b'9' => Ok(self.number()),
            b'.' if second.is_ascii_digit() => Ok(self.number()),
            b'.' if is_name(second) => {
                self.at += 1;
                self.name_with_colons();
                Ok(TokenKind::Directive)
            }
            b'"' => self.string(),
            b';' | b',' | b':' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b'@' | b'!'
            | b'|' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'^' | b'~' | b'=' | b'?' => {
                self.at += 1;
                Ok(TokenKind::Punct(first))
            }
            _ => Err(self.unknown_character()),
        }
    }

    fn word(&mut self) -> TokenKind {
        self.at += 1;
        self.name_with_colons();
        while self.peek(0) == Some(b'.') && self.peek(1).is_some_and(is_name) {
            self.at += 1;
            self.name_with_colons();
        }
        TokenKind::Word
    }

    /// `L2::128B` is one modifier, but a single colon ends a label.
    fn name_with_colons(&mut self) {
        self.skip_while(is_name);
        while self.peek(0) == Some(b':') && self.peek(1) == Some(b':') && self.peek(2).is_some_and(is_name) {
            self.at += 2;
            self.skip_while(is_name);
        }
    }

    fn number(&mut self) -> TokenKind {
        let prefixed = self.peek(0) == Some(b'0') && self.peek(1).is_some_and(|b| b.is_ascii_alphabetic());
        self.skip_while(is_number);
        let exponent = matches!(self.text.as_bytes().get(self.at - 1), Some(b'e' | b'E'));
        let signed = matches!(self.peek(0), Some(b'+' | b'-'));
        // `0x1e+4` is a sum, but `1e+4` is one number.
        if !prefixed && exponent && signed && self.peek(1).is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
            self.skip_while(is_number);
        }
        TokenKind::Number
    }

    fn string(&mut self) -> Result<TokenKind, Error> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                Some(b'"') => break,
                // An escaped character does not end the string.
                Some(b'\\') if self.peek(1).is_some_and(|b| b != b'\n') => self.at += 2,
                Some(byte) if byte != b'\n' => self.at += 1,
                _ => {
                    self.at = start;
                    return Err(self.error("the string that starts here has no closing `\"`"));
                }
            }
        }
        self.at += 1;
        Ok(TokenKind::Text)
    }

    fn unknown_character(&self) -> Error {
        let found = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        let found = found.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.error(&format!("`{}` has no meaning in PTX", found.escape_debug()))
    }

    fn error(&self, message: &str) -> Error {
        Error::at(self.text, Span::new(self.at, self.at), message)
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

fn is_number(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'.'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &[&str]) {
        let mut lexer = Lexer::new(text);
        let mut found = Vec::new();
        loop {
            let token = lexer.next().expect("the text has tokens only");
            if token.kind == TokenKind::End {
                break;
            }
            found.push(token.text);
        }
        assert_eq!(found, want, "{text}");
    }

    #[test]
    fn tokens_are_split_as_the_grammar_needs_them() {
        check("ld.global.L2::128B.u32 %r1,[x];", &["ld.global.L2::128B.u32", "%r1", ",", "[", "x", "]", ";"]);
        check(".reg.b32 %r<4>;", &[".reg", ".b32", "%r", "<", "4", ">", ";"]);
        check("$L__BB0_1: ret;", &["$L__BB0_1", ":", "ret", ";"]);
        check("%tid.x %SP _ _a %p|%q", &["%tid.x", "%SP", "_", "_a", "%p", "|", "%q"]);
        check("mma.m16n8k16 st.shared::cta", &["mma.m16n8k16", "st.shared::cta"]);
    }

    #[test]
    fn numbers_keep_their_exponent_and_give_back_their_operators() {
        check("1.5e-3 1e+4 .5 0x1e+4 4-3", &["1.5e-3", "1e+4", ".5", "0x1e", "+", "4", "4", "-", "3"]);
        check("0f3F800000 17U 5 % 3 5<<2", &["0f3F800000", "17U", "5", "%", "3", "5", "<", "<", "2"]);
    }

    #[test]
    fn comments_and_blanks_are_between_tokens() {
        check("a//b\nc/*d\n*/e\r\n\tf / g", &["a", "c", "e", "f", "/", "g"]);
        check("\"C:\\\\a \\\" b\" x", &["\"C:\\\\a \\\" b\"", "x"]);
    }

    #[test]
    fn the_end_stays_the_end() {
        let mut lexer = Lexer::new(" ");
        assert!((0..3).all(|_| lexer.next().is_ok_and(|token| token.kind == TokenKind::End)));
    }
}
