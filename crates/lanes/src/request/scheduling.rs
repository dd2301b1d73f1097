//! What decides among the orders that the specification leaves open.

use clap::Args;
use simt::{Reconvergence, Schedule};

use super::words;

/// The options of a schedule.
#[derive(Args, Clone, Copy, Debug)]
pub struct Scheduling {
    /// Seed of the random choices: what the specification leaves open, and the order of warps [default: 0]
    #[arg(long, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Run seeds A to B-1 until one finds an error, and compare the buffers that --print shows; warps run in random
    /// order, unless --schedule says otherwise
    #[arg(long, value_name = "A..B", value_parser = Seeds::parse, allow_hyphen_values = true)]
    pub seeds: Option<Seeds>,
    /// How warps take turns: round-robin, random, or hunt (random, switches after accesses and separates lanes that
    /// nothing keeps together) [default: round-robin]
    #[arg(long, value_name = "POLICY", value_parser = words::schedule)]
    pub schedule: Option<Schedule>,
    /// How lanes reconverge: stack (before Volta), its (independent thread scheduling, since Volta), auto (as the
    /// target does) [default: auto]
    #[arg(long, value_name = "MECHANISM", value_parser = words::reconvergence)]
    pub reconvergence: Option<Reconvergence>,
    /// How many blocks are resident at the same time [default: 16]
    #[arg(long, value_name = "BLOCKS", value_parser = words::residents, allow_negative_numbers = true)]
    pub resident_blocks: Option<u32>,
    /// Let loads return older values and stores take effect late where the memory model of PTX allows it, and report
    /// where this happened
    #[arg(long)]
    pub weak_memory: bool,
}

/// A non-empty range of seeds, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    pub start: u64,
    pub end: u64,
}

impl Seeds {
    /// Reads `0..100`.
    pub fn parse(text: &str) -> Result<Seeds, String> {
        let ends =
            text.split_once("..").and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok()?)));
        let (start, end) = ends.ok_or("seeds are written `A..B`, as in `0..100`, where B is not included")?;
        if start >= end {
            return Err(
                "this range is empty: A is the first seed, and B is one more than the last".to_owned()
            );
        }
        Ok(Seeds { start, end })
    }

    /// How many they are.
    pub fn count(self) -> u64 {
        self.end - self.start
    }
}

/// How warps take turns unless the user chooses: many seeds make sense only if seeds decide.
pub fn usual_schedule(has_seeds: bool) -> Schedule {
    if has_seeds { Schedule::Random } else { Schedule::RoundRobin }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_at_least_one_seed() {
        assert_eq!(Seeds::parse("3..5"), Ok(Seeds { start: 3, end: 5 }));
        for wrong in ["", "5", "5..5", "5..3", "..5", "5..", "0..=5", "-1..5", "0..18446744073709551616"] {
            assert!(Seeds::parse(wrong).is_err(), "{wrong}");
        }
    }
}
