//! Chapter 9: the modern vocabulary.

use super::Function;

pub const FORMS: &[(&str, Function)] = &[];
