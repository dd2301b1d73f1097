//! How a reader operates a page: skipping the list of chapters, switching on the Chinese, and opening the boxes of
//! questions.

use crate::browser::{open, page_with};
use crate::session::Session;

#[test]
fn the_first_key_skips_the_list_of_chapters() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    window.go("introduction.html");
    window.sees("document.getElementById('skip').getBoundingClientRect().bottom < 0");
    window.press("Tab");
    window.wait("document.activeElement.id === 'skip'");
    window.sees("document.activeElement.getBoundingClientRect().top >= 0");
    window.press("Enter");
    window.wait("location.hash === '#mdbook-content'");
    window.press("Tab");
    window.wait("document.activeElement.closest('main') !== null");
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// Whether the Chinese is shown for all terms of the page, or for none.
const SHOWN: &str =
    "[...document.querySelectorAll('.term > [lang=zh]')].every(each => each.checkVisibility())";
const HIDDEN: &str =
    "[...document.querySelectorAll('.term > [lang=zh]')].every(each => !each.checkVisibility())";

#[test]
fn the_chinese_is_switched_on_with_a_key_and_remembered() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    let page = page_with(".term > [lang=zh]");
    window.go(&page);
    window.sees(HIDDEN);
    // The blank before the Chinese is hidden too.
    window.sees("[...document.querySelectorAll('.term')].every(term => !/\\s$/.test(term.innerText))");
    let toggle = "document.getElementById('chinese-toggle')";
    window.sees(&format!(
        "{toggle}.getAttribute('aria-label') === 'Chinese terms' && {toggle}.title !== ''
            && {toggle}.getAttribute('aria-pressed') === 'false'"
    ));
    window.sees("document.getElementById('mdbook-search-toggle').focus() ?? true");
    window.press("Tab");
    window.wait(&format!("document.activeElement === {toggle}"));
    window.press("Enter");
    window.wait(&format!("{toggle}.getAttribute('aria-pressed') === 'true'"));
    window.sees(SHOWN);

    window.go("glossary.html");
    window.go(&page);
    window.sees(SHOWN);
    // The class is set before the body is parsed.
    window.sees("document.head.querySelector('script').textContent.includes('lanes-chinese')");
    window.sees(&format!("{toggle}.click() ?? true"));
    window.sees(HIDDEN);
    // A search for Chinese leads to a page that shows it, this time only.
    window.go(&format!("{page}?highlight=%E7%BA%BF%E7%A8%8B"));
    window.sees(SHOWN);
    window.go(&page);
    window.sees(HIDDEN);
    // The glossary always shows it.
    window.go("glossary.html");
    window.sees("[...document.querySelectorAll('td[lang=zh]')].every(each => each.checkVisibility())");
    assert_eq!(window.faults(), Vec::<String>::new());
}

#[test]
fn the_answer_to_a_task_is_folded_opens_with_a_key_and_is_printed() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    window.go(&page_with(".try > details[data-answer]"));
    window.sees(
        "[...document.querySelectorAll('[data-question=try]')].every(box => {
            const label = document.getElementById(box.getAttribute('aria-labelledby'));
            const answer = box.querySelector(':scope > details[data-answer]');
            return box.id.startsWith('try-') && box.contains(label) && !answer.open
                && answer.querySelector('summary').textContent.startsWith('Show ');
        })",
    );
    let answer = "document.querySelector('.try > [data-answer]')";
    let is_shown =
        format!("{answer}.querySelector('summary ~ *').checkVisibility({{ contentVisibilityAuto: true }})");
    window.sees(&format!("!{is_shown}"));
    window.sees(&format!("{answer}.querySelector('summary').focus() ?? true"));
    window.press("Enter");
    window.wait(&is_shown);
    window.press("Enter");
    window.wait(&format!("!{is_shown}"));
    // When it is printed, without any script of the page.
    window.print(true);
    window.wait(&format!("{answer}.querySelector('summary ~ *').getBoundingClientRect().height > 0"));
    window.wait(&is_shown);
    window.print(false);
    assert_eq!(window.faults(), Vec::<String>::new());
}
