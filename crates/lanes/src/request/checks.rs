//! What is checked, and what a run has to leave.

use clap::Args;
use spec::launch::Checkers;

use super::given::Expectation;
use super::words;

/// The options of the checkers.
#[derive(Args, Debug)]
pub struct Checks {
    /// Which checkers are on: all, none, or a list of races, initialisation, synchronisation, memory [default: all]
    #[arg(long, value_name = "LIST")]
    pub check: Option<Checkers>,
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
    /// After how many warp instructions to stop the kernel; lanes that wait to reconverge continue without the others
    /// after an eighth of them at the latest [default: 50 million, and 1000 for each warp; 1000 million for each
    /// launch of a program]
    #[arg(long, value_name = "STEPS", value_parser = words::steps, allow_negative_numbers = true)]
    pub max_steps: Option<u64>,
}
