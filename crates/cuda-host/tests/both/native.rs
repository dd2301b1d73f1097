//! The same programs, compiled by a C++ compiler: many in one text, each in a namespace of its own.
//!
//! `-fwrapv` gives signed overflow the meaning that it has in PTX, and `-ffp-contract=off` that of separate operations.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::THREADS;
use crate::write::program;

/// Programs in one text.
pub const BATCH: usize = 40;

/// Names of compilers; the first one that is there is taken.
const NAMES: [&str; 8] =
    ["clang++", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++-14", "g++"];

pub struct Compiler(&'static str);

impl Compiler {
    pub fn find() -> Option<Compiler> {
        let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
        NAMES.into_iter().find(is_there).map(Compiler)
    }

    /// What the programs of some seeds return.
    pub fn results(&self, seeds: &[u64]) -> Vec<Vec<i64>> {
        let mut text = "#include <cstdio>\n#include <utility>\n#define BOTH\n".to_owned();
        let mut calls = String::new();
        for seed in seeds {
            let space = format!("p{seed}");
            let _ = write!(text, "namespace {space} {{\n{}\n}}\n", program(*seed, &format!("::{space}")));
            let _ =
                writeln!(calls, "for (int i = 0; i < {THREADS}; i++) printf(\"%lld\\n\", {space}::run(i));");
        }
        let _ = write!(text, "int main() {{\n{calls}}}\n");
        let folder = env::temp_dir().join(format!("both-{}-{}", std::process::id(), seeds[0]));
        fs::create_dir_all(&folder).expect("a temporary folder can be made");
        let output = self.run(&folder, &text);
        fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
        let numbers: Vec<i64> = output.lines().map(|line| line.parse().expect("a number")).collect();
        numbers.chunks(THREADS).map(<[i64]>::to_vec).collect()
    }

    fn run(&self, folder: &Path, text: &str) -> String {
        let (source, binary) = (folder.join("programs.cpp"), folder.join("programs"));
        fs::write(&source, text).expect("the text can be written");
        let options = [
            "-std=c++17",
            "-w",
            "-Wno-narrowing",
            "-O0",
            "-fwrapv",
            "-ffp-contract=off",
            "-fno-strict-aliasing",
        ];
        let made = Command::new(self.0).args(options).arg(&source).arg("-o").arg(&binary).output();
        let made = made.expect("the compiler starts");
        assert!(made.status.success(), "{}\n{text}", String::from_utf8_lossy(&made.stderr));
        let ran = Command::new(binary).output().expect("the programs start");
        assert!(ran.status.success(), "{:?}\n{text}", ran.status);
        String::from_utf8(ran.stdout).expect("numbers")
    }
}
