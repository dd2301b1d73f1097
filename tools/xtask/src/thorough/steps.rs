//! The steps of the thorough set: what each runs, under how many seeds, and what it needs.
//!
//! Every test that takes its seeds from the crate `test-support` needs a step here, and so does every test marked
//! `#[ignore = "thorough: …"]`. The tests below check that.

use std::ops::Range;

/// The width of the longest name.
pub const WIDTH: usize = 16;

/// Something that few machines have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// NVIDIA's assembler.
    Ptxas,
    /// The release of NVRTC that compiles the kernels.
    Compiler,
    /// Firefox and `WebKit`, with the programs that drive them.
    Browsers,
}

impl Need {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Need::Ptxas => "`--ptxas PATH`",
            Need::Compiler => "NVRTC 12.0.140",
            Need::Browsers => "Firefox and WebKitGTK",
        }
    }
}

/// A step.
#[derive(Debug)]
pub struct Step {
    /// The name on the command line.
    pub name: &'static str,
    /// What the step tries, in a few words.
    pub what: &'static str,
    /// The arguments for cargo, in which `SEED` and `PTXAS` are replaced.
    pub command: &'static str,
    /// How many seeds the tests take, if their cases are seeds.
    pub seeds: Option<u64>,
    /// What the step cannot run without.
    pub needs: Option<Need>,
}

const fn seeded(name: &'static str, what: &'static str, command: &'static str, seeds: u64) -> Step {
    Step { name, what, command, seeds: Some(seeds), needs: None }
}

const fn finite(name: &'static str, what: &'static str, command: &'static str) -> Step {
    Step { name, what, command, seeds: None, needs: None }
}

const fn needing(name: &'static str, what: &'static str, command: &'static str, need: Need) -> Step {
    Step { name, what, command, seeds: None, needs: Some(need) }
}

/// All steps, the most general ones first.
pub const STEPS: &[Step] = &[
    finite("tests", "the quick set", "test --workspace --locked --no-fail-fast"),
    finite(
        "chapters",
        "the records of the chapters' large runs, and every chapter in all shapes and on several numbers of cores",
        "test --workspace --locked --no-fail-fast --test output -- --ignored",
    ),
    finite(
        "assertions",
        "the tests that run kernels, with the emulator's own assertions switched on",
        "test --locked --no-fail-fast --config profile.dev.package.ptx-emulator.debug-assertions=true \
         --config profile.dev.package.ptx-emulator.overflow-checks=true -p ptx-emulator -p exercises \
         -p cudac -p grader -p drawing -p ch0*",
    ),
    finite(
        "mutants",
        "every mutant of every exercise's solution is refused by the grader",
        "test --locked -p grader --test mutants -- --ignored",
    ),
    seeded(
        "equal",
        "20,000 random kernels: every way to run them has the same result",
        "test --locked -p ptx-emulator --test equal",
        20_000,
    ),
    seeded(
        "copies",
        "1,000 seeds: wrong and right kernels with copies, clusters, tensor maps and warpgroups",
        "test --locked -p ptx-emulator --test copies",
        1_000,
    ),
    finite(
        "matrices",
        "65 million products of matrices, each bit of their sum as on an H200",
        "test --locked -p ptx-emulator --test mma -- --ignored",
    ),
    finite(
        "warpgroups",
        "94,000 products of warpgroups, each bit of their sum as on an H200",
        "test --locked -p lanes --test tensor_cores -- --ignored",
    ),
    seeded(
        "litmus",
        "10,000 random programs of a few threads: only outcomes that the memory model allows",
        "test --locked -p ptx-emulator --test litmus -- random_programs different_sizes",
        10_000,
    ),
    seeded(
        "litmus-shapes",
        "every variant of every litmus shape, under 1,000 seeds each",
        "test --locked -p ptx-emulator --test litmus -- forbidden without_weak_memory claimed races",
        1000,
    ),
    seeded(
        "progress",
        "kernels that spin and wait for each other, under 300 seeds of each policy",
        "test --locked -p ptx-emulator --test progress",
        300,
    ),
    seeded(
        "observers",
        "1,000 random kernels leave the same whichever checkers watch them",
        "test --locked -p ptx-emulator --test observers",
        1000,
    ),
    seeded(
        "hunted",
        "solutions of the exercises under 1,000 seeds that look for trouble",
        "test --locked -p grader --test hunted",
        1000,
    ),
    seeded(
        "cudac-mutated",
        "10,000 mutated texts: the front end neither panics nor hangs",
        "test --locked -p cudac --test mutated",
        10_000,
    ),
    seeded(
        "structured",
        "3,000 PTX texts that repeat, nest and double: time, memory and stack of the emulator are bounded",
        "test --release --locked -p ptx-emulator --test structured",
        3000,
    ),
    seeded(
        "cudac-structured",
        "3,000 texts that repeat, nest and double: time, memory and stack of the front end are bounded",
        "test --release --locked -p cudac --features host --test structured",
        3000,
    ),
    seeded(
        "cudac-random",
        "20,000 random programs: what the front end makes of them does what their trees say",
        "test --locked -p cudac --test random",
        20_000,
    ),
    seeded(
        "cudac-both",
        "20,000 random programs of both sides: host, kernel and, where one is installed, a C++ compiler agree",
        "test --locked -p cuda-host --test both",
        20_000,
    ),
    seeded(
        "sequences",
        "2,000 random sequences of calls of the CUDA runtime, interpreted and natively (they need clang)",
        "test --locked -p native-host --test sequences",
        2000,
    ),
    seeded(
        "driver",
        "100,000 random sequences of calls of the driver, 25 in a process: every call returns, and nothing is lost",
        "test --locked -p cuda-driver --test clients",
        4000,
    ),
    seeded(
        "cudac-waits",
        "asynchronous copies of CUDA C++ in cudac: right with what waits for them, found without it",
        "test --locked -p cudac --test waits",
        1_000,
    ),
    seeded(
        "cudac-functions",
        "the functions of mathematics on 160,000 arguments each: none is further off than NVIDIA documents",
        "test --locked -p cudac --test functions",
        20,
    ),
    seeded(
        "cudac-kernels",
        "the kernels of the book on 40 generated launches: cudac's PTX does what NVIDIA's does",
        "test --locked -p cudac --test differential",
        40,
    ),
    seeded(
        "difftest",
        "20,000 random kernels, and 1,000 of each family, in every way that the emulator has, with every checker",
        "test --locked -p difftest --test ways",
        20_000,
    ),
    finite(
        "cudac-size",
        "the front end adds no more than its bound to the module of the book's pages",
        "test --locked -p xtask --test front_end -- --ignored --nocapture",
    ),
    finite(
        "cudac-speed",
        "`reduction.cu` and texts of 10,000 lines compile within their bounds; the machine should be quiet",
        "run --release --locked -q -p cudac --example speed -- --check",
    ),
    Step {
        name: "cudac-nvrtc",
        what: "2,000 of these programs, compiled by NVIDIA's compiler: the trees are right",
        command: "test --locked -p cudac --test random -- --ignored",
        seeds: Some(2000),
        needs: Some(Need::Compiler),
    },
    needing(
        "grammar",
        "random kernels and instructions: NVIDIA's assembler accepts what the emulator accepts",
        "run --locked -p difftest -- grammar --ptxas PTXAS --first SEED --kernels 200 --mutants 5000",
        Need::Ptxas,
    ),
    needing(
        "isa",
        "the table of supported PTX, each opcode at its lowest target and version and below",
        "run --locked -q -p xtask -- isa --ptxas PTXAS",
        Need::Ptxas,
    ),
    needing(
        "kernels",
        "the committed PTX is what the pinned compiler makes of the kernels",
        "run --locked -q -p xtask -- ptx --check",
        Need::Compiler,
    ),
    needing(
        "versions",
        "every version of every exercise, compiled by NVIDIA's compiler: its verdict, and the solutions' committed PTX",
        "test --locked -p grader --test versions -- --ignored",
        Need::Compiler,
    ),
    seeded(
        "robot",
        "readers who type, reset, reload, follow links and fill the storage in two tabs: no letter is lost",
        "test --workspace --locked --features book-tests/toolchain --test finished robot",
        120,
    ),
    needing(
        "browsers",
        "every figure, listing and exercise of the book in Firefox and in WebKit, from a server and from files; axe on every live page; the player's times",
        "test --workspace --locked --features book-tests/toolchain --test finished -- --ignored --test-threads=1",
        Need::Browsers,
    ),
];

impl Step {
    /// The arguments for cargo, with the seed and the assembler filled in.
    pub fn words(&self, seed: u32, ptxas: &str) -> Vec<String> {
        let word = |word: &str| match word {
            "SEED" => seed.to_string(),
            "PTXAS" => ptxas.to_owned(),
            word => word.to_owned(),
        };
        self.command.split(' ').map(word).collect()
    }

    /// The seeds of its tests.
    pub fn seeds(&self, seed: u32) -> Option<Range<u64>> {
        self.seeds.map(|count| u64::from(seed)..u64::from(seed) + count)
    }

    /// The option that a command needs to repeat the step.
    pub fn option(&self) -> &'static str {
        match self.needs {
            Some(Need::Ptxas) => " --ptxas PATH",
            Some(Need::Compiler | Need::Browsers) | None => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn names_are_unique_and_fit_the_table() {
        for (number, step) in STEPS.iter().enumerate() {
            assert!(step.name.len() <= WIDTH && !step.what.ends_with('.'), "{step:?}");
            assert!(STEPS[..number].iter().all(|other| other.name != step.name), "{step:?}");
        }
    }

    #[test]
    fn the_seed_decides_what_a_step_runs() {
        let step = |name| STEPS.iter().find(|step| step.name == name).unwrap();
        assert_eq!(step("equal").seeds(17), Some(17..20_017));
        let words = step("grammar").words(17, "a folder/ptxas").join("|");
        assert!(words.contains("|--ptxas|a folder/ptxas|--first|17|"), "{words}");
        assert_eq!(step("isa").seeds(17), None);
    }

    /// The Rust files in a folder's tests that contain a word, such as `crates/simt/tests/litmus/sizes.rs`.
    fn containing(word: &str, folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && name != "mine" && !name.starts_with('.') {
                containing(word, &path, found);
            } else if path.extension().is_some_and(|is| is == "rs")
                && fs::read_to_string(&path).unwrap().contains(word)
            {
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }

    /// Checks that each test file of `lanes`, of the crates and of the chapters that contains this word is run by a
    /// step with this property. Returns how many such files there are.
    fn have_steps(word: &str, is_right: impl Fn(&Step) -> bool) -> usize {
        let mut files = Vec::new();
        for folder in ["chapters", "crates", "tests", "tools/difftest"] {
            containing(word, &crate::chore::root().join(folder), &mut files);
        }
        for file in &files {
            let (_, test) =
                file.rsplit_once("/tests/").unwrap_or_else(|| panic!("`{file}` is no test of its own"));
            let option = format!(" --test {} ", test.split('/').next().unwrap().trim_end_matches(".rs"));
            let has_step =
                STEPS.iter().any(|step| is_right(step) && format!("{} ", step.command).contains(&option));
            assert!(has_step, "`{file}` has `{word}`, and no step of the thorough set runs{option}");
        }
        files.len()
    }

    /// Otherwise a test would take a sample of cases that are never all run.
    #[test]
    fn every_test_that_takes_a_sample_has_a_step() {
        assert!(have_steps("test_support::seeds(", |step| step.seeds.is_some()) >= 5);
        have_steps("test_support::one_in(", |step| step.seeds.is_some());
    }

    #[test]
    fn every_test_that_is_ignored_has_a_step_and_says_why() {
        let is_right = |step: &Step| step.command.contains("-- --ignored");
        let all = have_steps("#[ignore", is_right);
        assert_eq!(all, have_steps("#[ignore = \"thorough: ", is_right), "an ignored test gives no reason");
        // These are the tests of the macros `chapter_tests` and `shape_tests`.
        let chapters = STEPS.iter().find(|step| step.name == "chapters").unwrap();
        assert!(all > 0 && is_right(chapters) && chapters.command.contains("--test output"));
    }
}
