//! Includes kernels, host code, PTX and machine code in the book, from their files.

use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

use crate::boxes::predicted;
use crate::html::escape;
use crate::listing::{Mark, Row, figure};
use crate::repository::Repository;

/// Generated code with more lines than this is folded.
const FOLDED_LINES: usize = 24;

/// The lines of a file that a listing shows: those between some anchors.
pub struct Shown<'a> {
    /// The file.
    pub file: &'a str,
    /// The lines between each pair of anchors.
    parts: Vec<Vec<Numbered>>,
}

/// A line and its number in the file.
type Numbered = (usize, String);

impl<'a> Shown<'a> {
    /// Reads the words of `{{#code FILE ANCHOR...}}`.
    pub fn read(words: &[&'a str], repository: &Repository) -> Result<Self> {
        let [file, anchors @ ..] = words else { bail!("name a file and an anchor") };
        ensure!(!anchors.is_empty(), "name an anchor of `{file}`");
        if file.starts_with("kernels/") {
            repository.check_ptx(file)?;
        }
        let text = repository.read(file)?;
        let part = |anchor: &&str| excerpt(&text, anchor).with_context(|| format!("in `{file}`"));
        Ok(Self { file, parts: anchors.iter().map(part).collect::<Result<_>>()? })
    }

    /// The lines that are shown.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flatten().map(|(_, line)| line.as_str())
    }

    /// The numbers of the lines of each part.
    pub fn parts(&self) -> impl Iterator<Item = Vec<usize>> {
        self.parts.iter().map(|part| part.iter().map(|(number, _)| *number).collect())
    }

    /// The numbers of the lines that are shown.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().flatten().map(|(number, _)| *number)
    }
}

/// What the page does with the lines of a listing, by their numbers.
pub struct Lines<'a> {
    /// Which are marked.
    pub mark: &'a dyn Fn(usize) -> Option<Mark>,
    /// Which have an anchor of their own.
    pub anchor: &'a dyn Fn(usize) -> Option<String>,
    /// The box with the question below the listing that hides marks, and comments that tell what is wrong, until it is answered.
    pub question: Option<usize>,
}

/// A comment at the end of a line that says what is wrong with it.
static TOLD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r" *// (?:race|wrong)\b.*$").expect("a valid expression"));

/// A text without the comments that tell what is wrong with some of its lines, which are counted from 1.
pub fn untold(text: &str, is_hidden: &dyn Fn(usize) -> bool) -> String {
    let line = |(number, line): (usize, &str)| match TOLD.find(line) {
        Some(comment) if is_hidden(number) => line[..comment.start()].to_owned(),
        _ => line.to_owned(),
    };
    (1..).zip(text.split('\n')).map(line).collect::<Vec<_>>().join("\n")
}

/// `{{#code FILE ANCHOR...}}`: the lines between the anchors and their place.
pub fn listing(
    shown: &Shown<'_>,
    lines: &Lines<'_>,
    link: &dyn Fn(&str, usize) -> String,
    editor: &str,
) -> Result<String> {
    let row = |(number, text): &Numbered| Row {
        number: Some(*number),
        text: text.clone(),
        mark: (lines.mark)(*number),
        anchor: (lines.anchor)(*number),
        told: TOLD.find(text).map(|comment| comment.start()),
        question: lines.question.map(predicted),
    };
    let parts: Vec<Vec<Row>> = shown.parts.iter().map(|part| part.iter().map(row).collect()).collect();
    let first = shown.numbers().next().unwrap_or(1);
    let listing = figure(language(shown.file)?, &parts.join(&Row::plain("")), &link(shown.file, first));
    // Between the code and the caption.
    let below = format!("{editor}{}", if editor.is_empty() { "" } else { "\n" });
    Ok(listing.replacen("<figcaption>", &format!("{below}<figcaption>"), 1))
}

/// `{{#ptx FILE KERNEL [mark=OPCODE,...]}}`: the body of a kernel under a fold, without what is meant for debuggers
/// only; and above it the lines with the marked opcodes, which the page explains.
pub fn ptx(words: &[&str], repository: &Repository, link: &dyn Fn(&str, usize) -> String) -> Result<String> {
    let (module, kernel, marks) = match words {
        [module, kernel] => (module, kernel, None),
        [module, kernel, marks] if marks.starts_with("mark=") => {
            (module, kernel, marks.strip_prefix("mark="))
        }
        _ => bail!("name a module, `divergence.sm_70`, a kernel of it and, if lines matter, `mark=setp,bra`"),
    };
    let stem = module.split('.').next().unwrap_or_default();
    repository.check_ptx(&format!("kernels/{stem}.cu"))?;
    let file = format!("kernels/ptx/{module}.ptx");
    let text = repository.read(&file)?;
    let is_head = |line: &str| line.starts_with(&format!(".visible .entry {kernel}("));
    let start =
        text.lines().position(is_head).with_context(|| format!("`{file}` has no kernel `{kernel}`"))?;
    let body =
        text.lines().skip(start).skip_while(|line| *line != "{").skip(1).take_while(|line| *line != "}");
    let is_code = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && ![".loc", ".reg", ".pragma", "//"].iter().any(|start| line.starts_with(start))
    };
    let code = aligned(&body.filter(is_code).collect::<Vec<_>>());
    let caption = format!("{}, <code>{}</code>", link(&file, start + 1), escape(kernel));
    let mut rows: Vec<Row> = code.iter().map(|line| Row::plain(line)).collect();
    let Some(marks) = marks else { return Ok(fold("PTX", &code, &figure(TEXT, &rows, &caption))) };
    let marked = marked(&code, marks).with_context(|| format!("in `{kernel}` of `{file}`"))?;
    let excerpt: Vec<Row> = marked.iter().map(|&line| Row::plain(&code[line])).collect();
    for line in marked {
        rows[line].mark = Some(Mark::Opcode);
    }
    let whole = fold("PTX", &code, &figure(TEXT, &rows, &caption));
    Ok(figure(TEXT, &excerpt, &format!("{caption}: the lines that matter here")) + &whole)
}

/// `{{#machine-code CHAPTER KERNEL [MODULE]}}`: the kernel's machine code from the record, either of this module or the
/// first in the record.
pub fn machine_code(
    output: &str,
    kernel: &str,
    module: Option<&str>,
    repository: &Repository,
    link: &dyn Fn(&str, usize) -> String,
) -> Result<String> {
    let file = format!("{output}/h200_machine_code.txt");
    let text = repository.read(&file)?;
    let wanted = match module {
        Some(module) => format!("{kernel} ({module})"),
        None => format!("{kernel} ("),
    };
    let start = text
        .lines()
        .position(|line| line.starts_with(&wanted))
        .with_context(|| format!("`{file}` has no kernel `{wanted}`"))?;
    let code = text.lines().skip(start + 1).take_while(|line| !line.is_empty());
    let code: Vec<String> = code.map(str::to_owned).collect();
    let head = text.lines().nth(start).unwrap_or_default();
    let caption = format!(
        "{}, <code>{}</code>: machine code of the H200, an excerpt",
        link(&file, start + 1),
        escape(if module.is_some() { head } else { kernel })
    );
    Ok(folded("Machine code", &code, &caption))
}

/// The indices of the lines whose opcodes are one of the marks or begin with one: `ld.global` marks `ld.global.u32`.
fn marked(code: &[String], marks: &str) -> Result<Vec<usize>> {
    let is_of = |line: &str, mark: &str| {
        let mut words = line.split_whitespace().skip_while(|word| word.starts_with('@'));
        let opcode = words.next().unwrap_or_default().trim_end_matches(';');
        opcode.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    for mark in marks.split(',') {
        ensure!(code.iter().any(|line| is_of(line, mark)), "no line has the opcode `{mark}`");
    }
    let is_marked = |line: &usize| marks.split(',').any(|mark| is_of(&code[*line], mark));
    Ok((0..code.len()).filter(is_marked).collect())
}

/// PTX with its operands aligned in a column, where the compiler writes a tab after the opcode.
fn aligned(lines: &[&str]) -> Vec<String> {
    let parts = |line: &str| {
        let (head, rest) = line.trim().split_once('\t').unwrap_or((line.trim(), ""));
        (head.trim_end().to_owned(), rest.trim().to_owned())
    };
    let parts: Vec<(String, String)> = lines.iter().map(|line| parts(line)).collect();
    let width =
        parts.iter().filter(|(_, rest)| !rest.is_empty()).map(|(head, _)| head.len()).max().unwrap_or(0);
    let line = |(head, rest): &(String, String)| {
        let is_label = head.ends_with(':');
        if is_label { head.clone() } else { format!("    {head:<width$} {rest}").trim_end().to_owned() }
    };
    parts.iter().map(line).collect()
}

fn folded(what: &str, code: &[String], caption: &str) -> String {
    let rows: Vec<Row> = code.iter().map(|line| Row::plain(line)).collect();
    let listing = figure(TEXT, &rows, caption);
    if code.len() <= FOLDED_LINES {
        return listing;
    }
    fold(what, code, &listing)
}

fn fold(what: &str, code: &[String], listing: &str) -> String {
    format!("<details>\n<summary>{what}, {} lines</summary>\n\n{listing}\n</details>\n", code.len())
}

/// PTX without numbers, marks or folds.
pub fn plain(code: &str, caption: &str) -> String {
    figure(TEXT, &code.lines().map(Row::plain).collect::<Vec<_>>(), caption)
}

/// The class of code that is not highlighted.
const TEXT: &str = "language-text";

fn language(file: &str) -> Result<&'static str> {
    match file.rsplit('.').next() {
        Some("cu" | "cuh" | "cpp" | "h") => Ok("language-cpp"),
        // Chapters need the workspace, which a playground does not have.
        Some("rs") => Ok("language-rust ignore noplayground"),
        Some("sh") => Ok("language-sh"),
        Some("toml") => Ok("language-toml"),
        Some("ptx") => Ok(TEXT),
        _ => bail!("`{file}` is in no language that the book knows: cu, cuh, cpp, h, ptx, rs, sh or toml"),
    }
}

/// The lines between `ANCHOR: name` and `ANCHOR_END: name`, without the indentation that they have in common.
fn excerpt(text: &str, anchor: &str) -> Result<Vec<Numbered>> {
    let marks = |line: &str, mark: &str| {
        line.split_once(mark).is_some_and(|(_, name)| name.split_whitespace().next() == Some(anchor))
    };
    let start = text.lines().position(|line| marks(line, "ANCHOR:"));
    let start =
        start.with_context(|| format!("there is no anchor `{anchor}`; there are {}", anchors(text)))?;
    let rest: Vec<&str> = text.lines().skip(start + 1).collect();
    let end = rest.iter().position(|line| marks(line, "ANCHOR_END:"));
    let end = end.with_context(|| format!("the anchor `{anchor}` has no end"))?;
    let mut lines: Vec<(usize, &str)> =
        rest[..end].iter().enumerate().map(|(index, line)| (start + 2 + index, *line)).collect();
    lines.retain(|(_, line)| !line.contains("ANCHOR"));
    while lines.last().is_some_and(|(_, line)| line.trim().is_empty()) {
        lines.pop();
    }
    let with_text = lines.iter().filter(|(_, line)| !line.trim().is_empty());
    let shift = with_text.map(|(_, line)| line.len() - line.trim_start().len()).min().unwrap_or_default();
    let moved =
        |(number, line): (usize, &str)| (number, line.get(shift..).unwrap_or_default().trim_end().to_owned());
    Ok(lines.into_iter().map(moved).collect())
}

fn anchors(text: &str) -> String {
    let names = text.lines().filter_map(|line| line.split_once("ANCHOR: ")).map(|(_, name)| name.trim());
    match names.collect::<Vec<_>>() {
        names if names.is_empty() => "none".to_owned(),
        names => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "x\n  // ANCHOR: a\n  if\n    // ANCHOR: b\n    y\n    // ANCHOR_END: b\n  // ANCHOR_END: a\n";

    #[test]
    fn an_excerpt_is_not_indented_and_shows_no_anchor() {
        let line = |number, text: &str| (number, text.to_owned());
        assert_eq!(excerpt(FILE, "a").unwrap(), [line(3, "if"), line(5, "  y")]);
    }

    #[test]
    fn operands_are_aligned() {
        let lines = ["\tld.param.u64 \t%rd1, [a];", "$L__1:", "\t@%p1 bra \t$L__1;", "\tret;"];
        assert_eq!(
            aligned(&lines),
            ["    ld.param.u64 %rd1, [a];", "$L__1:", "    @%p1 bra     $L__1;", "    ret;"]
        );
    }

    #[test]
    fn marked_lines_are_found_by_their_opcodes() {
        let code = ["    setp.ge.u32 %p1, %r1, %r2;", "    @%p1 bra    $L;", "    ret;"].map(str::to_owned);
        assert_eq!(marked(&code, "bra,setp").unwrap(), [0, 1]);
        assert_eq!(marked(&code, "ret").unwrap(), [2]);
        assert_eq!(marked(&code, "set").unwrap_err().to_string(), "no line has the opcode `set`");
    }

    #[test]
    fn a_missing_anchor_is_named_together_with_those_that_exist() {
        let error = excerpt(FILE, "c").err().unwrap().to_string();
        assert_eq!(error, "there is no anchor `c`; there are a, b");
    }
}
