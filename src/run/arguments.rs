//! From what the command line gives to what the kernel takes.
//!
//! Numbers and sizes are checked before anything is allocated, so that a mistake costs no memory. What it leaves out:
//! whether a buffer is as large as the kernel thinks, which the emulator watches.

use anyhow::{Result, anyhow, bail, ensure};
use simt::{Arg, Buffer, Emulator, KernelInfo, Param};

use super::element::{Kind, Type};
use super::spec::{BufferSpec, Fill, Print, Spec};

/// An argument, ready to be passed.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// A number.
    Scalar(Arg),
    /// A buffer in the emulator's memory, of elements of a type.
    Buffer(Buffer, Type),
}

impl Given {
    /// What the kernel gets: a number, or an address.
    pub fn arg(&self) -> Arg {
        match self {
            Given::Scalar(arg) => arg.clone(),
            Given::Buffer(buffer, _) => buffer.address().into(),
        }
    }
}

/// Checks the arguments against the parameters, then allocates and fills the buffers.
pub(super) fn place(emulator: &mut Emulator, kernel: &KernelInfo, specs: &[Spec]) -> Result<Vec<Given>> {
    check_count(kernel, specs.len())?;
    for (index, (param, spec)) in kernel.params.iter().zip(specs).enumerate() {
        check(param, spec).map_err(|error| anyhow!("argument {index} of `{}` {error}", kernel.name))?;
    }
    specs.iter().enumerate().map(|(index, spec)| given(emulator, index, spec)).collect()
}

fn check_count(kernel: &KernelInfo, given: usize) -> Result<()> {
    let types: Vec<&str> = kernel.params.iter().map(|param| param.ty.as_str()).collect();
    match types.len() {
        wanted if wanted == given => Ok(()),
        0 => bail!("`{}` takes no arguments, not {given}: leave `--arg` out", kernel.name),
        wanted => bail!(
            "`{}` takes {wanted} arguments ({}), not {given}: give each with `--arg`",
            kernel.name,
            types.join(", ")
        ),
    }
}

fn check(param: &Param, spec: &Spec) -> Result<(), String> {
    let (wanted, bytes) = (&param.ty, param.bytes);
    match spec {
        Spec::Buffer(_) if bytes == 8 && !wanted.starts_with('f') => Ok(()),
        Spec::Buffer(_) => {
            Err(format!("is no pointer but `{wanted}`: give a number, as in `{}`", example(param)))
        }
        Spec::Scalar(ty, _) if ty.bytes as u64 == bytes && agrees(wanted, *ty) => Ok(()),
        Spec::Scalar(..) if ![1, 2, 4, 8].contains(&bytes) => {
            Err(format!("is a structure of {bytes} bytes, which cannot be given on the command line"))
        }
        Spec::Scalar(ty, _) => {
            Err(format!("is `{wanted}` of {bytes} bytes and not {}: give `{}`", ty.name, example(param)))
        }
    }
}

/// Whether both are floats, or neither is; PTX's untyped bits are either.
fn agrees(wanted: &str, ty: Type) -> bool {
    wanted.starts_with('b') || wanted.starts_with('f') == (ty.kind == Kind::Float)
}

/// How to give a number for this parameter.
fn example(param: &Param) -> String {
    let kind = if param.ty.starts_with('f') { 'f' } else { 'u' };
    format!("{kind}{}:1", 8 * param.bytes)
}

fn given(emulator: &mut Emulator, index: usize, spec: &Spec) -> Result<Given> {
    match spec {
        Spec::Scalar(_, bytes) => Ok(Given::Scalar(Arg::bytes(bytes))),
        Spec::Buffer(spec) => {
            let bytes = spec.count.saturating_mul(spec.ty.bytes as u64);
            let buffer = emulator.alloc(&format!("arg{index}"), bytes);
            let buffer = buffer.map_err(|error| anyhow!("{error}: give it fewer elements"))?;
            fill(emulator.write(buffer), spec);
            Ok(Given::Buffer(buffer, spec.ty))
        }
    }
}

fn fill(bytes: &mut [u8], spec: &BufferSpec) {
    match &spec.fill {
        Fill::Zeros => {}
        Fill::List(all) => bytes.copy_from_slice(all),
        Fill::Same(one) => {
            let elements = bytes.chunks_exact_mut(spec.ty.bytes);
            elements.for_each(|element| element.copy_from_slice(one));
        }
        Fill::Iota => {
            for (index, element) in bytes.chunks_exact_mut(spec.ty.bytes).enumerate() {
                let value = spec.ty.integer(index as i128).expect("the last one was tried when it was read");
                element.copy_from_slice(&value[..spec.ty.bytes]);
            }
        }
    }
}

/// Refuses to show what is no buffer, or more of one than there is; before the run, which may take long.
pub(super) fn check_prints(prints: &[Print], given: &[Given]) -> Result<()> {
    for print in prints {
        let argument = print.argument;
        let (buffer, ty) = match given.get(argument) {
            Some(Given::Buffer(buffer, ty)) => (buffer, ty),
            Some(Given::Scalar(_)) => {
                bail!("`--print {argument}`: argument {argument} is a number and no buffer")
            }
            None => bail!("`--print {argument}`: there is no such argument; they count from 0"),
        };
        let elements = buffer.bytes() / ty.bytes as u64;
        if let Some(count) = print.count {
            ensure!(
                count <= elements,
                "`--print {argument}:{count}`: argument {argument} has only {elements} elements"
            );
        }
    }
    Ok(())
}
