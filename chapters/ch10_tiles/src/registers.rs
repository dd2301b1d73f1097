//! A thread computes 8 times 8 elements: how many loads does a product take then?
//!
//! It leaves out how many registers the assembler gives a kernel, which a profiler shows.

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::kernels::products::{PRODUCT_REGISTERS, PRODUCT_WIDE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BANK_CONFLICTS, LOAD_REQUESTS, LOAD_SECTORS, SHARED_REQUESTS};

use crate::matrices::{Matrices, PRODUCTS_PER_LOAD, Version};

const VERSIONS: [Version; 2] = [
    Version {
        kernel: &PRODUCT_REGISTERS,
        tile: (128, 128),
        block: (16, 16),
        is_down: false,
        is_right: true,
        checked_n: 128,
    },
    Version {
        kernel: &PRODUCT_WIDE,
        tile: (128, 128),
        block: (16, 16),
        is_down: false,
        is_right: true,
        checked_n: 128,
    },
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let matrices = Matrices::of(lab)?;
    let title = format!("a tile for the thread: how many loads are left? {}", matrices.named());
    let columns = [LOAD_REQUESTS, LOAD_SECTORS, SHARED_REQUESTS, BANK_CONFLICTS, PRODUCTS_PER_LOAD];
    lab.section("registers", &title, &columns);
    matrices.section(lab, &VERSIONS)?;
    lab.notice(loads);
    Ok(())
}

fn loads(section: &Section) -> Option<String> {
    let each = |name: &str| section.row(name)?.fact_value("products_per_load");
    Some(format!(
        "A load brings one float for {:.1} products on average. With 16 bytes to a load it is {:.1}, and the sectors are the \
         same: the same bytes come in fewer instructions.",
        each(PRODUCT_REGISTERS.name)?,
        each(PRODUCT_WIDE.name)?,
    ))
}
