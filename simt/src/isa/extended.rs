//! Extended-precision integer arithmetic.
//!
//! Specification: PTX ISA, section 9.7.2.

use super::Family;

/// Extended-precision integer arithmetic.
pub const FAMILY: Family =
    Family { title: "Extended-precision integer arithmetic", section: "9.7.2", forms: &[] };
