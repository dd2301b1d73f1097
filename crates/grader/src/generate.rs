//! Generates the committed files of an exercise: the text that a learner begins with.
//!
//! `cargo xtask exercises` writes it. The chore also writes the PTX of the solution, which NVIDIA's compiler makes.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use spec::launch::Passed;
use spec::layout::{counted, paragraph};
use spec::{Fill, Spec};

use crate::catalogue::{Exercise, Kind};
use crate::observed::Observed;
use crate::question::Question;
use crate::source::Version;

/// The text that a learner begins with.
///
/// # Errors
/// When the kernel cannot be run.
pub fn starter(exercise: &Exercise) -> Result<String> {
    match exercise.kind {
        Kind::Predict => sheet(exercise, |_, _| Ok(String::new())),
        _ => Ok(exercise.source().text(&Version::Starter)),
    }
}

/// The text of a version: a kernel, or the answers that a run gives.
///
/// # Errors
/// When the kernel cannot be run.
pub fn text(exercise: &Exercise, version: &Version) -> Result<String> {
    match (exercise.kind, version) {
        (_, Version::Starter) => starter(exercise),
        (Kind::Predict, Version::Solution) => answers(exercise, None),
        (Kind::Predict, Version::Wrong(name)) => answers(exercise, Some(name)),
        _ => Ok(exercise.source().text(version)),
    }
}

/// The right answers, except those of a wrong prediction.
fn answers(exercise: &Exercise, wrong: Option<&str>) -> Result<String> {
    let wrong = wrong.and_then(|name| exercise.wrong.get(name));
    sheet(exercise, |observed, question| match wrong.and_then(|wrong| wrong.get(&question.name)) {
        Some(answer) => Ok(answer.clone()),
        None => Ok(observed.truth(question)?.text()),
    })
}

/// A file of answers: the task, the launch and the kernel as comments, then the questions.
fn sheet(exercise: &Exercise, answer: impl Fn(&Observed, &Question) -> Result<String>) -> Result<String> {
    let observed = Observed::of(exercise)?;
    let mut out = comment(&format!("{} ({} minutes)", exercise.title, exercise.minutes));
    out += "#\n";
    out += &comment(&exercise.task);
    out += "#\n";
    out += &launch(exercise)?;
    out += "#\n";
    for (line, number) in exercise.source().text(&Version::Solution).lines().zip(1..) {
        out += format!("# {number:3}  {line}").trim_end();
        out.push('\n');
    }
    for question in &exercise.questions {
        let how = observed.truth(question)?.how_to_answer(&question.choices);
        let ask = comment(&question.ask) + &comment(&format!("Write {how}."));
        write!(out, "\n{ask}{} = {:?}\n", question.name, answer(&observed, question)?)?;
    }
    Ok(out)
}

/// How the kernel is launched: its shape, and a line for each argument, as comments.
///
/// # Errors
/// When an argument cannot be read.
pub fn launch(exercise: &Exercise) -> Result<String> {
    let case = exercise.cases.first().context("there is no case")?;
    let launch = exercise.launch(case, 0)?;
    let (grid, block) = (launch.grid.unwrap_or_default(), launch.block.unwrap_or_default());
    let mut out = comment(&format!("Launch: grid {grid}, block {block}, with"));
    for Passed { name, is } in &launch.arguments {
        let spec = Spec::parse(is).map_err(anyhow::Error::msg)?;
        out += &comment(&format!("- {name}{}", given(&spec)));
    }
    Ok(out)
}

/// A description of an argument to follow its name: ` = 16`, or `, 32 elements of i32: all 0`.
fn given(spec: &Spec) -> String {
    let buffer = match spec {
        Spec::Scalar(ty, bytes) => return format!(" = {}", ty.show(bytes)),
        Spec::Structure(_) => return String::new(),
        Spec::Buffer(buffer) => buffer,
    };
    let (ty, all) = (buffer.ty, if buffer.count == 1 { "" } else { "all " });
    let shown = |bytes: &[u8]| {
        bytes.chunks_exact(ty.bytes).map(|element| ty.show(element)).collect::<Vec<_>>().join(", ")
    };
    let elements = match &buffer.fill {
        Fill::Zeros => format!("{all}0"),
        Fill::Uninitialized => "not initialised".to_owned(),
        Fill::Iota => "0, 1, 2 and so on".to_owned(),
        Fill::Random(_) => "random".to_owned(),
        Fill::Between(_, range) => format!("random, from {} up to {}", range.start, range.end - 1),
        Fill::Same(bytes) => format!("{all}{}", shown(bytes)),
        Fill::List(bytes) => shown(bytes),
        Fill::File(path) => format!("from `{}`", path.display()),
    };
    format!(", {} of {}: {elements}", counted(buffer.count, "element"), ty.name)
}

/// A paragraph of comment, 80 columns wide.
fn comment(text: &str) -> String {
    let lines = paragraph("  ", text);
    lines.lines().fold(String::new(), |out, line| out + "# " + line.get(2..).unwrap_or_default() + "\n")
}
