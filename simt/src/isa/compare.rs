//! Comparison and selection.
//!
//! Specification: PTX ISA, section 9.7.6.

use super::Family;

/// Comparison and selection.
pub const FAMILY: Family = Family { title: "Comparison and selection", section: "9.7.6", forms: &[] };
