//! Half precision.
//!
//! Specification: PTX ISA, section 9.7.4.

use super::Family;

/// Half precision.
pub const FAMILY: Family = Family { title: "Half precision", section: "9.7.4", forms: &[] };
