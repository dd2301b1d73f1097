//! What the pages may do: a policy in the head of each of them, with the hashes of the scripts in it and no other.

use std::collections::BTreeSet;
use std::fs;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use book_tests::Site;
use mdbook_driver::MDBook;
use scraper::{Html, Selector};
use sha2::{Digest, Sha256};

use crate::browser::open;
use crate::session::Session;
use crate::{book, repository};

fn selector(text: &str) -> Selector {
    Selector::parse(text).unwrap()
}

/// The policy of a page, as directives with their values.
fn policy(page: &Html) -> Vec<(String, Vec<String>)> {
    let metas: Vec<_> = page.select(&selector("meta[http-equiv='Content-Security-Policy']")).collect();
    assert_eq!(metas.len(), 1, "a page has one policy");
    let first = page.select(&selector("script, link[rel=stylesheet], meta[http-equiv]")).next();
    assert_eq!(first, Some(metas[0]), "the policy comes before all that it is about");
    let directives = metas[0].attr("content").unwrap().split(';').map(str::split_whitespace);
    directives
        .map(|mut words| (words.next().unwrap().to_owned(), words.map(str::to_owned).collect()))
        .collect()
}

fn values(page: &Html, directive: &str) -> BTreeSet<String> {
    let found = policy(page).into_iter().find(|(name, _)| name == directive);
    found.map(|(_, values)| values.into_iter().collect()).unwrap_or_default()
}

/// The hashes of the scripts that are in the page itself.
fn hashes(page: &Html) -> BTreeSet<String> {
    let inline = selector("script:not([src])");
    let texts = page.select(&inline).map(|script| script.text().collect::<String>());
    texts.map(|text| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))).collect()
}

/// Checks what a page allows, and returns the hashes of scripts that it allows.
fn check(name: &str, page: &Html) -> BTreeSet<String> {
    let allowed = values(page, "script-src");
    let (hashed, others): (BTreeSet<_>, BTreeSet<_>) =
        allowed.into_iter().partition(|value| value.starts_with("'sha256-"));
    assert!(!others.contains("'unsafe-inline'") && !others.contains("'unsafe-eval'"), "{name}");
    assert_eq!(values(page, "default-src"), BTreeSet::from(["'none'".to_owned()]), "{name}");
    let all = selector("*");
    for element in page.select(&all) {
        let mut attributes = element.value().attrs();
        let runs =
            attributes.find(|(name, value)| name.starts_with("on") || value.starts_with("javascript:"));
        assert_eq!(runs, None, "{name}: an attribute with a script, which no hash can allow");
    }
    hashed
}

/// Checks that the hashes that are allowed are those that are used.
fn compare(allowed: &BTreeSet<String>, used: &BTreeSet<String>) {
    let words = |set: &mut dyn Iterator<Item = &String>| set.cloned().collect::<Vec<_>>().join(" ");
    let (missing, stale) = (words(&mut used.difference(allowed)), words(&mut allowed.difference(used)));
    assert!(
        missing.is_empty() && stale.is_empty(),
        "book/theme/head.hbs or redirect.hbs lacks what pages have: {missing}; and has what none has: {stale}"
    );
}

#[test]
fn every_page_allows_its_own_scripts_and_no_other() {
    let site = Site::read(&book().out).unwrap();
    let (mut allowed, mut used) = (BTreeSet::new(), BTreeSet::new());
    let forwards = site.forwards.keys().map(|name| (name, fs::read_to_string(site.root.join(name)).unwrap()));
    let forwards: Vec<_> = forwards.map(|(name, text)| (name, Html::parse_document(&text))).collect();
    let pages = site.pages.iter().map(|(name, page)| (name, &page.html));
    let mut count = 0;
    for (name, page) in pages.chain(forwards.iter().map(|(name, page)| (*name, page))) {
        let (here, needed) = (check(name, page), hashes(page));
        let lacks: Vec<_> = needed.difference(&here).collect();
        // All pages from one template have one policy, so what one lacks, all lack, and is told below.
        assert!(lacks.is_empty() || !allowed.is_superset(&needed), "`{name}` lacks {lacks:?}");
        allowed.extend(here);
        used.extend(needed);
        count += 1;
    }
    assert!(count > 200, "{count} pages");
    compare(&allowed, &used);
}

/// `mdbook serve` adds a script, which opens a connection to it.
#[test]
fn a_page_that_is_served_while_it_is_written_may_be_reloaded() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    write("src/SUMMARY.md", "[One](one.md)\n");
    write("src/one.md", "# One\n");
    write("book.toml", "[book]\ntitle = \"x\"\n");
    let mut before = BTreeSet::new();
    for endpoint in [None, Some("__livereload")] {
        let mut book = MDBook::load(folder.path()).unwrap();
        let real = MDBook::load(repository().join("book")).unwrap().config;
        for key in ["default-theme", "preferred-dark-theme", "playground", "search"] {
            let key = format!("output.html.{key}");
            book.config.set(&key, real.get::<serde_json::Value>(&key).unwrap()).unwrap();
        }
        book.config.set("output.html.theme", repository().join("book/theme")).unwrap();
        if let Some(endpoint) = endpoint {
            book.config.set("output.html.live-reload-endpoint", endpoint).unwrap();
        }
        book.build().unwrap();
        let text = fs::read_to_string(book.build_dir_for("html").join("one.html")).unwrap();
        let page = Html::parse_document(&text);
        assert_eq!(text.contains("new WebSocket("), endpoint.is_some());
        assert_eq!(values(&page, "connect-src").contains("'self'"), endpoint.is_some());
        let (allowed, used) = (check("one.html", &page), hashes(&page));
        // Pages in folders have a script of their own, and this book has none of them.
        let expected = before.union(&used).cloned().collect();
        if endpoint.is_some() {
            compare(&allowed, &expected);
        }
        before = allowed;
    }
}

#[test]
fn a_script_that_comes_into_a_page_does_not_run() {
    let Some(window) = open() else { return };
    window.go("ch01_divergence.html");
    assert_eq!(window.faults(), Vec::<String>::new());
    for way in INJECTED {
        window.evaluate(&format!("window.ran = false; {way}")).unwrap();
        window.evaluate("new Promise(done => setTimeout(done, 100))").unwrap();
        let ran: bool = window.ask("window.ran").unwrap();
        let faults = window.faults();
        assert!(
            !ran && faults.iter().any(|fault| fault.contains("Content Security Policy")),
            "{way}: {faults:?}"
        );
    }
}

/// Ways in which a script may come into a page, or something out of it.
const INJECTED: [&str; 5] = [
    "document.body.append(Object.assign(document.createElement('script'), { textContent: 'ran = true' }))",
    "document.body.insertAdjacentHTML('beforeend', '<img src=\"x:\" onerror=\"ran = true\">')",
    "document.body.append(Object.assign(document.createElement('script'), { src: 'data:text/javascript,ran=true' }))",
    "fetch('toc.html').then(() => { ran = true; }, () => {})",
    "document.body.insertAdjacentHTML('beforeend', '<form action=\"toc.html\" id=\"f\"></form>'); document.getElementById('f').submit()",
];

/// A page that is read without a server may do the same.
#[test]
fn a_page_that_is_opened_from_a_file_has_its_scripts() {
    let Some(window) = open() else { return };
    let page = format!("file://{}", book().out.join("introduction.html").display());
    window.tab.navigate_to(&page).unwrap().wait_until_navigated().unwrap();
    let is_drawn: bool =
        window.ask("document.querySelectorAll('#mdbook-sidebar a').length > 10 && getComputedStyle(document.querySelector('.page')).outline !== ''").unwrap();
    assert!(is_drawn);
    let refused = window.faults().into_iter().find(|fault| fault.contains("Content Security Policy"));
    assert_eq!(refused, None);
}
