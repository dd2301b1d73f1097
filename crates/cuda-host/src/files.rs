//! Files: which of those around a program it may read, and what it has written itself.
//!
//! This crate does no I/O. Whoever runs a program says with a [`Files`] what is around it, and gets what the program wrote
//! in the [`Outcome`](crate::Outcome). In between, a file that is open or was changed is in memory, so a program reads back
//! what it has written, also after `fclose`. What was read and not changed is forgotten when it is closed.

use std::collections::BTreeMap;
use std::fmt;

/// Bytes that a file takes besides its contents, so that empty files come to the bound of memory as well.
const ENTRY_BYTES: u64 = 256;

/// So many paths that lie outside are kept for the report.
const MOST_OUTSIDE: usize = 16;

/// Why a file cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such file, or no such folder.
    Missing,
    /// It is a folder.
    Folder,
    /// It is a device or a pipe, or access is denied.
    Denied,
    /// It lies outside of what a program may read.
    Outside,
    /// It has more bytes than were asked for.
    TooLarge,
}

/// What is around a program: its standard input, and files.
pub trait Files: fmt::Debug + Sync {
    /// The whole standard input. Asked for when the program first reads it.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn input(&self) -> Result<Vec<u8>, String>;

    /// Where a path leads, whether there is a file or not: equal for two paths if and only if they lead to one file.
    ///
    /// # Errors
    /// No file can be there.
    fn place(&self, path: &str) -> Result<String, Refusal>;

    /// The bytes of the file at a place, at most so many.
    ///
    /// # Errors
    /// There is none, or the program may not read it.
    fn read(&self, place: &str, most: u64) -> Result<Vec<u8>, Refusal>;
}

/// An empty standard input, and no files.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Files for Nothing {
    fn input(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    fn place(&self, path: &str) -> Result<String, Refusal> {
        Ok(path.to_owned())
    }

    fn read(&self, _: &str, _: u64) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::Missing)
    }
}

/// A file that a program has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// What the program calls it.
    pub path: String,
    /// Where it is, as [`Files::place`] says.
    pub place: String,
    /// All of its bytes.
    pub bytes: Vec<u8>,
}

/// What a program did with files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The files that it wrote, by their places. On disk nothing has changed.
    pub written: Vec<Written>,
    /// The places of files that it removed or renamed. They are still there.
    pub removed: Vec<String>,
    /// Paths of files that it tried to read and that lie outside of what it may read, at most a few.
    pub outside: Vec<String>,
}

/// The bytes of a file.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub path: String,
    /// Its place; none if nobody else can find it, as after `remove` and with `tmpfile`.
    pub place: Option<String>,
    pub bytes: Vec<u8>,
    pub is_changed: bool,
    /// How often it is open.
    pub opened: usize,
}

/// How a file was opened, and how far it has been read.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "C asks for each by itself")]
pub(crate) struct Open {
    /// By its number; none for the standard output and the standard error, and for `/dev/null`.
    pub content: Option<u64>,
    pub at: u64,
    pub can_read: bool,
    pub can_write: bool,
    pub appends: bool,
    pub is_at_end: bool,
    pub has_failed: bool,
    /// What `ungetc` has put back, the next byte last.
    pub pushed: Vec<u8>,
}

impl Open {
    /// How many of the bytes before its place are to be read again.
    pub fn back(&self) -> u64 {
        self.at.min(self.pushed.len() as u64)
    }
}

/// The files of a program.
#[derive(Debug)]
pub(crate) struct Store<'p> {
    pub outer: &'p dyn Files,
    /// By their numbers: 0 is the standard input, once it was read.
    pub contents: BTreeMap<u64, Content>,
    last_content: u64,
    /// What is at a place; nothing if the program has removed it.
    pub names: BTreeMap<String, Option<u64>>,
    /// By their numbers, which streams into texts share: 0 to 2 are those that every program has.
    pub open: BTreeMap<u64, Open>,
    /// Bytes of all files.
    pub bytes: u64,
    pub outside: Vec<String>,
    /// Where `errno` is in memory, after the first use of it.
    pub errno: Option<u64>,
}

impl<'p> Store<'p> {
    pub fn new(outer: &'p dyn Files) -> Store<'p> {
        let input = Open { content: Some(0), can_read: true, ..Open::default() };
        let output = || Open { can_write: true, ..Open::default() };
        Store {
            outer,
            contents: BTreeMap::new(),
            last_content: 0,
            names: BTreeMap::new(),
            open: BTreeMap::from([(0, input), (1, output()), (2, output())]),
            bytes: 0,
            outside: Vec::new(),
            errno: None,
        }
    }

    /// Notes a path that lies outside.
    pub fn note_outside(&mut self, path: &str) {
        if self.outside.len() < MOST_OUTSIDE && self.outside.iter().all(|known| known != path) {
            self.outside.push(path.to_owned());
        }
    }

    /// Adds a file; its number.
    pub fn add(&mut self, content: Content) -> u64 {
        self.last_content += 1;
        self.bytes += content.bytes.len() as u64 + ENTRY_BYTES;
        if let Some(place) = &content.place {
            self.names.insert(place.clone(), Some(self.last_content));
        }
        self.contents.insert(self.last_content, content);
        self.last_content
    }

    /// Forgets a file that is not open, if nobody can find it, or if it is as it was.
    pub fn tidy(&mut self, number: u64) {
        let Some(content) = self.contents.get(&number) else { return };
        if number == 0 || content.opened > 0 || content.is_changed && content.place.is_some() {
            return;
        }
        if let Some(content) = self.contents.remove(&number) {
            self.bytes -= content.bytes.len() as u64 + ENTRY_BYTES;
            content.place.map(|place| self.names.remove(&place));
        }
    }

    /// Takes the name of what is at a place, which is still open perhaps; whether something was there.
    pub fn unname(&mut self, place: &str) -> Result<(), Refusal> {
        let is_outer = match self.outer.read(place, 0) {
            Ok(_) | Err(Refusal::TooLarge) => Ok(()),
            Err(refusal) => Err(refusal),
        };
        let known = match (self.names.get(place), is_outer) {
            (Some(None), _) => return Err(Refusal::Missing),
            (None, Err(refusal)) => return Err(refusal),
            (known, _) => known.copied().flatten(),
        };
        self.names.remove(place);
        if is_outer.is_ok() {
            self.names.insert(place.to_owned(), None);
        }
        if let Some(number) = known {
            self.contents.entry(number).and_modify(|content| content.place = None);
            self.tidy(number);
        }
        Ok(())
    }

    /// What the program has done.
    pub fn used(self) -> Used {
        let removed = self.names.iter().filter(|(_, number)| number.is_none());
        let removed = removed.map(|(place, _)| place.clone()).collect();
        let mut contents = self.contents;
        let changed = self.names.into_iter().filter_map(|(place, number)| {
            let content = contents.remove(&number?).filter(|content| content.is_changed)?;
            Some(Written { path: content.path, place, bytes: content.bytes })
        });
        Used { written: changed.collect(), removed, outside: self.outside }
    }
}
