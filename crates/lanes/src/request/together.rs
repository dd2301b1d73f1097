//! The options of a run together: which launches they mean, and which of them contradict each other.
//!
//! No option is silently ignored: one that would have no effect is refused.

use std::path::PathBuf;

use anyhow::{Error, Result, bail};
use simt::Dim3;
use spec::launch::{Checkers, FIELDS, Launch};
use spec::{BufferSpec, Fill};
use thirty_two_lanes::cores;

use super::checks::CheckLaunches;
use super::compile::Compile;
use super::compile::Compiler;
use super::options::RunOptions;
use super::report::{Device, Host};

/// The default limit on warp instructions: this many for a launch, and a thousand more for each warp.
const STEPS_OF_A_LAUNCH: u64 = 50_000_000;
const STEPS_OF_A_WARP: u64 = 1000;

/// A limit on warp instructions that is enough for any launch of this size. It takes some seconds, after which a
/// reader wants a result.
fn usual_steps(grid: Dim3, block: Dim3) -> u64 {
    let warps = grid.count().saturating_mul(block.count().div_ceil(32));
    warps.saturating_mul(STEPS_OF_A_WARP).saturating_add(STEPS_OF_A_LAUNCH)
}

/// Options that the emulator alone has.
const OF_THE_EMULATOR: &str = "\
    --seed --seeds --schedule --reconvergence --resident-blocks --weak-memory --strict --max-steps \
    --trace --cores --memory --expect";

impl RunOptions {
    /// How to compile the file: kernels of templates that are launched are made without being asked for.
    pub fn how(&self) -> Compile {
        let launches = self.launches.iter().map(|written| &written.launch).chain([&*self.launch]);
        let launched = launches.filter_map(|launch| launch.kernel.as_ref());
        let launched = launched.filter(|name| name.contains('<')).cloned();
        let instances = self.compile.instances.iter().cloned().chain(launched).collect();
        Compile { instances, sources: self.sources.clone(), ..self.compile.clone() }
    }

    /// The launches as they are written, with names for the buffers that are arguments.
    pub fn launches(&self) -> Vec<Launch> {
        let mut base = Launch::clone(&self.launch);
        for (index, _) in self.launch.unnamed() {
            base.arguments[index].is = format!("arg{index}");
        }
        if self.launches.is_empty() {
            return vec![base];
        }
        self.launches.iter().map(|written| written.launch.clone().over(base.clone())).collect()
    }

    /// A launch for the emulator, with the first seed and still without arguments.
    pub fn emulated(&self, asked: &Launch) -> Result<simt::Launch> {
        let (grid, block) = asked.shape().map_err(Error::msg)?;
        let cores = self.machine.cores.unwrap_or_else(cores::available);
        Ok(simt::Launch { cores, ..asked.emulated(grid, block, usual_steps(grid, block)) })
    }

    /// Which checkers are on.
    pub fn checkers(&self) -> Checkers {
        self.launch.checks.unwrap_or(Checkers::ALL)
    }

    /// Whether the emulator runs the kernel. It does not for a GPU without any check.
    pub fn emulates(&self) -> bool {
        self.machine.device == Device::Sim || self.checkers() != Checkers::NONE
    }

    /// The files that are read.
    pub fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        let named = self.launch.buffers.0.iter().filter_map(|buffer| BufferSpec::parse(&buffer.is).ok());
        let data =
            self.launch.unnamed().map(|(_, spec)| spec).chain(named).filter_map(|spec| match spec.fill {
                Fill::File(path) => Some(path),
                _ => None,
            });
        data.chain([self.file.clone()])
    }

    /// Refuses options that contradict each other, or of which one would have no effect.
    pub fn check_together(&self) -> Result<()> {
        let (several, has_seeds) = (self.launches.len() > 1, self.launch.seeds.is_some());
        let (traces, on_gpu) = (self.output.trace.is_some(), self.machine.device == Device::Gpu);
        if has_seeds && self.launch.seed.is_some() {
            bail!("`--seed` is for one run and `--seeds` for many: give only one of them");
        }
        if several && traces {
            bail!("`--trace` records one launch: give `--launch` once");
        }
        if several && on_gpu {
            bail!("several launches run on the emulator only: omit `--device gpu`, or give `--launch` once");
        }
        if !self.launch.symbols.0.is_empty() && on_gpu {
            bail!("variables can be set on the emulator only: omit `--device gpu`, or `--symbol`");
        }
        if has_seeds && traces {
            bail!("`--trace` records one run: find the seed with `--seeds`, then give it with `--seed`");
        }
        let useless = if self.emulates() { None } else { self.first_given(OF_THE_EMULATOR) };
        if let Some(option) = useless {
            bail!(
                "`{option}` is for the emulator, which does not run with `--device gpu --check none`: use `--check memory`, \
                 or omit `{option}`"
            );
        }
        Ok(())
    }

    /// The first of these options that was given.
    pub fn first_given(&self, options: &'static str) -> Option<&'static str> {
        options.split_whitespace().find(|option| self.is_given(option))
    }

    /// Whether an option was given, and does not say what is so without it.
    fn is_given(&self, option: &str) -> bool {
        let RunOptions { launch, compile, checks, machine, output, .. } = self;
        if let Some(field) = FIELDS.iter().find(|field| field.option() == option[2..]) {
            return launch
                .said()
                .any(|(said, texts)| said.name() == field.name() && texts != [field.default]);
        }
        match option {
            "--compiler" => compile.compiler.is_some_and(|compiler| compiler != Compiler::Cudac),
            "--instantiate" => !compile.instances.is_empty(),
            "--std" => compile.std.is_some(),
            "--expect" => !checks.expectations.is_empty(),
            "--strict" => checks.strict,
            "--check-launches" => checks.repeats.check_launches != CheckLaunches::default(),
            "--device" => machine.device == Device::Gpu,
            "--cores" => machine.cores.is_some(),
            "--memory" => machine.memory.is_some(),
            "--host" => machine.host != Host::Auto,
            "--write" => !machine.writes.is_empty(),
            "--print" => !output.prints.is_empty(),
            "--save" => !output.saves.is_empty(),
            "--picture" => !output.pictures.is_empty(),
            "--trace" => output.trace.is_some(),
            "--json" => output.json,
            other => unreachable!("`{other}` is never refused"),
        }
    }
}
