//! Functions: their types, their instances, their bodies.
//!
//! Every function that is used is an instance, also one that is no template: its template has no parameters then. An
//! instance has its number before its body is checked, so that calls in a cycle find it; recursion is refused by
//! `lower`, which inlines everything.
//!
//! What happens to a function:
//!
//! ```text
//! Declared             its types are not looked at before somebody needs them (`signature`)
//! an instance          wanted by a call, or because it is a kernel: types and variables are known (`new_instance`)
//! a body               checked at once if its type or value is needed, else when `pending` is worked off
//! ```

use super::scope::{DeclaredId, Entity, ScopeId};
use super::typed::{Function, FunctionId, Kind, Stmt, StmtKind, Var, VarId};
use super::types::{Argument, Shape, Type};
use super::{Checker, Frame, Signature};
use crate::parse::tree::{self, ParameterKind};
use crate::source::budget::{self, Bound};
use crate::source::{Name, Result, Span, error, unsupported};

impl<'t> Checker<'_, 't> {
    /// The types of a function that is no template.
    pub(super) fn signature(&mut self, declared: DeclaredId) -> Result<Signature<'t>> {
        if let Some(known) = self.declared[declared].signature {
            return Ok(known);
        }
        let made = self.signature_in(declared, self.declared[declared].scope)?;
        self.declared[declared].signature = Some(made);
        Ok(made)
    }

    /// The types of a function for some arguments of its template.
    pub(super) fn instance_signature(
        &mut self,
        declared: DeclaredId,
        arguments: &[Argument],
    ) -> Result<Signature<'t>> {
        if self.declared[declared].function.template.is_none() {
            return self.signature(declared);
        }
        // A new scope each time: overload resolution asks for arguments that no instance is ever made for.
        let scope = self.bound_scope(declared, arguments);
        self.signature_in(declared, scope)
    }

    fn signature_in(&mut self, declared: DeclaredId, scope: ScopeId) -> Result<Signature<'t>> {
        let function = self.declared[declared].function;
        let mut parameters = Vec::with_capacity(function.parameters.len());
        let mut autos = 0;
        for parameter in function.parameters {
            let ty = self.resolve(scope, parameter.ty)?;
            let ty = self.implied_type(scope, ty, &mut autos);
            // C++17, [dcl.fct]: an array as a parameter is a pointer.
            let ty = match self.types.shape(ty) {
                Shape::Array(of, _) => self.types.pointer(of),
                _ => ty,
            };
            if self.types.is_void(ty) {
                return Err(error(parameter.ty.span, "a parameter cannot have the type `void`"));
            }
            // A reference would be an address of the host's.
            if function.storage.is_global && self.types.is_reference(ty) {
                let message = format!("the parameter `{}` of a kernel cannot be a reference", parameter.name);
                return Err(error(parameter.span, message).with_help("pass a pointer or the value itself"));
            }
            // All threads have the same one, where the launch has put it.
            if parameter.storage.is_grid_constant && !(function.storage.is_global && ty.is_const()) {
                let message = format!(
                    "`{}` is `__grid_constant__` and no `const` parameter of a kernel",
                    parameter.name
                );
                return Err(error(parameter.span, message).with_help("write `const` before its type"));
            }
            parameters.push(ty);
        }
        let result = self.resolve(scope, function.result)?;
        if self.types.is_array(result) {
            return Err(error(function.result.span, "a function cannot return an array"));
        }
        Ok(Signature { parameters: self.arena.list(&parameters), result })
    }

    /// `auto` in a parameter is a parameter of the template that the function is because of it. The parser gave each
    /// `auto` a parameter named by its number; they are counted in the same order here.
    fn implied_type(&mut self, scope: ScopeId, ty: Type, autos: &mut usize) -> Type {
        match self.types.shape(ty) {
            Shape::Auto => {
                let name = self.names.get(&format!("auto:{autos}"));
                *autos += 1;
                match self.scopes.find(scope, name) {
                    Some(Entity::Type(bound)) => bound.qualified_as(ty),
                    _ => ty,
                }
            }
            // References to references collapse ([dcl.ref]).
            Shape::Reference(to) => {
                let to = self.implied_type(scope, to, autos);
                let to = self.types.referred(to);
                self.types.get(Shape::Reference(to))
            }
            Shape::Rvalue(to) => {
                let to = self.implied_type(scope, to, autos);
                self.types.rvalue(to)
            }
            Shape::Pointer(to) => {
                let to = self.implied_type(scope, to, autos);
                self.types.pointer(to).qualified_as(ty)
            }
            _ => ty,
        }
    }

    /// The scope in which the parameters of a template have their arguments' meanings.
    pub(super) fn bound_scope(&mut self, declared: DeclaredId, arguments: &[Argument]) -> ScopeId {
        let function = self.declared[declared].function;
        let scope = self.scopes.push(self.declared[declared].scope);
        self.bind_arguments(scope, function.template.unwrap_or_default(), arguments);
        scope
    }

    /// A parameter means its argument, as if it were declared so in a scope around the template. That is how `T` is
    /// replaced everywhere, without a tree of its own for each instance.
    pub(super) fn bind_arguments(
        &mut self,
        scope: ScopeId,
        parameters: &[tree::Parameter<'t>],
        arguments: &[Argument],
    ) {
        for (parameter, argument) in parameters.iter().zip(arguments) {
            // A parameter without a name can only be counted.
            let Some(name) = &parameter.name else { continue };
            let entity = match (argument, &parameter.kind) {
                (Argument::Type(ty), _) => Entity::Type(*ty),
                (Argument::Function(function), _) => Entity::Functions(vec![*function]),
                (Argument::Value(value), ParameterKind::Value(ty, _)) => {
                    let ty = self.resolve(scope, ty).unwrap_or_else(|_| self.types.int());
                    Entity::Constant(super::typed::Constant::Integer(*value), ty, None)
                }
                (Argument::Value(value), ParameterKind::Type(_)) => {
                    Entity::Constant(super::typed::Constant::Integer(*value), self.types.int(), None)
                }
            };
            self.scopes.declare(scope, *name, entity);
        }
    }

    /// A function with these arguments for its template; its body is checked later, unless its type depends on it.
    pub(super) fn instance(
        &mut self,
        declared: DeclaredId,
        arguments: &[Argument],
        span: Span,
    ) -> Result<FunctionId> {
        if let Some(special) = self.special_of(declared, arguments) {
            return self.instance(special, &[], span);
        }
        if let Some(known) = self.known_instance(declared, arguments, span)? {
            return Ok(known);
        }
        budget::spend(Bound::Instances, 1, span)?;
        let function = self.declared[declared].function;
        if function.body.is_none() && !function.is_defaulted && !self.is_external(declared) {
            return Err(error(span, format_args!("`{}` is declared, but has no body", function.name)));
        }
        let scope = self.bound_scope(declared, arguments);
        let id = self.new_instance(declared, arguments, scope)?;
        self.declared[declared].instances.insert(arguments.to_vec(), id);
        let around = self.frames.last().map_or(span, |frame| frame.used);
        let used = if span.is_users() { span } else { around };
        let result = self.program.functions[id].result;
        let is_deduced = self.types.shape(self.types.referred(result)) == Shape::Auto;
        // Whoever asks for it needs its type, or its value.
        if is_deduced || function.storage.is_constexpr {
            self.nested(span, |checker| checker.check_body(declared, id, scope, used))?;
        } else {
            self.pending.push((declared, id, scope, used));
        }
        Ok(id)
    }

    /// The instance for these arguments, if there is one. Its result is not known yet if it calls itself before a
    /// `return` has decided what `auto` is.
    fn known_instance(
        &mut self,
        declared: DeclaredId,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Option<FunctionId>> {
        let Some(id) = self.declared[declared].instances.get(arguments).copied() else { return Ok(None) };
        if self.types.shape(self.program.functions[id].result) == Shape::Auto {
            let name = self.declared[declared].function.name;
            return Err(error(
                span,
                format_args!("the type that `{name}` returns is needed before it is known"),
            ));
        }
        Ok(Some(id))
    }

    /// A function of the typed tree, without its body. `scope` has the meanings of the template's parameters.
    fn new_instance(
        &mut self,
        declared: DeclaredId,
        arguments: &[Argument],
        scope: ScopeId,
    ) -> Result<FunctionId> {
        let function = self.declared[declared].function;
        let signature = self.signature_in(declared, scope)?;
        let vars = self.parameter_vars(declared, signature.parameters);
        let launch_bounds = self.numbers(scope, function.launch_bounds, "a launch bound")?;
        let cluster_dims = self.numbers(scope, function.cluster_dims, "a dimension of a cluster")?;
        let symbol = self.symbol(function, scope, arguments, signature.parameters);
        let made = Function {
            name: function.name.as_str(),
            symbol,
            span: function.span,
            end: function.end,
            parameters: (0..vars.len()).collect(),
            vars,
            result: signature.result,
            body: &[],
            is_constexpr: function.storage.is_constexpr,
            launch_bounds,
            cluster_dims,
            is_own: self.declared[declared].is_own,
            is_external: self.is_external(declared),
        };
        self.program.functions.push(made);
        Ok(self.program.functions.len() - 1)
    }

    /// The variables that the parameters are. That of a method's object comes first, a reference that is `const` if the
    /// method is ([class.this]).
    fn parameter_vars(&mut self, declared: DeclaredId, types: &[Type]) -> Vec<Var<'t>> {
        let function = self.declared[declared].function;
        let mut vars = Vec::with_capacity(types.len() + 1);
        if let Some(owner) = self.declared[declared].owner.filter(|_| !function.storage.is_static) {
            let ty = self.types.get(Shape::Reference(owner.qualified(function.is_const, false)));
            vars.push(new_var(self.names.get("this"), ty, function.span));
        }
        let parameters = function.parameters.iter().zip(types);
        vars.extend(parameters.map(|(parameter, ty)| {
            let is_grid_constant = parameter.storage.is_grid_constant;
            Var { is_grid_constant, ..new_var(parameter.name, *ty, parameter.span) }
        }));
        vars
    }

    /// The arguments of `__launch_bounds__` or `__cluster_dims__`, which may be parameters of the template.
    fn numbers(&mut self, scope: ScopeId, written: &[tree::Expr<'t>], what: &str) -> Result<&'t [u32]> {
        let mut numbers = Vec::with_capacity(written.len());
        for number in written {
            let value = self.integer_constant(scope, number, what)?;
            numbers
                .push(u32::try_from(value).map_err(|_| error(number.span, format!("{what} is positive")))?);
        }
        Ok(self.arena.list(&numbers))
    }

    /// A definition with the default arguments that its declaration has and it does not repeat ([dcl.fct.default]).
    pub(super) fn with_defaults(
        &self,
        declared: &tree::Function<'t>,
        defined: &'t tree::Function<'t>,
    ) -> &'t tree::Function<'t> {
        let is_missing = |(known, own): (&tree::Variable<'_>, &tree::Variable<'_>)| {
            known.init.is_some() && own.init.is_none()
        };
        if !declared.parameters.iter().zip(defined.parameters).any(is_missing) {
            return defined;
        }
        let parameters = declared.parameters.iter().zip(defined.parameters);
        let parameters: Vec<_> =
            parameters.map(|(known, own)| tree::Variable { init: own.init.or(known.init), ..*own }).collect();
        self.arena.put(tree::Function { parameters: self.arena.list(&parameters), ..*defined })
    }

    /// What PTX calls a function. Only kernels appear there, hence only their names are mangled.
    fn symbol(
        &mut self,
        function: &tree::Function<'t>,
        scope: ScopeId,
        arguments: &[Argument],
        parameters: &[Type],
    ) -> &'t str {
        if !function.storage.is_global || function.storage.is_extern_c {
            return function.name.as_str();
        }
        let mangled = self.mangled(function, scope, arguments, parameters);
        #[cfg(feature = "host")]
        let mangled = self.name_of_unit(&mangled);
        self.arena.text(&mangled)
    }

    /// Whether the executor of host code carries a function out.
    fn is_external(&self, declared: DeclaredId) -> bool {
        let known = &self.declared[declared];
        self.is_program && known.is_own && known.function.body.is_none() && !known.function.is_defaulted
    }

    /// Whether a function is one of the host alone. Methods and functions of this compiler are not: they serve both
    /// sides.
    pub(super) fn is_of_host(&self, declared: DeclaredId) -> bool {
        let known = &self.declared[declared];
        let storage = known.function.storage;
        let is_plain = !storage.is_device && !storage.is_global && !storage.is_constexpr;
        self.is_program && is_plain && !known.is_own && known.owner.is_none()
    }

    /// Checks the body of an instance. A frame is pushed for it, and all that was known of the function around it is
    /// left alone. What it returns is known afterwards at the latest.
    pub(super) fn check_body(
        &mut self,
        declared: DeclaredId,
        id: FunctionId,
        scope: ScopeId,
        used: Span,
    ) -> Result<()> {
        let function = self.declared[declared].function;
        // Parameters are in the scope of the template's parameters' meanings, and around that of the body.
        let inner = self.scopes.push(scope);
        // A call of the function in its own body needs to see its parameters.
        let vars = self.program.functions[id].vars.clone();
        self.frame_count += 1;
        let number = self.frame_count;
        let has_this = self.declared[declared].owner.is_some() && !function.storage.is_static;
        let skip = usize::from(has_this);
        for (nth, var) in vars.iter().enumerate().skip(skip) {
            if !var.name.as_str().is_empty() {
                let known = self.scopes.find_own(inner, var.name).is_some();
                if known {
                    let problem = error(var.span, format_args!("two parameters are named `{}`", var.name));
                    // Reported and not returned: the body can be checked all the same.
                    self.sink.add(problem);
                }
                self.scopes.declare(inner, var.name, Entity::Local(nth, number));
            }
        }
        self.frames.push(Frame {
            number,
            vars,
            result: self.program.functions[id].result,
            written: function.result,
            name: function.name.as_str(),
            this: has_this.then_some(0),
            loops: 0,
            switches: 0,
            labels: crate::source::map::Map::default(),
            gotos: Vec::new(),
            valued: Vec::new(),
            is_own: self.declared[declared].is_own,
            used,
            is_host: self.is_of_host(declared),
            is_device: function.storage.is_global || function.storage.is_device && !function.storage.is_host,
            arrays: Vec::new(),
            #[cfg(feature = "host")]
            varying: Vec::new(),
        });
        // Even for `decltype(f(x))` the body of `f` is checked in earnest: it may be called elsewhere.
        let outer_unevaluated = std::mem::take(&mut self.unevaluated);
        // What is wrong in a function of this compiler is wrong with its use.
        let outer_used =
            std::mem::replace(&mut self.sink.used, self.declared[declared].is_own.then_some(used));
        let result = self.body(declared, function, inner).map_err(|problem| self.sink.at_use(problem));
        self.sink.used = outer_used;
        self.unevaluated = outer_unevaluated;
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.gotos(&frame);
        let (made, result_type) = (&mut self.program.functions[id], frame.result);
        made.vars = frame.vars;
        made.result =
            if self.types.shape(result_type) == Shape::Auto { self.types.void() } else { result_type };
        // The variables above are stored even if the body failed, because other functions' messages may ask for them.
        made.body = self.arena.list(&result?);
        if !self.program.functions[id].is_own && !self.is_of_host(declared) {
            self.warn_function(id);
            self.warn_barriers(id);
        }
        Ok(())
    }

    /// The statements of a function; those of a constructor begin with its members.
    fn body(
        &mut self,
        declared: DeclaredId,
        function: &tree::Function<'t>,
        scope: ScopeId,
    ) -> Result<Vec<Stmt<'t>>> {
        #[cfg(feature = "host")]
        if self.is_program && super::implicit::is_by_members(function) {
            return self.by_members(function, scope);
        }
        let mut statements = Vec::new();
        if function.is_constructor {
            self.initialise_members(declared, function, scope, &mut statements)?;
        }
        if let Some(body) = &function.body {
            let tree::StmtKind::Block(inner) = &body.kind else { return Ok(statements) };
            statements.extend(self.statements(scope, inner));
        }
        Ok(statements)
    }

    /// What a constructor does before its body. C++17, [class.base.init]: in the order of the members, whatever the
    /// order of the text is. A member that neither the constructor, nor its declaration, nor its type gives a value
    /// stays without one.
    fn initialise_members(
        &mut self,
        declared: DeclaredId,
        function: &tree::Function<'t>,
        scope: ScopeId,
        statements: &mut Vec<Stmt<'t>>,
    ) -> Result<()> {
        let Some(at) = self.declared[declared].owner.and_then(|owner| self.types.struct_of(owner)) else {
            return Ok(());
        };
        let members = self.named_members(at);
        if let Some((name, _, span)) =
            function.initialisers.iter().find(|(name, ..)| !members.iter().any(|(known, _)| known == name))
        {
            return Err(error(
                *span,
                format_args!("`{}` has no member `{name}`", self.types.structs[at].name),
            ));
        }
        for (_, way) in &members {
            let Some((last, outer)) = way.split_last() else { continue };
            let owner = outer.iter().fold(at, |at, nth| {
                self.types.struct_of(self.types.structs[at].fields[*nth].ty).unwrap_or(at)
            });
            let field = &self.types.structs[owner].fields[*last].clone();
            let given = function.initialisers.iter().find(|(name, ..)| *name == field.name);
            let span = given.map_or(function.span, |(_, _, span)| *span);
            // A member that the constructor names is initialised only by that; the value at its declaration is then
            // ignored.
            let value = match given {
                Some((_, init, span)) => Some(self.initialiser(scope, field.ty, *init, *span)?),
                None if field.init.is_some() => Some(self.default_member(owner, field, span)?),
                None => self.default_value(field.ty, span)?,
            };
            let Some(value) = value else { continue };
            let this = self.this_place(span)?;
            let this = self.member_on(this, outer, span);
            let place = if self.types.is_reference(field.ty) {
                // The member itself and not what it refers to: the stage after this one tells them apart by the type.
                self.node(Kind::Field(this, *last), field.ty, span)
            } else {
                self.field_at(this, *last, span)
            };
            let ty = place.ty;
            let kind = StmtKind::Expr(self.node(Kind::Assign(place, value), ty, span));
            statements.push(Stmt { kind, span });
        }
        Ok(())
    }

    /// No scope has two variables of one name ([basic.scope.declarative]). What is this compiler's own gives way to the
    /// text's.
    pub(super) fn check_is_new(&self, scope: ScopeId, name: Name<'t>, span: Span) -> Result<()> {
        let is_known = match self.scopes.find_own(scope, name) {
            Some(Entity::Local(..)) => true,
            Some(Entity::Global(known)) => self.program.globals[*known].span.is_users(),
            Some(Entity::Constant(_, ty, _)) => ty.is_const() || !self.frames.is_empty(),
            _ => false,
        };
        if !is_known {
            return Ok(());
        }
        if self.frames.is_empty() {
            return Err(error(span, format_args!("`{name}` is declared twice")));
        }
        let message = format!("`{name}` is declared twice in this block");
        Err(error(span, message).with_help("leave the type away to assign to the one above"))
    }

    /// A new variable of the function that is being checked.
    pub(super) fn add_var(&mut self, scope: ScopeId, name: Name<'t>, ty: Type, span: Span) -> Result<VarId> {
        self.check_is_new(scope, name, span)?;
        let Some(frame) = self.frames.last_mut() else { return Err(unsupported(span, "this declaration")) };
        let id = frame.vars.len();
        frame.vars.push(new_var(name, ty, span));
        let number = frame.number;
        self.scopes.declare(scope, name, Entity::Local(id, number));
        Ok(id)
    }
}

fn new_var(name: Name<'_>, ty: Type, span: Span) -> Var<'_> {
    Var { name, ty, span, is_changed: false, constant: None, is_used: false, is_grid_constant: false }
}
