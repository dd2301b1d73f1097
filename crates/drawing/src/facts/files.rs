//! The files that facts are made from, with their checksums.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

/// The launches that pages play.
pub const LIVE: &str = "book/live.toml";
/// The launches of listings that no page plays.
pub const LISTINGS: &str = "book/listings.toml";

/// What is known of each thing, by its name.
pub type Facts = BTreeMap<String, Value>;

/// The files of the repository that facts are made from.
pub struct Files<'r> {
    pub root: &'r Path,
    /// The SHA-256 of each file that was read, as the preprocessor compares them.
    pub sums: BTreeMap<String, String>,
}

impl<'r> Files<'r> {
    /// Those below this folder, none of which was read yet.
    pub fn new(root: &'r Path) -> Files<'r> {
        Files { root, sums: BTreeMap::new() }
    }

    pub fn read(&mut self, name: &str) -> Result<String> {
        let text = text(&self.root.join(name))?;
        self.sums.insert(name.to_owned(), nvrtc::sha256(&text));
        Ok(text)
    }

    /// What stands between the name of a directive and its braces, wherever a page has one.
    pub fn directives(&self, name: &str) -> Result<Vec<String>> {
        let (start, mut found) = (format!("{{{{#{name} "), Vec::new());
        for page in pages(&self.root.join("book/src"))? {
            let text = text(&page)?;
            let all = text.split(&start).skip(1).filter_map(|rest| rest.split_once("}}"));
            found.extend(all.map(|(words, _)| words.trim().to_owned()));
        }
        Ok(found)
    }
}

fn text(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(text.replace("\r\n", "\n"))
}

/// The files of Markdown in a folder.
fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(pages(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    Ok(found)
}
