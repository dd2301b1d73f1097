//! The file that a kernel is read from, and what people hand over in place of PTX.
//!
//! What it leaves out: compiling CUDA, and what PTX says, which the parser knows.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Result, anyhow, bail};

/// Bytes that are read of a file: one more than the parser takes, so that it can say that there are too many.
const MOST_BYTES: u64 = (64 << 20) + 1;

/// What messages call the file.
pub(super) fn name(file: &Path) -> String {
    file.display().to_string()
}

/// The text of a PTX file.
pub(super) fn read(file: &Path) -> Result<String> {
    let name = name(file);
    let bytes = bytes(file).map_err(|error| anyhow!("cannot read `{name}`: {}", why(file, &error)))?;
    if file.extension().is_some_and(|extension| extension == "cu") {
        let ptx = file.with_extension("ptx");
        let command = format!("nvcc -ptx -lineinfo {name} -o {}", ptx.display());
        bail!("`{name}` is CUDA source: compile it to PTX first, with `{command}`");
    }
    text(bytes).map_err(|what| anyhow!("`{name}` is {what}: write PTX, which is text, with `nvcc -ptx`"))
}

fn bytes(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn why(file: &Path, error: &std::io::Error) -> String {
    if file.is_dir() {
        return "it is a directory, name a file in it".to_owned();
    }
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file, check its name".to_owned(),
        std::io::ErrorKind::PermissionDenied => "you may not read it, check its permissions".to_owned(),
        _ => error.to_string(),
    }
}

/// The text, or what the bytes are instead. Zeros at the end are allowed, as the compiler's own interface has one.
fn text(bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.starts_with(b"\x7fELF") {
        return Err("a compiled binary (ELF)");
    }
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    if end < bytes.len() && end == 0 || bytes[..end].contains(&0) {
        return Err("a binary file");
    }
    let mut text = String::from_utf8(bytes).map_err(|_| "a binary file (not UTF-8)")?;
    text.truncate(end);
    Ok(text)
}
