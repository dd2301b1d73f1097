//! Which lines of a file a page needs: of the committed PTX the kernel alone, and of the CUDA source the functions that its
//! instructions come from. In the page every line keeps its number.

use std::collections::HashMap;

use anyhow::{Result, bail};

/// The first and the last line of a part, from 1.
pub(super) type Range = [usize; 2];

/// The lines of PTX without the bodies of kernels that have other names, without variables that nothing uses, and without
/// comments.
pub(super) fn only(text: &str, kernels: &[&str]) -> Result<Vec<Range>> {
    let (mut kept, mut is_other, mut missing) = (Vec::new(), false, kernels.to_vec());
    for line in text.lines() {
        if let Some((_, entry)) = line.split_once(".entry ") {
            let name = entry.trim_end().trim_end_matches(['(', ')']);
            missing.retain(|kernel| *kernel != name);
            is_other = !kernels.contains(&name);
        }
        kept.push(if is_other || line.starts_with("//") { "" } else { line });
        is_other &= line != "}";
    }
    if let Some(kernel) = missing.first() {
        bail!("the PTX has no kernel `{kernel}`");
    }
    let last = last_lines(&kept);
    let is_used = |(index, line): (usize, &&str)| variable(line).is_none_or(|name| last[name] != index);
    let is_kept: Vec<bool> =
        kept.iter().enumerate().map(|(index, line)| !line.is_empty() && is_used((index, line))).collect();
    let is_blank: Vec<bool> = text.lines().map(str::is_empty).collect();
    Ok(ranges(&is_kept, &is_blank))
}

/// The parts of a text that are kept. A blank line does not end a part.
fn ranges(is_kept: &[bool], is_blank: &[bool]) -> Vec<Range> {
    let mut found: Vec<Range> = Vec::new();
    let mut goes_on = false;
    for number in (1..=is_kept.len()).filter(|number| !is_blank[number - 1]) {
        match found.last_mut() {
            Some([_, to]) if is_kept[number - 1] && goes_on => *to = number,
            _ if is_kept[number - 1] => found.push([number, number]),
            _ => {}
        }
        goes_on = is_kept[number - 1];
    }
    found
}

/// A text with these parts only, as the preprocessor writes it into a page.
pub(super) fn text(whole: &str, kept: &[Range]) -> String {
    let end = kept.last().map_or(0, |[_, to]| *to);
    let is_kept = |number: usize| kept.iter().any(|[from, to]| (*from..=*to).contains(&number));
    let lines = (1..=end).zip(whole.lines()).map(|(number, line)| if is_kept(number) { line } else { "" });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The last line in which each name occurs.
fn last_lines<'t>(lines: &[&'t str]) -> HashMap<&'t str, usize> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let names =
        |(index, line): (usize, &&'t str)| line.split(move |c| !is_of_name(c)).map(move |name| (name, index));
    lines.iter().enumerate().flat_map(names).collect()
}

/// The name of the variable that a line of a module declares: `.global .align 4 .u32 count = 1;`.
fn variable(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(".global ").or_else(|| line.strip_prefix(".const "))?;
    let name = rest.split([';', '=', '[']).next()?.split_whitespace().last()?;
    (!name.starts_with('.')).then_some(name)
}

/// The lines of the CUDA source that the instructions name: `.loc 1 42 5`.
pub(super) fn lines_of(ptx: &str) -> Vec<usize> {
    let line = |text: &str| {
        let mut words = text.trim().strip_prefix(".loc")?.split_whitespace();
        (words.next() == Some("1")).then(|| words.next()?.parse().ok())?
    };
    ptx.lines().filter_map(line).collect()
}

/// The functions around these lines. A function begins with the last line before that begins at the margin with a word, and
/// ends with the next closing brace at the margin.
pub(super) fn functions(source: &str, wanted: &[usize]) -> Vec<Range> {
    let lines: Vec<&str> = source.lines().collect();
    let mut is_kept = vec![false; lines.len()];
    for &line in wanted.iter().filter(|&&line| line >= 1 && line <= lines.len()) {
        if is_kept[line - 1] {
            continue;
        }
        let begins = |number: &usize| lines[number - 1].starts_with(|c: char| c.is_alphabetic());
        let from = (1..=line).rev().find(begins).unwrap_or(line);
        let to = (line..=lines.len()).find(|number| lines[number - 1].starts_with('}')).unwrap_or(line);
        // A template's line is above its function's.
        let from = from - usize::from(from > 1 && lines[from - 2].starts_with("template"));
        is_kept[from - 1..to].fill(true);
    }
    ranges(&is_kept, &vec![false; lines.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "// c\n.version 7.0\n.visible .entry other(\n)\n{\n ret;\n}\n\n.visible .entry one(\n)\n{\n\n .loc 1 4 2\n ret;\n}\n.file 1 \"a\"\n";

    #[test]
    fn other_kernels_are_left_out_and_lines_keep_their_numbers() {
        let kept = only(PTX, &["one"]).unwrap();
        assert_eq!(kept, [[2, 2], [9, 16]]);
        let text = text(PTX, &kept);
        assert!(!text.contains("other") && !text.contains("// c"));
        assert_eq!(text.lines().nth(8), Some(".visible .entry one("));
        assert!(text.ends_with(".file 1 \"a\"\n"));
        assert!(only(PTX, &["on"]).is_err());
        assert_eq!(only(PTX, &["one", "other"]).unwrap(), [[2, 16]]);
        assert!(only(PTX, &["one", "others"]).is_err());
    }

    #[test]
    fn variables_that_nothing_uses_are_left_out() {
        let text = ".global .align 4 .u32 wanted[2];\n.global .u32 want = 1;\n.visible .entry one(\n)\n{\n ld.global.u32 %r1, [wanted];\n}\n";
        assert_eq!(only(text, &["one"]).unwrap(), [[1, 1], [3, 7]]);
    }

    #[test]
    fn functions_are_found_from_their_lines() {
        let source =
            "// a\ntemplate <int n>\n__device__ int f() {\n    return n;\n}\n\nint g() {\n    return 1;\n}\n";
        assert_eq!(lines_of(PTX), [4]);
        assert_eq!(functions(source, &[4]), [[2, 5]]);
        assert_eq!(functions(source, &[8, 4, 99]), [[2, 5], [7, 9]]);
    }
}
