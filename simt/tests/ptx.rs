//! Hand-written PTX, one behaviour a file, with its expectations in the header; this file runs them.
//!
//! `pass/` runs without a fault, `fail/` with the one that its header names; every file of `fail/` has a twin of
//! the same name in `pass/`, which differs in what makes it right. The header has one line a fact:
//!
//! ```text
//! // launch: grid 1 block 32 shared 0 resident 16 steps 1000000   (what is left out has these values)
//! // reconvergence: its                  (or stack; both where there is no such line)
//! // out: 32                             a buffer of so many zeroed words, the next argument
//! // in: 5*16 0..16                      a buffer that holds these words
//! // arg: 7                              a number of 32 bits
//! // expect: 0..32                       what the first buffer holds at the end
//! // fault: deadlock "32 of 64 threads"  the kind, and words of the report
//! // counter: ptx_divergent_branches 1   a counter of the report
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use simt::{Buffer, Emulator, Launch, Limits, Reconvergence, Report, Schedule};

/// A file: its path, its text, and the lines of its header.
struct Case {
    name: String,
    text: String,
}

impl Case {
    /// The values of the header lines with this key.
    fn all<'c>(&'c self, key: &'c str) -> impl Iterator<Item = &'c str> {
        self.header().filter(move |(known, _)| *known == key).map(|(_, value)| value)
    }

    fn header(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.text.lines().take_while(|line| line.starts_with("//"));
        lines.filter_map(|line| line.trim_start_matches("// ").split_once(": "))
    }

    fn mechanisms(&self) -> Vec<Reconvergence> {
        match self.all("reconvergence").next() {
            Some("its") => vec![Reconvergence::Its],
            Some("stack") => vec![Reconvergence::Stack],
            Some(other) => panic!("{}: no mechanism `{other}`", self.name),
            None => vec![Reconvergence::Stack, Reconvergence::Its],
        }
    }

    fn launch(&self) -> Launch {
        let mut launch = Launch::new(1, 32);
        launch.max_steps = 1_000_000;
        let words: Vec<&str> = self.all("launch").flat_map(str::split_whitespace).collect();
        for pair in words.chunks(2) {
            let value: u32 = pair[1].parse().unwrap_or_else(|_| panic!("{}: `{pair:?}`", self.name));
            match pair[0] {
                "grid" => launch.grid = value.into(),
                "block" => launch.block = value.into(),
                "shared" => launch.shared_bytes = value,
                "resident" => launch.resident_blocks = value,
                "steps" => launch.max_steps = u64::from(value),
                other => panic!("{}: no launch option `{other}`", self.name),
            }
        }
        launch
    }

    /// Runs the file's one kernel, and checks what its header expects.
    fn check(&self, reconvergence: Reconvergence, schedule: Schedule, seed: u64) {
        let label = format!("{} ({reconvergence:?}, {schedule:?}, seed {seed})", self.name);
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load(&self.name, &self.text).unwrap_or_else(|error| panic!("{label}: {error}"));
        let mut launch = Launch { reconvergence, schedule, seed, ..self.launch() };
        let buffers = self.arguments(&mut emulator, &mut launch);
        let report = emulator.launch(&module, &module.kernels()[0].name.clone(), &launch);
        let report = report.unwrap_or_else(|error| panic!("{label}: {error}"));
        self.check_fault(&label, &report);
        for expected in self.all("expect") {
            let found = emulator.read(buffers[0]).chunks(4).map(|word| word.try_into().unwrap());
            let found: Vec<u32> = found.map(u32::from_le_bytes).collect();
            assert_eq!(found, numbers(expected), "{label}");
        }
        for counter in self.all("counter") {
            let (name, value) = counter.split_once(' ').unwrap();
            let found = report.counters.all().into_iter().find(|known| known.0 == name);
            let found = found.unwrap_or_else(|| panic!("{label}: no counter `{name}`")).3;
            assert_eq!(found, value.parse().unwrap(), "{label}: {name}");
        }
    }

    fn arguments(&self, emulator: &mut Emulator, launch: &mut Launch) -> Vec<Buffer> {
        let mut buffers = Vec::new();
        for (key, value) in self.header() {
            let words = match key {
                "out" => vec![0; value.parse().unwrap()],
                "in" => numbers(value),
                "arg" => {
                    launch.args.push(numbers(value)[0].into());
                    continue;
                }
                _ => continue,
            };
            let buffer = emulator.alloc(key, 4 * words.len() as u64).unwrap();
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            emulator.write(buffer).copy_from_slice(&bytes);
            launch.args.push(buffer.address().into());
            buffers.push(buffer);
        }
        buffers
    }

    fn check_fault(&self, label: &str, report: &Report) {
        let told = report.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let Some(expected) = self.all("fault").next() else {
            assert!(told.is_empty(), "{label}: {told}");
            return;
        };
        let mut words = expected.split('"');
        let kind = words.next().unwrap().trim();
        assert_eq!(report.faults.first().map(|fault| fault.kind.name()), Some(kind), "{label}: {told}");
        for word in words.step_by(2) {
            assert!(told.contains(word), "{label}: `{word}` is not in\n{told}");
        }
    }
}

/// Words, ranges (`0..32`) and repetitions (`7*32`), one after the other.
fn numbers(text: &str) -> Vec<u32> {
    let number = |text: &str| text.parse::<i64>().unwrap_or_else(|_| panic!("no number: `{text}`")) as u32;
    text.split_whitespace()
        .flat_map(|word| match (word.split_once(".."), word.split_once('*')) {
            (Some((first, end)), _) => (number(first)..number(end)).collect(),
            (_, Some((value, count))) => vec![number(value); number(count) as usize],
            _ => vec![number(word)],
        })
        .collect()
}

fn cases(folder: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx").join(folder);
    let mut paths: Vec<PathBuf> = list(&root).iter().flat_map(|family| list(family)).collect();
    paths.sort();
    let name = |path: &Path| path.strip_prefix(root.parent().unwrap()).unwrap().display().to_string();
    paths
        .iter()
        .map(|path| Case { name: name(path), text: fs::read_to_string(path).expect("a file of text") })
        .collect()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path()).collect()
}

fn check_all(folder: &str) {
    let cases = cases(folder);
    assert!(cases.len() > 20, "{folder}: {} files", cases.len());
    for case in cases {
        assert_eq!(case.all("fault").count(), usize::from(folder == "fail"), "{}", case.name);
        for reconvergence in case.mechanisms() {
            case.check(reconvergence, Schedule::RoundRobin, 0);
            for schedule in [Schedule::Random, Schedule::Hunt] {
                (1..=4).for_each(|seed| case.check(reconvergence, schedule, seed));
            }
        }
    }
}

#[test]
fn right_kernels_pass() {
    check_all("pass");
}

#[test]
fn wrong_kernels_fail_and_say_why() {
    check_all("fail");
}

#[test]
fn every_failing_kernel_has_a_passing_twin() {
    let passing: Vec<String> = cases("pass").into_iter().map(|case| case.name).collect();
    for case in cases("fail") {
        let twin = case.name.replacen("fail", "pass", 1);
        assert!(passing.contains(&twin), "`{}` has no twin", case.name);
    }
}
