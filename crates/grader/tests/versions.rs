//! Both directions: every solution passes, and every starter and wrong solution is refused for the reason that its
//! exercise names.
//!
//! The committed PTX is graded, so no compiler is needed. Checksums show whether it is stale.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use grader::{Exercise, Kind, Verdict, Version, generate};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises")
}

fn all() -> Vec<Exercise> {
    grader::all(&root()).unwrap()
}

/// Grades the committed version of an exercise.
fn grade(exercise: &Exercise, version: &Version) -> Verdict {
    let name = &exercise.name;
    let verdict = if exercise.kind == Kind::Predict {
        let text = generate::text(exercise, version).unwrap();
        grader::grade(exercise, &grader::cudac, &mut grader::one_by_one, &text)
    } else {
        grader::grade_ptx(exercise, &exercise.ptx_of(&root(), version).unwrap())
    };
    verdict.unwrap_or_else(|error| panic!("{name}, {version}: {error:#}"))
}

/// Fails with everything that `check` finds wrong with the exercises of a chapter.
#[track_caller]
fn none_of(check: impl Fn(&Exercise) -> Vec<String> + Sync) {
    let all = all();
    let halves = all.split_at(all.len() / 2);
    let told: Vec<String> = std::thread::scope(|scope| {
        let other = scope.spawn(|| halves.1.iter().flat_map(&check).collect::<Vec<_>>());
        let mut told: Vec<String> = halves.0.iter().flat_map(&check).collect();
        told.extend(other.join().unwrap());
        told
    });
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn every_solution_passes() {
    none_of(|exercise| match grade(exercise, &Version::Solution) {
        Verdict::Passed(passed) if passed.gates.len() == exercise.gates.len() => Vec::new(),
        other => vec![format!("{}: {other:?}", exercise.name)],
    });
}

#[test]
fn every_starter_is_refused_for_the_reason_that_is_named() {
    none_of(|exercise| refused(exercise, &Version::Starter).into_iter().collect());
}

#[test]
fn every_wrong_solution_is_refused_for_the_reason_that_is_named() {
    none_of(|exercise| {
        let wrong = exercise.wrong();
        let few = (wrong.len() < 2).then(|| format!("{} needs two wrong solutions", exercise.name));
        let told = wrong.into_iter().filter_map(|name| refused(exercise, &Version::Wrong(name)));
        told.chain(few).collect()
    });
}

/// Values that make no sense in a memory that returns the last store are explained by the store that was not seen.
#[test]
fn a_refusal_in_the_weak_memory_tells_what_it_returned() {
    let exercise = all().into_iter().find(|exercise| exercise.name == "after_you").unwrap();
    let Verdict::Refused(refusal) = grade(&exercise, &Version::Starter) else { panic!("passed") };
    let stale =
        refusal.details.iter().position(|line| line.starts_with("stale read, which PTX's memory model"));
    let told = &refusal.details[stale.unwrap_or_else(|| panic!("{refusal:?}"))..];
    assert!(
        told.len() >= 3 && told[1].contains("after_you.cu:") && told[2].contains("after_you.cu:"),
        "{told:?}"
    );
}

/// The message about a version that is not refused, or is refused for another reason.
fn refused(exercise: &Exercise, version: &Version) -> Option<String> {
    let name = &exercise.name;
    let Verdict::Refused(refusal) = grade(exercise, version) else {
        return Some(format!("{name}, {version}: passed"));
    };
    let (wanted, names) = wanted(exercise, version);
    let is_named = names.is_empty() || refusal.question.as_ref().is_some_and(|name| names.contains(name));
    let points = !refusal.look.is_empty();
    (refusal.reason != wanted || !is_named || !points)
        .then(|| format!("{name}, {version}: not {wanted} but {refusal:?}"))
}

/// The reason for which a version has to be refused, and the questions one of which the refusal names.
fn wanted(exercise: &Exercise, version: &Version) -> (String, Vec<String>) {
    match (exercise.kind, version) {
        (Kind::Predict, Version::Wrong(name)) => {
            ("wrong-answer".to_owned(), exercise.wrong[name].keys().cloned().collect())
        }
        (Kind::Predict, _) => ("unanswered".to_owned(), Vec::new()),
        _ => {
            let name = version.to_string();
            let name = name.strip_prefix("wrong_").unwrap_or(&name);
            let reason = exercise.refused.get(name);
            (
                reason.unwrap_or_else(|| panic!("{}: `refused` lacks `{name}`", exercise.name)).clone(),
                Vec::new(),
            )
        }
    }
}

#[test]
fn what_is_refused_is_a_version() {
    none_of(|exercise| {
        let mut known: BTreeSet<String> = exercise.wrong().into_iter().collect();
        known.insert("starter".to_owned());
        let strange = exercise.refused.keys().filter(|name| !known.contains(*name));
        strange
            .map(|name| format!("{}: `refused` names `{name}`, which is no version", exercise.name))
            .collect()
    });
}

#[test]
fn a_starter_to_improve_exceeds_a_gate() {
    none_of(|exercise| {
        let reason = exercise.refused.get("starter").map_or("", String::as_str);
        let begins_so = exercise.kind != Kind::Improve || reason == "gate" && !exercise.gates.is_empty();
        (!begins_so).then(|| format!("{}: begins with {reason}", exercise.name)).into_iter().collect()
    });
}

#[test]
fn there_are_enough_and_each_says_what_it_has_to() {
    let all = all();
    assert!(all.len() >= 36, "{} exercises", all.len());
    let of = |wanted: &dyn Fn(&Exercise) -> bool| all.iter().filter(|exercise| wanted(exercise)).count();
    assert!(of(&|exercise| exercise.kind == Kind::Predict) >= 10);
    assert!(of(&|exercise| exercise.kind != Kind::Predict && exercise.is_ptx()) >= 3);
    for chapter in 1..=6 {
        assert!(of(&|exercise| exercise.chapter == chapter) >= 6, "chapter {chapter}");
    }
    let names: BTreeSet<&str> = all.iter().map(|exercise| exercise.name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "a name is used twice");
    none_of(|exercise| {
        let others =
            all.iter().filter(|other| (other.chapter, other.order) == (exercise.chapter, exercise.order));
        let page = root().join("../book/src").join(&exercise.page);
        let checks = [
            (others.count() == 1, "its order is that of another"),
            ((2..=3).contains(&exercise.hints.len()), "it needs two or three hints"),
            ((5..=15).contains(&exercise.minutes), "it takes 5 to 15 minutes"),
            (page.is_file(), "its page does not exist"),
            (exercise.cases.len() == 1 || exercise.kind != Kind::Predict, "who predicts has one case"),
            (
                exercise.cases.len() > 1 || exercise.kind == Kind::Predict,
                "one size does not show that it is right",
            ),
        ];
        checks
            .into_iter()
            .filter(|(holds, _)| !holds)
            .map(|(_, what)| format!("{}: {what}", exercise.name))
            .collect()
    });
}
