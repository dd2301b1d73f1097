//! What CI runs: the parts of one script, by actions that are pinned to commits.

use std::fs;
use std::path::PathBuf;

use crate::root;

fn workflows() -> Vec<(PathBuf, String)> {
    let files = fs::read_dir(root().join(".github/workflows")).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// A tag can be moved to another commit, but a commit cannot be changed.
#[test]
fn actions_are_pinned_to_commits() {
    let mut count = 0;
    for (path, text) in workflows() {
        let uses = text.lines().filter_map(|line| line.trim_start_matches([' ', '-']).strip_prefix("uses: "));
        for action in uses.filter(|action| !action.starts_with("./")) {
            let (name, pin) = action.split_once('@').unwrap();
            let (commit, version) = pin.split_once(" # ").unwrap_or((pin, ""));
            let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit && version.starts_with('v'), "{}: `{name}` is not pinned", path.display());
            count += 1;
        }
    }
    assert!(count > 5, "{count} actions");
}

/// Otherwise only its author would ever run a part of the script.
#[test]
fn ci_runs_every_part_of_the_script() {
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    let all = script.lines().find_map(|line| line.strip_prefix("if [ $# -eq 0 ]; then set -- "));
    let parts: Vec<&str> = all.unwrap().trim_end_matches("; fi").split(' ').collect();
    let ci = fs::read_to_string(root().join(".github/workflows/ci.yml")).unwrap();
    assert!(ci.contains(&format!("part: [{}]", parts.join(", "))), "{parts:?}");
    assert!(ci.contains("run: bash .ci/run ${{ matrix.part }}"));
    let contributing = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    for part in &parts {
        let is_told =
            contributing.contains(&format!("`{part}`")) || contributing.contains(&format!(".ci/run {part}`"));
        assert!(is_told, "CONTRIBUTING.md does not name the part `{part}`");
    }
}

#[cfg(unix)]
#[test]
fn an_unknown_part_is_refused_with_the_list() {
    let output =
        std::process::Command::new("bash").arg(root().join(".ci/run")).args(["lint", "nonsense"]).output();
    let output = output.unwrap();
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), &*out), (Some(2), ""), "nothing has been run");
    assert!(error.starts_with("error: there is no part `nonsense`\n"), "{error}");
    assert!(
        ["lint", "test", "wasm", "book"].iter().all(|part| error.contains(&format!("\n  {part} "))),
        "{error}"
    );
}
