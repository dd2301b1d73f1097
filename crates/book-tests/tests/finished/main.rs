//! Builds the whole book once, and checks it, both the files and the pages in a browser.

mod browser;
mod drafts;
mod driver;
mod editor;
mod engines;
mod head;
mod listings;
mod live;
mod pages;
mod policy;
mod predictions;
mod reader;
mod robot;
mod server;
mod session;
mod solve;
mod times;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use book_tests::{Built, make};

/// The address of the book's repository in the tests; it does not exist.
const ADDRESS: &str = "https://repository.invalid/lanes";

/// The repository's folder.
fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The book, built once for all tests.
fn book() -> &'static Built {
    static BOOK: OnceLock<Result<Built, String>> = OnceLock::new();
    let build = || {
        let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("book");
        make(&repository().join("book"), &out, ADDRESS).map_err(|error| format!("{error:#}"))
    };
    BOOK.get_or_init(build).as_ref().unwrap_or_else(|error| panic!("{error}"))
}
