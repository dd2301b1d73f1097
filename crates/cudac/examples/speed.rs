//! How long texts take to compile: `cargo run --release -p cudac --example speed`. With `--check` it fails if one takes longer
//! than it may.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Lines of the long texts, which are made of the book's kernels.
const LINES: usize = 10_000;

/// Runs of each text. The quickest counts, because nothing makes a run quicker than the machine is.
const RUNS: usize = 21;

/// Machines have phases in which everything takes longer, so a text that is too slow gets so many runs before it is said to be.
const MOST_RUNS: usize = 210;

/// Times in milliseconds that may not be exceeded.
const MAX_MS: f64 = 5.0;
const MAX_LONG_MS: f64 = 100.0;

fn main() -> ExitCode {
    let checks = std::env::args().nth(1).is_some_and(|option| option == "--check");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let reduction =
        fs::read_to_string(folder.join("reduction.cu")).expect("the kernels are in the repository");
    let texts = [
        ("`reduction.cu`", reduction, MAX_MS),
        ("a long text of the book's kernels", long_text(&folder, false), MAX_LONG_MS),
        ("the same without comments and empty lines", long_text(&folder, true), MAX_LONG_MS),
    ];
    let too_slow = texts.iter().filter(|(what, text, most_ms)| !report(what, text, *most_ms)).count();
    if checks && too_slow > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Each file in a namespace of its own, again and again until there are enough lines.
fn long_text(folder: &Path, is_dense: bool) -> String {
    let files = fs::read_dir(folder).expect("the kernels are in the repository").flatten();
    let mut paths: Vec<_> = files.map(|file| file.path()).filter(|path| is_cuda(path)).collect();
    paths.sort();
    let texts: Vec<String> = paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    // Macros know no namespaces.
    let texts = texts.iter().filter(|text| !text.contains("#define") && !text.contains("#if"));
    let (mut headers, mut body) = (String::new(), String::new());
    for (nth, text) in texts.cycle().enumerate() {
        if headers.lines().count() + body.lines().count() >= LINES {
            break;
        }
        writeln!(body, "namespace part_{nth} {{").unwrap();
        for line in text.lines().filter(|line| !is_dense || is_code(line)) {
            if !line.starts_with("#include") {
                writeln!(body, "{}", line.trim_start_matches("extern \"C\" ")).unwrap();
            } else if !headers.contains(line) {
                writeln!(headers, "{line}").unwrap();
            } else if !is_dense {
                body.push('\n');
            }
        }
        body += "}\n";
    }
    headers + &body
}

fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with("//")
}

fn is_cuda(path: &Path) -> bool {
    let is_feature = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("features_"));
    !is_feature && path.extension().is_some_and(|extension| extension == "cu")
}

/// Prints how long a text takes, and says whether that is allowed.
fn report(what: &str, text: &str, most_ms: f64) -> bool {
    let source = cudac::Source { name: "speed.cu", text };
    let options = cudac::Options { sm: 80, ..cudac::Options::default() };
    let mut times_ms = Vec::new();
    while times_ms.len() < RUNS || (times_ms.len() < MOST_RUNS && times_ms.iter().all(|ms| *ms > most_ms)) {
        let start = Instant::now();
        cudac::compile(&source, &options).unwrap_or_else(|errors| panic!("{errors}"));
        times_ms.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    times_ms.sort_by(f64::total_cmp);
    let (runs, lines) = (times_ms.len(), text.lines().count());
    let (least, median) = (times_ms[0], times_ms[runs / 2]);
    println!(
        "{what}: {lines} lines, {runs} runs, median {median:.1} ms, least {least:.1} ms, allowed {most_ms} ms"
    );
    least <= most_ms
}
