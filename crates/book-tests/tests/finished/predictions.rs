//! Predictions: nothing answers a question before the reader has answered it, and everything is there afterwards.

use headless_chrome::protocol::cdp::Emulation;

use crate::browser::{Window, in_halves, open};
use crate::editor::pages_with;
use crate::session::Session;

/// What the page shows too early.
pub const SCRIPT: &str = include_str!("predict.js");

const PAGE: &str = "ch01_divergence/branch.html";
/// A page with words to choose from.
const CHOICE: &str = "ch05_locks/lock_without_fence.html";

/// The pages with questions.
pub fn pages() -> Vec<String> {
    pages_with("main .predict")
}

/// An expression: the box of this number.
fn guess(number: usize) -> String {
    format!("document.querySelectorAll('main .guess')[{number}].lanesGuess")
}

/// An expression: whether the answer of a box is seen.
fn shown(number: usize) -> String {
    format!(
        "document.querySelector(`.answer[data-answer=${{{}.box.closest('.predict').id}}]`).checkVisibility()",
        guess(number)
    )
}

/// What the page says about the answer to a question.
fn said(window: &impl Session, number: usize) -> String {
    window.ask(&format!("{}.said.textContent", guess(number))).unwrap()
}

#[test]
fn nothing_answers_a_question_before_the_reader() {
    let pages = pages();
    assert!(pages.len() >= 75, "{} pages ask", pages.len());
    in_halves(&pages, &|window, pages| window.list(SCRIPT, pages).into_iter().collect());
}

/// If nothing were hidden, the script would say so.
#[test]
fn what_is_shown_too_early_is_found() {
    let Some(window) = open() else { return };
    let script = SCRIPT.split_once("\nasync ").unwrap().1;
    let found = |page: &str, change: &str| {
        window.go(page);
        window.sees(&format!("({change}, true)"));
        window.ask::<Vec<String>>(&format!("(async {script})()")).unwrap().join("; ")
    };
    let all = found(CHOICE, "document.documentElement.classList.remove('asks')");
    assert!(all.contains("this is seen before it is answered: "), "{all}");
    let told = found(
        CHOICE,
        "document.querySelectorAll('code [data-answer]').forEach(each => each.classList.add('open'))",
    );
    assert!(told.contains("a comment above it") && told.contains("a line above it is marked"), "{told}");
    let number = "document.querySelector('main h1').append(' 5,120')";
    assert!(found("ch01_divergence/slips.html", number).contains("5120 is seen above it"));
}

#[test]
fn nothing_answers_a_question_on_a_phone() {
    in_halves(&pages(), &|window, pages| {
        window.resize(390, 844);
        let mut found = window.list(SCRIPT, pages);
        for page in pages {
            window.go(page);
            let wide = "[...document.querySelectorAll('main .predict *')].filter(each => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth).map(each => `${each.localName} is cut off`)";
            found.extend(
                window.ask::<Vec<String>>(wide).unwrap().into_iter().map(|what| format!("{page}: {what}")),
            );
        }
        found.into_iter().collect()
    });
}

#[test]
fn an_answer_is_remembered() {
    let Some(window) = open() else { return };
    window.go(PAGE);
    let answer = format!("({0}.question.take('16-31'), {0}.button.click(), true)", guess(0));
    window.sees(&answer);
    assert_eq!(said(&window, 0), "Right: lanes 16-31.");
    window.go(PAGE);
    window.sees(&shown(0));
    assert_eq!(said(&window, 0), "Right: lanes 16-31.");
    window.sees(&format!("{}.show.hidden && !{}", guess(0), shown(1)));
    // A wrong answer is one, too; and so is none.
    window.sees(&format!("({0}.question.take('7'), {0}.button.click(), true)", guess(1)));
    window.go(PAGE);
    window.sees(&shown(1));
    assert_eq!(said(&window, 1), "No: it’s 24.");
    window.go(CHOICE);
    window.sees(&format!("!{0} && ({1}.show.click(), {0})", shown(0), guess(0)));
    assert_eq!(said(&window, 0), "It’s at least half.");
    window.go(CHOICE);
    window.sees(&format!("{} && {}.question.value === ''", shown(0), guess(0)));
    assert_eq!(window.faults(), Vec::<String>::new());
}

#[test]
fn without_a_storage_a_question_can_be_answered() {
    let Some(window) = open() else { return };
    window.run_in_every_page(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })",
    );
    window.go(CHOICE);
    window.sees(&format!("!{0} && ({1}.show.click(), {0})", shown(0), guess(0)));
}

/// Presses a key until the script is true.
fn press_until(window: &Window, key: &str, script: &str) {
    for _ in 0..80 {
        if window.ask(script) == Ok(true) {
            return;
        }
        window.press(key);
    }
    panic!("{key} does not lead to `{script}`");
}

#[test]
fn a_question_is_answered_by_the_keyboard() {
    let Some(window) = open() else { return };
    let has_keyboard = |what: &str| format!("document.activeElement === {}.{what}", guess(0));
    window.go(CHOICE);
    window.sees("document.querySelector('.listing .edit-bar button').focus() ?? true");
    press_until(&window, "Tab", &has_keyboard("question.box.querySelector('input')"));
    press_until(&window, "ArrowDown", &format!("{}.question.value === 'at least half'", guess(0)));
    press_until(&window, "Tab", &has_keyboard("button"));
    window.press("Enter");
    window.wait(&shown(0));
    assert_eq!(said(&window, 0), "Right: at least half.");
    // The marks and the comments of the listing above are there now.
    window.sees("/race/.test(document.querySelector('.listing code').innerText)");
    window.sees("document.querySelector('.listing .row-sign').checkVisibility()");

    // A number is written, and Enter answers.
    window.go("ch03_syncwarp/waiting.html");
    window.sees(&format!("{}.question.field.focus() ?? true", guess(0)));
    window.press("1");
    window.press("Enter");
    window.wait(&shown(0));
    // *Show me* is a button like any other, and the keyboard stays in the box.
    window.go("ch03_syncwarp/tile.html");
    window.sees(&format!("{}.show.focus() ?? true", guess(0)));
    window.press("Enter");
    window.wait(&shown(0));
    window.sees(&has_keyboard("button"));
    assert_eq!(window.faults(), Vec::<String>::new());
}

#[test]
fn a_link_into_an_answer_opens_it() {
    let Some(window) = open() else { return };
    window.go("ch03_syncwarp/mask.html");
    let row = "document.querySelector('.answer .row[id]')";
    window.sees(&format!("!{row}.checkVisibility()"));
    window.sees(&format!("(location.hash = {row}.id) !== ''"));
    window.wait(&format!("{row}.checkVisibility()"));
}

#[test]
fn without_scripts_and_on_paper_nothing_is_hidden() {
    let hidden = "[...document.querySelectorAll('main :is(.answer, .row.marked, .choices)')].filter(each => each.closest('details') === null
        && (!each.checkVisibility() || each.getClientRects().length === 0)).map(each => each.outerHTML.slice(0, 200))";
    let Some(window) = open() else { return };
    window.go(CHOICE);
    window.sees("!document.querySelector('.answer').checkVisibility()");
    window.print(true);
    window.wait("[...document.querySelectorAll('main .answer')].every(answer => answer.checkVisibility())");
    window.print(false);
    window.tab.call_method(Emulation::SetScriptExecutionDisabled { value: true }).unwrap();
    for page in [PAGE, CHOICE, "ch03_syncwarp/hidden_race.html"] {
        window.go(page);
        assert_eq!(window.ask::<Vec<String>>(hidden), Ok(Vec::new()), "{page}");
        window.sees("document.querySelector('.guess p').checkVisibility() && document.querySelector('.guess button') === null");
    }
}
