//! Logic and shift.
//!
//! Specification: PTX ISA, section 9.7.8.

use super::Family;

/// Logic and shift.
pub const FAMILY: Family = Family { title: "Logic and shift", section: "9.7.8", forms: &[] };
