//! Launches, checked and ready to run: the program, the kernels, and their arguments.
//!
//! Everything that can be refused is refused here, before a run that may take long. What it leaves out: problems that
//! only appear in a run, such as an unsupported instruction.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};
use simt::{Emulator, Fault, KernelInfo, Launch, Limits, Module, Pulse, Report, Severity};
use spec::{BufferSpec, Fill, Spec};

use super::inputs;
use super::launches::{Sequence, Step, Wanted, filled};
use super::once::Outcome;
use super::options::RunOptions;
use super::picture::Picture;
use super::print::Print;
use super::save::Save;
use super::signature;
use super::source::{self, Program};
use thirty_two_lanes::sim::host_memory_bytes;

/// Launches, ready to be run with any seed.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub options: &'a RunOptions,
    pub program: Program,
    pub target_sm: u32,
    /// Whether the module has variables, which a kernel may change.
    pub has_variables: bool,
    /// The launches and their memory; there is at least one launch.
    pub sequence: Sequence,
    /// What to print, draw and save, with the names of buffers.
    pub prints: Vec<Print>,
    pub pictures: Vec<Picture>,
    pub saves: Vec<Save>,
    /// How far the launches have come, and whether they shall stop.
    pub pulse: Arc<Pulse>,
}

impl Plan<'_> {
    /// Checks everything that can be checked without running.
    pub fn new(options: &RunOptions) -> Result<Plan<'_>> {
        options.check_together()?;
        let program = source::read(&options.file, options.how())?;
        let module = load(&mut Emulator::new(Limits { memory_bytes: host_memory_bytes() }), &program)?;
        let pulse = Arc::new(Pulse::default());
        let sequence = sequence(options, &program, &module, &pulse)?;
        let mut plan = Plan {
            options,
            target_sm: module.target_sm(),
            has_variables: module.variables().next().is_some(),
            program,
            sequence,
            prints: Vec::new(),
            pictures: Vec::new(),
            saves: Vec::new(),
            pulse,
        };
        plan.prints = options.prints.iter().map(|print| print.resolved(&plan)).collect::<Result<_>>()?;
        plan.pictures =
            options.pictures.iter().map(|picture| picture.resolved(&plan)).collect::<Result<_>>()?;
        plan.saves = options.saves.iter().map(|save| save.resolved(&plan)).collect::<Result<_>>()?;
        for expectation in &options.expectations {
            let what = (expectation.is.as_deref(), expectation.like.as_deref());
            let name = plan.buffer_name(&expectation.name);
            let added = name.and_then(|name| {
                let tolerance = options.tolerance;
                plan.sequence.expect(&name, expectation.range.as_deref(), what, tolerance, Path::new(""))
            });
            added.map_err(|error| anyhow!("`--expect {}`: {error:#}", expectation.text))?;
        }
        Ok(plan)
    }

    /// The launches.
    pub fn steps(&self) -> &[Step] {
        &self.sequence.steps
    }

    /// The last launch, which is the only one as a rule.
    pub fn last(&self) -> &Step {
        self.steps().last().expect("a plan has a launch")
    }

    /// The launch if it is the only one.
    pub fn only(&self) -> Option<&Step> {
        self.steps().first().filter(|_| self.steps().len() == 1)
    }

    /// The launch with the first seed, without arguments; of several, the last one.
    pub fn launch(&self) -> &Launch {
        &self.last().launch
    }

    /// The name of the buffer that an option means by its name or by the number of an argument.
    pub fn buffer_name(&self, text: &str) -> Result<String> {
        let Ok(argument) = text.parse::<usize>() else {
            return self.sequence.buffer(text).map(|_| text.to_owned());
        };
        let Some(step) = self.only() else {
            bail!("there are several launches: give the name of a buffer and not the number of an argument")
        };
        match step.args.get(argument) {
            Some(Wanted::Buffer(name)) => Ok(name.clone()),
            Some(Wanted::Value(Spec::Structure(_))) => {
                bail!("argument {argument} is a structure, not a buffer")
            }
            Some(Wanted::Value(_)) => bail!("argument {argument} is a number, not a buffer"),
            None => bail!("there is no such argument; they are counted from 0"),
        }
    }

    /// Which argument a buffer is.
    pub fn argument(&self, name: &str) -> Option<usize> {
        let is_it = |wanted: &Wanted| matches!(wanted, Wanted::Buffer(known) if known == name);
        self.only()?.args.iter().position(is_it)
    }

    /// The buffer with a name that was looked up.
    pub fn spec(&self, name: &str) -> &BufferSpec {
        self.sequence.buffer(name).expect("the name was looked up")
    }

    /// How many seeds may run side by side: one on each core, if there is memory for their buffers. A run that has
    /// ended waits for the seeds before it, so there are up to three for each core.
    pub fn side_by_side(&self) -> u32 {
        let bytes = self.sequence.bytes().max(1).saturating_mul(3);
        u64::from(self.launch().cores).min(host_memory_bytes() / bytes).max(1) as u32
    }

    /// The files that were read.
    pub fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        let options = self.options;
        let arguments = options.args.iter().filter_map(|given| match &given.spec {
            Some(Spec::Buffer(spec)) => Some(spec.clone()),
            _ => None,
        });
        let named = options.buffers.iter().filter_map(|(_, text)| BufferSpec::parse(text).ok());
        let data = arguments.chain(named).filter_map(|spec| match spec.fill {
            Fill::File(path) => Some(path),
            _ => None,
        });
        data.chain([options.file.clone()])
    }

    /// Refuses to write over a file that is read.
    pub fn refuse_input(&self, option: &str, file: &Path) -> Result<()> {
        let Ok(place) = file.canonicalize() else { return Ok(()) };
        let is_same = |input: &PathBuf| input.canonicalize().is_ok_and(|input| input == place);
        let is_input = self.inputs().any(|input| is_same(&input));
        ensure!(
            !is_input,
            "`{option}` names the file `{}`, which is an input: give it another name",
            source::name(file)
        );
        Ok(())
    }

    /// Whether a finding makes the run a failure.
    pub fn is_failing(&self, fault: &Fault) -> bool {
        self.options.strict || fault.severity == Severity::Error
    }

    /// Whether a launch has such a finding.
    pub fn has_failed(&self, report: &Report) -> bool {
        report.faults.iter().any(|fault| self.is_failing(fault))
    }

    /// Whether a run was a failure.
    pub fn is_failure(&self, outcome: &Outcome) -> bool {
        outcome.ran.iter().any(|ran| self.has_failed(&ran.report)) || !outcome.mismatches.is_empty()
    }
}

/// Looks up what the options say of launches and memory.
fn sequence(
    options: &RunOptions,
    program: &Program,
    module: &Module,
    pulse: &Arc<Pulse>,
) -> Result<Sequence> {
    let mut sequence = Sequence::default();
    for (name, text) in &options.buffers {
        let spec =
            filled(BufferSpec::parse(text), Path::new("")).with_context(|| format!("buffer `{name}`"))?;
        add_buffer(&mut sequence, name.clone(), spec)?;
    }
    let launches = options.launches();
    let unnamed = options.args.iter().enumerate();
    for (index, given) in unnamed {
        let Some(Spec::Buffer(spec)) = &given.spec else { continue };
        let mut spec = spec.clone();
        if matches!(spec.fill, Fill::File(_)) {
            let kernel = choose(&program.name, module.kernels(), options.kernel.as_deref())?;
            let read = inputs::read_file(&mut spec);
            read.map_err(|error| anyhow!("argument {index} of `{}`: {error}", kernel.name))?;
        }
        add_buffer(&mut sequence, given.name(index), spec)?;
    }
    for (name, text) in &options.symbols {
        let set = sequence.set(module, name, text, Path::new(""));
        set.with_context(|| format!("symbol `{name}`"))?;
    }
    let is_one_of_several = launches.len() > 1;
    for (index, mut asked) in launches.into_iter().enumerate() {
        asked.launch.pulse = Some(Arc::clone(pulse));
        let added = sequence.add(&program.name, module, asked);
        if is_one_of_several {
            added.with_context(|| format!("launch {}", index + 1))?;
        } else {
            added?;
        }
    }
    sequence.fit()?;
    Ok(sequence)
}

fn add_buffer(sequence: &mut Sequence, name: String, spec: BufferSpec) -> Result<()> {
    let is_known = sequence.buffers.iter().any(|(known, _)| *known == name);
    ensure!(!is_known, "there are two buffers `{name}`: give one of them another name");
    sequence.buffers.push((name, spec));
    Ok(())
}

/// Loads a program's text.
pub(super) fn load(emulator: &mut Emulator, program: &Program) -> Result<Module> {
    let name = program.module_name();
    emulator.load(&name, &program.ptx).map_err(|error| anyhow::anyhow!("`{name}`, {error}"))
}

/// The kernel that was asked for, or the only one in the file.
pub(super) fn choose<'m>(
    file: &str,
    kernels: &'m [KernelInfo],
    wanted: Option<&str>,
) -> Result<&'m KernelInfo> {
    let short = |kernel: &KernelInfo| signature::short(&kernel.name);
    // Kernels that differ in their parameters only have to be told apart by their names in PTX.
    let is_alone = |name: &str| kernels.iter().filter(|kernel| short(kernel) == name).count() == 1;
    let name = |kernel: &KernelInfo| {
        Some(short(kernel)).filter(|name| is_alone(name)).unwrap_or(kernel.name.clone())
    };
    let names: Vec<String> = kernels.iter().map(|kernel| format!("`{}`", name(kernel))).collect();
    match (kernels, wanted) {
        ([], _) => bail!(
            "`{file}` has no kernel: is it cut short, or are its functions not `__global__`? A template becomes a kernel if \
             it is named with its arguments, as in `scale<float, 4>`"
        ),
        ([only], None) => Ok(only),
        (several, None) => {
            bail!("`{file}` has {} kernels; choose one with `--kernel`: {}", several.len(), names.join(", "))
        }
        (_, Some(wanted)) => named(kernels, wanted)
            .with_context(|| format!("`{file}` has no kernel `{wanted}`: it has {}", names.join(", "))),
    }
}

/// The kernel with this name in PTX or in C++, or the only one that has it without its namespaces and arguments.
fn named<'m>(kernels: &'m [KernelInfo], wanted: &str) -> Option<&'m KernelInfo> {
    let only = |is_it: &dyn Fn(&str) -> bool| {
        let mut found = kernels.iter().filter(|kernel| is_it(&kernel.name));
        found.next().filter(|_| found.next().is_none())
    };
    let exact = kernels.iter().find(|kernel| kernel.name == wanted);
    let same = || only(&|name| signature::is_called(name, wanted));
    exact.or_else(same).or_else(|| only(&|name| signature::plain(name) == wanted))
}
