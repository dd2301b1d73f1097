//! What is checked, and what a run has to leave.

use clap::Args;

use super::given::Expectation;
use super::words;

/// The options of the checkers.
#[derive(Args, Debug)]
pub struct Checks {
    /// What a buffer has to contain in the end: WHAT is as a buffer is filled, or like=BUFFER, which a kernel for
    /// reference may have filled
    #[arg(long = "expect", value_name = "ARG[:A..B]=WHAT", value_parser = Expectation::parse)]
    pub expectations: Vec<Expectation>,
    /// By how much floats may differ from --expect, relative to the expected number, or to 1 if that is nearer to
    /// zero
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = words::tolerance,
        requires = "expectations",
        allow_negative_numbers = true
    )]
    pub tolerance: Option<f64>,
    /// Count warnings, notes and differences from the GPU as errors
    #[arg(long)]
    pub strict: bool,
}
