//! The book in the engines of other browsers: Firefox's, and WebKit's, which is also Safari's. Pages come from a server, and
//! from files, as a reader opens them who has built the book.
//!
//! The quick test takes one page of each kind and the engines that are installed. The thorough ones take all pages, and there
//! a missing engine is an error.

use crate::book;
use crate::driver::{Driver, Engine, Way};
use crate::session::Session;
use crate::{drafts, editor, live, predictions, solve};

/// A session of an engine that has to be there.
fn start(engine: Engine, way: Way) -> Driver {
    if let Some(missing) = engine.missing() {
        panic!("{missing}");
    }
    Driver::start(engine, way)
}

/// Every live figure, every listing, every exercise, and a kernel that does not end.
fn everything(session: &impl Session) {
    let mut found = session.list(live::SCRIPT, &live::pages());
    found.extend(session.list(editor::SCRIPT, &editor::pages_with("main .edit")));
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
    // The bound on the time is one of Chromium, in which it is tested.
    println!("late: {:?}", solve::grade_all(session));
    editor::stop_an_endless_kernel(session);
}

#[test]
fn a_figure_plays_and_a_listing_runs_in_firefox_and_webkit_skipped_without_them() {
    let _ = book();
    for engine in Engine::ALL {
        if let Some(missing) = engine.missing() {
            eprintln!("skipped: {missing}");
            continue;
        }
        for way in [Way::Server, Way::Files] {
            let session = Driver::start(engine, way);
            let mut found = session.list(live::SCRIPT, &live::pages()[..1]);
            found.extend(session.list(editor::SCRIPT, &editor::pages_with("main .edit")[..1]));
            found.extend(session.list(predictions::SCRIPT, &predictions::pages()[..2]));
            assert_eq!(found, Vec::<String>::new(), "{engine:?}, {way:?}");
            drafts::text_outlives_the_page(&session);
        }
    }
}

#[test]
#[ignore = "thorough: all pages in Firefox take minutes"]
fn everything_works_in_firefox() {
    everything(&start(Engine::Firefox, Way::Server));
}

#[test]
#[ignore = "thorough: all pages in Firefox take minutes"]
fn everything_works_in_firefox_from_files() {
    everything(&start(Engine::Firefox, Way::Files));
}

#[test]
#[ignore = "thorough: all pages in Firefox take minutes"]
fn nothing_answers_a_question_before_the_reader_in_firefox() {
    let found = start(Engine::Firefox, Way::Server).list(predictions::SCRIPT, &predictions::pages());
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
}

#[test]
#[ignore = "thorough: all pages in WebKit take minutes"]
fn everything_works_in_webkit() {
    everything(&start(Engine::WebKit, Way::Server));
}

#[test]
#[ignore = "thorough: all pages in WebKit take minutes"]
fn everything_works_in_webkit_from_files() {
    everything(&start(Engine::WebKit, Way::Files));
}
