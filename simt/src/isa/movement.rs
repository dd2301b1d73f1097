//! Data movement between registers.
//!
//! Specification: PTX ISA, section 9.7.9.

use super::Family;

/// Data movement between registers.
pub const FAMILY: Family = Family { title: "Data movement between registers", section: "9.7.9", forms: &[] };
