//! Figures of chapter 8: hiding latency.

use crate::Figure;

pub const FIGURES: &[Figure] = &[];
