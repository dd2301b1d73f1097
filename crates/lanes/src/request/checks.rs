//! What is checked, and what a run has to leave.

use clap::Args;

use super::given::Expectation;
use super::words;

/// The options of the checkers.
#[derive(Args, Debug)]
pub struct Checks {
    /// Which checkers are on: all, none, or a list of races, initialisation, synchronisation, memory [default: all]
    #[arg(long, value_name = "LIST", value_parser = checks)]
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

/// Which checkers are on. Accesses outside of memory are always reported, so for a GPU it makes a difference whether
/// the user asked for that check only, or for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkers {
    checks: simt::Checks,
    memory: bool,
}

impl Checkers {
    /// All checkers.
    pub const ALL: Checkers = Checkers { checks: simt::Checks::ALL, memory: true };
    /// No checker. The emulator still checks memory if it runs at all.
    pub const NONE: Checkers = Checkers { checks: simt::Checks::NONE, memory: false };

    /// The checkers of a launch.
    pub fn checks(self) -> simt::Checks {
        self.checks
    }

    /// The names of the checkers.
    pub fn names(self) -> Vec<&'static str> {
        let simt::Checks { races, initialisation, synchronisation, .. } = self.checks;
        let all =
            [("races", races), ("initialisation", initialisation), ("synchronisation", synchronisation)];
        all.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).chain(["memory"]).collect()
    }

    /// As it is written in an option.
    pub fn option(self) -> String {
        match self {
            Checkers::ALL => "all".to_owned(),
            Checkers::NONE => "none".to_owned(),
            some => some.names().join(","),
        }
    }
}

/// `all`, `none`, or names with commas between them.
pub fn checks(text: &str) -> Result<Checkers, String> {
    match text {
        "all" => return Ok(Checkers::ALL),
        "none" => return Ok(Checkers::NONE),
        _ => {}
    }
    let mut on = Checkers { memory: true, ..Checkers::NONE };
    for name in text.split(',') {
        match name.trim() {
            "races" | "race" => (on.checks.races, on.checks.volatile_races) = (true, true),
            "initialisation" | "initialization" | "init" => on.checks.initialisation = true,
            "synchronisation" | "synchronization" | "sync" => on.checks.synchronisation = true,
            "memory" => {}
            "all" | "none" => return Err(format!("`{name}` cannot be combined with other names")),
            _ => {
                return Err(format!("there is no checker `{name}`: choose from {NAMES}, or `all` or `none`"));
            }
        }
    }
    Ok(on)
}

const NAMES: &str = "`races`, `initialisation`, `synchronisation` and `memory`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkers_have_long_and_short_names() {
        assert_eq!(checks("race,sync,init"), Ok(Checkers::ALL));
        assert_eq!(checks("races, memory").unwrap().option(), "races,memory");
        for text in ["all", "none", "memory", "races,memory", "initialisation,synchronisation,memory"] {
            assert_eq!(checks(text).unwrap().option(), text);
        }
        for wrong in ["", "rice", "all,races", "races,", "none,none"] {
            assert!(checks(wrong).is_err(), "{wrong}");
        }
    }
}
