//! Conversion.
//!
//! Specification: PTX ISA, section 9.7.9.

use super::Family;

/// Conversion.
pub const FAMILY: Family = Family { title: "Conversion", section: "9.7.9", forms: &[] };
