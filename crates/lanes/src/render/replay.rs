//! The command that repeats a run: everything that determines it, and its seed.
//!
//! What it leaves out: options that only decide what is reported, where else it runs or how fast (`--json`, `--trace`,
//! `--device`, `--cores`, `--write`), and options that have their defaults.

use clap::ValueEnum;
use simt::Launch;
use spec::launch::{Launch as Described, Word, command_line};

use crate::request::checks::CheckLaunches;
use crate::request::{Compile, Host, RunOptions};
use crate::resolve::source;

/// The command line, quoted for a shell. It always names the schedule, because `--seeds` changes the default.
pub fn command(options: &RunOptions, launch: &Launch) -> String {
    let RunOptions { launch: asked, launches, compile, checks, output, .. } = options;
    let chance =
        Described { schedule: Some(Word(launch.schedule)), seed: Some(launch.seed), ..Described::default() };
    let asked = Described { schedule: None, seed: None, seeds: None, ..Described::clone(asked) };
    let mut words = asked.options();
    words.extend(several("launch", launches.iter().map(|launch| launch.text.clone())));
    words.extend(compiled(compile));
    words.extend(host(options));
    words.extend(repeats(options));
    words.extend(several("expect", checks.expectations.iter().map(|expected| expected.text.clone())));
    words.extend(several("tolerance", checks.tolerance.iter().map(f64::to_string)));
    words.extend(several("print", output.prints.iter().map(ToString::to_string)));
    words.extend(chance.options());
    words.extend(checks.strict.then(|| "--strict".to_owned()));
    line(options, words)
}

/// The command that looks at a program in other orders of turns.
pub fn other_orders(options: &RunOptions) -> String {
    let mut words = compiled(&options.compile);
    words.extend(host(options));
    words.extend(repeats(options));
    words.extend(
        options.machine.memory.map(|bytes| ["--memory".to_owned(), bytes.to_string()]).into_iter().flatten(),
    );
    words.extend(["--seeds", "0..100"].map(str::to_owned));
    line(options, words)
}

/// The options that say how the file is compiled.
fn compiled(compile: &Compile) -> Vec<String> {
    [
        several("include", compile.include.iter().map(|folder| folder.display().to_string())),
        several("instantiate", compile.instances.iter().cloned()),
        several("define", compile.defines.iter().map(|(name, value)| format!("{name}={value}"))),
        several("arch", compile.arch.iter().map(|arch| format!("compute_{arch}"))),
        several("compiler", compile.compiler.iter().map(|compiler| compiler.name().to_owned())),
        several("std", compile.std.iter().map(|version| format!("c++{version}"))),
    ]
    .concat()
}

/// The option that says who executes the host code of a program.
fn host(options: &RunOptions) -> Vec<String> {
    let host = options.machine.host;
    let is_chosen = host != Host::Auto;
    several(
        "host",
        is_chosen
            .then(|| host.to_possible_value())
            .flatten()
            .map(|value| value.get_name().to_owned())
            .into_iter(),
    )
}

/// The option that says which launches of a program are checked for races.
fn repeats(options: &RunOptions) -> Vec<String> {
    let chosen = options.checks.repeats.check_launches;
    several("check-launches", (chosen != CheckLaunches::default()).then(|| chosen.to_string()).into_iter())
}

/// An option with each of its values.
fn several(name: &str, values: impl Iterator<Item = String>) -> Vec<String> {
    values.flat_map(|value| [format!("--{name}"), value]).collect()
}

/// `lanes run` of the same file, with these options, and with the same words for the program.
fn line(options: &RunOptions, chosen: Vec<String>) -> String {
    let sources = std::iter::once(&options.file).chain(&options.sources).map(|file| source::name(file));
    let run = [program(), "run".to_owned()].into_iter().chain(sources).collect();
    let separator = (!options.words.is_empty()).then(|| "--".to_owned());
    let rest = separator.into_iter().chain(options.words.iter().cloned()).collect();
    command_line(&[run, chosen, rest].concat())
}

/// The name by which this program was started.
fn program() -> String {
    std::env::args_os().next().map_or("lanes".to_owned(), |name| name.to_string_lossy().into_owned())
}
