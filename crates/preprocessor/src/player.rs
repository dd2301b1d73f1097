//! The scripts that every page loads before its text, in one file: `book/src/assets/player.js`, which is not committed.
//!
//! On a slow network each file waits for its turn, and the first figure for the last of them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::pages::{SOURCE, save};

/// Where the file is, in `book/src`.
const FILE: &str = "assets/player.js";

/// Where the scripts are.
const SCRIPTS: &str = "book/theme/player";

/// Their names, in the order in which they run.
const ORDER: [&str; 7] = ["state", "view", "frame", "run", "machine", "player", "live"];

/// Writes the file of a book in the repository at `root`.
pub fn write(root: &Path) -> Result<()> {
    let read = |name: &str| {
        let file = root.join(SCRIPTS).join(format!("{name}.js"));
        fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))
    };
    let scripts: String = ORDER.into_iter().map(read).collect::<Result<_>>()?;
    save(&root.join(SOURCE).join(FILE), &scripts)
}
