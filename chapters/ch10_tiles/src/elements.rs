//! One thread for each element of C: does it matter which element?
//!
//! It leaves out what the caches make of the loads, which only a GPU shows.

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::kernels::products::{PRODUCT_ACROSS, PRODUCT_DOWN};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{LOAD_REQUESTS, LOAD_SECTORS, SECTORS};

use crate::matrices::{Matrices, PRODUCTS_PER_LOAD, Version};

const VERSIONS: [Version; 2] = [
    Version {
        kernel: &PRODUCT_DOWN,
        tile: (32, 8),
        block: (32, 8),
        is_down: true,
        is_right: true,
        checked_n: 32,
    },
    Version {
        kernel: &PRODUCT_ACROSS,
        tile: (8, 32),
        block: (32, 8),
        is_down: false,
        is_right: true,
        checked_n: 32,
    },
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let matrices = Matrices::of(lab)?;
    let title = format!("one thread for each element: down or across? {}", matrices.named());
    lab.section("elements", &title, &[LOAD_REQUESTS, LOAD_SECTORS, SECTORS, PRODUCTS_PER_LOAD]);
    matrices.section(lab, &VERSIONS)?;
    lab.notice(sectors);
    Ok(())
}

fn sectors(section: &Section) -> Option<String> {
    let each = |name: &str| Some(section.row(name)?.run.counters.global_load_sectors_per_request());
    Some(format!(
        "Both versions make the same loads, and for a load they touch {:.1} or {:.1} sectors on average. In a column of C the \
         lanes of a warp need 32 rows of A; in a row of C they need one element of A and a row of B.",
        each(PRODUCT_DOWN.name)?,
        each(PRODUCT_ACROSS.name)?,
    ))
}
