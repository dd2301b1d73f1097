//! Writes the file of `--trace`: JSON Lines, described in `docs/trace.md`.
//!
//! There is a line for the launch, a line for each step, and a line for the end. What it leaves out: steps beyond a
//! limit. The kernel continues, and the last line says that the trace is incomplete.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use simt::{Module, TraceStep};

use super::json;
use crate::outcome::Traced;
use crate::resolve::outputs::unwritable;
use crate::resolve::{Plan, source};
use thirty_two_lanes::files::NewFile;

const VERSION: u32 = 1;

/// A trace that is being written.
pub struct Trace {
    file: PathBuf,
    out: NewFile,
    /// The part of a line that describes an instruction, which is the same in each of its steps.
    known: BTreeMap<u32, String>,
    steps: u64,
    most: u64,
    /// The first error; nothing is written after it.
    error: Option<std::io::Error>,
}

impl Trace {
    /// Opens the file, and writes its first line.
    pub fn create(file: &Path, plan: &Plan) -> Result<Trace> {
        let out = NewFile::create(file).map_err(|error| unwritable("the trace ", file, &error))?;
        let mut trace = Trace {
            file: file.to_owned(),
            out,
            known: BTreeMap::new(),
            steps: 0,
            most: plan.options.output.trace_steps,
            error: None,
        };
        let mut head = json!({ "format": "thirty-two-lanes trace", "version": VERSION });
        json::extend(&mut head, json::launch(plan, plan.launch()));
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

    /// Writes the last line, which says whether the run was stopped before its end, and returns the first error, if any.
    pub fn finish(mut self, was_stopped: bool) -> Result<Traced> {
        let (steps, kept) = (self.steps, self.steps.min(self.most));
        let end = json!({ "steps": steps, "cut": kept < steps, "stopped": was_stopped });
        self.write(&format!("{}\n", json!({ "end": end })));
        let Trace { out, error, file, .. } = self;
        match error.or_else(|| out.finish().err()) {
            Some(error) => Err(unwritable("the trace ", &file, &error)),
            None => Ok(Traced { file: source::name(&file), steps, kept, was_stopped }),
        }
    }
}

/// The description of an instruction: `"ptx_line":30,"ptx":"ret;","source":null`, and the calls if it was inlined.
fn place(module: &Module, instruction: u32) -> String {
    let site = module.site(instruction);
    let ptx = Value::from(site.ptx.as_str());
    let source = json!(site.source.as_ref().map(json::source));
    let place = format!("\"ptx_line\":{},\"ptx\":{ptx},\"source\":{source}", site.ptx_line);
    match &site.calls[..] {
        [] => place,
        calls => format!("{place},\"calls\":{}", json!(calls.iter().map(json::source).collect::<Vec<_>>())),
    }
}
