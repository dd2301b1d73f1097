//! The exercises of chapter 1.

use super::Function;

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[];
