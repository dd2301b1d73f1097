//! The same launches on this machine and as a WebAssembly module under Node: memory, faults and counters are the same,
//! byte for byte. The module, which has 32-bit addresses, refuses requests that are too large for it.
//!
//! `.ci/run wasm` builds the module from the crate `test-support`, and sets `NODE_TESTS=required`. Without that variable,
//! if Node or a module of the current sources is missing, the tests named `…_skipped_without_node` say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a function of the module returns, or why it cannot be called.
fn called(function: &str) -> Result<String, String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or("the target folder has no parent")?;
    let module = target.join("wasm32-unknown-unknown/portable/test_support.wasm");
    let built = fs::metadata(&module).and_then(|found| found.modified());
    let built = built.map_err(|_| "there is no `test_support.wasm`: `.ci/run wasm` builds it")?;
    if newest(&root().join("crates/simt/src")).max(newest(&root().join("crates/test-support/src/portable")))
        > built
    {
        return Err("`test_support.wasm` is older than its sources: `.ci/run wasm` builds it".to_owned());
    }
    let script = root().join("crates/simt/tests/node.mjs");
    let output = Command::new("node").args([&script, &module]).arg(function).output();
    let output = output.map_err(|error| format!("`node` cannot be started: {error}"))?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout).unwrap())
}

/// The time of the last change to a file in a folder.
fn newest(folder: &Path) -> SystemTime {
    let time =
        |path: &Path| if path.is_dir() { newest(path) } else { path.metadata().unwrap().modified().unwrap() };
    let entries = fs::read_dir(folder).unwrap().map(|entry| time(&entry.unwrap().path()));
    entries.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The result of a function under Node; `None` if the test is skipped.
fn under_node(function: &str) -> Option<String> {
    match called(function) {
        Ok(text) => Some(text),
        Err(why) if env::var("NODE_TESTS").is_ok_and(|value| value == "required") => panic!("{why}"),
        Err(why) => {
            eprintln!("skipped: {why}");
            None
        }
    }
}

#[test]
fn launches_have_the_same_results_skipped_without_node() {
    let here = test_support::portable::results();
    let Some(there) = under_node("results") else { return };
    let mut lines = here.lines().zip(there.lines()).enumerate();
    let different = lines.find(|(_, (here, there))| here != there);
    assert_eq!(different, None, "the first line that differs, here and there");
    assert_eq!(here.len(), there.len());
}

#[test]
fn requests_beyond_32_bits_are_refused_skipped_without_node() {
    let Some(there) = under_node("large") else { return };
    let answers: Vec<&str> = there.lines().collect();
    assert_eq!(answers[..2], ["refused 5368709120 bytes", "refused 3221225472 bytes"]);
    assert!(answers[2].starts_with("`large` does not fit into memory: 5368709120 bytes"), "{there}");
}

/// The launches include what is worth comparing: kernels that end without a fault, a race, and a stale read.
#[test]
fn the_launches_include_faults_and_a_stale_read() {
    let text = test_support::portable::results();
    assert_eq!(text.matches(": Ok(").count(), 6);
    for part in ["kind: Race", "StaleRead {", "faults: [],", "ptx_divergent_branches: 1"] {
        assert!(text.contains(part), "`{part}` is not in the text");
    }
    assert!(!text.contains("kind: OutOfBounds"), "the kernels of the book keep to their buffers");
}
