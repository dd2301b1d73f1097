//! What `lanes run` says about the files of a whole program.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use cuda_host::Used;
use serde_json::{Value, json};
use spec::launch::command_line;
use spec::layout::counted;

use crate::execute::files::Made;

/// So many files are named.
const MOST_NAMES: usize = 5;

/// The lines about files, each after an empty one.
pub fn notes(made: &[Made], used: &Used) -> String {
    let mut text = String::new();
    let in_memory: Vec<&Made> = made.iter().filter(|file| !file.is_kept && file.why.is_none()).collect();
    if let [first, rest @ ..] = &in_memory[..] {
        let names = names(in_memory.iter().map(|file| &*file.path));
        let (was, it) = if rest.is_empty() { ("was", "it") } else { ("were", "them") };
        let (count, option) = (counted(in_memory.len() as u64, "file"), option(first, rest));
        let _ = writeln!(
            text,
            "\nnote: {count} {was} written in memory only ({names}); keep {it} with `{option}`"
        );
    }
    for file in made.iter().filter(|file| !file.is_kept) {
        if let Some(why) = &file.why {
            let _ = writeln!(text, "\nnote: `{}` was not written: {why}", file.path);
        }
    }
    if !used.removed.is_empty() {
        let shown: Vec<_> = used.removed.iter().map(|place| shown(Path::new(place))).collect();
        let names = names(shown.iter().map(String::as_str));
        let _ = writeln!(text, "\nnote: removed in memory only, and still there: {names}");
    }
    if !used.outside.is_empty() {
        let (lie, was) = if used.outside.len() == 1 { ("lies", "was") } else { ("lie", "were") };
        let names = names(used.outside.iter().map(|path| &**path));
        let _ = writeln!(text, "\nnote: {names} {lie} outside the current folder and {was} not opened");
    }
    text
}

/// The same for programs.
pub fn json(made: &[Made], used: &Used) -> Value {
    let files =
        made.iter().map(|file| json!({ "path": file.path, "bytes": file.bytes, "kept": file.is_kept }));
    json!({ "written": files.collect::<Vec<_>>(), "removed": used.removed, "outside": used.outside })
}

fn names<'n>(all: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = all.len().saturating_sub(MOST_NAMES);
    let mut text = all.take(MOST_NAMES).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// The option that keeps these files.
fn option(first: &Made, rest: &[&Made]) -> String {
    let folder = |file: &Made| file.place.parent().map_or(PathBuf::from("."), Path::to_owned);
    let mut folders = vec![folder(first)];
    for other in rest.iter().map(|file| folder(file)) {
        if !folders.iter().any(|known| other.starts_with(known)) {
            folders.retain(|known| !known.starts_with(&other));
            folders.push(other);
        }
    }
    let names = folders.iter().flat_map(|folder| ["--write".to_owned(), shown(folder)]);
    command_line(&names.collect::<Vec<_>>())
}

/// A place as a reader would write it in the current folder.
fn shown(place: &Path) -> String {
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let inner = current.as_ref().ok().and_then(|folder| place.strip_prefix(folder).ok());
    match inner {
        Some(inner) if inner == Path::new("") => ".".to_owned(),
        Some(inner) => inner.display().to_string(),
        None => place.display().to_string(),
    }
}
