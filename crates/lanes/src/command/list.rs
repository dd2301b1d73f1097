//! `lanes list`: what is in a file.

use std::process::ExitCode;

use anyhow::Result;

use super::Output;
use crate::render::{json, list};
use crate::request::Compile;
use crate::request::ListOptions;
use crate::resolve::{Loaded, Signatures};

/// Lists kernels, parameters and what is not supported.
pub fn list(options: &ListOptions) -> Result<Output> {
    let how = Compile { sources: options.sources.clone(), ..options.compile.clone() };
    let loaded = Loaded::read(&options.file, &how, None)?;
    let signatures = Signatures::of(&loaded.program, &options.compile);
    let text = if options.json {
        format!("{:#}\n", json::list(&loaded, &signatures))
    } else {
        loaded.program.warn();
        list::render(&loaded, &signatures)
    };
    Ok((text, ExitCode::SUCCESS))
}
