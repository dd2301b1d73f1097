//! The exercises of chapter 5.

use super::Function;

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[];
