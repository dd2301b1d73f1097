//! Nothing of what a reader has typed is lost: by closing, reloading, turning the page, links, resets, a second tab, a full storage.

use crate::browser::{Window, open};
use crate::session::Session;

const PAGE: &str = "ch01_divergence/branch.html";
const EXERCISES: &str = "ch02_reduction/exercises.html";

/// Something with an editor: how to find it, its button that opens it, and the name under which links have it.
#[derive(Clone, Copy)]
pub struct Place {
    pub page: &'static str,
    pub object: &'static str,
    open: &'static str,
    link: &'static str,
}

pub const LISTING: Place = Place {
    page: PAGE,
    object: "document.querySelector('main .edit').lanesListing",
    open: ".open()",
    link: "branch.cu branch_sqrt",
};

pub const EXERCISE: Place = Place {
    page: EXERCISES,
    object: "document.querySelector('.solve[data-exercise=tail_block]').lanesExercise",
    open: ".course.open('tail_block')",
    link: "exercise tail_block",
};

impl Place {
    pub fn open(self, session: &impl Session) {
        session.sees(&format!("({}{}, true)", self.object, self.open));
    }

    pub fn text(self) -> String {
        let editor = if self.object == LISTING.object { "editors[0]" } else { "editor" };
        format!("{}.{editor}.text", self.object)
    }

    /// Appends to the text.
    fn write(self, session: &impl Session, more: &str) {
        session.sees(&format!("({} += '{more}', true)", self.text()));
    }

    fn has(self, session: &impl Session, end: &str) {
        session.sees(&format!("{}.endsWith('{end}')", self.text()));
    }

    pub fn presses(self, session: &impl Session, act: &str) {
        session.sees(&format!("({}.bar.querySelector('[data-do={act}]').click(), true)", self.object));
    }

    fn hears(self, session: &impl Session, words: &str) {
        session.wait(&format!("{}.said.textContent.includes('{words}')", self.object));
    }

    /// A link to some text.
    pub fn link(self, session: &impl Session, text: &str) -> String {
        session.ask(&format!("LanesLink.pack('{}', ['{text}'])", self.link)).unwrap()
    }

    fn returns(self, session: &impl Session) {
        session.go("introduction.html");
        session.go(self.page);
        self.open(session);
    }
}

/// What one page does, in any browser.
pub fn text_outlives_the_page(session: &impl Session) {
    for place in [LISTING, EXERCISE] {
        session.go(place.page);
        place.open(session);
        place.write(session, "// mine");
        place.presses(session, "close");
        place.open(session);
        place.has(session, "// mine");
        place.returns(session);
        place.has(session, "// mine");

        // A reset is taken back by the field itself, or later.
        place.presses(session, "reset");
        session.sees(&format!("!{}.includes('mine')", place.text()));
        place.hears(session, "Yours is kept");
        place.returns(session);
        place.presses(session, "other");
        place.has(session, "// mine");

        // A link shows its text, and has nothing to do with what the reader writes from then on.
        let link = place.link(session, "// theirs");
        session.sees(&format!("(location.hash = '{link}') && true"));
        place.hears(session, "has not been run");
        place.has(session, "// theirs");
        place.presses(session, "other");
        place.has(session, "// mine");
        session.sees(&format!("(location.hash = '{}') && true", place.link(session, "// theirs again")));
        session.wait(&format!("{}.endsWith('// theirs again')", place.text()));
        place.write(session, " and mine");
        session.sees("location.hash === ''");
        place.returns(session);
        place.has(session, "// theirs again and mine");
        place.presses(session, "other");
        place.has(session, "// mine");

        // Shared, changed, and loaded again.
        place.presses(session, "share");
        session.wait("location.hash.startsWith('#edit=1.')");
        place.write(session, " after the link");
        place.returns(session);
        place.has(session, "// mine after the link");
        place.presses(session, "reset");
    }
    assert_eq!(session.faults(), Vec::<String>::new());
}

#[test]
fn text_outlives_its_page_links_and_resets() {
    if let Some(window) = open() {
        text_outlives_the_page(&window);
    }
}

#[test]
fn a_page_that_is_turned_after_a_run_has_the_text_still() {
    let Some(window) = open() else { return };
    window.go(PAGE);
    LISTING.open(&window);
    LISTING.write(&window, "// mine");
    LISTING.presses(&window, "run");
    LISTING.hears(&window, "compiled by cudac");
    window.sees("document.activeElement.blur() ?? true");
    window.press("ArrowRight");
    window.wait(&format!("!location.href.includes('{PAGE}') && document.readyState === 'complete'"));
    window.go(PAGE);
    window.sees(&format!("{}.bar.textContent.includes('Edit your text')", LISTING.object));
    LISTING.open(&window);
    LISTING.has(&window, "// mine");
    assert_eq!(window.faults(), Vec::<String>::new());
}

#[test]
fn tabs_show_the_same_text_and_a_stale_one_takes_none_away() {
    let Some(first) = open() else { return };
    let second = first.another();
    for place in [LISTING, EXERCISE] {
        let both = |act: &dyn Fn(&Window)| [&first, &second].into_iter().for_each(act);
        both(&|window| {
            window.go(place.page);
            place.open(window);
        });
        place.write(&first, "// first");
        second.wait(&format!("{}.endsWith('// first')", place.text()));
        place.hears(&second, "in another tab");
        place.write(&second, " and second");
        first.wait(&format!("{}.endsWith('// first and second')", place.text()));

        // One that hears nothing, as if the browser had frozen it.
        second.go(place.page);
        second.sees("(window.addEventListener = () => {}, true)");
        place.open(&second);
        second.sees(&format!("({}.heard = () => {{}}, true)", place.object));
        place.write(&first, " and more");
        place.write(&second, " and something else");
        place.has(&second, "// first and second and something else");
        place.presses(&second, "other");
        place.has(&second, "// first and second and more");
        first.wait(&format!("{}.endsWith('and more')", place.text()));
    }
    assert_eq!([first.faults(), second.faults()], [const { Vec::<String>::new() }; 2]);
}

#[test]
fn a_full_storage_is_told_at_the_first_letter() {
    let Some(window) = open() else { return };
    for place in [LISTING, EXERCISE] {
        window.go(place.page);
        place.open(&window);
        window.sees(
            "(() => {
                let text = 'x'.repeat(1 << 20);
                while (text !== '') { try { localStorage.setItem(`fill-${localStorage.length}`, text); } catch { text = text.slice(text.length / 2 + 1); } }
                return true;
            })()",
        );
        place.write(&window, "// mine");
        place.hears(&window, "refuses to store");
        window.sees("Object.keys(localStorage).filter(key => key.startsWith('fill-')).forEach(key => localStorage.removeItem(key)) ?? true");
        place.write(&window, " still");
        window.sees(&format!("{}.said.textContent === ''", place.object));
        place.returns(&window);
        place.has(&window, "// mine still");
    }
    assert_eq!(window.faults(), Vec::<String>::new());
}

#[test]
fn a_second_click_and_a_letter_during_a_run_have_one_meaning() {
    let Some(window) = open() else { return };
    for (place, act) in [(LISTING, "run"), (EXERCISE, "grade")] {
        window.go(place.page);
        place.open(&window);
        place.write(&window, "// mine");
        place.presses(&window, act);
        place.presses(&window, act);
        window.wait(&format!("!{}.isBusy", place.object));
        window.sees(&format!("!{}.said.textContent.includes('stopped')", place.object));
        let at_once = format!(
            "({}.bar.querySelector('[data-do={act}]').click(), {} += ' again', true)",
            place.object,
            place.text()
        );
        window.sees(&at_once);
        window.wait(&format!("!{}.isBusy", place.object));
        place.hears(&window, "was changed while it");
        window.sees(&format!("({0}.verdict ?? {0}.outcome ?? null) === null", place.object));
        place.presses(&window, "reset");
        // The field's own undo takes back the reset, and nothing else.
        let undone = format!(
            "(document.execCommand('undo'), {0}.endsWith('// mine again') && {0}.split('__global__').length === 2)",
            place.text()
        );
        window.sees(&undone);
    }
    assert_eq!(window.faults(), Vec::<String>::new());
}
