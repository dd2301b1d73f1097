//! The untyped tree: what the text says, with a span for every node, before names have meanings.
//!
//! It is in the arena of the compilation, so all of it is `Copy`, and a template's body can be checked again for each
//! of its instances from the same nodes. What only host code can say is behind the feature `host`, so that the page's
//! module need not contain it.

use crate::source::arena::Arena;
use crate::source::{Name, Span};

/// A name with its namespaces and template arguments, as in `cuda::atomic_ref<int>`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'t> {
    /// From the outermost namespace to the name. A path that begins with `::` has that as its first part.
    pub parts: &'t [Part<'t>],
    pub span: Span,
}

/// One name of a path, with what is in angle brackets after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'t> {
    pub name: Name<'t>,
    /// `None` if there are no brackets: `f` and `f<>` differ ([temp.arg.explicit]).
    pub arguments: Option<&'t [Argument<'t>]>,
    pub span: Span,
}

impl Part<'_> {
    /// Whether it is the `::` at the start of a path, which means the outermost scope.
    pub fn is_global(&self) -> bool {
        self.name.as_str() == "::"
    }
}

/// An argument of a template. What can be read as a type is one ([temp.arg]).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument<'t> {
    Type(Type<'t>),
    Value(Expr<'t>),
}

/// A type is a reference to its node.
pub(crate) type Type<'t> = &'t TypeNode<'t>;

/// Makes a type without qualifiers.
pub(crate) fn plain<'t>(arena: Arena<'t>, kind: TypeKind<'t>, span: Span) -> Type<'t> {
    arena.put(TypeNode { kind, is_const: false, is_volatile: false, span })
}

/// A type as it is written, and its qualifiers on this level: in `const int* p`, those of `int`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeNode<'t> {
    pub kind: TypeKind<'t>,
    pub is_const: bool,
    pub is_volatile: bool,
    pub span: Span,
}

/// How a type is written. Declarators are turned inside out already: the kind of `int (*p)[4]` is a pointer to an
/// array.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TypeKind<'t> {
    Basic(Basic),
    /// To be deduced: from the initialiser, from the returns, or, for a parameter, as one more template parameter.
    Auto,
    /// A name, which may turn out to be a parameter of a template, or a member type of one.
    Named(Path<'t>),
    Decltype(Expr<'t>),
    /// The type of a value: `__typeof__`, and `decltype` of a type. That of `auto` is `decltype(auto)`.
    TypeOf(Expr<'t>),
    Pointer(Type<'t>),
    Reference(Type<'t>),
    /// `&&`; bound like a reference, but to a temporary.
    Rvalue(Type<'t>),
    /// An array; the length may be missing.
    Array(Type<'t>, Option<Expr<'t>>),
    /// A function: what it returns, and its parameters.
    #[cfg(feature = "host")]
    Function(Type<'t>, &'t [Type<'t>]),
}

/// The fundamental types ([basic.fundamental]) that device code has. Their order is that of the ranks ([conv.rank]),
/// each unsigned type after the signed one; `check::convert` compares them by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Basic {
    Void,
    Bool,
    /// A type of its own, although it has the range of `signed char` here.
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    /// Of 64 bits, as in nvcc on Linux, but not the same type as `long long`: overloads tell them apart.
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
}

/// An expression is a reference to its node.
pub(crate) type Expr<'t> = &'t Node<'t>;

/// An expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'t> {
    pub kind: ExprKind<'t>,
    pub span: Span,
    /// How deep the tree below this node is, which is bounded. By [`Bound::Operators`](crate::source::budget::Bound::Operators). The stages
    /// after the parser rely on it.
    pub depth: u16,
}

/// The forms of expressions ([expr]). Operators are texts, because overloads are looked up by them (`operator+`).
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExprKind<'t> {
    /// As written; `check::constant` reads the value and the type.
    Number(Name<'t>),
    Character(u8),
    /// Strings in a row are one already ([lex.phases], phase 6); without the zero byte.
    Text(&'t [u8]),
    Bool(bool),
    /// `nullptr`.
    Null,
    /// With its own word, which a lambda captures it under.
    This(Name<'t>),
    Path(Path<'t>),
    /// Unary operators, `++x` and `--x`, `*x` and `&x` among them.
    Prefix(&'static str, Expr<'t>),
    /// `x++` and `x--`.
    Postfix(&'static str, Expr<'t>),
    /// Operators of [`LEVELS`](crate::lex::binding), also `&&` and `||`.
    Binary(&'static str, Expr<'t>, Expr<'t>),
    /// `=`, or an operator that assigns, as in `+=`.
    Assign(&'static str, Expr<'t>, Expr<'t>),
    Conditional(Expr<'t>, Expr<'t>, Expr<'t>),
    Comma(Expr<'t>, Expr<'t>),
    /// What is called may be anything: a function, a member, an object with `operator()`. Whether it is a conversion,
    /// such as `int(x)`, is known already: see `Construct`.
    Call(Expr<'t>, &'t [Expr<'t>]),
    Index(Expr<'t>, Expr<'t>),
    /// `a.b` and `a->b`.
    Member {
        base: Expr<'t>,
        is_arrow: bool,
        part: Part<'t>,
    },
    /// Also `(T)x`. `T(x)` is a `Construct`.
    Cast(CastKind, Type<'t>, Expr<'t>),
    /// `T(a, b)` and `T{a, b}`.
    Construct(Type<'t>, &'t [Expr<'t>], Brackets),
    /// `{a, b}` where no type precedes it. What it means depends on what it initialises ([dcl.init.list]).
    List(&'t [Expr<'t>]),
    SizeOfType(Type<'t>),
    SizeOf(Expr<'t>),
    AlignOf(Type<'t>),
    Lambda(&'t Lambda<'t>),
    /// `new T`, `new T(a)`: the memory, the type, and what is written after it.
    #[cfg(feature = "host")]
    New(Expr<'t>, Type<'t>, Option<Init<'t>>),
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`
    #[cfg(feature = "host")]
    Launch {
        kernel: Expr<'t>,
        shape: &'t [Expr<'t>],
        arguments: &'t [Expr<'t>],
    },
}

/// How a conversion is written. `dynamic_cast` does not exist in device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CastKind {
    C,
    Static,
    Reinterpret,
    Const,
}

/// They differ in meaning: only braces can initialise members in order ([dcl.init.aggr]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brackets {
    Round,
    Curly,
}

/// C++17, [expr.prim.lambda].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lambda<'t> {
    /// What is captured without being named.
    pub default: Option<Capture>,
    /// Names that are captured, how, and with which value in `[x = value]`.
    pub captures: &'t [(Name<'t>, Capture, Option<Expr<'t>>, Span)],
    /// The call operator: parameters, body, and whether it is `const`, that is, not `mutable`.
    pub function: &'t Function<'t>,
}

/// How something is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    Copy,
    Reference,
    /// The pointer, hence the object itself by reference.
    This,
}

/// A statement is a reference to its node.
pub(crate) type Stmt<'t> = &'t StmtNode<'t>;

/// A statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StmtNode<'t> {
    pub kind: StmtKind<'t>,
    pub span: Span,
}

/// The forms of statements ([stmt.stmt]).
#[derive(Clone, Copy, Debug)]
pub(crate) enum StmtKind<'t> {
    Empty,
    Expr(Expr<'t>),
    /// Several declarators of one declaration.
    Variables(&'t [Variable<'t>]),
    /// Everything else that can be declared in a block: types, aliases, `using`, `static_assert`.
    Declaration(&'t Declaration<'t>),
    Block(&'t [Stmt<'t>]),
    /// `if constexpr` has `is_constexpr`: in a template, the branch that is not taken need not be correct for these
    /// arguments ([stmt.if]).
    If {
        is_constexpr: bool,
        condition: Expr<'t>,
        then: Stmt<'t>,
        otherwise: Option<Stmt<'t>>,
    },
    /// The condition has no value for `for (;;)`. The scope of `init` is the whole loop.
    For {
        init: Option<Stmt<'t>>,
        condition: Option<Expr<'t>>,
        step: Option<Expr<'t>>,
        body: Stmt<'t>,
        unroll: Unroll<'t>,
    },
    /// `for (T x : range)`
    RangeFor {
        variable: &'t Variable<'t>,
        range: Expr<'t>,
        body: Stmt<'t>,
        unroll: Unroll<'t>,
    },
    While {
        condition: Expr<'t>,
        body: Stmt<'t>,
        unroll: Unroll<'t>,
    },
    DoWhile {
        body: Stmt<'t>,
        condition: Expr<'t>,
    },
    /// `body` is any statement; `Case` and `Default` are statements in it that stand before others, not ones that
    /// contain them ([stmt.switch]).
    Switch {
        value: Expr<'t>,
        body: Stmt<'t>,
    },
    Case(Expr<'t>),
    Default,
    Break,
    Continue,
    Return(Option<Expr<'t>>),
    Asm(&'t Asm<'t>),
    Goto(Name<'t>),
    Label(Name<'t>),
}

/// What `#pragma unroll` says of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unroll<'t> {
    Unsaid,
    /// Without a number: if the number of iterations is known.
    Fully,
    /// 1 means that the loop is not unrolled.
    Times(Expr<'t>),
}

/// `asm("text" : outputs : inputs : clobbers)`: Inline PTX Assembly in CUDA, section 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asm<'t> {
    /// The instructions, with `%0`, `%1` for operands.
    pub text: &'t [u8],
    pub text_span: Span,
    /// The statement must not be removed or moved, even if nobody reads its outputs.
    pub is_volatile: bool,
    /// `"memory"` is among the clobbers, so memory before and after it may differ.
    pub touches_memory: bool,
    pub outputs: &'t [AsmOperand<'t>],
    pub inputs: &'t [AsmOperand<'t>],
}

/// An operand and where it may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsmOperand<'t> {
    /// Such as `=r` or `+f`: the letter is the type of the register, `=` says written, `+` read and written.
    pub constraint: &'t [u8],
    pub value: Expr<'t>,
}

/// A variable, a member, or a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable<'t> {
    /// Empty for a parameter without a name.
    pub name: Name<'t>,
    pub ty: Type<'t>,
    pub init: Option<Init<'t>>,
    pub storage: Storage,
    /// What `alignas` or `__align__` asks for.
    pub align: Option<Expr<'t>>,
    pub span: Span,
}

/// The three forms of initialisation, which differ in which conversions and constructors they allow ([dcl.init]).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Init<'t> {
    /// `= value`
    Assign(Expr<'t>),
    /// `(a, b)`
    Round(&'t [Expr<'t>]),
    /// `{a, b}`; the expression is a list.
    Curly(Expr<'t>),
}

/// What is said of a variable or of a function beside its type. The parser accepts any combination; `check` refuses
/// those that make no sense.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a keyword that may be there or not")]
pub(crate) struct Storage {
    /// CUDA's memory spaces: `__shared__`, `__constant__`, `__device__`.
    pub is_shared: bool,
    pub is_constant: bool,
    pub is_device: bool,
    /// Where a function runs: `__host__` (and with `__device__` both), `__global__` for a kernel.
    pub is_host: bool,
    pub is_global: bool,
    /// `extern` alone. For an array in shared memory, it is the dynamic one.
    pub is_extern: bool,
    /// `extern "C"`, on the function or around it: its symbol is its name, not mangled ([dcl.link]).
    pub is_extern_c: bool,
    /// `extern "C++"` on the function, which a block of `extern "C"` around it does not change.
    pub is_extern_cpp: bool,
    pub is_static: bool,
    pub is_constexpr: bool,
    pub is_typedef: bool,
    pub is_explicit: bool,
    /// `__grid_constant__`: a parameter of a kernel that is used where the launch has put it.
    pub is_grid_constant: bool,
    /// `__managed__`: one address for host and device.
    #[cfg(feature = "host")]
    pub is_managed: bool,
}

/// A function, a method, a constructor, or the call operator of a lambda.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that may be said of a function or not")]
pub(crate) struct Function<'t> {
    pub name: Name<'t>,
    pub span: Span,
    /// The parameters of the template, and after them those that parameters of type `auto` imply ([dcl.fct]).
    pub template: Option<&'t [Parameter<'t>]>,
    /// `void` for a constructor, and the type itself for a conversion.
    pub result: Type<'t>,
    pub parameters: &'t [Variable<'t>],
    /// `None` for a declaration. A function of the host's headers without one is carried out by the executor.
    pub body: Option<Stmt<'t>>,
    pub storage: Storage,
    /// The arguments of `__launch_bounds__`: threads of a block at most, then blocks of a multiprocessor at least.
    pub launch_bounds: &'t [Expr<'t>],
    /// The arguments of `__cluster_dims__`: blocks in a cluster.
    pub cluster_dims: &'t [Expr<'t>],
    /// What a constructor does with the members before its body. They may be in any order; the members' order counts
    /// ([class.base.init]).
    pub initialisers: &'t [(Name<'t>, Init<'t>, Span)],
    pub is_constructor: bool,
    /// `operator T()`.
    pub is_conversion: bool,
    /// A method that can be called on a constant object. For a lambda, that it is not `mutable`.
    pub is_const: bool,
    /// `= delete`: overloads may choose it, and it is an error then ([dcl.fct.def.delete]).
    pub is_deleted: bool,
    pub is_defaulted: bool,
    /// For a special case or an instance of a template: the arguments, if they are written.
    pub special: Option<&'t [Argument<'t>]>,
    /// Where the body ends; a return without a value is charged to it.
    pub end: Span,
}

/// A parameter of a template. Its name may be missing, as in `template <typename, int N>`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter<'t> {
    pub name: Option<Name<'t>>,
    pub kind: ParameterKind<'t>,
}

/// A type or a value, and its default.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParameterKind<'t> {
    Type(Option<Type<'t>>),
    Value(Type<'t>, Option<Expr<'t>>),
}

/// A struct, class or union. Access is not checked, so a class differs in nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Struct<'t> {
    /// One without a name gets one that no text can spell.
    pub name: Name<'t>,
    pub span: Span,
    pub template: Option<&'t [Parameter<'t>]>,
    pub is_union: bool,
    /// What `alignas` asks for; the members may ask for more.
    pub align: Option<Expr<'t>>,
    pub members: &'t [Member<'t>],
    /// A declaration without members, to be completed later.
    pub is_forward: bool,
    /// For a special case of a template: the arguments that it is for.
    pub special: Option<&'t [Argument<'t>]>,
}

/// In the order of the text, which is that of initialisation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Member<'t> {
    /// A variable; a static one is told by its storage.
    Field(Variable<'t>),
    Function(&'t Function<'t>),
    /// A type or an alias in a type, or a `static_assert`.
    Declaration(&'t Declaration<'t>),
}

/// `int S::f() { … }`: what is declared in a type or a namespace and defined outside of it ([class.mfct], [class.static.data],
/// [namespace.memdef]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outside<'t> {
    /// The type or the namespace.
    pub owner: Path<'t>,
    /// The parameters of the templates before it, the outermost first; none in `template <>`.
    pub templates: &'t [&'t [Parameter<'t>]],
    /// A function or a variable.
    pub member: Member<'t>,
}

/// An enumeration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enum<'t> {
    /// One without a name gets one that no text can spell.
    pub name: Name<'t>,
    /// `enum class`: its values are not visible without its name, and do not become integers by themselves
    /// ([dcl.enum]).
    pub is_scoped: bool,
    pub underlying: Option<Type<'t>>,
    /// Each is one more than the one before, if it says nothing else.
    pub values: &'t [(Name<'t>, Option<Expr<'t>>, Span)],
}

/// A declaration, in a file, a namespace, a type or a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Declaration<'t> {
    Function(&'t Function<'t>),
    /// `template` and a function without a body: asks for an instance.
    Instance(&'t Function<'t>),
    /// A template and its arguments: asks for an instance. It comes from
    /// [`Options::instances`](crate::Options::instances).
    #[cfg(feature = "host")]
    Instantiate(Path<'t>),
    Variables(&'t [Variable<'t>]),
    Struct(&'t Struct<'t>),
    Enum(Enum<'t>),
    /// `typedef` and `using NAME =`.
    Alias {
        name: Name<'t>,
        template: Option<&'t [Parameter<'t>]>,
        ty: Type<'t>,
    },
    /// One without a name is visible in what is around it ([namespace.unnamed]).
    Namespace {
        name: Option<Name<'t>>,
        body: &'t [Declaration<'t>],
    },
    NamespaceAlias {
        name: Name<'t>,
        target: Path<'t>,
    },
    /// `using a::b`
    UsingName(Path<'t>),
    UsingNamespace(Path<'t>),
    StaticAssert {
        condition: Expr<'t>,
        message: Option<&'t [u8]>,
        span: Span,
    },
    Outside(&'t Outside<'t>),
    /// Several in the place of one, as after `struct S { … } s;`.
    Group(&'t [Declaration<'t>]),
}
