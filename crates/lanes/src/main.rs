//! The program `lanes`, which runs a reader's own kernels and programs, without a chapter.
//!
//! `lanes list` shows the contents of a file, `lanes run` launches one of its kernels with arguments from the command
//! line, or runs it as a whole if it has a `main`, `lanes play` writes such a launch into a page, `lanes exec` runs
//! another program's CUDA, `lanes test` runs scenario
//! files, which have launches in a row, and `lanes explain` explains a kind of fault. Status 0 means a run without an error,
//! 1 a kernel with a fault or with different results for different seeds, and 2 something that could not be run.
//!
//! A command is a pipeline, and a stage uses only those before it: what was asked for (`request`) is looked up in a program
//! (`resolve`) and runs (`execute`); what came of it is judged (`outcome`) and told (`render`). The commands (`command`) connect
//! the stages. `advice` is a tool of its own, which uses none of them.

mod advice;
mod command;
mod execute;
mod outcome;
mod render;
mod request;
mod resolve;

use std::process::ExitCode;

use clap::Parser;
use request::options::{Command, Format, Options};
use thirty_two_lanes::terminal;

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            let words: Vec<String> =
                std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
            return match request::nvcc::mistaken(error.kind(), &words) {
                Some(problem) => terminal::fail(&problem),
                None => terminal::refuse(&error),
            };
        }
    };
    let (result, as_json) = match &options.command {
        Command::Run(options) => (command::run::run(options), options.output.json),
        Command::Advise(options) => (command::advise::advise(options), false),
        Command::Exec(options) => (command::exec::exec(options), false),
        Command::Test(options) => (command::test::test(options), options.format != Format::Text),
        Command::Play(options) => (command::play::play(options), false),
        Command::List(options) => (command::list::list(options), options.json),
        Command::Explain { topic } => (Ok((render::explain::render(*topic), ExitCode::SUCCESS)), false),
    };
    match result {
        Ok((text, status)) => terminal::print(&text, status),
        Err(error) if !as_json && is_log(&error) => terminal::fail_with_log(&format!("{error:#}")),
        Err(error) => terminal::fail(&format!("{error:#}")),
    }
}

/// Whether an error consists of several lines, which a compiler's log does.
fn is_log(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(cudac::toolchain::Error::Rejected { .. }))
        || error.downcast_ref::<resolve::source::Log>().is_some()
}
