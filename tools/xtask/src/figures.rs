//! `cargo xtask figures`: draws the book's figures, from runs of the emulator and from the records of a GPU.
//!
//! `book/figures` changes in no other way: the tests of `drawing` compare and never write. How a figure is drawn is in
//! `crates/drawing`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};
use drawing::{FOLDER, Figure, figures};
use thirty_two_lanes::files;

use crate::chore::{Outcome, root};

/// What to draw.
#[derive(clap::Args)]
pub struct Arguments {
    /// Draw these figures alone; without names all are drawn, and files of figures that are no more are removed
    names: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let known: BTreeMap<&str, &Figure> = figures().map(|figure| (figure.name, figure)).collect();
    if let Some(name) = arguments.names.iter().find(|name| !known.contains_key(name.as_str())) {
        let names: Vec<&str> = known.into_keys().collect();
        bail!("there is no figure `{name}`; the figures are {}", names.join(", "));
    }
    let folder = root().join(FOLDER);
    fs::create_dir_all(&folder)?;
    for figure in figures() {
        if arguments.names.is_empty() || arguments.names.iter().any(|name| name == figure.name) {
            draw(figure)?;
        }
    }
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if arguments.names.is_empty() && !known.contains_key(stem.as_str()) {
            fs::remove_file(&path)?;
            println!("removed {FOLDER}/{stem}.svg");
        }
    }
    Ok(Outcome::Done)
}

/// Writes a figure, and prints its name if it changed.
fn draw(figure: &Figure) -> Result<()> {
    let name = format!("{FOLDER}/{}.svg", figure.name);
    let (path, svg) = (root().join(&name), figure.svg()?);
    if fs::read_to_string(&path).is_ok_and(|old| old.replace("\r\n", "\n") == svg) {
        return Ok(());
    }
    files::write(&path, svg).with_context(|| format!("cannot write `{name}`"))?;
    println!("{name}");
    Ok(())
}
