//! Listings in a browser: line numbers are not copied, lines are highlighted, and faults link to their lines.

use crate::browser::{open, page_with};
use crate::session::Session;

#[test]
fn a_listing_is_copied_without_its_numbers_and_is_highlighted_within_its_lines() {
    let Some(window) = open() else { return };
    window.go(&page_with(".listing.numbered .language-cpp"));
    window.sees(
        "(() => {
            const code = document.querySelector('.listing.numbered .language-cpp');
            const lines = [...code.querySelectorAll('.row')].map(row => row.textContent);
            return lines.length > 2 && code.innerText.trimEnd() === lines.join('\\n').trimEnd()
                && code.querySelector('.row .hljs-keyword') !== null
                && [...code.querySelectorAll('.row')].every(row => row.clientHeight > 0);
        })()",
    );
    window.sees(
        "(() => {
            const code = document.querySelector('.listing.numbered .language-cpp');
            getSelection().selectAllChildren(code);
            return getSelection().toString().trimEnd() === code.textContent.trimEnd();
        })()",
    );
    assert_eq!(window.faults(), Vec::<String>::new());
}

#[test]
fn a_fault_links_to_its_line_which_is_marked_by_more_than_a_colour() {
    let Some(window) = open() else { return };
    window.go(&page_with(".row.marked[id]:not([data-answer])"));
    window.sees(
        "(() => {
            const id = document.querySelector('.row.marked[id]:not([data-answer])').id;
            document.querySelector(`.fault .actors a[href='#${id}']`).click();
            return true;
        })()",
    );
    window.wait("document.querySelector('.row.marked:target') !== null");
    window.sees(
        "(() => {
            const row = document.querySelector('.row:target');
            const said = document.querySelector(`.fault .actors a[href='#${row.id}']`).textContent;
            const sign = row.querySelector('.row-sign');
            const { top, bottom } = row.getBoundingClientRect();
            return said.endsWith(':' + row.dataset.line) && row.textContent === row.innerText
                && sign.getAttribute('aria-label') === 'named by a fault' && sign.getAttribute('role') === 'img'
                && getComputedStyle(sign, '::before').content.includes('▶')
                && row.closest('.listing').querySelector('.named-lines').textContent.includes(row.dataset.line)
                && top >= 0 && bottom <= innerHeight;
        })()",
    );
    assert_eq!(window.faults(), Vec::<String>::new());
}
