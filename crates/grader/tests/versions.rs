//! Both directions: every solution passes, and every starter and wrong solution is refused for the reason that its
//! exercise names.
//!
//! Only the PTX of solutions is committed, and `cudac` compiles all versions. `cargo xtask thorough versions` has them
//! compiled by NVRTC, to whose code the reasons apply without exception.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use grader::{Compile, Compiled, Exercise, Kind, Refusal, Verdict, Version, generate};

/// A version for which `cudac`'s code is refused for another reason than NVRTC's.
struct Otherwise {
    exercise: &'static str,
    version: &'static str,
    reason: &'static str,
}

const OTHERWISE: [Otherwise; 4] = [
    // The three elements are read in another order, which C++ leaves open, and one of them before it is written.
    Otherwise { exercise: "smooth_rows", version: "wrong_volatile_cells", reason: "uninitialized" },
    // NVRTC's code has the loop several times, and lanes meet at different barriers. Here there is one barrier, at which
    // they meet, and a race.
    Otherwise { exercise: "steps_on_a_ring", version: "wrong_barrier_in_the_loop", reason: "race" },
    // libcu++ looks at a clock while it waits, so its loop never repeats a state: what is found is a phase that no thread
    // can complete. The loop of `cudac`'s header only asks, so it is seen to repeat.
    Otherwise { exercise: "leavers", version: "starter", reason: "livelock" },
    Otherwise { exercise: "leavers", version: "wrong_arrives_once_more", reason: "livelock" },
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises")
}

fn all() -> Vec<Exercise> {
    grader::all(&root()).unwrap()
}

/// Grades a version of an exercise.
fn grade(exercise: &Exercise, version: &Version, compile: &Compile) -> Verdict {
    let text = generate::text(exercise, version).unwrap();
    let verdict = grader::grade(exercise, compile, &mut grader::one_by_one, &text);
    verdict.unwrap_or_else(|error| panic!("{}, {version}: {error:#}", exercise.name))
}

/// Fails with everything that `check` finds wrong with the exercises.
#[track_caller]
fn none_of(check: impl Fn(&Exercise) -> Vec<String> + Sync) {
    let told = test_support::side_by_side(&all(), check).concat();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// The message about a solution that does not pass, or not all gates.
fn failed(exercise: &Exercise, verdict: &Verdict) -> Option<String> {
    let passes = matches!(verdict, Verdict::Passed(passed) if passed.gates.len() == exercise.gates.len());
    (!passes).then(|| format!("{}: {verdict:?}", exercise.name))
}

#[test]
fn every_solution_passes() {
    none_of(|exercise| {
        let verdict = grade(exercise, &Version::Solution, &grader::cudac);
        failed(exercise, &verdict).into_iter().collect()
    });
}

#[test]
fn every_committed_solution_passes() {
    none_of(|exercise| match exercise.kind {
        Kind::Predict => Vec::new(),
        _ => failed(exercise, &grader::grade_ptx(exercise, &exercise.ptx()).unwrap()).into_iter().collect(),
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

#[test]
fn whoever_is_refused_otherwise_is_a_version() {
    let all = all();
    for other in &OTHERWISE {
        let exercise = all.iter().find(|exercise| exercise.name == other.exercise).unwrap();
        let mut versions = exercise.versions().into_iter();
        let version = versions.find(|version| version.to_string() == other.version).unwrap();
        assert_ne!(named(exercise, &version), other.reason, "{}, {version}", exercise.name);
    }
}

/// The pinned compiler of NVIDIA's.
fn nvrtc() -> impl Fn(&Exercise, &str) -> Result<Compiled, Box<Refusal>> {
    let compiler = nvrtc::Compiler::find().expect("NVRTC is installed");
    move |exercise: &Exercise, text: &str| {
        let (name, options) = (format!("{}.cu", exercise.name), nvrtc::Options::optimised(exercise.arch));
        let ptx = compiler.compile(&nvrtc::Source { name: &name, text }, &options);
        let ptx = ptx.map_err(|error| grader::compile::rejected(&name, &error.to_string()))?;
        assert!(ptx.contains(nvrtc::PINNED_RELEASE), "another release: {}", nvrtc::INSTALL);
        Ok(Compiled { ptx, ..Compiled::default() })
    }
}

#[test]
#[ignore = "thorough: compiles with NVRTC, which few machines have"]
fn every_version_of_nvidias_compiler_is_judged_as_named() {
    let compile = nvrtc();
    none_of(|exercise| {
        let judged = |version| match version {
            Version::Solution => failed(exercise, &grade(exercise, &version, &compile)),
            _ => misjudged(exercise, &version, &compile, &named(exercise, &version)),
        };
        let versions = if exercise.kind == Kind::Predict { Vec::new() } else { exercise.versions() };
        versions.into_iter().filter_map(judged).collect()
    });
}

#[test]
#[ignore = "thorough: compiles with NVRTC, which few machines have"]
fn every_committed_solution_is_what_nvidias_compiler_makes() {
    let compile = nvrtc();
    none_of(|exercise| {
        let made = |text| compile(exercise, text).unwrap_or_else(|refusal| panic!("{refusal:?}")).ptx;
        let is_stale = !exercise.is_ptx()
            && !exercise.ptx().ends_with(&made(&exercise.source().text(&Version::Solution)));
        is_stale.then(|| format!("{}: run `cargo xtask exercises`", exercise.name)).into_iter().collect()
    });
}

/// Values that make no sense in a memory that returns the last store are explained by the store that was not seen.
#[test]
fn a_refusal_in_the_weak_memory_tells_what_it_returned() {
    let exercise = all().into_iter().find(|exercise| exercise.name == "after_you").unwrap();
    let Verdict::Refused(refusal) = grade(&exercise, &Version::Starter, &grader::cudac) else {
        panic!("passed")
    };
    let stale =
        refusal.details.iter().position(|line| line.starts_with("stale read, which PTX's memory model"));
    let told = &refusal.details[stale.unwrap_or_else(|| panic!("{refusal:?}"))..];
    assert!(
        told.len() >= 3 && told[1].contains("after_you.cu:") && told[2].contains("after_you.cu:"),
        "{told:?}"
    );
}

/// The message about a version that is not refused, or is refused for another reason, when `cudac` compiles it.
fn refused(exercise: &Exercise, version: &Version) -> Option<String> {
    let is_it = |other: &&Otherwise| other.exercise == exercise.name && other.version == version.to_string();
    let otherwise = OTHERWISE.iter().find(is_it);
    let reason = otherwise.map_or_else(|| named(exercise, version), |other| other.reason.to_owned());
    misjudged(exercise, version, &grader::cudac, &reason)
}

/// The same with a compiler and a reason.
fn misjudged(exercise: &Exercise, version: &Version, compile: &Compile, reason: &str) -> Option<String> {
    let name = &exercise.name;
    let Verdict::Refused(refusal) = grade(exercise, version, compile) else {
        return Some(format!("{name}, {version}: passed"));
    };
    let is_asked = match (exercise.kind, version) {
        (Kind::Predict, Version::Wrong(name)) => {
            refusal.question.as_ref().is_some_and(|question| exercise.wrong[name].contains_key(question))
        }
        _ => true,
    };
    let points = !refusal.look.is_empty();
    (refusal.reason != reason || !is_asked || !points)
        .then(|| format!("{name}, {version}: not {reason} but {refusal:?}"))
}

/// The reason for which a version has to be refused.
fn named(exercise: &Exercise, version: &Version) -> String {
    let name = match version {
        Version::Wrong(_) if exercise.kind == Kind::Predict => return "wrong-answer".to_owned(),
        _ if exercise.kind == Kind::Predict => return "unanswered".to_owned(),
        Version::Wrong(name) => name,
        other => &other.to_string(),
    };
    let reason = exercise.refused.get(name);
    reason.unwrap_or_else(|| panic!("{}: `refused` lacks `{name}`", exercise.name)).clone()
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
    assert!(all.len() >= 100, "{} exercises", all.len());
    let of = |wanted: &dyn Fn(&Exercise) -> bool| all.iter().filter(|exercise| wanted(exercise)).count();
    assert!(of(&|exercise| exercise.kind == Kind::Predict) >= 10);
    assert!(of(&|exercise| exercise.kind != Kind::Predict && exercise.is_ptx()) >= 3);
    for chapter in 1..=9 {
        assert!(of(&|exercise| exercise.chapter == chapter) >= 8, "chapter {chapter}");
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
