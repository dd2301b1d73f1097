//! Whether the arguments of a launch are those that its kernel takes, by number, size and kind.
//!
//! A GPU's driver trusts its caller: it takes any bytes for a program, and reads as many bytes of arguments as the kernel
//! has parameters. So a text is read by the emulator before a driver gets it, and its parameters are compared with the
//! arguments, on every machine. What it leaves out: what a kernel does with an argument.

use anyhow::{Context, Result, bail};
use simt::{Emulator, KernelInfo, Limits, Module};

/// An argument as it is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// The address of a buffer.
    Address,
    /// A value of so many bytes.
    Value(u64),
}

impl Given {
    fn bytes(self) -> u64 {
        match self {
            Given::Address => 8,
            Given::Value(bytes) => bytes,
        }
    }
}

/// The kernels of a text.
#[derive(Clone, Debug)]
pub(crate) struct Kernels {
    name: String,
    kernels: Vec<KernelInfo>,
}

impl Kernels {
    /// The kernels of a PTX text, whose variables have room in so many bytes. It is an error if it is no PTX.
    pub(crate) fn of(name: &str, ptx: &str, memory_bytes: u64) -> Result<Kernels> {
        if ptx.contains('\0') {
            bail!("`{name}` contains a zero byte, at which a driver would stop reading: take it out");
        }
        let mut emulator = Emulator::new(Limits { memory_bytes });
        let module = emulator.load(name, ptx).with_context(|| format!("`{name}` cannot be read"))?;
        Ok(Kernels::in_module(name, &module))
    }

    pub(crate) fn in_module(name: &str, module: &Module) -> Kernels {
        Kernels { name: name.to_owned(), kernels: module.kernels().to_vec() }
    }

    /// The kernel of this name, if it takes these arguments.
    pub(crate) fn check(&self, kernel: &str, given: &[Given]) -> Result<&KernelInfo> {
        let Some(info) = self.kernels.iter().find(|info| info.name == kernel) else {
            let names: Vec<&str> = self.kernels.iter().map(|info| info.name.as_str()).collect();
            bail!("`{}` has no kernel `{kernel}`: it has {}", self.name, names.join(", "));
        };
        let wanted: Vec<u64> = info.params.iter().map(|param| param.bytes).collect();
        let bytes: Vec<u64> = given.iter().map(|given| given.bytes()).collect();
        if wanted != bytes {
            bail!("`{kernel}` takes parameters of {wanted:?} bytes and was given {bytes:?}");
        }
        let mut pairs = info.params.iter().zip(given).enumerate();
        if let Some((nth, _)) =
            pairs.find(|(_, (param, given))| **given == Given::Address && param.ty.starts_with('f'))
        {
            let ty = &info.params[nth].ty;
            bail!("parameter {nth} of `{kernel}` is an `{ty}`, and was given the address of a buffer");
        }
        Ok(info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 8.0\n.target sm_70\n.address_size 64\n\
        .visible .entry k(.param .u64 p, .param .u32 n, .param .f64 x, .param .align 8 .b8 s[24]) { ret; }\n\
        .visible .entry none() { ret; }\n";

    const ROOM: u64 = 1 << 20;

    const FITS: [Given; 4] = [Given::Address, Given::Value(4), Given::Value(8), Given::Value(24)];

    fn refused(kernel: &str, given: &[Given]) -> String {
        Kernels::of("k.ptx", PTX, ROOM).unwrap().check(kernel, given).unwrap_err().to_string()
    }

    #[test]
    fn arguments_that_fit_are_accepted() {
        let kernels = Kernels::of("k.ptx", PTX, ROOM).unwrap();
        let info = kernels.check("k", &FITS).unwrap();
        assert_eq!(info.params.iter().map(|param| param.offset).collect::<Vec<_>>(), [0, 8, 16, 24]);
        kernels.check("none", &[]).unwrap();
        // A pointer is a number of eight bytes, too.
        kernels.check("k", &[&[Given::Value(8)], &FITS[1..]].concat()).unwrap();
    }

    #[test]
    fn number_size_and_kind_are_checked() {
        for at in 0..FITS.len() {
            assert!(
                refused("k", &FITS[..at]).contains("takes parameters of [8, 4, 8, 24] bytes and was given [")
            );
            for bytes in [0, 1, FITS[at].bytes() - 1, FITS[at].bytes() + 1, 1 << 40] {
                let mut given = FITS;
                given[at] = Given::Value(bytes);
                assert!(refused("k", &given).contains("was given"), "{given:?}");
            }
        }
        assert!(refused("k", &[&FITS[..], &[Given::Value(4)]].concat()).contains("24, 4]"));
        assert!(refused("none", &[Given::Address]).contains("of [] bytes and was given [8]"));
        let mut given = FITS;
        given[2] = Given::Address;
        assert!(refused("k", &given).contains("parameter 2 of `k` is an `f64`"));
        for kernel in ["", "K", "k\0", "other"] {
            assert!(refused(kernel, &FITS).contains("`k.ptx` has no kernel"), "{kernel:?}");
        }
    }

    #[test]
    fn what_is_no_ptx_gets_to_no_driver() {
        for text in
            ["", " ", "\u{7f}ELF\u{2}\u{1}\u{1}", "P\u{d}U", "\0", "hello", "\0.version 8.0\n.target sm_70\n"]
        {
            let kernels = Kernels::of("x.ptx", text, ROOM);
            let is_refused =
                kernels.is_err() || kernels.is_ok_and(|kernels| kernels.check("k", &FITS).is_err());
            assert!(is_refused, "{text:?}");
        }
        assert!(Kernels::of("x.ptx", &format!("\u{7f}ELF{PTX}"), ROOM).is_err());
        assert!(Kernels::of("x.ptx", &format!("{PTX}\0"), ROOM).is_err());
    }
}
