//! The exercises as a page grades them: everything that the grader, the editor and the questions need.
//!
//! The texts are those of the folder. What only the grader knows of them is in the facts.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::exercises::Exercise;
use crate::facts::Facts;
use crate::live::inert;
use crate::repository::Repository;

/// The element of an exercise, which is hidden until the page's script shows it.
pub fn element(exercise: &Exercise, facts: &Facts, repository: &Repository) -> Result<String> {
    let data =
        data(exercise, facts, repository).with_context(|| format!("in `exercises/{}`", exercise.folder()))?;
    Ok(format!(
        "<div class=\"solve\" data-exercise=\"{}\" hidden>\n<!--{}-->\n</div>\n",
        crate::html::escape(exercise.name()),
        inert(&data.to_string())
    ))
}

fn data(exercise: &Exercise, facts: &Facts, repository: &Repository) -> Result<Value> {
    let folder = format!("exercises/{}", exercise.folder());
    let read = |file: &str| repository.read(&format!("{folder}/{file}")).map(|text| text.to_string());
    let is_ptx = repository.has(&format!("{folder}/solution.ptx"));
    let source = read(if is_ptx { "solution.ptx" } else { "solution.cu" })?;
    let ptx = if is_ptx { None } else { Some(read("ptx/solution.ptx")?) };
    let starters = ["starter.cu", "starter.ptx", "starter.toml"];
    let starter = starters.iter().find_map(|file| read(file).ok()).unwrap_or_default();
    let shown: Value = toml::from_str(&read("exercise.toml")?).context("`exercise.toml` cannot be read")?;
    let number = exercise.chapter().trim_start_matches("ch");
    let number: u32 = number.parse().context("a chapter is named as in `ch02`")?;
    let fact = facts.exercises.get(exercise.folder())?;
    // Of a prediction there is no text to begin with.
    let (begun, text) = match &fact.text {
        Some(text) => ("", text),
        None => (starter.as_str(), &starter),
    };
    Ok(json!({
        // What the request `grade` takes, but for the attempt.
        "exercise": { "name": exercise.name(), "chapter": number, "description": shown, "source": source,
                      "starter": begun, "ptx": ptx },
        "title": shown["title"],
        "kind": shown["kind"],
        "minutes": shown["minutes"],
        "task": shown["task"],
        "hints": shown["hints"],
        "file": fact.file,
        "sm": fact.sm,
        "launch": fact.launch,
        "text": text,
        "questions": fact.questions,
    }))
}
