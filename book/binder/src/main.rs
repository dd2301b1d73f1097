//! The book's preprocessor.

fn main() {}
