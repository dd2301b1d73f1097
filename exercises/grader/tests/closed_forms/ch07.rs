//! Chapter 7: scan and compaction.

use super::Function;

pub const FORMS: &[(&str, Function)] = &[];
