//! The exercises as a page grades them: everything that the grader, the editor and the questions need.
//!
//! The texts are those of the folder, read by the grader itself when the book is built, so an exercise that it cannot read is an
//! error with the folder's name.

use anyhow::{Context, Result, anyhow};
use grader::catalogue::Setting;
use grader::question::{From, Question};
use grader::{Exercise, Kind, Texts, Version, generate};
use serde_json::{Value, json};

use crate::live::inert;
use crate::repository::Repository;

/// The element of an exercise, which is hidden until the page's script shows it.
pub fn element(chapter: &str, name: &str, repository: &Repository) -> Result<String> {
    let data = data(chapter, name, repository).with_context(|| format!("in `exercises/{chapter}/{name}`"))?;
    Ok(format!(
        "<div class=\"solve\" data-exercise=\"{}\" hidden>\n<!--{}-->\n</div>\n",
        crate::html::escape(name),
        inert(&data.to_string())
    ))
}

fn data(chapter: &str, name: &str, repository: &Repository) -> Result<Value> {
    let folder = format!("exercises/{chapter}/{name}");
    let read = |file: &str| repository.read(&format!("{folder}/{file}")).map(|text| text.to_string());
    let is_ptx = repository.has(&format!("{folder}/solution.ptx"));
    let description = read("exercise.toml")?;
    // As the page reads it.
    let shown: Value = toml::from_str(&description).context("`exercise.toml` cannot be read")?;
    let texts = Texts {
        description,
        source: read(if is_ptx { "solution.ptx" } else { "solution.cu" })?,
        starter: ["starter.cu", "starter.ptx", "starter.toml"]
            .iter()
            .find_map(|file| read(file).ok())
            .unwrap_or_default(),
        ptx: if is_ptx { None } else { Some(read("ptx/solution.ptx")?) },
    };
    let number = chapter.trim_start_matches("ch").parse().context("a chapter is named as in `ch02`")?;
    let (source, starter, ptx) = (texts.source.clone(), texts.starter.clone(), texts.ptx.clone());
    let exercise = Exercise::new(name, number, texts)?;
    let is_predicted = exercise.kind == Kind::Predict;
    let questions =
        exercise.questions.iter().map(|question| asked(question, &exercise)).collect::<Result<Vec<_>>>()?;
    let launch = generate::launch(&exercise)?;
    let launch: Vec<&str> = launch.lines().map(|line| line.trim_start_matches('#').trim()).collect();
    Ok(json!({
        // What the request `grade` takes, but for the attempt.
        "exercise": { "name": name, "chapter": number, "description": shown, "source": source,
                      "starter": if is_predicted { "" } else { &starter }, "ptx": ptx },
        "title": exercise.title,
        "kind": exercise.kind.name(),
        "minutes": exercise.minutes,
        "task": exercise.task,
        "hints": exercise.hints,
        "file": exercise.file_name(),
        "sm": exercise.arch,
        "launch": launch.join("\n"),
        "text": if is_predicted { exercise.source().text(&Version::Solution) } else { starter },
        "questions": questions,
    }))
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

fn filled(text: &str, exercise: &Exercise) -> String {
    let case = exercise.cases.first().cloned().unwrap_or_default();
    case.iter().fold(text.to_owned(), |text, (name, value): (&String, &Setting)| {
        text.replace(&format!("{{{name}}}"), &value.to_string())
    })
}

fn threads(exercise: &Exercise) -> Result<u64> {
    let block = filled(&exercise.launch.block, exercise);
    block.split(',').map(|size| size.trim().parse::<u64>().context("a block has numbers")).product()
}

/// How many elements a buffer has: the third part of `buf:i32:64:zeros`.
fn elements(name: &str, exercise: &Exercise) -> Result<u64> {
    let argument = exercise.arguments.iter().find(|argument| argument.name == name);
    let is = filled(&argument.with_context(|| format!("there is no argument `{name}`"))?.is, exercise);
    let count = is.split(':').nth(2).ok_or_else(|| anyhow!("`{name}` is no buffer"))?;
    count.parse().with_context(|| format!("`{name}` has `{count}` elements"))
}
