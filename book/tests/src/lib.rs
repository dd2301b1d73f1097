//! Builds the whole book through library crates, as `mdbook build book` does with the installed tools, and reads the
//! resulting pages.

mod formulas;
mod make;
mod problems;
mod site;

pub use formulas::Formulas;
pub use make::{Built, make};
pub use problems::{Rules, problems};
pub use site::Site;
