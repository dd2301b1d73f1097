//! More figures of chapter 1: which lanes a block has, and what the compiler makes of a choice between two values.
//!
//! Every strip is a warp, and shows which lanes execute something or the resulting elements. The branch itself and its
//! cost are in `ch01_divergence`.

use anyhow::{Result, ensure};
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::boundary::ADD_GUARDED;
use thirty_two_lanes::kernels::branch::{BRANCH_SQRT, GUARDED_LOAD, SELECT_MERGE, SQRT_THEN_SELECT};
use thirty_two_lanes::kernels::divergence::{
    MATH_EVEN_THREAD, MATH_EVEN_WARP, MATH_PRECEDENCE, MATH_PRECEDENCE_FIXED,
};
use thirty_two_lanes::{Launch, Traced};

use crate::sheet::{Anchor, Fill, Sheet, Tone};
use crate::sources::Sources;
use crate::warp::{LANES, Strip};

/// Two blocks, and the lanes of their warps that have a thread.
pub fn blocks_of_48(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const BLOCK: u32 = 48;
    let n = 2 * BLOCK;
    let (a, b) = (sources.zeroed::<f32>("a", n as usize)?, sources.zeroed::<f32>("b", n as usize)?);
    let c = sources.zeroed::<f32>("c", n as usize)?;
    let launch = Launch::cover(&ADD_GUARDED, n as usize, BLOCK).arg(a).arg(b).arg(c).arg(n as i32);
    let trace = sources.trace(&launch)?;
    let strip = Strip { x: 112.0, pitch: 6.4, height: 12.0 };
    strip.numbers(sheet, 12.0);
    sheet.right(104.0, 12.0, Tone::Dim, "lane");
    let (mut y, mut said) = (20.0, Vec::new());
    for block in 0..n / BLOCK {
        for warp in 0..BLOCK.div_ceil(LANES) {
            let mask = first(&trace, block, warp);
            let (from, count) = (block * BLOCK + warp * LANES, mask.count_ones());
            strip.cells(sheet, y, |lane| (mask >> lane & 1 == 1).then_some(Fill::On).or(Some(Fill::Off)));
            sheet.sized(
                104.0,
                y + 10.5,
                Anchor::End,
                Tone::Text,
                12.0,
                &format!("block {block}, warp {warp}"),
            );
            let elements = format!("i = {from} … {}", from + count - 1);
            sheet.sized(strip.end() + 7.0, y + 10.5, Anchor::Start, Tone::Dim, 12.0, &elements);
            said.push(format!("block {block}, warp {warp}: {count} lanes"));
            y += 19.0;
        }
        y += 8.0;
    }
    Ok(format!(
        "A strip of lanes for each warp of two blocks; a lane without a thread is a dot. {}.",
        said.join("; ")
    ))
}

/// The mask of a warp's first instruction.
fn first(trace: &[Traced], block: u32, warp: u32) -> u32 {
    let of_warp = |step: &&Traced| step.block.x == block && step.warp == warp;
    trace.iter().find(of_warp).map_or(0, |step| step.mask)
}

/// Two warps of a block for each kernel: sequences of instructions with the same mask, in order.
pub fn parity_masks(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let cases: [(&str, &'static Kernel, bool); 3] = [
        ("as written, the parity of the thread decides", &MATH_EVEN_THREAD, true),
        ("as written, the parity of the warp decides", &MATH_EVEN_WARP, true),
        ("optimised, the parity of the thread decides", &MATH_EVEN_THREAD, false),
    ];
    let strips = [10.0, 208.0].map(|x| Strip { x, pitch: 4.6, height: 8.0 });
    for (strip, name) in strips.iter().zip(["warp 0", "warp 1"]) {
        sheet.middle(f64::midpoint(strip.x, strip.end()), 12.0, Tone::Strong, name);
    }
    let (mut y, mut said) = (32.0, Vec::new());
    for (head, kernel, is_debug) in cases {
        sheet.left(strips[0].x, y, Tone::Text, head);
        let n = 2 * LANES as usize;
        let c = sources.zeroed::<f32>("c", n)?;
        let launch = Launch::cover(kernel, n, 2 * LANES);
        let launch = if is_debug { launch.debug()? } else { launch };
        let trace = sources.trace(&launch.arg(c).arg(n as i32))?;
        let mut end = y;
        for (strip, warp) in strips.iter().zip(0..) {
            let steps: Vec<&Traced> = trace.iter().filter(|step| step.warp == warp).collect();
            let mut row = y + 7.0;
            for part in steps.chunk_by(|one, other| one.mask == other.mask) {
                strip.mask(sheet, row, part[0].mask, Fill::On);
                let count = part.len().to_string();
                sheet.sized(strip.end() + 5.0, row + 8.5, Anchor::Start, Tone::Dim, 12.0, &count);
                row += 14.0;
            }
            end = end.max(row);
            let diverging = steps.iter().filter(|step| step.mask != u32::MAX).count();
            said.push(format!(
                "{head}, warp {warp}: {diverging} of {} instructions with lanes switched off",
                steps.len()
            ));
        }
        y = end + 20.0;
    }
    Ok(format!(
        "For each of three kernels, two warps, and time runs downwards: a strip of lanes for each run of instructions that the \
         same lanes execute, and the number of these instructions. {}.",
        said.join("; ")
    ))
}

/// What the condition of `math_precedence` does to four warps, and what it was intended to do.
pub fn values(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const WARPS: u32 = 4;
    let n = (WARPS * LANES) as usize;
    let mut result = |kernel: &'static Kernel| -> Result<Vec<f32>> {
        let c = sources.zeroed::<f32>("c", n)?;
        let launch = Launch::cover(kernel, n, 2 * LANES).arg(c).arg(n as i32);
        Ok(sources.trial(&launch, c)?.1)
    };
    let (meant, printed) = (result(&MATH_PRECEDENCE_FIXED)?, result(&MATH_PRECEDENCE)?);
    let strips = [58.0, 236.0].map(|x| Strip { x, pitch: 4.2, height: 11.0 });
    let heads = ["(warp & 0x01) == 0", "warp & 0x01 == 0"];
    let mut said = Vec::new();
    for ((strip, head), values) in strips.iter().zip(heads).zip([&meant, &printed]) {
        sheet.left(strip.x, 13.0, Tone::Mono, head);
        for (warp, part) in values.chunks(LANES as usize).enumerate() {
            ensure!(part.iter().all(|value| value.to_bits() == part[0].to_bits()), "a warp wrote two values");
            let (y, value) = (22.0 + 19.0 * warp as f64, part[0].to_string());
            let fill = if part[0] < 150.0 { Fill::A } else { Fill::B };
            strip.cells(sheet, y, |_| Some(fill));
            sheet.sized(strip.end() + 4.0, y + 9.8, Anchor::Start, Tone::Text, 12.0, &value);
            if head == heads[0] {
                sheet.sized(50.0, y + 9.8, Anchor::End, Tone::Text, 12.0, &format!("warp {warp}"));
            }
            said.push(format!("{head}, warp {warp}: {value}"));
        }
    }
    Ok(format!(
        "The elements of four warps, as the right condition and as the wrong one leave them. {}.",
        said.join("; ")
    ))
}

/// One warp in which the first half has negative numbers or indices: the lanes that execute what the kernel is about.
pub fn who_computes(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let n = LANES as usize;
    let half = |negative: f32, other: f32| -> Vec<f32> {
        (0..n).map(|lane| if lane < n / 2 { negative } else { other }).collect()
    };
    let x = sources.upload("x", &half(-1.0, 4.0))?;
    let index: Vec<i32> = half(-1.0, 5.0).iter().map(|&value| value as i32).collect();
    let (index, z) = (sources.upload("index", &index)?, sources.zeroed::<f32>("z", n)?);
    let n = n as i32;
    let launches = [
        ("sqrt.", "root, under an if", Launch::new(&BRANCH_SQRT, 1, LANES).arg(x).arg(z).arg(n)),
        ("sqrt.", "root, then a select", Launch::new(&SQRT_THEN_SELECT, 1, LANES).arg(x).arg(z).arg(n)),
        (
            "ld.global.f32",
            "load, under an if",
            Launch::new(&GUARDED_LOAD, 1, LANES).arg(index).arg(x).arg(z).arg(n),
        ),
        (
            "ld.global.f32",
            "loads, then a select",
            Launch::new(&SELECT_MERGE, 1, LANES).arg(index).arg(x).arg(x).arg(z).arg(n),
        ),
    ];
    let strip = Strip { x: 141.0, pitch: 6.15, height: 12.0 };
    strip.numbers(sheet, 12.0);
    sheet.right(136.0, 12.0, Tone::Dim, "lane");
    let (mut y, mut said) = (20.0, Vec::new());
    for (opcode, label, launch) in launches {
        let trace = sources.trace(&launch)?;
        let steps = trace.iter().filter(|step| step.ptx.contains(opcode));
        let mask = steps.fold(0, |lanes, step| lanes | step.active);
        strip.mask(sheet, y, mask, Fill::On);
        sheet.sized(136.0, y + 10.5, Anchor::End, Tone::Text, 12.0, label);
        let count = mask.count_ones();
        sheet.sized(strip.end() + 7.0, y + 10.5, Anchor::Start, Tone::Dim, 12.0, &format!("{count} lanes"));
        said.push(format!("{label}: {count} lanes"));
        y += 20.0;
        if opcode.starts_with("sqrt") && label.ends_with("select") {
            y += 8.0;
        }
    }
    Ok(format!(
        "A strip of lanes for each way to write it, with the lanes that execute it; the first half has negative numbers. {}.",
        said.join("; ")
    ))
}
