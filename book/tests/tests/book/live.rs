//! The live figures in a browser: each is opened, played to its end, taken back to its start, and led to its faults, and its
//! end is compared with the record that the emulator made when the book was built.
//!
//! The scripts of a page are those that a reader gets, with the committed module. Figures that play the same launch on
//! several pages are opened on each of them.

use std::thread;

use book_tests::Site;

use crate::book;
use crate::browser::{Window, open};

/// What is wrong with the live figures of a page: a list of sentences.
const SCRIPT: &str = include_str!("live.js");

fn pages() -> Vec<String> {
    let live = scraper::Selector::parse("main .live").unwrap();
    let site = Site::read(&book().out).unwrap();
    let with_one = site.written().filter(|(_, page)| page.html.select(&live).next().is_some());
    with_one.map(|(name, _)| name.to_owned()).collect()
}

fn play(window: &Window, pages: &[String]) -> Vec<String> {
    let script = SCRIPT.split_once("\nasync ").expect("the script is a function under a comment").1;
    let mut found = Vec::new();
    for page in pages {
        window.go(page);
        let wrong = window.ask::<Vec<String>>(&format!("(async {script})()"));
        let wrong = wrong.unwrap_or_else(|error| vec![error]);
        found.extend(wrong.into_iter().chain(window.faults()).map(|what| format!("{page}: {what}")));
    }
    found
}

#[test]
fn every_live_figure_plays_to_the_end_that_the_emulator_recorded() {
    let pages = pages();
    assert!(pages.len() >= 30, "{} pages have a live figure", pages.len());
    let halves = pages.split_at(pages.len() / 2);
    let half = |pages: &[String]| open().map(|window| play(&window, pages));
    let found: Vec<String> = thread::scope(|scope| {
        let other = scope.spawn(|| half(halves.0));
        let found = half(halves.1);
        found.into_iter().chain(other.join().expect("a page was there")).flatten().collect()
    });
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
}

/// Nothing of the emulator is loaded before the reader asks for it, and what the reader asks for works from the keyboard.
#[test]
fn the_first_warp_is_there_before_the_emulator_and_is_played_with_keys() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    window.go("introduction.html");
    let player = "document.querySelector('.live').lanesPlayer";
    window.sees(&format!("{player}.box.getBoundingClientRect().top < innerHeight * 0.7"));
    window.sees("document.querySelectorAll('.player [data-state=runs][data-lane]').length === 16");
    window
        .sees("performance.getEntriesByType('resource').every(each => !each.name.includes('assets/module'))");
    window.sees(&format!("{player}.box.querySelector('[data-act=step]').focus() ?? true"));
    window.press("ArrowRight");
    window.wait(&format!("{player}.at === 18 && {player}.sides[0].timeline.moment !== undefined"));
    window.press("Home");
    window.wait(&format!("{player}.at === 0 && {player}.sides[0].timeline.moment !== undefined"));
    window.press("End");
    window.wait(&format!("{player}.at === {player}.count - 1 && {player}.isOver"));
    window.sees("document.activeElement.dataset.act === 'step'");
    // The page was not turned by the arrow.
    window.sees("location.pathname.endsWith('introduction.html')");
    assert_eq!(window.faults(), Vec::<String>::new());
}
