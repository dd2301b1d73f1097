//! Runs a chapter's program, and shares its outputs between the chapter's tests.
//!
//! Several tests of a chapter use the same output, and some outputs take seconds. On the emulator a chapter always
//! prints the same, so in a process that has called [`share`] each list of arguments is run only once. The chores never
//! call it, because between two of their runs the records that a chapter reads may have changed. What it leaves out:
//! programs that do not end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};

/// An output, or nothing before the first run has ended.
type Shared = Arc<Mutex<Option<Output>>>;

static IS_SHARED: AtomicBool = AtomicBool::new(false);
static OUTPUTS: Mutex<BTreeMap<(PathBuf, Vec<String>), Shared>> = Mutex::new(BTreeMap::new());

/// Makes this process run a program only once for each list of arguments.
pub fn share() {
    IS_SHARED.store(true, Ordering::Relaxed);
}

/// The output of a program and its status.
pub fn output<S: AsRef<str>>(program: &Path, args: &[S]) -> Result<Output> {
    let args: Vec<String> = args.iter().map(|arg| arg.as_ref().to_owned()).collect();
    if !IS_SHARED.load(Ordering::Relaxed) {
        return run(program, &args);
    }
    let mut outputs = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = Arc::clone(outputs.entry((program.to_owned(), args.clone())).or_default());
    drop(outputs);
    // Another test that needs the same output waits here.
    let mut output = shared.lock().unwrap_or_else(PoisonError::into_inner);
    match &*output {
        Some(output) => Ok(output.clone()),
        None => Ok(output.insert(run(program, &args)?).clone()),
    }
}

fn run(program: &Path, args: &[String]) -> Result<Output> {
    Command::new(program).args(args).output().with_context(|| format!("cannot run `{}`", program.display()))
}
