//! Descriptions of kernels: a name and parameters, in a file that was compiled in one or more ways.
//!
//! These types only describe kernels and do not launch them. `build.rs` writes the values from `kernels/` into
//! [`crate::kernels`].

use std::fmt;

pub use nvrtc::Param;

/// A CUDA file and its compiled forms.
#[derive(Debug)]
pub struct KernelFile {
    /// `divergence` for `kernels/divergence.cu`.
    pub name: &'static str,
    /// The CUDA source, header comment included, with LF line ends.
    pub source: &'static str,
    /// Its builds, in the order in which the file declares them. A chapter runs the first one by default.
    pub builds: &'static [Build],
    /// Its kernels, in the order of the file.
    pub kernels: &'static [&'static Kernel],
}

impl KernelFile {
    /// The build for an architecture, 70 for `sm_70`, optimised or with `-G`.
    pub fn build(&self, arch: u32, debug: bool) -> Option<&'static Build> {
        self.builds.iter().find(|build| build.arch == arch && build.debug == debug)
    }
}

/// One way in which a file was compiled, and the resulting PTX.
pub struct Build {
    /// The architecture of the PTX, 70 for `sm_70`. Below 70 a warp has one program counter, from 70 on each lane has
    /// its own.
    pub arch: u32,
    /// Whether it was compiled with `-G`: without optimisation, so that every branch of the source is still there.
    pub debug: bool,
    /// The PTX module.
    pub ptx: &'static str,
    /// Names of the kernels in it. A file may leave out those that an architecture cannot run.
    pub kernels: &'static [&'static str],
}

impl fmt::Display for Build {
    /// Writes `sm_70` or `sm_70-debug`, as the file declares it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.arch, if self.debug { "-debug" } else { "" })
    }
}

impl fmt::Debug for Build {
    /// Writes only the name, because thousands of lines of PTX in an error message would not help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Build({self})")
    }
}

/// A kernel: a function that the host can launch.
pub struct Kernel {
    /// The file that contains it.
    pub file: &'static KernelFile,
    /// Its name, in CUDA and in PTX.
    pub name: &'static str,
    /// Its parameters, in order.
    pub params: &'static [Param],
}

impl Kernel {
    /// The builds of the file that contain this kernel.
    pub fn builds(&self) -> impl Iterator<Item = &'static Build> {
        self.file.builds.iter().filter(|build| build.kernels.contains(&self.name))
    }

    /// The build for an architecture, if it exists and contains this kernel.
    pub fn build(&self, arch: u32, debug: bool) -> Option<&'static Build> {
        self.builds().find(|build| build.arch == arch && build.debug == debug)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Kernel {
    /// Writes only the name of the file, because the file lists its kernels in turn.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({}::{}{:?})", self.file.name, self.name, self.params)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernels::{divergence, features_warps};

    use super::*;

    #[test]
    fn a_kernel_knows_its_parameters() {
        assert_eq!(divergence::MATH_EVEN_THREAD.params, [Param::U64, Param::U32]);
        assert_eq!(divergence::MATH_UNGUARDED.params, [Param::U64]);
    }

    #[test]
    fn a_build_is_found_by_architecture() {
        let build = divergence::MATH_EVEN_THREAD.build(70, true).unwrap();
        assert_eq!(build.to_string(), "sm_70-debug");
        assert!(build.ptx.contains(".entry math_even_thread"));
        assert!(divergence::MATH_EVEN_THREAD.build(90, false).is_none());
    }

    #[test]
    fn a_kernel_may_be_missing_from_a_build() {
        assert!(features_warps::MATCHES.build(70, false).is_some());
        assert!(features_warps::MATCHES.build(60, false).is_none());
    }

    #[test]
    fn debug_output_stays_short() {
        assert_eq!(format!("{:?}", divergence::MATH_UNGUARDED), "Kernel(divergence::math_unguarded[U64])");
    }
}
