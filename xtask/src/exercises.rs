//! `cargo xtask exercises`: writes what each exercise begins with, and compiles its versions.
//!
//! Both are committed, because a learner may have no compiler, and because a test grades every version without one. If
//! exercises are named, it also prints the grader's verdict on each of their versions, which shows their author whether
//! they are right.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use grader::generate;
use grader::{Exercise, Kind, Measured, Verdict, Version};
use lanes::report::layout::counted;
use nvrtc::{Compiler, PINNED_RELEASE};

use crate::Outcome;

/// Write the starters and compiled versions of the exercises, and print the grader's verdict on each.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only these, and grade all their versions; all exercises, ungraded, where none is named.
    names: Vec<String>,
}

/// Does the chore.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let all = grader::all(&crate::root().join("exercises"))?;
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
    for version in generate::stale(exercise)? {
        let compiler = match compiler {
            Some(compiler) => compiler,
            None => compiler.insert(crate::ptx::pinned()?),
        };
        let ptx = generate::ptx(exercise, &version, compiler, PINNED_RELEASE)?;
        crate::ptx::check_release(&ptx)?;
        written += put(&exercise.ptx_file(&version), &ptx)?;
    }
    remove_orphans(exercise)?;
    written += put(&exercise.starter_file(), &generate::starter(exercise)?)?;
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
    for path in generate::orphans(exercise)? {
        fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))?;
    }
    Ok(())
}

/// Prints the grader's verdict on every version.
fn print_verdicts(exercise: &Exercise) -> Result<()> {
    let versions = [Version::Solution, Version::Starter].into_iter();
    for version in versions.chain(exercise.wrong()?.into_iter().map(Version::Wrong)) {
        println!("{}, {version}: {}", exercise.name, in_words(&grade(exercise, &version)?));
    }
    Ok(())
}

/// Grades a committed version.
fn grade(exercise: &Exercise, version: &Version) -> Result<Verdict> {
    if exercise.kind != Kind::Predict {
        return grader::grade_ptx(exercise, &exercise.ptx(version)?);
    }
    grader::grade(exercise, &grader::Toolchain::none(), &generate::text(exercise, version)?)
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
            lines.push(format!("{}: {}", refusal.reason, refusal.headline));
            lines.extend(refusal.details.iter().cloned());
            lines.extend(refusal.gates.iter().map(Measured::text));
            lines.extend((!refusal.case.is_empty()).then(|| refusal.case.clone()));
            lines.push(format!("look: {}", refusal.look));
        }
    }
    lines.join("\n    ")
}
