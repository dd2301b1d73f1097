//! `cargo xtask compare OLD NEW`: the benchmarks that got slower between two baselines of criterion.
//!
//! `cargo bench -p ptx-emulator -- --save-baseline NAME` records the times of all samples. Other work on the machine
//! makes some samples slower and none faster, so the fastest samples are compared. The noise is how much slower than
//! the fastest sample the median is. A benchmark got slower if its fastest sample takes longer by more than the noise
//! of both baselines, and by more than a given percentage. The samples of a group are pooled, because `NAME/threads`
//! and `NAME/warp_instructions` time the same launch. This chore measures nothing itself, and it cannot know if a
//! machine was busy from the first sample to the last.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::chore::{Outcome, root};

#[derive(clap::Args)]
pub struct Arguments {
    /// The baseline to compare with, by its name
    old: String,
    /// The baseline that is judged
    new: String,
    /// How many percent the fastest sample may rise unnoticed
    #[arg(long, default_value_t = 3.0, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    least: f64,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..f64::INFINITY).contains(number));
    number.ok_or_else(|| "a percentage is a number of at least 0, as in `2.5`".to_owned())
}

/// The time of a benchmark, in nanoseconds.
#[derive(Clone, Copy)]
struct Time {
    fastest: f64,
    /// How much longer than the fastest sample the median takes.
    noise: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Same,
    Slower,
    Faster,
}

/// Compares the baselines. The status is 1 if anything got slower.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let folder = criterion_folder();
    let (old, new) = (baseline(&folder, &arguments.old)?, baseline(&folder, &arguments.new)?);
    let both: Vec<_> = old.iter().filter_map(|(name, old)| Some((name, *old, *new.get(name)?))).collect();
    ensure!(!both.is_empty(), "`{}` and `{}` have no benchmark in common", arguments.old, arguments.new);
    println!(
        "{:<24} {:>12} {:>12} {:>8} {:>7}",
        "milliseconds", arguments.old, arguments.new, "change", "noise"
    );
    let mut slower = 0;
    for (name, old, new) in &both {
        let change = change(*old, *new, arguments.least);
        slower += usize::from(change == Change::Slower);
        print(name, *old, *new, change);
    }
    let alone = old.len() + new.len() - 2 * both.len();
    println!("{slower} of {} got slower; {alone} are in one baseline only", both.len());
    Ok(if slower == 0 { Outcome::Done } else { Outcome::Stale })
}

fn change(old: Time, new: Time, least_percent: f64) -> Change {
    let least = old.fastest * least_percent / 100.0;
    let more = new.fastest - old.fastest;
    match more.abs() > least.max(old.noise).max(new.noise) {
        true if more > 0.0 => Change::Slower,
        true => Change::Faster,
        false => Change::Same,
    }
}

fn print(name: &str, old: Time, new: Time, change: Change) {
    let word = match change {
        Change::Same => "",
        Change::Slower => "  slower",
        Change::Faster => "  faster",
    };
    let percent = |part: f64| 100.0 * part / old.fastest;
    let (change, noise) = (percent(new.fastest - old.fastest), percent(old.noise.max(new.noise)));
    let [old, new] = [old, new].map(|time| time.fastest / 1e6);
    println!("{name:<24} {old:>12.3} {new:>12.3} {change:>+7.1}% {noise:>6.1}%{word}");
}

/// The folder of criterion's files: below the folder in which cargo builds.
fn criterion_folder() -> PathBuf {
    if let Some(home) = env::var_os("CRITERION_HOME") {
        return home.into();
    }
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from).join("criterion")
}

/// The times of all groups of a baseline, by name.
fn baseline(criterion: &Path, name: &str) -> Result<BTreeMap<String, Time>> {
    let mut samples: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut others = BTreeSet::new();
    for group in folders(criterion) {
        for baseline in folders(&group).flat_map(|benchmark| folders(&benchmark)) {
            let path = baseline.join("sample.json");
            match last(&baseline) {
                other if !path.exists() || other != name => others.extend(path.exists().then_some(other)),
                _ => samples.entry(last(&group)).or_default().extend(times(&path)?),
            }
        }
    }
    ensure!(
        !samples.is_empty(),
        "there is no baseline `{name}` in `{}`, {}: make it with `cargo bench -p ptx-emulator -- --save-baseline NAME`",
        criterion.display(),
        if others.is_empty() { "and no other".to_owned() } else { format!("only {}", listed(&others)) }
    );
    Ok(samples.into_iter().map(|(id, samples)| (id, summary(samples))).collect())
}

fn listed(names: &BTreeSet<String>) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The last component of a path.
fn last(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn folders(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir())
}

/// The samples in one of criterion's files, each the time of an iteration.
fn times(path: &Path) -> Result<Vec<f64>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let unknown =
        || format!("`{}` is not as criterion 0.8 writes it: make the baseline again", path.display());
    let sample: Value = serde_json::from_str(&text).with_context(unknown)?;
    let numbers =
        |name: &str| -> Option<Vec<f64>> { sample[name].as_array()?.iter().map(Value::as_f64).collect() };
    let (times, iterations) = numbers("times").zip(numbers("iters")).with_context(unknown)?;
    ensure!(!times.is_empty() && times.len() == iterations.len(), unknown());
    Ok(times.iter().zip(iterations).map(|(time, iterations)| time / iterations).collect())
}

fn summary(mut samples: Vec<f64>) -> Time {
    samples.sort_by(f64::total_cmp);
    let (fastest, median) = (samples[0], samples[samples.len() / 2]);
    Time { fastest, noise: median - fastest }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares samples before and after, where up to 3 percent more is allowed.
    #[track_caller]
    fn check(old: [f64; 3], new: [f64; 3], expected: Change) {
        assert_eq!(change(summary(old.to_vec()), summary(new.to_vec()), 3.0), expected);
    }

    #[test]
    fn a_percentage_is_a_number_from_0() {
        assert_eq!((percent("0"), percent("2.5")), (Ok(0.0), Ok(2.5)));
        assert!(["-1", "nan", "inf", "three", ""].into_iter().all(|wrong| percent(wrong).is_err()));
    }

    #[test]
    fn a_baseline_is_found_by_its_name_or_the_others_are_named() {
        let folder = std::env::temp_dir().join(format!("compare-{}", std::process::id()));
        let samples = folder.join("tree_cores/threads/before");
        fs::create_dir_all(&samples).unwrap();
        let sample = samples.join("sample.json");
        fs::write(&sample, r#"{"iters": [1.0, 2.0], "times": [30.0, 40.0]}"#).unwrap();
        let found = baseline(&folder, "before").unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), ["tree_cores"]);
        assert!((found["tree_cores"].fastest - 20.0).abs() < 1e-9);
        let refused = |name| baseline(&folder, name).err().unwrap().to_string();
        for wrong in ["after", "", "..", "before/", "../before"] {
            let said = refused(wrong);
            assert!(
                said.contains(&format!("no baseline `{wrong}` in")) && said.contains("only `before`"),
                "{said}"
            );
        }
        fs::write(&sample, "{").unwrap();
        assert!(refused("before").ends_with("make the baseline again"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_change_is_more_than_the_noise() {
        check([100.0, 101.0, 130.0], [105.0, 106.0, 107.0], Change::Slower);
        check([100.0, 106.0, 107.0], [105.0, 106.0, 107.0], Change::Same);
        check([100.0, 101.0, 102.0], [105.0, 111.0, 112.0], Change::Same);
        check([100.0, 101.0, 102.0], [102.0, 102.0, 102.0], Change::Same);
        check([101.0, 102.0, 100.0], [95.0, 99.0, 96.0], Change::Faster);
    }
}
