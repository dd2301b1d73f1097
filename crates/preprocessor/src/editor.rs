//! Listings that a reader can edit and run: launches of the kernels that a listing shows.
//!
//! A launch is an entry of `book/live.toml`, which a page also plays, or of `book/listings.toml`, which has the others in the
//! same form. A listing gets the entries whose kernels it shows, and those that name one of its anchors in `shows`. The
//! emulator runs each of them when the book is built, as for a live figure. The page gets the file, once, and the committed
//! PTX of the kernels.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::code::Shown;
use crate::live::{self, Live};
use crate::repository::Repository;

/// The launches that no page plays.
pub const FILE: &str = "book/listings.toml";

/// What is written under a listing of a kernel file. `has_text` says that no listing of the same file is above it on the page.
pub fn listing(
    shown: &Shown<'_>,
    anchors: &[&str],
    has_text: bool,
    repository: &Repository,
) -> Result<String> {
    let runs = runs(shown, anchors, repository)?;
    let targets: Vec<&str> = runs.iter().filter_map(|(_, live)| live.ptx.split(".sm_").nth(1)).collect();
    let target = targets.first().copied().unwrap_or("70");
    let sm: u32 =
        target.split('-').next().unwrap_or_default().parse().context("write `ptx` as in `branch.sm_70`")?;
    let run = |(name, live): &(String, Live)| -> Result<Value> {
        let of_entry = || format!("`{name}`");
        let (program, launch, _) = live.checked(0, repository).with_context(of_entry)?;
        Ok(json!({ "title": live.title, "launch": launch, "ptx": program["text"] }))
    };
    let name = shown.file.rsplit('/').next().unwrap_or_default();
    let mut data = json!({
        "id": format!("{name} {}", anchors.join(" ")),
        "name": name,
        "file": shown.file,
        "sm": sm,
        "parts": shown.parts().map(|numbers| part(&numbers)).collect::<Vec<_>>(),
        "runs": runs.iter().map(run).collect::<Result<Vec<_>>>()?,
    });
    if has_text {
        data["text"] = json!(&*repository.read(shown.file)?);
    }
    Ok(format!("<div class=\"edit\" hidden>\n<!--{}-->\n</div>\n", live::inert(&data.to_string())))
}

/// The launches that no listing has, once all pages have been expanded.
pub fn unused(repository: &Repository) -> Vec<String> {
    let Ok(all) = repository.launches(FILE) else { return Vec::new() };
    all.keys().filter(|name| !repository.has_launch(name)).cloned().collect()
}

fn part(numbers: &[usize]) -> Value {
    json!({ "from": numbers.first(), "to": numbers.last(), "numbers": numbers })
}

/// The launches of a listing: those that a page plays come first.
fn runs(shown: &Shown<'_>, anchors: &[&str], repository: &Repository) -> Result<Vec<(String, Live)>> {
    let stem = shown.file.rsplit('/').next().and_then(|name| name.strip_suffix(".cu")).unwrap_or_default();
    let mut runs: Vec<(String, Live)> = Vec::new();
    for file in [live::FILE, FILE] {
        for (name, live) in repository.launches(file)?.iter() {
            let is_of_file = live.ptx.split('.').next() == Some(stem);
            let is_named = live.shows.iter().any(|anchor| anchors.contains(&anchor.as_str()));
            let is_known =
                runs.iter().any(|(_, run)| run.kernel == live.kernel && run.arguments == live.arguments);
            if is_of_file && !is_known && (is_named || shown.lines().any(|line| defines(line, &live.kernel)))
            {
                repository.note_launch(name);
                runs.push((name.clone(), live.clone()));
            }
        }
    }
    ensure!(
        !runs.is_empty(),
        "no launch for this listing: add one to `{FILE}`, with a kernel of `{}` that it shows, or with `shows = [\"{}\"]`",
        shown.file,
        anchors.first().unwrap_or(&"ANCHOR")
    );
    Ok(runs)
}

/// Whether a line has the name of a kernel and the parenthesis of its parameters.
fn defines(line: &str, kernel: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(kernel).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + kernel.len()..]);
        line.contains("__global__") && !before.ends_with(is_of_name) && after.starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::defines;

    #[test]
    fn a_kernel_is_found_by_its_whole_name() {
        assert!(defines("extern \"C\" __global__ void scan(int* x)", "scan"));
        assert!(!defines("extern \"C\" __global__ void scan_block(int* x)", "scan"));
        assert!(!defines("extern \"C\" __global__ void block_scan(int* x)", "scan"));
        assert!(!defines("    scan(x);", "scan"));
    }
}
