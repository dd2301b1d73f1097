//! What the tests of every chapter need: its program, its records, and the tests that all chapters share.
//!
//! A chapter's `tests/output.rs` begins with [`chapter_tests!`](crate::chapter_tests), which compares its records and
//! claims with what it prints now. Tests of the chapter's own follow. What it leaves out: assertions about a single
//! chapter.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use record::{Emulated, Measured, OnGpu};
use serde_json::Value;

use crate::{claims, golden, hardware, program};

/// How soon a chapter has to print its first line: five times what a reader is promised, because the computer of a
/// reader does nothing else.
const AT_ONCE: Duration = Duration::from_millis(250);
/// How often a chapter is started for that test at most.
const TRIES: usize = 5;

/// A chapter under test. Its methods panic where a test would fail.
#[derive(Clone, Copy, Debug)]
pub struct Chapter {
    /// The folder of its `Cargo.toml`.
    pub folder: &'static str,
    /// Its program.
    pub program: &'static str,
}

impl Chapter {
    /// Runs it, or returns the output of an earlier run with the same arguments.
    pub fn run(&self, args: &[&str]) -> Output {
        program::output(self.program(), args).expect("the chapter was built")
    }

    /// Its program, whose outputs the tests share.
    fn program(&self) -> &Path {
        program::share();
        Path::new(self.program)
    }

    /// What it prints on the emulator with `args`.
    pub fn printed(&self, args: &[&str]) -> String {
        let output = self.run(&[&["--device", "sim"], args].concat());
        String::from_utf8(output.stdout).expect("chapters print UTF-8")
    }

    /// What it prints as JSON on the emulator with `args`.
    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.printed(&[&["--json"], args].concat())).expect("the chapter prints JSON")
    }

    /// The rows of a section on the emulator.
    pub fn rows(&self, section: &str) -> Vec<Value> {
        self.every_row(&["--only", section])
    }

    /// The rows of all sections on the emulator.
    pub fn every_row(&self, args: &[&str]) -> Vec<Value> {
        let report = self.json(args);
        let sections = report["sections"].as_array().expect("a report has sections");
        sections.iter().flat_map(|section| section["rows"].as_array().cloned().unwrap_or_default()).collect()
    }

    /// The text of one of its records.
    pub fn recorded(&self, name: &str) -> String {
        let path = self.output().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
    }

    /// What a GPU measured for a variant in one of the recorded runs.
    pub fn measured(&self, run: usize, variant: &str) -> OnGpu {
        let measured: Measured = record::read(&self.recorded(golden::MEASURED), golden::MEASURED).unwrap();
        let row = measured.runs[run].row(variant).cloned();
        row.unwrap_or_else(|| panic!("the record has no row `{variant}`"))
    }

    fn output(&self) -> PathBuf {
        Path::new(self.folder).join("output")
    }

    /// Checks that every variant has the verdict that the chapter expects, which the exit status says.
    pub fn passes(&self, args: &[&str]) {
        let output = self.run(&[&["--device", "sim"], args].concat());
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{args:?}: {printed}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Checks that every variant has the expected verdict with each number of elements and in blocks of each shape, once.
    pub fn passes_in_each_shape(&self, sizes: &[&str], blocks: &[&str]) {
        let pairs = sizes.iter().cycle().zip(blocks.iter().cycle()).take(sizes.len().max(blocks.len()));
        self.passes_in(pairs.map(|(size, block)| [*size, *block]));
    }

    /// Checks that every variant has the expected verdict with each number of elements in blocks of each shape.
    pub fn passes_in_all_shapes(&self, sizes: &[&str], blocks: &[&str]) {
        self.passes_in(sizes.iter().flat_map(|size| blocks.iter().map(move |block| [*size, *block])));
    }

    fn passes_in<'a>(&self, shapes: impl Iterator<Item = [&'a str; 2]>) {
        let shapes: Vec<_> = shapes.map(|[size, block]| vec!["--size", size, "--block", block]).collect();
        self.passes_with_each(&["size", "block"], &["--seed", "7"], &shapes);
    }

    /// Checks that every variant has the expected verdict with each seed, beside `args`.
    pub fn passes_with_seeds(&self, args: &[&str], seeds: &[&str]) {
        let seeds: Vec<_> = seeds.iter().map(|seed| vec!["--seed", *seed]).collect();
        self.passes_with_each(&["seed"], args, &seeds);
    }

    /// Checks that every variant has the expected verdict for each choice of some settings. A section that does not
    /// depend on any of them is run for the first and the last choice only, and must be the same for both.
    fn passes_with_each(&self, settings: &[&str], args: &[&str], choices: &[Vec<&str>]) {
        let all = |choice: &[&str]| {
            let args = [args, choice].concat();
            self.passes(&[&["--json"], &args[..]].concat());
            self.json(&args)["sections"].as_array().expect("a report has sections").clone()
        };
        let (first, last) = (&choices[0], &choices[choices.len() - 1]);
        let depends = |section: &Value| settings.iter().any(|name| section["settings"].get(name).is_some());
        let mut dependent = Vec::new();
        for (one, other) in all(first).into_iter().zip(all(last)) {
            if depends(&one) {
                dependent.push(one["name"].as_str().expect("sections have names").to_owned());
            } else {
                assert_eq!(one, other, "a section that does not name one of {settings:?} depends on it");
            }
        }
        // The first and the last choice have passed already.
        for choice in choices.iter().skip(1).take(choices.len().saturating_sub(2)) {
            self.passes(&[args, choice, &["--only", &dependent.join(",")]].concat());
        }
    }

    /// Checks that it says in one line why it cannot do what is asked, with status 2.
    pub fn refuses(&self, args: &[&str], message: &str) {
        let output = self.run(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with("error: ") && said.contains(message), "`{message}` is not in: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(output.stdout.is_empty());
    }

    /// Checks that the recorded outputs are what it prints.
    pub fn records_are_fresh(&self) {
        golden::check(Path::new(self.folder), self.program()).unwrap();
    }

    /// Checks that the record of the emulator is what it finds at the chapter's own sizes.
    pub fn emulated_is_fresh_at_own_sizes(&self) {
        golden::check_emulated_at_own_sizes(Path::new(self.folder), self.program()).unwrap();
    }

    /// Checks that the record of the emulator is what it finds in every run.
    pub fn emulated_is_fresh(&self) {
        golden::check_emulated(Path::new(self.folder), self.program()).unwrap();
    }

    /// Checks that the record of a GPU was made with these kernels and has all of its rows.
    pub fn measured_is_fresh(&self) {
        golden::check_measured(Path::new(self.folder)).unwrap();
    }

    /// Checks that the record of the emulator says nothing that only a GPU can show.
    pub fn emulated_speaks_of_no_gpu(&self) {
        let emulated: Emulated = record::read(&self.recorded(golden::EMULATED), golden::EMULATED).unwrap();
        for section in emulated.runs.iter().flat_map(|run| &run.report.sections) {
            assert_eq!(section.gpu_notes, [""; 0], "{}", section.name);
            assert!(section.rows.iter().all(|row| row.gpu.is_none()), "{}", section.name);
            let remarks = section.rows.iter().flat_map(|row| &row.remarks);
            for text in section.notes.iter().chain(remarks) {
                assert!(!["µs", "on the GPU", "On the GPU"].iter().any(|word| text.contains(word)), "{text}");
            }
        }
    }

    /// Checks that the hardware counted what the emulator counts, or that there is a reason.
    pub fn counters_are_explained(&self) {
        hardware::check(Path::new(self.folder), self.program()).unwrap();
    }

    /// Checks that every claim has the ruling that is written, and that its twins reverse it.
    pub fn claims_turn(&self) {
        claims::check(self.program()).unwrap();
    }

    /// Checks that no line is longer than 80 columns in what it prints with each of these arguments.
    pub fn fits_80_columns(&self, each: &[&[&str]]) {
        for args in each {
            let printed = self.printed(args);
            let long = printed.lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None, "{args:?}");
        }
    }

    /// Checks that the first line appears long before the last one, also in a pipe. At least one of several starts has
    /// to be quick, because other work of the computer may delay any of them.
    pub fn begins_at_once(&self) {
        let mut starts = Vec::new();
        while starts.len() < TRIES {
            let (first, last) = self.timed();
            if first < AT_ONCE && first < last / 2 {
                return;
            }
            starts.push((first, last));
        }
        panic!("the first line and the last one came after {starts:?}");
    }

    /// The time until the first line and until the end.
    fn timed(&self) -> (Duration, Duration) {
        let start = Instant::now();
        let mut program = Command::new(self.program);
        let program = program.args(["--device", "sim"]).stdout(Stdio::piped()).spawn();
        let mut program = program.expect("the chapter was built");
        let mut lines = BufReader::new(program.stdout.take().expect("it has a pipe")).lines();
        lines.next().expect("there is a first line").expect("it is text");
        let first = start.elapsed();
        lines.for_each(drop);
        program.wait().expect("it ends");
        (first, start.elapsed())
    }

    /// Checks that it prints the same on all cores of this computer as on one core with the plain interpreter: results,
    /// counters and faults.
    pub fn this_computer_changes_nothing(&self) {
        let (usual, plain) =
            (self.printed(&["--json"]), self.printed(&["--json", "--plain", "--cores", "1"]));
        assert!(plain.starts_with('{'), "{plain}");
        let first = plain.lines().zip(usual.lines()).find(|(one, other)| one != other);
        assert!(plain == usual, "{first:?}");
    }

    /// Checks that it prints the same on every number of cores and with the plain interpreter, at other sizes too.
    pub fn cores_change_nothing(&self) {
        for args in [&["--json"] as &[&str], &["--json", "--size", "70001", "--check", "off", "--seed", "5"]]
        {
            let printed = |way: &[&str]| self.printed(&[args, way].concat());
            let plain = printed(&["--plain", "--cores", "1"]);
            assert!(plain.starts_with('{'), "{args:?}: {plain}");
            for way in [
                &["--cores", "1"] as &[&str],
                &["--cores", "2"],
                &["--cores", "8"],
                &["--plain", "--cores", "8"],
            ] {
                let found = printed(way);
                let mut lines = plain.lines().zip(found.lines());
                let first = lines.find(|(one, other)| one != other);
                assert!(plain == found, "{args:?} {way:?}: {first:?}");
            }
        }
    }

    /// Checks that the same seed prints the same.
    pub fn seeds_decide(&self) {
        let print = || Command::new(self.program).args(["--device", "sim", "--seed", "3"]).output();
        let [one, other] = [print(), print()].map(|output| output.expect("the chapter was built").stdout);
        assert!(!one.is_empty() && one == other, "{}", String::from_utf8_lossy(&other));
    }
}

/// The tests that every chapter has, and `CHAPTER` for its own; the argument is the name of its program.
#[macro_export]
macro_rules! chapter_tests {
    ($program:literal) => {
        const CHAPTER: $crate::testing::Chapter = $crate::testing::Chapter {
            folder: env!("CARGO_MANIFEST_DIR"),
            program: env!(concat!("CARGO_BIN_EXE_", $program)),
        };

        mod every_chapter {
            use super::CHAPTER;

            #[test]
            fn records_are_what_the_chapter_prints() {
                CHAPTER.records_are_fresh();
            }

            #[test]
            fn the_record_of_the_emulator_is_of_this_chapter() {
                CHAPTER.emulated_is_fresh_at_own_sizes();
            }

            #[test]
            #[ignore = "thorough: also makes the runs again that are larger than the chapter's own"]
            fn the_whole_record_of_the_emulator_is_of_this_chapter() {
                CHAPTER.emulated_is_fresh();
            }

            #[test]
            fn the_record_of_the_h200_is_of_this_chapter() {
                CHAPTER.measured_is_fresh();
            }

            #[test]
            fn what_the_emulator_found_is_no_gpus() {
                CHAPTER.emulated_speaks_of_no_gpu();
            }

            #[test]
            fn the_hardware_counted_the_same() {
                CHAPTER.counters_are_explained();
            }

            #[test]
            fn claims_come_out_as_ruled() {
                CHAPTER.claims_turn();
            }

            #[test]
            fn no_line_is_longer_than_80_columns() {
                CHAPTER.fits_80_columns(&[&[], &["--claim", "all"], &["--help"]]);
            }

            #[test]
            #[ignore = "thorough: runs the chapter at a large size, where the numbers are long"]
            fn no_line_is_longer_than_80_columns_at_a_large_size() {
                CHAPTER.fits_80_columns(&[&["--size", "200000", "--check", "off"]]);
            }

            #[test]
            fn the_first_line_comes_at_once() {
                CHAPTER.begins_at_once();
            }

            #[test]
            fn this_computer_changes_nothing() {
                CHAPTER.this_computer_changes_nothing();
            }

            #[test]
            #[ignore = "thorough: runs the chapter ten times, on several numbers of cores"]
            fn cores_change_nothing() {
                CHAPTER.cores_change_nothing();
            }

            #[test]
            #[ignore = "thorough: a run with the seed that is usual has to be the same as the record already"]
            fn the_same_seed_prints_the_same() {
                CHAPTER.seeds_decide();
            }
        }
    };
}

/// The tests of a chapter whose variants take any number of elements in blocks of several shapes: the numbers, and the
/// shapes. The chapter itself compares every variant with its reference, and exits with 1 if one is wrong.
#[macro_export]
macro_rules! shape_tests {
    ($sizes:expr, $blocks:expr) => {
        mod every_variant_has_the_expected_result {
            use super::CHAPTER;

            #[test]
            fn in_each_shape() {
                CHAPTER.passes_in_each_shape(&$sizes, &$blocks);
            }

            #[test]
            #[ignore = "thorough: each number of elements in blocks of each shape"]
            fn in_all_shapes() {
                CHAPTER.passes_in_all_shapes(&$sizes, &$blocks);
            }
        }
    };
}
