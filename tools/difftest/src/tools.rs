//! NVIDIA's assembler, if there is one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// A `ptxas` program.
#[derive(Clone, Debug)]
pub struct Ptxas {
    /// The path of the program.
    pub path: PathBuf,
    /// Its release, for example `12.9`.
    pub release: String,
}

impl Ptxas {
    /// The program at a path.
    ///
    /// # Errors
    /// If it does not run or does not print its release.
    pub fn new(path: &Path) -> Result<Ptxas> {
        let output = Command::new(path).arg("--version").output();
        let output =
            output.with_context(|| format!("`{}` does not run; name another ptxas", path.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let release = text.split_once("release ").and_then(|(_, after)| after.split([',', ' ']).next());
        let release = release.with_context(|| format!("`{}` does not say its release", path.display()))?;
        Ok(Ptxas { path: path.to_owned(), release: release.to_owned() })
    }

    /// Whether the assembler accepts the text for an architecture. If not, returns its first message, which is empty if
    /// it crashed.
    ///
    /// # Errors
    /// If the assembler cannot be started.
    pub fn takes(&self, text: &str, arch: &str, folder: &Path) -> Result<Result<(), String>> {
        let input = folder.join(format!("{}-{}.ptx", std::process::id(), self.release));
        std::fs::write(&input, text)?;
        let mut command = Command::new(&self.path);
        let run = command
            .args([&format!("-arch={arch}"), "-o", "/dev/null"])
            .arg(&input)
            .stdin(Stdio::null())
            .output()?;
        if run.status.success() {
            return Ok(Ok(()));
        }
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        let complaint =
            said.lines().find_map(|line| Some(line.split_once("error")?.1.trim_start_matches([' ', ':'])));
        // A signal, or the status by which a shell reports one; for a text that is wrong the status is 255.
        let died = matches!(run.status.code(), None | Some(129..=159));
        Ok(Err(if died { String::new() } else { complaint.unwrap_or(said.trim()).to_owned() }))
    }

    /// The machine code of a text for an architecture, at a level of optimisation from 0 to 3.
    ///
    /// # Errors
    /// If the text is refused, or the assembler fails.
    pub fn assemble(&self, text: &str, arch: &str, level: u32, folder: &Path) -> Result<Vec<u8>> {
        let name = format!("{}-{level}-{}", std::process::id(), self.release);
        let (input, output) = (folder.join(format!("{name}.ptx")), folder.join(format!("{name}.cubin")));
        std::fs::write(&input, text)?;
        let run = Command::new(&self.path)
            .args([&format!("-arch={arch}"), &format!("-O{level}"), "-o"])
            .arg(&output)
            .arg(&input)
            .stdin(Stdio::null())
            .output()?;
        if !run.status.success() {
            let message = String::from_utf8_lossy(&run.stderr).into_owned();
            bail!("ptxas refuses it: {}", message.lines().next().unwrap_or("without a word"));
        }
        let machine_code = std::fs::read(&output)?;
        let _ = (std::fs::remove_file(&input), std::fs::remove_file(&output));
        Ok(machine_code)
    }
}
