//! Figures of chapter 7: scan and compaction.

use crate::Figure;

pub const FIGURES: &[Figure] = &[];
