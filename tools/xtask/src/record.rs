//! `cargo xtask record`: makes the chapters' records from the output of `tools/benchmarks/gpu/record.sh` on a machine with a
//! GPU.
//!
//! It runs on any machine. The profiler lists launches in order, and so does a chapter's JSON, so they are matched one
//! by one, and the kernel's name is compared as a check. The table of counters is written later, by
//! `cargo xtask bless`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use record::{Contest, Counted, Measured, Named, Report, Run, Table};
use thirty_two_lanes::hardware;
use thirty_two_lanes::{files, golden};

use crate::bless::chapters;
use crate::chore::Outcome;
use crate::chore::root;
use crate::profile;

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder that the script has filled
    folder: PathBuf,
    /// The day of the run, `2026-11-21`; the days, if parts are older
    #[arg(long)]
    date: String,
    /// The folder has only some runs, sections and counters: keep the rest of the records
    #[arg(long)]
    part: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let (mut count, mut profiled) = (0, 0);
    for chapter in chapters()? {
        let name = golden::name(&chapter)?;
        let numbers = 0..golden::runs(&chapter)?.len();
        let is_there = |number| arguments.folder.join(format!("{name}.{number}.json")).exists();
        if is_there(0) || (arguments.part && numbers.into_iter().any(is_there)) {
            record(&chapter, name, arguments)?;
            count += 1;
        }
        // After the chapter's own record, because that names the machine.
        profiled += usize::from(profile::record(&chapter, &arguments.folder, &arguments.date)?);
    }
    ensure!(count + profiled > 0, "`{}` has no output of any chapter", arguments.folder.display());
    beside_cub(arguments)?;
    racecheck(arguments)?;
    values(arguments)?;
    println!("recorded {count} chapters, and profiles of {profiled}; now run `cargo xtask bless`");
    Ok(Outcome::Done)
}

/// `cargo xtask metrics`: the list for `ncu --metrics`.
pub fn print_metrics() -> Outcome {
    println!("{}", hardware::metrics().join(","));
    Outcome::Done
}

/// Writes what a chapter measured in each of its runs, and what the profiler counted.
fn record(chapter: &Path, name: &str, arguments: &Arguments) -> Result<()> {
    let folder = chapter.join("output");
    let report = |file: &str| -> Result<Report> {
        record::read(&read(&arguments.folder.join(file))?, &format!("`{file}`"))
    };
    let mut reports = Vec::new();
    let listed = golden::runs(chapter)?;
    for (number, run) in listed.iter().enumerate() {
        let file = format!("{name}.{number}.json");
        if !arguments.part || arguments.folder.join(&file).exists() {
            reports.push((run.clone(), report(&file)?));
        }
    }
    let code = golden::code_sums(reports.iter().map(|(_, report)| report))?;
    let mut measured = Measured::of(&reports, &arguments.date, code)?;
    if arguments.part {
        let known = record::read(&read(&folder.join(golden::MEASURED))?, golden::MEASURED)?;
        measured = kept(known, measured, &listed).with_context(|| name.to_owned())?;
    }
    files::write(folder.join(golden::MEASURED), record::text(&measured))?;
    let counted = format!("{name}.counted.json");
    if arguments.part && !arguments.folder.join(&counted).exists() {
        return Ok(());
    }
    let report = report(&counted)?;
    let launches = record::launches(&read(&arguments.folder.join(format!("{name}.csv")))?)?;
    let mut rows = rows(&report, &launches).with_context(|| name.to_owned())?;
    if arguments.part {
        let mut known = hardware::read(&read(&folder.join(hardware::RECORD))?)?.rows;
        known.retain(|row| rows.iter().all(|new| new.variant != row.variant));
        rows.splice(0..0, known);
    }
    let table = Table { origin: origin(&measured, &report), rows, ..Table::default() };
    files::write(folder.join(hardware::RECORD), table.text())?;
    Ok(())
}

/// A record in which new runs and sections replace those with their names, and all others stay as they are.
fn kept(known: Measured, new: Measured, listed: &[String]) -> Result<Measured> {
    ensure!(known.machine == new.machine, "the record is of another GPU or driver: make all of it again");
    let mut code = known.code;
    for (file, sum) in new.code {
        let was = code.insert(file.clone(), sum.clone());
        ensure!(
            was.is_none_or(|was| was == sum),
            "`{file}` has changed since the record: make all of it again"
        );
    }
    let mut runs = Vec::new();
    for arguments in listed {
        let of = |runs: &[Run]| runs.iter().find(|run| run.arguments == *arguments).cloned();
        let mut run =
            of(&known.runs).unwrap_or_else(|| Run { arguments: arguments.clone(), ..Run::default() });
        run.sections.extend(of(&new.runs).unwrap_or_default().sections);
        ensure!(!run.sections.is_empty(), "neither the folder nor the record has the run `{arguments}`");
        runs.push(run);
    }
    Ok(Measured { code, runs, ..new })
}

/// The programs that time a kernel beside CUB's, and their records.
const CONTESTS: [(&str, &str); 2] = [("beside_cub", "h200_sum.json"), ("scan_beside_cub", "h200_scan.json")];

/// Writes what these programs printed, if they were run.
fn beside_cub(arguments: &Arguments) -> Result<()> {
    for (program, record) in CONTESTS {
        let printed = arguments.folder.join(format!("{program}.json"));
        if printed.exists() {
            let origin = format!(
                "{}; tools/benchmarks/gpu/{program}.cu; times differ from run to run",
                arguments.date
            );
            let contest = Contest { origin, ..Contest::read(&read(&printed)?, program)? };
            files::write(root().join("tools/benchmarks/gpu").join(record), record::text(&contest))?;
        }
    }
    Ok(())
}

/// The variants on which NVIDIA's race checker was run, and their chapter.
const RACECHECK: (&str, [&str; 3]) =
    ("ch03_syncwarp", ["tree_no_barrier", "tail_unguarded", "warp_tree_unguarded"]);

/// Writes how many hazards NVIDIA's race checker reported, if it was run.
fn racecheck(arguments: &Arguments) -> Result<()> {
    let (chapter, variants) = RACECHECK;
    let mut rows = Vec::new();
    for variant in variants {
        let file = arguments.folder.join(format!("racecheck_{variant}.txt"));
        if !file.exists() {
            return Ok(());
        }
        let [errors, warnings] =
            hazards(&read(&file)?).with_context(|| format!("in `{}`", file.display()))?;
        let metrics = [("errors".to_owned(), errors), ("warnings".to_owned(), warnings)].into();
        rows.push(Counted { variant: variant.to_owned(), metrics });
    }
    let output = root().join("chapters").join(chapter).join("output");
    let measured: Measured = record::read(&read(&output.join(golden::MEASURED))?, golden::MEASURED)?;
    let (machine, date) = (measured.machine.origin(), &arguments.date);
    let origin = format!("{machine}; {date}; `compute-sanitizer --tool racecheck` on `{chapter} --runs 0`");
    let table = Table { origin, rows, ..Table::default() };
    files::write(output.join("h200_racecheck.csv"), table.text())?;
    Ok(())
}

/// The numbers of errors and warnings in the checker's last line:
/// `RACECHECK SUMMARY: 100 hazards displayed (770 errors, 253 warnings)`.
fn hazards(text: &str) -> Result<[u64; 2]> {
    let line = text.lines().rev().find_map(|line| line.split_once("RACECHECK SUMMARY: "));
    let (_, summary) = line.context("the checker printed no summary")?;
    let counted = |what: &str| {
        let words: Vec<&str> = summary.split([' ', '(', ',', ')']).collect();
        let at = words.iter().position(|word| word.starts_with(what))?;
        words.get(at.checked_sub(1)?)?.parse().ok()
    };
    let count = |what| counted(what).with_context(|| format!("`{summary}` does not count {what}s"));
    Ok([count("error")?, count("warning")?])
}

/// Copies what `difftest` recorded about random kernels and small texts. These records say themselves when and where they
/// were made.
fn values(arguments: &Arguments) -> Result<()> {
    for name in ["random.json", "texts.json"] {
        let printed = arguments.folder.join(name);
        if printed.exists() {
            files::write(root().join("tools/benchmarks/gpu").join(format!("h200_{name}")), read(&printed)?)?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

fn origin(measured: &Measured, report: &Report) -> String {
    let settings: Vec<String> =
        report.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let Measured { machine, date, chapter, .. } = measured;
    let driver = machine.details.get("driver").map_or("?", String::as_str);
    format!(
        "{}; driver {driver}; {date}; `ncu --clock-control none` on `{chapter} --runs 0`; {}",
        machine.name,
        settings.join("; ")
    )
}

/// What the profiler counted in a launch.
fn metrics(cells: &Named<String>) -> Result<Named<u64>> {
    let value = |metric: &'static str| {
        let cell = cells.get(metric).with_context(|| format!("the profiler was not asked for `{metric}`"))?;
        let value: f64 = cell.replace(',', "").parse().with_context(|| format!("`{metric}` is `{cell}`"))?;
        Ok((metric.to_owned(), value as u64))
    };
    hardware::metrics().into_iter().map(value).collect()
}

/// The launches of each variant that was run completely, added up.
fn rows(report: &Report, launches: &[Named<String>]) -> Result<Vec<Counted>> {
    let mut left = launches.iter();
    let mut rows = Vec::new();
    for row in hardware::rows(report) {
        let variant = &row.variant;
        // The others were withheld, although a launch before them may have been run on the GPU.
        let given = row.gpu.as_ref().map_or(0, |gpu| gpu.launches);
        let mut sum = Named::new();
        for kernel in row.kernels.iter().take(given) {
            let launch =
                left.next().with_context(|| format!("the profiler saw no launch for `{variant}`"))?;
            let seen = launch["Kernel Name"].split('(').next().unwrap_or_default();
            ensure!(
                kernel.starts_with(&format!("{seen} ")),
                "`{variant}` launched `{kernel}`, but the profiler saw `{seen}`: use `--runs 0`"
            );
            for (metric, value) in metrics(launch)? {
                *sum.entry(metric).or_default() += value;
            }
        }
        if !row.harmful {
            rows.push(Counted { variant: variant.clone(), metrics: sum });
        }
    }
    match left.count() {
        0 => Ok(rows),
        more => bail!("the profiler saw {more} more launches than the report has: use `--runs 0`"),
    }
}

#[cfg(test)]
mod tests {
    use record::SectionOnGpu;

    use super::*;

    #[test]
    fn a_part_replaces_what_it_has_and_nothing_else() {
        let run = |arguments: &str, sections: &[(&str, &str)]| Run {
            arguments: arguments.to_owned(),
            sections: sections
                .iter()
                .map(|(name, note)| {
                    let on_gpu = SectionOnGpu { notes: vec![(*note).to_owned()], ..SectionOnGpu::default() };
                    ((*name).to_owned(), on_gpu)
                })
                .collect(),
        };
        let code = |sum: &str| Named::from_iter([("k.ptx".to_owned(), sum.to_owned())]);
        let known = Measured {
            code: code("1"),
            runs: vec![run("", &[("a", "old"), ("b", "old")]), run("--size 2", &[("a", "old")])],
            ..Measured::default()
        };
        let new = Measured { code: code("1"), runs: vec![run("", &[("b", "new")])], ..Measured::default() };
        let listed = [String::new(), "--size 2".to_owned()];
        let both = kept(known.clone(), new.clone(), &listed).unwrap();
        let wanted = vec![run("", &[("a", "old"), ("b", "new")]), run("--size 2", &[("a", "old")])];
        assert_eq!(both.runs, wanted);
        assert!(kept(known.clone(), new.clone(), &["--size 3".to_owned()]).is_err());
        assert!(kept(known, Measured { code: code("2"), ..new }, &listed).is_err());
    }

    #[test]
    fn the_hazards_are_in_the_last_line() {
        let line = "========= RACECHECK SUMMARY: 100 hazards displayed (770 errors, 253 warnings)\n";
        assert_eq!(hazards(line).unwrap(), [770, 253]);
        assert_eq!(hazards("RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)").unwrap(), [1, 0]);
        assert!(hazards("").is_err());
    }
}
