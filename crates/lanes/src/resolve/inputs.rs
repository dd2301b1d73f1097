//! The files that fill buffers: `buf:f32:64:file=x.bin`.
//!
//! They are read before anything is allocated, and only as far as the buffer is long. What it leaves out: the other
//! ways to fill a buffer, which need no file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use spec::{BufferSpec, Fill};

use thirty_two_lanes::files;

/// A buffer whose files have been read.
pub fn filled(spec: Result<BufferSpec, String>, folder: &Path) -> Result<BufferSpec> {
    let mut spec = spec.map_err(anyhow::Error::msg)?;
    if let Fill::File(path) = &mut spec.fill {
        *path = folder.join(&path);
    }
    read_file(&mut spec)?;
    Ok(spec)
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
    let bytes = read_up_to(path, wanted);
    let bytes = bytes.map_err(|error| anyhow!("cannot read `{name}`: {}", files::why(path, &error)))?;
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

/// The bytes of a file, but at most one more than `wanted`, because a file may be endless, for example `/dev/zero`.
fn read_up_to(path: &Path, wanted: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(wanted.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
