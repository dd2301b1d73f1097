//! `cargo xtask compare OLD NEW`: what got slower between two baselines of criterion.
//!
//! `cargo bench -p simt -- --save-baseline NAME` leaves for each benchmark the median of its samples with an interval of
//! confidence. A benchmark is slower if its whole new interval lies above the old one, and the median by more than
//! some percent: the interval is the noise of one run, the percent that of a day. What it cannot know is whether the
//! machine did something else meanwhile. It measures nothing itself.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{Outcome, root};

#[derive(clap::Args)]
pub struct Arguments {
    /// The baseline to compare with, by its name
    old: String,
    /// The baseline that is judged
    new: String,
    /// How many percent a median may rise unnoticed
    #[arg(long, default_value_t = 3.0, value_name = "PERCENT")]
    least: f64,
}

/// How long a benchmark takes, in nanoseconds.
#[derive(Clone, Copy)]
struct Time {
    median: f64,
    /// The interval of confidence of the median.
    lower: f64,
    upper: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Same,
    Slower,
    Faster,
}

/// Exits with 1 if anything got slower.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let folder = criterion_folder();
    let (old, new) = (baseline(&folder, &arguments.old)?, baseline(&folder, &arguments.new)?);
    let both: Vec<_> = old.iter().filter_map(|(name, old)| Some((name, *old, *new.get(name)?))).collect();
    ensure!(!both.is_empty(), "`{}` and `{}` have no benchmark in common", arguments.old, arguments.new);
    println!("{:<36} {:>10} {:>10} {:>8}", "milliseconds", arguments.old, arguments.new, "change");
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
    let factor = 1.0 + least_percent / 100.0;
    if new.lower > old.upper && new.median > factor * old.median {
        Change::Slower
    } else if new.upper < old.lower && old.median > factor * new.median {
        Change::Faster
    } else {
        Change::Same
    }
}

fn print(name: &str, old: Time, new: Time, change: Change) {
    let word = match change {
        Change::Same => "",
        Change::Slower => "  slower",
        Change::Faster => "  faster",
    };
    let percent = 100.0 * (new.median / old.median - 1.0);
    println!("{name:<36} {:>10.3} {:>10.3} {percent:>+7.1}%{word}", old.median / 1e6, new.median / 1e6);
}

/// Where criterion keeps its files: below the folder that cargo builds in.
fn criterion_folder() -> PathBuf {
    if let Some(home) = env::var_os("CRITERION_HOME") {
        return home.into();
    }
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from).join("criterion")
}

/// All benchmarks of a baseline, by name.
fn baseline(criterion: &Path, name: &str) -> Result<BTreeMap<String, Time>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![criterion.to_owned()];
    while let Some(folder) = folders.pop() {
        let estimates = folder.join(name).join("estimates.json");
        if estimates.exists() {
            let id = folder.strip_prefix(criterion)?.to_string_lossy().replace('\\', "/");
            found.insert(id, time(&estimates)?);
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        folders.extend(entries.filter(|path| path.is_dir()));
    }
    ensure!(
        !found.is_empty(),
        "there is no baseline `{name}` in `{}`: make it with `cargo bench -p simt -- --save-baseline {name}`",
        criterion.display()
    );
    Ok(found)
}

/// The median in one of criterion's files.
fn time(path: &Path) -> Result<Time> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let unknown = || format!("`{}` is not as criterion 0.8 writes it", path.display());
    let estimates: Value = serde_json::from_str(&text).with_context(unknown)?;
    let median = &estimates["median"];
    let interval = &median["confidence_interval"];
    let number = |value: &Value| value.as_f64().with_context(unknown);
    Ok(Time {
        median: number(&median["point_estimate"])?,
        lower: number(&interval["lower_bound"])?,
        upper: number(&interval["upper_bound"])?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Change, Time, change};

    /// Medians and half the widths of their intervals, in percent of the old median; 3 percent may pass.
    #[track_caller]
    fn check(old_noise: f64, new: f64, new_noise: f64, expected: Change) {
        let time = |median, noise| Time { median, lower: median - noise, upper: median + noise };
        assert_eq!(change(time(100.0, old_noise), time(new, new_noise), 3.0), expected);
    }

    #[test]
    fn a_change_is_more_than_the_noise() {
        check(1.0, 105.0, 1.0, Change::Slower);
        check(3.0, 105.0, 3.0, Change::Same);
        check(0.1, 102.0, 0.1, Change::Same);
        check(1.0, 95.0, 1.0, Change::Faster);
        check(1.0, 98.0, 0.1, Change::Same);
        check(0.0, 100.0, 0.0, Change::Same);
    }
}
