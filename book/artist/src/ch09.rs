//! Figures of chapter 9: the modern vocabulary.

use crate::Figure;

pub const FIGURES: &[Figure] = &[];
