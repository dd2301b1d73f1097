//! Attempts with every kind of mistake: each is refused with its reason, the place, and what to look at.

use std::path::Path;

use grader::{Exercise, Refusal, Verdict, Version, generate};

fn exercise(name: &str) -> Exercise {
    let all = grader::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")).unwrap();
    all.into_iter().find(|exercise| exercise.name == name).unwrap()
}

fn grade(exercise: &Exercise, text: &str) -> Verdict {
    grader::grade(exercise, &grader::cudac, &mut grader::one_by_one, text).unwrap()
}

fn refused(exercise: &Exercise, text: &str) -> Refusal {
    match grade(exercise, text) {
        Verdict::Refused(refusal) => refusal,
        Verdict::Passed(_) => panic!("passed:\n{text}"),
    }
}

/// The solution of `doubled` with a line replaced.
fn changed(from: &str, to: &str) -> Refusal {
    let exercise = exercise("doubled");
    let solution = generate::text(&exercise, &Version::Solution).unwrap();
    assert!(solution.contains(from));
    refused(&exercise, &solution.replace(from, to))
}

#[track_caller]
fn check(refusal: &Refusal, reason: &str, headline: &str, look: &str) {
    assert_eq!(refusal.reason, reason, "{refusal:?}");
    assert!(refusal.objection().contains(headline), "{refusal:?}");
    assert!(refusal.look.contains(look), "{refusal:?}");
}

#[test]
fn the_solution_passes_and_says_what_was_tried() {
    let exercise = exercise("doubled");
    let Verdict::Passed(passed) = grade(&exercise, &generate::text(&exercise, &Version::Solution).unwrap())
    else {
        panic!("refused");
    };
    assert_eq!(passed.tried, "2 cases, 16 seeds each, with all checkers");
    assert_eq!(passed.gates[0].text(), "global load requests: now 2, up to 2 allowed, the solution has 2");
}

#[test]
fn a_wrong_element_names_its_last_writer_and_the_case() {
    let refusal = changed("add.u32 %r5, %r4, %r4;", "add.u32 %r5, %r4, 1;");
    check(&refusal, "wrong-result", "out[0] is ", "");
    assert!(refusal.headline.ends_with("; 5 of 5 elements are wrong"), "{refusal:?}");
    assert!(refusal.details[0].starts_with("stored last by block (0,0,0), warp 0, lane 0"), "{refusal:?}");
    assert_eq!(refusal.case, "n = 5, seed 0");
}

/// `printf("hi\n")` as the compiler translates it: the part before the kernel, and the part in it.
const PRINT: (&str, &str) = (
    ".extern .func (.param .b32 count) vprintf (.param .b64 text, .param .b64 values);
     .global .align 1 .b8 hi[4] = {104, 105, 10, 0};
     .visible .entry",
    "{ .reg .b64 %text; .param .b64 a; .param .b64 b; .param .b32 c;
       mov.u64 %text, hi; cvta.global.u64 %text, %text; st.param.b64 [a], %text; st.param.b64 [b], 0;
       call.uni (c), vprintf, (a, b); }
     ld.global",
);

#[test]
fn what_the_kernel_prints_is_told_briefly() {
    let exercise = exercise("doubled");
    let solution = generate::text(&exercise, &Version::Solution).unwrap();
    let printing = solution.replace(".visible .entry", PRINT.0).replacen("ld.global", PRINT.1, 1);
    let refusal = refused(&exercise, &printing.replace("add.u32 %r5, %r4, %r4;", "add.u32 %r5, %r4, 1;"));
    assert_eq!(refusal.printed, ["hi"; 5]);
    let Verdict::Passed(passed) = grade(&exercise, &printing) else { panic!("refused") };
    assert_eq!((passed.printed.len(), passed.printed[8].as_str()), (9, "and 32 more lines"));
}

#[test]
fn an_element_without_a_writer_is_reported_as_such() {
    let refusal = changed("st.global.u32 [%d1], %r5;", "");
    assert_eq!(refusal.details, ["no thread stored it"]);
}

#[test]
fn a_fault_comes_with_its_lane_and_what_the_exercise_says_to_look_at() {
    let refusal = changed("@%p bra END;", "");
    check(&refusal, "out-of-bounds", "past the end of `in`", "Which threads have no element?");
    assert!(
        refusal.details[0].starts_with("block (") && refusal.details[0].contains(", lane "),
        "{refusal:?}"
    );
}

#[test]
fn an_input_is_not_to_be_written() {
    let refusal = changed("ret;", "@!%p st.global.u32 [%d0], 7; ret;");
    check(&refusal, "changed-input", "`in` must only be read, but in[0] was changed from", "");
}

#[test]
fn what_is_right_and_too_dear_names_counter_gate_and_solution() {
    let refusal = changed("ld.global.u32 %r4, [%d0];", "ld.global.u32 %r4, [%d0]; ld.global.u32 %r4, [%d0];");
    check(&refusal, "gate", "costs more than it may", "");
    assert_eq!(refusal.gates[0].text(), "global load requests: now 4, up to 2 allowed, the solution has 2");
    assert!(!refusal.gates[0].passes);
}

/// A store by every thread, as the last instruction but one of the kernel.
fn with_a_flag(store: &str) -> String {
    format!(
        "{{ .shared .align 4 .b8 flag[4]; .reg .u32 %own; mov.u32 %own, %tid.x; {store}.shared.u32 [flag], %own; }} ret;"
    )
}

#[test]
fn volatile_accesses_that_nothing_orders_are_refused_after_all_else() {
    let refusal = changed("ret;", &with_a_flag("st.volatile"));
    check(&refusal, "volatile-race", "of `flag`", "`volatile` does not order accesses");
    assert_eq!(refusal.case, "n = 5, seed 0");
    check(&changed("ret;", &with_a_flag("st")), "race", "of `flag`", "");
    let exercise = exercise("doubled");
    let solution = generate::text(&exercise, &Version::Solution).unwrap();
    let wrong = solution.replace("add.u32 %r5, %r4, %r4;", "add.u32 %r5, %r4, 1;");
    check(&refused(&exercise, &wrong.replace("ret;", &with_a_flag("st.volatile"))), "wrong-result", "", "");
}

#[test]
fn a_loop_without_an_end_is_stopped_and_told() {
    let refusal = changed("END:\n", "END:\n    bra END;\n");
    assert!(["livelock", "step-limit"].contains(&refusal.reason.as_str()), "{refusal:?}");
    let refusal = changed("END:\n", "END:\n    add.u32 %r7, %r7, 1;\n    bra END;\n");
    check(&refusal, "step-limit", "", "which loop runs many more iterations");
}

#[test]
fn another_kernel_and_other_parameters_are_named() {
    check(
        &changed(".entry doubled", ".entry double"),
        "no-kernel",
        "no kernel `doubled` in the file: it has `double`",
        "keep",
    );
    check(
        &changed(".param .u32 n)", ".param .u64 n)"),
        "other-parameters",
        "the parameters of `doubled` have changed",
        "starter.ptx",
    );
}

#[test]
fn text_that_cannot_be_read_or_run_is_told_with_its_line() {
    check(&changed("ret;", "ret"), "does-not-compile", "line 2", "");
    check(&changed("add.u32 %r5, %r4, %r4;", "frobnicate.u32 %r5, %r4;"), "cannot-run", "frobnicate", "");
    let exercise = exercise("doubled");
    check(&refused(&exercise, ""), "does-not-compile", "", "");
}

#[test]
fn a_prediction_is_held_to_the_run() {
    let exercise = exercise("which");
    let right = generate::text(&exercise, &Version::Solution).unwrap();
    for answer in
        ["stores = \"0-19\"", "left = \"1-19\"", "fifth = \"5\"", "fault = \"none\"", "sectors = \"3\""]
    {
        assert!(right.contains(answer), "{right}");
    }
    let Verdict::Passed(passed) = grade(&exercise, &right) else { panic!("refused") };
    assert_eq!(passed.picture[2], "■■■■■■■■ ■■■■■■■■ ■■■■···· ········");
    check(
        &refused(&exercise, &generate::starter(&exercise).unwrap()),
        "unanswered",
        "`stores`: no answer yet",
        "Which lanes store? (numbers",
    );
    let wrong = |from, to| refused(&exercise, &right.replace(from, to));
    check(&wrong("0-19", "0-20"), "wrong-answer", "`stores`: 20 is in your answer", "predicate");
    check(&wrong("\"5\"", "4"), "wrong-answer", "`fifth`: it is not 4 but more", "number");
    check(&wrong("\"none\"", "\"rice\""), "unreadable", "`rice` is not one of none, race", "");
    check(&wrong("stores =", "store ="), "unreadable", "there is no question `store`", "");
    check(&wrong("\"0-19\"", "0-19"), "unreadable", "`which.toml`, line ", "in quotes");
}
