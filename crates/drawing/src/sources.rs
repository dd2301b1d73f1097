//! The sources of what figures show: the emulator, and the records of a GPU.
//!
//! It keeps a list of the kernel files that were run and of the records that were read, with their hashes. The first
//! line of the figure contains this list, so a stale figure can be found without drawing it. A real GPU is never used,
//! because a figure must be the same on every computer.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use record::{Contender, Contest, Counted, Emulated, Measured, Product, Report, Row, Table};
use thirty_two_lanes::{Buffer, Choice, Device, Element, Launch, Run, Traced, golden, kernels};

/// The emulator, the records, and a list of what was used of both.
pub struct Sources {
    device: Device,
    /// Paths from the root of the repository, and the SHA-256 of the files.
    sources: BTreeMap<String, String>,
}

impl Sources {
    /// An emulator with empty memory.
    pub fn open() -> Result<Sources> {
        Ok(Sources { device: Device::open(Choice::Sim)?, sources: BTreeMap::new() })
    }

    /// A buffer with these values.
    pub fn upload<T: Element>(&mut self, name: &str, values: &[T]) -> Result<Buffer<T>> {
        self.device.upload(name, values)
    }

    /// A buffer of `len` zeros.
    pub fn zeroed<T: Element>(&mut self, name: &str, len: usize) -> Result<Buffer<T>> {
        self.device.zeroed(name, len)
    }

    /// Overwrites a whole buffer.
    pub fn write<T: Element>(&mut self, buffer: Buffer<T>, values: &[T]) -> Result<()> {
        self.device.write(buffer, values)
    }

    /// The contents of a buffer.
    pub fn read<T: Element>(&mut self, buffer: Buffer<T>) -> Result<Vec<T>> {
        Ok(self.device.read(buffer)?.sim)
    }

    /// Runs a kernel.
    pub fn launch(&mut self, launch: &Launch) -> Result<Run> {
        self.note_kernel(launch);
        self.device.launch(launch)
    }

    /// Traces every instruction of a launch, and then restores memory.
    pub fn trace(&mut self, launch: &Launch) -> Result<Vec<Traced>> {
        self.note_kernel(launch);
        self.device.trace(launch)
    }

    /// The result of a launch and the contents of a buffer after it. Memory is then restored.
    pub fn trial<T: Element>(&mut self, launch: &Launch, buffer: Buffer<T>) -> Result<(Run, Vec<T>)> {
        self.note_kernel(launch);
        self.device.trial(launch, buffer)
    }

    /// Runs `work`, and then frees everything that it has allocated.
    pub fn scope<R>(&mut self, work: impl FnOnce(&mut Sources) -> Result<R>) -> Result<R> {
        let sources = std::mem::take(&mut self.sources);
        let mut inner = Sources { sources, ..Sources::open()? };
        let result = work(&mut inner);
        self.sources = inner.sources;
        result
    }

    /// Reads a file of the repository: `chapters/ch02_reduction/output/h200_machine_code.txt`.
    pub fn file(&mut self, path: &str) -> Result<String> {
        let text = fs::read_to_string(root().join(path)).with_context(|| format!("cannot read `{path}`"))?;
        let text = text.replace("\r\n", "\n");
        self.sources.insert(path.to_owned(), nvrtc::sha256(&text));
        Ok(text)
    }

    /// What the emulator found in a recorded run of a chapter; 0 is the run with the chapter's own sizes.
    pub fn emulated(&mut self, chapter: &str, run: usize) -> Result<Record> {
        let path = format!("chapters/{chapter}/output/{}", golden::EMULATED);
        let mut emulated: Emulated = record::read(&self.file(&path)?, &path)?;
        ensure!(run < emulated.runs.len(), "`{path}` has no run {run}");
        Ok(Record { path, report: emulated.runs.swap_remove(run).report })
    }

    /// The same, with what a GPU measured in that run.
    pub fn measured(&mut self, chapter: &str, run: usize) -> Result<Record> {
        let Record { report, .. } = self.emulated(chapter, run)?;
        let path = format!("chapters/{chapter}/output/{}", golden::MEASURED);
        let measured: Measured = record::read(&self.file(&path)?, &path)?;
        let run = measured.runs.get(run).with_context(|| format!("`{path}` has no run {run}"))?;
        Ok(Record { path, report: report.with_measured(run) })
    }

    /// A count of the profiler for a variant of a chapter: a metric of `h200_counters.csv`.
    pub fn metric(&mut self, chapter: &str, variant: &str, metric: &str) -> Result<f64> {
        let path = format!("chapters/{chapter}/output/h200_counters.csv");
        self.counted(&path, variant, metric)
    }

    /// A row of the record that compares sums with CUB's, for this many floats and single launches.
    pub fn bench(&mut self, floats: u64, name: &str) -> Result<Contender> {
        Contest::read(&self.file(BENCH)?, BENCH)?
            .launched(floats, name)
            .with_context(|| format!("in `{BENCH}`"))
    }

    /// A row of the record that compares matrix products with cuBLAS's, at this size.
    pub fn product(&mut self, n: u64, name: &str) -> Result<Product> {
        let table: Table<Product> = Table::read(&self.file(PRODUCTS)?, PRODUCTS)?;
        table.timed(n, name).cloned().with_context(|| format!("in `{PRODUCTS}`"))
    }

    /// A measurement of the profiler for a variant at the size of a note: a metric of `h200_note_size_counters.csv`.
    pub fn note_metric(&mut self, chapter: &str, variant: &str, metric: &str) -> Result<f64> {
        let path = format!("chapters/{chapter}/output/h200_note_size_counters.csv");
        self.counted(&path, variant, metric)
    }

    fn counted(&mut self, path: &str, variant: &str, metric: &str) -> Result<f64> {
        let table: Table<Counted<f64>> = Table::read(&self.file(path)?, path)?;
        table.metric(variant, metric).with_context(|| format!("in `{path}`"))
    }

    fn note_kernel(&mut self, launch: &Launch) {
        let stem = launch.code.name.split('.').next().unwrap_or_default();
        if let Some(kernel) = kernels::all().find(|kernel| kernel.file.name == stem) {
            self.sources.insert(format!("kernels/{stem}.cu"), nvrtc::sha256(kernel.file.source));
        }
    }

    /// The list of sources, for a figure's first line.
    pub(crate) fn sources(&self) -> String {
        let source = |(path, hash): (&String, &String)| format!("from: {path} sha256 {hash}");
        self.sources.iter().map(source).collect::<Vec<_>>().join(" ")
    }
}

/// The record that compares sums with CUB's.
const BENCH: &str = "tools/benchmarks/gpu/h200_sum.json";

/// The record that compares matrix products with cuBLAS's.
const PRODUCTS: &str = "tools/benchmarks/gpu/products/h200.csv";

/// A chapter's report.
pub struct Record {
    path: String,
    report: Report,
}

impl Record {
    fn find<T>(&self, variant: &str, what: &str, get: impl FnOnce(&Row) -> Option<T>) -> Result<T> {
        let row = self.report.row(variant).with_context(|| format!("in `{}`", self.path))?;
        get(row).with_context(|| format!("row `{variant}` of `{}` has no {what}", self.path))
    }

    /// A counter of a row.
    pub fn counter(&self, variant: &str, name: &str) -> Result<f64> {
        self.find(variant, name, |row| row.counters.get(name).map(|&count| count as f64))
    }

    /// A fact of a row, of either machine.
    pub fn fact(&self, variant: &str, name: &str) -> Result<f64> {
        let on_gpu = |row: &Row| row.gpu.as_ref()?.facts.get(name).copied();
        self.find(variant, name, |row| row.facts.get(name).copied().or_else(|| on_gpu(row)).flatten())
    }

    /// The median time of a row on the GPU, in microseconds.
    pub fn time_us(&self, variant: &str) -> Result<f64> {
        self.find(variant, "time", |row| Some(row.gpu.as_ref()?.timing?.median_us))
    }

    /// A setting of the run: `size`, `block`, `seed`.
    pub fn setting(&self, name: &str) -> Result<f64> {
        let setting = self.report.settings.get(name);
        let setting = setting.with_context(|| format!("`{}` has no setting `{name}`", self.path))?;
        Ok(*setting as f64)
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
