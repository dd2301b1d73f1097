//! The listings in a browser: each runs as it is committed and as cudac compiles it, and what a reader does with one of them.

use book_tests::Site;

use crate::book;
use crate::browser::{in_halves, open, page_with};
use crate::session::Session;

/// What is wrong with the listings of a page that can be run: a list of sentences.
pub const SCRIPT: &str = include_str!("editor.js");

/// The pages that have an element like this.
pub fn pages_with(selector: &str) -> Vec<String> {
    let selector = scraper::Selector::parse(selector).unwrap();
    let site = Site::read(&book().out).unwrap();
    let with_one = site.written().filter(|(_, page)| page.html.select(&selector).next().is_some());
    with_one.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_listing_of_a_kernel_runs_unchanged_and_changed() {
    let pages = pages_with("main .edit");
    assert!(pages.len() >= 60, "{} pages have a listing that can be run", pages.len());
    in_halves(&pages, &|window, pages| window.list(SCRIPT, pages).into_iter().collect());
}

const LISTING: &str = "document.querySelector('main .edit').lanesListing";

/// Presses a button of the first listing.
fn press(session: &impl Session, act: &str) {
    session.sees(&format!("document.querySelector('main .edit [data-do={act}]').click() ?? true"));
}

fn replace(session: &impl Session, from: &str, to: &str) {
    session.sees(&format!(
        "(editor => {{ editor.text = editor.text.replace('{from}', '{to}'); return editor.text.includes('{to}'); }})({LISTING}.editors[0])"
    ));
}

/// Waits for the sentence about the run.
fn hears(session: &impl Session, words: &str) {
    session.wait(&format!("document.querySelector('main .edit .edit-said').textContent.includes('{words}')"));
}

#[test]
fn a_listing_is_edited_run_reset_and_shared() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    window.go("ch01_divergence/branch.html");
    window.sees(&format!("{LISTING}.data.id === 'branch.cu branch_sqrt'"));
    window.sees("document.querySelector('main .edit-part') === null");
    press(&window, "edit");
    window.sees(
        "document.activeElement.localName === 'textarea' && document.activeElement.value.includes('sqrtf')",
    );
    // Nothing is loaded until something is run.
    window
        .sees("performance.getEntriesByType('resource').every(each => !each.name.includes('assets/module'))");
    press(&window, "run");
    hears(&window, "The committed PTX");
    let count = |line: u32| {
        format!(
            "[...document.querySelectorAll('.edit-row')].find(row => row.querySelector('.number').textContent === '{line}').querySelector('.count').textContent"
        )
    };
    window.sees(&format!("Number({}) > 0", count(35)));

    // What cudac says is under the line, and leads to it.
    replace(&window, "sqrtf(x[i])", "sqrtff(x[i])");
    press(&window, "run");
    hears(&window, "is not declared");
    window.sees("document.querySelector('.edit-note').textContent.includes('`sqrtff` is not declared')");
    window.sees("document.querySelector('.edit-line.wrong-error').textContent.includes('sqrtff')");
    window.sees("document.querySelector('.edit-messages button').click() ?? document.activeElement.localName === 'textarea'");

    // Changed text is cudac's, beside the original of both compilers.
    replace(&window, "sqrtff(x[i])", "sqrtf(x[i] + 1)");
    press(&window, "run");
    hears(&window, "compiled by cudac");
    window.sees("[...document.querySelectorAll('.edit-result thead th')].map(head => head.textContent).join() === 'counter,yours, cudac,original, cudac,original, NVRTC'");

    // A launch that was stopped has no counters to compare.
    replace(&window, "sqrtf(x[i] + 1)", "x[i + 1000]");
    press(&window, "run");
    window.wait("document.querySelector('.edit-result .faults strong') !== null");
    window.sees("document.querySelector('.edit-uncounted').textContent.includes('your kernel was stopped before its end')");
    window.sees("document.querySelector('.edit-result thead') === null");
    window.sees("document.querySelector('.edit-row.bad .number').textContent === '35'");
    window.sees("document.querySelector('.edit-result .faults strong').textContent === 'out-of-bounds:'");

    // The fault is shown in the player, at its lane.
    window.sees("document.querySelector('.edit-result [data-fault]').click() ?? true");
    window.wait("document.querySelector('.edit-player [data-actor]') !== null");

    // A link brings the text, and does not run it.
    press(&window, "share");
    window.wait("location.hash.startsWith('#edit=1.')");
    let hash: String = window.ask("location.hash").unwrap();
    press(&window, "reset");
    window.sees(&format!("!{LISTING}.isChanged && document.querySelector('.edit-player .player') === null"));
    window.go("introduction.html");
    window.go(&format!("ch01_divergence/branch.html{hash}"));
    window.wait(&format!("{LISTING}.isChanged && {LISTING}.texts[0].includes('x[i + 1000]')"));
    window.sees("document.querySelector('main .edit .edit-said').textContent.includes('has not been run')");
    window
        .sees("performance.getEntriesByType('resource').every(each => !each.name.includes('assets/module'))");
    assert_eq!(window.faults(), Vec::<String>::new());
}

#[test]
fn a_bad_link_is_one_message_and_markup_stays_text() {
    let Some(window) = open() else { return };
    window.go("ch01_divergence/branch.html#edit=9.AAAA");
    window.wait("document.querySelector('.edit-problem')?.textContent.includes('newer version') ?? false");
    window.sees("(location.hash = '#edit=1.AAAA') && true");
    window.wait("document.querySelector('.edit-problem')?.textContent.includes('damaged') ?? false");
    window.sees("document.querySelectorAll('.edit-problem').length === 1");
    let packed: String = window
        .ask("LanesLink.pack('branch.cu branch_sqrt', ['</textarea><img src=x onerror=\"window.hit = 1\"><script>window.hit = 1</script>'])")
        .unwrap();
    window.sees(&format!("(location.hash = '{packed}') && true"));
    window.wait(&format!("{LISTING}.editors !== null && {LISTING}.texts[0].startsWith('</textarea>')"));
    window.sees(
        "document.querySelector('.edit-part img, .edit-part script') === null && window.hit === undefined",
    );
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// Runs a kernel that never ends: the bound on steps stops it, and so does the reader.
pub fn stop_an_endless_kernel(session: &impl Session) {
    session.go("ch01_divergence/branch.html");
    press(session, "run");
    hears(session, "The committed PTX");
    replace(session, "if (i >= n) return;", "while (true) z[i] += 1.0f;");
    // By itself, at the bound on steps. Other tests run beside this one, so the least of three times is that of the page.
    let run = format!(
        "(async () => {{ const start = performance.now(); await {LISTING}.run(); return performance.now() - start; }})()"
    );
    let took: [f64; 3] = std::array::from_fn(|_| session.ask(&run).unwrap());
    session.sees("document.querySelector('.edit-result .faults strong').textContent === 'step-limit:'");
    println!("stopped by itself after {took:.0?} ms");
    let took = took.into_iter().fold(f64::INFINITY, f64::min);
    // By the reader. The emulator works at a moment that takes it long, and the next run starts it again.
    let stop = format!(
        "(async () => {{
            const run = {LISTING}.run();
            while ({LISTING}.bench.machine.waiting.size === 0) {{ await new Promise(resolve => {{ setTimeout(resolve, 1); }}); }}
            const start = performance.now();
            document.querySelector('main .edit [data-do=stop]').click();
            await run;
            return performance.now() - start;
        }})()"
    );
    let stopped: f64 = session.ask(&stop).unwrap();
    println!("stopped by the reader after {stopped:.0} ms");
    hears(session, "The run was stopped");
    assert!(took < 1000.0 && stopped < 1000.0, "{took} ms and {stopped} ms");
    press(session, "reset");
    press(session, "run");
    hears(session, "The committed PTX");
    assert_eq!(session.faults(), Vec::<String>::new());
}

#[test]
fn an_endless_kernel_is_stopped_in_less_than_a_second() {
    if let Some(window) = open() {
        stop_an_endless_kernel(&window);
    }
}

/// The page works where the browser refuses to store anything.
#[test]
fn the_first_page_with_an_exercise_works_without_storage() {
    let Some(window) = open() else { return };
    let page = page_with("main .solve");
    window.go(&page);
    window.sees(
        "(progress => { progress.pass('one_loop'); return !progress.isKept && progress.done.passed.has('one_loop'); })(
            new LanesProgress.Progress(() => { throw new DOMException('refused', 'SecurityError'); }))",
    );
    assert_eq!(window.faults(), Vec::<String>::new());
}
