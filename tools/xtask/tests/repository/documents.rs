//! What documents name: packages, programs, tests and chores in their commands, and paths in their sentences. The pages of the
//! book are left to its preprocessor.

use std::fs;
use std::path::Path;

use thirty_two_lanes::spec::launch::{FIELDS, Field, Group};

use crate::{files, generated, name, root};

/// The documents that say how things are; the changelog says how they were.
fn documents() -> Vec<(String, String)> {
    let all = files("md").into_iter().map(|path| (name(&path), fs::read_to_string(&path).unwrap()));
    all.filter(|(file, _)| !file.starts_with("book/") && file != "CHANGELOG.md").collect()
}

#[test]
fn scenario_files_have_the_fields_of_a_launch() {
    let (launch, test): (Vec<&Field>, Vec<&Field>) =
        FIELDS.iter().filter(|field| field.name() != "seed").partition(|field| field.group == Group::Launch);
    for (what, fields) in [("a test", test), ("a launch", launch)] {
        let rows: String = fields.iter().map(|field| field.row() + "\n").collect();
        let table = format!("| field | meaning |\n|---|---|\n{rows}");
        generated("docs/scenarios.md", &format!("fields of {what}"), &table);
    }
}

/// The folders of the crates.
fn crates() -> Vec<std::path::PathBuf> {
    let manifests = files("toml").into_iter().filter(|path| path.ends_with("Cargo.toml"));
    manifests.map(|path| path.parent().unwrap().to_owned()).collect()
}

/// Whether the word after an option of Cargo names something that is there.
fn is_known(option: &str, word: &str) -> bool {
    let in_a_manifest = |folder: &Path| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        manifest.contains(&format!("name = \"{word}\""))
    };
    let is_source = |folder: &Path| {
        let sources = match option {
            "--test" => "tests",
            "--example" => "examples",
            _ => return false,
        };
        let path = folder.join(sources).join(word);
        path.join("main.rs").exists() || path.with_extension("rs").exists()
    };
    match option {
        "xtask" => {
            let chores = fs::read_to_string(root().join("tools/xtask/src/main.rs")).unwrap().to_lowercase();
            [",", "(", " {"].iter().any(|end| chores.contains(&format!("\n    {word}{end}")))
        }
        _ => crates().iter().any(|folder| in_a_manifest(folder) || is_source(folder)),
    }
}

#[test]
fn commands_of_documents_name_what_exists() {
    let (mut found, mut missing) = (0, Vec::new());
    for (file, text) in documents() {
        let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == '`').collect();
        for (at, pair) in words.windows(2).enumerate() {
            let is_cargo = words[at.saturating_sub(6)..=at].contains(&"cargo");
            let is_option = matches!(pair[0], "-p" | "--bin" | "--test" | "--example" | "xtask");
            let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase());
            if is_cargo && is_option && is_name(pair[1]) {
                let word = pair[1].trim_end_matches(|c: char| !c.is_alphanumeric());
                found += 1;
                if !is_known(pair[0], word) {
                    missing.push(format!("{file}: `{} {word}`", pair[0]));
                }
            }
        }
    }
    assert!(missing.is_empty(), "documents name what is not there:\n{}", missing.join("\n"));
    assert!(found > 50, "only {found} names were found");
    assert!(!is_known("-p", "no-such-package") && !is_known("xtask", "no-such-chore"));
}

/// Whether a word in backquotes is a path from the root, without a part that stands for others, as in `chNN_slug/NAME`.
fn is_path(word: &str) -> bool {
    let is_pattern = word.contains(|c: char| c.is_whitespace() || "*:<{…".contains(c));
    let stands_for_others =
        |part: &str| part.contains("NN") || part.split('.').next() == Some("NAME") || part == "FAMILY.rs";
    let first = word.split('/').next().unwrap();
    let is_inside = !first.is_empty() && first != "target" && root().join(first).is_dir();
    word.contains('/') && is_inside && !is_pattern && !word.split('/').any(stands_for_others)
}

#[test]
fn paths_in_documents_exist() {
    let (mut found, mut missing) = (0, Vec::new());
    for (file, text) in documents() {
        for path in text.split('`').skip(1).step_by(2).filter(|word| is_path(word)) {
            found += 1;
            if !root().join(path).exists() {
                missing.push(format!("{file}: `{path}`"));
            }
        }
    }
    assert!(missing.is_empty(), "documents name what is not there:\n{}", missing.join("\n"));
    assert!(found > 80, "only {found} paths were found");
}
