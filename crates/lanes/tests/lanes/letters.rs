//! The project of the book's page *Your own programs*: what the page shows is what the program prints today.

use std::path::PathBuf;
use std::process::Command;

/// The folder of the project.
fn folder() -> PathBuf {
    crate::root().join("crates/lanes/tests/letters")
}

/// Repeats the command in the first line of a file, whose other lines are what it prints. `BLESS=1` writes them; read the diff.
fn repeat(file: &str, alike: impl Fn(&str) -> String) {
    let path = folder().join(file);
    let kept = std::fs::read_to_string(&path).unwrap();
    let (first, kept) = kept.split_once('\n').unwrap();
    let words = first.strip_prefix("$ cargo run --bin lanes -- ").unwrap().split("  # ").next().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_lanes"))
        .args(words.split_whitespace())
        .current_dir(folder())
        .output()
        .expect("the program was built");
    assert_eq!(output.status.code(), Some(1), "{file}: {output:?}");
    let printed = super::stdout(&output);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{first}\n{printed}")).unwrap();
    } else {
        assert_eq!(alike(printed), alike(kept), "{file}: `BLESS=1` writes what is printed now");
    }
}

#[test]
fn the_interpreted_project_prints_what_the_page_shows() {
    repeat("plain.txt", str::to_owned);
}

/// A line names the version of clang, which may be another one here.
#[cfg(unix)]
#[test]
fn the_compiled_project_prints_what_the_page_shows_skipped_without_clang() {
    if native_host::Clang::find().is_none() {
        assert!(std::env::var("CLANG_TESTS").is_err(), "no clang of version 16 or newer is in `PATH`");
        println!("skipped: there is no clang of version 16 or newer");
        return;
    }
    repeat("sorted.txt", |text| {
        let (before, after) = text.split_once("compiled by clang ").expect("a line names clang");
        format!("{before}{}", after.trim_start_matches(|letter: char| letter.is_ascii_digit()))
    });
}
