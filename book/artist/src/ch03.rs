//! Figures of chapter 3: what keeps the lanes of a warp together.

use crate::Figure;

pub const FIGURES: &[Figure] = &[];
