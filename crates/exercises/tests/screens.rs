//! Golden screens: what a learner sees, drawn into a terminal in memory.
//!
//! The files in `tests/screens/` are what these scenes draw. `cargo xtask bless` draws them again by running this test
//! with `BLESS` set; without it, the test compares and writes nothing. The exercises are those in `tests/fixtures`, and
//! the verdicts are in this file, so neither the catalogue nor the grader can change a screen.

mod support;

use std::fs;
use std::path::Path;

use grader::{Compilation, Measured, Passed, Refusal, Verdict};
use ratatui::crossterm::event::KeyCode;

use exercises::app::Event;
use exercises::desk::Found;
use support::Learner;

#[track_caller]
fn check(name: &str, screen: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/screens/{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, screen).unwrap();
        return;
    }
    let golden = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(golden == screen, "`{name}` is another screen, `cargo xtask bless` keeps it:\n{screen}");
}

fn race() -> Verdict {
    Verdict::Refused(Refusal {
        reason: "race".to_owned(),
        headline: "two threads access `sum[0]`, at least one of them writes, and nothing orders them"
            .to_owned(),
        details: vec![
            "block 0, warp 0, lane 0 writes 4 bytes at line 5 of lost_sum.cu".to_owned(),
            "block 0, warp 1, lane 0 reads 4 bytes at line 5 of lost_sum.cu".to_owned(),
        ],
        look: "Which threads read the sum at the same time?".to_owned(),
        case: "n = 33, seed 0".to_owned(),
        printed: vec!["lane 0 adds -3".to_owned(), "and 32 more lines".to_owned()],
        ..Refusal::default()
    })
}

fn sectors(now: f64) -> Measured {
    let what = "sectors of global loads".to_owned();
    Measured { what, now, gate: 40.0, more_is_better: false, solution: 32.0, passes: now <= 40.0 }
}

fn too_dear() -> Verdict {
    Verdict::Refused(Refusal {
        reason: "gate".to_owned(),
        headline: "the result is right, but costs more than it may".to_owned(),
        look: "Which addresses do the lanes of a warp load at the same time?".to_owned(),
        case: "n = 256, seed 0".to_owned(),
        gates: vec![sectors(256.0)],
        ..Refusal::default()
    })
}

fn passed() -> Verdict {
    Verdict::Passed(Passed {
        tried: "2 cases, 16 seeds each, with all checkers".to_owned(),
        gates: vec![sectors(32.0)],
        picture: vec![
            "lanes that store: 0, 2, 4".to_owned(),
            "0       8       16      24     31".to_owned(),
            "#.#.#...........................".to_owned(),
        ],
        printed: Vec::new(),
        learned: "One atomic instruction does all three steps.".to_owned(),
        compilation: Compilation { by: "cudac 0.1 (sm_70)".to_owned(), warnings: Vec::new() },
    })
}

fn does_not_compile() -> Verdict {
    Verdict::Refused(Refusal {
        reason: "does-not-compile".to_owned(),
        headline: "`lost_sum.cu` does not compile".to_owned(),
        details: vec![
            "lost_sum.cu(5): error: expected a \";\"".to_owned(),
            "      atomicAdd(sum, in[i])".to_owned(),
            "                           ^".to_owned(),
        ],
        look: "look at the first message; the others often follow from it".to_owned(),
        ..Refusal::default()
    })
}

#[test]
fn the_first_start_explains_itself() {
    check("first_start", &Learner::new(&[]).screen());
}

#[test]
fn a_task_is_shown_while_it_is_checked() {
    let mut learner = Learner::new(&[]);
    learner.press(KeyCode::Enter);
    check("checking", &learner.screen());
}

#[test]
fn a_failing_save_says_why() {
    let mut learner = Learner::at("lost_sum");
    learner.save(race());
    check("failing_save", &learner.screen());
    learner.save(does_not_compile());
    check("does_not_compile", &learner.screen());
    let mut learner = Learner::at("too_many_loads");
    learner.save(too_dear());
    check("closed_gate", &learner.screen());
}

#[test]
fn a_passing_save_moves_the_bar_and_next_goes_on() {
    let mut learner = Learner::at("lost_sum");
    learner.save(passed());
    check("passing_save", &learner.screen());
    learner.key('s');
    learner.tell(Event::Solution(Ok((
        "extern \"C\" __global__ void lost_sum(const int *in, int *sum)\n{\n\tatomicAdd(sum, in[threadIdx.x]);\n}\n"
            .to_owned(),
        "`exercises/ch01_divergence/lost_sum/solution.cu`, with the other versions between its marks".to_owned(),
    ))));
    check("solution", &learner.screen());
    learner.press(KeyCode::Esc);
    learner.key('n');
    check("next", &learner.screen());
}

#[test]
fn hints_come_one_by_one() {
    let mut learner = Learner::at("lost_sum");
    learner.save(race());
    learner.key('h');
    check("hint", &learner.screen());
    "hhh".chars().for_each(|key| learner.key(key));
    check("all_hints", &learner.screen());
}

#[test]
fn the_list_has_marks_and_an_arrow() {
    let mut learner = Learner::new(&["lost_sum"]);
    learner.press(KeyCode::Enter);
    learner.key('l');
    learner.press(KeyCode::Down);
    check("list", &learner.screen());
    learner.key('q');
    learner.key('?');
    check("help", &learner.screen());
}

#[test]
fn the_next_start_goes_on_where_the_last_ended() {
    let mut learner = Learner::new(&["first_guess", "lost_sum"]);
    check("resumed", &learner.screen());
    learner.tell(Event::Leave);
    assert!(learner.has_left);
}

#[test]
fn the_end_is_said() {
    let all = ["first_guess", "lost_sum", "off_by_one", "too_many_loads"];
    let mut learner = Learner::new(&all);
    learner.save(passed());
    check("the_end", &learner.screen());
}

#[test]
fn troubles_are_said_and_the_program_goes_on() {
    let mut learner = Learner::at("lost_sum");
    learner.is_disk_full = true;
    learner.save(passed());
    check("disk_full", &learner.screen());
    learner.not_read(Found::Nothing);
    check("file_gone", &learner.screen());
    learner.not_read(Found::Unreadable(
        "cannot read `mine/lost_sum.cu`: it is a directory; name a file in it".to_owned(),
    ));
    check("file_unreadable", &learner.screen());
}

#[test]
fn small_terminals_show_what_matters() {
    let mut learner = Learner::at("lost_sum");
    learner.resize(40, 10);
    check("small_task", &learner.screen());
    learner.save(race());
    check("small_failing_save", &learner.screen());
    learner.press(KeyCode::PageDown);
    check("small_scrolled", &learner.screen());
    learner.save(passed());
    check("small_passing_save", &learner.screen());
    learner.key('l');
    check("small_list", &learner.screen());
}

#[test]
fn no_size_is_too_small_to_draw() {
    for (width, height) in [(1, 1), (2, 3), (5, 5), (10, 2), (300, 3), (3, 100), (300, 100)] {
        let mut learner = Learner::at("lost_sum");
        learner.resize(width, height);
        learner.save(race());
        learner.screen();
        for key in "hl?".chars() {
            learner.key(key);
            learner.screen();
            learner.press(KeyCode::Esc);
        }
    }
}
