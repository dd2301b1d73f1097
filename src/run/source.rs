//! The file that a kernel is read from, and what people hand over in place of CUDA or PTX.
//!
//! A `.cu` file is compiled with the CUDA compiler of this machine, where there is one. What it leaves out: what PTX
//! says, which the parser knows, and keeping what was compiled, which takes less than a second again.

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub(super) use crate::files::why;
use anyhow::{Result, anyhow, bail};
use nvrtc::{Compiler, Options, Source};

/// Bytes that are read of a file: one more than the parser takes, so that it can say that there are too many.
const MOST_BYTES: u64 = (64 << 20) + 1;

/// The architecture that CUDA is compiled for, if the compiler still knows it: the first with independent thread
/// scheduling.
const DEFAULT_ARCH: u32 = 70;

/// A file's PTX, and who wrote it.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// What messages call the file.
    pub name: String,
    /// The text.
    pub ptx: String,
    /// The compiler, where CUDA was compiled just now: `CUDA 12.0`.
    pub compiler: Option<String>,
}

impl Program {
    /// What errors call the PTX, whose lines they name: those of CUDA are others.
    pub fn module_name(&self) -> String {
        match self.compiler {
            Some(_) => format!("PTX of {}", self.name),
            None => self.name.clone(),
        }
    }

    /// Whether any of its code swaps words of memory, as those that take locks do.
    pub fn has_locks(&self) -> bool {
        let swaps =
            |line: &str| line.contains("atom.") && (line.contains(".cas.") || line.contains(".exch."));
        self.ptx.lines().any(swaps)
    }
}

/// What messages call a file.
pub(super) fn name(file: &Path) -> String {
    file.display().to_string()
}

/// The PTX of a file, compiled for an architecture if it is CUDA.
pub(super) fn read(file: &Path, arch: Option<u32>) -> Result<Program> {
    let name = name(file);
    let bytes = bytes(file).map_err(|error| anyhow!("cannot read `{name}`: {}", why(file, &error)))?;
    if file.extension().is_some_and(|extension| extension == "cu") {
        let text = text(bytes).map_err(|what| anyhow!("`{name}` is {what}: CUDA source is text"))?;
        return compile(file, &text, arch);
    }
    if arch.is_some() {
        bail!("`{name}` is not a `.cu` file, so there is nothing to compile: omit `--arch`");
    }
    let text = text(bytes)
        .map_err(|what| anyhow!("`{name}` is {what}: give a `.cu` file, or PTX text (`nvcc -ptx`)"))?;
    if text.contains("__global__") && !text.contains(".version") {
        bail!(
            "`{name}` looks like CUDA source, which is compiled only if the file's name ends in `.cu`: rename it"
        );
    }
    Ok(Program { name, ptx: text, compiler: None })
}

fn compile(file: &Path, text: &str, arch: Option<u32>) -> Result<Program> {
    let name = name(file);
    if text.trim().is_empty() {
        bail!("`{name}` is empty: write a `__global__` function into it");
    }
    let compiler = Compiler::find().map_err(|error| anyhow!("`{name}` has to be compiled, but {error}"))?;
    let arch = arch.unwrap_or(DEFAULT_ARCH.max(compiler.oldest_arch()));
    // What it includes lies beside it; the folder of a bare name is this one.
    let include =
        vec![file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")).to_owned()];
    let short = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let options = Options { include, ..Options::optimised(arch) };
    let ptx = compiler.compile(&Source { name: &short, text }, &options).map_err(with_hint)?;
    Ok(Program { name, ptx, compiler: Some(format!("CUDA {}", compiler.version())) })
}

/// Most people hand over a whole program, of which NVRTC takes the device's part only.
fn with_hint(error: nvrtc::Error) -> nvrtc::Error {
    match error {
        nvrtc::Error::Rejected { name, log } => match hint(&log) {
            Some(hint) => nvrtc::Error::Rejected { name, log: format!("{}\nhelp: {hint}", log.trim_end()) },
            None => nvrtc::Error::Rejected { name, log },
        },
        other => other,
    }
}

/// What to do about a log of the compiler's.
fn hint(log: &str) -> Option<&'static str> {
    let is_missing = |header: &&str| log.contains(&format!("cannot open source file \"{header}\""));
    if NEEDLESS.iter().any(is_missing) {
        return Some(
            "remove the `#include`: `printf`, `assert` and CUDA's own functions are available without it, and host code is \
             not compiled here",
        );
    }
    (log.contains("JIT mode") || log.contains("open source file") || log.contains("<<<")).then_some(
        "only device code is compiled here, without the headers of the host: put the kernels into a file of their \
         own, or enclose the host code in `#ifndef __CUDACC_RTC__` and `#endif`",
    )
}

/// Headers that a kernel does not need, and that the compiler comes without.
const NEEDLESS: [&str; 8] =
    ["cstdio", "stdio.h", "cassert", "assert.h", "cmath", "math.h", "cstdlib", "device_launch_parameters.h"];

fn bytes(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
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
    // The mark of its encoding, which some editors write first, is no part of the text.
    Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_call_the_ptx_of_cuda_by_what_it_is() {
        let program = |compiler: Option<&str>| Program {
            name: "a.cu".to_owned(),
            ptx: String::new(),
            compiler: compiler.map(str::to_owned),
        };
        assert_eq!(program(Some("CUDA 12.0")).module_name(), "PTX of a.cu");
        assert_eq!(program(None).module_name(), "a.cu");
    }
}
