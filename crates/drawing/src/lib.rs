//! The book's figures: each is drawn from runs of the emulator or from the records of a GPU, and never by hand.
//!
//! A figure is one entry in the list of its chapter's file, and one function that runs kernels and draws the results.
//! `cargo xtask figures` writes the figures to `book/figures`; the tests draw them again and compare. Colours and fonts
//! are left out, because the page defines them (`book/theme/figures.css`). What the pages show of runs besides figures is in
//! [`facts`].

mod ch01_divergence;
mod ch02_reduction;
mod ch03_syncwarp;
mod ch04_shfl;
mod ch05_locks;
mod ch06_laplace;
mod ch07_scan;
mod ch08_latency;
mod ch09_modern;
mod ch10_tiles;
mod ch11_matrix;
pub mod chart;
pub mod facts;
mod figure;
mod machine;
mod pairs;
pub mod sheet;
pub mod sources;
pub mod timeline;
pub mod warp;

pub use figure::Figure;
pub use sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};
pub use sources::Sources;

/// Where the figures are, from the root of the repository.
pub const FOLDER: &str = "book/figures";

/// The lists of figures: those before the chapters, and those of each chapter.
const LISTS: [&[Figure]; 12] = [
    machine::FIGURES,
    ch01_divergence::FIGURES,
    ch02_reduction::FIGURES,
    ch03_syncwarp::FIGURES,
    ch04_shfl::FIGURES,
    ch05_locks::FIGURES,
    ch06_laplace::FIGURES,
    ch07_scan::FIGURES,
    ch08_latency::FIGURES,
    ch09_modern::FIGURES,
    ch10_tiles::FIGURES,
    ch11_matrix::FIGURES,
];

/// Every figure of the book, in the order of its chapters.
pub fn figures() -> impl Iterator<Item = &'static Figure> {
    LISTS.into_iter().flatten()
}
