//! `cargo xtask ptx`: compiles `kernels/*.cu` into `kernels/ptx`.
//!
//! The PTX is committed, because most readers have no CUDA compiler. Only one release makes it, because another one
//! would generate other code, and then the numbers in the book would not belong to the text beside them. The output
//! names no folder of this machine, so it is the same bytes everywhere.
//!
//! With `--libcu` it does the same for the tests of libcu++. These are about the headers of a newer release, so that
//! release compiles them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use nvrtc::{
    BuildName, Compiler, CudaFile, Header, INSTALL, LIBCU_INSTALL, LIBCU_RELEASE, LIBCU_VERSION, Options,
    PINNED_RELEASE, PINNED_VERSION, Source, Version,
};
use thirty_two_lanes::files;

use crate::chore::Outcome;

/// Compile every kernel into `kernels/ptx` with the pinned compiler.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; say which files are not what the compiler makes of their source, and exit with 1 if any is.
    #[arg(long)]
    check: bool,
    /// Compile the tests of libcu++ instead of the kernels.
    #[arg(long)]
    libcu: bool,
}

/// A folder of sources, and the only release that compiles it.
struct Set {
    folder: &'static str,
    chore: &'static str,
    version: Version,
    release: &'static str,
    install: &'static str,
    /// Whether the PTX has line numbers, and the variables that headers declare and no kernel uses.
    whole: bool,
}

const KERNELS: Set = Set {
    folder: "kernels",
    chore: "cargo xtask ptx",
    version: PINNED_VERSION,
    release: PINNED_RELEASE,
    install: INSTALL,
    whole: true,
};

/// For these, most of the compiler's output would be line numbers and constants from headers, ten times as much as the
/// kernels.
const LIBCU: Set = Set {
    folder: "crates/simt/tests/features/libcu",
    chore: "cargo xtask ptx --libcu",
    version: LIBCU_VERSION,
    release: LIBCU_RELEASE,
    install: LIBCU_INSTALL,
    whole: false,
};

/// The PTX files that should exist, by name.
type Folder = BTreeMap<String, String>;

/// Why the kernels cannot be compiled on this machine, if they cannot.
pub fn missing_compiler() -> Option<anyhow::Error> {
    KERNELS.compiler().err()
}

/// Does the chore.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let set = if arguments.libcu { &LIBCU } else { &KERNELS };
    let sources = crate::chore::root().join(set.folder);
    let compiler = set.compiler()?;
    let wanted = set.compile_all(&compiler, &nvrtc::cuda_files(&sources)?)?;
    let folder = sources.join("ptx");
    let differing = differing(&folder, &wanted)?;
    if arguments.check {
        return Ok(set.report(&differing));
    }
    write(&folder, &wanted, &differing)?;
    println!("{} PTX files, {} of them changed", wanted.len(), differing.len());
    Ok(Outcome::Done)
}

/// The compiler that makes what is committed.
pub fn pinned() -> Result<Compiler> {
    KERNELS.compiler()
}

/// Refuses every release except the pinned one. It is known from the compiler's output.
pub fn check_release(ptx: &str) -> Result<()> {
    KERNELS.check_release(ptx)
}

impl Set {
    fn compiler(&self) -> Result<Compiler> {
        let compiler = Compiler::find()?;
        self.accept(compiler.version())?;
        Ok(compiler)
    }

    /// Refuses every version except the pinned one.
    fn accept(&self, version: Version) -> Result<()> {
        let Set { release, install, .. } = self;
        ensure!(
            version.major < 13,
            "this is CUDA {version}, which compiles neither `sm_60` nor `sm_70`; install the pinned compiler with `{install}`"
        );
        ensure!(
            version == self.version,
            "this is CUDA {version}, and the committed PTX is made by {release}; install that with `{install}`"
        );
        Ok(())
    }

    fn compile_all(&self, compiler: &Compiler, files: &[CudaFile]) -> Result<Folder> {
        let mut wanted = Folder::new();
        for file in files {
            for &build in &file.builds {
                let text = self.compile(compiler, file, build).with_context(|| format!("build `{build}`"))?;
                wanted.insert(file.ptx_name(build), text);
            }
        }
        Ok(wanted)
    }

    fn compile(&self, compiler: &Compiler, file: &CudaFile, build: BuildName) -> Result<String> {
        let options = Options { lines: self.whole, ..build.options() };
        let name = file.name();
        let ptx = compiler.compile(&Source { name: &name, text: &file.text }, &options)?;
        self.check_release(&ptx)?;
        let ptx = if self.whole { ptx } else { without_unused_variables(&ptx) };
        let compiler = format!("NVRTC {}, options: {}", self.release, options.flags().join(" "));
        let (chore, source) = (self.chore.to_owned(), format!("{}/{name}", self.folder));
        Ok(format!("{}{ptx}", Header { chore, source, sha256: file.sha256(), compiler }))
    }

    /// The library returns only the first two numbers of its release; its output contains all three.
    fn check_release(&self, ptx: &str) -> Result<()> {
        let Set { version, release, install, .. } = self;
        if !ptx.contains(&format!("V{release}\n")) {
            bail!("the compiler is a {version}, but not {release}; install that with `{install}`");
        }
        Ok(())
    }

    fn report(&self, differing: &[String]) -> Outcome {
        let Set { folder, chore, .. } = self;
        for name in differing {
            println!("`{folder}/ptx/{name}` is not what the compiler makes of its source; run `{chore}`");
        }
        if differing.is_empty() { Outcome::Done } else { Outcome::Stale }
    }
}

/// The text without variables that are not used in it.
fn without_unused_variables(ptx: &str) -> String {
    let mut uses = BTreeMap::new();
    for name in ptx.split(|c: char| !is_of_a_name(c)) {
        *uses.entry(name).or_insert(0) += 1;
    }
    let is_used = |line: &&str| {
        let Some(declared) = line.strip_prefix(".global ") else { return true };
        let before = declared.split(['=', '[', ';']).next().unwrap_or_default();
        before.split_whitespace().last().is_none_or(|name| uses[name] > 1)
    };
    ptx.lines().filter(is_used).flat_map(|line| [line, "\n"]).collect()
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$%".contains(c)
}

/// Names of files that are missing, that differ from what they should be, or that have no source.
fn differing(folder: &Path, wanted: &Folder) -> Result<Vec<String>> {
    let mut names: Vec<_> = wanted
        .iter()
        .filter(|(name, text)| fs::read_to_string(folder.join(name)).ok().as_ref() != Some(text))
        .map(|(name, _)| name.clone())
        .collect();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|end| end == "ptx") && !wanted.contains_key(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

fn write(folder: &Path, wanted: &Folder, differing: &[String]) -> Result<()> {
    for name in differing {
        let path = folder.join(name);
        match wanted.get(name) {
            Some(text) => files::write(&path, text),
            None => fs::remove_file(&path),
        }
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_13_is_refused_by_name_and_others_with_the_remedy() {
        let refusal = |major, minor| KERNELS.accept(Version { major, minor }).unwrap_err().to_string();
        assert!(refusal(13, 0).contains("CUDA 13.0, which compiles neither `sm_60` nor `sm_70`"));
        assert!(refusal(12, 9).contains("CUDA 12.9") && refusal(12, 9).contains(INSTALL));
        assert!(refusal(11, 8).contains("made by 12.0.140"));
        assert!(KERNELS.accept(PINNED_VERSION).is_ok());
    }

    #[test]
    fn a_file_without_a_source_differs() {
        let folder = crate::chore::root().join("kernels/ptx");
        let all: Vec<_> = differing(&folder, &Folder::new()).unwrap();
        assert!(all.iter().all(|name| name.contains(".sm_")));
    }

    #[test]
    fn unused_variables_are_removed() {
        let ptx =
            ".global .align 1 .u8 one = 1;\n.global .align 4 .b8 two[8];\n.entry k() { ld.u8 r, [two]; }\n";
        let kept: Vec<_> = without_unused_variables(ptx).lines().map(str::to_owned).collect();
        assert_eq!(kept, [".global .align 4 .b8 two[8];", ".entry k() { ld.u8 r, [two]; }"]);
    }

    #[test]
    fn the_tests_of_libcu_are_compiled_from_their_sources() {
        let folder = crate::chore::root().join(LIBCU.folder);
        let mut committed: Vec<_> = differing(&folder.join("ptx"), &Folder::new()).unwrap();
        for file in nvrtc::cuda_files(&folder).unwrap() {
            for &build in &file.builds {
                let name = file.ptx_name(build);
                let text = fs::read_to_string(folder.join("ptx").join(&name));
                let header = text.ok().and_then(|text| Header::parse(&text));
                let is_current = header.is_some_and(|header| header.sha256 == file.sha256());
                assert!(is_current, "`{name}` is older than its source; run `{}`", LIBCU.chore);
                committed.retain(|other| *other != name);
            }
        }
        assert!(committed.is_empty(), "no source declares {committed:?}; run `{}`", LIBCU.chore);
    }
}
