//! The live figures in a browser: each is opened, played to its end, taken back to its start, and led to its faults, and its
//! end is compared with the record that the emulator made when the book was built.
//!
//! The scripts of a page are those that a reader gets, with the committed module. Figures that play the same launch on
//! several pages are opened on each of them.

use std::{env, fs};

use book_tests::Site;

use crate::browser::{Way, Window, in_halves, look_after, open};
use crate::session::Session;
use crate::{book, repository};

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
    in_halves(&pages, &|window, pages| window.list(SCRIPT, pages).into_iter().collect());
}

/// axe-core, which looks for barriers to readers. Where it was not fetched there is none, unless `AXE=required` says that it
/// has to be there.
fn axe() -> Option<String> {
    let text = fs::read_to_string(repository().join("crates/book-tests/node_modules/axe-core/axe.min.js"));
    if text.is_err() {
        let missing = "axe-core is not installed: `npm ci --ignore-scripts --prefix crates/book-tests`";
        assert!(env::var("AXE").is_err(), "{missing}");
        eprintln!("skipped: {missing}");
    }
    text.ok()
}

/// Opens the figures of a page, with everything in them unfolded. Returns what went wrong.
fn open_figures(window: &Window) -> Vec<String> {
    let script =
        include_str!("opened.js").split_once("\nasync ").expect("the script is a function under a comment").1;
    window.wait("document.readyState === 'complete'");
    window.ask::<Vec<String>>(&format!("(async {script})()")).unwrap_or_else(|error| vec![error])
}

/// The barriers that axe finds in the text of a page, in a theme.
fn barriers(window: &Window, axe: &str, theme: &str) -> Vec<String> {
    window.sees(&format!("document.getElementById('mdbook-theme-{theme}').click() ?? true"));
    window.wait("[...document.querySelectorAll('link[rel=stylesheet]')].every(sheet => sheet.disabled || sheet.sheet !== null)");
    let run = "axe.run('main').then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(node => \
               `axe says ${id} of ${node.html.slice(0, 120)}: ${node.failureSummary}`)))";
    if window.ask("typeof axe === 'undefined'") == Ok(true) {
        let _: bool = window.ask(&format!("{axe};\ntypeof axe === 'object'")).expect("axe can be read");
    }
    window.ask::<Vec<String>>(run).unwrap_or_else(|error| vec![error])
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

/// Looks at these pages with opened figures. Where axe is there, it looks too, but not again at the narrow page, which differs
/// only in its layout.
fn look_at_opened(pages: &[String], axe: Option<&str>) {
    in_halves(pages, &|window, pages| {
        let narrow = look_after(window, Way { themes: &["light"], width: 360 }, pages, &open_figures);
        let mut found =
            look_after(window, Way { themes: &["light", "navy"], width: 1280 }, pages, &|window| {
                let mut found = open_figures(window);
                for theme in axe.map_or(&[][..], |_| &["navy", "light"]) {
                    found.extend(axe.into_iter().flat_map(|axe| barriers(window, axe, theme)));
                }
                found
            });
        found.extend(narrow);
        found
    });
}

/// What is only there once a figure is open has contrast and room on a phone too, and axe finds no barrier.
#[test]
fn opened_figures_have_contrast_and_room_and_no_barrier() {
    look_at_opened(&pages_with_a_fault(), axe().as_deref());
}

#[test]
#[ignore = "thorough: axe takes a second for each page"]
fn no_live_page_has_a_barrier() {
    look_at_opened(&pages(), Some(&axe().expect("axe-core is installed")));
}

/// The first figure is the plain one: slow, with the drawing above it, in five stages, and without PTX.
#[test]
fn the_first_figure_is_played_from_beginning_to_end_without_the_emulator() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    window.go("introduction.html");
    let player = "document.querySelector('.live').lanesPlayer";
    window.sees("document.querySelector('.drawing').checkVisibility() && document.querySelector('figcaption').checkVisibility()");
    window.sees(&format!("{player}.at === 0 && {player}.speed === 2 && {player}.box.querySelector('[name=speed]').value === '2'"));
    window.sees("document.querySelectorAll('.player [data-state=runs][data-lane]').length === 32");
    window.sees("document.querySelector('.player [aria-label=PTX]') === null && document.querySelector('.player .program').checkVisibility()");
    let said = "document.querySelector('.player .sentence').innerText";
    window.sees(&format!("{said} === 'All 32 lanes execute lines 28 to 30.' && document.querySelector('.player .count').innerText === '1 / 5'"));
    window.sees("!/%|\\b(ld|st|mov|setp)\\./.test(document.querySelector('.player').innerText)");
    window.sees(&format!(
        "({player}.speed = 60) && {player}.box.querySelector('[data-act=play]').click() === undefined"
    ));
    window.wait(&format!("{player}.at === {player}.count - 1 && {player}.isOver"));
    window.sees(&format!("{said}.startsWith('All 32 lanes are together again')"));
    window.sees(&format!("{player}.box.querySelector('[data-act=back]').click() === undefined && {player}.at === {player}.count - 2"));
    window.sees(&format!("{said} === 'Lanes 16 to 31 execute line 35. Lanes 0 to 15 wait.'"));
    window.sees("document.querySelectorAll('.player [data-state=others][data-lane]').length === 16");
    window
        .sees("performance.getEntriesByType('resource').every(each => !each.name.includes('assets/module'))");
    // The fold has the rest, and what it needs comes from the emulator, which agrees.
    window.sees("document.querySelector('.player .rest > summary').click() ?? true");
    window.wait("document.querySelector('.player [aria-label=PTX]')?.checkVisibility() === true");
    window.sees("document.querySelector('.player .values > summary').click() ?? true");
    window.wait("document.querySelector('.player table.registers') !== null");
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// Nothing of the emulator is loaded before the reader asks for it, and what the reader asks for works from the keyboard.
#[test]
fn the_first_warp_is_there_before_the_emulator_and_is_played_with_keys() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    window.go("introduction.html");
    let player = "document.querySelector('.live').lanesPlayer";
    window
        .sees("performance.getEntriesByType('resource').every(each => !each.name.includes('assets/module'))");
    window.sees(&format!("{player}.box.querySelector('[data-act=step]').focus() ?? true"));
    window.press("ArrowRight");
    // The plain player goes on by stages.
    window.wait(&format!(
        "{player}.at > 0 && {player}.at === {player}.stages[1].at && {player}.sides[0].timeline.moment !== undefined"
    ));
    window.press("Home");
    window.wait(&format!("{player}.at === 0 && {player}.sides[0].timeline.moment !== undefined"));
    window.press("End");
    window.wait(&format!("{player}.at === {player}.count - 1 && {player}.isOver"));
    window.sees("document.activeElement.dataset.act === 'step'");
    // The page was not turned by the arrow.
    window.sees("location.pathname.endsWith('introduction.html')");
    assert_eq!(window.faults(), Vec::<String>::new());
}
