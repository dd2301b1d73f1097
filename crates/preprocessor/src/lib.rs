//! The book's preprocessor: includes kernels, outputs, numbers, figures and claims in its pages. If something is
//! missing, stale, or written by hand, it fails and names page and line.
//!
//! Without it, mdBook would build a book with gaps and exit with success. Here every directive is expanded or is an
//! error, and so are numbers with a unit, long blocks of code, commands that name nothing, and formulas that do not
//! parse. It reads the repository's committed files and runs nothing; tests ensure that these files are what the programs
//! print. `docs/writing-pages.md` lists the directives.
//!
//! What the emulator found in a chapter's runs (`output/sim.json`) and what a GPU measured in them (`output/h200.json`) are two files
//! of two types, so a page that shows both can say of each number which machine it is from. Each file has checksums of what it was
//! made from. The emulator's has those of the kernels' sources, because faults name lines, and they must be current. The GPU's has
//! those of the instructions; if a kernel has others now, the page marks its values as stale. What else a page shows of runs is in
//! `book/facts`, which `cargo xtask facts` writes.
//!
//! LaTeX is parsed twice: here by a parser in pure Rust, so that `cargo test` finds a broken formula on any machine, and by KaTeX
//! when `crates/book-tests` builds the book as readers get it.

mod beside;
mod boxes;
mod choice;
mod claims;
mod code;
mod commands;
mod directives;
mod editor;
mod exercises;
mod facts;
mod faults;
mod figures;
mod formulas;
mod glossary;
mod guess;
mod html;
mod lanes;
mod lint;
mod listing;
mod live;
mod marks;
mod mentions;
mod outputs;
mod page;
mod pages;
mod player;
mod problems;
mod profile;
mod prose;
mod repository;
mod search;
mod sessions;
mod solve;
mod source;
mod spoilers;
mod terms;
mod texts;
mod value;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::boxes::{Progress, heading};
use crate::claims::Ledger;
use crate::directives::{Library, Place, expand, marks, practise};
use crate::exercises::Exercises;
use crate::facts::Facts;
use crate::glossary::Glossary;
use crate::mentions::Mentions;
use crate::page::{Kind, Piece, inside_formula, pieces};
use crate::pages::{SOURCE, slashes};
use crate::prose::Exceptions;
use crate::repository::Repository;

pub use crate::pages::{Page, pages};
pub use crate::problems::{Problem, Problems};

/// The preprocessor that mdBook calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct BookPreprocessor;

/// The environment variable with which a book that has problems is built nevertheless, while it is being written. The
/// problems are printed, and what cannot be expanded is left out.
const DRAFT: &str = "BOOK_DRAFT";

impl Preprocessor for BookPreprocessor {
    fn name(&self) -> &'static str {
        "directives"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let root = fs::canonicalize(&context.root)?;
        let root = root.parent().context("the book lies in the repository")?;
        let web = context.config.get::<String>("output.html.git-repository-url")?;
        let pages: Vec<Page> = book
            .chapters()
            .filter_map(|chapter| {
                Some(Page { path: slashes(chapter.path.as_ref()?), text: chapter.content.clone() })
            })
            .collect();
        for warning in warnings(root, &pages)? {
            eprintln!("warning: {warning}");
        }
        let expanded = expand_book(root, web.as_deref(), &pages)?;
        // The pages are found by path, because `chapters` returns a chapter before the pages below it, and
        // `for_each_mut` after them.
        let mut expanded: BTreeMap<String, String> =
            pages.into_iter().map(|page| page.path).zip(expanded).collect();
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item
                && let Some(path) = &chapter.path
            {
                chapter.content = expanded.remove(&slashes(path)).unwrap_or_default();
            }
        });
        search::write(&root.join(SOURCE), &book)?;
        player::write(root)?;
        Ok(book)
    }
}

/// Habits of prose in the pages and in the texts around them, and terms that are used before they are introduced. These
/// do not prevent the book from being built.
pub fn warnings(root: &Path, pages: &[Page]) -> Result<Vec<Problem>> {
    let repository = Repository::new(root.to_owned());
    let mut warnings = lint::warnings(&repository, pages)?;
    warnings.extend(terms::too_early(&Glossary::read(&repository)?, pages));
    Ok(warnings)
}

/// Expands all pages to the text that mdBook and KaTeX get. The error is [`Problems`], if the pages have any.
pub fn expand_book(root: &Path, web: Option<&str>, pages: &[Page]) -> Result<Vec<String>> {
    let (expanded, problems) = draft(root, web, pages)?;
    if problems.is_empty() {
        return Ok(expanded);
    }
    if std::env::var_os(DRAFT).is_some() {
        eprintln!("{}", Problems(problems));
        return Ok(expanded);
    }
    Err(Problems(problems).into())
}

/// Expands all pages, with a mark in the place of everything that could not be expanded, and returns the problems too.
pub fn draft(root: &Path, web: Option<&str>, pages: &[Page]) -> Result<(Vec<String>, Vec<Problem>)> {
    let repository = Repository::new(root.to_owned());
    let (exercises, unreadable) = Exercises::read(&repository);
    let library = Library {
        repository: &repository,
        web,
        ledger: Ledger::read(&repository)?,
        glossary: Glossary::read(&repository)?,
        exceptions: Exceptions::read(&repository)?,
        facts: Facts::read(&repository)?,
        exercises,
        mentions: Mentions::of(pages),
    };
    let mut problems = around(root, &library, pages);
    problems.extend(unreadable);
    problems.extend(library.exercises.lost(&library.mentions));
    let expanded = pages.iter().map(|page| expand_page(page, &library, &mut problems)).collect();
    problems.extend(editor::unused(&library.facts, &repository).into_iter().map(|name| Problem {
        file: editor::FILE.to_owned(),
        line: 1,
        what: format!("no listing shows the kernel of `{name}`: remove it, or name an anchor in `shows`"),
    }));
    // Two numbers on one line may need the same missing record.
    problems.dedup();
    Ok((expanded, problems))
}

/// Problems that no single page shows: files that no page uses, and claims that no page mentions.
fn around(root: &Path, library: &Library<'_>, pages: &[Page]) -> Vec<Problem> {
    let problem = |file: &str, what: String| Problem { file: file.to_owned(), line: 1, what };
    let mut problems = library.facts.stale(library.repository);
    for path in markdown(&root.join(SOURCE)) {
        let path = slashes(path.strip_prefix(root.join(SOURCE)).unwrap_or(&path));
        if path != "SUMMARY.md" && pages.iter().all(|page| page.path != path) {
            problems.push(problem(
                &format!("{SOURCE}/{path}"),
                "`SUMMARY.md` does not list this page".to_owned(),
            ));
        }
    }
    for figure in names(&root.join("book/figures"), "svg") {
        if !library.mentions.shows(&figure) {
            problems
                .push(problem(&format!("book/figures/{figure}.svg"), "no page shows this figure".to_owned()));
        }
    }
    for (live, _) in library.facts.live.iter() {
        if !library.mentions.plays(live) {
            problems.push(problem(live::FILE, format!("no page plays `{live}`: `{{{{#live {live}}}}}`")));
        }
    }
    for chapter in source::chapters(library.repository) {
        if library.repository.records(&chapter).is_ok_and(|records| records.lacks_gpu()) {
            let what = "there is no record of a GPU, so what it measured is missing; `BOOK_DRAFT=1` builds the book without";
            problems.push(problem(&format!("chapters/{chapter}/output/h200.json"), what.to_owned()));
        }
    }
    let texts: Vec<(String, String)> =
        pages.iter().map(|page| (page.path.clone(), page.text.clone())).collect();
    problems.extend(spoilers::early(pages, library));
    problems.extend(library.exceptions.unused(&texts).into_iter().map(|what| problem(prose::FILE, what)));
    for id in library.ledger.ids() {
        if library.mentions.claim(&id).is_empty() {
            problems.push(problem(
                "book/src/ledger.md",
                format!("no page speaks of the claim `{id}`: `{{{{#ref {id}}}}}`"),
            ));
        }
    }
    problems
}

fn expand_page(page: &Page, library: &Library<'_>, problems: &mut Vec<Problem>) -> String {
    let mut expanded = String::with_capacity(page.text.len());
    let mut report = |line: usize, what: String| {
        problems.push(Problem { file: format!("{SOURCE}/{}", page.path), line, what });
    };
    let pieces = match pieces(&page.text) {
        Ok(pieces) => pieces,
        Err((line, what)) => {
            report(line, what);
            return expanded;
        }
    };
    let marks = marks(&pieces, &page.path, library);
    let mut place = Place { page: &page.path, level: 1, line: 1, boxes: Progress::default(), marks: &marks };
    let mut follows_number = false;
    for piece in &pieces {
        expanded += &place.boxes.closing(Some(piece));
        place = Place {
            level: heading(piece).unwrap_or(place.level),
            line: piece.line,
            boxes: place.boxes.at(piece),
            ..place
        };
        match bind_piece(piece, place, library) {
            Ok(text) if follows_number => expanded += &prose::joined_to_number(&text),
            Ok(text) => expanded += &text,
            Err(error) => {
                let error = format!("{error:#}");
                expanded += &hole(piece, &error);
                report(piece.line, error);
            }
        }
        follows_number = matches!(piece.kind, Kind::Directive { text, .. } if text.starts_with('='));
        if let Kind::Prose(text) = piece.kind {
            for (at, link) in library.mentions.dead_links(&page.path, text) {
                let line = piece.line + text[..at].matches('\n').count();
                report(line, format!("the link `{link}` leads to no page that `SUMMARY.md` lists"));
            }
        }
    }
    expanded += &place.boxes.closing(None);
    expanded += &practise(Place { level: 1, ..place }, library).unwrap_or_default();
    let text = prose::readable(&pieces);
    for (at, phrase) in library.exceptions.by_hand(&text) {
        let what =
            format!("`{phrase}` is a number by hand: take it from a record, `{{{{= ch02.ROW.NAME}}}}`");
        report(1 + text[..at].matches('\n').count(), what);
    }
    for (line, what) in boxes::problems(&pieces).into_iter().chain(spoilers::problems(&pieces, library)) {
        report(line, what);
    }
    for what in lacks(page, &pieces, library) {
        report(1, what);
    }
    lint::without_exceptions(&expanded)
}

/// The text that a draft has in the place of something that could not be expanded.
fn hole(piece: &Piece<'_>, error: &str) -> String {
    match piece.kind {
        Kind::Directive { .. } => {
            format!("<span class=\"missing\" title=\"{}\">missing</span>", html::escape(error))
        }
        _ => String::new(),
    }
}

fn bind_piece(piece: &Piece<'_>, place: Place<'_>, library: &Library<'_>) -> Result<String> {
    match piece.kind {
        Kind::Prose(text) | Kind::Code(text) => Ok(text.to_owned()),
        Kind::Fence { info, text } => {
            prose::check_fence(info, text)?;
            if info == "sh" {
                commands::check(text, library.repository, &library.ledger)?;
            }
            Ok(text.to_owned())
        }
        Kind::Formula(text) => {
            let formula = inside_formula(text)
                .into_iter()
                .map(|kind| match kind {
                    Kind::Directive { text, .. } => in_formula(text, library),
                    Kind::Prose(text) => Ok(text.to_owned()),
                    _ => Ok(String::new()),
                })
                .collect::<Result<String>>()?;
            formulas::check(&formula)?;
            Ok(formula)
        }
        Kind::Directive { text, is_alone } => expand(text, is_alone, place, library),
    }
}

/// A number in LaTeX, in which a comma must not become punctuation nor a percent sign a comment.
fn in_formula(directive: &str, library: &Library<'_>) -> Result<String> {
    let Some(expression) = directive.strip_prefix('=') else {
        bail!("in a formula there may be numbers only: `{{{{= …}}}}`");
    };
    let number = value::evaluate(expression, library.repository)?.text;
    Ok(number.replace(',', "{,}").replace("\u{a0}%", "\\,\\%").replace('−', "-"))
}

/// What a page lacks of the things that every page must have: a command to type, and a figure.
fn lacks(page: &Page, pieces: &[Piece<'_>], library: &Library<'_>) -> Vec<String> {
    let directive = |names: &[&str]| {
        pieces.iter().any(|piece| match piece.kind {
            Kind::Directive { text, .. } => {
                names.contains(&text.split_whitespace().next().unwrap_or_default())
            }
            _ => false,
        })
    };
    let has_command = directive(&["#output", "#fault", "#claim", "#ledger", "#text"])
        || pieces.iter().any(|piece| matches!(piece.kind, Kind::Fence { info: "sh", .. }));
    let mut lacks = Vec::new();
    if !has_command {
        lacks.push("the page has no command to type".to_owned());
    }
    if !directive(&["#figure"]) && !library.exceptions.excuses_figure(&page.path) {
        lacks.push(format!("the page has no figure; if it needs none, say why in `{}`", prose::FILE));
    }
    lacks
}

/// All Markdown files in a folder.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() {
            found.extend(markdown(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn names(folder: &Path, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let of_kind = entries.filter(|path| path.extension().is_some_and(|found| found == extension));
    let mut names: Vec<String> =
        of_kind.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}
