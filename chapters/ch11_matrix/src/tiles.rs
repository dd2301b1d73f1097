//! `ldmatrix`: one instruction brings up to four matrices from shared memory to the lanes that need them.
//!
//! Two warps share the tiles. Each wrong kernel differs in one thing: the barrier, the width of a row, the transposition. It leaves
//! out bank conflicts, because rows of 32 bytes have none that matter.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::matrices::{
    FROM_TILE, FROM_TILE_NO_BARRIER, FROM_TILE_NOT_TURNED, FROM_TILE_PADDED_BY_ONE,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::matrices::{Matrix, Shape};

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape::of(lab)?;
    let title = format!("is a tile loaded right? {} products of 16 x 16 by 16 x 16", shape.products);
    lab.section("tiles", &title, &[INSTRUCTIONS_PER_WARP, SHARED_REQUESTS]);
    for (kernel, expected) in [
        (&FROM_TILE, Verdict::Ok),
        (&FROM_TILE_NO_BARRIER, Verdict::Fault),
        (&FROM_TILE_PADDED_BY_ONE, Verdict::Fault),
        (&FROM_TILE_NOT_TURNED, Verdict::Wrong),
    ] {
        lab.variant(kernel.name, |device| Ok(multiply(device, kernel, shape)?.expect(expected)))?;
    }
    lab.notice(compared);
    Ok(())
}

fn multiply(device: &mut Device, kernel: &'static Kernel, shape: Shape) -> Result<Row> {
    let a = Matrix::random(16 * shape.products, 16, shape.seed);
    let b = Matrix::random(16 * shape.products, 16, shape.seed ^ 1);
    let [of_a, of_b] = [device.upload("a", &a.bits())?, device.upload("b", &b.bits())?];
    let c = device.zeroed::<f32>("c", 16 * 16 * shape.products)?;
    let launch = Launch::new(kernel, shape.blocks(), 64).seed(shape.seed).arg(of_a).arg(of_b).arg(c);
    let run = device.launch(&launch)?;
    let expected: Vec<f64> = a.parts(16).zip(b.parts(16)).flat_map(|(a, b)| a.times(&b)).collect();
    device.check(run, c, &expected, &Tolerance::Exact)
}

fn compared(section: &Section) -> Option<String> {
    let row = section.row(FROM_TILE.name)?;
    let loads = row.run.counters.shared_load_requests;
    Some(format!(
        "Each warp loads both operands with two instructions. The counters show {loads} ordinary loads from shared memory, because \
         the profiler counts `ldmatrix` elsewhere, and so does the emulator."
    ))
}
