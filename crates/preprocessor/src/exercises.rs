//! The exercises in the terminal, as far as the book mentions them: which page teaches each of them.
//!
//! They are read from `exercises/chNN/NAME/exercise.toml`, so that a page contains nothing about an exercise that was
//! written by hand. The other fields of these files are read and checked by the grader.

use std::fs;

use serde::Deserialize;

use crate::html::{escape, sentence};
use crate::mentions::Mentions;
use crate::problems::Problem;
use crate::repository::Repository;

/// The folder of chapters.
const FOLDER: &str = "exercises";
/// The file that describes an exercise, in its folder.
const FILE: &str = "exercise.toml";
/// The command that a reader types, without the name at its end.
const COMMAND: &str = "cargo run --bin exercises -- watch";

/// All exercises, by chapter and then in their order.
#[derive(Clone, Debug, Default)]
pub struct Exercises(Vec<Exercise>);

/// An exercise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exercise {
    /// The name of its folder.
    name: String,
    /// `ch02`.
    chapter: String,
    /// Below the folder of all exercises, `ch02_reduction/tail_block`.
    folder: String,
    /// The line of its file on which the page is named.
    page_line: usize,
    fields: Fields,
}

/// The fields of an exercise that the book uses; the file has more.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Fields {
    title: String,
    kind: String,
    minutes: u32,
    order: u32,
    page: String,
}

impl Exercises {
    /// Reads all exercises, and returns the errors in those that cannot be read.
    pub fn read(repository: &Repository) -> (Self, Vec<Problem>) {
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for folder in in_folders(repository) {
            match Exercise::read(repository, &folder) {
                Ok(exercise) => all.push(exercise),
                Err(problem) => problems.push(problem),
            }
        }
        all.sort_by(|one, other| one.place().cmp(&other.place()));
        (Self(all), problems)
    }

    /// The exercises of a chapter, `ch02`.
    pub fn of_chapter<'a>(&'a self, chapter: &'a str) -> impl Iterator<Item = &'a Exercise> {
        self.0.iter().filter(move |exercise| exercise.chapter == chapter)
    }

    /// The exercises that a page teaches.
    pub fn of_page<'a>(&'a self, page: &'a str) -> impl Iterator<Item = &'a Exercise> {
        self.0.iter().filter(move |exercise| exercise.fields.page == page)
    }

    /// Exercises that no reader would find, because their page is not in the book, or because no page lists their
    /// chapter.
    pub fn lost(&self, mentions: &Mentions) -> Vec<Problem> {
        let lost = |exercise: &Exercise| {
            let (page, chapter) = (&exercise.fields.page, &exercise.chapter);
            let what = if !mentions.has(page) {
                format!("`page` is `{page}`, which `SUMMARY.md` does not list")
            } else if mentions.list_of(chapter).is_none() {
                format!("no page lists the exercises of `{chapter}`: `{{{{#exercises {chapter}}}}}`")
            } else {
                return None;
            };
            Some(Problem { file: exercise.file(), line: exercise.page_line, what })
        };
        self.0.iter().filter_map(lost).collect()
    }
}

impl Exercise {
    fn read(repository: &Repository, folder: &str) -> Result<Self, Problem> {
        let file = file(folder);
        let problem = |line: usize, what: String| Problem { file: file.clone(), line, what };
        let text = repository.read(&file).map_err(|error| problem(1, format!("{error:#}")))?;
        let fields: Fields = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(&text, span.start));
            problem(line, error.message().replace('\n', ", "))
        })?;
        let page_line = text.lines().position(|line| line.starts_with("page")).map_or(1, |line| line + 1);
        let (chapter, name) = folder.split_once('/').unwrap_or_default();
        let chapter = chapter.split('_').next().unwrap_or_default();
        Ok(Self {
            name: name.to_owned(),
            chapter: chapter.to_owned(),
            folder: folder.to_owned(),
            page_line,
            fields,
        })
    }

    fn place(&self) -> (&str, u32, &str) {
        (&self.chapter, self.fields.order, &self.name)
    }

    fn file(&self) -> String {
        file(&self.folder)
    }

    /// The folder, below that of all exercises: `ch02_reduction/tail_block`.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The chapter, for example `ch02`.
    pub fn chapter(&self) -> &str {
        &self.chapter
    }

    /// The name of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The page that teaches it.
    pub fn page(&self) -> &str {
        &self.fields.page
    }

    /// A row of its chapter's table; `page` is a link to the page that teaches it.
    pub fn row(&self, page: &str) -> String {
        let Fields { kind, minutes, .. } = &self.fields;
        format!(
            "<tr id=\"{}\" data-exercise=\"{}\"><td>{}<br>{}</td><td>{}</td><td class=\"number\">{minutes}</td><td>{page}</td></tr>\n",
            self.anchor(),
            escape(&self.name),
            sentence(&self.fields.title),
            self.command(),
            escape(kind),
        )
    }

    /// The entry in the box on the page that teaches it; `list` is the address of its chapter's table. If that chapter
    /// is not the page's own, the entry says so, because the exercise may need more than the reader has learned so far.
    pub fn entry(&self, list: &str, is_elsewhere: bool) -> String {
        let Fields { title, kind, minutes, .. } = &self.fields;
        let number = self.chapter.trim_start_matches(|c: char| !('1'..='9').contains(&c));
        let chapter = if is_elsewhere { format!(", chapter {number}") } else { String::new() };
        format!(
            "<li><a class=\"practise-title\" href=\"{list}#{}\">{}</a> \
             <span class=\"practise-kind\">{}, {minutes} minutes{chapter}</span> {}</li>\n",
            self.anchor(),
            sentence(title),
            escape(kind),
            self.command(),
        )
    }

    fn anchor(&self) -> String {
        format!("exercise-{}", crate::html::anchor(&self.name))
    }

    fn command(&self) -> String {
        format!("<code>{}</code>", escape(&format!("{COMMAND} {}", self.name)))
    }
}

/// The table of a chapter's exercises, made from its rows.
pub fn table(rows: &str) -> String {
    format!(
        "<div class=\"table-wrapper\">\n<table class=\"exercises\">\n<thead><tr><th>exercise</th><th>kind</th>\
         <th class=\"number\">minutes</th><th>page</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

/// The box at the end of a page that teaches exercises, made from its entries.
pub fn practise(entries: &str) -> String {
    format!(
        "\n<section class=\"practise\" aria-label=\"practise\">\n<p class=\"practise-head\">Practise</p>\n\
         <ul>\n{entries}</ul>\n</section>\n"
    )
}

/// The files that describe the exercises.
pub fn files(repository: &Repository) -> Vec<String> {
    in_folders(repository).iter().map(|folder| file(folder)).collect()
}

fn file(folder: &str) -> String {
    format!("{FOLDER}/{folder}/{FILE}")
}

/// The folder of each exercise.
fn in_folders(repository: &Repository) -> Vec<String> {
    let is_chapter = |name: &String| {
        let number = name.strip_prefix("ch").and_then(|rest| rest.split('_').next());
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let in_chapter = |chapter: String| {
        let names = folders(repository, &format!("{FOLDER}/{chapter}"));
        names.into_iter().map(move |name| format!("{chapter}/{name}"))
    };
    folders(repository, FOLDER).into_iter().filter(is_chapter).flat_map(in_chapter).collect()
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The names of the folders in a folder, sorted; empty if it is missing.
pub fn folders(repository: &Repository, name: &str) -> Vec<String> {
    let entries = fs::read_dir(repository.path(name)).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exercise() -> Exercise {
        let fields = Fields {
            title: "The `tail` block".to_owned(),
            kind: "fix".to_owned(),
            minutes: 10,
            order: 2,
            page: "ch02_reduction/edges.md".to_owned(),
        };
        let folder = "ch02_reduction/tail_block".to_owned();
        Exercise { name: "tail_block".to_owned(), chapter: "ch02".to_owned(), folder, page_line: 5, fields }
    }

    #[test]
    fn the_box_links_to_the_row() {
        let (entry, row) = (exercise().entry("exercises.html", false), exercise().row("the page"));
        assert!(entry.contains("href=\"exercises.html#exercise-tail-block\""), "{entry}");
        assert!(row.starts_with("<tr id=\"exercise-tail-block\" data-exercise=\"tail&#95;block\">"), "{row}");
        for html in [entry, row] {
            assert!(
                html.contains("The <code>tail</code> block") && html.contains("-- watch tail&#95;block"),
                "{html}"
            );
        }
    }

    #[test]
    fn an_exercise_of_another_chapter_says_so() {
        assert!(exercise().entry("", true).contains("fix, 10 minutes, chapter 2<"));
        assert!(exercise().entry("", false).contains("fix, 10 minutes<"));
    }

    #[test]
    fn a_line_is_counted_from_one() {
        assert_eq!((line_of("a\nb\n", 0), line_of("a\nb\n", 2)), (1, 2));
    }
}
