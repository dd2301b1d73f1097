//! `cargo run --bin exercises`: the exercises of Thirty-Two Lanes in the terminal.

use std::process::ExitCode;

fn main() -> ExitCode {
    exercises::cli::main()
}
