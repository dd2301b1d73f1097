//! Structured texts: whatever is repeated, nested or doubled in a text, the compiler returns in a bounded time, with bounded
//! memory, on the stack that the programs have.
//!
//! The texts are made from seeds (`generate`) out of shapes (`shapes`). Time is measured as well as memory, so the
//! bounds are generous: what is exponential or quadratic is beyond them by far.

mod generate;
mod measure;
mod shapes;

use generate::generate;
use measure::check;

#[test]
fn no_structure_is_too_much() {
    for seed in test_support::seeds(500) {
        let (made, text) = generate(seed, if seed < 500 { 20_000 } else { 400_000 });
        if std::env::var_os("CUDAC_TEXT").is_some() { println!("{made}\n{text}"); }
        check(&format!("seed {seed}, {made}"), &text);
    }
}

/// Files, for whoever looks for the reason.
#[test]
#[ignore = "for files that are named by `CUDAC_FILES`"]
fn files() {
    for path in std::env::var("CUDAC_FILES").unwrap_or_default().split_whitespace() {
        check(path, &std::fs::read_to_string(path).unwrap());
    }
}
