//! What the preprocessor warns of: habits of writing, and terms that are used before a page defines them.

use std::path::{Path, PathBuf};

use preprocessor::{Page, Problem};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn no_text_has_a_habit_that_is_found_or_a_term_too_early() {
    let warnings = preprocessor::warnings(&root(), &preprocessor::pages(&root()).unwrap()).unwrap();
    let warnings: Vec<String> = warnings.iter().map(Problem::to_string).collect();
    assert!(warnings.is_empty(), "{}", warnings.join("\n"));
}

#[test]
fn a_habit_is_a_warning_with_its_place_and_exceptions_are_not_in_the_page() {
    let warns = |text: &str| {
        let page = Page { path: "a.md".to_owned(), text: text.to_owned() };
        let warnings = preprocessor::warnings(&root(), &[page]).unwrap();
        warnings
            .into_iter()
            .filter(|warning| warning.file.ends_with("/a.md"))
            .map(|warning| warning.line)
            .collect::<Vec<_>>()
    };
    assert_eq!(warns("# A\n\nb `in vain`\nin\nvain\n"), [4]);
    assert_eq!(warns("# A\n\n<!-- lint: allow in vain: it is a quotation -->\nin vain\n"), [0; 0]);
    assert_eq!(warns("# A\n\n<!-- lint: allow in vain: it is a quotation -->\nb\n"), [3]);
    assert_eq!(warns("[a](https://docs.nvidia.com/cuda/cuda-c-programming-guide/)\n"), [1]);
}

#[test]
fn a_term_that_is_used_before_it_is_defined_is_a_warning() {
    let mut pages = preprocessor::pages(&root()).unwrap();
    pages[0].text += "\nOne more word: stencils.\n";
    let line = pages[0].text.lines().count();
    let warnings = preprocessor::warnings(&root(), &pages).unwrap();
    let is_it = |warning: &&Problem| warning.file.ends_with(&pages[0].path) && warning.line == line;
    let what = &warnings.iter().find(is_it).expect("a warning").what;
    assert!(what.contains("`stencils`") && what.contains("ch06_laplace/stencil.md"), "{what}");
}
