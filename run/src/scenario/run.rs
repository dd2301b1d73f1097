//! Checks the tests of a scenario file, and runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Error, Result, anyhow, bail};
use arguments::{Argument, BufferSpec, Fill, Given, Spec};
use lanes::cores;
use lanes::sim::host_memory_bytes;
use simt::{
    Arg, Buffer, DEFAULT_RESIDENT_BLOCKS, Emulator, Fault, KernelInfo, Launch, Limits, Module, Schedule,
    Severity,
};

use super::check::{self, Bound, Contents, Expected};
use super::{Problem, Suite, Verdict, file, shown};
use crate::options::TestOptions;
use crate::plan;
use crate::seeds::Seeds;
use crate::source::{self, How, Program};
use crate::{inputs, words};

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
    buffers: Vec<(String, BufferSpec)>,
    /// Variables of the module, and their first contents.
    symbols: Vec<(String, Vec<u8>)>,
    seeds: Seeds,
    launches: Vec<(String, Launch, Vec<Wanted>, Vec<Bound>)>,
    /// The kinds of findings.
    finds: BTreeSet<&'static str>,
    contents: Vec<Contents>,
}

/// An argument of a launch.
#[derive(Clone, Debug)]
enum Wanted {
    /// The address of a buffer.
    Buffer(String),
    /// A number or a structure.
    Value(Spec),
}

/// The memory of a test that runs.
struct Memory {
    emulator: Emulator,
    module: Module,
    buffers: BTreeMap<String, Buffer>,
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
        let how = How { arch: written.arch, choice, defines: &defines };
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
        let buffers: Vec<(String, BufferSpec)> = test.buffers.iter().map(buffer).collect::<Result<_>>()?;
        fit(&buffers)?;
        let symbols = test.symbols.iter().map(|(name, text)| {
            let bytes =
                first_contents(module, name, text, folder).with_context(|| format!("symbol `{name}`"))?;
            Ok((name.clone(), bytes))
        });
        let symbols = symbols.collect::<Result<_>>()?;
        let seeds =
            test.seeds.as_deref().map_or(Ok(Seeds { start: 0, end: 1 }), Seeds::parse).map_err(Error::msg)?;
        if test.launch.is_empty() {
            bail!("there is no launch: add one under `[[test.launch]]`");
        }
        let base = base(test)?;
        let launches = test.launch.iter().enumerate().map(|(index, launch)| {
            prepared(launch, &base, program, module, &buffers).with_context(|| format!("launch {index}"))
        });
        let launches = launches.collect::<Result<_>>()?;
        let finds = test.finds.iter().map(|kind| {
            let known = simt::FaultKind::named(kind).map(simt::FaultKind::name);
            known.ok_or_else(|| anyhow!("there is no finding `{kind}`: `lanes explain` lists all of them"))
        });
        let finds = finds.collect::<Result<_>>()?;
        let contents = test.expect.iter().map(|(name, expect)| {
            expected(name, expect, &buffers, folder).with_context(|| format!("what is expected of `{name}`"))
        });
        let contents = contents.collect::<Result<_>>()?;
        Ok(Test { name: test.name.clone(), buffers, symbols, seeds, launches, finds, contents })
    }

    /// Runs the test with one seed after the other, until one fails.
    fn run(&self, program: &Program) -> Result<Verdict> {
        let (start, mut ran, mut found, mut problems) = (Instant::now(), 0, BTreeSet::new(), Vec::new());
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
        let mut memory = self.memory(program)?;
        let mut problems = Vec::new();
        for (index, (kernel, launch, wanted, bounds)) in self.launches.iter().enumerate() {
            let args = wanted.iter().map(|argument| memory.argument(argument)).collect();
            let launch = Launch { seed, args, ..launch.clone() };
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
        for contents in &self.contents {
            let expected = match &contents.expected {
                Expected::Bytes(bytes) => bytes,
                Expected::Like(other) => memory.bytes(other),
            };
            let wrong = contents.problem(memory.bytes(&contents.name), expected);
            problems.extend(wrong.map(|text| mismatch("contents", text, seed)));
        }
        Ok(problems)
    }

    /// A new emulator, in which nothing has run.
    fn memory(&self, program: &Program) -> Result<Memory> {
        let mut emulator = Emulator::new(Limits { memory_bytes: host_memory_bytes() });
        let module = plan::load(&mut emulator, program)?;
        let specs: Vec<Spec> = self.buffers.iter().map(|(_, spec)| Spec::Buffer(spec.clone())).collect();
        let given = arguments::place(&mut emulator, &specs, |index| self.buffers[index].0.clone())?;
        for (name, bytes) in &self.symbols {
            let symbol = module.variable(name).expect("it was looked up when the test was read");
            emulator.write(symbol)?.copy_from_slice(bytes);
        }
        let buffers = self.buffers.iter().zip(given).filter_map(|((name, _), given)| match given {
            Given::Buffer(buffer) => Some((name.clone(), buffer)),
            Given::Value(_) => None,
        });
        Ok(Memory { emulator, module, buffers: buffers.collect() })
    }
}

impl Memory {
    fn buffer(&self, name: &str) -> Buffer {
        self.buffers[name]
    }

    fn bytes(&self, name: &str) -> &[u8] {
        self.emulator.read(self.buffer(name)).expect("it was allocated for this run")
    }

    fn argument(&self, wanted: &Wanted) -> Arg {
        match wanted {
            Wanted::Buffer(name) => self.buffer(name).address().into(),
            Wanted::Value(Spec::Structure(fields)) => {
                Arg::bytes(&fields.pack(&|name| self.buffer(name).address()))
            }
            Wanted::Value(Spec::Scalar(_, bytes)) => Arg::bytes(bytes),
            Wanted::Value(Spec::Buffer(_)) => unreachable!("buffers have names"),
        }
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
    all
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

/// A launch whose kernel and arguments exist.
fn prepared(
    launch: &file::Launch,
    base: &Launch,
    program: &str,
    module: &Module,
    buffers: &[(String, BufferSpec)],
) -> Result<(String, Launch, Vec<Wanted>, Vec<Bound>)> {
    let kernel = plan::choose(program, module.kernels(), launch.kernel.as_deref())?;
    let (grid, block) = (words::grid(&launch.grid.0), words::block(&launch.block.0));
    let (grid, block) = (grid.map_err(Error::msg)?, block.map_err(Error::msg)?);
    let wanted = launch.args.iter().map(|text| argument(text, buffers)).collect::<Result<Vec<_>>>()?;
    agree(kernel, &launch.args, &wanted, buffers)?;
    let bounds =
        launch.counters.iter().map(|(name, text)| Bound::parse(name, text)).collect::<Result<_>>()?;
    let launch = Launch { grid, block, shared_bytes: launch.shared_bytes, ..base.clone() };
    Ok((kernel.name.clone(), launch, wanted, bounds))
}

/// An argument: the name of a buffer, a number or a structure.
fn argument(text: &str, buffers: &[(String, BufferSpec)]) -> Result<Wanted> {
    let is_known = |name: &str| buffers.iter().any(|(known, _)| known == name);
    if is_known(text) {
        return Ok(Wanted::Buffer(text.to_owned()));
    }
    let names = || buffers.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let unknown = |name: &str| {
        anyhow!("there is no buffer `{name}`: choose one of {}, or add it to `buffers`", names())
    };
    match Argument::parse(text).map_err(Error::msg) {
        Ok(Argument { spec: Spec::Buffer(_), .. }) => {
            bail!("`{text}`: give the buffer a name in `buffers`, and give that name here")
        }
        Ok(Argument { spec: Spec::Structure(fields), .. }) => {
            if let Some(name) = fields.buffers().find(|name| !is_known(name)) {
                return Err(unknown(name));
            }
            Ok(Wanted::Value(Spec::Structure(fields)))
        }
        Ok(Argument { spec, .. }) => Ok(Wanted::Value(spec)),
        Err(_) if !text.contains(':') => Err(unknown(text)),
        Err(error) => Err(error),
    }
}

/// Whether the arguments are those of the kernel.
fn agree(
    kernel: &KernelInfo,
    texts: &[String],
    wanted: &[Wanted],
    buffers: &[(String, BufferSpec)],
) -> Result<()> {
    let arguments = texts.iter().zip(wanted).map(|(text, wanted)| Argument {
        text: text.clone(),
        spec: match wanted {
            Wanted::Value(spec) => spec.clone(),
            Wanted::Buffer(name) => {
                let known = buffers.iter().find(|(known, _)| known == name);
                Spec::Buffer(known.map(|(_, spec)| spec.clone()).expect("the name was looked up"))
            }
        },
    });
    arguments::prepare(kernel, &arguments.collect::<Vec<_>>(), u64::MAX).map(drop)
}

/// A buffer whose files have been read.
fn filled(spec: Result<BufferSpec, String>, folder: &Path) -> Result<BufferSpec> {
    let mut spec = spec.map_err(Error::msg)?;
    if let Fill::File(path) = &mut spec.fill {
        *path = folder.join(&path);
    }
    inputs::read_file(&mut spec)?;
    Ok(spec)
}

/// Whether all buffers fit into memory together.
fn fit(buffers: &[(String, BufferSpec)]) -> Result<()> {
    let bytes = buffers.iter().map(|(_, spec)| spec.bytes()).fold(0, u64::saturating_add);
    let most = host_memory_bytes();
    if bytes > most {
        bail!("the buffers have {bytes} bytes, and there is memory for {most}: give them fewer elements");
    }
    Ok(())
}

/// The first contents of a variable of the module.
fn first_contents(module: &Module, name: &str, text: &str, folder: &Path) -> Result<Vec<u8>> {
    let names = || module.variables().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let Some(symbol) = module.variable(name) else {
        match names().as_str() {
            "" => bail!("the program has no variable: declare one, as `__constant__` or `__device__`"),
            names => bail!("the program has no such variable: it has {names}"),
        }
    };
    let spec = filled(BufferSpec::parse(text), folder)?;
    if spec.bytes() != symbol.bytes() {
        bail!(
            "it has {} bytes, and `{text}` has {}: give as many elements as it has",
            symbol.bytes(),
            spec.bytes()
        );
    }
    let mut bytes = vec![0; spec.bytes() as usize];
    arguments::fill(&mut bytes, &spec);
    Ok(bytes)
}

/// What a buffer has to contain in the end.
fn expected(
    name: &str,
    expect: &file::Expect,
    buffers: &[(String, BufferSpec)],
    folder: &Path,
) -> Result<Contents> {
    let find = |name: &str| {
        let known = buffers.iter().find(|(known, _)| known == name);
        known.map(|(_, spec)| spec).ok_or_else(|| anyhow!("there is no buffer `{name}`: add it to `buffers`"))
    };
    let spec = find(name)?;
    let range = check::elements(spec, expect.range.as_deref())?;
    let expected = match (&expect.is, &expect.like) {
        (Some(text), None) => {
            // The text says what the elements of the range are.
            let (ty, count) = (spec.ty, range.len() as u64);
            let fill = Fill::parse(ty, count, text);
            let wanted = filled(fill.map(|fill| BufferSpec { ty, count, fill }), folder)?;
            if wanted.fill == Fill::Uninitialized {
                bail!("`uninitialized` is not a value: say which elements matter with `range`");
            }
            let mut bytes = vec![0; spec.bytes() as usize];
            arguments::fill(&mut bytes[range.start * ty.bytes..range.end * ty.bytes], &wanted);
            Expected::Bytes(bytes)
        }
        (None, Some(other)) => {
            let like = find(other)?;
            if (like.ty, like.count) != (spec.ty, spec.count) {
                bail!(
                    "`{other}` has {} elements of {}, and `{name}` has {} of {}: compare buffers of the same kind",
                    like.count,
                    like.ty.name,
                    spec.count,
                    spec.ty.name
                );
            }
            Expected::Like(other.clone())
        }
        _ => bail!("give either `is`, as in `is = \"iota\"`, or `like`, with the name of a buffer"),
    };
    Contents::new((name, spec.ty), range, expected, expect.tolerance)
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
