//! Writes the file of `--trace`: JSON Lines, described in `docs/trace.md`.
//!
//! There is a line for the launch, a line for each step, and a line for the end. What it leaves out: steps beyond a
//! limit. The kernel continues, and the last line says that the trace is incomplete.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use simt::{Launch, Module, TraceStep};

use super::json;
use super::plan::Plan;
use super::source;

/// How many steps are written by default: some 200 megabytes, more than a reader needs, and less than fills a disk.
pub(super) const MOST_STEPS: u64 = 1_000_000;

const VERSION: u32 = 1;

/// A trace that is being written.
pub(super) struct Trace {
    file: PathBuf,
    out: BufWriter<File>,
    /// The part of a line that describes an instruction, which is the same in each of its steps.
    known: BTreeMap<u32, String>,
    steps: u64,
    most: u64,
    /// The first error; nothing is written after it.
    error: Option<std::io::Error>,
}

/// A trace that was written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub file: String,
    /// The steps of the run.
    pub steps: u64,
    /// The steps in the file.
    pub kept: u64,
}

impl Trace {
    /// Opens the file, and writes its first line.
    pub fn create(file: &Path, plan: &Plan, launch: &Launch) -> Result<Trace> {
        plan.refuse_input("--trace", file)?;
        let out = File::create(file).map_err(|error| failed(file, &error))?;
        let mut trace = Trace {
            file: file.to_owned(),
            out: BufWriter::new(out),
            known: BTreeMap::new(),
            steps: 0,
            most: plan.options.trace_steps,
            error: None,
        };
        let mut head = json!({ "format": "thirty-two-lanes trace", "version": VERSION });
        json::extend(&mut head, json::launch(plan, launch));
        trace.write(&format!("{head}\n"));
        Ok(trace)
    }

    /// Writes a step.
    pub fn add(&mut self, step: &TraceStep, module: &Module) {
        self.steps += 1;
        if self.steps > self.most || self.error.is_some() {
            return;
        }
        let TraceStep { step: number, block, warp, mask, active, instruction, .. } = *step;
        let place = self.known.entry(instruction).or_insert_with(|| place(module, instruction));
        let line = format!(
            "{{\"step\":{number},\"block\":[{},{},{}],\"warp\":{warp},\"mask\":\"{mask:#010x}\",\
             \"active\":\"{active:#010x}\",{place}}}\n",
            block.x, block.y, block.z
        );
        self.write(&line);
    }

    fn write(&mut self, line: &str) {
        if let Err(error) = self.out.write_all(line.as_bytes()) {
            self.error = self.error.take().or(Some(error));
        }
    }

    /// Writes the last line, and returns the first error, if any.
    pub fn finish(mut self) -> Result<Written> {
        let (steps, kept) = (self.steps, self.steps.min(self.most));
        self.write(&format!("{}\n", json!({ "end": { "steps": steps, "cut": kept < steps } })));
        let flushed = self.out.flush().err();
        match self.error.or(flushed) {
            Some(error) => Err(failed(&self.file, &error)),
            None => Ok(Written { file: source::name(&self.file), steps, kept }),
        }
    }
}

/// The description of an instruction: `"ptx_line":30,"ptx":"ret;","source":null`.
fn place(module: &Module, instruction: u32) -> String {
    let site = module.site(instruction);
    let ptx = Value::from(site.ptx.as_str());
    format!(
        "\"ptx_line\":{},\"ptx\":{ptx},\"source\":{}",
        site.ptx_line,
        json!(json::source(site.source.as_ref()))
    )
}

fn failed(file: &Path, error: &std::io::Error) -> anyhow::Error {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder; check its name".to_owned(),
        _ => source::why(file, error),
    };
    anyhow!("cannot write the trace `{}`: {why}", source::name(file))
}
