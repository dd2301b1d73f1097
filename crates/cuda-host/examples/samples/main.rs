//! Runs programs of public sample collections, compares what they print with what they printed on a GPU, and writes
//! `crates/cuda-host/SAMPLES.md`: `cargo run -p cuda-host --example samples -- FOLDER`, where FOLDER has a checkout or a bare git repository
//! of each collection, by the last part of its name. With a second argument it runs only programs with that in their paths.
//!
//! The programs are chosen by a rule, and named in `samples.toml` by their paths; none of their text is in this repository. Each
//! runs in a process of its own, with a limit on its time. Left out: programs that need arguments, input or other files.

mod compare;
mod page;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use serde::{Deserialize, Serialize};

/// Processor time of a program, in seconds.
const MAX_SECONDS: u64 = 60;

/// What `samples.toml` says.
#[derive(Debug, Deserialize)]
struct Samples {
    machine: String,
    collection: Vec<Collection>,
    program: Vec<Program>,
}

#[derive(Debug, Deserialize)]
struct Collection {
    name: String,
    commit: String,
}

#[derive(Debug, Deserialize)]
struct Program {
    collection: String,
    path: String,
    #[serde(default)]
    left_out: Vec<String>,
    #[serde(default)]
    masked: Vec<String>,
    printed: String,
}

/// What a process says of the program that it has run.
#[derive(Debug, Deserialize, Serialize)]
struct Ran {
    output: Vec<u8>,
    was_stopped: bool,
    /// What is wrong with the program: kinds with lines.
    findings: Vec<String>,
    /// Why it was not run, or not to its end.
    error: Option<String>,
}

/// How it went.
enum Outcome {
    Same(Vec<String>),
    Different(Vec<String>),
    Stopped(String),
    Refused(String),
    TooSlow,
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let result = match &words[..] {
        [run, file] if run == "--run" => run_here(Path::new(file)),
        [folder] => run_all(Path::new(folder), ""),
        [folder, part] => run_all(Path::new(folder), part),
        _ => Err("usage: samples FOLDER [PART OF A PATH]".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Runs one program, and prints what it did as JSON.
fn run_here(file: &Path) -> Result<(), String> {
    let text = fs::read(file).map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
    let text = String::from_utf8_lossy(&text);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let failed = |error: String| Ran {
        output: Vec::new(),
        was_stopped: true,
        findings: Vec::new(),
        error: Some(error),
    };
    let source = cudac::Source { name: &name, text: &text };
    let ran = match cudac::compile_program(&source, &cudac::Options { sm: 70, ..cudac::Options::default() }) {
        Err(errors) => failed(errors.0.first().map_or_else(String::new, ToString::to_string)),
        Ok((made, program)) => {
            let (given, limits) = (cuda_host::Given::default(), cuda_host::Limits::default());
            match cuda_host::run(&program, &name, &made.ptx, &given, &limits) {
                Err(error) => failed(error.to_string()),
                Ok(outcome) => {
                    let findings = outcome.findings.iter();
                    let findings = findings
                        .map(|found| format!("{} at line {}", found.kind.name(), found.line.number()));
                    let (output, was_stopped) = (outcome.output, outcome.was_stopped);
                    Ran { output, was_stopped, findings: findings.collect(), error: None }
                }
            }
        }
    };
    let text = serde_json::to_string(&ran).map_err(|error| error.to_string())?;
    println!("{text}");
    Ok(())
}

/// Runs the programs whose paths have a part in them; all of them, if it is empty, for the page.
fn run_all(folder: &Path, part: &str) -> Result<(), String> {
    let samples: Samples = toml::from_str(include_str!("samples.toml")).map_err(|error| error.to_string())?;
    let chosen: Vec<_> = samples.program.iter().filter(|program| program.path.contains(part)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let Some(program) = chosen.get(nth) else { return Ok(done) };
            done.push((nth, extract(folder, &samples, program).and_then(|file| run_apart(&file, program))?));
        }
    };
    let mut outcomes: Vec<(usize, Outcome)> = thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| thread.join().expect("a thread does not panic"));
        joined.collect::<Result<Vec<_>, String>>()
    })?
    .into_iter()
    .flatten()
    .collect();
    outcomes.sort_by_key(|(nth, _)| *nth);
    let outcomes: Vec<_> = outcomes.into_iter().map(|(nth, outcome)| (chosen[nth], outcome)).collect();
    for (program, outcome) in &outcomes {
        println!("{:10} {}", page::word(outcome), program.path);
        if let Some(reason) = page::reason(outcome) {
            println!("           {reason}");
        }
    }
    if part.is_empty() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("SAMPLES.md");
        fs::write(&path, page::render(&samples, &outcomes)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The text of a program, as a file: in a checkout, or taken out of a git repository.
fn extract(folder: &Path, samples: &Samples, program: &Program) -> Result<PathBuf, String> {
    let collection = samples.collection.iter().find(|collection| collection.name == program.collection);
    let collection = collection.ok_or_else(|| format!("no collection `{}`", program.collection))?;
    let short = collection.name.rsplit('/').next().unwrap_or_default();
    let plain = folder.join(short).join(&program.path);
    if plain.is_file() {
        return Ok(plain);
    }
    let object = format!("{}:{}", collection.commit, program.path);
    let shown = Command::new("git").arg("-C").arg(folder.join(short)).args(["show", &object]).output();
    let shown = shown.map_err(|error| format!("cannot start `git`: {error}"))?;
    if !shown.status.success() {
        let said = String::from_utf8_lossy(&shown.stderr);
        return Err(format!("{}: {}", folder.join(short).display(), said.trim()));
    }
    let file = env::temp_dir().join("lanes-samples").join(short).join(&program.path);
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        fs::File::create(&file)?.write_all(&shown.stdout)
    };
    write().map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
    Ok(file)
}

/// Runs a program in a process of its own, in a shell that limits its processor time.
fn run_apart(file: &Path, program: &Program) -> Result<Outcome, String> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    let script = format!("ulimit -t {MAX_SECONDS}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(own).arg("--run").arg(file).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("cannot start `sh`: {error}"))?;
    let Ok(ran) = serde_json::from_slice::<Ran>(&output.stdout) else { return Ok(Outcome::TooSlow) };
    if let Some(error) = ran.error {
        return Ok(Outcome::Refused(error));
    }
    let text = String::from_utf8_lossy(&ran.output);
    let is_same = compare::sum(&text, &program.left_out, &program.masked) == program.printed;
    Ok(match (is_same, ran.was_stopped) {
        (true, _) => Outcome::Same(ran.findings),
        (false, true) => Outcome::Stopped(ran.findings.last().cloned().unwrap_or_default()),
        (false, false) => Outcome::Different(ran.findings),
    })
}
