//! `for (T x : range)`: as the loop that the standard writes it as.
//!
//! It is built from the untyped tree and then checked like any other, so that `auto`, operators of iterators and
//! `#pragma unroll` need no code here. Names such as `range:` cannot collide with any of the text. Arrays are counted
//! through with an index, which is unrolled like any other loop. Left out: `begin` and `end` as functions.
//! Specification: C++17, [stmt.ranged].
//!
//! ```text
//! auto&& range: = RANGE;                                         // a type with `begin()` and `end()`
//! for (auto at: = range:.begin(), end: = range:.end(); at: != end:; ++at:) { T x = *at:; BODY }
//!
//! auto&& range: = RANGE;                                         // an array of N elements
//! for (unsigned at: = 0; at: < N; ++at:) { T x = range:[at:]; BODY }
//! ```

use super::Checker;
use super::scope::ScopeId;
use super::typed::{Stmt, StmtKind};
use super::types::Shape;
use crate::parse::tree::{self, ExprKind, Init, TypeKind};
use crate::source::arena::Arena;
use crate::source::{Name, Result, Span, error};

/// Builds pieces of the tree, all at one place.
struct Builder<'t> {
    arena: Arena<'t>,
    span: Span,
}

impl<'t> Builder<'t> {
    // The depth is that of the small pieces here; what they contain was counted by the parser.
    fn expr(&self, kind: ExprKind<'t>) -> tree::Expr<'t> {
        self.arena.put(tree::Node { kind, span: self.span, depth: 4 })
    }

    fn name(&self, name: Name<'t>) -> tree::Expr<'t> {
        let part = tree::Part { name, arguments: None, span: self.span };
        self.expr(ExprKind::Path(tree::Path { parts: self.arena.list(&[part]), span: self.span }))
    }

    /// A call of a method without arguments.
    fn call(&self, base: Name<'t>, name: Name<'t>) -> tree::Expr<'t> {
        let part = tree::Part { name, arguments: None, span: self.span };
        let base = self.name(base);
        let callee = self.expr(ExprKind::Member { base, is_arrow: false, part });
        self.expr(ExprKind::Call(callee, &[]))
    }

    fn ty(&self, kind: TypeKind<'t>) -> tree::Type<'t> {
        tree::plain(self.arena, kind, self.span)
    }

    /// `ty name = value`
    fn variable(&self, name: Name<'t>, ty: tree::Type<'t>, value: tree::Expr<'t>) -> tree::Variable<'t> {
        let storage = tree::Storage::default();
        tree::Variable { name, ty, init: Some(Init::Assign(value)), storage, align: None, span: self.span }
    }

    fn variables(&self, variables: &[tree::Variable<'t>]) -> tree::Stmt<'t> {
        self.stmt(tree::StmtKind::Variables(self.arena.list(variables)))
    }

    fn stmt(&self, kind: tree::StmtKind<'t>) -> tree::Stmt<'t> {
        self.arena.put(tree::StmtNode { kind, span: self.span })
    }
}

impl<'t> Checker<'_, 't> {
    pub(super) fn range_for(
        &mut self,
        scope: ScopeId,
        variable: &tree::Variable<'t>,
        range: tree::Expr<'t>,
        body: tree::Stmt<'t>,
        unroll: &tree::Unroll<'t>,
    ) -> Result<Stmt<'t>> {
        let build = Builder { arena: self.arena, span: range.span };
        let [over, at, end] = ["range:", "at:", "end:"].map(|name| self.names.get(name));
        let auto = || build.ty(TypeKind::Auto);
        // The range is evaluated once, by the variable below; here only its type matters.
        let ty = self.type_of_expr(scope, range)?;
        let (inits, condition, item) = match self.types.shape(ty) {
            Shape::Array(_, Some(length)) => {
                let count = build.expr(ExprKind::Number(self.names.get(&length.to_string())));
                let zero = build.expr(ExprKind::Number(self.names.get("0")));
                let unsigned = build.ty(TypeKind::Basic(tree::Basic::Unsigned));
                let condition = ExprKind::Binary("<", build.name(at), count);
                let item = ExprKind::Index(build.name(over), build.name(at));
                (vec![build.variable(at, unsigned, zero)], condition, item)
            }
            // An array of variable length in host code, whose size its variable knows.
            #[cfg(feature = "host")]
            Shape::Array(_, None) => {
                let zero = build.expr(ExprKind::Number(self.names.get("0")));
                let first = build.expr(ExprKind::Index(range, zero));
                let sizes = [range, first].map(|part| build.expr(ExprKind::SizeOf(part)));
                let count = build.expr(ExprKind::Binary("/", sizes[0], sizes[1]));
                let size = build.ty(TypeKind::Basic(tree::Basic::UnsignedLong));
                let inits = vec![build.variable(at, size, zero), build.variable(end, size, count)];
                let condition = ExprKind::Binary("<", build.name(at), build.name(end));
                (inits, condition, ExprKind::Index(build.name(over), build.name(at)))
            }
            _ if self.has_ends(ty) => {
                let [first, last] = ["begin", "end"].map(|name| build.call(over, self.names.get(name)));
                let inits = vec![build.variable(at, auto(), first), build.variable(end, auto(), last)];
                let condition = ExprKind::Binary("!=", build.name(at), build.name(end));
                (inits, condition, ExprKind::Prefix("*", build.name(at)))
            }
            _ => {
                let message = format!("`for` cannot go through a `{}`", self.show(ty));
                let help = "give it an array, or a type with `begin()` and `end()`";
                return Err(error(range.span, message).with_help(help));
            }
        };
        // The variable of the loop is new in each round.
        let own = tree::Variable { init: Some(Init::Assign(build.expr(item))), ..*variable };
        let mut inner = vec![build.variables(&[own])];
        match &body.kind {
            tree::StmtKind::Block(statements) => inner.extend_from_slice(statements),
            _ => inner.push(body),
        }
        let inner = self.arena.list(&inner);
        let loop_ = tree::StmtKind::For {
            init: Some(build.variables(&inits)),
            condition: Some(build.expr(condition)),
            step: Some(build.expr(ExprKind::Prefix("++", build.name(at)))),
            body: self.arena.put(tree::StmtNode { kind: tree::StmtKind::Block(inner), span: body.span }),
            unroll: *unroll,
        };
        // A value lives for as long as the loop lasts; anything else is referred to.
        let over = build.variable(over, build.ty(TypeKind::Rvalue(auto())), range);
        // The scope of all three variables; that of `x` is inside of the loop's body.
        let inner = self.scopes.push(scope);
        let statements = [build.variables(&[over]), build.stmt(loop_)];
        let mut made = Vec::new();
        for statement in &statements {
            made.extend(self.statement(inner, statement)?);
        }
        Ok(Stmt { kind: StmtKind::Block(self.arena.list(&made)), span: range.span })
    }

    fn has_ends(&mut self, ty: super::types::Type) -> bool {
        let names = ["begin", "end"].map(|name| self.names.get(name));
        self.types.struct_of(ty).is_some_and(|at| {
            names.iter().all(|name| self.types.structs[at].methods.iter().any(|(known, _)| known == name))
        })
    }
}
