//! Runs programs of public sample collections, compares what they print with what they printed on a GPU, and writes
//! `crates/cuda-host/SAMPLES.md`: `cargo run -p cuda-host --example samples -- FOLDER`, where FOLDER has a checkout or a bare git repository
//! of each collection, by the last part of its name. With a second argument it runs only programs with that in their paths.
//!
//! The programs are chosen by a rule, and named in `samples.toml` by their paths; none of their text is in this repository. Each
//! is given to the program `lanes`, which `cargo build -p lanes` puts beside this one, with a limit on its time. Left out: programs
//! that need arguments, input or other files.

mod compare;
mod page;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use serde::Deserialize;

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

/// What `lanes run --json` says of a program.
#[derive(Debug, Deserialize)]
struct Ran {
    output: String,
    stopped: bool,
    findings: Vec<Finding>,
    /// Who executed the host code.
    host: String,
}

#[derive(Debug, Deserialize)]
struct Finding {
    kind: String,
    line: u32,
}

/// How it went.
enum Outcome {
    /// With who executed the host code.
    Same(String, Vec<String>),
    Different(Vec<String>),
    Stopped(String),
    Refused(String),
    TooSlow,
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let result = match &words[..] {
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

/// Lets `lanes` run a program, in a shell that limits its processor time.
fn run_apart(file: &Path, program: &Program) -> Result<Outcome, String> {
    let script = format!("ulimit -t {MAX_SECONDS}; exec \"$@\"");
    let mut command = Command::new("sh");
    let words = ["-c", &script, "sh"].map(OsStr::new);
    command.args(words).arg(lanes()?).args(["run", "--json"]).arg(file).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("cannot start `sh`: {error}"))?;
    if output.status.code().is_none() {
        return Ok(Outcome::TooSlow);
    }
    let Ok(ran) = serde_json::from_slice::<Ran>(&output.stdout) else {
        return Ok(Outcome::Refused(String::from_utf8_lossy(&output.stderr).into_owned()));
    };
    let findings =
        ran.findings.iter().map(|found| format!("{} at line {}", found.kind, found.line)).collect();
    let is_same = compare::sum(&ran.output, &program.left_out, &program.masked) == program.printed;
    Ok(match (is_same, ran.stopped) {
        (true, _) => Outcome::Same(ran.host, findings),
        (false, true) => Outcome::Stopped(findings.last().cloned().unwrap_or_default()),
        (false, false) => Outcome::Different(findings),
    })
}

/// The program `lanes`, which is in the folder above that of the examples.
fn lanes() -> Result<PathBuf, String> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    let lanes =
        own.ancestors().nth(2).unwrap_or(Path::new("")).join(format!("lanes{}", env::consts::EXE_SUFFIX));
    let is_there = lanes.is_file();
    is_there
        .then_some(lanes)
        .ok_or_else(|| "`lanes` was not built: run `cargo build -p lanes` first".to_owned())
}
