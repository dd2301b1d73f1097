//! `preprocessor`: mdBook calls it for each build of the book, and a contributor calls it to check the book.
//!
//! mdBook passes the book as JSON on the standard input, after asking `supports RENDERER`. `preprocessor check` reads
//! the pages itself, and does not need mdBook.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use mdbook_preprocessor::Preprocessor;
use preprocessor::BookPreprocessor;

/// The preprocessor of Thirty-Two Lanes: `mdbook build book` calls it.
#[derive(Parser)]
#[command(name = "preprocessor")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Say whether a renderer is supported: every one is
    Supports {
        /// `html`, say
        renderer: String,
    },
    /// Check every page without building the book: problems end with status 2, warnings with 1
    Check {
        /// The repository's root
        #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))]
        root: PathBuf,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Some(Command::Supports { .. }) => Ok(ExitCode::SUCCESS),
        Some(Command::Check { root }) => check(&root),
        None => preprocess(),
    };
    match done {
        Ok(status) => status,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Ends with status 1 if there are warnings only, and with 2 if there are problems.
fn check(root: &std::path::Path) -> Result<ExitCode> {
    let pages = preprocessor::pages(root)?;
    let warnings = preprocessor::warnings(root, &pages)?;
    for warning in &warnings {
        eprintln!("warning: {warning}");
    }
    preprocessor::expand_book(root, None, &pages)?;
    if warnings.is_empty() {
        println!("{} pages, no problem", pages.len());
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{} pages, {} warnings", pages.len(), warnings.len());
    Ok(ExitCode::from(1))
}

fn preprocess() -> Result<ExitCode> {
    const WITHOUT: &str = "mdBook calls this with the book on the standard input; `preprocessor check` checks it without mdBook";
    ensure!(!io::stdin().is_terminal(), WITHOUT);
    // All of it, because mdBook reports a broken pipe if something is left.
    let input = io::read_to_string(io::stdin())?;
    let (context, book) = mdbook_preprocessor::parse_input(input.as_bytes()).context(WITHOUT)?;
    let book = BookPreprocessor.run(&context, book)?;
    serde_json::to_writer(io::stdout().lock(), &book)?;
    io::stdout().flush()?;
    Ok(ExitCode::SUCCESS)
}
