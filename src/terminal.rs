//! How all programs of the book print: results on standard output, errors in one line on standard error.
//!
//! Status 2 means that something could not be done at all. What it leaves out: the meaning of status 1, which each
//! program defines.
//!
//! What is printed contains texts of others: names of files and kernels, lines of a program, what a kernel prints. [`visible`]
//! keeps them from changing what a terminal shows, whether they are printed on one now or later, by `cat`. It leaves out what a
//! program with a `main` prints itself into a pipe, which gets every byte, because it is data for the next program.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::error::ErrorKind as ClapErrorKind;

/// Prints clap's help, or its error in one line.
pub fn refuse(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ClapErrorKind::DisplayHelp | ClapErrorKind::DisplayVersion => {
            print(&format!("{}\n", error.render().ansi().to_string().trim_end()), ExitCode::SUCCESS)
        }
        _ => fail(&format!("{}; for more information, try `--help`", one_line(&error.render().to_string()))),
    }
}

/// The part of clap's message above the usage, in one line and with this project's quotes.
pub fn one_line(message: &str) -> String {
    let end = ["\nUsage:", "\nFor more information"].iter().filter_map(|mark| message.find(mark)).min();
    let words: Vec<&str> = message[..end.unwrap_or(message.len())].split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").replace('\'', "`").replace(" tip: ", "; ")
}

/// The text with each control character and each character that changes the direction of writing as its number, `\u001b`, which
/// is also how JSON writes it. Tabs and the ends of lines stay, and so do colours and weights, of which none can hide a text.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut rest) = (String::with_capacity(text.len() + 16), text);
    while let Some(at) = rest.find(is_hidden) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        let kept = if rest.starts_with("\r\n") { 1 } else { style_bytes(rest) };
        let first = rest.chars().next().map_or(0, char::len_utf8);
        if kept > 0 {
            shown.push_str(&rest[..kept]);
        } else {
            shown.extend(rest[..first].chars().map(|c| format!("\\u{:04x}", u32::from(c))));
        }
        rest = &rest[kept.max(first)..];
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// Whether a character controls a terminal, or the direction of the text around it.
fn is_hidden(c: char) -> bool {
    let is_direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_a_line = matches!(c, '\u{2028}' | '\u{2029}');
    c.is_control() && !matches!(c, '\n' | '\t') || is_direction || ends_a_line
}

/// The length of a style at the start of a text, as programs of this project write it: bold, underlined, a colour of the
/// foreground that is neither black nor white, or the end of all of these.
fn style_bytes(text: &str) -> usize {
    let inner =
        text.strip_prefix("\x1b[").and_then(|rest| rest.split_once('m')).map_or("", |(inner, _)| inner);
    let is_style = inner.len() <= 2 && matches!(inner.parse::<u8>(), Ok(0 | 1 | 3 | 4 | 31..=36 | 91..=96));
    if is_style { "\x1b[m".len() + inner.len() } else { 0 }
}

/// Says why something could not be done. If standard error cannot be written to, the status says it.
pub fn fail(message: &str) -> ExitCode {
    let message: Vec<&str> = message.split_whitespace().collect();
    let _ = writeln!(std::io::stderr(), "error: {}", visible(&message.join(" ")));
    ExitCode::from(2)
}

/// Prints the warnings of a compiler, in its lines.
pub fn warn(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible(message.trim_end()));
}

/// Says why something could not be done, in the lines that a compiler wrote.
pub fn fail_with_log(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {}", visible(message.trim_end()));
    ExitCode::from(2)
}

/// Prints, with colour if a terminal wants it, and ends with `status`. A reader who closes the pipe early has seen
/// enough.
pub fn print(text: &str, status: ExitCode) -> ExitCode {
    match anstream::stdout().lock().write_all(visible(text).as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => fail(&format!("cannot print: {error}")),
        _ => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_or_the_direction_is_shown_as_a_number() {
        for (text, shown) in [
            ("a\x1b[2J\x07b", "a\\u001b[2J\\u0007b"),
            ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
            ("\x1b[8mhidden\x1b[30m\x1b[31;8m", "\\u001b[8mhidden\\u001b[30m\\u001b[31;8m"),
            ("\u{9b}31m \x7f \0", "\\u009b31m \\u007f \\u0000"),
            ("if (\u{202e}x\u{2066}) \u{200f}", "if (\\u202ex\\u2066) \\u200f"),
            ("100 %\rdone\u{2028}", "100 %\\u000ddone\\u2028"),
            ("\x1b", "\\u001b"),
        ] {
            assert_eq!(visible(text), shown);
            let json = serde_json::from_str::<String>(&format!("\"{shown}\"")).unwrap();
            assert_eq!(json, text);
        }
    }

    #[test]
    fn texts_ends_of_lines_and_styles_stay() {
        let styled = format!("{0}bad{0:#}", anstyle::AnsiColor::Red.on_default().bold());
        for text in ["", "a\tb\nc\r\n", "größer als 日本, שלום", "\x1b[1m\x1b[4mUsage\x1b[0m", &styled]
        {
            assert!(matches!(visible(text), Cow::Borrowed(_)) || visible(text) == text);
        }
    }
}
