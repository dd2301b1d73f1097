use lanes::claims::Claim; pub static CLAIMS: &[Claim] = &[];
