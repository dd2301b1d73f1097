//! Compiles a program with clang and runs it: `cargo run -p native-host --example native -- program.cu arguments`.

use std::path::PathBuf;

use native_host::{Clang, Given, Project, Running, serve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let sources: Vec<PathBuf> = words.first().map(PathBuf::from).into_iter().collect();
    let clang = Clang::find().ok_or("there is no clang")?;
    let here = std::env::current_dir()?;
    let project = Project {
        folder: &here,
        sources: &sources,
        texts: &[],
        end: "",
        include: &[],
        shown_from: &here,
        defines: &[],
        arch: 70,
        is_specific: false,
        std: 17,
    };
    let compiled = clang.compile(&project)?;
    let program = compiled.program()?;
    let given =
        Given { words: &words, seconds: 600, memory_bytes: 4 << 30, output_bytes: 16 << 20, pulse: None };
    let running = Running::start(&compiled, &given)?;
    let outcome = serve(&program, &compiled, &running, &cuda_host::Limits::default(), &|_| {})?;
    print!("{}", String::from_utf8_lossy(&outcome.output));
    eprint!("{}", String::from_utf8_lossy(&outcome.errors));
    for finding in &outcome.findings {
        println!("{} at {}: {}", finding.kind.name(), program.place(finding.line), finding.message);
    }
    std::process::exit(outcome.status)
}
