//! Checks the tests of a scenario file, and runs them.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Error, Result, anyhow, bail};
use simt::{DEFAULT_RESIDENT_BLOCKS, Emulator, Fault, Launch, Limits, Module, Pulse, Schedule, Severity};
use spec::BufferSpec;
use thirty_two_lanes::cores;
use thirty_two_lanes::sim::host_memory_bytes;

use super::{Problem, Suite, Verdict, file, shown};
use crate::expect::Bound;
use crate::launches::{Asked, Sequence, filled};
use crate::options::TestOptions;
use crate::seeds::Seeds;
use crate::source::{self, How, Program};
use crate::{alive, plan, words};

/// The most warp instructions of a launch, unless a test says otherwise.
const MAX_STEPS: u64 = 100_000_000;

/// A scenario file, with its program, and its tests ready to run.
#[derive(Debug)]
pub struct Tested {
    path: PathBuf,
    program: Program,
    /// The tests whose names were asked for.
    pub tests: Vec<Test>,
}

/// A test in which every name is known.
#[derive(Debug)]
pub struct Test {
    name: String,
    seeds: Seeds,
    sequence: Sequence,
    /// How far its launches have come.
    pulse: Arc<Pulse>,
    /// Bounds of the counters of each launch.
    bounds: Vec<Vec<Bound>>,
    /// The kinds of findings.
    finds: BTreeSet<&'static str>,
}

impl Tested {
    /// Reads a scenario file, compiles its program, and checks all of its tests.
    pub fn read(path: &Path, options: &TestOptions) -> Result<Tested> {
        let written = file::read(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let defines: Vec<(String, String)> = (written.define.iter())
            .map(|(name, value)| words::define(&format!("{name}={value}")))
            .collect::<Result<_, _>>()
            .map_err(|error| anyhow!("`{}`: {error}", shown(path)))?;
        let is_cuda = written.file.extension().is_some_and(|extension| extension == "cu");
        let choice = options.compiler.filter(|_| is_cuda);
        let kernels =
            written.test.iter().flat_map(|test| &test.launch).filter_map(|launch| launch.kernel.as_ref());
        let instances: Vec<String> =
            written.instantiate.iter().chain(kernels.filter(|name| name.contains('<'))).cloned().collect();
        let how = How { arch: written.arch, choice, defines: &defines, instances, std: None };
        let program = source::read(&beside(folder, &written.file), how)?;
        let mut emulator = Emulator::new(Limits { memory_bytes: host_memory_bytes() });
        let module = plan::load(&mut emulator, &program)?;
        let mut names = BTreeSet::new();
        let wanted = |test: &&file::Test| options.only.as_ref().is_none_or(|words| test.name.contains(words));
        for test in &written.test {
            if !names.insert(&test.name) {
                bail!("`{}` has two tests `{}`: give them different names", shown(path), test.name);
            }
        }
        let prepare = |test: &file::Test| {
            let at = || format!("`{}`, test `{}`", shown(path), test.name);
            Test::new(test, &program.name, &module, folder).map_err(|error| anyhow!("{}: {error:#}", at()))
        };
        let tests = written.test.iter().filter(wanted).map(prepare).collect::<Result<_>>()?;
        Ok(Tested { path: path.to_owned(), program, tests })
    }

    /// Runs the tests.
    pub fn run(&self) -> Result<Suite> {
        let at = |test: &Test| format!("`{}`, test `{}`", shown(&self.path), test.name);
        let run = |test: &Test| test.run(&self.program).with_context(|| at(test));
        let verdicts = self.tests.iter().map(run).collect::<Result<_>>()?;
        Ok(Suite { file: shown(&self.path), source: self.program.name.clone(), verdicts })
    }
}

impl Test {
    /// Looks up everything that a test names.
    fn new(test: &file::Test, program: &str, module: &Module, folder: &Path) -> Result<Test> {
        let buffer = |(name, text): (&String, &String)| {
            let spec = filled(BufferSpec::parse(text), folder).with_context(|| format!("buffer `{name}`"))?;
            Ok((name.clone(), spec))
        };
        let buffers = test.buffers.iter().map(buffer).collect::<Result<_>>()?;
        let mut sequence = Sequence { buffers, ..Sequence::default() };
        sequence.fit()?;
        for (name, text) in &test.symbols {
            sequence.set(module, name, text, folder).with_context(|| format!("symbol `{name}`"))?;
        }
        let seeds =
            test.seeds.as_deref().map_or(Ok(Seeds { start: 0, end: 1 }), Seeds::parse).map_err(Error::msg)?;
        if test.launch.is_empty() {
            bail!("there is no launch: add one under `[[test.launch]]`");
        }
        let pulse = Arc::new(Pulse::default());
        let base = Launch { pulse: Some(Arc::clone(&pulse)), ..base(test)? };
        let mut bounds = Vec::new();
        for (index, launch) in test.launch.iter().enumerate() {
            let mut add = || {
                sequence.add(program, module, asked(launch, &base)?)?;
                launch.counters.iter().map(|(name, text)| Bound::parse(name, text)).collect::<Result<_>>()
            };
            bounds.push(add().with_context(|| format!("launch {index}"))?);
        }
        let finds = test.finds.iter().map(|kind| {
            let known = simt::FaultKind::named(kind).map(simt::FaultKind::name);
            known.ok_or_else(|| anyhow!("there is no finding `{kind}`: `lanes explain` lists all of them"))
        });
        let finds = finds.collect::<Result<_>>()?;
        for (name, file::Expect { is, like, tolerance, range }) in &test.expect {
            let what = (is.as_deref(), like.as_deref());
            let added = sequence.expect(name, range.as_deref(), what, *tolerance, folder);
            added.with_context(|| format!("what is expected of `{name}`"))?;
        }
        Ok(Test { name: test.name.clone(), seeds, sequence, pulse, bounds, finds })
    }

    /// Runs the test with one seed after the other, until one fails.
    fn run(&self, program: &Program) -> Result<Verdict> {
        let (start, mut ran, mut found, mut problems) = (Instant::now(), 0, BTreeSet::new(), Vec::new());
        let count = self.seeds.end - self.seeds.start;
        let _progress = alive::progress(&self.sequence.steps, count, &self.pulse, "");
        for seed in self.seeds.start..self.seeds.end {
            problems = self.run_with(program, seed, &mut found)?;
            ran += 1;
            if !problems.is_empty() {
                break;
            }
        }
        if problems.is_empty() {
            let missing = self.finds.difference(&found);
            problems.extend(missing.map(|kind| Problem {
                rule: "missing-finding",
                level: "error",
                message: format!("no launch had the finding `{kind}`"),
                details: Vec::new(),
                line: None,
                seed: None,
            }));
        }
        Ok(Verdict { name: self.name.clone(), ran, seconds: start.elapsed().as_secs_f64(), problems })
    }

    fn run_with(
        &self,
        program: &Program,
        seed: u64,
        found: &mut BTreeSet<&'static str>,
    ) -> Result<Vec<Problem>> {
        let mut memory = self.sequence.memory(program)?;
        let mut problems = Vec::new();
        for (index, (step, bounds)) in self.sequence.steps.iter().zip(&self.bounds).enumerate() {
            let (kernel, launch) = (&step.kernel.name, step.launch(&memory.buffers, seed));
            let report = memory.emulator.launch(&memory.module, kernel, &launch).map_err(Error::msg);
            let report = report.with_context(|| format!("launch {index}: cannot run `{kernel}`"))?;
            for fault in report.faults.iter().filter(|fault| fault.severity > Severity::Note) {
                found.insert(fault.kind.name());
                if !self.finds.contains(fault.kind.name()) {
                    problems.push(finding(fault, seed));
                }
            }
            let wrong = bounds.iter().filter_map(|bound| bound.problem(&report.counters));
            let message = |text| format!("launch {index}, `{kernel}`: {text}");
            problems.extend(wrong.map(|text| mismatch("counter", message(text), seed)));
        }
        let wrong = self.sequence.mismatches(&memory);
        problems.extend(wrong.into_iter().map(|text| mismatch("contents", text, seed)));
        Ok(problems)
    }
}

/// A path from a folder on, without the `..` that can be left out: messages and reports name it.
fn beside(folder: &Path, file: &Path) -> PathBuf {
    let mut all = PathBuf::new();
    for part in folder.join(file).components() {
        let is_up = part == Component::ParentDir;
        let is_in_folder = matches!(all.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            _ if is_up && is_in_folder => _ = all.pop(),
            _ => all.push(part),
        }
    }
    if all.as_os_str().is_empty() { PathBuf::from(".") } else { all }
}

/// The options of all launches of a test.
fn base(test: &file::Test) -> Result<Launch> {
    let by_default = if test.seeds.is_some() { Schedule::Random } else { Schedule::RoundRobin };
    let schedule = test.schedule.as_deref().map_or(Ok(by_default), words::schedule);
    let reconvergence =
        test.reconvergence.as_deref().map_or(Ok(simt::Reconvergence::Auto), words::reconvergence);
    let checks = test.check.as_deref().map_or(Ok(words::Watch::ALL), words::checks);
    let resident = test
        .resident_blocks
        .map_or(Ok(DEFAULT_RESIDENT_BLOCKS), |blocks| words::residents(&blocks.to_string()));
    let steps = test.max_steps.map_or(Ok(MAX_STEPS), |steps| words::steps(&steps.to_string()));
    let named = |field: &'static str| move |error: String| anyhow!("`{field}`: {error}");
    Ok(Launch {
        schedule: schedule.map_err(named("schedule"))?,
        reconvergence: reconvergence.map_err(named("reconvergence"))?,
        checks: checks.map_err(named("check"))?.checks(),
        resident_blocks: resident.map_err(named("resident_blocks"))?,
        max_steps: steps.map_err(named("max_steps"))?,
        weak_memory: test.weak_memory,
        cores: cores::available(),
        ..Launch::new(1, 32)
    })
}

/// A launch with its shape.
fn asked<'a>(launch: &'a file::Launch, base: &Launch) -> Result<Asked<'a>> {
    let (grid, block) = (words::grid(&launch.grid.0), words::block(&launch.block.0));
    let (grid, block) = (grid.map_err(Error::msg)?, block.map_err(Error::msg)?);
    let base = Launch { grid, block, shared_bytes: launch.shared_bytes, ..base.clone() };
    Ok(Asked { kernel: launch.kernel.as_deref(), args: launch.args.clone(), launch: base })
}

/// A finding that the test does not expect.
fn finding(fault: &Fault, seed: u64) -> Problem {
    let mut details: Vec<String> = fault.actors.iter().map(ToString::to_string).collect();
    details.push(format!("help: {}", fault.help));
    let line = fault.actors.iter().find_map(|actor| actor.site.source.as_ref());
    Problem {
        rule: fault.kind.name(),
        level: fault.severity.name(),
        message: fault.message.clone(),
        details,
        line: line.map(|line| (line.file.clone(), line.line)),
        seed: Some(seed),
    }
}

fn mismatch(rule: &'static str, message: String, seed: u64) -> Problem {
    Problem { rule, level: "error", message, details: Vec::new(), line: None, seed: Some(seed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_as_short_as_its_parts_allow() {
        let path = |folder, file| shown(&beside(Path::new(folder), Path::new(file))).replace('\\', "/");
        assert_eq!(path("kernels/scenarios", "../saxpy.cu"), "kernels/saxpy.cu");
        assert_eq!(path("", "./saxpy.cu"), "saxpy.cu");
        assert_eq!(path("a", "../../b.cu"), "../b.cu");
    }
}
