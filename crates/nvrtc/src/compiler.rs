//! The compiler that was found on this machine, and how it is called.

use std::path::{Path, PathBuf};

use crate::ffi::{Failure, Nvrtc};
use crate::layout::{include_folders, libraries_of_environment};
use crate::start::loads_nothing_from_here;
use crate::version::Version;
use crate::{Environment, Error, Options, Source, nvcc, tidy};

/// A CUDA compiler on this machine.
#[derive(Debug)]
pub struct Compiler {
    tool: Tool,
    path: PathBuf,
    version: Version,
    oldest_arch: u32,
    include: Vec<PathBuf>,
}

#[derive(Debug)]
enum Tool {
    Library(Nvrtc),
    Program,
}

impl Compiler {
    /// Looks in `NVRTC_PATH`, the user's cache, the Python environment, `CUDA_PATH`, `CUDA_HOME`, `/usr/local/cuda*`,
    /// the system's libraries, and on `PATH` for `nvcc`. The first compiler that works is taken.
    ///
    /// # Errors
    /// If there is none; the error says how to install one. Also if `NVRTC_PATH` is set but names none.
    pub fn find() -> Result<Self, Error> {
        Self::find_in(&Environment::of_this_process())
    }

    /// The same search on the machine that `environment` describes.
    pub fn find_in(environment: &Environment) -> Result<Self, Error> {
        if let Some(path) = environment.named() {
            return Self::named(&path);
        }
        let mut unusable = Vec::new();
        for library in environment.libraries() {
            match Self::open(&library) {
                Ok(compiler) => return Ok(compiler),
                Err(reason) => unusable.push(reason),
            }
        }
        environment.nvcc().and_then(Self::program).ok_or(Error::NotFound { unusable })
    }

    /// The compiler at a path that the user named. If it cannot be used, no other one is tried.
    fn named(path: &Path) -> Result<Self, Error> {
        if !path.exists() {
            return Err(Error::Named { path: path.to_owned(), reason: "where there is nothing".to_owned() });
        }
        let candidates = if path.is_dir() { libraries_of_environment(path) } else { vec![path.to_owned()] };
        let mut reason = "where there is no NVRTC library".to_owned();
        for library in candidates {
            match Self::open(&library) {
                Ok(compiler) => return Ok(compiler),
                // The system names the file, and so does the message.
                Err(why) => {
                    let name = library.display().to_string();
                    let why = why.replace(&format!("`{name}`: "), "").replace(&format!("{name}: "), "");
                    reason = format!("which cannot be used: {why}");
                }
            }
        }
        Err(Error::Named { path: path.to_owned(), reason })
    }

    fn open(library: &Path) -> Result<Self, String> {
        let describe = |error: String| format!("`{}`: {error}", library.display());
        loads_nothing_from_here(&["libnvrtc-builtins"]).map_err(describe)?;
        let nvrtc = Nvrtc::open(library).map_err(|error| describe(error.to_string()))?;
        let version = nvrtc.version().map_err(describe)?;
        let oldest_arch = nvrtc.oldest_arch().map_err(describe)?;
        let include = include_folders(library);
        Ok(Self { tool: Tool::Library(nvrtc), path: library.to_owned(), version, oldest_arch, include })
    }

    fn program(path: PathBuf) -> Option<Self> {
        let version = nvcc::version(&path)?;
        let oldest_arch = version.oldest_arch();
        Some(Self { tool: Tool::Program, path, version, oldest_arch, include: Vec::new() })
    }

    /// The release of the compiler.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The library or program that was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Folders with CUDA's headers and those of `cuda::std`; empty if they are not installed, or if the compiler is
    /// `nvcc`, which knows its own.
    pub fn include_folders(&self) -> &[PathBuf] {
        &self.include
    }

    /// The oldest architecture for which it compiles, 50 for `sm_50`.
    pub fn oldest_arch(&self) -> u32 {
        self.oldest_arch
    }

    /// Compiles CUDA to PTX that is the same on every machine: it contains no path of this one.
    ///
    /// # Errors
    /// If the program is wrong, with the compiler's log; or if the architecture is too old for this compiler.
    pub fn compile(&self, source: &Source, options: &Options) -> Result<String, Error> {
        if options.arch < self.oldest_arch {
            return Err(Error::Architecture {
                arch: options.arch,
                oldest: self.oldest_arch,
                version: self.version,
            });
        }
        let ptx = match &self.tool {
            Tool::Library(nvrtc) => nvrtc
                .compile(source.name, source.text, &options.command_line(&self.include))
                .map_err(|failure| explain(source, failure))?,
            Tool::Program => nvcc::compile(&self.path, source, options)
                .map_err(|log| Error::Rejected { name: source.name.to_owned(), log })?,
        };
        Ok(tidy::ptx(&ptx))
    }
}

/// If the program was refused there is a log; if the compiler failed there is only a status.
fn explain(source: &Source, failure: Failure) -> Error {
    let name = source.name.to_owned();
    if failure.log.trim().is_empty() {
        return Error::Failed { what: format!("compiling `{name}`"), reason: failure.status };
    }
    Error::Rejected { name, log: failure.log }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_machine_gets_one_line_with_the_remedy() {
        let message = Compiler::find_in(&Environment::default()).unwrap_err().to_string();
        assert!(!message.contains('\n'));
        if cfg!(target_os = "macos") {
            assert!(message.contains("NVIDIA has no CUDA compiler for macOS"));
        } else {
            assert!(message.contains("no CUDA compiler found") && message.contains("pip install"));
            assert!(message.contains("exercises -- setup"));
        }
    }

    #[test]
    fn a_wrong_nvrtc_path_is_an_error_and_not_a_hint() {
        let environment = Environment::default().with("NVRTC_PATH", "/nowhere/libnvrtc.so.12");
        let message = Compiler::find_in(&environment).unwrap_err().to_string();
        assert!(message.contains("`NVRTC_PATH` names `/nowhere/libnvrtc.so.12`"), "{message}");
    }

    #[test]
    fn an_empty_folder_and_a_broken_library_have_different_messages() {
        let folder = tempfile::tempdir().unwrap();
        let message = Compiler::named(folder.path()).unwrap_err().to_string();
        assert!(message.contains("where there is no NVRTC library"), "{message}");
        std::fs::write(folder.path().join("libnvrtc.so.12"), "not a library").unwrap();
        let message = Compiler::named(folder.path()).unwrap_err().to_string();
        assert!(message.contains("which cannot be used"), "{message}");
    }

    #[test]
    fn cuda_13_does_not_compile_for_volta() {
        assert_eq!(Version { major: 13, minor: 0 }.oldest_arch(), 75);
        assert_eq!(Version { major: 12, minor: 9 }.oldest_arch(), 50);
    }
}
