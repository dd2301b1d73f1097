//! The command that repeats a run: everything that determines it, and its seed.
//!
//! What it leaves out: options that only decide what is reported, where else it runs or how fast (`--json`, `--trace`,
//! `--device`, `--cores`), and options that have their defaults.

use simt::{Dim3, Launch};

use super::options::RunOptions;
use super::{source, words};

/// The command line, quoted for a shell. It always names the schedule, because `--seeds` changes the default.
pub(super) fn command(options: &RunOptions, launch: &Launch) -> String {
    let mut words = vec![program(), "run".to_owned(), source::name(&options.file)];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    if let Some(kernel) = &options.kernel {
        option("kernel", kernel.clone());
    }
    options.buffers.iter().for_each(|(name, spec)| option("buffer", format!("{name}={spec}")));
    options.symbols.iter().for_each(|(name, spec)| option("symbol", format!("{name}={spec}")));
    options.launches.iter().for_each(|launch| option("launch", launch.text.clone()));
    if options.launches.is_empty() {
        option("grid", shape(options.grid));
        option("block", shape(options.block));
    }
    if options.shared_bytes > 0 {
        option("shared-bytes", options.shared_bytes.to_string());
    }
    options.args.iter().for_each(|argument| option("arg", argument.text.clone()));
    options.instances.iter().for_each(|name| option("instantiate", name.clone()));
    options.expectations.iter().for_each(|expected| option("expect", expected.text.clone()));
    options.defines.iter().for_each(|(name, value)| option("define", format!("{name}={value}")));
    let given = [
        ("arch", options.arch.map(|arch| format!("compute_{arch}"))),
        ("compiler", options.compiler.map(|choice| words::compiler_name(choice).to_owned())),
        ("reconvergence", options.reconvergence.map(|it| words::reconvergence_name(it).to_owned())),
        ("resident-blocks", options.resident_blocks.map(|blocks| blocks.to_string())),
        ("std", options.std.map(|version| format!("c++{version}"))),
        ("tolerance", options.tolerance.map(|number| number.to_string())),
        ("check", options.check.map(words::Watch::option)),
        ("max-steps", options.max_steps.map(|steps| steps.to_string())),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            option(name, value);
        }
    }
    options.prints.iter().for_each(|print| option("print", print.to_string()));
    option("schedule", words::schedule_name(launch.schedule).to_owned());
    option("seed", launch.seed.to_string());
    let flags = [("--weak-memory", options.weak_memory), ("--strict", options.strict)];
    words.extend(flags.iter().filter(|(_, on)| *on).map(|(flag, _)| (*flag).to_owned()));
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The name by which this program was started.
fn program() -> String {
    std::env::args_os().next().map_or("lanes".to_owned(), |name| name.to_string_lossy().into_owned())
}

pub(super) fn shape(Dim3 { x, y, z }: Dim3) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    }
}

/// A word, quoted for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+.,:/@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_through_a_shell() {
        assert_eq!(quoted("buf:i32:3:list=1,-2,3"), "buf:i32:3:list=1,-2,3");
        assert_eq!(["", "a b", "it's", "$x"].map(quoted), ["''", "'a b'", r"'it'\''s'", "'$x'"]);
    }

    #[test]
    fn shapes_are_as_long_as_they_must_be() {
        let shapes = [Dim3::new(4, 1, 1), Dim3::new(4, 2, 1), Dim3::new(4, 1, 3)];
        assert_eq!(shapes.map(shape), ["4", "4,2", "4,1,3"]);
    }
}
