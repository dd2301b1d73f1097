//! Predictions: answers to questions, compared with what a run shows.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, ensure};

use crate::catalogue::Exercise;
use crate::observed::{Observed, Truth};
use crate::question::{From, Question};
use crate::sets;
use crate::verdict::{Passed, Refusal, Verdict};

/// Answers by the names of their questions.
pub type Answers = BTreeMap<String, String>;

/// Grades a file of answers.
///
/// # Errors
/// If the exercise itself is wrong.
pub(crate) fn grade(exercise: &Exercise, text: &str) -> Result<Verdict> {
    match read(exercise, text) {
        Ok(answers) => grade_answers(exercise, &answers),
        Err(refusal) => Ok(Verdict::Refused(*refusal)),
    }
}

/// Grades answers.
///
/// # Errors
/// When the exercise itself is at fault.
pub fn grade_answers(exercise: &Exercise, answers: &Answers) -> Result<Verdict> {
    let observed = Observed::of(exercise).with_context(|| format!("exercise `{}`", exercise.name))?;
    let mut picture = Vec::new();
    for question in &exercise.questions {
        let truth = observed.truth(question).with_context(|| format!("question `{}`", question.name))?;
        let answer = answers.get(&question.name).map_or("", |answer| answer.trim());
        if let Err(refusal) = hold(question, answer, &truth) {
            return Ok(Verdict::Refused(*refusal));
        }
        picture.extend(truth.picture(question));
    }
    let tried = "compared with a run on the emulator".to_owned();
    Ok(Verdict::Passed(Passed { tried, picture, learned: exercise.learned.clone(), ..Passed::default() }))
}

/// The answers by the questions' names.
fn read(exercise: &Exercise, text: &str) -> Result<Answers, Box<Refusal>> {
    let refuse = |headline: &str| {
        Refusal::new("unreadable", headline)
            .look("an answer is written in quotes after its name, as in `lanes = \"0-15\"`")
    };
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(before).filter(|byte| *byte == b'\n').count() + 1;
        refuse(&format!("`{}`, line {line}: {}", exercise.file_name(), error.message()))
    })?;
    let known = |name: &String| exercise.questions.iter().any(|question| question.name == *name);
    if let Some(name) = table.keys().find(|name| !known(name)) {
        return Err(refuse(&format!("there is no question `{name}`")));
    }
    Ok(table.into_iter().map(|(name, value)| (name, written(&value))).collect())
}

/// A value as it would be written in quotes.
fn written(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(values) => values.iter().map(written).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Compares an answer with the truth.
fn hold(question: &Question, answer: &str, truth: &Truth) -> Result<(), Box<Refusal>> {
    let refuse = |reason: &str, headline: &str| {
        let refusal = Refusal::new(reason, headline).look(&question.look);
        Box::new(Refusal { question: Some(question.name.clone()), ..*refusal })
    };
    if answer.is_empty() {
        let how = truth.how_to_answer(&question.choices);
        return Err(refuse("unanswered", "no answer yet").look(&format!("{} ({how})", question.ask)));
    }
    if matches!(question.from, From::Lanes { .. } | From::FaultLanes)
        && let Some(number) = no_lane(answer)
    {
        return Err(refuse("wrong-answer", &format!("{number} is not a lane: a warp has the lanes 0 to 31")));
    }
    match judge(answer, truth, &question.choices) {
        Ok(None) => Ok(()),
        // A picture shows lanes, and not warps.
        Ok(Some((headline, _))) if question.from == From::Warps => Err(refuse("wrong-answer", &headline)),
        Ok(Some((headline, picture))) => Err(refuse("wrong-answer", &headline).details(picture)),
        Err(error) => Err(refuse("unreadable", &error.to_string())),
    }
}

/// The first number of an answer that is not a lane; most likely it is a thread's index in its block.
fn no_lane(answer: &str) -> Option<u32> {
    let beyond = sets::parse(answer).ok()? >> 32;
    (beyond != 0).then(|| 32 + beyond.trailing_zeros())
}

/// What is wrong with an answer: one sentence, and a picture.
type Wrong = (String, Vec<String>);

fn judge(answer: &str, truth: &Truth, choices: &[String]) -> Result<Option<Wrong>> {
    match truth {
        Truth::Lanes(mask) => Ok(lanes(sets::parse(answer)?, *mask)),
        Truth::Number(number) => number_of(answer, *number),
        Truth::Values(values) => list(answer, values),
        Truth::Word(word) => {
            ensure!(
                choices.iter().any(|choice| choice == answer),
                "`{answer}` is not one of {}",
                choices.join(", ")
            );
            Ok((answer != word).then(|| (format!("it is not `{answer}`"), Vec::new())))
        }
    }
}

/// Names one wrong lane only, because the learner is to find the others. The same holds for a last lane that is
/// missing.
fn lanes(answer: u64, truth: u64) -> Option<Wrong> {
    let (extra, missing) = (answer & !truth, truth & !answer);
    let count = (extra | missing).count_ones();
    let in_all = if count > 1 { format!("; {count} are wrong in total") } else { String::new() };
    let (lane, headline) = match (extra, missing.count_ones()) {
        (0, 0) => return None,
        (0, 1) => return Some(("one more belongs to it".to_owned(), picture(answer, truth, 0))),
        (0, _) => (missing.trailing_zeros(), "belongs to it, but is missing from your answer"),
        _ => (extra.trailing_zeros(), "is in your answer, but does not belong to it"),
    };
    Some((format!("{lane} {headline}{in_all}"), picture(answer, truth, 1 << lane)))
}

/// An answer as a picture, with a mark below one lane; no picture if there are more than 32 lanes.
fn picture(answer: u64, truth: u64, marked: u64) -> Vec<String> {
    if (answer | truth) >> 32 != 0 {
        return Vec::new();
    }
    let mark = sets::picture(marked).replace('·', " ").replace('■', "^");
    let lines = [sets::RULER.to_owned(), sets::picture(answer), mark.trim_end().to_owned()];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

fn number_of(answer: &str, truth: f64) -> Result<Option<Wrong>> {
    let number: f64 =
        answer.parse().map_err(|_| anyhow!("`{answer}` is not a number: write it as in `32`"))?;
    let close = (number - truth).abs() <= truth.abs() * 1e-3;
    let direction = if number < truth { "more" } else { "less" };
    Ok((!close).then(|| (format!("it is not {answer} but {direction}"), Vec::new())))
}

fn list(answer: &str, truth: &[String]) -> Result<Option<Wrong>> {
    let values: Vec<&str> = answer.split([',', ' ']).filter(|value| !value.is_empty()).collect();
    ensure!(
        values.len() == truth.len(),
        "{}, but {} are expected",
        match values.len() {
            1 => "there is one number".to_owned(),
            count => format!("there are {count} numbers"),
        },
        truth.len()
    );
    let number = |text: &str| text.parse().unwrap_or(f64::NAN);
    let is_same = |one: &str, other: &str| one == other || (number(one) - number(other)).abs() <= 0.0;
    let wrong = values.iter().zip(truth).position(|(value, truth)| !is_same(value, truth));
    let what = if truth.len() == 32 { "lane" } else { "element" };
    Ok(wrong.map(|at| (format!("{what} {at} does not have {}", values[at]), Vec::new())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headline(answer: &str, truth: &Truth) -> Option<String> {
        judge(answer, truth, &["race".to_owned(), "none".to_owned()]).unwrap().map(|(headline, _)| headline)
    }

    #[test]
    fn right_answers_are_right_however_they_are_written() {
        assert_eq!(headline("0-7, 31", &Truth::Lanes(0x8000_00ff)), None);
        assert_eq!(headline("0x800000ff", &Truth::Lanes(0x8000_00ff)), None);
        assert_eq!(headline("32", &Truth::Number(32.0)), None);
        assert_eq!(headline("1, 2.0 3", &Truth::Values(["1", "2", "3"].map(str::to_owned).to_vec())), None);
        assert_eq!(headline("race", &Truth::Word("race".into())), None);
    }

    #[test]
    fn of_wrong_lanes_the_first_is_named_and_shown() {
        let (headline, picture) = judge("0-15", &Truth::Lanes(0xff), &[]).unwrap().unwrap();
        assert_eq!(headline, "8 is in your answer, but does not belong to it; 8 are wrong in total");
        assert_eq!(picture[2], "         ^");
        let headline = |answer, truth| super::lanes(answer, truth).unwrap().0;
        assert_eq!(
            headline(1, 0b111),
            "1 belongs to it, but is missing from your answer; 2 are wrong in total"
        );
        assert_eq!(
            headline(0b1000, 0b111),
            "3 is in your answer, but does not belong to it; 4 are wrong in total"
        );
        assert_eq!(headline(0b011, 0b111), "one more belongs to it");
    }

    #[test]
    fn numbers_of_threads_are_no_lanes() {
        assert_eq!((no_lane("3, 36-40"), no_lane("0-31"), no_lane("x")), (Some(36), None, None));
        let question = Question {
            name: "busy".to_owned(),
            ask: String::new(),
            look: "Which lane is that?".to_owned(),
            from: From::Lanes { at: "(A)".to_owned(), block: 0, warp: 1 },
            choices: Vec::new(),
        };
        let refusal = hold(&question, "36", &Truth::Lanes(0b10000)).unwrap_err();
        assert_eq!(refusal.objection(), "`busy`: 36 is not a lane: a warp has the lanes 0 to 31");
    }

    #[test]
    fn wrong_numbers_and_values_say_where_to_go() {
        assert_eq!(headline("8", &Truth::Number(32.0)).unwrap(), "it is not 8 but more");
        assert_eq!(
            headline("1,3", &Truth::Values(["1", "2"].map(str::to_owned).to_vec())).unwrap(),
            "element 1 does not have 3"
        );
        assert!(judge("1", &Truth::Values(["1", "2"].map(str::to_owned).to_vec()), &[]).is_err());
        assert!(judge("x", &Truth::Number(1.0), &[]).is_err());
        assert!(judge("rice", &Truth::Word("race".into()), &["race".to_owned()]).is_err());
    }
}
