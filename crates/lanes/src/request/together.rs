//! The options of a run together: which launches they mean, and which of them contradict each other.
//!
//! No option is silently ignored: one that would have no effect is refused.

use std::path::PathBuf;

use anyhow::{Result, bail};
use cudac::toolchain::Choice;
use simt::{DEFAULT_RESIDENT_BLOCKS, Dim3, Launch};
use spec::launch::Checkers;
use spec::{BufferSpec, Fill, Spec};
use thirty_two_lanes::cores;

use super::compile::Compile;
use super::given::Written;
use super::launch::LaunchOptions;
use super::options::RunOptions;
use super::report::Device;
use super::scheduling::{Scheduling, usual_schedule};

/// A launch as it is written.
#[derive(Clone, Debug)]
pub struct Asked {
    pub kernel: Option<String>,
    /// The arguments: names of buffers, numbers and structures.
    pub args: Vec<String>,
    /// The launch without arguments.
    pub launch: Launch,
}

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
    --trace --cores --expect";

impl RunOptions {
    /// How to compile the file: kernels of templates that are launched are made without being asked for.
    pub fn how(&self) -> Compile {
        let LaunchOptions { kernel, launches, .. } = &self.launch;
        let launched = launches.iter().filter_map(|launch| launch.kernel.as_ref()).chain(kernel);
        let launched = launched.filter(|name| name.contains('<')).cloned();
        let instances = self.compile.instances.iter().cloned().chain(launched).collect();
        Compile { instances, ..self.compile.clone() }
    }

    /// The launches as they are written, with the first seed and still without arguments.
    pub fn launches(&self) -> Vec<Asked> {
        let LaunchOptions { kernel, grid, block, shared_bytes, args, launches, .. } = &self.launch;
        if launches.is_empty() {
            let args = args.iter().enumerate().map(|(index, given)| given.name(index)).collect();
            let launch = self.shaped(*grid, *block, *shared_bytes);
            return vec![Asked { kernel: kernel.clone(), args, launch }];
        }
        let asked = |Written { kernel, grid, block, shared_bytes, args, .. }: &Written| Asked {
            kernel: kernel.clone(),
            args: args.clone(),
            launch: self.shaped(*grid, *block, *shared_bytes),
        };
        launches.iter().map(asked).collect()
    }

    /// A launch of this shape, with the first seed and still without arguments.
    fn shaped(&self, grid: Dim3, block: Dim3, shared_bytes: u32) -> Launch {
        let Scheduling { seed, seeds, schedule, reconvergence, resident_blocks, weak_memory } =
            self.scheduling;
        Launch {
            seed: seeds.map_or(seed.unwrap_or(0), |seeds| seeds.start),
            schedule: schedule.unwrap_or_else(|| usual_schedule(seeds.is_some())),
            reconvergence: reconvergence.unwrap_or_default(),
            checks: self.checkers().checks(),
            weak_memory,
            resident_blocks: resident_blocks.unwrap_or(DEFAULT_RESIDENT_BLOCKS),
            max_steps: self.checks.max_steps.unwrap_or_else(|| usual_steps(grid, block)),
            cores: self.machine.cores.unwrap_or_else(cores::available),
            shared_bytes,
            ..Launch::new(grid, block)
        }
    }

    /// Which checkers are on.
    pub fn checkers(&self) -> Checkers {
        self.checks.check.unwrap_or(Checkers::ALL)
    }

    /// Whether the emulator runs the kernel. It does not for a GPU without any check.
    pub fn emulates(&self) -> bool {
        self.machine.device == Device::Sim || self.checkers() != Checkers::NONE
    }

    /// The files that are read.
    pub fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        let arguments = self.launch.args.iter().filter_map(|given| match &given.spec {
            Some(Spec::Buffer(spec)) => Some(spec.clone()),
            _ => None,
        });
        let named = self.launch.buffers.iter().filter_map(|(_, text)| BufferSpec::parse(text).ok());
        let data = arguments.chain(named).filter_map(|spec| match spec.fill {
            Fill::File(path) => Some(path),
            _ => None,
        });
        data.chain([self.file.clone()])
    }

    /// Refuses options that contradict each other, or of which one would have no effect.
    pub fn check_together(&self) -> Result<()> {
        let (several, has_seeds) = (self.launch.launches.len() > 1, self.scheduling.seeds.is_some());
        let (traces, on_gpu) = (self.output.trace.is_some(), self.machine.device == Device::Gpu);
        if has_seeds && self.scheduling.seed.is_some() {
            bail!("`--seed` is for one run and `--seeds` for many: give only one of them");
        }
        if several && traces {
            bail!("`--trace` records one launch: give `--launch` once");
        }
        if several && on_gpu {
            bail!("several launches run on the emulator only: omit `--device gpu`, or give `--launch` once");
        }
        if !self.launch.symbols.is_empty() && on_gpu {
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
        let RunOptions { launch, compile, scheduling, checks, machine, output, .. } = self;
        match option {
            "--grid" => launch.grid != Dim3::from(1),
            "--block" => launch.block != Dim3::from(32),
            "--shared-bytes" => launch.shared_bytes != 0,
            "--buffer" => !launch.buffers.is_empty(),
            "--symbol" => !launch.symbols.is_empty(),
            "--compiler" => compile.compiler == Some(Choice::Nvrtc),
            "--instantiate" => !compile.instances.is_empty(),
            "--std" => compile.std.is_some(),
            "--seed" => scheduling.seed.is_some(),
            "--seeds" => scheduling.seeds.is_some(),
            "--schedule" => scheduling.schedule.is_some(),
            "--reconvergence" => scheduling.reconvergence.is_some(),
            "--resident-blocks" => scheduling.resident_blocks.is_some(),
            "--weak-memory" => scheduling.weak_memory,
            "--check" => checks.check.is_some(),
            "--expect" => !checks.expectations.is_empty(),
            "--strict" => checks.strict,
            "--max-steps" => checks.max_steps.is_some(),
            "--device" => machine.device == Device::Gpu,
            "--cores" => machine.cores.is_some(),
            "--print" => !output.prints.is_empty(),
            "--save" => !output.saves.is_empty(),
            "--picture" => !output.pictures.is_empty(),
            "--trace" => output.trace.is_some(),
            "--json" => output.json,
            other => unreachable!("`{other}` is never refused"),
        }
    }
}
