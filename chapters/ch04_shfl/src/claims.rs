//! The claims of the fourth note about shuffles and groups, and of the second about votes.

use lanes::claims::Claim;

pub static CLAIMS: &[Claim] = &[];
