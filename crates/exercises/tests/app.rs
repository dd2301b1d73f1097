//! Paths through the program that no single screen shows.

mod support;

use exercises::app::{App, Effect, Event, Standing, View};
use exercises::desk::Found;
use exercises::progress::Done;
use grader::{Passed, Refusal, Verdict};
use ratatui::crossterm::event::KeyCode;
use support::Learner;

fn passed() -> Verdict {
    Verdict::Passed(Passed::default())
}

fn refused(reason: &str) -> Verdict {
    Verdict::Refused(Refusal { reason: reason.to_owned(), ..Refusal::default() })
}

#[test]
fn the_exercise_that_was_asked_for_comes_first() {
    let course = Learner::new(&[]).app.course;
    let at = course.find("off_by_one").unwrap();
    let (app, effects) = App::new(course, Done::default(), Some(at), false);
    assert_eq!((app.exercise().name.as_str(), &effects[0]), ("off_by_one", &Effect::Open(at)));
    assert_eq!(app.notice, None);
}

#[test]
fn a_save_while_an_attempt_is_graded_has_it_graded_again() {
    let mut learner = Learner::at("lost_sum");
    learner.save(refused("race"));
    learner.tell(Event::Saved);
    learner.tell(Event::Saved);
    learner.tell(Event::Saved);
    learner.finish(Ok(refused("race")));
    assert_eq!(learner.app.standing, Standing::Checking, "that verdict is of an older text");
    learner.finish(Ok(passed()));
    assert_eq!(learner.app.standing, Standing::Graded(Box::new(passed())));
    assert!(!learner.app.is_grading());
}

#[test]
fn what_passes_while_something_else_is_shown_counts() {
    let mut learner = Learner::at("lost_sum");
    assert!(learner.app.is_grading());
    learner.key('l');
    learner.press(KeyCode::End);
    learner.press(KeyCode::Enter);
    learner.finish(Ok(passed()));
    assert!(learner.app.done.has_passed("lost_sum"));
    assert_eq!(learner.app.exercise().name, "too_many_loads");
    assert_eq!(learner.app.standing, Standing::Checking);
    learner.finish(Ok(refused("gate")));
    assert_eq!(learner.app.standing, Standing::Graded(Box::new(refused("gate"))));
}

#[test]
fn a_passed_exercise_stays_passed_when_its_file_breaks() {
    let mut learner = Learner::at("lost_sum");
    learner.save(passed());
    learner.save(refused("does-not-compile"));
    learner.not_read(Found::Nothing);
    assert!(learner.app.has_passed());
    learner.key('n');
    assert_eq!(learner.app.exercise().name, "off_by_one");
}

#[test]
fn the_next_one_is_the_first_open_one_behind_or_else_before() {
    let mut learner = Learner::new(&["lost_sum", "off_by_one", "too_many_loads"]);
    assert_eq!(learner.app.exercise().name, "first_guess");
    learner.key('l');
    learner.press(KeyCode::End);
    learner.press(KeyCode::Enter);
    learner.key('n');
    assert_eq!(learner.app.exercise().name, "first_guess");
}

#[test]
fn an_exercise_that_is_not_passed_is_not_left_by_next() {
    let mut learner = Learner::at("lost_sum");
    learner.save(refused("race"));
    learner.key('n');
    assert_eq!(learner.app.exercise().name, "lost_sum");
    assert!(learner.app.notice.is_some());
    learner.key('s');
    assert_eq!(learner.app.view, View::Work, "the solution is no way round it");
}

#[test]
fn a_deleted_file_begins_again_with_its_starter() {
    let mut learner = Learner::at("lost_sum");
    learner.save(refused("race"));
    learner.not_read(Found::Nothing);
    assert_eq!(learner.app.standing, Standing::Gone);
    learner.key('r');
    learner.finish(Ok(refused("race")));
    assert_eq!(learner.app.standing, Standing::Graded(Box::new(refused("race"))));
}

#[test]
fn a_grader_that_fails_is_survived() {
    let mut learner = Learner::at("lost_sum");
    learner.finish(Err("the solution of `lost_sum` cannot be read".to_owned()));
    assert!(learner.screen().contains("Not checked: the solution of `lost_sum` cannot be read"));
    learner.save(passed());
    assert!(learner.app.has_passed());
}

#[test]
fn a_file_that_cannot_be_made_is_said_and_made_later() {
    let mut learner = Learner::at("lost_sum");
    let (file, why) =
        ("mine/lost_sum.cu".to_owned(), "cannot write `mine/lost_sum.cu`: disk full".to_owned());
    learner.tell(Event::NotMade(learner.app.at, file, why));
    assert!(learner.screen().contains("disk full"));
    assert!(!learner.app.is_grading());
}

#[test]
fn unknown_keys_are_answered_and_change_nothing() {
    let mut learner = Learner::at("lost_sum");
    learner.key('x');
    assert!(learner.screen().contains("The key `x` does nothing here"));
    learner.press(KeyCode::F(5));
    learner.press(KeyCode::Esc);
    assert_eq!(learner.app.view, View::Work);
}

#[test]
fn scrolling_ends_where_the_text_does() {
    let mut learner = Learner::at("lost_sum");
    learner.resize(40, 10);
    learner.press(KeyCode::End);
    let last = learner.screen();
    learner.press(KeyCode::PageDown);
    learner.press(KeyCode::Down);
    assert_eq!(learner.screen(), last);
    learner.press(KeyCode::Home);
    learner.press(KeyCode::Up);
    assert!(learner.screen().contains("A sum that gets lost"));
}

#[test]
fn the_verdict_is_visible_after_another_check_on_a_low_screen() {
    let mut learner = Learner::at("lost_sum");
    learner.resize(40, 10);
    learner.finish(Ok(refused("race")));
    assert!(!learner.screen().contains("Refused: race"), "the task is to be read first");
    learner.key('r');
    learner.finish(Ok(refused("race")));
    assert!(learner.screen().contains("Refused: race"));
}
