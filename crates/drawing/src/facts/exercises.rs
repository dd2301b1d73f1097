//! The exercises as a page shows them, as far as they do not stand in their files: what the grader says of each.

use anyhow::{Context, Error, Result, anyhow};
use grader::question::{From, Question};
use grader::{Exercise, Kind, Version, generate};
use serde_json::{Value, json};

use super::files::{Facts, Files};

/// The exercises, by their folders: `ch02_reduction/tail_block`.
pub(super) fn exercises(files: &mut Files) -> Result<Facts> {
    let root = files.root.join("exercises");
    let all = grader::all(&root)?;
    let named = |exercise: &Exercise| {
        let folder = exercise.folder(&root);
        let folder = folder.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        for file in ["exercise.toml", &exercise.source_name()] {
            files.read(&format!("exercises/{folder}/{file}"))?;
        }
        let fact = fact(exercise).with_context(|| format!("in `exercises/{folder}`"))?;
        Ok((folder, fact))
    };
    all.iter().map(named).collect()
}

fn fact(exercise: &Exercise) -> Result<Value> {
    let questions =
        exercise.questions.iter().map(|question| asked(question, exercise)).collect::<Result<Vec<_>>>()?;
    let launch = generate::launch(exercise)?;
    let launch: Vec<&str> = launch.lines().map(|line| line.trim_start_matches('#').trim()).collect();
    let mut fact = json!({
        "file": exercise.file_name(), "sm": exercise.arch, "launch": launch.join("\n"), "questions": questions,
    });
    if exercise.kind == Kind::Predict {
        fact["text"] = json!(exercise.source().text(&Version::Solution));
    }
    Ok(fact)
}

/// A question, and how it is answered: by clicking numbers, of which there are so many, or by writing.
fn asked(question: &Question, exercise: &Exercise) -> Result<Value> {
    let (of, count) = match &question.from {
        From::Lanes { .. } | From::FaultLanes => ("lane", 32),
        From::Warps => ("warp", threads(exercise)?.div_ceil(32)),
        From::Marked { of } => ("element", elements(of, exercise)?),
        From::Counter { .. } | From::Value { .. } => ("number", 0),
        From::Values { count, .. } => ("numbers", *count),
        From::Fault => ("word", 0),
    };
    Ok(
        json!({ "name": question.name, "ask": question.ask, "choices": question.choices, "of": of, "count": count }),
    )
}

/// How many threads a block has.
fn threads(exercise: &Exercise) -> Result<u64> {
    let (_, block) = exercise.launch(&exercise.cases[0], 0)?.shape().map_err(Error::msg)?;
    Ok(block.count())
}

/// How many elements a buffer has: the third part of `buf:i32:64:zeros`.
fn elements(name: &str, exercise: &Exercise) -> Result<u64> {
    let launch = exercise.launch(&exercise.cases[0], 0)?;
    let argument = launch.arguments.iter().find(|argument| argument.name == name);
    let is = &argument.with_context(|| format!("there is no argument `{name}`"))?.is;
    let count = is.split(':').nth(2).ok_or_else(|| anyhow!("`{name}` is no buffer"))?;
    count.parse().with_context(|| format!("`{name}` has `{count}` elements"))
}
