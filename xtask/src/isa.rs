//! `cargo xtask isa`: writes the table of supported PTX, `simt/SUPPORTED.md`.
//!
//! The table is made from the forms that the emulator decodes by; a test of `simt` fails when it is out of date.

use std::fs;

use anyhow::{Context, Result};

use crate::Outcome;

/// Does the chore.
pub fn run() -> Result<Outcome> {
    let path = crate::root().join("simt/SUPPORTED.md");
    fs::write(&path, simt::isa::table()).with_context(|| format!("cannot write `{}`", path.display()))?;
    println!("wrote simt/SUPPORTED.md");
    Ok(Outcome::Done)
}
