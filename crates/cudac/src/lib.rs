//! CUDA C++ kernels as text to PTX text, with nothing installed.
//!
//! ```
//! let source = cudac::Source {
//!     name: "double.cu",
//!     text: r#"
//!         extern "C" __global__ void twice(int* x, int n) {
//!             int i = blockIdx.x * blockDim.x + threadIdx.x;
//!             if (i < n) x[i] *= 2;
//!         }
//!     "#,
//! };
//! let output = cudac::compile(&source, &cudac::Options::default()).unwrap();
//! assert!(output.ptx.contains(".visible .entry twice"));
//! assert!(output.warnings.is_empty());
//! ```
//!
//! A text goes through these stages, each in a folder of its own: `preprocess` and `lex` make tokens of it, `parse` an
//! untyped tree, `check` a typed one, `lower` intermediate code (`code`), which `optimise` improves and `emit` writes as
//! PTX. What device code may use without declaring it is in `builtins`, as texts of our own.
//!
//! Nothing is guessed: what is not supported is an error that names it, with its line and column. Everything is bounded,
//! and no text makes the compiler panic.
//!
//! What is accepted is the C++17 of NVRTC and nvcc as kernels use it; `SUPPORTED.md` lists it, and each stage's header
//! names the clauses that it follows. The PTX is not NVIDIA's, only equivalent to it: the tests execute both on the
//! emulator. The order of the stages is strict, with one exception: the parser asks for the text of a header when it
//! meets a name that only such a text declares, because it cannot tell a type from a variable otherwise.
//!
//! ```text
//! text -preprocess, lex-> tokens -parse-> tree -check-> typed tree -lower-> code -optimise-> code -emit-> PTX
//!                                                            `------host------> a tree that is executed
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod builtins;
mod check;
mod code;
mod emit;
#[cfg(feature = "host")]
pub mod host;
mod lex;
mod lower;
mod optimise;
#[cfg(feature = "host")]
mod outline;
mod parse;
mod preprocess;
mod source;
#[cfg(feature = "host")]
pub mod texts;
#[cfg(feature = "toolchain")]
pub mod toolchain;

pub use emit::name::Name;
#[cfg(feature = "host")]
pub use outline::{has_main, kernel_templates};
pub use source::headers::{Header, Headers};
#[cfg(feature = "host")]
pub use source::line::Line;
pub use source::render::{Bug, Diagnostic, Severity};

use std::fmt;
use std::sync::Arc;

use bumpalo::Bump;
use preprocess::Preprocessor;
use source::arena::Arena;
use source::{Files, MAX_TEXT_BYTES, Names, Sink};

/// The targets that the PTX of this compiler can have, from `sm_50` to `sm_90`.
pub const TARGETS: std::ops::RangeInclusive<u32> = 50..=90;

/// The one of them that has instructions of its own, as `sm_90a`.
pub const SPECIFIC: u32 = 90;

/// What kernels read and write shares an arena until it has so many bytes. It may be much more than their PTX, because most of a
/// kernel's code may turn out to be superfluous.
const MOST_CODE_BYTES: usize = 16 << 20;

/// A text to compile.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// What messages and the line table call it.
    pub name: &'t str,
    /// CUDA C++: device code, as one file.
    pub text: &'t str,
}

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// The target: 70 for `sm_70`.
    pub sm: u32,
    /// Whether the target has the instructions of this architecture alone, as `sm_90a` does.
    pub is_specific: bool,
    /// Macros and their values, as `-D NAME=VALUE` defines them.
    pub defines: Vec<(String, String)>,
    /// Kernels to make of templates, such as `scale<float, 4>`; only with the feature `host`.
    pub instances: Vec<String>,
    /// Who finds the files that the text includes; without it, there are only this compiler's own headers.
    pub headers: Option<Arc<dyn Headers>>,
    /// Whether another compiler reads the host code of these kernels. What this one cannot read of it is left out then, and is told
    /// only if something else is wrong, which may follow from it.
    pub leaves_host: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sm: 70,
            is_specific: false,
            defines: Vec::new(),
            instances: Vec::new(),
            headers: None,
            leaves_host: false,
        }
    }
}

impl Options {
    /// The name of the target: `sm_70`.
    fn target(&self) -> String {
        format!("sm_{}{}", self.sm, if self.is_specific { "a" } else { "" })
    }

    /// Reports what is wrong with the options, whatever the text is.
    fn check(&self, sink: &mut Sink) {
        // No place in the text is to blame, so the message is about its beginning.
        let at = source::Span::default();
        if !TARGETS.contains(&self.sm) {
            let (oldest, newest) = (TARGETS.start(), TARGETS.end());
            let message = format!("`sm_{}` is no target of this compiler", self.sm);
            let help = format!("choose one from `sm_{oldest}` to `sm_{newest}`");
            sink.add(source::error(at, message).with_help(help));
        }
        if self.is_specific && self.sm != SPECIFIC {
            let message = format!("`sm_{}a` is no target of this compiler", self.sm);
            sink.add(source::error(at, message).with_help(format!("only `sm_{SPECIFIC}a` is one")));
        }
        for (name, _) in &self.defines {
            let is_letter = |c: char| c == '_' || c.is_ascii_alphanumeric();
            let begins_well = name.chars().next().is_some_and(|first| !first.is_ascii_digit());
            if !begins_well || !name.chars().all(is_letter) {
                let message = format!("`{name}` cannot be defined, because it is not the name of a macro");
                let help = "a name consists of letters, digits and `_`, and does not begin with a digit";
                sink.add(source::error(at, message).with_help(help));
            }
        }
        // An error, because ignoring them would give PTX without the kernels that were asked for.
        if !cfg!(feature = "host") && !self.instances.is_empty() {
            sink.add(source::error(at, "instances of templates need the feature `host` of this compiler"));
        }
    }
}

/// What the compiler made of a text.
#[derive(Clone, Debug)]
pub struct Output {
    /// A module in PTX.
    pub ptx: String,
    /// What is probably wrong.
    pub warnings: Vec<Diagnostic>,
    /// Which variables the registers hold, and where.
    pub names: Vec<Name>,
    /// The kernels as the text declares them.
    #[cfg(feature = "host")]
    pub kernels: Vec<Signature>,
}

/// A kernel as its text declares it.
#[cfg(feature = "host")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What PTX calls it.
    pub symbol: String,
    /// What the text calls it, without namespaces and arguments of templates.
    pub name: String,
    /// The names and types of its parameters.
    pub parameters: Vec<(String, String)>,
}

/// Why a text cannot be compiled: at least one error, and the warnings.
#[derive(Clone, Debug)]
pub struct Errors(pub Vec<Diagnostic>);

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, diagnostic) in self.0.iter().enumerate() {
            if nth > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// Compiles a text to PTX.
///
/// # Errors
///
/// Everything that is wrong with the text, or not supported, up to a bound on the number of messages.
pub fn compile(source: &Source<'_>, options: &Options) -> Result<Output, Errors> {
    made(std::slice::from_ref(source), options)
}

/// Compiles several texts to one module, as if they were compiled with `-rdc=true` and linked.
///
/// # Errors
///
/// As [`compile`].
#[cfg(feature = "host")]
pub fn compile_units(sources: &[Source<'_>], options: &Options) -> Result<Output, Errors> {
    made(sources, options)
}

fn made(sources: &[Source<'_>], options: &Options) -> Result<Output, Errors> {
    if cfg!(feature = "absent") {
        return Err(Errors(Vec::new()));
    }
    // What `translate` returns borrows from both, so they live here, and the trees are freed with one call at the end.
    let (bump, mut files) = (Bump::new(), Files::default());
    let mut sink = Sink::default();
    sink.leaves_host = options.leaves_host;
    match translate(&bump, sources, options, Pass::Kernels, &mut files, &mut sink) {
        #[cfg_attr(not(feature = "host"), expect(unused_variables))]
        Some((ptx, names, checked)) if !sink.failed() => Ok(Output {
            ptx,
            warnings: sink.finish(&files),
            names,
            #[cfg(feature = "host")]
            kernels: signatures(&checked),
        }),
        _ => Err(Errors(sink.finish(&files))),
    }
}

/// Compiles a whole program: its kernels to PTX, and its host code, from `main` on, to a tree that can be executed.
///
/// # Errors
///
/// Everything that is wrong with the text, or not supported, up to a bound on the number of messages.
#[cfg(feature = "host")]
pub fn compile_program(source: &Source<'_>, options: &Options) -> Result<(Output, host::Program), Errors> {
    compile_project(std::slice::from_ref(source), options)
}

/// Compiles a program that consists of several texts, as if they were compiled with `-rdc=true` and linked.
///
/// # Errors
///
/// As [`compile_program`].
#[cfg(feature = "host")]
pub fn compile_project(sources: &[Source<'_>], options: &Options) -> Result<(Output, host::Program), Errors> {
    // Where the text asks which of them it is, the host's code is another text than the device's.
    // So do the headers with atomics and halves.
    let contains = |word: &str| sources.iter().any(|source| source.text.contains(word));
    let asks = ["__CUDA_ARCH__", "<cuda/", "fp16.h", "bf16.h", "mma.h", "cuda_pipeline", "/memcpy_async.h"];
    let is_split = asks.iter().any(|asks| contains(asks));
    let mut host_sink = Sink::default();
    let mut own = None;
    // And a static variable of a function of both sides is two.
    let is_split = is_split || ["static", "__host__"].iter().all(|word| contains(word));
    if is_split {
        let (bump, mut files) = (Bump::new(), Files::default());
        let made = translate(&bump, sources, options, Pass::Host, &mut files, &mut host_sink);
        own = made.and_then(|(_, _, checked)| host::lower(&files, &checked, &mut host_sink));
        if host_sink.failed() {
            return Err(Errors(host_sink.finish(&files)));
        }
    }
    let (bump, mut files) = (Bump::new(), Files::default());
    let mut sink = Sink::default();
    let made = translate(&bump, sources, options, Pass::Program, &mut files, &mut sink);
    let made = made.and_then(|(ptx, names, checked)| {
        let program = match own {
            Some(program) => program,
            None => host::lower(&files, &checked, &mut sink)?,
        };
        Some((ptx, names, signatures(&checked), program))
    });
    match made {
        Some((ptx, names, kernels, mut program)) if !sink.failed() => {
            sink.warn_as(host_sink);
            program.suspects.append(&mut sink.suspects);
            let warnings = sink.finish(&files);
            let suspects = warnings.iter().filter_map(|warning| warning.suspect(&files));
            program.suspects.splice(..0, suspects);
            Ok((Output { ptx, warnings, names, kernels }, program))
        }
        _ => Err(Errors(sink.finish(&files))),
    }
}

/// The kernels as the text declares them.
#[cfg(feature = "host")]
fn signatures(checked: &check::Checked<'_>) -> Vec<Signature> {
    let kernels = checked.program.kernels.iter().map(|kernel| &checked.program.functions[*kernel]);
    let signature = |kernel: &check::typed::Function<'_>| Signature {
        symbol: kernel.symbol.to_owned(),
        name: kernel.name.to_owned(),
        parameters: (kernel.parameters.iter().map(|var| &kernel.vars[*var]))
            .map(|var| (var.name.as_str().to_owned(), checked.types.show(var.ty)))
            .collect(),
    };
    kernels.map(signature).collect()
}

/// What a text is translated for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Its kernels, as NVRTC does.
    Kernels,
    /// The kernels of a whole program, and its host code too if that does not ask for `__CUDA_ARCH__`.
    #[cfg(feature = "host")]
    Program,
    /// The host code of a whole program. CUDA programming guide, "`__CUDA_ARCH__`": it is undefined there.
    #[cfg(feature = "host")]
    Host,
}

/// All stages, up to PTX. Names and trees are in the memory of `bump`. If anything is wrong, the sink knows.
fn translate<'t>(
    bump: &'t Bump,
    sources: &[Source<'_>],
    options: &Options,
    pass: Pass,
    files: &mut Files,
    sink: &mut Sink,
) -> Option<(String, Vec<Name>, check::Checked<'t>)> {
    source::budget::start();
    let mut units = Vec::with_capacity(sources.len());
    for source in sources {
        let too_long = source.text.len() > MAX_TEXT_BYTES;
        // The file is added even if it is refused, because a message needs a file for its place.
        let file = files.add_unit(source.name, if too_long { "" } else { source.text });
        units.push(file);
        if too_long {
            let length = source.text.len();
            let message = format!("the text has {length} bytes, and at most {MAX_TEXT_BYTES} are supported");
            sink.add(source::error(source::Span::new(file, 0, 0), message));
        }
    }
    options.check(sink);
    if sink.failed() {
        return None;
    }
    let mut names = Names::new(Arena::new(bump));
    let headers = options.headers.as_deref();
    let mut text = Preprocessor::new(files, &mut names, sink, headers);
    let is_program = pass != Pass::Kernels;
    #[cfg(feature = "host")]
    let is_host_pass = pass == Pass::Host;
    #[cfg(not(feature = "host"))]
    let is_host_pass = false;
    text.macros.is_program = is_program;
    define(options, pass, &mut text);
    // Each stage assumes that the one before found no error. That keeps consequences of a first mistake out of the
    // messages, and lets `check` and `lower` treat what the parser has excluded as impossible.
    let parsed = parse::parse(text, &units, &options.instances);
    if sink.failed() {
        return None;
    }
    let checked = check::check(files, &mut names, sink, &parsed, is_program, is_host_pass);
    if sink.failed() {
        return None;
    }
    #[cfg(feature = "host")]
    if pass == Pass::Host {
        return Some((String::new(), Vec::new(), checked));
    }
    let mut module = emit::Module::new(&checked);
    let mut strings = Vec::new();
    let mut kernels = checked.program.kernels.iter();
    // One arena serves several kernels, and is thrown away when it has grown large. Memory is therefore bounded by the
    // largest kernel, not by their sum.
    while kernels.len() > 0 {
        let code = Bump::new();
        let mut optimiser = optimise::Optimiser::new(&checked);
        for kernel in kernels.by_ref() {
            match lower::lower(Arena::new(&code), files, &checked, *kernel, &mut strings) {
                Ok(mut function) => {
                    #[cfg(feature = "host")]
                    // Before the optimiser, which removes the variables that this warns of.
                    warn_unset(&function, sink);
                    optimiser.optimise(&mut function);
                    #[cfg(feature = "host")]
                    // After the optimiser, in whose code the bits of a float can be followed from one instruction to
                    // the next.
                    sink.suspects.extend(code::bits::find(&function));
                    module.add(&function, &mut optimiser.live);
                }
                Err(problem) => sink.add(problem),
            }
            if code.allocated_bytes() > MOST_CODE_BYTES {
                break;
            }
        }
    }
    if sink.failed() {
        return None;
    }
    let (ptx, names) = module.finish(files, &options.target(), &strings);
    Some((ptx, names, checked))
}

/// Warns of variables that are read before anything is stored in them. The page's module does without.
#[cfg(feature = "host")]
fn warn_unset(function: &code::Function, sink: &mut Sink) {
    for slot in code::unset::find(function) {
        let slot = &function.slots[slot];
        if let Some(variable) = &slot.name {
            let message = format!("`{}` is read before anything is stored in it", variable.name);
            let is_number = slot.size <= 8;
            let help = if is_number {
                "declare it with a value, as in `= 0`"
            } else {
                "write `= {}` to set all of it to zero"
            };
            sink.warn_of(Some(Bug::Uninitialized), variable.span, message, help);
        }
    }
}

/// The macros that every text finds defined. They tell a text of kernels that NVRTC reads it (`__CUDACC_RTC__`), so that
/// one that asks leaves out its host code; a whole program is told what nvcc tells it. The options come after `seal`, so that `-D` cannot change what the texts of this
/// crate mean.
fn define(options: &Options, pass: Pass, preprocessor: &mut Preprocessor<'_, '_>) {
    let arch = (options.sm * 10).to_string();
    let own = match pass {
        Pass::Kernels => &[("__CUDA_ARCH__", &arch[..]), ("__CUDACC_RTC__", "1")][..],
        #[cfg(feature = "host")]
        Pass::Program => &[("__CUDA_ARCH__", &arch[..])],
        #[cfg(feature = "host")]
        Pass::Host => &[],
    };
    let more = [
        ("__CUDACC__", "1"),
        ("__NVCC__", "1"),
        ("__cplusplus", "201703L"),
        ("__CUDACC_VER_MAJOR__", "12"),
        ("CUDART_VERSION", "12000"),
        ("NULL", "nullptr"),
        ("__builtin_memcpy", "memcpy"),
        ("__builtin_memset", "memset"),
    ];
    // As NVIDIA's compilers define it for `sm_90a`.
    let specific = (options.is_specific && !own.is_empty()).then_some(("__CUDA_ARCH_FEAT_SM90_ALL", "1"));
    for (name, value) in own.iter().copied().chain(specific).chain(more) {
        if let Err(problem) = preprocessor.define(name, value) {
            preprocessor.sink.add(problem);
        }
    }
    #[cfg(feature = "host")]
    if preprocessor.macros.is_program {
        for (name, value) in builtins::host::MACROS {
            if let Err(problem) = preprocessor.define(name, value) {
                preprocessor.sink.add(problem);
            }
        }
    }
    preprocessor.macros.seal();
    let given = options.defines.iter().map(|(name, value)| (&name[..], &value[..]));
    for (name, value) in given {
        if let Err(problem) = preprocessor.define(name, value) {
            preprocessor.sink.add(problem);
        }
    }
}
