//! What is often said of occupancy and latency, decided by this chapter's rows.

use lanes::claims::Claim;

pub static CLAIMS: &[Claim] = &[];
