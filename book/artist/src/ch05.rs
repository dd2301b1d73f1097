//! Figures of chapter 5: what threads that share something need.

use crate::Figure;

pub const FIGURES: &[Figure] = &[];
