//! C's functions for files.
//!
//! A `FILE*` is the address of nothing: [`FILE_BASE`] and the number of the file. Numbers are not used again, so a use after
//! `fclose` is always found. Specification: ISO C17, 7.21. Left out: buffers, wide characters, `freopen`.

use cudac::host::{FILE_BASE, FILE_BYTES, Scalar};

use crate::files::{Content, Open, Refusal};
use crate::finding::Kind;
use crate::function::FileFunction as Function;
use crate::machine::{Machine, Result, Stop};
use crate::memory::{Access, BASE, state};

/// -1, which most functions return when they fail.
const FAILED: u64 = u64::MAX;

/// So many bytes can be put back.
const MOST_PUSHED: usize = 4096;

// The numbers of `errno` that Linux has.
const NO_ENTRY: u64 = 2;
const BAD_FILE: u64 = 9;
const ACCESS: u64 = 13;
const EXISTS: u64 = 17;
const IS_FOLDER: u64 = 21;
const INVALID: u64 = 22;
const NO_SEEK: u64 = 29;

/// What `fopen` is told.
#[derive(Clone, Copy, Debug)]
struct Mode {
    /// `r`, `w` or `a`.
    letter: u8,
    /// `+`
    is_both: bool,
    /// `x`
    is_new: bool,
}

impl Mode {
    fn of(text: &[u8]) -> Option<Mode> {
        let (letter, rest) = text.split_first()?;
        let is_known = b"rwa".contains(letter) && rest.iter().all(|word| b"+btx".contains(word));
        let has = |word| rest.contains(&word);
        is_known.then_some(Mode { letter: *letter, is_both: has(b'+'), is_new: has(b'x') })
    }

    fn open(self, content: Option<u64>) -> Open {
        Open {
            content,
            can_read: self.letter == b'r' || self.is_both,
            can_write: self.letter != b'r' || self.is_both,
            appends: self.letter == b'a',
            ..Open::default()
        }
    }
}

fn errno(refusal: Refusal) -> u64 {
    match refusal {
        Refusal::Missing => NO_ENTRY,
        Refusal::Folder => IS_FOLDER,
        Refusal::Denied | Refusal::Outside | Refusal::TooLarge => ACCESS,
    }
}

impl Machine<'_> {
    /// Carries out a function.
    pub(crate) fn of_file(&mut self, function: Function, values: &[u64]) -> Result<u64> {
        let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
        let (a, b, c, d) = (at(0), at(1), at(2), at(3));
        match function {
            Function::Open => self.open_file(a, b),
            Function::Temporary => {
                self.charge(0)?;
                let number = self.files.add(Content::default());
                let both = Mode { letter: b'w', is_both: true, is_new: false };
                self.opened(both.open(Some(number)))
            }
            Function::Close => self.close_file(a),
            Function::Read => self.read_file(a, b, c, d),
            Function::Write => self.write_file(a, b, c, d),
            Function::GetText => self.get_text(a, b as i32, c),
            Function::GetByte => self.get_byte(a),
            Function::UngetByte => self.unget_byte(a, b),
            Function::PutText => {
                let text = self.text(a)?;
                let number = self.file(b)?;
                Ok(if self.write(number, &text)? { 1 } else { FAILED })
            }
            Function::PutByte => {
                let number = self.file(b)?;
                Ok(if self.write(number, &[a as u8])? { u64::from(a as u8) } else { FAILED })
            }
            Function::Seek => self.seek(a, b as i64, c),
            Function::Tell => self.tell(a),
            Function::IsAtEnd => Ok(u64::from(self.open_mut(a)?.is_at_end)),
            Function::HasFailed => Ok(u64::from(self.open_mut(a)?.has_failed)),
            Function::Clear => {
                let open = self.open_mut(a)?;
                (open.is_at_end, open.has_failed) = (false, false);
                Ok(0)
            }
            Function::Flush if a == 0 => Ok(0),
            Function::Flush => self.file(a).map(|_| 0),
            Function::Remove => {
                let path = self.text(a)?;
                match self.leads_to(&path).and_then(|place| self.files.unname(&place)) {
                    Ok(()) => Ok(0),
                    Err(refusal) => self.refuse(&path, refusal).map(|()| FAILED),
                }
            }
            Function::Rename => self.rename(a, b),
            Function::Errno => self.errno_address(),
            Function::LineBytes => self.line_bytes(a, b as u8),
            Function::Number => Ok(a.wrapping_sub(FILE_BASE) / FILE_BYTES),
        }
    }
}

/// Names, and the beginning and the end of a use.
impl Machine<'_> {
    /// Where a path leads. A path that is no UTF-8 leads nowhere.
    fn leads_to(&self, path: &[u8]) -> std::result::Result<String, Refusal> {
        let path = std::str::from_utf8(path).map_err(|_| Refusal::Missing)?;
        if path.is_empty() { Err(Refusal::Missing) } else { self.files.outer.place(path) }
    }

    /// A file cannot be used, which `errno` says.
    fn refuse(&mut self, path: &[u8], refusal: Refusal) -> Result<()> {
        if refusal == Refusal::Outside {
            self.files.note_outside(&String::from_utf8_lossy(path));
        }
        self.set_errno(errno(refusal))
    }

    /// Where `errno` is.
    fn errno_address(&mut self) -> Result<u64> {
        if let Some(known) = self.files.errno {
            return Ok(known);
        }
        let [most, _] = self.most_bytes();
        let at = self.memory.add(4, state::SET, 1, most).ok_or_else(|| self.out_of_memory())?;
        self.files.errno = Some(BASE + at);
        Ok(BASE + at)
    }

    fn set_errno(&mut self, code: u64) -> Result<()> {
        let address = self.errno_address()?;
        self.store(Scalar::I32, address, code)
    }

    /// Refuses bytes of files that do not fit into memory.
    fn charge(&self, more: u64) -> Result<()> {
        if more < self.bytes_for_files() { Ok(()) } else { Err(self.out_of_memory().into()) }
    }

    /// A new `FILE*`.
    fn opened(&mut self, open: Open) -> Result<u64> {
        self.check_handles(self.files.open.len(), "open files", "close each with `fclose` when it is done")?;
        self.last_stream += 1;
        if let Some(content) = open.content.and_then(|number| self.files.contents.get_mut(&number)) {
            content.opened += 1;
        }
        self.files.open.insert(self.last_stream, open);
        Ok(FILE_BASE + FILE_BYTES * self.last_stream)
    }

    fn open_file(&mut self, path: u64, mode: u64) -> Result<u64> {
        let (path, mode) = (self.text(path)?, self.text(mode)?);
        let Some(mode) = Mode::of(&mode) else { return self.set_errno(INVALID).map(|()| 0) };
        if path == b"/dev/null" {
            return self.opened(mode.open(None));
        }
        let found = self.leads_to(&path).and_then(|place| self.found_at(&path, place, mode));
        match found {
            Ok(Some(number)) => self.opened(mode.open(Some(number))),
            Ok(None) => self.set_errno(EXISTS).map(|()| 0),
            Err(Refusal::TooLarge) => Err(self.out_of_memory().into()),
            Err(refusal) => self.refuse(&path, refusal).map(|()| 0),
        }
    }

    /// The file at a place, as it is when it has just been opened; nothing if it has to be new and is not.
    fn found_at(
        &mut self,
        path: &[u8],
        place: String,
        mode: Mode,
    ) -> std::result::Result<Option<u64>, Refusal> {
        let known = self.files.names.get(&place).copied();
        let creates = mode.letter != b'r';
        if let Some(Some(number)) = known {
            if mode.is_new {
                return Ok(None);
            }
            if let Some(content) = self.files.contents.get_mut(&number).filter(|_| mode.letter == b'w') {
                self.files.bytes -= content.bytes.len() as u64;
                content.bytes = Vec::new();
                content.is_changed = true;
            }
            return Ok(Some(number));
        }
        let room = self.bytes_for_files();
        let outer = match known {
            Some(None) => Err(Refusal::Missing),
            _ if mode.is_new => match self.files.outer.read(&place, 0) {
                Ok(_) | Err(Refusal::TooLarge) => return Ok(None),
                other => other,
            },
            _ if mode.letter == b'w' => Err(Refusal::Missing),
            _ => self.files.outer.read(&place, room),
        };
        let (bytes, is_changed) = match outer {
            Ok(bytes) => (bytes, false),
            Err(Refusal::Missing) if creates => (Vec::new(), true),
            Err(refusal) => return Err(refusal),
        };
        // Room for one more file, or it is as if it were too large.
        if bytes.len() as u64 >= room {
            return Err(Refusal::TooLarge);
        }
        let path = String::from_utf8_lossy(path).into_owned();
        let content = Content { path, place: Some(place), bytes, is_changed, opened: 0 };
        Ok(Some(self.files.add(content)))
    }

    fn close_file(&mut self, file: u64) -> Result<u64> {
        let number = self.number_of(file)?;
        let Some(open) = self.files.open.remove(&number) else {
            let help = "close it once, and set the pointer to `NULL` then";
            return self.found(Kind::DoubleFree, "a file is closed a second time", help);
        };
        if let Some(number) = open.content {
            self.files.contents.entry(number).and_modify(|content| content.opened -= 1);
            self.files.tidy(number);
        }
        Ok(0)
    }

    fn rename(&mut self, from: u64, to: u64) -> Result<u64> {
        let (from, to) = (self.text(from)?, self.text(to)?);
        let reads = Mode { letter: b'r', is_both: false, is_new: false };
        let places =
            self.leads_to(&from).and_then(|old| Ok((self.found_at(&from, old, reads)?, self.leads_to(&to)?)));
        let (number, place) = match places {
            Ok((Some(number), place)) => (number, place),
            Ok((None, _)) => return Ok(FAILED),
            Err(Refusal::TooLarge) => return Err(self.out_of_memory().into()),
            Err(refusal) => return self.refuse(&from, refusal).map(|()| FAILED),
        };
        let Some(old) = self.files.contents.get(&number).and_then(|content| content.place.clone()) else {
            return Ok(FAILED);
        };
        if old == place {
            return Ok(0);
        }
        // What was there is replaced, and need not have been.
        let _ = self.files.unname(&place);
        if let Some(content) = self.files.contents.get_mut(&number) {
            content.opened += 1;
            content.is_changed = true;
        }
        let _ = self.files.unname(&old);
        self.files.names.insert(place.clone(), Some(number));
        if let Some(content) = self.files.contents.get_mut(&number) {
            content.opened -= 1;
            content.path = String::from_utf8_lossy(&to).into_owned();
            content.place = Some(place);
        }
        Ok(0)
    }

    /// The number of a `FILE*`, which may be closed.
    fn number_of(&self, file: u64) -> Result<u64> {
        if file == 0 {
            let help =
                "test what `fopen` returned: it is `NULL` if the file cannot be opened, and `errno` says why";
            return self.found(Kind::OutOfBounds, "a null pointer is used as a file", help);
        }
        let number = file.checked_sub(FILE_BASE).filter(|distance| distance.is_multiple_of(FILE_BYTES));
        match number.map(|distance| distance / FILE_BYTES).filter(|number| *number <= self.last_stream) {
            Some(number) => Ok(number),
            None => self.found(
                Kind::OutOfBounds,
                format!("{file:#x} is used as a file, and is none"),
                "use what `fopen` returned",
            ),
        }
    }

    /// The number of a `FILE*` that is open.
    pub(crate) fn file(&self, file: u64) -> Result<u64> {
        let number = self.number_of(file)?;
        if self.files.open.contains_key(&number) {
            return Ok(number);
        }
        let help = "close it after its last use";
        self.found(Kind::UseAfterFree, "a file is used after it was closed", help)
    }

    fn open_mut(&mut self, file: u64) -> Result<&mut Open> {
        let number = self.file(file)?;
        self.open_at(number)
    }

    fn open_at(&mut self, number: u64) -> Result<&mut Open> {
        self.files.open.get_mut(&number).ok_or_else(|| Stop::error("this file is not open"))
    }

    /// A file is read or written that was not opened for that.
    fn wrong_way(&mut self, number: u64) -> Result<()> {
        self.open_at(number)?.has_failed = true;
        self.set_errno(BAD_FILE)
    }
}

/// Bytes.
impl Machine<'_> {
    /// Whether a file may be read. The standard input is there then.
    pub(crate) fn may_read(&mut self, number: u64) -> Result<bool> {
        if number == 0 && !self.files.contents.contains_key(&0) {
            let bytes = self.files.outer.input().map_err(Stop::error)?;
            self.files.contents.insert(0, Content { bytes, opened: 1, ..Content::default() });
        }
        if self.open_at(number)?.can_read {
            return Ok(true);
        }
        self.wrong_way(number).map(|()| false)
    }

    /// The next bytes of a file: so many, or fewer if it ends, or up to a byte that ends them.
    fn next_bytes(&mut self, number: u64, most: u64, end: Option<u8>) -> Result<Vec<u8>> {
        if !self.may_read(number)? {
            return Ok(Vec::new());
        }
        let Some(open) = self.files.open.get_mut(&number) else { return Ok(Vec::new()) };
        let mut bytes = Vec::new();
        let is_over =
            |bytes: &[u8]| bytes.len() as u64 >= most || end.is_some() && bytes.last() == end.as_ref();
        while let Some(byte) = open.pushed.last().copied().filter(|_| !is_over(&bytes)) {
            open.pushed.pop();
            bytes.push(byte);
        }
        if is_over(&bytes) {
            return Ok(bytes);
        }
        let all = open.content.and_then(|content| self.files.contents.get(&content));
        let rest = all.and_then(|content| content.bytes.get(open.at as usize..)).unwrap_or_default();
        let rest = &rest[..rest.len().min((most - bytes.len() as u64) as usize)];
        let count =
            end.and_then(|end| rest.iter().position(|byte| *byte == end)).map_or(rest.len(), |at| at + 1);
        bytes.extend_from_slice(&rest[..count]);
        open.at += count as u64;
        open.is_at_end |= !is_over(&bytes);
        Ok(bytes)
    }

    fn get_byte(&mut self, file: u64) -> Result<u64> {
        let number = self.file(file)?;
        let byte = self.next_bytes(number, 1, None)?;
        Ok(byte.first().map_or(FAILED, |byte| u64::from(*byte)))
    }

    fn unget_byte(&mut self, byte: u64, file: u64) -> Result<u64> {
        let open = self.open_mut(file)?;
        if byte as u32 == u32::MAX || open.pushed.len() >= MOST_PUSHED {
            return Ok(FAILED);
        }
        open.pushed.push(byte as u8);
        open.is_at_end = false;
        Ok(u64::from(byte as u8))
    }

    fn get_text(&mut self, to: u64, size: i32, file: u64) -> Result<u64> {
        let number = self.file(file)?;
        if size <= 0 {
            return Ok(0);
        }
        let mut text = self.next_bytes(number, size as u64 - 1, Some(b'\n'))?;
        if text.is_empty() && size > 1 {
            return Ok(0);
        }
        text.push(0);
        self.give(to, &text, |_| true).map(|()| to)
    }

    fn read_file(&mut self, to: u64, size: u64, count: u64, file: u64) -> Result<u64> {
        let number = self.file(file)?;
        if size == 0 || count == 0 {
            return Ok(0);
        }
        let bytes = self.next_bytes(number, size.saturating_mul(count), None)?;
        self.give(to, &bytes, |_| true)?;
        Ok(bytes.len() as u64 / size)
    }

    /// An element of which nobody has written a byte is found; one with bytes between its members is not.
    fn write_file(&mut self, from: u64, size: u64, count: u64, file: u64) -> Result<u64> {
        let (number, all) = (self.file(file)?, size.saturating_mul(count));
        if all == 0 {
            return Ok(0);
        }
        let (bytes, is_written) = self.take(from, all, Access::Copy)?;
        let element = if size == 1 { all } else { size };
        if is_written.chunks(element as usize).any(|element| !element.contains(&true)) {
            return Err(self.unwritten(element, "written to a file", "").into());
        }
        Ok(if self.write(number, &bytes)? { count } else { 0 })
    }

    /// Writes bytes to a file that is open; whether it may be written.
    pub(crate) fn write(&mut self, number: u64, bytes: &[u8]) -> Result<bool> {
        if matches!(number, 1 | 2) {
            return self.put(number, bytes).map(|()| true);
        }
        let open = self.open_at(number)?;
        if !open.can_write {
            return self.wrong_way(number).map(|()| false);
        }
        let (start, appends, content) = (open.at - open.back(), open.appends, open.content);
        open.pushed.clear();
        let Some(content) = content else { return Ok(true) };
        let old = self.files.contents.get(&content).map_or(0, |content| content.bytes.len() as u64);
        let start = if appends { old } else { start };
        let end = start.saturating_add(bytes.len() as u64);
        self.charge(end.saturating_sub(old))?;
        let Some(known) = self.files.contents.get_mut(&content) else { return Ok(false) };
        if end > old && known.bytes.try_reserve((end - old) as usize).is_err() {
            return Err(self.out_of_memory().into());
        }
        if end > old {
            known.bytes.resize(end as usize, 0);
            self.files.bytes += end - old;
        }
        known.bytes[start as usize..end as usize].copy_from_slice(bytes);
        known.is_changed = true;
        self.open_at(number)?.at = end;
        Ok(true)
    }

    fn seek(&mut self, file: u64, distance: i64, from: u64) -> Result<u64> {
        let number = self.file(file)?;
        let open = self.open_at(number)?;
        let (here, content) = (open.at - open.back(), open.content);
        let content = content.filter(|content| *content != 0).and_then(|at| self.files.contents.get(&at));
        let Some(content) = content else {
            // What has no place in it: a pipe, or `/dev/null`, where every place is the first one.
            return if number > 2 { Ok(0) } else { self.set_errno(NO_SEEK).map(|()| FAILED) };
        };
        let base = match from {
            0 => Some(0),
            1 => Some(here),
            2 => Some(content.bytes.len() as u64),
            _ => None,
        };
        let to =
            base.and_then(|base| base.checked_add_signed(distance)).filter(|to| i64::try_from(*to).is_ok());
        let Some(to) = to else { return self.set_errno(INVALID).map(|()| FAILED) };
        let open = self.open_at(number)?;
        open.pushed.clear();
        (open.at, open.is_at_end) = (to, false);
        Ok(0)
    }

    fn tell(&mut self, file: u64) -> Result<u64> {
        let number = self.file(file)?;
        if number <= 2 {
            return self.set_errno(NO_SEEK).map(|()| FAILED);
        }
        let open = self.open_at(number)?;
        Ok(open.at - open.back())
    }

    /// How many bytes come up to and with a byte, or up to the end of the file, which is reached then.
    fn line_bytes(&mut self, file: u64, end: u8) -> Result<u64> {
        let number = self.file(file)?;
        if !self.may_read(number)? {
            return Ok(0);
        }
        let Some(open) = self.files.open.get_mut(&number) else { return Ok(0) };
        let all = open.content.and_then(|content| self.files.contents.get(&content));
        let rest = all.and_then(|content| content.bytes.get(open.at as usize..)).unwrap_or_default();
        if let Some(at) = open.pushed.iter().rev().chain(rest).position(|byte| *byte == end) {
            return Ok(at as u64 + 1);
        }
        open.is_at_end = true;
        Ok((open.pushed.len() + rest.len()) as u64)
    }
}
