//! Statements.
//!
//! Which statement it is follows from the first word; what is neither a keyword nor a declaration is an expression.
//! Left out: declarations in conditions, `if` and `switch` with an initialiser, `try`, and ranges of cases.
//! Specification: C++17, [stmt.stmt].

use super::Parser;
use super::tree::{self, Basic, Expr, ExprKind, Init, Stmt, StmtKind, Storage, TypeKind, Unroll, Variable};
use super::types::unknown_type;
use crate::lex::Kind;
use crate::source::{Name, Result, error, unsupported};

impl<'t> Parser<'_, 't> {
    /// `{ … }`; after an error in a statement the next one is read.
    pub(super) fn block(&mut self) -> Result<Stmt<'t>> {
        let start = self.span();
        self.expect("{", "at the start of a block")?;
        self.scopes.push();
        let mut statements = Vec::new();
        while !self.is("}") && self.token().kind != Kind::End {
            let from = self.at;
            let depth = self.depth;
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(problem) => {
                    self.report(problem);
                    self.depth = depth;
                    self.closes_angle = false;
                    self.recover(from);
                }
            }
        }
        self.scopes.pop();
        // The `{` is marked, because the end of the file says nothing about which one is open.
        if self.token().kind == Kind::End {
            return Err(error(start, "this `{` is not closed").with_help("add `}` where the block ends"));
        }
        self.next();
        Ok(self.statement_of(StmtKind::Block(self.arena.list(&statements)), start))
    }

    pub(super) fn statement(&mut self) -> Result<Stmt<'t>> {
        self.nested(Self::any_statement)
    }

    /// A statement; the labels of a `switch` are statements of their own, in front of others.
    fn any_statement(&mut self) -> Result<Stmt<'t>> {
        self.attributes()?;
        let start = self.span();
        if self.is("{") {
            return self.block();
        }
        if self.token().kind == Kind::PragmaUnroll {
            return self.unrolled();
        }
        let kind = if self.take(";") {
            StmtKind::Empty
        } else {
            let word = self.token().word();
            match word.map(Name::as_str) {
                Some("if") => self.branch()?,
                Some("for" | "while") => return self.loop_with(Unroll::Unsaid),
                Some("do") => self.do_while()?,
                Some("switch") => self.switch()?,
                Some("case") => self.case()?,
                Some("default") => {
                    self.next();
                    self.expect(":", "after `default`")?;
                    StmtKind::Default
                }
                Some("break") => self.simple(StmtKind::Break, "after `break`")?,
                Some("continue") => self.simple(StmtKind::Continue, "after `continue`")?,
                Some("return") => self.return_()?,
                Some("asm" | "__asm__" | "__asm") => self.asm()?,
                Some("goto") => self.goto()?,
                Some(word @ ("try" | "throw")) => {
                    return Err(unsupported(start, format_args!("`{word}`")));
                }
                // The likeliest reason is a `;` or a second statement before it.
                Some("else") => {
                    return Err(error(start, "`else` without `if`")
                        .with_help("an `if` without braces ends after one statement"));
                }
                Some("auto") if self.ahead(1).is("[") || self.ahead(1).is("&") && self.ahead(2).is("[") => {
                    return Err(unsupported(start, "a structured binding")
                        .with_help("declare a variable for each part"));
                }
                // From here on the order matters: a declaration, a label, then two words in a row, which can only be an
                // unknown type and a name.
                _ if self.at_declaration() => return self.local_declaration(),
                Some(_) if self.ahead(1).is(":") && !self.ahead(2).is(":") => self.label()?,
                Some(text)
                    if word.is_some_and(|word| !word.is_keyword())
                        && matches!(self.ahead(1).kind, Kind::Word(_)) =>
                {
                    return Err(unknown_type(start, text));
                }
                _ => {
                    let value = self.expression()?;
                    self.expect(";", "after the statement")?;
                    StmtKind::Expr(value)
                }
            }
        };
        Ok(self.statement_of(kind, start))
    }

    /// A word and `;`.
    fn simple(&mut self, kind: StmtKind<'t>, place: &str) -> Result<StmtKind<'t>> {
        self.next();
        self.expect(";", place)?;
        Ok(kind)
    }

    fn goto(&mut self) -> Result<StmtKind<'t>> {
        self.next();
        let (name, _) = self.name("the label")?;
        self.expect(";", "after the label")?;
        Ok(StmtKind::Goto(name))
    }

    fn label(&mut self) -> Result<StmtKind<'t>> {
        let (name, _) = self.name("the label")?;
        self.expect(":", "after the label")?;
        Ok(StmtKind::Label(name))
    }

    /// What is in parentheses after `if`, `while` and `switch`.
    fn condition(&mut self, of: &str) -> Result<Expr<'t>> {
        self.expect("(", &format!("after `{of}`"))?;
        if self.at_declaration() {
            return Err(unsupported(self.span(), "a declaration in a condition")
                .with_help("declare the variable on a line before"));
        }
        let value = self.inside_brackets(Self::expression)?;
        self.expect(")", "after the condition")?;
        Ok(value)
    }

    /// `else` belongs to the nearest `if` ([stmt.if]), because that is the one being read.
    fn branch(&mut self) -> Result<StmtKind<'t>> {
        self.next();
        let is_constexpr = self.take_word("constexpr");
        let condition = self.condition("if")?;
        let then = self.scoped_statement()?;
        let otherwise = if self.take_word("else") { Some(self.scoped_statement()?) } else { None };
        Ok(StmtKind::If { is_constexpr, condition, then, otherwise })
    }

    /// A statement that is no block is a scope all the same ([stmt.select]).
    fn scoped_statement(&mut self) -> Result<Stmt<'t>> {
        self.scopes.push();
        let result = self.statement();
        self.scopes.pop();
        result
    }

    /// `#pragma unroll N` and the loop after it. CUDA programming guide, "#pragma unroll". Before anything but a loop
    /// it is only a warning.
    fn unrolled(&mut self) -> Result<Stmt<'t>> {
        let span = self.span();
        self.next();
        let unroll = if self.token().kind == Kind::PragmaEnd {
            Unroll::Fully
        } else {
            Unroll::Times(self.expression()?)
        };
        if self.token().kind != Kind::PragmaEnd {
            return Err(self.expected("the end of the line after `#pragma unroll`"));
        }
        self.next();
        if self.is_word("for") || self.is_word("while") {
            return self.loop_with(unroll);
        }
        if !self.is_word("do") {
            self.text.sink.warn(span, "`#pragma unroll` has no effect, because no loop follows it", "");
        }
        self.statement()
    }

    /// `for` or `while`; the scope is that of the variables in the parentheses of `for`.
    fn loop_with(&mut self, unroll: Unroll<'t>) -> Result<Stmt<'t>> {
        let start = self.span();
        self.scopes.push();
        let kind = if self.is_word("for") { self.for_(unroll) } else { self.while_(unroll) };
        self.scopes.pop();
        Ok(self.statement_of(kind?, start))
    }

    /// An ordinary `for` has a `;` after its first part, a range-based one a `:` ([stmt.ranged]). [`Self::variables`]
    /// stops before either.
    fn for_(&mut self, unroll: Unroll<'t>) -> Result<StmtKind<'t>> {
        self.next();
        self.expect("(", "after `for`")?;
        let outer = std::mem::replace(&mut self.closes_angle, false);
        let init = if self.take(";") { None } else { Some(self.for_init()?) };
        if self.take(":") {
            let range = if self.is("{") { self.list()? } else { self.expression()? };
            self.closes_angle = outer;
            self.expect(")", "after the range of `for`")?;
            let body = self.scoped_statement()?;
            return match init.map(|init| init.kind) {
                Some(StmtKind::Variables([variable])) => {
                    let loop_over = |range| StmtKind::RangeFor { variable, range, body, unroll };
                    match range.kind {
                        ExprKind::List([first, ..]) => self.over_list(range, first, &loop_over),
                        _ => Ok(loop_over(range)),
                    }
                }
                _ => Err(error(range.span, "expected one variable before the `:` of `for`")),
            };
        }
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";", "after the condition of `for`")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.closes_angle = outer;
        self.expect(")", "after the step of `for`")?;
        let body = self.scoped_statement()?;
        Ok(StmtKind::For { init, condition, step, body, unroll })
    }

    /// A list is an array of constants that have the type of the first one: C++17, [stmt.ranged] and [dcl.init.list].
    fn over_list(
        &mut self,
        list: Expr<'t>,
        first: Expr<'t>,
        loop_over: &dyn Fn(Expr<'t>) -> StmtKind<'t>,
    ) -> Result<StmtKind<'t>> {
        let (name, span) = (self.text.names.get("the values of the list"), list.span);
        let element = match first.kind {
            ExprKind::Text(_) => {
                let letter = self.ty(TypeKind::Basic(Basic::Char), true, false, span);
                TypeKind::Pointer(letter)
            }
            _ => TypeKind::TypeOf(first),
        };
        let element = self.ty(element, true, false, span);
        let ty = self.ty(TypeKind::Array(element, None), false, false, span);
        let init = Some(Init::Assign(list));
        let values = Variable { name, ty, init, storage: Storage::default(), align: None, span };
        let values = self.statement_of(StmtKind::Variables(self.arena.list(&[values])), span);
        let part = tree::Part { name, arguments: None, span };
        let path = tree::Path { parts: self.arena.list(&[part]), span };
        let range = self.node(ExprKind::Path(path), span, 0)?;
        let statement = self.statement_of(loop_over(range), span);
        Ok(StmtKind::Block(self.arena.list(&[values, statement])))
    }

    /// The first part of `for`, with its `;`, which a declaration has anyway.
    fn for_init(&mut self) -> Result<Stmt<'t>> {
        let start = self.span();
        if self.at_declaration() {
            return self.local_declaration();
        }
        let value = self.expression()?;
        self.expect(";", "after the first part of `for`")?;
        Ok(self.statement_of(StmtKind::Expr(value), start))
    }

    fn while_(&mut self, unroll: Unroll<'t>) -> Result<StmtKind<'t>> {
        self.next();
        let condition = self.condition("while")?;
        let body = self.scoped_statement()?;
        Ok(StmtKind::While { condition, body, unroll })
    }

    /// The `;` at its end is part of it.
    fn do_while(&mut self) -> Result<StmtKind<'t>> {
        self.next();
        let body = self.scoped_statement()?;
        if !self.take_word("while") {
            return Err(self.expected("`while` after the body of `do`"));
        }
        let condition = self.condition("while")?;
        self.expect(";", "after the condition")?;
        Ok(StmtKind::DoWhile { body, condition })
    }

    /// The labels are found among the statements of its body, later.
    fn switch(&mut self) -> Result<StmtKind<'t>> {
        self.next();
        let value = self.condition("switch")?;
        let body = self.scoped_statement()?;
        Ok(StmtKind::Switch { value, body })
    }

    /// The value is a constant expression, in which a comma would need parentheses.
    fn case(&mut self) -> Result<StmtKind<'t>> {
        self.next();
        let value = self.conditional()?;
        if self.is("...") {
            return Err(unsupported(self.span(), "a range of cases"));
        }
        self.expect(":", "after the value of `case`")?;
        Ok(StmtKind::Case(value))
    }

    fn return_(&mut self) -> Result<StmtKind<'t>> {
        self.next();
        // `return {a, b};` has a list, which is no expression.
        let value = match () {
            () if self.is(";") => None,
            () if self.is("{") => Some(self.list()?),
            () => Some(self.expression()?),
        };
        self.expect(";", "after `return`")?;
        Ok(StmtKind::Return(value))
    }

    /// Variables are statements of their own kind, since they are executed.
    fn local_declaration(&mut self) -> Result<Stmt<'t>> {
        let start = self.span();
        let declaration = self.declaration(false)?;
        let kind = match declaration {
            super::tree::Declaration::Variables(variables) => StmtKind::Variables(variables),
            other => StmtKind::Declaration(self.arena.put(other)),
        };
        Ok(self.statement_of(kind, start))
    }
}
