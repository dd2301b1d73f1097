//! Finds the problems of a built book.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use regex::Regex;
use scraper::{ElementRef, Node};
use url::Url;

use crate::site::{Page, Site, has_extension, selector};

/// What the links are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// The repository's folder.
    pub repository: &'a Path,
    /// Its address on the web: a link that begins with it must lead to a file that exists.
    pub address: &'a str,
}

/// The address of the site while its links are resolved; no real site has it.
const HOME: &str = "http://book.invalid/";

/// All problems of the site, each on a line that begins with the file's name.
pub fn problems(site: &Site, rules: Rules) -> Vec<String> {
    let mut found = Vec::new();
    for (name, page) in &site.pages {
        let mut say = |problem: String| found.push(format!("{name}: {problem}"));
        // A page that is mdBook's own must not load anything from elsewhere either. Its links are not checked, because
        // they are mdBook's, or repeat those of our pages.
        loads(site, name, page, &mut say);
        if !["404.html", "print.html"].contains(&name.as_str()) {
            links(site, name, page, rules, &mut say);
        }
    }
    for (name, page) in site.written() {
        let mut say = |problem: String| found.push(format!("{name}: {problem}"));
        structure(page, &mut say);
        alternatives(page, &mut say);
        formulas(page, &mut say);
    }
    for name in site.files.iter().filter(|name| has_extension(name, "css")) {
        match fs::read_to_string(site.root.join(name)) {
            Ok(text) => style(site, name, &text, &mut |problem| found.push(format!("{name}: {problem}"))),
            Err(error) => found.push(format!("{name}: {error}")),
        }
    }
    if !site.files.iter().any(|name| name == "assets/texts.js") {
        found.push("assets/texts.js: the search has no texts".to_owned());
    }
    found
}

fn home(name: &str) -> Url {
    Url::parse(HOME).and_then(|home| home.join(name)).expect("a file's name is a part of an address")
}

/// The file of the site to which an address leads, and the text after its `#`.
fn inside(url: &Url) -> Option<(String, Option<String>)> {
    let rest = url.as_str().strip_prefix(HOME)?;
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let path = decode(if path.is_empty() { "index.html" } else { path });
    let path = if path.ends_with('/') { path + "index.html" } else { path };
    Some((path, url.fragment().map(decode)))
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Checks that no request leaves the site, and that none of them fails.
fn loads(site: &Site, name: &str, page: &Page, say: &mut impl FnMut(String)) {
    let loading = [
        ("link[href]:not([rel=canonical], [rel=alternate], [rel=next], [rel=prev])", "href"),
        ("script[src]", "src"),
        ("img[src]", "src"),
        ("iframe[src]", "src"),
        ("source[src]", "src"),
        ("video[src]", "src"),
        ("audio[src]", "src"),
        ("embed[src]", "src"),
        ("input[src]", "src"),
        ("object[data]", "data"),
        ("image[href]", "href"),
        ("use[href]", "href"),
    ];
    for (what, attribute) in loading {
        for element in page.html.select(&selector(what)) {
            load(site, name, element.attr(attribute).unwrap_or_default(), say);
        }
    }
    for element in page.html.select(&selector("[srcset], base")) {
        // mdBook's page for missing pages is shown at any address, so it has a base, which is the site's root.
        if element.value().name() != "base" || name != "404.html" {
            say(format!("<{}> has an address that this check does not read", element.value().name()));
        }
    }
    for element in page.html.select(&selector("style")) {
        style(site, name, &element.text().collect::<String>(), say);
    }
    for element in page.html.select(&selector("[style]")) {
        style(site, name, element.attr("style").unwrap_or_default(), say);
    }
    for _ in page.html.select(&selector(".playground")) {
        say("a code block that can be run: its script asks play.rust-lang.org".to_owned());
    }
}

fn load(site: &Site, name: &str, address: &str, say: &mut impl FnMut(String)) {
    // The address is a part of the page itself, or contains the data.
    if address.starts_with('#') || address.starts_with("data:") {
        return;
    }
    let from = if name == "404.html" { home("") } else { home(name) };
    match from.join(address) {
        Ok(url) => match inside(&url) {
            Some((file, _)) if site.files.contains(&file) => {}
            Some((file, _)) => say(format!("loads `{file}`, which is not there")),
            None => say(format!("loads `{address}`, which is not on the site")),
        },
        Err(error) => say(format!("loads `{address}`: {error}")),
    }
}

/// Checks that a style sheet loads nothing from elsewhere.
fn style(site: &Site, name: &str, text: &str, say: &mut impl FnMut(String)) {
    static LOADS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?s)/\*.*?\*/|url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]*))\s*\)|@import\s*(?:"([^"]*)"|'([^']*)')"#)
            .expect("the expression is right")
    });
    for captures in LOADS.captures_iter(text) {
        if let Some(address) = captures.iter().skip(1).flatten().next() {
            load(site, name, address.as_str(), say);
        }
    }
}

/// Checks that links lead to a page and a place on it, or to a file of the repository and a line of it.
fn links(site: &Site, name: &str, page: &Page, rules: Rules, say: &mut impl FnMut(String)) {
    let from = home(name);
    for link in page.html.select(&selector("a[href], area[href]")) {
        let address = link.attr("href").unwrap_or_default();
        let Ok(url) = from.join(address) else {
            say(format!("the link `{address}` is no address"));
            continue;
        };
        if let Some((file, fragment)) = inside(&url) {
            match site.pages.get(&file) {
                Some(page) => {
                    if let Some(id) = fragment.filter(|id| !id.is_empty() && !page.ids.contains(id)) {
                        say(format!("the link `{address}` leads to `#{id}`, which `{file}` does not have"));
                    }
                }
                None if site.files.contains(&file) => {}
                None => say(format!("the link `{address}` leads to `{file}`, which is not there")),
            }
        } else if let Some(path) = url.as_str().strip_prefix(rules.address) {
            in_repository(rules.repository, address, path, say);
        } else if !["https", "mailto"].contains(&url.scheme()) {
            say(format!("the link `{address}` is not by https"));
        }
        if link.text().all(|text| text.trim().is_empty())
            && ["aria-label", "title"]
                .iter()
                .all(|name| link.attr(name).is_none_or(|label| label.trim().is_empty()))
        {
            say(format!("the link `{address}` has no words"));
        }
    }
}

/// Checks an address such as `/blob/main/kernels/reduction.cu#L43`.
fn in_repository(repository: &Path, address: &str, path: &str, say: &mut impl FnMut(String)) {
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let mut parts = path.trim_start_matches('/').splitn(3, '/');
    let file = match (parts.next(), parts.next(), parts.next()) {
        (Some("blob" | "tree" | "edit"), Some("main" | "HEAD"), Some(file)) => decode(file),
        (Some(""), None, None) | (Some("blob" | "tree"), Some("main" | "HEAD"), None) => return,
        _ => return say(format!("the link `{address}` leads to no file of the repository")),
    };
    let place = repository.join(&file);
    if !place.exists() {
        return say(format!("the link `{address}` leads to `{file}`, which the repository does not have"));
    }
    let numbers = fragment.split('-').filter_map(|part| part.strip_prefix('L')?.parse::<usize>().ok());
    if let Some(last) = numbers.max() {
        let lines = fs::read_to_string(&place).map_or(0, |text| text.lines().count());
        if last > lines {
            say(format!("the link `{address}` leads to line {last} of `{file}`, which has {lines}"));
        }
    }
}

/// Checks that a page has one main heading, that levels of headings are not skipped, and that names are unique.
fn structure(page: &Page, say: &mut impl FnMut(String)) {
    for id in &page.repeated {
        say(format!("the id `{id}` stands there twice"));
    }
    if page.html.root_element().attr("lang").is_none_or(str::is_empty) {
        say("the page has no language".to_owned());
    }
    if page.html.select(&selector("title")).all(|title| title.text().all(|text| text.trim().is_empty())) {
        say("the page has no title".to_owned());
    }
    let headings: Vec<(u32, String)> = page
        .html
        .select(&selector("main :is(h1, h2, h3, h4, h5, h6)"))
        .map(|heading| {
            let level = heading.value().name()[1..].parse().unwrap_or(1);
            (level, heading.text().collect::<String>().trim().to_owned())
        })
        .collect();
    if headings.first().is_none_or(|(level, _)| *level != 1) {
        say("does not begin with a heading of the first level".to_owned());
    }
    for (level, heading) in headings.iter().skip(1) {
        if *level == 1 {
            say(format!("the heading `{heading}` is a second title"));
        }
    }
    for pair in headings.windows(2) {
        if pair[1].0 > pair[0].0 + 1 {
            say(format!("the heading `{}` skips a level below `{}`", pair[1].1, pair[0].1));
        }
    }
    for (_, heading) in headings.iter().filter(|(_, heading)| heading.is_empty()) {
        say(format!("a heading without words{heading}"));
    }
}

/// Checks that everything that is drawn has a description in words.
fn alternatives(page: &Page, say: &mut impl FnMut(String)) {
    for image in page.html.select(&selector("img")) {
        if image.attr("alt").is_none_or(|alt| alt.trim().is_empty()) {
            say(format!("the image `{}` has no text", image.attr("src").unwrap_or_default()));
        }
    }
    for drawing in page.html.select(&selector("main svg")) {
        let own_words = hidden(drawing) || labelled(page, drawing);
        if !own_words {
            say("a drawing has no text: no title, no label, and it is not hidden".to_owned());
        }
        if drawing.attr("role").is_none() && !hidden(drawing) {
            say("a drawing has no role".to_owned());
        }
    }
    for strip in page.html.select(&selector("main [role=img]")) {
        if !labelled(page, strip) {
            say("something drawn has no label".to_owned());
        }
    }
    for region in page.html.select(&selector("main [role=region], main aside")) {
        if !labelled(page, region) {
            say(format!("<{}> has no label", region.value().name()));
        }
    }
}

/// Whether an element, or one that contains it, is not meant for reading aloud. KaTeX hides its drawing of a formula in
/// this way, and describes the formula in another element.
fn hidden(element: ElementRef) -> bool {
    let has = |element: ElementRef| element.attr("aria-hidden") == Some("true");
    has(element) || element.ancestors().filter_map(ElementRef::wrap).any(has)
}

fn labelled(page: &Page, element: ElementRef) -> bool {
    if element.attr("aria-label").is_some_and(|label| !label.trim().is_empty()) {
        return true;
    }
    if let Some(ids) = element.attr("aria-labelledby") {
        return !ids.trim().is_empty() && ids.split_whitespace().all(|id| page.ids.contains(id));
    }
    element
        .child_elements()
        .find(|child| child.value().name() == "title")
        .is_some_and(|title| title.text().any(|text| !text.trim().is_empty()))
}

/// Checks that every formula was typeset: none is red, and none is left as it was written.
fn formulas(page: &Page, say: &mut impl FnMut(String)) {
    static RAW: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\$\$|\$[^$\s][^$]*\$|\\\(|\\\[").expect("the expression is right"));
    for error in page.html.select(&selector(".katex-error")) {
        say(format!("KaTeX cannot read `{}`", error.text().collect::<String>()));
    }
    for main in page.html.select(&selector("main")) {
        for node in main.descendants() {
            let Node::Text(text) = node.value() else { continue };
            let quoted = node.ancestors().filter_map(ElementRef::wrap).any(|element| {
                ["code", "pre", "script", "style", "annotation", "svg"].contains(&element.value().name())
            });
            if let Some(raw) = RAW.find(text).filter(|_| !quoted) {
                say(format!("a formula is not set: `{}`", raw.as_str()));
            }
        }
    }
}
