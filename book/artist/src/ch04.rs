//! Figures of chapter 4: what the lanes of a warp tell each other.

use crate::Figure;

pub const FIGURES: &[Figure] = &[];
