//! A file with `main`: the whole program is run, host code and kernels.
//!
//! It is always compiled by cudac, because NVIDIA's run-time compiler takes kernels only. What the program prints comes
//! in the order in which it happens, with what is found. What it leaves out: options that choose or change one launch, which are refused.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, anyhow, bail};
use cuda_host::{Event, Finding, Given, Limits, Outcome, Severity};
use simt::Pulse;
use spec::launch::{Launch, Seeds};
use spec::layout::grouped;
use thirty_two_lanes::progress::Progress;
use thirty_two_lanes::sim::host_memory_bytes;
use thirty_two_lanes::{cores, terminal};

use super::Output;
use crate::execute::alive::{self, Signs};
use crate::execute::files::{self, Disk, Made};
use crate::outcome::Seen;
use crate::render::program::{self, Told};
use crate::render::replay;
use crate::request::{Compiler, Host, RunOptions};
use crate::resolve::host::{self, Built};
use crate::resolve::native::{self, Native};
use crate::resolve::source::{self, Cuda};

/// Options that only launches of kernels have.
const USELESS: &str = "\
    --grid --block --shared-bytes --device --trace --buffer --symbol \
    --instantiate --expect --save --picture --print";

/// So many turns of loops and calls of the interpreter take about two seconds, and no second of clang's.
const SOON: u64 = 50_000_000;

/// The sources of a program, one of which has a function `main`, if the options ask for no kernel of it.
pub fn read(options: &RunOptions) -> Result<Option<Cuda>> {
    let is_cu = |file: &Path| file.extension().is_some_and(|extension| extension == "cu");
    let is_cuda = is_cu(&options.file);
    if !is_cuda && options.sources.iter().any(|source| is_cu(source)) {
        let name = source::name(&options.file);
        bail!(
            "`{name}` comes first, and the first source of a program has to be a `.cu` file: name that first"
        );
    }
    let Launch { kernel, arguments, .. } = &*options.launch;
    if !is_cuda || kernel.is_some() || !arguments.is_empty() || !options.launches.is_empty() {
        return Ok(None);
    }
    let cuda = source::cuda(&options.file, &options.how())?;
    Ok(Some(cuda).filter(|cuda| cuda.is_program))
}

/// Compiles and runs a program.
pub fn run(options: &RunOptions, cuda: &Cuda) -> Result<Output> {
    refuse(options)?;
    let built = host::build(options, cuda)?;
    let pulse = Arc::default();
    let may_switch = built.native.is_none() && host::host(options) == Host::Auto && native::is_there();
    let patience = may_switch.then(Patience::default);
    let pulses = patience.iter().map(|patience| &patience.pulse).chain([&pulse]);
    alive::listen(pulses.map(Arc::clone).collect())?;
    if let Some(output) = execute(options, &built, &pulse, patience)? {
        return Ok(output);
    }
    let why = format!("the interpreter would take long: more than {} turns of loops", grouped(SOON));
    let built = host::natively(options, cuda, Some(why)).unwrap_or(built);
    execute(options, &built, &pulse, None)?.context("the program was not executed")
}

/// Executes a program, unless that takes more patience than there is.
fn execute(
    options: &RunOptions,
    built: &Built,
    pulse: &Arc<Pulse>,
    patience: Option<Patience>,
) -> Result<Option<Output>> {
    let name = source::name(&options.file);
    let short = source::short(&options.file);
    let parsed = &built.program;
    let bugs: Vec<Finding> = built.warnings.iter().filter_map(|warning| finding(parsed, warning)).collect();
    let guesses = built.warnings.iter().filter(|warning| finding(parsed, warning).is_none());
    if !options.output.json {
        guesses.for_each(|warning| terminal::warn(&warning.to_string()));
    }
    let signs = Arc::default();
    let of_run = patience.as_ref().map_or(pulse, |patience| &patience.pulse);
    let progress = alive::of_program(&parsed.files, &signs, of_run);
    let (disk, pulse) = (Disk::new(), Arc::clone(of_run));
    let program =
        Program { options, name, short: &short, parsed, built, bugs, disk, pulse, patience, signs, progress };
    match options.launch.seeds {
        None => program.once(),
        Some(seeds) => program.search(seeds),
    }
}

/// A program that has been compiled.
struct Program<'p> {
    options: &'p RunOptions,
    name: String,
    /// The name of its file without the folder.
    short: &'p str,
    parsed: &'p cudac::host::Program,
    built: &'p Built,
    /// What the compiler has found.
    bugs: Vec<Finding>,
    disk: Disk,
    pulse: Arc<Pulse>,
    patience: Option<Patience>,
    signs: Arc<Signs>,
    progress: Progress,
}

/// How long the interpreter is waited for if clang could do it: as long as nothing has been told and the program has not read
/// its input, nobody sees that it begins again.
#[derive(Default)]
struct Patience {
    pulse: Arc<Pulse>,
    has_told: OnceLock<()>,
    is_over: OnceLock<()>,
}

impl Patience {
    fn look(&self, turns: u64, has_read: bool) {
        if turns > SOON && !has_read && self.has_told.get().is_none() {
            let _ = self.is_over.set(());
            self.pulse.stop();
        }
    }
}

impl Program<'_> {
    /// Runs it once, and tells what happens as it happens.
    fn once(&self) -> Result<Option<Output>> {
        let told = Mutex::new(Told::default());
        let is_json = self.options.output.json;
        let watch = |event: Event<'_>| {
            if !is_json {
                let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                self.progress.suspend(|| told.tell(self.parsed, event));
            }
        };
        for bug in &self.bugs {
            watch(Event::Finding(bug));
        }
        let outcome = self.run(self.options.launch.seed.unwrap_or(0), &watch)?;
        if self.is_too_slow() {
            return Ok(None);
        }
        let made = self.keep(&outcome);
        let mut told = told.into_inner().unwrap_or_else(PoisonError::into_inner);
        let text = if is_json {
            format!("{:#}\n", self.json(&outcome, &made))
        } else {
            self.progress.suspend(|| told.tell_rest(self.parsed, &outcome));
            told.error()?;
            let may_wait = outcome.launches > 0 && source::may_wait(&self.built.ptx);
            let is_chosen = self.options.launch.schedule.is_some();
            let look_further =
                may_wait && !is_chosen && !outcome.was_interrupted && !self.has_failed(&outcome);
            let more = look_further.then(|| program::look_further(&replay::other_orders(self.options)));
            program::render(&outcome, &told, &made, self.note().as_deref()) + &more.unwrap_or_default()
        };
        Ok(Some((text, self.status(&outcome, &made))))
    }

    /// Whether it takes so many turns that clang should do it.
    fn is_too_slow(&self) -> bool {
        self.patience.as_ref().is_some_and(|patience| patience.is_over.get().is_some())
    }

    /// Runs it with one seed after the other, until one finds an error.
    fn search(&self, seeds: Seeds) -> Result<Option<Output>> {
        let first = self.run(seeds.start, &|_| {})?;
        if self.is_too_slow() {
            return Ok(None);
        }
        if let Some(patience) = &self.patience {
            let _ = patience.has_told.set(());
        }
        let mut found = Seen::new(seeds, first);
        for seed in seeds.start + 1..seeds.end {
            if self.has_failed(&found.shown) || found.shown.was_interrupted {
                break;
            }
            found.add(seed, self.run(seed, &|_| {})?);
        }
        let outcome = &found.shown;
        let made = self.keep(outcome);
        let text = if self.options.output.json {
            let mut json = self.json(outcome, &made);
            json["seeds"] = program::seeds_json(&found);
            format!("{json:#}\n")
        } else {
            let mut told = Told::default();
            self.progress.suspend(|| {
                told.tell(self.parsed, Event::Output(&outcome.output));
                outcome.findings.iter().for_each(|finding| told.tell(self.parsed, Event::Finding(finding)));
                told.tell_rest(self.parsed, outcome);
            });
            told.error()?;
            let launch = simt::Launch { seed: found.seed, ..self.launch() };
            let replay = replay::command(self.options, &launch);
            program::render(outcome, &told, &made, self.note().as_deref())
                + &program::seeds(&found, self.has_failed(outcome), &replay)
        };
        // As for buffers that are printed, a result that depends on the seed is wrong with one of them.
        let status = if found.odd.is_some() { ExitCode::from(1) } else { self.status(outcome, &made) };
        Ok(Some((text, status)))
    }

    /// Runs it with a seed.
    fn run(&self, seed: u64, watch: cuda_host::Watch<'_>) -> Result<Outcome> {
        let usual = Limits::default();
        let limits = Limits {
            launch: simt::Launch { seed, pulse: Some(Arc::clone(&self.pulse)), ..self.launch() },
            check_launches: self.options.checks.repeats.check_launches.0,
            memory_bytes: self.options.machine.memory.unwrap_or(host_memory_bytes().max(usual.memory_bytes)),
            ..usual
        };
        let watch = |event: Event<'_>| match event {
            Event::Alive { turns, launches, line } => {
                self.signs.set(turns, launches, line);
                if let Some(patience) = &self.patience {
                    patience.look(turns, self.disk.has_read_input());
                }
            }
            told => {
                if let Some(patience) = &self.patience {
                    let _ = patience.has_told.set(());
                }
                watch(told);
            }
        };
        let outcome = if let Some(native) = &self.built.native {
            native.run(self.parsed, &self.options.words, &limits, &watch)
        } else {
            let given = Given { arguments: &self.options.words, files: &self.disk };
            let ptx = &self.built.ptx;
            cuda_host::run_watched(self.parsed, self.short, ptx, &given, &limits, &watch).map_err(Into::into)
        };
        let mut outcome = outcome.map_err(|error| anyhow!("cannot run `{}`: {error:#}", self.name))?;
        outcome.findings.splice(..0, self.bugs.iter().cloned());
        Ok(outcome)
    }

    /// What is said of who executes its host code, if it is not the interpreter.
    fn note(&self) -> Option<String> {
        self.built.native.as_ref().map(Native::note)
    }

    fn json(&self, outcome: &Outcome, made: &[Made]) -> serde_json::Value {
        let mut json = program::json(&self.name, self.parsed, outcome, made);
        json["host"] = self.built.native.as_ref().map_or("interpreter".to_owned(), Native::name).into();
        json
    }

    /// How its kernels are launched.
    fn launch(&self) -> simt::Launch {
        let cores = self.options.machine.cores.unwrap_or_else(cores::available);
        let launch = self.options.launch.emulated(1.into(), 1.into(), cuda_host::STEPS_OF_A_LAUNCH);
        simt::Launch { cores, ..launch }
    }

    /// Whether a finding counts: with `--strict` those that are not errors do too.
    fn has_failed(&self, outcome: &Outcome) -> bool {
        let counts = |finding: &Finding| self.options.checks.strict || finding.severity == Severity::Error;
        outcome.findings.iter().any(counts)
    }

    /// Writes the files of the run that is shown.
    fn keep(&self, outcome: &Outcome) -> Vec<Made> {
        files::keep(outcome, &self.options.machine.writes)
    }

    fn status(&self, outcome: &Outcome, made: &[Made]) -> ExitCode {
        let is_unwritten = made.iter().any(|file| file.why.is_some());
        ExitCode::from(match (self.has_failed(outcome), is_unwritten && !outcome.was_interrupted) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => outcome.status as u8,
        })
    }
}

/// What the compiler knows to go wrong, as a finding.
fn finding(program: &cudac::host::Program, warning: &cudac::Diagnostic) -> Option<Finding> {
    let kind = match warning.bug? {
        cudac::Bug::Uninitialized => cuda_host::Kind::Uninitialized,
        cudac::Bug::RoundedQuotient => return None,
    };
    let help = warning.help.clone().unwrap_or_default();
    let (line, message) = (program.line(&warning.file, warning.line), warning.message.clone());
    let place = [program.file(line).to_owned(), String::new()];
    Some(Finding { kind, severity: Severity::Error, line, place, message, actors: Vec::new(), help })
}

/// Refuses options that have no effect on a program.
fn refuse(options: &RunOptions) -> Result<()> {
    if options.compile.compiler == Some(Compiler::Nvrtc) {
        bail!(
            "NVIDIA's compiler for run time reads no host code, and `{}` has a function `main`: omit `--compiler nvrtc`, or \
             choose a kernel with `--kernel`",
            source::name(&options.file)
        );
    }
    match options.first_given(USELESS) {
        Some(option) => bail!(
            "`{}` has a function `main`, so the whole program is run, and `{option}` has no effect on that: omit it, or \
             choose a kernel with `--kernel`",
            source::name(&options.file)
        ),
        None => Ok(()),
    }
}
