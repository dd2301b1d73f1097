//! The pages in a browser.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use book_tests::Site;
use headless_chrome::browser::{default_executable, tab::Tab};
use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Input, Log, Network, Page, Runtime};
use headless_chrome::{Browser, LaunchOptions};
use serde_json::Value;

use crate::book;
use crate::server::Server;
use crate::session::{PATIENCE, Session};

/// The variable that skips the tests in a browser.
const WITHOUT: &str = "BOOK_TESTS_WITHOUT_BROWSER";

/// A browser with one page open, which records errors.
pub struct Window {
    pub tab: Arc<Tab>,
    faults: Arc<Mutex<Vec<String>>>,
    server: Arc<Server>,
    browser: Browser,
}

/// Opens a window on the book, unless the variable says to skip it.
pub fn open() -> Option<Window> {
    open_at(Server::start)
}

/// The same, on the book as this server serves it.
pub fn open_at(serve: fn(&Path) -> Server) -> Option<Window> {
    if env::var_os(WITHOUT).is_some() {
        eprintln!("skipped, since {WITHOUT} is set: what a browser shows of the book is not tested");
        return None;
    }
    let path = default_executable().unwrap_or_else(|_| {
        panic!(
            "no Chromium or Chrome was found: install one (on Debian `apt-get install chromium`), or name its program \
             in the variable CHROME; with {WITHOUT}=1 this test is skipped"
        )
    });
    let server = Arc::new(serve(&book().out));
    // Only this machine's name is resolved, so no other can be reached. There is no sandbox, because the pages are our
    // own, and not every container allows one.
    let arguments = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-dev-shm-usage"];
    let options = LaunchOptions::default_builder()
        .path(Some(path))
        .sandbox(false)
        .idle_browser_timeout(Duration::from_secs(600))
        .args(arguments.iter().map(OsStr::new).collect())
        .build()
        .expect("the options are complete");
    let browser = Browser::new(options).expect("the browser starts");
    Some(tab_of(browser, server))
}

/// Opens a page in the browser.
fn tab_of(browser: Browser, server: Arc<Server>) -> Window {
    let tab = browser.new_tab().expect("it opens a page");
    tab.set_default_timeout(PATIENCE);
    let faults = Arc::new(Mutex::new(Vec::new()));
    let (heard, home) = (Arc::clone(&faults), server.address());
    let listen = move |event: &Event| {
        if let Some(fault) = fault(event, &home) {
            heard.lock().expect("nothing panics while it writes").push(fault);
        }
    };
    tab.add_event_listener(Arc::new(listen)).unwrap();
    tab.enable_log().unwrap();
    tab.enable_runtime().unwrap();
    let network = Network::Enable {
        max_total_buffer_size: None,
        max_resource_buffer_size: None,
        max_post_data_size: None,
        report_direct_socket_traffic: None,
        enable_durable_messages: None,
    };
    tab.call_method(network).unwrap();
    Window { tab, faults, server, browser }
}

/// What is wrong in an event: an error, a warning, or a request that leaves the site.
fn fault(event: &Event, home: &str) -> Option<String> {
    match event {
        Event::LogEntryAdded(event) => {
            let entry = &event.params.entry;
            matches!(entry.level, Log::LogEntryLevel::Error | Log::LogEntryLevel::Warning).then(|| {
                format!("the console says: {} {}", entry.text, entry.url.as_deref().unwrap_or_default())
            })
        }
        Event::RuntimeConsoleAPICalled(event) => {
            use Runtime::ConsoleAPICalledEventTypeOption::{Assert, Error, Warning};
            let values = event.params.args.iter().map(|arg| format!("{:?}", arg.value)).collect::<Vec<_>>();
            matches!(event.params.Type, Error | Warning | Assert)
                .then(|| format!("a script says: {}", values.join(" ")))
        }
        Event::RuntimeExceptionThrown(event) => {
            Some(format!("a script fails: {:?}", event.params.exception_details))
        }
        Event::NetworkRequestWillBeSent(event) => {
            let url = &event.params.request.url;
            let stays = [home, "data:", "about:", "blob:"].iter().any(|start| url.starts_with(start));
            (!stays).then(|| format!("a request leaves the site: {url}"))
        }
        _ => None,
    }
}

impl Window {
    /// Another page of the same browser, so that both have the same storage.
    pub fn another(&self) -> Window {
        tab_of(self.browser.clone(), Arc::clone(&self.server))
    }

    /// Sets the window's size.
    pub fn resize(&self, width: u32, height: u32) {
        let metrics = Emulation::SetDeviceMetricsOverride {
            width,
            height,
            device_scale_factor: 1.0,
            mobile: false,
            scale: None,
            screen_width: None,
            screen_height: None,
            position_x: None,
            position_y: None,
            dont_set_visible_size: None,
            screen_orientation: None,
            viewport: None,
            display_feature: None,
            device_posture: None,
        };
        self.tab.call_method(metrics).expect("a window can be resized");
    }

    /// Slows the processor down by this factor, and the network to what Lighthouse calls slow 4G.
    pub fn slow_down(&self, factor: f64) {
        let network = Network::EmulateNetworkConditions {
            offline: false,
            latency: 150.0,
            download_throughput: 1_600_000.0 / 8.0,
            upload_throughput: 750_000.0 / 8.0,
            connection_Type: None,
            packet_loss: None,
            packet_queue_length: None,
            packet_reordering: None,
        };
        self.tab.call_method(network).expect("a network can be slowed down");
        self.tab
            .call_method(Network::SetCacheDisabled { cache_disabled: true })
            .expect("a cache can be disabled");
        self.tab
            .call_method(Emulation::SetCPUThrottlingRate { rate: factor })
            .expect("a processor can be slowed down");
    }

    /// Shows the page as it is printed, or again as on the screen.
    pub fn print(&self, yes: bool) {
        let media = if yes { "print" } else { "" };
        let media = Emulation::SetEmulatedMedia { media: Some(media.to_owned()), features: None };
        self.tab.call_method(media).expect("a page can be shown as it is printed");
    }

    /// Runs a script in every page that is opened from now on, before the page's own.
    pub fn run_in_every_page(&self, script: &str) {
        let add = Page::AddScriptToEvaluateOnNewDocument {
            source: script.to_owned(),
            world_name: None,
            include_command_line_api: None,
            run_immediately: None,
        };
        self.tab.call_method(add).expect("a script can be added to every page");
    }

    /// Begins to open a page: scripts run in it from now on. Returns its address.
    fn begin(&self, page: &str) -> String {
        let url = format!("{}{page}", self.server.address());
        let navigate = Page::Navigate {
            url: url.clone(),
            referrer: None,
            transition_Type: None,
            frame_id: None,
            referrer_policy: None,
        };
        let answer = self.tab.call_method(navigate).unwrap();
        assert!(answer.error_text.is_none(), "{page}: {:?}", answer.error_text);
        url
    }

    pub fn press(&self, key: &str) {
        self.tab.press_key(key).expect("there is such a key");
    }
}

impl Session for Window {
    fn go(&self, page: &str) {
        let url = self.begin(page);
        self.wait(&format!("location.href === '{url}' && document.readyState === 'complete'"));
    }

    fn evaluate(&self, script: &str) -> Result<Value, String> {
        let evaluate = Runtime::Evaluate {
            expression: script.to_owned(),
            return_by_value: Some(true),
            await_promise: Some(true),
            user_gesture: Some(true),
            object_group: None,
            include_command_line_api: None,
            silent: None,
            context_id: None,
            generate_preview: None,
            throw_on_side_effect: None,
            timeout: None,
            disable_breaks: None,
            repl_mode: None,
            allow_unsafe_eval_blocked_by_csp: None,
            unique_context_id: None,
            serialization_options: None,
        };
        let answer = self.tab.call_method(evaluate).map_err(|error| error.to_string())?;
        match answer.exception_details {
            Some(details) => Err(format!("{details:?}")),
            None => Ok(answer.result.value.unwrap_or_default()),
        }
    }

    fn faults(&self) -> Vec<String> {
        std::mem::take(&mut *self.faults.lock().expect("nothing panics while it writes"))
    }
}

/// The first page that contains such an element.
pub fn page_with(selector: &str) -> String {
    let parsed = scraper::Selector::parse(selector).unwrap();
    let site = Site::read(&book().out).unwrap();
    let found = site.written().find(|(_, page)| page.html.select(&parsed).next().is_some());
    found.unwrap_or_else(|| panic!("no page has `{selector}`")).0.to_owned()
}

/// The pages that are written for the book.
fn pages() -> Vec<String> {
    Site::read(&book().out).unwrap().written().map(|(name, _)| name.to_owned()).collect()
}

/// How pages are looked at: the themes, of which the first is the one that a page is loaded with, and the width of the window.
#[derive(Clone, Copy)]
pub struct Way<'t> {
    pub themes: &'t [&'t str],
    pub width: u32,
}

/// Opens every page of the list, does with it what `then` does, and collects the errors in what is shown. A page is loaded
/// once, and then shown in one theme after the other.
pub fn look_after(
    window: &Window,
    Way { themes, width }: Way<'_>,
    pages: &[String],
    then: &dyn Fn(&Window) -> Vec<String>,
) -> BTreeSet<String> {
    let script = include_str!("look.js");
    let script = script.split_once("\nasync ").expect("the script is a function under a comment").1;
    window.go(&pages[0]);
    let _: Option<()> =
        window.ask(&format!("localStorage.setItem('mdbook-theme', '{}')", themes[0])).unwrap();
    window.resize(width, 900);
    let mut found = BTreeSet::new();
    for page in pages {
        let url = window.begin(page);
        let mut wrong = then(window);
        let formulas = book().formulas.get(page).copied().unwrap_or_default();
        for theme in themes {
            let look = format!("(async {script})('{url}', '{theme}', '{}', {formulas})", themes[0]);
            let shown = window.ask::<Vec<String>>(&look).unwrap_or_else(|error| panic!("{page}: {error}"));
            for problem in wrong.drain(..).chain(shown).chain(window.faults()) {
                found.insert(format!("{page}, {theme}, {width} wide: {problem}"));
            }
        }
    }
    found
}

/// What two windows find, each of which takes half of the pages, because most of the time is spent waiting for answers.
pub fn in_halves(pages: &[String], look: &(dyn Fn(&Window, &[String]) -> BTreeSet<String> + Sync)) {
    let (one, other) = pages.split_at(pages.len() / 2);
    let half = |pages: &[String]| open().filter(|_| !pages.is_empty()).map(|window| look(&window, pages));
    let found: Vec<String> = thread::scope(|scope| {
        let other = scope.spawn(|| half(other));
        let found = half(one);
        found.into_iter().chain(other.join().expect("a page was there")).flatten().collect()
    });
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
}

/// Pages that together have an element of every class.
fn pages_of_every_class() -> BTreeSet<String> {
    let site = Site::read(&book().out).unwrap();
    let mut seen = BTreeSet::new();
    let mut pages = BTreeSet::new();
    for (name, page) in site.written() {
        let classes = page.html.tree.values().filter_map(|node| node.as_element()).flat_map(|element| {
            element.classes().map(|class| format!("{} {class}", element.name())).collect::<Vec<_>>()
        });
        let before = seen.len();
        seen.extend(classes.filter(|class| !class.contains("katex") && !class.contains("mord")));
        if seen.len() > before {
            pages.insert(name.to_owned());
        }
    }
    pages
}

/// A theme changes only colours. So every page is shown in a light and a dark one, each class of elements in all of them, and
/// the narrow layout in one.
#[test]
fn no_page_has_an_error_in_the_browser() {
    let in_all = pages_of_every_class();
    in_halves(&pages(), &|window, pages| {
        let (all, two): (Vec<String>, Vec<String>) =
            pages.iter().cloned().partition(|page| in_all.contains(page));
        let ways = [
            (Way { themes: &["light", "navy", "rust", "coal", "ayu"], width: 1280 }, all.as_slice()),
            (Way { themes: &["light", "navy"], width: 1280 }, two.as_slice()),
            (Way { themes: &["light"], width: 360 }, pages),
        ];
        let look = |(way, pages): (Way<'_>, &[String])| look_after(window, way, pages, &|_| Vec::new());
        ways.into_iter().filter(|(_, pages)| !pages.is_empty()).flat_map(look).collect()
    });
}

#[test]
fn a_command_is_copied_with_a_button() {
    let Some(window) = open() else { return };
    let site = Site::read(&book().out).unwrap();
    let command = scraper::Selector::parse(".command > code").unwrap();
    let page = site
        .written()
        .find(|(_, page)| page.html.select(&command).next().is_some())
        .expect("a page has one")
        .0;
    window.go(page);
    window
        .sees("document.querySelector('.command > .copy').getAttribute('aria-label').includes('cargo run')");
    window.sees("document.querySelector('.command > .copy').click() ?? true");
    window.wait("['Copied', 'Selected'].includes(document.querySelector('.command > .copy').textContent)");
    window.wait("document.querySelector('.command > .copy').textContent === 'Copy'");
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// The addresses and texts in the list of results.
const RESULTS: &str = "[...document.querySelectorAll('#mdbook-searchresults > li')]
    .map(found => [found.querySelector('a').getAttribute('href'), found.textContent])";

#[test]
fn the_search_finds_english_and_chinese() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    window.go("introduction.html");

    window.press("/");
    window.wait("document.activeElement.id === 'mdbook-searchbar' && window.search.index !== undefined");
    window.tab.type_str("warp").unwrap();
    window.wait("document.querySelectorAll('#mdbook-searchresults > li').length > 0");

    // Chinese from an input method: it is composed and then inserted, without a key event at the end.
    window.go("introduction.html");
    window.press("/");
    window.wait("document.activeElement.id === 'mdbook-searchbar' && window.search.index !== undefined");
    let composed = Input::ImeSetComposition {
        text: "xian'cheng'shu".to_owned(),
        selection_start: 14,
        selection_end: 14,
        replacement_start: None,
        replacement_end: None,
    };
    window.tab.call_method(composed).unwrap();
    window.tab.call_method(Input::InsertText { text: "线程束".to_owned() }).unwrap();
    window.wait("document.querySelectorAll('#mdbook-searchresults > li').length > 0");
    let results: Vec<(String, String)> = window.ask(RESULTS).unwrap();
    assert!(results[0].0.starts_with("glossary.html"), "the glossary comes first: {results:?}");
    assert!(results[0].1.contains("线程束") && results[0].1.contains("warp"), "{results:?}");
    assert!(results.len() > 1, "pages that have the word come after it: {results:?}");
    window.sees("document.querySelector('#mdbook-searchresults em').textContent === '线程束'");

    // The first result is the glossary, at the line of the term.
    window.press("Enter");
    window.wait("location.pathname === '/glossary.html' && document.readyState === 'complete'");
    window.wait("document.querySelector('tr.found')?.id === 'warp'");
    window.wait(
        "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.getElementById('warp').getBoundingClientRect())",
    );
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// The page that explains something comes first, before tables, exercises and the ledger.
#[test]
fn the_first_result_explains_what_was_sought() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    for (sought, page) in [
        ("printf", "emulator/own_kernels.html"),
        ("syncthreads", "ch02_reduction/barriers.html"),
        ("__shfl_down_sync", "ch04_shfl/"),
        ("bank conflict", "ch02_reduction/shared_memory.html"),
        ("sector", "ch02_reduction/sectors.html"),
    ] {
        window.go("introduction.html");
        window.press("/");
        window.wait("document.activeElement.id === 'mdbook-searchbar' && window.search.index !== undefined");
        window.tab.type_str(sought).unwrap();
        window.wait("document.querySelectorAll('#mdbook-searchresults > li').length > 0");
        let results: Vec<(String, String)> = window.ask(RESULTS).unwrap();
        assert!(results[0].0.starts_with(page), "{sought}: {results:?}");
    }
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// A name is found where a part of it begins: `__threadfence()`, `sum(__shfl_down_sync(mask`.
#[test]
fn the_search_finds_a_name_by_its_parts() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    for (part, name, page) in [
        ("threadfence", "__threadfence", "ch05_locks/lock_with_fences.html"),
        ("syncthreads", "__syncthreads", "ch02_reduction/barriers.html"),
        ("shfl_down", "__shfl_down_sync", "ch04_shfl/four_shuffles.html"),
        ("syncwarp", "__syncwarp", "ch03_syncwarp/mask.html"),
    ] {
        window.go("introduction.html");
        window.press("/");
        window.wait("document.activeElement.id === 'mdbook-searchbar' && window.search.index !== undefined");
        window.tab.type_str(part).unwrap();
        window.wait("document.querySelectorAll('#mdbook-searchresults > li').length > 3");
        let results: Vec<(String, String)> = window.ask(RESULTS).unwrap();
        assert!(results.iter().any(|(address, _)| address.starts_with(page)), "{part}: {results:?}");
        let without: Vec<_> =
            results.iter().filter(|(_, text)| !text.to_lowercase().contains(part)).collect();
        assert!(without.is_empty(), "{part}: the list does not show where it is: {without:?}");
        assert!(results.iter().any(|(_, text)| text.contains(name)), "{part}: {results:?}");
    }
    // A part of a word begins after a punctuation mark, so `hreadfence` is not a part of `__threadfence`.
    window.go("introduction.html");
    window.press("/");
    window.wait("document.activeElement.id === 'mdbook-searchbar' && window.search.index !== undefined");
    window.tab.type_str("hreadfence").unwrap();
    window.wait(
        "document.getElementById('mdbook-searchresults-header').textContent.startsWith('No search results')",
    );
    assert_eq!(window.faults(), Vec::<String>::new());
}
