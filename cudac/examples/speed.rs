//! How long texts take to compile: `cargo run --release -p cudac --example speed`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// Lines of the long text, which is made of the book's kernels.
const LINES: usize = 10_000;

/// Runs of each text.
const RUNS: usize = 21;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let reduction =
        fs::read_to_string(folder.join("reduction.cu")).expect("the kernels are in the repository");
    report("`reduction.cu`", &reduction);
    report("a long text of the book's kernels", &long_text(&folder));
}

/// Each file in a namespace of its own, again and again until there are enough lines.
fn long_text(folder: &Path) -> String {
    let files = fs::read_dir(folder).expect("the kernels are in the repository").flatten();
    let mut paths: Vec<_> = files.map(|file| file.path()).filter(|path| is_cuda(path)).collect();
    paths.sort();
    let texts: Vec<String> = paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    // Macros know no namespaces.
    let texts = texts.iter().filter(|text| !text.contains("#define") && !text.contains("#if"));
    let (mut headers, mut body) = (String::new(), String::new());
    for (nth, text) in texts.cycle().enumerate() {
        if headers.lines().count() + body.lines().count() >= LINES {
            return headers + &body;
        }
        writeln!(body, "namespace part_{nth} {{").unwrap();
        for line in text.lines() {
            let is_new_header = line.starts_with("#include") && !headers.contains(line);
            let to = if is_new_header { &mut headers } else { &mut body };
            let line = if line.starts_with("#include") && !is_new_header { "" } else { line };
            writeln!(to, "{}", line.trim_start_matches("extern \"C\" ")).unwrap();
        }
        body += "}\n";
    }
    headers + &body
}

fn is_cuda(path: &Path) -> bool {
    let is_feature = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("features_"));
    !is_feature && path.extension().is_some_and(|extension| extension == "cu")
}

fn report(what: &str, text: &str) {
    let source = cudac::Source { name: "speed.cu", text };
    let options = cudac::Options { sm: 80, ..cudac::Options::default() };
    let mut times_ms: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            cudac::compile(&source, &options).unwrap_or_else(|errors| panic!("{errors}"));
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times_ms.sort_by(f64::total_cmp);
    let (least, median) = (times_ms[0], times_ms[RUNS / 2]);
    println!("{what}: {} lines, median {median:.1} ms, least {least:.1} ms", text.lines().count());
}
