//! The texts of this crate without comments and indentation, because a web page that uses it is loaded with them.
//!
//! Constants are made of them when the crate is compiled. A line that begins with `//:` is no comment: it begins a chunk
//! (`headers`). No text has `//` inside of a literal.
//!
//! It is `const` code in place of a build script. That is why it works on bytes with loops: iterators cannot be used in
//! a constant. Lines stay lines, because directives and continued lines end with them.

/// Includes a text of `headers/` without comments, indentation and empty lines.
macro_rules! plain {
    ($name:literal) => {{
        const TEXT: &str = include_str!(concat!("../headers/", $name));
        // An array needs its length first, so the text is stripped twice.
        const LENGTH: usize = crate::builtins::plain::strip(TEXT.as_bytes(), &mut []);
        const BYTES: [u8; LENGTH] = {
            let mut bytes = [0; LENGTH];
            crate::builtins::plain::strip(TEXT.as_bytes(), &mut bytes);
            bytes
        };
        match std::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => panic!("a text of this crate is not in UTF-8"),
        }
    }};
}
pub(super) use plain;

/// Writes what is left of a text as far as there is room, and returns how long it is. Called with no room, it only
/// measures.
pub(super) const fn strip(text: &[u8], to: &mut [u8]) -> usize {
    let (mut at, mut length) = (0, 0);
    while at < text.len() {
        // Indentation and empty lines: both are blanks before the first character of a line.
        while at < text.len() && (text[at] == b' ' || text[at] == b'\n') {
            at += 1;
        }
        // The line is `start..end`; `end` stays behind the last character that is no blank, which removes blanks before
        // a comment.
        let start = at;
        let mut end = at;
        while at < text.len() && text[at] != b'\n' {
            let is_comment = text[at] == b'/' && at + 1 < text.len() && text[at + 1] == b'/';
            if is_comment && !(at == start && at + 2 < text.len() && text[at + 2] == b':') {
                break;
            }
            at += 1;
            if text[at - 1] != b' ' {
                end = at;
            }
        }
        while at < text.len() && text[at] != b'\n' {
            at += 1;
        }
        // No `copy_from_slice`: it cannot be called on a part of a slice in a constant.
        let mut next = start;
        while next < end {
            if length < to.len() {
                to[length] = text[next];
            }
            length += 1;
            next += 1;
        }
        if end > start {
            if length < to.len() {
                to[length] = b'\n';
            }
            length += 1;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_disappear_and_the_names_of_chunks_stay() {
        let text = b"// What it is.\n//: f g\n\nint f() {\n    return 1;  // one\n}\n    // more\n#define A \\\n    B";
        let mut bytes = [0; 99];
        let length = strip(text, &mut bytes);
        assert_eq!(
            std::str::from_utf8(&bytes[..length]),
            Ok("//: f g\nint f() {\nreturn 1;\n}\n#define A \\\nB\n")
        );
    }
}
