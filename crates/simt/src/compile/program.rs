//! A module made ready to run: dense instructions, and for each the place it came from.

use std::sync::Arc;

use crate::compile::inst::{Inst, Origin, Pc};
use crate::compile::shared::SharedVariable;
use crate::isa::op::Touched;
use crate::isa::op::call::{CallSite, Passed};
use crate::isa::op::place::Place;
use crate::isa::scope::Named;
use crate::launch::Dim3;
use crate::machine::global::Buffer;
use crate::machine::registers::Image;
use crate::ptx::ast::Loc;
use crate::ptx::{Error, LineIndex};
use crate::report::fault::{Site, SourceLine};

/// A kernel or a device function.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub is_entry: bool,
    /// What it does where it has no body: a function that the engine itself provides.
    pub builtin: Option<Builtin>,
    /// Its first instruction.
    pub start: Pc,
    /// One past its last instruction.
    pub end: Pc,
    /// The registers of a new frame.
    pub image: Image,
    /// The registers that its instructions name.
    pub registers: Vec<Named>,
    /// Local memory of a frame in bytes: local variables and parameters.
    pub frame_bytes: u64,
    /// Where the parameters of a kernel lie in its parameter block; empty for functions.
    pub params: Vec<Place>,
    /// Where a function takes its parameters; empty for kernels.
    pub takes: Vec<Passed>,
    /// Where it leaves its results.
    pub results: Vec<Passed>,
    /// The types of its parameters, as PTX names them.
    pub param_types: Vec<String>,
    /// Static shared memory of a kernel in bytes.
    pub shared_bytes: u64,
    /// The block size it was compiled for (`.reqntid`), if any.
    pub required_threads: Option<Vec<u32>>,
    /// The largest block it was compiled for (`.maxntid`), if any.
    pub max_threads: Option<u64>,
    /// What it says about clusters.
    pub clusters: Clusters,
    /// What it says about registers.
    pub bounds: Bounds,
}

/// The first target with clusters.
pub const CLUSTERS_SINCE: u32 = 90;

/// What a kernel says about the clusters that it is launched in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clusters {
    /// Blocks in a cluster (`.reqnctapercluster`), if it says so.
    pub required: Option<Dim3>,
    /// The most blocks in a cluster (`.maxclusterrank`), if it says so.
    pub most: Option<u64>,
    /// Whether it is for launches with clusters (`.explicitcluster`).
    pub explicit: bool,
}

/// What a kernel says about its registers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// The most registers of a thread (`.maxnreg`), if it says so.
    pub registers: Option<u32>,
    /// The fewest blocks on a multiprocessor (`.minnctapersm`), if it says so.
    pub blocks: Option<u32>,
}

/// A function that CUDA's own runtime provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `vprintf(format, arguments)`
    Print,
    /// `__assertfail(message, file, line, function, size)`
    AssertFail,
    /// A function for kernels that launch kernels.
    #[cfg(not(target_family = "wasm"))]
    Nested(Nested),
}

impl Builtin {
    /// Whether it can have another kernel run.
    pub fn launches(self) -> bool {
        #[cfg(not(target_family = "wasm"))]
        if self == Builtin::Nested(Nested::Launch) {
            return true;
        }
        false
    }
}

/// What the runtime of the device provides to kernels that launch kernels.
#[cfg(not(target_family = "wasm"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nested {
    /// Memory for the arguments of a launch.
    Arguments,
    /// A launch with these arguments.
    Launch,
    /// A wait for what the block has launched.
    Synchronize,
    /// The last error of the thread, which is forgotten.
    LastError,
    /// The last error of the thread.
    PeekLastError,
    /// A new stream.
    CreateStream,
    /// The end of a stream.
    DestroyStream,
}

#[cfg(not(target_family = "wasm"))]
impl Nested {
    /// The one with a name that CUDA's compiler writes, today's or that of before CUDA 12.
    pub fn named(name: &str) -> Option<Nested> {
        Some(match name.strip_prefix("__cudaCDP2").or_else(|| name.strip_prefix("cuda"))? {
            "GetParameterBufferV2" => Nested::Arguments,
            "LaunchDeviceV2" => Nested::Launch,
            "DeviceSynchronize" => Nested::Synchronize,
            "GetLastError" => Nested::LastError,
            "PeekAtLastError" => Nested::PeekLastError,
            "StreamCreateWithFlags" => Nested::CreateStream,
            "StreamDestroy" => Nested::DestroyStream,
            _ => return None,
        })
    }
}

/// An instruction that is not supported: an [`Error`] whose message others share, because a text may have ten thousand of
/// them that say the same.
#[derive(Clone, Debug)]
pub struct Refusal {
    message: Arc<str>,
    line: u32,
    column: u32,
}

impl Refusal {
    /// The refusal that an error tells, with a message that equals its own.
    pub fn new(error: &Error, message: Arc<str>) -> Refusal {
        Refusal { message, line: error.line, column: error.column }
    }

    /// What is told to users.
    pub fn error(&self) -> Error {
        Error { message: self.message.to_string(), line: self.line, column: self.column }
    }
}

/// A module, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// What messages call the module.
    pub name: String,
    /// The PTX text.
    pub text: String,
    /// Its lines.
    pub lines: LineIndex,
    /// The target: 70 for `sm_70`.
    pub sm: u32,
    /// The CUDA files that `.loc` numbers.
    pub files: Vec<(u32, String)>,
    /// Where functions were inlined, as [`Loc::inlined_at`] counts them.
    pub inlined_at: Vec<Loc>,
    /// All instructions, function after function.
    pub insts: Vec<Inst>,
    /// The registers that each names ([`Inst::reads`], [`Inst::writes`]).
    pub touched: Vec<Touched>,
    /// Where each came from.
    pub origins: Vec<Origin>,
    /// Kernels and functions.
    pub functions: Vec<Code>,
    /// Calls, by [`crate::isa::op::call::CallIndex`].
    pub calls: Vec<CallSite>,
    /// The lists of `brx.idx`.
    pub tables: Vec<Vec<Pc>>,
    /// What is not supported, by `Op::Unsupported`.
    pub refused: Vec<Refusal>,
    /// Whether it has instructions of warpgroups.
    pub has_warpgroups: bool,
    /// Whether some of them are about products.
    pub has_products: bool,
    /// Where dynamic shared memory starts: after the static part of the largest kernel.
    pub dynamic_shared: u64,
    /// The module's variables in global and constant memory.
    pub variables: Vec<(String, Buffer)>,
    /// Those of them that lie in constant memory.
    pub constants: Vec<Buffer>,
    /// Its variables in shared memory.
    pub shared_variables: Vec<SharedVariable>,
}

impl Code {
    /// The bytes of the parameters of a kernel.
    pub fn param_bytes(&self) -> u64 {
        self.params.iter().map(|place| place.address + place.size).max().unwrap_or(0)
    }
}

impl Program {
    /// The registers that an instruction reads.
    #[inline(always)]
    pub fn reads(&self, inst: &Inst) -> &[Touched] {
        &self.touched[inst.touched as usize..][..usize::from(inst.reads)]
    }

    /// The registers that an instruction may write.
    #[inline(always)]
    pub fn writes(&self, inst: &Inst) -> &[Touched] {
        &self.touched[inst.touched as usize + usize::from(inst.reads)..][..usize::from(inst.writes)]
    }

    /// The registers that an instruction names.
    #[inline(always)]
    pub fn touched(&self, inst: &Inst) -> &[Touched] {
        &self.touched[inst.touched as usize..][..usize::from(inst.reads) + usize::from(inst.writes)]
    }

    /// Bytes of shared memory that a block of `code` has when a launch adds `dynamic` bytes.
    pub fn shared_bytes(&self, code: &Code, dynamic: u32) -> u64 {
        match dynamic {
            0 => code.shared_bytes,
            _ => self.dynamic_shared.saturating_add(u64::from(dynamic)),
        }
    }

    /// The variable that a byte of a kernel's shared memory belongs to.
    pub fn shared_variable(&self, kernel: u32, byte: u64) -> Option<&SharedVariable> {
        self.shared_variables.iter().find(|variable| variable.has(kernel, byte))
    }

    /// The name of what some bytes of a kernel's shared memory belong to, for messages, and where it starts.
    pub fn shared_owner(&self, kernel: u32, byte: u64) -> (String, u64) {
        match self.shared_variable(kernel, byte) {
            Some(variable) => (format!("`{}` in shared memory", variable.name), variable.start),
            None => ("shared memory".to_string(), 0),
        }
    }

    /// The place of an instruction, for messages and counters.
    pub fn site(&self, pc: Pc) -> Site {
        let Some(origin) = self.origins.get(pc as usize) else { return Site::default() };
        let text = self.text.get(origin.span.start as usize..origin.span.end as usize).unwrap_or("");
        let mut lines = self.source_lines(pc);
        Site {
            ptx_line: self.lines.line(origin.span.start),
            ptx: text.split_whitespace().collect::<Vec<_>>().join(" "),
            source: lines.next(),
            calls: lines.collect(),
        }
    }

    /// The CUDA line of an instruction.
    pub fn source(&self, pc: Pc) -> Option<SourceLine> {
        self.source_lines(pc).next()
    }

    /// The CUDA line of an instruction, and those of the calls around it if it was inlined. Of these, only lines that the reader
    /// wrote count. NVIDIA's compilers name their own headers as they name those of others, so of their lines only those of the
    /// file with the kernel count; the other compilers name no headers of theirs.
    pub fn source_lines(&self, pc: Pc) -> impl Iterator<Item = SourceLine> {
        let own = self.origins.get(pc as usize).and_then(|origin| origin.loc);
        let around = own.into_iter().flat_map(|loc| loc.calls(&self.inlined_at).copied());
        let lines: Vec<Loc> = own.into_iter().chain(around).collect();
        let kernels = lines.last().filter(|_| self.is_nvidias()).map(|loc| loc.file);
        let is_read = move |loc: &Loc| loc.line != 0 && kernels.is_none_or(|kernels| loc.file == kernels);
        let name = |file: u32| self.files.iter().find(|(index, _)| *index == file).map(|(_, name)| name);
        let read = lines.into_iter().filter(is_read);
        read.filter_map(move |loc| Some(SourceLine { file: name(loc.file)?.clone(), line: loc.line }))
    }

    /// Whether one of NVIDIA's compilers has written the PTX, which then begins with a comment that says so.
    fn is_nvidias(&self) -> bool {
        self.text.split(".version").next().is_some_and(|head| head.contains("Generated by NVIDIA"))
    }
}
