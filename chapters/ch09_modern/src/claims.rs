//! What is often said about orders, scopes, barriers and new instructions, and which rows decide it.

use lanes::claims::Claim;

pub static CLAIMS: &[Claim] = &[];
