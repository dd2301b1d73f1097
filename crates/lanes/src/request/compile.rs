//! How to compile a `.cu` file.

use std::path::PathBuf;

use clap::Args;

use super::words;

/// A compiler of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// Ours.
    Cudac,
    /// NVIDIA's, for run time.
    Nvrtc,
    /// LLVM's.
    Clang,
}

impl Compiler {
    /// All of them, by name.
    pub const ALL: [(&'static str, Compiler); 3] =
        [("cudac", Compiler::Cudac), ("nvrtc", Compiler::Nvrtc), ("clang", Compiler::Clang)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Compiler::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

/// The options of the compiler.
#[derive(Args, Clone, Debug, Default)]
pub struct Compile {
    /// Compile a .cu file for this architecture, as in 80 or 90a [default: 70]
    #[arg(long, value_name = "ARCH", value_parser = words::arch)]
    pub arch: Option<words::Arch>,
    /// Compile a .cu file with this compiler [default: NVIDIA's (nvrtc) if it is installed, otherwise cudac, which is
    /// built in]
    #[arg(long, value_name = "cudac|nvrtc|clang", value_parser = words::compiler)]
    pub compiler: Option<Compiler>,
    /// Define a macro before a .cu file is compiled; without a value, as 1
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = words::define)]
    pub defines: Vec<(String, String)>,
    /// The sources besides the first.
    #[arg(skip)]
    pub sources: Vec<PathBuf>,
    /// Look for files that a .cu file includes in this folder too, after that of the file [repeatable]
    #[arg(short = 'I', long = "include", value_name = "FOLDER", value_parser = words::folder)]
    pub include: Vec<PathBuf>,
    /// Make a kernel of a template, as in "scale<float, 4>"; not needed for a kernel that is launched by this name
    #[arg(long = "instantiate", value_name = "KERNEL", value_parser = words::instance)]
    pub instances: Vec<String>,
    /// The version of C++: c++11, c++14, c++17 or c++20 [default: c++17]
    #[arg(long, value_name = "VERSION", value_parser = words::standard)]
    pub std: Option<u32>,
}
