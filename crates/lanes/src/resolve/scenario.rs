//! The tests of a scenario file, with every name looked up.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Error, Result, anyhow, bail};
use simt::{Launch, Pulse};
use spec::BufferSpec;
use spec::launch::{Described, Named, Seeds};
use thirty_two_lanes::{cores, files};

use super::expect::Bound;
use super::headers::beside;
use super::inputs::filled;
use super::loaded::Loaded;
use super::sequence::Sequence;
use crate::request::scenario::{self as file, Counted};
use crate::request::{Compile, TestOptions, words};

/// The most warp instructions of a launch, unless a test says otherwise.
const MAX_STEPS: u64 = 100_000_000;

/// A scenario file, with its program, and its tests ready to run.
#[derive(Debug)]
pub struct Tested {
    /// The scenario file, as it was given.
    pub path: String,
    pub loaded: Loaded,
    /// The tests whose names were asked for.
    pub tests: Vec<Test>,
}

/// A test in which every name is known.
#[derive(Debug)]
pub struct Test {
    pub name: String,
    pub seeds: Seeds,
    pub sequence: Sequence,
    /// How far its launches have come.
    pub pulse: Arc<Pulse>,
    /// Bounds of the counters of each launch.
    pub bounds: Vec<Vec<Bound>>,
    /// The kinds of findings.
    pub finds: BTreeSet<&'static str>,
}

impl Tested {
    /// Reads a scenario file, compiles its program, and checks all of its tests.
    pub fn read(path: &Path, options: &TestOptions) -> Result<Tested> {
        let written = file::read(path)?;
        let shown = path.display().to_string();
        let folder = path.parent().unwrap_or(Path::new(""));
        let defines: Vec<(String, String)> = (written.define.iter())
            .map(|(name, value)| words::define(&format!("{name}={value}")))
            .collect::<Result<_, _>>()
            .map_err(|error| anyhow!("`{shown}`: {error}"))?;
        let is_cuda = written.file.extension().is_some_and(|extension| extension == "cu");
        let compiler = options.compiler.filter(|_| is_cuda);
        let launches = written.test.iter().flat_map(|test| &test.more.launch);
        let kernels = launches.filter_map(|launch| launch.launch.kernel.as_ref());
        let instances: Vec<String> =
            written.instantiate.iter().chain(kernels.filter(|name| name.contains('<'))).cloned().collect();
        let include = written.include.iter().map(|part| beside(folder, part)).collect();
        let sources = written.sources.iter().map(|part| beside(folder, part)).collect();
        let how = Compile { sources, arch: written.arch, compiler, defines, include, instances, std: None };
        let loaded = Loaded::read(&program(&shown, folder, &written.file)?, &how, None)?;
        let mut names = BTreeSet::new();
        let wanted =
            |test: &&file::Test| options.only.as_ref().is_none_or(|words| test.more.name.contains(words));
        for test in &written.test {
            if !names.insert(&test.more.name) {
                bail!("`{shown}` has two tests `{}`: give them different names", test.more.name);
            }
        }
        let prepare = |test: &file::Test| {
            let made = Test::new(test, &loaded, folder);
            made.map_err(|error| anyhow!("`{shown}`, test `{}`: {error:#}", test.more.name))
        };
        let tests = written.test.iter().filter(wanted).map(prepare).collect::<Result<_>>()?;
        Ok(Tested { path: shown, loaded, tests })
    }
}

impl Test {
    /// Looks up everything that a test names.
    fn new(
        Described { launch: all, more: test }: &file::Test,
        loaded: &Loaded,
        folder: &Path,
    ) -> Result<Test> {
        let buffer = |Named { name, is }: &Named| {
            let spec =
                filled(BufferSpec::parse(is), Some(folder)).with_context(|| format!("buffer `{name}`"))?;
            Ok((name.clone(), spec))
        };
        let buffers = all.buffers.0.iter().map(buffer).collect::<Result<_>>()?;
        let mut sequence = Sequence { buffers, ..Sequence::default() };
        sequence.fit(loaded.memory_bytes)?;
        for Named { name, is } in &all.symbols.0 {
            sequence
                .set(&loaded.module, name, is, Some(folder))
                .with_context(|| format!("symbol `{name}`"))?;
        }
        all.check().map_err(Error::msg)?;
        if test.launch.is_empty() {
            bail!("there is no launch: add one under `[[test.launch]]`");
        }
        let pulse = Arc::new(Pulse::default());
        let mut bounds = Vec::new();
        for (index, Described { launch, more: Counted { counters } }) in test.launch.iter().enumerate() {
            let mut add = || {
                let asked = launch.clone().over(all.clone());
                let (grid, block) = asked.shape().map_err(Error::msg)?;
                let launch = Launch {
                    pulse: Some(Arc::clone(&pulse)),
                    cores: cores::available(),
                    ..asked.emulated(grid, block, MAX_STEPS)
                };
                sequence.add(&loaded.program.name, &loaded.module, &asked, launch)?;
                counters.iter().map(|(name, text)| Bound::parse(name, text)).collect::<Result<_>>()
            };
            bounds.push(add().with_context(|| format!("launch {index}"))?);
        }
        let finds = test.finds.iter().map(|kind| {
            let known = simt::FaultKind::named(kind).map(simt::FaultKind::name);
            known.ok_or_else(|| anyhow!("there is no finding `{kind}`: `lanes explain` lists all of them"))
        });
        let finds = finds.collect::<Result<_>>()?;
        for (name, expect) in &test.expect {
            let added = sequence.expect(name, expect, Some(folder));
            added.with_context(|| format!("what is expected of `{name}`"))?;
        }
        let seeds = all.seeds.unwrap_or(Seeds { start: 0, end: 1 });
        Ok(Test { name: test.name.clone(), seeds, sequence, pulse, bounds, finds })
    }
}

/// The program of a scenario file. It may be anywhere, as `../sum.cu` is; but only what is a program by its name, also where a
/// link leads, because an error in it shows some of its text.
fn program(shown: &str, folder: &Path, file: &Path) -> Result<PathBuf> {
    let path = beside(folder, file);
    let is_program = |path: &Path| path.extension().is_some_and(|ending| ending == "cu" || ending == "ptx");
    // A directory is refused when it is read.
    if !(path.is_dir() || is_program(file) && is_program(&files::place(&path))) {
        bail!("`{shown}`: `{}` is no program: name a file that ends in `.cu` or `.ptx`", file.display());
    }
    Ok(path)
}
