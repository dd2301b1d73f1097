//! A whole product: three stages of copies, swizzled tiles, and a warp that multiplies 64 rows by 64 columns.
//!
//! The kernels are timed beside cuBLAS's with large matrices, and the book shows that record. Here they run with the smallest
//! matrices that fit several blocks, where only their counts matter. It leaves out other sizes and types.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::products_mma::{PRODUCT_MMA, PRODUCT_MMA_ROWS};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BANK_CONFLICTS, INSTRUCTIONS_PER_WARP, LOAD_SECTORS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Run, Tolerance};

use crate::matrices::Matrix;

/// Rows and columns of the matrices, and those of C that a block computes.
const N: usize = 256;
const OF_BLOCK: usize = 128;
const THREADS: u32 = 128;
/// Three stages of 128 times 64 and 64 times 128 elements of two bytes.
const STAGES_BYTES: u32 = 3 * 2 * 128 * 64 * 2;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("what does the swizzle save in a whole product? {N} x {N} by {N} x {N}");
    lab.section("product", &title, &[BANK_CONFLICTS, LOAD_SECTORS, INSTRUCTIONS_PER_WARP]);
    let [a, b] = [Matrix::random(N, N, seed), Matrix::random(N, N, seed ^ 1)];
    let expected = LazyCell::new(|| a.times(&b));
    for kernel in [&PRODUCT_MMA_ROWS, &PRODUCT_MMA] {
        lab.variant(kernel.name, |device| {
            let (run, c) = product(device, kernel, [&a, &b], seed)?;
            device.check(run, c, &expected, &Tolerance::Exact)
        })?;
    }
    lab.notice(multiplications);
    Ok(())
}

fn product(
    device: &mut Device,
    kernel: &'static Kernel,
    factors: [&Matrix; 2],
    seed: u64,
) -> Result<(Run, Buffer<f32>)> {
    let [a, b] = factors;
    let [of_a, of_b] = [device.upload("a", &a.bits())?, device.upload("b", &b.bits())?];
    let c = device.zeroed::<f32>("c", N * N)?;
    let blocks = (N / OF_BLOCK) as u32;
    let launch = Launch::new(kernel, (blocks, blocks), THREADS).shared_bytes(STAGES_BYTES).seed(seed);
    // The checkers remember every access, and tests of the kernels watch a run of each.
    let run = device.launch(&launch.arg(of_a).arg(of_b).arg(c).arg(N as i32).unchecked())?;
    Ok((run, c))
}

fn multiplications(section: &Section) -> Option<String> {
    let row = section.row(PRODUCT_MMA.name)?;
    let per_warp = row.run.counters.ptx_instructions_per_warp();
    let each = 16 * 16 * 8;
    let products = (N * N * N) as u64 / each / row.run.counters.warps;
    Some(format!(
        "Of {} PTX instructions of a warp, {products} are mma. Each of them multiplies and adds {} times.",
        grouped(per_warp as u64),
        grouped(each)
    ))
}
