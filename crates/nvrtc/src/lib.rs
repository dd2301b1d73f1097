//! Finds a CUDA compiler on this machine and calls it.
//!
//! `build.rs`, `lanes`, `cargo xtask ptx` and the exercises all compile CUDA to PTX, and each of them must cope with a
//! machine that has a toolkit, only NVIDIA's Python wheels, or no compiler. They share this crate, so they all search
//! in the same order and fail with the same sentence.
//!
//! ```no_run
//! use nvrtc::{Compiler, Options, Source};
//!
//! let compiler = Compiler::find()?;
//! let source = Source { name: "one.cu", text: r#"extern "C" __global__ void one(int* out) { *out = 1; }"# };
//! let ptx = compiler.compile(&source, &Options::optimised(70))?;
//! assert!(ptx.contains(".entry one"));
//! # Ok::<(), nvrtc::Error>(())
//! ```
//!
//! What it leaves out: machine code (which the driver makes from PTX), host code, linking, and caching.
//!
//! Specification: NVRTC, <https://docs.nvidia.com/cuda/nvrtc/>.

mod compiler;
mod entries;
mod environment;
mod error;
mod ffi;
mod folder;
mod layout;
mod nvcc;
mod options;
mod start;
mod tidy;
mod version;

pub use compiler::Compiler;
pub use entries::{Entry, Param, entries};
pub use environment::Environment;
pub use error::Error;
pub use folder::{BuildName, CudaFile, FolderError, Header, Stale, code_sha256, cuda_files, sha256, stale};
pub use options::{Options, Source};
pub use start::{command, loads_nothing_from_here};
pub use version::{
    INSTALL, LIBCU_INSTALL, LIBCU_RELEASE, LIBCU_VERSION, PINNED_RELEASE, PINNED_VERSION, SETUP, Version,
    packages,
};
