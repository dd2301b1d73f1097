//! Asks `ptxas` which of many statements it accepts, in as few runs as possible.
//!
//! A file with a thousand statements takes hardly longer than one with a single statement, and most errors are reported
//! with their lines, all in one run. If the assembler stops (because it cannot parse a line, or crashes), the
//! statements are halved until the ones that stop it are found.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::operands::{OUTSIDE, declarations};

/// How many statements are in one file.
const BATCH: usize = 2000;

/// The assembler, and a folder for its files.
pub struct Assembler {
    ptxas: PathBuf,
    folder: PathBuf,
}

/// The header of a module: its target and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Header {
    /// Its target: 70 for `sm_70`.
    pub sm: u32,
    /// `a` for `sm_90a`.
    pub letter: &'static str,
    /// Its `.version`.
    pub version: (u32, u32),
}

/// The result of assembling a file.
enum Outcome {
    /// It was assembled.
    Taken,
    /// The lines that were refused, each with the reason.
    Refused(BTreeMap<usize, String>),
    /// It was not assembled, and no message names a line.
    Stopped(String),
}

impl Assembler {
    /// An assembler that works in a folder of its own below `folder`.
    pub fn new(ptxas: &Path, folder: &Path) -> Result<Assembler> {
        let folder = folder.join("isa-ptxas");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        Ok(Assembler { ptxas: ptxas.to_path_buf(), folder })
    }

    /// For each statement, `None` if it is accepted, or why it is refused.
    pub fn ask(&self, header: Header, statements: &[&str]) -> Result<Vec<Option<String>>> {
        let mut refused = vec![None; statements.len()];
        let all: Vec<usize> = (0..statements.len()).collect();
        for batch in all.chunks(BATCH) {
            self.ask_batch(header, statements, batch.to_vec(), &mut refused)?;
        }
        Ok(refused)
    }

    fn ask_batch(
        &self,
        header: Header,
        statements: &[&str],
        mut left: Vec<usize>,
        refused: &mut [Option<String>],
    ) -> Result<()> {
        while !left.is_empty() {
            match self.assemble(header, statements, &left)? {
                Outcome::Taken => return Ok(()),
                Outcome::Refused(lines) => {
                    for (line, why) in &lines {
                        refused[left[*line]] = Some(why.clone());
                    }
                    left.retain(|&statement| refused[statement].is_none());
                }
                Outcome::Stopped(why) => {
                    let [statement] = left[..] else {
                        let half = left.split_off(left.len() / 2);
                        self.ask_batch(header, statements, left, refused)?;
                        left = half;
                        continue;
                    };
                    refused[statement] = Some(why);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Assembles one file with the statements whose numbers are in `chosen`, one on each line.
    fn assemble(&self, header: Header, statements: &[&str], chosen: &[usize]) -> Result<Outcome> {
        let Header { sm, letter, version: (major, minor) } = header;
        let before = format!(
            ".version {major}.{minor}\n.target sm_{sm}{letter}\n.address_size 64\n{OUTSIDE}\
             .visible .entry kernel(.param .align 16 .b8 param_0[64]) {{\n{}",
            declarations()
        );
        let first = before.lines().count() + 1;
        let body: Vec<&str> = chosen.iter().map(|&statement| statements[statement]).collect();
        let file = self.folder.join("asked.ptx");
        fs::write(&file, format!("{before}{}\nEND: ret;\n}}\n", body.join("\n")))?;
        let output = Command::new(&self.ptxas)
            .args([&format!("-arch=sm_{sm}{letter}"), "-O0", "-o"])
            .arg(self.folder.join("asked.cubin"))
            .arg(&file)
            .output()
            .with_context(|| format!("cannot run `{}`", self.ptxas.display()))?;
        if output.status.success() {
            return Ok(Outcome::Taken);
        }
        let messages =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let lines: BTreeMap<usize, String> = messages
            .lines()
            .filter(|line| !line.contains("; warning :"))
            .filter_map(|line| {
                let (_, rest) = line.split_once(", line ")?;
                let (number, why) = rest.split_once(';')?;
                let index = number.trim().parse::<usize>().ok()?.checked_sub(first)?;
                (index < chosen.len()).then(|| (index, why.trim().to_owned()))
            })
            .collect();
        if lines.is_empty() {
            let why = messages.lines().next().unwrap_or("it says nothing").to_owned();
            return Ok(Outcome::Stopped(format!("{} ({})", why, output.status)));
        }
        Ok(Outcome::Refused(lines))
    }
}
