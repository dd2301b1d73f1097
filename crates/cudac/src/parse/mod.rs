//! Tokens to an untyped tree.
//!
//! C++ cannot be read without knowing which names are types and templates, so the parser keeps a table of names
//! ([`scope`]); what they mean is the business of `check`. A name that nothing declares may be one of this compiler's
//! own functions and types: its text is then read, once (`builtins`). After an error the parser continues with the next
//! statement or declaration, so that one run reports several errors.
//!
//! It is a recursive descent, and looks ahead where the grammar of C++ is ambiguous ([stmt.ambig], [dcl.ambig.res]):
//! what can be a declaration is one. A look ahead reads types for real and then goes back (`self.at = before`), which
//! is harmless, because reading a type declares nothing but this compiler's own names.
//!
//! Left out, and rejected by name: virtual functions, inheritance, exceptions, structured bindings, bit fields, and
//! templates with any number of arguments. `new`, destructors and pointers to functions exist in whole programs only
//! (`program`). Specification: C++17; CUDA programming guide, "C++ Language Extensions".
//!
//! What the table of names decides:
//!
//! - `a * b;` declares a pointer if `a` is a type, and multiplies if it is not
//! - `a < b > (c)` calls a function if `a` is a template, and compares twice if it is not
//! - `(a)(b)` and `(a)-b` convert if `a` is a type, and call or subtract if it is not
//! - `a(b)` makes a value of `a` if that is a type, and calls it if it is not

mod declaration;
mod declarator;
mod expression;
mod function;
mod inline_asm;
mod outside;
#[cfg(feature = "host")]
mod prelude;
mod primary;
#[cfg(feature = "host")]
mod program;
mod scope;
mod statement;
mod structure;
mod template;
pub(crate) mod tree;
mod types;

use crate::builtins::headers;
use crate::lex::{Kind, Token};
use crate::preprocess::Preprocessor;
use crate::source::arena::Arena;
use crate::source::budget::{self, Bound};
use crate::source::map::Set;
use crate::source::{Failed, Name, Result, Span, error};
pub(crate) use function::values;
use scope::Scopes;
use tree::{Declaration, Expr, ExprKind, Node, Stmt, StmtKind, StmtNode, Storage, Type};

struct Parser<'s, 't> {
    /// What the stages before know of the text.
    text: Preprocessor<'s, 't>,
    /// That of the names in `text`, within reach of a shared reference.
    arena: Arena<'t>,
    /// All of the file, ended by [`Kind::End`]. It can change: `>>` may become two tokens.
    tokens: Vec<Token<'t>>,
    at: usize,
    /// How many of [`Self::nested`] are on the stack.
    depth: usize,
    /// The depth of the deepest node of an expression that was made since [`Self::unary`] began.
    deepest: u16,
    /// The last type that was read, and from where to where. Who looks ahead to find the end of a type reads it next, and
    /// types in types would be read twice as often with each level.
    last_type: Option<(usize, Type<'t>, usize)>,
    /// Where there was no type, although it looked like one. What contains such a place is read again as a value, and
    /// must not try it again: each level would double the time.
    no_type: Set<(usize, bool)>,
    scopes: Scopes<'t>,
    /// Declarations of this compiler's own functions and types that the text uses. They come before those of the text,
    /// whichever asked for them.
    own: Vec<Declaration<'t>>,
    /// Types that the declaration being read mentions first. They are declared before it.
    mentioned: Vec<Declaration<'t>>,
    /// Inside of template arguments, where `>` ends the list.
    closes_angle: bool,
    /// Inside of `extern "C" { … }`.
    is_c: bool,
    /// What was said of a variable after the qualifiers of its type. Only [`Self::plain_type`] meets these words there,
    /// and only a declaration has a use for them.
    late: Storage,
}

/// The declarations of a text.
pub(crate) struct Parsed<'t> {
    /// Those of this compiler, and of the text unless it consists of several units.
    pub shared: Vec<Declaration<'t>>,
    /// Those of each of several units.
    #[cfg(feature = "host")]
    pub units: Vec<Vec<Declaration<'t>>>,
}

/// Parses files that have been added to the files: the units of a program, or a single text.
pub(crate) fn parse<'t>(mut text: Preprocessor<'_, 't>, files: &[u16], instances: &[String]) -> Parsed<'t> {
    let mut units = Vec::with_capacity(files.len());
    #[cfg(feature = "host")]
    let before = (files.len() > 1).then(|| text.macros.clone());
    #[cfg(feature = "host")]
    if before.is_some() {
        text.shared = Some(Vec::new());
    }
    let mut lacks_files = false;
    for file in files {
        #[cfg(feature = "host")]
        if let Some(before) = &before {
            text.macros = before.clone();
        }
        units.push(text.run(*file));
        lacks_files |= text.macros.lacks_files;
    }
    if lacks_files {
        // What follows would be about names that those files declare.
        return Parsed {
            shared: Vec::new(),
            #[cfg(feature = "host")]
            units: Vec::new(),
        };
    }
    #[cfg(feature = "host")]
    prelude::add(&mut text, &mut units);
    let first = units.remove(0);
    let mut parser = Parser::new(text, first);
    let declarations = parser.declarations(false);
    #[cfg(feature = "host")]
    let mut more = Vec::new();
    #[cfg(feature = "host")]
    for (nth, tokens) in units.into_iter().enumerate() {
        parser.begin_unit(tokens);
        let mut found = parser.declarations(false).to_vec();
        if nth == 0 {
            found.extend(parser.instances(instances));
        }
        more.push(found);
    }
    // Their arguments name templates and types of the text, hence they are read last.
    #[cfg(feature = "host")]
    let wanted = if more.is_empty() { parser.instances(instances) } else { Vec::new() };
    #[cfg(not(feature = "host"))]
    debug_assert!(instances.is_empty() && units.is_empty(), "`Options::check` refuses them");
    let mut shared = parser.own;
    shared.extend(declarations);
    #[cfg(feature = "host")]
    shared.extend(wanted);
    Parsed {
        shared,
        #[cfg(feature = "host")]
        units: more,
    }
}

/// Words without which a declaration concerns no kernel.
const DEVICE: [&str; 5] = ["__global__", "__device__", "__shared__", "__constant__", "__managed__"];

impl<'s, 't> Parser<'s, 't> {
    fn new(text: Preprocessor<'s, 't>, tokens: Vec<Token<'t>>) -> Parser<'s, 't> {
        let arena = text.names.arena;
        let mut parser = Parser {
            text,
            arena,
            tokens,
            at: 0,
            depth: 0,
            deepest: 0,
            last_type: None,
            no_type: Set::default(),
            scopes: Scopes::new(),
            own: Vec::new(),
            mentioned: Vec::new(),
            closes_angle: false,
            is_c: false,
            late: Storage::default(),
        };
        if parser.text.macros.is_program {
            // A launch needs it, even if the text does not name it.
            let shape = parser.text.names.get("dim3");
            parser.load_own(shape);
        }
        parser
    }

    /// Goes on with the tokens of another unit, whose names are its own.
    #[cfg(feature = "host")]
    fn begin_unit(&mut self, tokens: Vec<Token<'t>>) {
        (self.tokens, self.at) = (tokens, 0);
        self.last_type = None;
        self.no_type = Set::default();
        self.scopes.begin_unit();
    }
}

impl<'t> Parser<'_, 't> {
    /// Reads this compiler's own declarations of a name, if there are any and they have not been read. It can be in the
    /// middle of an expression, so everything that is the text's own state is put away meanwhile.
    fn load_own(&mut self, name: Name<'t>) -> bool {
        let Some((title, text)) = headers::own(name.as_str(), self.text.macros.is_program) else {
            return false;
        };
        if !self.scopes.mark_loaded(title) {
            return false;
        }
        let file = self.text.files.add(title, text);
        let tokens = self.text.run_own(file, 0, false);
        let outer = (std::mem::replace(&mut self.tokens, tokens), self.at, self.depth, self.closes_angle);
        let scope = self.scopes.enter_global();
        let late = std::mem::take(&mut self.late);
        let no_type = std::mem::take(&mut self.no_type);
        self.last_type = None;
        // The depth is kept: texts that use each other nest on the same stack.
        (self.at, self.closes_angle) = (0, false);
        let declarations = self.declarations(false);
        self.own.extend(declarations);
        self.scopes.leave_global(scope);
        self.late = late;
        self.no_type = no_type;
        self.last_type = None;
        (self.tokens, self.at, self.depth, self.closes_angle) = outer;
        true
    }

    fn token(&self) -> &Token<'t> {
        &self.tokens[self.at]
    }

    fn ahead(&self, count: usize) -> &Token<'t> {
        &self.tokens[(0..count).fold(self.at, |at, _| self.after(at))]
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The end of the token before the next one.
    fn end(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// From a place to the end of what has been read.
    fn since(&self, start: Span) -> Span {
        start.to(self.end())
    }

    /// The place of the token after another one. The last token stays.
    fn after(&self, at: usize) -> usize {
        (at + 1 + usize::from(self.tokens[at].is(">>"))).min(self.tokens.len() - 1)
    }

    /// Tokens are counted as often as they are read. Where that is too often, the text ends.
    fn next(&mut self) {
        let goes_on = budget::work(1);
        self.at = if goes_on { self.after(self.at) } else { self.tokens.len() - 1 };
    }

    fn is(&self, punct: &str) -> bool {
        self.token().is(punct)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token().is_word(word)
    }

    fn take(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.next();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    /// Consumes a bracket or sign, or says where it is missing: after the token before. A `;` that is missing at the
    /// end of a line is reported there, and not on the next line, where nothing is wrong.
    fn expect(&mut self, punct: &'static str, place: &str) -> Result<()> {
        if self.take(punct) {
            return Ok(());
        }
        let found = self.token();
        let end = self.end();
        let is_next_line = found.starts_line || found.kind == Kind::End;
        if is_next_line && end.end() > 0 {
            let after = Span::new(end.file(), end.end(), end.end() + 1);
            return Err(error(after, format_args!("expected `{punct}` {place}"))
                .with_help(format_args!("add `{punct}` here")));
        }
        Err(error(found.span, format_args!("expected `{punct}` {place}, found {}", found.quoted())))
    }

    fn expected(&self, what: &str) -> Failed {
        error(self.span(), format_args!("expected {what}, found {}", self.token().quoted()))
    }

    /// Consumes a name that is being declared.
    fn name(&mut self, what: &str) -> Result<(Name<'t>, Span)> {
        let span = self.span();
        match self.token().word() {
            Some(name) if name.is_keyword() => {
                let message = format!("expected {what}, found the keyword `{name}`");
                Err(error(span, message))
            }
            Some(name) => {
                self.next();
                Ok((name, span))
            }
            None => Err(self.expected(what)),
        }
    }

    /// Reads something that may contain itself, up to [`Bound::Nesting`] deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        budget::reach(Bound::Nesting, self.depth + 1, self.span())?;
        let outer = self.depth;
        self.depth += 1;
        let result = inner(self);
        // After an error inside of it the count may be that of another level.
        self.depth = outer;
        result
    }

    /// Inside of parentheses `>` is an operator again. C++17, [temp.names]: only a `>` that is not nested in brackets
    /// ends template arguments.
    fn inside_brackets<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.closes_angle, false);
        let result = inner(self);
        self.closes_angle = outer;
        result
    }

    /// A node of an expression; its depth is one more than the deepest of its parts.
    fn node(&mut self, kind: ExprKind<'t>, span: Span, deepest: u16) -> Result<Expr<'t>> {
        let depth = deepest + 1;
        budget::reach(Bound::Operators, depth.into(), span)?;
        self.deepest = self.deepest.max(depth);
        Ok(self.arena.put(Node { kind, span, depth }))
    }

    /// An expression in parentheses, which belong to it. No node of its own: parentheses mean nothing once the tree
    /// exists, and messages quote them with the expression.
    fn spanned(&self, inner: Expr<'t>, start: Span) -> Expr<'t> {
        self.arena.put(Node { span: self.since(start), ..*inner })
    }

    /// A statement that began at a place and ends here.
    fn statement_of(&self, kind: StmtKind<'t>, start: Span) -> Stmt<'t> {
        self.arena.put(StmtNode { kind, span: self.since(start) })
    }

    /// After an error: to the end of the statement or the block. At least one token is skipped, or an error that
    /// consumed nothing would be found again forever.
    fn recover(&mut self, from: usize) {
        let mut depth = 0usize;
        if self.at == from {
            self.next();
        }
        loop {
            match self.token().kind {
                Kind::End => return,
                Kind::Punct(";") if depth == 0 => {
                    self.next();
                    return;
                }
                Kind::Punct("{") => depth += 1,
                // The end of a block around the mistake, which belongs to the caller.
                Kind::Punct("}") if depth == 0 => return,
                Kind::Punct("}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.next();
                        // After a struct, it does not begin an empty declaration.
                        self.take(";");
                        return;
                    }
                }
                _ => {}
            }
            self.next();
        }
    }

    fn report(&mut self, problem: Failed) {
        self.text.sink.hold(problem);
    }

    /// Says of the errors in a declaration, which began at a token, whether it is of device code.
    fn release(&mut self, from: usize) {
        if self.text.sink.holds() {
            let mut words = self.tokens[from..self.at].iter().filter_map(Token::word);
            self.text.sink.release(words.any(|word| DEVICE.contains(&word.as_str())));
        }
    }
}
