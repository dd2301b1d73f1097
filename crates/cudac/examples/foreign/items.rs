//! A file of CUDA as a list of items, with the headers of its own folder in their places.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A declaration, a directive, or one end of a namespace.
#[derive(Clone)]
pub struct Item {
    pub text: String,
    pub kind: Kind,
    /// Where it is, to tell kernels in headers apart.
    pub file: PathBuf,
    pub line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Directive,
    /// `namespace a {` or `extern "C" {`, and the brace that ends it.
    Bracket,
    Declaration,
}

/// Files by their last name, for includes that name no folder.
pub type Index = BTreeMap<String, Vec<PathBuf>>;

/// All files of a folder whose names end as C++'s do.
pub fn index(folder: &Path, found: &mut Index) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            index(&path, found);
        } else if ["cu", "cuh", "h", "hpp", "inl"].contains(&&extension[..]) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.entry(name).or_default().push(path);
        }
    }
}

/// The items of a file; each header is read once.
pub fn read(path: &Path, index: &Index, seen: &mut BTreeSet<PathBuf>) -> Vec<Item> {
    let Ok(bytes) = fs::read(path) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let mut items = Vec::new();
    for item in split(&without_comments(&text), path) {
        match included(&item) {
            Some(name) => match find(&name, path, index) {
                Some(header) if seen.insert(header.clone()) => items.extend(read(&header, index, seen)),
                Some(_) => {}
                None => items.push(item),
            },
            None => items.push(item),
        }
    }
    items
}

/// What a directive includes.
pub fn included(item: &Item) -> Option<String> {
    let rest = item.text.strip_prefix('#')?.trim_start().strip_prefix("include")?.trim();
    Some(rest.trim_matches(|c| "<>\"".contains(c)).to_owned())
}

fn find(name: &str, from: &Path, index: &Index) -> Option<PathBuf> {
    let beside = from.parent()?.join(name);
    if beside.exists() {
        return beside.canonicalize().ok();
    }
    let last = Path::new(name).file_name()?.to_string_lossy().into_owned();
    let found = index.get(&last)?.iter().filter(|path| path.ends_with(name));
    // The nearest: what has most of the path in common.
    let common = |path: &Path| path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    found.max_by_key(|path| common(path))?.canonicalize().ok()
}

/// The text with blanks in the place of its comments, line for line.
fn without_comments(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' | '\'' => quoted(rest),
            '/' if rest.starts_with("//") => {
                let end = rest.find('\n').unwrap_or(rest.len());
                rest = &rest[end..];
                continue;
            }
            '/' if rest.starts_with("/*") => {
                let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
                made.push(' ');
                made.extend(rest[..end].chars().filter(|c| *c == '\n'));
                rest = &rest[end..];
                continue;
            }
            _ => next.len_utf8(),
        };
        made.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    made
}

/// How long the text or the character at the start is.
fn quoted(text: &str) -> usize {
    let mut chars = text.char_indices();
    let mark = chars.next().map(|(_, mark)| mark);
    while let Some((at, next)) = chars.next() {
        match next {
            '\\' => _ = chars.next(),
            '\n' => return at,
            _ if Some(next) == mark => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn split(text: &str, file: &Path) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < text.len() {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        line += rest[..blank].matches('\n').count();
        at += blank;
        let rest = &text[at..];
        if rest.is_empty() {
            break;
        }
        let (length, kind) = item(rest);
        let own = rest[..length].trim().to_owned();
        if own != ";" {
            items.push(Item { text: own, kind, file: file.to_owned(), line });
        }
        line += rest[..length].matches('\n').count();
        at += length;
    }
    items
}

/// How long the item at the start is.
fn item(text: &str) -> (usize, Kind) {
    if text.starts_with('#') {
        let mut end = 0;
        for line in text.split_inclusive('\n') {
            end += line.len();
            if !line.trim_end().ends_with('\\') {
                break;
            }
        }
        return (end, Kind::Directive);
    }
    if text.starts_with('}') {
        return (1, Kind::Bracket);
    }
    let head = &text[..text.find(['{', ';', '(']).unwrap_or(text.len())];
    let opens = text[head.len()..].starts_with('{');
    if opens && (head.starts_with("namespace") || head.starts_with("extern \"C\"") && head.len() < 14) {
        return (head.len() + 1, Kind::Bracket);
    }
    (declaration(text), Kind::Declaration)
}

/// To the `;` that ends it, or to the `}` of a function's body.
fn declaration(text: &str) -> usize {
    let (mut depth, mut at) = (0i32, 0);
    let is_type = {
        let head = &text[..text.find('{').unwrap_or(text.len())];
        let open = head.find('(').unwrap_or(head.len());
        open == head.len() || head[..open].contains('=') && !head.contains("operator") || is_aligned(head)
    };
    while let Some(next) = text[at..].chars().next() {
        match next {
            '"' | '\'' => {
                at += quoted(&text[at..]);
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        at += next.len_utf8();
        if depth <= 0 && (next == ';' || next == '}' && !is_type) {
            return at;
        }
    }
    at
}

/// Whether the brackets before the first brace are those of an alignment, as in `struct __align__(8) S {`.
fn is_aligned(head: &str) -> bool {
    let words = ["struct", "union", "class"];
    let is_type = words.iter().any(|word| head.split_whitespace().any(|own| own == *word));
    is_type && head.contains("align") && head.matches('(').count() == 1
}
