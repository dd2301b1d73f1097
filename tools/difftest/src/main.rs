//! The program `difftest`: shows, compares and records random kernels.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};
use difftest::batch::Bench;
use difftest::campaign::{self, Outcome, Plan, Retry};
use difftest::device::Device;
use difftest::family::Family;
use difftest::grammar::{self, Verdict};
use difftest::kernel::Kernel;
use difftest::record::{self, Circumstances};
use difftest::tools::Ptxas;
use difftest::{batch, compare, texts};
use serde_json::{Value, json};

/// Random PTX kernels: compares the emulator with itself, with NVIDIA's assembler and with a GPU
#[derive(Parser)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the kernel of a seed
    Show {
        /// The seed
        seed: u64,
        /// A family of instructions to have many statements of
        #[arg(long)]
        family: Option<Family>,
    },
    /// Run kernels on the emulator in every way that it has: all must have the same result, and no checker may find anything
    Compare {
        /// The first seed
        #[arg(long, default_value_t = 0)]
        first: u64,
        /// How many kernels
        #[arg(long, default_value_t = 20_000)]
        count: u64,
        /// A family of instructions to have many statements of
        #[arg(long)]
        family: Option<Family>,
    },
    /// Give an assembler kernels, and instructions changed at random: it must accept what the emulator accepts
    Grammar {
        /// The assembler: `ptxas` from nvcc or from a wheel
        #[arg(long)]
        ptxas: PathBuf,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        first: u64,
        /// How many kernels, without a family and of each family
        #[arg(long, default_value_t = 100)]
        kernels: u64,
        /// How many changed instructions
        #[arg(long, default_value_t = 1000)]
        mutants: u64,
        /// Only kernels of this family, and instructions of them
        #[arg(long)]
        family: Option<Family>,
    },
    /// Compare kernels with a GPU, in several processes, and record what differs
    Gpu(Gpu),
    /// Run small texts, each with its expected result, through every compiler on a GPU
    Texts(Texts),
    /// Run the kernels of a few seeds in this process, for `gpu`
    #[command(hide = true)]
    Batch(Batch),
}

#[derive(Args)]
struct Gpu {
    /// The first seed
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// How many kernels
    #[arg(long, default_value_t = 20_000)]
    count: u64,
    /// After how many seconds to stop, even if kernels are left
    #[arg(long, default_value_t = 570)]
    seconds: u64,
    /// A family of instructions to have many statements of
    #[arg(long)]
    family: Option<Family>,
    #[command(flatten)]
    common: Common,
    /// Write a line of JSON for each kernel to this file
    #[arg(long)]
    lines: Option<PathBuf>,
}

#[derive(Args)]
struct Texts {
    /// Folders of .ptx files
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    /// `gpu`, or `emulator` to try everything without a GPU
    #[arg(long, default_value = "gpu")]
    device: String,
    /// How many processes run at a time
    #[arg(long, default_value_t = 16)]
    processes: usize,
    /// How many kernels a process runs
    #[arg(long, default_value_t = 100)]
    batch: u64,
    /// Seconds that a kernel may take, the start of its process included
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// Other assemblers to try, from nvcc or from a wheel
    #[arg(long)]
    ptxas: Vec<PathBuf>,
    /// The architecture that they assemble for
    #[arg(long, default_value = "sm_90")]
    arch: String,
    /// The date to write into the record
    #[arg(long, default_value = "")]
    date: String,
    /// Write the record to this file
    #[arg(long)]
    save: Option<PathBuf>,
}

#[derive(Args)]
struct Batch {
    #[arg(long)]
    device: String,
    #[arg(long)]
    first: u64,
    #[arg(long)]
    count: u64,
    #[arg(long)]
    ptxas: Vec<PathBuf>,
    #[arg(long)]
    arch: String,
    #[arg(long, default_value_t = batch::DEFAULT_LEVEL)]
    level: u32,
    /// What compiles every kernel first, instead of the driver
    #[arg(long)]
    compiler: Option<PathBuf>,
    /// Only record differences
    #[arg(long)]
    brief: bool,
    #[arg(long)]
    family: Option<Family>,
    /// Texts instead of kernels, by their number
    #[arg(long)]
    text: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let run = match Program::parse().command {
        Command::Show { seed, family } => {
            print!("{}", Kernel::of(family, seed).text);
            Ok(true)
        }
        Command::Compare { first, count, family } => Ok(all_ways(family, first, count)),
        Command::Grammar { ptxas, first, kernels, mutants, family } => {
            ask(&ptxas, family, first, kernels, mutants)
        }
        Command::Gpu(options) => gpu(&options),
        Command::Texts(options) => all_texts(&options),
        Command::Batch(options) => child(&options).map(|()| true),
    };
    match run {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether every kernel has the same result in every way; prints the difference of each that does not.
fn all_ways(family: Option<Family>, first: u64, count: u64) -> bool {
    let (mut runs, mut failures) = (0, 0);
    for seed in first..first + count {
        match compare::all_ways(&Kernel::of(family, seed)) {
            Ok(ways) => runs += ways,
            Err(error) => {
                failures += 1;
                println!("{error:#}");
            }
        }
    }
    println!("{count} kernels in {runs} runs besides the plain ones: {failures} differ");
    failures == 0
}

/// Whether emulator and assembler agree on kernels and mutants, except for the disagreements on the list; prints the
/// others.
fn ask(ptxas: &Path, family: Option<Family>, first: u64, kernels: u64, mutants: u64) -> Result<bool> {
    let (ptxas, folder) = (Ptxas::new(ptxas)?, std::env::temp_dir());
    let (mut agreed, mut known, mut open) = (0, 0, 0);
    let all = [None].into_iter().chain(Family::ALL.map(Some));
    let families = all.filter(|one| family.is_none() || *one == family);
    for kernel in
        families.flat_map(|family| (first..first + kernels).map(move |seed| Kernel::of(family, seed)))
    {
        let arch = format!("sm_{}", kernel.target);
        match ptxas.takes(&kernel.text, &arch, &folder)? {
            Ok(()) => agreed += 1,
            Err(message) if message.is_empty() => {
                known += 1;
                println!("kernel of {}: the assembler died", kernel.name());
            }
            Err(message) => {
                open += 1;
                println!("kernel of {}: {message}", kernel.name());
            }
        }
    }
    for seed in first..first + mutants {
        let mutant = grammar::mutant(family, seed);
        let verdict = grammar::ask(&ptxas, &mutant.text, mutant.target, &folder)?;
        match (&verdict, grammar::known(&mutant, &verdict)) {
            (Verdict::Agreed(_), _) => agreed += 1,
            (_, Some(_)) => known += 1,
            (verdict, None) => {
                open += 1;
                println!("mutant {seed}, sm_{}: `{}`: {verdict:?}", mutant.target, mutant.instruction);
            }
        }
    }
    println!("ptxas {}: {agreed} agreed, {known} known, {open} open", ptxas.release);
    Ok(open == 0)
}

fn plan(common: &Common, first: u64, count: u64, seconds: u64, mut arguments: Vec<String>) -> Result<Plan> {
    for ptxas in &common.ptxas {
        arguments.extend(["--ptxas".to_owned(), ptxas.display().to_string()]);
    }
    arguments.extend(["--arch".to_owned(), common.arch.clone()]);
    Ok(Plan {
        program: std::env::current_exe().context("this program does not know where it is")?,
        device: common.device.clone(),
        arguments,
        retries: retries(&common.ptxas)?,
        tries_all: false,
        first,
        count,
        batch: common.batch,
        processes: common.processes,
        patience: Duration::from_secs(common.patience),
        end: Duration::from_secs(seconds),
    })
}

/// All compilers at all levels, the driver's first and each without optimisation before the others.
fn retries(ptxas: &[PathBuf]) -> Result<Vec<Retry>> {
    let mut retries = Vec::new();
    for level in 0..=batch::DEFAULT_LEVEL {
        let at_level = vec!["--brief".to_owned(), "--level".to_owned(), level.to_string()];
        retries.push(Retry { name: format!("driver -O{level}"), arguments: at_level.clone() });
        // An assembler has one level fewer than the driver.
        for path in ptxas.iter().filter(|_| level < batch::DEFAULT_LEVEL) {
            let by = vec!["--compiler".to_owned(), path.display().to_string()];
            let name = format!("ptxas {} -O{level}", Ptxas::new(path)?.release);
            retries.push(Retry { name, arguments: [by, at_level.clone()].concat() });
        }
    }
    Ok(retries)
}

fn circumstances(common: &Common, started: Instant) -> Result<Circumstances> {
    let (device, driver) = Device::open(&common.device)?.about();
    let releases = common.ptxas.iter().map(|path| Ok(Ptxas::new(path)?.release));
    let words: Vec<String> = std::env::args().skip(1).collect();
    Ok(Circumstances {
        date: common.date.clone(),
        device,
        driver,
        ptxas: releases.collect::<Result<_>>()?,
        command: format!("fuzz {}", words.join(" ")),
        seconds: started.elapsed().as_secs(),
    })
}

fn gpu(options: &Gpu) -> Result<bool> {
    let started = Instant::now();
    let family = options.family.map(|family| ["--family".to_owned(), family.name().to_owned()]);
    let arguments = family.into_iter().flatten().collect();
    let outcome =
        campaign::run(&plan(&options.common, options.first, options.count, options.seconds, arguments)?)?;
    if let Some(path) = &options.lines {
        let lines = outcome.lines.iter().fold(String::new(), |text, line| text + &format!("{line}\n"));
        std::fs::write(path, lines)?;
    }
    let record = record::record(&circumstances(&options.common, started)?, &outcome);
    print!("{}", record::summary(&record));
    save(&options.common, &record)?;
    Ok(record["unexplained"] == 0 && !outcome.cut_short)
}

fn all_texts(options: &Texts) -> Result<bool> {
    let started = Instant::now();
    let files = texts::list(&options.folders)?;
    let arguments = files.iter().flat_map(|file| ["--text".to_owned(), file.display().to_string()]).collect();
    let plan = plan(&options.common, 0, files.len() as u64, 570, arguments)?;
    let outcome = campaign::run(&Plan { tries_all: true, ..plan })?;
    let about = circumstances(&options.common, started)?;
    let record = json!({
        "date": about.date,
        "device": about.device,
        "driver": about.driver,
        "ptxas": about.ptxas,
        "command": about.command,
        "texts": text_results(&outcome, &files)?,
    });
    for text in record["texts"].as_array().into_iter().flatten() {
        println!("{text}");
    }
    save(&options.common, &record)?;
    Ok(!outcome.cut_short)
}

/// The lines without their numbers; for a text whose process was lost, the results of its retries.
fn text_results(outcome: &Outcome, files: &[PathBuf]) -> Result<Vec<Value>> {
    let line = |line: &Value| {
        let number = line["seed"].as_u64().unwrap_or_default() as usize;
        if let (Some(retries), Some(file)) = (line["retries"].as_object(), files.get(number)) {
            return texts::gathered(file, retries);
        }
        let mut line = line.clone();
        if let (Some(fields), Some(file)) = (line.as_object_mut(), files.get(number)) {
            fields.remove("seed");
            fields.entry("file").or_insert_with(|| texts::name(file).into());
        }
        Ok(line)
    };
    outcome.lines.iter().map(line).collect()
}

fn save(common: &Common, record: &Value) -> Result<()> {
    if let Some(path) = &common.save {
        std::fs::write(path, format!("{record:#}\n"))
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    Ok(())
}

fn child(options: &Batch) -> Result<()> {
    let bench = Bench {
        device: Device::open(&options.device)?,
        ptxas: options.ptxas.iter().map(|path| Ptxas::new(path)).collect::<Result<_>>()?,
        arch: options.arch.clone(),
        level: options.level,
        compiler: options.compiler.as_deref().map(Ptxas::new).transpose()?,
        is_brief: options.brief,
        family: options.family,
        folder: std::env::temp_dir(),
    };
    let mut out = std::io::stdout();
    if options.text.is_empty() {
        return batch::run(&bench, options.first, options.count, &mut out);
    }
    for number in options.first..options.first + options.count {
        let run = if options.brief { texts::run_one } else { texts::run };
        let mut line = run(&bench, &options.text[number as usize])
            .unwrap_or_else(|error| json!({ "trouble": format!("{error:#}") }));
        line["seed"] = number.into();
        writeln!(out, "{line}")?;
    }
    Ok(())
}
