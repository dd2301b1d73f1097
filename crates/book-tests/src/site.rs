//! Reads the pages of a built book.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use scraper::{Html, Selector};

/// A page.
#[derive(Debug)]
pub struct Page {
    /// What was parsed.
    pub html: Html,
    /// Every `id` and every `a[name]` on it, once.
    pub ids: HashSet<String>,
    /// The names that occur more than once.
    pub repeated: Vec<String>,
}

/// A built book.
#[derive(Debug)]
pub struct Site {
    /// Its folder.
    pub root: PathBuf,
    /// Its HTML files by their path in the folder, with `/`.
    pub pages: BTreeMap<String, Page>,
    /// Where the old addresses of pages lead, which are HTML files too.
    pub forwards: BTreeMap<String, String>,
    /// All its files, likewise.
    pub files: Vec<String>,
}

impl Site {
    /// Reads the book that was built into this folder.
    pub fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        walk(root, "", &mut files)?;
        files.sort();
        let (mut pages, mut forwards) = (BTreeMap::new(), BTreeMap::new());
        for name in files.iter().filter(|name| has_extension(name, "html")) {
            let text = fs::read_to_string(root.join(name)).with_context(|| format!("in `{name}`"))?;
            let page = read(&text);
            match forward(&page) {
                Some(target) => drop(forwards.insert(name.clone(), target)),
                None => drop(pages.insert(name.clone(), page)),
            }
        }
        Ok(Self { root: root.to_owned(), pages, forwards, files })
    }

    /// The pages that are written for the book, without mdBook's own, which repeat or replace them.
    pub fn written(&self) -> impl Iterator<Item = (&str, &Page)> {
        let own = ["toc.html", "404.html", "index.html"];
        self.pages
            .iter()
            .map(|(name, page)| (name.as_str(), page))
            .filter(move |(name, _)| !own.contains(name))
    }
}

/// Whether the name of a file ends with this extension.
pub fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == extension)
}

/// Where a page leads that only forwards its readers.
fn forward(page: &Page) -> Option<String> {
    let refresh = page.html.select(&selector("meta[http-equiv=refresh]")).next()?;
    let (_, target) = refresh.attr("content")?.split_once("URL=")?;
    Some(target.to_owned())
}

fn read(text: &str) -> Page {
    let html = Html::parse_document(text);
    let mut ids = HashSet::new();
    let mut repeated = Vec::new();
    for element in html.select(&selector("[id]")) {
        let id = element.attr("id").unwrap_or_default().to_owned();
        if !ids.insert(id.clone()) {
            repeated.push(id);
        }
    }
    ids.extend(html.select(&selector("a[name]")).filter_map(|a| a.attr("name")).map(str::to_owned));
    Page { html, ids, repeated }
}

/// A selector that is known to be valid.
pub fn selector(text: &str) -> Selector {
    Selector::parse(text).unwrap_or_else(|error| panic!("the selector `{text}`: {error}"))
}

fn walk(root: &Path, under: &str, files: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(root.join(under))? {
        let entry = entry?;
        let name = format!("{under}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(root, &format!("{name}/"), files)?;
        } else {
            files.push(name);
        }
    }
    Ok(())
}
