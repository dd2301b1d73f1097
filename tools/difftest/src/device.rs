//! The other machine: a GPU, or the emulator in its place.
//!
//! The emulator takes the GPU's place where there is none, to show that a campaign works. On request it returns wrong
//! results, exits or hangs at certain seeds, so that tests can check how a campaign handles that.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use simt::Dim3;
use thirty_two_lanes::{Card, CardArgument, Image};

use crate::emulate::{self, Way};
use crate::kernel::{Argument, Kernel};

/// A machine that is compared with the emulator.
pub enum Device {
    /// The first GPU.
    Gpu(Card),
    /// The emulator in a GPU's place, with the troubles that it simulates at certain seeds.
    Stand(Vec<(u64, Trouble)>),
}

/// A trouble that the emulator simulates in a GPU's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// At the default level of optimisation, one bit in a result of the first slot is wrong; without optimisation it is
    /// right.
    Optimiser,
    /// The bit is wrong at every level.
    Wrong,
    /// The driver reports an error, and reports it again for everything that follows, unless the kernel is compiled
    /// without optimisation.
    Error,
    /// The process dies, unless the kernel is compiled without optimisation.
    Death,
    /// The process dies, and without optimisation a result is wrong.
    WrongOrDeath,
    /// The kernel never ends.
    Hang,
}

impl Device {
    /// Opens the machine of this name: `gpu`, or `emulator`, which may be followed by `:SEED=TROUBLE,...`.
    ///
    /// # Errors
    /// If there is no such machine.
    pub fn open(name: &str) -> Result<Device> {
        match name.split_once(':').unwrap_or((name, "")) {
            ("gpu", "") => Ok(Device::Gpu(Card::open()?)),
            ("emulator", "") => Ok(Device::Stand(Vec::new())),
            ("emulator", troubles) => {
                Ok(Device::Stand(troubles.split(',').map(trouble).collect::<Result<_>>()?))
            }
            _ => bail!("there is no device `{name}`: choose `gpu` or `emulator`"),
        }
    }

    /// The name of the machine and of its driver.
    pub fn about(&self) -> (String, String) {
        match self {
            Device::Gpu(card) => {
                let about = card.about();
                let driver = about.details.iter().find(|(key, _)| *key == "driver");
                (about.name.clone(), driver.map_or_else(String::new, |(_, release)| release.clone()))
            }
            Device::Stand(_) => ("emulator".to_owned(), String::new()),
        }
    }

    /// Runs a generated kernel.
    ///
    /// # Errors
    /// If the driver refuses the kernel or has stopped it.
    pub fn run_kernel(&self, kernel: &Kernel, image: Image<'_>) -> Result<Vec<Vec<u8>>> {
        let mut buffers =
            self.run(image, &kernel.text, (kernel.grid, kernel.block), Kernel::ENTRY, &kernel.arguments)?;
        self.trouble(kernel.seed, image, &mut buffers)?;
        Ok(buffers)
    }

    /// Runs a text that has an entry `t` for one thread. If the emulator simulates a GPU, the trouble of seed 0
    /// applies.
    ///
    /// # Errors
    /// If the driver refuses the text or has stopped it.
    pub fn run_text(&self, text: &str, image: Image<'_>, arguments: &[Argument]) -> Result<Vec<Vec<u8>>> {
        const ONE: Dim3 = Dim3::new(1, 1, 1);
        let mut buffers = self.run(image, text, (ONE, ONE), "t", arguments)?;
        self.trouble(0, image, &mut buffers)?;
        Ok(buffers)
    }

    /// Simulates the trouble of a seed, if there is one.
    fn trouble(&self, at: u64, image: Image<'_>, buffers: &mut [Vec<u8>]) -> Result<()> {
        let Device::Stand(troubles) = self else { return Ok(()) };
        match troubles.iter().find(|(seed, _)| *seed == at) {
            Some(&(_, trouble)) => happen(trouble, image, buffers),
            None => Ok(()),
        }
    }

    /// Runs a kernel. `text` is the PTX that the image contains or was compiled from.
    ///
    /// # Errors
    /// If the driver refuses the kernel or has stopped it.
    pub fn run(
        &self,
        image: Image<'_>,
        text: &str,
        shape: (Dim3, Dim3),
        entry: &str,
        arguments: &[Argument],
    ) -> Result<Vec<Vec<u8>>> {
        let Device::Gpu(card) = self else {
            return Ok(emulate::load_text(text, shape.0, shape.1, arguments)?.run(entry, Way::PLAIN)?.1);
        };
        let mut passed: Vec<CardArgument> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Buffer(_, bytes) => CardArgument::Buffer(bytes.clone()),
                Argument::Value(bytes) => CardArgument::Value(bytes.clone()),
            })
            .collect();
        card.run(image, entry, shape.0, shape.1, &mut passed)?;
        let buffers = passed.into_iter().filter_map(|argument| match argument {
            CardArgument::Buffer(bytes) => Some(bytes),
            CardArgument::Value(_) => None,
        });
        Ok(buffers.collect())
    }
}

fn trouble(text: &str) -> Result<(u64, Trouble)> {
    let (seed, name) = text.split_once('=').context("a trouble is `SEED=NAME`")?;
    let trouble = match name {
        "optimiser" => Trouble::Optimiser,
        "wrong" => Trouble::Wrong,
        "error" => Trouble::Error,
        "death" => Trouble::Death,
        "wrong-or-death" => Trouble::WrongOrDeath,
        "hang" => Trouble::Hang,
        _ => bail!("there is no trouble `{name}`"),
    };
    Ok((seed.parse()?, trouble))
}

fn happen(trouble: Trouble, image: Image<'_>, buffers: &mut [Vec<u8>]) -> Result<()> {
    let optimised = !matches!(image, Image::Ptx(_, 0));
    match trouble {
        Trouble::Optimiser | Trouble::Death | Trouble::Error if !optimised => {}
        Trouble::WrongOrDeath if optimised => std::process::abort(),
        Trouble::Optimiser | Trouble::Wrong | Trouble::WrongOrDeath => buffers[Kernel::OUT][0] ^= 1,
        Trouble::Error => bail!("the driver stopped the kernel: an illegal memory access was encountered"),
        Trouble::Death => std::process::abort(),
        Trouble::Hang => std::thread::sleep(Duration::from_secs(3600)),
    }
    Ok(())
}
