//! Builds the whole book through library crates, as `mdbook build book` does with the installed tools, and reads the
//! resulting pages. Without the feature `toolchain`, which brings the crates for this, it is empty.

#![cfg(feature = "toolchain")]

mod formulas;
mod make;
mod problems;
mod site;

pub use formulas::Formulas;
pub use make::{Built, make};
pub use problems::{Rules, problems};
pub use site::Site;
