//! Writes the bytes of a buffer to a file after a run: `--save y=y.bin`.
//!
//! Whether a file can be written is tried before the run, which may take long. What it leaves out: any format; the bytes
//! are those of the buffer, little-endian, as `file=` reads them.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use super::plan::Plan;
use super::source::{self, why};

/// A buffer to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Save {
    /// The buffer, or the number of an argument.
    pub name: String,
    pub file: PathBuf,
}

impl Save {
    /// Reads `1=out.bin`.
    pub fn parse(text: &str) -> Result<Save, String> {
        let parts = text.split_once('=').filter(|(name, file)| !name.is_empty() && !file.is_empty());
        let (name, file) = parts.ok_or("a buffer and its file are written as in `1=out.bin`")?;
        Ok(Save { name: name.to_owned(), file: file.into() })
    }

    /// With the name of the buffer, if there is one and the file can be written.
    pub fn resolved(&self, plan: &Plan<'_>) -> Result<Save> {
        let name = plan.buffer_name(&self.name);
        let name =
            name.map_err(|error| anyhow!("`--save {}={}`: {error}", self.name, self.file.display()))?;
        plan.refuse_input("--save", &self.file)?;
        try_out(&self.file)?;
        Ok(Save { name, file: self.file.clone() })
    }

    /// Writes the bytes.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        write(&self.file, bytes)
    }
}

/// Whether a file can be written. One that was not there is not there afterwards.
pub(super) fn try_out(file: &Path) -> Result<()> {
    let is_new = !file.exists();
    OpenOptions::new().append(true).create(true).open(file).map_err(|error| failed(file, &error))?;
    if is_new {
        // What cannot be removed is written soon.
        let _ = fs::remove_file(file);
    }
    Ok(())
}

/// Writes a file.
pub(super) fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(file, bytes).map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &std::io::Error) -> anyhow::Error {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder; check its name".to_owned(),
        _ => why(file, error),
    };
    anyhow!("cannot write `{}`: {why}", source::name(file))
}
