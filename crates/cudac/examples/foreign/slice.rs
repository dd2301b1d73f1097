//! A kernel and what it needs of its file, without the host's code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::items::{Item, Kind, included};

/// A kernel as a text of its own.
pub struct Kernel {
    pub file: PathBuf,
    pub line: usize,
    pub name: String,
    pub text: String,
}

/// Headers of device code; all others are the host's.
const DEVICE_HEADERS: [&str; 7] =
    ["cooperative_groups", "cuda_fp16", "cuda_bf16", "cuda/", "cuda_pipeline", "mma.h", "math_constants.h"];

/// What the host's headers define, for kernels that use it.
const OF_THE_HOST: [(&str, &str); 16] = [
    ("assert", "#include <cuda/std/cassert>"),
    ("uint", "typedef unsigned int uint;"),
    ("ushort", "typedef unsigned short ushort;"),
    ("uchar", "typedef unsigned char uchar;"),
    ("uint8_t", "typedef unsigned char uint8_t;"),
    ("uint16_t", "typedef unsigned short uint16_t;"),
    ("uint32_t", "typedef unsigned int uint32_t;"),
    ("uint64_t", "typedef unsigned long uint64_t;"),
    ("int32_t", "typedef int int32_t;"),
    ("int64_t", "typedef long int64_t;"),
    ("FLT_MAX", "#define FLT_MAX 3.402823466e+38f"),
    ("FLT_MIN", "#define FLT_MIN 1.175494351e-38f"),
    ("INT_MAX", "#define INT_MAX 2147483647"),
    ("UINT_MAX", "#define UINT_MAX 0xffffffffu"),
    ("M_PI", "#define M_PI 3.14159265358979323846"),
    ("RAND_MAX", "#define RAND_MAX 2147483647"),
];

/// The words of a text, numbers left out.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

fn has_word(text: &str, word: &str) -> bool {
    words(text).any(|own| own == word)
}

/// The kernels of a file's items.
pub fn kernels(items: &[Item]) -> Vec<Kernel> {
    let marks = marks(items);
    let is_kernel = |item: &&Item| {
        item.kind == Kind::Declaration && has_word(head(&item.text), "__global__") && item.text.ends_with('}')
    };
    let mut made: Vec<Kernel> = Vec::new();
    for item in items.iter().filter(is_kernel) {
        let Some(name) = function_name(&item.text) else { continue };
        let text = slice(items, item, &name, &marks);
        made.push(Kernel { file: item.file.clone(), line: item.line, name, text });
    }
    made
}

/// Macros that stand for `__device__`.
fn marks(items: &[Item]) -> BTreeSet<String> {
    let mut marks: BTreeSet<String> =
        ["__device__", "__global__", "__constant__", "constexpr"].map(str::to_owned).into();
    for item in items {
        if let Some((name, body)) = macro_of(item)
            && words(body).any(|word| word == "__device__" || word == "__constant__")
        {
            marks.insert(name.to_owned());
        }
    }
    marks
}

fn macro_of(item: &Item) -> Option<(&str, &str)> {
    let rest = item.text.strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some((&rest[..end], &rest[end..]))
}

fn head(text: &str) -> &str {
    &text[..text.find('{').unwrap_or(text.len())]
}

/// The name of a function: the word before its parameters.
fn function_name(text: &str) -> Option<String> {
    let mut rest = head(text);
    if has_word(rest, "operator") {
        return Some("operator".to_owned());
    }
    loop {
        let open = rest.find('(')?;
        let name = words(&rest[..open]).last()?.to_owned();
        let is_attribute =
            ["__launch_bounds__", "__align__", "__attribute__", "alignas", "__declspec"].contains(&&name[..]);
        if !is_attribute && rest[..open].trim_end().ends_with(&name) {
            return Some(name);
        }
        rest = &rest[open + 1..];
    }
}

/// The names that a declaration declares.
fn names(item: &Item, marks: &BTreeSet<String>) -> Vec<String> {
    let text = &item.text;
    let own = head(text);
    let first: Vec<&str> = words(own).collect();
    if let Some((name, _)) = macro_of(item) {
        return vec![name.to_owned()];
    }
    if first.contains(&"typedef") {
        let last = words(text).last().map(str::to_owned);
        let tag = first.iter().find(|word| !["typedef", "struct", "enum", "union"].contains(word));
        return last.into_iter().chain(tag.map(|tag| (*tag).to_owned())).collect();
    }
    let at = first.iter().position(|word| ["struct", "class", "union", "enum"].contains(word));
    if let Some(at) = at.filter(|_| !own.contains(')') || own.contains("align")) {
        if first[at] == "enum" {
            return words(text).map(str::to_owned).collect();
        }
        let name = first[at + 1..].iter().find(|word| !word.contains("align"));
        return name.map(|name| (*name).to_owned()).into_iter().collect();
    }
    if first.first() == Some(&"using") {
        return first
            .last()
            .map(|name| (*name).to_owned())
            .into_iter()
            .chain(first.get(1).map(|name| (*name).to_owned()))
            .collect();
    }
    let value = own.find('=').unwrap_or(own.len());
    if own[..value].contains('(') {
        let Some(name) = function_name(text) else { return Vec::new() };
        return if first.iter().any(|word| marks.contains(*word)) {
            vec![name, member_of(own)]
        } else {
            Vec::new()
        };
    }
    words(&own[..value]).filter(|word| !COMMON.contains(word)).map(str::to_owned).collect()
}

/// Words that declare nothing.
const COMMON: [&str; 22] = [
    "const",
    "static",
    "extern",
    "int",
    "unsigned",
    "char",
    "float",
    "double",
    "long",
    "short",
    "bool",
    "void",
    "signed",
    "__device__",
    "__constant__",
    "__shared__",
    "constexpr",
    "inline",
    "volatile",
    "size_t",
    "typedef",
    "struct",
];

/// The type whose member is defined, `S` of `S::f`.
fn member_of(head: &str) -> String {
    let before = head.find("::").map_or("", |at| &head[..at]);
    words(before).last().unwrap_or_default().to_owned()
}

/// Whether a declaration may be part of device code.
fn is_candidate(item: &Item, marks: &BTreeSet<String>) -> bool {
    let own = head(&item.text);
    let is_function = own.find('(').is_some_and(|at| own.find('=').is_none_or(|value| at < value));
    let is_type = words(own).take(8).any(|word| {
        ["struct", "class", "union", "enum", "typedef", "using", "static_assert"].contains(&word)
    });
    let is_device = words(own).any(|word| marks.contains(word));
    let is_constant = words(own).any(|word| word == "const");
    is_device
        || is_type && (!is_function || own.contains("align") || own.contains("typedef"))
        || is_constant && !is_function
}

fn slice(items: &[Item], kernel: &Item, name: &str, marks: &BTreeSet<String>) -> String {
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        let takes_part =
            item.kind == Kind::Directive || is_candidate(item, marks) && item.kind == Kind::Declaration;
        if takes_part {
            for name in names(item, marks) {
                by_name.entry(name).or_default().push(at);
            }
        }
    }
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    let mut pending: Vec<String> =
        words(&kernel.text).map(str::to_owned).chain(["operator".to_owned()]).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(word) = pending.pop() {
        if !seen.insert(word.clone()) {
            continue;
        }
        for at in by_name.get(&word).into_iter().flatten() {
            let is_other =
                has_word(head(&items[*at].text), "__global__") && items[*at].kind == Kind::Declaration;
            if !is_other && wanted.insert(*at) {
                pending.extend(words(&items[*at].text).map(str::to_owned));
            }
        }
    }
    let mut made = String::new();
    for (word, line) in OF_THE_HOST {
        let is_defined = by_name.get(word).is_some_and(|known| known.iter().any(|at| wanted.contains(at)));
        if seen.contains(word) && !is_defined {
            made.push_str(line);
            made.push('\n');
        }
    }
    let mut kept: Vec<(bool, String)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let is_kernel = item.file == kernel.file && item.line == kernel.line;
        let keep = match item.kind {
            Kind::Bracket => true,
            Kind::Directive => keeps_directive(item, &seen),
            Kind::Declaration => is_kernel || wanted.contains(&at) || is_using(&item.text),
        };
        if keep {
            kept.push((item.kind == Kind::Directive, item.text.clone()));
        }
        if is_kernel && let Some(instance) = super::instance::of(items, item, name) {
            kept.push((false, instance));
        }
    }
    for line in without_empty(kept) {
        made.push_str(&line);
        made.push('\n');
    }
    made
}

/// A conditional: the line of its start, all its lines, and whether there is something in it.
type Open = (usize, Vec<usize>, bool);

/// The lines without conditionals and namespaces around nothing, and without those whose other end is missing.
fn without_empty(lines: Vec<(bool, String)>) -> Vec<String> {
    let word = |text: &str| text.trim_start_matches('#').trim_start().to_owned();
    let mut keep = vec![true; lines.len()];
    let mut open: Vec<Open> = Vec::new();
    let mut brackets: Vec<(usize, bool)> = Vec::new();
    for (at, (is_directive, text)) in lines.iter().enumerate() {
        let directive = if *is_directive { word(text) } else { String::new() };
        if directive.starts_with("if") {
            open.push((at, vec![at], false));
        } else if directive.starts_with("el") || directive.starts_with("endif") {
            let Some(group) = open.last_mut() else {
                keep[at] = false;
                continue;
            };
            group.1.push(at);
            if directive.starts_with("endif") {
                let Some((_, own, is_full)) = open.pop() else { continue };
                if is_full {
                    for group in &mut open {
                        group.2 = true;
                    }
                } else {
                    for at in own {
                        keep[at] = false;
                    }
                }
            }
        } else if text == "}" {
            match brackets.pop() {
                Some((_, true)) => {}
                Some((from, false)) => (keep[from], keep[at]) = (false, false),
                None => keep[at] = false,
            }
        } else if !is_directive && text.ends_with('{') {
            brackets.push((at, false));
        } else if !directive.starts_with("define") || word(text).split_whitespace().count() > 2 {
            for group in &mut open {
                group.2 = true;
            }
            if !is_directive {
                for bracket in &mut brackets {
                    bracket.1 = true;
                }
            }
        }
    }
    open.iter().flat_map(|group| &group.1).for_each(|at| keep[*at] = false);
    for (at, _) in brackets {
        keep[at] = false;
    }
    lines.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|((_, text), _)| text).collect()
}

fn is_using(text: &str) -> bool {
    text.starts_with("using namespace") && (text.contains("cooperative_groups") || text.contains("nvcuda"))
        || text.starts_with("namespace") && text.contains('=')
}

fn keeps_directive(item: &Item, seen: &BTreeSet<String>) -> bool {
    if let Some(header) = included(item) {
        let is_used = !header.starts_with("cuda/") || seen.contains("cuda");
        return is_used && DEVICE_HEADERS.iter().any(|known| header.starts_with(known));
    }
    match macro_of(item) {
        // An empty one may guard a header, or be asked for.
        Some((name, body)) => seen.contains(name) || body.trim().is_empty(),
        None => !item.text.trim_start_matches('#').trim_start().starts_with("pragma"),
    }
}
