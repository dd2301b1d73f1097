//! Pictures of one block, drawn from runs.
//!
//! Plain characters in 80 columns. Colours are left out, because a book and a pipe would lose them.

use std::fmt::Write as _;

use anyhow::Result;
use thirty_two_lanes::Device;
use thirty_two_lanes::kernels::reduction::{REDUCE_INTERLEAVED, REDUCE_NEIGHBORED, REDUCE_NEIGHBORED_LESS};

use crate::one_block::{KERNELS, THREADS};
use crate::rounds::{self, Pair, Rounds, SMALL};

/// Both pairings: below each element, the one that is added to it.
pub fn pairs(device: &mut Device) -> Result<String> {
    let mut out =
        format!("{SMALL} elements; +8: adds element 8; .: is added to another; blank: added before\n");
    for (kernel, what) in [(&REDUCE_NEIGHBORED, "neighbours"), (&REDUCE_INTERLEAVED, "interleaved")] {
        let pairs = rounds::pairs(device, kernel)?;
        out += &pairs_line(what, |element| element.to_string());
        let rounds = pairs.iter().map(|pair| pair.round + 1).max().unwrap_or(0);
        for round in 0..rounds {
            out += &pairs_line(&format!("round {}", round + 1), |into| partner(&pairs, round, into));
        }
    }
    Ok(out)
}

/// A line with a cell for each element.
fn pairs_line(label: &str, cell: impl Fn(usize) -> String) -> String {
    let mut line = format!("{label:<12}");
    for element in 0..SMALL {
        let _ = write!(line, "{:>4}", cell(element));
    }
    line.trim_end().to_owned() + "\n"
}

/// The element that is added to this one. After an element was added to another, its own column stays empty.
fn partner(pairs: &[Pair], round: usize, into: usize) -> String {
    match pairs.iter().find(|pair| pair.round == round && pair.into == into) {
        Some(pair) => format!("+{}", pair.from),
        None if pairs.iter().any(|pair| pair.from == into && pair.round < round) => String::new(),
        None => ".".to_owned(),
    }
}

/// A block of two warps, so that all lanes fit in a line.
const TWO_WARPS: u32 = 64;

/// Which lanes add in each round, and how many are idle in the warps that do. Kernels with the same lanes
/// share a table.
pub fn lanes(device: &mut Device) -> Result<String> {
    let mut tables: Vec<(Vec<&str>, String)> = Vec::new();
    for kernel in [&REDUCE_NEIGHBORED, &REDUCE_NEIGHBORED_LESS, &REDUCE_INTERLEAVED] {
        let table = lanes_of(&rounds::of(device, kernel, TWO_WARPS)?);
        match tables.iter_mut().find(|(_, known)| *known == table) {
            Some((names, _)) => names.push(kernel.name),
            None => tables.push((vec![kernel.name], table)),
        }
    }
    let mut out =
        "two warps; # adds, . does not; idle: the share of idle lanes in warps that add\n".to_owned();
    for (names, table) in tables {
        let _ = write!(out, "{:<70} {:>5}\n{table}", names.join(" and "), "idle");
    }
    Ok(out)
}

fn lanes_of(rounds: &Rounds) -> String {
    let mut out = String::new();
    for round in 0..rounds.adding.len() {
        let (masks, idle) = (masks(rounds, round), 100.0 * rounds.idle(round));
        let _ = writeln!(out, "{:>2}  {masks} {idle:>5.1} %", round + 1);
    }
    out
}

fn masks(rounds: &Rounds, round: usize) -> String {
    let mask = |warp| rounds.adding[round].get(&warp).copied().unwrap_or(0);
    let lanes = |warp| -> String {
        (0..32).map(|lane| if mask(warp) >> lane & 1 == 1 { '#' } else { '.' }).collect()
    };
    (0..TWO_WARPS / 32).map(lanes).collect::<Vec<_>>().join(" ")
}

/// How many PTX instructions a mark stands for.
const MARK: u32 = 8;

/// How many instructions each warp of the block issues.
pub fn warps(device: &mut Device) -> Result<String> {
    let mut issued = Vec::new();
    for (_, kernel) in KERNELS {
        issued.push(rounds::of(device, kernel, THREADS)?.issued);
    }
    let mut out = format!("PTX instructions that each warp issues, one mark for every {MARK}\n");
    bars_line(&mut out, "warp", KERNELS.map(|(_, kernel)| kernel.name.to_owned()));
    for warp in 0..THREADS / 32 {
        let bar = |kernel: usize| {
            let issued = issued[kernel][warp as usize];
            format!("{issued:>3} {}", "#".repeat((issued / MARK) as usize))
        };
        bars_line(&mut out, &warp.to_string(), [0, 1, 2].map(bar));
    }
    Ok(out)
}

fn bars_line(out: &mut String, label: &str, [first, second, third]: [String; 3]) {
    let _ = writeln!(out, "{label:<5}{first:<25}{second:<25}{third}");
}
