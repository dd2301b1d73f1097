//! Expands one directive: the text between `{{` and `}}`.

use anyhow::{Result, bail, ensure};

use crate::boxes::Progress;
use crate::claims::{self, Ledger};
use crate::exercises::{self, Exercises};
use crate::facts::Facts;
use crate::glossary::Glossary;
use crate::guess::{Guess, Known};
use crate::html::escape;
use crate::marks::Marks;
use crate::mentions::Mentions;
use crate::page::{Kind, Piece};
use crate::prose::Exceptions;
use crate::repository::Repository;
use crate::source::Source;
use crate::{
    boxes, code, editor, faults, figures, lanes, live, outputs, profile, sessions, solve, texts, value,
};

/// What the expansions of all pages share.
#[derive(Debug)]
pub struct Library<'a> {
    /// The files.
    pub repository: &'a Repository,
    /// The address of the repository on the web, if the book gives one.
    pub web: Option<&'a str>,
    /// The claims.
    pub ledger: Ledger,
    /// The terms.
    pub glossary: Glossary,
    /// The phrases that look like measurements but are not.
    pub exceptions: Exceptions,
    /// The exercises.
    pub exercises: Exercises,
    /// What was collected from runs.
    pub facts: Facts,
    /// Which page mentions what.
    pub mentions: Mentions,
}

impl Library<'_> {
    /// What is needed to answer a question.
    pub fn known(&self) -> Known<'_> {
        Known { repository: self.repository, facts: &self.facts, ledger: &self.ledger }
    }
}

/// The place of a directive.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The page, by its path in `book/src`.
    pub page: &'a str,
    /// The level of the heading above it.
    pub level: usize,
    /// The line of the page.
    pub line: usize,
    /// The boxes with questions that it is in.
    pub boxes: Progress,
    /// The lines in the page's listings that its faults name.
    pub marks: &'a Marks,
}

/// The directives that must be alone on their line. The others are parts of a sentence, and its lines may break
/// anywhere.
const BLOCKS: [&str; 24] = [
    "code",
    "ptx",
    "machine-code",
    "output",
    "session",
    "fault",
    "claim",
    "figure",
    "live",
    "guess",
    "counters",
    "profile",
    "exercises",
    "ledger",
    "glossary",
    "supported",
    "text",
    "compilers",
    "random",
    "predict",
    "reveal",
    "try",
    "answer",
    "end",
];

/// The text that replaces a directive at this place.
pub fn expand(text: &str, is_alone: bool, place: Place<'_>, library: &Library<'_>) -> Result<String> {
    if let Some(expression) = text.strip_prefix('=') {
        let number = value::evaluate(expression, library.repository)?;
        return Ok(format!(
            "<span class=\"value {}\" title=\"{}\">{}</span>",
            number.source.class(),
            escape(&number.origin),
            number.text
        ));
    }
    let text = text.trim_start_matches('#').trim();
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let html = Expansion { library, place }.of(name, rest.trim())?;
    if !BLOCKS.contains(&name) {
        return Ok(html);
    }
    ensure!(is_alone, "`{{{{#{name} …}}}}` has to stand alone on its line");
    // With a line break before it, so that a paragraph of Markdown ends there.
    Ok(format!("\n{html}"))
}

/// The box at the end of a page with the exercises that the page teaches, if there are any.
pub fn practise(place: Place<'_>, library: &Library<'_>) -> Option<String> {
    let expansion = Expansion { library, place };
    let entry = |exercise: &exercises::Exercise| {
        let list = library.mentions.list_of(exercise.chapter()).unwrap_or_default();
        let is_elsewhere = folder(list) != folder(place.page);
        exercise.entry(&expansion.address(list), is_elsewhere)
    };
    let entries: String = library.exercises.of_page(place.page).map(entry).collect();
    (!entries.is_empty()).then(|| exercises::practise(&entries))
}

/// The lines of a page's listings that its faults name. Errors are ignored here, because they are reported when the
/// directive is expanded.
pub fn marks(pieces: &[Piece<'_>], page: &str, library: &Library<'_>) -> Marks {
    let (mut marks, none) = (Marks::default(), Marks::default());
    let mut place = Place { page, level: 1, line: 1, boxes: Progress::default(), marks: &none };
    for piece in pieces {
        place = Place { line: piece.line, boxes: place.boxes.at(piece), ..place };
        let Kind::Directive { text, .. } = piece.kind else { continue };
        match text.split_once(char::is_whitespace) {
            Some(("#guess", _)) => marks.ask(piece.line, place.boxes.begun),
            Some(("#fault", _)) => {
                marks.name(
                    &expand(text, true, place, library).unwrap_or_default(),
                    piece.line,
                    place.boxes.part,
                );
            }
            Some(("#code", words)) => {
                let words: Vec<&str> = words.split_whitespace().collect();
                if let Ok(shown) = code::Shown::read(&words, library.repository) {
                    marks.show(shown.file, shown.numbers(), piece.line);
                }
            }
            _ => {}
        }
    }
    marks
}

/// The folder of a page, which is the same for all pages of a chapter.
fn folder(page: &str) -> &str {
    page.rsplit_once('/').map_or("", |(folder, _)| folder)
}

struct Expansion<'a> {
    library: &'a Library<'a>,
    place: Place<'a>,
}

impl Expansion<'_> {
    fn of(&self, name: &str, rest: &str) -> Result<String> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let Library { repository, facts, .. } = self.library;
        let link = |file: &str, line: usize| self.file(file, Some(line));
        if let Some(html) = boxes::part(name, rest, self.place.boxes) {
            return html;
        }
        match name {
            "code" => self.code(&words),
            "ptx" => code::ptx(&words, repository, &link),
            "machine-code" => {
                let (chapter, kernel, module) = match words[..] {
                    [chapter, kernel] => (chapter, kernel, None),
                    [chapter, kernel, module] => (chapter, kernel, Some(module)),
                    _ => bail!("name a chapter, a kernel and, if it was built twice, its module"),
                };
                let source = Source::parse(chapter, repository)?;
                source.read(repository)?;
                code::machine_code(&source.output(), kernel, module, repository, &link)
            }
            "output" => outputs::output(&words, repository),
            "session" => sessions::session(&words, repository),
            "fault" => Ok(self.place.marks.link(&self.fault(&words)?)),
            "claim" => self.claim(claims::one(&words)?),
            "ref" => self.reference(claims::one(&words)?),
            "asks" => self.asks(claims::one(&words)?),
            "figure" => figures::figure(rest, repository),
            "live" => live::figure(&words, facts, repository),
            "guess" => Guess::read(rest)?.html(self.place.page.trim_end_matches(".md"), self.library.known()),
            "counters" => self.counters(&words),
            "profile" => profile::table(&words, repository),
            "exercises" => self.exercises(&words),
            "text" => texts::text(&words, repository, &link),
            "compilers" => texts::compilers(repository),
            "random" => texts::random(repository),
            // The target is kept on one line with the word before it.
            "supported" => Ok(self.generated("crates/simt/SUPPORTED.md")?.replace(" sm_", "\u{a0}sm_")),
            "file" => {
                ensure!(repository.has(rest), "there is no `{rest}` in the repository");
                Ok(self.file(rest, None))
            }
            "term" => self.library.glossary.term(rest, &self.address("glossary.md")),
            "mask" => lanes::strip(&words),
            "ledger" => self.library.ledger.render(repository, &|id| self.spoken_of(id)),
            "glossary" => Ok(self.library.glossary.render(&|key| self.used(key))),
            // mdBook expands this one itself: it is the title of the browser's window.
            "title" => Ok(format!("{{{{#title {rest}}}}}")),
            "include" | "rustdoc_include" | "playground" => {
                bail!(
                    "mdBook's own `{{{{#{name}}}}}` does not fail on what is missing: use `{{{{#code FILE ANCHOR}}}}`"
                )
            }
            _ => bail!(
                "there is no directive `{{{{#{name}}}}}`; there are {}, file, mask, ref, term, title",
                BLOCKS.join(", ")
            ),
        }
    }

    fn code(&self, words: &[&str]) -> Result<String> {
        let Library { repository, facts, .. } = self.library;
        let shown = code::Shown::read(words, repository)?;
        let Place { marks, line, boxes, .. } = self.place;
        let question = marks.question(line);
        let mark = |number| marks.of(shown.file, number, boxes.part, question);
        let anchor = |number| marks.anchor(shown.file, number, line);
        let lines = code::Lines { mark: &mark, anchor: &anchor, question };
        let editor = if shown.file.starts_with("kernels/") {
            let text = marks.is_first(shown.file, line).then(|| repository.read(shown.file)).transpose()?;
            let text = text.map(|text| code::untold(&text, &|number| marks.hides(shown.file, number)));
            editor::listing(&shown, &words[1..], text.as_deref(), facts, repository)?
        } else {
            String::new()
        };
        code::listing(&shown, &lines, &|file, line| self.file(file, Some(line)), &editor)
    }

    fn fault(&self, words: &[&str]) -> Result<String> {
        let [source, row] = words else { bail!("name a chapter and a row of its report") };
        let source = Source::parse(source, self.library.repository)?;
        let run = source.read(self.library.repository)?;
        let html = faults::boxes(run.report().row(row)?)?;
        let command = format!("cargo run --bin {} -- --only {row}", source.chapter);
        Ok(format!(
            "<div class=\"output\">\n{html}<div class=\"command\"><code>{}</code></div>\n</div>\n",
            escape(&command)
        ))
    }

    fn claim(&self, id: &str) -> Result<String> {
        let claim = self.library.ledger.get(id)?;
        claim.check_fresh(self.library.repository)?;
        Ok(claim.render("p", "", ""))
    }

    fn reference(&self, id: &str) -> Result<String> {
        let claim = self.library.ledger.get(id)?;
        claim.check_fresh(self.library.repository)?;
        let ledger = self.address("ledger.md");
        Ok(format!(
            "<a class=\"claim-ref {}\" href=\"{ledger}#{id}\">{id} <span class=\"verdict\">{}</span></a>",
            claim.class(),
            claim.verdict
        ))
    }

    /// A link to a claim that doesn't tell the verdict.
    fn asks(&self, id: &str) -> Result<String> {
        self.library.ledger.get(id)?;
        let ledger = self.address("ledger.md");
        Ok(format!("<a class=\"claim-ref\" href=\"{ledger}#{id}\">{id}</a>"))
    }

    fn counters(&self, words: &[&str]) -> Result<String> {
        let [source] = words else { bail!("name a chapter") };
        let source = Source::parse(source, self.library.repository)?;
        source.read(self.library.repository)?;
        self.generated(&format!("{}/counters.md", source.output()))
    }

    fn exercises(&self, words: &[&str]) -> Result<String> {
        let [chapter] = words else { bail!("name a chapter, `ch02`") };
        let row = |exercise: &exercises::Exercise| exercise.row(&self.link(exercise.page()));
        let rows: String = self.library.exercises.of_chapter(chapter).map(row).collect();
        ensure!(!rows.is_empty(), "there are no exercises in `exercises/{chapter}`");
        let element = |exercise: &exercises::Exercise| {
            solve::element(exercise, &self.library.facts, self.library.repository)
        };
        let elements: Vec<String> =
            self.library.exercises.of_chapter(chapter).map(element).collect::<Result<_>>()?;
        Ok(exercises::table(&rows) + "\n" + &elements.concat())
    }

    /// Generated Markdown without its title, with its headings moved below the heading that it is under.
    fn generated(&self, file: &str) -> Result<String> {
        let text = self.library.repository.read(file)?;
        let text = demoted(&text, self.place.level - 1);
        ensure!(
            !text.is_empty(),
            "`{file}` is empty: `cargo xtask bless` and `cargo xtask isa` write such files"
        );
        Ok(text + "\n")
    }

    /// The name of a file, as a link to the file on the web.
    fn file(&self, file: &str, line: Option<usize>) -> String {
        let name = format!("<code>{}</code>", escape(file));
        let kind = if self.library.repository.path(file).is_dir() { "tree" } else { "blob" };
        match self.library.web {
            Some(web) => {
                let line = line.map(|line| format!("#L{line}")).unwrap_or_default();
                format!(
                    "<a href=\"{}/{kind}/main/{}{line}\">{name}</a>",
                    web.trim_end_matches('/'),
                    escape(file)
                )
            }
            None => name,
        }
    }

    /// The address of another page, relative to this one.
    fn address(&self, page: &str) -> String {
        let up = self.place.page.matches('/').count();
        format!("{}{}", "../".repeat(up), page.replace(".md", ".html"))
    }

    fn spoken_of(&self, id: &str) -> String {
        let pages = self.library.mentions.claim(id);
        let links: Vec<String> = pages.iter().map(|page| self.link(page)).collect();
        if links.is_empty() {
            return String::new();
        }
        format!("<p class=\"claim-pages\">Read more in {}.</p>\n", links.join(", "))
    }

    fn used(&self, key: &str) -> String {
        self.library.mentions.term(key).map(|page| self.link(page)).unwrap_or_default()
    }

    fn link(&self, page: &str) -> String {
        format!("<a href=\"{}\">{}</a>", self.address(page), escape(self.library.mentions.title(page)))
    }
}

/// Markdown without its title, with the other headings moved down by so many levels.
fn demoted(text: &str, levels: usize) -> String {
    let is_title = |line: &&str| !line.starts_with("# ") && !line.starts_with("<!--");
    let mark = "#".repeat(levels);
    let demoted = |line: &str| format!("{}{line}", if line.starts_with("##") { &mark } else { "" });
    text.lines().filter(is_title).map(demoted).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_headings_are_below_the_one_above() {
        let text = "<!-- by -->\n# Title\n\n## Part\n\n### Piece\n";
        assert_eq!(demoted(text, 0), "## Part\n\n### Piece");
        assert_eq!(demoted(text, 1), "### Part\n\n#### Piece");
    }
}
