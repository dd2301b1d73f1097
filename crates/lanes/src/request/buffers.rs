//! What to do with buffers after a run: print, draw or save them.
//!
//! A buffer is called by its name or by the number of an argument. What it leaves out: whether there is such a buffer.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use spec::{is_name, whole};

/// A buffer to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// The buffer, or the number of an argument.
    pub buffer: String,
    /// Which of its elements; if it is `None`, all of them, up to a limit.
    pub which: Option<Range<u64>>,
}

impl Print {
    /// Reads `1`, `1:8` or `1:16..32`.
    pub fn parse(text: &str) -> Result<Print, String> {
        let (name, which) = text.split_once(':').map_or((text, None), |(name, which)| (name, Some(which)));
        let is_argument = name.parse::<usize>().is_ok() || is_name(name);
        let parsed = which.map(range).map_or(Some(None), |range| range.map(Some));
        let Some(which) = parsed.filter(|_| is_argument) else {
            return Err("an argument is counted from 0 and shown as in `1`, `1:8` or `1:16..32`".to_owned());
        };
        if which.as_ref().is_some_and(Range::is_empty) {
            return Err("this range is empty: the second number is not included in it".to_owned());
        }
        Ok(Print { buffer: name.to_owned(), which })
    }
}

/// `8` or `16..32`.
fn range(text: &str) -> Option<Range<u64>> {
    match text.split_once("..") {
        Some((start, end)) => Some(start.parse().ok()?..end.parse().ok()?),
        None => whole(text).map(|count| 0..count),
    }
}

/// As it is written in an option.
impl fmt::Display for Print {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.which {
            None => write!(f, "{}", self.buffer),
            Some(Range { start: 0, end }) => write!(f, "{}:{end}", self.buffer),
            Some(Range { start, end }) => write!(f, "{}:{start}..{end}", self.buffer),
        }
    }
}

/// A buffer to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    /// The buffer, or the number of an argument.
    pub buffer: String,
    pub file: PathBuf,
}

impl Save {
    /// Reads `1=out.bin`.
    pub fn parse(text: &str) -> Result<Save, String> {
        let parts = text.split_once('=').filter(|(name, file)| !name.is_empty() && !file.is_empty());
        let (name, file) = parts.ok_or("a buffer and its file are written as in `1=out.bin`")?;
        Ok(Save { buffer: name.to_owned(), file: file.into() })
    }
}

/// A buffer to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub text: String,
    /// The buffer, or the number of an argument.
    pub buffer: String,
    /// Elements in a row.
    pub width: usize,
    /// The file, if it is not drawn on the terminal.
    pub file: Option<PathBuf>,
}

impl Picture {
    /// Reads `1:64` or `1:64=out.png`.
    pub fn parse(text: &str) -> Result<Picture, String> {
        const HOW: &str = "a picture is written as in `1:64`, with the elements of a row, or `1:64=out.png`";
        let (what, file) = text.split_once('=').map_or((text, None), |(what, file)| (what, Some(file)));
        let (name, width) = what.split_once(':').ok_or(HOW)?;
        let width = width.parse().ok().filter(|width| *width > 0).ok_or(HOW)?;
        if name.is_empty() || file == Some("") {
            return Err(HOW.to_owned());
        }
        let file = file.map(PathBuf::from);
        Ok(Picture { text: text.to_owned(), buffer: name.to_owned(), width, file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_name_an_argument_and_come_back_as_they_were_written() {
        assert_eq!(Print::parse("1").unwrap().which, None);
        assert_eq!(Print::parse("0:8").unwrap().which, Some(0..8));
        assert_eq!(Print::parse("x:3..8").unwrap().which, Some(3..8));
        for text in ["1", "0:8", "2:3..8", "sums:8"] {
            assert_eq!(Print::parse(text).unwrap().to_string(), text);
        }
        for wrong in ["", "x y", "1:", "1:0", "-1", "1:x", "1:4..4", "1:5..4", "1:..4", "1:4..", "1:0..=4"] {
            assert!(Print::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_picture_has_a_buffer_and_a_width() {
        let picture = Picture::parse("y:64=a=b.png").unwrap();
        assert_eq!((picture.buffer.as_str(), picture.width), ("y", 64));
        assert_eq!(picture.file, Some("a=b.png".into()));
        for wrong in ["", "1", "1:0", "1:x", ":4", "1:4="] {
            assert!(Picture::parse(wrong).is_err(), "{wrong}");
        }
    }
}
