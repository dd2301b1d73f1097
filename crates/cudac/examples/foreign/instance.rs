//! The instance of a kernel template that the host's code launches.

use super::items::{Item, Kind};
use super::slice::words;

/// A line that asks for an instance, if the kernel is a template.
pub fn of(items: &[Item], kernel: &Item, name: &str) -> Option<String> {
    let rest = kernel.text.strip_prefix("template")?.trim_start().strip_prefix('<')?;
    let end = closing(rest)?;
    let parameters: Vec<(bool, String)> = pieces(&rest[..end]).iter().map(|text| parameter(text)).collect();
    let arguments =
        launched(items, name, parameters.len()).unwrap_or_else(|| defaults(&parameters, &rest[..end]));
    let open = kernel.text.find(&format!("{name}("))? + name.len();
    let list = &kernel.text[open..];
    let list = &list[..=round(list)?];
    let mut list = list.to_owned();
    for ((_, name), argument) in parameters.iter().zip(&arguments) {
        list = replaced(&list, name, argument);
    }
    Some(format!("template __global__ void {name}<{}>{list};", arguments.join(", ")))
}

/// Where the list that has been opened ends.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, next) in text.char_indices() {
        match next {
            '<' | '(' => depth += 1,
            '>' if depth == 0 => return Some(at),
            '>' | ')' => depth -= 1,
            ';' | '{' => return None,
            _ => {}
        }
    }
    None
}

fn round(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, next) in text.char_indices() {
        match next {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The parts between commas that are in no brackets.
fn pieces(text: &str) -> Vec<String> {
    let mut made = vec![String::new()];
    let mut depth = 0;
    for next in text.chars() {
        match next {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                made.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = made.last_mut() {
            last.push(next);
        }
    }
    made.iter().map(|piece| piece.trim().to_owned()).collect()
}

/// Whether a parameter is a type, and its name.
fn parameter(text: &str) -> (bool, String) {
    let own = text.split('=').next().unwrap_or_default();
    let is_type = own.starts_with("typename") || own.starts_with("class");
    (is_type, words(own).last().unwrap_or_default().to_owned())
}

const KNOWN: [&str; 24] = [
    "float", "double", "int", "unsigned", "char", "short", "long", "bool", "true", "false", "float2",
    "float4", "uint", "half", "uchar4", "int4", "const", "size_t", "float3", "int2", "uint4", "double2",
    "uchar", "signed",
];

/// The arguments of a launch in the text whose meaning needs no more text.
fn launched(items: &[Item], name: &str, count: usize) -> Option<Vec<String>> {
    let pattern = format!("{name}<");
    for item in items.iter().filter(|item| item.kind == Kind::Declaration) {
        for (at, _) in item.text.match_indices(&pattern) {
            let rest = &item.text[at + pattern.len()..];
            if rest.starts_with("<<")
                || item.text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            {
                continue;
            }
            let Some(end) = closing(rest) else { continue };
            let arguments = pieces(&rest[..end]);
            let is_plain = arguments.iter().all(|text| words(text).all(|word| KNOWN.contains(&word)));
            if arguments.len() == count && is_plain {
                return Some(arguments);
            }
        }
    }
    None
}

fn defaults(parameters: &[(bool, String)], text: &str) -> Vec<String> {
    let written = pieces(text);
    let value = |text: &String| if text.starts_with("bool") { "true".to_owned() } else { "32".to_owned() };
    parameters
        .iter()
        .zip(&written)
        .map(|((is_type, _), text)| if *is_type { "float".to_owned() } else { value(text) })
        .collect()
}

fn replaced(text: &str, word: &str, by: &str) -> String {
    let mut made = String::new();
    let mut own = String::new();
    for next in text.chars().chain([' ']) {
        if next.is_ascii_alphanumeric() || next == '_' {
            own.push(next);
            continue;
        }
        made.push_str(if own == word { by } else { &own });
        own.clear();
        made.push(next);
    }
    made.trim_end().to_owned()
}
