//! The command that repeats a run: everything that determines it, and its seed.
//!
//! What it leaves out: options that only decide what is reported, where else it runs or how fast (`--json`, `--trace`,
//! `--device`, `--cores`, `--write`), and options that have their defaults.

use simt::Launch;
use spec::launch::{Launch as Described, Word, command_line};

use crate::request::{RunOptions, words};
use crate::resolve::source;

/// The command line, quoted for a shell. It always names the schedule, because `--seeds` changes the default.
pub fn command(options: &RunOptions, launch: &Launch) -> String {
    let RunOptions { launch: asked, launches, compile, checks, output, .. } = options;
    let chance =
        Described { schedule: Some(Word(launch.schedule)), seed: Some(launch.seed), ..Described::default() };
    let asked = Described { schedule: None, seed: None, seeds: None, ..Described::clone(asked) };
    let mut words = asked.options();
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    for launch in launches {
        option("launch", launch.text.clone());
    }
    compile.instances.iter().for_each(|name| option("instantiate", name.clone()));
    checks.expectations.iter().for_each(|expected| option("expect", expected.text.clone()));
    compile.defines.iter().for_each(|(name, value)| option("define", format!("{name}={value}")));
    let given = [
        ("arch", compile.arch.map(|arch| format!("compute_{arch}"))),
        ("compiler", compile.compiler.map(|choice| words::compiler_name(choice).to_owned())),
        ("std", compile.std.map(|version| format!("c++{version}"))),
        ("tolerance", checks.tolerance.map(|number| number.to_string())),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            option(name, value);
        }
    }
    output.prints.iter().for_each(|print| option("print", print.to_string()));
    words.extend(chance.options());
    words.extend(checks.strict.then(|| "--strict".to_owned()));
    line(options, words)
}

/// The command that looks at a program in other orders of turns.
pub fn other_orders(options: &RunOptions) -> String {
    line(options, ["--seeds", "0..100"].map(str::to_owned).to_vec())
}

/// `lanes run` of the same file, with these options, and with the same words for the program.
fn line(options: &RunOptions, chosen: Vec<String>) -> String {
    let run = vec![program(), "run".to_owned(), source::name(&options.file)];
    let separator = (!options.words.is_empty()).then(|| "--".to_owned());
    let rest = separator.into_iter().chain(options.words.iter().cloned()).collect();
    command_line(&[run, chosen, rest].concat())
}

/// The name by which this program was started.
fn program() -> String {
    std::env::args_os().next().map_or("lanes".to_owned(), |name| name.to_string_lossy().into_owned())
}
