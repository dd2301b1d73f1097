//! The exercises in a browser: each refuses what a learner begins with and accepts the solution, as the grader does on this
//! machine with the same compiler; and two of them are solved with the keyboard alone, on a narrow screen.

use grader::{Exercise, Kind, Verdict, Version, generate};
use serde_json::{Value, json};

use crate::browser::{Window, in_halves, open};
use crate::editor::pages_with;
use crate::repository;
use crate::session::Session;

fn exercises() -> Vec<Exercise> {
    grader::all(&repository().join("exercises")).unwrap()
}

/// What the grader says about a text: the reason and what is wrong, or nothing.
fn verdict(exercise: &Exercise, text: &str) -> Value {
    match grader::grade(exercise, &grader::cudac, &mut grader::one_by_one, text).unwrap() {
        Verdict::Passed(_) => json!(null),
        Verdict::Refused(refusal) => json!([refusal.reason, refusal.headline, refusal.case]),
    }
}

/// An attempt as the page has it: a text, or answers by their names.
fn attempt(exercise: &Exercise, version: &Version) -> (Value, String) {
    let text = generate::text(exercise, version).unwrap();
    if exercise.kind != Kind::Predict {
        return (json!(text), text);
    }
    let answers: serde_json::Map<String, Value> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, value)| (name.trim().to_owned(), json!(value.trim().trim_matches('"'))))
        .collect();
    (json!(answers), text)
}

/// Gives an attempt to an exercise of the page, and grades it. Lanes are clicked.
const GRADE: &str = r#"async (name, attempt) => {
    const exercise = document.querySelector(`.solve[data-exercise="${name}"]`).lanesExercise;
    exercise.open();
    if (typeof attempt === 'string') {
        exercise.editor.text = attempt.replace(/\n$/, '');
        const { field, under } = exercise.editor;
        if (field.scrollWidth > field.clientWidth || Math.abs(field.scrollHeight - under.offsetHeight) > 2) { throw new Error(`${name} is cut off`); }
    }
    for (const answer of exercise.answers ?? []) {
        const value = attempt[answer.question.name] ?? '';
        if (answer.field !== undefined) { answer.field.value = value; }
        answer.squares?.forEach((square, number) => {
            const isIn = value.split(',').some(part => {
                const [first, last] = part.trim().split('-').map(Number);
                return part.trim() !== '' && number >= first && number <= (last ?? first);
            });
            if (isIn !== (square.getAttribute('aria-pressed') === 'true')) { square.click(); }
        });
        if (value === 'none') { answer.none?.click(); }
        [...answer.box.querySelectorAll('input[type=radio]')].find(radio => radio.value === value)?.click();
    }
    const start = performance.now();
    await exercise.grade();
    const took = performance.now() - start;
    const { verdict, said } = exercise;
    if (verdict === null) { throw new Error(said.textContent); }
    const shown = verdict.shown;
    if (verdict.passed !== true && exercise.editor !== null && shown !== null) {
        await exercise.watch();
        if (exercise.place.querySelector('.warp') === null) { throw new Error(`${name} shows no lanes: ${said.textContent}`); }
        if (shown.actors.length > 0 && exercise.place.querySelector('[data-actor]') === null) { throw new Error(`${name} marks no lane`); }
    }
    const isShown = shown !== null;
    exercise.close();
    return [verdict.passed ? null : [verdict.reason, verdict.headline, verdict.case], took, isShown];
}"#;

/// How long grading an exercise may take, in milliseconds.
const MAX_GRADING_MS: f64 = 5_000.0;

/// Grades a version of an exercise in the page and here. Returns how many milliseconds the page took, and whether it showed
/// the mistake in a player.
fn grade(session: &impl Session, exercise: &Exercise, version: &Version) -> (f64, bool) {
    let name = &exercise.name;
    let (given, text) = attempt(exercise, version);
    let (there, took, is_shown): (Value, f64, bool) = session
        .ask(&format!("({GRADE})({}, {given})", json!(name)))
        .unwrap_or_else(|error| panic!("{name}, {version}: {error}"));
    assert_eq!(there, verdict(exercise, &text), "{name}, {version}");
    assert_eq!(there.is_null(), *version == Version::Solution, "{name}, {version}: {there}");
    (took, is_shown)
}

/// Grades the starter and the solution of every exercise in the page and here. Returns which took longer than readers should
/// wait.
pub fn grade_all(session: &impl Session) -> Vec<String> {
    let all = exercises();
    let (mut graded, mut shown, mut longest) = (0, 0, (0.0, String::new()));
    let mut late = Vec::new();
    for page in pages_with("main .solve") {
        session.go(&page);
        let names: Vec<String> = session
            .ask("[...document.querySelectorAll('main .solve')].map(box => box.dataset.exercise)")
            .unwrap();
        for name in names {
            let exercise = all.iter().find(|exercise| exercise.name == name).unwrap();
            for version in [Version::Starter, Version::Solution] {
                let (took, is_shown) = grade(session, exercise, &version);
                println!("{name}, {version}: {took:.0} ms");
                (graded, shown) = (graded + 1, shown + usize::from(is_shown));
                if took > MAX_GRADING_MS {
                    late.push(format!("{name}, {version}: {took:.0} ms"));
                }
                if took > longest.0 {
                    longest = (took, format!("{name}, {version}"));
                }
            }
        }
    }
    println!(
        "{graded} gradings, {shown} shown in the player; the longest took {:.0} ms: {}",
        longest.0, longest.1
    );
    assert_eq!(graded, 2 * all.len());
    assert_eq!(session.faults(), Vec::<String>::new());
    late
}

#[test]
fn every_exercise_refuses_its_starter_and_accepts_its_solution_as_the_terminal_does() {
    if let Some(window) = open() {
        assert_eq!(grade_all(&window), Vec::<String>::new());
    }
}

/// The names that questions have in a file of answers, and how lanes are written there, are nothing to a reader of the page.
#[test]
fn a_refused_prediction_quotes_its_question() {
    let Some(window) = open() else { return };
    window.go("ch01_divergence/exercises.html");
    let graded = "(async exercise => {
        exercise.open();
        await exercise.grade();
        return exercise.result.textContent;
    })(document.querySelector('.solve[data-exercise=sorted_parcels]').lanesExercise)";
    let text: String = window.ask(graded).unwrap();
    assert_eq!(text, "✗ unanswered: Which lanes of warp 0 execute the store at (A)? No answer yet.");
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// Every question in the text tells a wrong answer from the right one, and shows why.
#[test]
fn the_questions_before_an_answer_are_answered_in_the_page() {
    let pages = pages_with("main .guess");
    assert!(pages.len() >= 15, "{} pages ask before they answer", pages.len());
    in_halves(&pages, &|window, pages| window.list(include_str!("guess.js"), pages).into_iter().collect());
}

/// Presses Shift and Tab until the script is true of the element that has the keyboard.
fn back_to(window: &Window, is_there: &str) {
    for _ in 0..60 {
        if window.ask(&format!("(element => {is_there})(document.activeElement)")) == Ok(true) {
            return;
        }
        let shift = headless_chrome::browser::tab::ModifierKey::Shift;
        window.tab.press_key_with_modifiers("Tab", Some(&[shift])).unwrap();
    }
    panic!("the keyboard does not come back to `{is_there}`");
}

/// Presses Tab until the script is true of the element that has the keyboard.
fn tab_to(window: &Window, is_there: &str) {
    for _ in 0..200 {
        window.press("Tab");
        if window.ask::<bool>(&format!("(element => {is_there})(document.activeElement)")) == Ok(true) {
            return;
        }
    }
    panic!("the Tab key does not lead to what {is_there}");
}

/// Writes over the text of the field that has the keyboard.
fn write(window: &Window, text: &str) {
    window.sees("document.activeElement.select() ?? true");
    window
        .tab
        .call_method(headless_chrome::protocol::cdp::Input::InsertText { text: text.to_owned() })
        .unwrap();
}

#[test]
fn two_exercises_are_solved_with_keys_alone_on_a_narrow_screen() {
    let Some(window) = open() else { return };
    let all = exercises();
    let exercise = |name: &str| all.iter().find(|exercise| exercise.name == name).unwrap();
    window.resize(390, 844);
    window.go("ch02_reduction/exercises.html");
    let _: Value = window.ask("localStorage.clear() ?? null").unwrap();
    window.go("ch02_reduction/exercises.html");

    // A kernel to repair: first it is refused, then a hint is read, then it is right.
    tab_to(
        &window,
        "element.closest('tr')?.dataset.exercise === 'tail_block' && element.matches('.solve-open')",
    );
    window.press("Enter");
    window.wait("document.activeElement.textContent === 'The tail block'");
    tab_to(&window, "element.dataset.do === 'grade'");
    window.press("Enter");
    window.wait(
        "document.querySelector('.solve-refused strong')?.textContent.includes('out of bounds') ?? false",
    );
    window.sees("document.documentElement.scrollWidth <= 390");
    tab_to(&window, "element.dataset.do === 'hint'");
    window.press("Enter");
    window.wait("document.querySelectorAll('.solve-hints li').length === 1");
    window.sees("document.activeElement.dataset.do === 'hint'");
    window.sees("document.querySelector('.solve [data-do=grade]').focus() ?? true");
    back_to(&window, "element.localName === 'textarea'");
    write(&window, &exercise("tail_block").source().text(&Version::Solution));
    tab_to(&window, "element.dataset.do === 'grade'");
    window.press("Enter");
    window.wait("document.querySelector('.solve-passed') !== null");
    window.sees(
        "document.querySelector('tr[data-exercise=tail_block] .solve-done').textContent.includes('passed')",
    );
    tab_to(&window, "element.dataset.do === 'close'");
    window.press("Enter");
    window.wait("document.activeElement.matches('tr[data-exercise=tail_block] .solve-open')");

    // A prediction: lanes are picked with arrows and Enter.
    let (answers, _) = attempt(exercise("who_adds"), &Version::Solution);
    back_to(
        &window,
        "element.closest('tr')?.dataset.exercise === 'who_adds' && element.matches('.solve-open')",
    );
    window.press("Enter");
    window.wait("document.activeElement.textContent.includes('Which lanes add')");
    for (number, (name, answer)) in answers.as_object().unwrap().iter().enumerate() {
        let inside =
            format!("element.closest('fieldset') === document.querySelectorAll('.solve-question')[{number}]");
        tab_to(&window, &inside);
        answer_with_keys(&window, answer.as_str().unwrap(), name);
    }
    tab_to(&window, "element.dataset.do === 'grade'");
    window.press("Enter");
    window.wait("document.querySelector('.solve-passed') !== null || document.querySelector('.solve-refused') !== null");
    window.sees("document.querySelector('.solve-passed .solve-picture') !== null");
    window.sees("document.documentElement.scrollWidth <= 390");

    // It is still known after the page was left, and so are the attempts. The file is that of the terminal.
    window.go("introduction.html");
    window.go("ch02_reduction/exercises.html");
    window
        .sees(&again("tail_block", &json!(exercise("tail_block").source().text(&Version::Solution).trim())));
    window.sees(&again("who_adds", &answers));
    window.sees("document.querySelector('.solve-progress p').textContent.includes('passed 2 of 14')");
    let file: String =
        window.ask("document.querySelector('.solve').lanesExercise.course.progress.export()").unwrap();
    assert!(file.contains("version = 1\npassed = [\n    \"tail_block\",\n    \"who_adds\",\n]"), "{file}");
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// Opens an exercise, and sees whether the attempt is there again.
fn again(name: &str, attempt: &Value) -> String {
    format!(
        "(exercise => {{
            exercise.open();
            const {{ text, answers }} = exercise.graded();
            exercise.close();
            return JSON.stringify(text?.trim() ?? answers) === JSON.stringify({attempt});
        }})(document.querySelector('.solve[data-exercise={name}]').lanesExercise)"
    )
}

/// Answers the question in which the keyboard is.
fn answer_with_keys(window: &Window, answer: &str, name: &str) {
    if window.ask::<bool>("document.activeElement.matches('input')") == Ok(true) {
        return write(window, answer);
    }
    window.press("Home");
    let mut at = 0;
    for part in answer.split(", ") {
        let ends: Vec<u32> =
            part.split('-').map(|number| number.parse().unwrap_or_else(|_| panic!("{name}"))).collect();
        for number in ends[0]..=*ends.last().unwrap() {
            while at < number {
                window.press("ArrowRight");
                at += 1;
            }
            window.press("Enter");
        }
    }
}
