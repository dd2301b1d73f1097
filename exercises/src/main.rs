//! The exercises in the terminal.
fn main() {}
