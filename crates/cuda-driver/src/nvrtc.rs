//! NVRTC: cudac, with the names, the results and the logs that callers expect.
//!
//! Specification: NVRTC User Guide. A result is PTX; machine code, LTO code and `OptiX` code are not made. Options that have no effect
//! here are named in the log, and one that is not known is an error, as with NVRTC.
#![allow(unsafe_code, non_snake_case, reason = "names that other programs look up")]

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cudac::{Header, Headers, Options, Source};

use crate::calls::call;
use crate::memory;

const INVALID_INPUT: u32 = 3;
const INVALID_PROGRAM: u32 = 4;
const INVALID_OPTION: u32 = 5;
const COMPILATION: u32 = 6;
const NO_NAMES_YET: u32 = 9;
const NAME_NOT_VALID: u32 = 10;

/// What the results are called.
const RESULTS: [&str; 12] = [
    "NVRTC_SUCCESS",
    "NVRTC_ERROR_OUT_OF_MEMORY",
    "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
    "NVRTC_ERROR_INVALID_INPUT",
    "NVRTC_ERROR_INVALID_PROGRAM",
    "NVRTC_ERROR_INVALID_OPTION",
    "NVRTC_ERROR_COMPILATION",
    "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
    "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
    "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
    "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
    "NVRTC_ERROR_INTERNAL_ERROR",
];

/// What the messages of cudac end with that are about what it leaves out.
const UNSUPPORTED: &str = " is not supported by this compiler";

/// The longest source, and the longest header.
const MOST_BYTES: usize = 64 << 20;

/// The version: 12.9.
const VERSION: [i32; 2] = [12, 9];

/// The target unless an option names one.
const USUAL_TARGET: u32 = 75;

/// Options without an effect here: they choose how fast code is, how it is debugged, how messages look, or what is the default
/// anyway.
const WITHOUT_EFFECT: [&str; 53] = [
    "--device-debug",
    "-G",
    "--generate-line-info",
    "-lineinfo",
    "--std",
    "-std",
    "--default-device",
    "-default-device",
    "--relocatable-device-code",
    "-rdc",
    "--device-c",
    "-dc",
    "--device-w",
    "-dw",
    "--extensible-whole-program",
    "-ewp",
    "--dopt",
    "-dopt",
    "--Ofast-compile",
    "-Ofc",
    "--ptxas-options",
    "-Xptxas",
    "--maxrregcount",
    "-maxrregcount",
    "--restrict",
    "-restrict",
    "--disable-warnings",
    "-w",
    "--extra-device-vectorization",
    "-extra-device-vectorization",
    "--device-as-default-execution-space",
    "--device-int128",
    "-device-int128",
    "--modify-stack-limit",
    "-modify-stack-limit",
    "--builtin-move-forward",
    "-builtin-move-forward",
    "--builtin-initializer-list",
    "-builtin-initializer-list",
    "--no-source-include",
    "-no-source-include",
    "--no-cache",
    "-no-cache",
    "--minimal",
    "-minimal",
    "--display-error-number",
    "-err-no",
    "--no-display-error-number",
    "-no-err-no",
    "--brief-diagnostics",
    "-brief-diag",
    "--diag-suppress",
    "-diag-suppress",
];

/// Those of them whose value may be a word of its own.
const WITH_VALUES: [&str; 10] = [
    "--std",
    "-std",
    "--ptxas-options",
    "-Xptxas",
    "--maxrregcount",
    "-maxrregcount",
    "--Ofast-compile",
    "-Ofc",
    "--diag-suppress",
    "-diag-suppress",
];

/// Options that change results of floats, which cudac computes as without them. With the value that is the default they do not.
const OF_FLOATS: [(&str, &str); 10] = [
    ("--use_fast_math", ""),
    ("-use_fast_math", ""),
    ("--ftz", "false"),
    ("-ftz", "false"),
    ("--fmad", "true"),
    ("-fmad", "true"),
    ("--prec-sqrt", "true"),
    ("-prec-sqrt", "true"),
    ("--prec-div", "true"),
    ("-prec-div", "true"),
];

/// A program of NVRTC.
#[derive(Debug, Default)]
struct Program {
    name: String,
    text: String,
    headers: BTreeMap<String, Arc<str>>,
    /// The names of kernels that were asked for, and what PTX calls them.
    names: Vec<(String, Option<CString>)>,
    is_compiled: bool,
    log: String,
    ptx: String,
}

static PROGRAMS: Mutex<(u64, BTreeMap<u64, Program>)> = Mutex::new((0, BTreeMap::new()));

/// What is done with a program, if there is one.
fn with(program: u64, then: impl FnOnce(&mut Program) -> u32) -> u32 {
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    programs.1.get_mut(&program).map_or(INVALID_PROGRAM, then)
}

/// The headers that the caller gives, and then those on the disk, in the folders of `-I`.
#[derive(Debug)]
struct Given {
    texts: BTreeMap<String, Arc<str>>,
    folders: Vec<PathBuf>,
}

impl Headers for Given {
    fn find(&self, name: &str, _is_quoted: bool, from: &str) -> Result<Option<Header>, String> {
        let header = |key: &str, text: &Arc<str>| Header {
            key: key.to_owned(),
            name: name.to_owned(),
            text: Arc::clone(text),
        };
        if let Some(text) = self.texts.get(name) {
            return Ok(Some(header(name, text)));
        }
        let beside = Path::new(from).parent().map(Path::to_owned);
        for folder in beside.iter().filter(|folder| folder.is_absolute()).chain(&self.folders) {
            let path = folder.join(name);
            // The toolkit's own headers are cudac's.
            if path.is_file() && !folder.join("cuda_runtime_api.h").is_file() {
                let text = std::fs::read_to_string(&path).map_err(|why| format!("cannot be read: {why}"))?;
                return Ok(Some(header(&path.to_string_lossy(), &text.into())));
            }
        }
        Ok(None)
    }

    fn places(&self) -> String {
        "the headers that the program gives, and the folders of `-I`".to_owned()
    }
}

impl Program {
    /// Compiles with some options; the result.
    fn compile(&mut self, words: &[String]) -> u32 {
        self.log.clear();
        let (options, folders) = match options(words, &mut self.log) {
            Ok(known) => known,
            Err(message) => {
                self.log = message;
                return INVALID_OPTION;
            }
        };
        let instances =
            self.names.iter().map(|(name, _)| name).filter(|name| name.contains('<')).cloned().collect();
        let headers: Arc<dyn Headers> = Arc::new(Given { texts: self.headers.clone(), folders });
        let options = Options { instances, headers: Some(headers), ..options };
        let source = Source { name: &self.name, text: &self.text };
        match cudac::compile(&source, &options) {
            Ok(output) => {
                for warning in &output.warnings {
                    let _ = writeln!(self.log, "{warning}");
                }
                for (name, symbol) in &mut self.names {
                    *symbol = lowered(name, &output.kernels);
                }
                self.ptx = output.ptx;
                self.is_compiled = true;
                0
            }
            Err(errors) => {
                let _ = writeln!(self.log, "{errors}");
                tell(&self.name, &errors);
                COMPILATION
            }
        }
    }
}

/// The report says that a source was refused, and whether NVIDIA's compiler would refuse it too.
fn tell(name: &str, errors: &cudac::Errors) {
    let is_unsupported = |error: &&cudac::Diagnostic| error.message.ends_with(UNSUPPORTED);
    let first = errors.0.iter().find(is_unsupported).or(errors.0.first());
    let Some(error) = first else { return };
    let file = if error.file == name { String::new() } else { format!(" of `{}`", error.file) };
    let (line, message) = (error.line, &error.message);
    let text = CString::new(format!("`{name}` is not compiled: line {line}{file}: {message}"));
    let text = text.unwrap_or_default();
    call("__lanes_source", &[text.as_ptr() as u64, u64::from(is_unsupported(&error))]);
}

/// What PTX calls a kernel, or an instance of a template.
fn lowered(name: &str, kernels: &[cudac::Signature]) -> Option<CString> {
    let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let wanted = plain(name);
    let base =
        wanted.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default().to_owned();
    let those: Vec<_> = kernels.iter().filter(|kernel| plain(&kernel.name) == base).collect();
    let is_it = |kernel: &&&cudac::Signature| plain(&cuda_host::demangled(&kernel.symbol)) == wanted;
    let found = those.iter().find(is_it).or(those.first().filter(|_| those.len() == 1));
    found.and_then(|kernel| CString::new(kernel.symbol.clone()).ok())
}

/// The options as cudac has them, and the folders of headers. What has no effect is noted.
fn options(words: &[String], log: &mut String) -> Result<(Options, Vec<PathBuf>), String> {
    let mut options = Options { sm: USUAL_TARGET, ..Options::default() };
    let mut folders = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let (name, value) = split(word);
        let mut value =
            || value.map(str::to_owned).or_else(|| words.next().map(str::to_owned)).unwrap_or_default();
        match name {
            "--gpu-architecture" | "-arch" => {
                let value = value();
                let number = value
                    .trim_start_matches(|c: char| !c.is_ascii_digit())
                    .trim_end_matches(|c: char| !c.is_ascii_digit());
                options.is_specific = value.ends_with('a');
                options.sm = number
                    .parse()
                    .map_err(|_| format!("`{value}` is no architecture: write `compute_80`"))?;
            }
            "--define-macro" | "-D" => {
                let value = value();
                let (name, value) = value.split_once('=').unwrap_or((&value, "1"));
                options.defines.push((name.to_owned(), value.to_owned()));
            }
            "--undefine-macro" | "-U" => {
                let value = value();
                options.defines.retain(|(name, _)| *name != value);
            }
            "--include-path" | "-I" => folders.push(PathBuf::from(value())),
            _ if WITHOUT_EFFECT.contains(&name) => {
                if WITH_VALUES.contains(&name) {
                    value();
                }
            }
            _ => match OF_FLOATS.iter().find(|(known, _)| *known == name) {
                Some((_, usual)) => {
                    if word.split_once('=').is_none_or(|(_, said)| said != *usual) {
                        let text = "has no effect: results are computed as without it";
                        let _ = writeln!(log, "warning: `{word}` {text}");
                    }
                }
                None => return Err(format!("error: unrecognized option {word} found\n")),
            },
        }
    }
    Ok((options, folders))
}

/// An option and its value, if both are one word.
fn split(word: &str) -> (&str, Option<&str>) {
    for short in ["-D", "-I", "-U"] {
        if let Some(value) = word.strip_prefix(short).filter(|value| !value.is_empty()) {
            return (short, Some(value));
        }
    }
    word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)))
}

/// A text up to its zero; nothing if it is not there, or longer than any source.
fn text(address: u64) -> Option<String> {
    memory::text(address, MOST_BYTES)
}

/// Texts whose addresses are in a row.
fn texts(count: i32, table: u64) -> Option<Vec<String>> {
    (0..count.max(0) as u64)
        .map(|nth| {
            let mut word = [0; 8];
            memory::read(table + 8 * nth, &mut word).then(|| text(u64::from_ne_bytes(word))).flatten()
        })
        .collect()
}

fn give(to: u64, bytes: &[u8]) -> u32 {
    if memory::write(to, bytes) { 0 } else { INVALID_INPUT }
}

fn give_size(to: u64, text: &str) -> u32 {
    give(to, &(text.len() as u64 + 1).to_ne_bytes())
}

fn give_text(to: u64, text: &str) -> u32 {
    give(to, &[text.as_bytes(), &[0]].concat())
}

// SAFETY of all names here: each is NVIDIA's, which a program that loads this library asks for.

#[unsafe(no_mangle)]
extern "C" fn nvrtcVersion(major: u64, minor: u64) -> u32 {
    give(major, &VERSION[0].to_ne_bytes()).max(give(minor, &VERSION[1].to_ne_bytes()))
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetErrorString(result: u32) -> *const std::ffi::c_char {
    static TEXTS: Mutex<BTreeMap<u32, &std::ffi::CStr>> = Mutex::new(BTreeMap::new());
    let mut known = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let text = known.entry(result.min(RESULTS.len() as u32)).or_insert_with(|| {
        let text = RESULTS.get(result as usize).copied().unwrap_or("NVRTC_ERROR unknown");
        Box::leak(CString::new(text).unwrap_or_default().into_boxed_c_str())
    });
    text.as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetNumSupportedArchs(to: u64) -> u32 {
    give(to, &(cudac::TARGETS.count() as i32).to_ne_bytes())
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetSupportedArchs(to: u64) -> u32 {
    let bytes: Vec<u8> = cudac::TARGETS.flat_map(|target| (target as i32).to_ne_bytes()).collect();
    give(to, &bytes)
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcCreateProgram(
    to: u64,
    source: u64,
    name: u64,
    count: i32,
    headers: u64,
    names: u64,
) -> u32 {
    let Some(source) = text(source) else { return INVALID_INPUT };
    let name = if name == 0 { None } else { text(name) };
    let (Some(headers), Some(names)) = (texts(count, headers), texts(count, names)) else {
        return INVALID_INPUT;
    };
    let headers = names.into_iter().zip(headers.into_iter().map(Into::into)).collect();
    let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| "default_program".to_owned());
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    programs.0 += 1;
    let number = programs.0;
    programs.1.insert(number, Program { name, text: source, headers, ..Program::default() });
    give(to, &number.to_ne_bytes())
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcDestroyProgram(program: u64) -> u32 {
    let mut number = [0; 8];
    if !memory::read(program, &mut number) {
        return INVALID_INPUT;
    }
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    match programs.1.remove(&u64::from_ne_bytes(number)) {
        Some(_) => give(program, &[0; 8]),
        None => INVALID_PROGRAM,
    }
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcAddNameExpression(program: u64, name: u64) -> u32 {
    let Some(name) = text(name) else { return INVALID_INPUT };
    with(program, |program| {
        program.names.push((name.trim().trim_start_matches('&').to_owned(), None));
        0
    })
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcCompileProgram(program: u64, count: i32, options: u64) -> u32 {
    let Some(words) = texts(count, options) else { return INVALID_INPUT };
    with(program, |program| program.compile(&words))
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetLoweredName(program: u64, name: u64, to: u64) -> u32 {
    let Some(name) = text(name) else { return INVALID_INPUT };
    with(program, |program| {
        if !program.is_compiled {
            return NO_NAMES_YET;
        }
        let wanted = name.trim().trim_start_matches('&');
        let known = program.names.iter().find(|(known, _)| known == wanted);
        match known.and_then(|(_, symbol)| symbol.as_ref()) {
            Some(symbol) => give(to, &(symbol.as_ptr() as u64).to_ne_bytes()),
            None => NAME_NOT_VALID,
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetProgramLogSize(program: u64, to: u64) -> u32 {
    with(program, |program| give_size(to, &program.log))
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetProgramLog(program: u64, to: u64) -> u32 {
    with(program, |program| give_text(to, &program.log))
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetPTXSize(program: u64, to: u64) -> u32 {
    with(program, |program| give_size(to, &program.ptx))
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetPTX(program: u64, to: u64) -> u32 {
    with(program, |program| give_text(to, &program.ptx))
}

/// There is no machine code, so callers that ask for its size get the PTX, which the driver loads as well.
#[unsafe(no_mangle)]
extern "C" fn nvrtcGetCUBINSize(program: u64, to: u64) -> u32 {
    nvrtcGetPTXSize(program, to)
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetCUBIN(program: u64, to: u64) -> u32 {
    nvrtcGetPTX(program, to)
}

macro_rules! not_made {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name(_program: u64, _to: u64) -> u32 {
                INVALID_PROGRAM
            }
        )*
    };
}

not_made! { nvrtcGetLTOIRSize nvrtcGetLTOIR nvrtcGetOptiXIRSize nvrtcGetOptiXIR nvrtcGetNVVMSize nvrtcGetNVVM }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_without_an_effect_are_known() {
        let words = "--minimal -std c++17 -arch=compute_80 -DA=2 -D B -UA -I /x --ftz=true -lineinfo";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let mut log = String::new();
        let (known, folders) = options(&words, &mut log).unwrap();
        assert!(!known.is_specific);
        assert_eq!((known.sm, folders), (80, vec![PathBuf::from("/x")]));
        assert_eq!(known.defines, [("B".to_owned(), "1".to_owned())]);
        assert!(log.starts_with("warning: `--ftz=true` has no effect"), "{log}");
        assert!(options(&["--nothing".to_owned()], &mut log).is_err());
    }
}
