//! What `lanes exec` is asked for: a command, and how its kernels are run.

use std::path::PathBuf;

use clap::Args;
use thirty_two_lanes::cores;

use super::checks::Repeats;
use super::launch::Chances;
use super::options::Format;
use super::words::bytes;

/// A command to run.
#[derive(Args, Debug)]
pub struct ExecOptions {
    /// The command, and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub chances: Chances,
    /// Count warnings and notes as errors
    #[arg(long, help_heading = "Checks")]
    pub strict: bool,
    #[command(flatten, next_help_heading = "Checks")]
    pub repeats: Repeats,
    /// The compute capability that the device claims, from 50 to 90
    #[arg(long, value_name = "CAPABILITY", default_value = "80", value_parser = capability, help_heading = "Machine and report")]
    pub arch: u32,
    /// How many cores of this computer each launch uses; results do not depend on it [default: all]
    #[arg(long, value_name = "CORES", value_parser = cores::parse, allow_negative_numbers = true, help_heading = "Machine and report")]
    pub cores: Option<u32>,
    /// How much memory the device has, as in 512M [default: half of what is free, and at least 4G]
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Machine and report")]
    pub memory: Option<u64>,
    /// How to write the report: text, junit (XML for CI systems), sarif (findings with their lines), json
    #[arg(
        long,
        value_enum,
        default_value = "text",
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Machine and report"
    )]
    pub format: Format,
    /// Where to write the report [default: to the standard error, after what the command prints]
    #[arg(long, value_name = "FILE", help_heading = "Machine and report")]
    pub report: Option<PathBuf>,
}

/// A compute capability: `80`, `8.0` or `sm_80`.
fn capability(text: &str) -> Result<u32, String> {
    let digits = text.trim_start_matches("sm_").trim_start_matches("compute_").replace('.', "");
    let number = digits.parse::<u32>().ok().filter(|number| cudac::TARGETS.contains(number));
    number.ok_or_else(|| format!("`{text}` is no compute capability from 50 to 90: write `80` for 8.0"))
}
