//! Chooses the compiler of a CUDA file: NVIDIA's if it is installed, otherwise ours, `cudac`, which is always
//! available.
//!
//! The programs `lanes` and `exercises` share this module, so they choose in the same way and use the same names. What
//! it leaves out: the committed PTX, which NVIDIA's compiler always makes.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use nvrtc::Error as Nvidias;

/// The compiler that the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Ours.
    Cudac,
    /// NVIDIA's.
    Nvrtc,
}

impl Choice {
    /// All choices, by name.
    pub const ALL: [(&'static str, Choice); 2] = [("cudac", Choice::Cudac), ("nvrtc", Choice::Nvrtc)];
}

/// A compiler that is available.
#[derive(Debug)]
pub enum Compiler {
    /// Ours.
    Cudac,
    /// NVIDIA's, found on this machine.
    Nvrtc(nvrtc::Compiler),
}

/// A text to compile.
#[derive(Clone, Debug)]
pub struct Source<'t> {
    /// Its name in messages and in the line table.
    pub name: &'t str,
    /// CUDA C++: device code.
    pub text: &'t str,
    /// The names and texts of other sources of the same program, which only our compiler takes.
    pub more: Vec<(String, String)>,
    /// The architecture, 80 for `sm_80`. If it is `None`, the oldest architecture with independent thread scheduling
    /// that the compiler supports.
    pub arch: Option<u32>,
    /// Whether it is the one with instructions of its own, as `sm_90a`.
    pub is_specific: bool,
    /// Folders in which NVIDIA's compiler looks for included files.
    pub include: Vec<PathBuf>,
    /// Who finds them for ours.
    pub headers: Option<Arc<dyn crate::Headers>>,
    /// Macros that are defined before the text begins: names and values.
    pub defines: Vec<(String, String)>,
    /// Kernels to make of templates, such as `scale<float, 4>`.
    pub instances: Vec<String>,
    /// Whether it is a whole program, whose kernels are wanted; only our compiler reads one.
    pub is_program: bool,
    /// The version of C++, 17 for C++17, which is what the compilers assume if it is `None`.
    pub std: Option<u32>,
}

/// The output of a compiler.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// A module.
    pub ptx: String,
    /// The compiler and its target: `cudac 0.1 (sm_70)`.
    pub by: String,
    /// The compiler's warnings, as it words them. NVIDIA's has none for a text that it accepts.
    pub warnings: Vec<String>,
}

/// The reason why there is no PTX.
#[derive(Debug)]
pub enum Error {
    /// The text is not valid CUDA C++, or uses something that is not supported.
    Rejected {
        /// The text's name.
        name: String,
        /// What the compiler wrote, with file, line and column.
        log: String,
        /// The compiler that refused it.
        choice: Choice,
    },
    /// NVIDIA's compiler cannot be used.
    Unusable(Nvidias),
    /// Our compiler does not support the architecture.
    Architecture(u32),
    /// Our compiler does not know this version of C++.
    Standard(u32),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rejected { name, log, .. } => write!(f, "`{name}` does not compile:\n{}", log.trim_end()),
            Error::Unusable(error) => error.fmt(f),
            Error::Architecture(arch) => write!(
                f,
                "cudac does not compile for `sm_{arch}`: choose an architecture from `sm_{}` to `sm_{}`",
                ARCHITECTURES.0, ARCHITECTURES.1
            ),
            Error::Standard(version) => {
                write!(
                    f,
                    "cudac compiles C++{NEWEST} and older, not C++{version}: choose `c++{NEWEST}`, or another compiler"
                )
            }
        }
    }
}

impl std::error::Error for Error {}

/// The oldest and the newest architecture for which our compiler writes PTX: those that the emulator supports.
const ARCHITECTURES: (u32, u32) = (50, 90);

/// The newest version of C++ that our compiler knows. Older ones are almost part of it.
const NEWEST: u32 = 17;

/// The first architecture with independent thread scheduling.
const USUAL: u32 = 70;

impl Compiler {
    /// The compiler that was asked for. If none was, NVIDIA's if it is installed, otherwise ours.
    ///
    /// # Errors
    /// If NVIDIA's was asked for, as an option or in the variable `NVRTC_PATH`, and cannot be used.
    pub fn find(choice: Option<Choice>) -> Result<Compiler, Error> {
        if choice == Some(Choice::Cudac) {
            return Ok(Compiler::Cudac);
        }
        match nvrtc::Compiler::find() {
            Ok(compiler) => Ok(Compiler::Nvrtc(compiler)),
            Err(Nvidias::NotFound { .. }) if choice.is_none() => Ok(Compiler::Cudac),
            Err(error) => Err(Error::Unusable(error)),
        }
    }

    /// The oldest architecture that it supports.
    pub fn oldest_arch(&self) -> u32 {
        match self {
            Compiler::Cudac => ARCHITECTURES.0,
            Compiler::Nvrtc(compiler) => compiler.oldest_arch(),
        }
    }

    /// Its name and version: `cudac 0.1`, `NVRTC 12.0`.
    pub fn name(&self) -> String {
        match self {
            Compiler::Cudac => {
                let mut numbers = env!("CARGO_PKG_VERSION").split('.');
                let mut next = || numbers.next().unwrap_or_default();
                format!("cudac {}.{}", next(), next())
            }
            Compiler::Nvrtc(compiler) => format!("NVRTC {}", compiler.version()),
        }
    }

    /// Compiles a text.
    ///
    /// # Errors
    /// The reason why it wrote no PTX.
    pub fn compile(&self, source: &Source<'_>) -> Result<Compiled, Error> {
        let (arch, (ptx, warnings)) = match self {
            Compiler::Cudac => {
                let arch = source.arch.unwrap_or(USUAL);
                (arch, ours(source, arch)?)
            }
            Compiler::Nvrtc(compiler) => {
                let arch = source.arch.unwrap_or(USUAL.max(compiler.oldest_arch()));
                (arch, (nvidias(compiler, source, arch)?, Vec::new()))
            }
        };
        Ok(Compiled {
            ptx,
            by: format!("{} (sm_{arch}{})", self.name(), if source.is_specific { "a" } else { "" }),
            warnings,
        })
    }
}

/// Compiles with our compiler: the PTX and the warnings.
fn ours(source: &Source<'_>, arch: u32) -> Result<(String, Vec<String>), Error> {
    if arch < ARCHITECTURES.0 || arch > ARCHITECTURES.1 {
        return Err(Error::Architecture(arch));
    }
    if let Some(version) = source.std.filter(|version| *version > NEWEST) {
        return Err(Error::Standard(version));
    }
    let (defines, instances) = (source.defines.clone(), source.instances.clone());
    let options = crate::Options {
        sm: arch,
        is_specific: source.is_specific,
        defines,
        instances,
        leaves_host: false,
        headers: source.headers.clone(),
    };
    let more = source.more.iter().map(|(name, text)| crate::Source { name, text });
    let first = crate::Source { name: source.name, text: source.text };
    let sources: Vec<_> = std::iter::once(first).chain(more).collect();
    let output = if source.is_program {
        crate::compile_project(&sources, &options).map(|(output, _)| output)
    } else {
        crate::compile_units(&sources, &options)
    };
    let output = output.map_err(|errors| Error::Rejected {
        name: source.name.to_owned(),
        log: errors.to_string(),
        choice: Choice::Cudac,
    })?;
    Ok((output.ptx, output.warnings.iter().map(ToString::to_string).collect()))
}

/// Compiles with NVIDIA's compiler.
fn nvidias(compiler: &nvrtc::Compiler, source: &Source<'_>, arch: u32) -> Result<String, Error> {
    let (include, defines) = (source.include.clone(), source.defines.clone());
    let std = source.std.unwrap_or(NEWEST);
    let options = nvrtc::Options {
        is_specific: source.is_specific,
        include,
        defines,
        std,
        ..nvrtc::Options::optimised(arch)
    };
    // A kernel whose address is taken is made of its template.
    let keep = |(nth, name): (usize, &String)| {
        format!("\n__device__ void lanes_instance_{nth}() {{ (void)&{name}; }}")
    };
    let text: String = std::iter::once(source.text.to_owned())
        .chain(source.instances.iter().enumerate().map(keep))
        .collect();
    let text = nvrtc::Source { name: source.name, text: &text };
    compiler.compile(&text, &options).map_err(|error| match error {
        Nvidias::Rejected { name, log } => Error::Rejected { name, log, choice: Choice::Nvrtc },
        other => Error::Unusable(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str, arch: Option<u32>) -> Source<'_> {
        Source {
            name: "one.cu",
            text,
            more: Vec::new(),
            arch,
            is_specific: false,
            include: Vec::new(),
            headers: None,
            defines: Vec::new(),
            instances: Vec::new(),
            is_program: false,
            std: None,
        }
    }

    #[test]
    fn our_compiler_is_named_with_its_target() {
        let compiler = Compiler::find(Some(Choice::Cudac)).unwrap();
        let text = "extern \"C\" __global__ void one(int* x) { *x = 1; }";
        let made = compiler.compile(&source(text, Some(80))).unwrap();
        assert!(made.ptx.contains(".target sm_80"), "{}", made.ptx);
        assert_eq!((made.by.as_str(), made.warnings.len()), ("cudac 0.1 (sm_80)", 0));
        assert_eq!(compiler.compile(&source(text, None)).unwrap().by, "cudac 0.1 (sm_70)");
    }

    #[test]
    fn ours_refuses_what_it_cannot_compile() {
        let refused = |text, arch| Compiler::Cudac.compile(&source(text, arch)).unwrap_err().to_string();
        let log = refused("__global__ void f() {\n  int x = y;\n  int z = w;\n}\n", None);
        assert!(log.starts_with("`one.cu` does not compile:\n"), "{log}");
        assert_eq!(log.matches("error: ").count(), 2, "{log}");
        assert!(refused("", Some(20)).starts_with("cudac does not compile for `sm_20`: choose"));
    }

    #[test]
    fn warnings_are_handed_on() {
        let text = "__global__ void f(int* x) { *x = *x << 40; }";
        let warnings = Compiler::Cudac.compile(&source(text, None)).unwrap().warnings;
        assert!(warnings.len() == 1 && warnings[0].contains("warning: "), "{warnings:?}");
    }
}
