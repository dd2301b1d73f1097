//! Floating point.
//!
//! Specification: PTX ISA, section 9.7.3.

use super::Family;

/// Floating point.
pub const FAMILY: Family = Family { title: "Floating point", section: "9.7.3", forms: &[] };
