//! `lanes play`: a launch, written into one file of HTML.
//!
//! What it leaves out: buffers that are filled from files, because a page cannot read them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};

use super::Output;
use crate::render::page;
use crate::request::{PlayOptions, RunOptions};
use crate::resolve::{Plan, source};
use thirty_two_lanes::files::{self, why};

/// Options of `lanes run` that a page has no use for.
const USELESS: &str = "\
    --seeds --strict --device --cores --memory --print --trace --json --symbol --expect --save --picture \
    --write --check-launches";

/// Writes the file. Only one that was written by this program is overwritten.
pub fn play(options: &PlayOptions) -> Result<Output> {
    check(&options.run)?;
    let plan = Plan::new(&options.run)?;
    plan.loaded.program.warn();
    let data = page::data(&plan)?;
    let out = options.out.clone().unwrap_or_else(|| beside(&options.run.file));
    let name = source::name(&out);
    let head = files::read_up_to(&out, page::HEAD.len() as u64);
    if head.is_ok_and(|bytes| bytes != page::HEAD.as_bytes()) {
        bail!("`{name}` already exists and was not written by `lanes play`: name another file with `--out`");
    }
    let written = files::write(&out, page::html(&data));
    written.map_err(|error| anyhow!("cannot write `{name}`: {}", why(&out, &error)))?;
    Ok((format!("wrote `{name}`; open it in a browser\n"), ExitCode::SUCCESS))
}

/// `saxpy.html` for `kernels/saxpy.cu`, in the folder where the program was started.
fn beside(file: &Path) -> PathBuf {
    PathBuf::from(file.file_stem().unwrap_or(file.as_os_str())).with_extension("html")
}

/// Refuses what has no meaning in a page.
fn check(run: &RunOptions) -> Result<()> {
    if let Some(option) = run.first_given(USELESS) {
        bail!("`lanes play` shows one run of the emulator in a page: omit `{option}`");
    }
    if run.launches.len() > 1 {
        bail!("`lanes play` shows one launch in a page: give `--launch` once");
    }
    let buffers = run.launch.buffers.0.iter().map(|buffer| &buffer.is);
    let mut given = run.launch.arguments.iter().map(|argument| &argument.is).chain(buffers);
    match given.find(|text| text.contains(":file=")) {
        Some(text) => bail!("`{text}`: a page cannot read a file; fill the buffer with `list=` or `rand`"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_in_this_folder() {
        assert_eq!(beside(Path::new("a/saxpy.cu")), Path::new("saxpy.html"));
    }
}
