//! `cargo xtask exercises`: writes what each exercise begins with, and compiles its solution.
//!
//! Both are committed: the limits on counters and the predictions are about what NVIDIA's compiler makes of the solution,
//! and few machines have it. If exercises are named, it also prints the grader's verdict on each of their versions, which
//! shows their author whether they are right.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use grader::compile::rejected;
use grader::generate::{starter, text};
use grader::{Compile, Compiled, Exercise, Measured, Verdict, Version};
use nvrtc::{Compiler, Header, Options, PINNED_RELEASE, sha256};
use thirty_two_lanes::{files, report::layout::counted};

use crate::chore::Outcome;

/// Write the starters and compiled solutions of the exercises, and print the grader's verdict on each version.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only these, and grade all their versions; all exercises, ungraded, where none is named.
    names: Vec<String>,
}

/// The chore that writes what an exercise begins with, and the PTX of its solution.
const CHORE: &str = "cargo xtask exercises";

/// The folder of all exercises.
fn root() -> PathBuf {
    crate::chore::root().join("exercises")
}

/// Does the chore.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let all = grader::all(&root())?;
    for name in &arguments.names {
        ensure!(all.iter().any(|exercise| exercise.name == *name), "there is no exercise `{name}`");
    }
    let is_wanted =
        |exercise: &&Exercise| arguments.names.is_empty() || arguments.names.contains(&exercise.name);
    let mut compiler = None;
    let mut written = 0;
    for exercise in all.iter().filter(is_wanted) {
        written += write(exercise, &mut compiler).with_context(|| format!("exercise `{}`", exercise.name))?;
        if !arguments.names.is_empty() {
            print_verdicts(exercise)?;
        }
    }
    let exercises = counted(all.iter().filter(is_wanted).count() as u64, "exercise");
    println!("{exercises}, {} written", counted(written as u64, "file"));
    Ok(Outcome::Done)
}

/// Writes the files that are stale, and returns how many.
fn write(exercise: &Exercise, compiler: &mut Option<Compiler>) -> Result<usize> {
    let mut written = 0;
    if is_stale(exercise) {
        let compiler = match compiler {
            Some(compiler) => compiler,
            None => compiler.insert(crate::ptx::pinned()?),
        };
        written += put(&exercise.ptx_file(&root()), &solution(exercise, compiler)?)?;
    }
    remove_orphans(exercise)?;
    written += put(&exercise.folder(&root()).join(exercise.starter_name()), &starter(exercise)?)?;
    Ok(written)
}

/// Writes a file unless it has this text already. Returns the number of files written, 0 or 1.
fn put(path: &Path, text: &str) -> Result<usize> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(0);
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    files::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(1)
}

/// Removes what is beside the PTX of the solution.
fn remove_orphans(exercise: &Exercise) -> Result<()> {
    for path in orphans(exercise) {
        fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))?;
    }
    Ok(())
}

/// The solution's PTX, with a header that names what it was made from.
fn solution(exercise: &Exercise, compiler: &Compiler) -> Result<String> {
    let text = exercise.source().text(&Version::Solution);
    let ptx = compile(exercise, compiler, &text)?;
    crate::ptx::check_release(&ptx)?;
    let flags = Options::optimised(exercise.arch).flags().join(" ");
    let compiler = format!("NVRTC {PINNED_RELEASE}, options: {flags}");
    let folder = exercise.folder(&root());
    let folder = folder.strip_prefix(crate::chore::root()).unwrap_or(&folder).display().to_string();
    let source = format!("{}/solution.cu", folder.replace('\\', "/"));
    let header = Header { chore: CHORE.to_owned(), source, sha256: sha256(&text), compiler };
    Ok(format!("{header}{ptx}"))
}

fn compile(exercise: &Exercise, compiler: &Compiler, text: &str) -> Result<String> {
    let (name, options) = (format!("{}.cu", exercise.name), Options::optimised(exercise.arch));
    let ptx = compiler.compile(&nvrtc::Source { name: &name, text }, &options);
    ptx.with_context(|| format!("exercise `{}`", exercise.name))
}

/// Whether the committed PTX is missing, or was made from another text or with other options.
fn is_stale(exercise: &Exercise) -> bool {
    if exercise.is_ptx() {
        return false;
    }
    let header = Header::parse(&exercise.ptx());
    let flags = Options::optimised(exercise.arch).flags().join(" ");
    header.is_none_or(|header| {
        header.sha256 != sha256(&exercise.source().text(&Version::Solution))
            || !header.compiler.ends_with(&flags)
    })
}

/// The files beside the PTX of the solution.
fn orphans(exercise: &Exercise) -> Vec<PathBuf> {
    let (folder, solution) = (exercise.folder(&root()).join("ptx"), exercise.ptx_file(&root()));
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).filter(|path| *path != solution).collect()
}

/// Prints the grader's verdict on every version, as compiled by `cudac` and, where it is installed, by NVIDIA's compiler.
fn print_verdicts(exercise: &Exercise) -> Result<()> {
    let nvidias = exercise.is_compiled().then(crate::ptx::pinned).transpose();
    let versions = [Version::Solution, Version::Starter].into_iter();
    for version in versions.chain(exercise.wrong().into_iter().map(Version::Wrong)) {
        let text = text(exercise, &version)?;
        let print = |by: &str, compile: &Compile| -> Result<()> {
            let verdict = grader::grade(exercise, compile, &mut grader::one_by_one, &text)?;
            println!("{}, {version}{by}: {}", exercise.name, in_words(&verdict));
            Ok(())
        };
        print(if exercise.is_compiled() { ", by cudac" } else { "" }, &grader::cudac)?;
        if let Ok(Some(compiler)) = &nvidias {
            print(", by NVRTC", &|exercise, text| {
                let ptx = compile(exercise, compiler, text);
                let ptx = ptx.map_err(|error| rejected(&exercise.file_name(), &format!("{error:#}")))?;
                Ok(Compiled { ptx, ..Compiled::default() })
            })?;
        }
    }
    if let Err(error) = nvidias {
        println!("{}: only the nightly run grades what NVRTC makes of them: {error:#}", exercise.name);
    }
    Ok(())
}

fn in_words(verdict: &Verdict) -> String {
    let mut lines = Vec::new();
    match verdict {
        Verdict::Passed(passed) => {
            lines.push(format!("passed, {}", passed.tried));
            lines.extend(passed.gates.iter().map(Measured::text));
            lines.extend(passed.picture.iter().cloned());
        }
        Verdict::Refused(refusal) => {
            lines.push(format!("{}: {}", refusal.reason, refusal.objection()));
            lines.extend(refusal.details.iter().cloned());
            lines.extend(refusal.gates.iter().map(Measured::text));
            lines.extend((!refusal.case.is_empty()).then(|| refusal.case.clone()));
            lines.push(format!("look: {}", refusal.look));
        }
    }
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_not_stale() {
        let mut problems = Vec::new();
        for exercise in grader::all(&root()).unwrap() {
            let name = &exercise.name;
            let stale = is_stale(&exercise).then(|| "the PTX of the solution".to_owned());
            let orphans = orphans(&exercise).into_iter().map(|path| path.display().to_string());
            let is_same = exercise.starter() == starter(&exercise).unwrap();
            let starter = (!is_same).then(|| "what it begins with".to_owned());
            let all = stale.into_iter().chain(orphans).chain(starter);
            problems.extend(all.map(|what| format!("{name}: {what} is stale; run `{CHORE}`")));
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}
