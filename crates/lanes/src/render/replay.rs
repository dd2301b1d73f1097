//! The command that repeats a run: everything that determines it, and its seed.
//!
//! What it leaves out: options that only decide what is reported, where else it runs or how fast (`--json`, `--trace`,
//! `--device`, `--cores`), and options that have their defaults.

use simt::Launch;

use crate::request::{RunOptions, words};
use crate::resolve::source;
use spec::launch::Words as _;

/// The command line, quoted for a shell. It always names the schedule, because `--seeds` changes the default.
pub fn command(options: &RunOptions, launch: &Launch) -> String {
    let RunOptions { launch: asked, compile, scheduling, checks, output, .. } = options;
    let mut words = vec![program(), "run".to_owned(), source::name(&options.file)];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    if let Some(kernel) = &asked.kernel {
        option("kernel", kernel.clone());
    }
    asked.buffers.iter().for_each(|(name, spec)| option("buffer", format!("{name}={spec}")));
    asked.symbols.iter().for_each(|(name, spec)| option("symbol", format!("{name}={spec}")));
    asked.launches.iter().for_each(|launch| option("launch", launch.text.clone()));
    if asked.launches.is_empty() {
        option("grid", words::shape_name(asked.grid));
        option("block", words::shape_name(asked.block));
    }
    if asked.shared_bytes > 0 {
        option("shared-bytes", asked.shared_bytes.to_string());
    }
    asked.args.iter().for_each(|argument| option("arg", argument.text.clone()));
    compile.instances.iter().for_each(|name| option("instantiate", name.clone()));
    checks.expectations.iter().for_each(|expected| option("expect", expected.text.clone()));
    compile.defines.iter().for_each(|(name, value)| option("define", format!("{name}={value}")));
    let given = [
        ("arch", compile.arch.map(|arch| format!("compute_{arch}"))),
        ("compiler", compile.compiler.map(|choice| words::compiler_name(choice).to_owned())),
        ("reconvergence", scheduling.reconvergence.map(|it| it.told().name.to_owned())),
        ("resident-blocks", scheduling.resident_blocks.map(|blocks| blocks.to_string())),
        ("std", compile.std.map(|version| format!("c++{version}"))),
        ("tolerance", checks.tolerance.map(|number| number.to_string())),
        ("check", checks.check.map(|it| it.to_string())),
        ("max-steps", checks.max_steps.map(|steps| steps.to_string())),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            option(name, value);
        }
    }
    output.prints.iter().for_each(|print| option("print", print.to_string()));
    option("schedule", launch.schedule.told().name.to_owned());
    option("seed", launch.seed.to_string());
    let flags = [("--weak-memory", scheduling.weak_memory), ("--strict", checks.strict)];
    words.extend(flags.iter().filter(|(_, on)| *on).map(|(flag, _)| (*flag).to_owned()));
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The name by which this program was started.
fn program() -> String {
    std::env::args_os().next().map_or("lanes".to_owned(), |name| name.to_string_lossy().into_owned())
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
}
