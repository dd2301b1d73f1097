//! Why no PTX could be made, in one sentence that says what to do.
//!
//! Implemented by hand, because the derive would be the only procedural macro that a plain `cargo build` of this crate
//! waits for.

use std::fmt;
use std::path::PathBuf;

use crate::version::{INSTALL, SETUP, Version};

/// Why a compiler was not found, or why it made no PTX.
#[derive(Debug)]
pub enum Error {
    /// No compiler that can be loaded was found anywhere.
    NotFound {
        /// Libraries that were found but could not be used, each with its reason.
        unusable: Vec<String>,
    },
    /// `NVRTC_PATH` is set, and what it names cannot be used.
    Named {
        /// The value of the variable.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The compiler does not support the requested architecture any more, or not yet.
    Architecture {
        /// The requested architecture, as in `sm_70`.
        arch: u32,
        /// The oldest architecture that this compiler supports.
        oldest: u32,
        /// The compiler's version.
        version: Version,
    },
    /// The program is not valid CUDA; the log says where.
    Rejected {
        /// The source file's name.
        name: String,
        /// What the compiler wrote, with file, line and column.
        log: String,
    },
    /// The compiler itself failed.
    Failed {
        /// What it was asked to do.
        what: String,
        /// What it answered.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { .. } if cfg!(target_os = "macos") => write!(
                f,
                "NVIDIA has no CUDA compiler for macOS; use the committed PTX or `--compiler cudac`, or compile on Linux or Windows"
            ),
            Self::NotFound { unusable } => {
                write!(
                    f,
                    "no CUDA compiler found (tried `NVRTC_PATH`, the user's cache, Python's packages, `CUDA_PATH`, `CUDA_HOME`, \
                     `/usr/local/cuda*`, the system's libraries, `nvcc`"
                )?;
                for why in unusable {
                    write!(f, "; {why}")?;
                }
                write!(f, "); `{SETUP}` installs one, or do it yourself with `{INSTALL}`")
            }
            Self::Named { path, reason } => write!(
                f,
                "`NVRTC_PATH` names `{}`, {reason}; point it at the NVRTC library or its folder, or unset it",
                path.display()
            ),
            Self::Architecture { arch, oldest, version } => write!(
                f,
                "CUDA {version} does not compile for `sm_{arch}`; its oldest architecture is `sm_{oldest}`; \
                 choose another architecture or install another compiler, such as `{INSTALL}`"
            ),
            Self::Rejected { name, log } => {
                write!(f, "`{name}` does not compile:\n{}", log.trim_end())
            }
            Self::Failed { what, reason } => {
                write!(f, "{what} failed: {reason}; reinstall the compiler with `{INSTALL}`")
            }
        }
    }
}

impl std::error::Error for Error {}
