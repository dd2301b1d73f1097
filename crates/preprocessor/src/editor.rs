//! Listings that a reader can edit and run: launches of the kernels that a listing shows.
//!
//! A launch is an entry of `book/live.toml`, which a page also plays, or of `book/listings.toml`, which has the others in the
//! same form. A listing gets the entries whose kernels it shows, and those that name one of its anchors in `shows`. They are
//! run by `cargo xtask facts`, as those of live figures. The page gets the file, once, and the committed PTX of the kernels.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::code::Shown;
use crate::facts::{Facts, Launch};
use crate::live;
use crate::repository::Repository;

/// The launches that no page plays.
pub const FILE: &str = "book/listings.toml";

/// What is written under a listing of a kernel file. The first listing of a file on a page has its text.
pub fn listing(
    shown: &Shown<'_>,
    anchors: &[&str],
    text: Option<&str>,
    facts: &Facts,
    repository: &Repository,
) -> Result<String> {
    let runs = runs(shown, anchors, facts, repository)?;
    let target = runs.iter().find_map(|run| run.ptx.split(".sm_").nth(1)).unwrap_or("70");
    let sm: u32 =
        target.split('-').next().unwrap_or_default().parse().context("write `ptx` as in `branch.sm_70`")?;
    let run = |run: &&Launch| -> Result<Value> {
        let ptx = run.text(repository)?;
        Ok(json!({ "title": run.title, "launch": run.request, "ptx": ptx, "result": run.result }))
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
    if let Some(text) = text {
        data["text"] = json!(text);
    }
    Ok(format!("<div class=\"edit\" hidden>\n<!--{}-->\n</div>\n", live::inert(&data.to_string())))
}

/// The launches that no listing has, once all pages have been expanded.
pub fn unused(facts: &Facts, repository: &Repository) -> Vec<String> {
    let names = facts.listings.iter().map(|(name, _)| name);
    names.filter(|name| !repository.has_launch(name)).cloned().collect()
}

fn part(numbers: &[usize]) -> Value {
    json!({ "from": numbers.first(), "to": numbers.last(), "numbers": numbers })
}

/// The launches of a listing: those that a page plays come first.
fn runs<'f>(
    shown: &Shown<'_>,
    anchors: &[&str],
    facts: &'f Facts,
    repository: &Repository,
) -> Result<Vec<&'f Launch>> {
    let stem = shown.file.rsplit('/').next().and_then(|name| name.strip_suffix(".cu")).unwrap_or_default();
    let mut runs: Vec<&Launch> = Vec::new();
    for (name, launch) in facts.live.iter().chain(facts.listings.iter()) {
        let kernel = launch.request["kernel"].as_str().unwrap_or_default();
        let is_of_file = launch.ptx.split('.').next() == Some(stem);
        let is_named = launch.shows.iter().any(|anchor| anchors.contains(&anchor.as_str()));
        let is_like = |run: &&Launch| {
            ["kernel", "arguments"].iter().all(|field| run.request[*field] == launch.request[*field])
        };
        let is_known = runs.iter().any(is_like);
        if is_of_file && !is_known && (is_named || shown.lines().any(|line| defines(line, kernel))) {
            repository.note_launch(name);
            runs.push(launch);
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
