//! The texts that the search of the book reads: `book/src/assets/texts.js`, which is not committed.
//!
//! mdBook's own index has every word of every table, picture and formula three times, in six megabytes. Ours has the prose by
//! sections, and the names in listings. It is so small that the page searches it without an index (`book/theme/search.js`).

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use anyhow::Result;
use mdbook_preprocessor::book::{Book, Chapter};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::Serialize;
use serde_json::json;

use crate::pages::{save, slashes};

/// Where the texts are, in `book/src`.
const FILE: &str = "assets/texts.js";

/// What is not prose: numbers, drawings, data, and lines that a program has printed.
const SKIPPED: [&str; 12] = [
    "command", "drawing", "edit", "fault", "guess", "lanes", "live", "machine", "output", "practise",
    "report", "solve",
];

/// A part of a page below a heading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Section {
    /// Its address, with `#` and the heading's name.
    url: String,
    /// The chapter and the page that it is in.
    inside: String,
    title: String,
    body: String,
    /// Names in its listings that are not in its body.
    names: String,
}

/// Writes the texts of a book whose pages were expanded.
pub fn write(source: &Path, book: &Book) -> Result<()> {
    let sections: Vec<Section> = book.chapters().flat_map(of_chapter).collect();
    let (urls, texts): (Vec<_>, Vec<_>) = sections
        .iter()
        .map(|Section { url, inside, title, body, names }| (url, [inside, title, body, names]))
        .unzip();
    let results = json!({ "limit_results": 30, "teaser_word_count": 30 });
    let data = json!({ "results_options": results, "search_options": {}, "doc_urls": urls, "index": texts });
    let text = format!("window.search = Object.assign(window.search, {data});\n");
    save(&source.join(FILE), &text)
}

fn of_chapter(chapter: &Chapter) -> Vec<Section> {
    let Some(path) = &chapter.path else { return Vec::new() };
    let inside = chapter.parent_names.iter().chain([&chapter.name]).cloned().collect::<Vec<_>>().join(" » ");
    sections(&slashes(&path.with_extension("html")), &inside, &chapter.content)
}

fn sections(url: &str, inside: &str, content: &str) -> Vec<Section> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_FOOTNOTES;
    let mut reader = Reader { url, inside, ..Reader::default() };
    reader.begin("");
    let content: Vec<&str> = content.lines().filter(|line| !line.starts_with("{{#title")).collect();
    for event in Parser::new_ext(&content.join("\n"), options) {
        match event {
            Event::Start(Tag::Heading { .. }) => reader.heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => reader.begin_at_heading(),
            Event::Start(Tag::CodeBlock(_)) => reader.in_commands = true,
            Event::End(TagEnd::CodeBlock) => reader.in_commands = false,
            Event::Html(html) | Event::InlineHtml(html) => reader.html(&html),
            Event::Text(text) | Event::Code(text) => reader.text(&text),
            Event::SoftBreak | Event::HardBreak | Event::End(_) => reader.text(" "),
            _ => {}
        }
    }
    reader.end();
    reader.found
}

#[derive(Default)]
struct Reader<'a> {
    url: &'a str,
    inside: &'a str,
    found: Vec<Section>,
    names: BTreeSet<String>,
    /// The names of headings, as mdBook makes them unique.
    ids: HashSet<String>,
    /// The text of the heading that is being read.
    heading: Option<String>,
    /// The element that is being skipped, and how many of its kind are open.
    skipped: Option<(String, usize)>,
    in_commands: bool,
}

impl Reader<'_> {
    /// Ends a section, and begins one at a place of the page.
    fn begin(&mut self, id: &str) {
        self.end();
        let url = if id.is_empty() { self.url.to_owned() } else { format!("{}#{id}", self.url) };
        self.found.push(Section { url, inside: self.inside.to_owned(), ..Section::default() });
    }

    fn begin_at_heading(&mut self) {
        let title = self.heading.take().unwrap_or_default();
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
        let id: String = title.trim().to_lowercase().chars().filter(is_kept).collect();
        let id = id.replace(' ', "-");
        let numbered = (1..).map(|number| format!("{id}-{number}"));
        let id = [id.clone()].into_iter().chain(numbered).find(|id| self.ids.insert(id.clone()));
        self.begin(&id.unwrap_or_default());
        title.trim().clone_into(&mut self.last().title);
    }

    fn last(&mut self) -> &mut Section {
        self.found.last_mut().expect("the first section is begun with the page")
    }

    /// Ends a section; one in which nothing is said is left out.
    fn end(&mut self) {
        let names = std::mem::take(&mut self.names);
        let Some(section) = self.found.last_mut() else { return };
        section.body = section.body.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_new = |name: &&String| !section.body.contains(name.as_str());
        section.names = names.iter().filter(is_new).cloned().collect::<Vec<_>>().join(" ");
        if section.title.is_empty() && section.body.is_empty() && section.names.is_empty() {
            self.found.pop();
        }
    }

    fn text(&mut self, text: &str) {
        match (&self.skipped, &mut self.heading) {
            (Some((element, _)), _) if element == "pre" => {
                let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let is_name = |word: &&str| word.len() > 3 && !word.starts_with(|c: char| c.is_ascii_digit());
                self.names.extend(words.filter(is_name).map(str::to_owned));
            }
            (Some(_), _) => {}
            (None, _) if self.in_commands => {}
            (None, Some(heading)) => *heading += text,
            (None, None) => self.last().body += text,
        }
    }

    /// Reads HTML as the directives write it: what is no tag has neither `<` nor `>`.
    fn html(&mut self, html: &str) {
        let mut rest = html;
        while let Some((before, after)) = rest.split_once('<') {
            self.text(&unescaped(before));
            let end = if after.starts_with("!--") { "-->" } else { ">" };
            let (tag, after) = after.split_once(end).unwrap_or((after, ""));
            self.tag(tag);
            rest = after;
        }
        self.text(&unescaped(rest));
    }

    fn tag(&mut self, tag: &str) {
        let name = tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next();
        let name = name.unwrap_or_default();
        if let Some((element, open)) = &mut self.skipped {
            if element == name && !tag.ends_with('/') {
                *open = if tag.starts_with('/') { *open - 1 } else { *open + 1 };
            }
            if *open == 0 {
                self.skipped = None;
            }
            return;
        }
        let attribute = |name: &str| {
            let (_, value) = tag.split_once(&format!(" {name}=\""))?;
            value.split('"').next()
        };
        let classes = attribute("class").unwrap_or_default();
        let is_skipped = classes.split(' ').any(|class| SKIPPED.contains(&class));
        if tag.starts_with(char::is_alphabetic) && (is_skipped || matches!(name, "pre" | "svg")) {
            self.skipped = Some((name.to_owned(), 1));
        } else if let Some(id) = attribute("id").filter(|id| is_claim(id)) {
            self.begin(id);
            id.clone_into(&mut self.last().title);
        } else if !matches!(name, "a" | "code" | "em" | "span" | "strong") {
            self.text(" ");
        }
    }
}

/// Whether a place of a page is an entry of the ledger, `N1.4`.
fn is_claim(id: &str) -> bool {
    id.strip_prefix('N').is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// Text of HTML, as `html::escape` writes it.
fn unescaped(html: &str) -> String {
    let mut text = String::new();
    let mut parts = html.split('&');
    text += parts.next().unwrap_or_default();
    for part in parts {
        let (entity, rest) = part.split_once(';').unwrap_or(("amp", part));
        match entity {
            "lt" => text.push('<'),
            "gt" => text.push('>'),
            "quot" => text.push('"'),
            _ => {
                let code = entity.strip_prefix('#').and_then(|code| code.parse().ok());
                text.push(code.and_then(char::from_u32).unwrap_or('&'));
            }
        }
        text += rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str) -> Vec<Section> {
        sections("a.html", "A » B", content)
    }

    #[test]
    fn a_section_has_its_prose_and_the_names_of_its_listings() {
        let found = read(
            "{{#title T}}\n# One `two`\n\nLanes <span class=\"value\">1</span> and `__syncwarp()`.\n\n```sh\ncargo run\n```\n\n\
             <figure>\n\n<pre><code>int <span>saxpy&#95;one</span>(x)\n__syncwarp</code></pre>\n</figure>\n\n## One two\n\nb\n",
        );
        let [one, two] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.url.as_str(), one.title.as_str()), ("a.html#one-two", "One two"));
        assert_eq!((one.body.as_str(), one.names.as_str()), ("Lanes 1 and __syncwarp().", "saxpy_one"));
        assert_eq!((two.url.as_str(), two.body.as_str()), ("a.html#one-two-1", "b"));
        assert_eq!(one.inside, "A » B");
    }

    #[test]
    fn numbers_and_data_are_left_out() {
        let found = read(
            "a\n\n<div class=\"output\">\n<div>b</div>\n<p>c</p></div>\n<p>d &lt; <em>e</em></p>\n<!--{\"f\"}-->\n\n\
             <section id=\"N1.4\"><p>g</p></section>\n",
        );
        let bodies: Vec<_> = found.iter().map(|section| section.body.as_str()).collect();
        assert_eq!(bodies, ["a d < e", "g"]);
        assert_eq!(found[1].url, "a.html#N1.4");
    }
}
