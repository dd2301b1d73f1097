//! The command line.
//!
//! There is one way to fail: a line on standard error that says what to do, and exit status 2. What it leaves out: what
//! the commands do, which is in `commands.rs`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Parser, Subcommand};
use cudac::toolchain::Choice;
use grader::Exercise;
use thirty_two_lanes::cores;
use thirty_two_lanes::terminal::{fail, refuse};

use crate::commands::{self, Bench};
use crate::course::Course;
use crate::desk::Desk;
use crate::progress::Progress;
use crate::toolchain::Toolchain;
use crate::{place, session, setup};

const AFTER: &str = "\
Without a command, it shows the next open exercise and runs your file whenever you save it.

Exit status:
  0  passed, or done
  1  refused; for `verify`: an exercise that you had passed no longer passes
  2  the command could not be carried out, and a message says why";

/// Exercises about warps: fix, write, improve and predict kernels, graded lane by lane
#[derive(Debug, Parser)]
#[command(name = "exercises", after_help = AFTER, max_term_width = 80, disable_help_subcommand = true, args_override_self = true)]
struct Cli {
    #[command(flatten)]
    places: Places,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args, Debug)]
struct Places {
    /// Where your files and your progress are [default: `mine` beside the exercises]
    #[arg(long, value_name = "DIR", global = true)]
    folder: Option<PathBuf>,
    /// Where the exercises are [default: `exercises` in the checkout that you are in, or else in the one where this program
    /// was built]
    #[arg(long, value_name = "DIR", global = true)]
    catalogue: Option<PathBuf>,
    /// The compiler of your CUDA files [default: NVIDIA's (nvrtc) if it is installed, otherwise cudac, which is built in]
    #[arg(long, value_name = "cudac|nvrtc", value_parser = compiler, global = true)]
    compiler: Option<Choice>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List all exercises and what you have passed
    List,
    /// Show an exercise, and run your file whenever you save it
    Watch {
        /// The exercise
        name: String,
    },
    /// Grade your file of an exercise once
    Run {
        /// The exercise [default: the next that you have not passed]
        name: Option<String>,
    },
    /// Print the next hint
    Hint {
        /// The exercise [default: the next that you have not passed]
        name: Option<String>,
    },
    /// Print a solution, once you have passed
    Solution {
        /// The exercise
        name: String,
        /// Print it even if you have not passed
        #[arg(long)]
        spoil: bool,
    },
    /// Start an exercise again; your text is kept beside it
    Reset {
        /// The exercise
        #[arg(conflicts_with = "all")]
        name: Option<String>,
        /// All of them
        #[arg(long)]
        all: bool,
    },
    /// Grade your files again: all of them, or those of the named exercises
    Verify {
        /// The exercises
        names: Vec<String>,
    },
    /// Get NVIDIA's CUDA compiler, after asking; without it, cudac compiles
    Setup(setup::Options),
}

/// The body of `main`.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    obey(cli).unwrap_or_else(|error| fail(&format!("{error:#}")))
}

fn obey(cli: Cli) -> Result<ExitCode> {
    let mut bench = bench(cli.places)?;
    let Some(command) = cli.command else { return begin(bench, None) };
    if !matches!(command, Command::Watch { .. }) {
        print_note(&mut bench);
    }
    match command {
        Command::Watch { name } => begin(bench, Some(&name)),
        Command::List => Ok(commands::list(&bench)),
        Command::Run { name } => commands::run(&mut bench, name.as_deref()),
        Command::Hint { name } => commands::hint(&mut bench, name.as_deref()),
        Command::Solution { name, spoil } => commands::print_solution(&bench, &name, spoil),
        Command::Reset { name: None, all: false } => {
            bail!("`reset` takes the name of an exercise, or `--all` for everything")
        }
        Command::Reset { name, .. } => commands::reset(&mut bench, name.as_deref()),
        Command::Verify { names } => commands::verify(&mut bench, &names),
        Command::Setup(options) => setup::run(&options),
    }
}

/// Prints on standard error what the screen would show.
fn print_note(bench: &mut Bench) {
    if let Some(note) = bench.note.take() {
        let _ = fail(&note);
    }
}

/// Opens the screen, or runs once if there is no terminal.
fn begin(mut bench: Bench, name: Option<&str>) -> Result<ExitCode> {
    let wanted = name.map(|name| bench.course.find(name)).transpose()?;
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    if is_dumb || !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        print_note(&mut bench);
        return match name {
            Some(name) => commands::run(&mut bench, Some(name)),
            None => commands::run_next(&mut bench),
        };
    }
    session::run(bench, wanted).map(|()| ExitCode::SUCCESS)
}

/// The exercises beside which this program was built.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../exercises");

fn bench(places: Places) -> Result<Bench> {
    let catalogue = match places.catalogue {
        Some(catalogue) => catalogue,
        None => place::exercises(std::env::current_dir().ok().as_deref(), Path::new(BUILT))?,
    };
    let folder = places.folder.unwrap_or_else(|| catalogue.join("mine"));
    let desk = Desk::new(&folder);
    let exercises = grader::all(&catalogue)
        .context("the exercises cannot be read; run this program in a checkout of the project")?;
    let (progress, note) = Progress::load(&desk.progress_file())?;
    // It is never freed: if a compiler were unloaded at the end, while another thread still uses it, the program would
    // crash.
    let toolchain: &'static Toolchain = Box::leak(Box::new(Toolchain::new(places.compiler)));
    // A compiler that was asked for and is missing is reported now, and not at the first attempt.
    if places.compiler.is_some() {
        toolchain.compiler().map_err(|why| anyhow!("{why}"))?;
    }
    Ok(Bench {
        course: Course { catalogue, exercises },
        desk,
        progress,
        note,
        grade: Arc::new(move |exercise, text| {
            let compile = |exercise: &Exercise, text: &str| toolchain.compile(exercise, text);
            grader::grade(exercise, &compile, &mut side_by_side, text)
        }),
    })
}

/// `cudac` or `nvrtc`.
fn compiler(text: &str) -> Result<Choice, String> {
    let known = Choice::ALL.iter().find(|(name, _)| *name == text);
    known.map(|(_, choice)| *choice).ok_or_else(|| "a compiler is `cudac` or `nvrtc`".to_owned())
}

/// Carries out the trials of a grading on all cores.
fn side_by_side(count: u64, work: &grader::Work, take: &mut grader::Take) {
    let _ = cores::in_order(cores::available(), 0..count, work, take);
}
