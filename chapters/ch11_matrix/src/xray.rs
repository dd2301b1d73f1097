//! Which lane gets an element of a product? One element of A and one of B are one, so that one of the product is.
//!
//! There is a block for each of the 128 elements. It leaves out the elements of A and B, whose lanes the next section shows: its
//! products are right only if it loads them to the right ones.

use anyhow::Result;
use thirty_two_lanes::kernels::matrices::XRAY;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::INSTRUCTIONS_PER_WARP;
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance};

const LANES: usize = 32;
const ROWS: usize = 16;
const COLUMNS: usize = 8;

pub fn section(lab: &mut Lab) -> Result<()> {
    let title = "which lane gets an element of the product? A warp for each";
    lab.section("fragments", title, &[INSTRUCTIONS_PER_WARP]);
    lab.variant(XRAY.name, xray)?;
    lab.notice(moved);
    Ok(())
}

fn xray(device: &mut Device) -> Result<Row> {
    let found = device.zeroed::<i32>("found", ROWS * COLUMNS * LANES)?;
    let launch = Launch::new(&XRAY, (COLUMNS as u32, ROWS as u32), LANES as u32);
    let run = device.launch(&launch.arg(found).arg(0).arg(0))?;
    let mut expected = vec![0.0; ROWS * COLUMNS * LANES];
    for (element, of_lanes) in expected.chunks_mut(LANES).enumerate() {
        let (row, column) = (element / COLUMNS, element % COLUMNS);
        // Four lanes have the eight columns of a row, and each of them has the row eight below as well.
        of_lanes[row % 8 * 4 + column / 2] = (1 + row / 8 * 2 + column % 2) as f64;
    }
    let row = device.check(run, found, &expected, &Tolerance::Exact)?;
    Ok(row.fact("elements", (ROWS * COLUMNS) as f64))
}

fn moved(section: &Section) -> Option<String> {
    let elements = section.row(XRAY.name)?.fact_value("elements")?;
    Some(format!(
        "Each of the {elements} elements appears in one register of one lane, four in every lane. Its factors came from two \
         lanes, and no instruction of the kernel but mma moves a number from lane to lane."
    ))
}
