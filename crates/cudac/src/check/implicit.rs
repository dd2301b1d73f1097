//! Functions that C++ adds to a struct: constructors for copies, and assignments, that go through the members.
//!
//! Most structs are copied by their bytes and have none. A struct gets them if a member has some, in programs only:
//! kernels that are compiled alone copy bytes. They have trees without bodies, like those that a text defaults, and
//! what both do is made here. Left out: unions, which are copied by their bytes, and that a member without a copy
//! deletes that of its struct: it is an error where it is used. Specification: C++17, [class.copy.ctor],
//! [class.copy.assign].
//!
//! ```text
//! struct S { std::string name; int n; };
//!
//! S(const S& other:) : name(other:.name), n(other:.n) {}          and S(S&& other:), which moves the members
//! S& operator=(const S& other:) { name = other:.name; n = other:.n; return *this; }       and that for S&&
//! ```

use super::Checker;
use super::scope::{DeclaredId, Entity, ScopeId};
use super::typed::{Expr, Kind, Stmt, StmtKind};
use super::types::{Needs, Shape, Type};
use crate::parse::tree::{self, TypeKind};
use crate::source::{Name, Result, Span, error, unsupported};

/// A member that is an array of such objects has one statement for each element, and at most so many.
const MAX_ELEMENTS: u64 = 1024;

/// Which functions for copies a struct declares.
#[derive(Clone, Copy, Default)]
struct Declares {
    copy: bool,
    moved: bool,
    /// Whether one of them has a body, or is deleted.
    is_own: bool,
}

impl<'t> Checker<'_, 't> {
    /// What copying, assigning and ending an object of a type calls.
    pub(super) fn needs(&self, ty: Type) -> Needs {
        match self.types.shape(ty) {
            Shape::Array(of, _) => self.needs(of),
            Shape::Struct(at) => self.types.structs[at].needs,
            _ => Needs::default(),
        }
    }

    /// Notes what objects of a complete struct need, and adds the functions that the text leaves out.
    pub(super) fn add_copies(&mut self, ty: Type, at: usize, name: Name<'t>) {
        let own = &self.types.structs[at];
        let mut members = Needs::default();
        for field in own.fields.iter().filter(|_| !own.is_union) {
            let needs = self.needs(field.ty);
            members.copy |= needs.copy && self.is_program;
            members.assign |= needs.assign && self.is_program;
            members.end |= needs.end;
        }
        let operator = self.names.get("operator=");
        let own = &self.types.structs[at];
        let assignments = own.methods_of(operator).cloned().unwrap_or_default();
        let made = self.declares(&own.constructors, name);
        let assigned = self.declares(&assignments, name);
        let has_end = own.destructor.is_some();
        let own = &mut self.types.structs[at];
        own.members = members;
        own.needs.copy = members.copy || made.is_own;
        own.needs.assign = members.assign || assigned.is_own;
        own.needs.end = members.end || has_end;
        // [class.copy.ctor], paragraphs 6 and 8; the same for assignments.
        let is_copied = !made.moved && !assigned.moved;
        let is_moved = is_copied && !made.copy && !assigned.copy && !has_end;
        if !members.copy && !members.assign {
            return;
        }
        let scope = self.types.structs[at].scope;
        let own_name = self.names.get("self:");
        self.scopes.declare(scope, own_name, Entity::Type(ty));
        let kinds = [(false, is_copied), (true, is_moved)];
        for (moves, _) in kinds.iter().filter(|(moves, wanted)| *wanted && (*moves || !made.copy)) {
            if members.copy {
                let id = self.add_copy(scope, ty, own_name, true, *moves);
                self.types.structs[at].copies.push(id);
            }
        }
        for (moves, _) in kinds.iter().filter(|(moves, wanted)| *wanted && (*moves || !assigned.copy)) {
            if members.assign {
                let id = self.add_copy(scope, ty, own_name, false, *moves);
                let methods = &mut self.types.structs[at].methods;
                match methods.iter_mut().find(|(name, _)| *name == operator) {
                    Some((_, same)) => same.push(id),
                    None => methods.push((operator, vec![id])),
                }
            }
        }
    }

    /// Which of some functions take an object of their own type. By their texts: types may not be known yet.
    fn declares(&self, functions: &[DeclaredId], name: Name<'t>) -> Declares {
        let is_self = |ty: tree::Type<'t>| match &ty.kind {
            TypeKind::Named(path) => path.parts.last().is_some_and(|part| part.name == name),
            _ => false,
        };
        let mut found = Declares::default();
        for function in functions.iter().map(|at| self.declared[*at].function) {
            let [only] = function.parameters else { continue };
            let (copies, moves) = match &only.ty.kind {
                TypeKind::Reference(to) => (is_self(to), false),
                TypeKind::Rvalue(to) => (false, is_self(to)),
                _ => (is_self(only.ty), false),
            };
            if function.template.is_none() && (copies || moves) {
                found.copy |= copies;
                found.moved |= moves;
                found.is_own |= !function.is_defaulted;
            }
        }
        found
    }

    fn add_copy(
        &mut self,
        scope: ScopeId,
        owner: Type,
        own_name: Name<'t>,
        is_constructor: bool,
        moves: bool,
    ) -> DeclaredId {
        let span = Span::of_compiler();
        let part = tree::Part { name: own_name, arguments: None, span };
        let path = tree::Path { parts: self.arena.list(&[part]), span };
        let kind = TypeKind::Named(path);
        let own = self.arena.put(tree::TypeNode { kind, is_const: !moves, is_volatile: false, span });
        let to = if moves { TypeKind::Rvalue(own) } else { TypeKind::Reference(own) };
        let result = if is_constructor {
            TypeKind::Basic(tree::Basic::Void)
        } else {
            TypeKind::Reference(tree::plain(self.arena, TypeKind::Named(path), span))
        };
        let parameter = tree::Variable {
            name: self.names.get("other:"),
            ty: tree::plain(self.arena, to, span),
            init: None,
            storage: tree::Storage::default(),
            align: None,
            span,
        };
        let function = self.arena.put(tree::Function {
            name: if is_constructor { own_name } else { self.names.get("operator=") },
            span,
            template: None,
            result: tree::plain(self.arena, result, span),
            parameters: self.arena.list(&[parameter]),
            body: None,
            storage: tree::Storage::default(),
            launch_bounds: &[],
            cluster_dims: &[],
            initialisers: &[],
            is_constructor,
            is_conversion: false,
            is_const: false,
            is_deleted: false,
            is_defaulted: true,
            special: None,
            end: span,
        });
        let id = self.declared.len();
        self.declare_hidden(scope, function);
        self.declared[id].owner = Some(owner);
        id
    }

    /// The statements of such a function.
    pub(super) fn by_members(
        &mut self,
        function: &tree::Function<'t>,
        scope: ScopeId,
    ) -> Result<Vec<Stmt<'t>>> {
        let span = function.span;
        let this = self.first_parameter(span)?;
        let at = self.types.struct_of(this.ty).ok_or_else(|| error(span, "this is no struct"))?;
        let of = self.frames.last().and_then(|frame| frame.vars.get(1)).map(|var| var.ty);
        let of = of.ok_or_else(|| error(span, "this copies nothing"))?;
        let other = self.node(Kind::Local(1), self.types.referred(of), span);
        let mut copying = Copying {
            scope,
            is_new: function.is_constructor,
            moves: self.types.is_rvalue(of),
            made: Vec::new(),
        };
        for (nth, field) in self.types.structs[at].fields.clone().iter().enumerate() {
            let from = self.field_at(other, nth, span);
            if self.types.is_reference(field.ty) {
                let to = self.node(Kind::Field(this, nth), field.ty, span);
                copying.made.push(self.node(Kind::Assign(to, from), field.ty, span));
                continue;
            }
            let to = self.field_at(this, nth, span);
            self.copy_part(&mut copying, to, from)?;
        }
        let made = copying.made.into_iter().map(|made| Stmt { kind: StmtKind::Expr(made), span });
        let mut statements: Vec<_> = made.collect();
        if !function.is_constructor {
            statements.push(Stmt { kind: StmtKind::Return(Some(this)), span });
        }
        Ok(statements)
    }

    /// A member, or the elements of one.
    fn copy_part(&mut self, copying: &mut Copying<'t>, to: Expr<'t>, from: Expr<'t>) -> Result<()> {
        let span = to.span;
        let needs = self.needs(to.ty);
        let calls = if copying.is_new { needs.copy } else { needs.assign };
        if let Shape::Array(of, Some(length)) = self.types.shape(to.ty) {
            if !calls {
                let value = self.node(Kind::Load(from), to.ty.plain(), span);
                copying.made.push(self.node(Kind::Assign(to, value), to.ty, span));
                return Ok(());
            }
            if length > MAX_ELEMENTS {
                let what = format!("copying a member that is an array of more than {MAX_ELEMENTS} objects");
                return Err(unsupported(span, what).with_help("use a `std::vector`"));
            }
            let size = self.types.basic(tree::Basic::UnsignedLong);
            for nth in 0..length {
                let index = self.node(Kind::Integer(nth as i64), size, span);
                let [to, from] = [to, from]
                    .map(|array| self.node(Kind::Element(array, index), of.qualified_as(array.ty), span));
                self.copy_part(copying, to, from)?;
            }
            return Ok(());
        }
        let from = if copying.moves { self.node(Kind::Temporary(from), from.ty, span) } else { from };
        if calls && !copying.is_new {
            let made = self.operator_call(copying.scope, "=", &[to, from], span)?;
            copying.made.push(made.ok_or_else(|| error(span, "a member cannot be assigned to"))?);
            return Ok(());
        }
        let value = self.implicit(from, to.ty.plain(), &"a member")?;
        copying.made.push(self.node(Kind::Assign(to, value), to.ty, span));
        Ok(())
    }
}

/// Whether a function is a copy that goes through the members.
pub(super) fn is_by_members(function: &tree::Function<'_>) -> bool {
    let is_copy = function.is_constructor || function.name.as_str() == "operator=";
    function.is_defaulted && function.parameters.len() == 1 && is_copy
}

/// A copy that is being made.
struct Copying<'t> {
    scope: ScopeId,
    /// Whether it is a constructor.
    is_new: bool,
    moves: bool,
    made: Vec<Expr<'t>>,
}
