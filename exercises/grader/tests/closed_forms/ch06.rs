//! The exercises of chapter 6.

use super::Function;

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[];
