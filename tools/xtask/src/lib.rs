//! The part of the chores that tests need too: the WebAssembly module of the book's pages as a committed file.
#![deny(missing_docs)]

pub mod module;
