//! Compiles a file and prints the PTX: `cargo run -p cudac --example compile -- FILE [SM]`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        eprintln!("usage: compile FILE [SM]");
        return ExitCode::FAILURE;
    };
    let sm = arguments.next().and_then(|sm| sm.parse().ok()).unwrap_or(70);
    let text = match std::fs::read_to_string(&name) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("`{name}` cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    let options = cudac::Options { sm, ..cudac::Options::default() };
    match cudac::compile(&cudac::Source { name: &name, text: &text }, &options) {
        Ok(output) => {
            for warning in output.warnings {
                eprintln!("{warning}");
            }
            print!("{}", output.ptx);
            ExitCode::SUCCESS
        }
        Err(errors) => {
            eprintln!("{errors}");
            ExitCode::FAILURE
        }
    }
}
