//! Where no program can be compiled with clang: in place of `native`.

use anyhow::{Error, Result, bail};
use cuda_host::{Limits, Outcome, Watch};
use cudac::host::Program;

use super::source::Cuda;
use crate::request::RunOptions;

const NONE: &str = "host code that the interpreter cannot read runs on Linux and macOS only";

/// There is none.
#[derive(Debug)]
pub enum Native {}

pub fn is_there() -> bool {
    false
}

/// Says that there is none.
pub fn build(_: &RunOptions, _: &Cuda, _: Option<String>) -> Result<(Program, Native)> {
    bail!(NONE)
}

/// What is said if the interpreter does not read a program.
pub fn as_well(error: &Error) -> String {
    format!("help: {error:#}")
}

impl Native {
    pub fn run(&self, _: &Program, _: &[String], _: &Limits, _: Watch<'_>) -> Result<Outcome> {
        match *self {}
    }

    pub fn ptx(&self) -> &str {
        match *self {}
    }

    pub fn name(&self) -> String {
        match *self {}
    }

    pub fn note(&self) -> String {
        match *self {}
    }
}
