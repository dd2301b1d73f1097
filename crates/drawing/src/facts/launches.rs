//! The launches that a reader can play in a page or run from a listing: `book/live.toml` and `book/listings.toml`.
//!
//! A file has one entry for each launch, with arguments as for `lanes run`. The emulator runs each of them: a kernel that is
//! missing, a launch that is refused, or a fault that the entry does not name is an error. The page gets the program, the launch
//! and, of a live figure, the first moment and a record of the end, with which `book/tests` compares what the browser shows.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use thirty_two_lanes::spec::launch::{Described, Field, Group, Launch, More};

use super::excerpt::{self, Range};
use super::files::{Facts, Files, LISTINGS, LIVE};
use super::results::{self, Right};

/// A launch, and what the page says of it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Played(Described<Entry>);

/// What an entry has besides its launch.
#[derive(Clone, Debug, Deserialize)]
struct Entry {
    /// What the page calls it.
    title: String,
    /// The committed PTX, without folder and ending: `branch.sm_70`.
    ptx: String,
    /// The kinds of the faults that the emulator finds.
    #[serde(default)]
    faults: Vec<String>,
    /// What differs in a second run that is played beside it. A kernel is another of the same PTX, with the same parameters.
    beside: Option<Launch>,
    /// Anchors of listings that show no kernel, and are run by this launch.
    #[serde(default)]
    shows: Vec<String>,
    /// The buffers that count, if the kernel changes others too.
    result: Option<String>,
    /// Whose result is right, if not its own.
    right: Option<Right>,
}

impl More for Entry {
    fn takes(field: &Field) -> bool {
        field.group != Group::Memory && field.name() != "seeds"
    }
}

/// The entries of a file, by their names.
pub(super) fn read(file: &str, files: &mut Files) -> Result<BTreeMap<String, Played>> {
    toml::from_str(&files.read(file)?).with_context(|| format!("`{file}` cannot be read"))
}

/// The live figures, each with a record of its run: the first moment and the end, or all moments if a page plays it at once.
pub(super) fn live(files: &mut Files) -> Result<Facts> {
    let played = files.directives("live")?;
    let fact = |name: &str, launch: &Played, files: &mut Files| -> Result<Value> {
        let run = launch.prepare(files)?;
        let mut record = launch.record(&run, 0)?;
        if played.contains(&format!("{name} plays")) {
            record["first"] = run.moments()?.into();
        }
        let source = files.read(&launch.source())?;
        let lines = excerpt::functions(&source, &excerpt::lines_of(run.text()));
        let mut fact = launch.fact(&run, files)?;
        fact["beside"] = json!(launch.0.more.beside);
        fact["source"] = json!(lines);
        fact["record"] = record;
        Ok(fact)
    };
    each(LIVE, files, fact)
}

/// The launches of listings.
pub(super) fn listings(files: &mut Files) -> Result<Facts> {
    each(LISTINGS, files, |_, launch, files| {
        let run = launch.prepare(files)?;
        launch.record(&run, 0)?;
        launch.fact(&run, files)
    })
}

fn each(
    file: &str,
    files: &mut Files,
    fact: impl Fn(&str, &Played, &mut Files) -> Result<Value>,
) -> Result<Facts> {
    let (mut found, mut problems) = (Facts::new(), Vec::new());
    for (name, launch) in read(file, files)? {
        match fact(&name, &launch, files) {
            Ok(fact) => drop(found.insert(name, fact)),
            Err(error) => problems.push(format!("`{name}` in `{file}`: {error:#}")),
        }
    }
    // All at once: each look takes its time.
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(found)
}

/// What the emulator is asked.
pub(super) struct Prepared {
    program: Value,
    launch: Value,
    /// The lines of the PTX that are in the program.
    kept: Vec<Range>,
}

impl Prepared {
    fn text(&self) -> &str {
        self.program["text"].as_str().unwrap_or_default()
    }

    /// Every moment.
    pub(super) fn moments(&self) -> Result<Vec<Value>> {
        page::figure::moments(&self.program, &self.launch).map_err(|error| anyhow!("{error}"))
    }
}

impl Played {
    /// The file of the kernel.
    pub(super) fn source(&self) -> String {
        format!("kernels/{}.cu", self.0.more.ptx.split('.').next().unwrap_or_default())
    }

    pub(super) fn prepare(&self, files: &mut Files) -> Result<Prepared> {
        let Described { launch, more: Entry { ptx, beside, .. } } = &self.0;
        let whole = files.read(&format!("kernels/ptx/{ptx}.ptx"))?;
        let kernels = [Some(launch), beside.as_ref()].into_iter().flatten();
        let kernels: Vec<&str> = kernels.filter_map(|launch| launch.kernel.as_deref()).collect();
        let kept = excerpt::only(&whole, &kernels)?;
        let text = excerpt::text(&whole, &kept);
        let program = json!({ "name": format!("{ptx}.ptx"), "text": text });
        Ok(Prepared { program, launch: json!(launch), kept })
    }

    /// What the emulator records of it. The faults are those that the entry names, and a second run is not refused.
    pub(super) fn record(&self, run: &Prepared, shown: u64) -> Result<Value> {
        let Described { launch, more: Entry { faults: named, beside, .. } } = &self.0;
        let record = |launch: &Value, shown| page::figure::record(&run.program, launch, shown);
        let first = record(&run.launch, shown).map_err(|error| anyhow!("{error}"))?;
        if let Some(beside) = beside {
            let second = json!(beside.clone().over(launch.clone()));
            record(&second, 0).map_err(|error| anyhow!("the second run: {error}"))?;
        }
        let faults = first["faults"].as_array().into_iter().flatten();
        let found: Vec<&str> = faults.filter_map(|fault| fault["kind"].as_str()).collect();
        ensure!(found == *named, "the emulator finds the faults {found:?}, and the entry names {named:?}");
        Ok(first)
    }

    fn fact(&self, run: &Prepared, files: &mut Files) -> Result<Value> {
        let Entry { title, ptx, shows, result, right, .. } = &self.0.more;
        // The kernel that is right is in the same PTX, of which the page gets only what it runs.
        let whole =
            json!({ "name": format!("{ptx}.ptx"), "text": files.read(&format!("kernels/ptx/{ptx}.ptx"))? });
        let result = results::result(&whole, &run.launch, right.as_ref(), result.as_deref())?;
        Ok(
            json!({ "title": title, "ptx": ptx, "kept": run.kept, "launch": run.launch, "shows": shows, "result": result }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::root;

    /// The error that an entry of a file has once this text is replaced.
    #[track_caller]
    fn refuses(file: &str, name: &str, change: [&str; 2], what: &str) {
        let root = root();
        let mut files = Files { root: &root, sums: BTreeMap::new() };
        let text = files.read(file).unwrap();
        let start = text.find(&format!("[{name}]")).unwrap();
        let changed = text[start..].replacen(change[0], change[1], 1);
        assert_ne!(changed, text[start..]);
        let entries: BTreeMap<String, Played> = toml::from_str(&changed).unwrap();
        let launch = &entries[name];
        let record = launch.prepare(&mut files).and_then(|run| launch.record(&run, 0));
        let error = record.unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }

    #[test]
    fn a_live_figure_is_run() {
        let refuses = |kernel: &str, what: &str| {
            let change = ["kernel = \"mask_seven_f\"", &format!("kernel = \"{kernel}\"")];
            refuses(LIVE, "mask_without_four", change, what);
        };
        refuses("mask_seven_g", "the PTX has no kernel `mask_seven_g`");
        refuses("mask_default", "the emulator finds the faults [], and the entry names [\"bad-mask\"]");
        refuses("tail_syncwarp", "`tail_syncwarp` has 3 parameters, but 2 arguments were given");
    }

    #[test]
    fn the_launch_of_a_listing_is_run() {
        let change = ["\"n i32:50\",\n]", "\"n i32:60\",\n]"];
        refuses(LISTINGS, "saxpy", change, "the emulator finds the faults [\"out-of-bounds\"]");
    }
}
