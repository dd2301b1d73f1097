//! Compiles a program with clang, and runs it.

use std::path::PathBuf;

use cuda_host::{Limits, Outcome};
use native_host::{Clang, Compiled, Given, Project, Running, serve};

/// Clang, unless there is none: then the test says so and ends.
pub fn clang() -> Option<Clang> {
    let clang = Clang::find();
    if clang.is_none() {
        assert!(std::env::var("CLANG_TESTS").is_err(), "no clang of version 16 or newer is in `PATH`");
        println!("skipped: there is no clang of version 16 or newer");
    }
    clang
}

/// A program of one file.
pub fn compiled(clang: &Clang, text: &str) -> Compiled {
    let name = PathBuf::from("sequence.cu");
    let file = tempfile::tempdir().unwrap();
    std::fs::write(file.path().join(&name), text).unwrap();
    let project = Project {
        folder: file.path(),
        sources: std::slice::from_ref(&name),
        end: "",
        texts: &[(name.clone(), text.to_owned())],
        include: &[],
        shown_from: file.path(),
        defines: &[],
        arch: 70,
        is_specific: false,
        std: 17,
    };
    clang.compile(&project).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a program with words.
pub fn natively(compiled: &Compiled, words: &[u64]) -> Outcome {
    let limits = Limits::default();
    let given = Given {
        words: &std::iter::once("sequence".to_owned())
            .chain(words.iter().map(u64::to_string))
            .collect::<Vec<_>>(),
        seconds: 20,
        memory_bytes: 1 << 30,
        output_bytes: limits.output_bytes,
        pulse: None,
    };
    let running = Running::start(compiled, &given).unwrap();
    serve(&compiled.program().unwrap(), compiled, &running, &limits, &|_| {}).unwrap()
}
