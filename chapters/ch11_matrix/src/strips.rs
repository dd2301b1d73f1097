//! Where the rows of a tile are in shared memory, and when they arrive.
//!
//! Strips of 16 rows are multiplied by a matrix of 64 columns. `ldmatrix` reads eight rows at a time, and the layouts differ in the
//! banks of those rows. The last two kernels copy the next tiles while they multiply. It leaves out how long that takes.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::matrices::{
    STRIP_AHEAD, STRIP_NO_WAIT, STRIP_PADDED, STRIP_ROWS, STRIP_SWIZZLED,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BANK_CONFLICTS, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::matrices::{Matrix, Shape};

/// The columns of A and rows of B, which are two tiles.
const N: usize = 128;
/// The columns of B, eight for each warp.
const COLUMNS: usize = 64;
/// There is a strip for this many of the chapter's products.
const PRODUCTS: usize = 16;
/// Bytes of a tile of A and one of B, with rows of 64 elements and with rows of 72.
const TILES: [f64; 2] = [(16.0 + 64.0) * 128.0, (16.0 + 64.0) * 144.0];

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape::of(lab)?;
    let strips = shape.products.div_ceil(PRODUCTS);
    let title = format!("which layout lets ldmatrix read eight rows at once? {strips} x 16 rows");
    lab.section("strips", &title, &[BANK_CONFLICTS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, bytes, expected) in [
        (&STRIP_ROWS, TILES[0], Verdict::Ok),
        (&STRIP_PADDED, TILES[1], Verdict::Ok),
        (&STRIP_SWIZZLED, TILES[0], Verdict::Ok),
        (&STRIP_AHEAD, 2.0 * TILES[0], Verdict::Ok),
        (&STRIP_NO_WAIT, 2.0 * TILES[0], Verdict::Fault),
    ] {
        lab.variant(kernel.name, |device| {
            Ok(strip(device, kernel, strips, shape.seed)?.fact("shared_bytes", bytes).expect(expected))
        })?;
    }
    lab.notice(layouts);
    Ok(())
}

fn strip(device: &mut Device, kernel: &'static Kernel, strips: usize, seed: u64) -> Result<Row> {
    let a = Matrix::random(16 * strips, N, seed);
    let b = Matrix::random(N, COLUMNS, seed ^ 1);
    let [of_a, of_b] = [device.upload("a", &a.bits())?, device.upload("b", &b.bits())?];
    let c = device.zeroed::<f32>("c", 16 * strips * COLUMNS)?;
    let launch = Launch::new(kernel, strips as u32, 256).seed(seed).arg(of_a).arg(of_b).arg(c);
    let run = device.launch(&launch.arg(N as i32))?;
    device.check(run, c, &a.times(&b), &Tolerance::Exact)
}

fn layouts(section: &Section) -> Option<String> {
    let conflicts = |kernel: &Kernel| Some(section.row(kernel.name)?.run.counters.shared_load_bank_conflicts);
    let bytes = |kernel: &Kernel| section.row(kernel.name)?.fact_value("shared_bytes");
    Some(format!(
        "Bank conflicts: {} with rows one below another, {} with padding and {} with a swizzle. The padding takes {} bytes of shared \
         memory, the swizzle none.",
        grouped(conflicts(&STRIP_ROWS)?),
        conflicts(&STRIP_PADDED)?,
        conflicts(&STRIP_SWIZZLED)?,
        grouped((bytes(&STRIP_PADDED)? - bytes(&STRIP_SWIZZLED)?) as u64),
    ))
}
