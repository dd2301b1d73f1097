//! Checks the commands that a reader is asked to type: the programs, names, claims and kernels in them must exist.

use anyhow::{Result, bail, ensure};

use crate::claims::Ledger;
use crate::outputs;
use crate::repository::Repository;
use crate::source::Source;

/// The first words that a command may have. The output of a program is not allowed in a block of commands.
const PROGRAMS: [&str; 14] = [
    "cargo",
    "cd",
    "chromium",
    "compute-sanitizer",
    "curl",
    "export",
    "git",
    "mdbook",
    "ncu",
    "nvcc",
    "pip",
    "python3",
    "rustup",
    "tools/benchmarks/gpu/record.sh",
];

/// Checks every command of a fenced block marked `sh`.
pub fn check(block: &str, repository: &Repository, ledger: &Ledger) -> Result<()> {
    // Without the fences, and with continued lines joined.
    let lines: Vec<&str> = block.trim().lines().collect();
    let text = lines[1..lines.len() - 1].join("\n").replace("\\\n", " ");
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
        command(&words, repository, ledger)?;
    }
    Ok(())
}

fn command(words: &[&str], repository: &Repository, ledger: &Ledger) -> Result<()> {
    let program = words.iter().find(|word| !word.contains('=')).copied().unwrap_or_default();
    ensure!(
        PROGRAMS.contains(&program),
        "`{program}` is no command that the book knows; blocks in `sh` hold commands only"
    );
    let Some(at) = words.iter().position(|word| *word == "--bin") else { return Ok(()) };
    let bin = words.get(at + 1).copied().unwrap_or_default();
    let options: Vec<&str> = words.iter().skip_while(|word| **word != "--").skip(1).copied().collect();
    match bin {
        "lanes" => lanes(&options, repository),
        "exercises" => Ok(()),
        _ => chapter(bin, &options, repository, ledger),
    }
}

/// Checks the kernel file of a command and the kernel in it, if both belong to this repository.
fn lanes(options: &[&str], repository: &Repository) -> Result<()> {
    let Some(file) = options.iter().find(|word| word.starts_with("kernels/")) else { return Ok(()) };
    let text = repository.read(file)?;
    if let Some(kernel) = after(options, "--kernel") {
        ensure!(text.contains(&format!(" {kernel}(")), "`{file}` has no kernel `{kernel}`");
    }
    Ok(())
}

fn chapter(bin: &str, options: &[&str], repository: &Repository, ledger: &Ledger) -> Result<()> {
    let source = Source::parse(bin, repository)?;
    ensure!(source.chapter == bin, "there is no program `{bin}`; the chapter's is `{}`", source.chapter);
    let run = source.read(repository)?;
    for name in after(options, "--only").into_iter().flat_map(|names| names.split(',')) {
        if !outputs::has(run.report(), name) {
            bail!("`{bin}` has no section, row or picture `{name}`");
        }
    }
    if let Some(id) = after(options, "--claim").filter(|id| *id != "all") {
        let command = &ledger.get(id)?.command;
        ensure!(command.contains(&format!(" {bin} ")), "`{bin}` does not decide `{id}`: type `{command}`");
    }
    Ok(())
}

fn after<'a>(words: &[&'a str], option: &str) -> Option<&'a str> {
    let at = words.iter().position(|word| *word == option)?;
    words.get(at + 1).copied()
}
