//! The pages of the book, as they are written: which the summary lists, and where they are.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_summary::{Summary, SummaryItem};

/// Where the pages are.
pub const SOURCE: &str = "book/src";

/// A page of the book, before it is expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its path in `book/src`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Reads the pages that the summary lists, in its order.
pub fn pages(root: &Path) -> Result<Vec<Page>> {
    let file = root.join(SOURCE).join("SUMMARY.md");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let summary = mdbook_summary::parse_summary(&text)?;
    let page = |path: PathBuf| {
        let text = fs::read_to_string(root.join(SOURCE).join(&path)).with_context(|| {
            format!("`{SOURCE}/SUMMARY.md` lists `{}`, which cannot be read", path.display())
        })?;
        Ok(Page { path: slashes(&path), text: text.replace("\r\n", "\n") })
    };
    listed(&summary).into_iter().map(page).collect()
}

/// The pages that a summary lists, in order.
fn listed(summary: &Summary) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for items in [&summary.prefix_chapters, &summary.numbered_chapters, &summary.suffix_chapters] {
        for item in items {
            collect(item, &mut paths);
        }
    }
    paths
}

fn collect(item: &SummaryItem, paths: &mut Vec<PathBuf>) {
    if let SummaryItem::Link(link) = item {
        paths.extend(link.location.clone());
        for item in &link.nested_items {
            collect(item, paths);
        }
    }
}

/// A path with `/` on every system.
pub fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Writes a file that a page loads. It lies beside the pages, because mdBook copies what is there once the preprocessors are done.
pub fn save(file: &Path, text: &str) -> Result<()> {
    // A file that is written makes `mdbook serve` build again.
    if fs::read_to_string(file).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))
}
