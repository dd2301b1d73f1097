//! What only host code has: launches, `new` and `delete`, destructors, types of functions.
//!
//! `delete` and `new` of arrays become calls of functions that the header of the host declares, in
//! `headers/host/c.cuh`. So the stages after this one have one new node for them ([`ExprKind::New`]), which constructs
//! an object in memory that exists. Specification: C++17, [expr.new], [expr.delete], [class.dtor]; CUDA programming
//! guide, "Execution Configuration".

use super::Parser;
use super::declaration::Specifiers;
use super::tree::{Argument, CastKind, Expr, ExprKind, Function, Init, Part, Path, Type, TypeKind, plain};
use crate::source::budget::{self, Bound};
use crate::source::{Result, Span, error, unsupported};

impl<'t> Parser<'_, 't> {
    /// `<<<grid, block>>>(a, b)` after the kernel. The two tokens `<<` and `<` are next. The three closing ones arrive
    /// as `>>` and `>`, and must not be read as operators.
    pub(super) fn launch(&mut self, kernel: Expr<'t>) -> Result<Expr<'t>> {
        let start = kernel.span;
        self.next();
        self.next();
        let outer = std::mem::replace(&mut self.closes_angle, true);
        let mut shape = Vec::new();
        loop {
            shape.push(self.assignment()?);
            if !self.take(",") {
                break;
            }
        }
        self.closes_angle = outer;
        self.expect(">>", "after the shape of the launch")?;
        self.expect(">", "after the shape of the launch")?;
        if !self.is("(") {
            return Err(self.expected("the arguments of the kernel in parentheses"));
        }
        let arguments = self.arguments()?;
        let parts = shape.iter().chain(arguments).map(|part| part.depth);
        let depth = parts.max().unwrap_or(0).max(kernel.depth);
        let shape = self.arena.list(&shape);
        let kind = ExprKind::Launch { kernel, shape, arguments };
        self.node(kind, self.since(start), depth)
    }

    /// `new T`, `new T(a)`, `new (place) T(a)` and `new T[n]`
    pub(super) fn new_object(&mut self, start: Span) -> Result<Expr<'t>> {
        self.next();
        // Only a place can be in parentheses here: `new (T)` is left out.
        let place = if self.take("(") {
            let place = self.inside_brackets(Self::expression)?;
            self.expect(")", "after the place of the object")?;
            Some(place)
        } else {
            None
        };
        let mut ty = self.plain_type()?;
        for count in 1.. {
            if !self.take("*") {
                break;
            }
            let span = ty.span;
            budget::reach(Bound::Nesting, count, span)?;
            ty = plain(self.arena, TypeKind::Pointer(ty), span);
        }
        let span = self.since(start);
        if self.take("[") {
            let count = self.inside_brackets(Self::expression)?;
            self.expect("]", "after the number of elements")?;
            let is_list = self.is("{") && self.ahead(1).is("}");
            let is_zeroed = self.is("(") || is_list;
            if is_zeroed {
                self.next();
                self.expect(if is_list { "}" } else { ")" }, "after the bracket")?;
            }
            if self.is("{") {
                return Err(unsupported(self.span(), "`new` of an array with values"));
            }
            // `new T[n]()` sets its elements to zero ([dcl.init]), `new T[n]` leaves numbers unset.
            let name = if is_zeroed { "__host_new_zeros" } else { "__host_new_array" };
            return self.call_of(
                name,
                Some(self.arena.list(&[Argument::Type(ty)])),
                self.arena.list(&[count]),
                self.since(start),
            );
        }
        let memory = if let Some(place) = place {
            place
        } else {
            let bytes = self.node(ExprKind::SizeOfType(ty), span, 0)?;
            self.call_of("__host_new", None, self.arena.list(&[bytes]), span)?
        };
        let init = match () {
            () if self.is("(") => Some(Init::Round(self.arguments()?)),
            () if self.is("{") => Some(Init::Curly(self.list()?)),
            () => None,
        };
        let values = init.iter().flat_map(super::function::values);
        let depth = values.map(|value| value.depth).max().unwrap_or(0).max(memory.depth);
        // The memory is `void*` or a pointer of any type.
        let to = plain(self.arena, TypeKind::Pointer(ty), span);
        let pointer = self.node(ExprKind::Cast(CastKind::C, to, memory), span, depth)?;
        self.node(ExprKind::New(pointer, ty, init), self.since(start), depth + 1)
    }

    /// `delete p` and `delete[] p`: the functions of the header destroy and free.
    pub(super) fn delete(&mut self, start: Span) -> Result<Expr<'t>> {
        self.next();
        let is_array = self.take("[");
        if is_array {
            self.expect("]", "after `[`")?;
        }
        let pointer = self.nested(Self::unary)?;
        let name = if is_array { "__host_destroy_array" } else { "__host_destroy" };
        self.call_of(name, None, self.arena.list(&[pointer]), self.since(start))
    }

    /// `~S() { … }` in a struct; it is known as `~`. No method of a text can be called `~`, so the name cannot collide.
    pub(super) fn destructor(&mut self, specifiers: Specifiers<'t>) -> Result<&'t Function<'t>> {
        let start = self.span();
        self.next();
        let (name, span) = self.name("the name of the type after `~`")?;
        if self.structs_name().as_ref() != Some(&name) {
            return Err(error(
                span,
                format_args!("a destructor has the name of its type, which `{name}` is not"),
            ));
        }
        let result = plain(self.arena, TypeKind::Basic(super::tree::Basic::Void), start);
        let own = self.text.names.get("~");
        self.function(specifiers, result, own, self.since(start))
    }

    /// `p->~S()`, from `~` on. Objects in memory from `malloc` or placement `new` are destroyed like this; the name
    /// after `~` can only be that of the type, and is not kept.
    pub(super) fn destructor_call(&mut self, base: Expr<'t>, is_arrow: bool) -> Result<Expr<'t>> {
        let start = base.span;
        self.next();
        self.path()?;
        let part = Part { name: self.text.names.get("~"), arguments: None, span: self.since(start) };
        let depth = base.depth;
        self.node(ExprKind::Member { base, is_arrow, part }, self.since(start), depth)
    }

    /// The type of a function, from its parameters on. The names of parameters mean nothing, and are declared in a
    /// scope that ends at once.
    pub(super) fn function_type(&mut self, result: Type<'t>) -> Result<Type<'t>> {
        let start = self.span();
        self.scopes.push();
        let parameters = self.parameters();
        self.scopes.pop();
        let parameters: Vec<_> = parameters?.iter().map(|parameter| parameter.ty).collect();
        let parameters = self.arena.list(&parameters);
        Ok(plain(self.arena, TypeKind::Function(result, parameters), self.since(start)))
    }

    /// A call of a function that a header of this compiler declares. The text of the header is read first, or `check`
    /// would not know the function.
    fn call_of(
        &mut self,
        name: &str,
        explicit: Option<&'t [Argument<'t>]>,
        arguments: &'t [Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let name = self.text.names.get(name);
        self.load_own(name);
        let parts = self.arena.list(&[Part { name, arguments: explicit, span }]);
        let path = self.node(ExprKind::Path(Path { parts, span }), span, 0)?;
        let depth = arguments.iter().map(|argument| argument.depth).max().unwrap_or(0);
        self.node(ExprKind::Call(path, arguments), span, depth)
    }
}
