//! Where something is, for messages: a line of a file, or a call of a program whose text nobody has.

use std::path::{Component, Path, PathBuf};

use cudac::Line;
use cudac::host::Program;

/// The most files and functions that are told apart, as many as [`Line`] has numbers for.
const MOST: usize = 1023;

/// One text, or one function.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    File(String),
    /// A function that the program calls. The number in the line is that of the call, from 1.
    Function(String),
}

/// The files of a program, and the functions whose calls are counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    names: Vec<Name>,
    /// Whether files that PTX names become known; those of a program all are.
    grows: bool,
}

impl Places {
    /// The files of a program.
    pub fn of(program: &Program) -> Places {
        Places { names: program.files.iter().cloned().map(Name::File).collect(), grows: false }
    }

    /// For a program that calls the driver: nothing is known yet, and the first file needs no name.
    pub fn of_driver() -> Places {
        Places { names: vec![Name::File(String::new())], grows: true }
    }

    /// Whether the program calls the driver.
    pub fn are_of_driver(&self) -> bool {
        self.grows
    }

    /// `line 12`, `line 12 of x.h`, or "call 12, `cuMemAlloc`".
    pub fn place(&self, line: Line) -> String {
        let number = line.number();
        match self.names.get(line.file()) {
            Some(Name::Function(name)) => format!("call {number}, `{name}`"),
            Some(Name::File(file)) if line.file() > 0 => format!("line {number} of `{file}`"),
            _ => format!("line {number}"),
        }
    }

    /// What memory is called that a line allocates, and no variable.
    pub fn name_of_memory(&self, line: Line) -> String {
        match self.names.get(line.file()) {
            Some(Name::Function(_)) => format!("memory of call {}", line.number()),
            _ => format!("memory of {}", self.place(line)),
        }
    }

    /// The file that a line is in, or the function that is called there; the other is empty.
    pub fn file_and_function(&self, line: Line) -> [&str; 2] {
        match self.names.get(line.file()) {
            Some(Name::File(file)) => [file, ""],
            Some(Name::Function(function)) => ["", function],
            None => [""; 2],
        }
    }

    /// A line of a file that the line table of PTX names. One that is not known is in the first file.
    pub fn line(&mut self, file: &str, number: u32) -> Line {
        if self.grows {
            return Line::new(self.add(Name::File(file.to_owned())), number);
        }
        let is_it = |name: &Name| matches!(name, Name::File(known) if known == file);
        let is_like = |name: &Name| matches!(name, Name::File(known) if is_one_file(known, file));
        let found = self.names.iter().position(is_it).or_else(|| self.names.iter().position(is_like));
        Line::new(found.unwrap_or_default() as u16, number)
    }

    /// A call of a function, by the number of the call.
    pub fn call(&mut self, function: &str, number: u32) -> Line {
        Line::new(self.add(Name::Function(function.to_owned())), number)
    }

    fn add(&mut self, name: Name) -> u16 {
        if let Some(known) = self.names.iter().position(|known| *known == name) {
            return known as u16;
        }
        if self.names.len() < MOST {
            self.names.push(name);
        }
        self.names.len() as u16 - 1
    }
}

/// Whether two names may be those of one file, seen from two folders.
fn is_one_file(known: &str, other: &str) -> bool {
    let bare = |name: &str| {
        let parts = Path::new(name).components().filter(|part| matches!(part, Component::Normal(_)));
        parts.collect::<PathBuf>()
    };
    let (known, other) = (bare(known), bare(other));
    known.ends_with(&other) || other.ends_with(&known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_program_are_in_its_files() {
        let names = vec![Name::File("a.cu".into()), Name::File("b.h".into())];
        let mut places = Places { names, grows: false };
        let line = places.line("b.h", 7);
        assert_eq!((&*places.place(line), places.file_and_function(line)), ("line 7 of `b.h`", ["b.h", ""]));
        let line = places.line("other", 7);
        assert_eq!((&*places.place(line), places.file_and_function(line)), ("line 7", ["a.cu", ""]));
        for named in ["project/b.h", "../b.h", "./b.h"] {
            assert_eq!(places.line(named, 7).file(), 1, "{named}");
        }
        assert_eq!(places.line("project/ab.h", 7).file(), 0);
    }

    #[test]
    fn files_and_calls_of_a_driver_become_known() {
        let mut places = Places::of_driver();
        let line = places.line("k.py", 7);
        assert_eq!((&*places.place(line), places.line("k.py", 7)), ("line 7 of `k.py`", line));
        let line = places.call("cuInit", 3);
        assert_eq!(
            (&*places.place(line), places.file_and_function(line)),
            ("call 3, `cuInit`", ["", "cuInit"])
        );
    }
}
