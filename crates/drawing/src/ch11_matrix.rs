//! Figures of chapter 11: a warp as a matrix unit.
//!
//! The lanes of C are those that a run names, one run for each element; those of A and B are where `multiply_by_hand` loads them, whose
//! product is compared with a CPU's. Rates are from the record of matrix products. Fragments of other shapes are left out.

use anyhow::{Result, ensure};
use thirty_two_lanes::Launch;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::matrices::{STRIP_PADDED, STRIP_ROWS, STRIP_SWIZZLED, XRAY};
use thirty_two_lanes::kernels::matrices_sums::{SUM_F16, SUM_ONE_BY_ONE};

use crate::chart::{Bar, Bars};
use crate::sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};
use crate::timeline::legend;
use crate::warp::{LANES, Strip};
use crate::{Figure, Sources};

pub const FIGURES: &[Figure] = &[
    Figure { name: "fragment_lanes", title: "Which lane has which element of A, B and C", draw: fragments },
    Figure { name: "one_element", title: "Where the factors of one element are", draw: one_element },
    Figure { name: "rows_and_banks", title: "Eight rows of a tile and the banks they are in", draw: banks },
    Figure { name: "what_survives", title: "Which small products survive beside one", draw: survivors },
    Figure { name: "rates_of_bf16", title: "Products of bfloat16 beside cuBLAS", draw: rates },
];

const ROWS: usize = 16;
const COLUMNS: usize = 8;
const K: usize = 16;
/// The element that the chapter follows.
const ROW: usize = 5;
const COLUMN: usize = 3;
/// A colour for each register of a lane.
const FILLS: [Fill; 4] = [Fill::A, Fill::B, Fill::C, Fill::D];

/// A lane, and the number of a register in it.
type Home = (usize, usize);

fn home_in_a(row: usize, k: usize) -> Home {
    (row % 8 * 4 + k % 8 / 2, row / 8 + k / 8 * 2)
}

fn home_in_b(k: usize, column: usize) -> Home {
    (column * 4 + k % 8 / 2, k / 8)
}

/// The homes of all elements of C, row after row, each from the block that had a one in that place.
fn homes_in_c(sources: &mut Sources) -> Result<Vec<Home>> {
    let found = sources.zeroed::<i32>("found", ROWS * COLUMNS * LANES as usize)?;
    let launch = Launch::new(&XRAY, (COLUMNS as u32, ROWS as u32), LANES).arg(found).arg(0).arg(0);
    let (_, found) = sources.trial(&launch, found)?;
    found
        .chunks(LANES as usize)
        .map(|lanes| {
            let seen: Vec<Home> = lanes
                .iter()
                .enumerate()
                .filter(|&(_, &i)| i > 0)
                .map(|(lane, &i)| (lane, i as usize - 1))
                .collect();
            ensure!(seen.len() == 1, "{} lanes have the element", seen.len());
            Ok(seen[0])
        })
        .collect()
}

/// A matrix of lane numbers, in the colours of registers.
struct Grid {
    x: f64,
    y: f64,
    columns: usize,
    /// Whether the two elements that a lane holds side by side are in one column.
    is_by_columns: bool,
    cell: (f64, f64),
}

/// The size of an element's cell in A and C, and in B, where each element has a number.
const CELL: (f64, f64) = (15.6, 15.0);
const CELL_OF_B: (f64, f64) = (23.0, 15.0);

impl Grid {
    fn at(&self, row: usize, column: usize) -> (f64, f64) {
        (self.x + self.cell.0 * column as f64, self.y + self.cell.1 * row as f64)
    }

    fn draw(&self, sheet: &mut Sheet, title: &str, homes: &[Home]) {
        sheet.sized(self.x, self.y - 6.0, Anchor::Start, Tone::Text, 12.5, title);
        let size = (self.cell.0 - 1.0, self.cell.1 - 1.0);
        for (register, fill) in FILLS.into_iter().enumerate() {
            let of = homes.iter().enumerate().filter(|(_, home)| home.1 == register);
            sheet.boxes(size, fill, of.map(|(place, _)| self.at(place / self.columns, place % self.columns)));
        }
        // Two neighbours are in one lane, whose number is between them.
        let (down, right) = self.pair();
        let (width, height) = (self.cell.0 * right as f64, self.cell.1 * down as f64);
        for (place, (lane, _)) in homes.iter().enumerate() {
            let (row, column) = (place / self.columns, place % self.columns);
            if row % down == 0 && column % right == 0 {
                let (x, y) = self.at(row, column);
                sheet.rect([x + 1.5, y + 1.5, width - 4.0, height - 4.0], Fill::Paper);
                let centre = (x + width / 2.0 - 0.5, y + height / 2.0 + 3.8);
                sheet.sized(centre.0, centre.1, Anchor::Middle, Tone::Text, 12.0, &lane.to_string());
            }
        }
    }

    /// Rows and columns of the elements that a lane has side by side.
    fn pair(&self) -> (usize, usize) {
        if self.is_by_columns { (2, 1) } else { (1, 2) }
    }

    /// A dot in an element, beside the number of its pair.
    fn mark(&self, sheet: &mut Sheet, row: usize, column: usize) {
        let (down, right) = self.pair();
        let (x, y) = self.at(row / down * down, column / right * right);
        let (width, height) = (self.cell.0 * right as f64, self.cell.1 * down as f64);
        let centre = if self.is_by_columns {
            (x + width / 2.0 - 0.5, y + height - 6.5)
        } else {
            (x + width - 6.5, y + height / 2.0 - 0.5)
        };
        sheet.mark(centre, 2.6, Mark::Disc, Fill::On);
    }
}

fn fragments(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let of_c = homes_in_c(sources)?;
    let of_a: Vec<Home> = (0..ROWS).flat_map(|row| (0..K).map(move |k| home_in_a(row, k))).collect();
    let of_b: Vec<Home> = (0..K).flat_map(|k| (0..COLUMNS).map(move |column| home_in_b(k, column))).collect();
    let b = Grid { x: 206.0, y: 22.0, columns: COLUMNS, is_by_columns: true, cell: CELL_OF_B };
    let a = Grid { x: 4.0, y: 290.0, columns: K, is_by_columns: false, cell: CELL };
    let c = Grid { x: 266.0, y: 290.0, columns: COLUMNS, is_by_columns: false, cell: CELL };
    a.draw(sheet, "A, 16 by 16", &of_a);
    b.draw(sheet, "B, 16 by 8", &of_b);
    c.draw(sheet, "C, 16 by 8", &of_c);
    for grid in [&a, &b, &c] {
        grid.mark(sheet, ROW, COLUMN);
    }
    sheet.left(4.0, 60.0, Tone::Dim, "A number is a lane.");
    sheet.left(4.0, 80.0, Tone::Dim, "A colour is a register:");
    for (register, fill) in FILLS.into_iter().enumerate() {
        let y = 100.0 + 20.0 * register as f64;
        sheet.mark((12.0, y - 4.3), 5.0, Mark::Square, fill);
        let text = match register {
            0 | 1 => format!("a[{register}], b[{register}], c[{register}]"),
            _ => format!("a[{register}], c[{register}]"),
        };
        sheet.left(24.0, y, Tone::Dim, &text);
    }
    sheet.left(4.0, 184.0, Tone::Dim, "A dot is row 5, column 3.");
    let [in_a, in_b, in_c] =
        [of_a[ROW * K + COLUMN], of_b[ROW * COLUMNS + COLUMN], of_c[ROW * COLUMNS + COLUMN]];
    Ok(format!(
        "Three matrices of lane numbers. Element ({ROW}, {COLUMN}) is in lane {} of A, register {}, in lane {} of B, register {}, \
         and in lane {} of C, register {}. Rows of A and C go over four lanes from left to right, columns of B over four lanes \
         from top to bottom.",
        in_a.0, in_a.1, in_b.0, in_b.1, in_c.0, in_c.1
    ))
}

fn one_element(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let home = homes_in_c(sources)?[ROW * COLUMNS + COLUMN].0 as u32;
    let lanes = |homes: &mut dyn Iterator<Item = Home>| homes.fold(0_u32, |mask, home| mask | 1 << home.0);
    let row = lanes(&mut (0..K).map(|k| home_in_a(ROW, k)));
    let column = lanes(&mut (0..K).map(|k| home_in_b(k, COLUMN)));
    let strip = Strip::squares(62.0, 10.5);
    strip.numbers(sheet, 12.0);
    let lines = [
        (format!("row {ROW} of A"), row, Fill::A),
        (format!("column {COLUMN} of B"), column, Fill::B),
        (format!("C({ROW}, {COLUMN})"), 1 << home, Fill::C),
    ];
    for ((name, mask, fill), y) in lines.iter().zip([22.0, 62.0, 122.0]) {
        strip.mask(sheet, y, *mask, *fill);
        sheet.sized(strip.x, y + 22.0, Anchor::Start, Tone::Dim, 12.0, name);
    }
    for mask in [row, column] {
        let from = if mask == row { 34.0 } else { 74.0 };
        let middle = strip.centre(mask.trailing_zeros()) + 1.5 * strip.pitch;
        sheet.arrow(&[(middle, from), (strip.centre(home), 119.0)], Stroke::Arrow);
    }
    Ok(format!(
        "Three strips of 32 lanes. Row {ROW} of A is in lanes {} to {}, column {COLUMN} of B in lanes {} to {}, and element ({ROW}, \
         {COLUMN}) of C appears in lane {home}.",
        row.trailing_zeros(),
        row.ilog2(),
        column.trailing_zeros(),
        column.ilog2(),
    ))
}

/// Bytes of all banks, and of a piece of a row.
const ALL_BANKS: usize = 128;
const PIECE: usize = 16;

/// A layout: its name, where piece `piece` of a row is, in bytes, and the kernel whose tiles have it.
type Layout = (&'static str, fn(usize, usize) -> usize, &'static Kernel);

/// How many passes `ldmatrix` takes for each matrix that a kernel loads.
fn passes(sources: &mut Sources, kernel: &'static Kernel) -> Result<u64> {
    let (a, b) = (sources.zeroed::<u16>("a", 16 * 64)?, sources.zeroed::<u16>("b", 64 * 64)?);
    let c = sources.zeroed::<f32>("c", 16 * 64)?;
    let (run, _) = sources.trial(&Launch::new(kernel, 1, 256).arg(a).arg(b).arg(c).arg(64), c)?;
    // Eight warps load four matrices of A and two of B in each of four steps.
    let (conflicts, matrices) = (run.counters.shared_load_bank_conflicts, 8 * 4 * (4 + 2));
    ensure!(conflicts.is_multiple_of(matrices), "{conflicts} conflicts of {matrices} matrices");
    Ok(1 + conflicts / matrices)
}

fn banks(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const LAYOUTS: [Layout; 3] = [
        ("as they are", |row, piece| row * ALL_BANKS + piece * PIECE, &STRIP_ROWS),
        ("padded", |row, piece| row * (ALL_BANKS + PIECE) + piece * PIECE, &STRIP_PADDED),
        ("swizzled", |row, piece| row * ALL_BANKS + (piece ^ (row % 8)) * PIECE, &STRIP_SWIZZLED),
    ];
    // The column of pieces that one matrix of `ldmatrix` needs.
    const WANTED: usize = 2;
    let (cell, mut described) = (14.0, Vec::new());
    for ((name, at, kernel), x) in LAYOUTS.into_iter().zip([4.0, 140.0, 276.0]) {
        sheet.sized(x, 12.0, Anchor::Start, Tone::Text, 12.0, name);
        let place = |row: usize, piece: usize| {
            let byte = at(row, piece);
            (x + cell * (byte % ALL_BANKS / PIECE) as f64, 24.0 + cell * (byte / ALL_BANKS) as f64)
        };
        let size = (cell - 2.0, cell - 2.0);
        let others = (0..8).flat_map(|row| (0..8).filter(|&p| p != WANTED).map(move |p| (row, p)));
        sheet.boxes(size, Fill::Off, others.map(|(row, p)| place(row, p)));
        sheet.boxes(size, Fill::A, (0..8).map(|row| place(row, WANTED)));
        let mut columns: Vec<usize> = (0..8).map(|row| at(row, WANTED) % ALL_BANKS / PIECE).collect();
        columns.sort_unstable();
        columns.dedup();
        let passes = passes(sources, kernel)?;
        ensure!(passes as usize == 8 / columns.len(), "{name}: {passes} passes");
        let unit = if passes == 1 { "pass" } else { "passes" };
        sheet.sized(x, 172.0, Anchor::Start, Tone::Strong, 12.5, &format!("{passes} {unit}"));
        described.push(format!("{name}: {passes} {unit}"));
    }
    Ok(format!(
        "Shared memory as lines of {ALL_BANKS} bytes, which are all banks once; a square is {PIECE} bytes. The filled ones are one \
         matrix of ldmatrix, eight rows of which one piece is needed. {}.",
        described.join("; ")
    ))
}

/// The bits of a power of two that f16 has.
fn power_of_f16(exponent: i32) -> u16 {
    ((exponent + 15) as u16) << 10
}

/// One plus a small product minus one: is it zero?
fn survivors(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    let exponents = 20..=28;
    let (mut y, mut described) = (40.0, Vec::new());
    for exponent in exponents.clone() {
        let x = 118.0 + 30.0 * f64::from(exponent - 20);
        sheet.sized(x, 14.0, Anchor::Middle, Tone::Dim, 12.0, &format!("-{exponent}"));
    }
    for (kernel, name) in [(&SUM_F16, "mma"), (&SUM_ONE_BY_ONE, "a thread")] {
        sheet.left(4.0, y + 4.3, Tone::Text, name);
        let mut last = 0;
        for exponent in exponents.clone() {
            // The small product comes before minus one, so that a thread has to keep it beside one.
            let mut a = [power_of_f16(-(exponent / 2)), power_of_f16(0) | 0x8000].to_vec();
            let mut b = [power_of_f16(-(exponent - exponent / 2)), power_of_f16(0)].to_vec();
            a.resize(16, 0);
            b.resize(16, 0);
            let [a, b] = [sources.upload("a", &a)?, sources.upload("b", &b)?];
            let (c, d) = (sources.upload("c", &[1.0_f32])?, sources.zeroed::<f32>("d", 1)?);
            let (_, sum) = sources.trial(&Launch::new(kernel, 1, LANES).arg(a).arg(b).arg(c).arg(d), d)?;
            let at = (118.0 + 30.0 * f64::from(exponent - 20), y);
            if sum[0] == 0.0 {
                sheet.mark(at, 5.0, Mark::Cross, Fill::Bad);
            } else {
                let whole = 2_f32.powi(-exponent);
                ensure!(sum[0].to_bits() == whole.to_bits(), "{name}: {} is left", sum[0]);
                sheet.mark(at, 5.0, Mark::Disc, Fill::Good);
                last = exponent;
            }
        }
        described.push(format!("{name} keeps powers down to -{last}"));
        y += 30.0;
    }
    legend(sheet, 4.0, y + 8.0, &[(Mark::Disc, Fill::Good, "is left"), (Mark::Cross, Fill::Bad, "is lost")]);
    Ok(format!(
        "A column for each exponent e of a small product, 2 to the power of e, which is added to one before one is subtracted. {}.",
        described.join("; ")
    ))
}

fn rates(sources: &mut Sources, sheet: &mut Sheet) -> Result<String> {
    const SIZE: u64 = 4096;
    const PRODUCTS: [(&str, Fill); 5] = [
        ("product_mma_rows", Fill::B),
        ("product_mma", Fill::B),
        ("product_wgmma", Fill::A),
        ("product_wgmma_cluster", Fill::A),
        ("cublas_bf16", Fill::Off),
    ];
    let mut bars = Vec::new();
    for (name, fill) in PRODUCTS {
        let row = sources.product(SIZE, name)?;
        let rate = row.gflop_s.unwrap_or_default() / 1000.0;
        bars.push(Bar { name: name.to_owned(), value: rate, label: format!("{rate:.0}"), fill });
    }
    let most = bars.iter().map(|bar| bar.value).fold(1.0, f64::max);
    sheet.left(4.0, 12.0, Tone::Dim, "10¹² operations a second, H200");
    let look = Bars { x: 180.0, width: 175.0, most, pitch: 24.0, tone: Tone::Mono };
    look.draw(sheet, 24.0, &bars);
    let described: Vec<String> = bars.iter().map(|bar| format!("{}: {}", bar.name, bar.label)).collect();
    Ok(format!(
        "Bars of the rate of products of bfloat16 with {SIZE} rows and columns on an H200, in 10¹² operations a second. {}.",
        described.join("; ")
    ))
}
