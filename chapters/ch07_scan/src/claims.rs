//! What is often said about scans and compaction, and which rows decide it.

use lanes::claims::Claim;

pub static CLAIMS: &[Claim] = &[];
