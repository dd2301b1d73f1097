//! Figures of chapter 6: a grid of points, its border, and the shape of blocks.

use crate::Figure;

pub const FIGURES: &[Figure] = &[];
