//! The untyped tree to the typed one: what names mean, which function is called, which conversions happen.
//!
//! A template is checked for each set of arguments with its parameters' names bound to them: there is no tree with open
//! types, and an error in a template shows only if it is used. Functions of the text are all checked, so that errors in
//! unused ones are found; this compiler's own only if they are used.
//!
//! First everything is declared, then bodies are checked, because a method may use what follows it in its struct
//! ([class.mem]). A body that is needed while another one is checked (its result is `auto`, or it is `constexpr`) is
//! checked at once; others wait in `pending`.
//!
//! Left out: access (`private`), rules that only reject programs without changing what the others mean, and narrowing
//! in braces. Specification: C++17, and the CUDA C++ Programming Guide for what CUDA adds.
//!
//! Where to look:
//!
//! - what is declared, and in which memory a variable is: `declare`, `structure`, `enumeration`, `special`
//! - what a name means: `scope` (the table), `lookup` (paths), `call` and `member` (functions that arguments' types
//!   find)
//! - types: `types` (what they are), `resolve` (as they are written), `template` and `special` (made from templates)
//! - expressions: `expression` hands them on to `operator`, `member`, `call`, `initialise`, `lambda`, `intrinsic`
//! - which conversion happens, and which overload is chosen: `convert`, `call`
//! - functions, their instances and bodies: `function`, then `statement`, `range`, `jump`, `asm`
//! - values that are known: `constant`, `machine` (evaluations), `known` (constant variables)
//! - warnings: `warnings`, `divergence`
//! - host code only: `program` (launches, formatted output), `pointer` (to functions), `destroy`, `implicit` (copies),
//!   `varying` (arrays of variable length)

pub(crate) mod asm;
mod call;
pub(crate) mod constant;
mod convert;
mod declare;
#[cfg(feature = "host")]
mod destroy;
mod divergence;
mod enumeration;
mod expression;
mod function;
#[cfg(feature = "host")]
mod implicit;
mod initialise;
mod intrinsic;
mod jump;
mod known;
mod lambda;
mod lookup;
mod machine;
mod mangle;
mod member;
mod operator;
mod outside;
#[cfg(feature = "host")]
mod pointer;
#[cfg(feature = "host")]
mod program;
mod range;
mod resolve;
mod scope;
mod special;
mod statement;
mod structure;
mod template;
pub(crate) mod typed;
pub(crate) mod types;
#[cfg(feature = "host")]
mod units;
#[cfg(feature = "host")]
mod varying;
pub(crate) mod walk;
mod warnings;

use crate::parse::{Parsed, tree};
use crate::source::arena::Arena;
use crate::source::budget::{self, Bound};
use crate::source::map::{List, Map};
use crate::source::{Files, Names, Result, Sink, Span};
use scope::{DeclaredId, Entity, ScopeId, Scopes, TypeTemplate};
use typed::{Constant, Expr, FunctionId, Kind, Node, Program, Var, VarId};
use types::{Argument, Type, Types};

/// A function as it is declared. A template is one such entry; each of its instances is a [`typed::Function`].
#[derive(Debug)]
struct Declared<'t> {
    function: &'t tree::Function<'t>,
    /// Where it is declared. Its parameters' types and its body are looked up from there, not from where it is called.
    scope: ScopeId,
    /// The struct that it is a member of.
    owner: Option<Type>,
    /// By the arguments of its template, which are none for most.
    instances: List<Vec<Argument>, FunctionId>,
    /// Whether it is in a text of this compiler: not warned of, and replaced by a function of the user's with the same
    /// parameters.
    is_own: bool,
    /// Known once it was asked for; never that of a template, which has one for each of its instances.
    signature: Option<Signature<'t>>,
    /// The functions that take the place of a template for some arguments.
    specials: Vec<(Vec<Argument>, DeclaredId)>,
}

/// The types of a function. References are kept, arrays have become pointers ([dcl.fct]).
#[derive(Clone, Copy, Debug)]
struct Signature<'t> {
    parameters: &'t [Type],
    result: Type,
}

/// The function that is being checked. Frames nest, because the body of a lambda or of a function with a deduced type
/// is checked in the middle of another.
#[derive(Debug)]
struct Frame<'t> {
    /// To tell the variables of one function from those of another.
    number: usize,
    vars: Vec<Var<'t>>,
    /// Its result; `Auto` until a `return` decides.
    result: Type,
    /// How that is written.
    written: tree::Type<'t>,
    name: &'t str,
    this: Option<VarId>,
    /// How many loops and `switch`es are around the statement, for `break` and `continue`.
    loops: usize,
    switches: usize,
    /// Its labels so far, and its jumps.
    labels: Map<crate::source::Name<'t>, scope::Spot>,
    gotos: Vec<(crate::source::Name<'t>, Span, scope::Spot)>,
    /// The variables that a declaration has given a value, each with its scope, in the order of the text.
    valued: Vec<(crate::source::Name<'t>, ScopeId)>,
    is_own: bool,
    /// Where the user's text uses it, perhaps through other functions of this compiler.
    used: Span,
    /// Whether it is certainly code of the host, or certainly code of the device. What is `__host__ __device__`, and
    /// many a method, is neither.
    is_host: bool,
    is_device: bool,
    /// Its constant arrays, with their values.
    arrays: Vec<(VarId, Expr<'t>)>,
    /// Its arrays of variable length, and the objects that have their elements.
    #[cfg(feature = "host")]
    varying: Vec<(VarId, VarId)>,
}

/// Everything that is known while a text is checked. One stage in many files: each has an `impl` with the functions for
/// its part of the language.
pub(crate) struct Checker<'s, 't> {
    arena: Arena<'t>,
    files: &'s Files,
    names: &'s mut Names<'t>,
    sink: &'s mut Sink,
    types: Types<'t>,
    scopes: Scopes<'t>,
    declared: Vec<Declared<'t>>,
    templates: Vec<TypeTemplate<'t>>,
    program: Program<'t>,
    /// The last one is that of the function whose body is being checked.
    frames: Vec<Frame<'t>>,
    /// How many frames there have been, so that each has a number of its own.
    frame_count: usize,
    /// The last expressions that were checked: one that counts, and one that was looked at only for its type. Some are checked
    /// for what they are, and then again for what they become; each level would double the time.
    last: [Option<(ScopeId, tree::Expr<'t>, Expr<'t>)>; 2],
    /// How deep [`Checker::nested`] is on the stack.
    nesting: usize,
    /// Instances of function templates that the text asks for.
    wanted: Vec<(DeclaredId, Vec<Argument>, Span)>,
    /// Functions whose bodies wait to be checked, and where the user's text uses them.
    pending: Vec<(DeclaredId, FunctionId, ScopeId, Span)>,
    /// Whether an expression is looked at only for its type. It counts, because `sizeof` may be in `decltype`. Nothing
    /// is then called, so a function of the host may be named.
    unevaluated: usize,
    /// Whether a value is being converted by a constructor. C++17, [class.conv]: there is at most one conversion by the
    /// user, so no second one is looked for meanwhile.
    is_converting: bool,
    /// Whether the text is a whole program, with host code.
    is_program: bool,
    /// Whether only its host code is wanted.
    is_host_pass: bool,
    /// The arrays in dynamic shared memory, with the namespaces around them.
    dynamic: Vec<(Vec<String>, Type)>,
    /// The constant variables without memory.
    known_variables: Vec<scope::Known<'t>>,
    /// The constant arrays outside of functions, with their values.
    arrays: Vec<(typed::GlobalId, Expr<'t>)>,
    /// The names of the module's variables, and of its kernels.
    taken: Map<&'t str, u32>,
    #[cfg(feature = "host")]
    units: scope::Units<'t>,
}

/// What the stages after this one need.
pub(crate) struct Checked<'t> {
    pub program: Program<'t>,
    pub types: Types<'t>,
}

/// Checks the declarations of a text. If anything is wrong, the sink knows.
pub(crate) fn check<'t>(
    files: &Files,
    names: &mut Names<'t>,
    sink: &mut Sink,
    parsed: &Parsed<'t>,
    is_program: bool,
    is_host_pass: bool,
) -> Checked<'t> {
    let mut checker = Checker {
        arena: names.arena,
        files,
        names,
        sink,
        types: Types::default(),
        scopes: Scopes::new(),
        declared: Vec::new(),
        templates: Vec::new(),
        program: Program::default(),
        frames: Vec::new(),
        frame_count: 0,
        last: [None; 2],
        nesting: 0,
        wanted: Vec::new(),
        pending: Vec::new(),
        unevaluated: 0,
        is_converting: false,
        is_program,
        is_host_pass,
        dynamic: Vec::new(),
        known_variables: Vec::new(),
        arrays: Vec::new(),
        taken: Map::default(),
        #[cfg(feature = "host")]
        units: scope::Units::default(),
    };
    checker.predefine();
    checker.declare_all(0, &parsed.shared);
    #[cfg(feature = "host")]
    checker.declare_units(&parsed.units);
    checker.check_text();
    Checked { program: checker.program, types: checker.types }
}

impl<'t> Checker<'_, 't> {
    /// The variables that every kernel has. CUDA programming guide, "Built-in Variables". They are no variables here:
    /// naming one reads registers of PTX.
    fn predefine(&mut self) {
        for (name, register) in
            [("threadIdx", "%tid"), ("blockIdx", "%ctaid"), ("blockDim", "%ntid"), ("gridDim", "%nctaid")]
        {
            let name = self.names.get(name);
            self.scopes.declare(0, name, Entity::Special(register));
        }
        let name = self.names.get("warpSize");
        let int = self.types.int();
        self.scopes.declare(0, name, Entity::Constant(Constant::Integer(32), int, None));
    }

    /// Checks all functions of the text, and whatever they use. Kernels come in the order of the text. Functions of the
    /// host are checked when something uses them, because they may call what does not exist here; in a program, `main`
    /// begins that.
    fn check_text(&mut self) {
        for declared in 0..self.declared.len() {
            let function = &self.declared[declared];
            let host_only = function.function.storage.is_host && !function.function.storage.is_device;
            let storage = function.function.storage;
            let is_main = self.is_program && function.function.name.as_str() == "main";
            let has_host = self.is_program || self.sink.leaves_host;
            let host_only = host_only || has_host && !storage.is_device && !storage.is_global && !is_main;
            let is_template = function.function.template.is_some();
            let is_method = function.owner.is_some();
            if function.is_own || is_template || is_method || host_only || function.function.body.is_none() {
                continue;
            }
            let is_kernel = function.function.storage.is_global;
            let span = function.function.span;
            self.want(declared, &[], is_kernel, span);
        }
        for (declared, arguments, span) in std::mem::take(&mut self.wanted) {
            let is_kernel = self.declared[declared].function.storage.is_global;
            self.want(declared, &arguments, is_kernel, span);
        }
        self.check_pending();
        #[cfg(feature = "host")]
        self.check_destructors();
    }

    /// Makes an instance that nobody calls. The bodies that wait are checked before the next one, so that errors come
    /// in the order of the text.
    fn want(&mut self, declared: DeclaredId, arguments: &[Argument], is_kernel: bool, span: Span) {
        match self.instance(declared, arguments, span) {
            Ok(id) if is_kernel && !self.program.kernels.contains(&id) => self.program.kernels.push(id),
            Ok(_) => {}
            Err(problem) => self.sink.add(problem),
        }
        self.check_pending();
    }

    /// Checking a body may add others, hence the loop.
    fn check_pending(&mut self) {
        while let Some((declared, id, scope, used)) = self.pending.pop() {
            if self.sink.is_full() {
                return;
            }
            if let Err(problem) = self.check_body(declared, id, scope, used) {
                self.sink.add(problem);
            }
        }
    }

    /// Does something that may contain itself, up to [`Bound::Templates`] deep.
    fn nested<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        budget::reach(Bound::Templates, self.nesting + 1, span)?;
        self.nesting += 1;
        let result = budget::deeper(span, || inner(self));
        self.nesting -= 1;
        result
    }

    /// A node of the typed tree.
    fn node(&self, kind: Kind<'t>, ty: Type, span: Span) -> Expr<'t> {
        self.arena.put(Node { kind, ty, span })
    }

    /// The same expression for another place of the text.
    fn at(&self, expr: Expr<'t>, span: Span) -> Expr<'t> {
        self.arena.put(Node { span, ..*expr })
    }

    /// The same expression with another type, whose values look the same.
    fn as_type(&self, expr: Expr<'t>, ty: Type) -> Expr<'t> {
        self.arena.put(Node { ty, ..*expr })
    }

    fn frame(&mut self) -> Option<&mut Frame<'t>> {
        self.frames.last_mut()
    }

    fn show(&self, ty: Type) -> String {
        self.types.show(ty)
    }
}
