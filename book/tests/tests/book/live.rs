//! The live figures in a browser: each is opened, played to its end, taken back to its start, and led to its faults, and its
//! end is compared with the record that the emulator made when the book was built.
//!
//! The scripts of a page are those that a reader gets, with the committed module. Figures that play the same launch on
//! several pages are opened on each of them.

use std::{env, fs, thread};

use book_tests::Site;

use crate::book;
use crate::browser::{Window, look_after, open};
use crate::session::Session;

/// What is wrong with the live figures of a page: a list of sentences.
pub const SCRIPT: &str = include_str!("live.js");

/// The pages that have a live figure.
pub fn pages() -> Vec<String> {
    let live = scraper::Selector::parse("main .live").unwrap();
    let site = Site::read(&book().out).unwrap();
    let with_one = site.written().filter(|(_, page)| page.html.select(&live).next().is_some());
    with_one.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_live_figure_plays_to_the_end_that_the_emulator_recorded() {
    let pages = pages();
    assert!(pages.len() >= 30, "{} pages have a live figure", pages.len());
    let halves = pages.split_at(pages.len() / 2);
    let half = |pages: &[String]| open().map(|window| window.list(SCRIPT, pages));
    let found: Vec<String> = thread::scope(|scope| {
        let other = scope.spawn(|| half(halves.0));
        let found = half(halves.1);
        found.into_iter().chain(other.join().expect("a page was there")).flatten().collect()
    });
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
}

/// The variable that names the file `axe.min.js` of axe-core, which looks for barriers to readers.
const AXE: &str = "AXE";

/// Opens the figures of a page, with everything in them unfolded. Returns what went wrong.
fn open_figures(window: &Window) -> Vec<String> {
    let script =
        include_str!("opened.js").split_once("\nasync ").expect("the script is a function under a comment").1;
    window.wait("document.readyState === 'complete'");
    window.ask::<Vec<String>>(&format!("(async {script})()")).unwrap_or_else(|error| vec![error])
}

/// Pages whose figures have a fault, so that everything that a player can show is there.
fn pages_with_a_fault() -> Vec<String> {
    let figure = scraper::Selector::parse("main .live").unwrap();
    let site = Site::read(&book().out).unwrap();
    let has_fault = |name: &String| {
        let page = &site.written().find(|(page, _)| page == name).expect("it is a page").1.html;
        page.select(&figure).any(|live| live.inner_html().contains("\"faults\":[{"))
    };
    let pages: Vec<String> = pages().into_iter().filter(has_fault).collect();
    assert!(pages.len() >= 15, "{} pages have a fault", pages.len());
    pages
}

/// Looks at these pages in two windows, each of which takes half of them, in two themes and on a narrow screen.
fn look_at_opened(pages: &[String], then: &(dyn Fn(&Window) -> Vec<String> + Sync)) {
    let ways = [("light", 1280), ("navy", 1280), ("light", 360)];
    let halves = pages.split_at(pages.len() / 2);
    let half = |pages: &[String]| -> Option<Vec<String>> {
        let window = open()?;
        Some(ways.iter().flat_map(|way| look_after(&window, *way, pages, then)).collect())
    };
    let found: Vec<String> = thread::scope(|scope| {
        let other = scope.spawn(|| half(halves.0));
        let found = half(halves.1);
        found.into_iter().chain(other.join().expect("a page was there")).flatten().collect()
    });
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
}

/// What is only there once a figure is open has contrast and room on a phone too.
#[test]
fn opened_figures_have_contrast_and_room() {
    look_at_opened(&pages_with_a_fault(), &open_figures);
}

#[test]
fn axe_finds_no_barrier_in_an_opened_figure_skipped_without_axe() {
    let Some(file) = env::var_os(AXE) else {
        eprintln!("skipped: {AXE} does not name the file `axe.min.js` (`npm pack axe-core`)");
        return;
    };
    let axe = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let run = "axe.run('main .live').then(({ violations }) => violations.map(({ id, nodes }) => \
               `axe says ${id} of ${nodes[0].html.slice(0, 120)}: ${nodes[0].failureSummary}`))";
    look_at_opened(&pages(), &|window| {
        let mut found = open_figures(window);
        let _: bool = window.ask(&format!("{axe};\ntypeof axe === 'object'")).expect("axe can be read");
        found.extend(window.ask::<Vec<String>>(run).unwrap_or_else(|error| vec![error]));
        found
    });
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
