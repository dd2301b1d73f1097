//! Arguments of a kernel as text, `i32:5` or `buf:f32:1024:iota`, and as what the kernel takes.
//!
//! The program `lanes` reads them from its command line, the exercises from their files. Numbers, sizes and files are checked
//! before anything is allocated, so that a mistake costs no memory. What it leaves out: whether a buffer is as large as
//! the kernel thinks, which the emulator watches.

pub(crate) mod element;
mod half;
pub(crate) mod spec;

pub use element::{Kind, Type};
pub use spec::{Argument, BufferSpec, Fill, Spec};

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Result, anyhow, bail, ensure};
use simt::{Arg, Buffer, Emulator, KernelInfo, Param};

use crate::files;
use crate::random::Random;
use crate::report::layout::counted;

/// An argument in the emulator's memory.
#[derive(Clone, Debug)]
pub enum Given {
    /// A number.
    Scalar(Arg),
    /// A buffer.
    Buffer(Buffer),
}

impl Given {
    /// What the kernel gets: a number, or an address.
    pub fn arg(&self) -> Arg {
        match self {
            Given::Scalar(arg) => arg.clone(),
            Given::Buffer(buffer) => buffer.address().into(),
        }
    }
}

/// Checks the arguments against the parameters and what memory there is, and reads the files that they name.
pub fn prepare(kernel: &KernelInfo, arguments: &[Argument], memory_bytes: u64) -> Result<Vec<Spec>> {
    check_count(kernel, arguments.len())?;
    for (index, (param, argument)) in kernel.params.iter().zip(arguments).enumerate() {
        check(param, &argument.spec)
            .map_err(|error| anyhow!("argument {index} of `{}` {error}", kernel.name))?;
    }
    let mut left = memory_bytes;
    let mut prepared = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let mut spec = argument.spec.clone();
        if let Spec::Buffer(buffer) = &mut spec {
            let bytes = buffer.bytes();
            left = left.checked_sub(bytes).ok_or_else(|| {
                anyhow!(
                    "`arg{index}` does not fit into memory: {bytes} bytes were requested and {left} are left: \
                     give it fewer elements"
                )
            })?;
            read_file(buffer).map_err(|error| anyhow!("argument {index} of `{}`: {error}", kernel.name))?;
        }
        prepared.push(spec);
    }
    Ok(prepared)
}

fn check_count(kernel: &KernelInfo, given: usize) -> Result<()> {
    let types: Vec<&str> = kernel.params.iter().map(|param| param.ty.as_str()).collect();
    match types.len() {
        wanted if wanted == given => Ok(()),
        0 => bail!("`{}` takes no arguments, not {given}: omit `--arg`", kernel.name),
        wanted => bail!(
            "`{}` takes {} ({}), not {given}: give each with `--arg`",
            kernel.name,
            counted(wanted as u64, "argument"),
            types.join(", ")
        ),
    }
}

fn check(param: &Param, spec: &Spec) -> Result<(), String> {
    let (wanted, bytes) = (&param.ty, param.bytes);
    match spec {
        Spec::Buffer(_) if bytes == 8 && !wanted.starts_with('f') => Ok(()),
        Spec::Buffer(_) => {
            Err(format!("is not a pointer but `{wanted}`: give a number, as in `{}`", example(param)))
        }
        Spec::Scalar(ty, _) if ty.bytes as u64 == bytes && agrees(wanted, *ty) => Ok(()),
        Spec::Scalar(..) if ![1, 2, 4, 8].contains(&bytes) => {
            Err(format!("is a structure of {bytes} bytes, which cannot be given on the command line"))
        }
        Spec::Scalar(ty, _) => {
            Err(format!("is `{wanted}` of {bytes} bytes, not {}: give `{}`", ty.name, example(param)))
        }
    }
}

/// Whether both are floats, or neither is. PTX's untyped bits are either, and so is what passes a `__half`.
fn agrees(wanted: &str, ty: Type) -> bool {
    wanted.starts_with('b') || ty.bytes == 2 || wanted.starts_with('f') == (ty.kind == Kind::Float)
}

/// How to give a number for this parameter.
fn example(param: &Param) -> String {
    let kind = if param.ty.starts_with('f') { 'f' } else { 'u' };
    format!("{kind}{}:1", 8 * param.bytes)
}

/// Replaces the name of a file by its bytes, which must be as many as the buffer has.
fn read_file(buffer: &mut BufferSpec) -> Result<()> {
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

/// A file's bytes, and at most one more than are wanted: it may be of any size, and `/dev/zero`.
fn read_up_to(path: &Path, wanted: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(wanted.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Allocates and fills the buffers, each under a name for messages.
pub fn place(emulator: &mut Emulator, specs: &[Spec], name: impl Fn(usize) -> String) -> Result<Vec<Given>> {
    let given = |(index, spec): (usize, &Spec)| match spec {
        Spec::Scalar(_, bytes) => Ok(Given::Scalar(Arg::bytes(bytes))),
        Spec::Buffer(spec) => {
            let name = name(index);
            if spec.fill == Fill::Uninitialized {
                return Ok(Given::Buffer(emulator.alloc_uninitialized(&name, spec.bytes())?));
            }
            let buffer = emulator.alloc(&name, spec.bytes())?;
            fill(emulator.write(buffer)?, spec);
            Ok(Given::Buffer(buffer))
        }
    };
    specs.iter().enumerate().map(given).collect()
}

/// Fills a buffer that holds zeros.
pub fn fill(bytes: &mut [u8], spec: &BufferSpec) {
    let size = spec.ty.bytes;
    let elements = bytes.chunks_exact_mut(size);
    match &spec.fill {
        Fill::Zeros | Fill::Uninitialized => {}
        Fill::File(_) => unreachable!("files are read before anything is filled"),
        Fill::List(all) => bytes.copy_from_slice(all),
        Fill::Same(one) => elements.for_each(|element| element.copy_from_slice(one)),
        Fill::Iota => {
            for (index, element) in elements.enumerate() {
                let value = spec.ty.integer(index as i128).expect("the last one was tried when it was read");
                element.copy_from_slice(&value[..size]);
            }
        }
        Fill::Random(seed) => {
            let mut random = Random::new(*seed);
            elements.for_each(|element| element.copy_from_slice(&spec.ty.random(&mut random)[..size]));
        }
        Fill::Between(seed, range) => {
            let mut random = Random::new(*seed);
            for element in elements {
                let value =
                    spec.ty.integer(random.between(range)).expect("both ends were tried when they were read");
                element.copy_from_slice(&value[..size]);
            }
        }
    }
}
