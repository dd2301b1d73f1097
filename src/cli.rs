//! The command line of every chapter.
//!
//! One set of options, one way to fail: a line on standard error that says what to do, and exit status 2. Status 1
//! is for a result that is not what the chapter says, or machines that disagree; a wrong kernel that is found out is
//! no failure. What it leaves out: options of a single chapter.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Command, FromArgMatches};

use crate::device::Choice;
use crate::lab::Lab;
use crate::report::{Report, json, text};
use crate::terminal::{fail, print, refuse};

/// A chapter, for its `main`.
#[derive(Clone, Copy, Debug)]
pub struct Chapter {
    /// The name of the program, `ch01_divergence`.
    pub name: &'static str,
    /// The title, which heads its report.
    pub title: &'static str,
    /// A variant to show in the examples of `--help`.
    pub example: &'static str,
    /// Runs everything.
    pub run: fn(&mut Lab) -> Result<()>,
}

/// The options that every chapter takes.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Which machines: sim (the emulator), gpu (both), auto (both, if there is a GPU)
    #[arg(long, value_enum, default_value_t, value_name = "MACHINE", hide_possible_values = true)]
    pub device: Choice,
    /// How many elements to work on, where a section does not say it itself
    #[arg(long, value_name = "ELEMENTS", value_parser = size, allow_negative_numbers = true)]
    pub size: Option<usize>,
    /// How many threads a block has, where a section does not say it itself
    #[arg(long, value_name = "THREADS", value_parser = block, allow_negative_numbers = true)]
    pub block: Option<u32>,
    /// Decides what is left to chance: inputs and schedules
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// How often a kernel is timed on a GPU; 0 launches it once, without a clock
    #[arg(long, default_value_t = 11, value_name = "TIMES", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub runs: u32,
    /// Print one JSON object with everything that was counted
    #[arg(long)]
    pub json: bool,
    /// Run one variant alone, or the variants of one section
    #[arg(long, value_name = "VARIANT")]
    pub only: Option<String>,
}

fn size(text: &str) -> Result<usize, String> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0') {
        // More than fits is more than there is memory for, and refused as that.
        return Ok(text.parse().unwrap_or(usize::MAX));
    }
    Err("a size is a whole number from 1".to_owned())
}

fn block(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(block @ 1..=1024) => Ok(block),
        _ => Err("a block has 1 to 1024 threads".to_owned()),
    }
}

/// The whole of a chapter's `main`.
pub fn main(chapter: &Chapter) -> ExitCode {
    let options = match parse(chapter, std::env::args_os()) {
        Ok(options) => options,
        Err(error) => return refuse(&error),
    };
    let as_json = options.json;
    match run(chapter, options) {
        Ok(report) => show(&report, as_json),
        Err(error) => fail(&format!("{error:#}")),
    }
}

fn run(chapter: &Chapter, options: Options) -> Result<Report> {
    let mut lab = Lab::new(options, chapter.name, chapter.title)?;
    (chapter.run)(&mut lab)?;
    lab.finish()
}

fn parse(
    chapter: &Chapter,
    args: impl IntoIterator<Item = std::ffi::OsString>,
) -> Result<Options, clap::Error> {
    let command = Options::augment_args(Command::new(chapter.name));
    // The options bring a description of their own, so the chapter's comes after them.
    let command = command.about(chapter.title).after_help(examples(chapter));
    let matches = command.try_get_matches_from(args)?;
    Options::from_arg_matches(&matches)
}

fn examples(chapter: &Chapter) -> String {
    let lines = [
        ("", "everything"),
        (" --size 1000 --block 48", "another shape"),
        (&format!(" --only {}", chapter.example), "one variant"),
        (" --device sim --json", "for a program to read"),
    ];
    let line = |(options, what)| format!("  {:<42}  {what}\n", format!("{}{options}", chapter.name));
    format!("Examples:\n{}", lines.map(line).concat().trim_end())
}

fn show(report: &Report, as_json: bool) -> ExitCode {
    let status = ExitCode::from(u8::from(report.is_failure()));
    print(&if as_json { format!("{:#}\n", json::render(report)) } else { text::render(report) }, status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::one_line;

    const CHAPTER: Chapter = Chapter { name: "chapter", title: "A chapter", example: "one", run: |_| Ok(()) };

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
        assert!(refused(&["--size", "-1"]).ends_with("a size is a whole number from 1"));
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
