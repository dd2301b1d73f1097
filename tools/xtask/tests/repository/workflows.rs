//! What CI runs: the parts of one script, by actions that are pinned to commits; and what its workflows may do and install.

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

/// The parts of a workflow that begin with `- `, each with its other lines: its steps, and the events' branches.
fn steps(text: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for line in text.lines() {
        match steps.last_mut() {
            Some(step) if !line.trim_start().starts_with("- ") => step.extend(["\n", line]),
            _ => steps.push(line.to_owned()),
        }
    }
    steps
}

/// What a step leaves in the folder, later steps can read, and what they build and run.
#[test]
fn no_checkout_leaves_a_token_behind() {
    let mut count = 0;
    for (path, text) in workflows() {
        let checkouts = steps(&text).into_iter().filter(|step| step.contains("uses: actions/checkout@"));
        for step in checkouts {
            assert!(step.contains("\n          persist-credentials: false"), "{}: {step}", path.display());
            count += 1;
        }
        assert!(
            text.contains("\npermissions:\n  contents: read\n\n"),
            "{}: a job may do more",
            path.display()
        );
    }
    assert!(count > 5, "{count} checkouts");
}

/// A version may be replaced by whoever publishes it, but not the hash of a file.
#[test]
fn wheels_are_pinned_by_their_hashes_and_are_those_that_the_documents_name() {
    let installs = |text: &str| {
        text.lines().filter(|line| line.contains("pip install")).map(str::to_owned).collect::<Vec<_>>()
    };
    let all: Vec<String> = workflows().iter().flat_map(|(_, text)| installs(text)).collect();
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(
        all[0].contains(" --require-hashes ") && all[0].ends_with(" -r .ci/wheels/requirements.txt"),
        "{all:?}"
    );
    let wheels = fs::read_to_string(root().join(".ci/wheels/requirements.txt")).unwrap().replace("\\\n", "");
    let contributing = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut count = 0;
    for wheel in wheels.lines().filter(|line| !line.starts_with('#')) {
        let (name, hash) = wheel.split_once(' ').unwrap();
        let hash = hash.trim().strip_prefix("--hash=sha256:").unwrap();
        assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{wheel}");
        assert!(contributing.contains(name), "CONTRIBUTING.md does not name `{name}`");
        count += 1;
    }
    assert!(nvrtc::packages().all(|name| wheels.contains(&format!("{name} "))), "{wheels}");
    assert_eq!(count, nvrtc::packages().count() + 1, "and the assembler");
}

/// What is published was tested before, and says what it was made of.
#[test]
fn nothing_is_published_that_ci_has_not_passed() {
    let text = |name: &str| fs::read_to_string(root().join(".github/workflows").join(name)).unwrap();
    let (book, release, ci) = (text("book.yml"), text("release.yml"), text("ci.yml"));
    assert!(
        ci.contains("\nname: CI\n")
            && book.contains("\n  workflow_run:\n    workflows: [CI]\n    types: [completed]\n")
    );
    let on = book.split("\non:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    assert_eq!(
        on.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")).count(),
        1,
        "{on}"
    );
    for condition in ["conclusion == 'success'", "event == 'push'", "full_name == github.repository"] {
        assert!(book.contains(condition), "{condition}");
    }
    assert!(book.contains("ref: ${{ github.event.workflow_run.head_sha }}"), "the commit that was tested");
    assert!(release.contains("  release:\n    needs: [ci, packages]\n"));
    let attested = release.find("uses: actions/attest-build-provenance@").unwrap();
    assert!(attested < release.find("gh release create").unwrap());
}

/// The folders of each kind of dependency are watched for newer versions.
#[test]
fn updates_are_watched_for() {
    let text = fs::read_to_string(root().join(".github/dependabot.yml")).unwrap();
    for (kind, folder, file) in [
        ("github-actions", "/", ".github/workflows/ci.yml"),
        ("cargo", "/", "Cargo.toml"),
        ("npm", "/crates/book-tests", "crates/book-tests/package.json"),
        ("pip", "/.ci/wheels", ".ci/wheels/requirements.txt"),
    ] {
        assert!(text.contains(&format!("- package-ecosystem: {kind}\n    directory: {folder}\n")), "{kind}");
        assert!(root().join(file).exists(), "{file}");
    }
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
