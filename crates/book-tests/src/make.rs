//! Builds the book.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use preprocessor::BookPreprocessor;

use crate::Formulas;

/// A book that was built.
#[derive(Debug)]
pub struct Built {
    /// The folder of its pages.
    pub out: PathBuf,
    /// How many formulas each page has, by the name of the page's file.
    pub formulas: BTreeMap<String, usize>,
}

/// Builds the book in the folder `book` into `out`, with the preprocessors that its book.toml names, but as libraries.
/// Links to files of the repository lead to `repository`, its address on the web.
pub fn make(book: &Path, out: &Path, repository: &str) -> Result<Built> {
    let mut book = MDBook::load(book).with_context(|| format!("in `{}`", book.display()))?;
    book.config.build.build_dir = out.into();
    book.config.set("output.html.git-repository-url", repository)?;
    let formulas = Formulas::new(book.source_dir());
    let counts = formulas.counts();
    if book.config.contains_key("preprocessor.directives") {
        book.with_preprocessor(BookPreprocessor);
    }
    book.with_preprocessor(formulas);
    book.build()?;
    let formulas = counts.lock().expect("nothing panics while it counts").clone();
    Ok(Built { out: book.build_dir_for("html"), formulas })
}
