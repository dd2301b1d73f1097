//! `cargo xtask exercises`: writes what each exercise begins with, and compiles its versions.
//!
//! Both are committed, because a learner may have no compiler, and because a test grades every version without one. If
//! exercises are named, it also prints the grader's verdict on each of their versions, which shows their author whether
//! they are right.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use grader::generate::{starter, text};
use grader::{Exercise, Kind, Measured, Verdict, Version};
use nvrtc::{Compiler, Header, Options, PINNED_RELEASE, sha256};
use thirty_two_lanes::report::layout::counted;

use crate::chore::Outcome;

/// Write the starters and compiled versions of the exercises, and print the grader's verdict on each.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only these, and grade all their versions; all exercises, ungraded, where none is named.
    names: Vec<String>,
}

/// The chore that writes what an exercise begins with, and the PTX of its versions.
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
    for version in stale(exercise) {
        let compiler = match compiler {
            Some(compiler) => compiler,
            None => compiler.insert(crate::ptx::pinned()?),
        };
        let ptx = ptx(exercise, &version, compiler, PINNED_RELEASE)?;
        crate::ptx::check_release(&ptx)?;
        written += put(&exercise.ptx_file(&root(), &version), &ptx)?;
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
    fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(1)
}

/// Removes the PTX of versions that no longer exist.
fn remove_orphans(exercise: &Exercise) -> Result<()> {
    for path in orphans(exercise) {
        fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))?;
    }
    Ok(())
}

/// The PTX of a version, compiled, with a header that names what it was made from.
fn ptx(exercise: &Exercise, version: &Version, compiler: &Compiler, release: &str) -> Result<String> {
    let text = exercise.source().text(version);
    let (name, options) = (format!("{}.cu", exercise.name), Options::optimised(exercise.arch));
    let ptx = compiler
        .compile(&nvrtc::Source { name: &name, text: &text }, &options)
        .with_context(|| format!("version `{version}` of `{}`", exercise.name))?;
    let compiler = format!("NVRTC {release}, options: {}", options.flags().join(" "));
    let source = format!("exercises/{}/{}/solution.cu", exercise.chapter_name(), exercise.name);
    let header = Header { chore: CHORE.to_owned(), source, sha256: sha256(&text), compiler };
    Ok(format!("{header}{ptx}"))
}

/// The versions whose committed PTX is missing, or was made from another text or with other options.
fn stale(exercise: &Exercise) -> Vec<Version> {
    if exercise.is_ptx() {
        return Vec::new();
    }
    let source = exercise.source();
    let flags = Options::optimised(exercise.arch).flags().join(" ");
    let is_stale = |version: &Version| {
        let header =
            fs::read_to_string(exercise.ptx_file(&root(), version)).ok().and_then(|ptx| Header::parse(&ptx));
        header.is_none_or(|header| {
            header.sha256 != sha256(&source.text(version)) || !header.compiler.ends_with(&flags)
        })
    };
    exercise.versions().into_iter().filter(is_stale).collect()
}

/// The committed PTX files of versions that no longer exist.
fn orphans(exercise: &Exercise) -> Vec<PathBuf> {
    let versions: Vec<PathBuf> =
        exercise.versions().iter().map(|version| exercise.ptx_file(&root(), version)).collect();
    let Ok(entries) = fs::read_dir(exercise.folder(&root()).join("ptx")) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).filter(|path| !versions.contains(path)).collect()
}

/// Prints the grader's verdict on every version.
fn print_verdicts(exercise: &Exercise) -> Result<()> {
    let versions = [Version::Solution, Version::Starter].into_iter();
    for version in versions.chain(exercise.wrong().into_iter().map(Version::Wrong)) {
        println!("{}, {version}: {}", exercise.name, in_words(&grade(exercise, &version)?));
    }
    Ok(())
}

/// Grades a committed version.
fn grade(exercise: &Exercise, version: &Version) -> Result<Verdict> {
    if exercise.kind != Kind::Predict {
        return grader::grade_ptx(exercise, &exercise.ptx_of(&root(), version)?);
    }
    grader::grade(exercise, &grader::cudac, &mut grader::one_by_one, &text(exercise, version)?)
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
            let stale = stale(&exercise).into_iter().map(|version| format!("the PTX of `{version}`"));
            let orphans = orphans(&exercise).into_iter().map(|path| path.display().to_string());
            let is_same = exercise.starter() == starter(&exercise).unwrap();
            let starter = (!is_same).then(|| "what it begins with".to_owned());
            let all = stale.chain(orphans).chain(starter);
            problems.extend(all.map(|what| format!("{name}: {what} is stale; run `{CHORE}`")));
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}
