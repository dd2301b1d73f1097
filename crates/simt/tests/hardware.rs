//! Small PTX texts whose values are known from hardware, and texts that compilers translate wrongly: the emulator
//! returns the values that their headers expect.
//!
//! `hardware/` has a text for each behaviour in which hardware departs from the wording of the PTX ISA, or which the
//! PTX ISA leaves open; `compilers/` has one for each mistake of an assembler, and expects what the PTX ISA requires.
//! One thread executes the entry `t(.param .u64 out)`. The header says what the text shows, in lines with one fact
//! each:
//!
//! ```text
//! // clause: PTX ISA 9.7.3 (`mul`): …    what the specification says
//! // columns: a | b                      what the values of a row are
//! // out: u32                            the type of the values, or u64
//! // row: x = 0x00000001                 the inputs of the next row, as in the text's arrays
//! // expect: 0x00000000 0x00000001       a row of values, in the order of the output
//! ```
//!
//! The same texts are run on a GPU through every compiler that is there, so they expect what was measured
//! (`tools/benchmarks/gpu`).

use std::fs;
use std::path::Path;

use simt::launch::Hooks;
use simt::{Checks, Emulator, Launch, Limits, Reconvergence, Schedule};

/// A text with the facts of its header.
struct Text {
    name: String,
    ptx: String,
    /// The size of a value in bytes.
    width: usize,
    /// The inputs of each row, if the text gives them.
    rows: Vec<String>,
    expected: Vec<Vec<u64>>,
}

impl Text {
    fn read(path: &Path) -> Text {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let ptx = fs::read_to_string(path).unwrap();
        let all = |key: &str| -> Vec<String> {
            let header = ptx.lines().take_while(|line| line.starts_with("//"));
            header.filter_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_string()).collect()
        };
        let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap();
        let width = match &all("// out:")[..] {
            [only] if only == "u32" => 4,
            [only] if only == "u64" => 8,
            other => panic!("{name}: `// out:` says {other:?}"),
        };
        let expected =
            all("// expect:").iter().map(|row| row.split_whitespace().map(number).collect()).collect();
        let rows = all("// row:");
        assert_eq!((all("// clause:").len(), all("// columns:").len()), (1, 1), "{name}: a fact is missing");
        let columns = all("// columns:")[0].split(" | ").count();
        let text = Text { name, ptx, width, rows, expected };
        assert!(
            text.expected.iter().all(|row: &Vec<u64>| row.len() == columns),
            "{}: {columns} columns",
            text.name
        );
        text
    }

    /// The values in `out` after a run on the emulator.
    fn values(&self, launch: &Launch) -> Vec<u64> {
        let mut emulator = Emulator::new(Limits::default());
        let module =
            emulator.load(&self.name, &self.ptx).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let count: usize = self.expected.iter().map(Vec::len).sum();
        let out = emulator.alloc("out", (count * self.width) as u64).unwrap();
        let launch = Launch { args: vec![out.address().into()], ..launch.clone() };
        let report = emulator.launch(&module, "t", &launch);
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        assert!(report.faults.is_empty(), "{}: {:?}", self.name, report.faults);
        let value = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        emulator.read(out).unwrap().chunks(self.width).map(value).collect()
    }

    /// Panics if a value is not the expected one, and names it.
    fn check(&self, launch: &Launch) {
        let values = self.values(launch);
        let columns = self.expected[0].len();
        for (index, (found, expected)) in values.iter().zip(self.expected.iter().flatten()).enumerate() {
            let (row, column) = (index / columns, index % columns);
            let inputs = self.rows.get(row).map_or("", String::as_str);
            assert_eq!(
                found, expected,
                "{}, row {row} ({inputs}), column {column}: {found:#x}, not {expected:#x}",
                self.name
            );
        }
    }
}

fn texts(folder: &str) -> Vec<Text> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Text::read(path)).collect()
}

/// Runs every text in a folder in every way, and reports all that fail.
fn check_all(folder: &str, at_least: usize) {
    let texts = texts(folder);
    assert!(texts.len() >= at_least, "{folder}: {} texts", texts.len());
    let fast = Launch::new(1, 1);
    let plain = Launch { hooks: Hooks::default().plain(true), ..Launch::new(1, 1) };
    let watched = Launch {
        checks: Checks::ALL,
        schedule: Schedule::Hunt,
        reconvergence: Reconvergence::Stack,
        ..Launch::new(1, 1)
    };
    let is_wrong = |text: &&Text| {
        [&fast, &plain, &watched].iter().any(|way| std::panic::catch_unwind(|| text.check(way)).is_err())
    };
    let wrong: Vec<&str> = texts.iter().filter(is_wrong).map(|text| text.name.as_str()).collect();
    assert!(wrong.is_empty(), "not as their headers expect: {wrong:#?}");
}

#[test]
fn the_values_of_the_hardware_are_returned() {
    check_all("hardware", 15);
}

#[test]
fn texts_that_compilers_translate_wrongly_have_the_right_values() {
    check_all("compilers", 13);
}

#[test]
fn the_rows_name_the_inputs_of_the_text() {
    for text in texts("hardware").iter().chain(&texts("compilers")) {
        assert!(text.rows.is_empty() || text.rows.len() == text.expected.len(), "{}", text.name);
        // Arrays of inputs are in braces, one after another, and a row names an element of each.
        let numbers = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.filter(|word| word.starts_with("0x")).map(String::from).collect()
        };
        let code = text.ptx.split_once("\n.version").unwrap().1;
        let data = code.split_once("\n.visible").unwrap().0;
        let arrays: Vec<Vec<String>> =
            data.split('{').skip(1).map(|array| numbers(array.split('}').next().unwrap())).collect();
        for (index, row) in text.rows.iter().enumerate().filter(|(_, row)| row.contains("= 0x")) {
            let inputs: Vec<String> = arrays.iter().map(|array| array[index].clone()).collect();
            assert_eq!(numbers(row), inputs, "{}, row {index}", text.name);
        }
    }
}
