//! Nsight Compute's full profile of a few rows: from its pages to `output/h200_profile.csv`.
//!
//! `tools/benchmarks/gpu/record.sh` profiles the run that a chapter's `output/profile.txt` names, and prints two pages of the
//! report. The details are a text that is divided into sections. The raw metrics are a table, from which the reasons
//! for which warps wait are taken. In both, the launches are in the order of the rows. The profiler's advice is left
//! out, because it is NVIDIA's text.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use record::{Emulated, Measured, Metric, Table};
use thirty_two_lanes::{files, golden};

/// The record in a chapter's `output` folder, and the file that names its rows.
const RECORD: &str = "h200_profile.csv";
const ROWS: &str = "profile.txt";
/// Our name for the section with the reasons for which warps wait, and how the profiler's names for these metrics
/// begin.
const STALLS: &str = "Warp Stalls";
const STALL: [&str; 2] = ["smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"];

/// A launch in the profiler's report.
#[derive(Debug, Default, PartialEq, Eq)]
struct Profiled {
    kernel: String,
    /// The lines of the record, which do not name the row yet.
    metrics: Vec<Metric>,
}

/// Writes the record of a chapter if it was profiled, and returns whether it was.
pub fn record(chapter: &Path, folder: &Path, date: &str) -> Result<bool> {
    let (name, output) = (golden::name(chapter)?, chapter.join("output"));
    let details = folder.join(format!("{name}.profile.txt"));
    if !details.exists() {
        return Ok(false);
    }
    let read =
        |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()));
    let command = command(name, &read(&output.join(ROWS))?)?;
    let mut launches = launches(&read(&details)?)?;
    add_stalls(&mut launches, &read(&folder.join(format!("{name}.profile.csv")))?)?;
    let emulated: Emulated = record::read(&read(&output.join(golden::EMULATED))?, golden::EMULATED)?;
    let measured: Measured = record::read(&read(&output.join(golden::MEASURED))?, golden::MEASURED)?;
    let machine = measured.machine.origin();
    let origin = format!("{machine}; {date}; `ncu --set full --clock-control none` on `{command} --runs 0`");
    let code = golden::code_sums(emulated.runs.iter().map(|run| &run.report))?;
    let mut table = Table { origin, code, rows: Vec::new() };
    let rows = rows(&command)?;
    ensure!(
        rows.len() == launches.len(),
        "`{command}` has {} rows, and the profiler saw {}",
        rows.len(),
        launches.len()
    );
    for (row, launch) in rows.into_iter().zip(launches) {
        let known = emulated.runs.iter().flat_map(|run| run.report.rows()).find(|known| known.variant == row);
        let kernels = &known.with_context(|| format!("`{name}` has no row `{row}`"))?.kernels;
        ensure!(
            kernels.iter().any(|kernel| kernel.starts_with(&format!("{} ", launch.kernel))),
            "`{row}` launches {kernels:?}, but the profiler saw `{}`",
            launch.kernel
        );
        table.rows.extend(launch.metrics.into_iter().map(|metric| Metric { row: row.clone(), ..metric }));
    }
    files::write(output.join(RECORD), table.text())?;
    Ok(true)
}

/// The command in `profile.txt`, which begins with the chapter's name.
fn command(name: &str, text: &str) -> Result<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("$ ")).map(str::trim);
    let command = line.filter(|line| line.starts_with(name));
    Ok(command.with_context(|| format!("`{ROWS}` has no line `$ {name} --only ROW,ROW …`"))?.to_owned())
}

/// The rows after `--only`. They must be in the order in which the chapter runs them.
fn rows(command: &str) -> Result<Vec<String>> {
    let mut words = command.split_whitespace().skip_while(|word| *word != "--only");
    let names = words.nth(1).with_context(|| format!("`{command}` does not say `--only ROW,ROW`"))?;
    Ok(names.split(',').map(str::to_owned).collect())
}

/// The launches on a page of details. A table has a ruler above and below it, and the gaps in the ruler are where
/// columns end.
fn launches(text: &str) -> Result<Vec<Profiled>> {
    let mut launches: Vec<Profiled> = Vec::new();
    let mut section = String::new();
    let mut ruler: Option<Vec<usize>> = None;
    for line in text.lines() {
        let words = line.trim();
        if let Some((kernel, _)) = words.split_once(" (").filter(|_| words.contains("), Context ")) {
            launches.push(Profiled { kernel: kernel.to_owned(), metrics: Vec::new() });
        } else if let Some(title) = words.strip_prefix("Section: ") {
            (section, ruler) = (title.to_owned(), None);
        } else if words.starts_with("---") {
            ruler = Some(line.match_indices(' ').map(|(at, _)| at).filter(|at| *at > 4).collect());
        } else if let (Some(ends), Some(launch)) = (&ruler, launches.last_mut()) {
            launch.metrics.extend(row(line, ends, &section));
        }
    }
    ensure!(!launches.is_empty(), "the profiler's details name no launch: use `ncu --page details`");
    Ok(launches)
}

/// Reads a row of a table, if its value is a number.
fn row(line: &str, ends: &[usize], section: &str) -> Option<Metric> {
    let [name, unit] = *ends else { return None };
    let (name, unit, value) = (line.get(..name)?, line.get(name..unit)?, line.get(unit..)?);
    let value = value.trim().replace(',', "");
    value.parse::<f64>().ok()?;
    Some(metric(section, name.trim(), unit.trim(), value))
}

fn metric(section: &str, metric: &str, unit: &str, value: String) -> Metric {
    let [section, metric, unit] = [section, metric, unit].map(str::to_owned);
    Metric { row: String::new(), section, metric, unit, value }
}

/// Adds the reasons for which warps wait, in clocks for each instruction that they issue, from the table of raw metrics.
fn add_stalls(launches: &mut [Profiled], raw: &str) -> Result<()> {
    let rows = record::launches(raw)?;
    if rows.len() != launches.len() {
        bail!("the profiler's details have {} launches, and its raw page {}", launches.len(), rows.len());
    }
    for (launch, cells) in launches.iter_mut().zip(rows) {
        for (name, cell) in cells.into_iter().collect::<BTreeMap<_, _>>() {
            let reason = name.strip_prefix(STALL[0]).and_then(|name| name.strip_suffix(STALL[1]));
            if let (Some(reason), Ok(value)) = (reason, cell.replace(',', "").parse::<f64>()) {
                launch.metrics.push(metric(STALLS, reason, "cycle", value.to_string()));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DETAILS: &str = "\
==PROF== Connected
  one (4, 1, 1)x(32, 8, 1), Context 1, Stream 7, Device 0, CC 9.0
    Warning: clocks
    Section: Launch Statistics
    ------------------ --------------- ---------------
    Metric Name            Metric Unit    Metric Value
    ------------------ --------------- ---------------
    Grid Size                                   65,536
    Policy                                PolicySpread
    Registers          register/thread              16
    ------------------ --------------- ---------------

    OPT   Est. Speedup: 24.63%
    ----- --------------------------------------------
    INF   Check 3 tables
    Section: Occupancy
    ------------------ --------------- ---------------
    Achieved Occupancy               %           75.37
    ------------------ --------------- ---------------
";

    #[test]
    fn tables_are_read_and_advice_is_not() {
        let read = launches(DETAILS).unwrap();
        let metrics = vec![
            metric("Launch Statistics", "Grid Size", "", "65536".into()),
            metric("Launch Statistics", "Registers", "register/thread", "16".into()),
            metric("Occupancy", "Achieved Occupancy", "%", "75.37".into()),
        ];
        assert_eq!(read, [Profiled { kernel: "one".to_owned(), metrics }]);
        assert!(launches("").is_err());
    }

    #[test]
    fn reasons_to_wait_come_from_the_raw_page() {
        let raw = "==PROF==\n\"ID\",\"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio\"\n\"\",\"inst\"\n\"0\",\"5.44\"\n";
        let mut read = vec![Profiled::default()];
        add_stalls(&mut read, raw).unwrap();
        assert_eq!(read[0].metrics, [metric(STALLS, "barrier", "cycle", "5.44".into())]);
        assert!(add_stalls(&mut [], raw).is_err());
    }

    #[test]
    fn the_rows_are_those_of_the_command() {
        let command = command("ch06", "# what\n$ ch06 --only a,b --size 7\n").unwrap();
        assert_eq!(rows(&command).unwrap(), ["a", "b"]);
        assert!(rows("ch06 --size 7").is_err());
    }
}
