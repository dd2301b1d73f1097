//! Makes the compiler's output the same on every machine, and small enough to commit.
//!
//! It changes three things:
//! - `.file` lines contain absolute paths. They are cut to the file's name, and for CUDA's own headers to the part that
//!   an `#include` would name.
//! - `-G` adds DWARF, 95 % of the file, which only a debugger reads. Its sections are replaced by nearly empty ones.
//!   They cannot be removed, because `.target …, debug` requires them, and without that word the assembler would
//!   optimise, which is what a debug build is meant to prevent.
//! - Calls are numbered, and the count continues from the texts that the same process compiled before. Here they are
//!   numbered by their place in the text.
//!
//! It keeps the `.loc` lines, and the `.debug_str` of optimised builds, whose labels name inlined functions.

/// The smallest DWARF that every assembler from 12.0 to 13.4 accepts: one compile unit with an empty name. It cannot be
/// empty, because 12.9 crashes on empty sections.
const SMALLEST_DWARF: &str = "\
\t.section\t.debug_abbrev
\t{
// Abbreviation 1: a compile unit (17) without children, with a name (3) that is a string (8).
.b8 1, 17, 0, 3, 8, 0, 0
.b8 0
\t}
\t.section\t.debug_info
\t{
// Length of what follows, DWARF version, abbreviations, bytes in an address; then the one unit and its name.
.b32 9
.b8 2, 0
.b32 .debug_abbrev
.b8 8
.b8 1, 0
\t}
";

/// Tidies a PTX text; all lines end in LF, including the last one.
pub(crate) fn ptx(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let debug = text.lines().any(|line| line.starts_with(".target") && line.contains("debug"));
    let mut tidied = String::with_capacity(text.len());
    let mut calls = Vec::new();
    for line in without_sections(&text, debug) {
        tidied.push_str(&renumbered(&short_file(line), &mut calls));
        tidied.push('\n');
    }
    let end = tidied.trim_end().len();
    tidied.truncate(end);
    tidied.push('\n');
    if debug {
        tidied.push_str(SMALLEST_DWARF);
    }
    tidied
}

/// The lines without the DWARF sections; all lines if it is not a debug build.
fn without_sections(text: &str, debug: bool) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        inside |= debug && line.trim_start().starts_with(".section");
        let keep = !inside;
        inside &= line.trim() != "}";
        keep
    })
}

/// Shortens the path in a `.file` line, and removes the size and date that `nvcc` adds after it.
fn short_file(line: &str) -> String {
    let mut parts = line.split('"');
    match (parts.next(), parts.next()) {
        (Some(start), Some(path)) if start.trim_start().starts_with(".file") => {
            format!("{start}\"{}\"", short_path(&path.replace('\\', "/")))
        }
        _ => line.to_owned(),
    }
}

/// If a line names a call, numbers that call by its place among the calls of the text. `calls` has those named before.
fn renumbered(line: &str, calls: &mut Vec<String>) -> String {
    for word in ["// callseq ", "prototype_"] {
        let Some((before, rest)) = line.split_once(word) else { continue };
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let place = calls.iter().position(|call| call == number).unwrap_or_else(|| {
            calls.push(number.to_owned());
            calls.len() - 1
        });
        return format!("{before}{word}{place}{after}");
    }
    line.to_owned()
}

/// The part after the last `include` folder, or else the file's name.
fn short_path(path: &str) -> &str {
    match path.rsplit_once("/include/") {
        Some((_, header)) => header,
        None => path.rsplit('/').next().unwrap_or(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_names() {
        let text = "\t.file\t1 \"/home/reader/book/one.cu\"\n\t.file\t2 \"C:\\\\cuda\\\\include\\\\details\\\\sync.h\", 17, 4\n";
        let short = ptx(&text.replace("\\\\", "\\"));
        assert_eq!(short, "\t.file\t1 \"one.cu\"\n\t.file\t2 \"details/sync.h\"\n");
    }

    #[test]
    fn other_strings_are_left_alone() {
        let line = ".pragma \"a/b/c\";\n";
        assert_eq!(ptx(line), line);
    }

    #[test]
    fn a_debug_build_keeps_its_lines_and_loses_its_dwarf() {
        let text = ".target sm_70, debug\n.loc 1 2 3\n}\n\t.section\t.debug_info\n\t{\n.b32 7\n\t}\n\t.section\t.debug_str\n{\n}\n";
        assert_eq!(ptx(text), format!(".target sm_70, debug\n.loc 1 2 3\n}}\n{SMALLEST_DWARF}"));
    }

    #[test]
    fn an_optimised_build_keeps_the_names_of_inlined_functions() {
        let text = ".target sm_70\n\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 65,0\n\t}\n";
        assert_eq!(ptx(text), text);
    }

    #[test]
    fn calls_are_numbered_by_their_place() {
        let text = "{ // callseq 274, 0\nprototype_274 : .callprototype ()_ ();\n} // callseq 274\n{ // callseq 280, 0\n";
        let wanted =
            "{ // callseq 0, 0\nprototype_0 : .callprototype ()_ ();\n} // callseq 0\n{ // callseq 1, 0\n";
        assert_eq!(ptx(text), wanted);
    }

    #[test]
    fn windows_line_ends_are_removed() {
        assert_eq!(ptx("ret;\r\n}\r\n\r\n"), "ret;\n}\n");
    }
}
