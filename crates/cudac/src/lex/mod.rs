//! Characters to tokens.
//!
//! Comments and lines that continue after a backslash disappear here. Keywords are ordinary names, which the parser
//! tells apart, because the preprocessor may define one as a macro. A token remembers whether it begins a line and
//! follows a blank, as directives and `#` need that, and nothing else of the layout.
//!
//! Left out: trigraphs, raw strings, wide characters and user-defined literals, which are errors; and a line that
//! continues inside of a word or a sign. Specification: C++17, [lex].

pub(crate) mod number;

use crate::source::{Name, Names, Result, Span, error, unsupported};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind<'t> {
    /// An identifier or a keyword.
    Word(Name<'t>),
    /// A number as it is written; [`number::parse`] reads its value, where it is used.
    Number(Name<'t>),
    /// A character constant, which is one byte: device code has no wider ones.
    Character(u8),
    /// A string without its quotes and the zero byte at the end, its escapes replaced.
    Text(&'t [u8]),
    /// An operator or another sign. The text is one of [`PUNCTS`] or [`SINGLE`].
    Punct(&'static str),
    /// `#pragma unroll`; the tokens up to the next [`Kind::PragmaEnd`] are its argument.
    PragmaUnroll,
    /// Pragmas end with their line, which the parser does not see, so the preprocessor marks the end.
    PragmaEnd,
    /// The second half of the `>>` before it, which becomes a token if that ends two lists of arguments.
    Half,
    /// The last token of every file, so that a parser may always look at the next one.
    End,
}

/// How strongly a binary operator binds, in an expression and in the condition of an `#if`. From 1 for the weakest; 0
/// is left for the caller that wants to read all operators.
pub(crate) fn binding(operator: &str) -> Option<u8> {
    let level = LEVELS.iter().position(|level| level.contains(&operator))?;
    Some(level as u8 + 1)
}

/// The binary operators, the weakest first. C++17, [expr.mul] to [expr.log.or]. Assignment, `?:` and the comma are not
/// here, since they group to the right or are no operators in all places; neither is `->*`, which is not supported.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// A token and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token<'t> {
    pub kind: Kind<'t>,
    /// Of a token from a macro, the place where the macro is used.
    pub span: Span,
    /// Whether it is the first on its line.
    pub starts_line: bool,
    /// Whether blanks or a comment precede it.
    pub after_blank: bool,
    /// Whether it is the name of a macro that is being expanded, which is not expanded again. C++17, [cpp.rescan]: it
    /// stays so, even where the macro could be expanded again.
    pub is_painted: bool,
}

impl<'t> Token<'t> {
    pub fn is(&self, punct: &str) -> bool {
        matches!(self.kind, Kind::Punct(own) if own == punct)
    }

    pub fn word(&self) -> Option<Name<'t>> {
        if let Kind::Word(name) = self.kind { Some(name) } else { None }
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.word().is_some_and(|name| name.as_str() == word)
    }

    /// The token as a message quotes it.
    pub fn quoted(&self) -> String {
        match &self.kind {
            Kind::Word(name) | Kind::Number(name) => format!("`{name}`"),
            Kind::Punct(punct) => format!("`{punct}`"),
            Kind::Character(_) => "a character".to_owned(),
            Kind::Text(_) => "a string".to_owned(),
            Kind::PragmaUnroll => "`#pragma unroll`".to_owned(),
            Kind::PragmaEnd => "the end of a pragma".to_owned(),
            Kind::Half => "`>`".to_owned(),
            Kind::End => "the end of the file".to_owned(),
        }
    }
}

/// Signs that begin no other one.
const SINGLE: [&str; 12] = [";", "(", ")", ",", "[", "]", "{", "}", "?", "~", "@", "$"];

/// The other signs, the longest first, so that the first match is the right one.
const PUNCTS: [&str; 41] = [
    "<<=", ">>=", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", ".*", ":", ".", "+", "-", "*", "/", "%", "^", "&", "|",
    "!", "=", "<", ">", "#",
];

/// Works on bytes: everything with a meaning is ASCII, and other characters occur only in comments and strings.
struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    file: u16,
    /// Whether a line has begun since the last token, and whether there was a blank: what the next token will remember.
    starts_line: bool,
    after_blank: bool,
}

/// The tokens of a text, without one for the end.
pub(crate) fn lex<'t>(names: &mut Names<'t>, file: u16, text: &str) -> Result<Vec<Token<'t>>> {
    let mut lexer = Lexer { text: text.as_bytes(), at: 0, file, starts_line: true, after_blank: false };
    // A token has about three bytes with the blank before it, in kernels as in headers.
    let mut tokens = Vec::with_capacity(text.len() / 3);
    while let Some(token) = lexer.next(names, text)? {
        tokens.push(token);
    }
    Ok(tokens)
}

/// The tokens of a text without those that are wrong.
#[cfg(feature = "host")]
pub(crate) fn lex_all_the_same<'t>(names: &mut Names<'t>, text: &str) -> Vec<Token<'t>> {
    let mut lexer = Lexer { text: text.as_bytes(), at: 0, file: 0, starts_line: true, after_blank: false };
    let mut tokens = Vec::new();
    loop {
        let start = lexer.at;
        match lexer.next(names, text) {
            Ok(Some(token)) => tokens.push(token),
            Ok(None) => return tokens,
            // The rest of the text is a comment.
            Err(_) if lexer.text[..lexer.at].ends_with(b"/*") => return tokens,
            Err(_) => {
                let mut rest = lexer.at.max(start + 1)..text.len();
                lexer.at = rest.find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
            }
        }
    }
}

impl Lexer<'_> {
    /// The next token; none at the end.
    fn next<'t>(&mut self, names: &mut Names<'t>, text: &str) -> Result<Option<Token<'t>>> {
        self.skip()?;
        if self.at >= text.len() {
            return Ok(None);
        }
        let start = self.at;
        let kind = self.token(names, text)?;
        let span = self.span(start);
        let starts_line = std::mem::take(&mut self.starts_line);
        let after_blank = std::mem::take(&mut self.after_blank);
        Ok(Some(Token { kind, span, starts_line, after_blank, is_painted: false }))
    }

    /// A byte further on, or 0 behind the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start as u32, self.at as u32)
    }

    /// Skips blanks, comments and continued lines.
    fn skip(&mut self) -> Result<()> {
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\n' => {
                    self.starts_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                // A continued line starts no line, so that the definition of a macro goes on.
                b'\\' if self.continued().is_some() => self.at += self.continued().unwrap_or(1),
                b'/' if self.peek(1) == b'/' => self.line_comment(),
                b'/' if self.peek(1) == b'*' => self.block_comment()?,
                _ => return Ok(()),
            }
            self.after_blank = true;
        }
        Ok(())
    }

    fn line_comment(&mut self) {
        while self.at < self.text.len() && self.peek(0) != b'\n' {
            self.at += self.continued().unwrap_or(1);
        }
    }

    /// The length of a backslash with the end of the line after it, if there is one. C++17, [lex.phases], phase 2.
    fn continued(&self) -> Option<usize> {
        match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'\\', b'\n', _) => Some(2),
            (b'\\', b'\r', b'\n') => Some(3),
            _ => None,
        }
    }

    fn block_comment(&mut self) -> Result<()> {
        let start = self.at;
        self.at += 2;
        while self.at < self.text.len() {
            if self.peek(0) == b'*' && self.peek(1) == b'/' {
                self.at += 2;
                return Ok(());
            }
            self.at += 1;
        }
        // Only the two signs at the beginning are marked, not the rest of the file.
        self.at = start + 2;
        Err(error(self.span(start), "this comment does not end").with_help("add `*/` where it ends"))
    }

    fn token<'t>(&mut self, names: &mut Names<'t>, text: &str) -> Result<Kind<'t>> {
        let start = self.at;
        let first = self.peek(0);
        if first.is_ascii_alphabetic() || first == b'_' {
            while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'_' {
                self.at += 1;
            }
            // Without this, `L"a"` would be a name and a string, and the message would be about their neighbourhood.
            if matches!(self.peek(0), b'"' | b'\'')
                && ["L", "u", "U", "u8", "R"].contains(&&text[start..self.at])
            {
                return Err(unsupported(self.span(start), "a prefix of a string or character"));
            }
            return Ok(Kind::Word(names.get(&text[start..self.at])));
        }
        if first.is_ascii_digit() || first == b'.' && self.peek(1).is_ascii_digit() {
            return Ok(self.number(names, text));
        }
        if first == b'"' {
            return self.quoted(b'"').map(|bytes| Kind::Text(names.arena.list(&bytes)));
        }
        if first == b'\'' {
            let bytes = self.quoted(b'\'')?;
            return match bytes[..] {
                [one] => Ok(Kind::Character(one)),
                _ => {
                    Err(error(self.span(start), "a character constant has one character between its quotes"))
                }
            };
        }
        if let Some(punct) = self.punct() {
            self.at += punct.len();
            return Ok(Kind::Punct(punct));
        }
        let strange = text[start..].chars().next().unwrap_or(' ');
        self.at += strange.len_utf8();
        Err(error(
            self.span(start),
            format_args!("the character `{}` means nothing here", strange.escape_default()),
        ))
    }

    /// The longest sign that begins here. C++17, [lex.pptoken]: the longest sequence that can be a token is one. The
    /// parser takes `>>` apart where it closes two lists of template arguments.
    fn punct(&self) -> Option<&'static str> {
        let rest = &self.text[self.at..];
        // Most signs are one character that begins no longer one.
        let single = SINGLE.iter().find(|punct| punct.as_bytes().first() == rest.first());
        let begins =
            |punct: &&&str| punct.as_bytes().first() == rest.first() && rest.starts_with(punct.as_bytes());
        single.or_else(|| PUNCTS.iter().find(begins)).copied()
    }

    /// A number as the preprocessor sees it: digits, letters, points, and signs after an exponent. C++17,
    /// [lex.ppnumber]. A sign after the `e` of a hexadecimal number belongs to it there, which makes `0xe+1` one token
    /// and an error. Here it is a sum, as everybody means it.
    fn number<'t>(&mut self, names: &mut Names<'t>, text: &str) -> Kind<'t> {
        let start = self.at;
        let is_hex = self.peek(0) == b'0' && self.peek(1) | 0x20 == b'x';
        loop {
            let byte = self.peek(0);
            let exponent = if is_hex { b'p' } else { b'e' };
            if byte | 0x20 == exponent && matches!(self.peek(1), b'+' | b'-') {
                self.at += 2;
            } else if byte.is_ascii_alphanumeric()
                || byte == b'.'
                // A separator of digits, not the beginning of a character constant.
                || byte == b'\'' && self.peek(1).is_ascii_alphanumeric()
            {
                self.at += 1;
            } else {
                return Kind::Number(names.get(&text[start..self.at]));
            }
        }
    }

    /// The bytes between two quotes. C++17, [lex.string] and [lex.ccon].
    fn quoted(&mut self, quote: u8) -> Result<Vec<u8>> {
        let start = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.peek(0) {
                // A zero byte inside of the text is content; only `peek` behind the end ends it.
                b'\n' | 0 if self.peek(0) == b'\n' || self.at >= self.text.len() => {
                    // Only the quote is marked, because where the text should have ended is unknown.
                    self.at = start + 1;
                    let message = "this quote is not closed on its line";
                    let help = format!("add `{}` where the text ends", char::from(quote));
                    return Err(error(self.span(start), message).with_help(help));
                }
                b'\\' => bytes.extend(self.escape()?),
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return Ok(bytes);
                    }
                    bytes.push(byte);
                }
            }
        }
    }

    /// A backslash and what follows. A continued line is nothing. C++17, [lex.ccon], without `\u` and `\U`, which a
    /// byte cannot hold.
    fn escape(&mut self) -> Result<Option<u8>> {
        let start = self.at;
        let letter = self.peek(1);
        self.at += 2;
        Ok(Some(match letter {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => letter,
            b'\n' => return Ok(None),
            b'\r' if self.peek(0) == b'\n' => {
                self.at += 1;
                return Ok(None);
            }
            // At most three octal digits; hexadecimal ones are read as long as there are any.
            b'0'..=b'7' => {
                let mut value = u32::from(letter - b'0');
                for _ in 0..2 {
                    if matches!(self.peek(0), b'0'..=b'7') {
                        value = value * 8 + u32::from(self.peek(0) - b'0');
                        self.at += 1;
                    }
                }
                value as u8
            }
            b'x' => {
                let mut value = 0u32;
                while let Some(digit) = char::from(self.peek(0)).to_digit(16) {
                    value = (value << 4 | digit) & 0xff;
                    self.at += 1;
                }
                value as u8
            }
            _ => {
                self.at = (start + 1).min(self.text.len());
                return Err(error(self.span(start), "this escape is unknown")
                    .with_help("write `\\\\` for a backslash"));
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::source::arena::Arena;

    fn shown(text: &str) -> Result<Vec<String>> {
        let bump = Bump::new();
        let tokens = lex(&mut Names::new(Arena::new(&bump)), 0, text)?;
        Ok(tokens.iter().map(Token::quoted).collect())
    }

    #[test]
    fn the_longest_operator_wins() {
        assert_eq!(shown("a<<=b>>c->d").unwrap(), ["`a`", "`<<=`", "`b`", "`>>`", "`c`", "`->`", "`d`"]);
    }

    #[test]
    fn comments_and_continued_lines_disappear() {
        assert_eq!(shown("a /* b */ \\\n c // d\n1e-5f").unwrap(), ["`a`", "`c`", "`1e-5f`"]);
        for end in ["\n", "\r\n"] {
            let text = format!("a // b \\{end} c{end}d \\{end}e");
            assert_eq!(shown(&text).unwrap(), ["`a`", "`d`", "`e`"]);
        }
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        for text in ["/* a", "\"a\n\"", "'a", "\"\\q\"", "\"", "\\", "`"] {
            assert!(shown(text).is_err(), "{text}");
        }
    }
}
