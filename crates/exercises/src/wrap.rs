//! Breaks texts into lines, for a screen of any width and for a pipe.
//!
//! Prose is broken between words. Lines that have a layout of their own, such as pictures and a compiler's messages,
//! are left unchanged if they fit. Widths are counted in columns of a terminal.

use ratatui::text::Span;

/// The tone of a text, which a screen shows by its style. The words say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Ordinary text.
    Plain,
    /// Text to read first.
    Strong,
    /// Success.
    Good,
    /// Failure.
    Bad,
    /// Less important text.
    Quiet,
}

/// A paragraph, or a line with a layout of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    tone: Tone,
    /// Precedes the first line; the other lines are indented by its width.
    first: String,
    text: String,
    is_prose: bool,
}

/// A line that fits.
pub type Row = (Tone, String);

impl Said {
    /// A paragraph.
    pub fn prose(tone: Tone, first: &str, text: &str) -> Said {
        Said { tone, first: first.to_owned(), text: clean(text), is_prose: true }
    }

    /// A paragraph that begins with a label.
    pub fn labelled(tone: Tone, label: &str, text: &str) -> Said {
        Said::prose(tone, "", &format!("{label}{text}"))
    }

    /// A line with a layout of its own.
    pub fn line(tone: Tone, first: &str, text: &str) -> Said {
        Said { tone, first: first.to_owned(), text: clean(text), is_prose: false }
    }

    /// An empty line.
    pub fn gap() -> Said {
        Said::line(Tone::Plain, "", "")
    }

    /// Its lines for a width of `width` columns.
    fn rows(&self, width: usize, long: Long) -> Vec<Row> {
        let before = columns(&self.first).min(width / 2);
        let room = (width - before).max(1);
        let lines = if self.is_prose { wrap(&self.text, room, long) } else { fold(&self.text, room, long) };
        let start = |index: usize| if index == 0 { self.first.clone() } else { " ".repeat(before) };
        let row = |(index, line): (usize, String)| {
            let row = format!("{}{line}", start(index));
            (self.tone, row.trim_end().to_owned())
        };
        lines.into_iter().enumerate().map(row).collect()
    }
}

/// What to do with words that are longer than a line.
#[derive(Clone, Copy)]
enum Long {
    /// Cut them, because text outside a screen is invisible.
    Cut,
    /// Keep them whole, so that a path can be copied.
    Whole,
}

/// The lines of all texts, on a screen.
pub fn rows(said: &[Said], width: usize) -> Vec<Row> {
    said.iter().flat_map(|said| said.rows(width, Long::Cut)).collect()
}

/// The same as plain text in 80 columns.
pub fn plain(said: &[Said]) -> String {
    let rows = said.iter().flat_map(|said| said.rows(thirty_two_lanes::report::layout::WIDTH, Long::Whole));
    rows.map(|(_, row)| row + "\n").collect()
}

/// How many columns a text takes.
pub fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

/// The text without tabs, whose width is unknown, and without characters that would control a terminal.
fn clean(text: &str) -> String {
    let text = text.trim_end().replace('\t', "    ");
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').collect()
}

/// Words in lines of at most `room` columns; a line break in the text starts a new line.
fn wrap(text: &str, room: usize, long: Long) -> Vec<String> {
    text.split('\n').flat_map(|line| wrap_line(line, room, long)).collect()
}

fn wrap_line(line: &str, room: usize, long: Long) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split_whitespace().flat_map(|word| pieces(word, room, long)) {
        let last = lines.last_mut().expect("there is a first line");
        if last.is_empty() {
            *last = word;
        } else if columns(last) + 1 + columns(&word) <= room {
            last.push(' ');
            last.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

/// Breaks a line that does not fit. The next lines have the same indentation.
fn fold(text: &str, room: usize, long: Long) -> Vec<String> {
    text.split('\n').flat_map(|line| fold_line(line, room, long)).collect()
}

fn fold_line(line: &str, room: usize, long: Long) -> Vec<String> {
    let blanks = line.chars().take_while(|letter| *letter == ' ').count();
    let indent = " ".repeat(blanks.min(room / 2));
    let (mut rest, mut lines) = (line[blanks..].to_owned(), Vec::new());
    if columns(line) <= room {
        return vec![line.to_owned()];
    }
    while columns(&rest) + indent.len() > room {
        let at = break_at(&rest, room - indent.len(), long);
        let next = rest.split_off(at);
        lines.push(format!("{indent}{}", rest.trim_end()));
        next.trim_start().clone_into(&mut rest);
    }
    if !rest.is_empty() {
        lines.push(format!("{indent}{rest}"));
    }
    lines
}

/// Where to break a line that is too long: after the last word that fits, or within a word if necessary.
fn break_at(line: &str, room: usize, long: Long) -> usize {
    let fits = |at: &usize| columns(&line[..*at]) <= room;
    let ends = || line.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let fitting = ends().take_while(fits).last().unwrap_or(ends().next().unwrap_or(0));
    match (line[..fitting].rfind(' '), long) {
        _ if line[fitting..].starts_with(' ') => fitting,
        (Some(blank), _) => blank + 1,
        (None, Long::Cut) => fitting,
        (None, Long::Whole) => line.find(' ').unwrap_or(line.len()),
    }
}

/// A word, cut into pieces that fit.
fn pieces(word: &str, room: usize, long: Long) -> Vec<String> {
    if matches!(long, Long::Whole) {
        return vec![word.to_owned()];
    }
    let mut pieces = vec![String::new()];
    for letter in word.chars() {
        let last = pieces.last_mut().expect("there is a first piece");
        if !last.is_empty() && columns(last) + columns(letter.encode_utf8(&mut [0; 4])) > room {
            pieces.push(letter.to_string());
        } else {
            last.push(letter);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(said: &Said, width: usize) -> Vec<String> {
        said.rows(width, Long::Cut).into_iter().map(|(_, row)| row).collect()
    }

    #[test]
    fn prose_breaks_between_words_and_hangs() {
        let said = Said::prose(Tone::Plain, "* ", "one two three\nfour");
        assert_eq!(lines(&said, 9), ["* one two", "  three", "  four"]);
    }

    #[test]
    fn lines_with_a_shape_are_left_alone_while_they_fit() {
        let said = Said::line(Tone::Plain, "", "  a   b\n  x   yy   z");
        assert_eq!(lines(&said, 9), ["  a   b", "  x   yy", "  z"]);
        assert_eq!(lines(&said, 6), ["  a", "  b", "  x", "  yy", "  z"]);
        assert_eq!(lines(&Said::line(Tone::Plain, "", "  abcdefgh"), 6), ["  abcd", "  efgh"]);
        let whole = plain(&[Said::line(Tone::Plain, "", &format!("  a {} b", "x".repeat(80)))]);
        assert_eq!(whole, format!("  a\n  {}\n  b\n", "x".repeat(80)));
    }

    #[test]
    fn long_words_are_cut_and_wide_letters_counted() {
        assert_eq!(lines(&Said::prose(Tone::Plain, "", "abcdef"), 4), ["abcd", "ef"]);
        assert_eq!(lines(&Said::prose(Tone::Plain, "", "线程束"), 4), ["线程", "束"]);
    }

    #[test]
    fn paths_stay_whole_in_plain_text() {
        let path = "folder/".repeat(20);
        assert_eq!(
            plain(&[Said::prose(Tone::Plain, "  ", &format!("in {path} now"))]),
            format!("  in\n  {path}\n  now\n")
        );
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(lines(&Said::line(Tone::Plain, "", "a\x1b[31mb\tc"), 80), ["a[31mb    c"]);
    }
}
