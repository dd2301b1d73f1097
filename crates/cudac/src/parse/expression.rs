//! Expressions: operators by precedence.
//!
//! Specification: C++17, [expr].
//!
//! Binary operators are read by precedence climbing, all others by functions that call each other in the order of the
//! grammar. `a < b` is a comparison unless `a` is known as a template; `(T)x` is a conversion only if `T` is known as a
//! type. Inside of template arguments (`closes_angle`), `>` and `>>` end the list.
//!
//! ```text
//! expression      a, b                    assignment      a = b, a += b
//! conditional     a ? b : c               binary          a || b … a * b
//! unary           -a, *a, (T)a, sizeof    postfix         a(b), a[b], a.b, a++
//! primary         names, numbers, (a), T(a), [](){ }
//! ```

use super::tree::{Expr, ExprKind};
use super::{Parser, tree};
use crate::lex::{Kind, binding};
use crate::source::{Name, Result, Span, error, unsupported};

/// They group to the right and bind more weakly than `?:` ([expr.ass]).
const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

impl<'t> Parser<'_, 't> {
    /// An expression with commas. Only where the grammar has no other use for a comma: arguments and initialisers are
    /// read by [`Self::assignment`].
    pub(super) fn expression(&mut self) -> Result<Expr<'t>> {
        let mut left = self.assignment()?;
        while self.is(",") {
            self.next();
            let right = self.assignment()?;
            let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth));
            left = self.node(ExprKind::Comma(left, right), span, depth)?;
        }
        Ok(left)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Result<Expr<'t>> {
        self.nested(|parser| {
            // It is an expression in C++, of the type `void`.
            if parser.is_word("throw") {
                return Err(unsupported(parser.span(), "`throw`"));
            }
            let left = parser.conditional()?;
            let Kind::Punct(punct) = parser.token().kind else { return Ok(left) };
            let Some(operator) = ASSIGNMENTS.iter().find(|own| **own == punct) else { return Ok(left) };
            parser.next();
            let right = parser.assigned()?;
            let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth));
            parser.node(ExprKind::Assign(operator, left, right), span, depth)
        })
    }

    /// What is behind `=`. In `x = {1, 2}` it is what the list makes of the type of `x`.
    pub(super) fn assigned(&mut self) -> Result<Expr<'t>> {
        if self.is("{") { self.list() } else { self.assignment() }
    }

    /// A condition and its two values, or less. Between `?` and `:` any expression may stand, as in parentheses
    /// ([expr.cond]).
    pub(super) fn conditional(&mut self) -> Result<Expr<'t>> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.inside_brackets(|parser| parser.nested(Self::expression))?;
        self.expect(":", "between the two values of `?`")?;
        let no = self.assignment()?;
        let span = condition.span.to(no.span);
        let depth = condition.depth.max(yes.depth).max(no.depth);
        self.node(ExprKind::Conditional(condition, yes, no), span, depth)
    }

    /// Reads operators that bind more strongly than `weakest`; equal ones group to the left.
    fn binary(&mut self, weakest: u8) -> Result<Expr<'t>> {
        let mut left = self.unary()?;
        loop {
            let Kind::Punct(operator) = self.token().kind else { return Ok(left) };
            if self.closes_angle && matches!(operator, ">" | ">>") {
                return Ok(left);
            }
            let Some(binds) = binding(operator).filter(|binds| *binds > weakest) else { return Ok(left) };
            self.next();
            let right = self.binary(binds)?;
            let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth));
            left = self.node(ExprKind::Binary(operator, left, right), span, depth)?;
        }
    }

    /// What operators join. It is as deep as anything in it, also what is no operand: arguments of templates, the body of
    /// a lambda.
    pub(super) fn unary(&mut self) -> Result<Expr<'t>> {
        let outer = std::mem::replace(&mut self.deepest, 0);
        let value = self.prefixed();
        let depth = self.deepest;
        self.deepest = outer.max(depth);
        value.map(
            |value| if depth > value.depth { self.arena.put(tree::Node { depth, ..*value }) } else { value },
        )
    }

    /// C++17, [expr.unary] and [expr.cast].
    fn prefixed(&mut self) -> Result<Expr<'t>> {
        let start = self.span();
        if let Kind::Punct(operator @ ("+" | "-" | "!" | "~" | "*" | "&" | "++" | "--")) = self.token().kind {
            self.next();
            let inner = self.nested(Self::unary)?;
            let (span, depth) = (start.to(inner.span), inner.depth);
            return self.node(ExprKind::Prefix(operator, inner), span, depth);
        }
        match self.token().word().map(Name::as_str) {
            Some("sizeof" | "alignof") => return self.size(start),
            #[cfg(feature = "host")]
            Some("new") if self.text.macros.is_program => return self.new_object(start),
            #[cfg(feature = "host")]
            Some("delete") if self.text.macros.is_program => return self.delete(start),
            Some(word @ ("new" | "delete" | "co_await" | "typeid" | "noexcept" | "dynamic_cast")) => {
                return Err(unsupported(start, format_args!("`{word}`")));
            }
            _ => {}
        }
        if self.is("(")
            && let Some(cast) = self.try_cast(start)?
        {
            return Ok(cast);
        }
        self.postfix()
    }

    /// `(type) value`, if the parentheses hold a type and nothing else. The type is read on trial: `(a)(b)` is a call
    /// if `a` is no type.
    fn try_cast(&mut self, start: Span) -> Result<Option<Expr<'t>>> {
        let before = self.at;
        self.next();
        let ty = self.inside_brackets(|parser| parser.try_type(&[")"]));
        let Some(ty) = ty else {
            self.at = before;
            return Ok(None);
        };
        self.next();
        // `(T){…}` is a compound literal of C, which C++ does not have.
        if self.is("{") {
            self.at = before;
            return Ok(None);
        }
        let value = self.nested(Self::unary)?;
        let (span, depth) = (start.to(value.span), value.depth);
        let kind = ExprKind::Cast(tree::CastKind::C, ty, value);
        self.node(kind, span, depth).map(Some)
    }

    /// `sizeof x`, `sizeof(T)` and `alignof(T)`. `sizeof (x)` is tried as a type first.
    fn size(&mut self, start: Span) -> Result<Expr<'t>> {
        let is_size = self.is_word("sizeof");
        self.next();
        let before = self.at;
        if self.take("(") {
            if let Some(ty) = self.inside_brackets(|parser| parser.try_type(&[")"])) {
                self.next();
                let kind = if is_size { ExprKind::SizeOfType(ty) } else { ExprKind::AlignOf(ty) };
                return self.node(kind, self.since(start), 0);
            }
            self.at = before;
        }
        if self.is("...") || !is_size {
            return Err(self.expected("a type in parentheses"));
        }
        let value = self.nested(Self::unary)?;
        let (span, depth) = (start.to(value.span), value.depth);
        self.node(ExprKind::SizeOf(value), span, depth)
    }

    fn postfix(&mut self) -> Result<Expr<'t>> {
        let mut base = self.primary()?;
        loop {
            let start = base.span;
            let depth = base.depth;
            let Kind::Punct(punct) = self.token().kind else { return Ok(base) };
            base = match punct {
                "(" => {
                    let arguments = self.arguments()?;
                    let deepest =
                        arguments.iter().map(|argument| argument.depth).max().unwrap_or(0).max(depth);
                    self.node(ExprKind::Call(base, arguments), self.since(start), deepest)?
                }
                "[" => {
                    self.next();
                    let index = self.inside_brackets(Self::expression)?;
                    self.expect("]", "after the index")?;
                    let deepest = index.depth.max(depth);
                    let kind = ExprKind::Index(base, index);
                    self.node(kind, self.since(start), deepest)?
                }
                "." | "->" => self.member(base, punct == "->")?,
                "++" | "--" => {
                    self.next();
                    self.node(ExprKind::Postfix(punct, base), self.since(start), depth)?
                }
                #[cfg(feature = "host")]
                // `<<<` is no token of C++: the lexer made `<<` and `<` of it. An operand cannot begin with `<`, so
                // this is a launch.
                "<<" if self.ahead(1).is("<") && self.text.macros.is_program => self.launch(base)?,
                "<<" if self.ahead(1).is("<") => {
                    return Err(unsupported(self.span(), "launching a kernel with `<<<`")
                        .with_help("launches are read only in a program: the text needs a `main`"));
                }
                ".*" | "->*" => return Err(unsupported(self.span(), "a pointer to a member")),
                _ => return Ok(base),
            };
        }
    }

    /// What is behind `.` or `->`.
    fn member(&mut self, base: Expr<'t>, is_arrow: bool) -> Result<Expr<'t>> {
        self.next();
        let is_template = self.take_word("template");
        #[cfg(feature = "host")]
        if self.is("~") && self.text.macros.is_program {
            return self.destructor_call(base, is_arrow);
        }
        if self.is("~") {
            return Err(unsupported(self.span(), "calling a destructor"));
        }
        let (name, span) =
            if self.is_word("operator") { self.operator_name()? } else { self.name("the name of a member")? };
        let arguments = if is_template && self.is("<") || self.at_member_arguments(name) {
            Some(self.template_arguments()?)
        } else {
            None
        };
        let (start, depth) = (base.span, base.depth);
        let part = tree::Part { name, arguments, span };
        let kind = ExprKind::Member { base, is_arrow, part };
        self.node(kind, self.since(start), depth)
    }

    /// Whether `<` after a member's name begins template arguments: a `>` and a `(` follow soon, with little in
    /// between. The type of the object is not known to the parser, so it cannot look the member up. C++ asks for
    /// `template` there if the type depends on a parameter, and otherwise knows the type ([temp.names]); here a form
    /// that no comparison has decides.
    pub(super) fn at_member_arguments(&self, member: Name<'t>) -> bool {
        self.is("<")
            && self.scopes.may_be_template(member)
            && matches!(self.ahead(1).kind, Kind::Word(_) | Kind::Number(_))
            && self.ahead(2).is(">")
            && self.ahead(3).is("(")
    }

    /// `(a, b)`
    pub(super) fn arguments(&mut self) -> Result<&'t [Expr<'t>]> {
        let open = self.span();
        self.next();
        let arguments = self.inside_brackets(|parser| parser.list_until(")"))?;
        if !self.is(")") {
            let what = self.token().quoted();
            let problem =
                error(self.span(), format_args!("expected `,` or `)` in the arguments, found {what}"));
            // If the line has changed, a forgotten `)` is more likely than a wrong token.
            let far = self.text.files.place(open).0 != self.text.files.place(self.span()).0;
            return Err(if far {
                self.expect(")", "after the arguments").err().unwrap_or(problem)
            } else {
                problem
            });
        }
        self.next();
        Ok(arguments)
    }

    /// Items up to a bracket, which stays. A comma before the bracket is allowed, as in lists.
    fn list_until(&mut self, close: &str) -> Result<&'t [Expr<'t>]> {
        let mut items = Vec::new();
        while !self.is(close) {
            items.push(self.assigned()?);
            if !self.take(",") {
                break;
            }
        }
        Ok(self.arena.list(&items))
    }

    /// `{a, b}`
    pub(super) fn list(&mut self) -> Result<Expr<'t>> {
        let start = self.span();
        let (items, depth) = self.items()?;
        self.node(ExprKind::List(items), self.since(start), depth)
    }

    /// The values in braces, and how deep they are.
    pub(super) fn items(&mut self) -> Result<(&'t [Expr<'t>], u16)> {
        self.nested(|parser| {
            parser.next();
            // C++20 and C have designated initialisers.
            if parser.is(".") {
                return Err(unsupported(parser.span(), "naming a member in an initialiser"));
            }
            let items = parser.inside_brackets(|parser| parser.list_until("}"))?;
            parser.expect("}", "after the values")?;
            let depth = items.iter().map(|item| item.depth).max().unwrap_or(0);
            Ok((items, depth))
        })
    }
}
