//! Pictures of one block, drawn from runs.
//!
//! Plain characters in 80 columns. It leaves out colours, which a book and a pipe would lose.

use std::fmt::Write as _;

use anyhow::Result;
use lanes::Device;
use lanes::kernel::Kernel;
use lanes::kernels::reduction::{REDUCE_INTERLEAVED, REDUCE_NEIGHBORED, REDUCE_NEIGHBORED_LESS};

use crate::one_block::{KERNELS, THREADS};
use crate::rounds::{self, Pair, Rounds, SMALL};

/// Both pairings: below each element, whom it takes in.
pub fn pairs(device: &mut Device) -> Result<String> {
    let mut out = format!("below each of {SMALL} elements, which one is added to it; blank: added before\n");
    for (kernel, what) in [(&REDUCE_NEIGHBORED, "neighbours"), (&REDUCE_INTERLEAVED, "interleaved")] {
        let pairs = rounds::pairs(device, kernel)?;
        let elements: String = (0..SMALL).map(|i| format!("{i:>4}")).collect();
        let _ = writeln!(out, "{what:<11} {elements}");
        let rounds = pairs.iter().map(|pair| pair.round + 1).max().unwrap_or(0);
        (0..rounds).for_each(|round| out += &pairs_of(round, &pairs));
    }
    Ok(out)
}

/// One round. Elements that were taken in before are left blank; nobody looks at them again.
fn pairs_of(round: usize, pairs: &[Pair]) -> String {
    let cell = |i| {
        let now = |pair: &&Pair| pair.round == round && pair.into == i;
        match pairs.iter().find(now) {
            Some(pair) => format!("{:>4}", format!("+{}", pair.from)),
            None if pairs.iter().any(|pair| pair.from == i && pair.round < round) => " ".repeat(4),
            None => format!("{:>4}", "."),
        }
    };
    let cells: String = (0..SMALL).map(cell).collect();
    format!("{:<11} {cells}\n", format!("round {}", round + 1)).trim_end().to_owned() + "\n"
}

/// A block of two warps, so that a line has room for all lanes.
const TWO_WARPS: u32 = 64;

/// Which lanes add in each round, and how many idle in the warps that do. Kernels whose lanes are the same share a table.
pub fn lanes(device: &mut Device) -> Result<String> {
    let mut tables: Vec<(String, String)> = Vec::new();
    for kernel in [&REDUCE_NEIGHBORED, &REDUCE_NEIGHBORED_LESS, &REDUCE_INTERLEAVED] {
        let table = lanes_of(&rounds::of(device, kernel, TWO_WARPS)?);
        match tables.iter_mut().find(|(_, known)| *known == table) {
            Some((names, _)) => *names += &format!(" and {kernel}"),
            None => tables.push((kernel.name.to_owned(), table)),
        }
    }
    let tables: String =
        tables.into_iter().map(|(names, table)| format!("{names:<70} {:>5}\n{table}", "idle")).collect();
    Ok(format!("two warps; # adds, . does not; idle is the share of lanes in the warps that add\n{tables}"))
}

fn lanes_of(rounds: &Rounds) -> String {
    let line = |round| {
        let idle = 100.0 * rounds.idle(round);
        format!("{:>2}  {} {idle:>5.1} %\n", round + 1, masks(rounds, round))
    };
    (0..rounds.adding.len()).map(line).collect()
}

fn masks(rounds: &Rounds, round: usize) -> String {
    let mask = |warp| rounds.adding[round].get(&warp).copied().unwrap_or(0);
    let lanes =
        |mask: u32| (0..32).map(|lane| if mask >> lane & 1 == 1 { '#' } else { '.' }).collect::<String>();
    (0..TWO_WARPS / 32).map(|warp| lanes(mask(warp))).collect::<Vec<_>>().join(" ")
}

/// PTX instructions that a mark stands for.
const MARK: u32 = 8;

/// How many instructions each warp of the block issues.
pub fn warps(device: &mut Device) -> Result<String> {
    let rounds = KERNELS.map(|(_, kernel): (_, &'static Kernel)| rounds::of(device, kernel, THREADS));
    let heads: String = KERNELS.iter().map(|(_, kernel)| format!("{:<25}", kernel.name)).collect();
    let mut out = format!("PTX instructions that each warp issues\n{:<5}{}\n", "warp", heads.trim_end());
    let rounds = rounds.into_iter().collect::<Result<Vec<_>>>()?;
    for warp in 0..(THREADS / 32) as usize {
        let bar = |rounds: &Rounds| {
            let issued = rounds.issued[warp];
            format!("{:<25}", format!("{issued:>3} {}", "#".repeat((issued / MARK) as usize)))
        };
        let bars: String = rounds.iter().map(bar).collect();
        let _ = writeln!(out, "{}", format!("{warp:<5}{bars}").trim_end());
    }
    Ok(out)
}
