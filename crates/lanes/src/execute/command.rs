//! Another program runs, with the driver's library in the place of NVIDIA's.
//!
//! A folder that lives as long as the program has the library under all its names, and the reports that processes write. The
//! loader finds the library there before any other; the rest of the environment stays as it is.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lanes_driver::{Report, settings};
use thirty_two_lanes::cores;
use thirty_two_lanes::sim::host_memory_bytes;

use crate::request::ExecOptions;

/// The file of the library that stands in for the driver.
const LIBRARY: &str = if cfg!(target_os = "macos") { "liblanes_driver.dylib" } else { "liblanes_driver.so" };

/// The variable that tells the loader where to look first.
const LOADER: &str = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };

/// Less memory than this is not worth a program.
const LEAST_BYTES: u64 = 4 << 30;

/// How long a command has to end when this program is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// How long it takes to notice that a command has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// A command that has ended.
#[derive(Debug)]
pub struct Ended {
    /// Its status, as shells count: 128 and the number of a signal that ended it.
    pub status: u8,
    /// What its processes reported.
    pub reports: Vec<Report>,
}

/// Runs the command to its end.
///
/// # Errors
/// It cannot be started, the library is not there, or the reports cannot be read.
pub fn run(options: &ExecOptions) -> Result<Ended> {
    let library = library()?;
    let folder =
        tempfile::Builder::new().prefix("lanes").tempdir().context("cannot make a folder for the reports")?;
    for name in lanes_driver::NAMES {
        link(&library, &folder.path().join(name))?;
    }
    let (program, words) = options.words.split_first().context("no command is given")?;
    let mut command = Command::new(program);
    command.args(words).env(LOADER, first(folder.path()));
    for (name, value) in environment(options, folder.path())? {
        command.env(name, value);
    }
    let started = command.spawn();
    let mut started =
        started.with_context(|| format!("cannot start `{program}`: is it installed, and in `PATH`?"))?;
    let ended = wait(&mut started).with_context(|| format!("cannot wait for `{program}`"))?;
    let reports = lanes_driver::read(folder.path()).context("cannot read the reports")?;
    Ok(Ended { status: status(ended), reports })
}

/// Waits for the end of the command. Ctrl-C in a terminal reaches the command too, which may go on. Elsewhere only this program may
/// have been asked to end, so the command has some seconds, and is then ended: what is known by then is told.
fn wait(command: &mut Child) -> std::io::Result<ExitStatus> {
    let is_asked: Arc<OnceLock<()>> = Arc::default();
    let asked = Arc::clone(&is_asked);
    let _ = ctrlc::set_handler(move || _ = asked.set(()));
    let mut since = None;
    loop {
        if let Some(status) = command.try_wait()? {
            return Ok(status);
        }
        if is_asked.get().is_some() && !std::io::stdin().is_terminal() {
            let since: &mut Instant = since.get_or_insert_with(Instant::now);
            if since.elapsed() > GRACE {
                command.kill()?;
            }
        }
        std::thread::sleep(PAUSE);
    }
}

/// The library, which is built with this program, and installed beside it.
fn library() -> Result<PathBuf> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let program = program.canonicalize().unwrap_or(program);
    let folder = program.parent().unwrap_or(Path::new("."));
    // Cargo puts what a program depends on into a folder of its own.
    let places =
        [folder.join("deps"), folder.to_owned(), folder.join("../lib")].map(|folder| folder.join(LIBRARY));
    match places.iter().find(|place| place.is_file()) {
        Some(found) => Ok(found.clone()),
        None => bail!(
            "`{LIBRARY}` is not beside `{}`: build both with `cargo build --package lanes --package cuda-driver`, and copy them \
             to one folder",
            program.display()
        ),
    }
}

/// A name for a file: a link, or a copy where there are no links.
fn link(file: &Path, name: &Path) -> Result<()> {
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(file, name);
    #[cfg(not(unix))]
    let made = std::fs::copy(file, name).map(drop);
    made.with_context(|| format!("cannot make `{}`", name.display()))
}

/// The folder before those where the loader looks anyway.
fn first(folder: &Path) -> OsString {
    let others = std::env::var_os(LOADER).filter(|others| !others.is_empty());
    let mut all = folder.as_os_str().to_owned();
    if let Some(others) = others {
        all.push(":");
        all.push(others);
    }
    all
}

/// What the library finds in the environment.
fn environment(options: &ExecOptions, folder: &Path) -> Result<Vec<(&'static str, OsString)>> {
    let memory = options.memory.unwrap_or(host_memory_bytes().max(LEAST_BYTES));
    let cores = options.cores.unwrap_or_else(cores::available);
    let launch = serde_json::to_string(options.chances.launch()).context("cannot write the launch")?;
    let interval = options.repeats.check_launches.0.map(|interval| interval.to_string());
    Ok(vec![
        (settings::CHECK_LAUNCHES, interval.unwrap_or_default().into()),
        (settings::FOLDER, folder.as_os_str().to_owned()),
        (settings::LAUNCH, launch.into()),
        (settings::ARCH, options.arch.to_string().into()),
        (settings::CORES, cores.to_string().into()),
        (settings::MEMORY, memory.to_string().into()),
    ])
}

fn status(ended: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&ended) {
        return (128 + signal) as u8;
    }
    ended.code().unwrap_or(1) as u8
}
