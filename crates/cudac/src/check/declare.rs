//! What a text declares: functions, variables, types and namespaces go into their scopes.
//!
//! In the order of the text, so that a name means what it meant there; only bodies of functions are looked at later.
//! Which memory a variable is in is decided here: CUDA programming guide, "Variable Memory Space Specifiers".
//! Specification: C++17, [dcl.dcl], [basic.scope].
//!
//! Where a variable is:
//!
//! ```text
//! __device__ int a;  __constant__ int a;      a variable of the module, in that space
//! __shared__ int a;                           the same, in shared memory; it may be in a function
//! const int n = 5;  constexpr float f = 2;    nowhere: its uses are the constant
//! static int a;  in a function                a variable of the module with a name of its own
//! int a;  outside of functions                the host's, in a program; an error in a kernel's text
//! ```

use super::scope::{Entity, ScopeId, TemplateKind, TypeTemplate};
use super::typed::{Global, Space};
use super::types::{MAX_SIZE, Shape, Type};
use super::{Checker, Declared};
use crate::parse::tree::{self, Declaration};
use crate::source::budget;
use crate::source::map::List;
use crate::source::{Name, Result, error};

impl<'t> Checker<'_, 't> {
    /// An error ends its declaration, not the list.
    pub(super) fn declare_all(&mut self, scope: ScopeId, declarations: &[Declaration<'t>]) {
        for declaration in declarations.iter().take_while(|_| !budget::is_passed()) {
            #[cfg(feature = "host")]
            if self.is_known(scope, declaration) {
                continue;
            }
            if let Err(problem) = self.declare(scope, declaration) {
                self.sink.hold(problem);
                if self.sink.holds() {
                    self.sink.release(is_of_device(declaration));
                }
            }
            #[cfg(feature = "host")]
            self.note_known(scope, declaration);
        }
    }

    pub(super) fn declare(&mut self, scope: ScopeId, declaration: &Declaration<'t>) -> Result<()> {
        match declaration {
            Declaration::Function(function) if function.special.is_some() => {
                self.special_function(scope, function)
            }
            Declaration::Function(function) => self.declare_function(scope, function, None),
            Declaration::Instance(function) => self.want_instance(scope, function),
            #[cfg(feature = "host")]
            Declaration::Instantiate(path) => self.want_kernel(scope, path),
            // Variables of a module, not of a function, which `statement` declares.
            Declaration::Variables(variables) => {
                for variable in *variables {
                    if !variable.storage.is_extern && !variable.storage.is_extern_c {
                        self.check_is_new(scope, variable.name, variable.span)?;
                    }
                    let entity = self.global(scope, variable)?;
                    #[cfg(feature = "host")]
                    self.link_variable(scope, variable, &entity)?;
                    self.scopes.declare(scope, variable.name, entity);
                }
                Ok(())
            }
            Declaration::Struct(definition) => self.declare_struct(scope, definition),
            Declaration::Enum(definition) => self.declare_enum(scope, definition),
            Declaration::Alias { name, template: None, ty } => {
                let ty = self.resolve(scope, ty)?;
                self.types.call(ty, name.as_str());
                self.scopes.declare(scope, *name, Entity::Type(ty));
                Ok(())
            }
            Declaration::Alias { name, template: Some(parameters), ty } => {
                self.declare_template(scope, *name, parameters, TemplateKind::Alias(ty));
                Ok(())
            }
            Declaration::Namespace { name, body } => {
                let inner = self.namespace(scope, *name);
                #[cfg(feature = "host")]
                self.within_unnamed(name.is_none(), |checker| checker.declare_all(inner, body));
                #[cfg(not(feature = "host"))]
                self.declare_all(inner, body);
                Ok(())
            }
            Declaration::NamespaceAlias { name, target } => {
                let target = self.namespace_of(scope, target)?;
                self.scopes.declare(scope, *name, Entity::Namespace(target));
                Ok(())
            }
            // The name means the same thing, whatever that is. Functions that are declared there later are not seen.
            Declaration::UsingName(path) => {
                let entity = self.lookup(scope, path)?;
                if let Some(part) = path.parts.last() {
                    self.scopes.declare(scope, part.name, entity);
                }
                Ok(())
            }
            Declaration::UsingNamespace(path) => {
                let used = self.namespace_of(scope, path)?;
                self.scopes.use_namespace(scope, used);
                Ok(())
            }
            Declaration::StaticAssert { condition, message, span } => {
                self.static_assert(scope, condition, message.as_deref(), *span)
            }
            Declaration::Outside(outside) => self.declare_outside(scope, outside),
            Declaration::Group(group) => {
                self.declare_all(scope, group);
                Ok(())
            }
        }
    }

    /// The scope of a namespace, which may be open again.
    fn namespace(&mut self, scope: ScopeId, name: Option<Name<'t>>) -> ScopeId {
        let Some(name) = name else {
            // What an unnamed namespace declares is visible around it.
            return scope;
        };
        if let Some(Entity::Namespace(known)) = self.scopes.find_own(scope, name) {
            return *known;
        }
        #[cfg(feature = "host")]
        if let Some(shared) = self.shared_namespace(scope, name) {
            return shared;
        }
        let inner = self.scopes.push(scope);
        self.scopes.declare(scope, name, Entity::Namespace(inner));
        inner
    }

    fn namespace_of(&mut self, scope: ScopeId, path: &tree::Path<'t>) -> Result<ScopeId> {
        match self.lookup(scope, path)? {
            Entity::Namespace(found) => Ok(found),
            _ => Err(error(path.span, "this is no namespace")),
        }
    }

    /// A function, which may have been declared before, or may be one of several of its name.
    pub(super) fn declare_function(
        &mut self,
        scope: ScopeId,
        function: &'t tree::Function<'t>,
        owner: Option<Type>,
    ) -> Result<()> {
        let id = self.declared.len();
        // CUDA programming guide, "__global__".
        if function.storage.is_global
            && !matches!(function.result.kind, tree::TypeKind::Basic(tree::Basic::Void))
        {
            let message = format!("the kernel `{}` has to return `void`", function.name);
            let help = "a kernel returns nothing; let it store its results through a pointer";
            return Err(error(function.result.span, message).with_help(help));
        }
        // It is entered first, because comparing it with others needs its types, which are kept with the entry.
        self.declare_hidden(scope, function);
        self.declared[id].owner = owner;
        // Methods are found through their struct.
        if owner.is_some() {
            return Ok(());
        }
        #[cfg(feature = "host")]
        let elsewhere = self.known_elsewhere(scope, function);
        #[cfg(feature = "host")]
        if let Some(at) = self.redeclared(elsewhere, id)? {
            let is_visible = matches!(self.scopes.find_own(scope, function.name), Some(Entity::Functions(known)) if known.contains(&at));
            if !is_visible {
                self.scopes.declare_function(scope, function.name, at);
            }
        }
        if let Some(Entity::Functions(known)) = self.scopes.find_own(scope, function.name)
            && let Some(at) = self.redeclared(known.clone(), id)?
        {
            // The earlier entry stands for both. A definition replaces a declaration, and the text's own function one of this
            // compiler; what is replaced moves to the new entry, to which no name leads. That stays, because others may have
            // been entered since: methods of the types that were compared.
            let known = self.declared[at].function.body.is_some();
            if known && self.declared[at].is_own {
                (self.declared[at].is_own, self.declared[id].is_own) = (false, true);
            } else if known && function.body.is_some() {
                #[cfg(feature = "host")]
                if self.declared[at].function.span.file() != function.span.file() {
                    let other = self.declared[at].function.span;
                    return Err(self.defined_twice(function.name, function.span, other));
                }
                let message = format!("`{}` is defined twice with the same parameters", function.name);
                return Err(error(function.span, message));
            } else if known || function.body.is_none() {
                return Ok(());
            }
            let function = self.with_defaults(self.declared[at].function, function);
            self.declared[id].function = std::mem::replace(&mut self.declared[at].function, function);
            // In another unit, names mean something else.
            self.declared[id].scope = std::mem::replace(&mut self.declared[at].scope, scope);
            return Ok(());
        }
        // Functions may share a name with functions only ([basic.scope.declarative]).
        match self.scopes.find_own(scope, function.name) {
            None | Some(Entity::Functions(_)) => {
                self.scopes.declare_function(scope, function.name, id);
                Ok(())
            }
            Some(_) => Err(error(
                function.span,
                format_args!("`{}` is declared already, as something else", function.name),
            )),
        }
    }

    /// A function that no name leads to yet.
    pub(super) fn declare_hidden(&mut self, scope: ScopeId, function: &'t tree::Function<'t>) {
        self.declared.push(Declared {
            function,
            scope,
            owner: None,
            instances: List::default(),
            is_own: !function.span.is_users(),
            signature: None,
            specials: Vec::new(),
        });
    }

    /// The earlier declaration of the same function. Functions with the same types of parameters are one ([over.load]).
    /// Templates have no types yet, so their texts are compared.
    fn redeclared(&mut self, known: Vec<usize>, new: usize) -> Result<Option<usize>> {
        if self.declared[new].function.template.is_some() {
            let new = &self.declared[new].function;
            let is_it = |at: &usize| self.declares_same(self.declared[*at].function, new);
            return Ok(known.into_iter().find(is_it));
        }
        let parameters = self.signature(new)?.parameters;
        for at in known {
            // A template and a function with the same parameters are two overloads.
            if self.declared[at].function.template.is_some() {
                continue;
            }
            let known = self.signature(at)?.parameters;
            let same = known.len() == parameters.len()
                && known.iter().zip(parameters).all(|(known, new)| known.same(*new));
            if same {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Whether one function template is declared before another one defines it: the texts of their parameters are
    /// equal. A definition after a definition is another overload. Renamed parameters of the template make it one as
    /// well.
    fn declares_same(&self, known: &tree::Function<'t>, new: &tree::Function<'t>) -> bool {
        let count = |function: &tree::Function| function.template.map(<[_]>::len);
        let text = |ty: &tree::Type| self.files.text(ty.span).split_whitespace().collect::<String>();
        known.body.is_none()
            && count(known) == count(new)
            && known.parameters.len() == new.parameters.len()
            && known.parameters.iter().zip(new.parameters).all(|(a, b)| text(&a.ty) == text(&b.ty))
    }

    pub(super) fn declare_template(
        &mut self,
        scope: ScopeId,
        name: Name<'t>,
        parameters: &'t [tree::Parameter<'t>],
        kind: TemplateKind<'t>,
    ) {
        let id = self.templates.len();
        self.templates.push(TypeTemplate {
            kind,
            parameters,
            scope,
            name,
            instances: List::default(),
            specials: Vec::new(),
            outside: Vec::new(),
        });
        self.scopes.declare(scope, name, Entity::TypeTemplate(id));
    }

    /// A struct is complete at once, a template of one when it is instantiated. A declaration without members may
    /// precede either.
    fn declare_struct(&mut self, scope: ScopeId, definition: &'t tree::Struct<'t>) -> Result<()> {
        if definition.special.is_some() {
            return self.special_struct(scope, definition);
        }
        let known = self.scopes.find_own(scope, definition.name).cloned();
        #[cfg(feature = "host")]
        let known = known.or_else(|| {
            let found = self.type_elsewhere(scope, definition)?;
            self.scopes.declare(scope, definition.name, found.clone());
            Some(found)
        });
        if let Some(parameters) = &definition.template {
            if let (Some(Entity::TypeTemplate(known)), false) = (&known, definition.is_forward) {
                self.templates[*known].kind = TemplateKind::Struct(definition);
            } else if known.is_none() {
                self.declare_template(scope, definition.name, parameters, TemplateKind::Struct(definition));
            }
            return Ok(());
        }
        // A type that was declared gets its members now; all that points to it knows its number already.
        let ty = match known {
            Some(Entity::Type(ty)) if self.is_incomplete(ty) => ty,
            Some(Entity::Type(_)) if definition.is_forward => return Ok(()),
            Some(_) => {
                return Err(error(
                    definition.span,
                    format_args!("`{}` is declared already", definition.name),
                ));
            }
            None => {
                let ty = self.new_struct(definition.name.as_str(), definition, scope, None);
                self.scopes.declare(scope, definition.name, Entity::Type(ty));
                ty
            }
        };
        if definition.is_forward { Ok(()) } else { self.complete_struct(ty, definition) }
    }

    pub(super) fn is_incomplete(&self, ty: Type) -> bool {
        self.types.struct_of(ty).is_some_and(|at| !self.types.structs[at].is_complete)
    }

    /// A variable of the module, or one in a function that lives as long as the module or the block. Static variables
    /// of functions come here, too, and static members.
    pub(super) fn global(&mut self, scope: ScopeId, variable: &tree::Variable<'t>) -> Result<Entity> {
        let mut ty = self.resolve(scope, variable.ty)?;
        let storage = variable.storage;
        let is_function = !self.frames.is_empty();
        // Only a declaration. An array in shared memory is the exception: its `extern` says that the launch gives the
        // length.
        if (storage.is_extern || storage.is_extern_c) && !storage.is_shared && variable.init.is_none() {
            return Ok(self.elsewhere(scope, variable));
        }
        // A specifier asks for memory even if the variable is constant: its address may be taken from the host.
        let in_memory = storage.is_shared || storage.is_device || storage.is_constant;
        // A constant number needs no memory, and device code may read it although it is no `__device__` variable (CUDA
        // programming guide, "Const-qualified variables").
        if (storage.is_constexpr || ty.is_const() && !in_memory)
            && let Some(entity) = self.constant_variable(scope, variable, ty)?
        {
            return Ok(entity);
        }
        let space = self.space_of(variable, is_function)?;
        // A function of both sides has a variable on each.
        let in_device_code =
            self.frames.last().is_some_and(|frame| !frame.is_host && (frame.is_device || !self.is_host_pass));
        let is_host = self.is_program && !in_memory && !in_device_code;
        // CUDA programming guide, "__shared__": nothing could execute the initialiser once for each block.
        if space == Space::Shared
            && let Some(init) = &variable.init
        {
            let span = tree_span(init).unwrap_or(variable.span);
            let message = format!("the `__shared__` variable `{}` cannot have an initialiser", variable.name);
            let help = "let one thread store the value, and let the others wait at `__syncthreads()`";
            return Err(error(span, message).with_help(help));
        }
        // Variables of a module are initialised by constants, which PTX writes as bytes; those of the host may need
        // code before `main`.
        let (mut bytes, mut constant) = (None, None);
        #[cfg(feature = "host")]
        let mut dynamic = None;
        if let Some(init) = &variable.init {
            let value = self.initialiser(scope, ty, *init, variable.span)?;
            // The initialiser knows the length of an array that had none.
            ty = value.ty.qualified_as(ty);
            if storage.is_constexpr {
                ty = self.types.constant(ty);
                constant = Some(value);
            }
            let mut made = Vec::new();
            match self.store_constant(value, 0, &mut made) {
                Ok(()) => bytes = made.iter().any(|byte| *byte != 0).then(|| self.names.arena.list(&made)),
                #[cfg(feature = "host")]
                // Code that runs before `main` ([basic.start.dynamic]).
                Err(_) if is_host && !is_function => dynamic = Some(value),
                Err(problem) => return Err(problem),
            }
        }
        #[cfg(feature = "host")]
        if is_host && !is_function && variable.init.is_none() {
            dynamic = self.default_value(ty, variable.span)?;
        }
        let is_open = self.is_open(scope, variable, ty, space)?;
        let wanted = variable.align.map_or(Ok(1), |wanted| self.alignment(scope, wanted))?;
        let align = self.types.align(ty).max(wanted);
        let name = self.global_name(variable.name);
        let id = self.program.globals.len();
        self.program.globals.push(Global {
            name,
            ty,
            space,
            is_extern: is_open,
            bytes,
            align,
            constant: None,
            is_host,
            #[cfg(feature = "host")]
            is_managed: storage.is_managed,
            #[cfg(feature = "host")]
            dynamic,
            span: variable.span,
        });
        if let Some(value) = constant.filter(|_| self.types.is_array(ty)) {
            self.arrays.push((id, value));
        }
        Ok(Entity::Global(id))
    }

    /// Whether the launch gives an array its length; every other variable has a size, which is bounded.
    fn is_open(
        &mut self,
        scope: ScopeId,
        variable: &tree::Variable<'t>,
        ty: Type,
        space: Space,
    ) -> Result<bool> {
        if self.types.size(ty) > MAX_SIZE {
            return Err(error(variable.span, format_args!("`{}` is larger than 2 GiB", variable.name)));
        }
        let is_open = matches!(self.types.shape(ty), Shape::Array(_, None));
        if is_open && !(variable.storage.is_extern && space == Space::Shared) {
            return Err(error(variable.span, format_args!("the array `{}` needs a length", variable.name)));
        }
        if is_open {
            self.same_dynamic(scope, variable, ty)?;
        }
        Ok(is_open)
    }

    /// `extern` in a function declares a variable of the namespace around it, which has one type ([basic.link],
    /// paragraph 6): an array in dynamic shared memory cannot have another type in another function, or in another
    /// instance of a template.
    fn same_dynamic(&mut self, scope: ScopeId, variable: &tree::Variable<'t>, ty: Type) -> Result<()> {
        let mut path = self.namespaces(scope);
        path.push(variable.name.to_string());
        match self.dynamic.iter().find(|(known, _)| *known == path) {
            Some((_, known)) if *known != ty => {
                let message = format!(
                    "`{}` is declared as `{}` elsewhere, and cannot be `{}` here",
                    variable.name,
                    self.show(*known),
                    self.show(ty)
                );
                Err(error(variable.span, message)
                    .with_help("give it another name, or declare it as bytes and convert its address"))
            }
            Some(_) => Ok(()),
            None => {
                self.dynamic.push((path, ty));
                Ok(())
            }
        }
    }

    /// The memory that a variable outside of functions, or one that lives as long, is in. A variable without a
    /// specifier is the host's, unless it is in a function: then it is the function's static one.
    fn space_of(&self, variable: &tree::Variable<'t>, is_function: bool) -> Result<Space> {
        let storage = variable.storage;
        // CUDA programming guide, "__shared__": host code has no such memory.
        #[cfg(feature = "host")]
        if storage.is_shared && self.frames.last().is_some_and(|frame| frame.is_host) {
            return Err(error(variable.span, "a variable in a function of the host cannot be `__shared__`"));
        }
        Ok(match () {
            () if storage.is_shared => Space::Shared,
            () if storage.is_constant => Space::Constant,
            () if storage.is_device || is_function || storage.is_constexpr => Space::Global,
            () if self.is_program => Space::Global,
            () => {
                let message = format!("`{}` is a variable of the host", variable.name);
                let help = "write `__device__` or `__constant__` before its type to use it in a kernel";
                return Err(error(variable.span, message).with_help(help));
            }
        })
    }

    /// `extern const int n;`, whose definition follows. A use before the definition is an error then, not at the
    /// declaration.
    fn elsewhere(&self, scope: ScopeId, variable: &tree::Variable<'t>) -> Entity {
        if let Some(known) = self.scopes.find_own(scope, variable.name) {
            return known.clone();
        }
        #[cfg(feature = "host")]
        if let Some(found) = self.defined_elsewhere(scope, variable.name) {
            return found;
        }
        Entity::Undefined
    }

    /// A name that no other variable of the module has. That of a function's variable contains both names with their
    /// lengths, as NVIDIA's compiler writes it, so that whoever reads the PTX knows how the text calls the variable.
    pub(super) fn global_name(&mut self, name: Name<'t>) -> &'t str {
        let function =
            self.frames.last().map(|frame| frame.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
        let made = |own: String| match &function {
            Some(function) => format!("_ZZ{}{function}E{}{own}", function.len(), own.len()),
            None => own,
        };
        let plain = self.arena.text(&made(name.to_string()));
        let mut found = plain;
        // Instances of a template and blocks of a function may declare the same name.
        if let Some(mut count) = self.taken.get(plain).copied() {
            while self.taken.contains_key(found) {
                count += 1;
                found = self.arena.text(&made(format!("{name}_{count}")));
            }
            self.taken.insert(plain, count);
        }
        self.taken.insert(found, 1);
        found
    }

    pub(super) fn alignment(&mut self, scope: ScopeId, wanted: tree::Expr<'t>) -> Result<u64> {
        let align = self.integer_constant(scope, wanted, "an alignment")?;
        if align <= 0 || align > 4096 || !(align as u64).is_power_of_two() {
            return Err(error(wanted.span, "an alignment is a power of two up to 4096"));
        }
        Ok(align as u64)
    }

    pub(super) fn static_assert(
        &mut self,
        scope: ScopeId,
        condition: tree::Expr<'t>,
        message: Option<&[u8]>,
        span: crate::source::Span,
    ) -> Result<()> {
        if self.integer_constant(scope, condition, "the condition of `static_assert`")? != 0 {
            return Ok(());
        }
        let message = message.map_or(String::new(), |text| format!(": {}", String::from_utf8_lossy(text)));
        Err(error(span, format_args!("the condition of `static_assert` does not hold{message}")))
    }
}

/// Whether a declaration says that it is for device code, too.
fn is_of_device(declaration: &Declaration<'_>) -> bool {
    let is_so = |storage: tree::Storage| {
        storage.is_device || storage.is_global || storage.is_shared || storage.is_constant
    };
    match declaration {
        Declaration::Function(function) | Declaration::Instance(function) => is_so(function.storage),
        Declaration::Variables(variables) => variables.iter().any(|variable| is_so(variable.storage)),
        Declaration::Outside(outside) => match outside.member {
            tree::Member::Function(function) => is_so(function.storage),
            tree::Member::Field(variable) => is_so(variable.storage),
            tree::Member::Declaration(_) => false,
        },
        _ => false,
    }
}

/// Where an initialiser is.
pub(super) fn tree_span(init: &tree::Init<'_>) -> Option<crate::source::Span> {
    let values = match init {
        tree::Init::Assign(value) | tree::Init::Curly(value) => return Some(value.span),
        tree::Init::Round(values) => values,
    };
    Some(values.first()?.span.to(values.last()?.span))
}
