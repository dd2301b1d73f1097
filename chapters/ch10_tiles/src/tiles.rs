//! A block loads a tile of A and a tile of B once, and all of its threads use them. What do its two barriers do?

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::kernels::products::{PRODUCT_TILE, PRODUCT_TILE_NO_FIRST, PRODUCT_TILE_NO_SECOND};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, LOAD_SECTORS, SHARED_REQUESTS};

use crate::matrices::{Matrices, PRODUCTS_PER_LOAD, Version};

const TILE: Version = Version {
    kernel: &PRODUCT_TILE,
    tile: (32, 32),
    block: (32, 32),
    is_down: false,
    is_right: true,
    checked_n: 64,
};

const VERSIONS: [Version; 3] = [
    TILE,
    Version { kernel: &PRODUCT_TILE_NO_FIRST, is_right: false, ..TILE },
    Version { kernel: &PRODUCT_TILE_NO_SECOND, is_right: false, ..TILE },
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let matrices = Matrices::of(lab)?;
    let title = format!("a tile for the block: which barriers does it need? {}", matrices.named());
    lab.section("tiles", &title, &[LOAD_SECTORS, SHARED_REQUESTS, BARRIERS_PER_WARP, PRODUCTS_PER_LOAD]);
    matrices.section(lab, &VERSIONS)?;
    lab.notice(loads);
    Ok(())
}

fn loads(section: &Section) -> Option<String> {
    let row = section.row(PRODUCT_TILE.name)?;
    Some(format!(
        "Each value is loaded from global memory once for 32 products, but a product still takes two loads from shared memory: \
         {:.2} products for a load.",
        row.fact_value("products_per_load")?
    ))
}
