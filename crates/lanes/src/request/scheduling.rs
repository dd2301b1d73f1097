//! What decides among the orders that the specification leaves open.

use clap::Args;
use simt::{Reconvergence, Schedule};
use spec::launch::{FIELDS, Field, Seeds, Word};

use super::words;

/// What the table of fields says of one of them.
fn help(name: &str) -> String {
    FIELDS.iter().find(|field| field.name() == name).map(Field::help).unwrap_or_default()
}

/// The options of a schedule.
#[derive(Args, Clone, Copy, Debug)]
pub struct Scheduling {
    /// Seed of the random choices: what the specification leaves open, and the order of warps [default: 0]
    #[arg(long, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Run seeds A to B-1 until one finds an error, and compare the buffers that --print shows; warps run in random
    /// order, unless --schedule says otherwise
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub seeds: Option<Seeds>,
    #[arg(
        long,
        value_name = "POLICY",
        value_parser = words::word::<Schedule>,
        help = format!("{} [default: {}]", help("schedule"), Word(Schedule::default()))
    )]
    pub schedule: Option<Schedule>,
    #[arg(
        long,
        value_name = "MECHANISM",
        value_parser = words::word::<Reconvergence>,
        help = help("reconvergence")
    )]
    pub reconvergence: Option<Reconvergence>,
    /// How many blocks are resident at the same time [default: 16]
    #[arg(long, value_name = "BLOCKS", value_parser = words::residents, allow_negative_numbers = true)]
    pub resident_blocks: Option<u32>,
    /// Let loads return older values and stores take effect late where the memory model of PTX allows it, and report
    /// where this happened
    #[arg(long)]
    pub weak_memory: bool,
}

/// How warps take turns unless the user chooses: many seeds make sense only if seeds decide.
pub fn usual_schedule(has_seeds: bool) -> Schedule {
    if has_seeds { Schedule::Random } else { Schedule::RoundRobin }
}
