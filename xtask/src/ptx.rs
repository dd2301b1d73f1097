//! `cargo xtask ptx`: compiles `kernels/*.cu` into `kernels/ptx`.
//!
//! The PTX is committed, because most readers have no CUDA compiler, and it is made by one release only, because
//! another would write other code and the book's numbers would no longer be those of the text beside them. The
//! output names no folder of this machine, so two people get the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use nvrtc::{
    BuildName, Compiler, CudaFile, Header, INSTALL, PINNED_RELEASE, PINNED_VERSION, Source, Version,
};

use crate::Outcome;

/// Compile every kernel into `kernels/ptx`, with the pinned compiler.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; say which files are not what the compiler makes of their source, and exit with 1 if any is.
    #[arg(long)]
    check: bool,
}

/// The PTX files as they should be, by name.
type Folder = BTreeMap<String, String>;

/// Does the chore.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let kernels = crate::root().join("kernels");
    let compiler = pinned()?;
    let wanted = compile_all(&compiler, &nvrtc::cuda_files(&kernels)?)?;
    let folder = kernels.join("ptx");
    let differing = differing(&folder, &wanted)?;
    if arguments.check {
        return Ok(report(&differing));
    }
    write(&folder, &wanted, &differing)?;
    println!("{} PTX files, {} of them changed", wanted.len(), differing.len());
    Ok(Outcome::Done)
}

/// The compiler that makes what is committed.
pub fn pinned() -> Result<Compiler> {
    let compiler = Compiler::find()?;
    accept(compiler.version())?;
    Ok(compiler)
}

/// Refuses every release but the pinned one.
fn accept(version: Version) -> Result<()> {
    ensure!(
        version.major < 13,
        "this is CUDA {version}, which compiles neither `sm_60` nor `sm_70`; install the pinned compiler with `{INSTALL}`"
    );
    ensure!(
        version == PINNED_VERSION,
        "this is CUDA {version}, and the committed PTX is made by {PINNED_RELEASE}; install that with `{INSTALL}`"
    );
    Ok(())
}

fn compile_all(compiler: &Compiler, files: &[CudaFile]) -> Result<Folder> {
    let mut wanted = Folder::new();
    for file in files {
        for &build in &file.builds {
            let text = compile(compiler, file, build).with_context(|| format!("build `{build}`"))?;
            wanted.insert(file.ptx_name(build), text);
        }
    }
    Ok(wanted)
}

fn compile(compiler: &Compiler, file: &CudaFile, build: BuildName) -> Result<String> {
    let options = build.options();
    let name = file.name();
    let ptx = compiler.compile(&Source { name: &name, text: &file.text }, &options)?;
    check_release(&ptx)?;
    let compiler = format!("NVRTC {PINNED_RELEASE}, options: {}", options.flags().join(" "));
    let (chore, source) = ("cargo xtask ptx".to_owned(), format!("kernels/{name}"));
    Ok(format!("{}{ptx}", Header { chore, source, sha256: file.sha256(), compiler }))
}

/// The library tells only the first two numbers of its release; its output tells all three.
pub fn check_release(ptx: &str) -> Result<()> {
    if !ptx.contains(&format!("V{PINNED_RELEASE}\n")) {
        bail!("the compiler is a {PINNED_VERSION}, but not {PINNED_RELEASE}; install that with `{INSTALL}`");
    }
    Ok(())
}

/// Names of files that are missing, other than they should be, or without a source.
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

fn report(differing: &[String]) -> Outcome {
    for name in differing {
        println!("`kernels/ptx/{name}` is not what the compiler makes of its source; run `cargo xtask ptx`");
    }
    if differing.is_empty() { Outcome::Done } else { Outcome::Stale }
}

fn write(folder: &Path, wanted: &Folder, differing: &[String]) -> Result<()> {
    for name in differing {
        let path = folder.join(name);
        match wanted.get(name) {
            Some(text) => fs::write(&path, text),
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
        let refusal = |major, minor| accept(Version { major, minor }).unwrap_err().to_string();
        assert!(refusal(13, 0).contains("CUDA 13.0, which compiles neither `sm_60` nor `sm_70`"));
        assert!(refusal(12, 9).contains("CUDA 12.9") && refusal(12, 9).contains(INSTALL));
        assert!(refusal(11, 8).contains("made by 12.0.140"));
        assert!(accept(PINNED_VERSION).is_ok());
    }

    #[test]
    fn a_file_without_a_source_differs() {
        let folder = crate::root().join("kernels/ptx");
        let all: Vec<_> = differing(&folder, &Folder::new()).unwrap();
        assert!(all.iter().all(|name| name.contains(".sm_")));
    }
}
