//! What the first note says about reductions, and what became of it.
use lanes::claims::Claim;
pub static CLAIMS: &[Claim] = &[];
