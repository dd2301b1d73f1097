//! Reads the file that contains a kernel, and recognises files that are neither CUDA nor PTX.
//!
//! A `.cu` file is compiled with NVIDIA's compiler if there is one, otherwise with ours. What it leaves out: parsing
//! PTX, which the emulator does, and caching the result, because compiling again takes less than a second.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use cudac::toolchain::{Choice, Compiler, Error, Source};
use thirty_two_lanes::{files, terminal};

use super::headers::Folders;
use super::native;
use crate::request::{Compile, Compiler as Asked};

/// The largest program, in bytes: one more than the parser accepts, so that it can say that there are too many.
const MOST_BYTES: u64 = (64 << 20) + 1;

/// The PTX of a file, and the compiler that wrote it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file's name in messages.
    pub name: String,
    /// The text.
    pub ptx: String,
    /// The CUDA text, if it was compiled in this run.
    pub cuda: Option<Cuda>,
    /// The compiler, if CUDA was compiled: `cudac 0.1 (sm_70)`.
    pub compiler: Option<String>,
    /// The compiler's warnings, as it words them.
    pub warnings: Vec<String>,
}

/// A CUDA text.
#[derive(Clone, Debug)]
pub struct Cuda {
    pub text: String,
    /// The names and texts of the sources besides.
    pub more: Vec<(String, String)>,
    /// Whether one has a `main`, so that it is a whole program.
    pub is_program: bool,
    /// Where the files are that it includes.
    pub headers: Arc<Folders>,
}

impl Cuda {
    /// The names and texts of all files besides the first: other sources, and files that they include.
    pub fn others(&self) -> Vec<(String, String)> {
        let included = self.headers.files().into_iter().map(|file| (file.name, file.text.to_string()));
        self.more.iter().cloned().chain(included).collect()
    }

    /// All sources, the first of which has this name.
    pub fn sources<'c>(&'c self, first: &'c str) -> Vec<cudac::Source<'c>> {
        let more = self.more.iter().map(|(name, text)| cudac::Source { name, text });
        std::iter::once(cudac::Source { name: first, text: &self.text }).chain(more).collect()
    }
}

impl Program {
    /// The CUDA text, if it was compiled in this run.
    pub fn cuda_text(&self) -> Option<&str> {
        self.cuda.as_ref().map(|cuda| &*cuda.text)
    }

    /// The name of the PTX in errors. Their line numbers are those of the PTX, and not of CUDA.
    pub fn module_name(&self) -> String {
        match self.compiler {
            Some(_) => format!("PTX of {}", self.name),
            None => self.name.clone(),
        }
    }

    /// Prints the compiler's warnings on standard error, unchanged.
    pub fn warn(&self) {
        for warning in &self.warnings {
            terminal::warn(warning);
        }
    }

    /// Whether any of its code swaps words of memory, as locks do.
    pub fn has_locks(&self) -> bool {
        has_locks(&self.ptx)
    }
}

/// Whether instructions swap words in memory, as locks do.
fn has_locks(ptx: &str) -> bool {
    ptx.lines().any(|line| line.contains("atom.") && (line.contains(".cas.") || line.contains(".exch.")))
}

/// Whether threads may wait for each other: for a lock, or for what a load that is not a plain one sees.
pub fn may_wait(ptx: &str) -> bool {
    let is_strong = |line: &str| {
        line.contains("ld.") && [".volatile", ".relaxed", ".acquire"].iter().any(|order| line.contains(order))
    };
    has_locks(ptx) || ptx.lines().any(is_strong)
}

/// The name of a file in messages.
pub fn name(file: &Path) -> String {
    file.display().to_string()
}

/// The text of a CUDA file.
fn cuda_text(file: &Path) -> Result<String> {
    let name = name(file);
    text(bytes(file)?).map_err(|what| anyhow!("`{name}` is {what}: CUDA source is text"))
}

/// What a compiler writes about a text, in its lines.
#[derive(Debug)]
pub struct Log(pub String);

impl std::fmt::Display for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Log {}

/// Why cudac cannot compile a whole program.
pub fn rejected(name: &str, errors: &cudac::Errors) -> Error {
    Error::Rejected { name: name.to_owned(), log: errors.to_string(), choice: Choice::Cudac }
}

/// The PTX of a file, compiled if it is CUDA.
pub fn read(file: &Path, how: &Compile) -> Result<Program> {
    let name = name(file);
    if file.extension().is_some_and(|extension| extension == "cu") {
        return compile(file, how);
    }
    let bytes = bytes(file)?;
    let is_text = std::str::from_utf8(&bytes).is_ok();
    let option = (how.arch.map(|_| "--arch"))
        .or(how.compiler.map(|_| "--compiler"))
        .or((!how.defines.is_empty()).then_some("--define"))
        .or((!how.include.is_empty()).then_some("--include"))
        .or((!how.sources.is_empty()).then_some("the other sources"))
        .or(how.std.map(|_| "--std"));
    if let Some(option) = option {
        bail!("`{name}` is not a `.cu` file, so there is nothing to compile: omit `{option}`");
    }
    let text = text(bytes)
        .and_then(|text| if is_text { Ok(text) } else { Err("a binary file (not UTF-8)") })
        .map_err(|what| anyhow!("`{name}` is {what}: give a `.cu` file, or PTX text (`nvcc -ptx`)"))?;
    let is_cuda = ["__global__", "#include"].iter().any(|word| text.contains(word));
    if is_cuda && !text.contains(".version") {
        bail!(
            "`{name}` is no PTX: it looks like CUDA source, which is compiled only if the file's name ends in `.cu`: rename it"
        );
    }
    // An error of the parser would show what is in a file that is something else.
    if !text.contains(".version") && !text.trim().is_empty() {
        bail!(
            "`{name}` is no PTX, which starts with `.version`: give a `.cu` file, or PTX text (`nvcc -ptx`)"
        );
    }
    Ok(Program { name, ptx: text, cuda: None, compiler: None, warnings: Vec::new() })
}

/// What a file is called in the line table: its name without the folder.
pub fn short(file: &Path) -> String {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

/// A CUDA file with the other sources of its program.
pub fn cuda(file: &Path, how: &Compile) -> Result<Cuda> {
    let text = cuda_text(file)?;
    let headers = Folders::new(file, &how.include);
    let more = more(file, &how.sources, &headers)?;
    let read = Cuda { text, more, is_program: false, headers };
    let first = short(file);
    let has_main = |source: &cudac::Source<'_>| cudac::has_main(source, Some(&*read.headers));
    let is_program = read.sources(&first).iter().any(has_main);
    Ok(Cuda { is_program, ..read })
}

fn compile(file: &Path, how: &Compile) -> Result<Program> {
    let name = name(file);
    let cuda = cuda(file, how)?;
    let Cuda { text, more, is_program, headers } = &cuda;
    if text.trim().is_empty() {
        bail!("`{name}` is empty: write a `__global__` function into it");
    }
    if how.compiler == Some(Asked::Clang) {
        let (ptx, by) = native::kernels(file, how, &cuda)?;
        return Ok(Program { name, ptx, cuda: Some(cuda), compiler: Some(by), warnings: Vec::new() });
    }
    if how.compiler == Some(Asked::Nvrtc) && !more.is_empty() {
        bail!("NVIDIA's compiler takes one source: omit `--compiler nvrtc`, or name one file");
    }
    // NVIDIA's compiler for run time reads no host code.
    let asked =
        how.compiler.map(|compiler| if compiler == Asked::Nvrtc { Choice::Nvrtc } else { Choice::Cudac });
    let choice = asked.or((*is_program || !more.is_empty()).then_some(Choice::Cudac));
    let compiler =
        Compiler::find(choice).map_err(|error| anyhow!("`{name}` has to be compiled, but {error}"))?;
    let short = short(file);
    let source = Source {
        name: &short,
        text,
        more: more.clone(),
        arch: how.arch.map(|arch| arch.number),
        is_specific: how.arch.is_some_and(|arch| arch.is_specific),
        include: headers.all(),
        headers: Some(Arc::clone(headers) as _),
        defines: how.defines.clone(),
        instances: how.instances.clone(),
        is_program: *is_program,
        std: how.std,
    };
    let asked = source.instances.join("`, `");
    let beyond = move |error| match error {
        // NVIDIA's compiler names lines after the end of the text.
        Error::Rejected { name, log, choice: Choice::Nvrtc } if !asked.is_empty() => Error::Rejected {
            log: format!(
                "{}\nhelp: lines after the end of the file make the kernels `{asked}`, which were asked for",
                log.trim_end()
            ),
            name,
            choice: Choice::Nvrtc,
        },
        other => other,
    };
    let made = compiler.compile(&source).map_err(explained).map_err(beyond)?;
    Ok(Program { name, ptx: made.ptx, cuda: Some(cuda), compiler: Some(made.by), warnings: made.warnings })
}

/// The names and texts of the sources besides the first.
fn more(first: &Path, sources: &[PathBuf], headers: &Folders) -> Result<Vec<(String, String)>> {
    let is_source = |file: &Path| {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        ["cu", "cuh", "cpp", "cc", "cxx", "c"].contains(&ending)
    };
    let read = |file: &PathBuf| {
        if !is_source(file) {
            bail!("`{}` is no source: name a file that ends in `.cu`, `.cpp` or `.c`", name(file));
        }
        Ok((headers.shown(file), cuda_text(file)?))
    };
    let twice =
        sources.iter().enumerate().find(|(nth, file)| *file == first || sources[..*nth].contains(file));
    if let Some((_, file)) = twice {
        bail!("`{}` is named twice: name each source once", name(file));
    }
    sources.iter().map(read).collect()
}

/// Adds advice to the errors, if there is any.
fn explained(error: Error) -> Error {
    match error {
        Error::Rejected { name, log, choice } => {
            // NVIDIA's compiler begins every log with the age of the architecture.
            let is_about_age = |line: &&str| line.starts_with("nvrtc: warning: Architectures prior to");
            let log: String = log
                .lines()
                .filter(|line| !is_about_age(line))
                .fold(String::new(), |all, line| all + line + "\n");
            let hint = match choice {
                Choice::Nvrtc => hint(&log),
                Choice::Cudac => is_beyond_ours(&log).then_some(BEYOND),
            };
            let help = hint.map_or(String::new(), |hint| format!("\nhelp: {hint}"));
            Error::Rejected { log: format!("{}{help}", log.trim_end()), name, choice }
        }
        other => other,
    }
}

/// Whether our compiler lacks something that NVIDIA's may have.
fn is_beyond_ours(log: &str) -> bool {
    ["not supported", "is not available"].iter().any(|words| log.contains(words))
}

/// The advice in that case.
const BEYOND: &str = "this is cudac, the compiler that is always there; if NVIDIA's is installed, it is used instead, and \
                      `cargo run --bin exercises -- setup` installs it";

/// Advice about a log of NVIDIA's compiler. Most people pass it a whole program, of which it accepts only the device
/// code.
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

/// Headers that a kernel does not need, and that the compiler does not have.
const NEEDLESS: [&str; 8] =
    ["cstdio", "stdio.h", "cassert", "assert.h", "cmath", "math.h", "cstdlib", "device_launch_parameters.h"];

fn bytes(file: &Path) -> Result<Vec<u8>> {
    files::read(file, MOST_BYTES).map_err(|why| anyhow!("cannot read `{}`: {why}", name(file)))
}

/// The text, or what the bytes are instead. Zeros at the end are allowed, because the compiler's interface adds one.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.starts_with(b"\x7fELF") {
        return Err("a compiled binary (ELF)");
    }
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    if end < bytes.len() && end == 0 || bytes[..end].contains(&0) {
        return Err("a binary file");
    }
    // Older texts are in Latin-1, of which each byte is a character; a binary file has bytes that no text has.
    let mut text = String::from_utf8(bytes).or_else(|error| {
        let bytes = error.into_bytes();
        let is_text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace() || *byte == 0;
        if bytes.iter().all(is_text) {
            Ok(bytes.iter().copied().map(char::from).collect())
        } else {
            Err("a binary file (not UTF-8)")
        }
    })?;
    text.truncate(text.trim_end_matches('\0').len());
    // The byte order mark, which some editors write, is not part of the text.
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
            cuda: None,
            compiler: compiler.map(str::to_owned),
            warnings: Vec::new(),
        };
        assert_eq!(program(Some("cudac 0.1 (sm_70)")).module_name(), "PTX of a.cu");
        assert_eq!(program(None).module_name(), "a.cu");
    }
}
