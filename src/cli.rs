//! The command line of every chapter.
//!
//! All chapters have the same options, and fail in the same way: with a line on standard error that says what to do,
//! and exit status 2. Status 1 means that a result is not the one that the chapter expects, or that the machines
//! disagree. If a wrong kernel is found to be wrong, that is a success. What it leaves out: options of a single
//! chapter.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::error::ErrorKind;
use clap::{Args, Command, FromArgMatches};

use crate::claims::{self, Claim, Judged};
use crate::cores;
use crate::device::{Choice, Watch};
use crate::files;
use crate::lab::Lab;
use crate::report::{Report, json, text};
use crate::terminal::{fail, print, refuse};
use spec::layout::{WIDTH, paragraph};

/// A chapter, as its `main` declares it.
#[derive(Clone, Copy, Debug)]
pub struct Chapter {
    /// The name of the program, `ch01_divergence`.
    pub name: &'static str,
    /// The title, with which its report begins.
    pub title: &'static str,
    /// A variant to show in the examples of `--help`.
    pub example: &'static str,
    /// The claims that it decides.
    pub claims: &'static [Claim],
    /// Its record of a GPU, `output/h200.json`, in the types of [`record`].
    pub record: &'static str,
    /// Runs all sections.
    pub run: fn(&mut Lab) -> Result<()>,
}

/// The options that every chapter takes.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Which machines: sim (the emulator), gpu (both), auto (both, if there is a GPU)
    #[arg(long, value_enum, default_value_t, value_name = "MACHINE", hide_possible_values = true, help_heading = MACHINES)]
    pub device: Choice,
    /// How often a kernel is timed on a GPU; 0 launches it once without timing it
    #[arg(long, default_value_t = 11, value_name = "TIMES", value_parser = runs, allow_negative_numbers = true, help_heading = MACHINES)]
    pub runs: u32,
    /// How many cores of this computer the emulator uses; results do not depend on it [default: all]
    #[arg(long, value_name = "CORES", value_parser = cores::parse, allow_negative_numbers = true, help_heading = MACHINES)]
    pub cores: Option<u32>,
    /// Execute everything warp by warp, one step at a time: for the tests that compare this with the usual way
    #[arg(long, hide = true)]
    pub plain: bool,
    /// Which checkers are on in the emulator: on (all), off (none), auto (all, but in launches of more than 4 million threads
    /// not those that remember every byte)
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", hide_possible_values = true, help_heading = MACHINES)]
    pub check: Watch,
    /// How many elements to work on, in sections that do not fix it
    #[arg(long, value_name = "ELEMENTS", value_parser = size, allow_negative_numbers = true, help_heading = WORK)]
    pub size: Option<usize>,
    /// How many threads a block has, in sections that do not fix it
    #[arg(long, value_name = "THREADS", value_parser = block, allow_negative_numbers = true, help_heading = WORK)]
    pub block: Option<u32>,
    /// Seed of the random inputs and schedules
    #[arg(long, default_value = "0", value_parser = seed, allow_negative_numbers = true, help_heading = WORK)]
    pub seed: u64,
    /// Run only these sections, variants or pictures, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = WORK)]
    pub only: Option<Vec<String>>,
    /// Run the variants that decide a claim of the study notes, and print the verdict; `all` prints the chapter's ledger
    #[arg(long, value_name = "ID", conflicts_with_all = ["only", "size", "block", "check"], help_heading = WORK)]
    pub claim: Option<String>,
    /// Print one JSON object with everything that was counted
    #[arg(long)]
    pub json: bool,
    /// Also write that object into a file
    #[arg(long, value_name = "FILE", conflicts_with = "claim")]
    pub save: Option<PathBuf>,
}

const MACHINES: &str = "Machines";
const WORK: &str = "What to run";

fn size(text: &str) -> Result<usize, String> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0') {
        // A number that does not fit is more than there is memory for, and is refused for that reason.
        return Ok(text.parse().unwrap_or(usize::MAX));
    }
    Err("a size is a whole number, at least 1".to_owned())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a seed is a whole number from 0 to 2^64 - 1".to_owned())
}

fn runs(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(runs @ 0..=1000) => Ok(runs),
        _ => Err("a kernel can be timed 0 to 1000 times".to_owned()),
    }
}

fn block(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(block @ 1..=1024) => Ok(block),
        _ => Err("a block has 1 to 1024 threads".to_owned()),
    }
}

/// The body of a chapter's `main`.
pub fn main(chapter: &Chapter) -> ExitCode {
    let options = match parse(chapter, std::env::args_os()) {
        Ok(options) => options,
        Err(error) => return refuse(&error),
    };
    let status = if options.claim.is_some() { decide(chapter, options) } else { report(chapter, options) };
    status.unwrap_or_else(|error| fail(&format!("{error:#}")))
}

fn report(chapter: &Chapter, options: Options) -> Result<ExitCode> {
    let (as_json, save) = (options.json, options.save.clone());
    let lab = rehearsed(chapter, options)?;
    if !as_json {
        // The head is printed first, so that the reader sees at once that something is running.
        let printed = print(&text::head(lab.report()), ExitCode::SUCCESS);
        if printed != ExitCode::SUCCESS {
            return Ok(printed);
        }
    }
    let report = run(chapter, lab)?;
    // The results are printed first, so that a file that cannot be written does not lose them.
    let status = ExitCode::from(u8::from(report.is_failure()));
    let status = print(&if as_json { json_text(&report) } else { text::body(&report) }, status);
    if let Some(file) = save {
        files::write(&file, json_text(&report)).with_context(|| {
            format!("cannot write `{}`: give `--save` a file in a folder that exists", file.display())
        })?;
    }
    Ok(status)
}

/// A chapter's [`Lab`]. Everything that can be refused without running a kernel has been refused.
fn rehearsed(chapter: &Chapter, options: Options) -> Result<Lab> {
    let mut lab = Lab::new(options, chapter.name, chapter.title)?;
    lab.rehearse(chapter.run)?;
    Ok(lab)
}

fn run(chapter: &Chapter, mut lab: Lab) -> Result<Report> {
    (chapter.run)(&mut lab)?;
    Ok(lab.finish())
}

/// Runs the variants that decide some claims, and shows the verdicts: one claim below the rows that decide it, all
/// claims in a ledger.
fn decide(chapter: &Chapter, options: Options) -> Result<ExitCode> {
    let (as_json, name) = (options.json, options.claim.clone().unwrap_or_default());
    let chosen = claims::chosen(chapter.claims, &name)?;
    let mut only: Vec<String> = chosen.iter().flat_map(|claim| claim.variants()).map(str::to_owned).collect();
    only.dedup();
    let report = run(chapter, rehearsed(chapter, Options { only: Some(only), ..options })?)?;
    let judged = claims::judge(&chosen, &json::render(&report), chapter.record)?;
    let is_failure = report.is_failure() || !judged.iter().all(Judged::is_sound);
    let ledger = claims::text(chapter.name, &judged);
    let text = match judged.len() {
        _ if as_json => format!("{:#}\n", claims::json(chapter.name, &judged)),
        1 if report.rows().next().is_some() => format!("{}\n{ledger}", text::render(&report)),
        _ => ledger,
    };
    Ok(print(&text, ExitCode::from(u8::from(is_failure))))
}

fn parse(
    chapter: &Chapter,
    args: impl IntoIterator<Item = std::ffi::OsString>,
) -> Result<Options, clap::Error> {
    let command = Options::augment_args(Command::new(chapter.name)).max_term_width(WIDTH);
    // The options contain a description of their own, so the chapter's is set after them.
    let command = command.about(chapter.title).after_help(examples(chapter));
    match command.clone().try_get_matches_from(args) {
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            let help = command.after_help(format!("{}\n{}", contents(chapter), examples(chapter)));
            Err(help.try_get_matches_from([chapter.name, "--help"]).err().unwrap_or(error))
        }
        matches => Options::from_arg_matches(&matches?),
    }
}

/// The sections of a chapter, which are found without running a kernel.
fn contents(chapter: &Chapter) -> String {
    let sections = parse(chapter, [chapter.name.into()]).ok().and_then(|options| {
        let nothing = Options { device: Choice::Sim, only: Some(Vec::new()), ..options };
        let lab = Lab::new(nothing, chapter.name, chapter.title).ok()?;
        Some(run(chapter, lab).ok()?.sections)
    });
    let sections = sections.unwrap_or_default();
    let width = sections.iter().map(|section| section.name.len()).max().unwrap_or(0);
    let lines =
        sections.iter().map(|section| paragraph(&format!("  {:<width$}  ", section.name), &section.title));
    format!("Sections:\n{}", lines.collect::<String>())
}

fn examples(chapter: &Chapter) -> String {
    let only = format!(" --only {}", chapter.example);
    let claim = chapter.claims.first().map(|claim| format!(" --claim {}", claim.id));
    let mut lines = vec![
        ("", "everything"),
        (" --size 1000 --block 64", "another size"),
        (&only, "one variant"),
        (" --device sim --json", "for other programs to read"),
    ];
    lines.extend(claim.as_ref().map(|claim| (claim.as_str(), "the verdict on a claim")));
    let line =
        |(options, what): &(&str, _)| format!("  {:<42}  {what}\n", format!("{}{options}", chapter.name));
    format!(
        "Exit status:\n  0  all results are as the chapter says, also those of the wrong kernels\n  \
         1  some result is not, or the machines disagree\n  2  the chapter could not be run; standard error says why\n\n\
         Examples:\n{}",
        lines.iter().map(line).collect::<String>().trim_end()
    )
}

fn json_text(report: &Report) -> String {
    record::text(&json::render(report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::one_line;

    const CHAPTER: Chapter = Chapter {
        name: "chapter",
        title: "A chapter",
        example: "one",
        claims: &[],
        record: "{}",
        run: |_| Ok(()),
    };

    fn refused(args: &[&str]) -> String {
        let args = ["chapter"].iter().chain(args).map(Into::into);
        one_line(&parse(&CHAPTER, args).unwrap_err().render().to_string())
    }

    #[test]
    fn messages_of_clap_become_one_line() {
        assert_eq!(
            refused(&["--sise", "7"]),
            "unexpected argument `--sise` found; a similar argument exists: `--size`"
        );
        assert_eq!(
            refused(&["--block", "0"]),
            "invalid value `0` for `--block <THREADS>`: a block has 1 to 1024 threads"
        );
        assert!(refused(&["--size", "-1"]).ends_with("a size is a whole number, at least 1"));
    }

    #[test]
    fn help_has_examples() {
        assert!(examples(&CHAPTER).contains("chapter --only one"));
    }

    #[test]
    fn options_have_defaults() {
        let options = parse(&CHAPTER, ["chapter".into()]).unwrap();
        assert_eq!((options.device, options.seed, options.size), (Choice::Auto, 0, None));
    }
}
