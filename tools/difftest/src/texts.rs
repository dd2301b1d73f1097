//! Runs small PTX texts, each of which shows one thing, through every available compiler.
//!
//! A text has an entry `t(.param .u64 out)` for one thread. Comments say what it leaves in `out` according to the PTX
//! ISA, in rows: `// out: u32` or `// out: u64`, and `// expect: 0x1 0x2`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use simt::Dim3;
use thirty_two_lanes::{Cubin, Image};

use crate::batch::{Bench, DEFAULT_LEVEL};
use crate::emulate::{self, Way};
use crate::kernel::Argument;
use crate::tools::Ptxas;

/// A text and its expected result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The PTX.
    pub ptx: String,
    /// The size of an element in bytes, 4 or 8.
    pub bytes: usize,
    /// The elements of `out`.
    pub expected: Vec<u64>,
}

impl Text {
    /// Reads a text with its comments.
    ///
    /// # Errors
    /// If a comment is missing or is not a number.
    pub fn read(ptx: String) -> Result<Text> {
        let bytes = match comments(&ptx, "out:")
            .next()
            .context("the text has no line `// out: u32` or `// out: u64`")?
        {
            "u32" => 4,
            "u64" => 8,
            other => bail!("`out` is `u32` or `u64`, not `{other}`"),
        };
        let words: Vec<&str> = comments(&ptx, "expect:").flat_map(str::split_whitespace).collect();
        let expected = words.iter().map(|word| number(word)).collect::<Result<Vec<u64>>>()?;
        if expected.is_empty() {
            bail!("the text has no line `// expect: 0x...`");
        }
        Ok(Text { ptx, bytes, expected })
    }

    fn arguments(&self) -> [Argument; 1] {
        [Argument::Buffer("out", vec![0; self.bytes * self.expected.len()])]
    }

    fn elements(&self, buffer: &[u8]) -> Vec<u64> {
        let element = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        buffer.chunks_exact(self.bytes).map(element).collect()
    }

    /// The result on the emulator.
    ///
    /// # Errors
    /// If the emulator refuses the text.
    pub fn emulated(&self) -> Result<Vec<u64>> {
        let loaded = emulate::load_text(&self.ptx, ONE, ONE, &self.arguments())?;
        Ok(self.elements(&loaded.run("t", Way::PLAIN)?.1[0]))
    }

    fn open(path: &Path) -> Result<Text> {
        Text::read(std::fs::read_to_string(path)?)
    }

    /// The result of the code that an assembler makes, or the driver.
    fn compiled(&self, bench: &Bench, ptxas: Option<&Ptxas>, level: u32) -> Result<Vec<u64>> {
        match ptxas {
            None => self.on(bench, Image::Ptx(&self.ptx, level)),
            Some(ptxas) => {
                let cubin = ptxas.assemble(&self.ptx, &bench.arch, level, &bench.folder)?;
                self.on(bench, Image::Cubin(Cubin::new(&cubin)?, &self.ptx))
            }
        }
    }

    /// A result in the form in which it is recorded.
    fn recorded(&self, found: Result<Vec<u64>>) -> Value {
        match found {
            Ok(found) if found == self.expected => json!("as expected"),
            Ok(found) => found.iter().map(|element| format!("{element:#x}")).collect(),
            Err(error) => json!(error.to_string()),
        }
    }

    /// The record's entry for the text, with the emulator's result first.
    fn entry(&self, path: &Path, others: serde_json::Map<String, Value>) -> Value {
        let expected: Vec<String> = self.expected.iter().map(|element| format!("{element:#x}")).collect();
        let mut runs = serde_json::Map::new();
        runs.insert("emulator".to_owned(), self.recorded(self.emulated()));
        runs.extend(others);
        json!({ "file": name(path), "expected": expected, "runs": runs })
    }

    fn on(&self, bench: &Bench, image: Image<'_>) -> Result<Vec<u64>> {
        let buffers = bench.device.run_text(&self.ptx, image, &self.arguments())?;
        Ok(self.elements(&buffers[0]))
    }
}

const ONE: Dim3 = Dim3::new(1, 1, 1);

/// What follows a key in the comments.
fn comments<'t>(ptx: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    let comments = ptx.lines().filter_map(|line| line.strip_prefix("//"));
    comments.filter_map(move |comment| comment.trim().strip_prefix(key).map(str::trim))
}

fn number(word: &str) -> Result<u64> {
    let digits =
        word.strip_prefix("0x").with_context(|| format!("`{word}` is not a hexadecimal number, 0x..."))?;
    u64::from_str_radix(digits, 16).with_context(|| format!("`{word}` is not a hexadecimal number, 0x..."))
}

/// The texts in some folders, in the order of their names.
///
/// # Errors
/// If a folder cannot be read, or contains no text.
pub fn list(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders {
        let entries =
            std::fs::read_dir(folder).with_context(|| format!("`{}` cannot be read", folder.display()))?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        files.extend(paths.filter(|path| path.extension().is_some_and(|is| is == "ptx")));
    }
    files.sort();
    if files.is_empty() {
        bail!("there is no .ptx file in these folders");
    }
    Ok(files)
}

/// The results of a text with every compiler at every level: `as expected`, the elements, or why there are none.
///
/// # Errors
/// If the text cannot be read.
pub fn run(bench: &Bench, path: &Path) -> Result<Value> {
    let text = Text::open(path)?;
    let mut runs = serde_json::Map::new();
    for level in 0..=DEFAULT_LEVEL {
        runs.insert(format!("driver -O{level}"), text.recorded(text.compiled(bench, None, level)));
    }
    for ptxas in &bench.ptxas {
        for level in 0..DEFAULT_LEVEL {
            let found = text.compiled(bench, Some(ptxas), level);
            runs.insert(format!("ptxas {} -O{level}", ptxas.release), text.recorded(found));
        }
    }
    Ok(text.entry(path, runs))
}

/// The result of a text with one compiler at one level.
///
/// # Errors
/// If the text cannot be read.
pub fn run_one(bench: &Bench, path: &Path) -> Result<Value> {
    let text = Text::open(path)?;
    Ok(json!({ "result": text.recorded(text.compiled(bench, bench.compiler.as_ref(), bench.level)) }))
}

/// The entry of a text that killed the process which tried all compilers. It is assembled from processes that tried one
/// compiler each.
///
/// # Errors
/// If the text cannot be read.
pub fn gathered(path: &Path, retries: &serde_json::Map<String, Value>) -> Result<Value> {
    let by_driver = |(name, _): &(&String, &Value)| name.starts_with("driver");
    let (driver, others): (Vec<_>, Vec<_>) = retries.iter().partition(by_driver);
    let recorded = |(name, result): (&String, &Value)| match result.as_str() {
        Some("lost") => (name.clone(), json!("the process died while it compiled the text")),
        _ => (name.clone(), result.clone()),
    };
    Ok(Text::open(path)?.entry(path, driver.into_iter().chain(others).map(recorded).collect()))
}

/// A file's name in a record: its folder and its name.
pub fn name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    format!("{folder}/{file}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_read_from_comments() {
        let text = Text::read(
            "// A text.\n// out: u32\n// expect: 0x1 0xff\n// expect: 0x2\n.version 8.0\n".to_owned(),
        );
        let Text { bytes, expected, .. } = text.unwrap();
        assert_eq!((bytes, expected), (4, vec![1, 255, 2]));
        assert!(Text::read("// out: u32\n".to_owned()).is_err());
        assert!(Text::read("// out: f32\n// expect: 0x1\n".to_owned()).is_err());
        assert!(Text::read("// out: u32\n// expect: 12\n".to_owned()).is_err());
    }
}
