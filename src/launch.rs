//! A launch: a build of a kernel, its shape, and its arguments.
//!
//! All machines accept it unchanged; nothing here depends on which machine it will be. All checkers are on unless it
//! says otherwise. What it leaves out: the schedules and reconvergence mechanisms of the emulator, which a chapter
//! about them sets in [`Launch::simt`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, bail};
use simt::{Checks, Dim3};
use spec::Structure;

use crate::arguments::Given;
use crate::buffer::{Buffer, BufferId};
use crate::kernel::{Build, Kernel};

/// PTX text and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The name of the text, for example `divergence.sm_70`. Different texts have different names.
    pub name: String,
    /// The text.
    pub ptx: Cow<'static, str>,
}

impl Code {
    fn of(kernel: &Kernel, build: &'static Build) -> Code {
        Code { name: format!("{}.{build}", kernel.file.name), ptx: build.ptx.into() }
    }
}

/// An argument, before a machine has turned buffers into its own addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer.
    Buffer(BufferId),
    /// A value, as bytes.
    Value(simt::Arg),
    /// A structure with the addresses of buffers in it, or tensor maps of them, and what its names stand for.
    Structure(Structure, BTreeMap<String, BufferId>),
}

impl<T> From<Buffer<T>> for Argument {
    fn from(buffer: Buffer<T>) -> Argument {
        Argument::Buffer(buffer.id)
    }
}

macro_rules! argument_from {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Argument {
            fn from(value: $ty) -> Argument {
                Argument::Value(value.into())
            }
        }
    )*};
}

argument_from!(i32, u32, i64, u64, f32, f64);

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The text that contains the kernel.
    pub code: Code,
    /// The kernel's name.
    pub kernel: String,
    /// Its arguments in order.
    pub args: Vec<Argument>,
    /// Shape, seed, schedule and bounds, in the emulator's type, whose own list of arguments remains empty.
    pub simt: simt::Launch,
    registered: Option<&'static Kernel>,
}

impl Launch {
    /// A launch of `grid` blocks of `block` threads, from the first build that the kernel's file declares.
    pub fn new(kernel: &'static Kernel, grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Launch {
        let build = kernel.builds().next().expect("a kernel is in the registry because a build has it");
        let launch = Launch::of(Code::of(kernel, build), kernel.name, grid, block);
        Launch { registered: Some(kernel), ..launch }
    }

    /// A launch in one dimension with a thread for each of `n` elements, in blocks of `block` threads.
    pub fn cover(kernel: &'static Kernel, n: usize, block: u32) -> Launch {
        Launch::new(kernel, blocks_for(n, block), block)
    }

    /// A launch of a kernel of any PTX text, with all checkers.
    pub fn of(code: Code, kernel: &str, grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Launch {
        // Chapters poll volatile flags on purpose; `lanes run` reports what that means.
        let checks = Checks { volatile_races: false, ..Checks::ALL };
        let simt = simt::Launch { checks, ..simt::Launch::new(grid, block) };
        Launch { code, kernel: kernel.to_owned(), args: Vec::new(), simt, registered: None }
    }

    /// The same launch from the unoptimised build, in which every branch of the source is still there.
    pub fn debug(self) -> Result<Launch> {
        self.build("unoptimised", |build| build.debug)
    }

    /// The same launch from the optimised build for an architecture, 60 for `sm_60`.
    pub fn arch(self, arch: u32) -> Result<Launch> {
        self.build(&format!("sm_{arch}"), |build| build.arch == arch && !build.debug)
    }

    fn build(self, what: &str, is_it: impl Fn(&Build) -> bool) -> Result<Launch> {
        let kernel = self.registered.with_context(|| format!("`{}` was compiled only once", self.kernel))?;
        let build = kernel.builds().find(|build| is_it(build));
        let build = build.with_context(|| format!("`{}` has no {what} build", self.kernel))?;
        Ok(Launch { code: Code::of(kernel, build), ..self })
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<Argument>) -> Launch {
        self.args.push(arg.into());
        self
    }

    /// The same launch without checkers: for measuring time.
    #[must_use]
    pub fn unchecked(mut self) -> Launch {
        self.simt.checks = Checks::NONE;
        self
    }

    /// Sets the size of the dynamic shared memory in bytes, in addition to what the kernel declares.
    #[must_use]
    pub fn shared_bytes(mut self, bytes: u32) -> Launch {
        self.simt.shared_bytes = bytes;
        self
    }

    /// Sets the seed of the schedule.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Launch {
        self.simt.seed = seed;
        self
    }

    /// What the arguments are.
    pub(crate) fn given(&self) -> Vec<Given> {
        self.args.iter().map(Argument::given).collect()
    }

    /// The buffers among the arguments, without repetition.
    pub fn buffers(&self) -> Vec<BufferId> {
        let mut buffers: Vec<BufferId> = self.args.iter().flat_map(Argument::buffers).collect();
        buffers.sort_unstable();
        buffers.dedup();
        buffers
    }
}

impl Argument {
    /// What a kernel's parameter is compared with.
    pub(crate) fn given(&self) -> Given {
        match self {
            Argument::Buffer(_) => Given::Address,
            Argument::Value(value) => Given::Value(value.as_bytes().len() as u64),
            Argument::Structure(fields, _) => Given::Value(fields.bytes() as u64),
        }
    }

    fn buffers(&self) -> Vec<BufferId> {
        match self {
            Argument::Buffer(id) => vec![*id],
            Argument::Value(_) => Vec::new(),
            Argument::Structure(_, named) => named.values().copied().collect(),
        }
    }
}

/// `saxpy (saxpy.sm_70)`: what runs, and from which text.
impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.kernel, self.code.name)
    }
}

/// How many blocks of `block` threads have a thread for each of `n` elements.
pub fn blocks_for(n: usize, block: u32) -> u32 {
    u32::try_from(n.div_ceil(block as usize)).unwrap_or(u32::MAX)
}

/// Fails unless a block can be halved again and again down to a warp, as reduction trees do.
pub fn check_halving(block: u32) -> Result<()> {
    if block < 32 || !block.is_power_of_two() {
        bail!(
            "`--block {block}` cannot be halved down to a warp of 32: ask for 32, 64, 128, 256, 512 or 1024"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_build_is_found_or_missed() {
        let launch = || Launch::cover(&crate::kernels::saxpy::SAXPY, 10, 32);
        assert_eq!(launch().code.name, "saxpy.sm_70");
        assert_eq!(launch().debug().unwrap().code.name, "saxpy.sm_70-debug");
        assert_eq!(launch().arch(60).unwrap().code.name, "saxpy.sm_60");
        assert_eq!(launch().arch(20).unwrap_err().to_string(), "`saxpy` has no sm_20 build");
    }

    #[test]
    fn a_block_is_halved_down_to_a_warp_or_not() {
        assert!([32, 64, 1024].into_iter().all(|block| check_halving(block).is_ok()));
        assert!([1, 16, 48, 1000].into_iter().all(|block| check_halving(block).is_err()));
    }

    #[test]
    fn a_grid_covers_the_last_element() {
        assert_eq!(blocks_for(1003, 64), 16);
        assert_eq!(blocks_for(1024, 64), 16);
        assert_eq!(blocks_for(1025, 64), 17);
        assert_eq!(blocks_for(0, 64), 0);
    }
}
