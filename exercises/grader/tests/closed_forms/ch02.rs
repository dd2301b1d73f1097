//! The exercises of chapter 2.

use super::Function;

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[];
