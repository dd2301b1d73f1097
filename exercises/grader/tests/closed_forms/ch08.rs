//! Chapter 8: hiding latency.

use super::Function;

pub const FORMS: &[(&str, Function)] = &[];
