//! The exercises of chapter 4.

use super::Function;

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[];
