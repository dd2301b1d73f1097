//! `cargo xtask thorough`: everything that takes too long for `cargo test`.
//!
//! The quick set is `cargo test --workspace`. Where that takes a sample, a step of this chore takes much more: all
//! cases if they are finite, and thousands of fresh seeds if they are random. The seeds are derived from one number,
//! which is printed and can be given again. A step that fails does not end the run, and the table at the end has the
//! command that repeats each step. Measurements are not a part of it (`tools/benchmarks/all.sh` makes them), nor is anything
//! that needs a GPU.

mod steps;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::chore::Outcome;
use steps::{Need, STEPS, Step};

/// Run what takes too long for `cargo test`, with fresh seeds.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only these steps
    steps: Vec<String>,
    /// List the steps and run nothing
    #[arg(long)]
    list: bool,
    /// The number from which the seeds follow [default: from the clock]
    #[arg(long)]
    seed: Option<u32>,
    /// NVIDIA's assembler, `ptxas` of CUDA 12.9, for the steps that need it
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
}

/// The programs of the step that needs browsers.
const BROWSERS: [&str; 4] = ["firefox", "geckodriver", "WebKitWebDriver", "Xvfb"];

/// How a step ended.
#[derive(Clone, Debug, PartialEq)]
enum End {
    Passed,
    Failed,
    /// Something that the step needs is missing.
    Skipped(String),
}

/// A line of the table.
struct Line {
    step: &'static Step,
    time: Duration,
    end: End,
}

/// Does the chore.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let chosen = choose(&arguments.steps)?;
    if arguments.list {
        print!("{}", list(&chosen));
        return Ok(Outcome::Done);
    }
    let ptxas = arguments.ptxas.as_ref().map(|path| {
        path.canonicalize().with_context(|| format!("`{}` cannot be opened; name a `ptxas`", path.display()))
    });
    let ptxas = ptxas.transpose()?;
    let seed = arguments.seed.unwrap_or_else(fresh);
    println!("seed {seed}: `--seed {seed}` repeats this run");
    let lines = carry_out(&chosen, |step| match missing(step, ptxas.as_deref()) {
        Some(why) => Ok(End::Skipped(why)),
        None => start(step, seed, ptxas.as_deref()),
    })?;
    print!("\n{}", table(&lines, seed));
    let has_failed = lines.iter().any(|line| line.end == End::Failed);
    Ok(if has_failed { Outcome::Stale } else { Outcome::Done })
}

/// The steps with these names in the order of the list, or all steps if no name is given.
fn choose(names: &[String]) -> Result<Vec<&'static Step>> {
    if let Some(name) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        bail!("there is no step `{name}`; the steps are {}", known.join(", "));
    }
    let is_chosen = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(STEPS.iter().filter(is_chosen).collect())
}

/// What `--list` prints.
fn list(steps: &[&Step]) -> String {
    let line = |text: String, step: &&Step| {
        let needs = step.needs.map(|need| format!(" (needs {})", need.name())).unwrap_or_default();
        text + &format!("{:width$}  {}{needs}\n", step.name, step.what, width = steps::WIDTH)
    };
    steps.iter().fold(String::new(), line)
}

/// A seed that probably no other run has had. Nine digits are enough, and can be typed.
fn fresh() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_millis() % 1_000_000_000) as u32
}

/// Runs all steps, even after one has failed, and prints how long each takes.
fn carry_out(
    chosen: &[&'static Step],
    mut run: impl FnMut(&'static Step) -> Result<End>,
) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for &step in chosen {
        println!("\n== {}: {}", step.name, step.what);
        let begun = Instant::now();
        let end = run(step)?;
        if let End::Skipped(why) = &end {
            println!("skipped: {why}");
        }
        lines.push(Line { step, time: begun.elapsed(), end });
    }
    Ok(lines)
}

/// Why a step cannot be run here, if it cannot.
fn missing(step: &Step, ptxas: Option<&std::path::Path>) -> Option<String> {
    match step.needs? {
        Need::Ptxas if ptxas.is_none() => Some("`--ptxas` names no assembler".to_owned()),
        Need::Ptxas => None,
        Need::Compiler => crate::ptx::missing_compiler().map(|error| format!("{error:#}")),
        Need::Browsers => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let is_missing =
                |program: &&str| !std::env::split_paths(&path).any(|at| at.join(program).is_file());
            let missing = BROWSERS.into_iter().find(is_missing)?;
            Some(format!("`{missing}` is not installed; the test names the packages"))
        }
    }
}

fn start(step: &Step, seed: u32, ptxas: Option<&std::path::Path>) -> Result<End> {
    let ptxas = ptxas.map(|path| path.display().to_string()).unwrap_or_default();
    let words = step.words(seed, &ptxas);
    let seeds = step.seeds(seed).map(|seeds| format!("{}..{}", seeds.start, seeds.end));
    let variable =
        seeds.as_ref().map(|seeds| format!("{}={seeds} ", test_support::SEEDS)).unwrap_or_default();
    println!("$ {variable}cargo {}", words.join(" "));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(&words).current_dir(crate::chore::root()).env_remove(test_support::SEEDS);
    if let Some(seeds) = seeds {
        command.env(test_support::SEEDS, seeds);
    }
    let status = command.status().context("`cargo` cannot be started")?;
    Ok(if status.success() { End::Passed } else { End::Failed })
}

/// The table of the steps: their times, their results, and the command that repeats each.
fn table(lines: &[Line], seed: u32) -> String {
    let mut table = String::new();
    for Line { step, time, end } in lines {
        let seconds = time.as_secs();
        let time = format!("{}:{:02}", seconds / 60, seconds % 60);
        let result = match end {
            End::Passed => "passed",
            End::Failed => "FAILED",
            End::Skipped(_) => "skipped",
        };
        let name = step.name;
        let again = format!("cargo xtask thorough {name} --seed {seed}{}", step.option());
        let _ = writeln!(table, "{name:width$}  {time:>7}  {result:7}  {again}", width = steps::WIDTH);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(steps: &[&Step]) -> Vec<&'static str> {
        steps.iter().map(|step| step.name).collect()
    }

    #[test]
    fn a_name_selects_a_step_and_a_wrong_one_lists_them() {
        let chosen = choose(&["equal".to_owned(), "mutants".to_owned()]).unwrap();
        assert_eq!(names(&chosen), ["mutants", "equal"], "in the order of the list");
        assert_eq!(choose(&[]).unwrap().len(), STEPS.len());
        let error = choose(&["equals".to_owned()]).err().unwrap().to_string();
        assert!(error.starts_with("there is no step `equals`; the steps are tests, "), "{error}");
    }

    #[test]
    fn a_failure_does_not_end_the_run_and_each_line_says_how_to_repeat_it() {
        let chosen = choose(&["equal".to_owned(), "isa".to_owned(), "progress".to_owned()]).unwrap();
        let ends = |step: &'static Step| {
            Ok(match step.name {
                "equal" => End::Failed,
                "isa" => End::Skipped("`--ptxas` names no assembler".to_owned()),
                _ => End::Passed,
            })
        };
        let mut lines = carry_out(&chosen, ends).unwrap();
        lines[0].time = Duration::from_secs(754);
        let table = table(&lines, 17);
        let expected = [
            ("equal", "12:34  FAILED   cargo xtask thorough equal --seed 17"),
            ("progress", "0:00  passed   cargo xtask thorough progress --seed 17"),
            ("isa", "0:00  skipped  cargo xtask thorough isa --seed 17 --ptxas PATH"),
        ];
        assert_eq!(table.lines().count(), expected.len(), "{table}");
        for (line, (name, rest)) in table.lines().zip(expected) {
            assert!(line.starts_with(name) && line.ends_with(rest), "{line}");
        }
    }

    #[test]
    fn a_step_without_its_tool_is_skipped_by_name() {
        let isa = choose(&["isa".to_owned()]).unwrap()[0];
        assert_eq!(missing(isa, None).as_deref(), Some("`--ptxas` names no assembler"));
        assert_eq!(missing(isa, Some(std::path::Path::new("ptxas"))), None);
    }
}
