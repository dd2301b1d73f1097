//! The crates: what they may depend on, why they depend on what others wrote, and the map of the repository, which is made
//! of their READMEs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::{generated, name, root};

const ARCHITECTURE: &str = "docs/ARCHITECTURE.md";

/// The most bytes that ARCHITECTURE.md may have: what it has no room for is said by the module that it is about.
const MOST_BYTES: u64 = 20_000;

/// How many crates the table of dependencies names; if there are more, it says how many.
const MOST_NAMED: usize = 5;

/// A crate of the repository, or a folder of `tools/` that is none.
struct Place {
    folder: PathBuf,
    /// The name that other manifests have for it.
    name: String,
    /// What its manifest lists under `[dependencies]` and `[build-dependencies]`.
    uses: BTreeSet<String>,
    /// What only its tests and benchmarks use.
    tests_use: BTreeSet<String>,
}

impl Place {
    fn new(folder: PathBuf) -> Place {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let file = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = if folder == *root() { "thirty-two-lanes".to_owned() } else { file };
        let uses =
            dependencies(&manifest, |section| matches!(section, "[dependencies]" | "[build-dependencies]"));
        let mut tests_use = dependencies(&manifest, |section| section == "[dev-dependencies]");
        tests_use.retain(|used| !uses.contains(used) && *used != name);
        Place { folder, name, uses, tests_use }
    }
}

/// The places, in the order of the map.
fn places() -> Vec<Place> {
    let inside = |folder: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    let folders = [vec![root().to_owned()], inside("chapters"), inside("crates"), inside("tools")];
    folders.into_iter().flatten().map(Place::new).collect()
}

/// The names in some tables of a manifest.
fn dependencies(manifest: &str, is_wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if is_wanted(section) && line.starts_with(|c: char| c.is_ascii_lowercase()) {
            found.insert(line.split(['.', ' ', '=']).next().unwrap_or_default().to_owned());
        }
    }
    found
}

/// Ours by name, with what each uses, directly or not, outside of its tests.
fn reach(places: &[Place]) -> BTreeMap<&str, BTreeSet<&str>> {
    let uses: BTreeMap<&str, &BTreeSet<String>> =
        places.iter().map(|place| (&*place.name, &place.uses)).collect();
    let all = |name: &'_ str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![name]);
        while let Some((own, used)) = next.pop().and_then(|name| uses.get_key_value(name)) {
            if seen.insert(*own) {
                next.extend(used.iter().map(String::as_str).filter(|used| uses.contains_key(used)));
            }
        }
        seen.remove(name);
        seen
    };
    uses.keys().map(|name| (*name, all(name))).collect()
}

/// What crates must not use, directly or through another one.
#[test]
fn crates_keep_to_their_boundaries() {
    let places = places();
    let reach = reach(&places);
    for alone in ["simt", "nvrtc", "record"] {
        assert!(reach[alone].is_empty(), "`{alone}` uses nothing of ours, not {:?}", reach[alone]);
    }
    // `cudac` has the feature `toolchain`, which no page switches on, for NVIDIA's compiler.
    assert_eq!(reach["cudac"], BTreeSet::from(["nvrtc"]), "`cudac` uses nothing else of ours");
    for of_the_page in ["spec", "grader", "page"] {
        let is_there = reach[of_the_page].contains("thirty-two-lanes");
        assert!(
            !is_there,
            "a web page has no files and no GPU, so `{of_the_page}` may not use the chapters' library"
        );
    }
    for (name, used) in &reach {
        let is_of_tests = *name == "xtask" || !used.contains("test-support");
        assert!(is_of_tests, "`{name}` uses `test-support`, which is for tests and for what runs them");
        let is_chapter = name.starts_with("ch0");
        assert!(!is_chapter || !used.contains("cudac"), "no chapter waits for `cudac`, but `{name}` does");
        let reads_pages = *name == "book-tests" || !used.contains("preprocessor");
        assert!(reads_pages, "`{name}` uses `preprocessor`, which is for the book alone");
    }
}

/// The first paragraph of a README, as one line.
fn summary(place: &Place) -> String {
    let path = place.folder.join("README.md");
    let text =
        fs::read_to_string(&path).unwrap_or_else(|_| panic!("`{}` has no README.md", name(&place.folder)));
    let paragraph = text.split("\n\n").nth(1).unwrap_or_else(|| panic!("`{}` says nothing", name(&path)));
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Which of ours a place uses, in words.
fn used_by_us(place: &Place, ours: &BTreeSet<&str>) -> String {
    let is_ours = |name: &&String| ours.contains(name.as_str());
    let names = place.uses.iter().filter(is_ours).map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_map_is_made_of_the_readmes() {
    let places = places();
    let ours = places.iter().map(|place| &*place.name).collect();
    let mut map = "| place | what it is | uses |\n|---|---|---|\n".to_owned();
    let listed = places.iter().filter(|place| {
        let folder = name(&place.folder);
        folder.starts_with("crates/") || folder.starts_with("tools/")
    });
    for place in listed {
        let (folder, used) = (name(&place.folder), used_by_us(place, &ours));
        writeln!(map, "| `{folder}/` | {} | {used} |", summary(place)).unwrap();
    }
    generated(ARCHITECTURE, "map of the crates", &map);
}

#[test]
fn the_architecture_is_short() {
    let bytes = fs::metadata(root().join(ARCHITECTURE)).unwrap().len();
    assert!(bytes <= MOST_BYTES, "{ARCHITECTURE} has {bytes} bytes, and should have at most {MOST_BYTES}");
}

/// Whoever opens the repository finds each name of the top level explained.
#[test]
fn the_architecture_names_every_entry_at_the_top() {
    let text = fs::read_to_string(root().join(ARCHITECTURE)).unwrap();
    let output =
        std::process::Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let entries: BTreeSet<&str> =
        listed.split_terminator('\0').filter_map(|path| path.split('/').next()).collect();
    assert!(entries.len() <= 28, "the top level has {} entries, and should have at most 28", entries.len());
    for entry in entries {
        let is_folder = root().join(entry).is_dir();
        let quoted = if is_folder { format!("`{entry}/`") } else { format!("`{entry}`") };
        assert!(text.contains(&quoted), "{ARCHITECTURE} does not say what {quoted} is");
    }
}

/// The dependencies that others wrote, in the workspace's manifest, each with the comment above it.
fn reasons() -> Vec<(String, String)> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let table = manifest.split("[workspace.dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let (mut found, mut reason) = (Vec::new(), String::new());
    for line in table.lines() {
        match line.strip_prefix("# ") {
            Some(comment) => reason = format!("{reason} {comment}"),
            None if line.is_empty() => reason.clear(),
            None if line.contains("path = ") => reason.clear(),
            None => {
                let dependency = line.split(" = ").next().unwrap();
                assert!(!reason.is_empty(), "Cargo.toml does not say why `{dependency}` is needed");
                found.push((dependency.to_owned(), std::mem::take(&mut reason).trim().to_owned()));
            }
        }
    }
    found
}

/// Crates by name, or only how many they are, and what of each is meant.
fn named(crates: &[&str], part: &str) -> Vec<String> {
    let of = |owner: String, ending: &str| match part {
        "" => owner,
        part => format!("{owner}{ending} {part}"),
    };
    match crates.len() {
        0..=MOST_NAMED => crates.iter().map(|name| of(format!("`{name}`"), "'s")).collect(),
        many => vec![of(format!("{many} crates"), "'")],
    }
}

#[test]
fn every_dependency_is_used_and_has_its_reason() {
    let (places, reasons) = (places(), reasons());
    let ours: BTreeSet<&str> = places.iter().map(|place| &*place.name).collect();
    let known: BTreeSet<&str> = reasons.iter().map(|(name, _)| &**name).collect();
    let mut table = "| crate | used by | why |\n|---|---|---|\n".to_owned();
    for place in &places {
        let foreign = place.uses.union(&place.tests_use).filter(|name| !ours.contains(name.as_str()));
        for name in foreign {
            assert!(
                known.contains(name.as_str()),
                "`{name}` of `{}` is not among the workspace's",
                place.name
            );
        }
    }
    for (dependency, reason) in &reasons {
        let by = |uses: fn(&Place) -> &BTreeSet<String>| -> Vec<&str> {
            places.iter().filter(|place| uses(place).contains(dependency)).map(|place| &*place.name).collect()
        };
        let users =
            [named(&by(|place| &place.uses), ""), named(&by(|place| &place.tests_use), "tests")].concat();
        assert!(!users.is_empty(), "nothing uses `{dependency}`");
        writeln!(table, "| `{dependency}` | {} | {reason} |", users.join(", ")).unwrap();
    }
    generated(ARCHITECTURE, "table of dependencies", &table);
}
