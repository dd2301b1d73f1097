//! Whether an attempt at an exercise is right, in JSON: what the grader says, and the launch that shows what is wrong.

use grader::verdict::Measured;
use grader::{Exercise, Kind, Shown, Texts, Tried, Verdict};
use serde_json::{Value, json};
use spec::launch::Launch;

use crate::Progress;
use crate::findings::actor;
use crate::refusal::Refusal;
use crate::request;

/// Grades an attempt with the compiler of this project, or carries out a share of its trials. `progress` is called before each
/// trial.
///
/// The answer's `rank` says which share has the verdict of the whole: the one with the lowest. A refusal has the number of
/// its trial. What counts only if no trial refuses the attempt has higher numbers, and a share with none of this the highest.
pub(crate) fn grade(asked: &request::Grade, progress: Option<Progress>) -> Result<String, Refusal> {
    let texts = Texts {
        description: String::new(),
        source: asked.source.clone(),
        starter: asked.starter.clone(),
        ptx: asked.ptx.clone(),
    };
    let unreadable = |error: String| Refusal::request(format!("the exercise `{}`: {error}", asked.name));
    let exercise = Exercise::of(&asked.name, asked.chapter, asked.description.clone(), texts)
        .map_err(|error| unreadable(format!("{error:#}")))?;
    let mut rank = 0;
    let [share, of] = asked.share;
    let mut trials = |count: u64, work: &grader::Work, take: &mut grader::Take| {
        rank = 2 * count;
        for number in (u64::from(share)..count).step_by(of as usize) {
            if let Some(progress) = progress {
                progress(number as u32, count as u32);
            }
            let tried: Tried = work(number);
            if tried.is_luck() {
                rank = rank.min(count + number);
            }
            if take(number, tried).is_break() {
                rank = number;
                return;
            }
        }
    };
    let verdict = match exercise.kind {
        Kind::Predict => grader::grade_answers(&exercise, &asked.answers),
        _ => grader::grade_kernel(&exercise, &grader::cudac, &mut trials, &asked.text),
    };
    let verdict = verdict.map_err(|error| unreadable(format!("{error:#}")))?;
    let mut answer = json(&exercise, &verdict);
    answer["rank"] = json!(rank);
    Ok(answer.to_string())
}

fn json(exercise: &Exercise, verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Passed(passed) => json!({
            "passed": true,
            "tried": passed.tried,
            "gates": passed.gates.iter().map(Measured::text).collect::<Vec<_>>(),
            "picture": passed.picture,
            "printed": passed.printed,
            "learned": passed.learned,
            "compiler": passed.compilation.by,
            "warnings": passed.compilation.warnings,
            "shown": null,
        }),
        Verdict::Refused(refusal) => json!({
            "passed": false,
            "reason": refusal.reason,
            "question": refusal.question,
            "headline": refusal.headline,
            "details": refusal.details,
            "look": refusal.look,
            "case": refusal.case,
            "gates": refusal.gates.iter().map(Measured::text).collect::<Vec<_>>(),
            "printed": refusal.printed,
            "compiler": refusal.compilation.by,
            "warnings": refusal.compilation.warnings,
            "shown": refusal.shown.as_deref().map(|shown| launch(exercise, shown)),
        }),
    }
}

/// The launch as the request `launch` takes it, and what to look at.
fn launch(exercise: &Exercise, shown: &Shown) -> Value {
    let max_steps = shown.launch.max_steps.map(|steps| steps.min(request::MAX_STEPS));
    json!({
        "launch": Launch { max_steps, ..shown.launch.clone() },
        "sm": exercise.arch,
        "step": shown.step,
        "actors": shown.actors.iter().map(actor).collect::<Vec<_>>(),
    })
}
