//! What one warp needs of A and B for one step of the product, if its lanes go down or across.
//!
//! It is found out by experiment: a warp runs alone, all of B is 0 except for the row of the step, and A is 1 in a single sector.
//! If the warp stores anything but 0, it has read that sector. The same is done with A and B exchanged.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::products::{PRODUCT_ACROSS, PRODUCT_DOWN};
use thirty_two_lanes::{Buffer, Launch};

use crate::{Fill, Sheet, Sources, Stroke, Tone};

/// Rows and columns.
const N: usize = 32;
/// Floats in a sector.
const SECTOR: usize = 8;
/// The step: a column of A and a row of B.
const STEP: usize = 3;
const PITCH: f64 = 3.2;
/// What the warp does not overwrite.
const UNTOUCHED: f32 = -1.0;

struct Matrices {
    a: Buffer<f32>,
    b: Buffer<f32>,
    c: Buffer<f32>,
}

pub fn draw(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let (mut top, mut described) = (18.0, Vec::new());
    for (kernel, words) in [(&PRODUCT_DOWN, "down"), (&PRODUCT_ACROSS, "across")] {
        let [of_a, of_b, of_c] = sources.scope(|sources| needed(sources, kernel))?;
        sheet.left(4.0, top, Tone::Mono, kernel.name);
        for (x, name, cells, width) in
            [(4.0, "A", &of_a, SECTOR), (140.0, "B", &of_b, SECTOR), (276.0, "C", &of_c, 1)]
        {
            panel(sheet, x, top + 8.0, cells, width);
            let count = cells.iter().filter(|is_needed| **is_needed).count() / width;
            let what = if width == 1 {
                "elements"
            } else if count == 1 {
                "sector"
            } else {
                "sectors"
            };
            sheet.left(x, top + 126.0, Tone::Text, &format!("{name}: {count} {what}"));
            described.push(format!("{words}, {name}: {count} {what}"));
        }
        top += 158.0;
    }
    Ok(format!(
        "Matrices A, B and C of {N} rows and columns, and what one warp needs of them for step {STEP}, by sectors of {SECTOR} \
         floats. {}.",
        described.join("; ")
    ))
}

/// The elements of A and B in sectors that the warp reads in the step, and those of C that it stores.
fn needed(sources: &mut Sources, kernel: &'static Kernel) -> Result<[Vec<bool>; 3]> {
    let zeros = vec![0.0_f32; N * N];
    let matrices = Matrices {
        a: sources.upload("a", &zeros)?,
        b: sources.upload("b", &zeros)?,
        c: sources.upload("c", &vec![UNTOUCHED; N * N])?,
    };
    let launch = Launch::new(kernel, 1, 32);
    let launch = launch.arg(matrices.a).arg(matrices.b).arg(matrices.c).arg(N as i32);
    let (_, stored) = sources.trial(&launch, matrices.c)?;
    let row: Vec<f32> = (0..N * N).map(|i| f32::from(u8::from(i / N == STEP))).collect();
    let column: Vec<f32> = (0..N * N).map(|i| f32::from(u8::from(i % N == STEP))).collect();
    sources.write(matrices.b, &row)?;
    let of_a = read(sources, &launch, matrices.a, matrices.c)?;
    sources.write(matrices.a, &column)?;
    let of_b = read(sources, &launch, matrices.b, matrices.c)?;
    Ok([of_a, of_b, stored.iter().map(|value| *value != UNTOUCHED).collect()])
}

/// The elements of a matrix in whose sectors the warp reads something that counts.
fn read(sources: &mut Sources, launch: &Launch, of: Buffer<f32>, c: Buffer<f32>) -> Result<Vec<bool>> {
    let mut needed = Vec::new();
    for sector in 0..N * N / SECTOR {
        let ones: Vec<f32> = (0..N * N).map(|i| f32::from(u8::from(i / SECTOR == sector))).collect();
        sources.write(of, &ones)?;
        let (_, stored) = sources.trial(launch, c)?;
        needed.extend([stored.iter().any(|value| *value != UNTOUCHED && *value != 0.0); SECTOR]);
    }
    Ok(needed)
}

fn panel(sheet: &mut Sheet, left: f64, top: f64, cells: &[bool], width: usize) {
    let side = N as f64 * PITCH;
    sheet.frame([left, top, side, side], Stroke::Grid);
    let pieces = cells.iter().step_by(width).zip((0..N * N).step_by(width));
    let needed = pieces.filter(|(is_needed, _)| **is_needed).map(|(_, at)| {
        let (row, column) = ((at / N) as f64, (at % N) as f64);
        [left + column * PITCH, top + row * PITCH, width as f64 * PITCH - 0.4, PITCH - 0.4]
    });
    sheet.rects(if width == 1 { Fill::On } else { Fill::A }, needed);
}
