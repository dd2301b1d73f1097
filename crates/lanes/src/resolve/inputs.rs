//! The files that fill buffers: `buf:f32:64:file=x.bin`.
//!
//! They are read before anything is allocated, and only as far as the buffer is long. What it leaves out: the other
//! ways to fill a buffer, which need no file.

use std::path::{Component, Path, PathBuf};

use anyhow::{Result, anyhow, ensure};
use spec::{BufferSpec, Fill};

use thirty_two_lanes::files;
use thirty_two_lanes::sim::host_memory_bytes;

/// A buffer whose files have been read. Those of a scenario file are in its folder.
pub fn filled(spec: Result<BufferSpec, String>, folder: Option<&Path>) -> Result<BufferSpec> {
    let mut spec = spec.map_err(anyhow::Error::msg)?;
    if let (Fill::File(path), Some(folder)) = (&mut spec.fill, folder) {
        *path = inside(folder, path)?;
    }
    read_file(&mut spec)?;
    Ok(spec)
}

/// A file in a folder. A scenario file comes with a project that one may not know, and what it reads, a report may show. So it
/// names no other data on this computer, by whatever path or link.
fn inside(folder: &Path, file: &Path) -> Result<PathBuf> {
    let whole = folder.join(file);
    let is_down = file.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let is_there = match (whole.canonicalize(), folder.canonicalize()) {
        (Ok(place), Ok(folder)) => place.starts_with(folder),
        // It does not exist, which is said when it is read.
        _ => true,
    };
    ensure!(
        is_down && is_there,
        "`{}` is not in the folder of the scenario file or below it: put the data there",
        file.display()
    );
    Ok(whole)
}

/// The initial bytes of a buffer whose files have been read.
pub fn initial_bytes(spec: &BufferSpec) -> Vec<u8> {
    let mut bytes = vec![0; spec.bytes() as usize];
    spec::fill(&mut bytes, spec);
    bytes
}

/// A file must have exactly as many bytes as the buffer.
pub fn read_file(buffer: &mut BufferSpec) -> Result<()> {
    let Fill::File(path) = &buffer.fill else { return Ok(()) };
    let (name, wanted) = (path.display(), buffer.bytes());
    ensure!(
        wanted <= host_memory_bytes(),
        "a buffer of {wanted} bytes does not fit into memory: give it fewer elements"
    );
    let bytes = files::read_up_to(path, wanted + 1);
    let bytes = bytes.map_err(|why| anyhow!("cannot read `{name}`: {why}"))?;
    ensure!(
        bytes.len() as u64 == wanted,
        "`{name}` has {} bytes and the buffer {wanted} ({} elements of {}): the sizes must be equal",
        if bytes.len() as u64 > wanted { "more".to_owned() } else { bytes.len().to_string() },
        buffer.count,
        buffer.ty.name
    );
    buffer.fill = Fill::List(bytes);
    Ok(())
}
