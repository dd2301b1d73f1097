//! What is checked, and what a run has to leave.

use std::fmt;
use std::num::NonZeroU64;

use clap::Args;
use spec::whole;

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
    #[command(flatten)]
    pub repeats: Repeats,
}

/// Which launches of a program are checked for races.
#[derive(Args, Clone, Copy, Debug)]
pub struct Repeats {
    /// Of a program's launches of one kernel with the same shape and the same allocations, check the first N for races,
    /// and then each Nth; "all" checks every launch
    #[arg(long, value_name = "N|all", default_value_t, value_parser = CheckLaunches::parse, allow_negative_numbers = true)]
    pub check_launches: CheckLaunches,
}

/// A number, or `all`, which has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLaunches(pub Option<NonZeroU64>);

/// A prime number, so that of launches whose work repeats every few steps all steps are checked in time.
const USUAL: u64 = 17;

impl Default for CheckLaunches {
    fn default() -> CheckLaunches {
        CheckLaunches(NonZeroU64::new(USUAL))
    }
}

impl fmt::Display for CheckLaunches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => write!(f, "{number}"),
            None => write!(f, "all"),
        }
    }
}

impl CheckLaunches {
    fn parse(text: &str) -> Result<CheckLaunches, String> {
        if text == "all" {
            return Ok(CheckLaunches(None));
        }
        let number = whole(text).and_then(NonZeroU64::new);
        number.map(|number| CheckLaunches(Some(number))).ok_or_else(|| {
            "write `all`, or how many launches are checked at first, at least 1, as in `17`; without the race checker a program \
             runs with `--check init,sync`"
                .to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_to_check_are_all_or_a_number() {
        for text in ["all", "1", "17", "18446744073709551615"] {
            assert_eq!(CheckLaunches::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(CheckLaunches::default().to_string(), "17");
        for wrong in ["", "0", "-1", "+1", "1.5", "ALL", "none"] {
            assert!(CheckLaunches::parse(wrong).unwrap_err().starts_with("write `all`"), "{wrong}");
        }
    }
}
