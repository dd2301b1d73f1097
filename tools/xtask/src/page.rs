//! `cargo xtask page`: builds the WebAssembly module of the book's pages into `book/src/assets/module.js`.
//!
//! It takes a minute or two, so it is run once, at the end of a piece of work on one of the crates that the module is made of.

use anyhow::Result;

use crate::chore::Outcome;

/// Build the WebAssembly module of the book's pages.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; say whether the committed module is that of the sources, and exit with 1 if it is not.
    #[arg(long)]
    check: bool,
}

/// Does the chore.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.check {
        let Some(why) = xtask::module::stale()? else { return Ok(Outcome::Done) };
        println!("{why}");
        return Ok(Outcome::Stale);
    }
    let built = xtask::module::build()?;
    println!("{} bytes, packed {}", built.module_bytes, built.packed_bytes);
    if !built.is_optimised {
        println!("without wasm-opt 108, which makes it a little smaller");
    }
    Ok(Outcome::Done)
}
