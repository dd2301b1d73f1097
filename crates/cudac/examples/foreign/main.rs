//! Compiles the kernels of a folder that nobody here wrote, and compares what they do with NVIDIA's compiler's:
//! `cargo run -p cudac --example foreign -- FOLDER [--keep FOLDER] [--name NAME] [--report FILE]`.
//!
//! Each kernel becomes a text of its own, without the host's code. Those that NVRTC compiles count, unless they use
//! textures or surfaces, or launch kernels. Printed are how many of them cudac compiles, why it does not
//! compile the rest, and whether the kernels leave the same in memory on generated launches. `--keep` writes the texts
//! and NVRTC's PTX into a folder, and takes the PTX from there the next time; `--report` writes `FOREIGN.md`.

mod instance;
mod items;
mod launches;
mod slice;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use launches::{Likeness, Way};
use slice::Kernel;

/// Features that are left out.
const LEFT_OUT: [&str; 14] = [
    "tex1D",
    "tex1Dfetch",
    "tex2D",
    "tex3D",
    "texCubemap",
    "tex1DLayered",
    "tex2DLayered",
    "surf2Dwrite",
    "surf2Dread",
    "surf1Dwrite",
    "surf3Dwrite",
    "tex2DLod",
    "tex2Dgather",
    "cudaTextureObject_t",
];

const SM: u32 = 80;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first() else {
        eprintln!("usage: foreign FOLDER [--keep FOLDER] [--name NAME-AND-COMMIT] [--report FILE]");
        return ExitCode::FAILURE;
    };
    let option =
        |name: &str| arguments.iter().position(|text| text == name).and_then(|at| arguments.get(at + 1));
    let keep = option("--keep").map(PathBuf::from);
    let collection = option("--name").unwrap_or(folder);
    let kernels = kernels(Path::new(folder));
    let nvrtc = match nvrtc::Compiler::find() {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            eprintln!("without NVRTC every kernel counts, and nothing is compared: {error}");
            None
        }
    };
    let mut tally = Tally::default();
    for kernel in &kernels {
        tally.add(kernel, Path::new(folder), nvrtc.as_ref(), keep.as_deref());
    }
    let report = tally.report(kernels.len(), collection);
    match option("--report").map(|file| fs::write(file, &report)) {
        None => print!("{report}"),
        Some(Ok(())) => {}
        Some(Err(error)) => {
            eprintln!("the report cannot be written: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn kernels(folder: &Path) -> Vec<Kernel> {
    let mut index = items::Index::new();
    items::index(folder, &mut index);
    let mut known = BTreeSet::new();
    let mut kernels = Vec::new();
    let files =
        index.values().flatten().filter(|path| path.extension().is_some_and(|extension| extension == "cu"));
    for path in files {
        let mut seen = BTreeSet::new();
        let items = items::read(path, &index, &mut seen);
        for kernel in slice::kernels(&items) {
            let file = kernel.file.canonicalize().unwrap_or_default();
            if known.insert((file, kernel.line)) {
                kernels.push(kernel);
            }
        }
    }
    kernels.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    kernels
}

#[derive(Default)]
struct Tally {
    left_out: usize,
    refused: usize,
    counted: usize,
    compiled: usize,
    reasons: BTreeMap<String, Vec<String>>,
    likeness: BTreeMap<Likeness, Vec<String>>,
    not_run: BTreeMap<String, Vec<String>>,
}

impl Tally {
    fn add(&mut self, kernel: &Kernel, folder: &Path, nvrtc: Option<&nvrtc::Compiler>, keep: Option<&Path>) {
        let file = kernel.file.strip_prefix(folder).unwrap_or(&kernel.file);
        let place = format!("{}:{} {}", file.display(), kernel.line, kernel.name);
        let is_left_out = slice::words(&kernel.text).any(|word| LEFT_OUT.contains(&word));
        if is_left_out || kernel.text.contains("<<<") {
            self.left_out += 1;
            return;
        }
        let theirs = match nvrtc.map(|nvrtc| reference(kernel, nvrtc, keep)) {
            Some(None) => {
                self.refused += 1;
                return;
            }
            Some(Some(ptx)) => Some(ptx),
            None => None,
        };
        self.counted += 1;
        let options = cudac::Options { sm: SM, ..cudac::Options::default() };
        match cudac::compile(&cudac::Source { name: "kernel.cu", text: &kernel.text }, &options) {
            Ok(output) => {
                self.compiled += 1;
                if let Some(theirs) = theirs {
                    self.compare(place, kernel, &output.ptx, &theirs);
                }
            }
            Err(errors) => {
                let reason = errors.0.iter().find(|error| error.severity == cudac::Severity::Error);
                let reason = reason.map_or_else(String::new, |error| error.message.clone());
                self.reasons.entry(reason).or_default().push(place);
            }
        }
    }

    fn compare(&mut self, place: String, kernel: &Kernel, ours: &str, theirs: &str) {
        let name = &kernel.name;
        let by_order = [
            "clock",
            "clock64",
            "__globaltimer",
            "atomicExch",
            "atomicExch_system",
            "atomicCAS",
            "atomicCAS_system",
        ];
        let is_ordered = slice::words(&kernel.text).any(|word| by_order.contains(&word));
        let mut worst = Likeness::Stopped;
        for round in 0..4 {
            match (
                launches::run(ours, name, round, Way::Usual),
                launches::run(theirs, name, round, Way::Usual),
            ) {
                (Ok(our), Ok(their)) => {
                    let mut found = launches::compare(&our, &their);
                    let raced = || {
                        let checked = launches::run(theirs, name, round, Way::Checked);
                        checked.is_ok_and(|run| run.faults != their.faults)
                            && is_same_alone(ours, theirs, name, round)
                    };
                    if found == Likeness::Memory && is_ordered {
                        found = Likeness::Order;
                    } else if found == Likeness::Memory && raced() {
                        found = Likeness::Races;
                    }
                    worst = worst.max(found);
                }
                (Err(error), Ok(_)) => {
                    self.not_run.entry(format!("ours: {error}")).or_default().push(place);
                    return;
                }
                (_, Err(error)) => {
                    self.not_run.entry(format!("theirs: {error}")).or_default().push(place);
                    return;
                }
            }
        }
        self.likeness.entry(worst).or_default().push(place);
    }

    /// All that was found, as a page.
    fn report(&self, all: usize, collection: &str) -> String {
        let part = 100.0 * self.compiled as f64 / self.counted.max(1) as f64;
        let mut text = format!(
            "<!-- Generated by `cargo run -p cudac --example foreign`; do not edit. -->\n\n\
            # Kernels that nobody here wrote\n\n\
            The collection: {collection}.\n\n\
            Each of its {all} kernels was made a text of its own, without the host's code, for sm_{SM}. {} of them use\n\
            textures or surfaces, or launch kernels, and are left out. NVRTC refuses {} texts, because\n\
            they need more of the host's code. Of the other {}, cudac compiles {}: {part:.1} %.\n",
            self.left_out, self.refused, self.counted, self.compiled
        );
        text.push_str(&listed("What cudac does not compile", &self.reasons, true));
        let shown =
            self.likeness.iter().map(|(likeness, places)| (likeness.words().to_owned(), places.clone()));
        text.push_str(&listed("What the kernels leave in memory, beside NVRTC's", &shown.collect(), true));
        text.push_str(&listed("What the emulator does not run", &self.not_run, true));
        text
    }
}

/// Whether one thread of both texts leaves the same.
fn is_same_alone(ours: &str, theirs: &str, name: &str, round: u32) -> bool {
    let run = |ptx| launches::run(ptx, name, round, Way::Alone);
    let both = run(ours).and_then(|ours| Ok(launches::compare(&ours, &run(theirs)?)));
    both.is_ok_and(|likeness| likeness <= Likeness::Rounded)
}

/// A list of places for each reason, the most frequent one first.
fn listed(title: &str, reasons: &BTreeMap<String, Vec<String>>, has_places: bool) -> String {
    let mut sorted: Vec<_> = reasons.iter().collect();
    sorted.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    let mut text = format!("\n## {title}\n\n");
    if sorted.is_empty() {
        text.push_str("Nothing.\n");
    }
    for (reason, places) in sorted {
        let _ = writeln!(text, "- {} × {reason}", places.len());
        for place in places.iter().filter(|_| has_places) {
            let _ = writeln!(text, "  - {place}");
        }
    }
    text
}

/// NVRTC's PTX of a kernel, or nothing if it refuses the text.
fn reference(kernel: &Kernel, nvrtc: &nvrtc::Compiler, keep: Option<&Path>) -> Option<String> {
    let stem = format!("{}_{}", kernel.name, &nvrtc::sha256(&kernel.text)[..12]);
    let path = keep.map(|keep| keep.join(format!("{stem}.ptx")));
    if let Some(ptx) = path.as_ref().and_then(|path| fs::read_to_string(path).ok()) {
        return Some(ptx).filter(|ptx| ptx.contains(".entry"));
    }
    let source = nvrtc::Source { name: "kernel.cu", text: &kernel.text };
    let made = nvrtc.compile(&source, &nvrtc::Options::optimised(SM));
    let text = match &made {
        Ok(ptx) => ptx.clone(),
        Err(error) => format!("// {error:?}"),
    };
    if let (Some(path), Some(keep)) = (path, keep) {
        let _ = fs::create_dir_all(keep);
        let _ = fs::write(
            keep.join(format!("{stem}.cu")),
            format!("// {}:{}\n{}", kernel.file.display(), kernel.line, kernel.text),
        );
        let _ = fs::write(path, text);
    }
    made.ok().filter(|ptx| ptx.contains(".entry"))
}
