//! Embeds the kernels in the program: reads `kernels/` and writes the registry that `src/kernels.rs` includes.
//!
//! The committed PTX is used as it is, so nothing is compiled and no CUDA is needed. A compiler is called only if a
//! `.cu` file has changed since, so that a reader who changes a kernel sees the change at the next `cargo run`. Without
//! a compiler, the build stops with a line that says what to do. It writes to `OUT_DIR` and nowhere else.

use std::collections::BTreeSet;
use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use nvrtc::{BuildName, Compiler, CudaFile, Entry, Source, Stale};

/// A build of a file, and its PTX.
struct Compiled {
    name: BuildName,
    /// The path of the PTX, in `kernels/ptx` or in `OUT_DIR`.
    path: PathBuf,
    entries: Vec<Entry>,
}

fn main() {
    println!("cargo::rerun-if-changed=kernels");
    if let Err(error) = generate() {
        // Cargo accepts one line at a time, and a compiler's log has several.
        for line in error.to_string().lines().filter(|line| !line.is_empty()) {
            println!("cargo::error={line}");
        }
    }
}

fn generate() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("kernels");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let files = nvrtc::cuda_files(&folder)?;
    let stale = nvrtc::stale(&folder)?;
    let mut registry = String::new();
    for file in &files {
        let compiled = compiled(&folder, &out, file, &stale)?;
        fs::write(out.join(file.name()), &file.text)?;
        write_file(&mut registry, file, &compiled)?;
    }
    write_list(&mut registry, &files)?;
    fs::write(out.join("kernels.rs"), registry)?;
    Ok(())
}

/// Every build of a file: from `kernels/ptx` if its checksum matches the source, otherwise compiled now.
fn compiled(
    folder: &Path,
    out: &Path,
    file: &CudaFile,
    stale: &[Stale],
) -> Result<Vec<Compiled>, Box<dyn Error>> {
    let is_stale = |build: &BuildName| stale.iter().any(|found| found.file() == file.ptx_name(*build));
    if file.builds.iter().any(is_stale) {
        return recompiled(out, file);
    }
    let read = |&name: &BuildName| read_build(name, folder.join("ptx").join(file.ptx_name(name)));
    file.builds.iter().map(read).collect()
}

fn read_build(name: BuildName, path: PathBuf) -> Result<Compiled, Box<dyn Error>> {
    let entries = nvrtc::entries(&fs::read_to_string(&path)?)?;
    Ok(Compiled { name, path, entries })
}

/// Compiles an edited file with the compiler that is installed, for the oldest architecture that it supports.
fn recompiled(out: &Path, file: &CudaFile) -> Result<Vec<Compiled>, Box<dyn Error>> {
    let name = file.name();
    let compiler = Compiler::find().map_err(|error| {
        format!("`kernels/{name}` was edited and has to be compiled, but {error}; or undo the edit")
    })?;
    println!(
        "cargo::warning=`kernels/{name}` was edited: compiled with CUDA {}; run `cargo xtask ptx` to keep it",
        compiler.version()
    );
    println!("cargo::rerun-if-env-changed=NVRTC_PATH");
    let mut builds: Vec<Compiled> = Vec::new();
    for &declared in &file.builds {
        let build = BuildName { arch: declared.arch.max(compiler.oldest_arch()), ..declared };
        if builds.iter().any(|earlier| earlier.name == build) {
            continue;
        }
        let path = out.join(file.ptx_name(build));
        fs::write(&path, compiler.compile(&Source { name: &name, text: &file.text }, &build.options())?)?;
        builds.push(read_build(build, path)?);
    }
    Ok(builds)
}

/// Writes a module with the file and a static for each of its kernels.
fn write_file(registry: &mut String, file: &CudaFile, builds: &[Compiled]) -> Result<(), Box<dyn Error>> {
    let stem = &file.stem;
    let kernels = kernels(builds);
    writeln!(registry, "/// The kernels of `kernels/{stem}.cu`.\npub mod {stem} {{")?;
    writeln!(registry, "    use super::{{Build, Kernel, KernelFile, Param}};\n")?;
    writeln!(registry, "    /// The file itself.\n    pub static FILE: KernelFile = KernelFile {{")?;
    writeln!(registry, "        name: {stem:?},")?;
    writeln!(registry, "        source: include_str!(concat!(env!(\"OUT_DIR\"), \"/{stem}.cu\")),")?;
    writeln!(registry, "        builds: &[")?;
    for build in builds {
        write_build(registry, build)?;
    }
    let statics: Vec<_> = kernels.iter().map(|kernel| format!("&{}", constant(&kernel.name))).collect();
    writeln!(registry, "        ],\n        kernels: &[{}],\n    }};", statics.join(", "))?;
    for kernel in kernels {
        write_kernel(registry, stem, kernel)?;
    }
    writeln!(registry, "}}\n")?;
    Ok(())
}

fn write_build(registry: &mut String, build: &Compiled) -> Result<(), Box<dyn Error>> {
    let BuildName { arch, debug, .. } = build.name;
    let names: Vec<_> = build.entries.iter().map(|entry| &entry.name).collect();
    writeln!(
        registry,
        "            Build {{ arch: {arch}, debug: {debug}, ptx: include_str!({:?}), kernels: &{names:?} }},",
        build.path.display().to_string()
    )?;
    Ok(())
}

fn write_kernel(registry: &mut String, stem: &str, kernel: &Entry) -> Result<(), Box<dyn Error>> {
    let Entry { name, params } = kernel;
    let params: Vec<_> = params.iter().map(|param| format!("Param::{param:?}")).collect();
    writeln!(registry, "\n    /// `{name}`, in `kernels/{stem}.cu`.")?;
    writeln!(registry, "    pub static {}: Kernel =", constant(name))?;
    writeln!(
        registry,
        "        Kernel {{ file: &FILE, name: {name:?}, params: &[{}] }};",
        params.join(", ")
    )?;
    Ok(())
}

fn write_list(registry: &mut String, files: &[CudaFile]) -> Result<(), Box<dyn Error>> {
    let list: Vec<_> = files.iter().map(|file| format!("&{}::FILE", file.stem)).collect();
    writeln!(registry, "/// Every file of `kernels/`, by name.")?;
    writeln!(registry, "pub static ALL: &[&KernelFile] = &[{}];", list.join(", "))?;
    Ok(())
}

/// The kernels of all builds, because a build may lack some.
fn kernels(builds: &[Compiled]) -> Vec<&Entry> {
    let mut seen = BTreeSet::new();
    builds.iter().flat_map(|build| &build.entries).filter(|entry| seen.insert(&entry.name)).collect()
}

/// `MATH_EVEN_THREAD` for `math_even_thread`.
fn constant(name: &str) -> String {
    name.to_uppercase()
}
