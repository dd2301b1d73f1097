//! Small PTX texts that show one thing each, on every compiler that there is.
//!
//! A text has an entry `t(.param .u64 out)` for one thread. Comments say what it leaves in `out` by the PTX ISA, in rows:
//! `// out: u32` or `// out: u64`, and `// expect: 0x1 0x2`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use lanes::Image;
use serde_json::{Value, json};
use simt::Dim3;

use crate::batch::{Bench, DEFAULT_LEVEL};
use crate::emulate::{self, Way};
use crate::kernel::Argument;

/// A text and what it leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The PTX.
    pub ptx: String,
    /// Bytes of an element, 4 or 8.
    pub bytes: usize,
    /// The elements of `out`.
    pub expected: Vec<u64>,
}

impl Text {
    /// Reads a text with its comments.
    ///
    /// # Errors
    /// A comment is missing or no number.
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

    /// What the emulator leaves.
    ///
    /// # Errors
    /// It refuses the text.
    pub fn emulated(&self) -> Result<Vec<u64>> {
        let loaded = emulate::load_text(&self.ptx, SHAPE, &self.arguments())?;
        Ok(self.elements(&loaded.run("t", Way::PLAIN)?.1[0]))
    }

    fn on(&self, bench: &Bench, image: Image<'_>) -> Result<Vec<u64>> {
        let buffers = bench.device.run(image, &self.ptx, SHAPE, "t", &self.arguments())?;
        Ok(self.elements(&buffers[0]))
    }
}

const SHAPE: (Dim3, Dim3) = (Dim3::new(1, 1, 1), Dim3::new(1, 1, 1));

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
/// A folder cannot be read, or has none.
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

/// What every compiler at every level makes of a text: `as expected`, the elements, or why there are none.
///
/// # Errors
/// The text cannot be read.
pub fn run(bench: &Bench, path: &Path) -> Result<Value> {
    let text = Text::read(std::fs::read_to_string(path)?)?;
    let told = |found: Result<Vec<u64>>| match found {
        Ok(found) if found == text.expected => json!("as expected"),
        Ok(found) => found.iter().map(|element| format!("{element:#x}")).collect(),
        Err(error) => json!(error.to_string()),
    };
    let mut runs = serde_json::Map::new();
    runs.insert("emulator".to_owned(), told(text.emulated()));
    for level in 0..=DEFAULT_LEVEL {
        runs.insert(format!("driver -O{level}"), told(text.on(bench, Image::Ptx(&text.ptx, level))));
    }
    for ptxas in &bench.ptxas {
        for level in 0..=3 {
            let cubin = ptxas.assemble(&text.ptx, &bench.arch, level, &bench.folder);
            let found = cubin.and_then(|cubin| text.on(bench, Image::Cubin(&cubin)));
            runs.insert(format!("ptxas {} -O{level}", ptxas.release), told(found));
        }
    }
    let expected: Vec<String> = text.expected.iter().map(|element| format!("{element:#x}")).collect();
    Ok(json!({ "file": name(path), "expected": expected, "runs": runs }))
}

/// A file as a record names it: its folder and its name.
pub fn name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    format!("{folder}/{file}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_say_what_is_expected() {
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
