//! Releases of the compiler: those that this project uses, and how to install them.

use std::fmt;

/// The first two numbers of a CUDA release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 12 in 12.0.
    pub major: u32,
    /// 0 in 12.0.
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Version {
    /// The oldest architecture for which a release compiles. It is known here because `nvcc` cannot be asked in all
    /// releases.
    pub(crate) fn oldest_arch(self) -> u32 {
        match self.major {
            13.. => 75,
            12 => 50,
            _ => 35,
        }
    }
}

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
