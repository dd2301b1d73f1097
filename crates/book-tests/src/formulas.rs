//! Formulas: KaTeX parses each of them before `mdbook-katex` makes the page, because the latter only warns about a
//! formula that it cannot parse, and leaves it unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Result, bail};
use mdbook_katex::preprocess::{KatexProcessor, Render, get_render_tasks};
use mdbook_preprocessor::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

type Counts = Arc<Mutex<BTreeMap<String, usize>>>;

/// Runs `mdbook-katex`. It fails on a formula that does not parse, and counts the others.
#[derive(Debug)]
pub struct Formulas {
    pages: PathBuf,
    counts: Counts,
}

impl Formulas {
    /// For the book with its pages in this folder.
    pub fn new(pages: PathBuf) -> Self {
        Self { pages, counts: Counts::default() }
    }

    /// How many formulas each page has, after the book was built.
    pub fn counts(&self) -> Counts {
        Arc::clone(&self.counts)
    }
}

impl Preprocessor for Formulas {
    fn name(&self) -> &'static str {
        "katex"
    }

    fn run(&self, context: &PreprocessorContext, book: Book) -> Result<Book> {
        let settings = mdbook_katex::cfg::get_config(&context.config)?;
        let (inline, display) = settings.build_opts(&context.root);
        let delimiters = settings.build_extra_opts();
        let mut bad = Vec::new();
        let mut counts = BTreeMap::new();
        for item in book.iter() {
            let BookItem::Chapter(Chapter { content, path: Some(path), source_path: Some(source), .. }) =
                item
            else {
                continue;
            };
            let written = fs::read_to_string(self.pages.join(source))?;
            let tasks = get_render_tasks(content, "", &delimiters);
            let formulas = tasks.iter().filter_map(|task| match task {
                Render::Text(_) => None,
                Render::InlineTask(formula) => Some((*formula, &inline)),
                Render::DisplayTask(formula) => Some((*formula, &display)),
            });
            let mut count = 0;
            for (formula, options) in formulas {
                count += 1;
                if let Err(error) = katex::render_with_opts(formula, options) {
                    let place = place(source, &written, content, formula);
                    bad.push(format!("{place}: the formula `{formula}` does not parse: {error}"));
                }
            }
            let page = path.with_extension("html").to_string_lossy().replace('\\', "/");
            if count > 0 {
                counts.insert(page, count);
            }
        }
        if !bad.is_empty() {
            bail!("{}", bad.join("\n"));
        }
        *self.counts.lock().expect("nothing panics while it counts") = counts;
        KatexProcessor.run(context, book)
    }
}

/// The place of a formula, `page.md:12`. The preprocessors before this one have changed the lines, so the formula is
/// looked up in the page as it was written. If a preprocessor has written the formula, the line is that of the expanded
/// text, and the place says so.
fn place(source: &Path, written: &str, content: &str, formula: &str) -> String {
    let line = |text: &str, at: usize| text[..at].matches('\n').count() + 1;
    let source = source.display();
    if let Some(at) = written.find(formula) {
        return format!("{source}:{}", line(written, at));
    }
    let at = formula.as_ptr() as usize - content.as_ptr() as usize;
    format!("{source}, line {} after its directives", line(content, at))
}
