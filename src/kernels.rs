//! The book's kernels: one module for each file of `kernels/`, one constant for each kernel.
//!
//! Written by `build.rs`, so that a kernel has one place, its `.cu`: a name that is misspelt in Rust does not compile.
//!
//! ```
//! use thirty_two_lanes::kernels::divergence::MATH_EVEN_THREAD;
//!
//! let build = MATH_EVEN_THREAD.build(70, false).expect("compiled for sm_70");
//! assert!(build.ptx.contains(MATH_EVEN_THREAD.name));
//! ```

use std::fmt;

use crate::kernel::{Build, Kernel, KernelFile, Param};

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// There is no kernel with this name.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownKernel {
    /// The name that was asked for.
    pub name: String,
    /// The most similar names, at most three, the nearest first.
    pub near: Vec<&'static str>,
}

impl fmt::Display for UnknownKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no kernel `{}`", self.name)?;
        if self.near.is_empty() {
            return write!(f, "; all of them are in `kernels/`");
        }
        let quoted: Vec<_> = self.near.iter().map(|name| format!("`{name}`")).collect();
        write!(f, "; did you mean {}?", quoted.join(", "))
    }
}

impl std::error::Error for UnknownKernel {}

/// Every kernel of every file.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    ALL.iter().flat_map(|file| file.kernels.iter().copied())
}

/// The kernel with this name.
///
/// # Errors
/// When there is none; the error suggests names that are near.
pub fn find(name: &str) -> Result<&'static Kernel, UnknownKernel> {
    all()
        .find(|kernel| kernel.name == name)
        .ok_or_else(|| UnknownKernel { name: name.to_owned(), near: near(name) })
}

/// The names nearest to a misspelt one, of which fewer than half the letters have to change.
fn near(name: &str) -> Vec<&'static str> {
    let mut found: Vec<_> =
        all().map(|kernel| (strsim::levenshtein(name, kernel.name), kernel.name)).collect();
    found.retain(|&(changes, _)| changes <= name.len() / 2);
    found.sort_unstable();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_found_by_name() {
        assert_eq!(find("saxpy").unwrap().file.name, "saxpy");
    }

    #[test]
    fn a_misspelt_name_gets_suggestions() {
        let message = find("math_even_tread").unwrap_err().to_string();
        assert!(message.starts_with("there is no kernel `math_even_tread`; did you mean `math_even_thread`"));
    }

    #[test]
    fn a_name_like_none_gets_no_suggestion() {
        assert!(find("qqqqqq").unwrap_err().near.is_empty());
    }
}
