//! The facts that the book's pages show of runs: moments of live figures, the launches of listings, the answers to questions,
//! and what a page knows of an exercise.
//!
//! `cargo xtask facts` writes them to `book/facts`; the tests collect them again and compare. So the preprocessor, which each
//! build of the book compiles, contains neither the emulator nor the compiler.

mod answers;
mod excerpt;
mod exercises;
mod files;
mod launches;
mod results;

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use files::{Facts, Files};

/// Where the facts are, from the root of the repository.
pub const FOLDER: &str = "book/facts";

/// Collects the facts: the name of each file, and its text.
pub fn facts(root: &Path) -> Result<[(&'static str, String); 4]> {
    type Collect = fn(&mut Files) -> Result<Facts>;
    let all: [(&str, Collect); 4] = [
        ("live.json", launches::live),
        ("listings.json", launches::listings),
        ("answers.json", answers::answers),
        ("exercises.json", exercises::exercises),
    ];
    let mut texts = all.map(|(name, _)| (name, String::new()));
    for ((name, collect), (_, text)) in all.into_iter().zip(&mut texts) {
        let mut files = Files::new(root);
        let facts = collect(&mut files).with_context(|| format!("for `{FOLDER}/{name}`"))?;
        let generated = "by `cargo xtask facts`; do not edit";
        *text = lines(&json!({ "generated": generated, "from": files.sums, "facts": facts }), 3) + "\n";
    }
    Ok(texts)
}

/// JSON with a line for each field, down to so many objects inside one another.
fn lines(value: &Value, depth: usize) -> String {
    let Some(fields) = value.as_object().filter(|fields| depth > 0 && !fields.is_empty()) else {
        return value.to_string();
    };
    let line = |(name, value): (&String, &Value)| format!("{}: {}", json!(name), lines(value, depth - 1));
    format!("{{\n{}\n}}", fields.iter().map(line).collect::<Vec<_>>().join(",\n"))
}
