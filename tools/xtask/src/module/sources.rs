//! The checksum of what the module is made of. It covers what the compiler makes code of. Comments and tests are left out,
//! because they change often, and each new module makes every clone of the repository larger.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The checksum of the sources of these crates: their manifests, and their folders `src`.
pub(crate) fn checksum(root: &Path, crates: &[&str]) -> Result<String> {
    let mut files = Vec::new();
    for name in crates {
        files.push(format!("{name}/Cargo.toml"));
        add_files(root, &format!("{name}/src"), &mut files)?;
    }
    files.sort();
    let named = |file: &String| {
        let text = fs::read_to_string(root.join(file)).with_context(|| format!("cannot read `{file}`"))?;
        let is_rust = Path::new(file).extension().is_some_and(|extension| extension == "rs");
        let text = if is_rust { code(&text).with_context(|| format!("in `{file}`"))? } else { text };
        Ok(format!("{file} {}\n{text}", text.len()))
    };
    let all: Result<Vec<String>> = files.iter().map(named).collect();
    Ok(nvrtc::sha256(&all?.concat()))
}

/// Adds the files of a folder that are not tests.
fn add_files(root: &Path, folder: &str, files: &mut Vec<String>) -> Result<()> {
    let entries = fs::read_dir(root.join(folder)).with_context(|| format!("cannot read `{folder}`"))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        match (entry.path().is_dir(), name.as_str()) {
            (_, "tests" | "tests.rs") => {}
            (true, _) => add_files(root, &path, files)?,
            (false, _) => files.push(path),
        }
    }
    Ok(())
}

/// The tokens of a Rust file, without comments and without items that are compiled only for tests.
fn code(text: &str) -> Result<String> {
    let tokens = TokenStream::from_str(text).map_err(|error| anyhow!("this is not Rust: {error}"))?;
    Ok(without_tests(tokens).to_string())
}

fn without_tests(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        let TokenTree::Group(group) = token else {
            kept.push(token);
            continue;
        };
        let is_attribute = group.delimiter() == Delimiter::Bracket && ends_with_hash(&kept);
        let text = group.stream().to_string();
        if is_attribute && text.starts_with("doc ") {
            // A comment with three strokes, which is an attribute to the compiler.
            remove_hash(&mut kept);
        } else if is_attribute && text.replace(' ', "") == "cfg(test)" {
            remove_hash(&mut kept);
            // The item ends with its body, or with a semicolon.
            let _ = tokens.find(|token| match token {
                TokenTree::Group(body) => body.delimiter() == Delimiter::Brace,
                TokenTree::Punct(sign) => sign.as_char() == ';',
                _ => false,
            });
        } else {
            kept.push(Group::new(group.delimiter(), without_tests(group.stream())).into());
        }
    }
    kept.into_iter().collect()
}

/// Whether an attribute can follow: `#` or `#!`.
fn ends_with_hash(tokens: &[TokenTree]) -> bool {
    let is = |token: Option<&TokenTree>, sign: char| matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == sign);
    is(tokens.last(), '#') || is(tokens.last(), '!') && is(tokens.iter().nth_back(1), '#')
}

fn remove_hash(tokens: &mut Vec<TokenTree>) {
    while tokens.pop().is_some_and(|token| token.to_string() == "!") {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tests_do_not_count_and_code_does() {
        let plain = code("fn a() -> u8 { 1 }\nstruct B;").unwrap();
        for same in [
            "//! A file.\n\nfn a() -> u8 {\n    // Why.\n    1 /* one */\n}\n/// A struct.\nstruct B;\n",
            "fn a() -> u8 { 1 } struct B; #[cfg(test)] mod tests { fn c() { d(); } }",
            "#[cfg(test)] mod tests; fn a() -> u8 { 1 } struct B;",
            "fn a() -> u8 { #[cfg(test)] fn c() {} 1 } struct B;",
        ] {
            assert_eq!(code(same).unwrap(), plain, "{same}");
        }
        for other in [
            "fn a() -> u8 { 2 } struct B;",
            "fn a() -> u8 { 1 } #[cold] struct B;",
            "#[cfg(not(test))] fn c() {} fn a() -> u8 { 1 } struct B;",
            "fn a() -> u8 { 1 } struct B; const C: &str = \"// no comment\";",
        ] {
            assert_ne!(code(other).unwrap(), plain, "{other}");
        }
    }

    #[test]
    fn a_file_that_is_not_rust_is_named() {
        assert!(code("fn a( {").unwrap_err().to_string().starts_with("this is not Rust: "));
    }
}
