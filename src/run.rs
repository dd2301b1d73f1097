//! The program `lanes`: a reader's own kernels, without a chapter around them.
//!
//! `lanes list` says what is in a PTX file, `lanes run` launches one kernel of it with arguments from the command
//! line. Status 0 is a run without a fault, 1 a kernel at fault, 2 something that could not be run. What it leaves
//! out: the GPU, and compiling CUDA.

mod arguments;
mod element;
mod list;
mod options;
mod print;
mod show;
mod source;
mod spec;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use simt::{Emulator, KernelInfo, Limits, Module};

use crate::sim::host_memory_bytes;
use crate::terminal;
use arguments::Given;
use options::{Command, Options, RunOptions};

/// The whole of the program's `main`.
pub fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => return terminal::refuse(&error),
    };
    let told = match &options.command {
        Command::List { file } => list(file),
        Command::Run(options) => run(options),
    };
    match told {
        Ok((text, status)) => terminal::print(&text, status),
        Err(error) => terminal::fail(&format!("{error:#}")),
    }
}

/// What to print, and the status to end with.
type Told = (String, ExitCode);

fn list(file: &std::path::Path) -> Result<Told> {
    let module = load(&mut emulator(), file)?;
    Ok((list::render(&source::name(file), &module), ExitCode::SUCCESS))
}

fn run(options: &RunOptions) -> Result<Told> {
    let mut emulator = emulator();
    let module = load(&mut emulator, &options.file)?;
    let name = source::name(&options.file);
    let kernel = choose(&name, module.kernels(), options.kernel.as_deref())?;
    let given = arguments::place(&mut emulator, kernel, &options.args)?;
    arguments::check_prints(&options.prints, &given)?;
    let mut launch = options.launch();
    launch.args = given.iter().map(Given::arg).collect();
    let report = emulator
        .launch(&module, &kernel.name, &launch)
        .with_context(|| format!("cannot run `{}`", kernel.name))?;
    let mut text =
        show::render(&show::Shown { file: &name, kernel, module: &module, launch: &launch }, &report);
    for wanted in &options.prints {
        text += &print::render(wanted, &given[wanted.argument], &emulator);
    }
    Ok((text, ExitCode::from(u8::from(!report.faults.is_empty()))))
}

fn emulator() -> Emulator {
    Emulator::new(Limits { memory_bytes: host_memory_bytes() })
}

fn load(emulator: &mut Emulator, file: &std::path::Path) -> Result<Module> {
    let (name, text) = (source::name(file), source::read(file)?);
    emulator.load(&name, &text).map_err(|error| anyhow::anyhow!("`{name}`, {error}"))
}

/// The kernel that was asked for, or the only one.
fn choose<'m>(file: &str, kernels: &'m [KernelInfo], wanted: Option<&str>) -> Result<&'m KernelInfo> {
    let names: Vec<String> = kernels.iter().map(|kernel| format!("`{}`", kernel.name)).collect();
    match (kernels, wanted) {
        ([], _) => bail!("`{file}` has no kernel: is it cut short, or are its functions not `__global__`?"),
        ([only], None) => Ok(only),
        (several, None) => {
            bail!("`{file}` has {} kernels, choose one with `--kernel`: {}", several.len(), names.join(", "))
        }
        (_, Some(wanted)) => kernels
            .iter()
            .find(|kernel| kernel.name == wanted)
            .with_context(|| format!("`{file}` has no kernel `{wanted}`: it has {}", names.join(", "))),
    }
}
