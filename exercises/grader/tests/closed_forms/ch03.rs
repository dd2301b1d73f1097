//! The exercises of chapter 3.

use super::Function;

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[];
