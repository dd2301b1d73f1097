//! A warp drawn from its trace: time runs downwards, and each lane has a column.
//!
//! A line of the picture is a CUDA line that the same lanes executed without a break, however often, so a
//! loop that spins is one line. What all lanes execute together is one line too, because the picture is about
//! the rest. It leaves out lanes that a guard switches off within their group, and the PTX.

use std::fmt::Write as _;

use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::machine::Traced;
use thirty_two_lanes::report::layout::grouped;

/// A lane that executes the line, and one that does not.
const AT_WORK: char = '#';
const NOT: char = '.';
const ALL: u32 = u32::MAX;
/// How many characters of a CUDA line fit beside 32 lanes.
const TEXT_COLUMNS: usize = 31;

/// Consecutive instructions of the same lanes for the same CUDA line.
#[derive(Debug, PartialEq)]
struct Stretch {
    mask: u32,
    line: Option<u32>,
    instructions: u64,
}

/// Draws the trace of one warp of a kernel.
pub fn draw(kernel: &Kernel, trace: &[Traced]) -> String {
    let source: Vec<&str> = kernel.file.source.lines().collect();
    let mut out = format!("  0       8       16      24     31      PTX  line of {}.cu\n", kernel.file.name);
    for Stretch { mask, line, instructions } in stretches(trace) {
        let lanes: String = (0..32).map(|lane| if mask >> lane & 1 == 1 { AT_WORK } else { NOT }).collect();
        let text = match line {
            _ if mask == ALL => "all together".to_owned(),
            Some(line) => shown(line, &source),
            None => String::new(),
        };
        let _ = writeln!(out, "  {lanes} {:>8}  {text}", grouped(instructions));
    }
    out
}

fn shown(line: u32, source: &[&str]) -> String {
    let text = source.get(line as usize - 1).map_or("", |text| text.trim());
    let short: String = text.chars().take(TEXT_COLUMNS).collect();
    format!("{line} {short}").trim_end().to_owned()
}

fn stretches(trace: &[Traced]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for step in trace {
        match stretches.last_mut() {
            Some(last) if last.mask == step.mask && (last.line == step.line || last.mask == ALL) => {
                last.instructions += 1;
            }
            _ => stretches.push(Stretch { mask: step.mask, line: step.line, instructions: 1 }),
        }
    }
    stretches
}
