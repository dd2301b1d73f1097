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
mod tidy;

pub use compiler::{Compiler, Version};
pub use entries::{Entry, Param, entries};
pub use environment::Environment;
pub use error::Error;
pub use folder::{BuildName, CudaFile, FolderError, Header, Stale, code_sha256, cuda_files, sha256, stale};
pub use options::{Options, Source};

/// The release that makes the committed PTX: the oldest that compiles `sm_60` to `sm_90` and cooperative groups.
///
/// An old release on purpose. A PTX file names the version of the language in which it is written, and a driver refuses
/// versions that it does not know. This release writes 8.0, which every driver since 525 can read.
pub const PINNED_VERSION: Version = Version { major: 12, minor: 0 };

/// The pinned release with its patch level, as the compiler writes it into its output.
///
/// `nvrtcVersion` returns only the first two numbers, so the third can only be checked in the PTX.
pub const PINNED_RELEASE: &str = "12.0.140";

/// The command that installs the pinned compiler, its headers and libcu++ on a machine without a toolkit.
///
/// libcu++ is of a later release, because the wheels of 12.0 to 12.4 lack the headers without an extension, among them
/// `cuda/atomic` and `cuda/barrier`. NVRTC 12.0 compiles the later ones, and a kernel's PTX depends on the release only
/// if the kernel includes such a header.
pub const INSTALL: &str = "pip install nvidia-cuda-nvrtc-cu12==12.0.140 nvidia-cuda-runtime-cu12==12.0.146 nvidia-cuda-cccl-cu12==12.6.77";

/// The release that compiles the tests of libcu++: its headers are those that today's programs include.
pub const LIBCU_VERSION: Version = Version { major: 12, minor: 9 };

/// The same release with its patch level.
pub const LIBCU_RELEASE: &str = "12.9.86";

/// The command that installs it, its headers and libcu++ on a machine without a toolkit.
pub const LIBCU_INSTALL: &str = "pip install nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-cccl-cu12==12.9.27";

/// The command that does the same into a folder of this project's own, after asking.
pub const SETUP: &str = "cargo run --bin exercises -- setup";

/// The packages that [`INSTALL`] names.
pub fn packages() -> impl Iterator<Item = &'static str> {
    INSTALL.split(' ').skip(2)
}
