//! `cargo xtask facts`: collects what the book's pages show of runs, from the emulator and the grader.
//!
//! `book/facts` changes in no other way: the tests of `drawing` compare and never write.

use std::fs;

use anyhow::{Context, Result};
use drawing::facts::{FOLDER, facts};
use thirty_two_lanes::files;

use crate::chore::{Outcome, root};

/// Writes the files, and prints the names of those that changed.
pub fn run() -> Result<Outcome> {
    fs::create_dir_all(root().join(FOLDER))?;
    for (name, text) in facts(&root())? {
        let name = format!("{FOLDER}/{name}");
        let path = root().join(&name);
        if fs::read_to_string(&path).is_ok_and(|old| old.replace("\r\n", "\n") == text) {
            continue;
        }
        files::write(&path, text).with_context(|| format!("cannot write `{name}`"))?;
        println!("{name}");
    }
    Ok(Outcome::Done)
}
