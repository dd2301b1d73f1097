//! Floating-point approximations.
//!
//! Specification: PTX ISA, section 9.7.3.

use super::Family;

/// Floating-point approximations.
pub const FAMILY: Family = Family { title: "Floating-point approximations", section: "9.7.3", forms: &[] };
