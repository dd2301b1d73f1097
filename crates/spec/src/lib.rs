//! Arguments of a kernel: as text, for example `i32:5` or `buf:f32:1024:iota`, and as values for the kernel.
//!
//! The program `lanes` reads them from its command line, and the exercises read them from their files. Numbers and
//! sizes are checked before anything is allocated, so that a mistake costs no memory. What it leaves out: reading the
//! files that an argument may name, which the program `lanes` does, so that this crate can be used in a web page; and
//! whether a buffer is as large as the kernel assumes, which the emulator checks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod element;
mod half;
pub mod launch;
pub mod layout;
mod random;
mod spec;
mod structure;
mod tensor_map;

pub use element::{Kind, Type};
pub use random::Random;
pub use spec::{BufferSpec, Fill, Spec, whole};
pub use structure::{Layout, Place, Structure, is_name, parts};
pub use tensor_map::Tensor;

use crate::layout::counted;
use anyhow::{Result, anyhow, bail};
use simt::{Arg, Buffer, Emulator, KernelInfo, Param};

/// An argument in the emulator's memory.
#[derive(Clone, Debug)]
pub enum Given {
    /// A number or a structure.
    Value(Arg),
    /// A buffer.
    Buffer(Buffer),
}

impl Given {
    /// What the kernel gets: a number, or an address.
    pub fn arg(&self) -> Arg {
        match self {
            Given::Value(arg) => arg.clone(),
            Given::Buffer(buffer) => buffer.address().into(),
        }
    }
}

/// Checks the arguments against the kernel's parameters and the available memory.
pub fn prepare(kernel: &KernelInfo, arguments: &[Spec], memory_bytes: u64) -> Result<()> {
    check_count(kernel, arguments.len())?;
    for (index, (param, argument)) in kernel.params.iter().zip(arguments).enumerate() {
        check(param, argument).map_err(|error| anyhow!("argument {index} of `{}` {error}", kernel.name))?;
    }
    let mut left = memory_bytes;
    for (index, argument) in arguments.iter().enumerate() {
        if let Spec::Buffer(buffer) = argument {
            let bytes = buffer.bytes();
            left = left.checked_sub(bytes).ok_or_else(|| {
                anyhow!(
                    "`arg{index}` does not fit into memory: {bytes} bytes were requested and {left} are left: \
                     give it fewer elements"
                )
            })?;
        }
    }
    Ok(())
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
        Spec::Structure(fields) if fields.bytes() as u64 == bytes => Ok(()),
        Spec::Structure(fields) => Err(format!(
            "has {bytes} bytes and the structure {}: give all of its fields, in their order",
            fields.bytes()
        )),
        Spec::Scalar(..) if ![1, 2, 4, 8].contains(&bytes) || wanted.contains('[') => {
            Err(format!("is a structure of {bytes} bytes: give its fields, as in `{{f32:2, i32:5}}`"))
        }
        Spec::Scalar(ty, _) => {
            Err(format!("is `{wanted}` of {bytes} bytes, not {}: give `{}`", ty.name, example(param)))
        }
    }
}

/// Whether both are floats, or neither is. PTX's untyped bits can be either, and so can the type of a `__half`
/// parameter.
fn agrees(wanted: &str, ty: Type) -> bool {
    wanted.starts_with('b') || ty.bytes == 2 || wanted.starts_with('f') == (ty.kind == Kind::Float)
}

/// An example of a number for this parameter.
fn example(param: &Param) -> String {
    let kind = if param.ty.starts_with('f') { 'f' } else { 'u' };
    format!("{kind}{}:1", 8 * param.bytes)
}

/// Allocates and fills the buffers, each with a name for messages. The bytes of files must have been read into a list
/// already.
pub fn place(emulator: &mut Emulator, specs: &[Spec], name: impl Fn(usize) -> String) -> Result<Vec<Given>> {
    let given = |(index, spec): (usize, &Spec)| match spec {
        Spec::Scalar(_, bytes) => Ok(Given::Value(Arg::bytes(bytes))),
        Spec::Structure(fields) => match fields.buffers().first() {
            Some(name) => {
                bail!("there is no buffer `{name}`: a field of a structure is a number, as in `f32:2`")
            }
            None => Ok(Given::Value(Arg::bytes(&fields.pack(&|_| 0)))),
        },
        Spec::Buffer(spec) => {
            let name = name(index);
            if spec.fill == Fill::Uninitialized {
                return Ok(Given::Buffer(emulator.alloc_uninitialized(&name, spec.bytes())?));
            }
            if let Fill::File(path) = &spec.fill {
                bail!(
                    "`{}` is a file, which cannot be read here: give `{name}` another content",
                    path.display()
                );
            }
            let buffer = emulator.alloc(&name, spec.bytes())?;
            fill(emulator.write(buffer)?, spec);
            Ok(Given::Buffer(buffer))
        }
    };
    specs.iter().enumerate().map(given).collect()
}

/// Fills a buffer that holds zeros. If it is filled from a file, the bytes must have been read into a list already.
pub fn fill(bytes: &mut [u8], spec: &BufferSpec) {
    let size = spec.ty.bytes;
    let elements = bytes.chunks_exact_mut(size);
    match &spec.fill {
        Fill::Zeros | Fill::Uninitialized | Fill::File(_) => {}
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
